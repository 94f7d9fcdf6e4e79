# SPDX-License-Identifier: MIT
"""signals.py PLACE: sends each signal to a retry at each moment of a run.

Prints a line for each moment: its name, the number of its pairs, and how those
ended that did not end as they should. PLACE is where retry runs:

    terminal  it leads the session of a terminal
    job       a shell's job on a terminal, in a group of its own
    session   it leads a session without a terminal
    first     process 1 of a PID namespace"""

import fcntl
import os
import signal
import sys
import termios

PLACE = sys.argv[1]
ON_TERMINAL = PLACE in ('terminal', 'job')


def number_of(name):
    if name.startswith('RTMIN+'):
        return 34 + int(name[6:])   # of the kernel, whatever libc says
    return getattr(signal, 'SIG' + name)


def enter(words):
    """Becomes retry in its place, or the shell of a job."""
    os.setsid()
    if ON_TERMINAL:
        master, slave = os.openpty()
        os.set_inheritable(master, True)
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    if PLACE == 'job':
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        if (pid := os.fork()) != 0:
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            sys.exit(status if status >= 0 else 128 - status)
        os.setpgid(0, 0)
        os.tcsetpgrp(slave, os.getpgrp())
    for name in ('INT', 'QUIT', 'PIPE', 'XFSZ', 'TTOU'):
        signal.signal(number_of(name), signal.SIG_DFL)
    with open('pid', 'w') as file:
        file.write(f'{os.getpid()}\n')
    if PLACE == 'first':
        words = ['unshare', '--pid', '--fork', '--mount-proc'] + (
            [] if os.geteuid() == 0 else ['--user', '--map-root-user']) + words
    os.execvp(words[0], words)


if len(sys.argv) > 2:
    enter(sys.argv[2:])

# Not before, since each retry would wait for them.
import concurrent.futures   # noqa: E402
import pathlib              # noqa: E402
import subprocess           # noqa: E402
import tempfile             # noqa: E402
import time                 # noqa: E402

RETRY = os.environ['RETRY']
LIMIT = 60

# A hook that waits, and one that must not run after a signal.
WAITS = 'echo ready >ready; until [ -e go ]; do sleep .02; done; echo >>hooked'
NEVER = '--on-give-up=echo >>hooked'

# What an attempt does with signal %d: it needs a while, and then exits 3; the
# second attempt succeeds.
DRAINS = '''
    trap 'sleep .05; exit 3' %d
    [ $RETRY_ATTEMPT = 2 ] && exit 0
    echo $$ >ready
    {stop}
    while :; do sleep .02; done'''
FAILS = 'exit $((2 - RETRY_ATTEMPT))'

# By moment: options, the script of the attempt, and how the run ends by a
# signal that ends it and after another one, as status and number of attempts.
DIES = None     # of the signal
MOMENTS = {
    'wait': (['-d', '100d', NEVER], FAILS, (DIES, 1), (0, 2)),
    'splay': (['--splay=100d', '--seed=1', NEVER], 'exit 0',
              (DIES, 0), (0, 1)),
    'gate': (['-d', '0', '--before-retry=' + WAITS, NEVER], FAILS,
             (DIES, 1), (0, 2)),
    'check': (['--check=' + WAITS, NEVER], 'exit 6', (DIES, 1), (0, 1)),
    'attempt': (['-d', '0', NEVER], DRAINS.format(stop=''), (3, 1), (0, 2)),
    'stopped': (['-d', '0', NEVER], DRAINS.format(stop='kill -STOP $$'),
                (3, 1), (0, 2)),
    'hook': (['-a', '1', '--on-give-up=' + WAITS], 'exit 7', (7, 1), (7, 1)),
    'delivery': (['--output=last', NEVER], 'seq 300000', (DIES, 1), (0, 1)),
}

# The signal, whether it is that of --signal, and whether it ends the run.
SIGNALS = [(name, False, True) for name in ('TERM', 'INT', 'QUIT', 'ABRT')]
SIGNALS += [(name, True, True) for name in ('USR1', 'WINCH', 'RTMIN+3', 'HUP')]
SIGNALS += [('HUP', False, ON_TERMINAL)]
SIGNALS += [(name, False, False) for name in
            ('USR1', 'USR2', 'WINCH', 'RTMIN+3', 'ALRM', 'PIPE', 'XCPU')]


