#!/bin/sh
#
# --delay-match: a server that says when to come back.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2016 # the attempts' shells expand

. lib/harness.sh

header='^[Rr]etry-[Aa]fter: *(.*)'

# asked TEXT OPTION...: one retry after what says this.
asked() {
	text=$1
	shift
	run retry -v -a 2 -d 0 -j none --delay-match="$header" "$@" \
	    sh -c 'printf "%b\n" "$1"; exit 7' sh "$text"
}

asked 'Retry-After: 0.03'
like 'seconds are waited' "$err" 'next in 30ms .*asked for 30ms'
asked 'retry-after: 40ms\r'
like 'seconds are waited, so is a duration, and the end of a header is no matter' "$err" \
    'asked for 40ms'
asked 'Retry-After: 30ms\nRetry-After: 20ms'
like 'the last match counts' "$err" 'asked for 20ms'
asked 'Retry-After: 30ms' -d 60ms
like 'a hint is a minimum' "$err" 'next in 60ms .*asked for 30ms'
asked 'Retry-After: 20ms' -j 50%
like 'chance makes it longer' "$err" 'range 20ms to 30ms'
asked 'Retry-After: 20ms' -j full
like 'chance makes a hint a fifth longer if the jitter has no ratio' "$err" 'range 20ms to 24ms'
asked 'Retry-After: Sun, 06 Nov 1994 08:49:37 GMT'
like 'a date that has passed is no wait' "$err" 'next at once .*asked for 0s'
asked "Retry-After: $(date -u -d '+ 100 seconds' '+%a, %d %b %Y %T GMT')" -m 1m
is 'a date is a hint as well' "$code" 7
like 'a date is a hint as well, and ends the run if it is too far' "$err" \
    'giving up after 1 attempt .*asked to wait (9[0-9]|100|1m)'
# A point in time, from now on.

# hint TEXT: what retry says of an attempt that says this.
hint() {
	run retry -d 0 -m 57m --delay-match='again at (.*)' \
	    --on-give-up='echo "$TZ" >&2' \
	    sh -c 'echo "again at $1"; exit 7' sh "$1"
}

# soon NAME TEXT: the text asks for some 3600 s.
soon() {
	hint "$2"
	like "$1" "$err" 'asked to wait (5[89]m[0-9]*s?|1h), over the'
}

then=$(($(date +%s) + 3600))
soon 'a hint may be a number of seconds since 1970' "$then"
soon 'a hint may be a date as RFC 3339 has it' "$(date -u -d "@$then" +%FT%TZ)"
soon 'a hint may be a time of day' "$(date -d "@$then" +%H:%M:%S)"
soon 'a hint may name the local time zone' "$(date -d "@$then" '+%T (%Z)')"
soon 'a hint may have another offset' "$(TZ=UTC+5:30 date -d "@$then" '+%H:%M:%S -05:30')"
run retry -a 2 -d 0 --delay-match='wait (.*)' -m 1m -T 20s \
    sh -c 'echo wait 50; exit 1'
like 'a hint beyond the end of the run is told as that' "$err" \
    'asked to wait 50s, longer than --max-time allows$'
run retry -d 60 -b constant -j none -T 10 --delay-match='wait (.*)' \
    --log=auto --log=json:log sh -c 'echo wait 20; exit 1'
like 'a hint is not blamed if the delay itself is as long' "$err" \
    'exited 1, and --max-time 10s leaves no time for attempt 2$'
like 'the reason is max-time if the delay itself is as long as the hint' "$(cat log)" '"reason":"max-time"'
hint '19:00 (Mars/Base)'
like 'a time zone elsewhere is reported' "$err" \
    '19:00 \(Mars/Base\): neither UTC, an offset nor the local time zone'
hint '19:00 +24:00'
like 'an offset that no zone has is reported' "$err" \
    '19:00 \+24:00: neither UTC, an offset nor the local time zone'
(
	TZ=Asia/Kolkata
	export TZ
	hint "$(date -u -d "@$then" '+%T UTC')"
	printf '%s\n' "$err" >zone
)
like 'commands keep their time zone' "$(cat zone)" '^Asia/Kolkata$'
like 'commands keep their time zone, and UTC is not taken for it' "$(cat zone)" \
    'asked to wait (5[89]m[0-9]*s?|1h), over the'

retry -a 2 -d 2h -j none --delay-match="$header" --log=json:longer \
    sh -c 'echo Retry-After: 1h30m; exit 7' >/dev/null &
wait_for grep -q '"wait"' longer
kill $!
wait $!
like 'a hint that is shorter than the own delay does not end the run' \
    "$(cat longer)" '"delay":7200,"hint":5400'

asked 'Retry-After: 3601' --log=auto --log=json:ended
like 'an hour is the most' "$err" 'giving up after 1 attempt .* over the 1h limit'
like 'the log tells the hint that ended the run' "$(cat ended)" \
    '"reason":"hint",.*"hint":3601'
asked 'Retry-After: 99999999999999999999'
like 'a hint of any length is over the limit' "$err" 'giving up after 1 attempt .*over the 1h limit'
asked 'Retry-After: 20' -T 10s
like 'no hint goes beyond the limit on the run' "$err" \
    'giving up after 1 attempt .*asked to wait 20s'
asked 'Retry-After: soon\001'
like 'a hint that cannot be read is reported without its control characters' "$err" \
    '^retry: sh: --delay-match: soon\\\^A: '
is 'a hint that cannot be read is told once and ignored' "$code:$(printf '%s\n' "$err" |
    grep -c '^retry: sh: --delay-match')" 7:1
run retry -v -a 1 -d 0 -j none --free-on=transient --delay-match="$header" \
    sh -c '[ "$RETRY_ATTEMPT" -gt 2 ] || echo Retry-After: 20ms; exit 7'
is 'attempts that gave a hint may use up none' \
    "$(printf '%s\n' "$err" | grep -c 'asked for 20ms')" 2
like 'attempts that gave a hint may use up none, so that the others have them all' "$err" 'giving up after 3 attempts'
run retry -a 3 -d 0 --retry-on=transient --delay-match='in ([0-9]+)' \
    sh -c '[ "$RETRY_ATTEMPT" -gt 1 ] || echo in 0; exit 7'
like 'a hint of no time is one' "$err" 'attempt 2/3 exited 7'
unlike 'a hint of no time is one, and no failure without a hint is' "$err" 'attempt 3/3'
run retry -q -a 2 -d 0 --delay-match='in (x)?|never' sh -c 'echo never; exit 7'
is 'a group that matched nothing is no hint' "$code:$err" 7:

# The example of the manual, with a server that is real.
example=$(sed -n 's/^\.Dl \(retry .*delay.*\)/\1/p' "$TESTS/../man/retry-delays.7" |
    sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\(ha/^/g")
like 'the manual has an example' "$example" '^retry --delay-match='
if have "its example: the page comes in the end" curl python3; then
	printf '%s\n' '429 Retry-After: 1' '503 Retry-After: date+1' >replies
	python3 "$TESTS/lib/serve.py" >port &
	wait_for test -s port
	text=$(printf '%s' "$example" | sed "s|URL|http://127.0.0.1:$(
	    cat port)/|; s/^retry/retry -v -d 1ms/")
	run sh -c "$text"
	is "its example: the page comes in the end" "$code" 0
	like 'the example waits a second that was asked for' "$err" 'asked for 1s'
	is 'the example waits for a second and until a date' "$(printf '%s\n' "$err" | grep -c 'asked for')" 2
fi

finish
