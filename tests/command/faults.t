#!/bin/sh
#
# A system call that fails ends in a status and a line that says so, or in
# nothing at all: never in an abort, a hang, an orphan or silence.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

have 'faults are survived' strace || finish

# LeakSanitizer cannot run under strace.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

# inject FAULT RETRY-OPTION...: only retry itself meets the fault, where it has
# no terminal; with $follow the processes that it starts do too.
follow=
inject() {
	fault=$(any_libc "$1")
	shift
	set -- setsid -w strace $follow -o trace -e trace="${fault%%:*}" \
	    -e inject="$fault" "$RETRY" "$@"
	# Nothing is sent to a regular file, which runs may share.
	case $fault in
	sendfile*) run sh -c '{ "$@"; echo $? >piped; } | cat
		exit "$(cat piped)"' sh "$@" ;;
	*) run "$@" ;;
	esac
}

# fails FAULT WORDS: the run ends in 125 and one line.
fails() {
	inject "$1" -a 2 -d 1ms sh -c 'exit 3'
	is "$1 ends in 125 and one line" "$code $(printf %s "$err" | grep -c '')" \
		'125 1'
	like "$1 is told" "$err" "^retry: .*$2"
}

# survives FAULT: the run is what it would have been.
survives() {
	inject "$1" -a 2 -d 1ms sh -c 'exit 3'
	is "$1 changes nothing" "$code" 3
}

fails signalfd4:error=EMFILE '(Too many open files|No file descriptors)'
fails signalfd4:error=ENOMEM '(Cannot allocate|Out of) memory'
fails pselect6:error=ENOMEM '(Cannot allocate|Out of) memory'
fails pselect6:error=EINVAL 'Invalid argument'
fails pselect6:error=EBADF 'the event loop cannot wait$'
fails wait4:error=ECHILD 'cannot wait for the child'
inject pselect6:error=EBADF --output=chronic -a 2 sh -c 'exit 3'
is 'what holds messages back ends in 125 too' "$code" 125
like 'and does not hold that one' "$err" 'cannot wait'
survives pselect6:error=EINTR:when=1..40
survives wait4:error=EINTR:when=1..40
survives prctl:error=EINVAL
survives setpgid:error=EPERM
survives getppid:retval=1:when=99
survives write:error=EIO
survives write:error=ENOSPC
survives write:error=EPIPE
survives write:error=EAGAIN

# A plan is longer than the buffer: its first part is lost, its last is not.
for options in --plan '--plan --log=json'; do
	# shellcheck disable=SC2086 # words
	inject write:error=ENOSPC:when=1 $options -a 100 --seed=1
	is "$options that is written in part ends in 125" "$code" 125
	like 'and is told' "$err" '^retry: standard output: '
done

# The seed of all draws is asked for once, if there is anything to draw.
for error in ENOSYS EAGAIN; do
	for options in '-j full' '--splay=1ms -j none' '-b decorrelated' '--plan'
	do
		# shellcheck disable=SC2086 # words
		inject getrandom:error=$error -a 2 -d 1ms $options touch ran
		is "$options without a seed ($error) ends in 125 and one line" \
			"$code $(printf %s "$err" | grep -c '')" '125 1'
		like 'which is told' "$err" '^retry: cannot seed the random draws: '
		check 'before anything is run' not test -e ran
	done
	inject getrandom:error=$error -a 2 -d 1ms -j none sh -c 'exit 3'
	is "without a draw no seed is asked for ($error)" "$code" 3
	inject getrandom:error=$error -a 2 -d 1ms --seed=1 sh -c 'exit 3'
	is "--seed needs none ($error)" "$code" 3
done
inject getrandom:error=EINTR:when=1..40 -a 2 -d 1ms -j full sh -c 'exit 3'
is 'a seed that is interrupted is asked for again' "$code" 3

