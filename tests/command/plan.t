#!/bin/sh
#
# Plans: the table, its totals, and their agreement with the run.

. lib/harness.sh

# column HEAD: what stands under it in the table, in $out.
column() {
	printf '%s\n' "$out" | sed 's/^ *//' | awk -F '  +' -v head="$1" '
	    $1 == "#" { while ($column != head) column++; next }
	    column && NF == 0 { exit }
	    column { print $column }' | xargs
}

run retry --plan=1*4,0*5,1*3 --repeat -b mimd:up=2,down=0.5 -d 3 \
    --min-delay 2 -j none
is 'a plan succeeds' "$code" 0
is 'it shows the delays' "$(column delay)" \
    '3s 6s 12s 24s 12s 6s 3s 2s 2s 4s 8s 16s'
is 'the starts' "$(column 'starts at')" \
    '0s 3s 9s 21s 45s 57s 63s 66s 68s 70s 74s 82s'
is 'the verdicts' "$(column verdict | tr ' ' '\n' | uniq -c | xargs)" \
    '4 retry 5 success 3 retry'
like 'and that it ends with its script' "$out" \
    '^result +the plan ends after 12 attempts in 82s$'

run retry --plan -a 4 --log=json:log touch secret
check 'nothing is run' not test -e secret
like 'the command is named' "$out" '^Plan for touch: at most 4 attempts,'
unlike 'by its first word alone' "$out" secret
like 'why it ends is told' "$out" \
    '^result +giving up after 4 attempts in [0-9.]+s: exited 1$'
check 'a log in a file stands beside the table' test -s log
run retry --plan -a 1 -T 1h -d 2 -b linear -j none make
is 'the limits and the delays are told' "$(printf '%s\n' "$out" | head -n 1)" \
    'Plan for make: at most 1 attempt within 1h, linear from 2s, no jitter'
run retry --plan -- "$(printf 'a\033b\n')"
like 'the command is made harmless' "$out" '^Plan for a\\\^\[b:'

run retry --plan -j none -d 1 -a 4
like 'the expected time' "$out" '^expected +7s of waiting$'
like 'the longest time' "$out" '^longest +7s of waiting; attempts have no time limit'
run retry --plan -j 50% -d 1 -a 4
like 'chance does not count for the one' "$out" '^expected +7s '
like 'but does for the other' "$out" '^longest +10.5s '
run retry --plan=1:2s -j none -d 1 -a 4 -t 10 -k 5
like 'attempts take their time' "$out" '^expected +15s$'
like 'at the longest until they are killed' "$out" \
    '^longest +67s, every attempt ended by its timeout$'
run retry --plan -j none -d 1 -a 4 -T 60 -k 5
like 'if not --max-time ends them' "$out" \
    '^longest +65s, by --max-time and --kill-after$'
run retry --plan -j none -d 1 -a 4 -T 60 -t 1s -k 1s
like 'which may be far' "$out" '^longest +15s, every attempt'
for option in '-a 0' '--free-on=1' '--repeat --plan=0' \
    '--reset-after=1 --plan=1:2s'; do
	# shellcheck disable=SC2086 # words
	run retry --plan $option
	like "$option: forever" "$out" '^longest +forever:'
	like 'of which 100 attempts are shown' "$out" \
	    '^result +the plan ends after 100 attempts'
done
run retry --plan='1*3001' -a 0 -d 0
like 'a script with a count is as long as it says' "$out" \
    '^result +the plan ends after 3001 attempts'
run retry --plan='1*300,0*2' --repeat -a 0 -d 0
like 'whatever the attempts come to' "$out" \
    '^result +the plan ends after 302 attempts'
run retry --plan -a 1000 -d 1 -b constant -j none
like 'many attempts are not endless' "$out" '^longest +16m39s of waiting;'
run retry --plan -a 0 -T 1h
like 'a limit on the time is one' "$out" '^longest +1h, by --max-time'
like 'that attempts have none is said' "$out" \
    '^Plan: attempts without limit within 1h, '

