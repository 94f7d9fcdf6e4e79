#!/bin/sh
#
# What systemd is told.

# SPDX-License-Identifier: MIT

. lib/harness.sh
have 'what systemd is told' python3 || finish

# managed SOCKET COMMAND...: it is run by a service manager that listens there.
managed() {
	run python3 "$TESTS/lib/listen.py" "$@"
}

told='^own STATUS=false: attempt 1/2 exited 1 after [<0-9.]+m?s; next in '
for socket in path "@$T/told"; do
	managed "$socket" retry -q -a 2 -d 10ms false
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
managed "@$T/told" retry -q -a 3 -j none -d 20ms sh -c 'exit 1'
is 'while it does not succeed it asks for time' "$(extended)" '90 90 90 90'
managed "@$T/told" retry -q -a 2 -j none -d 20ms -T 1h -t 50% -k 5m false
is 'a retry asks for the time that -t 50% allows, and for -k' \
    "$(extended | tr ' ' '\n' | awk '{ print ($1 > 2090 && $1 <= 2101) }' |
	xargs)" '1 1'
managed "@$T/told" retry -q -a 2 -j none -d 20ms -t 10m -k 0 \
    --check='exit 1' false
is 'a retry asks for the time of -t, and of a --check beside it' "$(extended)" '1200 1200'
managed "@$T/told" retry -q -a 2 -j none -d 20ms -t 5m -k 10s false
is 'a retry asks for -t and -k' "$(extended)" '310 310'
managed "@$T/told" retry -q --repeat=3 -a 3 -j none -d 20ms \
    --success-delay=20ms sh -c 'exit $((RETRY_ATTEMPT == 1))'
is 'a run that has succeeded once asks for no more time' "$(extended)" '90 90'
managed "@$T/told" retry true
is 'a first success asks systemd for no time' "$(extended)" ''
like 'a first success asks systemd for no time, of which the end is told' "$out" 'STATUS=true: succeeded at attempt 1/5'

managed "@$T/told" sh -c 'retry -q -d 20 --log=json:log false &
    trap "" TERM; until grep -q wait log 2>/dev/null; do sleep .05; done
    kill $!; wait $!'
is 'a signal ends a wait' "$code" 143
like 'a signal ends a wait, and the end is told' "$out" '^[0-9]+ STOPPING=1$'
like 'a signal ends a wait, and what ended it' "$out" 'STATUS=false: ended by SIGTERM after 1 attempt'
managed "@$T/told" retry -q sh -c 'trap "" INT; kill -INT $PPID
    kill -TERM $PPID; sleep 20'
is 'a run that gets two signals dies of the one that ended its attempt' "$code" 241
is 'the end is told once' "$(echo "$out" | grep -c STOPPING=1)" 1
managed "@$T/told" retry -q -d 0 sh -c 'kill -USR2 $PPID; exit 0'
unlike 'a signal that ends nothing tells no STOPPING' "$out" STOPPING

# tell MESSAGE...: a command that says so as lib/tell.py does.
tell() {
	printf 'python3 "$TESTS/lib/tell.py"'
	printf " '%s'" "$@"
}
# relayed: what was told, but for states and requests for time.
relayed() {
	echo "$out" | sed 's/^[0-9a-z]* //; /^STATUS=/d; /^EXTEND_/d
	    s/MONOTONIC_USEC=[0-9]*$/MONOTONIC_USEC=/' | xargs
}
# passes MESSAGE... -- RELAYED: what comes of an attempt's messages.
passes() {
	passes_words=
	while [ "$1" != -- ]; do
		passes_words="$passes_words $1"
		set -- "$@" "$1"
		shift
	done
	passes_want=$2
	shift 2
	managed "@$T/told" retry -q -a 1 python3 "$TESTS/lib/tell.py" "$@"
	is "an attempt says$passes_words" "$(relayed)" "$passes_want"
}
passes READY=1 READY=1 -- READY=1
passes 'READY=1\nMAINPID=1\nMAINPIDFDID=7\nNOTIFYACCESS=none' -- READY=1
passes MAINPID=1 STOPPING=1 WATCHDOG=1 WATCHDOG_USEC=9000000 -- ''
passes 'RELOADING=1\nMONOTONIC_USEC=7' READY=1 -- READY=1
passes READY=1 'RELOADING=1\nMONOTONIC_USEC=12' READY=1 -- \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1'
passes READY=1 'RELOADING=1\nMONOTONIC_USEC=1\nREADY=1' -- \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1'
passes X_NEW=1 ERRNO=2 BUSERROR=a.b FDSTOREREMOVE=1 word -- \
    'X_NEW=1 ERRNO=2 BUSERROR=a.b FDSTOREREMOVE=1'
