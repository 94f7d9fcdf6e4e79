#!/bin/sh
#
# A state that is remembered from one run to the next.

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/tries.sh
. "$TESTS/lib/tries.sh"

# kept NAME [FILE]: what is kept under this name.
kept() {
	sed -n "s/^$1 //p" "${2:-state}"
}

# One run after the other.

run retry -q --state=state -a 1 -d 1s -j none ./tries 7
is 'the status is that of the last attempt' "$code $(attempts)" '7 1'
is 'a run that gives up keeps the delay it would have waited' \
    "$(kept n) $(kept delay)" '1 1'
is 'the state is for its owner alone' "$(stat -c %a state state.lock)" '600
600'
sed -i 's/^next.*/next 1000.000000/' state
retry -q --state=state -a 2 -d 1ms -j none ./tries 7
is 'attempts are counted in each run, retries go on' \
    "$(attempts) $(kept n) $(kept delay)" '2 3 0.0040000000000000001'
retry -q --state=state -a 1 -d 1d -m 100d -j none ./tries 7
is 'attempts are counted in each run, retries go on, so do other base delays' "$(attempts) $(kept n) $(kept delay)" '1 4 691200'

cp state before
run retry --state=state:skip ./tries 0
is 'too early, nothing is run' "$code $(attempts)" '75 0'
like 'too early, nothing is run, and that is said' "$err" '^retry: tries: not started: the next attempt is due in '
check 'too early, nothing is run, and the state stays' cmp state before
run retry --log=json --state=state:skip ./tries 0
like 'the reason is early' "$err" '"reason":"early","status":75'
status 75 '--on-give-up is for runs that failed' \
    retry --state=state:skip --on-give-up='touch failed' ./tries 0
check '--on-give-up is for runs that failed, so that nothing is run when it is too early' not test -e failed
status 124 'a wait past the limit is not begun' \
    retry -T 1m --state=state ./tries 0
is 'a wait past the limit is not begun, and nothing is run then' "$(attempts)" 0

retry --log=json:log --state=state ./tries 0 &
wait_for grep -q '"event":"wait"' log
is 'without :skip it is waited' "$(attempts)" 0
like 'for what is left of the delay' "$(cat log)" \
    '"delay":69(1200|119[0-9]\.[0-9]*),'
kill -URG $!
wait $!
is 'SIGURG starts the attempt at once' "$? $(attempts)" '0 1'
is 'a success resets' "$(kept n) $(kept delay) $(kept next)" '0 0 0.000000'

retry -q --state=state -a 1 -d 1ms -j none false
retry --state=state -d 1ms --repeat=3 \
    sh -c 'stat -c %i state >>written'
is 'a success that changes nothing more writes nothing more' \
    "$(uniq written | wc -l)" 2
rm state
retry --state=state ./tries 0
check 'a success with nothing to forget writes nothing' not test -e state
rm attempts

# A stop and a signal.

retry -q --state=state -a 2 -d 1ms false
cp state before
status 7 'a stop' retry -q --state=state --stop-on=7 ./tries 7
check 'leaves the state as it was' cmp state before
rm attempts
retry --log=json:wait --state=state -a 3 -d 1d ./tries 7 &
wait_for grep -q '"event":"wait"' wait
kill -TERM $!
wait $! 2>/dev/null
is 'a signal' $? 143
check 'leaves the state as it was, too' cmp state before
rm attempts

# Strategies.

sed -i 's/^next.*/next 1000.000000/' before
cp before state
retry -q --state=state -b fibonacci -a 1 -d 1ms -j none false
is 'another strategy starts afresh' "$(kept strategy) $(kept n)" 'fibonacci 1'
cp before state
retry -q --state=state -b exponential:factor=3 -a 1 -d 1ms false
is 'other parameters of a strategy start afresh' "$(kept n)" 1
cp before state
retry -q --state=state -b fibonacci --stop-on=7 ./tries 7
check 'a stop leaves what another strategy had' cmp state before
for i in 1 2 3; do
	retry -q --state=level -a 1 -b mimd:up=2,down=0.5 -d 1ms -j none false
done
is 'a level is kept' "$(kept level level)" 0.0040000000000000001
retry -q --state=level -b mimd:up=2,down=0.5 -d 1ms true
is 'a level is kept, and lowered by a success' "$(kept level level)" 0.002
rm -f attempts

# One run at a time.

retry --state=outlived sh -c 'sleep 100 & echo $! >outlives'
status 0 'a process that outlives its run does not hold the state' \
    retry --state=outlived:skip true
