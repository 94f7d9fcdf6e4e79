#!/bin/sh
#
# Every example in the README and in the manual is run as it stands there.
#
# The commands in them are stubs that fail once and then succeed, and what is
# to be shown is that each example gets over that; its waits are cut short by
# SIGURG. Those that are about something else are told apart below.

. ./harness.sh
readme=$TESTS/../README.md
manual=$TESTS/../man/retry.1

# The stubs note that they ran. The first $FAILURES calls fail with $FAILURE.
mkdir bin
cat >bin/stub <<'END'
#!/bin/sh
echo "${0##*/} $*" >>"$T/calls"
[ "$(wc -l <"$T/calls")" -gt "$FAILURES" ] || exit "$FAILURE"
END
cat >bin/retry <<'END'
#!/bin/sh
echo $$ >>"$T/runs"
exec "$RETRY" "$@"
END
chmod +x bin/*
for name in collector curl make nc pg_isready; do
	ln -s stub "bin/$name"
done
ln -s bin/stub sync
ln -s /bin/true bin/sleep
export FAILURES FAILURE

hurry() {
	while read -r pid; do
		kill -URG "$pid"
	done <runs
	not kill -0 "$1"
}

# example TEXT: runs it; sets $code, $err and $calls.
example() {
	: >calls
	: >runs
	FAILURES=${FAILURES:-1} FAILURE=${FAILURE:-1} \
	    PATH=$T/bin:$PATH sh -c "$1" >"$tap_dir/out" 2>"$tap_dir/err" &
	wait_for hurry $!
	wait $!
	code=$? err=$(cat "$tap_dir/err") calls=$(wc -l <calls)
}

# The examples, a line each. In the manual they are .Dl lines and the lines of
# literal displays that are shell; continued lines are joined.
extract() {
	sed -n 's/^\.Dl retry/retry/p' "$manual" |
	    sed 's/\\-/-/g; s/\\(ti/~/g; s/\\(ha/^/g; s/\\e/\\/g; s/\\&//g'
	sed -n '/^```sh$/,/^```$/p' "$readme" | grep -v '^```'
	sed -n 's/^    \(retry .*\)/\1/p' "$readme"
	sed -n 's/^ExecStart=.*\(retry .*\)/\1/p' "$readme"
	sed -n 's/^\*[^ ]* \* \* \* \* //p' "$readme"
	sed -n 's/^| `.* | `\(.*\)` |$/\1/p' "$readme"
}

extract | sed 's|/usr/bin/||' >examples
check 'the examples are found' test "$(wc -l <examples)" -ge 15

while IFS= read -r text <&3; do
	name=$(printf '%s' "$text" | tr -d '#')
	FAILURES=1 FAILURE=1
	case $text in
	*--plan*)
		example "$text"
		is "$name: succeeds" "$code" 0
		is "$name: runs nothing" "$calls" 0
		continue ;;
	*--stop-on=*)
		FAILURE=${text#*--stop-on=}
		FAILURE=${FAILURE%% *}
		example "$text"
		is "$name: stops" "$code" "$FAILURE"
		is "$name: at once" "$calls" 1
		FAILURE=1
	esac
	example "$text"
	is "$name: succeeds" "$code" 0
	is "$name: at the second attempt" "$calls" 2
	[ "$code" = 0 ] || note "$err"
done 3<examples

# The left column of the README's table, as far as it is made of loops.
sed -n 's/^| `\(.*done\)` | .*/\1/p' "$readme" >loops
check 'the loops are found' test "$(wc -l <loops)" -ge 3
while IFS= read -r text <&3; do
	example "$text"
	is "$text: succeeds" "$code" 0
	is "$text: at the second attempt" "$calls" 2
done 3<loops
FAILURES=3
example "$(sed -n 1p loops)"
is 'the first loop makes three attempts' "$calls" 3
is 'and ends in status 0 when all have failed' "$code" 0

finish
