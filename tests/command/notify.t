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
	echo "$out" | sed -n 's/^[a-z0-9]* EXTEND_TIMEOUT_USEC=\([0-9]*\)[0-9]\{6\}$/\1/p' |
	    xargs
}
managed "@$T/told" retry -q -a 3 -j none -d 20ms sh -c 'exit 1'
is 'while it does not succeed it asks for time' "$(extended)" '90 90 90 90'
managed "@$T/told" sh -c 'retry -q -a 2 -j none -d 10m false &
    until [ "$(grep -c EXTEND_ "$1")" -ge 2 ]; do sleep .05; done
    kill $!; wait $!' sh "$tap_dir/out"
is 'a retry asks for the time of the wait, and again while it lasts' \
    "$(extended | awk '{ print ($1 > 680 && $1 <= 690 && $2 > 600 && $2 < $1) }')" 1
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

# says MESSAGE...: the command of an attempt that says so, see lib/tell.py.
says() {
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
out_of_descriptors="ulimit -n 24; exec \"\$@\""
managed "@$T/told" sh -c "$out_of_descriptors" sh retry -q -a 1 sh -c \
    "$(says +21 FDSTORE=1 READY=1)"
is 'a message whose descriptors are lost is not passed on' "$(relayed)" READY=1
passes 'X_A=1\0' 'X_B=\0X_C=1' '{4095}=1' '{4094}=1' -- \
    "X_A=1 $(printf %04094d 0 | tr 0 x)=1"
managed "@$T/told" retry -q -a 2 -d 0 sh -c "$(says STATUS=serving BARRIER "$(
    printf 'STATUS=\303\244\t')"); exit 1"
like 'a status goes behind that of the run' "$out" \
    '^own STATUS=sh: attempt 2/2 runs; attempt 1 exited 1, at .*; serving$'
like 'a status goes behind that of the run, and cannot harm it' "$out" "runs; $(printf '\303\244')\\\\t\$"
managed "@$T/told" retry -q -a 1 sh -c "$(says 'STATUS={4088}')"
is 'a status goes behind that of the run, nor be longer than systemd reads' \
    "$(echo "$out" | awk '/xxx/ { print (length > 2000 && length < 4000) }')" 1
managed "@$T/told" retry -q -a 1 sh -c \
    "$(says EXTEND_TIMEOUT_USEC=1 READY=1 EXTEND_TIMEOUT_USEC=2)"
is 'an attempt may ask for time while it starts' \
    "$(echo "$out" | sed -n 's/.*EXTEND_TIMEOUT_USEC=//p')" 1
managed "@$T/told" retry -q -a 0 --stop-on=9 -d 0 sh -c \
    "$(says EXTEND_TIMEOUT_USEC=1); exit \$((RETRY_ATTEMPT == 3 ? 9 : 1))"
is 'an attempt may ask for time while it starts, which later ones may not if the run has no bound' \
    "$(echo "$out" | grep -c EXTEND_)" 1
managed "@$T/told" retry -q -a 3 -d 0 sh -c "case \$RETRY_ATTEMPT in
	1) $(says ERRNO=2 READY=1) ;;
	2) $(says ERRNO=3 ERRNO=0 READY=1 ERRNO=4) ;;
	3) $(says READY=1) ;;
    esac; exit 1"
is 'an error stands until a later attempt is ready, or the attempt itself takes it back' \
    "$(relayed)" 'ERRNO=2 READY=1 ERRNO=3 ERRNO=0 ERRNO=4 ERRNO=0'
