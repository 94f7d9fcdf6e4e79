#!/bin/sh
#
# A wait is as long as it was announced, and never shorter. Attempts write down
# when they ran; what is looked at is how long the waits were at least.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

# gaps: the times between the moments in the file `stamps`, in microseconds.
gaps() {
	awk 'NR > 1 { printf "%d\n", ($1 - last) / 1000 } { last = $1 }' stamps
}

# short LEAST...: the gaps that are shorter than these, in microseconds. It is
# also wrong if there are more of them, or fewer.
short() {
	gaps >waited
	printf '%s\n' "$@" | paste - waited | awk '
		$1 == "" || $2 == "" { print "not as many:", $0 }
		$2 < $1 { print $2, "is less than", $1 }'
}

# tries OPTION...: attempts that fail and tell the moment.
tries() {
	rm -f stamps
	run retry -j none --success-on='!0' "$@" \
	    sh -c 'exec moment >>stamps'
}

tries -a 6 -b constant -d 300us
is 'waits of 300 us are none the shorter' "$(short 300 300 300 300 300)" ''
tries -a 6 -b constant -d 1500us
is 'waits of 1.5 ms are none the shorter' \
    "$(short 1500 1500 1500 1500 1500)" ''
tries -a 4 -b constant -d 50ms
is 'waits of 50 ms are none the shorter' "$(short 50000 50000 50000)" ''
# Of many the best, since a busy machine is late at times.
# shellcheck disable=SC2317 # check calls it
hardly_longer() {
	tries -a 12 -b constant -d 10ms
	test "$(gaps | sort -n | head -n 1)" -lt 110000
}
check 'waits are hardly longer than they should be' retried hardly_longer
tries -a 5 -d 10ms
is 'waits double' "$(short 10000 20000 40000 80000)" ''
tries -a 4 -b list:5ms,30ms
is 'waits are those of the list' "$(short 5000 30000 30000)" ''
like 'the wait is announced' "$err" 'next in 5ms$'

rm -f stamps
run retry -a 3 -b constant -d 40ms --seed=3 \
    sh -c 'moment >>stamps; echo "${RETRY_DELAY-none}" >>delays; exit 1'
is 'the wait of a jitter is at least a fifth less' "$(short 32000 32000)" ''
is 'the attempt is told what was waited' "$(awk '
	NR == 1 ? $0 != "none" : $0 < 0.032' delays)" ''
is 'the attempt is told what was waited, and the announcement was no longer than that' "$(
	printf '%s\n' "$err" | sed -n 's/.*next in \(.*\)ms$/\1/p' |
	    paste - waited | awk '$2 < $1 * 1000 - 50')" ''

rm -f stamps
run retry -a 2 -j none -d 30ms sh -c 'moment >>stamps; sleep .05; exit 1'
is 'a wait begins when the attempt has ended' "$(short 80000)" ''
run retry -a 4 -b constant -j none -d 20ms sh -c 'echo "$RETRY_DELAY"; exit 1'
is 'no attempt is told of less than the delay' \
    "$(printf '%s\n' "$out" | awk 'NR > 1 && $1 < 0.02')" ''
run retry -a 2 -j none -d 30ms --pace=start sh -c 'sleep .05; exit 1'
like 'no attempt is told of less than the delay, with --pace=start what outlasts its delay is followed at once' \
    "$err" 'next at once$'
moment >stamps
run retry -a 2 -j none -d 60ms --pace=start sh -c '
	test "$RETRY_ATTEMPT" -eq 1 || moment >>stamps; exit 1'
is 'no attempt is told of less than the delay, with --pace=start a wait begins with the attempt' "$(short 60000)" ''

moment >stamps
run retry -a 1 --wait-first -j none -d 50ms sh -c 'moment >>stamps'
is '--wait-first waits before the first attempt' "$code$(short 50000)" 0

# A run that waited here would not end.
status 1 'nothing is waited after the last attempt' retry -a 1 -d 100d false
status 0 'nothing is waited after a success' retry -d 100d true
status 3 'nothing is waited after a stop' \
    retry -d 100d --stop-on=3 sh -c 'exit 3'
status 1 'a wait that would pass --max-time is not begun' \
    retry -a 9 -d 1d --max-time=1d -j none false
run retry -a 2 -d 0 sh -c 'echo "${RETRY_DELAY-none}"; exit 1'
like 'no delay is no wait' "$err" 'attempt 1/2 exited 1 after .*; next at once$'
like 'a wait of no time is told, too' "$(echo "$out" | xargs)" '^none 0\.[0-9]{3}$'

# Clocks.

if sanitized || musl || ! ldd "$RETRY" 2>&1 | grep -q 'libc\.so'; then
	skip 'a wall clock that leaps ahead changes no wait' \
	    'nothing can be preloaded'
	skip 'a wall clock that leaps back changes no wait' 'nothing can be preloaded'
	skip 'a wall clock that leaps changes no timeout' 'nothing can be preloaded'
	skip 'a hint that is a time of day is over when clocks show it' \
	    'nothing can be preloaded'
	skip 'one that is a duration is not' 'nothing can be preloaded'
	skip 'a delay that is longer than such a hint is waited in full' \
	    'nothing can be preloaded'
