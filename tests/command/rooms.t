#!/bin/sh
#
# core/ does no I/O, each directory of the source uses only itself and those above it,
# none is larger than its ceiling, and the map of the source has each file.

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
check 'the test would see a function that prints' \
    uses_io "$TEST_BUILD/libreport.a"

# Each uses only itself and those before it.
rooms='core report plan options sys'

# defined ROOM, used ROOM: the symbols that its objects define, or lack.
defined() {
	nm -g --defined-only "$TEST_BUILD/lib$1.a" |
	    sed -n 's/^[0-9a-f]* [A-Z] //p' | sort -u
}
used() {
	nm -u "$TEST_BUILD/lib$1.a" | sed -n 's/^ *U //p' | sort -u
}

# included ROOM: the directories whose headers its files include.
included() {
	sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$TESTS/../src/$1"/*.[ch] |
	    sort -u
}

after=$rooms
for room in $rooms; do
	after=${after#"$room"} after=${after# }
	for other in $after; do
		defined "$other" >theirs
		is "$room/ calls nothing of $other/" \
		    "$(used "$room" | comm -12 - theirs)" ''
		is "$room/ includes nothing of $other/" \
		    "$(included "$room" | grep -x "$other")" ''
	done
done
defined core >theirs
unlike 'the test would see a call' \
    "$(used report | comm -12 - theirs)" '^$'

# circles ROOM: its files that include each other, however indirectly.  tsort(1)
# names them on stderr.
circles() {
	for file in "$TESTS/../src/$1"/*.[ch]; do
		from=${file##*/} from=${from%.[ch]}
		sed -n "s/^#include \"\($1\/\)*\([a-z_]*\)\.h\"/$from \2/p" \
		    "$file"
	done | awk '$1 != $2' | sort -u | { tsort >order; } 2>&1
}
for room in $rooms; do
	is "no files of $room/ include each other" "$(circles "$room")" ''
done

# The lines that a directory may have, and the rows of options. A commit may lower a
# ceiling. One that raises a ceiling says in its message what the new lines replace.
ceilings='
	7450 src/core
	2377 src/report
	2112 src/plan
	3336 src/options
	8140 src/sys
	294 src/main.c
	10139 tests/unit
	14474 tests/command
	4617 tests/lib
	2813 tests/simulate
	4388 scripts
	61 options'

# size TREE ROOM: its lines; words of completions are generated.
size() {
	if [ "$2" = options ]; then
		grep -c '^	\[OPTION_' "$1/src/options/rows.c"
	else
		find "$1/$2" -type f ! -name words ! -name '*.pyc' -exec cat {} + |
		    wc -l
	fi
}

# too_large TREE: each directory of that tree that is larger than its ceiling.
too_large() {
	echo "$ceilings" | while read -r ceiling room; do
		[ -z "$room" ] || [ "$(size "$1" "$room")" -le "$ceiling" ] ||
			echo "$room: $(size "$1" "$room") of $ceiling"
	done
}

is 'no directory is larger than its ceiling' "$(too_large "$TESTS/..")" '' ||
    note 'remove lines, or raise its ceiling in rooms.t and say in the commit what for'
mkdir copy
cp -R "$TESTS/../src" "$TESTS/../scripts" copy
mkdir copy/tests
cp -R "$TESTS/unit" "$TESTS/command" "$TESTS/lib" "$TESTS/simulate" copy/tests
yes '	[OPTION_' | head -n 10000 |
    tee copy/src/core/more.c copy/src/report/more.c copy/src/plan/more.c \
	copy/src/sys/more.c copy/tests/unit/more.c copy/tests/command/more.t \
	copy/tests/lib/more.h copy/tests/simulate/more.c copy/scripts/more |
    tee -a copy/src/main.c >>copy/src/options/rows.c
is 'the test would see each directory that grows' \
    "$(too_large copy | sed 's/:.*//')" \
    "$(echo "$ceilings" | sed -n 's/^.* //p')"

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
