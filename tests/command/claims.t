#!/bin/sh
#
# What the pages claim, as numbers that the program can show.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2016 # the attempts' shells expand

. lib/harness.sh

root=$TESTS/..

# number WORD: as digits.
number() {
	i=0
	for word in zero one two three four five six seven eight nine ten eleven \
	    twelve thirteen fourteen fifteen sixteen seventeen eighteen \
	    nineteen twenty twenty-one twenty-two twenty-three; do
		[ "$word" = "$1" ] && echo $i
		i=$((i + 1))
	done
}

# claimed PAGE REGEX: the first group, where the words may be folded.
claimed() {
	tr '\n' ' ' <"$root/$1" | sed -E "s/ +/ /g; /$2/!d; s/.*$2.*/\\1/"
}

# nominal COUNT OPTION...: the first delays, without jitter.
nominal() {
	count=$1
	shift
	retry --plan -j none "$@" false |
	    sed -n 's/^ *[0-9].* retry *\([^ ]\{1,\}\)s .*/\1/p' |
	    head -n "$count" | xargs
}

# waits TEXT: its numbers.
waits() {
	printf '%s\n' "$1" | grep -oE '[0-9.]+' | xargs
}

is 'README has the default number of attempts' \
    "$(number "$(claimed README.md 'giving up after ([a-z]+) attempts')")" \
    "$(retry --plan false | sed -n '1s/.*at most \([0-9]*\) .*/\1/p')"
is 'README has the first waits' \
    "$(waits "$(claimed README.md 'The waits are about ([0-9, and]+) seconds')")" \
    "$(nominal 4)"
is 'README has the first waits of -d 10s' "$(claimed README.md '(first wait is ten seconds, then 20, 40)' |
    sed 's/ten/10/' | grep -oE '[0-9]+' | xargs)" "$(nominal 3 -d 10s)"
is 'README has the number of strategies' \
    "$(claimed README.md ' ([0-9]+) strategies, [0-9]+ kinds')" \
    "$(retry --help=backoff | grep -cE '^  [a-z]')"
is 'README names four strategies' "$(number \
    "$(claimed README.md 'your own list, and ([a-z]+) more')")" \
    "$(($(retry --help=backoff | grep -cE '^  [a-z]') - 4))"
is 'the picture is of the run in README' \
    "$(sed -n 's/^retry: \(deploy: .*\)/>\1</p' "$root/README.md" |
	grep -cFf - "$root/man/retry.svg")" 3
others=$(claimed README.md 'curl, ssh and ([a-z-]+) others')
is 'README has the number of presets for tools, and names seven' \
    "$(number "$others")" "$(($(retry --help=presets |
	sed '/^Systems/,$d' | grep -cE '^  [a-z]') - 7))"
is 'the cookbook has the first waits of the preset poll' \
    "$(waits "$(claimed man/retry-cookbook.7 \
	'Checks after ([0-9., and]+) seconds, then every second')")" \
    "$(retry --plan --preset=poll -a 5 false | sed -n \
	's/^[1-4] *\([0-9.]*\)s .*/\1/p' | xargs)"

# What is not retried: each is one of the failures that the cookbook counts.
stops=0
for failure in 'kill -INT $$' 'ulimit -c 0; kill -QUIT $$' 'exit 130'; do
	: >ran
	retry -q -a 2 -d 0 sh -c "echo >>ran; $failure"
	[ "$(wc -l <ran)" -eq 1 ] && stops=$((stops + 1))
done
: >ran
retry -q -a 2 -d 0 ./no-such-command 2>/dev/null
[ $? -eq 127 ] && stops=$((stops + 1))
: >ran
retry -q -a 2 -d 0 sh -c 'echo >>ran; sleep .2; echo; exit 1' | true
[ "$(wc -l <ran)" -eq 1 ] && stops=$((stops + 1))
is 'the cookbook counts the failures that are not retried' "$(number \
    "$(claimed man/retry-cookbook.7 'Without options, ([a-z]+) failures')")" \
    "$stops"
is 'the manual counts the default items of --stop-on' "$(number \
    "$(claimed man/retry.1 'leaves the ([a-z]+) default items')")" \
    "$(retry --help=options | tr -d '\n ' |
	sed 's/.*neverretrythese\[\([^]]*\)\].*/\1/' | tr , '\n' | grep -c .)"

for i in 1 2 3; do
	retry -q --state=s --tolerate=3 -a 1 -d 0 false
	echo $?
done >statuses
is 'the cookbook has the waits after a rate limit of docker' \
    "$(claimed man/retry-cookbook.7 'rate limit each wait is ([0-9]+ to [0-9]+) seconds')" \
    "$(retry --plan=1 --preset=docker --throttle-on=1 --throttle-delay=1m -a 2 x |
	sed -n 's/^1 .* \([0-9]*\)s-1m .*/\1 to 60/p')"
is '--tolerate=3 fails at the third failed run in a row, as README says' \
    "$(xargs <statuses)" '0 0 1'
run retry -a 2 -d 0 --before-retry='exit 1' sh -c 'echo >>gate; exit 7'
is '--before-retry gives up if it exits 1' "$code $(wc -l <gate)" '7 1'
run retry -a 2 -d 0 --before-retry='exit 3' sh -c 'echo >>went; exit 7'
is 'a failure of --before-retry other than 1 is only a warning' "$code $(wc -l <went)" '7 2'

