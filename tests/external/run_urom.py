#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Build and run programs as users of UROM have them, against an installed tree.

usage: run_urom.py BUILD PREFIX [--only TEXT] [--keep] [--no-valgrind]

As run_external.py, which see, for the folders programs/urom_*. Each case has a service of its own, in
a runtime folder of its own.
"""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import run_external
from run_external import expect

EIGHT = ('--cpuset', '0-7')  # what the programs insist on
# Of UCX, what initiators may have beside active messages: RMA, and wakeup, and all.
RDMO_FEATURES = ('0x2', '0x12', '0x8f')


class Daemon:
    """A service of the staged tree; plugins of the folders in `plugins`, else the installed ones."""

    def __init__(self, tests, *arguments, plugins=None):
        self.folder = tempfile.mkdtemp(dir=tests.scratch)
        self.log = os.path.join(self.folder, 'daemon.log')
        self.environment = {'OPENDOCA_RUNTIME_DIR': self.folder}
        environment = dict(self.environment, **({'UROM_PLUGIN_PATH': plugins} if plugins else {}))
        program = os.path.join(tests.stage.prefix, 'services', 'doca_urom_daemon')
        with open(self.log, 'w', encoding='utf-8') as log:
            self.popen = subprocess.Popen([program, *arguments], env=environment, stdout=log,
                                          stderr=log, stdin=subprocess.DEVNULL)
        self.await_line('ready: ')

    def text(self):
        with open(self.log, encoding='utf-8') as log:
            return log.read()

    def await_line(self, text):
        run_external.wait_until(lambda: text in self.text() or self.popen.poll() is not None)
        expect(text in self.text(), 'the daemon does not say "%s":\n%s' % (text, self.text()))

    def end(self, status=0):
        self.popen.send_signal(signal.SIGTERM)
        expect(self.popen.wait(run_external.SECONDS) == status, self.text())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.popen.poll() is None:
            self.popen.kill()
            self.popen.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Tests(run_external.Tests):
    """The methods test_* of this class are the cases."""

    valgrind = ['test_ping_pong']

    def with_daemon(self, *arguments, **more):
        daemon = Daemon(self, *arguments, **more)
        self.environment = daemon.environment
        return daemon

    def ranks(self, program, size, *arguments, **wanted):
        folder = tempfile.mkdtemp(dir=self.scratch)
        ranks = [self.start(program, 'host', '--rank', str(i), '--size', str(size), '--meet', folder,
                            *arguments) for i in range(size)]
        said = [rank.end(says=['finished successfully'], **wanted)[0] for rank in ranks]
        shutil.rmtree(folder)
        return said

    def check_ping_pong(self, said, text):
        expect('Rank 0 was answered: ' + text in said[0], said[0])
        expect('Rank 1 was told: ' + text in said[1], said[1])

    def test_ping_pong(self):
        with self.with_daemon(*EIGHT) as daemon:
            for text in ('ping', 'x' * 99):
                self.check_ping_pong(self.ranks('urom_ping_pong', 2, '-m', text), text)
            daemon.end()

    def test_ping_pong_again_and_again(self):
        with self.with_daemon(*EIGHT) as daemon:
            for i in range(10):
                self.check_ping_pong(self.ranks('urom_ping_pong', 2, '-m', str(i)), str(i))
            daemon.end()

    def test_ping_pong_without_the_processors(self):
        with self.with_daemon('--cpuset', '0-6'):
            self.ranks('urom_ping_pong', 2, errors=['nothing is done'])

    def test_ping_pong_without_a_service(self):
        with self.with_daemon() as daemon:
            daemon.end()
            self.run('urom_ping_pong', 'host', '--rank', '0', '--size', '1', '--meet', self.scratch,
                     status=1, errors=['The service does not start'])

    def test_ping_pong_of_mpi(self):
        mpirun = shutil.which('mpirun')
        if mpirun is None or not self.stage.has('urom_ping_pong_mpi', 'host'):
            print('no mpirun, or no program for it', flush=True)
            return
        with self.with_daemon(*EIGHT) as daemon:
            # it looks for other programs and for a folder
            self.environment = dict(self.environment, PATH=os.environ['PATH'], HOME=self.scratch)
            done = subprocess.run([mpirun, '-np', '2', '--allow-run-as-root', '--oversubscribe',
                                   self.stage.path('urom_ping_pong_mpi', 'host'), '-m', 'by MPI'],
                                  env=self.environment, cwd=self.scratch, text=True, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=run_external.SECONDS)
            expect(done.returncode == 0 and 'Rank 0 was answered: by MPI' in done.stdout and
                   'Rank 1 was told: by MPI' in done.stdout, done.stdout)
            daemon.end()

    def rdmo_pair(self, *arguments):
        with socket.socket() as held:  # nobody else gets this port until the target listens to it
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            held.bind(('127.0.0.1', 0))
            port = str(held.getsockname()[1])
            target = self.start('urom_rdmo_target', 'host', '-p', port)
            target.await_line('Waiting for the initiator')
        return target, self.start('urom_rdmo_initiator', 'host', port, *arguments)

    def check_rdmo(self, *arguments):
        target, initiator = self.rdmo_pair(*arguments)
        target.end(says=['Part %c is fine' % part for part in 'asbn'])
        initiator.end(says=['finished successfully'])

    def test_rdmo(self):
        with self.with_daemon() as daemon:
            self.check_rdmo()
            for features in RDMO_FEATURES:
                self.check_rdmo(features)
            daemon.end()

    def test_rdmo_over_tcp(self):
        with self.with_daemon() as daemon:
            self.environment = dict(self.environment, UCX_TLS='tcp')
            self.check_rdmo()
            daemon.end()

    def test_rdmo_after_a_kill(self):
        with self.with_daemon() as daemon:
            for victim in ('target', 'initiator'):
                target, initiator = self.rdmo_pair('0', 'linger')
                initiator.await_line('Lingering')
                doomed = target if victim == 'target' else initiator
                doomed.popen.kill()
                doomed.popen.wait()
                if victim == 'target':
                    initiator.popen.kill()
                    initiator.popen.wait()
                else:
                    target.end(status=1, errors=['The other side is silent'])
                self.check_rdmo()
            daemon.end()
            expect('signal' not in daemon.text(), daemon.text())

    def with_custom_plugin(self, *arguments):
        module = self.stage.path('worker_custom.so', 'host')
        return self.with_daemon(*arguments, plugins=os.path.dirname(module))

    def test_custom_plugin(self):
        with self.with_custom_plugin() as daemon:
            for said in self.ranks('urom_custom', 2, '-t', 'a text'):
                expect('Reversed: txet a\n' in said and 'The worker is process ' in said, said)
            daemon.end()

    def test_a_plugin_that_crashes(self):
        with self.with_custom_plugin() as daemon:
            self.ranks('urom_custom', 3, '-e', 'crash')
            daemon.await_line('signal 6')
            self.ranks('urom_custom', 1)
            daemon.end()

    def test_a_plugin_that_hangs(self):
        with self.with_custom_plugin('--hang-timeout', '10') as daemon:
            self.ranks('urom_custom', 2, '-e', 'hang')
            expect('worker_custom' in daemon.text(), daemon.text())
            self.ranks('urom_custom', 1)
            daemon.end()

    def with_plugins_of(self, module):
        return self.with_daemon(plugins=os.path.dirname(self.stage.path(module, 'host')))

    def test_plugins_over_ucx(self):
        """One is built with the names of this UCX, one with those of a later one."""
        with self.with_plugins_of('worker_tags.so') as daemon:
            for name in ('worker_tags', 'worker_tags_later'):
                said = self.ranks('urom_tags', 3, '-P', name)
                for rank, text in enumerate(said):
                    expect('Received: text 19 of rank %d\n' % ((rank + 2) % 3) in text, text)
                    expect('Handing out memory: DOCA_' in text, text)
            daemon.end()

    def test_bootstrap(self):
        with self.with_daemon(*EIGHT) as daemon:
            for _ in range(3):
                process = self.start('urom_bootstrap', 'host')
                process.await_line('All workers run')
                process.popen.send_signal(signal.SIGINT)
                said, _ = process.end(says=['finished successfully', 'Group 1 has the workers 1 3\n',
                                            'Group 0 has the workers 0 2\n'])
                for i in range(4):
                    expect('Worker %d echoes its id' % i in said, said)
            daemon.end()


if __name__ == '__main__':
    sys.exit(run_external.main(Tests, 'urom_', __doc__))
