#!/bin/sh
#
# The main job: a server that is down, then overloaded, then well.

# SPDX-License-Identifier: MIT

. lib/harness.sh

python3 "$TESTS/lib/serve.py" >port &
wait_for test -s port

"$RETRY" -a 20 -d 500ms -m 1s -- curl -fsS "http://127.0.0.1:$(cat port)/" \
    >out 2>err &
wait_for grep 'attempt 1/20 exited 7 ' err
echo 503 >answer
mv answer replies
wait $!
is 'the run succeeds' $? 0
is 'the run succeeds, with the page on stdout, once' "$(cat out)" '{"ready": true}'
err=$(cat err)
like 'a refused connection was retried' "$err" '^retry: curl: attempt 1/20 exited 7 '
like 'a status of 503 was retried' "$err" '^retry: curl: attempt [0-9]+/20 exited 22 '
like 'a status of 503 was retried, and the end says so' "$err" '^retry: curl: succeeded at attempt [0-9]+/20 in '
is 'the server saw both requests' "$(wc -l <requests)" 2

finish
