#!/bin/sh
#
# The status line on a terminal. It counts down a wait and is never seen while
# anything else may be.

# SPDX-License-Identifier: MIT

. lib/harness.sh
have 'the status line' python3 || finish
export TERM=xterm

# look NAME COLUMNS [PATTERN ACTION]... -- COMMAND...: beside other looks; what
# was seen is in the file NAME/seen.
look() {
	look_name=$1
	shift
	mkdir "$look_name"
	(cd "$look_name" && exec python3 "$TESTS/lib/terminal.py" "$@" >seen 2>&1) &
}

# seen NAME: that, with times and pids made equal; of a wait of 20 seconds the first
# five are told from the others.
seen() {
	sed -e 's/after [<0-9.]*m\{0,1\}s/after TIME/' -e 's/next in [<0-9.]*m*s/next in TIME/' \
	    -e 's/ in [<0-9.]*m*s: / in TIME: /' -e 's/ in [<0-9.]*m*s$/ in TIME/' \
	    -e 's/ in 1[0-5]s / in 15s /' -e 's/ in \(20\|1[6-9]\)s / in 20s /' \
	    -e 's/ in \(30\|2[1-9]\)s / in 30s /' -e 's/ in [1-3]s / in 3s /' \
	    -e 's/retry now: kill -URG [0-9]*/NOW/' -e 's/  [=-]\{8,\}/  BAR/' "$1/seen"
}

# Sends a signal to the process that the status line names.
cat >poke <<'END'
kill "-$1" "$(sed -n 's/.*URG \([0-9]*\).*/\1/p' seen | tail -n 1)"
END
now="run=sh ../poke URG"
# Waits until the job's state is that of ps(1): stopped, or in the foreground.
cat >await <<'END'
until ps -o stat= -p "$(cat pid)" | grep -q "$1"; do sleep .05; done
END
# try OPTION... COMMAND...
cat >try <<'END'
#!/bin/sh
exec retry -b constant -j none "$@"
END
chmod +x try
PATH=$T:$PATH

look normal 80 'kill -URG' show '2/3 in 1[0-5]s' show . "$now" \
    '3/3 in' show '3/3 in' "$now" -- \
    try -a 3 -d 20 sh -c 'echo out; exit 7'
# So must it be however the output takes its way.
ways='--fail-match=zz --idle-timeout=99 --output=hold --output=all --output=last
--output=chronic'
for way in $ways; do
	look "way$way" 80 'kill -URG' show '2/3 in 1[0-5]s' show . \
	    "$now" '3/3 in' show '3/3 in' "$now" -- \
	    try -a 3 -d 20 "$way" sh -c 'echo out; exit 7'
done
look narrow 200 '200$|kill -URG' show '2/2 in' wide=40 '^sh: .*  last exited 7$' show \
    . wide=20 '^attempt 2/2 in [0-9]+s$' show . 'type=\x03' -- \
    try -a 2 -d 30 sh -c 'exit 7'
name=ÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜ
look foreign 80 '2/2 in' show . 'type=\x03' -- \
    try --name=x$name -a 2 -d 30 sh -c 'exit 7'
# in_two_days: the date then.
in_two_days() {
	date -d "@$(($(date +%s) + 172800))" +%F
}
day=$(in_two_days)
look clock 120 '2/2 in' show . 'type=\x03' -- try -a 2 -d 2d false
look minute 80 '2/2 in' show . 'type=\x03' -- try -a 2 -d 70 false
look end 80 -- try -a 2 -d 0.6 sh -c 'echo out; exit 7'
look gate 80 '2/2 in' show 'gate runs' show -- try -a 2 -d 3 \
    --check='echo check runs; exit 1' \
    --before-retry='echo gate runs; sleep 0.2' sh -c 'echo out; exit 1'
look quiet 80 -- try -q -a 2 -d 0.6 sh -c 'echo out; exit 7'
for columns in 40 80; do
	look half$columns $columns -- try -a 2 -d 0.6 sh -c 'printf half; exit 7'
	look text$columns $columns -- try --log=text -a 2 -d 0 sh -c 'printf half'\
