#!/bin/sh
#
# A systemd of its own runs the units of the cookbook.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/stubs.sh
. "$TESTS/lib/stubs.sh"
# shellcheck source=tests/lib/machine.sh
. "$TESTS/lib/machine.sh"

machine_make 'systemd runs the units of the cookbook'
machine_units
printf '#!/bin/sh\n: >"/root/$1.alerted"\n' >"$machine_usr/bin/alert"
chmod +x "$machine_usr/bin/alert"
for name in backup nc; do
	cp "$machine_usr/bin/collector" "$machine_usr/bin/$name"
done

# A script: the first call fails, the others run until they are stopped, noting
# signals and their process number.
runs='[ "$CALL" -gt 1 ] || exit 7
for name in HUP TERM; do
	trap "echo $name >>/root/$UNIT.got; [ $name != TERM ] || exit 0" $name
done
echo $$ >/root/$UNIT.runs
while :; do sleep .05; done'
recipe 'A service' service "$runs" RestartSec=100ms WatchdogSec=3
recipe 'A daemon that says when it is ready' ready '[ "$CALL" -gt 1 ] || exit 7
	if [ ! -e /root/ready.drained ]; then
		trap "systemd-notify --status=draining STOPPING=1; sleep 1
		    : >/root/ready.drained; exit 0" TERM
	fi
	sleep .5
	systemd-notify "MAINPID=$$" READY=1 --status=serving
	trap "echo HUP >>/root/$UNIT.got" HUP
	while :; do sleep .05; done'
cat >"$machine_usr/bin/curl" <<'END_CURL'
#!/bin/sh
[ "$*" = '-fsS localhost/health' ] && [ -e "/root/$UNIT.up" ]
END_CURL
chmod +x "$machine_usr/bin/curl"
recipe 'A program that cannot say when it is ready' healthy \
    'for name in HUP TERM; do
	trap "echo $name >>/root/$UNIT.got; [ $name != TERM ] || exit 0" $name
done
sleep 1
touch "/root/$UNIT.up"
echo "$CALL" >"/root/$UNIT.runs"
while :; do sleep .05; done' WatchdogSec=3
recipe 'A job with a timer' job '[ "$CALL" -gt 1 ] || exit 7'
printf '[Timer]\nOnActiveSec=0\nAccuracySec=1ms\n' >"$units/job.timer"
recipe 'A service' activated '[ "$LISTEN_PID" = $$ ] || exit 8
	[ "$CALL" -gt 1 ] || exit 7
	exec /root/serve'
printf '[Socket]\nListenStream=127.0.0.1:7777\n' >"$units/activated.socket"
cat >"$machine/root/serve" <<'END_SERVE'
#!/usr/bin/python3
import socket
connection, _ = socket.socket(fileno=3).accept()
connection.sendall(b'served: ' + connection.recv(100))
END_SERVE
chmod +x "$machine/root/serve"
# Those that blows come to need a database.
needs_database='[ -e /root/database ] || exit 9
echo up
systemd-notify --ready
: >"/root/$UNIT.up"
exec sleep 100d'
recipe 'A service' plain "$needs_database" RestartSec=100ms WatchdogSec=3
recipe 'A daemon that says when it is ready' says "$needs_database" \
    RestartSec=100ms WatchdogSec=3
recipe 'A program that cannot say when it is ready' asked "$needs_database" \
    RestartSec=100ms WatchdogSec=3
recipe 'A service' socket "$needs_database" RestartSec=100ms
touch "$machine/root/database"
recipe 'A service' wrong '' RestartSec=100ms
sed -i 's/-a 30/-a 3x/' "$units/wrong.service"
unit watchdog '[ "$WATCHDOG_PID" = $$ ] || exit 8
	systemd-notify --ready
	[ "$CALL" -ne 1 ] || exit 7
	[ "$CALL" -ne 2 ] || systemd-notify WATCHDOG=1
	exec sleep 100d' Type=notify NotifyAccess=main WatchdogSec=2 \
    'ExecStart=/usr/bin/retry -a 0 -d 3 -j none /usr/bin/collector'
