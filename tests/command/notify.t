#!/bin/sh
#
# What systemd is told.

# SPDX-License-Identifier: MIT

. lib/harness.sh
have 'what systemd is told' python3 || finish

# listen SOCKET COMMAND...
listen() {
	run python3 "$TESTS/lib/listen.py" "$@"
}

told='^own STATUS=false: attempt 1/2 exited 1 after [<0-9.]+m?s; next in '
for socket in path "@$T/told"; do
	listen "$socket" retry -q -a 2 -d 10ms false
	is "$socket: the status is the command's" "$code" 1
	like "$socket: a wait is told" "$out" "$told"
	like "$socket: an attempt is told" "$out" '^own STATUS=false: attempt 1/2 runs$'
	like "$socket: the end is told" "$(echo "$out" | tail -n 1)" \
	    '^own STATUS=false: giving up after 2 attempts in '
	unlike "$socket: no signal ended it" "$out" STOPPING
	unlike "$socket: that it is ready is for the command to say" "$out" READY
	rm -f path
done

# extended: the seconds that systemd is asked for, without fractions.
extended() {
	echo "$out" | sed -n 's/^own EXTEND_TIMEOUT_USEC=\([0-9]*\)[0-9]\{6\}$/\1/p' |
	    xargs
}
listen "@$T/told" retry -q -a 3 -j none -d 20ms sh -c 'exit 1'
is 'while it does not succeed it asks for time' "$(extended)" '90 90 90 90'
listen "@$T/told" retry -q -a 2 -j none -d 20ms -T 1h -t 50% -k 5m false
is 'as much as half of what is left may take, and SIGKILL' \
    "$(extended | tr ' ' '\n' | awk '{ print ($1 > 2090 && $1 <= 2101) }' |
	xargs)" '1 1'
listen "@$T/told" retry -q -a 2 -j none -d 20ms -t 10m -k 0 \
    --check='exit 1' false
is 'and a check beside it' "$(extended)" '1200 1200'
listen "@$T/told" retry -q -a 2 -j none -d 20ms -t 5m -k 10s false
is 'more where attempts may take more' "$(extended)" '310 310'
listen "@$T/told" retry -q --repeat=3 -a 3 -j none -d 20ms \
    --success-delay=20ms sh -c 'exit $((RETRY_ATTEMPT == 1))'
is 'not once it has succeeded' "$(extended)" '90 90'
listen "@$T/told" retry true
is 'nor where the first attempt does' "$(extended)" ''
like 'of which the end is told' "$out" 'STATUS=true: succeeded at attempt 1/5'

listen "@$T/told" sh -c 'retry -q -d 20 --log=json:log false &
    trap "" TERM; until grep -q wait log 2>/dev/null; do sleep 0.01; done
    kill $!; wait $!'
is 'a signal ends a wait' "$code" 143
like 'and the end is told' "$out" '^[0-9]+ STOPPING=1$'
like 'and what ended it' "$out" 'STATUS=false: ended by SIGTERM after 1 attempt'
listen "@$T/told" retry -q sh -c 'trap "" INT; kill -INT $PPID
    kill -TERM $PPID; sleep 20'
is 'of two signals' "$code" 241
is 'the end is told once' "$(echo "$out" | grep -c STOPPING=1)" 1
listen "@$T/told" retry -q -d 0 sh -c 'kill -USR2 $PPID; exit 0'
unlike 'nor does one tell it that ends nothing' "$out" STOPPING

# In vain: it changes nothing.
listen "full:@$T/told" retry -q -a 3 -d 1ms sh -c 'exit 7'
is 'a full socket does not matter' "$code" 7
for socket in "$T/missing" "@$T/missing" "/$(printf %0107d 0)" \
    "/$(printf %03000d 0)" vsock:2:1234 relative / @ ''; do
	run env NOTIFY_SOCKET="$socket" retry -a 2 -d 1ms sh -c 'exit 7'
	is "${socket:-nothing} does not matter" "$code" 7
	is 'nor is it reported' "$(echo "$err" | grep -vc '^retry: sh: \(att\|giv\)')" 0
done
listen path retry -q sh -c 'ls -l /proc/self/fd >fds'
check 'the socket is not passed on' sh -c 'test -s fds && ! grep socket: fds'
like 'but its name is' "$(rm path; listen path retry -q env; echo "$out")" \
    'NOTIFY_SOCKET=.*/path$'

if have 'without a socket there is nothing of it' strace; then
	strace -o trace retry -q -a 2 -d 1ms false
	check 'without a socket there is nothing of it' \
	    not grep -E '^(socket|send)' trace
fi

finish