run retry --plan=1:2s*3,timeout,0 -t 30 -j none
is 'a script has durations and counts' "$(column 'starts at')" \
    '0s 3s 7s 13s 51s'
is 'and outcomes' "$(column verdict)" 'retry retry retry retry success'
run retry --plan --preset=curl
is 'a failure that is not named is one that is retried' \
    "$(column outcome | xargs -n 2 | sort | uniq -c | xargs)" '5 exited 5'
run retry --plan -a 2 --retry-on='!75,1-4' --success-on=1 --stop-on=2
is 'and not a success, or a reason to stop' "$(column outcome)" \
    'exited 3 exited 3'
run retry --plan=7*2,0 --success-match=up --fail-match=down --retry-match=wait
is 'the output matches what the outcome says' "$(column verdict)" \
    'retry retry success'
run retry --plan=unstartable
like 'an outcome that stops' "$out" '1 +0s +unstartable +stop$'
run retry --plan=KILL,any,signal,nonzero,tempfail -d 0
is 'sets stand for one of theirs' "$(column outcome)" \
    'died of SIGKILL exited 1 died of SIGHUP exited 1 exited 75'
run retry --plan=hinted*3,1 --free-on=hinted -d 0 -a 1
is 'one with a hint exits 1' "$(column outcome)" \
    'exited 1 exited 1 exited 1 exited 1'
run retry --plan=1*2 -j none -d 1
like 'the delay that would follow is shown' "$out" '^2 +1s .* 2s '
run retry --plan -a 2 --wait-first -d 1 -j none
like 'a wait before the first attempt has a row' "$out" \
    '^ +0s  waits first .* 1s '

run retry --plan -a 2 -d 0
is 'the last row says that the run ends' "$(column verdict)" 'retry give up'
run retry --plan=1,75 --stop-on=75
is 'unless a rule ends it' "$(column verdict)" 'retry stop'

# Chances.
run retry --plan=p=0.2 -a 4 -d 1 -j none make
is 'a chance gives each attempt its chance' "$(column chance)" \
    '100% 20% 4% 0.8%'
like 'and the run its end' "$out" \
    '^result +0\.16% of the runs give up, 1 in 625$'
like 'and its length' "$out" '^expected +1\.25 attempts, 0\.31s of waiting$'
like 'but not the longest one' "$out" '^longest +7s of waiting;'
run retry --plan=p=0.001 -a 3
is 'a small chance is not told as none' "$(column chance)" '100% 0.1% <0.01%'
run retry --plan=p=50%:2s*2,0 -j none -d 1
is 'attempts with a chance may take time, and be counted' \
    "$(column chance)/$(column 'starts at')" '100% 50% 25%/0s 3s 7s'
like 'and a success follow' "$out" '^result +all runs succeed$'
like 'at the average of the times' "$out" '^expected +1\.75 attempts, 4s$'
run retry --plan=p=0.2 --success-on='!0,1' -a 2 -d 0
like 'the chance is that of a failure, whatever is one' "$out" \
    '^result +4% of the runs give up, 1 in 25$'
run retry --plan=p=0 -d 0
like 'one attempt is not more than one' "$out" '^expected +1 attempt, 0s'
run retry --plan=1,p=0.5 -a 3 -d 0
is 'an item without a chance is certain' "$(column chance)" '100% 100% 50%'
run retry --plan=p=0.5,1 -a 3 -d 0
is 'and none in a list has that of the one before it' "$(column chance)" \
    '100% 50% 50%'
run retry --plan=p=0.5*2
like 'a script may end before the runs' "$out" \
    '^result +25% of the runs go on after the plan$'
run retry --plan=p=0.5 -a 0 -d 1 -m 1 -j none
like 'a run without limit succeeds at last' "$out" '^result +all runs succeed$'
like 'after the sum of a series' "$out" '^expected +2 attempts, 1s of waiting$'
run retry --plan=p=0.1:9s -t 2 -a 2 -d 0
like 'what times out fails for certain' "$out" '^result +100% of the runs'
run retry --plan=p=0.5 -T 1m -a 3
like 'draws that decide on attempts leave a mean uncertain' "$out" \
    '^expected +about 1\.75 attempts'
