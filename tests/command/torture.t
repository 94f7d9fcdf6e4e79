#!/bin/sh
#
# Some of what scripts/torture does: system calls that fail in many kinds of runs.

# SPDX-License-Identifier: MIT

. lib/harness.sh

if ! command -v python3 >/dev/null ||
    ! strace -f -b execve -o /dev/null true 2>/dev/null; then
	skip 'runs survive system calls that fail' 'strace or python3 is missing'
	finish
fi

run "$TESTS/../scripts/torture" --what
is 'scripts/torture refuses other options' "$code" 2
: >empty
run "$TESTS/../scripts/torture" --program="$T/empty" plain
is 'torture needs a program' "$code" 1

# Each case with some of its faults, always the same; SLICE=1 has them all.
for case in $("$TESTS/../scripts/torture" --list); do
	check "$case: a system call that fails does no harm" \
	    "$TESTS/../scripts/torture" --slice="${SLICE:-16}" "$case"
done

finish
