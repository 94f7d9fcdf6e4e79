#!/bin/sh
#
# What `meson install` puts in place.

. lib/harness.sh

check 'meson install succeeds' \
    meson install -C "$TEST_BUILD" --no-rebuild --destdir "$T"
check 'the program is installed' \
    test -x "$(find "$T" -path "*/bin/${TEST_PROGRAM:-retry}")"
check 'so is the gate that asks Redis' \
    test -x "$(find "$T" -path '*/bin/retry-redis-budget')"
for page in "man1/${TEST_PROGRAM:-retry}.1" man1/retry-redis-budget.1 \
    man7/retry-cookbook.7; do
	check "$page is installed" test -s "$(find "$T" -path "*/man/$page")"
done

finish
