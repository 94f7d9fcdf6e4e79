#!/bin/sh
#
# A reader of the output that does not read.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2016 # the attempts' shells expand

. lib/harness.sh

# What takes seconds does so beside the rest. Messages that are held wait for nobody.
begin messages timeout -s KILL 30 "$RETRY" -v --name="$(printf %0100d 0)" -a 1 -T 6 \
    -k .5 --output=chronic --fail-match=none sh -c '
	trap "" 35
	i=0
	while [ $((i += 1)) -lt 900 ]; do kill -35 $PPID; done
	exec sleep 60'
cat >slow.py <<'E2'
import socket, subprocess, sys, time

here, there = socket.socketpair()
there.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
run = subprocess.Popen(sys.argv[1:], stdout=there)
there.close()
got = 0
while True:
    part = here.recv(1500)
    if not part:
        break
    got += len(part)
    time.sleep(.05)
print(got, run.wait())
E2
# shellcheck disable=SC2317 # begin calls it
slow() {
	test "$(python3 slow.py retry -q -T 3 --output=last \
	    sh -c 'seq 20000; exec sleep 60')" = '108894 124'
}
begin slow retried slow

mkfifo go
exec 9<>go
retry --output=hold sh -c 'head -c 4M /dev/zero; echo >over' >go &
pid=$!
wait_for test -e over
wait_for sh -c "! pgrep -x -P $pid sh"
kill "$pid"
wait "$pid" 2>/dev/null
is 'a signal ends retry while its reader is blocked' $? 143
exec 9<&-
rm go
mkfifo go
exec 9<>go
retry -d 0 -a 3 --output=hold sh -c 'head -c 256K /dev/zero; echo >>tried
    [ $RETRY_ATTEMPT = 3 ]' >/dev/null 2>go &
pid=$!
wait_for test -e tried
head -n 5 <&9 >rest
is 'all of it is read, in order' \
    "$(tr -d '\0' <rest | sed '/^$/d' | cut -c 1-20)" \
    'retry: sh: attempt 1
retry: sh: attempt 2
retry: sh: succeeded'
is 'all of it is read, in order, and nothing is lost' "$(tr -dc '\0' <rest | wc -c)" 524288
wait "$pid"
is 'all of it is read, in order, before retry ends' $? 0
exec 9<&-

# Whoever takes none of the output for a second gets no more of it.
# shellcheck disable=SC2317 # check calls it
reads_on() {
	rm -f over hook
	{ retry --output=hold --on-success='echo >hook' \
	    sh -c 'head -c 3M /dev/zero; echo $PPID >over'
	    echo $? >code; } | {
		wait_for test -s over
		pid=$(cat over)
		wait_for sh -c "! pgrep -x -P $pid sh"
		kill "$pid"
		wc -c >got
	}
	test "$(cat code got | xargs)" = '0 3145728' && test -e hook
}
check 'a success stays one if its reader gets all after a signal' retried reads_on

# A second signal cuts off only what has to wait for a reader.
twice() {
	rm -f ready
	retry -q --output=chronic sh -c 'trap "exit 3" TERM; head -c 64M /dev/zero
		: >ready; while :; do sleep .05; done' >"$1" &
	pid=$!
	wait_for test -e ready
	kill "$pid"
	wait_for sh -c "! pgrep -P $pid -x sh"
	kill "$pid"
	wait "$pid"
}
twice large
is 'a second signal leaves a file whole, and the status' \
    "$? $(wc -c <large)" '3 67108864'

# Somebody's lock on the file holds nobody up for long.
if have 'a lock of somebody else holds output up for a while' python3; then
	: >locked
	python3 -c 'import fcntl, time
file = open("locked", "r+")
fcntl.lockf(file, fcntl.LOCK_EX)
open("lock-is-held", "w").close()
time.sleep(100)' &
	holder=$!
	wait_for test -e lock-is-held
	timeout 60 "$RETRY" --output=all echo data >>locked
	is 'a lock of somebody else holds output up for a while' \
	    "$? $(cat locked)" '0 data'
	kill "$holder"
