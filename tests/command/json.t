#!/bin/sh
#
# The report in JSON: its events and their fields.

# SPDX-License-Identifier: MIT

. lib/harness.sh
have 'the report in JSON' jq || finish

# holds NAME FILTER: it is true of all objects of the log, as an array.
holds() {
	check "$1" jq -es "$2" log
}

# told HEADING [WORDS]: the fields that retry-log(5) tells below the heading, and
# in a paragraph that begins with these words.
told() {
	awk -v heading=".Ss $1" -v words="${2-}" '
		/^\.S[hs] / { here = $0 == heading; paragraph = "" }
		/^\.Pp$/ { getline paragraph }
		here && paragraph == words && /^\.It Cm / {
			sub(/ Pq .*/, "")
			gsub(/^\.It Cm | ,/, "")
			printf "%s%s", many++ ? " " : "", $0
		}' "$TESTS/../man/retry-log.5"
}

# fields EVENT FIELD...: such an event has these, in this order.
fields() {
	is "the manual tells the fields of $1" "$1 $(told "$1")" "$*"
	holds "the fields of $1" "$(printf 'map(select(.event == "%s")) |
	    length > 0 and all(keys_unsorted == ["event", "time", "elapsed", "run"' "$1"
	    shift
	    printf ', "%s"' "$@")])"
}

# nulls FILE: no field in it is null unless retry-log(5) says that it can be.
nulls() {
	awk '/^\.S[hs] / {
			event = $0 == ".Ss All events" ? "any" : $2
		}
		/^\.It Cm .* Pq .*null/ {
			sub(/ Pq .*/, "")
			gsub(/^\.It Cm | ,/, "")
			for (i = 1; i <= NF; i++)
				print event, $i
		}' "$TESTS/../man/retry-log.5" >may
	is "what is null in a $1 can be null" "$(jq -r '.event as $event |
	    to_entries[] | select(.value == null) |
	    (if .key == "run" then "any" else $event end) + " " + .key' "$1" |
	    sort -u | grep -vxFf may | xargs)" ''
}

cat >script <<'END'
case $RETRY_ATTEMPT in
1) exit 7 ;;
2) kill -9 $$ ;;
3) exec sleep 20 ;;
4) exec true ;;
esac
END
run retry --seed=1 -d 20ms -t 3 --log=json:log sh script
is 'the run succeeds' "$code" 0
is 'the run succeeds, and says nothing else' "$err" ''
check 'each line is an object' \
    sh -c 'test "$(jq -c . log | wc -l)" = "$(wc -l <log)"'
is 'the events are in order' \
    "$(jq -r .event log | tr '\n' ' ')" \
    'start attempt outcome wait attempt outcome wait attempt outcome wait attempt outcome end '

fields start name command attempts max_time limits backoff delay max_delay \
    min_delay jitter order timeout timeout_share preset seed
fields attempt attempt pid timeout
fields outcome attempt outcome status name oom verdict rule class line duration \
    user system left
fields wait attempt nominal low high delay hint
fields end name reason status attempts failures flaky waited tolerated limit hint \
    lost_input
nulls log

holds 'time is that of the clock, elapsed that of the run' \
    'all(.time > 1.7e9 and .elapsed >= 0 and .elapsed < 1e6)'
holds 'both go on' '. == sort_by(.elapsed)'
holds 'the start tells what was asked for' '.[0] | .command ==
    ["sh", "script"] and .name == "sh" and .attempts == 5 and .max_time == null'
holds 'and the seed of the delays' '.[0].seed == 1'
holds 'all events say which run it is' '(map(.run) | unique | length) == 1'
cp log one
retry -q -a 1 --log=json:log false
holds 'two runs in one log are two' '(map(.run) | unique | length) == 2'
mv one log
retry -q -d 1ms -a 3 --log=json:first false
retry -q -d 1ms -a 3 --seed="$(jq .seed first | head -n 1)" --log=json:second \
    false
is 'the seed of any run repeats its delays' "$(jq .delay second)" \
    "$(jq .delay first)"
retry -q -j none -a 1 --log=json:fixed false
is 'a run without chance has none' "$(jq -r 'select(.seed?).seed' fixed)" ''

# seeds OPTION...: whether a run of `false` tells a seed.
seeds() {
	retry -q --log=json:- "$@" false |
	    jq -r 'select(.event == "start").seed != null'
}
while read -r options; do
	# shellcheck disable=SC2086 # words
	is "no delay is random, so no seed is told: $options" \
	    "$(seeds $options)" false
