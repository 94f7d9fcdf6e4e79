#!/bin/sh
#
# --preset: each does as the system that it is named after.

# SPDX-License-Identifier: MIT

. lib/harness.sh

is 'every preset names its source' \
    "$(retry --help=presets | grep '^  [a-z]' | grep -vc ' ([^)]*)$')" 0

like '--help=NAME prints the file' "$(retry --help=npm)" '^permanent-text = code eresolve'

wrong=
for preset in "$TESTS"/../src/presets/*; do
	case $preset in *.in) continue ;; esac
	retry --preset="$preset" true || wrong="$wrong ${preset##*/}"
done >problems 2>&1
is 'each built-in preset is a valid file' \
    "$wrong$(cat problems)" ''

# Files.
cat >ci.retry <<'END'
# a comment
preset = npm
attempts = 2
delay = 0
quiet
transient-on = 69
permanent-match = (?i)^broken by
END
run retry --preset=./ci.retry --log=json:ci sh -c 'echo BROKEN BY US; exit 3'
is 'a line of a file stops' "$code $(grep -c '"event":"attempt"' ci)" '3 1'
like 'a line of a file stops, and is shown' "$(cat ci)" \
    '"rule":"preset","class":"permanent","line":"BROKEN BY US"'
rm ci
run retry --preset=./ci.retry --log=json:ci sh -c 'exit 69'
is 'options of a file count' "$code $(grep -c '"event":"attempt"' ci) $err" '69 2 '
like 'options of a file count, and a status of a file' "$(cat ci)" '"class":"transient"'
rm ci
run retry --preset=./ci.retry -v -a 3 --log=auto --log=json:ci sh -c 'exit 69'
is 'what is typed wins' "$(grep -c '"event":"attempt"' ci)" 3
like 'what is typed wins over what cannot be combined with it' "$err" 'attempt 3/3 starts'

# refused NAME FILE ERE: a run with the file runs nothing and says one line.
refused() {
	run retry --preset="$2" sh -c 'echo ran >ran'
	is "$1 is refused" "$code $(ls ran 2>/dev/null)" '125 '
	is "$1 has one line" "$(printf '%s\n' "$err" | wc -l)" 1
	like "$1 is named" "$err" "$3"
}
mkdir folder
mkfifo fifo
printf 'attempts = 3\r\n' >crlf
head -c 300 /dev/urandom >binary
head -c 70000 /dev/zero | tr '\0' '#' >huge
echo 'preset = ./self' >self
printf 'preset = ./second\n' >first
printf '\npreset = ./first\n' >second
printf '# x\nattemps = 3\n' >typo
echo 'attempts = many' >value
echo 'attempts' >missing
echo 'quiet = yes' >flag
echo 'attempts 3' >syntax
echo '--attempts = 3' >dashes
echo 'transient_on = 3' >spelling
echo 'transient-on = 1,permanent' >class
echo 'permanent-match = (' >pattern
echo 'preset = nothing' >unknown
printf '\357\273\277attempts = 3\n' >mark
echo 'permanent-text = no' >short
echo 'words = time , ab , reset' >blanks
printf 'quiet\nverbose\n' >both
echo 'plan' >plan
echo 'version' >version
echo 'help' >help
mkdir sub
echo 'preset = ./inner' >sub/outer
printf '\nattemps = 3\n' >sub/inner
refused 'a folder' ./folder 'folder: it is a directory'
refused 'a FIFO' ./fifo 'fifo: it is not a regular file'
refused 'a file without a slash' typo 'invalid --preset .typo.: unknown preset'
refused 'its name, with a dot,' ci.retry "'ci.retry': write ./ before"
refused 'a missing file' ./nosuch 'No such file'
refused 'CR LF' ./crlf 'crlf:1: .*CR LF'
refused 'a binary file' ./binary 'not a text file'
refused 'a huge file' ./huge 'larger than 64 KiB'
refused 'a file that names itself' ./self 'names itself'
refused 'a circle of files' ./first 'names itself'
refused 'an unknown option' ./typo 'typo:2: .*did you mean --attempts'
refused 'a wrong value' ./value "value:1: invalid --attempts 'many'"
refused 'a missing value' ./missing 'missing:1: attempts needs a value'
refused 'a value of a flag' ./flag 'flag:1: quiet takes no value'
refused 'a line without =' ./syntax 'syntax:1: a line is NAME'
refused 'the dashes of an option' ./dashes 'dashes:1: .*without --'
refused 'another spelling' ./spelling 'spelling:1: .*; files .* have transient-on'
refused 'a class of classes' ./class 'class:1: .*cannot be made of classes'
refused 'a wrong pattern' ./pattern 'pattern:1: invalid permanent-match'
refused 'an unknown preset in a file' ./unknown 'unknown:1: .*unknown preset'
refused 'a byte order mark' ./mark 'mark: it begins with a byte order mark'
refused 'a short text' ./short 'short:1: .*shorter than 3 bytes'
refused 'a short word between blanks' ./blanks 'blanks:1: .*shorter than 3 bytes'
refused 'a contradiction' ./both '--quiet cannot be combined with --verbose'
for word in plan version help; do
	refused "$word in a file" "./$word" "$word:1: $word would run no command"
