#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a command while random threads of it stand still for random times.

usage: jostle.py [--hold MS] [--pause MS] [--at-once N] [--seed N] [--rounds N] -- COMMAND [ARG...]

A test that passes on an idle machine may still rest on luck: that a thread runs within some
milliseconds, that two stores of another thread are seen together, that a process has not ended yet.
Here single threads of the command and of all its descendants (ptrace, hence root or the same user)
are stopped anywhere and go on later, as on a machine that lends its processors to others. What fails
under it is a bug, of the product or of the test.

--hold is the longest stop (150; most are far shorter), --pause the mean time between two stops (4),
--at-once how many threads may stand at a time (3). With --rounds the command is repeated until it
fails. Leak detection of AddressSanitizer needs ptrace itself and is switched off.

The exit status is that of the command, 128 and the signal's number where one ended it.
"""
import argparse
import ctypes
import os
import random
import signal
import sys
import threading
import time

PR_SET_CHILD_SUBREAPER = 36
PTRACE_DETACH = 17
PTRACE_SEIZE = 0x4206
PTRACE_INTERRUPT = 0x4207
PTRACE_EVENT_STOP = 128
WALL = 0x40000000
ENDS = (os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED)
SCAN_SECONDS = 0.1

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def parent_of(pid):
    with open('/proc/%s/stat' % pid, 'rb') as stat:
        return int(stat.read().rpartition(b')')[2].split()[1])


def descendants(root):
    children = {}
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                children.setdefault(parent_of(name), []).append(int(name))
            except (OSError, ValueError):
                continue
    found, todo = [], [root]
    while todo:
        more = children.get(todo.pop(), [])
        found += more
        todo += more
    return found


def threads_of(pid):
    try:
        return [int(name) for name in os.listdir('/proc/%d/task' % pid)]
    except OSError:
        return []


def is_leader(thread):
    try:
        with open('/proc/%d/status' % thread, encoding='ascii') as status:
            return '\nTgid:\t%d\n' % thread in status.read()
    except OSError:
        return True


class Jostler:
    def __init__(self, arguments):
        self.arguments = arguments
        self.random = random.Random(arguments.seed)
        self.held = {}     # thread: when it may go on
        self.status = None
        self.seizing = None  # since when

    def seize(self, thread):
        if thread in self.held:
            return
        self.seizing = time.monotonic()
        seized = libc.ptrace(PTRACE_SEIZE, thread, None, None) == 0
        self.seizing = None
        if not seized:
            return
        libc.ptrace(PTRACE_INTERRUPT, thread, None, None)
        longest = self.arguments.hold / 1000
        self.held[thread] = time.monotonic() + longest * self.random.random() ** 3

    def unlock(self):
        """A process that executes another program waits for the end of its threads, which is complete
        when we have taken note of those that we hold; and we wait for it in seize()."""
        while self.status is None:
            time.sleep(SCAN_SECONDS)
            since = self.seizing
            if since is None or time.monotonic() - since < SCAN_SECONDS:
                continue
            for thread in list(self.held):
                if is_leader(thread):
                    continue
                try:
                    # Of a traced thread this tells stops too; those are for let_go(), which else waits
                    # for ever, and with it the thread.
                    seen = os.waitid(os.P_PID, thread, os.WEXITED | os.WNOHANG | os.WNOWAIT | WALL)
                    if seen is not None and seen.si_code in ENDS:
                        os.waitid(os.P_PID, thread, os.WEXITED | os.WNOHANG | WALL)
                except ChildProcessError:
                    pass

    def let_go(self, everything=False):
        """Of the threads whose time is over, those that do stand; a thread in the kernel may not yet."""
        now = time.monotonic()
        for thread, until in list(self.held.items()):
            if now < until and not everything:
                continue
            try:
                pid, status = os.waitpid(thread, os.WNOHANG | WALL)
            except ChildProcessError:
                del self.held[thread]
                continue
            if pid == 0:
                continue
            del self.held[thread]
            self.went(pid, status)
            if os.WIFSTOPPED(status):
                is_ours = status >> 16 == PTRACE_EVENT_STOP
                libc.ptrace(PTRACE_DETACH, thread, None, None if is_ours else os.WSTOPSIG(status))

    def went(self, pid, status):
        if pid == self.child and not os.WIFSTOPPED(status):
            self.status = status

    def reap(self):
        """The command and its orphans, but no thread that is held."""
        try:
            while True:
                info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if info is None or info.si_pid in self.held:
                    return
                self.went(*os.waitpid(info.si_pid, 0))
        except ChildProcessError:
            return

    def run(self, command):
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        # No Popen: it would take the status of a command that ends at once.
        self.child = os.posix_spawnp(command[0], command, os.environ,
                                     setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
        threading.Thread(target=self.unlock, daemon=True).start()
        scanned, processes = 0, []
        while self.status is None:
            if time.monotonic() - scanned > SCAN_SECONDS:
                scanned, processes = time.monotonic(), descendants(os.getpid())
            if processes and len(self.held) < self.arguments.at_once:
                threads = threads_of(self.random.choice(processes))
                if threads:
                    self.seize(self.random.choice(threads))
            time.sleep(self.random.expovariate(1000 / self.arguments.pause))
            self.let_go()
            self.reap()
        self.finish()
        return self.status

    def finish(self):
        end = time.monotonic() + 5
        while self.held and time.monotonic() < end:
            self.let_go(everything=True)
            time.sleep(0.001)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hold', type=float, default=150)
    parser.add_argument('--pause', type=float, default=4)
    parser.add_argument('--at-once', type=int, default=3)
    parser.add_argument('--seed', type=int, default=time.time_ns() % 1000000)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('command', nargs='+')
    arguments = parser.parse_args()
    options = os.environ.get('ASAN_OPTIONS', '')
    os.environ['ASAN_OPTIONS'] = options + ':detect_leaks=0'
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for turn in range(arguments.rounds):
        status = Jostler(arguments).run(arguments.command)
        if status:
            print('jostle: round %d of seed %d failed' % (turn, arguments.seed), file=sys.stderr)
            return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        arguments.seed += 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