managed "@$T/told" retry -q -a 2 -d 0 sh -c '
	if [ "$RETRY_ATTEMPT" -eq 2 ]; then
		: >second
		until [ -e said ]; do sleep .01; done
		exit 0
	fi
	(until [ -e second ]; do sleep .01; done
	'"$(says READY=1)"' 2>/dev/null
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
	$(says +9 X_A=1 +9 FDSTORE=1 BARRIER); ls /proc/\$PPID/fd >after
	echo \"\$NOTIFY_SOCKET\" >name"
check 'no descriptor stays with retry' cmp before after
check 'no descriptor stays with retry, and no socket in /run' \
    not test -e "$(cat name)"

# SIGHUP is answered by whoever gets it.
# reloads PATTERN OPTION... -- COMMAND...: a run that gets SIGHUP, or $ASKS, once its
# JSON has a line of the pattern, or there is a file "ready", and then SIGTERM.
reloads() {
	rm -f log ready got
	PATTERN=$1 managed "@$T/told" setsid -w sh -c 'shift
	    retry -q --log=json:log "$@" &
	    until grep -q "$PATTERN" log || [ -e ready ] || ! kill -0 $!; do
		sleep .05
	    done
	    kill "-${ASKS:-HUP}" $!
	    until grep -q ":\"SIG${ASKS:-HUP}" log || ! kill -0 $!; do sleep .05; done
	    until [ -z "$UNTIL" ] || [ -e "$UNTIL" ] || ! kill -0 $!; do
		sleep .05
	    done
	    kill -TERM $!; wait $!' sh "$@"
}
export UNTIL=
reloads '"wait"' -d 100d false
is 'a wait before any attempt was ready ends no start' "$(relayed)" 'STOPPING=1'
reloads '"wait"' -d 100d sh -c "$(says READY=1); exit 1"
is 'a wait answers SIGHUP' "$(relayed)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1 STOPPING=1'
usec=$(echo "$out" | sed -n 's/^MONOTONIC_USEC=//p')
check 'a wait answers SIGHUP, with the time of the machine' \
    awk -v usec="$usec" '{ exit !(usec > 0 && usec <= $1 * 1e6) }' /proc/uptime
reloads nothing sh -c "trap '' HUP; $(says READY=1); : >ready; exec sleep 100d"
is 'an attempt answers it itself' "$(relayed)" 'READY=1 STOPPING=1'
reloads '"healthy"' --health=true --health-interval=10ms \
    sh -c 'trap "" HUP; exec sleep 100d'
is 'an attempt answers it itself, but not if --health says that it is ready' "$(relayed)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1 STOPPING=1'
UNTIL=got
for ASKS in HUP USR2; do
	export ASKS
	reloads nothing -d 0 sh -c '[ "$RETRY_ATTEMPT" -eq 2 ] || {
			'"$(says READY=1)"'
			exit 1
		}
		: >ready
		until grep -q ":.[S]IG$ASKS" log; do sleep .01; done
		trap "echo >got" $ASKS
		'"$(says READY=1)"'
		while :; do sleep .05; done'
	is "an attempt gets SIG$ASKS once it is ready" "$(relayed)" 'READY=1 STOPPING=1'
done
unset ASKS
UNTIL=never
reloads nothing -a 2 -d 0 sh -c '[ "$RETRY_ATTEMPT" -eq 2 ] || {
		'"$(says READY=1)"'
		exit 1
	}
	: >ready
	until grep -q :.[S]IGHUP log; do sleep .01; done
	exit 1'
is 'an attempt gets it once it is ready, and retry answers if that never comes' "$(relayed)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1'
# answers MESSAGE...: makes the command "program", whose first attempt says so at
# SIGHUP, and ends if "end" is in the environment; the second makes the file "got".
answers() {
	cat >program <<-END
		[ \$RETRY_ATTEMPT -eq 1 ] || { : >got; exec sleep 100d; }
		answer() {
			$(says "$@")
			[ -z "\$end" ] || exit 1
			: >got
		}
		trap answer HUP
		$(says READY=1)
		: >ready
		while :; do sleep .05; done
	END
}
UNTIL=got
answers RELOADING=1
end=yes reloads nothing -d 0 sh program
is 'a reload ends with the attempt that has begun it' "$(relayed)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1 STOPPING=1'
answers X_HUP=1
end=yes reloads nothing -d 0 sh program
is 'an attempt that ends in place of an answer gets one of retry' "$(relayed)" \
    'READY=1 X_HUP=1 RELOADING=1 MONOTONIC_USEC= READY=1 STOPPING=1'
answers READY=1 BARRIER
end='' reloads nothing -d 0 sh program
is 'an answer by READY=1 alone becomes a whole one' "$(relayed)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1 BARRIER=1 [1] STOPPING=1'
answers RELOADING=1 READY=1 BARRIER
end='' reloads nothing -d 0 sh program
is 'a whole answer is passed on' "$(relayed)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1 BARRIER=1 [1] STOPPING=1'
reloads nothing sh -c "trap '' HUP; $(says READY=1)"'; : >ready
	until grep -q RELOADING "$1"; do sleep .05; done
	: >got
	exec sleep 100d' sh "$tap_dir/out"
is 'retry answers if the attempt does not' "$(relayed)" \
    'READY=1 RELOADING=1 MONOTONIC_USEC= READY=1 STOPPING=1'
UNTIL=
cat >program <<-END
	ends() {
		$(says READY=1 RELOADING=1 EXTEND_TIMEOUT_USEC=3)
		exit
	}
	trap ends TERM
	trap '' HUP
	: >ready
	while :; do sleep .05; done
END
reloads nothing sh program
is 'a program that ends may ask for time, and is neither ready nor reloads' \
    "$(echo "$out" | grep -v STATUS | sed 's/^[0-9a-z]* //' | xargs)" \
    'STOPPING=1 EXTEND_TIMEOUT_USEC=3'
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
watched 200000 own retry -a 1 sh -c "$(says WATCHDOG=1); exec sleep 100d"
is 'probes end an attempt that hangs, and not the run, so does a program that stops feeding it' "$code" 124
like 'probes end an attempt that hangs, and not the run, which is told' "$err" \
    'attempt 1/1 was unhealthy after .*: no WATCHDOG=1 in time, or WATCHDOG=trigger$'