run retry --plan=p=0.9 -a 3/10s -b constant -d 5s -j 50% --seed=1
like 'so do those that a limit within some time hangs on' "$out" \
    '^expected +about 2\.71 attempts'
run retry --plan=p=0.5 -a 3/10s -b constant -d 5s -j none
like 'but without draws it does not' "$out" '^expected +1\.75 attempts'
run retry --plan=p=1 -a 0 -d 0
like 'a certain failure is no chance' "$out" \
    '^result +100% of the runs go on after the plan$'
run retry --plan=timeout,1 -t 1 -s INT -a 1 --preserve-status --log=json:-
is 'an attempt that times out dies of the signal' \
    "$(echo "$out" | jq -r 'select(.reason).status')" 130
for item in p=1.1 p=101% p= p=x p=-1 p=0.5x; do
	run retry --plan=$item
	is "$item is no chance" "$code $out" '125 '
done
run retry --plan=p=0.5 --repeat
is 'a chance and --repeat contradict each other' "$code $err" "125 retry: \
--plan 'p=0.5' has a chance, which cannot be combined with --repeat (try 'retry \
--help')"

# seen_by COLUMNS OPTION...: the table on a terminal.
seen_by() {
	columns=$1
	shift
	out=$(TERM=xterm python3 "$TESTS/lib/terminal.py" "$columns" -- \
	    retry --plan "$@")
}
if command -v python3 >/dev/null; then
	seen_by 80 -a 0 -d 10s -m 20s -j none
	like 'on a terminal rows that repeat are left out' "$out" \
	    '^[.]{3} and 97 more like it$'
	is 'but for the last' "$(column '#')" '1 2 ... and 97 more like it 100'
	seen_by 80 --plan='1*6' -d 1s -m 1s -j 50% -a 0
	is 'whatever chance makes of them' "$(column '#')" \
	    '1 ... and 4 more like it 6'
	seen_by 40 --plan=p=0.5
	unlike 'columns for which there is no room are left out too' "$out" \
	    'nominal|range'
	is 'so that each row is a line' "$(column '#')" '1 2 3 4 5'
	export NO_COLOR=1
	seen_by 200 -a 1
	width=$(printf '%s\n' "$out" | grep nominal | tr -d '\r\n' | wc -m)
	seen_by $((width + 1)) -a 1
	like 'if they fit they are shown' "$out" 'nominal  range'
	seen_by "$width" -a 1
	unlike 'and if one column is missing they are not' "$out" nominal
	unset NO_COLOR
	run retry --plan -a 0 -m 10 -d 10 -j none
	is 'in a file all rows are there' "$(column '#' | wc -w)" 100
else
	skip 'a plan on a terminal' 'python3 is not installed'
fi

# bad SCRIPT WHAT
bad() {
	run retry --plan="$1"
	is "$1 is an error" "$code/$out" 125/
	is "$1 is told in one line" "$err" \
	    "retry: invalid --plan '$1': $2 (try 'retry --help=sets')"
}
bad 1, 'empty item'
bad 1*0 'not a count'
bad 1*x 'not a count'
bad 1:x 'not a number'
bad 300 "over 255; an HTTP status is matched in the output: \
--stop-match='error: 404'"
bad "$(printf %070d 1)" 'too long'

# What can be shown, where.
run retry --plan -d 1 -a 3
unlike 'no Unicode without a locale' "$out" '[^ -~]'
like 'bars without it' "$out" '  =+-*\*-*$'
unlike 'no colour in a file' "$out" "$(printf '\033')"
run env LC_ALL= LANG=en_GB.UTF-8 retry --plan -d 1 -a 3
like 'Unicode with one' "$out" '█'
for columns in 40 80 200; do
	run env COLUMNS=$columns retry --plan -d 1 -a 3
	check "no line is wider than $columns columns" test "$columns" -lt 72 -o \
	    "$(printf '%s\n' "$out" | sed 1,2d | wc -L)" -le "$columns"
