#!/bin/sh
#
# Plans: the table, its totals, and their agreement with the run.

# SPDX-License-Identifier: MIT

. lib/harness.sh

# column HEAD: what stands under it in the table, in $out.
column() {
	printf '%s\n' "$out" | sed 's/^ *//' | awk -F '  +' -v head="$1" '
	    $1 == "#" { while (column < NF && $column != head) column++; next }
	    $1 ~ /^--/ { next }
	    column && (NF == 0 || /^delay: /) { exit }
	    column { print $column }' | xargs
}

run retry --plan=1*4,0*5,1*3 --repeat -b mimd:up=2,down=0.5 -d 3 \
    --min-delay 2 -j none
is 'a plan succeeds' "$code" 0
is 'a plan shows the delays' "$(column delay)" \
    '3s 6s 12s 24s 12s 6s 3s 2s 2s 4s 8s 16s'
is 'the starts' "$(column starts)" \
    '0s 3s 9s 21s 45s 57s 1m03s 1m06s 1m08s 1m10s 1m14s 1m22s'
is 'the verdicts' "$(column verdict | tr ' ' '\n' | uniq -c | xargs)" \
    '4 retry 5 success 3 retry'
like 'the verdicts, and that it ends with its script' "$out" \
    '^result +the plan ends after 12 attempts in 1m22s$'

run retry --plan -a 4 --log=json:log touch secret
check 'nothing is run' not test -e secret
like 'the command is named' "$out" '^Plan for touch: at most 4 attempts,'
unlike 'a plan shows no argument of the command' "$out" secret
like 'why it ends is told' "$out" \
    '^result +giving up after 4 attempts in [0-9.]+s: exited 1$'
check 'a log in a file stands beside the table' test -s log
run retry --plan -a 1 -T 1h -d 2 -b linear -j none make
is 'the limits and the delays are told' "$(printf '%s\n' "$out" | head -n 1)" \
    'Plan for make: at most 1 attempt within 1h, linear from 2s, no jitter'
run retry --plan -- "$(printf 'a\033b\n')"
like 'the command is made harmless' "$out" '^Plan for a\\\^\[b:'

run retry --plan -j none -d 1 -a 4
like 'the longest waits' "$out" \
    '^longest +no bound without a time limit; waits add at most 7s$'
unlike 'a plan without chance simulates no run' "$out" simulated
run retry --plan -j 50% -d 1 -a 4
like 'each draw may be the longest' "$out" ' at most 10.5s$'
run retry --plan=1:2s -j none -d 1 -a 4 -t 10 -k 5
like 'attempts take their time' "$out" '^result .* 4 attempts in 15s: '
like 'the longest plan has each attempt killed' "$out" \
    '^longest +1m07s, if every time limit is used up$'
run retry --plan -j none -d 1 -a 4 -T 60 -k 5
like 'the longest run ends by --max-time and --kill-after' "$out" \
    '^longest +1m05s, by --max-time and --kill-after$'
run retry --plan -a 4 -T 60 -k 0
like 'with -k 0 the longest run ends a second after --max-time' "$out" '^longest +1m01s, by --max-time$'
run retry --plan -j none -d 1 -a 4 -T 60 -t 1s -k 1s
like 'the longest run ends by the limits of its attempts if they are shorter than --max-time' "$out" '^longest +15s, if every'
for option in '-a 0' '--free-on=1' '--repeat --plan=0' \
    '--reset-after=1 --plan=1:2s'; do
	# shellcheck disable=SC2086 # words
	run retry --plan $option
	like "$option: no bound" "$out" \
	    '^longest +no bound without --max-time$'
	like "$option: no bound, of which 100 attempts are shown" "$out" \
	    '^result +the plan ends after 100 attempts'
done
run retry --plan='1*3001' -a 0 -d 0
like 'a script with a count is as long as it says' "$out" \
    '^result +the plan ends after 3001 attempts'
run retry --plan='1*300,0*2' --repeat -a 0 -d 0
like 'whatever the attempts come to' "$out" \
    '^result +the plan ends after 302 attempts'
