#!/bin/sh
#
# Verdicts by what an attempt says.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2016 # the attempts' shells expand

. lib/harness.sh

# judged NAME WANT OPTION... COMMAND: the status of the run, a colon, and how
# many attempts it had.
judged() {
	name=$1 want=$2
	shift 2
	rm -f tries
	run retry -q -d 0 -a 3 "$@"
	is "$name" "$code:$(wc -l <tries | tr -d ' ')" "$want"
}
# say STATUS TEXT...: says it, a line each; on standard error after -e.
cat >say <<'E2'
#!/bin/sh
echo >>tries
status=$1
shift
[ "$1" != -e ] || { shift; exec >&2; }
printf '%b\n' "$@"
exit "$status"
E2
chmod +x say

judged 'a success needs its match' 1:3 --success-match=ready ./say 0 up
judged 'and has it' 0:1 --success-match=ready ./say 0 up 'almost ready'
judged 'a match makes no success of a failure' 7:3 --success-match=up ./say 7 up
judged 'what fails a run need not be a status' 1:3 --fail-match=^ERR ./say 0 \
    ok 'ERR 5'
judged 'the match of a failure outdoes that of a success' 1:3 \
    --success-match=ok --fail-match=ERR ./say 0 ok ERR
judged 'a match that does not occur fails nothing' 0:1 --fail-match=^ERR \
    ./say 0 'no ERR'
judged 'only what matches is retried' 7:1 --retry-match='reset|refused' \
    ./say 7 denied
judged 'and that is' 7:3 --retry-match='reset|refused' ./say 7 'was reset'
judged 'what --retry-on names is retried beside it' 7:3 --retry-on=7 \
    --retry-match=reset ./say 7 denied
judged 'a match stops' 7:1 --stop-match=denied ./say 7 denied
judged 'a stop outdoes a retry' 7:1 --stop-match=denied --retry-match=. \
    ./say 7 denied
judged 'standard error is searched alike' 7:1 --stop-match=denied ./say 7 -e \
    denied
judged 'a line without an end is one' 7:1 --stop-match='end$' sh -c \
    'echo >>tries; printf "the end"; exit 7'
judged 'lines are joined over writes' 7:1 --stop-match='^one two$' sh -c \
    'echo >>tries; printf "on"; printf "e tw"; echo o; exit 7'
judged 'a line is no part of the next' 7:3 --stop-match='one.*two' ./say 7 \
    one two
judged 'no line goes over both streams' 7:3 --stop-match='onetwo' sh -c \
    'echo >>tries; printf one; printf two >&2; exit 7'
judged 'a NUL ends no line and stops no search' 7:1 \
    --stop-match='^a.*b$' ./say 7 'a\0000x\0000b'
judged 'bytes that are not UTF-8 end no line and stop no search' 7:1 --stop-match='^.{2}b$' ./say 7 \
    '\0377\0376b'
judged 'the first 4096 bytes are searched' 7:1 --stop-match='^x*y' sh -c \
    'echo >>tries; head -c 4095 /dev/zero | tr "\0" x; echo yz; exit 7'
judged 'and no more' 7:3 --stop-match=z sh -c \
    'echo >>tries; head -c 4096 /dev/zero | tr "\0" x; echo zzz; exit 7'
judged 'a match of an attempt does not count for the next' 3:2 \
    --stop-match=stop sh -c 'echo >>tries
    case $(wc -l <tries) in 1) echo go; exit 7;; *) echo stop; exit 3;; esac'
judged 'held output is searched too' 7:1 --output=hold --stop-match=denied \
    ./say 7 denied
judged 'and what streams beside it' 7:1 --output=hold --stop-match=denied \
    ./say 7 -e denied
judged 'the output of the last attempt alone, too' 7:1 --output=last \
    --stop-match=denied ./say 7 denied

run retry -v -a 2 --throttle-match=busy --throttle-delay=30ms -d 1us -j none \
    ./say 7 busy
like 'a match throttles' "$err" 'nominal 30ms'
run retry -a 2 -d 0 --retry-on=1 --throttle-match=busy --throttle-delay=1ms \
    sh -c 'echo busy; exit 75'