fi

# A pipe of another user's, which nobody reads, and of which others take the
# room between poll(2) and the write.
if [ "$(id -u)" != 0 ] || ! setpriv --reuid 65534 --clear-groups true; then
	skip 'the pipe of another user holds nobody up' 'only root can be another'
elif have 'the pipe of another user holds nobody up' strace; then
	mkfifo crowded
	exec 9<>crowded
	dd if=/dev/zero of=crowded bs=4096 oflag=nonblock 2>/dev/null
	chmod 755 "$T" "${T%/*}"
	# LeakSanitizer complains under strace, to a pipe without room.
	timeout -s KILL 30 env ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" \
	    strace -f -o /dev/null \
	    -e inject="$(any_libc poll):retval=1" setpriv --reuid 65534 \
	    --clear-groups "$RETRY" -a 2 -d 0 false 2>crowded 9<&-
	is 'the pipe of another user holds nobody up' $? 1
	exec 9<&-
fi

# stuck NAME OPTION...: a run whose reader takes nothing; its status in $code,
# its messages in $err.
stuck() {
	rm -f go over
	mkfifo go
	exec 9<>go
	run sh -c 'exec timeout -s KILL 60 "$RETRY" "$@" >go' sh "$@"
	exec 9<&-
}
stuck -T .5 -d 0 --output=last sh -c 'head -c 4M /dev/zero; exec sleep 60'
is '--max-time ends a run whose reader is blocked' $code 124
stuck -a 1 -T 1 --output=last sh -c 'seq 500000; exec sleep 60'
is '--max-time ends a run whose reader is blocked after its last attempt' $code 124
stuck -a 1 -T 1 --output=last sh -c 'seq 500000; exit 3'
like '--max-time ends a run whose reader is blocked, which says that some was not taken' \
    "$err" 'exited 3, and nobody took the rest of its output$'
stuck -T .5 --fail-match=none seq 200000
is '--max-time ends a run whose attempt waits for a blocked reader' $code 124
mkfifo full
exec 9<>full
retry -q -a 0 -d 0 --output=hold sh -c 'head -c 4M /dev/zero; echo >>often
    exit 3' 2>full &
pid=$!
wait_for test -e often
wait_for sh -c "! pgrep -P $pid sh"
kill "$pid"
wait "$pid" 2>/dev/null
is 'a signal between attempts ends a run whose reader is blocked' $? 143
is 'no attempt is made while the reader of the last one is blocked' "$(wc -l <often)" 1
exec 9<&-

result messages
is 'messages are held even if the output is not taken' \
    "$code $(echo "$err" | grep -c 'received SIGRT')" '124 899'

# Without being held, output waits for its reader in the attempt.
rm go
mkfifo go
exec 9<>go
timeout 20 "$RETRY" --fail-match=none sh -c 'seq 200000; echo >ended' >go 9<&- &
pid=$!
head -c 1 <&9 >first
sleep .3
check 'an attempt waits for the reader of its output' not test -e ended
cat <go >rest 9<&- &
reader=$!
exec 9<&-
wait "$pid"
is 'an attempt waits for the reader of its output, and goes on with it' $? 0
wait "$reader"
seq 200000 >want
check 'an attempt waits for the reader of its output, which gets it all' sh -c 'cat first rest | cmp - want'

# A reader of messages that reads nothing ends neither a limit nor a signal.
rm -f full
mkfifo full
exec 9<>full
dd if=/dev/zero of=full bs=4096 oflag=nonblock 2>/dev/null
timeout -s KILL 60 "$RETRY" -a 1 -t 1 -k 1 --health=true \
    --health-interval=.3 sh -c 'exec sleep 100d' 2>full