run retry --plan -a 1000 -d 1 -b constant -j none
like 'many attempts are not endless' "$out" '^longest .* waits add at most 16m39s$'
run retry --plan -a 0 -T 1h
like 'a limit on the time is one' "$out" '^longest +1h, by --max-time'
like 'a limit on the time is one, that attempts have none is said' "$out" \
    '^Plan: unlimited attempts within 1h, '

run retry --plan=1:2s*3,timeout,0 -t 30 -j none
is 'a script has durations and counts' "$(column starts)" \
    '0s 3s 7s 13s 51s'
is 'a script has durations and counts, and outcomes' "$(column verdict)" 'retry retry retry retry success'
run retry --plan --preset=curl
is 'a failure that is not named is one that is retried' \
    "$(column outcome | xargs -n 2 | sort | uniq -c | xargs)" '3 exited 1'
run retry --plan -a 2 --retry-on='!75,1-4' --success-on=1 --stop-on=2
is 'a failure that is not named is one that is retried, and not a success, or a reason to stop' "$(column outcome)" \
    'exited 3 exited 3'
run retry --plan=7*2,0 --success-match=up --fail-match=down --retry-match=wait
is 'the output matches what the outcome says' "$(column verdict)" \
    'retry retry success'
run retry --plan=unstartable
like 'an outcome that stops' "$out" '1 +0s +unstartable +stop$'
run retry --plan=KILL,any,signal,nonzero,tempfail -d 0
is 'sets stand for one of theirs' "$(column outcome)" \
    'killed by SIGKILL exited 1 killed by SIGHUP exited 1 exited 75'
run retry --plan=1*2 -j none -d 1
like 'the delay that would follow is shown' "$out" '^2 +1s .* 2s '
run retry --plan -a 2 --wait-first -d 1 -j none
like 'a wait before the first attempt has a row' "$out" \
    '^ +0s  waits first .* 1s '

run retry --plan='1*1001,timeout*9' -a 0 -d 0 -j none -t 5
is 'the columns are as wide as those of any row' \
    "$(printf '%s\n' "$out" | awk '/ retry /{ print index($0, "retry ") }' |
    sort -u)" 26

run retry --plan -a 2 -d 0
is 'the last row says that the run ends' "$(column verdict)" 'retry give up'
run retry --plan=1,75 --stop-on=75
is 'the last row says stop if a rule ends the run' "$(column verdict)" 'retry stop'

# What simulated runs come to.
# figure NAME: the number of the end's record in JSON, in $out.
figure() {
	printf '%s\n' "$out" | sed -n 's/.*"event":"end".*"'"$1"'":\([^,}]*\).*/\1/p'
}

# near NAME GOT WANT SHARE: GOT is within that share of WANT.
near() {
	check "$1" awk -v got="$2" -v want="$3" -v share="$4" 'BEGIN {
		print "got " got ", wanted " want
		exit !(got >= want * (1 - share) && got <= want * (1 + share))
	}'
}

if have 'another simulation says the same' python3; then
	python3 "$TESTS/lib/plans.py" 20 >differences
	is 'another simulation says the same' "$(grep -v '^#' differences)" ''
fi
run retry --plan=p=0.4 -a 3 -b constant -d 1 -j none --log=json:-
near 'a share is that of unfair coins' "$(figure gives_up)" 0.064 0.12
is 'half of them succeed at once, and nobody waits for more than two seconds' \
    "$(figure elapsed_p50) $(figure elapsed_p95)" '0 2'
is 'a plan simulates ten thousand runs' "$(figure runs)" 10000
first=$out
run retry --plan=p=0.5 -a 3 --seed=7 --log=json:-
first=$(figure gives_up)
run retry --plan=p=0.5 -a 3 --seed=7 --log=json:-
is 'a seed repeats them' "$first" "$(figure gives_up)"

retry --plan=down=90s -a 0 -m 10s --seed=1 --log=json:- >out &
sleep .1
kill -STOP $!
sleep 1
kill -CONT $!
wait $!
out=$(cat out)
is 'a seed repeats them, so it does on a machine that does something else meanwhile' \
    "$(figure runs)" 10000

run retry --plan=p=0.2 -a 4 -d 1 -j none --seed=1 make
like 'a table shows the run in which all fail' "$out" \
    '^result    if each fails, giving up after 4 attempts in 7s: exited 1$'
