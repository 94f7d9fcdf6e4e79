#!/bin/sh
#
# Where reports are written to, and what a log that fails may change.

# SPDX-License-Identifier: MIT

. lib/harness.sh

run retry --log=text -a 2 -d 1ms false
like 'a log without a file is on standard error' "$err" 'attempt 1/2 exited 1'
is 'a log without a file is on standard error, and nothing on standard output' "$out" ''

run retry --log=text:log -a 2 -d 1ms false
is 'a log in a file is not on standard error' "$err" ''
check 'a log has a line for each failure, and for the end' \
    sh -c 'test $(grep -cE "^20[0-9T:+-]+ retry: false: " log) -eq 3'
is 'a log is for its owner alone' "$(stat -c %a log)" 600
retry --log=text:log -a 1 false
is 'a log is appended to' "$(grep -c giving log)" 2

# Long lines, while which are written the file grows bit by bit. A line that seems to
# be left in the middle is ended behind its end, which leaves an empty one.
perl -e 'open my $log, ">>", "shared";
	syswrite $log, "x" x 299999 . "\n" for 1 .. 60' &
retry -b constant -a 60 -d 1ms --log=json:shared false
wait
is 'a line that another process is writing is not torn' \
    "$(awk 'length && length != 299999 && !/^{.*}$/' shared | wc -l)" 0
rm shared

retry --log=text:a --log=json:b --log=journal:c -a 1 false
check 'a run may have several logs' \
    sh -c 'grep -q "retry: " a && grep -q ^{ b && grep -q "^<3>retry" c'

run retry --log=text:quiet --log=json:loud -q -a 1 false
check 'quiet silences the text' test -e quiet -a ! -s quiet
check 'quiet silences the text, but not JSON' test -s loud

# refused TEXT FILE: such a log is an error before anything is run.
refused() {
	run retry "--log=json:$2" touch ran
	is "$1 is refused" "$code" 125
	like "$1 is named" "$err" "^retry: --log: $2: [^()]*\$"
	check "$1 is named, and nothing is run" not test -e ran
}

mkdir folder
refused 'a file in a folder that is not there' none/log
refused 'a folder' folder
ln -s log link
refused 'a symbolic link' link
like 'a link is told as what it is' "$err" ' link: is a symbolic link$'
mkfifo fifo
refused 'a pipe that nobody reads' fifo

# same NAME OPTION...
same() {
	same_name=$1
	shift
	run "$@" touch ran
	is "$same_name" "$code" 125
	like "$same_name, with why" "$err" \
	    "^retry: --log: [a-z]*: is also the file of (another log|the state|the budget)\$"
	check "$same_name, and nothing is run" not test -e ran
}
same 'two logs of one name are refused' retry --log=json:x --log=text:x
for logs in '--log=text --log=text' '--log=auto --log=text' \
    '--log=text --log=text:/dev/stderr'; do
	# shellcheck disable=SC2086 # words
	run retry $logs -a 1 false
	is "$logs writes each line once" "$(echo "$err" | grep -c .)" 2
done
run retry --log=text --log=json -a 1 false
is 'two formats each write theirs' "$(echo "$err" | grep -c '^retry:')" 2
like 'two formats each write theirs, and both' "$err" '"event":"end"'
ln log hard
same 'a log that is the budget is refused' \
    retry --budget=shared --log=json:shared
same 'a log that is the state is refused' retry --state=shared --log=json:shared
run retry --state=none/state --log=json:shared true
check 'a line that is refused leaves no file of a log' not test -e shared
same 'two names of one file are refused' retry --log=json:log --log=text:hard

run retry --log=json:/dev/full --log=text:log -a 2 -d 1ms sh -c 'exit 3'
is 'a log that cannot be written changes no status' "$code" 3
is 'a log that cannot be written is reported once' "$err" 'retry: sh: --log: /dev/full: No space left on device'
run retry --log=json:/dev/full true
is 'a log that cannot be written does not fail a run that succeeds' "$code" 0

# Descriptors: N is the name of one in $where.
for where in - fd:1 /dev/stdout /dev/fd/1 /proc/self/fd/1; do
	run retry --log=json:$where true
	like "$where is standard output" "$out" '^\{"event":"end"'
	is "$where is standard output, and nothing is on standard error" "$err" ''
