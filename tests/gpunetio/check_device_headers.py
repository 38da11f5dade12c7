#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compile the device headers with every compiler that is here.

usage: check_device_headers.py TOOLKIT INCLUDE

TOOLKIT is simt's: its nvcc, over clang++ and g++, compiles each header alone and twice, every function,
and all headers in both orders in two files, which it links with and without -rdc=true. NVIDIA's nvcc
does the same where there is one, without each header alone, for sm_75, sm_90 and the newest it knows.
clang compiles every function to PTX by itself, with clang/cuda.h instead of CUDA's headers. A warning is
an error.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EVERY = os.path.join(HERE, 'every_function.cu')
SECONDS = 300


class Check:
    def __init__(self, include, scratch):
        self.include = include
        self.scratch = scratch
        self.names = [os.path.basename(path)
                      for path in sorted(glob.glob(include + '/doca_gpunetio_dev_*.cuh'))]
        self.failures = 0

    def run(self, what, command, environment=None):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              cwd=self.scratch, timeout=SECONDS, env=dict(os.environ, **(environment or {})))
        if done.returncode or 'warning' in done.stdout:
            self.failures += 1
            print('FAIL: %s: %s\n%s' % (what, ' '.join(command), done.stdout[-4000:]))

    def source(self, name, headers, more=''):
        path = os.path.join(self.scratch, name + '.cu')
        with open(path, 'w', encoding='utf-8') as text:
            text.write(''.join('#include <%s>\n' % h for h in headers) + more)
        return path

    def toolkit(self, what, nvcc, flags, environment=None, architectures=(), alone=()):
        """All checks of one compiler that is called nvcc; every function for all architectures."""
        flags = ['-std=c++17', '-I' + self.include, '-DDOCA_ALLOW_EXPERIMENTAL_API', '-Xcompiler',
                 '-Wall,-Wextra'] + flags
        compile_only = [nvcc] + flags + ['-c', '-o', 'out.o']
        for name in alone:
            self.run(what, compile_only + [self.source('alone', [name, name])], environment)
        self.run(what, compile_only + list(architectures) + [EVERY], environment)
        main = self.source('main', self.names, 'extern void second();\nint main()\n{\n    second();\n}\n')
        second = self.source('second', self.names[::-1], 'void second()\n{\n}\n')
        for rdc in ([], ['-rdc=true']):
            self.run(what, [nvcc] + flags + rdc + [main, second, '-o', 'out'], environment)


def real_nvcc():
    """NVIDIA's nvcc and its architectures, or None."""
    for path in (shutil.which('nvcc'), '/usr/local/cuda/bin/nvcc'):
        if not path or not os.path.exists(path):
            continue
        said = subprocess.run([path, '--version'], capture_output=True, text=True, check=False).stdout
        if 'NVIDIA Corporation' not in said:
            continue
        known = subprocess.run([path, '--list-gpu-arch'], capture_output=True, text=True, check=False).stdout
        numbers = sorted(int(n) for n in re.findall(r'compute_(\d+)\b', known))
        return path, sorted({n for n in numbers if n in (75, 90)} | {numbers[-1]})
    return None


def check_clang(check):
    """Architectures that this clang can compile for; older ones stay below sm_90."""
    for number in ('75', '80', '86', '90'):
        command = ['clang++', '-x', 'cuda', '--cuda-gpu-arch=sm_' + number, '-nocudalib', '-nocudainc',
                   '--cuda-device-only', '-Xclang', '-target-feature', '-Xclang', '+ptx70', '-S', '-std=c++17', '-Wall', '-Wextra', '-Wno-unknown-cuda-version',
                   '-DDOCA_ALLOW_EXPERIMENTAL_API', '-I' + os.path.join(HERE, 'clang'), '-include', 'cuda.h',
                   '-I' + check.include, EVERY, '-o', 'out.ptx']
        probe = subprocess.run(command[:-3] + ['-E', '/dev/null', '-o', '/dev/null'], capture_output=True,
                               text=True, check=False)
        if probe.returncode:
            print('clang does not know sm_%s' % number)
            continue
        check.run('clang', command)


def main():
    toolkit, include = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as scratch:
        check = Check(os.path.abspath(include), scratch)
        simt = os.path.join(os.path.abspath(toolkit), 'bin', 'nvcc')
        for compiler in ('clang++', 'g++'):
            if shutil.which(compiler):
                check.toolkit('simt with ' + compiler, simt, [], {'SIMT_CXX': compiler}, alone=check.names)
        found = real_nvcc()
        if found:
            check.toolkit('nvcc', found[0], [], architectures=['--threads=2'] + [
                '-gencode=arch=compute_%s,code=sm_%s' % (n, n) for n in found[1]])
        else:
            print("NVIDIA's nvcc is not here")
        if shutil.which('clang++'):
            check_clang(check)
        print('%d device headers, %d failures' % (len(check.names), check.failures))
        return 1 if check.failures else 0


if __name__ == '__main__':
    sys.exit(main())
