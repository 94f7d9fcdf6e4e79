#!/bin/sh
#
# The exit status says how the run ended, and how often the command ran.
#
# shellcheck disable=SC2016 # it is for another shell to expand
# shellcheck disable=SC3045 # dash and bash know ulimit -S

# SPDX-License-Identifier: MIT

. lib/harness.sh

# ran: how many attempts left a line; forgets them.
ran() {
	touch ran
	wc -l <ran
	rm ran
}

# death COMMAND...: how it ended, which $? does not tell: exit N or signal N.
death() {
	perl -e '
		system { $ARGV[0] } @ARGV;
		my $core = $? & 128 ? " with a core" : "";
		print $? & 127 ? "signal " . ($? & 127) . $core
		    : "exit " . ($? >> 8), "\n"' "$@"
}

# An attempt that leaves a line.
cat >attempt <<'end'
#!/bin/sh
echo >>"$T/ran"
exec "$@"
end
chmod +x attempt

# A run that ends by the command's own status.

run retry ./attempt true
is 'a command that succeeds is run once' "$code $(ran)" '0 1'
is 'a run that succeeds at once says nothing' "$out$err" ''

wrong=
for n in 1 2 7 63 64 75 123 124 125 126 127 128 129 131 137 143 254 255; do
	run retry -a 2 -d 0 ./attempt sh -c "exit $n"
	[ "$code $(ran)" = "$n 2" ] || wrong="$wrong $n"
done
is 'every failure is retried, and the last status passed on' "$wrong" ''

run retry -d 0 sh -c 'echo >>ran; exit $((3 - RETRY_ATTEMPT))'
is 'a success ends the run' "$code $(ran)" '0 3'
run retry -a 3 -d 0 sh -c 'exit $((RETRY_ATTEMPT + 40))'
is 'the status is that of the last attempt' "$code" 43
run retry -a 1 -d 100d ./attempt false
is 'one attempt is one run of the command' "$code $(ran)" '1 1'
run retry -d 0 ./attempt false
is 'the command is run five times by default' "$code $(ran)" '1 5'
run retry -a 0 -d 0 sh -c 'echo >>ran; test $RETRY_ATTEMPT -eq 20'
is 'without a limit a command is run until it succeeds' "$code $(ran)" '0 20'

# Limits beside the number of attempts.

run retry -a 10,75:2 -d 0 sh -c 'echo >>ran; test $RETRY_ATTEMPT -gt 1 && exit 75; exit 1'
is 'a limit of one kind of failure gives up' "$code $(ran)" '75 3'
like 'a limit of one kind of failure gives up, and the message names it' "$err" '--attempts=75:2'
run retry -a timeout:2 -t 3 -d 0 ./attempt sleep 60
is 'time-outs have a limit of their own' "$code $(ran)" '124 2'
run retry -a 4/10m -d 0 ./attempt false
is 'failures within a time have a limit of their own' "$code $(ran)" '1 4'
run retry -a 9/1h,1:2 --log=json:log -d 0 sh -c 'echo $RETRY_ATTEMPTS; false'
is '$RETRY_ATTEMPTS is the plain number alone' "$out" "0
0"
is 'JSON has the limits' \
    "$(jq -c 'select(.limits).limits, select(.reason).limit' log)" \
    '["9/1h","1:2"]
"1:2"'
run retry -a 5,3:1 --stop-on=3 --log=json:stopped sh -c 'exit 3'
is 'JSON has the limits, but not one that did not end the run' \
    "$(jq -c 'select(.reason) | [.reason, .limit]' stopped)" '["stop",null]'
run retry -a 3,timeout:0 true
is 'a limit that is wrong is told by its item' "$code $err" \
    "125 retry: invalid --attempts 'timeout:0': the number must be more than 0 (try 'retry --help=limits')"
run retry --plan='timeout:1s' -a 10,timeout:2 make
like 'a plan has them too' "$out" 'at most 10 attempts, timeout:2'
like 'a plan has them too, and ends by them' "$out" 'giving up after 2 attempts'

status 0 'another status may be the success' retry --success-on=3 sh -c 'exit 3'
status 1 'a failure that exited 0 is 1' \
    retry -a 1 --success-on='!0,3' sh -c 'exit 0'
status 1 'a stop on 0 is 1' \
    retry --success-on='!0' --stop-on=0 -d 100d true
status 1 'a check that fails what exited 0 gives 1' \
    retry -a 1 --check='exit 1' true
status 6 'a check that fails what exited 6 gives 6' \
    retry -a 1 --check='exit 1' sh -c 'exit 6'
status 0 'a check that is content gives 0' retry --check=true sh -c 'exit 6'

# A run that ends by a signal that the command died of.

