#!/bin/sh
#
# The state when system calls fail, and when runs are killed: the file has the
# old or the new.

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/tries.sh
. "$TESTS/lib/tries.sh"
# The leak checker cannot work where strace does.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"

# kept NAME: what is kept under this name.
kept() {
	sed -n "s/^$1 //p" state
}

retry -q --state=state -a 1 -d 1us -m 1us false
cp state before

run sh -c '{ ulimit -f 0; retry -q -a 1 --state=state false; echo $?; } 2>&1 |
    cat'
is 'no room for a file is an error' "$out" \
    'retry: false: --state: state: cannot be written: File too large
125'
check 'no room for a file is an error, and leaves the state as it was' cmp state before

mkdir gone
run retry -a 2 -d 0 --state=gone/x sh -c 'rm -rf gone; exit 3'
is 'a state without a folder is an error' "$code" 125
is 'the last attempt is told before the state that cannot be written' \
    "$(printf '%s\n' "$err" | sed 's/ after [^;]*//')" \
    'retry: sh: attempt 1/2 exited 3; next at once
retry: sh: attempt 2/2 exited 3
retry: sh: --state: gone/x: cannot be written: No such file or directory'

# faulty CALL INJECTION: with such a call failing that is about the state.
faulty() {
	strace -qq -o /dev/null -P "$T/state" -P "$T/state.new" \
	    -P "$T/state.lock" -e "trace=$1" -e "inject=$1:$2" \
	    retry -q -a 1 -d 1us -m 1us --state="$T/state" ./tries 7
}

if strace -o /dev/null true 2>/dev/null; then
	for fault in 'openat EMFILE 0' 'flock ENOLCK 0' 'read EIO 0' \
	    'write ENOSPC 1' 'fsync EIO 1' '/^rename EACCES 1'; do
		# shellcheck disable=SC2086 # words are meant
		set -- $fault
		run faulty "$1" "error=$2"
		is "$1 $2: an error" "$code $(attempts)" "125 $3"
		is "$1 $2: in one line" "$(printf '%s\n' "$err" |
		    grep -c '^retry: tries: --state: /.*/state: ')" 1
		check "$1 $2: in one line, and the state stays" cmp state before
		check "$1 $2: in one line, with nothing beside it" not test -e state.new
	done

	for fault in 'write retval=9' 'close error=EIO'; do
		# shellcheck disable=SC2086 # words are meant
		run faulty $fault
		is "$fault: an error" "$code" 125
		check "$fault: an error, and the state stays" cmp state before
	done
	run faulty write retval=9
	like 'a write that takes less than all finds the disk full' "$err" \
	    'cannot be written: No space left'
	# Killed at each step of writing it.
	for call in openat write fsync close /^rename; do
		cp before state
		run faulty "$call" 'signal=KILL'
		n=$(kept n)
		is "killed in $call: the old or the new" \
		    "$code $((n == 1 || n == 2))" '137 1'
		run retry -q --state=state -a 1 -d 1us -m 1us ./tries 7
		is "killed in $call: the old or the new, and the next run goes on from it" "$code $err $(kept n)" \
		    "7  $((n + 1))"
	done

	rm -f attempts

	# With all that has a file switched on, any call that fails leaves a run
	# that ends in its own status or in 125, and says why.
	for call in openat flock pread64 pwrite64 write fsync lseek fcntl \
	    pipe2 ftruncate close; do
		bad=
		for when in 1 2 4 8+; do
			run timeout 20 strace -qq -o trace -e "trace=$call" \
			    -e "inject=$call:error=EIO:when=$when" \
			    retry -a 2 -d 1us -m 1us -t 9 --state=all-state \
			    --budget=all-budget --log=text --log=json:all-log \
			    --output=chronic ./tries 7
			case $code:$err in
			7:* | 125:*retry:* | 12[57]:*'shared libraries'*) ;;
			*) bad="$bad $when ($code: $err)" ;;
			esac
		done
		is "$call EIO ends in a status and a line" "$bad" ''
	done
	rm -f attempts
else
	skip 'system calls that fail' 'strace cannot trace here'
fi

# On a disk that is full. A name space of its own has room for one.
cat >full <<'END'
mount -t tmpfs -o size=16k tmpfs "$1" && cd "$1" &&
"$RETRY" -q -a 1 -d 1us -m 1us --state=state --budget=budget false
cp state before
cat /dev/zero >filler 2>/dev/null
"$RETRY" -q -a 2 -d 1us -m 1us --state=state --budget=other false
echo "$?"
cmp state before && ls
END
mkdir small
if unshare -rm true 2>/dev/null && unshare -rm sh full small >/dev/null 2>&1
then
	run unshare -rm sh full small
	is 'a full disk is an error, and the state stays' \
	    "$(printf %s "$out" | tr '\n' ' ')" \
	    '125 before budget filler other state state.lock'
	like 'what cannot be remembered is said' "$err" \
	    '^retry: false: --state: state: cannot be written: No space left'
	like 'the budget is no obstacle' "$err" \
	    '^retry: false: --budget: other: No space left .*; the retry is allowed$'
else
	skip 'a full disk is an error' 'no file system can be mounted here'
fi

# Killed at any moment; ROUNDS has more of it.
rm -f state state.*
failures=0
for i in $(seq "${ROUNDS:-40}"); do
	retry -q --state=state -a 3 -d 1us -m 1us false 2>>damage &
	sleep "0.00$((i % 7))"
	kill -KILL $! 2>/dev/null
	wait $! 2>/dev/null
	retry -q --state=state -a 1 -d 1us -m 1us false 2>>damage
	[ $? -eq 1 ] || failures=$((failures + 1))
done
is 'runs that are killed at any moment damage nothing' \
    "$failures$(cat damage)" 0
check 'runs that are killed at any moment damage nothing, and leave nothing aside' not test -e state.damaged

finish