passes +2 'FDSTORE=1\nFDNAME=a' +1 MAINPIDFD=1 +253 'FDSTORE=1\nMAINPIDFD=1' \
    X_A=1 -- 'FDSTORE=1 FDNAME=a [2] FDSTORE=1 [253] X_A=1'
passes READY=1 BARRIER BARRIER -- 'READY=1 BARRIER=1 [1] BARRIER=1 [1]'
passes 'X_A=1\0' 'X_B=\0X_C=1' '{4095}=1' '{4094}=1' -- \
    "X_A=1 $(printf %04094d 0 | tr 0 x)=1"
managed "@$T/told" retry -q -a 2 -d 0 sh -c "$(tell STATUS=serving BARRIER "$(
    printf 'STATUS=\303\244\t')"); exit 1"
like 'a status goes behind that of the run' "$out" \
    '^own STATUS=sh: attempt 2/2 runs; attempt 1 exited 1, at .*; serving$'
like 'a status goes behind that of the run, and cannot harm it' "$out" "runs; $(printf '\303\244')\\\\t\$"
managed "@$T/told" retry -q -a 1 sh -c "$(tell 'STATUS={4088}')"
is 'a status goes behind that of the run, nor be longer than systemd reads' \
    "$(echo "$out" | awk '/xxx/ { print (length > 2000 && length < 4000) }')" 1
managed "@$T/told" retry -q -a 1 sh -c \
    "$(tell EXTEND_TIMEOUT_USEC=1 READY=1 EXTEND_TIMEOUT_USEC=2)"
is 'an attempt may ask for time while it starts' \
    "$(echo "$out" | sed -n 's/.*EXTEND_TIMEOUT_USEC=//p')" 1
managed "@$T/told" retry -q -a 0 --stop-on=9 -d 0 sh -c \
    "$(tell EXTEND_TIMEOUT_USEC=1); exit \$((RETRY_ATTEMPT == 3 ? 9 : 1))"
is 'an attempt may ask for time while it starts, which later ones may not if the run has no bound' \
    "$(echo "$out" | grep -c EXTEND_)" 1
managed "@$T/told" retry -q -a 2 -d 0 sh -c "$(tell ERRNO=2 READY=1); exit 1"
is 'an error stands until the next attempt is ready' "$(relayed)" \
    'ERRNO=2 READY=1 ERRNO=2 ERRNO=0'
managed "@$T/told" retry -q -a 2 -d 0 sh -c '
	if [ "$RETRY_ATTEMPT" -eq 2 ]; then
		: >second
		until [ -e said ]; do sleep .01; done
		exit 0
	fi
	(until [ -e second ]; do sleep .01; done
	'"$(tell READY=1)"' 2>/dev/null
	: >said) >/dev/null 2>&1 &
	exit 1'
is 'what an attempt left does not speak for the next one' "$(relayed)" ''
managed "@$T/told" retry -q --check="env >check" --health="env >probe; true" \
    --health-interval=10ms --on-success='env >hook' \
    sh -c 'until [ -s probe ]; do sleep .01; done'
check 'nothing but an attempt speaks to systemd' \
    not grep NOTIFY_SOCKET check probe hook
: >retry.fds
managed "@$T/told" retry -q -a 1 sh -c "ls /proc/\$PPID/fd >before
	$(tell +9 X_A=1 +9 FDSTORE=1 BARRIER); ls /proc/\$PPID/fd >after
	echo \"\$NOTIFY_SOCKET\" >name"
check 'no descriptor stays with retry' cmp before after
check 'no descriptor stays with retry, and no socket in /run' \
    not test -e "$(cat name)"

# SIGHUP is answered by whoever gets it.
# reloads PATTERN OPTION... -- COMMAND...: a run that gets SIGHUP once its JSON
# has a line of the pattern, or there is a file "ready", and then SIGTERM.
reloads() {
	rm -f log ready got
	PATTERN=$1 managed "@$T/told" setsid -w sh -c 'shift
	    retry -q --log=json:log "$@" &
	    until grep -q "$PATTERN" log || [ -e ready ] || ! kill -0 $!; do
		sleep .05
	    done
	    kill -HUP $!
	    until grep -q ":\"SIGHUP" log || ! kill -0 $!; do sleep .05; done
	    until [ -z "$UNTIL" ] || [ -e "$UNTIL" ] || ! kill -0 $!; do
		sleep .05
	    done
	    kill -TERM $!; wait $!' sh "$@"
}
export UNTIL=
reloads '"wait"' -d 100d false
is 'a wait before any attempt was ready ends no start' "$(relayed)" 'STOPPING=1'
reloads '"wait"' -d 100d sh -c "$(tell READY=1); exit 1"
is 'a wait answers SIGHUP' "$(relayed)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1 STOPPING=1'
usec=$(echo "$out" | sed -n 's/^MONOTONIC_USEC=//p')
check 'a wait answers SIGHUP, with the time of the machine' \
    awk -v usec="$usec" '{ exit !(usec > 0 && usec <= $1 * 1e6) }' /proc/uptime
