#!/bin/sh
#
# --output: what becomes of the attempts' output.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2016 # the attempts' shells expand

. lib/harness.sh

# Attempts that say on which stream and in which attempt they say it.
cat >say <<'E2'
#!/bin/sh
echo "out $RETRY_ATTEMPT"
echo "err $RETRY_ATTEMPT" >&2
echo "more $RETRY_ATTEMPT"
[ "$RETRY_ATTEMPT" -ge "$1" ]
E2
chmod +x say

# spoken: what the run said, without retry's own times.
spoken() {
	printf '%s\n' "$1" |
	    sed 's/after [<0-9.]*m*s/after T/; s/ in [<0-9.]*m*s/ in T/'
}

# stream
: >in; : >out; : >err
stat -L -c %d:%i in out err >want
retry sh -c 'stat -L -c %d:%i /proc/self/fd/0 /proc/self/fd/3 \
    /proc/self/fd/2 3>&1 >got' <in >out 2>err
check 'an attempt has the very descriptors that retry was given' cmp got want

# A failed attempt's output stays in a file, and the next attempt repeats it.
repeats() {
	run "$@" sh -c 'echo "part $RETRY_ATTEMPT"; [ $RETRY_ATTEMPT = 3 ]'
	printf '%s\n' "$err" | grep -c 'output of a failed attempt'
}
is 'a failed attempt that wrote to a file is told, once' \
    "$(repeats retry -d 0)" 1
is 'a failed attempt that wrote to a file is told if its output is searched' \
    "$(repeats retry -d 0 --idle-timeout=60)" 1
is 'a failed attempt that added to a file is told' "$(retry -d 0 ./say 3 2>&1 >>want |
    grep -cxF 'retry: say: the output file may now contain output of a failed '\
'attempt; --output=hold keeps it out')" 1
is 'a failed attempt and a hook that wrote to a file are told once' \
    "$(repeats retry -d 0 --before-retry='echo gate')" 1
for quiet in -q --output=stream --output=hold --output=all --output=last \
    --output=failed --output=chronic --log=text:- '-a 1'; do
	# shellcheck disable=SC2086 # words are meant
	is "a failed attempt that wrote to a file is not told with $quiet" "$(repeats retry -d 0 $quiet)" 0
done
run retry -d 0 sh -c '[ $RETRY_ATTEMPT = 3 ] && echo said'
unlike 'only a success that writes repeats nothing' "$err" 'standard output'
run retry -d 0 --check='echo checked; [ $RETRY_ATTEMPT = 3 ]' true
unlike 'only a check that writes repeats nothing' "$err" 'standard output'
run retry -d 0 --repeat=2 ./say 1
unlike 'attempts that succeed repeat nothing' "$err" 'standard output'
retry -d 0 ./say 3 >err 2>&1
is 'a file of messages and output warns of nothing' \
    "$(grep -c 'standard output' err)" 0
retry -d 0 ./say 3 2>err | grep -c out >told
is 'a pipe as standard output warns of nothing' \
    "$(cat told):$(grep -c 'standard output' err)" 3:0

# hold
run retry --output=hold -d 0 -a 3 ./say 3
is 'held standard output comes from the successful attempt' "$out" 'out 3
more 3'
is 'held standard output comes from the successful attempt, that of failed attempts goes to standard error' "$(spoken "$err")" \
'err 1
out 1
more 1
retry: say: attempt 1/3 exited 1 after T; next at once
err 2
out 2
more 2
retry: say: attempt 2/3 exited 1 after T; next at once
err 3
retry: say: succeeded at attempt 3/3 in T'
run retry -q --output=hold -d 0 -a 2 ./say 3
is 'a run that gives up holds nothing back' "$out:$err" ':err 1
out 1
more 1
err 2
out 2
more 2'

mkfifo go
retry --output=hold sh -c 'echo said >&2; echo x; cat go' 2>early >late &
wait_for test -s early
is 'standard error is not held' "$(cat early)" said
echo >go
wait

run retry -q --output=hold --repeat=3 -d 0 ./say 2
is 'each success counts when runs are repeated' "$out" 'out 2
more 2
out 3
more 3
out 4
more 4'

