#!/bin/sh
#
# --control: an attempt that decides for itself.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2016 # the attempts' shells expand

. lib/harness.sh

# said TEXT STATUS: status and number of attempts of a run whose attempts say
# this and exit so.
said() {
	rm -f tries
	run retry -a 3 -d 0 --control sh -c \
	    'echo >>tries; printf "%b" "$1" >>"$RETRY_CONTROL"; exit "$2"' \
	    sh "$1" "$2"
	said=$code:$(wc -l <tries | tr -d ' ')
}

said '' 7
is 'an attempt that says nothing is judged as ever' "$said" 7:3
said 'success\n' 7
is 'a failure may be a success' "$said" 0:1
said 'retry\n' 0
is 'a success may be retried' "$said" 1:3
said 'stop\n' 7
is 'a failure may stop' "$said" 7:1
said 'success\nretry\nstop\n' 7
is 'the last word counts' "$said" 7:1
said 'stop\nsuccess' 7
is 'also without an end of line' "$said" 0:1
said 'success\nstop it\n' 7
is 'what is no word changes nothing' "$said" 0:1
like 'and is warned of' "$err" '^retry: sh: --control: stop it: '
said 'no\nnone\n' 7
is 'once' "$(printf '%s\n' "$err" | grep -c control)" 1
said 'success\nno\0033[1m\n' 7
like 'it is made harmless' "$err" '^retry: sh: --control: no\\[^ ]*\[1m: '
run retry -q -a 1 --control sh -c \
    '{ seq 10000; echo success; } >>"$RETRY_CONTROL"; exit 7'
is 'much may be said before' "$code" 0
run retry -a 1 --control sh -c \
    'echo success >"$RETRY_CONTROL"; truncate -s 300M "$RETRY_CONTROL"; exit 7'
is 'but 64 KiB of it are read' "$code" 0
like 'which is told' "$err" '^retry: sh: --control: only the first 64 KiB are read$'
run timeout -s KILL 20 "$RETRY" -a 1 --control sh -c \
    'truncate -s 7E "$RETRY_CONTROL"; exit 7'
is 'a file of any size ends the attempt no later' "$code" 7
run retry -a 1 --control sh -c \
    'yes "" | head -c 64K >>"$RETRY_CONTROL"; exit 7'
unlike '64 KiB are not too much' "$err" 'only the first'

rm -f tries
run retry -a 2 -t 2 --control -d 0 sh -c \
    'echo >>tries; echo success >>"$RETRY_CONTROL"; exec sleep 60'
is 'the last word of an attempt that timed out counts' \
    "$code:$(wc -l <tries)" 0:1
run retry -a 3 -d 0 --control sh -c '
	[ $RETRY_ATTEMPT = 2 ] || echo success >>"$RETRY_CONTROL"
	[ $RETRY_ATTEMPT = 1 ] && echo retry >>"$RETRY_CONTROL"
	exit $((9 - RETRY_ATTEMPT))'
is 'each attempt has a file of its own' "$code" 0
run retry -a 3 -d 0 --control --check='exit 1' sh -c \
    'echo success >>"$RETRY_CONTROL"'
is 'the attempt outdoes the check' "$code" 0
run retry --control --log=json -q -a 1 sh -c 'echo stop >>"$RETRY_CONTROL"'
like 'the rule is told' "$err" '"rule":"control"'

run retry -v -a 2 -d 0 -j none --control sh -c \
    'echo delay 0.03 >>"$RETRY_CONTROL"; exit 7'
like 'a delay is a hint' "$err" 'asked for 30ms'
run retry -a 2 -d 0 --control sh -c \
    'echo delay 2h >>"$RETRY_CONTROL"; exit 7'
is 'one that is too long ends the run' "$code" 7
like 'and the end says so' "$err" 'giving up after 1 attempt .*2h'
rm -f tries
run retry -q -a 2 -d 0 --control sh -c '
	echo >>tries
	[ $RETRY_ATTEMPT -lt 5 ] && echo reset >>"$RETRY_CONTROL"
	exit 7'
is 'after a reset attempts are counted afresh' "$code:$(wc -l <tries)" 7:5

run retry --control sh -c 'echo "$RETRY_CONTROL"; ls -l "$RETRY_CONTROL"'
like 'the file is no name in a folder' "$out" '^/proc/[0-9]*/fd/[0-9]*$'
like 'and has none' "$out" 'deleted'
check 'without the option there is none' \
    retry sh -c '[ -z "${RETRY_CONTROL+set}" ]'
check 'nor with that of a run around it' env RETRY_CONTROL=outer \
    retry sh -c '[ -z "${RETRY_CONTROL+set}" ]'
run retry -a 2 -d 0 --control --check='echo "${RETRY_CONTROL-none}"; exit 1' \
    --before-retry='echo "${RETRY_CONTROL-none}"' true
is 'check and gate have none' "$(printf '%s\n' "$err" | grep -c '^none$')" 3
run retry --control sh -c 'retry -a 1 --control sh -c \
    "echo stop >>\$RETRY_CONTROL"; echo success >>"$RETRY_CONTROL"; exit 3'
is 'runs nest' "$code" 0
if strace -o trace true 2>/dev/null; then
	run env ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" \
	    strace -o trace -e trace=memfd_create \
	    -e inject=memfd_create:error=EINVAL:when=1 \
	    retry -a 1 --control sh -c 'echo success >>"$RETRY_CONTROL"
		ls -l /proc/self/fd | grep -c retry-control; exit 3'
	is 'an older kernel has one too' "$code $out" '0 0'
else
	skip 'an older kernel has one too' 'strace cannot trace here'
fi
# hidden COMMAND...: in a name space without /proc.
cat >hidden <<'END'
unshare ${USER_NS-} -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
END
[ "$(id -u)" -eq 0 ] || export USER_NS=-Ur
if sanitized; then
	skip 'without /proc nothing runs' 'a sanitizer needs /proc'
elif sh hidden true 2>/dev/null; then
	run sh hidden retry --control sh -c 'echo ran; echo >>"$RETRY_CONTROL"'
	is 'without /proc nothing runs' "$code $out" '125 '
	is 'and the message says why' "$err" \
	    'retry: sh: --control needs /proc: No such file or directory'
	echo text >input
	run sh hidden retry -a 2 -d 0 --stdin=replay --output=hold \
	    --check='read -r text && [ "$text" = text ]' \
	    --log=json:log sh -c 'cat; [ $RETRY_ATTEMPT = 2 ]' <input
	is 'nothing else of input, output and logs needs /proc' "$code $out" \
	    '0 text'
else
	skip 'without /proc nothing runs' 'no name space can be made here'
	skip 'nothing else of input, output and logs needs /proc' \
	    'no name space can be made here'
fi
set -- unshare ${USER_NS:+"$USER_NS"} --pid --fork
if "$@" true 2>/dev/null; then
	check 'a /proc of another pid name space will do' \
	    "$@" "$RETRY" --control -a 1 sh -c 'echo success >>"$RETRY_CONTROL"; exit 3'
else
	skip 'a /proc of another pid name space will do' \
	    'no name space can be made here'
fi
ls /proc/self/fd >want
retry -q -a 2 -d 0 --control sh -c \
    'ls /proc/self/fd >list; [ $RETRY_ATTEMPT = 2 ]'
check 'its descriptor reaches no attempt' cmp list want

finish