done
check 'no file got that name' not test -e - -o -e fd:1
for where in fd:2 /dev/stderr /dev/fd/2; do
	run retry --log=json:$where true
	like "$where is standard error" "$err" '^\{"event":"end"'
	is "$where is standard error, and nothing is on standard output" "$out" ''
done
run retry --log=text:/dev/stderr --output=chronic -a 1 sh -c 'echo out; exit 3'
like 'standard error by name is told what is held' "$err" 'giving up'
run retry --log=text:./- -a 1 false
check 'a file may be called so all the same' grep -q giving ./-
for where in fd:7 /dev/fd/7; do
	run retry --log=json:$where -a 1 sh -c 'ls -l /proc/self/fd >fds' 7>log
	like "$where is a descriptor that was inherited" "$(cat log)" '"end"'
	check "the attempt does not have $where" not grep log fds
done
(echo before; retry --log=text:- -a 2 -d 0 echo; echo after) >all
retry --log=text:fd:1 -a 1 sh -c 'echo attempt; exit 1' >>all
is 'a log shares the place of what it is written among' "$(cut -c 1-7 all)" \
'before

after
attempt
retry: 
retry: '
retry --log=junit:- sh -c 'echo first' >all
is 'a document to a descriptor replaces nothing' \
    "$(head -n 1 all)$(tail -n 1 all)" 'first</testsuite>'
refused 'a descriptor that is closed' fd:7
like 'a closed descriptor is told as what it is' "$err" ' fd:7: is closed$'
refused 'one that can only be read' fd:0
like 'a descriptor that cannot be written to is told as what it is' "$err" ' fd:0: cannot be written to$'
refused 'a name of a descriptor without its number' fd:x
like 'a descriptor that is no number is told as what it is' "$err" ' fd:x: is not the number of a descriptor$'
refused 'a number of a descriptor that is too high' /dev/fd/99999999999
status 125 'a log on a closed standard error is refused' \
    sh -c 'retry --log=json:fd:2 true 2>&-'
run retry --plan=1,0 -j none --log=json:-
is 'a log to standard output takes the place of a plan' "$out" \
    "$(retry --plan=1,0 -j none --log=json)"
run retry --log=json:- --log=text:fd:1 touch ran
is 'two logs on one descriptor are refused' "$code" 125
run sh -c 'retry --log=json:- --log=json:log true | grep -c event'
is 'a JSON log can be piped' "$out" 4
if have 'a process substitution can be a log' bash; then
	run bash -c 'retry --log=json:>(grep -c event >count) true; wait'
	wait_for grep -q 4 count
	is 'a process substitution can be a log' "$code:$(cat count)" 0:4
fi
# Nobody reads descriptor 7, whose pipe is full or has no other end.
cat >stuck.py <<'END'
import fcntl, os, sys

reader, writer = os.pipe()
size = fcntl.fcntl(writer, 1031, 1 << 20)  # F_SETPIPE_SZ
os.write(writer, bytes(size))
os.set_inheritable(reader, sys.argv[1] == 'stuck')
os.dup2(writer, 7)
os.execvp(sys.argv[2], sys.argv[2:])
END
for reader in gone stuck; do
	run timeout 200 python3 stuck.py $reader retry --log=json:fd:7 -a 99 \
	    -d 0 -q sh -c 'exit 3'
	is "a reader that is $reader ends no run and holds none up" "$code" 3
	is "a reader that is $reader ends no run and holds none up, which is told once" "$(echo "$err" | cut -d : -f 1-5)" \
	    'retry: sh: --log: fd:7'
done
like "a reader that is $reader ends no run and holds none up, with why" "$err" ': lines are left out: nobody reads them$'

exec 8<>fifo
sh -c 'until [ -e begun ]; do sleep .05; done' &
exec 8<&-
run retry -q -a 1 --log=json:fifo sh -c "touch begun
    while [ -e /proc/$!/fd/8 ]; do sleep .05; done"
like 'a reader of a FIFO that has gone is told' "$err" '^retry: sh: --log: fifo: Broken pipe$'
run sh -c 'ulimit -f 1; exec retry -q -a 1 --log=json:limited sh -c "
    for i in \$(seq 30); do kill -WINCH \$PPID; sleep .01; done; exit 3"'
is 'a log that reaches the limit on files ends no attempt' "$code" 3
like 'a log that reaches the limit on files is told' "$err" '--log: limited: File too large$'

cat fifo >piped &
wait_for retry --log=json:fifo true
wait
like 'a log may be a pipe' "$(cat piped)" '"event":"end"'

