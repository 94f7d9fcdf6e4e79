#!/bin/sh
#
# The manual agrees with --help, from which the completions are made: on options
# and their defaults, strategies, jitters, presets, budgets, sets and formats. It
# agrees with the source on variables, files and messages. Its links lead
# somewhere, and the words that people search for lead to what they want to know.

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

section 'EXIT STATUS' EXAMPLES | sed -n 's/^\.It \([0-9]\)/\1/p' >in_manual
topic exit | sed -n 's/^  \([0-9][^ ]*\) .*/\1/p' | grep -v 1-255 >in_help
agree 'the exit statuses'

# missing WORD...: those that the manual does not have.
missing() {
	for word; do
		grep -q "^\.It Ev.* $word\( \|\$\)" manual || echo "$word"
	done
}
source=$(find "$TESTS/../src" -name '*.c')
# shellcheck disable=SC2086,SC2046 # names and variables are words
is 'the manual has every variable that the program looks at or sets' \
    "$(missing $(grep -ohE 'getenv\("[A-Z_]+"|"RETRY_[A-Z_]+' $source |
	sed 's/.*"//' | sort -u))" ''

# strange WORD...: those that are not in the program.
strange() {
	for word; do
		grep -aqF -e "$word" "$RETRY" || echo "$word"
	done
}
# shellcheck disable=SC2046 # variables and files are words
is 'and none that it does not know' \
    "$(strange $(sed -n 's/^\.It Ev \(.*\)/\1/p' manual | tr -d ,))" ''
# shellcheck disable=SC2046
is 'the program uses the files' \
    "$(strange $(section FILES 'EXIT STATUS' | sed -n 's/^\.It Pa //p'))" ''

# The fixed words of each message that is explained.
section DIAGNOSTICS 'SEE ALSO' | sed -n 's/^\.It //p' | sed 's/ , /\n/g' |
    sed 's/^Li //; s/ Ar.*//' >phrases
check 'messages are explained' test "$(wc -l <phrases)" -ge 15
is 'as the program has them' "$(while IFS= read -r phrase; do
	strange "$phrase"
done <phrases)" ''

# Links: to headings of the same page, to our pages, to known ones.
# The manuals of other programs that ours may name.
cat >elsewhere <<'END'
bash.1
curl.1
getrandom.2
jq.1
memfd_create.2
pgrep.1
pidfd_open.2
prctl.2
psql.1
redis-cli.1
regex.7
setsid.1
setsid.2
signal.7
signalfd.2
ssh.1
sysexits.3
timeout.1
xargs.1
END
for page in "$TESTS"/../man/*.[17]; do
	name=${page##*/}
	sed -n 's/^\.S[hs] //p' "$page" >headings
	is "$name: each section that is named is there" "$(sed -n \
	    's/^\.Sx //p' "$page" | sed 's/\( [).,;:]\)*$//' |
	    sort -u | grep -vxF -f headings)" ''
	is "$name: so is each page" "$(sed -n \
	    's/^\.\(Pq \)*Xr \([^ ]*\) \([0-9]\).*/\2.\3/p' "$page" |
	    sort -u | while read -r other; do
		[ -e "$TESTS/../man/$other" ] || grep -qx "$other" elsewhere ||
		    echo "$other"
	done)" ''
done

# A word that somebody searches for, and what has to be on the screen then, at
# one of the first three places that have the word.
if command -v mandoc >/dev/null; then
	mandoc -T ascii "$TESTS/../man/retry.1" | sed 's/.\x08//g' >page
	while IFS='|' read -r word answer; do
		found=
		for line in $(grep -niE -e "$word" page | head -n 3 |
		    cut -d : -f 1); do
			tail -n "+$line" page | head -n 24 |
			    grep -qF -e "$answer" && found=yes
		done
		is "'$word' leads to $answer" "$found" yes
	done <<-'END'
	exit code|--retry-on
	contains|--retry-match
	regex|--retry-match
	ignores? case|(?i)
	overall|-T 5m
	deadline|--max-time
	hang|--timeout
	silent|--idle-timeout
	404|--stop-match
	HTTP|--stop-match
	dry run|--plan
	poll|--preset=poll
	cron|chronic
	mail|--output=chronic
	restart|5/10m
	Retry-After|--delay-match
	Docker|ENTRYPOINT
	entrypoint|ENTRYPOINT
	pipeline|bash -o pipefail
	middle of a pipeline|--stdin=replay
	function|bash -c
	GitHub|--log=junit
	JUnit|--log=junit
	forever|-a 0
	no limit|-a 10
	interval|-b constant
	fixed|-b constant
	rate limit|--throttle
	here-document|--stdin=replay
	reload|SIGHUP
	colou?r|NO_COLOR
	END
else
	skip 'words lead to what one looks for' 'mandoc is not installed'
fi

finish
