#!/bin/sh
#
# How options take their values, and what a seed repeats, as a plan shows it.

# SPDX-License-Identifier: MIT

. lib/harness.sh

# nominal OPTION...: the nominal delays of a plan without jitter.
nominal() {
	retry --plan -j none "$@" |
	    sed -n 's/^ *[0-9].* retry *\([^ ]\{1,\}\) .*/\1/p' | tr '\n' ' '
}

# Options that take a value.

wrong=
for words in '-a 2 -d 2' '-a2 -d2' '-d 2 -a 2 -s KILL' '-a2 -m8 -d2' \
    '-m 8 -d 2 -a 2' '-k 3 -d 2 -a 2' '-T 1h -t 5 -d 2 -a 2' '-qqa2 -d2' \
    '-b constant -d 2 -a 2' '-j none -d 2 -a 2' '-d 2 -a 2 -jnone'; do
	# shellcheck disable=SC2086 # words are meant
	got=$(nominal $words)
	[ "$got" = '2s ' ] || wrong="$wrong|$words: $got"
done
is 'short options take their value from the same word or the next' "$wrong" ''
wrong=
for letter in a T t k s b d m j; do
	run retry "-$letter"
	[ "$code $err" = \
	    "125 retry: -$letter needs a value (try 'retry --help')" ] ||
	    wrong="$wrong $letter"
done
is 'a value that is missing is asked for' "$wrong" ''

# Chance.

run retry --plan -a 30
first=$out
run retry --plan -a 30
is 'two runs draw different delays' \
    "$([ "$first" = "$out" ] && echo same)" ''
run retry --plan -a 30 --seed=7
first=$out
run retry --plan -a 30 --seed=7
# Below the rows a slow program tells of fewer simulated runs.
is 'two runs of one seed draw the same' "$(echo "$first" | grep retry)" \
    "$(echo "$out" | grep retry)"
run retry --plan -a 30 --seed=8
is 'another seed draws others' "$([ "$first" = "$out" ] && echo same)" ''
first=$(retry --plan -a 30)
is 'without a seed each run draws others' \
    "$([ "$first" = "$(retry --plan -a 30)" ] && echo same)" ''
finish