done
refused 'a file beside one that names it' ./sub/outer \
    '^retry: ./sub/outer:1: ./sub/inner:2: unknown option attemps'

# What a file names comes first, and beside it.
printf 'attempts = 2\nquiet\ndelay = 0\npreset = ./inner\n' >sub/outer
printf 'attempts = 4\npermanent-text = wrong name\nignore-text = local\n' \
    >sub/inner
run retry --preset=./sub/outer --log=json:first.log sh -c 'exit 3'
is 'what a file names comes first' "$(grep -c '"event":"attempt"' first.log)" 2
run retry --preset=./sub/outer --log=json:text.log sh -c 'echo Wrong Name; exit 3'
is 'a text of a file counts' "$(grep -c '"event":"attempt"' text.log)" 1
like 'the message says whose it is' \
    "$(retry --preset=./sub/inner sh -c 'echo Wrong Name; exit 3' 2>&1)" \
    'permanent failure [(]--preset=./sub/inner[)]: "Wrong Name"'

# The hook mends a race of pushes, and no wrong key.
for line in '! [rejected] main -> main (fetch first)' \
    'fatal: Authentication failed for x'; do
	retry -d 0 --preset=git --log=json:push.log sh -c "echo '$line'; exit 1" >/dev/null 2>&1
	retry -d 0 --preset=git --before-retry=: --log=json:pull.log \
	    sh -c "echo '$line'; exit 1" >/dev/null 2>&1
	echo "$(grep -c '"event":"attempt"' push.log) $(grep -c '"event":"attempt"' pull.log)"
	rm push.log pull.log
done >mended
is 'what --before-retry can mend is not permanent' "$(cat mended)" '1 3
1 1'

# root reads such a file by a capability.
if have 'a file without permission is refused' setpriv; then
	echo 'attempts = 3' >secret
	chmod 0 secret
	drop=--no-new-privs
	[ "$(id -u)" -ne 0 ] || drop=--bounding-set=-all
	run setpriv $drop --inh-caps=-all retry --preset=./secret true
	is 'a file without permission is refused' "$code $err" \
	    "125 retry: --preset=./secret: Permission denied (try 'retry --help')"
fi

# The line that decided.
long=$(printf '%0150d' 0)
run retry -a 1 --stop-match=bar sh -c "printf 'foo $long \001 bar baz $long\n'; exit 1"
like 'the words around it are shown, and made safe' "$err" \
    'exited 1, matches --stop-match: "[.][.][.] 0+ \\\^A bar baz [.][.][.]"$'
secret=ghp_$(printf '%0600d' 0)
run retry -a 1 --stop-match=bar sh -c "echo 'foo $secret bar'; exit 1"
like 'a word is never cut' "$err" ': "[.][.][.] bar"$'
run retry -a 1 --stop-match=bar sh -c 'printf "bar\r\n"; exit 1'
like 'without the CR that ssh writes' "$err" 'matches --stop-match: "bar"$'
run retry -a 1 --preset=npm --on-give-up='echo "$RETRY_CLASS: $RETRY_LAST_LINE" >why' \
    sh -c 'echo "npm error code ERESOLVE" >&2; exit 1'
is 'a hook knows the class and the line' "$(cat why)" \
    'permanent: npm error code ERESOLVE'
run retry -a 1 --preset=npm false
like 'the end says that the preset does not know the failure' "$err" \
    'exited 1, not a failure that --preset knows$'
run retry -a 1 --preset=npm -t 10ms sleep 100d
like 'the end says that the preset does not know the failure, but not after a timeout' "$err" ': timed out$'
run retry -a 1 --preset=poll false
like 'the end says that the preset does not know the failure, nor if the preset knows none' "$err" ': exited 1$'
run retry -d 0 -a 2 -v --preset=npm sh -c 'exit 1'
like 'the end says that the preset does not know the failure, with -v an unknown failure is said to be retried' "$err" \
    'unknown failure, retried'
run retry -d 0 -a 3 --preset=npm,docker \
    sh -c 'echo "npm error code ECONNRESET"; exit 1'
like 'the class stands in the summary' "$err" 'giving up after 3 attempts in .*: exited 1, transient failure [(]--preset=npm[)]: "npm error code ECONNRESET"'
like 'the class stands in the summary, and not in the line above too' "$err" 'attempt 3/3 exited 1 after [^ ,]*$'
run retry -d 0 --preset=npm,docker --log=junit:j.xml sh -c 'echo "npm error code ERESOLVE"; exit 1'
like 'JUnit tells the line' "$(cat j.xml)" 'permanent failure [(]--preset=npm[)]: &quot;npm error code ERESOLVE|permanent failure \(--preset=npm\): &#34;npm error code ERESOLVE'