# Half a line: no message continues it.
half='printf half; exit 1'
for options in --fail-match=never --output=hold '--output=hold -v' \
    --output=all --output=last --output=chronic \
    '--output=chronic --check=false'; do
	# shellcheck disable=SC2086 # words
	retry $options -a 2 -d 0 sh -c "$half" >both 2>&1
	unlike "$options: a message begins a line" "$(cat both)" 'halfretry'
	unlike "$options: it begins one line" "$(cat both)" '^$'
	check "$options: it begins one line, and the output is there" grep -q '^\(half\)\{1,2\}$' both
done
run retry --fail-match=never -a 1 sh -c 'printf half >&2; exit 1'
is 'a message after half a line on standard error begins a new one' "$(spoken "$err")" 'half
retry: sh: attempt 1/1 exited 1 after T
retry: sh: giving up after 1 attempt in T: exited 1'
run retry --fail-match=never -a 1 sh -c "$half"
is 'a message ends a half line on standard error, not one on standard output' "$out:$(echo "$err" | head -c 1)" \
    half:r
run retry -q --output=hold -a 1 sh -c "$half"
is 'without a message no newline is added' "$out$err" half

# all
run retry --output=all -d 0 -a 3 ./say 2
is 'all: each attempt is heard, the failed ones too' "$code:$out" '0:out 1
more 1
out 2
more 2'
is 'all: standard error goes to standard error, before the message' \
    "$(spoken "$err")" 'err 1
retry: say: attempt 1/3 exited 1 after T; next at once
err 2
retry: say: succeeded at attempt 2/3 in T'
retry --output=all -d 0 -a 2 ./say 3 >one 2>&1
is 'all: where both are one file, all keeps its order' \
    "$(spoken "$(cat one)")" 'out 1
err 1
more 1
retry: say: attempt 1/2 exited 1 after T; next at once
out 2
err 2
more 2
retry: say: attempt 2/2 exited 1 after T
retry: say: giving up after 2 attempts in T: exited 1'
rm -f go said
mkfifo go
retry -q --output=all -d 0 sh -c 'echo "try $RETRY_ATTEMPT"; : >said
    [ "$RETRY_ATTEMPT" = 2 ] && cat go' >late 2>&1 &
wait_for grep -q 'try 1' late
is 'all: an attempt is heard when it has ended' "$(cat late)" 'try 1'
echo 'try 3' >go
wait
is 'all: and the next one likewise' "$(cat late)" 'try 1
try 2
try 3'
run retry -q --output=all -a 2 -d 0 -t 3 sh -c 'echo begun; exec sleep 60'
is 'all: a timed-out attempt is heard' "$code:$out" '124:begun
begun'
# Whoever takes none of the output for a second gets no more of it.
# shellcheck disable=SC2317 # check calls it
signalled() {
	rm -f said
	retry -q --output=all \
	    sh -c 'echo out; echo err >&2; : >said; exec sleep 60' \
	    >out.s 2>err.s &
	pid=$!
	wait_for test -e said
	kill "$pid"
	wait "$pid" 2>/dev/null
	test "$?:$(cat out.s):$(cat err.s)" = 143:out:err
}
check 'all: one that a signal ends is heard' retried signalled
run retry -q --output=all --fail-match='out 1' -d 0 ./say 1
is 'all: output can be searched, too' "$code:$out" '0:out 1
more 1
out 2
more 2'

# parallel BYTES OPTION...: four runs, each of which writes lines of its own;
# their first attempts end together, when the lock on the gate is given up.
parallel() {
	size=$1
	shift
	rm -f wrote.*
	exec 9>gate
	flock 9
	for letter in a b c d; do
		retry -q "$@" -a 2 -d 0 sh -c 'yes "$1$1$1$RETRY_ATTEMPT" |
		    head -c "$2"; : >"wrote.$1"; [ "$RETRY_ATTEMPT" = 2 ] ||
		    { flock -s gate true; exit 1; }' \
		    sh "$letter" "$size" 9>&- &
	done
	for letter in a b c d; do
		wait_for test -e "wrote.$letter"
	done
	exec 9>&-
	: >opened
	wait
}
pieces='a 1, a 2, b 1, b 2, c 1, c 2, d 1, d 2, '
# wholes FILE: the pieces that are there, each whole, of 2000000 bytes.
wholes() {
	uniq -c "$1" | sort -k 2 |
	    awk '$1 == 400000 { printf "%c %c, ", substr($2, 1, 1), substr($2, 4) }'
}
parallel 2000000 --output=all >one
is 'all: pieces of parallel runs are whole in a file' "$(wholes one)" "$pieces"
: >one
parallel 2000000 --output=all >>one
is 'all: and in one that is appended to' "$(wholes one)" "$pieces"
rm -f opened
parallel 2000000 --output=all 2>&1 | {
	wait_for test -e opened
	cat >one
}
is 'all: and in a pipe' "$(wholes one)" "$pieces"
for mode in hold last; do
	parallel 9000000 --output=$mode >one 2>/dev/null
	is "$mode: parallel runs overwrite nothing in a file that they share" \
	    "$(wc -c <one)" 36000000
