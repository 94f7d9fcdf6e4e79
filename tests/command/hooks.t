#!/bin/sh
#
# The shell commands that retry runs beside the attempts: the check, the gate
# before each retry, and the hooks at the end.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

# judged: how the log says that the first attempt was, by what rule.
judged() {
	sed -n '/"event":"outcome"/{
		s/.*"verdict":"\([a-z]*\)","rule":"\([a-z-]*\)".*/\1 \2/p
		q
	}' log
}

# reason: why the log says that the run ended.
reason() {
	sed -n 's/.*"event":"end".*"reason":"\([a-z-]*\)".*/\1/p' log
}

# order COMMAND...: runs it; its status, and what all have written to `order`.
order() {
	rm -f order log
	run "$@"
	touch order
	echo "$code" | cat - order | paste -sd ' '
}

# What waits for a limit does so side by side, each in a folder of its own.
aside() {
	mkdir "$1"
	(cd "$1" && shift && exec "$RETRY" "$@")
}
begin check aside check -t 3 --check='echo "$RETRY_LAST" >>order' sleep 100d
begin timeout aside timeout -a 1 -t 3 --check='
	echo "$RETRY_LAST ${RETRY_LAST_STATUS-none} ${RETRY_FINAL-}" >>order' sleep 100d
begin exec aside exec -q -a 2 -d 0 -t 3 -k 9 --before-retry='exec sleep 100d' \
    sh -c 'echo attempt; exit 6'
begin trap aside trap -q -a 2 -d 0 -t 3 -k 9 \
    --before-retry='trap "exit 1" TERM; sleep 100d & wait' \
    sh -c 'echo attempt; exit 6'
begin max-check aside max-check -T 9 --log=auto --log=json:log \
    --check='echo check >&2; exec sleep 100d' true
begin max-gate aside max-gate -T 9 -d 0 --before-retry='exec sleep 100d' false
begin max-hook aside max-hook -q -T 9 -d 0 \
    --before-retry='echo gate; exec sleep 100d' --on-give-up='echo hook' false
begin deaf aside deaf -q -T 9 -k 3 -s USR1 --check='exec env --block-signal=USR1 \
    hear heard 15' true
begin late aside late -a 2 -d 0 -t 3 -k .1 --check='exec sleep 100d' \
    --on-give-up=true true
begin hangs aside hangs -q -T 3 -t 3 -a 1 \
    --on-give-up='echo hook; trap "exit 0" TERM; sleep 100d & wait' sh -c 'exit 7'
begin hangs-deaf aside hangs-deaf -q -t 3 -k 3 --on-success='trap "" TERM
    exec hear heard 64' true
begin share aside share -T 5m -t 1% -k .1 -a 1 --check='exec sleep 100d' true

for row in success:true attempts:false stop:/nonexistent/command; do
	run retry -q -a 2 -d 0 --on-success='echo "$RETRY_REASON" >why' \
	    --on-give-up='echo "$RETRY_REASON" >why' "${row#*:}"
	is "a hook knows why the run ended: ${row%:*}" "$(cat why)" "${row%:*}"
done
retry -q -a 2 -d 0 --before-retry='env >gate' sh -c 'env >attempt; exit 1'
check "before the end there is no reason" not grep RETRY_REASON gate attempt

# The check.

wrong=
for row in 0:success 1:retry 2:stop 3:stop 75:stop 126:stop 127:stop 255:stop; do
	rm -f log
	run retry -a 2 -d 0 --log=json:log --check="exit ${row%:*}" true
	[ "$(judged)" = "${row#*:} check" ] || wrong="$wrong $row"
done
is 'the status of a check decides: 0 success, 1 retry, else stop' "$wrong" ''
wrong=
for signal in KILL TERM HUP; do
	rm -f log
	run retry -d 0 --log=json:log --check="kill -$signal \$\$" true
	[ "$(judged) $code" = 'stop check 1' ] || wrong="$wrong $signal"
