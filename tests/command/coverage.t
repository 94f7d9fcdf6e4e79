#!/bin/sh
#
# The tests in C, which have just run, leave little of core untried.

. lib/harness.sh
cd "$TESTS/.." || exit

# covered NAME OPTION...: shows the table, and takes the options for limits.
covered() {
	name=$1
	shift
	run gcovr -r . -f src/core/ "$@" "$TEST_BUILD/libcore.a.p"
	note "$out"
	is "$name" "$code $err" '0 '
}

if command -v gcovr >/dev/null; then
	covered '95 % of the lines are tried' --fail-under-line 95
	covered '85 % of the branches are tried' --branches --fail-under-branch 85
else
	skip 'core is tried' 'gcovr is not installed'
fi

finish