like 'what simulated runs come to has a heading' "$out" '^Of 10,000 simulated runs:$'
like 'what simulated runs come to has a heading, and the share that gives up its interval' "$out" \
    '^gives up  0\.[0-9]+% \(95% interval: 0\.[0-9]+-0\.[0-9]+%\), after the last attempt$'
like 'what simulated runs come to has a heading, and the time two numbers' "$out" '^time      half within 0s, 95% within 1s$'
run retry --plan --seed=1 -a 3 make
like 'if all runs end as the table does' "$out" \
    '^result    giving up after 3 attempts'
is 'only their time is shown' \
    "$(printf '%s\n' "$out" | sed '1,/^Of 10,000/d' | cut -c1-10 | xargs)" time
run retry --plan --seed=1 -a 5 -T 15s make
like 'if they give up for several reasons, one is named' "$out" \
    '^gives up  all \(95% interval: 99\.970-100%\), mostly (out of time|after the last attempt)$'
run retry --plan=p=0.0001 -a 1 -d 0 --seed=1
like 'what is rare is not certain' "$out" \
    '^gives up  (none|0\.0[0-9]*%) \(95% interval: [0-9.]+-0\.0[0-9]+%\)'
run retry --plan=p=0.5 -a 2 -b constant -d 1 -j none --seed=1
like 'a median of which chance decides is given safely' "$out" \
    '^time      half within 1s, 95% within 1s$'
run retry --plan=p=0.999999 -a 0 --seed=5
like 'a run that is cut short is told' "$out" \
    '^Of [0-9]+ simulated runs, and one of too many attempts:$'
like 'a few simulated runs have a wide interval' "$out" '^gives up  none \(95% interval: 0-[1-9][0-9]%\)$'
run retry --plan=p=50%:2s*2,0 -j none -d 1
is 'attempts with a chance may take time, and be counted' \
    "$(column starts)" '0s 3s 7s'
like 'a success may follow them' "$out" '^gives up  none '
run retry --plan=1,TERM,0 --check=true -d 0
like 'a check agrees with the status' "$out" \
    '^result    succeeded at attempt 3/5 in 0s$'
run retry --plan="$(printf '1,%.0s' $(seq 120))0" -a 0 -d 0
like 'a script is no endless table, however long it is' "$out" \
    '^result    succeeded at attempt 121 in 0s$'
run retry --plan=p=0 -d 0
is 'no chance is none' "$(column verdict)" success
run retry --plan=p=1 -a 2 -d 0
like 'a certain failure is certain' "$out" \
    '^result    giving up after 2 attempts in 0s: exited 1$'
run retry --plan=p=0.5*2 -j none --log=json:-
near 'a script may end before its runs' \
    "$(awk -v g="$(figure gives_up)" 'BEGIN { print 1 - g }')" 1 0
run retry --plan=p=0.5 -a 0 -d 1 -m 1 -j none --log=json:-
is 'a run without limit succeeds at last' "$(figure gives_up)" 0
run retry --plan=p=0.1:9s -t 2 -a 2 -d 0 --log=json:-
is 'what times out fails for certain' "$(figure gives_up)" 1
run retry --plan=p=0.5 --repeat=2 -a 2 -d 0 --log=json:-
near 'a chance goes with --repeat' "$(figure gives_up)" 0.5 0.1
run retry --plan=timeout,1 -t 1 -s INT -a 1 --preserve-status --log=json:-
is 'an attempt that times out dies of the signal' \
    "$(echo "$out" | sed -n 's/.*"status":\([0-9]*\),"attempts".*/\1/p')" 130
for item in p=1.1 p=101% p= p=x p=-1 p=0.5x; do
	run retry --plan=$item
	is "$item is no chance" "$code $out" '125 '
done

# A script's times meet --max-time exactly.
run retry --plan=1:2.1,1:31.3 -T 7.7 -a 9 --seed 241304 --log=json:-
is 'no rounding lets an attempt outlast --max-time' \
    "$(figure reason) $(figure status)" '"max-time" 124'
