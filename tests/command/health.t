#!/bin/sh
#
# --health: a probe beside the attempt. An attempt that stays unhealthy would
# otherwise last for ever.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

# shellcheck disable=SC2317 # check calls it
# gone FILE: whether each process whose number the file holds has ended.
gone() {
	while read -r pid; do
		! alive "$pid" || return
	done <"$1"
}

quick='--health-interval=20ms --health-retries=3'
# A probe that does not fail before the attempt says so.
fails='--health=test ! -e ready'

# shellcheck disable=SC2086 # words are meant
probe() {
	run retry -k .2 $quick "$@"
}

# --- what becomes of an unhealthy attempt ---

probe -a 2 -d 0 --health='echo connection refused; exit 7' sleep 100d
is 'an unhealthy attempt is ended, and the status 124' "$code" 124
like 'the line says why' "$err" 'retry: sleep: attempt 1/2 was unhealthy after [0-9.ms]+: health check exited 7 three times \("connection refused"\), and was never healthy \(for a slow start, raise --health-start-period\); next at once'
like 'the last line says so, too' "$err" \
    'giving up after 2 attempts in [0-9.ms]+: unhealthy$'
probe -a 2 -d 0 --health='exit 7' --health-retries=1 sleep 100d
like '--health-retries=1 ends an attempt at one failure' "$err" 'health check exited 7 once, and was'
probe -a 1 --health='kill -KILL $$' --health-retries=2 sleep 100d
like 'a probe may die' "$err" 'health check killed by SIGKILL twice'
probe -a 1 --health='n=$(cat n 2>/dev/null); echo x$n >n; exit ${#n}' \
    --health-retries=5 sh -c 'echo x >n; exec sleep 100d'
like 'failures may differ' "$err" 'health check failed five times; the last exited [0-9]+'
probe -a 3 --stop-on=unhealthy -d 100d --health=false sleep 100d
is 'a set may name the outcome' "$code" 124
probe -a 9,unhealthy:2 -d 0 --health=false sleep 100d
like 'a set may name the outcome, so may a limit' "$err" 'giving up after 2 attempts .* which reaches --attempts=unhealthy:2'
probe -a 1 --log=json:log --health='[ ! -e was ]' sh -c '
	until grep -q ":.healthy" log; do sleep .01; done
	: >was
	exec sleep 100d'
unlike 'an attempt that was healthy needs no longer start' "$err" 'never healthy'
# shellcheck disable=SC2086 # words are meant
run retry -a 1 $quick --health='echo x >>tries; /nosuch/curl' \
    sh -c 'until [ "$(grep -c . tries)" -ge 5 ]; do sleep .01; done'
is 'a probe whose command is missing neither succeeds nor fails' "$code" 0
is 'a probe whose command is missing is told once' "$(echo "$err" |
    grep -c 'retry: sh: --health exited 127, so that it says nothing: .*/nosuch/curl')" 1
# systemd signals each process of a service.
rm -f probe.pid
retry -q --log=json:stopped --health='echo $$ >probe.pid; exec sleep 100d' \
    --health-interval=1ms --health-timeout=100d sleep 100d &
pid=$!
wait_for test -s probe.pid
kill -STOP "$pid"
kill "$pid" "$(cat probe.pid)"
kill -CONT "$pid"
wait "$pid" 2>/dev/null
is 'a probe that dies of the signal that ends the run has not failed' \
    "$(grep -c '"event":"health"' stopped)" 0
# shellcheck disable=SC2154 # of the harness
run timeout -s TERM 60 "$RETRY" -a 0 -d 1ms --health=true \
    --health-interval=10ms sh -c '[ $RETRY_ATTEMPT -lt 5 ] || kill $PPID
    until grep -q "attempt $RETRY_ATTEMPT is healthy" "$1"; do sleep .01; done
    exit 1' sh "$tap_dir/err"
is 'each failure is told before the next attempt is healthy' \
    "$(echo "$err" | grep -o 'attempt [0-4] [ei][^ ]*' | xargs)" \
    "$(for i in 1 2 3 4; do echo "attempt $i is attempt $i exited"; done | xargs)"