done

# last
run retry -q --output=last -d 0 -a 3 ./say 3
is 'the last attempt alone is heard' "$out:$err" 'out 3
more 3:err 3'
run retry -q --output=last -d 0 -a 2 ./say 3
is 'the last attempt is heard if it failed' "$out:$err" 'out 2
more 2:err 2'

# chronic
run retry --output=chronic -d 0 -a 3 ./say 3
is 'nothing is heard of a run that succeeds' "$code:$out:$err" 0::
run retry --output=chronic --check='echo checking; exit 1' \
    --before-retry='echo gate' -d 0 -a 2 ./say 1
is 'all is heard, in order, of a run that gives up' "$out" 'out 1
more 1
out 2
more 2'
is 'messages have their places in it' "$(spoken "$err")" 'err 1
checking
retry: say: attempt 1/2 exited 0 after T, but --check says retry; next at once
gate
err 2
checking
retry: say: attempt 2/2 exited 0 after T
retry: say: giving up after 2 attempts in T: exited 0, but --check says retry'
run retry --output=chronic --check='cat; echo no >&2' -d 0 -a 2 ./say 3
is 'nothing is heard where a check says yes' "$code:$out:$err" 0::
run retry --output=chronic --on-success='exit 3' true
like 'what is said after the end is heard' "$err" 'on-success exited 3'
# shellcheck disable=SC2317 # check calls it
ended() {
	rm -f begun
	retry --output=chronic -d 1h --log=text --log=json:begun \
	    sh -c './say 3; exit 3' >out.s 2>err.s &
	pid=$!
	wait_for grep '"event":"wait"' begun
	kill "$pid"
	wait "$pid" 2>/dev/null
	test "$?:$(cat out.s):$(sed 's/retry: sh: \([a-z]*\).*/\1/' err.s)" = \
	    '143:out 1
more 1:err 1
attempt
ended'
}
check 'a signal that ends the run lets all out' retried ended

# one file
retry -q --output=last -d 0 -a 2 ./say 2 >one 2>&1
is 'where both are one file, their order is kept' "$(cat one)" 'out 2
err 2
more 2'
retry --output=chronic --check='cat >/dev/null; echo checked
    exit $RETRY_ATTEMPT' -d 0 ./say 1 >one 2>&1
is 'where both are one file, all keeps its order' "$(spoken "$(cat one)")" \
'out 1
err 1
more 1
checked
retry: say: attempt 1/5 exited 0 after T, but --check says retry; next at once
out 2
err 2
more 2
checked
retry: say: attempt 2/5 exited 0 after T
retry: say: giving up after 2 attempts in T: exited 0, but --check says stop'

# a check reads what is held
run retry -q --output=hold --check='grep -qx "out 2"' -d 0 ./say 1
is 'a check reads the standard output that is held' "$code:$out" '0:out 2
more 2'
run retry -q --output=chronic --check='grep -c out >>seen; exit 1' -d 0 -a 3 \
    ./say 1
is 'a check reads the standard output that is held, and that of its own attempt alone' "$(paste -sd ' ' seen)" '1 1 1'
rm seen
# So do a gate and the hooks at the end, also what was let out before.
for mode in hold all last chronic; do
	retry -q --output=$mode -a 2 -d 0 --before-retry='sed s/^/gate:/ >>seen' \
	    --on-give-up='sed s/^/hook:/ >>seen' ./say 7 >all 2>/dev/null
	is "$mode: a gate and --on-give-up read it too" "$(cat seen)" 'gate:out 1
