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
# A name stands once in its file, and says by itself what broke.
#
# A promise that is not kept tells the lines that have its name, the command, and what
# it got and wanted. What else is wanted is said by the environment (scripts/test has
# options for it):
#
#	TEST_KEEP=1	the test's folder is left, and named
#	TEST_TRACE=1	so is a file of each command with its line, by bash
#	TEST_STOP=1	the first promise that is not kept ends the test
#
# It runs in $T, a fresh directory that is removed at the end, and each process
# that the test started is ended then, however the test ends. $RETRY is the program under test, also first on
# the PATH, which has the tests' helpers too; $TESTS is the directory of the
# tests, $TEST_DATA their data and $TEST_BUILD the build directory. Nothing of
# the caller's environment that retry heeds is left, nor signals that it
# ignores, as a shell does for its background.

# SPDX-License-Identifier: MIT

if [ -z "${TAP_SIGNALS-}" ]; then
	if [ -n "${TEST_TRACE-}" ] && command -v bash >/dev/null; then
		set -- bash --posix "$0" "$@"
	else
		set -- sh "$0" "$@"
	fi
	TAP_SIGNALS=default exec env --default-signal "$@"
fi
unset TAP_SIGNALS

set -u
exec </dev/null
export LC_ALL=C
# shellcheck disable=SC2046 # names are words
unset CI NOTIFY_SOCKET JOURNAL_STREAM GITHUB_ACTIONS GITHUB_OUTPUT \
    GITHUB_STEP_SUMMARY NO_COLOR CLICOLOR_FORCE FORCE_COLOR LIBEV_FLAGS \
    $(env | sed -n 's/^\(RETRY_[A-Za-z0-9_]*\)=.*/\1/p')

TESTS=$PWD
tap_script=$(realpath "$0") || exit
RETRY=$(realpath "${RETRY:-../build/retry}") || exit
TEST_DATA=$(realpath "${TEST_DATA:-data}") || exit
TEST_BUILD=$(realpath "${TEST_BUILD:-${RETRY%/*}}") || exit
PATH=${RETRY%/*}:$TEST_BUILD/tests:/usr/bin:$PATH
export RETRY PATH TESTS TEST_DATA TEST_BUILD

tap_count=0
tap_failures=0
tap_finished=
tap_names='
'
tap_ran=
tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/retry-test.XXXXXX") || exit
T=$tap_dir/work
export T
trap tap_clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$T" && cd "$T" || exit
if [ -n "${TEST_TRACE-}" ] && [ -n "${BASH_VERSION-}" ]; then
	# bash, which alone comes here, closes it in commands.
	# shellcheck disable=SC2034,SC3023
	exec 19>"$tap_dir/trace"
	# shellcheck disable=SC2034
	BASH_XTRACEFD=19 PS4='+ ${BASH_SOURCE##*/}:$LINENO: '
	set -x
fi

tap_clean_up() {
	tap_status=$?
	set +x
	# The list of jobs has numbers of ended ones, which strangers may have got.
	pkill -TERM -P $$
	tap_end_all
	if [ -n "${TEST_KEEP-}${TEST_TRACE-}" ]; then
		note "kept: $T${TEST_TRACE:+, $tap_dir/trace}"
	else
		cd / && rm -rf "$tap_dir"
	fi
	[ -n "$tap_finished" ] && exit "$tap_status"
	echo "# ended before its plan"
	exit $((tap_status ? tap_status : 1))
}

# tap_end_all: ends the processes that have $T in their environment. They have
# half a second to end by themselves.
tap_end_all() {
	tap_polls=0
	while tap_left=$(grep -ls "$tap_dir/" /proc/[0-9]*/environ |
	    sed -n "s|/proc/\([0-9]*\)/.*|\1|p" | grep -vx $$); do
		tap_live=
		for tap_pid in $tap_left; do
			! alive "$tap_pid" || tap_live="$tap_live $tap_pid"
		done
		[ -n "$tap_live" ] || break
		tap_polls=$((tap_polls + 1))
		# A stopped process does not hear of its end.
		# shellcheck disable=SC2086 # words are meant
		[ $tap_polls -lt 10 ] || kill -KILL $tap_live 2>/dev/null
		[ $tap_polls -lt 100 ] || break
		sleep 0.05
	done
}