wrong=
for n in $(seq 1 31) $(seq 34 64); do
	case $n in
	34) ! musl || continue ;; # which keeps it for itself
	17 | 18 | 19 | 20 | 21 | 22 | 23 | 28) continue ;; # not deadly
	esac
	got=$(death retry -qa 1 sh -c "ulimit -c 0; kill -$n \$\$")
	[ "$got" = "signal $n" ] || wrong="$wrong $n:$got"
done
is 'a run ends by the signal that its command died of' "$wrong" ''
is 'a run ends by the signal of its command even if retry was started with it ignored' "$(env --ignore-signal=USR1 \
    perl -e 'system @ARGV; print "signal ", $? & 127' \
    "$RETRY" -qa 1 perl -e '$SIG{USR1} = "DEFAULT"; kill USR1 => $$')" 'signal 10'
run retry -a 1 sh -c 'kill -9 $$'
is 'a shell sees 128 and the signal' "$code" 137
run retry -a 3 -d 0 sh -c 'echo >>ran; kill -9 $$'
is 'a death by a signal is retried' "$code $(ran)" '137 3'
run retry -d 100d sh -c 'echo >>ran; kill -INT $$'
is 'a death by SIGINT is not' "$code $(ran)" '130 1'
run retry -d 100d ./attempt sh -c 'exit 130'
is 'status 130 is not retried' "$code $(ran)" '130 1'
run retry -a 2 -d 0 --retry-on=130 ./attempt sh -c 'exit 130'
is '--retry-on=130 retries status 130' "$code $(ran)" '130 2'
run retry -d 100d sh -c 'echo >>ran; ulimit -c 0; kill -QUIT $$'
is 'a death by SIGQUIT is not' "$code $(ran)" '131 1'

if ulimit -S -c "$(ulimit -H -c)" &&
    [ "$(death sh -c 'kill -ABRT $$')" = 'signal 6 with a core' ]; then
	is 'retry leaves no core beside that of its command' \
	    "$(death retry -qa 1 sh -c 'kill -ABRT $$')" 'signal 6'
else
	skip 'retry leaves no core beside that of its command' \
	    'no core is written here'
fi
ulimit -S -c 0

# A command that cannot be started.

run retry -d 100d ./nosuch
is 'a command that is not found is 127' "$code" 127
is 'a command that is not found is named, and not retried' \
    "$err" 'retry: cannot execute ./nosuch: No such file or directory'
is 'nothing is said on stdout' "$out" ''
status 127 'a name that is not found on the PATH is 127' \
    env PATH=/usr/bin:/bin "$RETRY" -d 100d retry-no-such-command
run retry -d 100d ''
is 'an empty name is not found, and shown' "$code $err" \
    "127 retry: cannot execute '': the command is empty"