done <<'end'
-a 1
-a 1/10m
-a 1 -d 5 -b smooth
-a 1 --repeat
-a 2 -d 0
-a 2 -d 0 -b decorrelated
-a 2 -d 1ms -j 0
end
while read -r options; do
	# shellcheck disable=SC2086 # words
	is "a delay may be random, so a seed is told: $options" \
	    "$(seeds $options)" true
done <<'end'
-a 2 -d 1ms
-a 2 -d 0 -j +1ms
-a 2 -d 0 -b linear:step=1ms
-a 2 -d 0 --min-delay=1ms
-a 2 -d 0 --delay-match=(x)
-a 2 -d 0 --throttle-on=9 --throttle-delay=1ms
-a 1 --splay=1ms
-a 1 -d 1ms --wait-first
-a 1 --free-on=9
-a 1 --repeat --success-delay=1ms
-a 1 --state=state
end
holds 'attempts are numbered' \
    '[.[] | select(.event == "attempt").attempt] == [1, 2, 3, 4]'
holds 'and have a process' \
    '[.[] | select(.event == "attempt").pid] | all(. > 1)'
holds 'and their limit' \
    '[.[] | select(.event == "attempt").timeout] | all(. > 2.99 and . < 3.01)'
# outcome N JSON
outcome() {
	holds "outcome $1 is $2" "[.[] | select(.event == \"outcome\")][$1 - 1] |
	    [.outcome, .status, .name, .verdict, .rule] == $2"
}
outcome 1 '["exit", 7, null, "retry", "default"]'
outcome 2 '["signal", 9, "SIGKILL", "retry", "default"]'
outcome 3 '["timeout", null, null, "retry", "default"]'
outcome 4 '["exit", 0, null, "success", "success-on"]'
holds 'an attempt has a duration' '.[8].duration | . >= 3 and . < 20'
holds 'and processor times' '[.[] | select(.event == "outcome")] |
    all(.user >= 0 and .system >= 0 and .user + .system > 0)'
holds 'a wait is for the next attempt' \
    '[.[] | select(.event == "wait").attempt] == [2, 3, 4]'
holds 'it has its range' '[.[] | select(.event == "wait")] |
    all(.low <= .delay and .delay <= .high and .low < .nominal and .hint == null)'
holds 'doubled each time' \
    '[.[] | select(.event == "wait").nominal] == [0.02, 0.04, 0.08]'
holds 'the end sums it up' '.[-1] | .reason == "success" and .status == 0 and
    .attempts == 4 and .failures == 3 and .flaky and .waited > 0.1'

rm log
run retry --log=json:log /nonexistent/command
holds 'what cannot be started has an errno' '.[2] | .outcome ==
    "unstartable" and .status == 2 and .name == "ENOENT" and .verdict ==
    "stop" and .rule == "stop-on"'
holds 'and an end' '.[-1] | .reason == "stop" and .status == 127 and
    (.flaky | not)'

rm log
retry --log=json:log -a 0 -d 100 -T 5000 sh -c 'echo >begun; exit 1' &
wait_for grep -q '"event":"wait"' log
kill -URG $!
wait_for sh -c "test \$(grep -c '\"event\":\"wait\"' log) -eq 2"
kill -USR1 $!
wait_for grep -q USR1 log
kill -TERM $!
wait $!
is 'ended by a signal' $? 143
holds 'limits are told' '.[0] | .attempts == null and .max_time == 5000'
holds 'signals are told' '[.[] | select(.event == "signal") |
    [.signal, .forwarded]] == [["SIGURG", false], ["SIGUSR1", false],
    ["SIGTERM", false]]'
fields signal signal forwarded
holds 'the end by a signal' '.[-1] | .reason == "signal" and .status == 143 and
    .waited > 0 and .waited < 80'

rm log
retry --log=json:log -- sh -c 'echo $$ >pid; exec sleep 20' &
wait_for test -s pid
kill -TERM $!
wait $!
holds 'one that is passed on' '[.[] | select(.event == "signal")] ==
    [.[2]] and .[2].forwarded and .[2].signal == "SIGTERM"'
holds 'decides on the outcome' '.[3] | .rule == "signal" and .verdict ==
    "stop" and .name == "SIGTERM"'

