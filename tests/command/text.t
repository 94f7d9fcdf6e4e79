#!/bin/sh
#
# What people read.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2016 # the attempts' shells expand

. lib/harness.sh

# said: what is on standard error, with times made equal.
said() {
	printf '%s\n' "$err" | sed -e 's/after [<0-9.]*m\{0,1\}s/after TIME/' \
	    -e 's/in [<0-9.]*m\{0,1\}s/in TIME/'
}

run retry -a 3 -d 1ms sh -c 'exit $((RETRY_ATTEMPT < 3 ? 7 : 0))'
is 'each failed attempt has a line, and the end' "$(said)" \
    'retry: sh: attempt 1/3 exited 7 after TIME; next in TIME
retry: sh: attempt 2/3 exited 7 after TIME; next in TIME
retry: sh: succeeded at attempt 3/3 in TIME'
is 'no message goes to standard output' "$out" ''
run retry -a 2 -d 0 false
is 'an attempt without a delay has a line' "$(said)" \
    'retry: false: attempt 1/2 exited 1 after TIME; next at once
retry: false: attempt 2/2 exited 1 after TIME
retry: false: giving up after 2 attempts in TIME: exited 1'
run retry -a 0 -T 20 -d 60 false
like 'without a limit no limit is named' "$err" '^retry: false: attempt 1 exited 1'
like 'the end says why' "$err" \
    '^retry: false: giving up after 1 attempt in .*: exited 1, and --max-time 20s leaves no time for attempt 2$'
run retry -a 2 -d 0.302 -j none false
like 'a wait is not longer in the telling' "$err" 'next in 0.3s$'

run retry "$T/nothing here"
is 'what cannot be started is named, once' "$err" \
    "retry: cannot execute '$T/nothing here': No such file or directory; \
did you mean retry $T/nothing here, without the quotes?"
run retry ./nosuch secret
unlike 'a command is named without its arguments' "$err" secret

run retry -a 1 /bin/false
like 'a run has the name of its command, without the folder' "$err" \
    '^retry: false: attempt 1/1 exited 1'
run retry -a 1 --name='nightly build' --on-give-up='exit 3' false
is 'a name of its own stands in each line' "$(said)" \
    'retry: nightly build: attempt 1/1 exited 1 after TIME
retry: nightly build: giving up after 1 attempt in TIME: exited 1
retry: nightly build: --on-give-up exited 3'
run retry --name=deploy ./nosuch
is 'beside the command that cannot be started' "$err" \
    'retry: deploy: cannot execute ./nosuch: No such file or directory'
run retry --plan=1 -a 1 --log=text
like 'a plan without a command has none' "$out" '^retry: attempt 1/1'

run retry -a 0 -d 1ms -b constant sh -c 'exit $((RETRY_ATTEMPT < 30))'
is 'equal failures of a poll are told once, and counted' "$(said)" \
    'retry: sh: attempt 1 exited 1 after TIME; next in TIME
retry: sh: (28 more identical failures)
retry: sh: succeeded at attempt 30 in TIME'
run retry -a 30 -d 0 false
is 'identical failures are counted if the run gives up' "$(said | tail -n 2)" \
    'retry: false: (29 more identical failures)
retry: false: giving up after 30 attempts in TIME: exited 1'

retry -a 0 -d 1ms sh -c '[ $RETRY_ATTEMPT -lt 4 ] || exec sleep 100d
    exit 1' 2>err &
wait_for grep -q 'identical' err
kill -KILL $!
is 'counted failures are told while the next attempt lasts' \
    "$(sed -n '2p' err)" 'retry: sh: (2 more identical failures)'
run retry -q -a 2 -d 1ms false
is 'quiet says nothing, giving up included' "$out$err" ''
run retry -q --on-give-up='exit 3' -a 1 false
is 'quiet says nothing, giving up included, but errors of its own' "$err" 'retry: false: --on-give-up exited 3'

run retry -v -a 2 -t 10 -d 10ms -j 50% false
like 'verbose tells of starts' "$err" \
    '^retry: false: attempt 1/2 starts as process [0-9]+, for 10s at most: false$'
like 'verbose tells of starts, and of the numbers behind a delay' "$err" \
    'next in [0-9.]+ms \(nominal 10ms, range 5ms to 15ms\)$'
run retry -v true
like 'verbose tells of a success at the first attempt' "$err" '^retry: true: succeeded at attempt 1/5 in'
run retry -v -a 1 sh -c 'kill -USR1 $PPID; exec sleep 20'
like 'verbose tells of signals' "$err" '^retry: sh: received SIGUSR1, forwarded$'
run retry -v --repeat=2 true
like 'a success that is not the last begins the count afresh' "$err" \
    '^retry: true: attempt 1 exited 0 after'

# Each place where a message has somebody else's text: an escape, and the end of
# a line, that a terminal would obey.

evil=$(printf 'a\033cb\nd')
printf '#!/bin/sh\nsleep 20\n' >"$evil"
chmod +x "$evil"
# told WHAT COMMAND...
told() {
	what=$1
	shift
	run "$@"
	is "$what is harmless" "$(printf '%s\n' "$err" |
	    grep -qF 'a\^[cb' && printf '%s\n' "$err" |
	    grep -cvx 'retry: [ -~]*')" 0
}
told 'a command that cannot be started' retry "./none$evil"
told 'the name of a run' retry -a 1 --name="$evil" false
told 'an option' retry "--$evil" true
told 'a value' retry -d "$evil" true
told 'a topic' retry --help="$evil"
told 'a preset' retry --preset="$evil" true
told 'a line of output' retry -a 1 --fail-match=b printf '%s\n' "$evil"
told 'a hint' retry -a 1 --delay-match='(a.*)' sh -c 'printf "%s\n" "$0"; false' \
    "$evil"
told 'a line of a probe' env x="$evil" retry -v -a 1 --health-interval=10ms \
    --health='printf "%s\n" "$x"; false' sleep 20
told 'a log that cannot be opened' retry --log=text:"none/$evil" true
told 'a log that cannot be written' sh -c '(ulimit -f 0
    exec retry --log=text:"$1" -a 1 false 2>&1) | cat >&2' - "$evil.log"
told "a file of GitHub's" env GITHUB_ACTIONS=true GITHUB_OUTPUT="none/$evil" \
    retry --log=github true
told 'a state' retry --state="$evil/state" true
told 'a budget' retry --budget="none/$evil" -a 2 -d 0 false
told 'a folder for temporary files' sh -c 'mkdir "$1"
    (yes | head -c 1M | (ulimit -f 0
    TMPDIR=$1 exec retry --stdin=replay cat) 2>&1) | cat >&2' - "$evil.d"
told "systemd's socket" env NOTIFY_SOCKET="/none/$evil" retry -v true
# waits: until the process has executed its file, and the shell's name no more.
waits='while read -r name </proc/$!/comm && [ "$name" = sh ]; do :; done'
told 'what --leftovers=end ends' retry -a 1 --leftovers=end \
    sh -c '"$0" & '"$waits" "$PWD/$evil"
told 'what is left' retry -a 1 -k 0 --health='test ! -e named' \
    --health-interval=10ms sh -c '(trap "" TERM; exec "$0") & '"$waits
    touch named; sleep 20" "$PWD/$evil"

finish