unit runtime 'systemd-notify --ready; exit 7' Type=notify NotifyAccess=main \
    RuntimeMaxSec=3 'ExecStart=/usr/bin/retry -a 9 -d 1h /usr/bin/collector'
unit loops 'exit 7' Type=notify NotifyAccess=main TimeoutStartSec=1 \
    'ExecStart=/usr/bin/retry -a 0 -d 1h /usr/bin/collector'
unit bounded '[ "$CALL" -gt 1 ] || exit 7; sleep 3; systemd-notify --ready
	exec sleep 100d' Type=notify NotifyAccess=main TimeoutStartSec=2 \
    'ExecStart=/usr/bin/retry -a 5 -d 1ms /usr/bin/collector'
unit mute '' Type=oneshot RestrictAddressFamilies=AF_INET NotifyAccess=main \
    'ExecStart=/usr/bin/retry -d 0 true'
unit strangers 'echo "$NOTIFY_SOCKET" >"/root/$UNIT.runs"; exec sleep 100d' \
    Type=notify NotifyAccess=main \
    'ExecStart=/usr/bin/retry /usr/bin/collector'
unit stopped 'echo $$ >/root/$UNIT.runs; exec sleep 100d' \
    'ExecStart=/usr/bin/retry -d 0 /usr/bin/collector'
unit quits 'exit 7' KillSignal=SIGQUIT SuccessExitStatus=SIGQUIT \
    'ExecStart=/usr/bin/retry -a 0 -d 1h /usr/bin/collector'
unit dynamic '' Type=oneshot DynamicUser=yes \
    StateDirectory=dynamic \
    'ExecStart=/usr/bin/retry -a 1 -d 1h --state=${STATE_DIRECTORY}/state:skip sh -c "id -u; exit 9"'
hardened='ProtectSystem=strict ProtectHome=read-only InaccessiblePaths=/tmp
    PrivateDevices=yes ProtectProc=invisible ProcSubset=pid DynamicUser=yes
    ProtectKernelTunables=yes ProtectControlGroups=yes
    MemoryDenyWriteExecute=yes SystemCallFilter=@system-service
    RestrictAddressFamilies=AF_UNIX RestrictNamespaces=yes
    RestrictRealtime=yes CapabilityBoundingSet='
# shellcheck disable=SC2086 # words are meant
unit hardened '' $hardened Type=oneshot StandardInputText=fed \
    'ExecStart=/usr/bin/retry -d 0 --stdin=replay --output=last sh -c "echo $$RETRY_ATTEMPT; cat; exit $$((RETRY_ATTEMPT < 3))"'
# shellcheck disable=SC2086 # words are meant
unit escaped '' $hardened Type=oneshot \
    "ExecStart=/usr/bin/retry -a 1 -t 3s -k 100ms sh -c \"trap '' TERM; setsid sleep 100d & exec sleep 100d\""
unit private '' PrivateTmp=yes Type=oneshot \
    'ExecStart=/usr/bin/retry -d 0 --output=hold sh -c "ls -A /tmp | wc -l; exit $$((RETRY_ATTEMPT < 2))"'
recipe 'Wait for what the service needs' needs \
    'case $0 in *nc) [ "$CALL" -gt 2 ];; *) echo $* >/root/$UNIT.runs; esac'

machine_boot

ran() {
	test -s "$machine/root/$1.runs"
}

start activated.socket job.timer asked bounded healthy loops mute needs plain \
    quits ready says service socket wrong strangers watchdog dynamic escaped hardened private runtime \
    stopped