watched 2000000 own retry -a 1 sh -c "$(says WATCHDOG=trigger); exec sleep 100d"
is 'an attempt that sends WATCHDOG=trigger is ended' "$code" 124
watched 600000000 own retry -a 1 sh -c \
    "$(says WATCHDOG_USEC=200000 WATCHDOG=1); exec sleep 100d"
is 'an attempt that sets WATCHDOG_USEC itself is ended by it' "$code" 124
watched 1000000 own retry -q -a 1 sh -c "$(says WATCHDOG_USEC=junk WATCHDOG=1)
    exec sleep 100d"
is 'a WATCHDOG_USEC that is no number changes nothing' "$code" 124
watched 1500000 own retry -q -a 1 sh -c "$(says WATCHDOG=1) || exit
	sleep .5; kill -STOP \$PPID; sleep 2; kill -CONT \$PPID; sleep .1"
is 'an attempt of a retry that was stopped is not to blame' "$code" 0
# shellcheck disable=SC2046 # words are meant
watched 1000000 own retry -q -a 1 sh -c "manager=\$(cut -d ' ' -f 4 /proc/\$PPID/stat)
	kill -STOP \$manager
	$(says WATCHDOG=1 $(yes X_A=1 | head -n 1200)) &
	sleep 4; kill -CONT \$manager; wait"
is 'an attempt that is not heard since the manager has no room is not to blame' "$code" 0
watched 500000 own retry -q -a 1 sh -c "trap 'sleep 2; exit 0' TERM
	$(says WATCHDOG=1); kill -TERM \$PPID; while :; do sleep .05; done"
is 'a program that ends need not feed its watchdog' "$code" 0

# hung_in_time: three to five looks at a silent attempt, in halves of its limit, and
# the one at the start. A machine that is busy makes looks late, which count anew.
hung_in_time() {
	watched 600000000 own retry -q -a 1 sh -c \
	    "$(says WATCHDOG_USEC=1000000 WATCHDOG=1); exec sleep 100d"
	[ "$(signs)" -ge 4 ] && [ "$(signs)" -le 6 ]
}
check 'silence is noted between the limit and twice the limit' retried hung_in_time
watched 2000000 own retry -q -a 1 sleep 1.9
check 'the watchdog is fed twice in its time' [ "$(signs)" -ge 2 ]
WATCHDOG_USEC=20000 managed "@$T/told" retry -q -a 1 sleep .3
check 'WATCHDOG_USEC alone is for retry' [ "$(signs)" -ge 3 ]

# A manager that has no room.
managed "full:@$T/told" retry -q -a 3 -d 1ms sh -c 'exit 7'
is 'a full socket does not matter' "$code" 7
managed "late:@$T/told" retry -q --health=true --health-interval=10ms \
    --log=json:late sh -c 'until grep -q healthy late; do sleep .05; done
	sleep .2; : >room; sleep .3'
is 'a full socket does not matter, that it is ready is told once there is room' "$(relayed)" READY=1
rm room
managed "late:@$T/told" retry -q sh -c "(sleep .3; : >room) &
    $(says ERRNO=1 READY=1 X_A=1 X_B=1 X_C=1 X_D=1 X_E=1 X_F=1 X_G=1)"
is 'a full socket does not matter, and so is what an attempt says, in its order' "$(relayed)" \
    'ERRNO=1 READY=1 X_A=1 X_B=1 X_C=1 X_D=1 X_E=1 X_F=1 X_G=1'
rm room

# journald is restarted.
run python3 -c 'import os, socket, subprocess, sys
ours, theirs = socket.socketpair()
ours.close()
status = os.fstat(theirs.fileno())
os.environ["JOURNAL_STREAM"] = f"{status.st_dev}:{status.st_ino}"
sys.exit(subprocess.call(sys.argv[1:], stdout=theirs))' \
    retry -q -a 2 -d 0 sh -c 'echo x >>journal; exit 1'
is 'a journal that is gone is waited for' "$(grep -c . journal)" 2

# In vain: nobody is told, unless the program had something to say.
lost='^retry: sh: cannot notify systemd: '
for socket in "$T/missing" "@$T/missing" "/$(printf %0107d 0)" \
    vsock:2:1234 relative / @; do
	run env NOTIFY_SOCKET="$socket" retry -q -a 2 -d 1ms sh -c 'exit 7'
	is "$socket does not matter" "$code $err" '7 '
	run env NOTIFY_SOCKET="$socket" retry -v -a 2 -d 1ms sh -c 'exit 7'
	is "with -v $socket is reported once" "$(echo "$err" | grep -c "$lost")" 1