probe -a 2 -d 0 --health='test "$RETRY_ATTEMPT" -eq 2' \
    sh -c '[ -z "${RETRY_LAST-}" ] || { echo "$RETRY_LAST ${RETRY_LAST_STATUS-unset}"; exit 0; }
	exec sleep 100d'
is 'the next attempt is told' "$code $out" '0 unhealthy unset'
probe -a 2 -d 0 --health=false --log=json:two sleep 100d
is 'the next attempt is told, and JSON' "$(jq -r 'select(.event == "outcome") | [.outcome, .status, .rule] | @csv' two)" \
    '"unhealthy",,"default"
"unhealthy",,"default"'
probe -a 1 --health='echo bad; exit 3' --log=json:changes sleep 100d
is 'the next attempt is told, which has the changes of health' \
    "$(jq -r 'select(.event == "health") | [.health, .failures, .probe, .status, .output] | @csv' changes)" \
    '"failing",1,"exit",3,"bad"
"unhealthy",3,"exit",3,"bad"'
is 'the next attempt is told, and nothing of another event' \
    "$(jq -r 'select(.event == "health") | keys_unsorted | join(" ")' changes | sort -u)" \
    'event time elapsed run attempt health failures probe status name output'
probe -a 1 --health=false --log=junit:junit sleep 100d
like 'the next attempt is told, and JUnit' "$(cat junit)" 'unhealthy'
probe -k 10s -a 1 -s USR1 "$fails" sh -c \
    'trap "echo usr1; exit 0" USR1; : >ready; while :; do sleep .05; done'
is 'the signal is that of --signal' "$code $out" '124 usr1'
rm -f ready
probe -a 1 -k .05 "$fails" sh -c 'trap "" TERM; : >ready; exec sleep 100d'
is 'SIGKILL follows' "$code" 124
rm -f ready
probe -a 1 "$fails" sh -c \
    'setsid sleep 100d & echo $! >left; : >ready; exec sleep 100d'
check 'all that the attempt has started is ended' wait_for gone left
for output in hold last; do
	rm -f ready
	probe -a 1 --output=$output "$fails" \
	    sh -c 'echo out; : >ready; exec sleep 100d'
	is "--output=$output: it is let out" "$code $out$(echo "$err" | grep -x out)" \
	    '124 out'
done
rm -f ready
probe -a 1 --retry-match=x --idle-timeout=100d --health=false sleep 100d
is 'output may be searched meanwhile' "$code" 124
probe -k 10s -a 1 --preserve-status "$fails" \
    sh -c 'trap "exit 3" TERM; : >ready; while :; do sleep .05; done'
is 'the status can be that of the command' "$code" 3
run retry --plan=unhealthy,0
like 'a plan knows the outcome' "$out" 'unhealthy'

# --- a healthy attempt ---

probe -a 1 --health=true \
    sh -c 'until grep -q healthy /dev/stderr; do sleep .05; done; sleep .2'
is 'a healthy attempt goes on' "$code" 0
is 'the first success of a probe is told once' \
    "$(echo "$err" | sed 's/after .*/after/')" \
    'retry: sh: attempt 1/1 is healthy after'
probe -q --health='echo x >>asks' \
    sh -c 'until [ "$(cat asks | wc -l)" -gt 1 ]; do sleep .05; done 2>&-'
is 'the first success of a probe is not told with -q' "$err" ''
probe -a 1 --log=json:forgiven \
    --health='echo x >>asked; [ $(($(wc -l <asked) % 3)) -ne 2 ]' \
    sh -c 'until [ "$(cat asked 2>/dev/null | wc -l)" -gt 9 ]; do sleep .05; done'
is 'a failure between successes is forgiven' "$code" 0
is 'JSON has each change' "$(jq -r 'select(.event == "health") | .health' forgiven |
    head -n 5 | xargs)" 'healthy failing healthy failing healthy'
probe -a 1 --health='[ -e quiet ] || { : >quiet; exit 0; }; echo; echo bad
	exit 1' --health-retries=1 --log=json:lines sleep 100d
