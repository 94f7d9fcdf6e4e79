#!/bin/sh
#
# --help, --help=TOPIC, --help=OPTION and --version.

# SPDX-License-Identifier: MIT

. lib/harness.sh

run "$RETRY" --help
help=$out
is '--help succeeds' "$code" 0
is '--help succeeds, and has nothing to complain of' "$err" ''
is '--help fits 80 columns, with the longer name of the package too' \
    "$(printf '%s\n' "$help" | sed 's/\(^ *\|: \|man \)retry /\1retry-backoff /' |
	grep -E '.{81}')" ''
check '--help fits a screen of 24 lines with the prompt' \
    test "$(printf '%s\n' "$help" | wc -l)" -le 23
is '-h is short for it' "$("$RETRY" -h)" "$help"
is '--help has three examples' "$(printf '%s\n' "$help" | grep -c '^  retry ')" 3

# Every option of the manual, which a test of its own compares with these.
options=$("$RETRY" --help=options)
is '--help=options fits 80 columns' \
    "$(printf '%s\n' "$options" | grep -E '.{81}')" ''
sed -n 's/^\.It \(Fl . , \)*Fl -\([a-z-]*\).*/\2/p' \
    "$TESTS/../man/retry.1" >names
check 'the manual has options' test "$(wc -l <names)" -ge 35
missing=
while read -r name; do
	printf '%s\n' "$options" | grep -Eq "^  (-., |    )--$name(\\[|=| |\$)" ||
	    missing="$missing $name"
done <names
is '--help=options names every option' "$missing" ''
is 'what --help has is in --help=options, with the same letters' \
    "$(printf '%s\n' "$help" | grep -oE '^  (-., |    )--[a-z-]+' |
    while IFS= read -r name; do
		printf '%s\n' "$options" | grep -qF -e "$name" || echo "$name"
	done)" ''
# defaults OF: the options that have a default, and its first word.
defaults() {
	printf '%s\n' "$1" | awk '
		match($0, /^  (-.,|   ) --[a-z-]+/) {
			name = substr($0, RSTART + 8, RLENGTH - 8)
		}
		match($0, / \[[^],]*[],]/) && name != "" && $0 !~ /--stop-on/ {
			print name, substr($0, RSTART + 2, RLENGTH - 3)
		}'
}
is 'what --help has is in --help=options with the same defaults' "$(defaults "$help" | while read -r line; do
	defaults "$options" | grep -qxF -e "$line" || echo "$line"
done)" ''

run "$RETRY" --help=topics
sed 's/^  --help=\([a-z]*\) .*/\1/' >topics <<-END
	$out
END
is 'each topic that --help names is there' "$(printf '%s\n' "$help" |
    sed -n 's/^.*, by --help=[A-Z]*: \([a-z -]*\)\..*/\1/p' | tr ' ' '\n' |
    grep -vxF -e -a -e npm | grep -vxFf topics)" ''
for name in limits verdict output signals plan state environment ci cron \
    systemd docker compose kubernetes shell http; do
	grep -qx "$name" topics || echo "$name"
done >said
is 'each topic that a reader looks for is there' "$(cat said)" ''
long=$(for name in examples ci cron systemd docker compose kubernetes shell http; do
	[ "$("$RETRY" --help="$name" | wc -l)" -le 24 ] || echo "$name"
done)
is 'the recipes of a place fit a screen of 24 lines' "$long" ''
like 'where a preset has the name of a topic, it is told where that is printed' \
    "$("$RETRY" --help=docker)" 'retry --help=--preset=docker\.$'
like 'a preset with the name of a topic is printed' "$("$RETRY" --help=--preset=docker)" '^permanent-'
like '--help=NAME prints any other preset, with a sentence' \
    "$("$RETRY" --help=npm | sed -n 1p)" '^The preset npm recognizes failures'