run retry --plan=1:2.1,1:31.3 -T 7.7 -a 9 -j none -b constant -d 0 --log=json:-
is 'no attempt begins after --max-time' \
    "$(figure reason) $(figure attempts)" '"max-time" 2'
run retry --plan --splay=3s -T 1 -k .1
like 'what --max-time spares is part of the longest run' "$out" \
    '^longest   4.1s, by --max-time and --kill-after$'

# An outage. Without jitter attempts start at 0, 1, 3, 7, 15, 31, 63, 123 s; at
# every 10 s; at 0, 30, 60 ... s; and at 0, 1, 2, 3, 4 s.
while IFS=/ read -r options gives_up elapsed; do
	# shellcheck disable=SC2086 # words
	run retry --plan=down=90s -j none $options --log=json:-
	is "an outage of 90 s, $options" "$(figure gives_up) $(figure elapsed_p50)" \
	    "$gives_up $elapsed"
done <<'end'
-a 10/0/123
-a 0 -b constant -d 10s/0/90
-a 0 -b constant -d 25s/0/100
-a 5 -b constant -d 1s/1/4
end
run retry --plan=1,down=20s@3s -b constant -d 10s -j none -a 4
is 'lines in the table mark the beginning and the end of an outage' \
    "$(echo "$out" | awk '/^(--|[0-9])/ { print $1 }' | xargs)" '1 -- 2 3 -- 4'
like 'lines in the table mark the beginning and the end of an outage, and say what it is' "$out" '^-- the service is back at 23s --$'
like 'below the table a line explains the bars' "$out" '^delay: = certain, - possible, [*] drawn$'
run retry --plan=1,down=20s -b constant -d 10s -j none -a 3
is 'an attempt that begins as the service is back has it above' \
    "$(echo "$out" | awk '/^(--|[0-9])/ { print $1 }' | xargs)" '1 2 -- 3'
run retry --plan=down=90s -a 2
like 'an outage that the run does not survive is marked, too' "$out" '^-- the service is back at 1m30s --$'
run retry --plan=1,down=20s@3s,clients=2 -b constant -d 10s -j none -a 4
is 'an outage that the run does not survive is marked, too, so do lines in a chart' \
    "$(echo "$out" | awk '/^-- /{ print last, $5, $7 } { last = $1 }' |
    xargs)" '2s down 3s 22s back 23s'
run retry --plan=down=10s@3s,0:5s -a 9 -b constant -d 1s -j none
is 'an outage breaks the attempt that runs' "$(column starts | cut -d' ' -f1-3)" \
    '0s 4s 5s'
run retry --plan=down=10s:2s,1,0 -a 9 -b constant -d 1s -j none
is 'failures of an outage take their time' "$(column starts)" '0s 3s 6s 9s 12s 13s'
run retry --plan=down=1d --preset=npm -d 0 -j none
planned=$(echo "$out" | sed -n 's/^result *\(.*\) in .*: /\1: /p')
run retry --preset=npm -d 0 -j none sh -c 'echo npm error code ECONNRESET; exit 1'
is 'an outage in a plan is what a preset calls transient' "$planned" \
    "$(echo "$err" | sed -n 's/ (--preset=npm): [^,]*//; $s/.*\(giving.*\) in .*: /\1: /p')"
like 'an outage in a plan is transient and ends at the limit' "$planned" \
    '^giving up after 6 attempts: exited 1, transient failure$'
run retry --plan=0:9s,down=20s@3s --preset=npm --retry-on=transient -j none --log=json:-
is 'an attempt that an outage breaks is transient, too' \
    "$(echo "$out" | sed -n 's/.*"event":"outcome".*"class":"\([a-z]*\)".*/\1/p' | head -n 1)" \
    transient
run retry --plan=down=1d -a 2 --log=json:-
unlike 'without a preset an outage has no class' "$out" '"class":"transient"'
for item in down= down=x down=3@ down=3*4 down=3,down=4; do
	run retry --plan="$item"
	is "$item is no script" "$code $out" '125 '
done

