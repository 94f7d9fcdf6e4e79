#!/bin/sh
#
# The manual agrees with --help, from which the completions are made: on options
# and their defaults, strategies, jitters, presets, budgets, sets and formats.

. lib/harness.sh

sed 's/\\-/-/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\&//g; s/\\e/\\/g' \
    "$TESTS/../man/retry.1" >manual

# section FROM TO: the manual's lines between these two headings.
section() {
	sed -n "/^\.S[hs] $1\$/,/^\.S[hs] $2\$/p" manual
}

# topic NAME: what the program says of it.
topic() {
	"$RETRY" --help="$1"
}

# agree NAME: the files `in_manual` and `in_help` are the same, and not empty.
agree() {
	check "manual and --help agree on $1" \
	    sh -c 'test -s in_help && diff in_manual in_help'
}

# ".It Fl a , Fl -attempts Ns = Ns Ar N" becomes "-a, --attempts=N".
section OPTIONS DELAYS | sed -n '
	s/^\.It Fl \(.*\)/ Fl \1 /
	t words
	d
	:words
	s/ Ns / /g
	s/ Oo / [ /g
	s/ Oc / ] /g
	s/ Fl \([^ ]*\) / -\1 /g
	s/ \(Ar\|Cm\|No\) / /g
	s/ \(Ar\|Cm\|No\) / /g
	s/ //g
	s/,--/, --/
	p' | sed 's/^--*\([^-]\), /-\1, /' >in_manual
topic options | sed -n 's/^ *\(-., --[^ ]*\|--[^ ]*\).*/\1/p' >in_help
agree 'the options and the words of their values'

# The first word behind "The default is", without the times that are 0.
section OPTIONS DELAYS | awk '
	/^\.It / {
		match($0, /Fl -[a-z-]+/)
		name = substr($0, RSTART + 4, RLENGTH - 4)
		found = 0
	}
	/default(,| is)$/ { found = 1; next }
	found == 1 && !($2 == "0" && name != "success-on") { print name, $2 }
	{ found = 0 }' >in_manual
topic options | awk '
	match($0, /--[a-z-]+/) && /^  (-.,|   ) --/ {
		name = substr($0, RSTART + 2, RLENGTH - 2)
	}
	match($0, / \[[^]]*\]$/) {
		split(substr($0, RSTART + 2, RLENGTH - 3), words, ",? ")
		print name, words[1]
	}' >in_help
agree 'the defaults'

section Strategies Jitter | awk '
	/^\.It Cm/ { name = $3; getline; formula = substr($0, 5) }
	/^\.Cm .* :$/ {
		param = $2
		getline text
		sub(/.*\((default: )?/, "", text)
		sub(/\)$/, "", text)
		print name, param, text
	}
	/: [0-9. ]*$/ {
		sub(/.*: /, "")
		print name, formula, $0
	}' >in_manual
topic backoff | awk '
	/^  [a-z]/ {
		name = $1
		sub(/^ *[^ ]* */, "")
		formula = $0
	}
	/: [0-9. ]*$/ {
		sub(/.*: /, "")
		print name, formula, $0
	}
	/^      [a-z]+: .*\]$/ {
		param = substr($1, 1, length($1) - 1)
		sub(/.*\[/, "")
		sub(/\]$/, "")
		print name, param, $0
	}' >in_help
agree 'the strategies, their formulas, examples and parameters'

section Jitter 'Which jitter to choose' | awk '
	/^\.It / {
		alias = $4 == "," ? " " $6 : ""
		name = $2 == "No" ? $3 $6 : $3
		getline
		print name, substr($0, 5) alias
	}' >in_manual
topic jitter | awk '
	/^  [a-zA-Z+]/ {
		name = $1
		alias = /; also / ? " " $NF : ""
		formula = substr($0, 10, 20)
		sub(/ *$/, "", formula)
		print name, formula alias
	}' >in_help
agree 'the jitters and their formulas'

section PRESETS VERDICT |
    sed -n 's/^\.It Cm \(.*\)/\1/p; s/^\.Ql \(--.*\)/\1/p' >in_manual
topic presets | tail -n +2 | awk '
	/^  [a-z]/ { print $1 }
	/^   / { gsub(/ +/, "\n"); print substr($0, 2) }' >in_help
agree 'the presets and their options'

section BUDGET PLAN | awk '
	/^\.It Cm/ {
		getline text
		sub(/.*default: /, "", text)
		sub(/\)$/, "", text)
		print $3, text
	}' >in_manual
topic budget | sed -n 's/^  \([a-z]*\) .*\[\(.*\)\]$/\1 \2/p' >in_help
agree 'the parameters of a budget'

section Sets Patterns | sed -n 's/^\.It Cm //p' >in_manual
topic sets | sed -n 's/^    \([a-z]*\) .*/\1/p' >in_help
agree 'the words of a set'

section LOGS 'GitHub Actions' | sed -n 's/^\.It Cm //p' >in_manual
topic formats | sed -n 's/^  \([a-z]*\) .*/\1/p' >in_help
agree 'the formats'

section OPTIONS DELAYS | awk '
	/^\.It Fl h/ { found = 1 }
	found && /^\.Cm / { gsub(/[.,]|Cm/, ""); gsub(/^ +| +$/, ""); print }
	/^\.It Fl V/ { found = 0 }' | xargs -n 1 >in_manual
topic options | sed -n 's/^TOPIC: //p' | xargs -n 1 >in_help
agree 'the topics of --help'

finish
