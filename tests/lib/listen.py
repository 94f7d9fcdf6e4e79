# SPDX-License-Identifier: MIT
"""listen.py SOCKET COMMAND...: what the command tells a service manager.

SOCKET is a path or, with @ before it, an abstract name, or either with "full:"
before it: then the queue is full. Runs the command with $NOTIFY_SOCKET, and
prints each datagram and its source's pid, "own" where that is the command's.
Exits as the command does."""

import os
import socket
import struct
import subprocess
import sys

name = sys.argv[1]
full = name.startswith('full:')
name = name.removeprefix('full:')
address = '\0' + name[1:] if name[0] == '@' else os.path.abspath(name)
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
server.bind(address)
if full:
    client = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    client.setblocking(False)
    client.connect(address)
    try:
        while True:
            client.send(b'full')
    except BlockingIOError:
        pass
os.environ['NOTIFY_SOCKET'] = name if name[0] == '@' else address
process = subprocess.Popen(sys.argv[2:])
status = process.wait()
server.setblocking(False)
while True:
    try:
        data, rights, _, _ = server.recvmsg(4096, socket.CMSG_SPACE(12))
    except BlockingIOError:
        break
    pid = struct.unpack('iii', rights[0][2])[0]
    if data != b'full':
        print('own' if pid == process.pid else pid, data.decode())
sys.exit(status)
