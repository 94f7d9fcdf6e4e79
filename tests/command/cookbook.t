#!/bin/sh
#
# What the documents show is run as it stands there. Each recipe of retry-cookbook(7) is
# found by its heading, and at the end none may be left that was not run. Then come the
# examples of README, of the manual and of --help, with stubs as commands.

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/stubs.sh
. "$TESTS/lib/stubs.sh"

recipes
check 'the recipes are found' test "$(wc -l <headings)" -ge 60
is 'each has a heading of its own' "$(sort headings | uniq -d)" ''
if command -v mandoc >/dev/null; then
	mandoc -T ascii "$TESTS/../man/retry-cookbook.7" |
	    sed 's/.\x08//g; s/^ *//' >page
	is 'each heading is shown as it stands there' "$(grep -vxF -f page headings)" ''
fi

# The tutorial: a step finds the files of the steps before.
grep '^[0-9]' headings >steps
is 'the tutorial has five steps' "$(wc -l <steps)" 5
mkdir tutorial
while IFS= read -r name <&3; do
	sed -n 's/^\$ //p' "recipes/$name" | while IFS= read -r line; do
		echo "\$ $line"
		(cd tutorial && COLUMNS=72 PATH=$T/bin:$PATH sh -c "$line" 2>&1 \
		    </dev/null)
	done | equal_times >shown
	is "$name: prints this" "$(cat shown)" "$(equal_times <"recipes/$name")"
	echo "$name" >>ran
done 3<steps

stub apt-get collector docker git make mysqladmin nc npm pg_isready pgrep psql \
    redis-cli rsync server ssh wget
for name in build feed fetch load status sync upload; do
	ln -s bin/stub "$name"
done
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod +x bin/sudo

# recipe NAME: the recipe with this heading, in the file $recipe and in $text.
recipe() {
	name=$1
	recipe=$T/recipes/$name
	text=$(cat "$recipe")
	echo "$name" >>ran
	SAYS='' SUCCESS=0 FAILURES=1 FAILURE=1
	export SAYS SUCCESS
}

# ends STATUS CALLS HOW: what it does if its command fails as the variables say.
ends() {
	example "$text"
	is "$name: $3" "$code after $calls" "$1 after $2" || note "$err"
}

# over NAME...: recipes that get over a failure, and no more is to be seen.
over() {
	for name; do
		recipe "$name"
		ends 0 2 'gets over a failure'
	done
}

# tells NAME RETRIED STOPPED: a recipe that tells two exit statuses apart.
tells() {
	recipe "$1"
	FAILURE=$2
	ends 0 2 "retries status $2"
	FAILURE=$3
	ends "$3" 1 "does not retry status $3"
}

# hears NAME RETRIED STOPPED: a recipe that tells two messages apart.
hears() {
	recipe "$1"
	FAILURE=9 SAYS=$2
	ends 0 2 "retries '$2'"
	SAYS=$3
	ends 9 1 "does not retry '$3'"
}

# plans NAME: the plans of a recipe, letter for letter.
plans() {
	recipe "$1"
	sed -n 's/^\$ //p' "$recipe" | while read -r line; do
		echo "\$ $line"
		COLUMNS=72 sh -c "$line"
	done >shown
	if sanitized; then
		skip "$name: as printed" 'a slow program simulates fewer runs in its second'
	else
		is "$name: as printed" "$(cat shown)" "$(cat "$recipe")"
	fi
}

# Limits and verdicts.
over 'Five minutes in total' 'The same options everywhere'
plans 'Why does it not retry?'
recipe 'A log file that stays quiet'
cat >job <<'END'
#!/bin/sh
echo job >>"$T/calls"
while [ "$(wc -l <"$T/calls")" -eq 2 ]; do
	echo >>job.log
	[ "$(wc -l <job.log)" -le 20 ] || exit 0
	sleep 0.1
