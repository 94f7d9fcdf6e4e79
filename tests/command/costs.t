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

# Each line has a word of the preset, and none of those of a pattern.
seq -f 'npm http fetch GET 200 https://registry.example.org/package-%g 12ms' 1000 \
    >npm.log
while read -r ceiling words; do
	# shellcheck disable=SC2086 # words are meant
	count=$(env -i PATH=/usr/bin:/bin valgrind --tool=callgrind \
	    --callgrind-out-file=/dev/null --toggle-collect=main \
	    "$RETRY" $words 2>&1 >/dev/null | sed -n 's/.*Collected *: //p')
	is "instructions of retry $words" \
	    "$([ "${count:-0}" -gt 50000 ] && [ "$count" -le "$ceiling" ] ||
		echo "$count")" ''
done <<'END'
97000 true
262000 --preset=npm true
282000 --preset=aws true
30000000 -q --preset=npm cat npm.log
330000 -q -a 11 -d 0 false
1134000 -q -a 11 -d 0 --log=json:/dev/null false
END

finish
