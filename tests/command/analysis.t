#!/bin/sh
#
# Nothing that compilers and analysers see in the source is left. This takes
# a minute or two: it is done once, in the build that has the fuzzing.

# SPDX-License-Identifier: MIT

. lib/harness.sh
cd "$TESTS/.." || exit

defines='-D_GNU_SOURCE -DLIBBSD_OPENBSD_VIS -DVERSION=__FILE__ -DPROGRAM=__FILE__ -DSHARES_MEMORY=1'

# analyse NAME FUNCTION TOOL
analyse() {
	have "$1" "$3" || return
	check "$1" "$2"
}

# readdir_r, which cppcheck prefers, is obsolete.
# shellcheck disable=SC2086,SC2317 # words are meant; check calls it
cppcheck_all() {
	cppcheck -q --enable=warning,performance,portability --std=c11 \
	    --library=posix,gnu,bsd --inline-suppr --suppress=readdirCalled \
	    --error-exitcode=1 $defines -Isrc -Itests/lib -Itests/fuzz src tests
}

# One by one: in company a file inherits what was thought of the one before.
# shellcheck disable=SC2317
tidy_all() {
	printf '%s\n' src/*.c src/*/*.c |
	    xargs -P 2 -n 1 clang-tidy --quiet -p "$TEST_BUILD" \
	        --warnings-as-errors='*' 2>/dev/null
}

# A FILE * that is kept in an array seems lost to gcc, as do descriptors to gcc 14;
# LeakSanitizer and valgrind see what is. gcc 14 thinks that pread(2) may fill more
# than its buffer, and crashes on putenv(3) of a local.
# shellcheck disable=SC2046,SC2086,SC2317 # words are meant
gcc_all() {
	printf '%s\n' src/*.c src/*/*.c |
	    xargs -P 2 -n 1 sh -c 'said=$(LC_ALL=C gcc "$@" 2>&1) || case $said in
		*"internal compiler error"*) ;;
		*) printf "%s\n" "$said"; exit 1 ;;
		esac' sh -std=c11 -O2 -Wall -Wextra -Werror -fanalyzer \
	        -Wno-analyzer-malloc-leak -Wno-analyzer-fd-leak \
		-Wno-analyzer-out-of-bounds \
		-Wno-missing-field-initializers $defines -Isrc \
	        $(pkg-config --cflags libbsd-overlay) -c -o /dev/null
}

analyse 'cppcheck finds nothing' cppcheck_all cppcheck
analyse 'clang-tidy finds nothing' tidy_all clang-tidy
analyse 'gcc -fanalyzer finds nothing' gcc_all gcc

finish