done
exec sleep 60
END
chmod +x job
text=$(printf '%s\n' "$text" | sed 's/-mmin -5/-newermt "-5 seconds"/
    s/period=5m/period=0.1s/; s/interval=20s/interval=1s/')
ends 0 2 'ends an attempt that does not write to it, but not one that does'
like "$name: the message calls the attempt unhealthy" "$err" 'attempt 1/5 was unhealthy'
rm job
hears 'Decide by the output' 'read: connection timed out' 'no such file'
hears 'Decide by the output' 'connection timed out' 'timed out: permission denied'
recipe 'A program that fails with exit status 0'
FAILURE=0 SAYS='ERROR: no answer'
ends 0 2 'is retried'

cat >bin/curl <<'END'
#!/bin/sh
echo "curl $*" >>"$T/calls"
cat >posted
END
chmod +x bin/curl
recipe 'Post the last 20 lines to Slack'
if have "$name: gives up" jq; then
	FAILURES=9 SAYS=$(seq 30)
	text="SLACK_URL=https://hooks.example; export SLACK_URL; $text"
	ends 1 6 'gives up'
	is "$name: posts what was printed last" "$(jq -r .text posted)" \
	    "$(seq 11 30)"
	like "$name: posts to the address of the webhook" "$(tail -n 1 calls)" ' https://hooks.example$'
fi
rm bin/curl

# Shell.
over 'A script that stops'
recipe 'An alias'
text="$text
alias s=./sync
r s"
ends 0 2 'is expanded, and one behind it'
recipe 'A pipeline'
ends 0 2 'fails if its first command fails'
check "$name: was run to its end" test -e sorted
recipe 'Quotes inside a command'
ends 0 3 'gets over a failure'
is "$name: with its texts as they are" "$(tail -n 2 calls | tr '\n' ';')" \
    "load it's new;sync two words;"
recipe 'Two commands'
ends 0 3 'runs the second if the first succeeded'
# A shell that is not bash keeps no functions of bash for others.
sed -i '1s/sh$/bash/' bin/retry
recipe 'A shell function'
example "bash '$recipe'"
is "$name: is run again as a whole" "$code after $calls" '0 after 3' ||
    note "$err"
is "$name: with its argument" "$(tail -n 1 calls)" 'load today'

recipe 'Pass a secret to the attempts'
echo s3cret >token
rm upload
cat >upload <<'END'
#!/bin/sh
"$T/bin/stub" upload "$UPLOAD_TOKEN"
END
chmod +x upload
text=$(printf '%s\n' "$text" | sed "s|/run/secrets|$T|")
ends 0 2 'gets over a failure'
is "$name: with the secret in each attempt" "$(cat calls)" 'stub upload s3cret
stub upload s3cret'
rm upload
ln -s bin/stub upload

rm fetch
printf '#!/bin/sh\nprintf "b\\na\\n"\n' >fetch
cat >convert <<'END'
#!/bin/sh
echo convert >>"$T/calls"
[ "$(wc -l <"$T/calls")" -gt 1 ] || { echo garbage; head -n 1; exit 1; }
tr ab xy
END
chmod +x fetch convert
recipe 'In the middle of a pipeline'
ends 0 2 'gets over a failure'
is "$name: with the output of one attempt, of all the input" "$(cat sorted)" 'x
y'
rm fetch
cat >fetch <<'END'
#!/bin/sh
echo fetch >>"$T/calls"
[ "$(wc -l <"$T/calls")" -gt 1 ] || { echo garbage; exit 1; }
echo 1.2
END
chmod +x fetch
recipe 'The output in a variable'
ends 0 2 'gets over a failure'
is "$name: with the output of one attempt" "$out" 1.2
recipe 'Inside while read'
printf '%s\n' a b c >hosts
FAILURES=2
ends 0 5 'gets over two failures'
is 'for three hosts' "$(sort -u calls | tr '\n' ';')" \
    'ssh a uptime;ssh b uptime;ssh c uptime;'
recipe 'Run retry with xargs'
printf '%s\n' a b c >urls
FAILURES=2
ends 0 5 'gets over two failures'
is 'for three files' "$(sort -u calls | tr '\n' ';')" \
    'wget -q a;wget -q b;wget -q c;'
rm fetch bin/make
ln -s bin/stub fetch
recipe 'In a makefile'
mkdir docs
printf 'all:\n\t@%s/bin/stub docs\n' "$T" >docs/Makefile
text="make -j 2 -f '$recipe' all"
FAILURES=2
ends 0 4 'gets over two failures, in two jobs'
unlike "$name: that make shares" "$err" jobserver
check "$name: leaves the file" test -e data.csv
rm data.csv
stub make

# HTTP, with a server that is the proxy of all hosts.
: >replies
python3 "$TESTS/lib/serve.py" >port &
wait_for test -s port
rm bin/wget
for name in curl wget; do
	cat >"bin/$name" <<-END
	#!/bin/sh
	echo "$name \$*" >>"$T/calls"
	for word; do
	        shift
	        set -- "\$@" "\$(echo "\$word" | sed 's/^https:/http:/')"
	done
	http_proxy=http://127.0.0.1:$(cat port) exec $(command -v $name) "\$@"
	END
	chmod +x "bin/$name"
done

# answers REPLY... STATUS CALLS HOW: what a recipe does with these replies.
answers() {
	rm -f requests data.csv
	echo "$1" >replies
	shift
	ends "$@"
}

recipe 'Fetch a file'
answers 503 0 2 'retries 503'
answers 404 22 1 'does not retry 404'
recipe 'Retry only a refused connection or a 503'
answers '503 Retry-After: 7' 0 2 'retries 503'
like "$name: as late as the server says" "$err" 'next in [78][0-9.]*s'
answers '503 Retry-After: 500' 22 1 'does not wait for more than two minutes'
answers 500 22 1 'does not retry 500'
text=$(printf '%s\n' "$text" | sed "s|https://[a-z.]*/|http://127.0.0.1:9/|
    s|^    curl|    $(command -v curl)|")
ends 7 0 'retries a refused connection'
is 'five times' "$(printf '%s\n' "$err" | grep -c 'attempt ./5 exited 7')" 5
recipe 'Resume a download'
answers 503 0 2 'gets over a failure'
printf '{' >data.csv
recipe 'A here-document'
answers 503 0 2 'gets over a failure'
is "$name: sends all of it twice" "$(cat requests)" 'POST deployed
POST deployed'
recipe 'Wait for a healthy server'
answers '503
503' 0 3 'looks until it is healthy'
recipe 'Wait for an answer in JSON'
if have "$name: asks until it is ready" jq; then
	answers '200
503' 0 3 'asks until it is ready'
	is "$name: passes the answer on" "$out" '{"ready": true}'
fi
rm bin/curl bin/wget
stub curl wget

# Waiting for something.
recipe 'Wait until something is there'
echo >report.pdf
text=$(grep -v redis "$recipe" | sed 's/$/ \&\&/'; echo true)
ends 0 5 'gets over a failure of the first'
rm report.pdf
recipe 'The end of a process'
FAILURES=2 FAILURE=0 SUCCESS=1
ends 0 3 'waits while there is one'
rm status
cat >status <<'END'
#!/bin/sh
echo status >>"$T/calls"
[ "$(wc -l <"$T/calls")" -le 2 ] || { echo "it has $ENDED"; exit; }
echo 'it is running'
END
chmod +x status
recipe 'A job that may fail'
export ENDED=finished
ends 0 3 'looks until it has finished'
ENDED=failed
ends 1 3 'or has failed'
printf '#!/bin/sh\necho x >>"$T/calls"\n%s\n' \
    '[ "$(wc -l <"$T/calls")" -gt 2 ] && echo PONG || echo LOADING' \
    >redis-cli
chmod +x redis-cli
recipe 'Wait until something is there'
text="PATH=$T:\$PATH; $(grep redis "$recipe")"
ends 0 3 'asks until Redis is ready'

# Tools.
tells 'A script whose connection may be lost' 2 3
hears 'apt-get install' 'E: Could not get lock /var/lib/dpkg/lock' \
    'E: Unmet dependencies'
hears 'npm, pip and others' 'npm error code ECONNRESET' 'npm error code ERESOLVE'
recipe 'git clone'
ends 0 2 'gets over a failure'
hears 'docker pull' 'dial tcp: i/o timeout' 'invalid reference format'
recipe 'docker pull'
SAYS=toomanyrequests
ends 0 2 'gets over a failure'
like "$name: later" "$err" 'next in ([45].|1m)'
tells 'ssh' 255 1
tells 'rsync' 12 1
FAILURE=24
ends 0 1 'takes a file that vanished for a success'

# Rate limits.
recipe 'Wait longer if the server is busy'
ends 0 2 'gets over a failure'
like "$name: soon" "$err" 'next in [01]'
SAYS='error 429'
ends 0 2 'gets over a rate limit'
like "$name: later" "$err" 'next in ([45].|1m)'
recipe 'A program that says when its limit resets'
FAILURES=7 SAYS='usage limit resets 7pm'
ends 0 8 'goes on although it fails more than five times'
SAYS='no such file'
ends 1 5 'gives up for any other failure'
# Continuous integration, which may begin with a release, of which this is one.
recipe 'Download a release'
release=$(printf '%s\n' "$text" | sed -n 's/^name=//p')
mkdir -p "$release/bin"
cp "$RETRY" "$release/bin/retry"
tar -czf "$release.tar.gz" "$release"
sha256sum "$release.tar.gz" >SHA256SUMS
mkdir site job
mv "$release.tar.gz" SHA256SUMS site
rm -r "$release" bin/curl
text="cd job
$(printf '%s\n' "$text" | sed "s|^url=.*|url=file://$T/site|")
command -v retry"
example "$text"
is "$name: finds the program" "$(printf '%s\n' "$out" | tail -n 1)" \
    "$T/job/$release/bin/retry"
rm -r job/*
echo >>"site/$release.tar.gz"
example "$text"
is "$name: unpacks nothing that has another sum" "$(ls job/*/ 2>/dev/null)" ''
stub curl
recipe 'GitHub Actions'
report=$(sed -n 's/.* path: \(.*\) }/\1/p' "$recipe")
text="GITHUB_ACTIONS=true $(sed -n '/^- run: retry -a/,/2>&1$/{
    s/^- run: //; p; }' "$recipe" | xargs)"
ends 0 2 'gets over a failure'
is "$name: with a group for each attempt" \
    "$(printf '%s\n' "$out" | grep -c '^::group::')" 2
check "$name: a report" grep -q flakyFailure "$report"
text="GITHUB_STEP_SUMMARY=summary $text"
ends 0 2 'gets over a failure again'
like "$name: a list in the summary" "$(cat summary)" '^- attempt 1: '
is "$name: with one notice" "$(printf '%s\n' "$out" | grep -cE '^::(notice|error)')" 1
rm "$report"
FAILURES=9
ends 1 3 'or gives up'
like "$name: with an error" "$out" '^::error.*giving up after 3 attempts'
recipe 'A script of several lines'
text=$(printf '%s\n' "$text" | sed '1d; s/^    //')
ends 0 3 'runs it again from its beginning'
recipe 'GitLab'
report=$(sed -n 's/.* junit: \([^ ]*\) .*/\1/p' "$recipe")
text=$(sed -n '/^    - /,/2>&1$/s/^    [- ] //p' "$recipe" | xargs)
rm "$report"
ends 0 2 'gets over a failure'
check "$name: with a report" grep -q flakyFailure "$report"
recipe 'Jenkins'
report=$(sed -n "s/.* junit '\(.*\)' .*/\1/p" "$recipe")
text=$(sed -n "/^ *sh '/,/2>&1'/s/^ *\(sh\)*//p" "$recipe" | tr -d \')
rm "$report"
ends 0 2 'gets over a failure'
check "$name: with a report" grep -q flakyFailure "$report"

# cron: % ends the command, unless it is escaped; mail is what comes out.
# crontab NAME: as recipe, but $text is what cron runs.
crontab() {
	recipe "$1"
	like "$name: is a line" "$text" '^(@[a-z]+|[^@ ]+( [^ ]+){4}) retry '
	text=$(printf '%s\n' "$text" | sed -E 's/^(@[a-z]+|[^@ ]+( [^ ]+){4}) //
	    s/([^\\])%.*/\1/; s/\\%/%/g')
	SAYS='no feed today'
	# In the recipe it is the time that limits the attempts.
	text=$(printf '%s\n' "$text" | sed 's/-T [0-9]*m/& -a 5/')
}
for name in 'Mail only if all attempts failed' 'Start at a random moment'; do
	crontab "$name"
	ends 0 2 'gets over a failure'
	is "$name: without mail" "$out$err" ''
	FAILURES=9
	ends 1 5 'gives up'
	is "$name: with mail" "$(printf '%s\n' "$out$err" | grep -c "$SAYS")" 5
done
crontab 'Retry, and mail, also if standard error has anything (chronic -e)'
text="exec 2>&1; $text" # as in cron
FAILURES=0 PRINTS=data
export PRINTS
ends 0 1 'takes data for what it is'
is "$name: without mail" "$out$err" ''
FAILURES=9 FAILURE=0
ends 0 5 'takes no success that complains'
is "$name: with mail" "$(printf '%s\n' "$out" | grep -c "^$SAYS")" 5
unset PRINTS
crontab 'Mail only after three failed runs in a row'
FAILURES=99
ends 0 5 'tolerates a run that gave up'
is "$name: without mail" "$out$err" ''
ends 0 5 'and another'
is "$name: without mail again" "$out$err" ''
ends 1 5 'but not a third'
is "$name: with mail" "$(printf '%s\n' "$out$err" | grep -c "$SAYS")" 5
rm .feed
crontab 'Back off from one run to the next'
ends 1 1 'gives up at a failure'
like "$name: with mail" "$err" "^$SAYS"
ends 75 0 'waits before it tries again'
is "$name: without mail" "$out$err" ''

# systemd: systemd itself looks at each unit.
printf '#!/bin/sh\n' >bin/plain
chmod +x bin/plain
# started: sets $text to what the unit of the recipe runs.
started() {
	text=$(awk 'sub(/^ExecStart=/, "") { on = 1; text = "" }
	    on { on = sub(/\\$/, ""); text = text $0 }
	    END { print text }' "$recipe" | sed 's|/usr/\(local/\)*bin/||g')
}
# unit NAME [MORE]: as recipe, but $text is what the unit runs.
unit() {
	recipe "$1"
	cp "$recipe" unit.service
	sed -i "s|=/usr/local/bin/retry|=$RETRY|; s|/usr/bin/[a-z]*|$T/bin/plain|" \
	    unit.service
	if have "$name: is a unit${2-}" systemd-analyze; then
		run systemd-analyze verify --man=no "$T/unit.service"
		is "$name: is a unit${2-}" "$code$err$out" 0
	fi
	started
}
printf '[Service]\nExecStart=/bin/true\nKillMode=gently\n' >wrong.service
if command -v systemd-analyze >/dev/null; then
	run systemd-analyze verify --man=no "$T/wrong.service"
	like 'systemd sees what is wrong with a unit' "$err$out" 'kill mode'
fi
ln -s stub bin/backup
for name in 'A service' 'A daemon that says when it is ready' \
    'A job with a timer' 'A program that cannot say when it is ready'; do
	unit "$name"
	# No probe comes before the attempt has ended, however late that is.
	text=$(printf '%s\n' "$text" | sed 's/interval=1s/interval=1h/')
	ends 0 2 'gets over a failure'
done
unit 'A service' ' that keeps failing'
text=$(printf '%s\n' "$text" | sed 's/-m 1m/-d 1ms -m 1ms/')
stub alert
FAILURES=99
ends 1 31 'raises an alert after 30 failures'
FAILURES=1
is 'A service stands in the README too' \
    "$(sed -n '/^```ini$/,/^```$/p' "$readme" | grep -v '^```')" \
    "$(cat 'recipes/A service')"
unit 'Wait for what the service needs'
text=$(sed -n 's|^ExecStartPre=/usr/local/bin/||p' "$recipe")
ends 0 2 'waits for it'
recipe 'A service'
started
rm bin/collector
cat >bin/collector <<'END'
#!/bin/sh
echo collector >>"$T/calls"
[ "$LISTEN_PID" = $$ ] && [ -S /proc/$$/fd/3 ] || exit 9
[ "$(wc -l <"$T/calls")" -gt 1 ]
END
chmod +x bin/collector
text="LISTEN_FDS=1 LISTEN_PID=\$\$ exec $text"
cat >listen.py <<'END'
import os, socket, sys
listener = socket.create_server(('127.0.0.1', 0))
os.dup2(listener.fileno(), 9)
os.dup2(9, 3)
os.execvp('sh', ['sh', '-c', sys.argv[1]])
END
printf '%s\n' "$text" >start
text="exec python3 listen.py \"\$(cat start)\""
ends 0 2 'gives each attempt the socket, if systemd passes one'
rm bin/collector
stub collector

# Containers: the words of an image as JSON.
# words NAME: sets $text to what its container runs.
words() {
	recipe "$1"
	text=$(sed -z 's/\\\n *//g' "$recipe" |
	    sed -nE 's/^ *(ENTRYPOINT|CMD|entrypoint:|command:) (\[.*)/\2/p' |
	    python3 -c 'import json, shlex, sys
for line in sys.stdin:
    print(shlex.join(json.loads(line)), end=" ")')
}
words 'The entry point of an image'
ends 0 2 'gets over a failure'
rm -f bin/server
stub server
for name in 'A server that stops answering' 'A server under compose' \
    'A server in a pod'; do
	words "$name"
	ends 0 2 'gets over a failure'
done
words 'An image from scratch'
text=$(printf '%s\n' "$text" | sed "s|/retry|retry|; s|/coll|$T/bin/coll|")
ends 0 2 'gets over a failure'
words 'Wait, then start'
ends 0 3 'waits, then starts'
is 'the server' "$(tail -n 1 calls)" 'server '
words 'An init container'
ends 0 2 'waits'
recipe 'Inside a Dockerfile RUN'
text=$(sed -n 's/^RUN //p' "$recipe")
FAILURE=100
ends 0 2 'gets over a failure'
words 'Wait for PostgreSQL under compose'
ends 0 3 'waits, and then starts'
is "$name: with no message" "$err" ''
words 'The entry point of an image'
# shellcheck disable=SC2154 # stubs.sh sets it
is "$name: stands in the README too" \
    "$(sed -n '/^```Dockerfile$/,/^```$/p' "$readme" | grep -v '^```')" \
    "$(sed '1,2d; s/collector/server/' "$recipe")"
cat >stubborn <<'END'
#!/bin/sh
trap '' TERM
echo >"$T/stubborn.started"
while :; do sleep 20; done
END
chmod +x stubborn
sh -c "exec $(printf '%s\n' "$text" | sed "s/8s/0.1s/; s|collector|$T/stubborn|")" \
    2>/dev/null &
wait_for test -e stubborn.started
kill -TERM $!
wait $!
is 'a server that ignores SIGTERM is killed' $? 137
words 'The entry point of an image'
cat >bin/collector.1 <<'END'
#!/bin/sh
trap 'exit 7' TERM
echo >"$T/started"
while :; do sleep 20 & wait $!; done
END
rm bin/collector
mv bin/collector.1 bin/collector
chmod +x bin/collector
set -- unshare --pid --fork --kill-child
[ "$(id -u)" -eq 0 ] || set -- "$@" --user
if "$@" true 2>/dev/null; then
	PATH=$T/bin:$PATH "$@" sh -c "echo \$\$ >pid; exec $text" &
	wait_for test -e started
	kill -TERM "$(pgrep -P $!)"
	wait $!
	is 'process 1 passes SIGTERM on, and ends as its command does' $? 7
	is 'process 1 in the container is retry' "$(cat pid)" 1
else
	skip 'retry is process 1' 'no namespace can be made'
fi

# Many at once.
over 'A job that many hosts start'
recipe 'One instance at a time'
while IFS= read -r line <&3; do
	text=$line
	ends 0 2 "gets over a failure: $line"
	text=$(printf '%s\n' "$line" |
	    sed "s|retry|retry -a 1|; s|[.]/sync|sh -c \"$line\"|")
	case $line in
	flock*) ends 1 0 'does nothing while another holds the lock' ;;
	*) ends 75 0 'does nothing while another is active' ;;
	esac
done 3<"$recipe"
recipe 'A circuit breaker'
FAILURES=9
ends 1 1 'fails'
ends 1 1 'fails again'
ends 1 1 'and again'
ends 75 0 'and is open then'

# Logs.
recipe 'Why a run gave up'
if have "$name: tells" jq; then
	FAILURES=9
	ends 0 5 'tells'
	is "$name: that it failed" "$(printf '%s\n' "$out" | tail -n 2 | xargs)" 'failed exit 1'
	text=$(printf '%s\n' "$text" | sed 's|[.]/sync|-a 1 -t 0.1s sleep 9|')
	ends 0 0 'tells of another failure'
	is "$name: that it timed out" "$(printf '%s\n' "$out" | xargs)" 'timed out timeout null'
fi

recipe 'Retry only failures known to be transient'
ends 1 1 'stops at an unknown failure'
SAYS='npm error code ECONNRESET' FAILURES=9
ends 75 6 'ends a run of transient failures with 75'
like 'GitLab and Buildkite know the status' "$(unescape <"$TESTS/../man/retry-cookbook.7" |
    grep -cE 'exit_(status|codes):.*75')" '^2$'

# What other programs' options are called here: all are accepted.
sed -n '/^\.Sh FROM OTHER/,$ s/^\.It .* Ta //p' \
    "$TESTS/../man/retry-cookbook.7" |
    unescape | sort -u >options
check 'the tables are found' test "$(wc -l <options)" -ge 20
while IFS= read -r text <&3; do
	check "$text is understood" sh -c "retry --plan $text true"
done 3<options

sort -u ran >ran.sorted
is 'every recipe was run' "$(sort headings | comm -23 - ran.sorted)" ''


# The examples, a line each, in which the command fails once.
find bin/* ! -name stub ! -name retry -delete
stub collector curl docker etcdctl fetch mail make nc npm pg_isready pytest \
    retry-redis-budget sudo terraform
rm -rf test
for name in collector convert feed fetch load report sync test upload; do
	ln -sf bin/stub "$name"
done
ln -s /bin/true bin/sleep
echo 'preset = network' >fetch.retry
{
	unescape <"$manual" | sed -n '
		/^\.Dl [@.a-z/]*[ ].*failure (/!s/^\.Dl //p
		/^\.Bd -literal/,/^\.Ed/{
			/\\$/N
			s/ *\\\n */ /
			s/^ENTRYPOINT \[\(.*\)\]$/\1/
			/^"/s/[",]//g
			s/^ExecStart=//
			/^retry:/!{/retry .*[a-z]/{/^[$0-9 ]/!p}}
		}'
	sed -n '/^```sh$/,/^```$/p' "$readme" | grep -v '^[`#]'
	sed -n 's/^    \(retry .*\)/\1/p; s/^- run: \(retry .*\)/\1/p
	    /^ExecStart=/{/\\$/N;s/ *\\\n */ /;s/.*\(retry .*\)/\1/p;}
	    s/^\*[^ ]* \* \* \* \* //p' "$readme"
	retry --help | sed -n 's/^  \(retry .*\)/\1/p'
} | sed 's|/usr/local/bin/||; s|/usr/bin/||g; s/^@hourly //' | awk '!seen[$0]++' \
    >examples
