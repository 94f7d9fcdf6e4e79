#!/bin/sh
# SPDX-License-Identifier: MIT
#
# --trials: how often a command fails.
#
# shellcheck disable=SC2016 # it is for another shell to expand

. lib/harness.sh

# A command that fails in trials 4, 14, 24, ... and hangs in trial 8.
cat >flaky <<'EOF'
#!/bin/sh
echo "out $RETRY_ATTEMPT"
echo "err $RETRY_ATTEMPT" >&2
[ $((RETRY_ATTEMPT % 10)) -ne 4 ] || exit 3
[ "$RETRY_ATTEMPT" -ne 8 ] || exec sleep 100d
EOF
chmod +x flaky

# logged RETRY-OPTION...: a run with a log in JSON of its own.
logged() {
	rm -f log
	run retry --log=json:log "$@"
}

# --- the run ---

run retry --trials=20 -t 3 -k .2 ./flaky
is 'all trials are made, and the status is that of the last that failed' \
    "$code" 3
is 'failed trials alone show their output' "$out" "out 4
out 8
out 14"
is 'with standard error, and a line for each' \
    "$(echo "$err" | sed '/trials failed/,$d; s/after .*/after/')" "err 4
retry: flaky: trial 4/20 exited 3 after
err 8
retry: flaky: trial 8/20 timed out after
err 14
retry: flaky: trial 14/20 exited 3 after"
is 'the last lines have the share, how they failed and a forecast' \
    "$(echo "$err" | tail -n 3)" \
    "retry: flaky: 3 of 20 trials failed: 15% (95%: 5-36%); exited 3: 2, timed out: 1
retry: flaky: after a failure the next failed 0 of 3
retry: flaky: planning for 36%: -a 6, at most one run in 200 fails"
check 'and each fits in a line of a terminal' test \
    "$(echo "$err" | tail -n 3 | wc -L)" -le 80
run retry --trials=3 sh -c 'echo x'
is 'if no trial fails, the status is 0' "$code $out" '0 '
is 'and there is an upper bound' "$err" \
    'retry: sh: 0 of 3 trials failed: 0% (95%: at most 63%)'
run retry --trials=200 true
is 'which is exact' "$err" \
    'retry: true: 0 of 200 trials failed: 0% (95%: at most 1.5%)'
run retry --trials=3 false
is 'if all fail, nothing is forecast' "$(echo "$err" | tail -n 2)" \
    'retry: false: 3 of 3 trials failed: 100% (95%: at least 37%); exited 1: 3
retry: false: after a failure the next failed 2 of 2'
run retry --trials=40 sh -c 'exit $((RETRY_ATTEMPT > 20))'
is 'failures that come in runs have no forecast' \
    "$(echo "$err" | tail -n 2)" \
    "retry: sh: after a failure the next failed 19 of 19