kill "$(cat outlives)"

# holds: runs until the file `go` is there, in the background.
cat >holds <<'END'
#!/bin/sh
touch held
until [ -e go ]; do sleep .05; done
END
chmod +x holds
hold() {
	rm -f go held
	retry --state=state ./holds &
	holder=$!
	wait_for test -e held
}

rm state
hold
run retry --state=state:skip ./tries 0
is 'another run is active: nothing is run' "$code $(attempts)" '75 0'
like 'another run is active: nothing is run, and that is said' "$err" '^retry: tries: not started: another run is active$'
run retry --state=state:skip --output=chronic ./tries 0
is '--output=chronic does not say it' "$code$err" 75
status 124 '--max-time ends the wait for it' \
    retry -T 10ms --state=state ./tries 0
is '--max-time ends the wait for it, and nothing is run then' "$(attempts)" 0

# waits_for_lock NUMBER: so many runs have begun, and wait for it.
waits_for_lock() {
	[ "$(grep -c '"event":"start"' begun)" -ge "$1" ]
}
retry --log=json:begun --state=state ./tries 0 &
wait_for waits_for_lock 1
kill -USR1 $!
sleep .3
kill -TERM $!
wait $! 2>/dev/null
is 'a signal ends the wait for it' "$? $(attempts)" '143 0'
for i in 1 2 3; do
	retry --log=json:begun --state=state ./tries 0 &
	eval "waiter$i=$!"
	wait_for waits_for_lock $((i + 1))
done
is 'those that wait run nothing' "$(attempts)" 0
retry --state=state --log=text --log=json:story ./tries 0 2>told &
waiter4=$!
wait_for grep -q '^retry: tries: waiting for another run, which holds state.lock$' told
check 'a wait of a second for it is told' grep -q '"event":"lock"' story
touch go
wait $holder
# shellcheck disable=SC2154 # they are set by eval
for waiter in $waiter1 $waiter2 $waiter3 $waiter4; do
	wait "$waiter" || echo "$waiter failed"
done
is 'a wait of a second for it is told, and all have their turn' "$(attempts)" 4
is 'a wait for another run is told once' "$(grep -c waiting told)" 1

hold
kill -KILL $holder
wait $holder 2>/dev/null
status 0 'a run that is killed lets go' \
    retry --state=state ./tries 0
touch go
retry --state=state sh -c 'sleep 60 & echo $! >daemon'
status 0 'a daemon does not keep the lock' \
    retry --state=state:skip ./tries 0
kill "$(cat daemon)"
rm attempts

# Clocks.

retry -q --state=state -a 1 -d 1m -j none false
sed -i 's/^next.*/next 9999999999.000000/' state
retry --log=json:set-back --state=state ./tries 0 &
wait_for grep -q '"event":"wait"' set-back
like 'a clock set back makes no wait longer' "$(cat set-back)" '"delay":60,'
kill -TERM $!
wait $! 2>/dev/null
retry -q --state=state:skip -T 59s true
is 'a run with :skip is too early even with a short --max-time' $? 75
sed -i 's/^next.*/next 1.000000/' state
status 0 'a clock set forward makes it shorter' \
    retry --state=state:skip true

# Files that are not as they should be.

sed s/3/1/ before >state
cp state copy
run retry -q --state=state -a 1 -d 1ms ./tries 7
is 'a damaged state stops nothing' "$code $(attempts)" '7 1'
is 'a damaged state is reported in one line' "$err" \
    'retry: tries: --state: state: is damaged; kept as state.damaged'
check 'a damaged state is kept aside' cmp copy state.damaged
is 'the run starts afresh' "$(kept n)" 1
head -c 60 before >state
cp state copy
run retry -q --state=state -a 1 -d 1ms ./tries 7
is 'a second damage stops nothing' "$code $(attempts) $(kept n)" '7 1 1'
is 'a second damage is reported' "$err" 'retry: tries: --state: state: is damaged; not kept, since there is state.damaged'
check 'of two damages the first stays aside' test "$(wc -c <state.damaged)" -gt 60
rm state.damaged
head -c 60 before >state
run retry -q --state=state true
like 'a state that was cut is damaged' "$err" 'kept as state.damaged$'
rm state.damaged
cat before before >state
run retry -q --state=state true
like 'a state that was cut is damaged, and a state that is too long' "$err" 'kept as state.damaged$'
rm state.damaged
{ cat before; printf '\0more'; } >state
run retry -q --state=state true
like 'a state that was cut is damaged, and one with a NUL behind it' "$err" 'has a NUL; kept as state.damaged$'
: >state
run retry -q --state=state -a 1 -d 1ms false
is 'an empty one is none' "$code $err $(kept n)" '1  1'

