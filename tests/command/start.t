#!/bin/sh
#
# How a command is started: whatever happens on the way, `retry` hears signals,
# keeps its limits and says what went wrong.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

# An exec that hangs, as on a network file system.

cp /bin/true slow
run late ./slow 0 "$RETRY" -q -a 1 true
if [ "$code" -eq 77 ]; then
	skip 'limits and signals end an exec that hangs' "$err"
else
	is 'what is not executed does not hang' "$code $out" '0 not executed'
	while read -r want signal options; do
		# shellcheck disable=SC2086 # words are meant
		run late ./slow "$signal" "$RETRY" -q $options ./slow
		is "an exec that hangs is ended: signal $signal, $options" \
		    "$code $out" "$want "
	done <<'end'
124 0 -a 1 -T .3
124 0 -a 2 -d 0 -t .3
124 0 -a 2 -d 0 -t .3 -s INT -k .1
143 15 -d 100d
130 2 -d 100d -t 100d
end
	run late ./slow 15 "$RETRY" -q -d 100d --check='exec ./slow' true
	is "an exec that hangs is ended: signal $signal, $options, so is a check" "$code $out" '143 '
	run late ./slow 0 "$RETRY" -q -a 1 --health='echo >>probed; false' \
	    --health-interval=50ms --health-retries=2 ./slow
	is 'a probe runs beside it' "$code $(wc -l <probed)" '124 2'
fi

# Scripts without #!, which libc has the shell run, found in $PATH or not.

mkdir bin denied
echo 'echo "$0: $# $1"' >bin/plain
echo 'echo denied' >denied/plain
chmod +x bin/plain
run env PATH="/nosuch:$T/bin/plain:$T/bin:$PATH" "$RETRY" plain 'a b' c
is 'a script without #! is found in $PATH' "$out" "$T/bin/plain: 2 a b"
printf '\177ELF\2\1\1\0of another kind\n' >bin/foreign
chmod +x bin/foreign
run retry bin/foreign
like 'a program for another machine is not taken for one' "$code $err" \
    '^126 retry: cannot execute bin/foreign: Exec format error$'
run sh -c 'cd bin && PATH=:$PATH exec retry plain x'
is 'an empty word in $PATH is the current directory' "$out" 'plain: 1 x'
stack=192
! sanitized || stack=256
run sh -c 'ulimit -s "$1"
	exec retry -a 1 bin/plain $(yes a | head -n 7000)' sh $stack
is 'a command may have many arguments on a small stack' "$code $out" \
    '0 bin/plain: 7000 a'
for option in --output=hold --stdin=replay; do
	run sh -c 'ulimit -s 192
		echo x | exec retry -a 1 "$1" cat' sh $option
	is "$option is content with one, too" "$code $out" '0 x'
done
run sh -c 'ulimit -s 128; exec retry -a 1 true'
is 'a stack that is too small for retry is told' "$code $err" \
    '125 retry: the stack is limited to 128 KiB, but 192 are needed: ulimit -s'
long=$(printf '/%05000d' 0)
run env PATH="$long:$T/bin" "$RETRY" -a 1 plain x
is 'a folder whose name is too long is skipped' "$code $out" \
    "0 $T/bin/plain: 1 x"
run env PATH="$T/bin:$long" "$RETRY" -a 1 nosuch
like 'a folder whose name is too long is skipped, and hides no error' "$code $err" \
    '^127 retry: cannot execute nosuch: command not found'
run env LISTEN_FDS=0 sh -c '
	LISTEN_PID=$$ exec "$0" sh -c "echo \$((LISTEN_PID - \$\$))"' "$RETRY"
is 'a command learns its own number for its sockets' "$out" 0
run env PATH="$T/denied:/nosuch" "$RETRY" plain
is 'what may not be executed is 126' "$code" 126
like 'what may not be executed is 126, and told' "$err" 'cannot execute plain: no execute permission: chmod \+x .*/denied/plain$'
for name in nosuch ''; do
	run env PATH="$T/bin:/nosuch" "$RETRY" "$name"
	is "what is not found is 127: '$name'" "$code" 127
	like "what is not found is 127: '$name', and told" "$err" 'command not found|the command is empty'