is 'JSON has each change, and the last line of the probe, or null' \
    "$(jq -c 'select(.event == "health") | .output' lines | xargs)" 'null bad'
probe -a 1 --health-start-period=100d --health='test -e ok2' \
    sh -c 'sleep .3; : >ok2; sleep .2'
is 'in the start period failures do not count' "$code" 0
rm -f ok2
probe -a 1 --health-start-period=100d --health='test -e ok2 && : >seen' \
    sh -c ': >ok2; until [ -e seen ]; do sleep .05; done; rm ok2; exec sleep 100d'
is 'after the first success they do' "$code" 124
probe -a 2 -d 0 --health='echo $RETRY_ATTEMPT $RETRY_PID >told
	[ ! -e "ready$RETRY_ATTEMPT" ]' \
    sh -c 'echo "$RETRY_ATTEMPT $$" >own; echo ${RETRY_PID-unset} >>pids
	: >ready$RETRY_ATTEMPT; exec sleep 100d'
is 'a probe is told the attempt and its process' "$(cat told)" "$(cat own)"
is 'the attempt is not' "$(sort -u pids)" unset
probe -a 1 --health='cat; readlink /proc/self/fd/0 >input; false' \
    sleep 100d <"$TESTS/command/health.t"
is 'a probe reads nothing' "$(cat input) $out" '/dev/null '
probe -a 1 --health='echo one; echo two >&2; false' --health-retries=1 sleep 100d
like 'only its last line is told' "$err" '\("two"\), and was never healthy'
unlike 'the other is dropped' "$out$err" one
probe -a 1 --health='[ ! -e silent ] || exit 1; echo one; : >silent; exit 1' \
    --health-retries=2 sleep 100d
like 'the line of one probe is not told of another' "$err" \
    'exited 1 twice, and was never healthy'
probe -v -a 1 --health='echo one; false' --health-retries=1 sleep 100d
like 'the line of one probe is not told of another, with -v all of it is shown' "$err" '^retry: sleep: health check: one$'
unlike 'the line of one probe is not told of another, and no empty line' "$err" '^$'
probe -q -a 1 --health='echo one; false' --health-retries=1 sleep 100d
is 'the line of one probe is not told of another, but with -q none' "$code$err" 124
probe -a 1 --health='printf "\033[31mred\a"; false' --health-retries=1 sleep 100d
unlike 'what it writes is made safe' "$err" "$(printf '\033')"
probe -v -a 1 --health='printf "\033[31mred\a\n\ntwo\n"; false' \
    --health-retries=1 --log=text:shown --log=json:events sleep 100d
is 'what it writes is made safe, with -v it goes where messages go, made safe line by line' \
    "$err$(sed -n '/check: /s/^[^ ]* //p' shown)" 'retry: sleep: health check: \^[[31mred\a
retry: sleep: health check: two'
check 'what it writes is made safe, but not where programs read' not grep 'check: ' events
probe -a 1 --health='false' --health-interval=100d sleep .1
is 'no probe comes before its time' "$code$err" 0
probe -a 2 -d 0 --reset-after=10ms --health=false sleep 100d
like 'an attempt that was never healthy has not lasted' "$err" 'giving up after 2 attempts'
probe -a 2 -d 0 --reset-after=10ms --stop-on=3 --health='
	echo >>"asked$RETRY_PID"; [ ! -e "ill$RETRY_PID" ]' sh -c '
	asked() { [ "$(cat asked$$ 2>/dev/null | wc -l)" -gt 1 ]; }
	echo >>began; [ "$(wc -l <began)" -lt 4 ] || exit 3
	until asked; do sleep .05; done
	: >ill$$; exec sleep 100d'
is 'an attempt that was healthy has run for --reset-after' "$code" 3

# --- a probe that misbehaves ---

