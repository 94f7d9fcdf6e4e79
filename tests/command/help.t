#!/bin/sh
#
# --help, --help=TOPIC and --version.

# SPDX-License-Identifier: MIT

. lib/harness.sh

run "$RETRY" --help
help=$out
is '--help succeeds' "$code" 0
is 'and has nothing to complain of' "$err" ''
is 'it fits 80 columns' "$(printf '%s\n' "$help" | grep -E '.{81}')" ''
check 'and 100 lines' test "$(printf '%s\n' "$help" | wc -l)" -le 100
is '-h is short for it' "$("$RETRY" -h)" "$help"

# Every option of the manual, which a test of its own compares with these.
sed -n 's/^\.It \(Fl . , \)*Fl -\([a-z-]*\).*/\2/p' \
    "$TESTS/../man/retry.1" >names
check 'the manual has options' test "$(wc -l <names)" -ge 35
missing=
while read -r name; do
	printf '%s\n' "$help" | grep -Eq "^  (-., |    )--$name(\\[|=| |\$)" ||
	    missing="$missing $name"
done <names
is 'it names every option' "$missing" ''

printf '%s\n' "$help" | sed -n '/^TOPIC: /,/^$/s/^\(TOPIC:\)\{0,1\} *//p' |
    tr ' ' '\n' | sed '/^$/d' >topics
is 'it names the topics' "$(xargs <topics)" \
    "$("$RETRY" --help=topics | sed 's/^  --help=\([a-z]*\) .*/\1/' | xargs)"
is 'each topic that a reader looks for is there' "$(grep -xE \
    'limits|health|verdict|output|signals|plan|state|environment' topics | xargs)" \
    'limits health verdict output signals plan state environment'
is '--help limit finds limits' "$("$RETRY" --help limit)" \
    "$("$RETRY" --help=limits)"
is 'a command beside --help is no topic' "$("$RETRY" --help make)" "$help"

run "$RETRY"
is 'without arguments the status is 125' "$code/$out" 125/
is 'the usage is printed without arguments, and where to look' \
    "$(printf '%s\n' "$err" | sed -n '1p;$p')" \
    'usage: retry [OPTION]... [--] COMMAND [ARG]...
More: retry --help, man retry'
is 'it ends with three examples' \
    "$(printf '%s\n' "$help" | grep -c '^  retry ')" 3
# shellcheck disable=SC2013 # topics are words
for topic in $(cat topics); do
	run "$RETRY" --help="$topic"
	is "--help=$topic succeeds" "$code" 0
	check "--help=$topic says something" test "${#out}" -gt 200
	is "--help=$topic has 80 columns" "$(printf '%s\n' "$out" | grep -E '.{81}')" ''
done

is 'each tool has its temporary and its permanent failures' \
    "$("$RETRY" --help=presets | sed -n '/^Tools/,$p' |
	sed -n '/^  [a-z]/ { s/^  \([a-z]*\) .*/\1/; N; /permanent: /P; }')" \
    "$(cd "$TESTS/data/failures" && printf '%s\n' */ | tr -d /)"

like '--help=sets names the signals' "$("$RETRY" --help=sets)" \
    '^    HUP INT QUIT .* KILL '
for words in '--help=nothing' '--help=exi' '--help='; do
	run "$RETRY" "$words"
	is "$words is 125" "$code" 125
	is "$words prints nothing" "$out" ''
	is 'and has one line for it' "$(printf %s "$err" | grep -c '')" 1
	like 'that names it' "$err" "^retry: invalid --help .*try 'retry --help'"
done
run "$RETRY" --help="$(printf 'a\033[1m\nb')"
is 'a topic is made harmless' "$(printf '%s\n' "$err" | tr -d ' -~')" ''

for words in --help --help=sets --version --plan; do
	run sh -c "\"\$RETRY\" $words >/dev/full"
	is "$words that cannot be written is 125" "$code" 125
	is 'with one line' "$(printf %s "$err" | grep -c '')" 1
	like 'that says why' "$err" 'No space left'
done

like '--version names the program and its version' "$("$RETRY" -V)" \
    '^retry [0-9]+\.[0-9]+\.[0-9]+$'
is 'a command beside --help is not run' \
    "$("$RETRY" --help touch ran >/dev/null; echo *)" 'names topics'

finish