sed -i 's/^retry-state 3/retry-state 4/' before
cp before state
run retry --state=state ./tries 0
is 'a later version is refused, and nothing is run' "$code $(attempts)" '125 0'
is 'a later version is told in one line' "$err" \
    "retry: tries: --state: state: is of a later version of retry"
check 'a later version is told in one line, and left as it is' cmp state before

# Files of somebody else's.

retry -q --budget=bucket -a 2 -d 0 false
head -c 1M /dev/zero >zeros
echo a >notes
rm -f state.damaged
for file in bucket zeros notes; do
	cp $file copy
	run retry --state=$file ./tries 0
	is "$file was never a state: nothing is run" "$code $(attempts)" '125 0'
	is "$file: that is said" "$err" \
	    "retry: tries: --state: $file: is not a state of retry"
	check "$file is left alone" cmp $file copy
	check "nothing is put beside $file" test "$(echo $file*)" = $file
done
run retry --state=none/deep/mine true
is 'a directory that does not exist is named' "$code $err" \
    '125 retry: true: --state: directory none/deep does not exist'
retry -q --state=mine -a 1 -d 1ms false
cp notes mine.new
run retry --state=mine -d 1ms ./tries 0
is 'FILE.new of somebody else: nothing is run' "$code $(attempts)" '125 0'
is 'FILE.new is named' "$err" \
    'retry: tries: --state: mine.new: is not a state of retry'
check 'FILE.new is left alone' cmp mine.new notes
rm mine.new
run retry -q --state=mine -a 1 -d 1ms sh -c 'echo b >mine.new; exit 7'
is 'FILE.new that appears during the run is left alone' \
    "$code $(cat mine.new)" '125 b'
head -c 5 mine >mine.new
status 7 'what a killed run has left of FILE.new is replaced' \
    retry -q --state=mine -a 1 -d 1ms sh -c 'exit 7'
check 'what a killed run has left of FILE.new is replaced, and nothing is left of it' not test -e mine.new
head -c 300 /dev/zero >mine.new
status 7 'what a killed run has left of FILE.new is replaced, so is what a power cut has left of it' \
    retry -q --state=mine -a 1 -d 1ms sh -c 'exit 7'
check 'what a killed run has left of FILE.new is replaced, and nothing is left of that' not test -e mine.new

mkdir folder open
chmod 1777 open
touch target
ln -s ../target open/link
ln -s "$T/target" open/locked.lock
mkfifo fifo pipe.lock
for file in folder folder/ open/link open/locked fifo pipe /dev/null \
    missing/state; do
	run retry --state="$file" ./tries 0
	is "$file is refused, and nothing is run" "$code $(attempts)" '125 0'
	is "$file is refused in one line" "$(printf %s "$err" | grep -c '')" 1
	[ "$file" = open/locked ] || [ "$file" = pipe ] ||
		check "$file leaves no lock" not test -e "$file.lock"
done
for suffix in lock new damaged; do
	run retry --state=own --log=text:own.$suffix ./tries 0
	is "a log is not the state's own .$suffix" "$code $(attempts)" '125 0'
	rm -f own own.*
	run retry --state=own --budget=own.$suffix ./tries 0
	is "a budget is not the state's own .$suffix" "$code $(attempts)" '125 0'
	rm -f own own.*
done
run retry --state=open/link true
like 'a link is told as such' "$err" '^retry: true: --state: .*: is a symbolic link$'
check 'a link is told as such, and was not followed' not test -s target

mkdir closed
retry -q --state=closed/state -a 1 false
chmod 500 closed
run confined retry --state=closed/state ./tries 0
is 'a folder that may not be written is refused' "$code $(attempts)" '125 0'
chmod 700 closed
# In a sticky directory nobody can replace the file of another user.
if [ "$(id -u)" = 0 ]; then
	mkdir -m 1777 sticky
	retry -q --state=sticky/state -a 1 false
	rm sticky/state.lock
	chmod 755 "$tap_dir" . && chmod 644 sticky/state
	run setpriv --reuid=65534 --clear-groups retry --state=sticky/state true
	is 'the state of another user in a sticky directory is refused' \
	    "$code $err" "125 retry: true: --state: sticky/state: \
is another user's, in a sticky directory"
else
	skip 'the state of another user in a sticky directory is refused' \
	    'only root has another user'
