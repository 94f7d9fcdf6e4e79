#!/bin/sh
#
# What `meson install` puts in place.

. lib/harness.sh

check 'meson install succeeds' \
    meson install -C "$TEST_BUILD" --no-rebuild --destdir "$T"
check 'the program is installed' \
    test -x "$(find "$T" -path '*/bin/retry')"
check 'so is the gate that asks Redis' \
    test -x "$(find "$T" -path '*/bin/retry-redis-budget')"
for page in retry retry-redis-budget; do
	check "the manual of $page is installed" \
	    test -s "$(find "$T" -path "*/man/man1/$page.1")"
done

finish