done
is 'a signal that it dies of is stop' "$wrong" ''
is 'a check overrules the sets of outcomes' "$(order retry -d 0 --stop-on=6 \
    --check='echo check >>order; test "$RETRY_ATTEMPT" = 1 && exit 1; exit 0' \
    sh -c 'echo "attempt" >>order; exit 6')" \
    '0 attempt check attempt check'
result check
is 'a check is asked after a timeout too' "$code $(cat check/order)" '0 timeout'
run retry -d 0 --check=./missing true
like 'a check that is not found is named with its status' "$err" \
    '^retry: true: --check exited 127$'
run retry -d 0 --check='exit 3' true
unlike 'the status of a check that says stop is not named' "$err" '--check exited'
run retry --check='echo asked' ./missing
is 'a check is not asked if the command could not be started' \
    "$code $(printf '%s\n' "$err" | grep -c asked)" '127 0'

# The gate.

is 'the gate is asked before each retry, not before the first attempt' \
    "$(order retry -a 3 -d 0 --before-retry='echo gate >>order' \
    sh -c 'echo attempt >>order; exit 6')" \
    '6 attempt gate attempt gate attempt'
is '--wait-first does not ask the gate' \
    "$(order retry -a 1 -d 1ms --wait-first --splay=1ms \
    --before-retry='echo gate >>order' sh -c 'echo attempt >>order')" \
    '0 attempt'
is 'no gate is asked after the last attempt' "$(order retry -a 1 \
    --before-retry='echo gate >>order' false)" 1
order retry -b list:50ms -j none -a 2 \
    --before-retry='moment >>order; echo "$RETRY_DELAY" >>order' \
    sh -c 'moment >>order; exit 6' >/dev/null
is 'a gate is asked after the wait, and told its length' "$(awk '
	NR == 1 { begin = $1 } NR == 2 && $1 - begin < 50e6 { print "early" }
	NR == 3 && $1 < 0.05 { print "told " $1 }
	END { if (NR != 4) print "asked " NR }' order)" ''
got=$(order retry -d 0 --log=json:log --before-retry='exit 1' \
    sh -c 'echo attempt >>order; exit 6')
is 'a gate that fails gives up, with the status of the last attempt' \
    "$got $(reason)" '6 attempt gate'
# allowed GATE HOW: the retry, after a gate that ended so.
allowed() {
	is "a gate ($1) that $2 cannot tell, and lets the retry through" \
	    "$(echo "$out" | xargs) $err" "attempt attempt \
retry: sh: --before-retry $2; the retry is allowed"
}
while IFS=/ read -r gate how; do
	run retry -q -a 2 -d 0 --before-retry="$gate" sh -c 'echo attempt; exit 6'
	allowed "$gate" "$how"
done <<'END'
exit 2/exited 2
exit 127/exited 127
exit 255/exited 255
kill -9 $$/was killed by SIGKILL
END
for gate in exec trap; do
	result $gate
	allowed $gate 'timed out'
done
run retry -d 0 --before-retry=false --on-give-up='echo hook' \
    sh -c 'kill -9 $$'
is 'a gate that gives up leaves the status, which may be a death' "$code" 137
like 'the report says why' "$err" '^retry: sh: giving up .*--before-retry failed'
like '--on-give-up is run after a gate that failed' "$err" '^hook$'

# The hooks at the end.

end='--on-success=echo success --on-give-up=echo failure'
# ends COMMAND...: runs it with both; which of them were run, and its status.
ends() {
	run "$RETRY" -q "${end% --*}" "--${end##* --}" "$@"
	printf '%s\n' "$err" "$code" | paste -sd ' '
}

is 'a success runs --on-success, once, at the end' "$(ends -d 0 \
    sh -c 'echo attempt >&2; test $RETRY_ATTEMPT = 3')" \
    'attempt attempt attempt success 0'
is 'the last failure runs --on-give-up' "$(ends -a 2 -d 0 \
    sh -c 'echo attempt >&2; exit 6')" 'attempt attempt failure 6'
