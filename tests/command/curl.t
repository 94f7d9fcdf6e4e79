#!/bin/sh
#
# The main job: a server that is down, then overloaded, then well.

. lib/harness.sh

# The port is bound, but refuses connections until a line comes in.
cat >server.py <<'END'
import http.server, socketserver, sys

class Handler(http.server.BaseHTTPRequestHandler):
    well = False

    def do_GET(self):
        self.send_response(200 if Handler.well else 503)
        self.end_headers()
        self.wfile.write(b'the page\n' if Handler.well else b'overloaded\n')
        Handler.well = True

    def log_message(self, *_):
        pass

server = socketserver.TCPServer(('127.0.0.1', 0), Handler, False)
server.server_bind()
print(server.server_address[1], flush=True)
sys.stdin.readline()
server.server_activate()
server.handle_request()
server.handle_request()
END
mkfifo go
python3 server.py <go >port &
server=$!
exec 3>go
wait_for test -s port

"$RETRY" -a 5 -d 500ms -- curl -fsS "http://127.0.0.1:$(cat port)/" \
    >out 2>err &
wait_for grep 'attempt 1/5 exited 7 ' err
echo listen >&3
wait $!
is 'the run succeeds' $? 0
is 'with the page on stdout, once' "$(cat out)" 'the page'
err=$(cat err)
like 'a refused connection was retried' "$err" '^retry: curl: attempt 1/5 exited 7 '
like 'a status of 503 was retried' "$err" '^retry: curl: attempt [234]/5 exited 22 '
like 'and the end says so' "$err" '^retry: curl: succeeded at attempt [345]/5 in '
wait "$server"
is 'the server saw both requests' $? 0

finish
