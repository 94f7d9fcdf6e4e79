#!/bin/sh
#
# The manual agrees with the tables of --help, from which the completions are made:
# on options and their defaults, strategies, jitters, presets, sets and formats. It
# agrees with the source on variables, files and messages. Its links lead
# somewhere, and the words that people search for lead to what they want to know.

# SPDX-License-Identifier: MIT

. lib/harness.sh

for page in "$TESTS"/../man/*.[157]; do
	sed 's/\\-/-/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\&//g; s/\\e/\\/g' \
	    "$page" >"${page##*/}"
done

# section PAGE FROM TO: the page's lines between these two headings.
section() {
	sed -n "/^\.S[hs] $2\$/,/^\.S[hs] $3\$/p" "$1"
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
section retry.1 OPTIONS VERDICT | sed -n '
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

# The first word behind "default: " or "The default is", without the times that
# are 0.
section retry.1 OPTIONS VERDICT | awk '
	/^\.It / {
		match($0, /Fl -[a-z-]+/)
		name = substr($0, RSTART + 4, RLENGTH - 4)
		found = 0
	}
	/default(,| is)$/ { found = 1; next }
	match($0, /\(default: [^)]*/) {
		found = 1
		$2 = substr($0, RSTART + 10, RLENGTH - 10)
	}
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

# table PAGE FROM TO: what stands in the display between these headings.
table() {
	section "$@" | sed "1,/^\.Bd/d; /^\.Ed/,\$d; s/\\\\(aq/'/g"
}

table retry-delays.7 STRATEGIES JITTER >in_manual
topic backoff | sed '1,/^$/d' >in_help
agree 'the strategies, their formulas, examples and parameters'
table retry-delays.7 JITTER HINTS >in_manual
topic jitter | sed '1,/^$/d' >in_help
agree 'the jitters and their formulas'

section retry-presets.7 SYSTEMS 'SEE ALSO' | sed -n 's/^\.It Cm //p' | sed 's/ , /\n/g' |
    sort >in_manual
topic presets | tail -n +2 | sed -n 's/^  \([a-z][a-z]*\).*/\1/p' |
    sort >in_help
agree 'the presets'

table retry-fleet.7 BUDGET 'SEE ALSO' | awk '{ print $1 }' >in_manual
retry --budget=x:nosuch=1 true 2>&1 |
    sed 's/.*(use \([a-z, ]*\)).*/\1/; s/, /\n/g' >in_help
agree 'the parameters of a budget'

table retry.1 Sets Patterns >in_manual
topic sets | sed -n '/sysexits/q; s/^    /  /p' >in_help
agree 'the classes of a set'

table retry-log.5 DESCRIPTION 'GITHUB ACTIONS' >in_manual
topic formats | grep '^  [a-z]' >in_help
agree 'the formats'

section retry-log.5 end EXAMPLES |
    sed -n '/^\.It Cm reason/,/^\.It Cm status/s/^\.Cm \([a-z-]*\).*/\1/p' |
    sort >in_manual
sed -n 's/.*\[REASON_.*{ "\([a-z-]*\)".*/\1/p' "$TESTS/../src/core/record.c" |
    grep -vx none | sort >in_source
check 'retry-log(5) has the reasons of an end' \
    sh -c 'test -s in_source && diff in_manual in_source'

# missing WORD...: those that the manual does not have.
missing() {
	for word; do
		grep -q "^\.It Ev.* $word\( \|\$\)" retry.1 || echo "$word"
	done
}
source=$(find "$TESTS/../src" -name '*.c')
# shellcheck disable=SC2086,SC2046 # names and variables are words
is 'the manual has every variable that the program looks at or sets' \
    "$(missing $(grep -ohE 'getenv\("[A-Z_]+"|"RETRY_[A-Z_]+' $source |
	sed 's/"$//; s/.*"//' | sort -u))" ''

# strange WORD...: those that are not in the program.
strange() {
	for word; do
		grep -aqF -e "$word" "$RETRY" || echo "$word"
	done
}
# shellcheck disable=SC2046 # variables and files are words
is 'the manual has every variable that the program looks at or sets, and none that it does not know' \
    "$(strange $(sed -n 's/^\.It Ev \(.*\)/\1/p' retry.1 | tr -d ,))" ''
# shellcheck disable=SC2046
is 'the program uses the files' \
    "$(strange $(section retry.1 FILES DIAGNOSTICS | sed -n 's/^\.It Pa //p'))" ''

