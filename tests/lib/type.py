# SPDX-License-Identifier: MIT
"""type.py DUMP SHELL...: types at a shell in a terminal.

Types each line of stdin, a tab and ^Xd, which the shell has been told to bind
to a command that adds the line, as it then is, to the file DUMP, and empties
it. Shows those lines."""

import os
import pty
import select
import sys
import time

dump, shell = sys.argv[1], sys.argv[2:]
lines = sys.stdin.read().splitlines()
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(shell[0], shell)


def dumped():
    try:
        with open(dump, encoding='utf-8') as file:
            return file.read().split('\n')[:-1]
    except FileNotFoundError:
        return []


def settle(happened, seconds):
    """Reads what the shell says until that has happened."""
    end = time.monotonic() + seconds
    while not happened() and time.monotonic() < end:
        if select.select([terminal], [], [], 0.01)[0]:
            os.read(terminal, 65536)
    return happened()


# Until it listens. It may have heard some words before, and answers in turn.
for number in range(60):
    word = f'ready{number}'
    os.write(terminal, word.encode() + b'\x18d')
    if settle(lambda: any(line.endswith(word) for line in dumped()), 0.5):
        break
start = len(dumped())
for number, line in enumerate(lines, 1):
    os.write(terminal, line.encode() + b'\t\x18d')
    if not settle(lambda: len(dumped()) >= start + number, 20):
        sys.exit(f'{shell[0]} does not answer to {line!r}')
print(*dumped()[start:], sep='\n')
os.kill(pid, 9)