like 'a match throttles, and is retried though --retry-on has it not' "$err" 'after 2 attempts'
run retry -a 2 -d 0 --retry-match=lost --throttle-on=75 --throttle-delay=1ms \
    sh -c 'exit 75'
like 'an outcome in --throttle-on is retried though --retry-match does not match' "$err" 'after 2 attempts'
run retry --log=json -q -d 0 -a 1 --fail-match=ERR ./say 0 ERR
like 'the rule is told' "$err" '"rule":"fail-match"'

# What passes
head -c 300000 /dev/urandom >bytes
retry --fail-match=impossible-to-find cat bytes >got
check 'all bytes pass as they are' cmp got bytes
is 'through a pipe' "$(seq 200000 | retry --fail-match=none cat | tail -n 1)" \
    200000
mkfifo go
retry --fail-match=none sh -c 'echo first; printf prompt; read x; echo' \
    <go >got &
exec 9>go
wait_for grep -q prompt got
is 'each piece passes at once' "$(cat got)" 'first
prompt'
echo >&9
exec 9>&-
wait $!
retry -a 1 --fail-match=none sh -c 'echo 1; echo 2 >&2; echo 3; exit 0' \
    >got 2>&1
is 'where both are one file, their order is kept' "$(tr '\n' ' ' <got)" '1 2 3 '
{ retry --fail-match=none yes 2>err; echo $? >code; } | head -n 1 >/dev/null
is 'a reader that went away ends retry by SIGPIPE' "$(cat code):$(cat err)" 141:
run sh -c 'retry --fail-match=none echo x >/dev/full'
is 'a full disk is an error' "$code:$err" \
    '125:retry: echo: standard output: No space left on device'

# Without a match
if have 'nothing is copied without a match' strace; then
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 \
	    strace -o trace -e trace=pipe,pipe2,splice,sendfile,read,write \
	    retry -q -a 2 -d 0 sh -c 'echo copied; exit 1' >got
	check 'nothing is copied without a match' \
	    sh -c '! grep -e pipe -e splice -e sendfile -e copied trace'
fi

# Time
retry --fail-match='(a|b)*c' --delay-match='(a|b)*c' sh -c '
	trap "exit 9" TERM
	head -c 1M /dev/zero | tr "\0" a
	line=$(head -c 4000 /dev/zero | tr "\0" a)
	: >begun
	while :; do echo "$line"; done' >/dev/null &
pid=$!
wait_for test -e begun
kill "$pid"
wait "$pid"
is 'no search makes retry deaf' $? 9

# Bad expressions
for bad in '(a' '[a' 'a{1' 'a{2,1}' '(a)\1' '[[:no:]]'; do
	for option in success fail retry stop throttle delay; do
		status 125 "--$option-match=$bad is an error" retry \
		    --throttle-delay=1s "--$option-match=$bad" touch ran
	done
done
status 125 'an expression for a hint needs a group' retry --delay-match=a \
    touch ran
status 125 'a match that throttles needs a delay' retry --throttle-match=a \
    touch ran
run retry '--stop-match=(a' touch ran
is 'the error names all' "$err" \
    "retry: invalid --stop-match '(a': unmatched (; write \( for the character (try 'retry --help')"
check 'nothing is run' not test -e ran

# A pattern for which the matcher takes minutes, and hundreds of megabytes; that
# of musl takes no time.
if command -v python3 >/dev/null && ! musl; then
	python3 -c '
import random
random.seed(1)
for _ in range(100):
    print("".join(random.choice("ab") for _ in range(4000)))' >slow
	run timeout -s KILL 60 "$RETRY" -T .5 -k .5 --fail-match='a.{30}c' \
	    cat slow
	is 'limits hold while a pattern is looked for' "$code" 124
	run timeout -s KILL 60 "$RETRY" -T .5 -k .5 --fail-match='a.{30}c' \
	    --output=hold cat slow
	is 'limits hold while a pattern is looked for in held output' "$code" 124
	for output in stream hold last; do
		run timeout -s KILL 60 "$RETRY" -t .5 -k .5 -a 1 \
		    --fail-match='a.{30}c' --output=$output cat slow
		is "the limit of an attempt does, too: $output" "$code" 124
		like "the limit of an attempt does, too: $output, which says so: $output" "$err" \
		    'attempt 1/1 timed out after'
		[ $output = stream ] || continue
		kilobytes=50000
		sanitized && kilobytes=1000000
		run timeout -s KILL 60 python3 -c 'import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
