#!/bin/sh
#
# The source keeps to its style.

# SPDX-License-Identifier: MIT

. lib/harness.sh
cd "$TESTS/.." || exit

# lint NAME TOOL ARGUMENT...
lint() {
	have "$1" "$2" || return
	check "$@"
}

is 'each file of the source names its licence' "$(
    grep -rL --exclude=README.md '^[^ ]* SPDX-License-Identifier: MIT' src man/*.[157] meson.build \
	meson_options.txt .ci scripts/*.sh tests/meson.build tests/command tests/lib \
	tests/simulate tests/unit tests/fuzz/*.[ch]
    grep -slE '^#!' scripts/* scripts/*/* |
	xargs grep -L '^# SPDX-License-Identifier: MIT')" ''

# What is quoted is often meant for another shell; functions are called by check.
case $(clang-format --version 2>/dev/null) in
*' version 1'[!4]*) # Each version wants some lines otherwise than the others.
	skip 'C is formatted' 'clang-format is not version 14' ;;
*)
	# shellcheck disable=SC2046 # names without blanks
	lint 'C is formatted' \
	    clang-format --dry-run -Werror $(find src tests -name '*.[ch]') ;;
esac
# clang-format leaves comments alone.
is 'no line is longer than 80 columns' \
    "$(find src -name '*.[ch]' -exec expand {} + | grep -E '^.{81}')" ''
# The harness is read once, by itself: to read it again for each test would take
# ten seconds, and a test needs no more of it than these variables.
mkdir "$T/lib"
echo "export RETRY='' code=0 out='' err='' tap_dir='' tap_finished=''" \
    >"$T/lib/harness.sh"
# shellcheck disable=SC2046
lint 'the shell scripts are clean' shellcheck -x -e SC2016,SC2317 \
    -P "$T" -P SCRIPTDIR -P . -P tests .ci/run scripts/completions/retry.bash \
    tests/lib/*.sh tests/command/*.t \
    $(grep -slE '^#( shellcheck shell=|!/bin/)(ba)?sh' scripts/* scripts/*/*)
if have 'the manuals are clean' mandoc; then
	# It does not know where pages of other packages, and ours, will be, and
	# wants what everybody looks for first behind what few people need.
	is 'the manuals are clean' "$(mandoc -T lint man/*.[157] 2>/dev/null |
	    grep -v -e 'referenced manual not found' -e 'out of conventional order')" ''
fi

# They are built with libFuzzer alone, which few changes are tried with.
lint 'the targets of libFuzzer compile' cc -fsyntax-only -Werror -std=c11 -D_GNU_SOURCE \
    -DLIBBSD_OVERLAY -isystem /usr/include/bsd -DPROGRAM='""' -DVERSION='""' \
    -Isrc -Itests/lib -Itests/fuzz tests/fuzz/*.c

finish