gate:more 1
hook:out 2
hook:more 2'
	rm seen
	run retry -q --output=$mode -a 1 --on-success='cat >seen' ./say 0
	is "$mode: and so does --on-success" "$(cat seen)" 'out 1
more 1'
	rm seen
done
# Of what is held it reads no more than there was when it began: not what it
# writes itself, however it comes to be held in the same file.
copy='tee -a seen; sleep .1; tee -a seen'
for row in "7:1:--check=$copy; exit 1" "7:2:--before-retry=$copy" \
    "0:1:--on-success=$copy" "7:1:--on-give-up=$copy"; do
	hook=${row#*:*:} attempts=${row#*:} wrong=
	attempts=${attempts%%:*}
	for mode in stream hold all failed last chronic; do
		for errors in one two; do
			: >seen
			retry -q --output=$mode -d 0 -a "$attempts" "$hook" \
			    ./say "${row%%:*}" >>one 2>>$errors
			case $mode:$errors in
			stream:*) want= ;;
			hold:* | *:two) want='out 1 more 1' ;;
			*) want='out 1 err 1 more 1' ;;
			esac
			[ "$(xargs <seen)" = "$want" ] ||
			    wrong="$wrong $mode $errors: $(xargs <seen);"
		done
	done
	is "${hook%%=*} reads no output of its own" "$wrong" ''
done
for errors in one two; do
	rm -f seen
	retry -q --output=chronic -d 0 -a 2 --check='echo checked; exit 1' \
	    --before-retry='cat >>seen' --on-give-up='cat >>seen' ./say 7 \
	    >>one 2>>$errors
	is "$errors: a gate and a hook do not read what a check wrote" \
	    "$(grep -v err seen | xargs)" 'out 1 more 1 out 2 more 2'
done
for mode in hold all failed last chronic; do
	(ulimit -f 4096
	retry -q --output=$mode -a 1 --check='sed s/^/its:/; exit 1' \
	    seq 30000 >one 2>&1)
	{ seq 30000; seq 30000 | sed s/^/its:/; } >want
	is "$mode: a check may write as much as it reads" \
	    "$(LC_ALL=C sort one | cksum)" "$(LC_ALL=C sort want | cksum)"
done
check "$mode: a check may write as much as it reads, which chronic holds behind what was read" cmp one want
retry --output=chronic -a 1 --log=json --log=json:told --check='
    kill -USR1 $PPID; until grep -q SIGUSR1 told; do sleep .05; done
    echo mine; exit 1' \
    sh -c 'until grep -q attempt told; do sleep .05; done; printf held' >one 2>&1
is "$mode: a check may write as much as it reads, and messages that come meanwhile follow in lines of their own" \
    "$(sed 's/.*"event":"\([a-z]*\)".*/\1/' one | xargs)" \
    'start attempt held signal mine outcome end'
rm -f seen told
run retry -q --output=hold -a 2 -d 0 --before-retry='grep -q other' \
    --on-give-up='cat >seen' ./say 7
is 'a hook reads it after a gate has' "$(cat seen)" 'out 1
more 1'
rm seen
run retry -q -a 2 -d 0 --before-retry='readlink /proc/self/fd/0 >>seen' \
    --check='readlink /proc/self/fd/0 >>seen; exit 1' \
    --on-give-up='readlink /proc/self/fd/0 >>seen' true
is 'where none is held they read nothing' "$(uniq -c seen | xargs)" \
    '4 /dev/null'

# where it goes
seq 100000 >numbers
for mode in hold all last; do
	echo before >log
	retry --output=$mode cat numbers >>log
	check "$mode: an appended log gets it all" sh -c \
	    '(echo before; cat numbers) | cmp - log'
	retry --output=$mode cat numbers | cmp - numbers
	is "$mode: a pipe gets it all" $? 0
	retry --output=$mode cat numbers >file
	check "$mode: a file gets it all" cmp file numbers
	echo before >file
	{ retry --output=$mode cat numbers; echo behind; } >file
	check "$mode: a shared offset is kept" sh -c \
	    '(cat numbers; echo behind) | cmp - file'
done
if have 'a socket gets it all' python3; then
	check 'a socket gets it all' python3 -c '
import socket, subprocess
here, there = socket.socketpair()
run = subprocess.Popen(["retry", "--output=hold", "cat", "numbers"],
    stdout=there)