# bytes NAME WORD JSON: the word in a command becomes this.
bytes() {
	retry --log=json:bytes true "$2"
	is "$1" "$(grep start bytes | sed 's/.*"true",\(.*\)\],"att.*/\1/')" "$3"
	check "$1, which is JSON" jq -e . bytes
	check "$1, and UTF-8" iconv -f UTF-8 -t UTF-8 -o /dev/null bytes
	rm bytes
}
bytes 'blanks and quotes' ' "a\b" ' '" \"a\\b\" "'
bytes 'an empty word' '' '""'
bytes 'line ends' "$(printf 'a\nb\tc\r.')" '"a\u000ab\u0009c\u000d."'
bytes 'characters' 'ä€😀' '"ä€😀"'
bytes 'what a terminal would obey' "$(printf '\033[m\177\302\233')" \
    '"\u001b[m\u007f\u009b"'
bytes 'what turns text round' "$(printf '\342\200\256\342\201\246')" \
    '"\u202e\u2066"'
bytes 'bytes of no character' "$(printf '\377a\300\200')" \
    '"\ufffda\ufffd\ufffd"'
bytes 'a character cut short' "$(printf '\342\202')" '"\ufffd\ufffd"'
bytes 'a surrogate' "$(printf '\355\240\200')" '"\ufffd\ufffd\ufffd"'
bytes 'beyond Unicode' "$(printf '\364\220\200\200')" \
    '"\ufffd\ufffd\ufffd\ufffd"'
bytes 'too long a form' "$(printf '\360\202\202\254')" \
    '"\ufffd\ufffd\ufffd\ufffd"'
for i in $(seq 1 255); do
	# shellcheck disable=SC2059 # the number is the format
	printf "\\$(printf %o "$i")."
done >all
retry --log=json:bytes true "$(cat all)"
check 'any byte' jq -e . bytes

retry --plan=p=0.2 --log=json -a 3 true >plan
is 'the manual tells the fields of a plan that simulates' \
    "$(told end 'The end of a plan has these fields too, which')" \
    "$(jq -r 'select(.event == "end") | keys_unsorted |
	.[index("runs"):] | join(" ")' plan)"
nulls plan

rm -f hooked
setsid "$RETRY" -q -a 1 --log=json:last --on-give-up='echo >hooked
    trap "" TERM USR1; until [ -e sent ]; do sleep .05; done' false &
wait_for test -e hooked
kill -USR1 $!
kill -TERM $!
echo >sent
wait $!
is 'the end is the last event, whatever comes while its hook runs' \
    "$(jq -r .event last | xargs)" 'start attempt outcome end'
if have 'time and elapsed are of one moment' strace; then
	strace -o trace -e "trace=$(any_libc clone)" \
	    -e "inject=$(any_libc clone:delay_exit=2000000)" \
	    "$RETRY" -q --log=json:slow true
	is 'time and elapsed are of one moment, even if a start is slow' \
	    "$(jq -s '[.[] | .time - .elapsed] | max - min < 1' slow)" true
fi

# started OPTION...: what delays depend on, in the first event.
started() {
	retry --log=json:- "$@" true >started
	jq -r 'select(.event == "start") | [.backoff, .delay, .max_delay,
	    .min_delay, .jitter, .order, .timeout, .timeout_share,
	    (.preset | join(","))] | map(tostring) | join(" ")' started
}
is 'the start tells the defaults' "$(started)" \
    'exponential:factor=2 1 60 0 20% inside null null '
is 'the start tells what other options would have done' \
    "$(started -b exponential:factor=1.5 -d 2s -m 5m --min-delay=1s -j full \
	-t 3s --preset=npm,poll)" \
    'exponential:factor=1.5 2 300 1 full inside 3 null npm,poll'
is 'the start tells parameters that follow the base delay' \
    "$(started -b linear -d 3s -j +0.5s -m 0 -t 50% -T 10s)" \
    'linear:step=3s 3 null 0 +0.5s inside null 0.5 '
is 'the start tells a list' "$(started -b list:1s,1m | cut -d' ' -f1)" \
    'list:1s,60s'

# Each line is there when it is told.
retry --log=json:live -a 2 -d 50 false &
wait_for grep -q '"wait"' live
kill -9 $!
wait $!
check 'a run that is killed leaves its story' \
    sh -c 'test "$(jq -r .event live | xargs)" = "start attempt outcome wait"'

finish
