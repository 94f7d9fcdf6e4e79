# shellcheck shell=sh
#
# Sourced after harness.sh by tests of what a terminal does with a job. They skip
# all if there is no Python for the terminal.
#
#	. "$TESTS/lib/jobs.sh"
#	on_shell stops 'retry known sleep 9' . 'type=\x1a' Stopped run=both_stopped

# SPDX-License-Identifier: MIT

have 'terminals' python3 || finish

# program NAME: stdin is a shell script of that name, on the PATH.
program() {
	{ echo '#!/bin/sh'; cat; } >"$1"
	chmod +x "$1"
}
PATH=$T:$PATH

# An attempt of which the test knows its pid, and that of retry.
program known <<'END'
echo $$ >pid; echo $PPID >retry; exec "$@"
END

# What the tests do meanwhile.
program await <<'END'
for try in $(seq 2000); do
	"$@" >/dev/null 2>&1 && exit
	sleep .01
done
echo "waited in vain for: $*"
exit 1
END
program is_stopped <<'END'
exec grep -q '^State:.T' "/proc/$(cat "$1")/status"
END
program goes_on <<'END'
! is_stopped "$1"
END
program tell <<'END'
exec kill "-$1" "$(cat "$2")"
END
program both_stopped <<'END'
await is_stopped pid && await is_stopped retry
END

# on_terminal NAME [PATTERN ACTION]... -- COMMAND...: beside others, in a
# directory of this name; what was seen is in the file NAME/seen.
on_terminal() {
	terminal=$1
	shift
	mkdir -p "$terminal"
	(cd "$terminal" && exec python3 "$TESTS/lib/terminal.py" 80 "$@" \
	    >seen 2>&1) &
}

# on_shell NAME LINE [PATTERN ACTION]...: types the line at a shell that has
# job control, and which the test has to end.
# shellcheck disable=SC2034 # this is for the caller
prompt='\n\$\Z'
on_shell() {
	shell=$1 line=$2
	shift 2
	on_terminal "$shell" '^\$$' "type=$line\\n" "$@" \
	    -- env PS1='$ ' bash --norc --noprofile -i
}
# shellcheck disable=SC2034 # this, too
ends='type=echo "status $?"; exit\n'