check 'the examples are found' test "$(wc -l <examples)" -ge 30
SAYS='' SUCCESS=0 FAILURE=1
while IFS= read -r text <&3; do
	FAILURES=1
	example "$text"
	case $text in
	*--plan*) is "$text: runs nothing" "$code after $calls" '0 after 0' ;;
	*) like "$text: runs its command" "$code after $calls" '^(0|1|75) after [1-9]' ;;
	esac || note "$err"
done 3<examples

# The plans in the manual, letter for letter.
for name in plan clients; do
	shown $name >table
	text=$(sed -n '1s/^\$ //p' table)
	is "$text: shows this" "$(COLUMNS=72 sh -c "$text")" "$(sed 1d table)"
done

# chart JITTER: the left chart of the manual, or the right one.
chart() {
	COLUMNS=36 sh -c "$(echo "$text" | sed 's| ./sync.*||') -j $1" |
	    sed -n '/^ *from/,/^ *total/p'
}
is 'the charts are drawn like this' "$(shown charts)" \
    "$(chart none >left; chart 20% | paste -d '|' left - |
    awk -F '|' '{ printf "%-38s%s\n", $1, $2 }')"

# The unit in the README.
sed -n '/^```ini$/,/^```$/p' "$readme" | grep -v '^```' |
    sed "s|/usr/local/bin/retry|$RETRY|; s|/usr/bin/collector|/bin/true|" \
    >readme.service
