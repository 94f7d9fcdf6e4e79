#!/bin/sh
#
# coverage.t ROOM...: the tests that have just run leave little of a room untried.
# With core they are those in C alone; the others are tried by commands.

# SPDX-License-Identifier: MIT

. lib/harness.sh
cd "$TESTS/.." || exit

# covered ROOM OPTION...: shows the table, and takes the options for limits.
covered() {
	room=$1
	shift
	run gcovr -r . -f "src/$room/" "$@" "$TEST_BUILD"
	note "$out"
	is "src/$room: $*" "$code $err" '0 '
}

for room; do
	# Most of what sys has left is the end of a system call that failed.
	case $room in
	core) lines=95 branches=85 ;;
	report | plan | options) lines=97 branches=92 ;;
	sys) lines=93 branches=85 ;;
	esac
	if have "$room is tried" gcovr; then
		covered "$room" --fail-under-line "$lines"
		covered "$room" --branches --fail-under-branch "$branches"
	fi
done

finish