# How long a plan may be.
run timeout 200 retry --plan -a 1000000000 -j none
like 'a plan of a milliard attempts tells the longest' "$out" '^longest .* at most 694444d'
run timeout 200 retry --plan -a 1000000000 --log=json:-
is 'no simulated run of so many came to its end' "$(figure runs)" 0
run sh -c 'retry --plan -a 1000000000 | head -n 5'
is 'the first rows of a long plan can be read alone' "$(echo "$out" | wc -l)" 5
retry --plan -a 1000000000 -j none >rows &
plan=$!
wait_for grep -q '^ *9 ' rows
kill -TERM $plan
status 143 'a signal ends it' wait $plan

run retry --plan=timeout:5,0 -b constant -d 1 -j none
is 'a timeout lasts as long as the script says' "$(column starts)" '0s 6s'

run retry --plan=p=0.99999 -a 0 -T 100s -b constant -d 1ms
unlike 'an interval has no exponent' "$out" '[0-9]e[-+]?[0-9]'
run retry --plan=p=0.5 --retry-on=1 --success-on=1 -a 1 --log=json:-
near 'an attempt fails though the status for it is a success' \
    "$(figure gives_up)" 0.5 0.1

# Many clients.
run retry --plan=down=5s,clients=100 -j none -d 1 -a 10 --log=json:-
is 'without jitter all clients come at once' \
    "$(figure peak_retries) $(figure attempts) $(figure clients)" '100 400 100'
run retry --plan=down=5s,clients=100 -j none -d 1 -a 10
like 'clients are done when their last retry is' "$out" '^all done  within 7s$'
like 'the chart adds up their attempts' "$out" '^  total       400$'
run retry --plan=1,clients=10 --budget=none:tokens=7,rate=0,cost=1 -j none -d 1 -a 5 \
    --log=json:-
is 'clients share a budget' "$(figure attempts) $(figure gives_up)" '17 1'
check 'a plan makes no file for a budget' not test -e none
run retry --plan=down=20s,clients=1000 -d 1 -m 5 -a 0 --splay=2
like 'a chart shows their attempts' "$out" '^ +0s +[0-9]+  o+#+$'
like 'the retries in the worst second are told' "$out" \
    '^busiest   [0-9]+ retries in one second( \(95% of simulations: at most [0-9]+\))?$'
like 'the retries in the worst second are told, and in the worst second after the outage' "$out" \
    '^then      [0-9]+, once the service is back( \(95% of simulations: at most [0-9]+\))?$'
is 'the rows of the chart add up to the total' \
    "$(echo "$out" | awk '/^ +[0-9.]+m?s|^ +[0-9]+m[0-9]/ { sum += $2 } END { print sum }')" \
    "$(echo "$out" | sed -n 's/^ *total *\([0-9]*\)$/\1/p')"
is 'six lines say what simulations come to' \
    "$(echo "$out" | sed '1,/^ *total/d' | sed '1,2d' | cut -c1-8 | xargs)" \
    'gives up time busiest then all done'

check 'no line of it is wider than 80 columns' test \
    "$(printf '%s\n' "$out" | wc -L)" -le 80
# The steps may end amid a simulation, which is left out.
run retry --plan=down=1m,clients=1000 -m 1s -a 0 --log=json:-
check 'only whole simulations count' awk -v runs="$(figure runs)" \
    -v simulations="$(figure simulations)" 'BEGIN {
	exit !(simulations > 1 && simulations < 100 && runs == 1000 * simulations) }'
run retry --plan=down=1000d,clients=500 -a 0 -b constant -d 1s
like 'a simulation that is too large is told' "$out" \
    '^No simulation came to its end: there were too many attempts\.$'
like 'below what it did until then' "$out" '^ +0s +[1-9][0-9]* .*#$'
run retry --plan=down=1000d,clients=500 -a 0 -b constant -d 1s --log=json:-
is 'it is no figure' \
    "$(figure runs) $(figure peak_retries) $(figure last_elapsed)" '0 null null'
run retry --plan=0,clients=10 --log=json:-
is 'a first attempt is no retry' "$(figure peak_retries) $(figure attempts)" '0 10'
run retry --plan=clients=10 -a 3 -b constant -d 10s -j none
is 'a chart has at most twenty rows, of a time that people count in' \
    "$(printf '%s\n' "$out" | sed -n 's/^ *\([0-9]*s\) .*/\1/p' | xargs)" \
    '0s 2s 4s 6s 8s 10s 12s 14s 16s 18s 20s'
