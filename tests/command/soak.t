#!/bin/sh
#
# A long run costs what a short one does.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

attempts=1000
sanitized && attempts=300

# What retry has at an early attempt and at the last one: its memory, its
# descriptors, its children that are dead.
run "$RETRY" -q -a $attempts -d 0 sh -c '
	case $RETRY_ATTEMPT in
	50|'$attempts')
		sed -n "s/^RssAnon:[[:space:]]*//p" /proc/$PPID/status >>memory
		ls /proc/$PPID/fd | wc -l >>descriptors
		ps --ppid $PPID -o stat= | grep -c Z >>zombies ;;
	esac
	exit 9'
is "$attempts attempts end in the status of the last" "$code" 9
if sanitized; then
	skip 'memory does not grow' 'AddressSanitizer keeps what was freed'
else
	is 'memory does not grow' "$(tail -n 1 memory)" "$(head -n 1 memory)"
fi
is 'no descriptor is lost' "$(tail -n 1 descriptors)" \
	"$(head -n 1 descriptors)"
is 'no dead child is left' "$(paste -sd ' ' zombies)" '0 0'

# An attempt may begin before retry has closed what it opened for it.
echo input >input
for options in --budget=bucket:tokens=9,rate=1000000 --timeout=1d \
    '--output=last --check=false' '--output=hold --before-retry=:' \
    '--output=chronic --check=false' --fail-match=never --state=state \
    --stdin=replay; do
	rm -f descriptors
	# shellcheck disable=SC2086 # words
	run "$RETRY" -q -a 20 -d 0 $options sh -c '
		ls /proc/$PPID/fd | wc -l >>descriptors
		exit 9' <input
	is "$options makes all attempts" "$(wc -l <descriptors)" 20
	check "$options makes all attempts, and none loses a descriptor" test \
	    "$(tail -n 1 descriptors)" -lt "$(($(head -n 1 descriptors) + 10))"
done

# A wait is one wake-up, and so is an attempt, but for the end of its timer.
if have 'a wait costs few wake-ups' strace; then
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	export ASAN_OPTIONS
	strace -o trace -e trace="$(any_libc pselect6)" "$RETRY" -q -a 2 -j none -d .5 false
	calls=$(grep -cE '^(pselect6|select)' trace)
	note "$calls calls of pselect6"
	check 'two attempts and a wait are no more than six wake-ups' \
		test "$calls" -le 6
	if have 'a reader that takes its time is waited for' python3; then
		cat >late.py <<'END'
import socket, subprocess, sys, time
here, there = socket.socketpair()
there.setblocking(False)
run = subprocess.Popen(sys.argv[1:], stdout=there)
there.close()
time.sleep(.5)
while piece := here.recv(1 << 16):
    sys.stdout.buffer.write(piece)
END
		python3 late.py strace -f -o trace -e trace=sendto \
		    "$RETRY" --output=last seq 300000 >got
		calls=$(grep -c EAGAIN trace)
		note "$calls writes found no room"
		check 'a reader that takes its time is not asked again and again' \
			test "$calls" -le 200
		is 'a reader that takes its time is not asked again and again, and gets all bytes' "$(cksum <got)" "$(seq 300000 | cksum)"
	fi
fi

finish