is '--timeout ends an attempt although nobody reads messages' $? 124
timeout -s KILL 60 "$RETRY" -v -a 0 -d 10ms -T 1 false 2>full
check '--timeout ends an attempt although nobody reads messages, and --max-time ends a run' [ $? -lt 125 ]
timeout -s KILL 60 "$RETRY" -v -a 0 -d 10ms --output=last --check='exit 127' \
    -T 1 true 2>full
check '--max-time ends a run whose warnings nobody reads' [ $? -lt 125 ]
retry -v --output=chronic sh -c 'echo >>said; exec sleep 100d' 2>full &
pid=$!
wait_for test -e said
kill "$pid"
wait "$pid"
is 'a signal ends a run whose messages nobody reads' $? 143

retry -v -a 0 -d 10ms -b constant sh -c 'echo >>tries; exit 1' 2>full 9<&- &
pid=$!
# shellcheck disable=SC2317 # wait_for calls it
tried() {
	[ "$(wc -l <tries)" -ge 5 ]
}
wait_for tried
cat <&9 >got &
wait_for grep -aq 'lost' got
kill "$pid" $!
like 'the number of lines that were lost is said' "$(tr -d '\0' <got)" \
    '^retry: sh: [0-9]+ lines were lost: standard error was not read$'
exec 9<&-

# A terminal that was stopped with ^S, and what others share with retry.
if have 'a stopped terminal makes retry neither deaf nor rude' python3; then
	cat >stopped.py <<'E2'
import fcntl, os, pty, subprocess, sys, termios, time

here, there = pty.openpty()
termios.tcflow(there, termios.TCOOFF)
run = subprocess.Popen(sys.argv[1:], stdin=there, stdout=there,
    stderr=open('err', 'w'),
    start_new_session=True)
while not os.path.exists('said'):
    time.sleep(0.01)
os.remove('said')
shared = fcntl.fcntl(there, fcntl.F_GETFL) & os.O_NONBLOCK
run.terminate()
print(run.wait(20), shared)
E2
	for mode in stream hold chronic; do
		is "$mode: a stopped terminal makes retry neither deaf nor rude" \
		    "$(python3 stopped.py retry -d 10ms -a 0 --output=$mode \
			--fail-match=never sh -c 'echo >said; seq 20000
			exec sleep 60')" '-15 0'
	done
	is 'a stopped terminal delays nothing if no output is held' "$(python3 stopped.py \
	    retry -d 10ms -a 0 sh -c '[ $RETRY_ATTEMPT = 2 ] || exit 3
	    echo >said; exec sleep 60')" '-15 0'
	cat >full.py <<'E2'
import socket, subprocess, sys, time

here, there = socket.socketpair()
run = subprocess.Popen(sys.argv[1:], stdout=there)
there.close()
here.recv(1)
time.sleep(.3)
run.terminate()
print(run.wait(20))
E2
	cat >nonblocking.py <<'E2'
import fcntl, os, subprocess, sys

here, there = os.pipe()
flags = fcntl.fcntl(there, fcntl.F_GETFL)
fcntl.fcntl(there, fcntl.F_SETFL, flags | os.O_NONBLOCK)
for size in (4096, 1):
    try:
        while True:
            os.write(there, b'.' * size)
    except BlockingIOError:
        pass
run = subprocess.Popen(sys.argv[1:], stderr=there)
os.close(there)
try:
    run.wait(0.3)
except subprocess.TimeoutExpired:
    pass
with os.fdopen(here) as file:
    print(file.read().lstrip('.').count('retry: '), run.wait())
E2
	for mode in stream hold last; do
		is "$mode: a reader that others do not wait for has each message" \
		    "$(python3 nonblocking.py retry -d 0 -a 3 --output=$mode \
			sh -c 'exit 1' | tail -n 1)" '4 1'
	done
	result slow
	is 'a socket whose reader is slow gets all, even at --max-time' "$code" 0
	is 'a full socket does not outlast --max-time' "$(python3 full.py \
	    retry -q --fail-match=none sh -c 'seq 200000; exec sleep 60')" -15
fi

finish
