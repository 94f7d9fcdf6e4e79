#!/bin/sh
#
# Every example in the README, in the manual and in --help is run as it stands
# there. The commands in them are stubs that fail once and then succeed: each
# example has to get over that. Examples of something else are told apart below.

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/stubs.sh
. "$TESTS/lib/stubs.sh"

stub collector curl docker fetch make nc npm pg_isready pytest retry-redis-budget terraform
for name in collector convert feed fetch load report sync test upload; do
	ln -s bin/stub "$name"
done
ln -s /bin/true bin/sleep
echo 'preset = network' >fetch.retry

# The examples, a line each.
extract() {
	unescape <"$manual" | sed -n '
		/^\.Dl [@.a-z/]*[ ].*failure (/!s/^\.Dl //p
		/^\.Bd -literal/,/^\.Ed/{
			/\\$/N
			s/ *\\\n */ /
			s/^ENTRYPOINT \[\(.*\)\]$/\1/
			/^"/s/[",]//g
			s/^ExecStart=//
			/^retry:/!{/retry .*[a-z]/{/^[$0-9 ]/!p}}
		}'
	sed -n '/^```sh$/,/^```$/p' "$readme" | grep -v '^[`#]'
	sed -n 's/^    \(retry .*\)/\1/p' "$readme"
	sed -n 's/^- run: \(retry .*\)/\1/p' "$readme"
	sed -n '/^ExecStart=/{/\\$/N;s/ *\\\n */ /;s/.*\(retry .*\)/\1/p}' "$readme"
	sed -n 's/^\*[^ ]* \* \* \* \* //p' "$readme"
	retry --help | sed -n 's/^  \(retry .*\)/\1/p'
}

extract | sed 's|/usr/local/bin/||; s|/usr/bin/||g; s/^@hourly //' >extracted
check 'the examples are found' test "$(wc -l <extracted)" -ge 35
awk '!seen[$0]++' extracted >examples

# ends STATUS CALLS HOW: what the example does where its command fails as
# $FAILURES and $FAILURE say.
ends() {
	example "$text"
	is "$name: $3" "$code after $calls" "$1 after $2" || note "$err"
}

export PRINTS SAYS SUCCESS
while IFS= read -r text <&3; do
	name=$(printf '%s' "$text" | tr -d '#')
	FAILURES=1 FAILURE=1 PRINTS='' SAYS='' SUCCESS=0
	case $text in
	*--plan*)
		ends 0 0 'runs nothing' ;;
	*--stop-on=*)
		ends 0 2 'retries a failure'
		FAILURE=${text#*--stop-on=}
		FAILURE=${FAILURE%%[ ,]*}
		ends "$FAILURE" 1 'but not this one' ;;
	*--retry-match=*)
		SAYS='timed out: timeout'
		ends 0 2 'retries a failure that says so'
		SAYS='no such file'
		ends 1 1 'but no other' ;;
	*--stop-match=*)
		SAYS='error: 503'
		ends 0 2 'retries a failure'
		SAYS='error: 404'
		ends 1 1 'but not this one' ;;
	*--preset=curl*)
		FAILURE=22 SAYS='curl: (22) The requested URL returned error: 503'
		ends 0 2 'retries a failure that may pass'
		SAYS='curl: (22) The requested URL returned error: 404'
		ends 22 1 'but no other' ;;
	*'retry -a 1 -t 10m make check')
		ends 1 1 'makes one attempt' ;;
	*--repeat*)
		FAILURES=2 FAILURE=0 SUCCESS=1
		ends 1 3 'goes on until it fails' ;;
	*--retry-on=*)
		ends 1 1 'stops at a failure'
		FAILURE=${text#*--retry-on=}
		FAILURE=${FAILURE%% *}
		ends 0 2 'but not at this one' ;;
	*--throttle-on=*)
		ends 0 2 'retries a failure'
		like "$name: soon" "$err" 'exited 1 .*; next in ([89]|1[012])[.0-9]*s'
		FAILURE=${text#*--throttle-on=}
		FAILURE=${FAILURE%% *}
		ends 0 2 'retries this one too'
		like "$name: later" "$err" 'exited 75 .*; next in (4[89]|5.|6.|7[012])[.0-9]*s' ;;
	*--state=*)
		ends 1 1 'gives up after its one attempt'
		ends 75 0 'is too early then' ;;
	*retry-redis-budget*)
		ends 0 3 'asks before the retry'
		is "$name: with its options" "$(sed -n 2p calls)" \
		    'retry-redis-budget --host=cache' ;;
	*etcdctl*)
		note "$name: etcd.t runs it" ;;
	*--before-retry=./ask*)
		ends 0 2 'goes on if the store cannot be asked' ;;
	*--before-retry=*)
		ends 0 3 'cleans up before the retry'
		is "$name: between the two" "$(sed -n 2p calls)" 'make clean' ;;
	*--output=hold*--check=*)
		FAILURES=0 PRINTS=starting
		ends 1 5 'fails as long as the output does not say so'
		PRINTS=up
		ends 0 1 'succeeds when it does' ;;
	*--check=*)
		FAILURES=0
		ends 1 5 'fails as long as the file is not there'
		echo >report.pdf
		FAILURES=1
		ends 0 1 'succeeds when it is' ;;
	*)
		ends 0 2 'succeeds at the second attempt' ;;
	esac
