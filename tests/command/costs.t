#!/bin/sh
#
# Instructions of main() and all that it calls, which noise does not touch, have
# ceilings. A commit that makes them fewer lowers a ceiling; one that raises it says
# what for.

# SPDX-License-Identifier: MIT

. lib/harness.sh

if sanitized || ! grep -q ' -O[23s]' "$TEST_BUILD/compile_commands.json"; then
	skip instructions 'a build for other ends'
	finish
fi
have instructions valgrind || finish

while read -r ceiling words; do
	# shellcheck disable=SC2086 # words are meant
	count=$(env -i PATH=/usr/bin:/bin valgrind --tool=callgrind \
	    --callgrind-out-file=/dev/null --toggle-collect=main \
	    "$RETRY" $words 2>&1 | sed -n 's/.*Collected *: //p')
	is "instructions of retry $words" \
	    "$([ "${count:-0}" -gt 50000 ] && [ "$count" -le "$ceiling" ] ||
		echo "$count")" ''
done <<'END'
97000 true
245000 --preset=npm true
266000 --preset=aws true
330000 -q -a 11 -d 0 false
1134000 -q -a 11 -d 0 --log=json:/dev/null false
END

finish
