#!/bin/sh
#
# Each kind of reader of the output meets each event in each mode that collects: how a
# run ends, how much of the output arrives, and whether a message says that the rest
# was not taken.

# SPDX-License-Identifier: MIT

. lib/harness.sh

have 'each reader meets each event' python3 || finish

# The columns are modes; all runs are made side by side. An attempt writes more than a
# pipe holds, and less than two do with the room in retry.
python3 "$TESTS/lib/readers.py" searched hold all last failed chronic >table

# met READER EVENTS: what came of those.
met() {
	grep "^$1 " table | cut -d ' ' -f 2- | grep -E -- "^($2) "
}
# these READERS NAME: they meet what is in the table of standard input.
these() {
	expected=$(cat)
	events=$(echo "$expected" | cut -d ' ' -f 1 | paste -sd '|')
	for reader in $1; do
		is "$reader: $2" "$(met "$reader" "$events")" "$expected"
	done
}

# A second signal may come before or after the end of these.
these 'takes slow socket' 'whoever takes the output gets all of it, whatever happens' <<'E2'
exit-0 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
exit-1 1 all, 1 none, 1 all, 1 all, 1 all, 1 all
-t 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
-T 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
idle 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
TERM 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
INT 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
STOP-CONT 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
sick 124 all, 124 none, 124 all, 124 all, 124 all, 124 all
E2
these 'pauses sleeps terminal' 'no success is cut, and the end says what was' <<'E2'
exit-0 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
exit-1 1 all, 1 none, 1 all, 1 all, 1 all, 1 all
-t 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
-T 124 unread, 0 all, 0 all, 0 all, 0 none, 0 none
idle 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
TERM -15 unread, -15 unread, -15 unread, -15 unread, 0 none, 0 none
INT -2 unread, -2 unread, -2 unread, -2 unread, 0 none, 0 none
TERM-TERM -15 unread, -15 unread, -15 unread, -15 unread, 0 none, 0 none
STOP-CONT 0 all, 0 all, 0 all, 0 all, 0 none, 0 none
sick 124 all, 124 none, 124 all, 124 all, 124 all, 124 all
E2
these goes 'retry dies of SIGPIPE where it has to write' <<'E2'
exit-0 -13 none, -13 none, -13 none, -13 none, 0 none, 0 none
exit-1 -13 none, 1 none, -13 none, -13 none, -13 none, -13 none
-t -13 none, -13 none, -13 none, -13 none, 0 none, 0 none
-T -13 none, -13 none, -13 none, -13 none, 0 none, 0 none
idle -13 none, -13 none, -13 none, -13 none, 0 none, 0 none
TERM -13 none, -13 none, -13 none, -13 none, 0 none, 0 none
INT -13 none, -13 none, -13 none, -13 none, 0 none, 0 none
TERM-TERM -13 none, -13 none, -13 none, -13 none, 0 none, 0 none
STOP-CONT -13 none, -13 none, -13 none, -13 none, 0 none, 0 none
sick -13 none, 124 none, -13 none, -13 none, -13 none, -13 none
E2
these full 'a full device is an error where it has to be written' <<'E2'
exit-0 125 none, 125 none, 125 none, 125 none, 0 none, 0 none
exit-1 125 none, 1 none, 125 none, 125 none, 125 none, 125 none
-t 125 none, 125 none, 125 none, 125 none, 0 none, 0 none
-T 125 none, 125 none, 125 none, 125 none, 0 none, 0 none
idle 125 none, 125 none, 125 none, 125 none, 0 none, 0 none
TERM 125 none, 125 none, 125 none, 125 none, 0 none, 0 none
INT 125 none, 125 none, 125 none, 125 none, 0 none, 0 none
TERM-TERM 125 none, 125 none, 125 none, 125 none, 0 none, 0 none
STOP-CONT 125 none, 125 none, 125 none, 125 none, 0 none, 0 none
sick 125 none, 124 none, 125 none, 125 none, 125 none, 125 none
E2

finish