for error in EAGAIN ENOMEM; do
	inject clone:error=$error -a 3 -d 1ms sh -c 'exit 3'
	is "no process at all ($error) ends in 125" "$code" 125
	like 'and each attempt is told' "$err" 'attempt 3/3 could not be forked'
	inject clone:error=$error:when=1 -a 3 -d 1ms sh -c 'exit 3'
	is "a process in the second attempt ($error) is enough" "$code" 3
done
inject clone:error=EAGAIN:when=1 --output=hold -a 2 -d 1ms sh -c 'exit 3'
is 'no process for the output ends in 125' "$code" 125
like 'and is told' "$err" '^retry: sh: cannot start a process for the output: '
inject clone:error=EAGAIN -q -a 2 -d 1ms true
is '--quiet tells the last of them' "$err" 'retry: true: attempt 2/2 could not be'\
' forked: Resource temporarily unavailable'"${err##*unavailable}"
inject clone:error=EAGAIN -a 2 -d 1ms --stop-on=unforked true
like 'stopping on it is possible' "$err" 'after 1 attempt .*stop-on'

inject clone:error=EAGAIN:when=1..20 -q -a 21 -d 0 \
    sh -c 'ls /proc/$PPID/fd | wc -l'
check 'attempts without a process lose no descriptor' test "$out" -lt 20

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

# No look for a terminal waits for the carrier of a serial line.
run setsid -w strace -o trace -e trace=openat "$RETRY" -a 1 true
check 'a terminal is looked for' grep -q '"/dev/tty"' trace
is 'and opened without waiting' \
    "$(grep '"/dev/tty"' trace | grep -v O_NONBLOCK)" ''

# The errors of exec come back in a shared page; another one is the collector's.
if sanitized; then
	skip 'no page to share ends in 125' 'AddressSanitizer maps many'
else
	run strace -o trace -e trace="$(any_libc mmap)" "$RETRY" /nonexistent
	is 'what cannot be executed ends in 127' "$code" 127
	like 'which is told' "$err" '^retry: .*/nonexistent.*No such file'
	# shellcheck disable=SC2013 # words are numbers
	for number in $(grep -n 'MAP_SHARED|MAP_ANON' trace | cut -d: -f1); do
		inject "mmap:error=ENOMEM:when=$number" -a 1 true
		is "no page to share ends in 125 (call $number)" "$code" 125
		like 'and is told' "$err" \
		    '^retry: .*(Cannot allocate|Out of) memory'
	done
fi

inject setrlimit:error=EPERM -a 1 sh -c 'kill -TERM $$'
is 'a death by a signal needs nothing else' "$code" 143
# In its own group, and with --timeout, an attempt leaves what ignores SIGTERM.
for error in EPERM EINVAL; do
	inject prctl:error=$error -a 2 -d 0 -t .3 -k 9 --stop-on=124 \
		sh -c "trap '' TERM; (exec sleep 986.$$) & trap - TERM; wait"
	is "without a subreaper ($error) a timeout ends in 124" "$code" 124
	is 'which is told once' \
		"$(printf '%s\n' "$err" | grep -c '^retry: sh: --timeout and .*prctl')" 1
	check 'and what is left in the group is killed' \
		wait_for not pgrep -f "^sleep 986.$$\$"
done
inject prctl:error=EINVAL -q -a 1 -t .3 -k 100d sleep 100d
is 'and none that cannot be seen to end is waited for' "$code" 124
for call in pidfd_open pidfd_send_signal; do
	for error in ENOSYS EPERM; do
		inject $call:error=$error -a 1 -t .3 -k .1 \
			sh -c "setsid sleep 987.$$ & wait"
		is "$call that fails ($error) does not keep a timeout from 124" \
			"$code" 124
		check 'and nothing is left' not pgrep -f "^sleep 987.$$\$"
	done
