# SPDX-License-Identifier: MIT
"""What the recorders share: NAME/record here records how NAME fails.

A recorder, tests/data/failures/NAME/record [-o FOLDER], runs its tool, if that is
installed, against servers on 127.0.0.1 that refuse, reset, stall, answer with an
HTTP error or send half of what they promised, and in ways that no retry mends:
wrong usage, a missing package, a conflict, an error of the compiler.  Nothing else
than 127.0.0.1 is asked.

FOLDER, by default this one, gets TOOL/retry/NAME for what is worth a retry and
TOOL/stop/NAME for what is not.  A failure that proves nothing is moved by hand to
TOOL/unknown, and stays there when it is recorded anew.  The first line of a file says

        status N; VERSION; WHAT HAPPENED

and the rest is what the tool wrote to standard output and standard error, in the
order in which it wrote it, without the list of its options and the lines of source
that a traceback shows: their authors license these.  What could not be run has the
address of a public thread instead of a version, and is not recorded anew; there the
names of hosts are changed to those of the domain example.org.

$NPM, $PIP and so on name another program than the one in PATH, to record one more
version; $SUFFIX is then added to the names of files:

        NPM='node npm-6/bin/npm-cli.js' SUFFIX=-6 npm/record

A tool may need what its name does not say: ssh needs sshd, go needs git, docker and
its like need no daemon.  podman and buildah want root.
"""

import base64
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import socket
import socketserver
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

# --- servers ---

REASONS = {401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found',
           408: 'Request Timeout', 429: 'Too Many Requests',
           500: 'Internal Server Error', 502: 'Bad Gateway',
           503: 'Service Unavailable', 504: 'Gateway Timeout'}


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                          struct.pack('ii', 1, 0))
    connection.close()