run retry --plan=clients=1 -a 2 -j none
like 'a client may be alone' "$out" '^1 simulation of 1 client:$'
esc=$(printf '\033')
run retry --plan=clients=4 -a 2 -d 0 -j none --color=always
like 'the legend of a chart has the colours of its bars' "$out" \
    "o first attempts, $esc\[35m#$esc\[m retries"
like 'a bar of a chart has first attempts first' "$out" \
    "8  o+$esc\[35m#+$esc\[m"
run retry --plan=clients=4 -a 2 --log=json:-
is 'no client alone has failures and waits' "$(figure failures) $(figure waited)" \
    'null null'
run retry --plan=clients=1 -a 2
like 'a single retry is singular in a plan' "$out" '^busiest   1 retry in one second$'
run retry --plan=p=0.2,clients=3 -a 3 --seed=1 --log=json:-
is 'all attempts of a simulation are a rounded mean' "$(figure attempts)" 4
run retry --plan=p=0.99999,clients=1000 -a 1 --seed=1
unlike 'nearly all are not 100 %' "$out" '^gives up  100%'
run retry --plan=clients=4,down=3s -a 9 -b constant -d 1s -j none --log=json:-
is 'the order of the words in a script does not matter' \
    "$(figure attempts) $(figure clients)" '16 4'
while IFS=/ read -r script why; do
	run retry --plan="$script"
	is "$script is no script" "$code $out" "125 "
	like "$script: the message says why" "$err" "'$why"
done <<'end'
clients=/clients=': not a number from 1 to 10000
clients=x/clients=x': not a number from 1 to 10000
clients=0/clients=0': not a number from 1 to 10000
1,clients=10001/clients=10001': not a number from 1 to 10000
clients=2*3/clients=2[*]3': takes no count and no duration
clients=2:3s/clients=2:3s': takes no count and no duration
end
run retry --clients=3 true
like 'a hint says where --clients has gone' "$err" '; use --plan=clients=N'

# seen_by COLUMNS OPTION...: the table on a terminal.
seen_by() {
	columns=$1
	shift
	out=$(TERM=xterm python3 "$TESTS/lib/terminal.py" "$columns" -- \
	    retry --plan "$@")
}
if have 'a plan on a terminal' python3; then
	seen_by 80 -a 0 -d 10s -m 20s -j none
	like 'on a terminal rows that repeat are left out' "$out" \
	    '^[.]{3} and 97 more like it$'
	is 'on a terminal rows that repeat are left out, but for the last' "$(column '#')" '1 2 ... and 97 more like it 100'
	seen_by 80 --plan='1*6' -d 1s -m 1s -j 50% -a 0
	is 'whatever chance makes of them' "$(column '#')" \
	    '1 ... and 4 more like it 6'
	seen_by 40 --plan=p=0.5
	unlike 'columns for which there is no room are left out too' "$out" \
	    'nominal|range'
	is 'columns for which there is no room are left out too, so that each row is a line' "$(column '#')" '1 2 3 4 5'
	for columns in 60 40; do
		seen_by "$columns" -T 2m --preset=npm make check
		is "the head breaks between words in $columns columns" \
		    "$(printf '%s\n' "$out" | sed '/^$/,$d' | xargs)" \
		    "$(retry --plan -T 2m --preset=npm make check | sed 1q)"
		like "so does the result in $columns columns, below its text" "$out" \
		    '^ {10}.*--attempts=unknown:3$'
	done
	export NO_COLOR=1
	seen_by 200 -a 1
	width=$(printf '%s\n' "$out" | grep nominal | tr -d '\r\n' | wc -m)
	seen_by $((width + 1)) -a 1
	like 'if they fit they are shown' "$out" 'nominal +range'
	seen_by "$width" -a 1
	unlike 'if they fit they are shown, and if one column is missing they are not' "$out" nominal
	unset NO_COLOR
	run retry --plan -a 0 -m 10 -d 10 -j none
	is 'a plan in a file has all rows' "$(column '#' | wc -w)" 100
fi