else
	leap=$TEST_BUILD/tests/leap.so
	rm -f stamps
	run env LD_PRELOAD="$leap" LEAP=86400 "$RETRY" -a 4 -j none -d 20ms \
	    sh -c 'moment >>stamps; exit 1'
	is 'a wall clock that leaps ahead changes no wait' \
	    "$code$(short 20000 40000 80000)" 1
	rm -f stamps
	run env LD_PRELOAD="$leap" LEAP=-86400 "$RETRY" -a 4 -j none -d 20ms \
	    sh -c 'moment >>stamps; exit 1'
	is 'a wall clock that leaps back changes no wait' "$code$(short 20000 40000 80000)" 1
	run env LD_PRELOAD="$leap" LEAP=86400 "$RETRY" -a 1 -t 1h sleep .1
	is 'a wall clock that leaps changes no timeout' "$code" 0
	then=$(date -u -d @$(($(date +%s) + 2400)) '+%F %T UTC')
	run env LD_PRELOAD="$leap" LEAP=300 timeout 60 "$RETRY" -a 2 -d 0 \
	    -j none --delay-match='at (.*)' \
	    sh -c 'echo "at $1"; exit $RETRY_ATTEMPT' sh "$then"
	is 'a hint that is a time of day is over when clocks show it' "$code" 2
	rm -f stamps
	run env LD_PRELOAD="$leap" LEAP=300 "$RETRY" -a 2 -d 0 -j none \
	    --delay-match='in (.*)' \
	    sh -c 'moment >>stamps; echo in 300ms; exit 1'
	is 'one that is a duration is not' "$code$(short 300000)" 1
	rm -f stamps
	run env LD_PRELOAD="$leap" LEAP=300 "$RETRY" -a 2 -d 300ms -j none \
	    --delay-match='at (.*)' \
	    sh -c 'moment >>stamps; echo "at $1"; exit 1' sh "$(
		date -u -d @$(($(date +%s) - 60)) '+%F %T UTC')"
	is 'a delay that is longer than such a hint is waited in full' \
	    "$code$(short 300000)" 1
fi

# A retry that is stopped: SIGSTOP cannot be seen, SIGTSTP stops the clock.

# paused SIGNAL: starts a run that waits 300 ms, in a group of its own, since a
# group whose parents are all outside its session is not to be stopped, and stops
# it by the signal. If the wait was over before that, it starts another one.
paused() {
	rm -f stamps log
	perl -e 'setpgrp; exec @ARGV' retry -a 2 -j none -d 300ms \
	    sh -c 'moment >>stamps; exit $((2 - RETRY_ATTEMPT))' 2>log &
	retry=$!
	wait_for grep -q 'next in' log
	kill -"$1" "$retry"
	wait_for stopped_or_gone
	[ "$(wc -l <stamps)" -gt 1 ] || return 0
	kill -CONT "$retry"
	ended "$retry"
	paused "$1"
}

# shellcheck disable=SC2317 # wait_for calls it
stopped_or_gone() {
	not alive "$retry" || grep -q '^State:.T' "/proc/$retry/status"
}

paused STOP
sleep .3
kill -CONT $retry
check 'a wait that ended while retry was stopped ends at once' ended $retry
paused TSTP
sleep .1
kill -CONT $retry
check 'SIGTSTP stops a wait, and SIGCONT resumes it' ended $retry
is 'the time so stopped does not count' "$(short 400000)" ''

wrong=
for seed in 1 2 3 4 5 6 7 8; do
	retry -q --seed=$seed --splay=100d -T 20 true &
	wait_for not kill -URG $!
	ended $! || wrong="$wrong $seed"
done
is 'chance does not decide whether the command runs at all' "$wrong" ''

# A container that is backed up or paused is frozen: time passes all the same. That of
# select(2) and its like does not.
freezer=/sys/fs/cgroup frozen=1 thawed=0 state=cgroup.freeze
[ ! -d $freezer/freezer ] ||
    freezer=$freezer/freezer frozen=FROZEN thawed=THAWED state=freezer.state
freezer=$freezer/retry-test-$$
ends_after_freeze() {
	rm -f begun
	sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$freezer" "$RETRY" -q "$@" &
	wait_for test -s begun
	echo $frozen >"$freezer/$state"
	sleep 3
	now=$(date +%s%N)
	echo $thawed >"$freezer/$state"
	wait $!
	[ $(($(date +%s%N) - now)) -lt 1000000000 ]
}
if mkdir "$freezer" 2>/dev/null && [ -e "$freezer/$state" ]; then
	check 'a wait ends as soon as a freeze that was longer does' \
	    retried ends_after_freeze -a 2 -d 2.5 -j none sh -c 'echo x >begun; exit 1'
	check 'a limit ends as soon as a freeze that was longer does' \
	    retried ends_after_freeze -a 1 -t 2.5 -k .1 sh -c 'echo x >begun; exec sleep 60'
	rmdir "$freezer"
else
	skip 'a wait ends as soon as a freeze that was longer does' 'nothing can be frozen here'
	skip 'a limit ends as soon as a freeze that was longer does' 'nothing can be frozen here'
fi

finish
