# SPDX-License-Identifier: MIT
"""Runs of retry whose output has each kind of reader.

readers.py MODE...: for each reader and event a line: both, and for each mode the
exit status, or the signal it died of, and how much of the output arrived: "unread"
is "cut", or none of it, if a message says so.
"""

import concurrent.futures
import fcntl
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time

# More than two pipes hold, or a terminal and one, and less than with retry's room.
SIZE = 150000
SIZE_TERMINAL = 120000
MODES = {
    'searched': ['--fail-match=none'],
    'hold': ['--output=hold'],
    'all': ['--output=all'],
    'last': ['--output=last'],
    'failed': ['--output=failed'],
    'chronic': ['--output=chronic'],
}
# What a reader does: bytes at a time, seconds between, and before the second.
READERS = {
    'takes': (65536, 0, 0),
    'slow': (16384, .1, 0),
    'pauses': (65536, 0, 4),
    'sleeps': (0, 0, 0),
    'goes': None,
    'terminal': (4096, 0, 4),
    'socket': (16384, .1, 0),
    'full': None,
}
# Options, how the attempt ends, and the signals that follow its output.
EVENTS = {
    'exit-0': ([], 'exit 0', []),
    'exit-1': ([], 'exit 1', []),
    '-t': (['-t', '3'], 'exit 0', []),
    '-T': (['-T', '3'], 'exit 0', []),
    'idle': (['--idle-timeout=3'], 'exit 0', []),
    'TERM': ([], 'exit 0', ['TERM']),
    'INT': ([], 'exit 0', ['INT']),
    'TERM-TERM': ([], 'exit 0', ['TERM', 'TERM']),
    'STOP-CONT': ([], 'exit 0', ['STOP', 'CONT']),
    'sick': (['--health=test ! -e "$MARK"', '--health-interval=.1'],
             'exec sleep 60', []),
}


def open_output(reader):
    """Returns the ends to read and to write."""
    if reader == 'terminal':
        return pty.openpty()
    if reader == 'socket':
        here, there = socket.socketpair()
        there.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        return here.detach(), there.detach()
    if reader == 'full':
        return -1, os.open('/dev/full', os.O_WRONLY)
    return os.pipe()


def read_all(end, habits, over, got):
    """Reads as this reader does; one that sleeps, what is left in the end."""
    most, pause, first = habits
    if most == 0:
        over.wait(6)
        most = 65536
    while True:
        try:
            part = os.read(end, most)
        except OSError:
            return
        if not part:
            return
        got.append(part.count(b'x'))
        time.sleep(pause + first)
        first = 0


def send(job, names, mark):
    """Sends the signals once the attempt has ended, and whatever it wrote."""
    children = f'/proc/{job.pid}/task/{job.pid}/children'
    while job.poll() is None and not os.path.exists(mark):
        time.sleep(.02)
    while job.poll() is None and open(children).read():
        time.sleep(.02)
    for name in names:
        if job.poll() is None:
            job.send_signal(getattr(signal, 'SIG' + name))
        time.sleep(.1)


def run(mode, reader, event):
    """Runs one cell of the table, and returns what came of it."""
    options, end, signals = EVENTS[event]
    mark = f'{mode} {reader} {event}'
    size = SIZE_TERMINAL if reader == 'terminal' else SIZE
    here, there = open_output(reader)
    job = subprocess.Popen(
        ['retry', '-a', '1', '-k', '.2', *MODES[mode], *options, 'sh', '-c',
         f'yes xxxxxxxxx | head -c {size}; : >"$MARK"; {end}'],
        env={**os.environ, 'MARK': mark},
        stdin=subprocess.DEVNULL, stdout=there, stderr=subprocess.PIPE,
        start_new_session=True)
    os.close(there)
    got, over = [], threading.Event()
    thread = threading.Thread(target=lambda: None)
    if reader == 'goes':
        os.close(here)
    elif reader != 'full':
        thread = threading.Thread(
            target=read_all, args=(here, READERS[reader], over, got))
    thread.start()
    if signals:
        send(job, signals, mark)
    messages = job.stderr.read().decode(errors='replace')
    status = job.wait(60)
    over.set()
    if reader == 'sleeps':
        fcntl.fcntl(here, fcntl.F_SETFL, os.O_NONBLOCK)
    thread.join(60)
    whole = size // 10 * 9
    count = sum(got)
    part = 'all' if count == whole else 'none' if count == 0 else 'cut'
    if 'nobody took the rest' in messages:
        part = 'unread' if part != 'all' else 'all, and says not'
    return f'{status} {part}'


def main():
    """Runs all cells side by side, and prints their lines in order."""
    modes = sys.argv[1:]
    rows = [(reader, event) for reader in READERS for event in EVENTS]
    cells = [(mode, *row) for row in rows for mode in modes]
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        results = pool.map(lambda cell: run(*cell), cells)
        for row in rows:
            print(*row, ', '.join(next(results) for mode in modes), flush=True)


main()