retry: sh: failures come in runs (Stevens' test, p < 0.01): no -a is advised"
run retry --trials=3 sh -c 'exit $((RETRY_ATTEMPT == 1 ? 7 : 0))'
is 'a success changes nothing of the status' "$code" 7
run retry -q --trials=3 false
is '--quiet says nothing' "$code $err" '1 '
run retry --trials=2 sh -c 'kill -KILL $$'
is 'retry dies as the last trial that failed' "$code" 137
run retry -a 1 --trials=2 true
is '-a 1 changes nothing' "$code" 0

# --- verdicts ---

run retry --trials=9 --stop-on=3 ./flaky
is 'the verdict to stop ends the run' "$code" 3
like 'which says so' "$err" \
    '^retry: flaky: 5 of 9 were not made: trial 4 exited 3, in --stop-on$'
run retry --trials=3 nosuch
is 'a command that is not found is run once' "$code $err" \
    '127 retry: cannot execute nosuch: command not found; a bash function? export -f nosuch; retry bash -c nosuch'
run retry --trials=4 --check='cat >/dev/null; [ "$RETRY_ATTEMPT" -ne 2 ]' true
is 'a check judges a trial' "$code" 1
like 'as any attempt' "$err" '1 of 4 trials failed: .*; exited 0: 1$'
run retry --trials=3 --fail-match='out 2' \
    sh -c 'echo "out $RETRY_ATTEMPT"'
is 'so does a pattern' "$code $out" '1 out 2'
run retry --trials=3 -k .2 --health=false --health-interval=20ms \
    --health-retries=1 sleep 100d
is 'so does a health probe' "$code" 124
like 'which makes trials unhealthy' "$(echo "$err" | grep failed:)" \
    '; unhealthy: 3$'
run retry --trials=2 --on-give-up='echo gave up >&2' \
    --before-retry='echo before >&2' false
is 'commands between and after trials are run' \
    "$(echo "$err" | grep -c -e '^before' -e '^gave up')" 2
run retry --trials=3 --before-retry=false true
is 'a --before-retry that fails ends the run' "$code" 1
like 'which says so, too' "$err" \
    ': 2 of 3 were not made: --before-retry failed$'
run retry --trials=2 --on-success='echo fine >&2' true
like 'a run without a failed trial has succeeded' "$err" '^fine$'

# --- delays and limits of time ---

logged --trials=3 false
is 'no trial waits' "$(jq -s 'map(select(.event == "wait").delay) | add' log)" 0
logged --trials=3 -d 20ms -j none false
is 'unless there is a delay, which does not grow' \
    "$(jq -c 'select(.event == "wait").delay' log | paste -sd' ')" '0.02 0.02'
logged --preset=grpc --trials=3 false
is 'that of a preset is for retries' \
    "$(jq -s 'map(select(.event == "wait").delay) | add' log)" 0
run retry --trials=9 -T 4 -k .2 \
    sh -c '[ "$RETRY_ATTEMPT" -lt 3 ] || exec sleep 100d'
is 'a trial that --max-time ends has not succeeded' "$code" 124
is 'but it may have failed, which is told' "$(echo "$err" | grep -v timed)" \
    "retry: sh: 0 of 2 trials failed: 0-33% (95%: at most 79%)
retry: sh: 6 of 9 were not made: --max-time 4s
retry: sh: 1 trial was cut off by --max-time; with -t, a hang is a failure"
run retry --trials=9 -T 4 -k .2 \
    sh -c '[ "$RETRY_ATTEMPT" -lt 3 ] || exec sleep 100d; exit 7'
is 'a trial that failed before has the status' "$code" 7
run retry --trials=2 -T 20ms -k .2 sleep 100d
is 'if the first is not over by then, nothing is known' "$code" 124
unlike 'and no share is told' "$err" '%'
run retry --trials=9 -T 10d -d 20d -j none true
is 'a delay that would pass --max-time is not begun' "$code" 124

# --- signals ---

for mode in failed hold last stream; do
	run retry --trials=9 --output=$mode \
	    sh -c '[ "$RETRY_ATTEMPT" -lt 3 ] || { kill -TERM $PPID; exec sleep 100d; }; exit 1'
	is "a signal in a trial ends the run ($mode)" "$code" 143
	like 'which counts the trials before' "$err" \
	    ': 7 of 9 were not made: ended by SIGTERM$'
done
retry --trials=9 -d 100d --log=auto --log=json:waits true >/dev/null 2>err &
wait_for grep -q '"wait"' waits
kill -TERM $!
wait $!
is 'so does one in a delay' $? 143
like 'which is told' "$(cat err)" \
    ': 8 of 9 were not made: ended by SIGTERM$'

# --- the state ---

run retry --trials=5 --state=state ./flaky
run retry --trials=5 --state=state ./flaky
is 'trials add up over runs' "$(echo "$err" | grep 'in all')" \
    'retry: flaky: 1 of 5 trials failed; in all 2 of 10: 20% (95%: 6-51%); exited 3: 2'
run retry -a 1 --state=state -b linear false
logged --trials=2 --state=state true
is 'also if other runs come in between' \
    "$(jq -r 'select(.event == "end") | "\(.trials) \(.failed)"' log)" '12 2'
is 'of which no delay is kept' "$code $(jq -s 'map(select(.event == "wait").delay) | add' log)" '0 0'
run retry --trials=5 --state=state sh -c '[ "$RETRY_ATTEMPT" -lt 3 ] || kill -TERM $PPID'
logged --trials=2 --state=state true
is 'and those of a run that a signal ended' \
    "$(jq -r 'select(.event == "end") | "\(.trials) \(.failed)"' log)" '16 2'
run retry --trials=9 --state=state -T .2 -k .2 sleep 100d
is 'and those that --max-time cut off' "$(echo "$err" | tail -n 5 | sed '$d')" \
    'retry: sleep: 0 of 0 trials failed; in all 2 of 16: 12-18% (95%: 3-41%); exited 3: 2
retry: sleep: 8 of 9 were not made: --max-time 0.2s
retry: sleep: 1 trial was cut off by --max-time; with -t, a hang is a failure
retry: sleep: after a failure the next failed 0 of 2'
# shares PRINTED FAILED COUNT: of trials to which one that succeeds is added.
shares() {
	sed -i "s/^trials.*/trials $(($3 - 1)) failed $2 cut 0 runs 1 open 0/" state
	cp state shares
	run retry --trials=1 --state=shares true
	is "$2 of $3 failed" \
	    "$(echo "${err##* in all }" | sed 's/^retry: true: //' | paste -sd'|')" "$1"
}
shares '1 of 10000000: 0.000010% (95%: 0.000002-0.000057%); others: 1|after a failure the next failed 0 of 1|planning for 0.000057%: -a 2, at most one run in 100,000,000 fails' \
    1 10000000
shares "9990 of 10000: 99.90% (95%: 99.82-99.95%); others: 9990|after a failure the next failed 9989 of 9990|failures come in runs (Stevens' test, p < 0.01): no -a is advised" \
    9990 10000
shares '1 of 9223372036854775807: 0.000000000000000011% (95%: 0.000000000000000002-0.000000000000000061%); others: 1|after a failure the next failed 0 of 1|planning for 0.000000000000000061%: -a 2, at most one run in 92,000,000,000,000,000,000 fails' \
    1 9223372036854775807
sed -i 's/^trials.*/trials 3 failed 4 cut 0 runs 1 open 0/' state
run retry --trials=1 --state=state true
like 'a damaged line is refused' "$err" 'does not end as a state does'

# --- reports ---

logged --trials=20 -t 3 -k .2 --log=junit:junit.xml ./flaky
is 'JSON has the figures' "$(jq -c 'select(.event == "end") |
    [.trials, .failed, .cut_off, .after_failure, .failed_again, .clustered,
	.forecast_attempts, .outcomes]' log)" \
    '[20,3,0,3,0,false,6,[{"outcome":"exit","status":3,"name":null,"count":2},{"outcome":"timeout","status":null,"name":null,"count":1}]]'
jq 'select(.event == "end")' log >end
check 'as Python computes them' python3 - end <<'EOF'
import json, math, statistics, sys
end = json.load(open(sys.argv[1]))
z = statistics.NormalDist().inv_cdf(.975)
n, p = end["trials"], end["failed"] / end["trials"]
middle = (p + z * z / (2 * n)) / (1 + z * z / n)
half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
assert math.isclose(end["low"], middle - half, rel_tol=1e-9)
assert math.isclose(end["high"], middle + half, rel_tol=1e-9)
attempts, q, rarest = end["forecast_attempts"], end["high"], 1 / (10 * n)
assert end["forecast"] == max(q ** attempts, rarest)
assert q ** (attempts - 1) >= max(1e-3, rarest) > q ** attempts
EOF
logged --trials=1 true
is 'null stands for no forecast' "$(jq -c 'select(.event == "end") |
    [.low, .high, .forecast_attempts, .forecast, .outcomes]' log)" \
    '[0,0.95,null,null,[]]'
logged --trials=9 -T .2 -k .2 sleep 100d
is 'and for a share of no trial that was judged' "$(jq -c 'select(.event == "end") |
    [.trials, .cut_off, .low, .high, .forecast_attempts]' log)" '[0,1,null,null,null]'
if command -v xmllint >/dev/null; then
	check 'JUnit is valid' xmllint --noout --schema \
	    "$TESTS/data/junit.xsd" junit.xml
fi
is 'it has a test case for each trial' \
    "$(grep -c '<testcase' junit.xml) $(grep -c '<failure' junit.xml)" '20 3'
is 'with the output of those that failed' \
    "$(sed -n 's/^ *<system-out>//p' junit.xml | xargs)" 'out 4 out 8 out 14'
like 'and says how many there are' "$(cat junit.xml)" \
    'tests="20" errors="0" skipped="0" failures="3"'
run retry --trials=3 -T 4 -k .2 --log=junit:junit.xml \
    sh -c '[ "$RETRY_ATTEMPT" -lt 3 ] || exec sleep 100d'
like 'a trial that is not counted is skipped' "$(cat junit.xml)" \
    'tests="3" errors="0" skipped="1" failures="0"'
GITHUB_ACTIONS=true GITHUB_OUTPUT=$T/outputs GITHUB_STEP_SUMMARY=$T/summary \
    run retry --log=github --trials=20 -t 3 -k .2 ./flaky
is 'the summary has a table' "$(sed '1,2d' summary)" '| outcome | trials | share |
| --- | ---: | ---: |
| succeeded | 17 | 85% |
| exited 3 | 2 | 10% |
| timed out | 1 | 5% |'
like 'and an annotation has the line' "$err" \
    '::error::flaky: 3 of 20 trials failed: 15%25 .*; planning for 36%25: -a 6'

# --- output ---

for mode in hold last chronic; do
	run retry --trials=5 --output=$mode ./flaky
	echo "$out" >"$mode.out"
	is "--output=$mode is obeyed" "$code" 3
done
is 'hold shows what succeeded' "$(paste -sd' ' hold.out)" 'out 1 out 2 out 3 out 5'
is 'last shows the last trial' "$(paste -sd' ' last.out)" 'out 5'
run retry --trials=5 --output=stream ./flaky
is 'stream shows all' "$(echo "$out" | paste -sd' ')" 'out 1 out 2 out 3 out 4 out 5'
run retry -a 5 -d 0 --output=failed \
    sh -c 'echo "$RETRY_ATTEMPT"; [ "$RETRY_ATTEMPT" -ge 3 ]'
is 'retries, too, may show failed attempts only' "$code $out" "0 1
2"

{ retry --trials=9 sh -c 'seq 99; exit 1' 2>err; echo $? >code; } |
    head -n 1 >/dev/null
like 'where nobody reads them, no other is made, and why is told' \
    "$(cat err)" \
    '^retry: .*: [0-9] of 9 were not made: nobody reads the output$'

# --- what does not go together ---

for options in -a2 -a0 '-a timeout:1' --repeat --budget=x -blinear -m9 \
    --min-delay=1 --pace=start --reset-after=1 --wait-first --free-on=1 \
    '--throttle-on=1 --throttle-delay=1' '--delay-match=(x)' \
    --state=x:skip '--state=x --tolerate=2' --plan; do
	# shellcheck disable=SC2086 # words are meant
	run retry $options --trials=3 touch ran
	like "$options is refused" "$code $err" \
	    '^125 retry: .* cannot be combined with --trials '
done
check 'and nothing is run' test ! -e ran
run retry --trials=0 true
is 'no trials are too few' "$code $err" \
    "125 retry: --trials=0 is too small (try 'retry --help')"

finish