'; exit 7'
done
look never 80 -- try --color=never -a 2 -d 0.6 false
look plain 80 -- env NO_COLOR=1 try -a 2 -d 0.6 false
look flaky 80 -- try -a 2 -d 0.6 sh -c 'exit $((RETRY_ATTEMPT < 2))'
look short 80 -- try -a 3 -d 0.3 false
look interrupted 80 '2/5 in' 'type=\x03' -- try -d 30 false
look stopped 80 '^\$$' 'type=retry -d 30 false\n' '2/5 in' 'type=\x1a' \
    'Stopped.*\n\$$' show . 'type=fg\n' 'fg\n.*\n.*2/5 in' 'type=\x03' \
    'ended(.*\n)+\$$' 'type=exit\n' -- env PS1='$ ' bash --norc --noprofile -i
look background 80 '^\$$' 'type=retry -a 2 -d 0.8 false &\n' \
    'giving' 'type=exit\n' -- env PS1='$ ' bash --norc --noprofile -i
look dumb 80 -- env TERM=dumb try -a 2 -d 3 false
look emacs 80 -- env INSIDE_EMACS=29.4,comint try -a 2 -d 3 false
look apart 80 -- setsid -w "$T/try" -a 2 -d 0.6 false
look logged 80 -- env CI=true try -a 2 -d 0.6 false
look unlogged 80 '2/2 in' show -- env CI=false try -a 2 -d 3 false
look unicode 80 '2/2 in' show -- env LC_ALL=C.UTF-8 try -a 2 -d 3 false
look github 80 '2/2 in' show -- env GITHUB_ACTIONS=true try -a 2 -d 3 false
look first 80 '1/1 in' show -- try -a 1 -d 3 --wait-first true
look held 80 'attempt 1/1 runs [0-9]+s of 1h' show . 'type=\x03' -- \
    try -a 1 -t 1h --output=last sh -c 'echo out; exec sleep 60'
look redirected 80 -- sh -c "exec try -a 2 -d 0.6 false 2>err"
look input 80 '^\$$' \
    'type=retry --log=tty --log=json:log --stdin=replay cat & echo $! >pid\n' \
    '^\$$' 'run=sh ../await ^T && sleep 3' . 'type=jobs\n' \
    'Stopped.*\n\$$' 'type=fg\n' \
    'fg\n.*cat' 'run=sh ../await "^[RS].*+"' . 'type=typed\n\x04' \
    'typed\ntyped' 'type=exit\n' -- \
    env PS1='$ ' bash --norc --noprofile -i
# shellcheck disable=SC2016 # it is for another shell
look locked 80 'another run has state; waiting [0-9]+s' show \
    . 'run=touch go' -- sh -c '
	retry -q --state=state sh -c "touch held
	    until [ -e go ]; do sleep .05; done" </dev/null >/dev/null 2>&1 &
	until [ -e held ]; do sleep .05; done
	exec retry --state=state true'
look text 80 -- try --log=text -a 2 -d 0.6 false
look explicit 80 -- sh -c "exec try --log=tty -a 2 -d 0.6 false 2>err"
look verbose 80 '2/2 in' show . 'run=sh ../poke USR1' \
    'USR1(.*\n)+.*2/2 in' show . 'type=\x03' -- \
    try -v -a 2 -d 30 sh -c 'exit 7'
wait

dashes=--------------------
told1='retry: sh: attempt 1/3 exited 7 after TIME; next in TIME'
told2='retry: sh: attempt 2/3 exited 7 after TIME; next in TIME'
# screens BEFORE MESSAGE: those of such a run, if so much is shown of an attempt.
screens() {
	next=${1:+$1
}${2:+$told1
} last=${1:+$1
}${2:+$told2
}
	printf '%s' "\
${next}retry: sh: attempt 2/3 in 20s  last exited 7  NOW
$dashes
${next}retry: sh: attempt 2/3 in 15s  last exited 7  NOW
$dashes
$next${last}retry: sh: attempt 3/3 in 20s  last exited 7  NOW
$dashes
"
}
end='out
retry: sh: attempt 3/3 exited 7 after TIME
retry: sh: giving up after 3 attempts in TIME: exited 7
status 7'
streamed="$(screens out yes)
out
$told1
out
$told2
$end"
is 'a wait has a status line, and nothing else has' "$(seen normal)" "$streamed"
for way in $ways; do
	case $way in
	--output=last) want="$(screens '' yes)