# logrotate(8) moves the file; a clean-up removes it.
for how in 'mv moved moved.1' 'rm moved'; do
	rm -f moved
	run retry -q -d 0 -a 2 --log=json:moved sh -c \
	    "until grep -q :.[a]ttempt moved; do sleep .01; done
	    [ \"\$RETRY_ATTEMPT\" -eq 2 ] || $how; exit 3"
	is "a log goes on in a new file after $how" \
	    "$code $(jq -r .event moved | xargs)" \
	    '3 outcome wait attempt outcome end'
done
is 'a log that was moved has what came before' \
    "$(jq -r .event moved.1 | xargs)" 'start attempt'

run retry --log=text:log ls -l /proc/self/fd
like 'an attempt can look at its descriptors' "$out" ' 0 -> /dev/null$'
unlike 'an attempt can look at its descriptors, and has no log among them' "$out" '/log$'
retry --log=text:closed -a 1 sh -c 'ls -l /proc/self/fd >fds; exit 1' 2>&-
check 'an attempt has no log even if standard error is closed' not grep closed fds
like 'an attempt has no log even if standard error is closed, and the log is written all the same' "$(cat closed)" 'giving up'

status 0 'a document may go where nothing can be emptied' \
    retry --log=junit:/dev/null true
if unshare -rm true 2>/dev/null; then
	mkdir first second
	status 0 'files of two file systems are two, whatever their numbers' \
	    unshare -rm sh -c 'mount -t tmpfs none first &&
		mount -t tmpfs none second &&
		exec "$RETRY" --log=text:first/log --log=text:second/log true'
else
	skip 'files of two file systems are two' 'no name spaces'
fi

# wrong NAME VALUE WHAT
wrong() {
	run retry "--log=$2" touch ran
	is "$1 is an error" "$code" 125
	is "$1 is told in one line" "$err" \
	    "retry: invalid --log '$2': $3 (try 'retry --help=formats')"
}
formats=$(retry --help=formats | sed -n 's/^  \([a-z]*\) .*/\1/p')
none="unknown format (use $(echo "$formats" | xargs | sed 's/ /, /g'))"
wrong 'a format that is not there' yaml "$none"
wrong 'a long one' "$(printf %040d 0)" "$none"
wrong 'no format' :x 'unknown format'
for format in $formats; do
	run retry --log="$format" --log="$format:out.$format" true
	is "$format is one" "$code" 0
done
wrong 'no file' json: 'no file is named'
wrong 'a file alone' run.log 'name the format first, as in text:FILE'
run retry --log= true
is 'an empty value is an error' "$code" 125
check 'nothing was ever run' not test -e ran

touch journal
stream=$(stat -c %d:%i journal)
JOURNAL_STREAM=$stream retry --log=auto -a 1 false 2>>journal
is 'auto is the journal where stderr is its stream' \
    "$(cut -c 1-9 journal)" '<4>retry:
<3>retry:'
JOURNAL_STREAM=$stream retry --log=auto -d 100d false 2>>journal &
wait_for grep -q 'next in' journal
kill -TERM $!
wait $!
is 'in the journal an ordinary stop is a notice' "$(tail -n 1 journal | cut -c 1-34)" \
    '<5>retry: false: ended by SIGTERM '
rm -f ran
JOURNAL_STREAM=$stream retry --log=auto sh -c ': >ran; exec sleep 100d' \
    2>>journal &
wait_for test -e ran
kill -TERM $!
wait $!
is 'what the attempt then died of is one, too' \
    "$(tail -n 2 journal | cut -c 1-41)" \
    '<5>retry: sh: attempt 1/5 killed by SIGTE
<5>retry: sh: ended by SIGTERM after 1 at'
JOURNAL_STREAM=1:1 retry --log=auto -a 1 false 2>other
is 'what the attempt then died of is one, too, and is not where stderr is something else' \
    "$(cut -c 1-6 other)" 'retry:
retry:'

retry -a 1 --log=json:alone --on-give-up='echo oops >&2; exit 3' false 2>&-
is 'nothing else gets into a log where 2 is closed' "$(grep -v '^{' alone)" ''

echo precious >report.xml
run retry --log=junit:report.xml --state=none/state true
is 'an error of another option leaves the last report' \
    "$code $(cat report.xml)" '125 precious'
mkfifo unread
run retry --log=text:unread true
like 'a pipe that nobody reads is told as such' "$err" 'a FIFO that nobody reads'

# A socket cannot be made non-blocking for retry alone.
perl -MSocket -MFcntl -e '
	$^F = 99;
	socketpair my $in, my $out, AF_UNIX, SOCK_STREAM, 0;
	fcntl $in, F_SETFL, O_NONBLOCK;
	1 while syswrite $in, "x" x 4096;
	1 while syswrite $in, "x";
	fcntl $in, F_SETFL, 0;
	open STDOUT, ">&", $in;
	exec qw(timeout -s KILL 30), @ARGV' \
    "$RETRY" -a 1 -t .2 --log=json:- sleep 60 2>full
is 'a socket that nobody reads keeps no limit from its work' $? 124
is 'a socket that nobody reads keeps no limit from its work, and is told as such, once' "$(cat full)" \
    'retry: sleep: --log: -: lines are left out: nobody reads them'

# Lines are whole, or are left out, however much they exceed the room there is.
cat >lines.py <<'END'
import fcntl, json, os, socket, subprocess, sys

big = 'x' * 100000
if sys.argv[1] == 'pipe':
    here, there = os.pipe()
    reader = os.fdopen(here, 'rb')
    fcntl.fcntl(there, 1031, 65536)
else:
    here, there = socket.socketpair()
    reader = here.makefile('rb')
    there = there.detach()
run = subprocess.Popen(['retry', '-q', '--log=json:fd:%d' % there, '-T', '100',
    '-a', '40', '-d', '0', 'sh', '-c', 'read x; exit 3'] + [big] * 15,
    pass_fds=[there], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
os.close(there)
data = reader.read(60000)
run.stdin.close()
lines = (data + reader.read()).decode().split('\n')
for line in lines[:-1]:
    if len(json.loads(line).get('command', [big] * 18)) != 18:
        print('a line is not whole')
print(run.wait(), lines[-1])
END
for medium in pipe socket; do
	is "$medium: each line of a log is whole, though it exceeds the room" \
	    "$(python3 lines.py $medium 2>&1)" '3 '
done
cat >deaf.py <<'END'
import signal, socket, subprocess

big = 'x' * 100000
here, there = socket.socketpair()
run = subprocess.Popen(['retry', '-q', '--log=json:fd:%d' % there.fileno(),
    '-a', '1', '-T', '1', 'sh', '-c', 'exec sleep 60', big, big, big],
    pass_fds=[there.fileno()], stderr=subprocess.DEVNULL)
try:
    print(run.wait(20))
except subprocess.TimeoutExpired:
    run.kill()
    print('deaf')
END
is 'a long line for a socket that nobody reads holds nothing up' \
    "$(python3 deaf.py)" 124

cat >cut.py <<'END'
import json, os, subprocess, time
big = 'x' * 100000
reader, writer = os.pipe()
run = subprocess.Popen(['retry', '-q', '--log=json:fd:%d' % writer, '-d', '0',
    '-a', '2', 'sh', '-c', ': >started; cat; exit 1'] + [big] * 12,
    pass_fds=[writer], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
os.close(writer)
while not os.path.exists('started'):
    time.sleep(.01)
line = os.read(reader, 1 << 20)
run.stdin.close()
line += open(reader, 'rb').read()
run.wait()
print(*[json.loads(event)['event'] for event in line.splitlines()])
END
like 'a line too long for a pipe is not torn if somebody reads on' \
    "$(python3 cut.py 2>&1)" '^start .*outcome .*end$'

# What another has not ended is not continued.
retry --log=text:half -a 2 -d 0 sh -c 'printf half >>half; exit 1'
is 'a line of a log begins a line of its file' "$(grep -c '^half$' half)" 2
run sh -c '"$RETRY" -a 1 --fail-match=none --log=json:other --log=auto sh -c "
	sleep .1; printf abc; printf part >>other; sleep .1; exit 1" 2>&1'
like 'what another leaves in a log is no line of the output' \
    "$(echo "$out" | head -n 2 | tr '\n' '~')" '^abc~retry: '

# Colours.
# colours NAME=VALUE... [OPTION]: whether messages have them in a pipe.
colours() {
	env "$@" -a 1 false 2>&1 | grep -c "$(printf '\033\[3[15]mretry:')"
}
is 'a pipe has no colours' "$(colours retry)" 0
for setting in CLICOLOR_FORCE=1 FORCE_COLOR=1 FORCE_COLOR=3 FORCE_COLOR=true; do
	is "$setting: it has" "$(colours "$setting" retry)" 2
	is "$setting: but not with --color=never" \
	    "$(colours "$setting" retry --color=never)" 0
	is "$setting: nor with NO_COLOR" "$(colours NO_COLOR=1 "$setting" retry)" 0
done
for setting in CLICOLOR_FORCE=0 CLICOLOR_FORCE= FORCE_COLOR=0 FORCE_COLOR=false; do
	is "$setting: it has none" "$(colours "$setting" retry)" 0
done
is '--color=always wins over NO_COLOR, and needs no terminal' \
    "$(colours NO_COLOR=1 TERM=dumb retry --color=always)" 2
is '--color=auto is the default' "$(colours retry --color=auto)" 0
is 'a message before the first failure has them' \
    "$(CI=1 retry -a 0 --color=always true 2>&1 | grep -c "$(printf '\033')")" 1
for mode in hold all last chronic; do
	is "$mode: messages have them" \
	    "$(colours retry --color=always --output=$mode)" 2
done
is 'standard output has them' \
    "$(colours retry --color=always --log=github:-)" 1
run retry --color=always -v -a 1 true
is 'a message without a colour does not end one' \
    "$(echo "$err" | grep "starts as" | grep -c "$(printf '\033')")" 0
FORCE_COLOR=1 retry -a 1 --log=text:own --log=json:own.json --log=journal false \
    2>own.journal
unlike 'no file that only a log is written to has them, nor the journal' \
    "$(cat own own.json own.journal)" "$(printf '\033')"
check 'although the messages are there' grep -q 'giving up' own
run retry --color=blue false
is 'an unknown --color is an error' "$code:$out" 125:
like 'an unknown --color is told in one line' "$err" '^retry: invalid .*--color.*blue.*$'

# Each message begins a line, though the output may not have ended its last.
partial='printf partial; exit 1'
for how in --output=hold --output=all --output=last --output=chronic \
    --fail-match=zz; do
	run sh -c '"$RETRY" -a 1 "$@" --log=text:- sh -c "$0" 2>&1' \
	    "$partial" "$how"
	is "$how: a message in standard output begins a line" \
	    "$(echo "$out" | grep -c '^partial$') $(echo "$out" |
		grep -c '^retry: sh: giving up')" '1 1'
done
run retry -a 2 -d 0 --fail-match=zz --log=json:- \
    sh -c 'printf partial; exit $((2 - RETRY_ATTEMPT))'
is "$how: a message in standard output begins a line, so does each object" "$(echo "$out" | grep -c '^{.*}$')" \
    "$(echo "$out" | grep -c event)"
is "$how: a message in standard output begins a line, and no other line is begun" "$(echo "$out" | grep -vc '^{')" 2
if strace -o /dev/null true 2>/dev/null; then
	long=$(printf %020000d 0 | tr 0 x)
	strace -s 9999 -o trace -e trace=write,writev \
	    "$RETRY" -q -a 1 --log=json:long sh -c 'exit 3' "$long"
	is 'a long line is written at once, so that runs can share a log' \
	    "$(grep -c 'xxxxxx' trace) $(wc -l <long)" \
	    "1 $(grep -c '^{.*}$' long)"
	for attempts in 2 4; do
		strace -yo $attempts.trace "$RETRY" -q -d 0 -a $attempts \
		    --log=json:$attempts.log false
	done
	is 'three system calls write a line' \
	    $(($(grep -c '4\.log' 4.trace) - $(grep -c '2\.log' 2.trace))) \
	    $((3 * ($(wc -l <4.log) - $(wc -l <2.log))))
else
	skip 'a long line is written at once, so that runs can share a log' \
	    'strace does not work here'
fi

# What copytruncate of logrotate(8) does during a run.
run retry -d 0 --log=text:rotated sh -c '
	[ "$RETRY_ATTEMPT" -lt 3 ] || exit 0
	: >rotated; exit 3'
is 'a log that is truncated begins anew' \
    "$(sed '1s/^[^ ]* //' rotated | head -c 23) $(wc -l <rotated)" \
    'retry: sh: attempt 2/5  2'

run retry --log=json:twice --log=text:twice true
is 'a file that two logs name is refused' "$code" 125
check 'a file that two logs name is refused, and not left behind' not test -e twice

finish