done
run env NOTIFY_SOCKET=relative retry -q -a 2 -d 1ms sh -c "$(says READY=1); exit 7"
is 'a READY=1 that is lost is reported once' "$(echo "$err" | grep -c "$lost")" 1
run env NOTIFY_SOCKET=relative retry -q --health=true --health-interval=10ms \
    --log=json:lost sh -c 'until grep -q :.healthy lost; do sleep .01; done; sleep .3'
is 'that no one can be told that a probe succeeded is reported' \
    "$(echo "$err" | grep -c "$lost")" 1
run python3 -c 'import os, socket, subprocess, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("gone")
os.environ["NOTIFY_SOCKET"] = os.path.abspath("gone")
run = subprocess.Popen(sys.argv[1:], stdin=-1, stdout=-1)
run.stdout.readline()
manager.close()
run.communicate(b"\n")' retry -q sh -c "echo; read go; $(says READY=1)"
rm gone
like 'why READY=1 is lost is said of a manager that went away' "$err" \
    "${lost}.*gone: Connection refused"
run env NOTIFY_SOCKET=relative WATCHDOG_USEC=9000000 retry -q true
like 'that nobody feeds the watchdog is reported' "$err" 'cannot notify systemd'
if have 'the option that forbids the socket is named' strace; then
	run env NOTIFY_SOCKET="$T/missing" strace -o trace \
	    -e inject=socket:error=EAFNOSUPPORT retry -q true
	like 'the option that forbids the socket is named' "$err" \
	    'Address family not supported.*; RestrictAddressFamilies= lacks AF_UNIX$'
fi
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
	rm path
	for name in retry-1-1 retry-2-1 other; do
		python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind(sys.argv[1])' "711,root/$name"
		[ "$name" = retry-2-1 ] || touch -d '1 minute ago' "711,root/$name"
	done
	lives_in "a socket of a run that was killed is in nobody's way" "$T/711,root/$own" \
	    RUNTIME_DIRECTORY="$T/711,root" retry
	is 'a socket of a run that was killed is removed, but not one that is being made' \
	    "$(find . -type s | sort | xargs)" './711,root/other ./711,root/retry-2-1'
	rm 711,root/other 711,root/retry-2-1
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

# Who is heard: root, the user of the attempt's first process, and whoever is in the
# control group of retry, or below it.
groups=$(mktemp -d)
if [ "$(id -u)" -ne 0 ] || ! mount -t cgroup2 none "$groups" 2>/dev/null; then
	skip 'only an attempt is heard' 'a control group cannot be had'
else
	export GROUP="$groups/$$"
	mkdir -p "$GROUP/below" "$GROUP-other" copy
	cp -R "$TESTS/lib" copy
	# in_group SUFFIX COMMAND...
	cat >in_group <<-'END'
		#!/bin/sh
		echo $$ >"$GROUP$1/cgroup.procs"
		shift
		exec "$@"
	END
	cat >speaks <<-END
		[ \$RETRY_ATTEMPT -eq 1 ] || exec ./as_nobody sh -c '
		    echo "\$NOTIFY_SOCKET" >"\$0"; sleep 100d' name2
		./as_nobody $(says X_IN_GROUP=1 BARRIER)
		./in_group /below ./as_nobody $(says X_BELOW=1 BARRIER)
		echo "\$PPID" >run
		echo "\$NOTIFY_SOCKET" >name1
		until [ -e told ]; do sleep .05; done
		exit 1
	END
	chmod +x in_group
	begin speaks env TESTS="$T/copy" python3 "$TESTS/lib/listen.py" "@$T/told" \
	    ./in_group '' retry -q -d 0 sh speaks
	# outside NAME COMMAND...: in another group, to the socket in that file.
	outside() {
		wait_for test -s "$1"
		TESTS=$T/copy NOTIFY_SOCKET=$(cat "$1") ./in_group -other sh -c "$2"
	}
	outside name1 "./as_nobody $(says X_STRANGER=1)"
	outside name1 "$(says X_ROOT=1 BARRIER)"
	: >told
	outside name2 "./as_nobody $(says X_USER=1 BARRIER)"
	kill "$(cat run)"
	result speaks
	is 'only an attempt is heard' "$(relayed)" "X_IN_GROUP=1 BARRIER=1 [1]\
 X_BELOW=1 BARRIER=1 [1] X_ROOT=1 BARRIER=1 [1] X_USER=1 BARRIER=1 [1] STOPPING=1"
	rmdir "$GROUP/below" "$GROUP" "$GROUP-other"
	umount "$groups"
fi
rmdir "$groups"

if have 'without a socket there is nothing of it' strace; then
	strace -o trace retry -q -a 2 -d 1ms false
	check 'without a socket there is nothing of it' \
	    not grep -E '^(socket|send|connect|bind|recv)' trace
fi

finish