$told1
$told2
$end" ;;
	--output=chronic) want="$(screens '' '')
out
$told1
out
$told2
$end" ;;
	*) want=$streamed ;;
	esac
	is "$way: a wait has a status line" "$(seen "way$way")" "$want"
done
like 'a wait of a minute says when it ends and how to end it' \
    "$(cat minute/seen)" '2/2 in 1m(0[0-9]|10)s, at [0-9:]+  .*kill -URG [0-9]+$'
like 'a long one ends at a time of day' "$(cat clock/seen)" \
    "2/2 in 2d, at ($day|$(in_two_days)) [0-9]{2}:[0-9]{2} "
is 'a status line fits the screen, with what matters most' \
    "$(seen narrow | sed '/^retry: sh: attempt 1/d; /^retry: sh: ended/q')" "\
retry: sh: attempt 2/2 in 30s  BAR  last exited 7  NOW
$dashes
sh: attempt 2/2 in 30s  last exited 7
$dashes
attempt 2/2 in TIME
$dashes
retry: sh: ended by"
check 'a name is cut between characters' \
    iconv -f UTF-8 -t UTF-8 foreign/raw -o /dev/null
like 'a name is cut between characters, and a character takes a column' "$(seen foreign)" \
    '^xÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖ: attempt 2/2 in 30s  NOW$'
is 'the status line is gone in the end' "$(seen end)" 'out
retry: sh: attempt 1/2 exited 7 after TIME; next in TIME
out
retry: sh: attempt 2/2 exited 7 after TIME
retry: sh: giving up after 2 attempts in TIME: exited 7
status 7'
out='out
check runs
retry: sh: attempt 1/2 exited 1 after TIME, and --check says retry; next in TIME'
is 'the status line is gone before a check or a gate runs' "$(seen gate)" "$out
retry: sh: attempt 2/2 in 3s  BAR  last exited 1
$dashes
$out
gate runs
$dashes
$out
gate runs
out
check runs
retry: sh: attempt 2/2 exited 1 after TIME
retry: sh: giving up after 2 attempts in TIME: exited 1, and --check says retry
status 1"
for columns in 40 80; do
	is "$columns columns: a line of its own begins after half a line" \
	    "$(seen half$columns | grep -c '^half$\|^retry: sh: ')" 5
	is "$columns columns: a line of its own begins after half a line, and where text is asked for" \
	    "$(seen text$columns | grep -c '^half$\|^retry: sh: ')" 5
done
magenta=$(printf '\033[35m') red=$(printf '\033[31m') green=$(printf '\033[32m')
is 'failures are magenta, giving up is red' \
    "$(grep -acF "${magenta}retry:" end/raw) $(grep -acF "${red}retry:" end/raw)" \
    '2 1'
check 'a success after a failure is green' grep -aqF "${green}retry:" flaky/raw
check 'a success after a failure is green, but not with --color=never' not grep -aq "$(printf '\033')\[[0-9]*m" \
    never/raw
check 'NO_COLOR leaves a success without colour' not grep -aq "$(printf '\033')\[[0-9]*m" plain/raw
like 'NO_COLOR leaves a success without colour, and when ^C ends the wait' "$(sed -n 2p interrupted/seen)" \
    '^retry: false: ended by SIGINT after 1 attempt in '
is 'NO_COLOR leaves a success without colour, and while ^Z stops it' "$(seen stopped | sed '/^---/,$d')" \
    '$ retry -d 30 false
retry: false: attempt 1/5 exited 1 after TIME; next in TIME

