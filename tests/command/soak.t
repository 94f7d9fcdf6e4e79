#!/bin/sh
#
# A long run costs what a short one does.
#
# shellcheck disable=SC2016 # it is for another shell to expand

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

# A wait is one wake-up, and so is an attempt, but for the end of its timer.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	export ASAN_OPTIONS
	strace -o trace -e trace="$(any_libc pselect6)" "$RETRY" -q -a 2 -j none -d .5 false
	calls=$(grep -cE '^(pselect6|select)' trace)
	note "$calls calls of pselect6"
	check 'two attempts and a wait are no more than six wake-ups' \
		test "$calls" -le 6
else
	skip 'a wait costs few wake-ups' 'strace cannot trace here'
fi

finish