# tap_result STATUS NAME [DIRECTIVE]
tap_result() {
	tap_count=$((tap_count + 1))
	tap_name=$2
	case $tap_names in
	*"
$tap_name
"*)
		tap_broken "$tap_name"
		note 'another promise of this file has this name'
		tap_stop
		return 0 ;;
	esac
	tap_names="$tap_names$tap_name
"
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $tap_name${3:-}"
	else
		tap_broken "$tap_name"
	fi
	return "$1"
}

# tap_broken NAME: says so, and where.
tap_broken() {
	tap_failures=$((tap_failures + 1))
	echo "not ok $tap_count - $1"
	tap_where "$1"
}

# tap_where TEXT: the lines of the test that have it.
tap_where() {
	grep -nF -e "$1" "$tap_script" |
	    sed "s|^\([0-9]*\):.*|# ${tap_script#"$TESTS/"}:\1|"
}

# tap_told [TEXT...]: tells what else is known of a broken promise.
tap_told() {
	for tap_text; do
		note "$tap_text"
	done
	if [ -n "$tap_ran" ]; then
		note "last run: $tap_ran"
		note "status: $code"
		sed 's/^/# out | /' "$tap_dir/out" | head -n 30
		sed 's/^/# err | /' "$tap_dir/err" | head -n 30
	fi
	tap_stop
	return 1
}

# tap_stop: ends the test, if the first failure is to do so.
tap_stop() {
	if [ -n "${TEST_STOP-}" ]; then
		note 'stopped at the first failure'
		exit 1
	fi
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
	tap_want=$1 tap_promise=$2
	shift 2
	"$@" >"$tap_dir/output" 2>&1
	tap_got=$?
	tap_result $((tap_got != tap_want)) "$tap_promise" && return
	note "command: $*"
	note "status: $tap_got, wanted $tap_want"
	sed 's/^/# | /' "$tap_dir/output"
	tap_told
}

# not COMMAND...: the opposite, as in check 'no file is left' not test -e file
not() {
	! "$@"
}

# run COMMAND...: makes no promise; sets $code, $out and $err to be looked at.
run() {
	tap_ran=$*
	"$@" >"$tap_dir/out" 2>"$tap_dir/err"
	# shellcheck disable=SC2034 # these are for the caller
	code=$?
	tap_read "$tap_dir/out"
	# shellcheck disable=SC2034
	out=$tap_text
	tap_read "$tap_dir/err"
	# shellcheck disable=SC2034
	err=$tap_text
}

# begin NAME COMMAND...: runs it next to the test. result NAME waits for its end and
# sets what run sets.
begin() {
	tap_aside=$tap_dir/$1
	shift
	(
		"$@" >"$tap_aside.out" 2>"$tap_aside.err"
		echo $? >"$tap_aside.code"
	) &
}
result() {
	wait_for test -s "$tap_dir/$1.code"
	run sh -c 'cat "$0.out"; cat "$0.err" >&2; exit "$(cat "$0.code")"' "$tap_dir/$1"
}

# tap_read FILE: $tap_text is what $(cat FILE) is. bash needs no program for that.
if [ -n "${BASH_VERSION-}" ]; then
	# shellcheck disable=SC3034
	tap_read() {
		tap_text=$(<"$1")
	}
else
	tap_read() {
		tap_text=$(cat "$1")
	}
fi

# is NAME GOT WANT: the two texts are the same.
is() {
	[ "$2" = "$3" ]
	tap_result $? "$1" && return
	tap_told "got:    $2" "wanted: $3"
}

# like NAME TEXT ERE: a line of the text matches.
like() {
	grep -Eq -e "$3" <<-END
		$2
	END
	tap_result $? "$1" && return
	tap_told "no line matches: $3" "$2"
}