is 'a stop runs --on-give-up' "$(ends --stop-on=6 sh -c 'exit 6')" 'failure 6'
is 'a wait for which there is no time runs --on-give-up' "$(ends -T 1h -d 2h false)" \
    'failure 1'
is 'a command that cannot be started runs --on-give-up' \
    "$(ends ./missing | sed 's/.* failure/failure/')" 'failure 127'
is 'a run that repeats has one end' "$(ends --repeat=3 sh -c 'echo one >&2')" \
    'one one one success 0'
run retry --on-success='exit 3' true
is 'a hook that fails changes nothing' "$code" 0
is 'a hook that fails changes nothing, but is reported' "$err" 'retry: true: --on-success exited 3'
run retry -qa 1 --on-give-up='kill -9 $$' sh -c 'exit 6'
is 'a hook that dies changes nothing' "$code $err" \
    '6 retry: sh: --on-give-up was killed by SIGKILL'
run retry -q -T .1 -k 50ms --on-give-up='sleep .3; echo whole' sleep 100d
is '--max-time does not end a hook at the end' "$code $err" '124 whole'

# What they find.

show='echo "$RETRY_ATTEMPT/$RETRY_ATTEMPTS ${RETRY_LAST-none}
${RETRY_LAST_STATUS-none} ${RETRY_DELAY:+waited} ${RETRY_FINAL-}" |
    paste -sd " " >>order'
is 'the check is told of the attempt just ended' "$(order retry -a 2 -d 1ms \
    --check="$show; exit 1" sh -c 'exit $((5 + RETRY_ATTEMPT))')" \
    '7 1/2 exit 6   2/2 exit 7 waited 1'
is 'the check is told of the signal that the attempt died of' "$(order retry -a 1 \
    --check="$show" sh -c 'kill -9 $$')" '0 1/1 signal 9  1'
result timeout
is 'a timeout has no status' "$code $(cat timeout/order)" '0 timeout none 1'
is 'the gate is told of it too, and of the wait' "$(order retry -a 3 -d 1ms \
    --before-retry="$show" sh -c 'exit $((5 + RETRY_ATTEMPT))')" \
    '8 1/3 exit 6 waited  2/3 exit 7 waited '
is '--on-success is' "$(order retry -a 0 -d 1ms \
    --on-success="$show" sh -c 'exit $((2 - RETRY_ATTEMPT))')" \
    '0 2/0 exit 0 waited '
is '--on-give-up is' "$(order retry -a 1 --on-give-up="$show" ./missing)" \
    '127 1/1 unstartable 2  1'
run retry -a 1 --on-give-up='echo "$RETRY_ELAPSED" >elapsed' \
    sh -c 'sleep .05; exit 1'
check 'a hook knows how long the run has lasted' \
    awk '{ exit !($1 >= 0.05) }' elapsed

echo 'the input of retry' >input
look='readlink /proc/self/fd/0; cat; echo said'
# every COMMAND...: runs it with a run of two attempts that has all of them.
every() {
	"$RETRY" -q -d 0 --check="$look; exit \$((2 - RETRY_ATTEMPT))" \
	    --before-retry="$look" --on-success="$look" "$@" <input
}
run every true
is 'hooks read nothing if no output is held' "$(printf '%s\n' "$err" | sort | uniq -c | xargs)" \
    '4 /dev/null 4 said'
is 'hooks write to standard error' "$out" ''
run sh -c '"$RETRY" -d 0 -a 2 --check="$1; exit 1" --before-retry="$1" \
    --on-give-up="$1" true 2>&-' sh 'echo said && echo >>wrote'
is 'where that is closed they write to nobody' \
    "$code $out $(wc -l <wrote)" '1  4'

# Signals.

# stay TRAP: a command that does not end by itself, nor does its child, and
# has a trap for SIGTERM. It writes the pid of retry to a file when ready.
stay() {
	printf 'trap "%s" TERM; retry=$PPID
	    sh -c "echo $retry >pid; exec sleep 100d" & wait' "$1"
}

