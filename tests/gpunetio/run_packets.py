#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Build gpu_packets against this build tree, kernels and host code alike, and have a peer talk to it.

usage: run_packets.py TOOLKIT PROGRAMS PEER

NVCC_APPEND_FLAGS has the libraries and the sanitizer of the build; what it finds ends the program, and so
fails the test. PROGRAMS is the folder of programs as users have them, PEER its other side of the wire, which
needs a network namespace of its own: exit status 77 where none can be made.
"""
import os
import shutil
import subprocess
import sys
import tempfile

SECONDS = 500
SKIPPED = 77
SOURCES = ['gpu_packets/gpu_packets.c', 'gpu_packets/queues.c', 'gpu_packets/rules.c',
           'gpu_packets/connections.c', 'gpu_packets/kernels.cu', 'common/kit.c', 'common/kit_dev.c']


def namespace_command():
    """What runs a command in a network namespace with all rights there, or None."""
    if shutil.which('ip') and shutil.which('unshare'):
        for options in ('-n', '-rn'):
            if subprocess.run(['unshare', options, 'true'], check=False, stderr=subprocess.DEVNULL).returncode == 0:
                return ['unshare', options]
    return None


def main(toolkit, programs, peer):
    namespace = namespace_command()
    if namespace is None:
        print('no network namespace can be made here')
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'gpu_packets')
        subprocess.run([os.path.join(toolkit, 'bin', 'nvcc'), '-g', '-O2', '-DDOCA_ALLOW_EXPERIMENTAL_API'] +
                       [os.path.join(programs, source) for source in SOURCES] + ['-o', program], check=True)
        return subprocess.run(namespace + [sys.executable, peer, program, folder], check=False,
                              stdin=subprocess.DEVNULL, timeout=SECONDS).returncode


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