done
# Of a process that cannot be looked at nothing is known, unless it is gone.
for error in EMFILE ENFILE ENOMEM EACCES; do
	run setsid -w strace -o trace -P /proc/1/stat -e trace="$(any_libc openat)" \
	    -e inject="$(any_libc openat):error=$error" \
	    "$RETRY" -q -a 1 -t .3 -k .1 sh -c "setsid sleep 985.$$ & wait"
	hidden=$(printf '%s\n' "$err" |
	    grep -c ': cannot see what a timed-out attempt leaves: /proc: ')
	case $error in
	EACCES)
		is "another user's process ($error) hides nothing" "$hidden" 0
		check 'and nothing is left' not pgrep -f "^sleep 985.$$\$" ;;
	*)
		is "too little to look at processes ($error) is told" "$hidden" 1
		pkill -KILL -f "^sleep 985.$$\$" ;;
	esac
done
inject kill:error=EPERM -a 1 -T .3 -k .1 sleep 100d
like 'what cannot be signalled is named' "$err" \
	'cannot signal process [0-9]+: Operation not permitted'
is 'and not waited for beyond --max-time' "$code" 124

for question in --check --before-retry; do
	inject clone:error=EAGAIN:when=2 -a 2 -d 1ms $question=true \
		sh -c 'exit 3'
	is "$question without a process ends in 125" "$code" 125
	like 'and is told' "$err" "cannot run $question"
done
inject clone:error=EAGAIN:when=2 -a 1 --on-give-up=true sh -c 'exit 3'
is "--on-give-up without a process changes nothing" "$code" 3
like 'and is told' "$err" 'cannot run --on-give-up'

# Streams: only a closed one is none, and no byte is lost without a word.
# stream FAULT WORDS RETRY-OPTION...: the run ends in 125 and one line.
stream() {
	fault=$1 words=$2
	shift 2
	inject "$fault" "$@" <input
	is "$fault ($words): $* ends in 125 and one line" \
	    "$code:$(printf '%s\n' "$err" |
		sed -n 's/: [A-Z].*//; s/^retry: \(true\|cat\|sh\): //p')" \
	    "125:$words"
}
# copied FAULT NAME RETRY-OPTION...: the bytes arrive all the same.
copied() {
	fault=$1 name=$2
	shift 2
	inject "$fault" "$@" cat <input
	check "$fault: $name" grep -q INJECTED trace
	is "$fault: $name, and it arrives" "$(printf '%s\n' "$out" | cksum)" \
	    "$(cksum <input)"
}
seq 50000 >input
# number CALL ERE OPTION...: which of retry's calls is the first like that
number() {
	call=$1 like=$2
	shift 2
	inject "$call:error=EIO:when=9999" "$@" <input
	numbers | head -n 1
}
# last CALL ERE OPTION...: and which is the last
last() {
	number "$@" >/dev/null
	numbers | tail -n 1
}
# numbers: of the calls in the trace that are like that; strace(1) counts each
# name apart.
numbers() {
	like=$like awk -F '[(]' '{ calls[$1]++ }
	    $0 ~ "^[a-z0-9_]+[(]" ENVIRON["like"] { print calls[$1] }' trace
}
for call in newfstatat fstat statx; do
	at=$(number $call 0, true)
	[ -z "$at" ] || stream "$call:error=EIO:when=$at" 'standard input' true
	at=$(last $call 1, --output=hold true)
	[ -z "$at" ] || stream "$call:error=EIO:when=$at" 'standard output' \
	    --output=hold cat
done
# Held output gets out, or it is told that it cannot.
for mode in hold last; do
	at=0 lost=
	while at=$((at + 1)); [ $at -lt 30 ]; do
		inject "newfstatat:error=EIO:when=$at" --output=$mode echo held \
		    <input
		[ "$out" = held ] || { [ "$code" -ge 125 ] && [ -n "$err" ]; } ||
			lost="$lost $at:$code"
	done
	is "--output=$mode: no fstat that fails loses output" "$lost" ''
done
stream "fcntl:error=EIO:when=$(number fcntl '0, F_GETFL' true)" \
    'standard input' true
at=$(number lseek 0, true)
stream "lseek:error=EIO:when=$at" 'standard input' true
stream "lseek:error=EIO:when=$((at + 1))+" 'standard input' -q -a 3 -d 0 \
    sh -c 'exit 3'