there.close()
got = b"".join(iter(lambda: here.recv(65536), b""))
raise SystemExit(run.wait() or got != open("numbers", "rb").read())'
fi

for closed in '0<&-' '1>&-' '2>&-' '1>&- 2>&-' '0<&- 1>&- 2>&-'; do
	for mode in hold all last chronic; do
		status 3 "$mode works with $closed" sh -c "
		    retry -q -a 2 -d 0 --output=$mode sh -c \
		    'echo x; echo y >&2; exit 3' $closed"
	done
done
for mode in hold all last chronic; do
	ls /proc/self/fd >want
	retry -q --output=$mode -a 2 -d 0 sh -c \
	    'ls /proc/self/fd >list; [ $RETRY_ATTEMPT = 2 ]'
	check "$mode: no descriptor of retry's own reaches an attempt" \
	    cmp list want
done

# what fails
run sh -c 'retry --output=hold echo x >/dev/full'
is 'a full disk is an error, in one line' "$code:$err" \
    '125:retry: echo: standard output: No space left on device'
run env TMPDIR="$T/none" retry --output=hold -d 0 -a 2 ./say 2
is 'without a folder for temporary files output is held in memory' \
    "$code:$out" '0:out 2
more 2'
if strace -o trace true 2>/dev/null; then
	run env ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" strace -o trace \
	    -e inject=ioctl:error=EINVAL "$RETRY" --output=hold ./say 0
	is 'output is not lost if nobody knows whether it has come' "$code:$out" '0:out 1
more 1'
fi
run sh -c 'ulimit -f 64; exec retry --output=hold head -c 1M /dev/zero' \
    >/dev/null
is 'a limit on the size of files is an error' $code 125
like 'a limit on the size of files is an error, that is reported' "$err" '^retry: .*: File too large'
run sh -c 'ulimit -f 64; exec retry --output=hold --fail-match=none \
    sh -c "printf abc; sleep .1; head -c 32K /dev/zero"' >/dev/null
is 'a limit on the size of files is an error, so is one that a few bytes pass' $code 125
run sh -c 'ulimit -f 64
    exec retry -k 5 --output=hold sh -c "trap : PIPE; head -c 1M /dev/zero
    sleep 60"' >/dev/null
is 'what goes on regardless is ended' $code 125
if unshare -rm true 2>/dev/null; then
	mkdir small
	run unshare -rm sh -c '
		mount -t tmpfs -o size=100k none small
		TMPDIR=$T/small retry --output=hold head -c 1M /dev/zero' \
	    >/dev/null
	is 'a full folder for temporary files is an error' $code 125
	like 'a full folder for temporary files is an error, and is reported as such' "$err" \
	    "^retry: head: temporary file in $T/small: No space left on device"
	# full MODE COMMAND...: 1 MB in each attempt, and room for a tenth of it.
	full() {
		run unshare -rm sh -c '
			mount -t tmpfs -o size=100k none small
			TMPDIR=$PWD/small exec retry -a 2 -d 0 --output="$@"' \
		    sh "$@"
	}
	for mode in all failed chronic; do
		for search in '' --fail-match=none; do
			full $mode $search sh -c 'seq 150000
			    echo done >&2; exit 5'
			is "$mode $search: an attempt that cannot be held goes on, and its status counts" "$code" 5
			printf '%s\n' "$out" >got
			{ seq 150000; seq 150000; } >want
			check "$mode $search: nothing of it is lost, or comes twice" \
			    cmp got want
			is "$mode $search: one message says so" \
			    "$(printf '%s\n' "$err" | grep -c 'cannot be held: No space left') $(printf '%s\n' "$err" | grep -cx 'done')" '1 2'
		done
		run sh -c "ulimit -f 64; retry -d 0 --output=$mode \
			head -c 1M /dev/zero | wc -c"
		is "$mode: so is one that reaches a limit on the size of files" \
		    "$out" 1048576
	done
	full chronic sh -c 'seq 150000; [ "$RETRY_ATTEMPT" = 2 ]'
	is 'a success of such a run is one' "$code" 0
	# The attempt leaves no room for what comes between attempts.
	fill='room() { stat -f -c %f small; }; free=$(room); echo out $RETRY_ATTEMPT
	    while [ $RETRY_ATTEMPT = 1 ] && [ "$(room)" = "$free" ]; do :; done
	    cat /dev/zero >small/fill 2>&1; exit 5'
	for search in '' --fail-match=none; do
		run unshare -rm sh -c 'mount -t tmpfs -o size=100k none small
			TMPDIR=$PWD/small exec retry -a 2 -d 0 \
			    --output=chronic --before-retry="cat; echo gate" "$@" 2>&1' \
		    sh $search sh -c "$fill"
		is "chronic $search: without room for a message the run goes on" "$code" 5
		is "chronic $search: without room for a message nothing is lost, in its order" \
		    "$(echo "$out" | sed -E 's/^retry: sh: //; s/ after.*//' | grep -v held)" \
		    'out 1
