#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The gdb script: lists the CUDA threads with their places, looks at one of them, and goes on.

usage: test_gdb.py TOOLKIT
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = '''
__device__ int shared_sum;
__device__ __noinline__ void last(int n)
{
    atomicAdd(&shared_sum, n);
}
__device__ __noinline__ void wait_here(int mine)
{
    __syncthreads();
    atomicAdd(&shared_sum, mine);
}
__global__ void k()
{
    int i = threadIdx.x;
    if (i == 511)
        last(i);
    wait_here(i * 2);
}
int main()
{
    k<<<1, 512>>>();
    return cudaDeviceSynchronize();
}
'''


def main():
    toolkit = sys.argv[1]
    if not shutil.which('gdb'):
        print('no gdb')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, 'p.cu'), os.path.join(folder, 'p')
        with open(source, 'w', encoding='utf-8') as text:
            text.write(PROGRAM)
        subprocess.run([os.path.join(toolkit, 'bin', 'nvcc'), '-g', '-O0', source, '-o', binary], check=True)
        commands = ['set confirm off', 'set breakpoint pending on', 'break p.cu:5', 'run', 'source %s' %
                    os.path.join(toolkit, 'share', 'gdb', 'simt.py'),
                    'simt threads', 'simt threads all', 'simt switch 0 100', 'up', 'print i', 'simt back',
                    'print n', 'delete', 'continue']
        arguments = [a for c in commands for a in ('-ex', c)]
        done = subprocess.run(['gdb', '-batch', '-nx'] + arguments + [binary], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=300,
                              env=dict(os.environ, DEBUGINFOD_URLS=''))
    out = done.stdout
    if re.search(r'ptrace|Could not trace|Python scripting is not supported', out):
        print('gdb may not trace here:\n' + out)
        return 77
    for wanted in (r'kernel k, block 0: 512 threads', r' 511 \(0\.\.510\)  at a barrier: wait_here.* at .*p\.cu:9',
                   r'   1 \(511\.\.511\)  runs now', r'^ +37  at a barrier', r'512 CUDA threads',
                   r'\$\d+ = 100$', r'\$\d+ = 511$', r'exited normally'):
        if not re.search(wanted, out, re.M):
            print('not found: %s\n%s\n...\n%s' % (wanted, out[:2000], out[-2000:]))
            return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