class Raw:
    """A server that does not speak HTTP: `speak` is given the connection."""

    def __init__(self, speak):
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    speak(self.request)
                except OSError:
                    pass

        class Threads(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 100

            def handle_error(self, *_):
                pass

        self.server = Threads(('127.0.0.1', 0), Handler)
        self.port = self.server.server_address[1]
        self.url = 'http://127.0.0.1:%d' % self.port
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()


class Server(Raw):
    """Answers each request by what `answer` says of its path: a status, a
    tuple of status, body and headers, or the name of a fault."""

    def __init__(self, answer):
        self.answer = answer
        super().__init__(self.speak)

    def speak(self, connection):
        while self.serve(connection):
            pass

    def serve(self, connection):
        data = b''
        while b'\r\n\r\n' not in data:
            more = connection.recv(65536)
            if not more:
                return False
            data += more
        lines = data.split(b'\r\n')
        method, path = lines[0].decode('latin-1').split()[:2]
        reply = self.answer(path)
        if reply == 'reset':
            reset(connection)
            return False
        if reply == 'stall':
            time.sleep(300)
            return False
        if reply == 'close':
            return False
        fault = None
        if isinstance(reply, tuple) and reply[0] in ('half', 'half-reset',
                                                     'half-stall'):
            fault, body = reply[:2]
            reply = (200, body, *reply[2:])
        if reply in ('half', 'half-reset', 'half-stall'):
            fault = reply
            reply = (200, b'x' * 64)
        if isinstance(reply, int):
            reply = (reply, (REASONS.get(reply, '') + '\n').encode())
        status, body = reply[:2]
        headers = dict(reply[2]) if len(reply) > 2 else {}
        headers.setdefault('Content-Type', 'text/plain')
        head = 'HTTP/1.1 %d %s\r\nContent-Length: %d\r\n' % (
            status, REASONS.get(status, 'OK'), len(body))
        head += ''.join('%s: %s\r\n' % item for item in headers.items())
        connection.sendall(head.encode() + b'\r\n')
        if method == 'HEAD':
            return True
        if fault is None:
            connection.sendall(body)
            return True
        connection.sendall(body[:len(body) // 2])
        time.sleep(0.3)
        if fault == 'half-stall':
            time.sleep(300)
        if fault == 'half-reset':
            reset(connection)
        return False


def closed_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Refused:
    def __init__(self):
        self.port = closed_port()
        self.url = 'http://127.0.0.1:%d' % self.port


def always(reply):
    return Server(lambda path: reply)


# Faults of a server that may be gone the next time.
PASSING = ['reset', 'close', 'stall', 'half', 'half-reset', 429, 500, 502, 503,
           504]
# Answers that stay as they are.
LASTING = [401, 403, 404]

# --- recording ---

folder = os.path.dirname(os.path.abspath(__file__))
if sys.argv[1:2] == ['-o']:
    folder = sys.argv[2]
suffix = os.environ.get('SUFFIX', '')


HELP = re.compile(rb'(npm (error|ERR!))? *\[?--?[a-zA-Z?]')
HELP_GOES_ON = re.compile(rb'((npm (error|ERR!))? *$|(npm (error|ERR!))? {3})')


def leave_out(text):
    """Without what is more than a message: the list of options that follows a
    usage, and the lines of source in tracebacks of Python and node."""
    kept = []
    usage = options = source = node = False
    for line in text.splitlines(keepends=True):
        bare = line.rstrip()
        source = source and line.startswith(b'    ')
        options = usage and bool(HELP.match(bare)) or (
            options and bool(HELP_GOES_ON.match(bare)))
        node = node and bool(bare)
        if re.match(rb'[a-z-]+ \[-', line):
            continue
        if not source and not options and not node:
            kept.append(line)
        if re.match(rb'/.*\.js:[0-9]+$', bare):
            node = True
        if re.match(rb'  File ".*", line ', line):
            source = True
        if re.match(rb'(npm (error|ERR!) )?usage:', line, re.I):
            usage = True
    return b''.join(kept)


class Tool:
    def __init__(self, name, program=None, version='--version'):
        self.name = name
        program = program or name
        words = os.environ.get(program.upper(), program)
        self.words = shlex.split(words)
        self.found = shutil.which(self.words[0]) is not None
        self.version = ''
        if self.found:
            text = subprocess.run(self.words + version.split(),
                                  capture_output=True, text=True, check=False)
            lines = [line.strip() for line in (
                text.stdout or text.stderr).split('\n')
                if any(c.isdigit() for c in line)] or ['']
            self.version = lines[0].split(' (')[0][:60]
            if not self.version.startswith(program):
                self.version = '%s %s' % (program, self.version)
        else:
            print('%s is not here' % program, file=sys.stderr)

    def record(self, kind, name, what, words, cwd=None, env=None, limit=90,
               shell=False):
        """Runs the tool with these words, and writes down how it failed."""
        if not self.found:
            return
        home = tempfile.mkdtemp(prefix='record')
        environment = {
            'HOME': home, 'LC_ALL': 'C', 'TERM': 'dumb', 'TMPDIR': home,
            'PATH': os.environ['PATH'], 'GIT_TERMINAL_PROMPT': '0',
            'DEBIAN_FRONTEND': 'noninteractive',
            'npm_config_update_notifier': 'false',
            'npm_config_registry': 'http://127.0.0.1:1/'}
        for kept, usual in (('RUSTUP_HOME', '.rustup'), ('JAVA_HOME', '')):
            usual = os.path.join(os.environ.get('HOME', '/'), usual)
            if kept in os.environ or os.path.exists(usual) and usual[-1] != '/':
                environment[kept] = os.environ.get(kept, usual)
        environment.update(env or {})
        command = words if shell else self.words + list(words)
        try:
            run = subprocess.run(command, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, cwd=cwd or home,
                                 env=environment, timeout=limit, check=False,
                                 shell=shell)
        except subprocess.TimeoutExpired as late:
            print('%s/%s/%s: takes too long: %r' % (self.name, kind, name,
                  (late.output or b'')[-300:]), file=sys.stderr)
            return
        finally:
            shutil.rmtree(home, ignore_errors=True)
        if run.returncode <= 0:
            print('%s/%s/%s: status %d: %r' % (self.name, kind, name,
                  run.returncode, run.stdout[-300:]), file=sys.stderr)
            return
        path = os.path.join(folder, self.name, 'unknown')
        if not os.path.exists(os.path.join(path, name)):
            path = os.path.join(folder, self.name, kind)
        os.makedirs(path, exist_ok=True)
        text = run.stdout.replace(home.encode(), b'/home/user')
        if cwd:
            text = text.replace(cwd.encode(), b'/home/user/work')
        # Where this machine keeps things is nobody's business.
        text = re.sub(rb'/tmp/record[a-z0-9_]+', b'/home/user/work', text)
        for word in self.words:
            place = os.path.dirname(os.path.dirname(word))
            if place not in ('', '/', '/usr'):
                text = text.replace(place.encode(),
                                    b'/usr/lib/node_modules/npm')
        with open(os.path.join(path, name + suffix), 'wb') as file:
            file.write(('status %d; %s; %s\n' % (
                run.returncode, self.version, what)).encode())
            file.write(leave_out(text))


def make_folder(**files):
    path = tempfile.mkdtemp(prefix='record')
    for name, text in files.items():
        name = name.replace('__', '/').replace('_dot_', '.')
        os.makedirs(os.path.dirname(os.path.join(path, name)), exist_ok=True)
        with open(os.path.join(path, name), 'w') as file:
            file.write(text)
    return path


def put(path, name, text):
    full = os.path.join(path, name)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, 'wb' if isinstance(text, bytes) else 'w') as file:
        file.write(text)


def tarball(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w:gz') as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            info.mode = 0o755
            archive.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def npm_registry(stage, reply):
    """A registry that fails at a stage: metadata or tarball."""
    box = {}
    packages = {
        'left': {'1.0.0': {}},
        'peer': {'1.0.0': {'peerDependencies': {'left': '^2.0.0'}}},
    }
    archive = tarball({'package/package.json':
                       '{"name": "left", "version": "1.0.0"}'})

    def answer(path):
        name = path.split('?')[0].strip('/')
        if path.endswith('.tgz'):
            if stage == 'tarball':
                return ((reply, archive) if str(reply).startswith('half')
                        else reply)
            return (200, archive, {'Content-Type': 'application/octet-stream'})
        if stage == 'metadata' and name == 'left':
            return reply
        if name.startswith('-/'):
            return (200, b'{}', {'Content-Type': 'application/json'})
        if name not in packages:
            return (404, b'{"error":"Not found"}',
                    {'Content-Type': 'application/json'})
        versions = {}
        for number, more in packages[name].items():
            versions[number] = dict(more, name=name, version=number, dist={
                'tarball': '%s/%s/-/%s-%s.tgz' % (box['url'], name, name,
                                                  number),
                'shasum': hashlib.sha1(archive).hexdigest(),
                'integrity': 'sha512-' + base64.b64encode(
                    hashlib.sha512(archive).digest()).decode()})
        body = json.dumps({'name': name, 'versions': versions,
                           'dist-tags': {'latest': '1.0.0'}})
        if stage == 'part' and name == 'left':
            return ('half', body.encode())
        return (200, body.encode(), {'Content-Type': 'application/json'})

    server = Server(answer)
    box['url'] = server.url
    return server
