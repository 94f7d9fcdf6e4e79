#!/bin/sh
#
# What decides does no I/O, the arrows between the rooms go one way, and the map
# of the source has each file.

# SPDX-License-Identifier: MIT

. lib/harness.sh

# What would read a clock, the environment or a file, start or signal a
# process, sleep, print or end the program.
ios='_*(v?fork|clone|exec[a-z]*|posix_spawn[a-z_]*|system|popen'
ios="$ios|kill|killpg|raise|tgkill|wait|wait3|wait4|waitpid|waitid"
ios="$ios|clock_[a-z]*|time|gettimeofday|ftime|localtime[a-z_]*"
ios="$ios|sleep|usleep|nanosleep|alarm|setitimer|signal|sigaction"
ios="$ios|getenv|secure_getenv|setenv|environ|isatty|ioctl|fcntl"
ios="$ios|open[a-z_]*|creat|close|p?read[v_a-z]*|p?write[v_a-z]*|lseek"
ios="$ios|_*exit|abort|errx?|verrx?|warnx?|vwarnx?|perror"
ios="$ios|f?printf[a-z_]*|vf?printf[a-z_]*|puts|putchar|fput[cs]|putc|fwrite"
ios="$ios|fopen|fdopen|fread|fget[cs]|getline|getc|scanf|fscanf|fflush"
ios="$ios|stdin|stdout|stderr|ev_[a-z_]*)(_chk|64)?"

# uses_io LIBRARY: prints its undefined symbols that do I/O.
# shellcheck disable=SC2317 # check calls it
uses_io() {
	nm -u "$1" | sed -n 's/^ *U //p' | sed 's/@.*//' | grep -Ex "$ios"
}

check 'core is linked with nothing that does I/O' \
    not uses_io "$TEST_BUILD/libcore.a"
check 'the test would see what prints' uses_io "$TEST_BUILD/libcli.a"

# includes ROOM: the rooms that its files name, other than core and itself.
includes() {
	sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$TESTS/../src/$1"/*.[ch] |
	    sort -u | grep -vx -e core -e "$1"
}

is 'core includes nothing of other rooms' "$(includes core)" ''
is 'report, plan and options include nothing of sys' \
    "$(for room in report plan options; do includes $room; done | grep sys)" ''
is 'sys includes nothing of plan' "$(includes sys | grep plan)" ''

# unmapped: each file of the source that the map has no line for.
unmapped() {
	for file in "$TESTS"/../src/*/*.[ch]; do
		file=${file##*/} file=${file%.[ch]}
		grep -qE "^ \*     ([a-z_]+, )*$file([ ,]|$)" \
		    "$TESTS/../src/main.c" || echo "$file"
	done
}
is 'the map in main.c has each file of the source' "$(unmapped | sort -u)" ''
is 'README.md counts the strategies' \
    "$(sed -n 's/^| backoff | \([0-9]*\) strategies.*/\1/p' "$TESTS/../README.md")" \
    "$(sed -n '/^const struct strategy strategies/,/^}/p' \
	"$TESTS/../src/core/backoff.c" | grep -c '\.name = "')"

finish