done
run env COLUMNS=40 retry --plan -d 1
unlike 'no bars where there is no room' "$out" '\*'

# A plan and a run agree on every delay.
agree() {
	name=$1 script=$2 command=$3
	shift 3
	retry --plan="$script" --log=json:planned "$@" >/dev/null
	retry --log=json:happened "$@" -- sh -c "$command"
	jq -c 'select(.event == "wait") | del(.time, .elapsed)' planned >wanted
	jq -c 'select(.event == "wait") | del(.time, .elapsed)' happened >found
	check "plan and run agree: $name" sh -c 'test -s wanted && cmp wanted found'
	is "they agree on the order of events too: $name" "$(jq -r .event planned | xargs)" \
	    "$(jq -r .event happened | xargs)"
	rm planned happened
}
if command -v jq >/dev/null; then
	for strategy in exponential decorrelated smooth slots fibonacci; do
		agree $strategy 1 false -b $strategy -d 1ms --seed=42 -a 6
	done
	for jitter in full equal 50% +2ms; do
		agree "jitter $jitter" 3 'exit 3' -j $jitter -d 1ms --seed=7
	done
	agree 'splay and a wait first' 1*2,0 'exit $((RETRY_ATTEMPT < 3))' \
	    --splay=5ms --wait-first -d 1ms --seed=3
	agree 'repeat' 1,0*3 'exit $((RETRY_ATTEMPT == 1))' --repeat=3 \
	    -b mimd:up=2,down=0.5 -d 2ms --seed=9
	agree 'throttling' 7*2,1 'exit $((RETRY_ATTEMPT < 3 ? 7 : 1))' \
	    --throttle-on=7 --throttle-delay=4ms -d 1ms -a 5 --seed=1

	run retry --plan=p=0.5 --log=json -a 3 -d 1 -m 1 -j none x
	is 'JSON has the chances too' "$(echo "$out" | jq -c \
	    'select(.event == "attempt").chance' | xargs)" '1 0.5 0.25'
	is 'and what they come to' "$(echo "$out" | jq -c 'select(.event == "end") |
	    [.chance, .expected_attempts, .expected_elapsed]')" '[0.125,1.75,0.75]'
	run retry --plan --log=json -a 3 -d 1 x y
	unlike 'but only if there are any' "$out" chance
	run retry --plan=0 --log=json x
	unlike 'even if the command succeeds' "$out" chance
	run retry --plan --log=json -a 3 -d 1 x y
	is 'a log may have standard output' "$(echo "$out" | jq -r .event | xargs)" \
	    'start attempt outcome wait attempt outcome wait attempt outcome end'
	check 'its clock starts with the run' \
	    sh -c 'echo "$1" | jq -es "all(.time == .elapsed) and .[0].time == 0"' \
	    - "$out"
	check 'no process is told of' sh -c \
	    'echo "$1" | jq -es "all(.pid == null and .user == null)"' - "$out"
fi
run retry --plan --log=text -a 2 -d 1 x
like 'or text' "$out" '^retry: x: giving up after 2 attempts'
unlike 'in place of the table' "$out" nominal
run retry --plan --log=text --log=json
is 'two are an error' "$code" 125
like 'of one line' "$err" "^retry: --log 'json' is a second log"
run retry --plan --log=text:x --log=json
is 'if both have no file' "$code" 0

retry --plan >/dev/full 2>err
is 'one that cannot be written failed' $? 125
for log in json text junit; do
	run sh -c "retry --plan=1*100 -a 0 --log=$log >/dev/full"
	is "nor can one in $log" "$code $err" \
	    '125 retry: standard output: No space left on device'
done
run sh -c 'retry --plan=1*100 -a 0 --log=json:/dev/full >/dev/null'
is 'a log beside its table that cannot be written is reported once' \
    "$code $err" '0 retry: --log: /dev/full: No space left on device'

for option in --plan --help --version; do
	run sh -c "ulimit -f 0; exec 2>&1; { retry $option 2>&3 >none; } 3>&1"
	is "$option that a limit on files forbids ends in 125" "$code" 125
done

finish
