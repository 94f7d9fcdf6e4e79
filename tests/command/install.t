#!/bin/sh
#
# What `meson install` puts in place.

# SPDX-License-Identifier: MIT

. lib/harness.sh

check 'meson install succeeds' \
    meson install -C "$TEST_BUILD" --no-rebuild --destdir "$T"
check 'the program is installed' \
    test -x "$(find "$T" -path "*/bin/${TEST_PROGRAM:-retry}")"
check 'the program is installed, so is the gate that asks Redis' \
    test -x "$(find "$T" -path '*/bin/retry-redis-budget')"
for page in "man1/${TEST_PROGRAM:-retry}.1" man1/retry-redis-budget.1 \
    man5/retry-log.5 man7/retry-cookbook.7 man7/retry-delays.7 \
    man7/retry-fleet.7 man7/retry-plan.7 man7/retry-presets.7; do
	file=$(find "$T" -path "*/man/$page")
	check "$page is installed" test -s "$file"
	is "$page is installed, and its footer names the program and the version" \
	    "$(sed -n 's/^\.Os //p' "$file")" "$("$RETRY" --version)"
done

# As scripts/run sets it up: then root, who installs it, builds no test.
mkdir bin
printf '#!/bin/sh\nprintf installed\n' >bin/dpkg-query
chmod +x bin/dpkg-query
run env PATH="$PWD/bin:$PATH" meson setup -Dtests=false "$T/plain" "$TESTS/.."
is 'a build can be set up without tests' "$code" 0
like "who has Debian's retry is warned before an install goes before it" \
    "$out" "WARNING: Debian's package retry is installed"
is 'a build without tests has none for meson install to build' \
    "$(ninja -C "$T/plain" -t targets all | grep '^tests/')" ''
like 'a build without tests has the program' "$(ninja -C "$T/plain" -t targets all)" '^retry: '

finish