# unlike NAME TEXT ERE: no line of the text matches.
unlike() {
	not grep -Eq -e "$3" <<-END
		$2
	END
	tap_result $? "$1" && return
	tap_told "a line matches: $3" "$2"
}

# skip NAME WHY
skip() {
	tap_result 0 "$1" " # SKIP $2"
}

# have NAME PROGRAM...: all of them are there, or else NAME is skipped. strace has to
# be allowed to trace, too.
have() {
	tap_promise=$1
	shift
	for tap_program; do
		case $tap_program in
		strace) strace -o /dev/null true ;;
		*) command -v "$tap_program" ;;
		esac >/dev/null 2>&1 && continue
		skip "$tap_promise" "$tap_program cannot be had"
		return 1
	done
}

# confined COMMAND...: permissions of files bind it, though this be root. In some
# containers root inherits capabilities, which the bounding set does not limit.
confined() {
	if [ "$(id -u)" -eq 0 ]; then
		tap_drop=-dac_override,-dac_read_search
		set -- setpriv --ambient-caps=$tap_drop --inh-caps=$tap_drop \
		    --bounding-set=$tap_drop "$@"
	fi
	"$@"
}

# sanitized: the program under test was built with AddressSanitizer.
sanitized() {
	grep -q __asan_init "$RETRY"
}

# any_libc CALL[:REST]: the set of calls, for strace(1), that one libc or another
# makes for it, with 64 bits or with 32.
any_libc() {
	case $1 in
	clone*) echo "clone,?fork${1#clone}" ;;
	fcntl*) echo "fcntl,?fcntl64${1#fcntl}" ;;
	lseek*) echo "lseek,?_llseek${1#lseek}" ;;
	mmap*) echo "mmap,?mmap2${1#mmap}" ;;
	openat*) echo "openat,?open${1#openat}" ;;
	pipe2*) echo "pipe2,?pipe${1#pipe2}" ;;
	poll*) echo "?poll,ppoll${1#poll}" ;;
	pselect6*) echo "pselect6,?select,?_newselect${1#pselect6}" ;;
	sendfile*) echo "sendfile,?sendfile64${1#sendfile}" ;;
	signalfd4*) echo "signalfd4,?signalfd${1#signalfd4}" ;;
	write*) echo "write,writev${1#write}" ;;
	*) echo "$1" ;;
	esac
}

# musl: the program under test is linked with that C library.
musl() {
	grep -q 'specs .*/musl' "$TEST_BUILD/compile_commands.json"
}

# wait_for COMMAND...: returns soon after it succeeds. A wait in vain, of a
# minute, fails the test, whatever follows.
wait_for() {
	tap_polls=0
	while ! "$@" >/dev/null 2>&1; do
		tap_polls=$((tap_polls + 1))
		if [ "$tap_polls" -ge 1500 ]; then
			note "waited in vain for: $*"
			tap_where "wait_for $*"
			tap_failures=$((tap_failures + 1))
			tap_told
			return 1
		fi
		sleep 0.04
	done
}

# ended PID: waits for this child, for a minute, and returns its status.
ended() {
	wait_for not alive "$1" || kill -KILL "$1"
	wait "$1"
}

# retried COMMAND...: succeeds if one of ten tries does. It is for what a machine
# that is busy at one moment spoils, if there is nothing that can be waited for.
retried() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		"$@" && return
	done
	return 1
}

# alive PID: it runs; a zombie does not, unless only its first thread has ended.
alive() {
	kill -0 "$1" 2>/dev/null || return
	tap_read "/proc/$1/status" 2>/dev/null
	case $tap_text in
	*State:?Z*Threads:?1'
'*) return 1 ;;
	esac
}

# finish: prints the plan and ends the test. It is the last line of the file.
finish() {
	if [ "$(tail -n 1 "$tap_script")" != finish ]; then
		tap_broken 'finish is the last line'
	fi
	echo "1..$tap_count"
	tap_finished=yes
	exit $((tap_failures > 0 || tap_count == 0))
}