reloads nothing sh -c "trap '' HUP; $(tell READY=1); : >ready; exec sleep 100d"
is 'an attempt answers it itself' "$(relayed)" 'READY=1 STOPPING=1'
reloads '"healthy"' --health=true --health-interval=10ms \
    sh -c 'trap "" HUP; exec sleep 100d'
is 'an attempt answers it itself, but not if --health says that it is ready' "$(relayed)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1 STOPPING=1'
UNTIL=got
reloads nothing -d 0 sh -c '[ "$RETRY_ATTEMPT" -eq 2 ] || {
		'"$(tell READY=1)"'
		exit 1
	}
	: >ready
	until grep -q :.[S]IGHUP log; do sleep .01; done
	trap "echo >got" HUP
	'"$(tell READY=1)"'
	while :; do sleep .05; done'
is 'an attempt gets it once it is ready' "$(relayed)" 'READY=1 STOPPING=1'
UNTIL=never
reloads nothing -a 2 -d 0 sh -c '[ "$RETRY_ATTEMPT" -eq 2 ] || {
		'"$(tell READY=1)"'
		exit 1
	}
	: >ready
	until grep -q :.[S]IGHUP log; do sleep .01; done
	exit 1'
is 'an attempt gets it once it is ready, and retry answers if that never comes' "$(relayed)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1'
UNTIL=
reloads nothing --health=true --health-interval=10ms --stop-timeout=.1s \
    sh -c 'trap "" HUP TERM
	until grep -q ":.[h]ealthy" log; do sleep .01; done
	kill -TERM $PPID
	until grep -q ":.[S]IGTERM" log; do sleep .01; done
	: >ready
	exec sleep 100d'
is 'nothing is reloaded once the run ends' "$(relayed)" 'READY=1 STOPPING=1'

# WatchdogSec=: each sign of life is WATCHDOG=1.
signs() {
	echo "$out" | grep -c WATCHDOG=1
}
# watched USEC PID COMMAND...: the watchdog is for the process PID; "own" is
# retry itself.
watched() {
	period=$1 pid=$2
	shift 2
	WATCHDOG_USEC=$period WATCHDOG_PID=$pid managed "@$T/told" sh -c '
	    [ "$WATCHDOG_PID" != own ] || export WATCHDOG_PID=$$
	    exec "$@"' sh "$@"
}
watched 20000 own retry -q -a 2 -d .3 -j none false
check 'a wait feeds the watchdog' [ "$(signs)" -ge 3 ]
watched 20000 1 retry -q -a 2 -d .3 -j none false
is 'a wait feeds the watchdog, but not that of another process' "$(signs)" 0
watched 20000 own retry -q -a 1 sleep .3
check 'a wait feeds the watchdog, and so does an attempt that does not know of it' [ "$(signs)" -ge 3 ]
watched 20000 own retry -q -a 1 --health=false --health-interval=50ms \
    --health-retries=5 sleep 100d
is 'probes end an attempt that hangs, and not the run' "$code" 124
watched 200000 own retry -a 1 sh -c "$(tell WATCHDOG=1); exec sleep 100d"
is 'probes end an attempt that hangs, and not the run, so does a program that stops feeding it' "$code" 124
like 'probes end an attempt that hangs, and not the run, which is told' "$err" \
    'attempt 1/1 was unhealthy after .*: no sign of life \(WATCHDOG=1\)$'
watched 2000000 own retry -a 1 sh -c "$(tell WATCHDOG=trigger); exec sleep 100d"
is 'an attempt that sends WATCHDOG=trigger is ended' "$code" 124
watched 600000000 own retry -a 1 sh -c \
    "$(tell WATCHDOG_USEC=200000 WATCHDOG=1); exec sleep 100d"
is 'an attempt that sets WATCHDOG_USEC itself is ended by it' "$code" 124
watched 1500000 own retry -q -a 1 sh -c "$(tell WATCHDOG=1) || exit
	kill -STOP \$PPID; sleep 2; kill -CONT \$PPID; sleep .1"
is 'an attempt of a retry that was stopped is not to blame' "$code" 0

# A manager that has no room.
managed "full:@$T/told" retry -q -a 3 -d 1ms sh -c 'exit 7'
is 'a full socket does not matter' "$code" 7
managed "late:@$T/told" retry -q --health=true --health-interval=10ms \
    --log=json:late sh -c 'until grep -q healthy late; do sleep .05; done
	sleep .2; : >room; sleep .3'
is 'a full socket does not matter, that it is ready is told once there is room' "$(relayed)" READY=1
rm room
managed "late:@$T/told" retry -q sh -c "(sleep .3; : >room) &
    $(tell ERRNO=1 READY=1 X_A=1 X_B=1 X_C=1 X_D=1 X_E=1 X_F=1 X_G=1)"