# shot RETRY-OPTION... COMMAND...: runs it without a terminal, sends it SIGTERM
# once its hook stays; all that it has started must end.
shot() {
	rm -f pid held ended order log
	mkfifo held
	(cat held; : >ended) &
	setsid "$RETRY" -d 0 --log=text --log=json:log "$@" \
	    3>held >out 2>err &
	wait_for test -s pid
	kill -TERM "$(cat pid)"
	wait $! 2>/dev/null
	code=$?
	wait_for test -e ended
	err=$(cat err)
}

count='echo >>order; exit 6'
given_up='--on-give-up=echo hook >>order'
for trap in - 'exit 0'; do
	shot --check="$(stay "$trap")" "$given_up" sh -c "$count"
	is "SIGTERM ends a check, and the run, trap $trap" \
	    "$code $(reason) $(wc -l <order)" '143 signal 1'
	shot --before-retry="$(stay "$trap")" "$given_up" sh -c "$count"
	is "SIGTERM ends a gate, and the run, trap $trap" \
	    "$code $(reason) $(wc -l <order)" '143 signal 1'
done
shot --on-success="$(stay -)" sh -c 'echo >>order'
is 'SIGTERM ends a hook after the run, whose status is kept' \
    "$code $(wc -l <order)" '0 1'
like 'a hook that a signal ended is reported' "$err" '^retry: sh: --on-success was killed by SIGTERM$'
shot --stop-on=6 --on-give-up="$(stay 'exit 0')" sh -c "$count"
is 'a signal during --on-give-up leaves the status of the failure' "$code $(wc -l <order)" '6 1'
shot -a 1 "$given_up" --on-success='echo hook >>order' \
    sh -c "$(stay 'exit 6')"
is 'no hook is run after an attempt that a signal ended' \
    "$code $(reason) $(ls order 2>/dev/null)" '6 signal '
shot -a 1 "$given_up" --on-success='echo hook >>order' \
    sh -c "$(stay 'exit 0')"
is 'no hook runs after a signal, even if the attempt then succeeded' \
    "$code $(reason) $(ls order 2>/dev/null)" '0 signal '

# Time.

result max-check
is '--max-time ends a check' "$code $(echo "$err" | head -n 1)" '124 check'
is 'the reason is max-time if it ended a check' "$(cd max-check && reason)" max-time
like 'a message says that --max-time ended a check' "$err" \
    'exited 0, and --max-time .* ended --check$'
result max-gate
like 'a message says that --max-time ended a gate' "$err" \
    'exited 1, and --max-time .* ended --before-retry$'
unlike 'a gate that --max-time ended lets no retry through' "$err" allowed
result max-hook
is '--max-time ends a gate, and --on-give-up follows' \
    "$code $(echo "$err" | xargs)" '124 gate hook'
result deaf
is 'a check that does not obey --signal is killed' \
    "$code $(paste -sd ' ' deaf/heard)" '124 ready 10 18'
result late
is 'a check that times out means retry' \
    "$code $(printf '%s\n' "$err" | grep -c -- ', but --check timed out')" '1 2'
result share
like 'a share of --max-time limits a check too' "$err" 'check timed out'
result hangs
is 'a hook at the end that hangs is ended, and said so' "$code $err" '7 hook
retry: sh: --on-give-up timed out'
result hangs-deaf
is 'a hook at the end that obeys no signal is killed' \
    "$code $err $(paste -sd ' ' hangs-deaf/heard)" \
    '0 retry: true: --on-success timed out ready 15 18'

# A shell that cannot be had.

