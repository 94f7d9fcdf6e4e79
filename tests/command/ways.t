#!/bin/sh
#
# The ways of use in the manual, and the tables from other programs, as they
# stand there.

. lib/harness.sh
# shellcheck source=tests/lib/stubs.sh
. "$TESTS/lib/stubs.sh"

stub make pytest wget render

# Plans, letter for letter: in the manual without, in the README with blocks.
for way in plan chances; do
	shown $way >table
	text=$(sed -n '1s/^\$ //p' table)
	is "$text: shows this" "$(COLUMNS=72 sh -c "$text")" "$(sed 1d table)"
done
text=$(sed -n '/^```sh$/,/^```$/s/^retry --plan/&/p' "$readme")
is "$text: shows this" "$(unset COLUMNS; LC_ALL=C.UTF-8 sh -c "$text")" \
    "$(sed -n '/^```text$/,/^```$/p' "$readme" | grep -v '^```')"

# Many at a time: xargs and parallel themselves, with three things to do.
text=$(sed -n 's/^\.Dl \(xargs .*\)/\1/p' "$manual" | unescape)
printf '%s\n' a b c >urls
FAILURES=2
example "$text"
is "$text: succeeds" "$code" 0
is 'with two failures on the way' "$calls" 5
is 'for all three' "$(sort -u calls | tr '\n' ';')" \
    'wget -q a;wget -q b;wget -q c;'

text=$(sed -n 's/^\.Dl \(parallel .*\)/\1/p' "$manual" | unescape)
touch 1.svg 2.svg 3.svg
if command -v parallel >/dev/null; then
	export HOME="$T"
	mkdir -p .parallel && touch .parallel/will-cite
	example "$text"
	is "$text: succeeds" "$code" 0
	is 'with two failures on the way' "$calls" 5
else
	skip "$text: succeeds" 'parallel is not installed'
fi

# A step of GitHub's actions.
shown github >step.yml
like 'the step is a list item' "$(cat step.yml)" '^- name: .*'
text=$(sed -n 's/^  run: //p' step.yml)
FAILURES=1
export GITHUB_ACTIONS=true
example "$text"
unset GITHUB_ACTIONS
is "$text: succeeds" "$code" 0
is 'at the second attempt' "$calls" 2
is 'the retry is a group' "$(printf '%s\n' "$out" | grep -c '^::group::')" 1
is 'with one notice' "$(printf '%s\n' "$out" | grep -cE '^::(notice|error)')" 1
FAILURES=9
GITHUB_ACTIONS=true example "$text"
FAILURES=1
is 'or gives up' "$code" 1
is 'with one error' "$(printf '%s\n' "$out" | grep -cE '^::(notice|error)')" 1
like 'that says so' "$out" '^::error.*giving up after 3 attempts'

# A job of GitLab's, and its report.
shown gitlab >job.yml
text=$(sed -n 's/^    - //p' job.yml)
report=$(sed -n 's/^      junit: //p' job.yml)
example "$text"
is "$text: succeeds" "$code" 0
is 'at the second attempt' "$calls" 2
like 'says so' "$err" 'succeeded at attempt 2/3'
if command -v xmllint >/dev/null; then
	is 'and reports one flaky test' "$(xmllint --xpath \
	    'count(//testcase[flakyFailure])' "$report")" 1
else
	skip 'and reports one flaky test' 'xmllint is not installed'
fi

# A crontab's line: mail is what comes out.
ln -s stub bin/feed
shown cron >cron.line
text=$(sed 's/^@hourly //' cron.line)
example "$text"
is "$text: succeeds" "$code" 0
is 'at the second attempt' "$calls" 2
is 'without mail' "$out$err" ''
rm bin/feed
cat >bin/feed <<'END'
#!/bin/sh
echo x >>"$T/calls"
echo 'no feed today'
exit 1
END
chmod +x bin/feed
example "$text"
is 'or gives up' "$code" 1
is 'and what the command wrote is mailed' \
    "$(printf '%s\n' "$out" | sort -u)" 'no feed today'
is 'nothing else' "$err" ''
like 'the state is kept' "$(cat .feed)" '^failures [1-9]'

# A container: the image's words as process 1 of a namespace.
shown docker >Dockerfile
python3 - >words <<'END'
import json
for line in open('Dockerfile'):
    word, _, rest = line.partition(' ')
    if word in ('ENTRYPOINT', 'CMD'):
        print(*json.loads(rest), sep='\n')
END
is 'the words of the image are found' "$(tail -n 1 words)" collector
cat >bin/collector <<'END'
#!/bin/sh
trap 'exit 7' TERM
echo >"$T/started"
while :; do sleep 20 & wait $!; done
END
chmod +x bin/collector
sed "1s|.*|$RETRY|" words | tr '\n' '\0' >arguments
set -- unshare --pid --fork --kill-child
[ "$(id -u)" -eq 0 ] || set -- "$@" --user
if "$@" true 2>/dev/null; then
	PATH=$T/bin:$PATH xargs -0 -a arguments "$@" \
	    sh -c 'echo $$ >pid; exec "$@"' sh &
	wait_for test -e started
	inside=$(pgrep -P "$(pgrep -P $!)")
	kill -TERM "$inside"
	wait $!
	# xargs makes 123 of all statuses from 1 to 125.
	is 'process 1 passes SIGTERM on, and ends as its command does' $? 123
	is 'it was process 1' "$(cat pid)" 1
else
	skip 'retry is process 1' 'no namespace can be made'
fi

# A unit of systemd, here with programs that are there.
shown systemd >unit
sed "s|/usr/bin/retry|$RETRY|; s|/usr/bin/collector|$T/bin/collector|" \
    unit >collector.service
if command -v systemd-analyze >/dev/null; then
	run systemd-analyze verify --man=no "$T/collector.service"
	is 'systemd finds nothing wrong with the unit' "$code$err$out" 0
	sed 's/^KillMode=.*/KillMode=gently/' collector.service >wrong.service
	run systemd-analyze verify --man=no "$T/wrong.service"
	like 'and would' "$err$out" 'kill mode'
	sed -n '/^```ini$/,/^```$/p' "$readme" | grep -v '^```' |
	    sed "s|/usr/bin/retry|$RETRY|; s|/usr/bin/collector|$T/bin/collector|" \
	    >readme.service
	run systemd-analyze verify --man=no "$T/readme.service"
	is 'nor with that of the README' "$code$err$out" 0
else
	skip 'the unit is right' 'systemd is not installed'
fi
printf '#!/bin/sh\nexit 78\n' >bin/collector
sed -n '/^ExecStart=/,/[^\\]$/p' collector.service |
    sed 's/^ExecStart=//' >start.sh
run sh start.sh
is 'an error in the configuration is not retried' "$code" 78
like 'and known to systemd as such' "$(cat unit)" '^RestartPreventExitStatus=78$'

# What other programs' options are called here: all are accepted.
sed -n 's/^\.It Li .* Ta Li \(-.*\|.e-.*\|\\-.*\)/\1/p' "$manual" | unescape \
    >options
check 'the tables are found' test "$(wc -l <options)" -ge 20
while IFS= read -r text <&3; do
	check "$text is understood" sh -c "retry --plan $text true"
done 3<options

finish
