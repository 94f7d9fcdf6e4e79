# SPDX-License-Identifier: MIT
"""listen.py SOCKET COMMAND...: what the command tells a service manager.

SOCKET is a path or, with @ before it, an abstract name. With "full:" before it
the queue is full, for good; with "late:" until there is a file named "room". Runs
the command with $NOTIFY_SOCKET, and prints each datagram, its source's pid ("own"
if that is the command's) and the number of its descriptors, if there are any,
which are closed. Exits as the command does."""

import os
import select
import socket
import struct
import subprocess
import sys

kind, _, name = sys.argv[1].rpartition(':')
address = '\0' + name[1:] if name[0] == '@' else os.path.abspath(name)
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
server.bind(address)
server.setblocking(False)
if kind:
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


def hear():
    """Prints what there is."""
    while True:
        try:
            data, rights, _, _ = server.recvmsg(8192, 2048)
        except BlockingIOError:
            break
        count, pid = 0, 0
        for _, what, value in rights:
            if what == socket.SCM_CREDENTIALS:
                pid = struct.unpack('iii', value)[0]
            else:
                for descriptor in struct.unpack(f'{len(value) // 4}i', value):
                    os.close(descriptor)
                    count += 1
        if data != b'full':
            print('own' if pid == process.pid else pid,
                  data.decode(), *([f'[{count}]'] if count else []),
                  flush=True)


while (status := process.poll()) is None:
    reads = not kind or kind == 'late' and os.path.exists('room')
    select.select([server] if reads else [], [], [], .02)
    if reads:
        hear()
hear()
sys.exit(status)
