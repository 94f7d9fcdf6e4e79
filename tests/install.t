#!/bin/sh
#
# What `meson install` puts in place.

. ./harness.sh

check 'meson install succeeds' \
    meson install -C "$TEST_BUILD" --no-rebuild --destdir "$T"
check 'the program is installed' \
    test -x "$(find "$T" -path '*/bin/retry')"
check 'so is the gate that asks Redis' \
    test -x "$(find "$T" -path '*/bin/retry-redis-budget')"
check 'the manual is installed' \
    test -s "$(find "$T" -path '*/man/man1/retry.1')"

finish