attempt 1/2 exited 5
out 1
gate
out 2
attempt 2/2 exited 5
giving up'
		is "chronic $search: without room for a message it is said once" \
		    "$(echo "$out" | grep -c 'cannot be held: No space left')" 1
	done
	full last sh -c "trap '' PIPE; seq 150000; echo >ended"
	is 'what may have to be left out is not passed on' \
	    "$code:$(printf '%s\n' "$err" | grep -c 'temporary file in')" 125:1
else
	skip 'a full folder for temporary files is an error' 'no name spaces'
fi
{ retry --output=hold head -c 3M /dev/zero 2>err.p; echo $? >code; } | :
is 'a reader that went away ends retry by SIGPIPE' \
    "$(cat code):$(cat err.p)" 141:
{ env --ignore-signal=PIPE retry --output=hold head -c 3M /dev/zero 2>err.p
    echo $? >code; } | :
is 'where that is ignored it is an error' "$(cat code):$(cat err.p)" \
    '125:retry: head: standard output: Broken pipe'

run retry --output=hold --preserve-status --success-on=2 sh -c 'echo out; exit 2'
is 'a success is one whatever status is preserved' "$code:$out:$err" 2:out:
run retry -a 1 --output=hold --preserve-status --fail-match=out echo out
like 'a success is one whatever status is preserved, and so is a failure' "$code:$out:$err" '^0::.*'

# A writer without a reader.
{ retry -d 0 --log=text --log=json:writer yes 2>err.p
    echo $? >code; } | head -1 >/dev/null
is 'an attempt whose output nobody reads is the last one' \
    "$(cat code):$(grep -c . err.p)" 141:2
like 'an attempt whose output nobody reads is the last one, which is said' "$(tail -1 err.p)" \
    'after 1 attempt in .*: killed by SIGPIPE, and nobody reads its output$'
like 'a run whose output nobody reads ends by the rule unread' "$(cat writer)" '"verdict":"stop","rule":"unread"'
{ retry -d 0 sh -c 'yes; exit $?' 2>err.p; echo $? >code; } | head -1 >/dev/null
like 'a shell whose command died of SIGPIPE is told that nobody reads' "$(cat code):$(tail -1 err.p)" \
    '^141:retry: .*: exited 141, and nobody reads its output$'
# Some programs see that nobody reads, and exit.
{ retry -a 3 -d 0 sh -c 'trap "" PIPE; until ! echo; do :; done 2>/dev/null
    exit 1' 2>err.p; echo $? >code; } | head -1 >/dev/null
like 'a run whose output nobody reads ends at any failure' "$(cat code):$(tail -1 err.p)" \
    '^1:retry: .* after 1 attempt .* exited 1, and nobody reads its output$'
{ retry -a 3 -d 0 --output=hold sh -c 'exit 1' 2>err.p; echo $? >code; } | :
is 'a run whose held output nobody reads goes on' "$(cat code):$(grep -c . err.p)" 1:4
{ retry -a 3 -d 0 --retry-on=PIPE yes 2>err.p; echo $? >code; } |
    head -1 >/dev/null
is 'a run whose output nobody reads goes on if --retry-on has SIGPIPE' \
    "$(cat code):$(grep -c . err.p)" 141:4
{ retry -a 3 -d 0 sh -c 'kill -PIPE $$' 2>err.p; echo $? >code; } | cat
is 'a death of SIGPIPE is retried if somebody reads' \
    "$(cat code):$(grep -c . err.p)" 141:4

# Long lines, and many.
run retry --output=chronic --log=json -a 2 -d 0 sh -c 'echo out; exit 1' \
    "$(printf %020000d 0)" "$(printf %0100000d 0)"
is 'among held output each line of a log is whole' \
    "$(printf '%s\n' "$err" | grep -c '^{"event.*}$') of $(printf '%s\n' "$err" |
    grep -c .)" '7 of 7'
