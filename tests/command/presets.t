#!/bin/sh
#
# --preset: each does as the system that it is named after.

# SPDX-License-Identifier: MIT

. lib/harness.sh

is 'every preset names its source' \
    "$(retry --help=presets | grep '^  [a-z]' | grep -vc ' ([^)]*)$')" 0

# poll
run retry -q --preset=poll -d 1ms sh -c 'test "$RETRY_ATTEMPT" -ge 9'
is 'poll looks as often as it takes' "$code" 0

# highest: the ends of the ranges that waits were drawn from.
highest() {
	sed -n 's/.*"high":\([^,]*\).*/\1/p' | xargs
}

# aws
is 'aws begins with 50 ms and makes three attempts' \
    "$(retry --preset=aws --plan='1*9' --log=json | highest)" '0.05 0.1'
is 'and has a cap of 20 s below the jitter' \
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
is 'also below a meter' "$code $(cat page)" '0 {"ready": true}'
asked '429 Retry-After: 1' retry -q --preset=curl -d 1ms --log=json:log \
    curl -fsS -D /dev/stderr
is 'Retry-After is obeyed where it is seen' "$code $calls" '0 2'
like 'to the second' "$(cat log)" '"delay":1,"hint":1}'
run retry -q --preset=curl -d 1ms -a 3 --log=json:refused \
    curl -fsS http://127.0.0.1:1/
is 'a refused connection is retried' "$code $(grep -c '"wait"' refused)" '7 2'
run retry -q --preset=curl -d 1ms -a 3 --log=json:other \
    curl -fsS nothing://127.0.0.1/
is 'a mistake is not' "$code $(grep -c '"wait"' other)" '1 0'

finish
