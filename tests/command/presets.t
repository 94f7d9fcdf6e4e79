#!/bin/sh
#
# --preset: each does as the system that it is named after.

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
throttled='An error occurred (ThrottlingException) when calling the x operation'
is 'a throttled attempt costs up to a second' "$(retry --preset=aws -a 2 \
    --log=json:- sh -c "echo '$throttled' >&2; exit 254" 2>/dev/null |
    highest)" 1

# curl
if ! command -v curl >/dev/null || ! command -v python3 >/dev/null; then
	skip 'curl retries as curl does' 'curl or python3 is not installed'
	finish
fi
# The first answer to /NAME/503/... has status 503, each later one 200.
cat >server.py <<'END'
import http.server

class Handler(http.server.BaseHTTPRequestHandler):
    seen = set()

    def do_GET(self):
        with open('requests', 'a') as file:
            print(self.path, file=file)
        first = self.path not in Handler.seen
        Handler.seen.add(self.path)
        self.send_response(int(self.path.split('/')[2]) if first else 200)
        if first and self.path.endswith('/later'):
            self.send_header('Retry-After', '1')
        self.send_header('Content-Length', 5)
        self.end_headers()
        self.wfile.write(b'page\n')

    def log_message(self, *_):
        pass

server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
END
python3 server.py >port &
wait_for test -s port
server=http://127.0.0.1:$(cat port)

# requests NAME: how many there were of that name.
requests() {
	grep -c "^/$1/" requests
}

export CURL_HOME="$T"
for status in 400 401 403 404 408 410 429 500 501 502 503 504 505; do
	curl -fsS --retry 1 --retry-connrefused --retry-delay 1 \
	    "$server/curl/$status/" >want 2>/dev/null &
	run retry -q --preset=curl -d 1ms curl -fsS "$server/retry/$status/"
	wait $!
	curl_code=$?
	is "curl: $status is retried as by curl" \
	    "$code after $(requests "retry/$status"), $out" \
	    "$curl_code after $(requests "curl/$status"), $(cat want)"
done
for status in 522 524; do
	run retry -q --preset=curl -d 1ms curl -fsS "$server/new/$status/"
	is "curl: so is $status, as by a new curl" "$code" 0
done
run retry --preset=curl -d 1ms curl -fSo page "$server/meter/503/"
is 'also below a meter' "$code $(cat page)" '0 page'
run retry -q --preset=curl -d 1ms --log=json:log \
    curl -fsS -D /dev/stderr "$server/hint/429/later"
is 'Retry-After is obeyed where it is seen' "$code $(requests hint)" '0 2'
like 'to the second' "$(cat log)" '"delay":1,"hint":1}'
run retry -q --preset=curl -d 1ms -a 3 --log=json:refused \
    curl -fsS http://127.0.0.1:1/
is 'a refused connection is retried' "$code $(grep -c '"wait"' refused)" '7 2'
run retry -q --preset=curl -d 1ms -a 3 --log=json:other \
    curl -fsS nothing://127.0.0.1/
is 'a mistake is not' "$code $(grep -c '"wait"' other)" '1 0'

finish
