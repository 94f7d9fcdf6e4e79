#!/bin/sh
#
# Which signal ends a run, and which is the command's own: each of them at each
# moment of a run, on a terminal, without one, and as process 1.

# SPDX-License-Identifier: MIT

. lib/harness.sh
have 'signals at each moment' python3 || finish

for place in terminal job session first; do
	if [ $place = first ] && ! unshare --user --map-root-user --pid --fork \
	    --mount-proc true 2>/dev/null; then
		skip 'signals at each moment, as process 1' 'no namespace can be made'
		continue
	fi
	python3 "$TESTS/lib/signals.py" $place >pairs
	is "each moment was tried: $place" "$(grep -c '^[a-z]* 16$' pairs)" 8
	is "a signal ends the run, or is the command's own: $place" \
	    "$(grep -v '^[a-z]* 16$' pairs)" ''
done

finish