# instead TEXT COMMAND...
instead() {
	text=$1
	shift
	run retry -d 100d "$@"
	is "'$*' is not found" "$code" 127
	err=${err##*not found}
	is "'$*' is not found, and what to type instead is said" "${err##*directory}" "$text"
}
instead '; did you mean retry make test, without the quotes?' 'make test'
instead "; did you mean retry sh -c '...'?" 'make && ls'
instead '; did you mean retry -a 3 ...?' 3 make
instead '; did you mean retry --repeat=3 ...?' --repeat 3 make
instead '; did you mean retry -a 4 ...?' --repeat=3 4 make
instead '; did you mean retry -T 5m ...?' 5m make
instead '; did you mean retry env FOO=1 ...?' FOO=1 make
instead '; write a duration in one word, such as 5m' -t 5 minutes make
instead '; to wait for a failure: --success-on=none,nonzero' ! true
instead "; the shell knows this word: retry sh -c 'export ...'" export x
for words in 'cd /tmp' 'while true' 'A=1 make' '! grep x'; do
	instead "; did you mean retry sh -c '...'?" "$words"
done
instead "; did you mean retry bash -c '...'?" 'source y'
instead "; only a shell expands ~ and \$NAME: retry sh -c '...'" '$HOME/x.sh'
instead '; did you mean --preset=network? (-p is --preserve-status)' \
    -p network make
run env PATH=/usr/bin:/bin "$RETRY" gti status
is 'a command that is misspelt as people do leads to what was meant' "$err" \
    'retry: cannot execute gti: command not found; did you mean git?'
instead "; bash knows this word: retry bash -c '[[ ...'" '[[' -f x ']]'
for word in source declare typeset shopt let pushd; do
	instead "; bash knows this word: retry bash -c '$word ...'" $word x
done
instead '; did you mean retry --help?' help
instead '; options go before --' -- -a 3 false
for dash in – — −; do
	instead '; it starts with a typographic dash; type "-"' "${dash}a" 3 false
done
instead '; separate with commas: --retry-on=1,2' --retry-on 1 2 x
instead '; separate with commas: --retry-on=1,2' --retry-on=1 2 x
instead '' no/such/file
mkdir folder
printf '#!/no/such\n' >script
printf '#! \t/no/such -x\n' >spaced
printf '#!/bin/sh\r\n' >crlf
printf 'true\n' >here.sh
chmod +x script spaced crlf here.sh
printf 'true\n' >text
while read -r command want; do
	run env PATH=/usr/bin:/bin "$RETRY" -d 100d "$command" file
	is "'$command' says why it cannot be executed" "${err#*: *: }" "$want"
done <<'END'
no_such_command command not found; searched PATH=/usr/bin:/bin; functions and aliases: --help=shell
./folder it is a directory
. it is a directory; "." is a shell word: retry sh -c '. ./FILE'
./text no execute permission: chmod +x ./text
./script its interpreter '/no/such' does not exist
./spaced its interpreter '/no/such' does not exist
./crlf its interpreter '/bin/sh\r' does not exist: its lines end in CR LF
here.sh command not found; did you mean ./here.sh?
END
run env 'BASH_FUNC_my_own%%=() { :; }' "$RETRY" -d 100d my_own
is 'a function of bash is told from other names' "$err" \
    "retry: cannot execute my_own: it is a function of bash: use bash -c 'my_own ...'"
rm -r folder script spaced crlf here.sh text
run retry -a 2 -d 0 --retry-on=137 sh -c 'kill -9 $$'
like 'a death by a signal is told from its exit status' "$err" \
    'not in --retry-on; 137 is what a shell .* SIGKILL: use KILL in --retry-on$'
run retry -a 2 -d 0 --stop-on=137 sh -c 'kill -9 $$'
like 'a death by a signal is told from its exit status if the status stops' "$err" \
    'attempt 1/2 .*; 137 is what .* SIGKILL: use KILL in --stop-on; next at'
printf '#!/bin/sh\nexit 124\n' >timeout
chmod +x timeout
run retry -a 2 -d 0 --retry-on=timeout ./timeout
like 'the status of timeout(1) is told from a timeout' "$err" \
    'exited 124, not in --retry-on; 124 is the status of timeout\(1\)'
run retry -a 2 -d 0 --retry-on=timeout sh -c 'exit 124'
like 'another command may exit 124' "$err" 'exited 124, not in --retry-on$'
run retry --preset=kubernetes --delay-match='(.*)' sh -c 'echo 2h; exit 1'
like 'the cap of a preset is none for hints' "$err" \
    'asked to wait 2h, over the 1h limit; raise it with -m$'
run retry -d 2 --delay-match='(.*)' sh -c 'echo 2h; exit 1'
like 'the default cap is named' "$err" \
    'asked to wait 2h, over the 1h limit; raise it with -m$'
printf "#!/bin/sh\nexit 0\n" >./3
chmod +x ./3
status 0 'a program of such a name is run all the same' \
    env PATH=".:$PATH" "$RETRY" 3 make
rm ./3
status 127 'a command without a PATH to find it is 127' \
    env PATH=/nonexistent "$RETRY" -d 100d retry-no-such-command
status 126 'a directory is 126' retry -d 100d /
status 126 'a path through a file is 126' retry -d 100d ./attempt/x
: >plain
status 126 'a file that is not executable is 126' retry -d 100d ./plain
printf '#!/nonexistent/interpreter\n' >orphan
chmod +x orphan
status 127 'a script whose interpreter is missing is 127' retry -d 100d ./orphan
cp /bin/true busy
status 126 'a program that is being written is 126' \
    sh -c 'exec retry -d 100d ./busy 9>>busy'
ln -s loop loop
status 126 'a loop of symbolic links is 126' retry -d 100d ./loop
run retry -a 2 -d 0 --retry-on=unstartable ./plain
is 'what cannot be started is retried if wished' \
    "$code $(printf '%s\n' "$err" | grep -c 'cannot execute')" '126 2'
run retry -q ./plain
is 'quiet says so too: nobody else would' "$code $err" \
    '126 retry: cannot execute ./plain: no execute permission: chmod +x ./plain'
run retry -q -a 3 -d 0 --retry-on=unstartable ./nosuch
is 'quiet says so too: nobody else would, but once, where the run ends by it' "$code $err" \
    '127 retry: cannot execute ./nosuch: No such file or directory'
printf 'echo "$1" from a script; exit 5\n' >bare
chmod +x bare
run retry -a 1 ./bare word
is 'a script without #! is run by a shell' "$code $out" '5 word from a script'
run retry -a 2 -d 0 ./attempt sh -c 'exit 127'
is "the command's own 127 is a failure like others" "$code $(ran)" '127 2'
run retry -a 2 -d 0 ./attempt sh -c 'exit 126'
is "the command's own 126 is a failure like others" "$code $(ran)" '126 2'

# A call that is wrong.

run retry -v
is 'no command is 125' "$code" 125
is 'a wrong call is told in one line' "$(printf %s "$err" | grep -c '')" 1
is 'a wrong call is told in one line, and not on stdout' "$out" ''
like 'the line points to the help' "$err" 'retry --help'
run retry --no-such-option ./attempt true
is 'an unknown option is 125, and nothing runs' "$code $(ran)" '125 0'
like 'an unknown option is named' "$err" '^retry: unknown option --no-such-option '
run retry -a x ./attempt true
is 'a wrong value is 125, and nothing runs' "$code $(ran)" '125 0'
like 'the option and the value are named' "$err" "^retry: invalid --attempts 'x': "
run retry -a '' ./attempt true
is 'an empty value is 125, as of an unset variable' "$code $(ran)" '125 0'
run retry -d -t -t ./attempt true
is 'an option as a value is no value' "$code $(ran)" '125 0'

for option in --help --version; do
	run retry "$option"
	is "$option is on stdout and succeeds" "$code$err" 0
	is "$option says something" "${out:+something}" something
	run sh -c "retry $option >/dev/full"
	is "$option that cannot be written is 125" "$code" 125
	run sh -c "retry $option >&-"
	is "$option with stdout closed is 125" "$code" 125
done

# The status of the command, as timeout(1) has it.

status 2 '--preserve-status keeps that of a success' \
    retry --success-on=0,2 --preserve-status sh -c 'exit 2'
status 0 'without --preserve-status a success is 0' retry --success-on=0,2 sh -c 'exit 2'
status 143 '--preserve-status keeps the signal of a timeout' \
    retry -a 1 -t .1 --preserve-status sleep 9
status 9 '--preserve-status keeps the status that a timed-out attempt chose' \
    retry -a 1 -t 3 --preserve-status sh -c 'trap "exit 9" TERM; sleep 60 & wait'
status 0 '--preserve-status keeps a 0 that a timed-out attempt chose' \
    retry -a 1 -t 3 --preserve-status sh -c 'trap "exit 0" TERM; sleep 60 & wait'
status 0 '--preserve-status keeps a 0 that a rule made a failure' \
    retry -a 1 --preserve-status --fail-match=bad echo bad
status 143 '--preserve-status keeps the signal of an attempt that --max-time ended' retry -T .1 --preserve-status sleep 9
status 0 '--preserve-status keeps a 0' retry --preserve-status true

# The words of the command are its own.

run retry sh -c 'echo "$1"' sh -a
is 'options after the command are its own' "$code $out" '0 -a'
run retry printf '%s|' 'a b' '' "it's" '$HOME' '*' "$(printf 'new\nline')" -- -a
is 'words arrive as they were given' \
    "$out" "a b||it's|\$HOME|*|$(printf 'new\nline')|--|-a|"
ln -s /bin/echo linear
run env PATH=".:$PATH" retry -- linear x
is 'a command may be named like a strategy' "$out" x
cp attempt ./-a
run env PATH=".:$PATH" retry -- -a echo x
is 'a command may look like an option after --' "$code $out" '0 x'
rm -f ran ./-a

run bash -c 'exec -a "$(printf "a\033[1m\nb")" "$RETRY" --bogus'
is 'whatever name it is called by' "$err" \
    "retry: unknown option --bogus (try 'retry --help')"

# The statuses that a CI above asks for.
run retry -q -d 0 -a 2 --transient-status=75 --retry-on=transient --preset=npm \
    sh -c 'echo "npm error code ECONNRESET"; exit 1'
is 'a run whose last failure is transient exits as it is told' "$code" 75
run retry -q -d 0 -a 2 --transient-status=9 sh -c 'kill -KILL $$'
is 'an unknown failure has its own status' "$code" 137
run retry -q -d 0 -a 2 --transient-status=9 sh -c 'exit 75'
is 'EX_TEMPFAIL is transient' "$code" 9
run retry -q -d 0 --flaky-status=3 --log=json:flaky \
    sh -c 'test "$RETRY_ATTEMPT" -gt 1'
is 'a success that took a retry exits as it is told' "$code" 3
like 'a success that took a retry exits as it is told, and is flaky, not failed' "$(cat flaky)" \
    '"reason":"success","status":3,.*"flaky":true'
run retry -q --flaky-status=3 true
is 'a success at once exits 0' "$code" 0
for status in 0 124 125 126 127 256 x; do
	run retry --flaky-status=$status true
	is "--flaky-status=$status is refused" "$code" 125
done

finish