probe -a 1 --health='sleep 100d' --health-timeout=60ms --health-retries=2 sleep 100d
is 'a probe that takes too long has failed' "$code" 124
like 'a probe that takes too long has failed, which is told' "$err" 'health check timed out twice'
probe -a 1 -t 60 --health='[ "$(cat strays | wc -l)" -lt 3 ] || exit 0
	stray="echo \$\$ >>strays; exec sleep 100d"
	setsid sh -c "$stray" & (setsid sh -c "$stray" &)
	echo $$ >>strays; sleep 100d' --health-timeout=1s --health-retries=99 sh -c '
	lives() {
		while read -r pid; do [ ! -e "/proc/$pid/exe" ] || return 0; done
		return 1
	}
	while [ "$(cat strays | wc -l)" -lt 3 ] || lives <strays; do sleep .05; done'
is 'a probe that is late is ended with all that it has started, orphans too' "$code" 0
for _ in 1 2 3 4 5; do
	probe -a 1 --health='sleep 100d || echo DOWN >>after' \
	    --health-timeout=20ms --health-retries=10 sleep .3
	probe -a 1 --health='echo >asleep$RETRY_PID; sleep 100d; echo DOWN >>after' \
	    sh -c 'until [ -e asleep$$ ]; do sleep .05; done'
done
check 'a shell that is killed with its command does not go on' test ! -e after
probe -a 1 --health='ps -o sid= $$ >session; tty </dev/tty 2>&1 >>session
	tr -d " " <session; echo $$; exit 1' --health-retries=1 \
    --log=json:alone sleep 100d
is 'a probe has a session of its own, without a terminal' \
    "$(tr -d ' ' <session)" \
    "$(jq -r 'select(.event == "health") | .output' alone | tail -n 1)"
probe -a 1 --health='sleep 100d' --health-timeout=50ms --health-retries=4 \
    sh -c 'trap "" TERM; exec sleep 100d'
like 'the next one follows' "$err" 'health check timed out four times'
probe -a 1 --health='echo $$ >last; exec sleep 100d' sh -c 'until [ -s last ]; do sleep .05; done'
is 'an attempt that ends first ends its probe' "$code" 0
check 'the probe of an attempt that ends first ends at once' wait_for gone last
probe -a 1 --health='[ ! -s daemon ] || { : >later; exit 0; }
	setsid sh -c "echo \$\$ >daemon; exec sleep 100d" >/dev/null 2>&1 &
	until [ -s daemon ]; do sleep .05; done' \
    sh -c 'until [ -e later ]; do sleep .05; done'
is 'a probe may leave a daemon' "$code" 0
check 'a probe may leave a daemon, which is left alone' alive "$(cat daemon)"
kill -KILL "$(cat daemon)"
# shellcheck disable=SC2317 # wait_for calls it
endless() {
	probe -a 1 --health='yes; false' --health-timeout=1s \
	    --health-retries=1 sleep 100d
	test "$code" -eq 124 && printf '%s\n' "$err" | grep '("y")'
}
check 'a probe may write without an end, and its last line is known' \
    retried endless
probe -a 1 --health=true --health-interval=1ms sleep .2
is 'an attempt may have a thousand probes a second' "$code" 0
rm -f probes
probe -a 1 --health='echo x >>probes' --health-interval=1ms sh -c '
	probes() { wc -l <probes; }
	: >probes; until [ "$(probes)" -gt 1 ]; do :; done
	before=$(ls /proc/$PPID/fd | wc -l)
	until [ "$(probes)" -gt 40 ]; do sleep .05; done
	after=$(ls /proc/$PPID/fd | wc -l)
	echo $((after - before))'
check 'a thousand probes a second each close their files' [ "$out" -lt 9 ] || note "$out"
probe -a 3 -d 0 --health=true sh -c 'exit 5'
is 'an attempt may end before its first probe' "$code" 5

# Whatever is due at the same time, one of the two ends the attempt.
for time in 20ms 40ms 60ms; do
	probe -a 1 -T $time --health='echo $$ >last; exec sleep 100d' \
	    --health-timeout=20ms --health-retries=1 sleep 100d
	is "--max-time $time may come when a probe is due, or late" "$code" 124
	check "--max-time $time may come when a probe is due, or late, with which it ends, $time" wait_for gone last
