# shellcheck shell=sh
#
# Sourced after harness.sh by tests that run what the documents show: commands
# that are not there, or would reach for the network, are stubs in bin. A stub
# notes that it ran, in calls, and prints $PRINTS, if that is set; the first
# $FAILURES calls say $SAYS, if that is set, and end in status $FAILURE, later
# ones in $SUCCESS or 0. The waits between attempts are cut short by SIGURG.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2034 # for the caller
readme=$TESTS/../README.md
manual=$T/manual
cat "$TESTS"/../man/retry.1 "$TESTS"/../man/retry-[dfp]*.7 >"$manual"
sed '/^\.Sh EXAMPLES/,$d' "$TESTS/../man/retry-log.5" >>"$manual"

mkdir bin
cat >bin/stub <<'END'
#!/bin/sh
echo "${0##*/} $*" >>"$T/calls"
call=1
until mkdir "$T/called/$call" 2>/dev/null; do
	call=$((call + 1))
done
[ -z "${PRINTS-}" ] || echo "$PRINTS"
[ "$call" -le "$FAILURES" ] || exit "${SUCCESS:-0}"
[ -z "${SAYS-}" ] || echo "$SAYS" >&2
exit "$FAILURE"
END
cat >bin/retry <<'END'
#!/bin/sh
echo $$ >>"$T/runs"
exec "$RETRY" "$@"
END
chmod +x bin/*
export FAILURES FAILURE

# stub NAME...: makes stubs of these names.
stub() {
	for stub_name; do
		ln -s "$T/bin/stub" "bin/$stub_name"
	done
}

stub_hurry() {
	while read -r stub_pid; do
		kill -URG "$stub_pid"
	done <runs
	not kill -0 "$1"
}

# example TEXT: runs it by sh; sets $code, $out, $err and $calls.
example() {
	: >calls
	: >runs
	rm -rf called
	mkdir called
	FAILURES=${FAILURES:-1} FAILURE=${FAILURE:-1} \
	    PATH=$T/bin:$PATH sh -c "$1" >example.out 2>example.err &
	wait_for stub_hurry $!
	wait $!
	# shellcheck disable=SC2034 # these are for the caller
	code=$? out=$(cat example.out) err=$(cat example.err) \
	    calls=$(wc -l <calls)
}

# Takes mdoc's escapes out of what is to be read as it is shown.
unescape() {
	sed "s/\\\\-/-/g; s/\\\\(ti/~/g; s/\\\\(ha/^/g; s/\\\\(aq/'/g
	    s/\\\\(ga/\\\`/g; s/\\\\&//g; s/\\\\e/\\\\/g"
}

# shown NAME: the display of the manual that is marked `way: NAME`.
shown() {
	sed "1,/^\.\\\\\" way: $1\$/d;/^\.Ed\$/,\$d" "$manual" | sed 1d |
	    unescape
}

# recipes: each recipe of the cookbook becomes a file recipes/HEADING; their
# headings, in order, are in headings. One that follows the lines of another
# section begins with these.
recipes() {
	mkdir recipes
	unescape <"$TESTS/../man/retry-cookbook.7" | awk '
		/^\.Ss / { name = substr($0, 5); before = "" }
		/^These lines follow/ { getline; before = substr($0, 5); sub(/ :$/, "", before) }
		/^\.Ed/ { shown = 0 }
		shown { print >("recipes/" name) }
		/^\.Bd / { shown = 1; print name >"headings" }
		/^\.Bd / && before != "" {
			close("recipes/" before)
			while ((getline line <("recipes/" before)) > 0)
				print line >("recipes/" name)
		}'
}

# equal_times: standard input with the times of messages made equal.
equal_times() {
	sed -E 's/(after|in) [<0-9.]+m?s/\1 TIME/g'
}
