# SPDX-License-Identifier: MIT
"""hang.py FOLDER HANGS COMMAND...: a file system that stops answering.

Mounts a folder in which are the files "in" and "program", an executable script,
$PROGRAM; call it in a mount namespace of its own. Runs the command, and answers
the kernel until there is a file HANGS; from then on nothing is answered, and what
waits for it cannot even be killed. Exits as the command does, or 99 if that does
not end: what waits then fails."""

import ctypes
import errno
import os
import select
import struct
import subprocess
import sys
import time

LIMIT = 90
LOOKUP, GETATTR, OPEN, READ, RELEASE, INIT, OPENDIR, RELEASEDIR = (
    1, 3, 14, 15, 18, 26, 27, 29)
SILENT = (2, 36, 42)   # nobody waits for an answer
FILES = [None, None, b'line\n', os.fsencode(os.environ['PROGRAM'])]
NAMES = {b'in\0': 2, b'program\0': 3}

folder, hangs, *command = sys.argv[1:]
device = os.open('/dev/fuse', os.O_RDWR | os.O_NONBLOCK)
options = f'fd={device},rootmode=40755,user_id=0,group_id=0,allow_other'
if ctypes.CDLL(None, use_errno=True).mount(
        b'hang', os.fsencode(folder), b'fuse.hang', 0, options.encode()) == -1:
    sys.exit(os.strerror(ctypes.get_errno()))
process = subprocess.Popen(command)


def attributes(number):
    data = FILES[number]
    mode = 0o40755 if data is None else 0o100755
    return struct.pack('<6Q10I', number, len(data or b''), 0, 0, 0, 0,
                       0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(code, node, body):
    """What the kernel wants to know, or None for an error."""
    if code == LOOKUP and body in NAMES:
        number = NAMES[body]
        return struct.pack('<4Q2I', number, 0, 0, 0, 0, 0) + attributes(number)
    if code == GETATTR:
        return bytes(16) + attributes(node)
    if code in (OPEN, OPENDIR):
        return bytes(16)
    if code == READ:
        _, offset, size = struct.unpack_from('<2QI', body)
        return FILES[node][offset:offset + size]
    if code in (RELEASE, RELEASEDIR):
        return b''
    if code == INIT:
        return struct.pack('<4I2HI', 7, 31, 0, 0, 8, 6, 65536) + bytes(40)
    return None


end = time.monotonic() + LIMIT
while process.poll() is None:
    if time.monotonic() > end:
        os._exit(99)
    if not select.select([device], [], [], .05)[0]:
        continue
    try:
        request = os.read(device, 1 << 18)
    except (BlockingIOError, FileNotFoundError):
        continue    # the process that asked was killed meanwhile
    _, code, unique, node = struct.unpack_from('<2I2Q', request)
    if code in SILENT or os.path.exists(hangs):
        continue
    data = answer(code, node, request[40:])
    error = 0 if data is not None else (
        errno.ENOENT if code == LOOKUP else errno.ENOSYS)
    os.write(device, struct.pack('<IiQ', 16 + len(data or b''), -error,
                                 unique) + (data or b''))
sys.exit(process.returncode)
