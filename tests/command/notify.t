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
is 'a first success asks systemd for no time' "$(extended)" ''
like 'of which the end is told' "$out" 'STATUS=true: succeeded at attempt 1/5'

listen "@$T/told" sh -c 'retry -q -d 20 --log=json:log false &
    trap "" TERM; until grep -q wait log 2>/dev/null; do sleep .05; done
    kill $!; wait $!'
is 'a signal ends a wait' "$code" 143
like 'and the end is told' "$out" '^[0-9]+ STOPPING=1$'
like 'and what ended it' "$out" 'STATUS=false: ended by SIGTERM after 1 attempt'
listen "@$T/told" retry -q sh -c 'trap "" INT; kill -INT $PPID
    kill -TERM $PPID; sleep 20'
is 'of two signals' "$code" 241
is 'the end is told once' "$(echo "$out" | grep -c STOPPING=1)" 1
listen "@$T/told" retry -q -d 0 sh -c 'kill -USR2 $PPID; exit 0'
unlike 'a signal that ends nothing tells no STOPPING' "$out" STOPPING

# Type=notify-reload: SIGHUP is answered by whoever gets it.
# reloads PATTERN OPTION... -- COMMAND...: a run that gets SIGHUP once its JSON
# has a line of the pattern, and then SIGTERM.
reloads() {
	rm -f log
	PATTERN=$1 listen "@$T/told" setsid -w sh -c 'shift
	    retry -q --log=json:log "$@" &
	    until grep -q "$PATTERN" log 2>/dev/null; do sleep .05; done
	    kill -HUP $!
	    until grep -q SIGHUP log; do sleep .05; done
	    kill -TERM $!; wait $!' sh "$@"
}
# answer: what was told after SIGHUP, but for the states.
answer() {
	echo "$out" | sed -n 's/^[0-9]* //
	    s/MONOTONIC_USEC=[0-9]*$/MONOTONIC_USEC=/
	    /^RELOADING\|^MONO\|^READY\|^STOPPING/p' | xargs
}
reloads '"wait"' -d 100d false
is 'a wait answers SIGHUP' "$(answer)" \
    'RELOADING=1 MONOTONIC_USEC= READY=1 STOPPING=1'
usec=$(echo "$out" | sed -n 's/^MONOTONIC_USEC=//p')
check 'with the time of the machine' \
    awk -v usec="$usec" '{ exit !(usec > 0 && usec <= $1 * 1e6) }' /proc/uptime
reloads '"attempt"' sh -c 'trap "" HUP; exec sleep 100d'
is 'an attempt answers it itself' "$(answer)" 'STOPPING=1'
reloads '"healthy"' --health=true --health-interval=10ms \
    sh -c 'trap "" HUP; exec sleep 100d'
is 'but not if --health says that it is ready' "$(answer)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1 STOPPING=1'
reloads '"wait"' --health=true -d 100d false
is 'and no reload ends a start' "$(answer)" 'STOPPING=1'

# WatchdogSec=: each sign of life is WATCHDOG=1.
signs() {
	echo "$out" | grep -c WATCHDOG=1
}
# watched SECONDS PID COMMAND...: the watchdog is for the process PID; "own" is
# retry itself.
watched() {
	period=$1 pid=$2
	shift 2
	WATCHDOG_USEC=$period WATCHDOG_PID=$pid listen "@$T/told" sh -c '
	    [ "$WATCHDOG_PID" != own ] || export WATCHDOG_PID=$$
	    exec "$@"' sh "$@"
}
watched 20000 own retry -q -a 2 -d .3 -j none false
check 'a wait feeds the watchdog' [ "$(signs)" -ge 3 ]
watched 20000 1 retry -q -a 2 -d .3 -j none false
is 'but not that of another process' "$(signs)" 0
watched 20000 own retry -q -a 1 sleep .3
check 'an attempt feeds it itself' [ "$(signs)" -le 1 ]
watched 20000 own retry -q -a 1 --health=false --health-interval=50ms \
    --health-retries=5 sleep 100d
check 'but not if there are health probes' [ "$(signs)" -ge 3 ]
is 'which end an attempt that hangs, and not the run' "$code" 124
watched 1000000000 own retry -q -a 1 --health='echo >>probes' \
    --health-interval=10ms sh -c '
	until [ "$(wc -l <probes)" -ge 4 ]; do sleep .05; done 2>/dev/null'
check 'each probe that succeeds feeds it' [ "$(signs)" -ge 4 ]

# In vain: it changes nothing.
listen "full:@$T/told" retry -q -a 3 -d 1ms sh -c 'exit 7'
is 'a full socket does not matter' "$code" 7
for socket in "$T/missing" "@$T/missing" "/$(printf %0107d 0)" \
    "/$(printf %03000d 0)" vsock:2:1234 relative / @ ''; do
	run env NOTIFY_SOCKET="$socket" retry -a 2 -d 1ms sh -c 'exit 7'
	is "${socket:-nothing} does not matter" "$code" 7
	is "${socket:-nothing} is not reported" "$(echo "$err" | grep -vc '^retry: sh: \(att\|giv\)')" 0
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