follow=-f
inject "lseek:error=EIO:when=$((at + 1))" --output=chronic -q -a 2 -d 0 \
    sh -c 'exit 3' <input
follow=
like 'held messages have that of the standard input' "$code:$err" \
    '^(125:)?retry: sh: standard input: '
inject "lseek:error=EIO:when=$((at + 1))" -q -a 2 -d 0 \
    sh -c 'echo >>ran; sleep .2; echo >>ran; exit 3' <input
is 'what cannot be read again is not run again' "$code $(wc -l <ran)" '125 2'
stream fcntl:error=EIO 'standard input' --stdin=replay cat
at=$(number openat '.*"/proc/self/fd/' --output=hold --check=true cat)
if [ -n "$at" ]; then
	inject "openat:error=EMFILE:when=$at" --output=hold --check='touch checked' \
	    cat <input
	like 'a check that cannot have the output is told' "$err" \
	    '^retry: cat: cannot run --check: (Too many open files|No file desc)'
	check 'and does not run with another input' not test -e checked
fi
run setsid -w strace -o trace -P /dev/null -e trace="$(any_libc openat)" \
    -e inject="$(any_libc openat):error=EMFILE" \
    "$RETRY" -a 1 --check='touch checked' sh -c 'exit 3' <input
like 'a check without /dev/null is told' "$code:$err" \
    '^125:.*cannot run --check: (Too many open files|No file desc)'
check 'and does not run with standard input instead' not test -e checked
at=$(last pipe2 '' -a 1 --output=chronic --check=false cat)
inject "pipe2:error=EMFILE:when=$((at - 1))" --output=chronic \
    --check='touch checked' cat <input
is 'a check whose output cannot be held ends in 125' "$code" 125
like 'which is told' "$err" '^retry: cat: pipe: '
like 'and does not run' "$err" '^retry: cat: cannot run --check: '
check 'and leaves nothing' not test -e checked
fcntl=$(any_libc fcntl)
strace -o trace -e trace="$fcntl" "$RETRY" --output=last true <&- 2>&-
# The end that the command would be given comes last before the other is set.
at=$(sed '/F_SETFL/q' trace | grep -n F_DUPFD | tail -n 1 | cut -d: -f1)
run sh -c 'exec strace -o trace -e trace='"$fcntl"' \
	-e inject='"$fcntl:error=EMFILE:when=$at"' \
	"$RETRY" --output=last touch ran-on <&- 2>&-'
is 'an output that cannot be held, even untold, ends in 125' "$code" 125
check 'and the command does not run without' not test -e ran-on
run env TMPDIR=/nonexistent strace -o trace -e trace=memfd_create \
    -e inject=memfd_create:error=ENOSYS "$RETRY" --output=last echo out
is 'output that can be held nowhere ends in 125 and one line' "$code:$err" \
    '125:retry: echo: temporary file in /nonexistent: No such file or directory'
follow=-f
for mode in hold last chronic; do
	stream ioctl:error=EIO pipe --output=$mode cat
	stream poll:error=ENOMEM:when=1 poll --output=$mode cat
done
for error in EINVAL ENOSYS EPERM EOPNOTSUPP; do
	copied sendfile:error=$error 'sendfile is not needed' --output=hold
	copied splice:error=$error 'nor is splice' --output=hold
	copied splice:error=$error 'nor for input' --stdin=replay
done
# Standard output has the messages of a check in their order.
for error in ENOSYS EPERM; do
	run sh -c 'exec strace -f -qq -o trace -e trace="$1,splice" \
	    -e inject="$1,splice:error=$2" "$RETRY" --output=chronic -a 2 -d 0 \
	    --check="echo no; exit 1" echo hi 2>&1' sh "$(any_libc sendfile)" \
	    "$error"
	is "$error: what messages are held with is copied" \
	    "$code $(printf '%s\n' "$out" | sed 's/^retry: //; s/ .*//' | xargs)" \
	    '1 hi no echo: hi no echo: echo:'