# The first command that README has a reader type succeeds.
text=$(sed -n 's/^    scripts\/run \(sh .*\)  *#.*/\1/p' "$root/README.md")
run sh -c "retry -d 0 $text"
is 'the first command in README succeeds at its third attempt' \
    "$code $(printf '%s\n' "$err" | sed -n '$s/.* \(attempt [0-9]\).*/\1/p')" \
    '0 attempt 3'
like 'RETRY_ELAPSED has decimals' "$(retry sh -c 'echo $RETRY_ELAPSED')" '^[0-9]+\.[0-9]+$'
run retry --output=chronic --before-retry='cat >read' -a 2 -d 0 \
    sh -c 'echo o; echo e >&2; exit 1'
is 'no hook reads messages' "$(cat read)" o
is 'each example of a JUnit report keeps the output' \
    "$(sed 's/\\-/-/g' "$root"/man/*.[157] "$root/README.md" \
	"$root/scripts/gitlab/retry.yml" | tr '\n' ' ' |
	grep -oE '(retry|ExecStart)( [^ ]+){0,5} --log=junit:' | grep -v output=)" ''
# Without -a, --max-time is a time; a number that is typed stays.
for options in '-T 1h:0' '-a 3 -T 1h:3' '--preset=npm:6' '--preset=npm -T 1h:0'; do
	# shellcheck disable=SC2086 # options are words
	is "the limit of attempts with ${options%:*}" \
	    "$(retry ${options%:*} sh -c 'echo $RETRY_ATTEMPTS')" "${options##*:}"
done
# The most that the pages allow is taken, and one more is refused.
pattern=$(printf %01024d 0)
printf 'transient-text = abc\n' >three.retry
printf 'transient-text = ab\n' >two.retry
while IFS='|' read -r claim most more; do
	# shellcheck disable=SC2086 # options are words
	is "$claim" "$(for options in "$most" "$more"; do
		retry --plan $options true >/dev/null 2>&1
		echo $?
	done | xargs)" '0 125'
done <<END
a duration is at most 10000 days|-T 10000d|-T 10001d
a limit with a time counts at most 100 failures|-a 100/1h|-a 101/1h
a list of limits has eight beside the number|-a 9,1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1|-a 9,1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1
a pattern has at most 1024 bytes|--stop-match=$pattern|--stop-match=0$pattern
repetitions expand to at most 250 characters|--stop-match=a{250}|--stop-match=a{251}
a budget has at most a million tokens|--budget=f:tokens=1000000|--budget=f:tokens=1000001
a number of a budget has three decimals|--budget=f:rate=0.123|--budget=f:rate=0.1234
124 to 127 are no --transient-status|--transient-status=123|--transient-status=124
a text of a preset has at least three bytes|--preset=./three.retry|--preset=./two.retry
END
is 'the default cap is 1m, or 16 times --delay' "$(for delay in 1s 10s; do
	retry --plan -j none -d $delay -a 9 false |
	    sed -n 's/^8 .* retry *\([^ ]*\) .*/\1/p'
done | xargs)" '1m 2m40s'
is 'with 20% jitter --min-delay=10s gives delays of 10 to 14 seconds' \
    "$(retry --plan -d 10s --min-delay=10s false | sed -n 's/^1 .* \(10s.14s\) .*/\1/p')" \
    10s-14s
is 'the waits of the preset of a tool begin at 5s, double, and end after two minutes' \
    "$(nominal 5 --preset=npm -a 6) $(retry --plan --preset=npm -j none -a 6 false |
	sed -n 's/.* in \(.*s\): exited.*/\1/p')" '5 10 20 40 2m15s'
is 'a collector that crashes at once raises an alert after this time' \
    "$(claimed README.md '\(some ([0-9]+) minutes')" \
    "$(retry --plan -j none -a 30/1h -m 1m false |
	sed -n 's/.* attempts in \([0-9]*\)m.*/\1/p')"
is 'each wait of the migration from an interval is fixed' "$(sed -n \
    '/^\.Sh FROM OTHER/,$ { s/^\.It .*\(retry.*delay\|wait_seconds\|sleep 5\).* Ta //p; }' \
    "$root/man/retry-cookbook.7" | grep -o 'constant.*-j none' | cut -d ' ' -f 1 |
	xargs)" 'constant constant constant'

# Each message that the manual explains is one that the program has.
sed -n '/^.Sh DIAGNOSTICS/,/^.Sh SEC/s/^\.It Li //p' "$root/man/retry.1" |
    sed 's/\\-/-/g; s/\\(aq/'\''/g; s/ , Li /\n/g; s/ A[r] [^ ]* Li /\n/g; s/ A[r] .*//' |
    sed 's/ N$//; s/.*[0-9] //' >messages
strings=$(cat "$root"/src/report/message.c "$root"/src/sys/*.c |
    tr -d '\n' | sed 's/"[[:space:]]*"//g; s/%[a-z-]*//g')
while IFS= read -r text; do
	case $strings in
	*"$text"*) ;;
	*) printf '%s; ' "$text" ;;
	esac
done <messages >unknown
is 'each message that the manual explains is in the source' "$(cat unknown)" ''

finish
