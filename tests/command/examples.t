#!/bin/sh
#
# Every example in the README and in the manual is run as it stands there.
#
# The commands in them are stubs that fail once and then succeed, and what is
# to be shown is that each example gets over that. Those that are about
# something else are told apart below; ways.t has what is more than a line.

. lib/harness.sh
# shellcheck source=tests/lib/stubs.sh
. "$TESTS/lib/stubs.sh"

stub collector curl make nc parallel pg_isready pytest render retry-redis-budget ssh wget
for name in report sync upload; do
	ln -s bin/stub "$name"
done
ln -s /bin/true bin/sleep

# The examples, a line each.
extract() {
	sed -n 's/^\.Dl retry/retry/p' "$manual" | unescape
	shown hint | sed 'N; s/ *\\\n */ /'
	sed -n '/^```sh$/,/^```$/p' "$readme" | grep -v '^```'
	sed -n 's/^    \(retry .*\)/\1/p' "$readme"
	sed -n 's/^ExecStart=.*\(retry .*\)/\1/p' "$readme"
	sed -n 's/^\*[^ ]* \* \* \* \* //p' "$readme"
	sed -n 's/^| `.* | `\(.*\)` |$/\1/p' "$readme"
}

extract | sed 's|/usr/bin/||' >examples
check 'the examples are found' test "$(wc -l <examples)" -ge 15

# ends STATUS CALLS HOW: what the example does where its command fails as
# $FAILURES and $FAILURE say.
ends() {
	example "$text"
	is "$name: $3" "$code after $calls" "$1 after $2" || note "$err"
}

while IFS= read -r text <&3; do
	name=$(printf '%s' "$text" | tr -d '#')
	FAILURES=1 FAILURE=1
	case $text in
	*--plan*)
		ends 0 0 'runs nothing' ;;
	*--stop-on=*)
		ends 0 2 'retries a failure'
		FAILURE=${text#*--stop-on=}
		FAILURE=${FAILURE%% *}
		ends "$FAILURE" 1 'but not this one' ;;
	*--retry-on=*)
		ends 1 1 'stops at a failure'
		FAILURE=${text#*--retry-on=}
		FAILURE=${FAILURE%% *}
		ends 0 2 'but not at this one' ;;
	*--throttle-on=*)
		ends 0 2 'retries a failure'
		like "$name: soon" "$err" 'exited 1 .*; next in ([89]|1[012])[.0-9]*s'
		FAILURE=${text#*--throttle-on=}
		FAILURE=${FAILURE%% *}
		ends 0 2 'retries this one too'
		like "$name: later" "$err" 'exited 75 .*; next in (4[89]|5.|6.|7[012])[.0-9]*s' ;;
	*--state=*)
		ends 1 1 'gives up after its one attempt'
		ends 75 0 'is too early then' ;;
	*retry-redis-budget*)
		ends 0 3 'asks before the retry'
		is "$name: with its options" "$(sed -n 2p calls)" \
		    'retry-redis-budget --host=cache' ;;
	*--before-retry=*)
		ends 0 3 'cleans up before the retry'
		is "$name: between the two" "$(sed -n 2p calls)" 'make clean' ;;
	*--check=*)
		FAILURES=0
		ends 1 5 'fails as long as the file is not there'
		echo >report.pdf
		FAILURES=1
		ends 0 1 'succeeds when it is' ;;
	*)
		ends 0 2 'succeeds at the second attempt' ;;
	esac
done 3<examples

# The left column of the README's table, as far as it is made of loops.
sed -n 's/^| `\(.*done\)` | .*/\1/p' "$readme" >loops
check 'the loops are found' test "$(wc -l <loops)" -ge 3
while IFS= read -r text <&3; do
	example "$text"
	is "$text: succeeds" "$code" 0
	is "$text: at the second attempt" "$calls" 2
done 3<loops
FAILURES=3
example "$(sed -n 1p loops)"
is 'the first loop makes three attempts' "$calls" 3
is 'and ends in status 0 when all have failed' "$code" 0

finish
