# SPDX-License-Identifier: MIT
"""serve.py: an HTTP server on a free port, which it prints, and a proxy for http.

It refuses connections until the file "replies" is there. Each request takes a line
of it, the status of its answer and maybe a header, "503 Retry-After: 7"; a value
"time+7" is 7 seconds from now, "date+7" is that as a date. If there is no line
the status is 200. The answer is {"ready": true}, or false if there was a line.
The method and the body of each request are put into the file "requests"."""

import email.utils
import http.server
import os
import time


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        with open('requests', 'a') as requests:
            print(self.command, body.decode().strip(), file=requests)
        lines = open('replies').read().split('\n')
        lines = [line for line in lines if line]
        with open('replies', 'w') as rest:
            print(*lines[1:], sep='\n', end='', file=rest)
        status, _, header = (lines or ['200'])[0].partition(' ')
        name, _, value = header.partition(': ')
        kind, _, seconds = value.partition('+')
        if kind == 'time':
            value = int(time.time()) + int(seconds)
        elif kind == 'date':
            value = email.utils.formatdate(time.time() + int(seconds),
                                           usegmt=True)
        answer = b'{"ready": %s}\n' % (b'false' if lines else b'true')
        self.send_response(int(status))
        if name:
            self.send_header(name, value)
        self.send_header('Content-Length', len(answer))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_GET

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler, False)
server.server_bind()
print(server.server_address[1], flush=True)
while not os.path.exists('replies'):
    time.sleep(0.01)
server.server_activate()
server.serve_forever()
