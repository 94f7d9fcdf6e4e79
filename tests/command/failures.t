#!/bin/sh
#
# What a preset makes of the failures in tests/data/failures, by some of them;
# unit/failures.c classifies them all.  TOOL/record there made most of them.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2016 # the attempts' shells expand

. lib/harness.sh

data=$TEST_DATA/failures

# play FILE: fails as the tool did.
cat >play <<'END'
#!/bin/sh
echo >>attempts
{ read -r _ status _; cat; } <"$1"
exit "${status%;}"
END
chmod +x play

# attempts TOOL FILE [OPTION...]: how many attempts the preset makes of a failure.
attempts() {
	tool=$1 file=$2
	shift 2
	: >attempts
	retry -q --preset="$tool" -d 0 -a 2 "$@" ./play "$file" >output 2>&1
	wc -l <attempts
}

is 'each file names its status and where it is from' "$(
	head -qn 1 "$data"/*/*/* | grep -cEv '^status [0-9]+; [^;]+; .')" 0
# taken FILE...: lines of a program's source, which a tool shows with an error, and of
# the list of its options. They are more than a message: their authors license them.
taken() {
	awk 'FNR == 1 { shown = usage = 0 }
		/^  File ".*", line / { shown = 1; next }
		!/^    / { shown = 0 }
		shown || usage && /^(npm (error|ERR!))? *\[?--?[a-zA-Z?]/ {
			print FILENAME ": " $0
		}
		tolower($0) ~ /^(npm (error|err!) )?usage:/ { usage = 1 }' "$@"
}
printf '%s\n' '  File "x.py", line 2, in x' '    return 2' '    ^^^^^^^^' \
    'usage: x' '  -x, --long  what it does' 'no' >example
is 'what is more than a message is found' "$(taken example | wc -l)" 3
is 'what is more than a message is found, and no file has it' "$(taken "$data"/*/*/* | head -n 3)" ''
is 'no preset makes more than two retries of a failure that it does not know' \
    "$(for tool in npm pip apt docker git go cargo; do
	: >attempts
	retry -q --preset=$tool -d 0 sh -c 'echo >>attempts; exit 3'
	wc -l <attempts
    done | sort -u)" 3

# What the user says counts more.
gone=$data/npm/stop/etarget-9
reset=$data/npm/retry/reset-9
is 'a failure that the user lists is retried' \
    "$(attempts npm "$gone" --retry-on=1)" 2
is 'what the user does not list is not' \
    "$(attempts npm "$reset" --retry-on=7)" 1
throttled='An error occurred (ThrottlingException) when calling x'
: >attempts
retry -q --preset=aws -d 0 --retry-on=7 sh -c \
    'echo >>attempts; echo "$1"; exit 254' sh "$throttled" >output
is 'what a preset throttles is retried' "$(wc -l <attempts)" 3

# Two errors in one output, and what a tool says before it fails.
cat "$gone" >both
tail -n +2 "$reset" >>both
is 'if one of two errors may pass, there is a retry' "$(attempts npm both)" 2
printf '%s\n' 'status 101; made up; a warning before an error' \
    'warning: spurious network error (2 tries remaining): [28] Timeout was reached' \
    'error[E0425]: cannot find value `x` in this scope' \
    'error: could not compile `work` due to previous error' >warned
is 'a warning about a try of the tool is not its failure' \
    "$(attempts cargo warned)" 1

run retry --preset=npm -d 0 --log=auto --log=json:log ./play "$gone"
like 'the message says who decided' "$err" \
    'exited 1, permanent failure [(]--preset=npm[)]: "npm ERR! code ETARGET"$'
like 'the log says who decided' "$(cat log)" \
    '"rule":"preset","class":"permanent","line":"npm ERR! code ETARGET"'

finish