done
inject splice:error=EIO --stdin=replay cat <input
like 'an error of the standard input is told as it is' "$err" \
    '^retry: cat: standard input: (Input/output|I/O) error$'
# It fails before retry knows that the attempt has begun.
run strace -f -o trace -e trace="$(any_libc poll),$(any_libc clone)" \
    -e inject="$(any_libc clone):delay_exit=200000" \
    -e inject="$(any_libc poll:error=ENOMEM:when=1)" \
    "$RETRY" --output=chronic sh -c 'echo out'
like 'what holds messages tells its own failure' "$code:$err" \
    '^(125:)?retry: sh: poll: (Cannot allocate|Out of) memory$'
run sh -c 'exec 2>&1; exec strace -f -o trace -e trace="$1" \
    -e inject="$1:delay_exit=200000" "$RETRY" -q --output=chronic -a 2 -d 0 \
    --budget=/ sh -c "echo \$RETRY_ATTEMPT; exit 3"' sh "$(any_libc clone)"
is 'a message comes before the output of an attempt that begins after it' \
    "$(printf '%s\n' "$out" | cut -d ' ' -f 1-3 | paste -sd ' ')" \
    '1 retry: sh: --budget: 2'
stream sendfile:retval=0 'standard output' --output=hold cat
follow=
for mode in hold last chronic; do
	stream clone:error=EAGAIN:when=1 \
	    'cannot start a process for the output' --output=$mode cat
done

# An old kernel lacks calls, and a sandbox may seem to.
fails signalfd4:error=ENOSYS 'signalfd: Function not implemented$'
fails pselect6:error=ENOSYS 'select: Function not implemented$'
fails wait4:error=ENOSYS 'cannot wait for the child: Function not implemented$'
# unprepared NAME OPTION...: what the last trace's fault, -a 2 and these options
# end in: 125, one line, and a log in which no attempt began or ended.
unprepared() {
	name=$1 words=$2
	shift 2
	rm -f log
	run setsid -w strace -o trace "$@" -a 2 -d 0 --log=json:log touch never
	is "$name ends in 125 and one line" "$code:$err" \
	    "125:retry: touch: $words: $(strerror)"
	is "$name: no attempt has an outcome" \
	    "$(jq -r '.event, .reason // empty' log | xargs)" 'start end error'
}
# strerror: the text of EMFILE, which depends on the C library.
strerror() {
	printf '%s\n' "$err" | grep -oE 'Too many open files|No file desc.*'
}
unprepared 'an attempt without its /dev/null' /dev/null \
    -P /dev/null -e trace="$(any_libc openat)" \
    -e inject="$(any_libc openat):error=EMFILE" "$RETRY" --stdin=null
unprepared 'an attempt without its pipe' pipe \
    -e trace=pipe2 -e inject=pipe2:error=EMFILE "$RETRY" --output=hold
check 'before anything is run' not test -e never
follow=-f
for call in close_range prctl statx waitid; do
	inject "$call:error=ENOSYS" --output=last -a 2 -d 1ms -t 1h \
	    sh -c 'seq 30000; exit 3'
	is "without $call a run ends as it would" \
	    "$code $(printf '%s\n' "$out" | cksum)" "3 $(seq 30000 | cksum)"
done
for mode in hold last chronic; do
	stream poll:error=ENOSYS poll --output=$mode cat
	stream pipe2:error=ENOSYS pipe --output=$mode cat
done
follow=

# A process that has the output, and that the kernel kills for want of memory.
for mode in hold last chronic; do
	run retry --output=$mode sh -c 'echo x; pkill -KILL -x -P $PPID retry
	    sleep 60'
	is "$mode: output that is lost ends in 125" \
	    "$code:$(printf '%s\n' "$err" | grep '^retry: ')" \
	    '125:retry: sh: the helper process that holds the output was killed'
done
run retry --fail-match=never sh -c 'pkill -KILL -x -P $PPID retry; sleep 60'
is 'so does output that is not searched' "$code:$err" \
    '125:retry: sh: the helper process that holds the output was killed'

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
