#!/bin/sh
#
# Counts, durations and what is computed from them, without waiting for any.

# SPDX-License-Identifier: MIT

. lib/harness.sh

# refused OPTION TEXT...: the texts that are not.
refused() {
	option=$1
	shift
	for text; do
		run retry "$option" "$text" --plan
		[ "$code" -eq 125 ] || printf ' %s' "'$text'"
	done
}

# nominal OPTION...: the nominal delays of a plan without jitter.
nominal() {
	retry --plan -j none "$@" |
	    sed -n 's/^ *[0-9].* retry *\([^ ]\{1,\}\) .*/\1/p' | tr '\n' ' '
}

# Options that take a value.

is 'a count that is no whole number is refused' \
    "$(refused -a abc 1x -5 +5 0x10 1.5 1e2 ' 5' '5 ' '')" ''
is 'a count of twenty digits is refused' \
    "$(refused -a 18446744073709551615 99999999999999999999)" ''
status 0 'a count may be as long as fits' \
    retry -a 9223372036854775807 true

for option in -d -m -t -T -k --min-delay --splay --reset-after; do
	is "$option refuses what is no duration" \
	    "$(refused "$option" nan inf 1x 1ss -1 -0 +1 '' '1 s' ' 5' '5 ' \
		1m30 1s1s 1s1m 0x10 1e 1e+ . .s 1.2.3 1,5 1_0 s -t)" ''
	is "$option refuses what is too long" \
	    "$(refused "$option" 10000.01d 9999d25h 864000001 1e400 1e309d \
		9223372036854775807 99999999999999999999ms)" ''
done

wrong=
while read -r text want; do
	got=$(nominal -a 2 -m 0 -d "$text")
	[ "$got" = "$want " ] || wrong="$wrong $text:$got"
done <<'end'
1us 1us
2500us 2.5ms
2000000us 2s
1ms 1ms
2000ms 2s
1 1s
1s 1s
1m 1m
1h 1h
1d 1d
.1 0.1s
1e-3 1ms
1.5E1 15s
0.25s 0.25s
1.5h 1h30m
1m30s 1m30s
1h5m 1h05m
1d2h3m4s5ms6us 1d02h
0 0s
0s 0s
10000d 10000d
end
is 'a duration is taken in its units' "$wrong" ''
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

# Delays that are computed.

is 'a delay below a second doubles' \
    "$(nominal -a 6 -d 500ms)" '0.5s 1s 2s 4s 8s '
is 'a delay of a second doubles' "$(nominal -a 5 -d 1s)" '1s 2s 4s 8s '
is 'growth ends at a minute where no cap is given' \
    "$(nominal -a 10 -d 1)" '1s 2s 4s 8s 16s 32s 1m 1m 1m '
is 'a cap holds a delay' "$(nominal -a 5 -d 1 -m 3)" '1s 2s 3s 3s '
is 'a floor lifts a delay' \
    "$(nominal -a 5 -d 1 --min-delay=3)" '3s 3s 4s 8s '
is 'a delay of nothing stays nothing' "$(nominal -a 4 -d 0)" '0s 0s 0s '
is 'the last attempt is followed by no delay' "$(nominal -a 1)" ''

nominal -a 2000 -d 1us -m 1ms | tr ' ' '\n' | sort | uniq -c >delays
is 'two thousand doublings end at the cap and stay there' \
    "$(sed -n 's/^ *\([0-9]*\) 1ms$/\1/p' delays)" 1989
nominal -a 2000 -m 0 -d 10000d -b exponential:factor=1e300 |
    tr ' ' '\n' >delays
is 'nothing is ever beyond all numbers' "$(grep -Eci 'inf|nan|-' delays)" 0
is 'nothing is ever beyond all numbers, and nothing is lost' "$(grep -c . delays)" 1999

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
retry --plan -a 300 -b constant -d 1us | sed 's/us\b//g' | awk '
	$1 ~ /^[0-9]+$/ && /retry/ && NF >= 8 {
		n++
		if ($8 < 0.8 || $8 > 1.2)
			print "beyond:", $0
		distinct[$8]
	}
	END {
		for (value in distinct)
			values++
		if (n != 299 || values < 20)
			print n, "delays,", values, "values"
	}' >found
is 'the jitter is a fifth up and down, in fractions of any delay' \
    "$(cat found)" ''

finish