if have 'systemd finds nothing wrong with the unit' systemd-analyze; then
	run systemd-analyze verify --man=no "$T/readme.service"
	is 'systemd finds nothing wrong with the unit' "$code$err$out" 0
fi

# The README's session, run by a command that behaves as the one there: only the
# times may differ.
cat >deploy <<'END'
#!/bin/sh
case $RETRY_ATTEMPT in
1) echo 'deploy: connection reset by peer' >&2; exit 1 ;;
2) echo 'deploy: waiting for server' >&2; exec sleep 60 ;;
*) echo deployed ;;
esac
END
chmod +x deploy
sed '/^\$ retry -t/,/^```$/!d; /^```$/d' "$readme" >session
run sh -c "$(sed -n 's/^\$ //p' session | sed 's/-t 2s/-t 5s/') 2>&1"
is 'the README shows what the program says' \
    "$(printf '%s\n' "$out" | equal_times)" "$(sed 1d session | equal_times)"

picture=$TESTS/../man/retry.svg
check 'the picture is small' test "$(wc -c <"$picture")" -lt 100000
words=$(sed -n 's/.*<title>\$ \(retry .*\) .*<\/title>/\1/p' "$picture")
check "the picture's options are known: $words" sh -c "$words --plan true"

# What the README counts.
strategies=$(retry --help=backoff | grep -c '^  [a-z]')
jitters=$(retry --help=jitter | grep -c '^  ')
like 'the README knows how many strategies and jitters there are' \
    "$(cat "$readme")" "\| $strategies strategies, $((jitters - 1)) kinds of jitter \|"
is 'files that it links to are there' "$(grep -o '](\([^)]*\))' "$readme" |
    sed 's/^](\(.*\))$/\1/' | while read -r file; do
	test -e "${readme%/*}/${file%%#*}" || echo "$file" | grep -v '^https://\|^#'
done)" ''

finish