done 3<examples

# The plans in the manual, letter for letter.
for name in plan clients; do
	shown $name >table
	text=$(sed -n '1s/^\$ //p' table)
	is "$text: shows this" "$(COLUMNS=72 sh -c "$text")" "$(sed 1d table)"
done

# chart JITTER: the left chart of the manual, or the right one.
chart() {
	COLUMNS=36 sh -c "$(echo "$text" | sed 's| ./sync.*||') -j $1" |
	    sed -n '/^ *from/,/^ *total/p'
}
is 'the charts are drawn like this' "$(shown charts)" \
    "$(chart none >left; chart 20% | paste -d '|' left - |
    awk -F '|' '{ printf "%-38s%s\n", $1, $2 }')"

# The unit in the README.
sed -n '/^```ini$/,/^```$/p' "$readme" | grep -v '^```' |
    sed "s|/usr/local/bin/retry|$RETRY|; s|/usr/bin/collector|/bin/true|" \
    >readme.service
if have 'systemd finds nothing wrong with the unit' systemd-analyze; then
	run systemd-analyze verify --man=no "$T/readme.service"
	is 'systemd finds nothing wrong with the unit' "$code$err$out" 0
fi

# The loop of which the README says what is wrong with it.
loop=$(sed -n 's/^    \(for .* done\)$/\1/p' "$readme")
FAILURES=1
example "$loop"
is "$loop: succeeds" "$code" 0
is 'at the second attempt' "$calls" 2
FAILURES=3
example "$loop"
is 'it makes three attempts' "$calls" 3
is 'and ends in status 0 when all have failed' "$code" 0

# The README's session, run by a command that behaves as the one there: only the
# times may differ.
cat >deploy <<'END'
#!/bin/sh
case $RETRY_ATTEMPT in
1) echo 'deploy: connection reset by peer' >&2; exit 1 ;;
2) echo 'deploy: waiting for server' >&2; exec /bin/sleep 60 ;;
*) echo deployed ;;
esac
END
chmod +x deploy
sed '/^\$ retry -t/,/^```$/!d; /^```$/d' "$readme" >session
run sh -c "$(sed -n 's/^\$ //p' session | sed 's/-t 2s/-t 5s/') 2>&1"
is 'the README shows what the program says' \
    "$(printf '%s\n' "$out" | equal_times)" "$(sed 1d session | equal_times)"

picture=$TESTS/../man/retry.svg
check 'the picture is small' test "$(wc -c <"$picture")" -lt 100000
words=$(sed -n 's/.*<title>\$ \(retry .*\) .*<\/title>/\1/p' "$picture")
check "the picture's options are known: $words" sh -c "$words --plan true"

# What the README counts.
strategies=$(retry --help=backoff | grep -c '^  [a-z]')
jitters=$(retry --help=jitter | grep -c '^  ')
like 'the README knows how many strategies and jitters there are' \
    "$(cat "$readme")" "\| $strategies strategies, $((jitters - 1)) kinds of jitter \|"
is 'files that it links to are there' "$(grep -o '](\([^)]*\))' "$readme" |
    sed 's/^](\(.*\))$/\1/; s/\(.\)#.*/\1/' | while read -r file; do
	test -e "${readme%/*}/$file" || echo "$file" | grep -v '^https://\|^#'
done)" ''

finish