run retry --output=chronic -a 2 -d 0 -t 3 -k 0 sh -c '[ $RETRY_ATTEMPT = 2 ] ||
	{ for i in $(seq 120); do (trap "" TERM; exec sleep 9) & done; wait; }'
is 'among held output each line of a log is whole, and none of many warnings is shown after a success' "$code:$err" 0:

# temporary files
mkdir files
mkfifo stay
TMPDIR=$T/files retry --output=hold sh -c 'echo x; echo >ready; exec cat stay' &
pid=$!
wait_for test -e ready
is 'a temporary file has no name' "$(ls -A files)" ''
check 'a temporary file has no name, and can get none' sh -c "for file in /proc/$pid/fd/*; do
	case \$(readlink \$file) in
	'$T/files/'*) ! ln -L \$file files/name; exit ;;
	esac
    done; exit 1"
rm -f files/name
check 'held output lies in $TMPDIR' sh -c "readlink /proc/$pid/fd/* |
    grep -q '^$T/files/.*(deleted)'"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
is 'nothing survives SIGKILL' "$(ls -A files)" ''

if have 'a folder may know no files without a name' strace; then
	for error in EOPNOTSUPP EISDIR; do
		run env TMPDIR="$T/files" \
		    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" \
		    strace -o trace -P "$T/files" \
		    -e inject="$(any_libc openat):error=$error" \
		    retry --output=hold sh -c 'ls -A "$TMPDIR"; echo held
			! ls -l /proc/self/fd | grep "$TMPDIR"'
		check "a folder may know no files without a name ($error)" \
		    grep -q INJECTED trace
		is "files for held output lose their names at once, and reach no attempt ($error)" \
		    "$code:$out:$(ls -A files)" 0:held:
	done
fi

if have 'a single byte is copied where nothing can be spliced' strace; then
	run env ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" \
	    strace -f -o trace -e inject=splice:error=EINVAL \
	    sh -c 'printf x | "$RETRY" --stdin=replay cat'
	check 'a kernel may splice nothing here' grep -q INJECTED trace
	is 'a single byte is copied where nothing can be spliced' "$code:$out" 0:x
fi

run env TMPDIR= retry --output=hold echo held
is 'an empty $TMPDIR is none' "$code:$out" 0:held

# memory: peak OPTION...: what a run needs in all, in kB.
peak() {
	retry --on-success='sed -n "s/VmHWM:[^0-9]*\([0-9]*\).*/\1/p" \
	    /proc/$PPID/status' "$@" 2>peak >/dev/null
	cat peak
}
plain=$(peak true)
held=$(peak --output=hold head -c 40M /dev/zero)
check "memory does not grow with what is held ($plain kB, then $held kB)" \
    test "$held" -lt $((plain + 2000))
searched=$(peak --fail-match='(a|b)*c' head -c 10M /dev/zero)
check "memory does not grow with what is held ($plain kB, then $held kB), nor with the length of a line ($searched kB)" \
    test "$searched" -lt $((plain + 2000))

# Of a stream that has ended no more is awaited, whoever ended it.
for end in 'close STDOUT; select undef, undef, undef, .01; exit 3' \
    'kill "KILL", $$'; do
	run retry -q -a 20 -d 1ms -b constant --output=hold \
	    perl -e "syswrite STDOUT, '+'; $end"
	is "all is well after '$end'" "$(printf %s "$err" | tr -dc + | wc -c)" 20
done

# daemons
retry --output=hold sh -c '
    sh -c "echo \$\$ >daemon; while echo x; do sleep 0.01; done" &
    echo attempt' >held
is 'a daemon that keeps the pipe delays nothing' \
    "$(grep -v x held)" attempt
wait_for test -s daemon
wait_for not alive "$(cat daemon)"

run retry --output=chronic -d 0 -b mimd:up=2,down=.5 true
is 'a chronic success says nothing of options either' "$code$err" 0

finish