for row in all:options summary:ci daemon:systemd makefile:shell 503:http hup:signals \
    Ctrl-C:signals secret:environment cookbook:examples status:exit 124:exit \
    postgres:compose; do
	is "--help=${row%:*} is --help=${row#*:}" \
	    "$("$RETRY" --help="${row%:*}")" "$("$RETRY" --help="${row#*:}")"
done
is '--help limit finds limits' "$("$RETRY" --help limit)" \
    "$("$RETRY" --help=limits)"
is 'a command beside --help is no topic' "$("$RETRY" --help make)" "$help"

run "$RETRY"
is 'without arguments the status is 125' "$code/$out" 125/
is 'the usage is printed without arguments, and where to look' \
    "$(printf '%s\n' "$err" | sed -n '1p;$p')" \
    'usage: retry [OPTION]... [--] COMMAND [ARG]...
More: retry --help, man retry'
# shellcheck disable=SC2013 # topics are words
for topic in $(cat topics); do
	run "$RETRY" --help="$topic"
	is "--help=$topic succeeds" "$code" 0
	check "--help=$topic says something" test "${#out}" -gt 200
	is "--help=$topic has 80 columns, but for an array of JSON" \
	    "$(printf '%s\n' "$out" | grep -E '.{81}' | grep -v ENTRYPOINT)" ''
done

# An option, in every spelling.
empty='' wide=''
while read -r name; do
	"$RETRY" --help="--$name" >said
	sed -n 1p said | grep -q -- "--$name" && [ "$(wc -l <said)" -ge 2 ] ||
	    empty="$empty $name"
	! grep -Eq '.{81}' said || wide="$wide $name"
done <names
is '--help=--NAME has the paragraph of each option' "$empty" ''
is '--help=--NAME fits 80 columns' "$wide" ''
attempts=$("$RETRY" --help=--attempts)
like '--help=--NAME prints the paragraph of the manual' "$attempts" '-a, --attempts=N'
for spelling in -a a attempts --att ATTEMPTS; do
	is "--help=$spelling is --help=--attempts" \
	    "$("$RETRY" --help="$spelling")" "$attempts"
done
is '--help=-T is not --help=-t' "$("$RETRY" --help=-T | sed -n 1p)" \
    '  -T, --max-time=DUR'
unlike '--help=plan is the topic' "$("$RETRY" --help=plan)" '^ *--plan\['
like '--help=--plan is the option' "$("$RETRY" --help=--plan)" '^ *--plan\['
like 'a mistake is answered' \
    "$("$RETRY" --help=--atempts 2>&1)" 'did you mean attempts\?'
like 'a mistake is answered, so is the name that another program has' \
    "$("$RETRY" --help=--tries 2>&1)" '--attempts'
like 'a beginning of several is one of them' \
    "$("$RETRY" --help=max 2>&1)" 'did you mean max-'
unlike 'a subsection ends with its last option' "$("$RETRY" --help=limits)" \
    '^ *-b, --backoff='
is 'a section ends before the next' "$("$RETRY" --help=examples |
    grep -c '^[A-Z]')" 1
"$RETRY" --help=verdict >said
is 'no byte of a style is left' "$(tr -d '\n -~' <said)" ''
like 'a terminal shows bold words' "$(TERM=xterm script -qec \
    '"$RETRY" --help=-a' /dev/null | cat -v)" '^  \^\[\[0;1m-a\^\[\[0m, '
is 'help in a locale of ASCII is ASCII' \
    "$(LC_ALL=C "$RETRY" --help=plan | tr -d '\n -~')" ''

is 'each tool whose failures are recorded is listed' \
    "$("$RETRY" --help=presets | sed -n '/^Tools/,/^$/p' |
	sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -vxE 'network|apk|nuget')" \
    "$(cd "$TESTS/data/failures" && printf '%s\n' */ | tr -d /)"

like '--help=sets names the signals' "$("$RETRY" --help=sets)" \
    '^    HUP INT QUIT .* KILL '
for words in '--help=nothing' '--help=e' '--help=' '--help=--' \
    --help=--preset=nosuch; do
	run "$RETRY" "$words"
	is "$words is 125" "$code" 125
	is "$words prints nothing" "$out" ''
	is "$words prints nothing, and has one line for it" "$(printf %s "$err" | grep -c '')" 1
	like "$words prints nothing, that names it" "$err" "^retry: invalid --help .*try 'retry --help'"
done

for words in --help --help=sets --help=-a --version --plan; do
	run sh -c "\"\$RETRY\" $words >/dev/full"
	is "$words that cannot be written is 125" "$code" 125
	is "$words that cannot be written is 125, with one line" "$(printf %s "$err" | grep -c '')" 1
	like "$words that cannot be written is 125, that says why" "$err" 'No space left'
done

like '--version names the program and its version' "$("$RETRY" -V)" \
    '^retry [0-9]+\.[0-9]+\.[0-9]+$'
is 'a command beside --help is not run' \
    "$("$RETRY" --help touch ran >/dev/null; echo *)" 'names said topics'

# words COMMAND...: what it prints, a word per line.
words() {
	"$@" | tr -s ' ' '\n' | grep .
}
if have 'a narrow terminal' python3; then
	for columns in 60 50 40; do
		for words in --help --help=options --help=verdict; do
			words "$RETRY" "$words" >whole
			words env NO_COLOR=1 TERM=xterm python3 \
			    "$TESTS/lib/terminal.py" "$columns" -- "$RETRY" "$words" |
			    sed '/^status$/,$d' >narrow
			# Words that no line holds are left to the terminal.
			is "$words breaks between words in $columns columns" \
			    "$(grep -vxFf whole narrow)" ''
		done
	done
fi

finish
