# shellcheck shell=sh
#
# TAP for shell tests. A test sources this file from the tests' directory,
# makes its promises, one line each, and ends with `finish`:
#
#	. lib/harness.sh
#	status 1 'the last status is passed on' retry -a 2 false
#	run retry -a 2 false
#	like 'each attempt is reported' "$err" 'attempt 2/2 exited 1'
#	finish
#
# It runs in $T, a fresh directory that is removed at the end, as is whatever
# it left in the background. $RETRY is the program under test, also first on
# the PATH, which has the tests' helpers too; $TESTS is the directory of the
# tests, $TEST_DATA their data and $TEST_BUILD the build directory. Nothing of
# the caller's environment that retry heeds is left, nor signals that it
# ignores, as a shell does for its background.

if [ -z "${TAP_SIGNALS-}" ]; then
	TAP_SIGNALS=default exec env --default-signal sh "$0" "$@"
fi
unset TAP_SIGNALS

set -u
exec </dev/null
export LC_ALL=C
# shellcheck disable=SC2046 # names are words
unset NOTIFY_SOCKET JOURNAL_STREAM GITHUB_ACTIONS GITHUB_OUTPUT \
    GITHUB_STEP_SUMMARY NO_COLOR LIBEV_FLAGS \
    $(env | sed -n 's/^\(RETRY_[A-Za-z0-9_]*\)=.*/\1/p')

TESTS=$PWD
RETRY=$(realpath "${RETRY:-../build/retry}") || exit
TEST_DATA=$(realpath "${TEST_DATA:-data}") || exit
TEST_BUILD=$(realpath "${TEST_BUILD:-${RETRY%/*}}") || exit
PATH=${RETRY%/*}:$TEST_BUILD/tests:$PATH
export RETRY PATH TESTS TEST_DATA TEST_BUILD

tap_count=0
tap_failures=0
tap_finished=
tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/retry-test.XXXXXX") || exit
T=$tap_dir/work
export T
trap tap_clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$T" && cd "$T" || exit

tap_clean_up() {
	tap_status=$?
	jobs -p >"$tap_dir/jobs"
	while read -r tap_pid; do
		kill "$tap_pid" 2>/dev/null
	done <"$tap_dir/jobs"
	cd / && rm -rf "$tap_dir"
	[ -n "$tap_finished" ] && exit "$tap_status"
	echo "# ended before its plan"
	exit $((tap_status ? tap_status : 1))
}

# tap_result STATUS NAME [DIRECTIVE]
tap_result() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2${3:-}"
	else
		tap_failures=$((tap_failures + 1))
		echo "not ok $tap_count - $2"
	fi
	return "$1"
}

# note TEXT: as a diagnostic, each line of it.
note() {
	printf '%s\n' "$1" | sed 's/^/# /'
}

# check NAME COMMAND...: it exits 0; if not, its output is shown.
check() {
	status 0 "$@"
}

# status WANT NAME COMMAND...: it exits with this status.
status() {
	tap_want=$1 tap_name=$2
	shift 2
	"$@" >"$tap_dir/output" 2>&1
	set -- $? "$@"
	tap_result $(($1 != tap_want)) "$tap_name" && return
	tap_got=$1
	shift
	note "command: $*"
	note "status: $tap_got, wanted $tap_want"
	sed 's/^/# | /' "$tap_dir/output"
	return 1
}

# not COMMAND...: the opposite, as in check 'no file is left' not test -e file
not() {
	! "$@"
}

# run COMMAND...: makes no promise; sets $code, $out and $err to be looked at.
run() {
	"$@" >"$tap_dir/out" 2>"$tap_dir/err"
	# shellcheck disable=SC2034 # these are for the caller
	code=$? out=$(cat "$tap_dir/out") err=$(cat "$tap_dir/err")
}

# is NAME GOT WANT: the two texts are the same.
is() {
	[ "$2" = "$3" ]
	tap_result $? "$1" && return
	note "got:    $2"
	note "wanted: $3"
	return 1
}

# like NAME TEXT ERE: a line of the text matches.
like() {
	printf '%s\n' "$2" | grep -Eq -e "$3"
	tap_result $? "$1" && return
	note "no line matches: $3"
	note "$2"
	return 1
}

# unlike NAME TEXT ERE: no line of the text matches.
unlike() {
	printf '%s\n' "$2" | not grep -Eq -e "$3"
	tap_result $? "$1" && return
	note "a line matches: $3"
	note "$2"
	return 1
}

# skip NAME WHY
skip() {
	tap_result 0 "$1" " # SKIP $2"
}

# confined COMMAND...: permissions of files bind it, though this be root.
confined() {
	if [ "$(id -u)" -eq 0 ]; then
		set -- setpriv --bounding-set=-dac_override,-dac_read_search \
		    "$@"
	fi
	"$@"
}

# sanitized: the program under test was built with AddressSanitizer.
sanitized() {
	grep -q __asan_init "$RETRY"
}

# wait_for COMMAND...: returns as soon as it succeeds. A wait in vain, of 20
# seconds, fails the test, whatever follows.
wait_for() {
	tap_polls=0
	while ! "$@" >/dev/null 2>&1; do
		tap_polls=$((tap_polls + 1))
		if [ "$tap_polls" -ge 2000 ]; then
			note "waited in vain for: $*"
			tap_failures=$((tap_failures + 1))
			return 1
		fi
		sleep 0.01
	done
}

# finish: prints the plan and ends the test.
finish() {
	echo "1..$tap_count"
	tap_finished=yes
	exit $((tap_failures > 0 || tap_count == 0))
}