is 'a full socket does not matter, and so is what an attempt says, in its order' "$(relayed)" \
    'ERRNO=1 READY=1 X_A=1 X_B=1 X_C=1 X_D=1 X_E=1 X_F=1 X_G=1'
rm room

# In vain: it changes nothing, and is said once.
for socket in "$T/missing" "@$T/missing" "/$(printf %0107d 0)" \
    vsock:2:1234 relative / @; do
	run env NOTIFY_SOCKET="$socket" retry -a 2 -d 1ms sh -c 'exit 7'
	is "${socket:-nothing} does not matter" "$code" 7
	is "${socket:-nothing} is reported once" \
	    "$(echo "$err" | grep -c '^retry: sh: cannot notify systemd: ')" 1
done
run env NOTIFY_SOCKET= retry -q true
is 'without a name nothing is reported' "$err" ''
managed path retry -q sh -c 'ls -l /proc/self/fd >fds'
check 'the socket is not passed on' sh -c 'test -s fds && ! grep socket: fds'
# lives_in NAME WANT ENV... COMMAND...: where the socket of an attempt is.
lives_in() {
	lives_name=$1 lives_want=$2
	shift 2
	managed "@$T/told" env "$@" -q sh -c 'echo "$NOTIFY_SOCKET" >&2'
	like "$lives_name" "$err" "^$lives_want\$"
}
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$tap_dir"; chmod 777 "$T"
	printf '#!/bin/sh\nexec setpriv --reuid 65534 --clear-groups "$@"\n' >as_nobody
	chmod +x as_nobody
	for folder in 711,root 711,nobody 700,root 775,root; do
		mkdir "$folder"
		chown "${folder#*,}" "$folder"
		chmod "${folder%,*}" "$folder"
	done
	own='retry-[0-9]+-1' elsewhere='(/run/retry-|@).*'
	lives_in "an attempt's socket is in the service's folder" "$T/711,root/$own" \
	    RUNTIME_DIRECTORY="$T/711,root:/nosuch" retry
	for name in retry-1-1 other; do
		python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind(sys.argv[1])' "711,root/$name"
	done
	lives_in "a socket of a run that was killed is in nobody's way" "$T/711,root/$own" \
	    RUNTIME_DIRECTORY="$T/711,root" retry
	is 'a socket of a run that was killed is removed' "$(find . -type s)" \
	    ./711,root/other
	rm 711,root/other
	lives_in "a user's own folder has the socket" "$T/711,nobody/$own" \
	    XDG_RUNTIME_DIR="$T/711,nobody" ./as_nobody retry
	lives_in "root's socket is in no folder of another user" "$elsewhere" \
	    RUNTIME_DIRECTORY="$T/711,nobody" retry
	lives_in "a user's socket is in no folder that others can write to" "$elsewhere" \
	    RUNTIME_DIRECTORY="$T/775,root" retry
	lives_in "root's socket is where a program of another user gets at it" "$elsewhere" \
	    RUNTIME_DIRECTORY="$T/700,root" retry
	lives_in "without a folder of its own the socket is in /run, or abstract" "$elsewhere" \
	    -u XDG_RUNTIME_DIR ./as_nobody retry
	is 'no socket is left' "$(find . -type s)" ''

	# A folder whose owner puts a link to root's file in place of whatever appears,
	# and who has time to do so before each call that takes a name.
	mkdir theirs
	chown nobody theirs
	echo secret >victim
	chmod 600 victim
	promise='the owner of a folder cannot make root change another file'
	! have "$promise" strace || {
		(cd theirs && exec ../as_nobody python3 -c 'import os
while True:
    for name in os.listdir():
        try:
            os.unlink(name)
            os.symlink("../victim", name)
        except OSError:
            pass') &
		swaps=$!
		cd theirs || exit
		RUNTIME_DIRECTORY=$T/theirs TMPDIR=$T/theirs \
		    GITHUB_OUTPUT=$T/theirs/github managed "@$T/told" \
		    strace -o /dev/null -e "inject=?chmod,?chown,?lchown,?unlink,?rename,\
fchmodat,fchownat,unlinkat,renameat,renameat2:delay_enter=5000" \
		    retry -q -a 20 -d 0 --output=hold --state=state \
		    --budget=budget --log=json:log --log=github \
		    sh -c 'echo output; exit 1'
		cd ..
		kill "$swaps"
		is "$promise" "$(cat victim) $(stat -c '%A %U' victim)" \
		    'secret -rw------- root'
	}
fi

if have 'without a socket there is nothing of it' strace; then
	strace -o trace retry -q -a 2 -d 1ms false
	check 'without a socket there is nothing of it' \
	    not grep -E '^(socket|send|connect|bind|recv)' trace
fi

finish
