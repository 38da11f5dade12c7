#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Build and run programs as users of GPUNetIO have them, against an installed tree.

usage: run_gpu.py BUILD PREFIX [--only TEXT] [--keep] [--no-valgrind]

As run_external.py, which see, for the folders programs/gpu_*: kernels are built by the nvcc of the
installed tree and run on the CPU. Exit status 77: that nvcc cannot be used here.
"""
import json
import os
import shutil
import socket
import subprocess
import sys

sys.dont_write_bytecode = True
import run_external
from run_external import expect

sys.path.insert(0, os.path.join(run_external.HERE, '..', 'gpunetio'))
from run_packets import namespace_command

SKIPPED = 77


class Tests(run_external.Tests):
    """The methods test_* of this class are the cases."""

    valgrind = []  # fibers are not for it

    def wire(self, mode, scope, threads, rounds, *more, completions):
        """Runs gpu_wire over a wire inside the process; all must arrive as it was sent."""
        devices = [{'role': 'host', 'pci': '0000:03:00.%d' % end, 'port': 'loop:wire', 'unmatched': 'queues'}
                   for end in (0, 1)]
        path = self.file('wire.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump({'devices': devices}, file)
        self.environment = {'OPENDOCA_CONFIG': path}
        frames = threads * rounds
        self.run('gpu_wire', 'host', *map(str, (mode, scope, threads, rounds)), *more,
                 says=['sent %d, completions %d, received %d, wrong 0' % (frames, completions, frames),
                       'gpu_wire finished successfully'])
        self.environment = {}

    def test_blocks_share_a_queue(self):
        for scope, completions in ((0, 3200), (1, 100), (2, 100)):
            self.wire(0, scope, 64, 50, completions=completions)

    def test_a_block_alone_past_all_wraps(self):
        self.wire(1, 2, 32, 7000, completions=7000)

    def test_by_the_proxy(self):
        self.wire(0, 0, 64, 50, 'proxy', completions=3200)
        self.wire(1, 1, 64, 200, 'proxy', completions=200)

    def test_kernels_copy(self):
        self.run('gpu_dma_memcpy', 'host', '0000:b1:00.0', '0000:06:00.0',
                 says=['kernel sees: written by the CPU', 'CPU sees: written by a kernel',
                       'finished successfully'])

    def talk_by_kernels(self, *more):
        """Two processes; what the server's and the client's kernels and programs say."""
        where = ['-d', '0000:b1:00.0', '-g', '0000:06:00.0', *more]
        server = self.start('gpu_rdma_write', 'host', *where)
        server.await_line('of the server')
        port = server.texts()[0].split('port ')[1].split()[0]
        client = self.start('gpu_rdma_write', 'host', '-c', port, *where)
        return [process.end(says=['finished successfully'])[0] for process in (server, client)]

    def check_talk(self, server, client, connection):
        for turn in range(4):
            line = 'connection %d: 2 operations, immediates %d and %d' % (connection, turn, turn + 1)
            expect(line in server, 'no "%s" in %s' % (line, server))
        line = 'connection %d: 4 commits' % connection
        expect(line in client, 'no "%s" in %s' % (line, client))

    def test_kernels_write_to_another_process(self):
        said = self.talk_by_kernels()
        self.check_talk(*said, 0)
        expect('the memory is what the client wrote' in said[0], said[0])

    def test_a_second_connection_beside_a_kernel(self):
        with socket.socket() as held:  # nobody else gets this port meanwhile
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            held.bind(('', 0))
            said = self.talk_by_kernels('-a', str(held.getsockname()[1]))
        for connection in (0, 1):
            self.check_talk(*said, connection)
        expect(said[0].count('the memory is what the client wrote') == 2, said[0])

    def test_at_times(self):
        for scope in range(3):
            self.wire(2, scope, 32, 8, completions=8)

    def test_packets_from_sockets(self):
        """UDP, HTTP and echo requests of the kernel reach kernels of ours, and come back answered."""
        command = namespace_command()
        if command is None:
            print('no network namespace can be made here')
            return
        peer = os.path.join(run_external.HERE, 'packets_peer.py')
        done = subprocess.run(
            command + [sys.executable, peer, self.stage.path('gpu_packets', 'host'), self.scratch],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=6 * run_external.SECONDS, check=False)
        if done.returncode == SKIPPED:
            print('no interfaces can be made here: ' + done.stdout)
        else:
            expect(done.returncode == 0, done.stdout)


def toolkit_works(build):
    """simt is in the build, and a C++ compiler for its nvcc is here."""
    return os.path.isdir(os.path.join(build, 'simt', 'toolkit', 'cuda')) and (
        shutil.which('clang++') or shutil.which('g++'))


if __name__ == '__main__':
    if not toolkit_works(sys.argv[1]):
        print("simt's nvcc cannot be used here")
        sys.exit(SKIPPED)
    sys.exit(run_external.main(Tests, 'gpu_', __doc__))