# poll
run retry -q --preset=poll -d 1ms sh -c 'test "$RETRY_ATTEMPT" -ge 9'
is 'poll looks as often as it takes' "$code" 0

run retry -a 2 -d 0 -t .1s --preset=npm sleep 9
unlike 'a timeout is no unknown failure' "$err" 'unknown'
for preset in poll grpc kubernetes; do
	run retry -v -a 2 -d 1ms --preset=$preset sh -c 'exit 1'
	unlike "$preset knows no failures" "$err" 'unknown'
done
printf '#!/bin/sh\nexit 22\n' >curl
chmod +x curl
run retry -a 2 -d 0 --preset=curl ./curl -fs http://localhost/
like 'curl -fs is told to show the status' "$err" 'give curl -S'
run retry -a 2 -d 0 --preset=curl ./curl -fsS http://localhost/
unlike 'curl -fsS is not' "$err" 'give curl -S'
rm curl

# highest: the ends of the ranges that waits were drawn from.
highest() {
	sed -n 's/.*"high":\([^,]*\).*/\1/p' | xargs
}

# aws
is 'aws begins with 50 ms and makes three attempts' \
    "$(retry --preset=aws --plan='1*9' --log=json | highest)" '0.05 0.1'
is 'aws begins with 50 ms and makes three attempts, and has a cap of 20 s below the jitter' \
    "$(retry --preset=aws -a 11 --plan='1*9,1,1' --log=json | highest)" \
    '0.05 0.1 0.2 0.4 0.8 1.6 3.2 6.4 12.8 20'
for error in ThrottlingException TransactionInProgressException \
    PriorRequestNotComplete; do
	throttled="An error occurred ($error) when calling the x operation"
	is "$error costs up to a second" "$(retry --preset=aws -a 2 \
	    --log=json:- sh -c "echo '$throttled' >&2; exit 254" 2>/dev/null |
	    highest)" 1
done

# curl
have 'curl retries as curl does' curl python3 || finish
python3 "$TESTS/lib/serve.py" >port &
wait_for test -s port

# asked REPLY WORD...: runs curl by these words, with a server that answers so at
# first; sets $calls, too.
asked() {
	echo "$1" >replies
	: >requests
	shift
	run "$@" "http://127.0.0.1:$(cat port)/"
	calls=$(wc -l <requests)
}

export CURL_HOME="$T"
for status in 400 401 403 404 408 410 429 500 501 502 503 504 505; do
	asked $status curl -fsS --retry 1 --retry-connrefused --retry-delay 1
	want="$code after $calls, $out"
	asked $status retry -q --preset=curl -d 1ms curl -fsS
	is "curl: $status is retried as by curl" "$code after $calls, $out" \
	    "$want"
done
for status in 522 524; do
	asked $status retry -q --preset=curl -d 1ms curl -fsS
	is "curl: so is $status, as by a new curl" "$code after $calls" \
	    '0 after 2'
done
asked 503 retry --preset=curl -d 1ms curl -fSo page
is 'curl is retried if its message stands below a meter' "$code $(cat page)" '0 {"ready": true}'
asked '429 Retry-After: 1' retry -q --preset=curl -d 1ms -j none --log=json:log \
    curl -fsS -D /dev/stderr
is 'Retry-After is obeyed where it is seen' "$code $calls" '0 2'
like 'Retry-After is obeyed to the second' "$(cat log)" '"delay":1,"hint":1}'
run retry -q --preset=curl -d 1ms -a 3 --log=json:refused \
    curl -fsS http://127.0.0.1:1/
is 'a refused connection is retried' "$code $(grep -c '"wait"' refused)" '7 2'
run retry -q --preset=curl -d 1ms -a 3 --log=json:other \
    curl -fsS nothing://127.0.0.1/
is 'a mistake is not' "$code $(grep -c '"wait"' other)" '1 0'

# The recorded failures.

is 'each file names its status and where it is from' "$(
	head -qn 1 "$TEST_DATA/failures"/*/*/* | grep -cEv '^status [0-9]+; [^;]+; .')" 0
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
    'usage: x' '  -x, --long  what it does' 'no' >licensed
is 'what is more than a message is found' "$(taken licensed | wc -l)" 3
is 'no recorded failure is more than a message' "$(taken "$TEST_DATA/failures"/*/*/* | head -n 3)" ''

seq 1000 3800 | sed 's/^/transient-text=a/' >many
all=
for i in $(seq 22); do
	ln many "many.$i"
	all=$all,./many.$i
done
run retry --preset="${all#,}" true
is 'more texts than a search can have are refused' "$code $(printf '%s\n' "$err" |
    grep -c ': too many texts: 60000 are the most')" '125 1'

finish
