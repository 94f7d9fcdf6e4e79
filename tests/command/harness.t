#!/bin/sh
#
# What tests say of themselves, and what scripts/test says of them.

# SPDX-License-Identifier: MIT

. lib/harness.sh

# Tests in it, which promise what does not hold, run as if they were ours.
cd "$TESTS" || exit
cat >"$T/broken" <<'END'
. lib/harness.sh
promise() {
	is "$1" "$2" wanted
}
check 'all is well' true
run sh -c 'echo out; echo err >&2; exit 3'
promise 'what is not so' got
like 'this is told' "$err" '^no$'
status 4 'a status' sh -c 'echo said; exit 5'
check 'all is well' true
echo left >file
finish
END
run sh "$T/broken"
is 'a broken promise fails the test' "$code" 1
is 'it tells its lines, what it got and wanted, and the run before' \
    "$(printf '%s\n' "$out" | sed -n '/^not ok 2/,/^not ok 3/p')" \
    "not ok 2 - what is not so
# $T/broken:7
# got:    got
# wanted: wanted
# last run: sh -c echo out; echo err >&2; exit 3
# status: 3
# out | out
# err | err
not ok 3 - this is told"
like 'a status tells its command' "$out" '^# command: sh -c echo said; exit 5$'
like 'a status tells its command, and what it said' "$out" '^# [|] said$'
is 'a name that stands twice is a failure' \
    "$(printf '%s\n' "$out" | grep -A 3 '^not ok 5')" \
    "not ok 5 - all is well
# $T/broken:5
# $T/broken:10
# another promise of this file has this name"
like 'the plan is kept' "$out" '^1\.\.5$'

run env TEST_STOP=1 sh "$T/broken"
is 'a test may stop at its first failure' \
    "$code $(printf '%s\n' "$out" | grep -c '^not ok')" '1 1'

# kept: the folder that a test has left.
kept() {
	printf '%s\n' "$out" | sed -n 's/^# kept: \([^,]*\).*/\1/p'
}
run env TMPDIR="$T" TEST_KEEP=1 sh "$T/broken"
is 'the folder of a test may be kept' "$(cat "$(kept)/file")" left
run env TMPDIR="$T" sh "$T/broken"
is 'it is not kept else' "$(kept)" ''
if have 'a trace has each command and its line' bash; then
	run env TMPDIR="$T" TEST_TRACE=1 sh "$T/broken"
	like 'a trace has each command and its line' \
	    "$(cat "$(dirname "$(kept)")/trace")" 'broken:11: echo left'
fi

cat >"$T/lacking" <<'END'
. lib/harness.sh
have 'it is here' sh && check 'what needs it is tried' true
have 'it is not here' sh nosuch || finish
finish
END
run sh "$T/lacking"
is 'what needs a program that is not there is skipped' "$code $out" '0 ok 1 - what needs it is tried
ok 2 - it is not here # SKIP nosuch cannot be had
1..2'

echo '. lib/harness.sh; check "one" true; exit 0' >"$T/short"
run sh "$T/short"
is 'a test that ends before its plan fails' "$code:$out" \
    '1:ok 1 - one
# ended before its plan'

printf '%s\n' '. lib/harness.sh' 'check "one" true' finish 'check "two" true' \
    >"$T/after"
run sh "$T/after"
is 'a promise after finish fails the test' "$code:$out" '1:ok 1 - one
not ok 1 - finish is the last line
1..1'

# A process that ignores signals, in a session of its own, and one that is stopped.
cat >"$T/stubborn" <<'END'
. lib/harness.sh
setsid sh -c 'trap "" HUP INT TERM; echo $$ >"$0"; while :; do sleep 1; done' \
    "$1/ignores" &
sh -c 'echo $$ >"$0"; kill -STOP $$; sleep 60' "$1/stops" &
wait_for test -s "$1/ignores"
wait_for test -s "$1/stops"
check 'both run' true
${2-finish}
END
for how in finish 'exit 1' 'kill -INT $$'; do
	rm -f "$T/ignores" "$T/stops"
	run sh "$T/stubborn" "$T" "$how"
	is "a promise after finish fails the test, with $how a test ends whatever it started" "$(
	    cat "$T/ignores" "$T/stops" | while read -r pid; do
		! alive "$pid" || echo "$pid"
	    done)" ''
done

# The number of a job that has ended, which a stranger has got meanwhile.
cat >"$T/done" <<'END'
. lib/harness.sh
true &
wait_for not alive $!
echo $! >"$1/job"
wait_for test -s "$1/stranger"
check 'there was a job' true
finish
END
cat >"$T/reuse" <<'END'
sh "$1/done" "$1" &
until [ -s "$1/job" ]; do sleep .05; done
read -r job <"$1/job"
pid=
for try in $(seq 100); do
	echo $((job - 1)) >/proc/sys/kernel/ns_last_pid || exit
	sleep 60 & pid=$!
	[ $pid -ne "$job" ] || break
	kill $pid
done
echo $pid >"$1/stranger"
wait %1
[ $pid -eq "$job" ] && kill $pid && echo 'the stranger lives'
END
numbered='unshare --pid --fork --kill-child --mount-proc'
if $numbered sh -c 'echo 9 >/proc/sys/kernel/ns_last_pid' 2>/dev/null; then
	# shellcheck disable=SC2086 # words are meant
	run $numbered sh "$T/reuse" "$T"
	like 'a stranger with the number of an ended job is let alone' "$out" \
	    '^the stranger lives$'
else
	skip 'a stranger with the number of an ended job' 'process numbers of its own are refused'
fi

echo '. lib/harness.sh; echo text >closed; chmod 0 closed
	status 1 "it is closed" confined cat closed
finish' >"$T/closed"
set -- setpriv --inh-caps=+dac_override,+dac_read_search
"$@" true 2>/dev/null || set --
check 'permissions bind root, though it may inherit capabilities' \
    "$@" sh "$T/closed"

# The same in C.
cat >"$T/broken.c" <<'END'
#include "tap.h"

TEST(all_is_well)
{
	CHECK(true);
}

TEST(what_is_not_so)
{
	CHECK_INT(1, 2);
}

int
main(void)
{
	return RUN_ALL();
}
END
run cc -I lib -o "$T/broken-c" "$T/broken.c"
is 'a test in C is built' "$code$err" 0
run "$T/broken-c"
is 'a broken check fails the test in C, and tells its line' \
    "$code:$(printf '%s\n' "$out" | sed "s|$T/||")" '1:ok 1 - all is well
# broken.c:10: 1
#     got: 1
#     wanted: 2
not ok 2 - what is not so
1..2'
run env TEST_STOP=1 "$T/broken-c"
like 'it may stop at its first failure' "$out" 'stopped at the first failure'

# scripts/test, of which nothing is run here but what it says.
run "$TESTS/../scripts/test" --help
is 'scripts/test has help' "$code:$err" 0:
missing=
for script in $(cd "$TESTS/../scripts" && grep -slE '^#!/bin/sh' -- *); do
	case $script in
	run | test | image | package | picture | retry-redis-budget) continue ;;
	esac
	case $out in
	*"scripts/$script "*) ;;
	*) missing="$missing $script" ;;
	esac
done
is 'scripts/test has help, which names the other scripts that try something' "$missing" ''
run "$TESTS/../scripts/test" --what
is 'scripts/test refuses other options' "$code:$out" 125:

finish
