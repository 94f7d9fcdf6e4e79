# SPDX-License-Identifier: MIT
"""terminal.py COLUMNS [PATTERN ACTION]... -- COMMAND...: looks at a terminal.

Runs the command in a terminal of so many columns, into which it writes and
which shows what a screen would. Each time that the screen matches the pattern,
a regular expression, the action is taken:

    type=TEXT   types it; \\n and \\x03 are understood
    wide=N      resizes the terminal
    show        prints the screen, and a line of dashes
    run=COMMAND runs a shell command, which must not fail
    hang        hangs up

At the end it prints the screen and the command's status. All that was written
is left in the file `raw`. After 120 seconds the command is killed."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

ROWS = 24


class Screen:
    """As much of a terminal as the tests need."""

    def __init__(self, columns):
        self.columns = columns
        self.lines = ['']
        self.row = self.column = 0
        self.decoder = codecs.getincrementaldecoder('utf-8')('replace')
        self.rest = ''
        self.folds = True

    def put(self, character):
        if self.column >= self.columns and not self.folds:
            self.column = self.columns - 1
        elif self.column >= self.columns:
            self.newline()
            self.column = 0
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = (line[:self.column] + character +
                                line[self.column + 1:])
        self.column += 1

    def newline(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append('')

    def control(self, sequence):
        if sequence.endswith('J'):
            del self.lines[self.row + 1:]
        if sequence.startswith('\033[?7'):
            self.folds = sequence[-1] == 'h'
        if sequence[-1] in 'JK':
            self.lines[self.row] = self.lines[self.row][:self.column]

    def write(self, data):
        text = self.rest + self.decoder.decode(data)
        self.rest = ''
        while text:
            match = re.match(r'\033\[[0-9;?]*[A-Za-z]', text)
            if match:
                self.control(match.group())
            elif text[0] == '\033':
                self.rest = text
                return
            elif text[0] == '\r':
                self.column = 0
            elif text[0] == '\n':
                self.newline()
            elif text[0] == '\b':
                self.column = max(self.column - 1, 0)
            elif text[0] >= ' ':
                self.put(text[0])
            text = text[match.end() if match else 1:]

    def resize(self, columns):
        self.columns = columns
        self.lines = [line[:columns] for line in self.lines]

    def text(self):
        return '\n'.join(line.rstrip() for line in self.lines).rstrip('\n')


def set_size(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ,
                struct.pack('HHHH', ROWS, columns, 0, 0))


def act(action, screen, terminal):
    name, _, text = action.partition('=')
    if name == 'type':
        os.write(terminal, text.encode().decode('unicode_escape').encode())
    elif name == 'wide':
        screen.resize(int(text))
        set_size(terminal, int(text))
    elif name == 'show':
        print(screen.text(), '-' * 20, sep='\n', flush=True)
    elif name == 'run':
        subprocess.run(text, shell=True, check=True)
    elif name == 'hang':
        os.close(terminal)


def read(terminal):
    """What there is to read, in pieces; None at the end."""
    try:
        if not select.select([terminal], [], [], 0.1)[0]:
            return []
        return re.findall(b'[^\r]*\r|[^\r]+', os.read(terminal, 65536)) or None
    except OSError:     # how Linux says that one of its ends is closed
        return None


def main(words):
    split = words.index('--')
    screen = Screen(int(words[0]))
    steps = list(zip(words[1:split:2], words[2:split:2]))
    pid, terminal = pty.fork()
    if pid == 0:
        set_size(0, screen.columns)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)
        os.execvp(words[split + 1], words[split + 1:])
    end = time.monotonic() + 120
    with open('raw', 'wb') as raw:
        while (pieces := read(terminal)) is not None:
            if time.monotonic() > end:
                os.kill(pid, signal.SIGKILL)
            for piece in pieces:
                raw.write(piece)
                screen.write(piece)
                while steps and re.search(steps[0][0], screen.text(), re.M):
                    act(steps.pop(0)[1], screen, terminal)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.alarm(120)
    print(screen.text())
    if steps:
        # Not the pattern: tests look for it in what is said.
        sys.exit(f'step {(split - 1) // 2 - len(steps) + 1} was awaited in vain')
    print('status', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


main(sys.argv[1:])
