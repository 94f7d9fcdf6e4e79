#!/bin/sh
#
# An attempt that lasts too long is ended, and never too early. An attempt
# that is to be timed out would otherwise last for ever.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

# deaf OPTION...: runs retry with all signals blocked, and so its attempts: a
# signal waits for who is not ready for it.
deaf() {
	rm -f heard
	run env --block-signal "$RETRY" "$@"
}

# heard: what an attempt heard, in one line.
heard() {
	paste -sd ' ' heard
}

# What waits for its limit does so side by side.
begin next retry -a 2 -j none -d 0 -t 3 \
    sh -c 'test "$RETRY_ATTEMPT" -eq 2 || exec sleep 100d
	echo "$RETRY_LAST ${RETRY_LAST_STATUS-unset}"; exit 7'
begin wait retry -v -a 3 -b list:0,3.5 -t 3 sh -c 'exit 3'
begin whole retry -d 0 -a 9 -T 3 sh -c 'test $RETRY_ATTEMPT -lt 3 || exec sleep 100d
	exit 1'
begin left retry -a 3 -T 3 -k 0 sh -c 'trap "" TERM; sleep 100d & exec sleep 100d'
begin silent retry -a 2 -d 0 --idle-timeout=3 \
    sh -c 'echo out; echo err >&2; exec sleep 100d'
begin writes retry -a 1 --idle-timeout=3 sh -c '
	for i in $(seq 34); do sleep .1; echo $i; done; exit 3'
for mode in hold all last chronic; do
	begin silent-$mode retry -a 1 --output=$mode --idle-timeout=3 \
	    sh -c 'echo out; exec sleep 100d'
done
begin check retry -a 1 --idle-timeout=3 --check='sleep 3.5' sh -c 'echo out'

# stopped OPTION: its attempt ends in time, while retry alone is stopped until later.
stopped() {
	retry -q -a 1 "$1" 3 sh -c 'echo $PPID >"$0.pid"
		until [ -e "$0.go" ]; do sleep .05; done' "stopped$1" &
	wait_for test -s "stopped$1.pid"
	kill -STOP "$(cat "stopped$1.pid")"
	: >"stopped$1.go"
	sleep 3.1
	kill -CONT "$(cat "stopped$1.pid")"
	wait $!
}
begin stopped-t stopped -t
begin stopped-T stopped -T

run retry -a 1 -t .05 sleep 100d
is 'an attempt that lasts too long is ended, and the status 124' "$code" 124
like 'the report says so' "$err" '^retry: sleep: attempt 1/1 timed out after '
deaf -a 1 -t 1ms hear heard 18
is 'a timed-out attempt hears SIGTERM, then SIGCONT' "$(heard)" 'ready 15 18'
deaf -a 2 -d 0 -t 1ms hear heard 15
is 'a timed-out attempt is retried even if it then exited 0' \
    "$code $(heard)" '124 ready 15 ready 15'
deaf -d 100d -t 1ms --stop-on=timeout hear heard 15
is 'a timed-out attempt is not retried with --stop-on=timeout' "$code $(heard)" '124 ready 15'
deaf -a 1 -t 1ms -k 100d hear heard 15
is 'one that obeys is not waited for' "$code $(heard)" '124 ready 15'
deaf -a 1 -t 1ms -k 50ms sleep 100d
is 'one that does not is killed, and the status 124' "$code" 124
run retry -a 1 -t .1 -k 100d sh -c 'kill -STOP $$'
is 'one that is stopped is ended too' "$code" 124
deaf -a 1 -t 1ms -k 100d -s KILL sleep 100d
is 'the signal may be SIGKILL' "$code" 124

moment >stamps
deaf -a 1 -t 60ms hear heard 15
moment >>stamps
is 'a timed-out attempt had its whole time' "$(awk '
	NR == 1 { begin = $1 } NR == 2 && $1 - begin < 60e6' stamps)" ''
moment >stamps
deaf -a 1 -t 1ms -k 60ms sleep 100d
moment >>stamps
is 'SIGKILL comes --kill-after after the timeout' "$(awk '
	NR == 1 { begin = $1 } NR == 2 && $1 - begin < 61e6' stamps)" ''

result next
is 'a timeout does not rub off on the next attempt' "$code" 7
is 'a timeout does not rub off on the next attempt, which is told of it' "$out" 'timeout unset'
result wait
is 'no timeout happens in a wait' "$code" 3
is 'every attempt has the whole time' \
    "$(printf '%s\n' "$err" | grep -c 'for 3s at most')" 3
run retry -v -a 1 -t 0 sh -c 'exit 3'
is 'no timeout is none' "$code" 3
unlike 'no timeout is none, and nothing is said of one' "$err" 'at most'
status 0 'a timeout is beyond the longest run' retry -t 10000d true

# The signal.

for signal in USR1 SIGUSR1 usr1 sigUsr1 10; do
	deaf -a 1 -t 1ms -s "$signal" hear heard 18
	is "-s $signal is SIGUSR1" "$(heard)" 'ready 10 18'