# A search that looks at no clock takes 18 s; a pattern that is kept grows.
sys.exit(1 if used.ru_utime > 6 or used.ru_maxrss > int(sys.argv[1])
         else status)' $kilobytes "$RETRY" -t 2 -k .5 -a 1 -q \
		    --fail-match='a.{30}c' sh -c 'cat slow; exec sleep 100'
		is 'what is left to search of a timeout keeps nothing' \
		    "$code" 124
	done
else
	skip 'limits hold while a pattern is looked for' \
	    'python3 is not installed'
fi

# A reader may take longer than --timeout.
mkfifo unread
"$RETRY" -q -a 1 -t 3 -k .5 --stop-match=nothing \
    sh -c 'seq 20000; : >written' >unread &
retry=$!
{
	wait_for test -e written
	sleep 4.5
	cat
} <unread >got
wait $retry
is 'a slow reader makes no attempt late' "$? $(wc -l <got)" '0 20000'


# look NAME SEEN STATUS OPTION...: in which streams (1, 2) each --search sees a line of
# an attempt that exits 0 or, with a STATUS, differently each time. It is seen if the
# run's status is SEEN.
cat >looks <<'END'
look() {
	name=$1 seen=$2 STATUS=$3
	shift 3
	export STATUS
	for search in both stdout stderr; do
		found=
		for stream in 1 2; do
			"$RETRY" -q -a 2 -d 0 --search=$search "$@" sh -c \
			    'echo "npm error code ERESOLVE 9d" >&'$stream'
			    exit "$((STATUS ? RETRY_ATTEMPT + STATUS : 0))"'
			[ $? -ne "$seen" ] || found="$found $stream"
		done
		echo "$name $search:$found" >>found
	done
}
for mode in stream hold all last chronic failed; do
	look $mode 1 0 --fail-match=ERESOLVE --output=$mode
done
look success 0 0 --success-match=ERESOLVE
look retry 4 2 --retry-match=ERESOLVE
look stop 3 2 --stop-match=ERESOLVE
look hint 3 2 -m 1 '--delay-match=ERESOLVE (.*)'
look preset 3 2 --preset=npm
END
# searched PLACE BOTH STDOUT STDERR: what was found there by all of them.
searched() {
	for name in stream hold all last chronic failed success retry stop hint \
	    preset; do
		printf '%s both:%s\n%s stdout:%s\n%s stderr:%s\n' "$name" "$2" \
		    "$name" "$3" "$name" "$4"
	done >wanted
	is "$1: --search sees what it names, in each mode, by each pattern" \
	    "$(cat found)" "$(cat wanted)"
	rm found
}
sh looks >out 2>err
searched 'two files' ' 1 2' ' 1' ' 2'
sh looks >out 2>&1
searched 'one file' ' 1 2' ' 1 2' ' 1 2'
if have 'on a terminal --search sees both streams' python3; then
	python3 "$TESTS/lib/terminal.py" 80 -- sh looks >/dev/null
	searched 'a terminal' ' 1 2' ' 1 2' ' 1 2'
fi
# The other stream stays the attempt's own, unless something else needs it.
while IFS=/ read -r options out err; do
	rm -f kinds
	# shellcheck disable=SC2086 # words
	retry -q -a 1 --fail-match=x $options sh -c 'for stream in 1 2; do
		kind=own
		[ ! -p /proc/$$/fd/$stream ] || kind=pipe
		echo $kind >>kinds
	done' >out 2>err
	is "$options: what the attempt writes to" "$(xargs <kinds)" "$out $err"
done <<'END'
--search=both/pipe/pipe
--search=stdout/pipe/own
--search=stderr/own/pipe
--search=stderr --output=hold/pipe/pipe
--search=stdout --output=hold/pipe/own
--search=stderr --output=all/pipe/pipe
--search=stderr --idle-timeout=9/pipe/pipe
END
printf 'search = stderr\npermanent-text = broken\n' >own
judged 'a preset may name the stream' 7:3 --preset=./own ./say 7 broken
judged 'a preset may name the stream, in which it looks' 7:1 --preset=./own \
    ./say 7 -e broken

finish
