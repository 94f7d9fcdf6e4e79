#!/bin/sh
#
# A signal ends the run: the attempt may take its time, and only --stop-timeout
# and --max-time bound it.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/jobs.sh
. "$TESTS/lib/jobs.sh"

# drains NAME SECONDS: signals retry, and takes so long after the first SIGTERM,
# of which it counts all.
program drains <<'END2'
trap 'echo TERM >>"$1.signals"; drain=y' TERM
drain=
kill -TERM $PPID
while [ -z "$drain" ]; do sleep .05; done
sleep "$2" & until wait $!; do :; done
echo done >>"$1.signals"
exit 7
END2

# drain NAME SECONDS OPTION...: ends the run by SIGTERM; its status is $?.
drain() {
	drain_name=$1 drain_time=$2
	shift 2
	"$RETRY" -a 0 -k .1 "$@" ./drains "$drain_name" "$drain_time" \
	    2>"$drain_name.err"
}
drain timeout 2.2 -t 2
is "with -t the status is the attempt's own" $? 7
is 'with -t it has one SIGTERM, and its time' "$(xargs <timeout.signals)" 'TERM done'
drain idle 2.2 --idle-timeout=2
is 'silence is no fault in a drain' "$? $(xargs <idle.signals)" '7 TERM done'
: >probes
drain probed 1 --health='[ ! -e probed.signals ] || ! echo >>probes' \
    --health-interval=.1 --health-retries=1
is 'silence is no fault in a drain, nor is bad health' "$? $(xargs <probed.signals)" '7 TERM done'
check 'no probe follows the signal' [ "$(wc -l <probes)" -lt 2 ]
drain stopped 100d --stop-timeout=1
is '--stop-timeout ends it by SIGKILL' "$? $(xargs <stopped.signals)" '137 TERM'
drain bounded 100d -T 2
is '--max-time ends it by SIGKILL alone' "$? $(xargs <bounded.signals)" \
    '137 TERM'
# Much memory takes its time to go, other processes none, and all theirs to be found.
dying='it has a second to die, however long the search for others took'
if have "$dying" strace python3; then
	program dies <<'END2'
trap '' TERM
(setsid sleep 100 &)
exec python3 -c 'import os, time
memory = bytearray(3 * 10**8)
os.kill(os.getppid(), 15)
time.sleep(100)'
END2
	run env ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" \
	    strace -o trace -e trace=getdents64 \
	    -e inject=getdents64:delay_enter=600000 \
	    "$RETRY" -a 1 --stop-timeout=.1 ./dies
	like "$dying" "$code $err" '^137 .*killed by SIGKILL'
fi
drain unbounded 2.2 -T 2 -k 0
is "$dying, with -k 0 it is left at --max-time" $? 143
like "$dying, which is told" "$(cat unbounded.err)" 'process [0-9]+ \(drains\) does not end and is left'
unlike "$dying, and nothing kills it" "$(cat unbounded.err)" 'killed'
wait_for grep -q "done" unbounded.signals
drain second 2.2 -t 2 -v
unlike "$dying, with -v no signal of its own is told" "$(cat second.err)" sending
run retry -v -a 1 -t 2 -k .1 sh -c 'trap "" TERM; while :; do sleep .05; done'
like 'a timeout tells its own' "$err" '^retry: sh: sending SIGTERM to the process$'
like 'a timeout tells its own last line' "$err" '^retry: sh: sending SIGKILL to the process$'

finish