# bad SCRIPT WHAT
bad() {
	run retry --plan="$1"
	is "$1 is an error" "$code/$out" 125/
	is "$1 is told in one line" "$err" \
	    "retry: invalid --plan '$1': $2 (try 'retry --help=plan')"
}
bad 1, 'empty item'
bad 1*0 'not a count'
bad 1*x 'not a count'
bad 1:x 'not a number'
bad down=0 'not more than 0'
bad 300 'exit statuses end at 255'
bad "$(printf %070d 1)" 'too long'

# What can be shown, where.
run retry --plan -d 1 -a 3
unlike 'no Unicode without a locale' "$out" '[^ -~]'
like 'bars without it' "$out" '  =+-*\*-*$'
unlike 'no colour in a file' "$out" "$(printf '\033')"
run retry --color=always --plan -d 1 -a 3
like 'colour in one with --color=always' "$out" "$(printf '\033')"
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
	jq -c 'select(.event == "wait") | del(.time, .elapsed, .run)' planned >wanted
	jq -c 'select(.event == "wait") | del(.time, .elapsed, .run)' happened >found
	check "plan and run agree: $name" sh -c 'test -s wanted && cmp wanted found'
	is "plan and run agree on the order of events: $name" "$(jq -r .event planned | xargs)" \
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

	run retry --plan --log=json -a 3 -d 1 x y
	is 'a log may have standard output' "$(echo "$out" | jq -r .event | xargs)" \
	    'start attempt outcome wait attempt outcome wait attempt outcome end'
	check 'the clock of a plan starts with the run' \
	    sh -c 'echo "$1" | jq -es "all(.time == .elapsed) and .[0].time == 0"' \
	    - "$out"
	check 'no process is told of' sh -c \
	    'echo "$1" | jq -es "all(.pid == null and .user == null)"' - "$out"
fi
run retry --plan --log=text -a 2 -d 1 x
like '--plan --log=text prints messages' "$out" '^retry: x: giving up after 2 attempts'
unlike '--plan --log=text prints no table' "$out" nominal
run retry --plan --log=text --log=json
is 'two logs without a file are an error' "$code" 125
like 'two logs without a file are told in one line' "$err" "^retry: --log=json is a second log"
run retry --plan --log=text:x --log=json
is 'if both have no file' "$code" 0

retry --plan >/dev/full 2>err
is 'a plan that cannot be written fails' $? 125
for log in json text junit; do
	run sh -c "retry --plan=1*100 -a 0 --log=$log >/dev/full"
	is "a plan that cannot be written fails with --log=$log" "$code $err" \
	    '125 retry: standard output: No space left on device'
done
run sh -c 'retry --plan=1*100 -a 0 --log=json:/dev/full >/dev/null'
is 'a log beside its table that cannot be written is reported once' \
    "$code $err" '0 retry: --log: /dev/full: No space left on device'

for option in --plan --help --version; do
	run sh -c "ulimit -f 0; exec 2>&1; { retry $option 2>&3 >none; } 3>&1"
	is "$option that a limit on files forbids ends in 125" "$code" 125
done

if sanitized; then
	skip 'a plan without memory ends in 125' 'AddressSanitizer needs more'
else
	run sh -c 'ulimit -v 20000; exec retry --plan=1,clients=10000'
	like 'a plan without memory ends in 125' "$code $err" \
	    '^125 retry: (Cannot allocate|Out of) memory$'
fi

# drawn OPTION...: the rows of retries; what a plan simulates is another matter.
drawn() {
	retry --plan -a 9 "$@" | grep retry
}
first=$(drawn --seed=7)
is 'two runs of one seed draw the same' "$(drawn --seed=7)" "$first"
check 'another seed draws other delays' [ "$(drawn --seed=8)" != "$first" ]
check 'without a seed each run draws others' [ "$(drawn)" != "$(drawn)" ]

# Of 10,000 runs each; all eight are the same once in a thousand million.
for _ in 1 2 3 4 5 6 7 8; do
	retry -a 8 -j none --plan=p=50% --log=json | tail -n 1
done >ends
check 'a random script is drawn anew, though no delay is random' \
    not test "$(sort -u ends | wc -l)" -eq 1
finish