fi

# --tolerate.

# given_up: what a run with a failing command says and exits with.
given_up() {
	run retry --state=patient -a 1 -d 0 --tolerate=3 "$@" \
	    sh -c 'echo out; exit 7'
}

given_up
is 'a run that gives up is tolerated' "$code" 0
like 'a run that gives up is tolerated, and says so' "$err" 'giving up .*exited 7; failed run 1 of [0-9]+; exiting 0 \(--tolerate\)$'
given_up --output=chronic --log=json:patience
is 'a run that gives up is tolerated, with --output=chronic nothing is shown' "$code$out$err" 0
is 'JSON keeps the truth' \
    "$(jq -c 'select(.reason) | [.reason, .status, .tolerated]' patience)" \
    '["attempts",0,true]'
given_up --output=chronic
is 'until too many in a row have given up' "$code $out" '7 out'
like 'until too many in a row have given up, and the mail says so' "$err" \
    'giving up after 1 attempt .*exited 7; 3 failed runs in a row$'
run retry -q --state=patient true
given_up --output=hold
is 'a success begins the count anew' "$code" 0
is 'output that is held was no success' "$out" ''
like 'output that is held was no success, and goes where failures go' "$err" '^out$'

# A run with --repeat gives up as others do, though it has had a success.
for number in 1 2 3; do
	status $((number < 3 ? 0 : 9)) "run $number that gave up in the end" \
	    retry -q --state=repeated --tolerate=3 --repeat -a 1 \
	    sh -c 'exit $((RETRY_ATTEMPT > 1 ? 9 : 0))'
done
# The delay that an earlier run left does not fit into this one.
retry -q --state=late -a 1 -d 1h -m 2h --tolerate=2 sh -c 'exit 7'
run retry --state=late -d 1h -m 2h --tolerate=2 -T 4m --output=chronic \
    sh -c 'exit 7'
is 'a run that comes too early for its limit is tolerated, too' \
    "$code$out$err" 0
run retry --state=late -d 1h -m 2h --tolerate=2 -T 4m sh -c 'exit 7'
like 'a run without an attempt is not called a failed run' "$err" \
    'leaves no time for an attempt after an earlier .*; exiting 0 \(--tolerate\)$'
run retry --state=patient --stop-on=7 --tolerate=3 sh -c 'exit 7'
is 'what must not be retried is not tolerated' "$code" 7
unlike 'what must not be retried is not tolerated, nor counted' "$err" 'in a row'
status 125 '--tolerate needs a state' retry --tolerate=3 true
status 125 '--tolerate needs a state, and a number above 0' retry --state=patient --tolerate=0 true

# Options.

status 125 '--state takes one word' retry --state=state:later true
status 125 '--state needs a file' retry --state=:skip true
status 125 'a state needs a name' retry --state= true
status 125 'state and budget differ' retry --state=a --budget=a true
status 125 'whatever they are called' retry --state=a --budget="$T/a" true
status 125 'state and log differ' retry --state=b --log=json:b true
retry -q --state=c -a 1 false
cp c copy
status 125 'state and log differ, and a log does not empty it first' \
    retry --state=c --log=junit:c true
check 'state and log differ, so that the state stays' cmp c copy
status 125 'budget and log differ' retry --budget=d --log=json:d true
retry --plan --state=planned --budget=planned-too -a 2 >/dev/null
check 'a plan touches neither' not test -e planned -o -e planned-too

retry -a 1 --state=alone --on-give-up='echo oops >&2; exit 3' false 2>&-
check 'nothing gets into the lock where 2 is closed' test ! -s alone.lock

# A run that was killed leaves its job, which has the lock.
rm -f state* left
retry -q --state=state sh -c 'sleep 100d & echo $! >left; wait' &
wait_for test -s left
kill -KILL $!
wait $! 2>/dev/null
status 75 'no run begins beside the job of one that was killed' \
    retry -q --state=state:skip true
kill "$(cat left)"
wait_for not alive "$(cat left)"
status 0 'a run begins once the job of a killed one has ended' retry -q --state=state:skip true
rm left
retry -q --state=state sh -c 'sleep 100d >/dev/null 2>&1 & echo $! >left'
status 0 'what a run leaves does not keep the lock' \
    retry -q --state=state:skip true
kill "$(cat left)"

finish
