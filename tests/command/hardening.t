#!/bin/sh
#
# What compiler, linker and kernel can do against mistakes is done.

# SPDX-License-Identifier: MIT

. lib/harness.sh

optimized() {
	grep -q -e ' -O[123s]' "$TEST_BUILD/compile_commands.json"
}

# instrumented: for a sanitizer, a fuzzer or coverage, which add their own.
instrumented() {
	grep -q -e '-fsanitize=' -e '--coverage' \
	    "$TEST_BUILD/compile_commands.json"
}

objects() {
	find "$TEST_BUILD"/lib*.a.p "$TEST_BUILD/retry.p" -name '*.o'
}

dynamic=$(readelf -dW "$RETRY")
segments=$(readelf -lW "$RETRY")

like 'the program may be loaded anywhere' "$dynamic" 'FLAGS_1.*PIE'
like 'what is relocated becomes read-only' "$segments" GNU_RELRO
# shellcheck disable=SC2016 # for the inner shell
run retry sh -c 'cat /proc/$PPID/maps'
base=$(printf '%s\n' "$out" | sed -n '/\/retry$/ { s/-.*//p; q; }')
is 'what is relocated becomes read-only, in memory as well' "$(printf '%s\n' \
    "$segments" | sed -n 's/^ *GNU_RELRO *//p' |
    while read -r _ begin _ _ size _; do
	last=$((0x$base + ((begin + size) & ~4095) - 1))
	printf '%s\n' "$out" | while IFS='- ' read -r from to flags _; do
		[ $last -lt $((0x$from)) ] || [ $last -ge $((0x$to)) ] ||
			echo "$flags"
	done
done)" r
like 'all of it, since it is bound at once' "$dynamic" '\(FLAGS.* BIND_NOW|FLAGS_1.* NOW'
like 'the stack cannot be executed' "$segments" 'GNU_STACK .* RW '
unlike 'nothing is writable and executable' "$segments" ' RWE '
unlike 'no text is relocated' "$dynamic" TEXTREL

symbols=$(nm "$RETRY")
like 'the stack is protected' "$symbols" '__stack_chk_fail'
if instrumented || ! optimized; then
	skip 'calls of libc are fortified' 'a build for other ends'
	skip 'no variable but messages outlives its function' \
	    'a build for other ends'
	skip 'nothing is loaded but libc and libm' 'a build for other ends'
else
	if musl; then
		skip 'calls of libc are fortified' 'musl has nothing for that'
	else
		like 'calls of libc are fortified' "$symbols" \
		    '__(sn|vsn|f)printf_chk'
	fi
	# shellcheck disable=SC2046 # names without blanks
	is 'no variable but messages outlives its function' \
	    "$(size -A $(objects) | awk '
		/ :$/ { file = $1 }
		$1 ~ /^\.t?(data|bss)/ && $1 !~ /\.ro/ && $2 > 0 &&
		    file !~ /src_sys_messages\.c\.o$/ {
			print file, $1
		}')" ''
	if [ "${TEST_LIBRARIES:-static}" = shared ]; then
		skip 'nothing is loaded but libc and libm' \
		    'a build with shared libraries'
	else
		unlike 'nothing is loaded but libc and libm' "$dynamic" \
		    'NEEDED.*\[(lib([^cm]|[cm][^.])|[^l])'
	fi
fi

case $(uname -m)$(cat "$TEST_BUILD/compile_commands.json") in
x86_64*-fcf-protection*)
	# shellcheck disable=SC2046 # names without blanks
	is 'jumps go where they may' \
	    "$(readelf -nW $(objects) | grep -c IBT)" "$(objects | wc -l)" ;;
*)
	skip 'jumps go where they may' 'not on this processor, or with this libc' ;;
esac

# shellcheck disable=SC2046 # names without blanks
unlike 'nothing unbounded is called, and no shell' "$(nm -u $(objects))" \
    ' U (gets|v?sprintf|strn?c(py|at)|ato[il]|system|popen|mktemp|tmpnam)$'

# Under a sanitizer strace is in the way.
if instrumented || ! command -v strace >/dev/null; then
	skip 'no descriptor is for others' 'strace cannot look'
	skip 'no link is followed, no reader waited for' 'strace cannot look'
else
	calls=open,openat,creat,dup,dup2,dup3,fcntl,pipe,pipe2,socket
	calls=$calls,signalfd4,epoll_create1,eventfd2
	run strace -o trace -e trace="$calls" \
	    retry -q -a 2 -d 0 -t 9 --output=hold --stdin=replay --log=json:log \
	    --state=state --budget=budget:rate=1 --check='exit 1' true
	is 'no descriptor is for others' "$code $(grep -v \
	    -e CLOEXEC -e 'F_[GS]ET' -e '^[+-]' trace)" '1 '
	is 'no link is followed, no reader waited for' "$(awk -F'"' '
		/"(log|state|budget)/ {
			others[$2] += !/O_NONBLOCK.*O_NOFOLLOW/
		}
		END { for (name in others) print name, others[name] }' trace |
	    sort)" 'budget 0
log 0
state 0
state.lock 0
state.new 0'
fi

# setuid PROGRAM: a copy that would run as its owner, root.
setuid() {
	cp "$1" "${1##*/}.setuid" && chmod 4755 "${1##*/}.setuid"
}

# as_nobody COMMAND...
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

refusal='it refuses to run setuid'
if [ "$(id -u)" -ne 0 ]; then
	skip "$refusal" 'only root can try'
elif ! chmod 711 .. . || ! setuid "$(command -v id)" ||
    [ "$(as_nobody ./id.setuid -u)" != 0 ]; then
	skip "$refusal" 'setuid means nothing here'
else
	setuid "$RETRY"
	run as_nobody ./retry.setuid true
	is "$refusal" "$code $err" "125 retry: refuses to run setuid, setgid or \
with capabilities of its file"
fi
refusal='nor does it run with capabilities of its file'
cp "$RETRY" capable
if setcap cap_kill+ep capable 2>/dev/null; then
	run as_nobody ./capable true
	is "$refusal" "$code" 125
	run ./capable true
	is "$refusal, but root has them anyway" "$code" 0
else
	skip "$refusal" 'setcap is not installed, or means nothing here'
fi

finish