done
deaf -a 1 -t 1ms -s RTMIN+3 hear heard 37
check 'a real-time signal has the name that the kernel gives it' grep -qx 37 heard
wrong=
for signal in USR3 SIG SIGSIGTERM TERMINATE 0 65 -1 '' '15 ' 15x 0x0f \
    RTMIN+31 RTMAX-31 RTMIN+ RTMIN-1 CHLD CONT STOP TSTP TTIN TTOU URG; do
	run retry -s "$signal" true
	[ "$code" -eq 125 ] || wrong="$wrong '$signal'"
done
is 'what is no signal, or ends nothing, is refused' "$wrong" ''

# The whole run.

run retry -a 9 -T .1 sleep 100d
is '--max-time ends an attempt, and with it the run' "$code" 124
like 'the end of the run names --max-time' "$err" 'giving up after 1 attempt in .*max-time'
result whole
is '--max-time is for all attempts together' "$code" 124
run retry -v -a 1 -T 1h -t '50%' sh -c 'exit 3'
like 'a timeout may be a share of it' "$err" 'for 30m at most'
run retry -a 1 -T .1 -t 10d sleep 100d
is 'the shorter of the two limits binds' "$code" 124
deaf -a 1 -T 1ms -k 50ms sleep 100d
is 'what ignores SIGTERM is killed' "$code" 124
result left
left=$(echo "$err" |
    sed -n 's/.*process \([0-9]*\) (sleep) does not end and is left$/\1/p')
is 'with -k 0 all that is left is named' \
    "$code $(echo "$left" | wc -w)" '124 2'
like 'with -k 0 no message says that an attempt was killed' "$err" \
    'attempt 1/3 timed out at --max-time 3s after'
# shellcheck disable=SC2086 # each is a word
kill -KILL $left
status 0 'a run that ends in time is not touched by it' retry -T 1h true

# Silence.

result silent
is 'an attempt that writes nothing any more is ended' "$code $out" '124 out
out'
like 'the message says how long the attempt was silent' "$err" 'attempt 1/2 timed out after .*, silent for 3s'
result writes
is 'one that writes is not' "$code" 3
run retry -a 1 --idle-timeout=.2 --log=json:log sleep 100d
is 'JSON has it as the rule' \
    "$(jq -r 'select(.event == "outcome") | .outcome + " " + .rule' log)" \
    'timeout idle-timeout'
run retry -a 1 --idle-timeout=.2 --stop-on=timeout sleep 100d
is 'a silent attempt is a timeout for the rules' "$code" 124
for mode in hold all last chronic; do
	result silent-$mode
	is "silence is seen with --output=$mode" "$code $(
		printf '%s%s\n' "$out" "$err" | grep -c ^out)" '124 1'
done
result check
is 'a check may be silent' "$code" 0
run retry --plan=timeout,1:10m -a 2 -d 1s -j none --idle-timeout=30s make
like 'a plan ends what times out by silence' "$out" '^2 +31s .*exited 1'

# Another user's processes.

# stranger: makes a program that becomes root for whoever runs it.
stranger() {
	[ "$(id -u)" -eq 0 ] || return
	chmod 755 "$tap_dir" && chmod 777 "$T" || return
	cp "$(command -v setpriv)" "$(command -v setsid)" . &&
	    chmod u+s setpriv || return
	setpriv --reuid 65534 --clear-groups -- "$RETRY" \
	    ./setpriv --reuid 0 id -ru 2>&1 | grep -qx 0
}

as_nobody() {
	setpriv --reuid 65534 --clear-groups -- "$RETRY" -a 1 -k .1 "$@"
}

if stranger; then
	begin waits as_nobody -t 3 ./setpriv --reuid 0 -- sleep 6
	begin alone as_nobody -T 3 ./setpriv --reuid 0 -- sh -c '
		echo $$ >alone.pid; exec sleep 100d'
	begin over as_nobody -t 3 sh -c '
		./setpriv --reuid 0 -- sh -c "echo \$\$ >over.pid; exec sleep 100d" &
		exec sleep 100d'
	result waits
	is "another user's attempt is waited for" "$code" 124
	like "another user's attempt is named" "$err" \
	    '^retry: setpriv: cannot signal process [0-9]+: Operation not permitted$'
	result alone
	is "another user's attempt is not waited for long after --max-time" "$code" 124
	check "another user's attempt runs on" kill -9 "$(cat alone.pid)"
	like "that another user's attempt runs on is said" "$err" \
	    'process [0-9]+ \(sleep\) does not end and is left$'
	result over
	is "another user's left-over is left" "$code" 124
	check "another user's left-over runs on" kill -9 "$(cat over.pid)"
	like "that another user's left-over runs on is said" "$err" \
	    'process [0-9]+ \(sleep\).* is left$'
else
	skip "another user's attempt is waited for" \
	    'only root can make a program for it'
fi

for option in -t -T; do
	result stopped$option
	is "$option: what ended before a stop did has not timed out" "$code" 0
done

finish