if have 'a check that cannot be forked is an error of the run' strace; then
	# unforked N OPTION...: runs it with no process for what is the Nth. What
	# clone(2) fails is tried by fork(2), which only some libcs have.
	unforked() {
		unforked=$1
		shift
		ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 \
		    run setsid -w strace -o /dev/null \
		    -e trace="$(any_libc clone)" \
		    -e inject="clone:error=EAGAIN:when=$unforked+" \
		    -e inject='?fork:error=EAGAIN' "$RETRY" -d 0 "$@"
	}
	why='Resource temporarily unavailable'
	rm -f log
	unforked 2 --log=text --log=json:log --check=true sh -c 'exit 6'
	is 'a check that cannot be forked is an error of the run' \
	    "$code $(judged) $(reason)" '125 stop error error'
	like 'a check that cannot be forked is reported' "$err" "^retry: sh: cannot run --check: $why\$"
	unforked 2 --before-retry=true sh -c 'exit 6'
	is 'a gate that cannot be forked is an error of the run' "$code" 125
	like 'a gate that cannot be forked is reported' "$err" "^retry: sh: cannot run --before-retry: $why\$"
	unforked 2 --on-success=true true
	is 'a hook that cannot be forked is reported' "$code $err" \
	    "0 retry: true: cannot run --on-success: $why"
	unforked 1 -a 2 --output=hold --log=json:unforked true
	is 'an attempt whose output cannot be held for want of a process is retried' \
	    "$code $(jq -r 'select(.event == "outcome") | .outcome' unforked | xargs)" \
	    '125 unforked unforked'
	unforked 1 -a 1 --check='echo asked' true
	is 'no check is asked of an attempt that could not be forked' \
	    "$code $(echo "$err" | grep asked)" '125 '
fi

# A file that is no program covers the shell.
: >none
shellless() {
	unshare ${user:+-Ur} -m sh -c '
		mount --bind none /bin/sh && exec "$RETRY" -d 0 "$@"' sh "$@"
}
[ "$(id -u)" -eq 0 ] && user='' || user=yes
if shellless true 2>/dev/null; then
	for how in '' --preserve-status --success-on=6; do
		rm -f log
		run shellless --log=json:log ${how:+"$how"} --check=true perl -e 'exit 6'
		is "a check without a shell is no verdict ${how:+($how)}" \
		    "$code $(judged) $(reason)" '125 stop error error'
		rm -f log
		run shellless --log=json:log ${how:+"$how"} --before-retry=true \
		    perl -e 'exit 5'
		is "a gate without a shell is no verdict ${how:+($how)}" \
		    "$code $(judged) $(reason)" '125 retry default error'
	done
	for mode in stream hold all last chronic failed; do
		run shellless --output=$mode --check=true echo kept
		is "what it was about is not lost: $mode" \
		    "$(printf '%s\n' "$out$err" | grep -c kept)" 1
	done
	run shellless --check=true true
	is 'a check whose shell cannot be executed ends in 125' "$code" 125
	unlike 'a check whose shell cannot be executed has said nothing' "$err" 'check says'
	like 'a check whose shell cannot be executed is reported' "$err" '^retry: true: cannot run --check: /bin/sh: Permission denied$'
	run shellless --before-retry=true perl -e 'exit 6'
	is 'a gate whose shell cannot be executed ends in 125' "$code" 125
	unlike 'a gate whose shell cannot be executed has not failed' "$err" 'before-retry failed'
	like 'a gate whose shell cannot be executed is reported' "$err" \
	    '^retry: perl: cannot run --before-retry: /bin/sh: Permission denied$'
	run shellless --on-success=true true
	is 'a hook whose shell cannot be executed is reported' "$code $err" \
	    '0 retry: true: cannot run --on-success: /bin/sh: Permission denied'
else
	skip 'a check whose shell cannot be executed ends in 125' \
	    'the shell cannot be covered'
fi

# A chroot may be without /dev/null, or have one that may not be opened.
if unshare -rm true 2>/dev/null &&
    unshare -rm mount -t tmpfs tmpfs /dev 2>/dev/null; then
	run unshare -rm sh -c 'mount -t tmpfs tmpfs /dev && exec "$@"' sh \
	    "$RETRY" -q -a 2 -d 0 --check='cat; exit 0' --stdin=null \
	    --health=true --on-success='cat; echo hooked' --output=hold \
	    sh -c 'cat; echo held'
	is 'hooks, probes and checks need no /dev/null' \
	    "$code $(echo "$out $err" | xargs)" '0 held held held hooked'
else
	skip 'hooks, probes and checks need no /dev/null' \
	    'no file system can be mounted here'
fi

finish