# Wait, reload, stop in an attempt, stop in a wait.
wait_for said service 'next in'
is 'a service is active in a wait' "$(show service ActiveState)" active
is 'a service is active in a wait, which is a warning in the journal' \
    "$(journal service --priority=4..4 | sed 's/ after .*//')" \
    'retry: collector: attempt 1 exited 7'
wait_for hurried service ran service
first=$(cat "$machine/root/service.runs")
check 'a service is reloaded' inside systemctl reload service
wait_for test -s "$machine/root/service.got"
is 'a reload reaches the attempt' "$(cat "$machine/root/service.got")" HUP
check 'a reload does not end the attempt' inside kill -0 "$first"
main=$(show service MainPID)
is 'the main process is retry' "$(inside cat "/proc/$main/comm")" retry
check 'a service is stopped in an attempt' inside systemctl stop service
is 'the attempt got one SIGTERM' "$(cat "$machine/root/service.got")" 'HUP
TERM'
is 'the attempt got one SIGTERM, and the stop was a success' \
    "$(show service Result) $(show service ActiveState)" 'success inactive'
is 'the attempt got one SIGTERM, and no error for the journal' "$(journal service --priority=err)" ''


# waits UNIT CALLS: it waits after so many calls.
waits() {
	[ "$(wc -l <"$machine/root/$1.calls")" -eq "$2" ] &&
	    not inside pgrep -P "$(show "$1" MainPID)"
}
unit service 'exit 7'
rm "$machine/root/service.calls"
start service
wait_for hurried service waits service 7
check 'a service may be reloaded in a wait' inside systemctl reload service
check 'a wait goes on after a reload' waits service 7
check 'a service is stopped in a wait' inside systemctl stop service
is 'a stop in a wait is a success' \
    "$(show service Result) $(show service ActiveState)" 'success inactive'
like 'the journal tells of a stop in a wait' "$(journal service --lines=4)" \
    'ended by SIGTERM after 7 attempts'
is 'a stop in a wait is no error in the journal' "$(journal service --priority=err)" ''

# The others.
wait_for shows needs ActiveState inactive
is 'a service waits for what it needs' \
    "$(show needs Result) after $(grep -c . "$machine/root/needs.calls")" \
    'success after 4'

inside bash -c 'exec 3<>/dev/tcp/127.0.0.1/7777
	echo hello >&3; cat <&3' >"$T/served" &
client=$!
wait_for hurried activated not kill -0 "$client"
is 'a client that came before the failure is served after it' \
    "$(cat "$T/served")" 'served: hello'
wait_for shows activated ActiveState inactive
is 'a client that came before the failure is served after it, and by the second attempt' "$(wc -l <"$machine/root/activated.calls")" 2

like 'the status of a job that waits is seen' \
    "$(inside systemctl status job)" \
    'Status: "backup: attempt 1/5 exited 7 after .*; next in [0-9ms.]+"'
inside systemctl kill --kill-whom=main --signal=URG job
wait_for shows job ActiveState inactive
is 'the status of a job that waits is seen, which succeeds' "$(show job Result)" success
like 'the status of a job that waits is seen, and systemd was told so' "$(show job StatusText)" \
    '^backup: succeeded at attempt 2/5 in'
rm "$machine/root/job.calls"
start job
wait_for waits job 1
check 'a job is stopped in a wait' inside systemctl stop job
is 'a job is stopped in a wait, and has not failed' "$(show job Result) $(show job ActiveState)" \
    'success inactive'

# Units of no recipe.
wait_for ran stopped
check 'a service is stopped that has no KillMode=' \
    inside systemctl stop stopped
is 'a service is stopped that has no KillMode=, and no attempt follows' \
    "$(show stopped Result) $(cat "$machine/root/stopped.calls")" \
    'success call'

wait_for waits quits 1
check 'a service is stopped in a wait by SIGQUIT' inside systemctl stop quits
is 'a service is stopped in a wait by SIGQUIT, which is a success if the unit says so' \
    "$(show quits Result) $(show quits ActiveState)" 'success inactive'