done

if have 'a probe that cannot be forked tells nothing of the attempt' strace; then
	# LeakSanitizer does not work under strace.
	export ASAN_OPTIONS=abort_on_error=1:detect_leaks=0
	until_told='until grep -q "cannot start --health" /dev/stderr; do
		sleep .01; done; sleep .2'
	# The first fork is the attempt's.
	# shellcheck disable=SC2086 # words are meant
	run strace -o trace -e trace=clone,clone3,fork,vfork \
	    -e inject=clone,clone3,fork,vfork:error=EAGAIN:when=2+ \
	    retry -a 1 -k .2 $quick --health=true sh -c "$until_told"
	is 'a probe that cannot be forked tells nothing of the attempt' \
	    "$code" 0
	is 'a probe that cannot be forked tells nothing of the attempt, which is told once' "$(echo "$err" | grep -c 'cannot start --health')" 1
	# Only the probe has descriptors that are not retry's own.
	# shellcheck disable=SC2086 # words are meant
	run strace -f -o trace -e trace=dup2,dup3 \
	    -e inject=dup2,dup3:error=EIO:when=1 \
	    retry -a 1 -k .2 $quick --health=true sh -c "$until_told"
	is 'a probe whose shell is not executed tells nothing, either' "$code" 0
	is 'a probe whose shell is not executed is told once' "$(echo "$err" | grep -c 'cannot start --health')" 1
	strace -o trace retry true
	check 'without --health nothing is done for it' \
	    not grep pipe2 trace
	export ASAN_OPTIONS=abort_on_error=1
fi

# --- signals ---

# shellcheck disable=SC2086 # words are meant
retry -q -a 0 $quick --health='[ -e up ] && echo $$ >probing && exec sleep 100d
	exit 0' \
    sh -c 'trap "sleep .1; exit 3" TERM; : >up; while :; do sleep .05; done' &
wait_for test -s probing
kill -TERM $!
wait $!
is 'a signal ends the run as ever' $? 3
check 'a signal ends the run as ever, and the probe' wait_for gone probing
rm up
# shellcheck disable=SC2086 # words are meant
retry -q -a 0 -k .1 $quick --health='[ ! -e down ]' \
    sh -c 'trap ": >down; sleep .5; exit 0" TERM; : >up; while :; do sleep .05; done' &
wait_for test -e up
kill -TERM $!
wait $!
is 'an attempt that shuts down need not be healthy' $? 0
rm -f stopped
# A group without a parent outside of it, but of its session, is never stopped.
# shellcheck disable=SC2086 # words are meant
perl -e 'setpgrp; exec @ARGV' "$RETRY" -q -a 1 $quick --health-timeout=100d --health='echo $$ >slow; exec sleep 100d' \
    sh -c 'until [ -e stopped ]; do sleep .05; done' &
wait_for test -s slow
kill -TSTP $!
wait_for grep '^State:.T' "/proc/$!/status"
check 'a stop stops the probe, too' wait_for grep "^State:.T" "/proc/$(cat slow)/status"
: >stopped
kill -CONT $!
wait $!
is 'a stop stops the probe, too, and goes on with it' $? 0

# --- the words ---

run retry --health-retries=2 true
like 'a health option alone is refused' "$code $err" '^125 .*needs --health'
for word in --health-interval=0 --health-timeout=0 --health-retries=0; do
	run retry --health=true $word true
	like "$word is refused" "$code $err" '^125 .*too small'
done
status 125 'an interval has a unit that is known' retry --health=true --health-interval=1x true

# One failure in between: people hear of the first success alone.
echo 0 >count
run retry -a 1 --health-interval=.02 --health='read -r n <count
    echo $((n + 1)) >count; [ "$n" -ne 1 ]' \
    sh -c 'until [ "$(cat count)" -ge 5 ] 2>/dev/null; do sleep .05; done'
is 'an attempt that is healthy again was told as healthy' \
    "$code $(printf '%s\n' "$err" | grep -c 'is healthy')" '0 1'

finish
