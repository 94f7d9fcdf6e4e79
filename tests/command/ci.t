#!/bin/sh
#
# What continuous integration reads: JUnit's reports and GitHub's commands.

# SPDX-License-Identifier: MIT

. lib/harness.sh

# JUnit.

# valid NAME: the report is.
valid() {
	if have "$1 is valid" xmllint; then
		check "$1 is valid" \
		    xmllint --noout --schema "$TEST_DATA/junit.xsd" xml
	fi
}

# holds NAME XPATH: it is true of the report.
holds() {
	if have "$1" xmllint; then
		is "$1" "$(xmllint --xpath "$2" xml)" true
	fi
}

run retry --log=junit:xml true
valid 'its report'
is 'a JUnit report says its encoding' "$(head -n 1 xml)" \
    '<?xml version="1.0" encoding="UTF-8"?>'
holds 'it has one test, that succeeded' 'count(/testsuite/testcase) = 1 and
    /testsuite/@tests = 1 and /testsuite/@failures = 0 and
    /testsuite/testcase/@name = "true" and not(//testcase/*)'
is 'the file is for its owner alone' "$(stat -c %a xml)" 600

cat >script <<'END'
case $RETRY_ATTEMPT in
1) exit 7 ;;
2) kill -9 $$ ;;
3) exec sleep 20 ;;
esac
END
retry --log=junit:xml --log=auto -d 1ms -t 3 sh script 2>text
valid 'the report of a flaky run'
holds 'it replaced the one before' '/testsuite/testcase/@name = "sh"'
holds 'the test succeeded' '/testsuite/@failures = 0 and
    not(//failure) and not(//rerunFailure)'
holds 'the attempts before were flaky failures' 'count(//flakyFailure) = 3'
holds 'with what they did' '//flakyFailure[1]/@message = "exited 7" and
    //flakyFailure[2]/@message = "killed by SIGKILL" and
    //flakyFailure[3]/@message = "timed out"'
holds 'what kind of outcome that is' '//flakyFailure[1]/@type = "exit" and
    //flakyFailure[2]/@type = "signal" and //flakyFailure[3]/@type = "timeout"'
holds 'a failure in JUnit tells its attempt' 'starts-with(//flakyFailure[2]/stackTrace, "attempt 2/5 killed")'
holds 'the time is that of the run' '/testsuite/@time >= 3 and
    /testsuite/@time = //testcase/@time'
check 'text may stand beside it' grep -q 'succeeded at attempt 4/5' text

retry -q --log=junit:xml -a 3 -d 1ms false
valid 'the report of a failure'
holds 'the test failed' '/testsuite/@failures = 1 and
    count(//failure) = 1 and not(//flakyFailure)'
holds 'and was run again' 'count(//rerunFailure) = 2'
retry -q --log=junit:xml /nonexistent/command
valid 'the report of what cannot be started'
holds 'it says why' 'contains(//failure, "No such file") and
    contains(//failure, "in --stop-on")'

retry --log=junit:xml --log=json:events -d 100d --wait-first true &
wait_for grep -q '"wait"' events
kill -TERM $!
wait $!
valid 'the report of a run that a signal ended'
holds 'before there was an attempt' '/testsuite/@skipped = 1 and
    starts-with(//skipped/@message, "ended by SIGTERM")'

retry -q -a 1 --log=junit:xml --name='unit <tests>' false
valid 'the report of a run with a name'
holds 'the suite and the test have it' '/testsuite/@name = "unit <tests>" and
    //testcase/@name = "unit <tests>"'
seq 1 255 | while read -r i; do
	# shellcheck disable=SC2059 # the number is the format
	printf "\\$(printf %o "$i")"
done >all
retry -q --log=junit:xml "$(cat all)"
valid 'a name of any bytes'
retry -q --log=junit:xml -a 1100 -d 0 false
valid 'a report of a thousand attempts'
holds 'counts those beyond' 'count(//rerunFailure) = 999 and
    starts-with(//system-out, "100 more")'
retry -q --log=junit:xml -a 1001 -d 0 false
like 'a single attempt that is left out is singular' "$(cat xml)" \
    '<system-out>1 more failed attempt is left out$'
retry -q --log=junit:xml --output=hold -a 2 -d 0 sh -c 'echo out; exit 1' >all 2>&1
valid 'a report with held output'
holds 'which each attempt has' 'count(//system-out) = 2 and
    //testcase/system-out = "out
" and //rerunFailure/system-out = "out
"'
retry -q --log=junit:xml -a 2 -d 0 sh -c 'echo out; exit 1' >all 2>&1
holds 'output that is not held is not in it' 'not(//system-out)'
earliest=$(date -u +%FT%T)
TZ=Asia/Tokyo retry -q --log=junit:xml true
latest=$(date -u +%FT%T)
valid 'a report with a time and a machine'
moment=$(sed -n 's/.* timestamp="\([^"]*\)".*/\1/p' xml)
is 'the time is when the run began, in UTC' \
    "$(printf '%s\n' "$earliest" "$moment" "$latest" | sort -c 2>&1)" ''
holds 'the machine is this one' \
    "//property[@name = 'hostname']/@value = '$(uname -n)'"
retry --plan --log=junit:xml true >all
valid 'the report of a plan of true'
holds 'a plan has neither' 'not(//@timestamp) and not(//property)'
# Each failure is told by what was known when it happened.
retry -q -a 3 -d 10ms --log=junit:xml --health='echo "probe of $RETRY_ATTEMPT"
    exit 1' --health-interval=10ms --health-retries=1 -k 1 sleep 100d
holds 'each unhealthy attempt has the words of its own probe' \
    'contains(//failure, "probe of 1") and
    contains(//rerunFailure[1], "probe of 2") and
    contains(//rerunFailure[2], "probe of 3")'
printf '#!/nonexistent/first\n' >script
chmod +x script
GITHUB_STEP_SUMMARY=$T/summary retry -a 2 -d 0 --retry-on=unstartable \
    --log=junit:xml --log=github \
    --before-retry='echo "#!/nonexistent/second" >script' ./script >all 2>&1
holds 'each attempt that cannot be started has its own reason' \
    'contains(//failure, "/nonexistent/first") and
    contains(//rerunFailure, "/nonexistent/second")'
is 'the summary has the reason of each attempt that cannot be started' \
    "$(grep -o 'nonexistent/[a-z]*' summary | sort -u | xargs)" \
    'nonexistent/first nonexistent/second'
rm script summary
for mode in hold all last chronic; do
	retry -q --log=junit:xml --output=$mode -a 3 -d 0 \
	    sh -c 'echo "out $RETRY_ATTEMPT"; [ $RETRY_ATTEMPT = 3 ]' >all 2>&1
	valid "$mode: the report of a flaky run with output"
	holds "$mode: each attempt before has its own" 'count(//system-out) = 3 and
	    //flakyFailure[1]/system-out = "out 1
" and //flakyFailure[2]/system-out = "out 2
" and //testcase/system-out = "out 3
"'
	retry -q --log=junit:xml --output=$mode -a 3 -d 0 \
	    sh -c 'echo "out $RETRY_ATTEMPT"; exit 1' >all 2>&1
	valid "$mode: the report of a failed run with output"
	holds "$mode: each of its attempts has its own" 'count(//system-out) = 3
	    and //testcase/system-out = "out 1
" and //rerunFailure[1]/system-out = "out 2
" and //rerunFailure[2]/system-out = "out 3
"'
done
retry -q --log=junit:xml --output=hold -a 1 --health='exit 1' \
    --health-interval=10ms --health-retries=1 sleep 100d >all 2>&1
valid 'the report of an unhealthy attempt'
holds 'which is a type of failure' '//failure/@type = "unhealthy"'
for byte in $(seq 0 255); do
	printf '%b' "\\0$(printf %o "$byte")a"
done >hostile
printf ']]>&amp;<!-- \357\277\276 \355\240\200 \303\244 \360\237\230\200\n' >>hostile
retry -q --log=junit:xml --output=last cat hostile >all
valid 'a report with output of any bytes'
characters=$(printf '\303\244 \360\237\230\200')
bad=$(printf '\357\277\275')
holds 'has what XML can hold' "contains(//system-out,
    ']]>&amp;<!-- $bad $bad$bad$bad $characters')"
seq 100000 >long
retry -q --log=junit:xml --output=last cat long >all
check 'a long output passes' cmp long all
valid 'a report of it'
holds 'has the last 64 KiB of it, in whole lines' \
    'string-length(//system-out) > 65500 and
    string-length(//system-out) < 65536 and
    starts-with(//system-out, "89") and
    contains(//system-out, "99999
100000")'
# Two runs with one state and one report.
rm xml
retry -q --state=both --log=junit:xml sh -c 'echo >begun; until [ -e over ]; do
	sleep .01; done' &
wait_for test -e begun
retry -q --state=both:skip --log=junit:xml true
is 'a run that is not started writes no report' "$(wc -c <xml)" 0
retry -q --state=both --log=junit:xml true &
echo >over
wait
valid 'the report of two runs is that of the last one' xml
rm both*
retry -q --log=junit:xml -a 1 false
sum=$(cksum <xml)
retry -q -a 1 -m 1h -d 1h --state=both false
retry -q --state=both:skip --log=junit:xml true
is 'a run that is not started leaves the last report alone' "$(cksum <xml)" "$sum"

run retry --log=junit true
like 'without a file it is on standard error' "$err" '^<testsuite'
run retry --plan=1*2,0 --log=junit:xml
valid 'the report of a plan'

# GitHub.

export GITHUB_ACTIONS=true
# made TEXT: that, with times made equal.
made() {
	printf '%s\n' "$1" | sed -e 's/after [<0-9.]*m\{0,1\}s/after TIME/' \
	    -e 's/in [<0-9.]*m\{0,1\}s/in TIME/'
}
# fail N: writes a line to each stream, the last without its end.
cat >fail <<'END'
#!/bin/sh
echo "err $RETRY_ATTEMPT" >&2
printf 'out %s' "$RETRY_ATTEMPT"
exit $((RETRY_ATTEMPT < 3 ? 7 : ${1-7}))
END
chmod +x fail
export GITHUB_OUTPUT=output GITHUB_STEP_SUMMARY=summary
retry -a 3 -d 1ms ./fail 0 >all 2>&1
is 'each retry but the last is a group, a flaky run is a notice' "$(made "$(cat all)")" \
'err 1
out 1retry: fail: attempt 1/3 exited 7 after TIME; next in TIME
::group::fail: attempt 2/3
err 2
out 2
::endgroup::
retry: fail: attempt 2/3 exited 7 after TIME; next in TIME
err 3
out 3
::notice::fail: succeeded at attempt 3/3 in TIME'
is 'each retry but the last is a group, a flaky run is a notice, so are the outputs of the step' "$(cat output)" 'retry-attempts=3
retry-status=0
retry-flaky=true
retry-reason=success
retry-class=
retry-line='
is 'each retry but the last is a group, a flaky run is a notice, and its summary' "$(sed -E 's/<?[0-9.]+m?s/TIME/g' summary)" \
'`fail`: `succeeded at attempt 3/3 in TIME`

- attempt 1: `exited 7` after `TIME`
- attempt 2: `exited 7` after `TIME`, waited `TIME` before
- attempt 3: `exited 0` after `TIME`, waited `TIME` before'

# astray FILE: lines of attempts that are not in their groups.
astray() {
	awk '/^::group::/ { sub(/[^0-9]*/, ""); group = $0 + 0; next }
		/^::endgroup::$/ { group = 0; next }
		/::(end)?group::/ { print }
		/^(out|err) [0-9]/ { if (group ? $2 + 0 != group : $2 + 0 == 2) print }
	' "$1"
}
for how in stream hold all chronic; do
	for _ in $(seq 20); do
		retry --output=$how -a 3 -d 0 ./fail >all 2>&1
		astray all
		retry --output=$how -a 3 -d 0 ./fail 2>&1 | cat >all
		astray all
		grep -c '^out\|^err' all
	done >found
	is "$how: all lines are in their groups, in a file and a pipe" \
	    "$(sort found | uniq -c | xargs)" '20 6'
done
retry --output=hold -a 2 -d 1ms ./fail >all 2>&1
is 'held output of the first attempt has a group, if it failed' \
    "$(made "$(head -n 6 all)")" 'err 1

::group::fail: attempt 1/2
out 1
::endgroup::
retry: fail: attempt 1/2 exited 7 after TIME; next in TIME'
retry --output=last -a 2 -d 1ms ./fail >all 2>&1
unlike 'the output of the last attempt alone needs none' "$(cat all)" group
retry --output=last --log=github:- -a 2 -d 0 \
    sh -c 'printf partial; [ $RETRY_ATTEMPT = 2 ]' >all 2>err
like 'a notice begins a line after half a line of output' "$(cat all)" '^::notice::sh'
retry -a 3 -d 0 --before-retry='printf gate' ./fail >all 2>&1
like 'a group begins a line' "$(cat all)" '^::group::fail: attempt 2/3'
run retry -a 3 -d 1ms ./fail
unlike 'two streams would not keep their order: no groups' "$out$err" group
run retry --log=github:- -a 3 -d 1ms ./fail
is 'a log on standard output has groups there' "$(made "$out")" \
'out 1retry: fail: attempt 1/3 exited 7 after TIME; next in TIME
::group::fail: attempt 2/3
out 2
::endgroup::
retry: fail: attempt 2/3 exited 7 after TIME; next in TIME
out 3retry: fail: attempt 3/3 exited 7 after TIME
::error::fail: giving up after 3 attempts in TIME: exited 7'
is 'a log on standard output has groups there, and the other stream has none of it' "$err" 'err 1
err 2
err 3'

rm output summary
run retry -a 2 -d 1ms false
is 'a run that is given up is an error' "$(made "$err" | tail -n 2)" \
'retry: false: attempt 2/2 exited 1 after TIME
::error::false: giving up after 2 attempts in TIME: exited 1'
is 'a run that gives up leaves one annotation' "$(echo "$err" | grep -c '::\(error\|notice\)')" 1
is 'the outputs say so' "$(xargs <output)" \
    'retry-attempts=2 retry-status=1 retry-flaky=false retry-reason=attempts retry-class=unknown retry-line='
is 'the summary says so' "$(grep -c '^- attempt [12]: `exited 1` after ' summary)" 2
rm output summary
printf version=1.2 >output
printf 'of another step' >summary
retry -a 2 -d 0 sh -c 'printf "step=$RETRY_ATTEMPT" >>"$GITHUB_OUTPUT"; exit 1' \
    >all 2>&1
is 'the outputs begin a line, whoever has left one without its end' \
    "$(xargs <output)" \
    'version=1.2step=1step=2 retry-attempts=2 retry-status=1 retry-flaky=false retry-reason=attempts retry-class=unknown retry-line='
is 'the summary begins a line, whoever has left one without its end' "$(sed -n '1p;2s/:.*//p' summary)" 'of another step
`sh`'
for word in '##' '##vso' '##teamcity'; do
	retry -q -a 1 --name="${word}[set-output name=x]1" --log=github:log \
	    --log=json:json --log=junit:xml sh -c 'exit 1' "${word}[group]"
	unlike "no name holds what a CI obeys anywhere in a line: $word" \
	    "$(cat log json xml all)" "$word\\["
	rm output summary log json xml
done
retry true >all 2>&1
is 'a run that succeeds at once says nothing to GitHub' "$(cat all)" ''
check 'a run that succeeds at once writes no summary' not test -s summary
is 'a run that succeeds at once writes no summary, but its outputs are there' "$(xargs <output)" \
    'retry-attempts=1 retry-status=0 retry-flaky=false retry-reason=success retry-class= retry-line='
retry -q -a 1 false
is 'a quiet run that gives up sets the outputs' "$(tail -n 3 output | head -n 1)" retry-reason=attempts
check 'a quiet run that gives up writes no summary' not test -s summary
run env GITHUB_OUTPUT=none/output GITHUB_STEP_SUMMARY=/dev/full \
    "$RETRY" -a 1 sh -c 'exit 3'
is 'files that cannot be written change no status' "$code" 3
is 'each is told once, by the name of its variable' \
    "$(echo "$err" | grep -E '/dev/full|none/output' | sed -E 's/^retry: (sh: )?//' |
	cut -d: -f1 | sort | xargs)" 'GITHUB_OUTPUT GITHUB_STEP_SUMMARY'
name=$(printf 'a|*<b>_`\n')
retry -a 1 "$name" 2>/dev/null
like 'a name is no Markdown' "$(cat summary)" \
    '^`` a\|\*<b>_` ``: `giving up'
rm summary
retry -a 1 --name='www.example.org a@b.org https://c.org @team' false 2>/dev/null
if have 'a name is no link' cmark-gfm; then
	unlike 'a name is no link' \
	    "$(cmark-gfm -e autolink --unsafe <summary)" '<a '
	like 'a name mentions no team' "$(cmark-gfm --unsafe <summary)" \
	    '^<p><code>[^<]*@team</code>'
fi

# The runner masks a secret in each line of the log and of the summary, by its text.
rm -f summary output
for secret in ghp_Ab-cd.EF_1 'npm_a+b/c=|d' "$(printf 'ey%0180dJ.x' 0)"; do
	GITHUB_OUTPUT=output GITHUB_STEP_SUMMARY=summary retry -a 2 -d 0 \
	    --preset=git --log=auto --log=junit:masked.xml sh -c \
	    'echo "fatal: a b c d e f g h i j k l m n o p q r s t u v w x y z unable to access https://x:$1@h/r: Could not resolve host: h"; exit 128' \
	    sh "$secret" >all 2>&1
	like "the summary quotes the line: $secret" "$(cat summary)" \
	    'Could not resolve host: h'
	left=$(cat all summary masked.xml output | awk -v secret="$secret" '{
		while ((i = index($0, secret)) > 0)
			$0 = substr($0, 1, i - 1) "***" \
			    substr($0, i + length(secret))
		print }' | grep -cF "$(printf %s "$secret" | cut -c1-8)")
	is "no part of it is left behind: $secret" "$left" 0
	like "the outputs have class and line: $secret" "$(cat output)" \
	    '^retry-line=.*Could not resolve'
	rm summary output masked.xml
done

# A run that may go on forever says so in CI.
while IFS=/ read -r variable options told; do
	# shellcheck disable=SC2086 # words
	run env "$variable" "$RETRY" -d 0 $options sh -c '[ $RETRY_ATTEMPT = 3 ]'
	is "$variable $options: the run says so" "$code $(echo "$err" |
	    grep -c 'sh: CI is set, but nothing limits this run: give -a N or -T DUR')" \
	    "0 $told"
done <<'END'
CI=true/-a 0/1
CI=1/-a 0 --log=text/1
CI=true/--preset=poll/1
CI=true/-v -a 0/1
CI=true/-q -a 0/0
CI=true//0
CI=true/-T 1m/0
CI=true/-a 0 -T 1m/0
CI=true/-a 0,unknown:9/0
CI=false/-a 0/0
CI=/-a 0/0
X=/-a 0/0
END
run env CI=true "$RETRY" -v -a 0 true
like 'the line has the seed, too, if somebody asks' "$err" 'this run: .* -T DUR; --seed=[0-9]+ repeats'
run retry --plan=1,0 --log=github
unlike 'a plan has no groups' "$out" group
rm -f err
retry -d 100d false 2>err &
wait_for grep -q 'next in' err
kill -TERM $!
wait $!
is 'a run that a signal ended is no error' \
    "$(tail -n 1 err | cut -d ' ' -f 1-5)" 'retry: false: ended by SIGTERM'
unlike 'a run that a signal ended is no error, and leaves no annotation' "$(cat err)" '::\(error\|notice\)'
run retry -a 30 -d 0 false
is 'equal failures are counted' "$(made "$err" | tail -n 2)" \
    'retry: false: (29 more identical failures)
::error::false: giving up after 30 attempts in TIME: exited 1'
retry --name=build -a 3 -d 0 false >all 2>&1
is 'a name of its own is shown instead' "$(grep -c '::build: ' all)" 2
run retry "$(printf '100%%\n:')"
like 'what a command must not hold is escaped' "$err" \
    '^::error::100%25\\n:: giving up'
run retry -q -a 1 false
is 'quiet is quiet' "$err" ''
run env GITHUB_ACTIONS=false retry -a 1 false
unlike 'without GITHUB_ACTIONS=true nothing is written for GitHub' "$err" ::

finish
