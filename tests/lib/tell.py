# SPDX-License-Identifier: MIT
"""tell.py [MESSAGE|+COUNT|BARRIER]...: tells a service manager.

Sends each message to $NOTIFY_SOCKET, with \\n for a line's end, \\0 for NUL and
{N} for N bytes. +COUNT gives the next message so many descriptors, and BARRIER
waits until the manager has closed one that comes with BARRIER=1."""

import os
import re
import select
import socket
import sys

name = os.environ['NOTIFY_SOCKET']
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.connect('\0' + name[1:] if name[0] == '@' else name)
descriptors = []
for word in sys.argv[1:]:
    if word == 'BARRIER':
        ours, theirs = os.pipe()
        socket.send_fds(manager, [b'BARRIER=1'], [theirs])
        os.close(theirs)
        if not select.select([ours], [], [], 20)[0]:
            sys.exit('the barrier stands')
    elif re.fullmatch(r'\+\d+', word):
        descriptors = [0] * int(word)
    else:
        text = re.sub(r'\{(\d+)\}', lambda m: 'x' * int(m[1]), word)
        text = text.replace('\\n', '\n').replace('\\0', '\0')
        socket.send_fds(manager, [os.fsencode(text)], descriptors)
        descriptors = []