def read(path):
    try:
        return path.read_text()
    except FileNotFoundError:
        return ''


class Run:
    """A run of retry in a folder of its own."""

    def __init__(self, folder, moment, script, options):
        self.folder = pathlib.Path(folder)
        self.moment = moment
        self.end = time.monotonic() + LIMIT
        words = [RETRY, '--log=json:log'] + options + ['sh', '-c', script]
        with open(self.folder / 'err', 'w') as errors:
            self.child = subprocess.Popen(
                [sys.executable, '-IS', __file__, PLACE] + words, cwd=folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=errors)
        self.await_true(lambda: read(self.folder / 'pid').endswith('\n'))
        self.pid = int(read(self.folder / 'pid'))
        if PLACE == 'first':
            children = pathlib.Path(
                f'/proc/{self.pid}/task/{self.pid}/children')
            self.await_true(lambda: read(children))
            self.pid = int(read(children))

    def await_true(self, condition):
        while not condition():
            if time.monotonic() > self.end or self.child.poll() is not None:
                raise TimeoutError
            time.sleep(.005)

    def is_ready(self):
        if self.moment in ('wait', 'splay'):
            return '"event":"wait"' in read(self.folder / 'log')
        if self.moment == 'delivery':
            size = fcntl.ioctl(self.child.stdout, termios.FIONREAD, b'\0' * 4)
            return int.from_bytes(size, sys.byteorder) > 0
        ready = read(self.folder / 'ready')
        if self.moment == 'stopped':
            return ready.endswith('\n') and '\nState:\tT' in self.status()
        return ready.endswith('\n')

    def status(self):
        """What /proc says of the attempt, the one child of retry."""
        pid = read(pathlib.Path(f'/proc/{self.pid}/task/{self.pid}/children'))
        return read(pathlib.Path(f'/proc/{pid.split()[0]}/status'))

    def events(self, name):
        return read(self.folder / 'log').count(f'"event":"{name}"')

    def go_on(self):
        """Whatever the run was doing at the moment ends by itself."""
        self.await_true(lambda: self.events('signal') or self.moment == 'hook')
        if self.moment in ('wait', 'splay'):
            os.kill(self.pid, signal.SIGURG)
        elif self.moment == 'stopped':
            os.kill(self.pid, signal.SIGCONT)
        (self.folder / 'go').touch()

    def result(self):
        try:
            self.child.communicate(
                timeout=max(self.end - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            os.kill(self.pid, signal.SIGKILL)
            self.child.wait()
            return 'hangs'
        code = self.child.returncode
        return code if code >= 0 else 128 - code


def try_pair(moment, name, asks, ends):
    options, script, when_ended, when_not = MOMENTS[moment]
    number = number_of(name)
    want, attempts = when_ended if ends else when_not
    if want is DIES:
        want = 128 + number
    hooked = {'hook': not ends, 'gate': not ends, 'check': not ends}
    with tempfile.TemporaryDirectory(dir='.') as folder:
        if '%d' in script:
            script %= number
        run = Run(folder, moment, script,
                  options + (['-s', name] if asks else []))
        try:
            run.await_true(run.is_ready)
            os.kill(run.pid, number)
            if not ends:
                run.go_on()
            elif moment == 'delivery':
                # Nobody reads before the end.
                os.set_blocking(run.child.stdout.fileno(), False)
                run.child.wait(LIMIT)
        except (TimeoutError, subprocess.TimeoutExpired):
            pass
        got = (run.result(), run.events('attempt'),
               (run.folder / 'hooked').exists())
        said = read(run.folder / 'err') + read(run.folder / 'log')
    wanted = (want, attempts, hooked.get(moment, False))
    if got == wanted:
        return ''
    return (f'{name}{" of --signal" * asks}: got {got}, wanted {wanted}\n' +
            said)


def main():
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        results = {moment: [pool.submit(try_pair, moment, *row)
                            for row in SIGNALS] for moment in MOMENTS}
        for moment, pairs in results.items():
            print(moment, len(pairs))
            print(''.join(pair.result() for pair in pairs), end='')


main()