wait_for shows dynamic ActiveState failed
like 'a dynamic user runs the attempts' "$(journal dynamic)" '^6[1-5][0-9]{3}$'
inside systemctl start dynamic 2>/dev/null
is 'a dynamic user runs the attempts, and keeps the state from one run to the next' \
    "$(show dynamic ExecMainStatus)" 75

wait_for shows hardened ActiveState inactive
is 'a hardened service that can write nowhere has its input and output' \
    "$(show hardened Result): $(journal hardened | grep -Ex '[^ ]+' | xargs)" \
    'success: 3 fed'
wait_for shows escaped ActiveState failed
is 'a hardened service that can write nowhere has its input and output, and its time limit' "$(show escaped ExecMainStatus)" 124
unlike 'a hardened service that can write nowhere has its input and output, and nothing escapes that' "$(journal escaped)" \
    '\(sleep\)|process group'
wait_for shows private ActiveState inactive
is 'output that is held leaves no file in a private /tmp' \
    "$(show private Result): $(journal private | grep -Ex '[0-9]+' | xargs)" \
    'success: 0 0'

# hangs: a hang of the second attempt was noticed.
hangs() {
	[ "$(wc -l <"$machine/root/watchdog.calls")" -eq 3 ]
}
wait_for hangs
is 'a watchdog spares a wait, and ends an attempt that hangs' \
    "$(show watchdog ActiveState) $(show watchdog NRestarts)" 'active 0'
like 'a watchdog spares a wait, and ends an attempt that hangs, of which the journal tells' "$(journal watchdog)" \
    'attempt 2 was unhealthy after .*: no WATCHDOG=1 in time'

# More seconds than TimeoutStartSec= later.
wait_for shows bounded ActiveState active
is 'a start that is retried has more time' \
    "$(wc -l <"$machine/root/bounded.calls")" 2
wait_for shows loops ActiveState failed
is 'a start that is retried has more time, but none if the run has no bound' "$(show loops Result)" timeout
wait_for shows runtime ActiveState failed
is 'a start that is retried has more time, nor a service with RuntimeMaxSec= in a wait' "$(show runtime Result)" timeout
wait_for shows mute ActiveState inactive
like 'a service that cannot notify systemd says so' "$(journal mute)" \
    'cannot notify systemd: .*: Address family not supported.*AF_UNIX'
wait_for ran strangers
name=$(cat "$machine/root/strangers.runs")
like "an attempt's socket is in /run" "$name" '^/run/retry-[0-9]+-1$'
check 'where a stranger may write' inside setpriv --reuid 65534 \
    --clear-groups env NOTIFY_SOCKET="$name" systemd-notify --no-block --ready
inside env NOTIFY_SOCKET="$name" systemd-notify --no-block STATUS=heard
wait_for sh -c "$(printf 'nsenter --target %s --all --root --wd' \
    "$machine_first") systemctl status strangers | grep -q heard"
is 'where a stranger may write, and is not heard' "$(show strangers ActiveState)" activating

# A daemon that sends MAINPID= and READY=1.
wait_for hurried ready shows ready ActiveState active
is 'MAINPID= does not replace retry' \
    "$(inside cat "/proc/$(show ready MainPID)/comm")" retry
like "MAINPID= does not replace retry, and the program's status is seen" "$(show ready StatusText)" \
    'attempt 2 runs; attempt 1 exited 7, at .*; serving$'
check 'MAINPID= does not replace retry, and it is reloaded' inside systemctl reload ready
wait_for test -s "$machine/root/ready.got"
check 'MAINPID= does not replace retry, and stopped' inside systemctl stop ready
is 'MAINPID= does not replace retry, which does not cut its work short' \
    "$(show ready Result) $(ls "$machine/root/ready.drained")" \
    "success $machine/root/ready.drained"