done
run env -u PATH "$RETRY" -d 0 sh -c 'exit 3'
is 'without $PATH the usual places are searched' "$code" 3
mkdir directory && : >empty
for name in directory empty; do
	run env -u PATH "$RETRY" "$name"
	like "without \$PATH this folder is not searched for: $name" "$code $err" \
	    '^127 retry: cannot execute [a-z]*: command not found'
done

# Errors on the way.

export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # strace(1) traces too
if strace -o trace true 2>/dev/null; then
	run strace -f -o trace -e trace=dup2,dup3 \
	    -e inject=dup2,dup3:error=EIO:when=1 \
	    "$RETRY" --output=hold -a 1 -d 0 true
	is 'a child that cannot get its descriptors is not executed' "$code" 126
	like 'a child that cannot get its descriptors is not executed, which is told' "$err" '(Input/output|I/O) error$'

	run strace -f -o trace -e trace=dup2,dup3 \
	    -e inject=dup2,dup3:signal=STOP:when=1 \
	    "$RETRY" --output=hold -a 1 -t .2 true
	is 'a child that is stopped before its exec keeps no limit from its work' \
	    "$code $(grep -c 'stopped by' trace)" '124 1'

	# Up to its exec an attempt shares the memory of retry, if it may.
	run strace -o trace -e trace=clone "$RETRY" true
	if grep -q CLONE_VM trace; then
		for error in EINVAL ENOSYS EPERM; do
			run strace -o trace -e trace="$(any_libc clone)" \
			    -e inject=clone:error=$error:when=1 \
			    "$RETRY" -a 2 -d 0 sh -c 'exit 3'
			is "a child that may share no memory is forked: $error" \
			    "$code $(grep -c '(' trace) $(grep -c CLONE_VM \
				trace)" '3 3 1'
		done
		run env LD_PRELOAD=/nonexistent strace -o trace -e trace=clone \
		    "$RETRY" true
		is 'a child that preloaded libraries may want to see is forked' \
		    "$code $(grep -c CLONE_VM trace)" '0 0'
	else
		skip 'a child that may share no memory is forked' \
		    'none shares it in this build'
	fi
	for error in ENOENT EACCES EPERM ENXIO; do
		set -- strace -o trace -P /dev/tty \
		    -e inject="$(any_libc openat):error=$error" \
		    "$RETRY" sh -c 'ps -o pgid= $PPID $$ | uniq | wc -l'
		run setsid -w "$@"
		is "a group for an attempt without a terminal, $error" "$out" 2
		[ $error != ENXIO ] || continue
		run python3 "$TESTS/lib/terminal.py" 80 -- "$@"
		is "no group for an attempt with a terminal that gives $error" \
		    "$(printf '%s\n' "$out" | head -n 1)" 1
	done
else
	skip 'errors on the way are told' 'strace cannot trace here'
fi

# A name space of processes that only the children enter.

own='--user --map-root-user'
[ "$(id -u)" -eq 0 ] && own=
# shellcheck disable=SC2086 # words are meant
if unshare $own --pid true 2>/dev/null; then
	run unshare $own --pid "$RETRY" -a 1 sh -c 'echo hi; exit 3'
	is 'the first process of a name space may be the attempt' \
	    "$code $out" '3 hi'
else
	skip 'the first process of a name space may be the attempt' \
	    'no name space can be made'
fi
if [ -z "$own" ] && unshare --pid --fork true 2>/dev/null; then
	unshare --pid --fork sleep 100d &
	wait_for pgrep -P $!
	first=$(pgrep -P $!)
	# shellcheck disable=SC2016 # it is for the inner shell
	run nsenter --no-fork --pid --target "$first" "$RETRY" -a 2 -d 0 \
	    --output=hold --success-match=hi sh -c '
		echo hi; exit $((2 - RETRY_ATTEMPT))'
	is 'it may be one that others are in, also of what holds the output' \
	    "$code $out" '0 hi'
	kill -KILL "$first"
else
	skip 'it may be one that others are in, also of what holds the output' \
	    'root is needed, and a name space'
fi

finish
