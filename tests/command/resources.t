#!/bin/sh
#
# Few descriptors, little memory, no process, and a helper that is killed: a run
# ends in a status and a line that says why.  scripts/torture fails single system
# calls.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

have 'scarce resources are survived' strace || finish

# LeakSanitizer cannot run under strace.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

clone=$(any_libc clone)
run setsid -w strace -o trace -e trace="$clone" \
    -e inject="$clone:error=EAGAIN:when=1..20" "$RETRY" -q -a 21 -d 0 \
    sh -c 'ls /proc/$PPID/fd | wc -l'
check 'attempts without a process lose no descriptor' test "$out" -lt 20

# Nothing waits then: neither an attempt nor a delay.
run setsid -w strace -o trace -e trace="$clone" \
    -e inject='clone:error=EAGAIN:signal=TERM:when=5+' \
    -e inject='?fork:error=EAGAIN' "$RETRY" -q -a 50 -d 0 false
is 'a signal ends a run that can start no process' "$code" 143

# Of the pipes for the output, and of that which ends the collector, one cannot
# be made; those made before are closed.
for when in 2 3; do
	setsid -w strace -o trace -e trace=pipe2,close \
	    -e inject=pipe2:error=EMFILE:when=$when \
	    "$RETRY" --output=all true >/dev/null 2>said
	is "without pipe $when the ends of the others are closed" "$(awk -F '[^0-9]+' '
	    /^pipe2.* = 0/ { open[$3] = open[$4] = 1 }
	    /^close/ { delete open[$2] }
	    END { for (end in open) print end }' trace |
	    sort | xargs)" ''
done

# A sandbox may forbid getrandom(2): the delays are random all the same.
# without CALL RETRY-OPTION...: what a run is that may not make the call.
without() {
	call=$(any_libc "$1")
	shift
	run setsid -w strace -o trace -e trace="$call" \
	    -e inject="$call:error=EPERM" "$RETRY" "$@"
}
for options in '-j full' '--splay=1ms -j none' '-b decorrelated' '-j none'; do
	# shellcheck disable=SC2086 # words
	without getrandom -q -a 2 -d 1ms $options sh -c 'exit 3'
	is "$options without getrandom(2) changes nothing" "$code$err" 3
done
without getrandom --plan
is 'a plan needs no getrandom(2)' "$code" 0
: >seeds
for options in 1 2 3; do
	without getrandom -q -d 1ms --log=json:fd:1 true
	printf '%s\n' "$out" | jq 'select(.event == "start").seed' >>seeds
done
is 'each seed without getrandom(2) is another' "$(sort -u seeds | wc -l)" 3
without getppid sh -c 'exit 3'
is 'without getppid(2) an attempt has its own status' "$code" 3

run sh -c 'exec 2>&1; exec strace -f -o trace -e trace="$1" \
    -e inject="$1:delay_exit=200000" "$RETRY" -q --output=chronic -a 2 -d 0 \
    --budget=/ sh -c "echo \$RETRY_ATTEMPT; exit 3"' sh "$(any_libc clone)"
is 'a message comes before the output of an attempt that begins after it' \
    "$(printf '%s\n' "$out" | cut -d ' ' -f 1-3 | paste -sd ' ')" \
    '1 retry: sh: --budget: 2'

# Few descriptors: all that retry needs is one, and a child its own three.
for limit in 3 4 5 6 8 10; do
	run sh -c 'ulimit -n '$limit' && exec "$RETRY" -a 2 -d 1ms \
		sh -c "exit 3"'
	case "$code $err" in
	'3 '*) tap_result 0 "ulimit -n $limit is enough" ;;
	*'shared libraries'*)
		skip "ulimit -n $limit is enough" 'not for the C library' ;;
	*) is "ulimit -n $limit ends in 125 and a line" \
		"$code $(printf %s "$err" | grep -vc '^profiling:')" \
		'125 1' ;;
	esac
done

# One of which is free because standard input is closed.
for limit in 8 9 10 11 12 13 14 15; do
	for mode in hold chronic; do
		run sh -c 'exec prlimit --nofile='$limit' timeout -s KILL 60 \
			"$RETRY" --output='$mode' -a 1 -t 30 true <&-'
		like "ulimit -n $limit: --output=$mode ends" "$code" '^(0|125)$'
	done
done

run sh -c 'ulimit -f 0; exec "$RETRY" -a 2 -d 1ms sh -c "exit 3" 2>file'
is 'ulimit -f 0 changes nothing' "$code" 3

if sanitized; then
	skip 'little memory ends in a status' 'AddressSanitizer needs much'
elif [ -n "${GCOV_ERROR_FILE-}" ]; then
	# It ends where the kernel cannot make the stack as large as its frames.
	skip 'little memory ends in a status' 'the program is not optimized'
else
	codes=
	for limit in 3000 4000 5000 6000 8000 12000 20000; do
		run sh -c 'ulimit -v '$limit' && exec "$RETRY" -q -a 2 -d 1ms \
			/bin/sh -c "exit 3"'
		codes="$codes $code"
	done
	unlike 'little memory ends in a status' "$codes" '13[0-9]'
	note "statuses under ulimit -v:$codes"
fi

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 711 "$T" "${T%/*}"
	run setpriv --reuid 65534 --regid 65534 --clear-groups \
		prlimit --nproc=1 "$RETRY" -a 2 -d 1ms true
	case $err in
	*'could not be forked'*)
		is 'RLIMIT_NPROC ends in 125' "$code" 125 ;;
	*) skip 'RLIMIT_NPROC ends in 125' 'it was not enforced' ;;
	esac
else
	skip 'RLIMIT_NPROC ends in 125' 'this needs root and setpriv'
fi

finish