# The fixed words of each message that is explained.
section retry.1 DIAGNOSTICS SECURITY | sed -n 's/^\.It //p' | sed 's/ , /\n/g' |
    sed 's/^Li //; s/ Ar.*//' >phrases
check 'messages are explained' test "$(wc -l <phrases)" -ge 15
is 'messages are explained in the words of the program' "$(while IFS= read -r phrase; do
	strange "$phrase"
done <phrases)" ''

# Links: to headings of the same page, to our pages, to known ones.
# The manuals of other programs that ours may name.
cat >elsewhere <<'END'
bash.1
curl.1
getrandom.2
jq.1
logrotate.8
make.1
memfd_create.2
pgrep.1
pidfd_open.2
prctl.2
ps.1
psql.1
redis-cli.1
regex.7
sd_notify.3
setsid.1
setsid.2
signal.7
signalfd.2
ssh.1
sysexits.3
timeout.1
xargs.1
END
for page in "$TESTS"/../man/*.[157]; do
	name=${page##*/}
	sed -n 's/^\.S[hs] //p' "$page" >headings
	is "$name: each section that is named is there" "$(sed -n \
	    's/^\(\.It .* Ta \)*\.*Sx //p' "$page" | sed 's/\( [).,;:]\)*$//' |
	    sort -u | grep -vxF -f headings)" ''
	is "$name: so is each page" "$(sed -n \
	    's/^\.\(Pq \)*Xr \([^ ]*\) \([0-9]\).*/\2.\3/p' "$page" |
	    sort -u | while read -r other; do
		[ -e "$TESTS/../man/$other" ] || grep -qx "$other" elsewhere ||
		    echo "$other"
	done)" ''
done

# The pages as Markdown.
for page in "$TESTS"/../man/*.[1-9]; do
	name=${page##*/}
	is "$name.md is as new: else run scripts/markdown" \
	    "$(sed -n '1s/.* \([0-9]* [0-9]*\) -->$/\1/p' "$page.md")" \
	    "$(cksum <"$page")"
	is "$name.md is as new: else run scripts/markdown, and has each heading" "$(grep -c '<h[23]' "$page.md")" \
	    "$(grep -c '^\.S[hs]' "$page")"
	is "$name.md is as new: else run scripts/markdown, and no blank line, which would end its HTML" \
	    "$(grep -c '^[[:blank:]]*$' "$page.md")" 0
done

# Messages fold, and a crontab and an array of JSON cannot.
if have 'no page folds at 80 columns' mandoc; then
	for page in "$TESTS"/../man/*.[1-9]; do
		mandoc -T ascii -O width=78 "$page" | sed 's/.\x08//g'
	done | grep -E '.{81}' |
	    grep -vE '^ *(retry: |ENTRYPOINT |entrypoint: |command: |[@*])' >folded
	is 'no page folds at 80 columns' "$(cat folded)" ''
fi

# A word that somebody searches for, and what has to be on the screen then, at
# one of the first three places that have the word.
if have 'words lead to what one looks for' mandoc; then
	mandoc -T ascii "$TESTS"/../man/retry.1 "$TESTS"/../man/retry-p*.7 |
	    sed 's/.\x08//g' >page
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
	cron|chronic
	mail|--output=chronic
	restart|--reset-after
	Retry-After|--delay-match
	docker stop|SIGKILL
	entrypoint|--reset-after
	pipeline|bash -o pipefail
	middle of a pipeline|--stdin=replay
	function|bash -c
	GitHub|retry-log
	JUnit|--log=junit
	forever|-a 0
	no limit|-a 10
	interval|-b constant
	fixed|-b constant
	rate limit|--throttle
	here-document|--stdin=replay
	reload|SIGHUP
	colou?r|--color
	lock|--state
	concurrent|--state
	instance|--state
	fleet|--splay
	hammer|--splay
	\^C|--stop-timeout
	makefile|--stop-timeout
	Ctrl|--stop-timeout
	stuck|--health
	overlap|--state
	seed|getrandom
	reproduce|-v
	summary|GITHUB_STEP_SUMMARY
	503|--retry-match
	refused|--retry-match
	quiet|--idle-timeout
	log file|--health
	buffer|python3 -u
	worst|--plan
	why|RETRY_REASON
	END
fi

finish