[1]+  Stopped                 retry -d 30 false
$'
unlike 'a run in the background has none' "$(cat background/raw)" '2/2 in'
like 'a run in the background has none, but tells the rest' "$(cat background/seen)" 'giving up after 2'
is 'a signal that changes nothing leaves it' \
    "$(seen verbose | grep -A1 USR1 | sed 2q)" 'retry: sh: received SIGUSR1
retry: sh: attempt 2/2 in 30s  last exited 7  NOW'
is 'the status line may be there before the first attempt' "$(seen first)" \
    "retry: true: attempt 1/1 in 3s  BAR
$dashes

status 0"
is 'while output is held, the time of an attempt runs' \
    "$(seen held | sed 's/runs [0-9]*s/runs TIME/')" \
    "retry: sh: attempt 1/1 runs TIME of 1h
$dashes
out
retry: sh: attempt 1/1 killed by SIGINT after TIME
retry: sh: ended by SIGINT after 1 attempt in TIME: killed by SIGINT
status -2"
like 'a terminal comes before GitHub' "$(cat github/seen)" '2/2 in'
like 'the status line has Unicode where the locale has' "$(cat unicode/seen)" '[░█]{8}'
unlike 'the status line has no Unicode where the locale has none' "$(cat normal/seen)" '[^ -~]'

like 'a wait for another run is told' "$(cat locked/seen)" \
    '^retry: true: waiting for another run, which holds state.lock$'
like 'a wait for another run is told, and counted while it lasts' "$(cat locked/raw)" \
    'retry: true: another run has state; waiting [0-9]+s'
is 'after a wait for another run its line is gone' "$(tail -n 2 locked/seen)" \
    "$(printf 'retry: true: waiting for another run, which holds state.lock\nstatus 0')"
is 'quiet leaves the output alone' "$(cat quiet/seen)" 'out
out
status 7'
unlike 'the format text has no status line' "$(cat text/raw)" '2/2 in'
unlike 'nothing is drawn on a terminal of another session' \
    "$(cat apart/raw)" '2/2 in'
unlike 'nothing is drawn on a terminal that CI keeps as a log' \
    "$(cat logged/raw)" '2/2 in'
like 'a terminal that CI keeps as a log has the lines' "$(cat logged/seen)" 'giving up after'
like 'with CI=false there is a status line' "$(cat unlogged/seen)" '2/2 in'
unlike 'a short wait is not worth it' "$(cat short/raw)" '[23]/3 in'
unlike 'a terminal that is dumb gets no sequences' "$(cat dumb/raw)" \
    "$(printf '\033')"
unlike 'a shell in Emacs gets no sequences' "$(cat emacs/raw)" \
    "$(printf '\033')"
unlike 'a shell in Emacs has no status line' "$(cat emacs/raw)" '2/2 in'
unlike 'a terminal that is dumb has no status line' "$(cat dumb/raw)" '2/2 in'
is 'a terminal that is dumb has the lines' "$(seen dumb)" \
    'retry: false: attempt 1/2 exited 1 after TIME; next in TIME
retry: false: attempt 2/2 exited 1 after TIME
retry: false: giving up after 2 attempts in TIME: exited 1
status 1'
like 'input that is replayed is waited for in the background' \
    "$(cat input/seen)" '^typed$'
check 'the time before the foreground, of three seconds, does not count' jq -es '
	[.[0, -1] | .time - .elapsed] | .[1] - .[0] > 2.5' input/log
for name in redirected explicit; do
	check "$name: a file has only text" not grep -q URG $name/err
	check "$name: a file has only text, with the whole story" grep -q giving $name/err
done

grep -ao 'attempt 2/3 in [0-9]*s' normal/raw | uniq -c >counts
check 'the status line is drawn once a second or up to four times' \
    awk '$1 > 5 { exit 1 }' counts

# Output makes turns of the event loop: a line that is held draws nothing.
python3 "$TESTS/lib/terminal.py" 80 -- retry -a 1 --output=failed --fail-match=none \
    sh -c 'sleep 1.1; i=0; while [ $((i += 1)) -le 3000 ]; do echo $i; done' >seen
check 'the status line is drawn when it is due, and not for each line of output' \
    test "$(tr -dc '\r' <raw | wc -c)" -lt 60

finish