is 'a wrong option makes the unit fail in the end' \
    "$(show wrong ActiveState) $(show wrong NRestarts)" 'failed 5'

# Blows to every service of the pages.
blown='plain says asked socket'
# up UNIT NRESTARTS: it serves, after so many restarts by systemd.
up() {
	[ -e "$machine/root/$1.up" ] && shows "$1" ActiveState active &&
	    shows "$1" NRestarts "$2"
}
# blow WHAT NRESTARTS WHOM UNIT...: a signal to the attempt or to retry, after
# which systemd has restarted each unit so often, and it serves.
blow() {
	blow_what=$1 blow_restarts=$2 blow_whom=$3 blow_signal=${4}
	shift 4
	for name; do
		rm "$machine/root/$name.up"
		pid=$(show "$name" MainPID)
		[ "$blow_whom" = retry ] || pid=$(inside pgrep -P "$pid" -x sleep)
		inside kill "-$blow_signal" "$pid"
	done
	for name; do
		wait_for hurried "$name" up "$name" "$blow_restarts"
		is "$name: $blow_what" \
		    "$(show "$name" ActiveState) $(show "$name" NRestarts)" \
		    "active $blow_restarts"
	done
}
for name in $blown; do
	wait_for up "$name" 0
done
# shellcheck disable=SC2086 # words are meant
{
	blow 'an attempt that was killed is repeated' 0 attempt KILL $blown
	blow 'systemd restarts a retry that was killed' 1 retry KILL $blown
	blow 'and one that hangs' 2 retry STOP plain says asked
}
rm "$machine/root/database"
hurries=
for name in $blown; do
	rm "$machine/root/$name.up"
	inside sh -c 'kill -KILL "$(pgrep -P "$2" -x sleep)"
	until [ -e "/root/$1.alerted" ]; do
		systemctl kill --kill-whom=main --signal=URG "$1"
		sleep .02
	done' sh "$name" "$(show "$name" MainPID)" &
	hurries="$hurries $!"
done
for pid in $hurries; do
	wait_for not kill -0 "$pid"
done
touch "$machine/root/database"
for name in $blown; do
	check "$name: an outage raises an alert" \
	    test -e "$machine/root/$name.alerted"
	restarts=3
	[ "$name" != socket ] || restarts=2
	wait_for hurried "$name" up "$name" "$restarts"
	is "$name: an outage ends when the database is back" \
	    "$(show "$name" ActiveState) $(show "$name" NRestarts)" \
	    "active $restarts"
	is "$name: the journal calls all by the name of the service" "$(
	    inside journalctl --quiet --unit="$name" _TRANSPORT=stdout \
		--output=short --no-hostname | grep -v ' collector\[')" ''
done

wait_for shows healthy ActiveState active
check 'a program that answers is ready' test -e "$machine/root/healthy.up"
is 'the unit has said once that the program answers' \
    "$(journal healthy | grep -c 'is healthy after')" 1
check 'a service is reloaded by a signal of its own' inside systemctl reload healthy
wait_for test -s "$machine/root/healthy.got"
is 'a reload by a signal of its own reaches the program' "$(cat "$machine/root/healthy.got")" HUP
rm "$machine/root/healthy.up"
wait_for said healthy 'was unhealthy after'
wait_for hurried healthy test -e "$machine/root/healthy.up"
is 'a program that stops answering is started again' \
    "$(show healthy ActiveState) $(cat "$machine/root/healthy.runs")" \
    'active 2'
check 'a program that stops answering is started again, and stops as ever' inside systemctl stop healthy
is 'a program that stops answering is started again, which is a success' "$(show healthy Result) $(
    tail -n 1 "$machine/root/healthy.got")" 'success TERM'
is 'a program that stops answering is started again, and systemd itself has restarted nothing' "$(show healthy NRestarts)" 0
unlike 'nothing was refused' "$(inside journalctl --quiet --output=cat)" \
    'reception only permitted|Got notification message'
finish
