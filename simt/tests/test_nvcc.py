#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""nvcc as build systems meet it: command lines, dependencies, Meson, CMake, make.

usage: test_nvcc.py TOOLKIT [unittest options]
"""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLKIT = os.path.abspath(sys.argv.pop(1))
NVCC = os.path.join(TOOLKIT, 'bin', 'nvcc')
SECONDS = 600

KERNEL = '''
#include "value.h"
#include <cuda_runtime.h>
__global__ void k(int *p) { *p = VALUE; }
extern "C" int run(int *p) { k<<<1, 1>>>(p); return (int)cudaDeviceSynchronize(); }
'''
HOST = '''
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
int run(int *p);
int main(void)
{
    int *p, result;
    dim3 one = {1, 1, 1};
    cudaStream_t stream = NULL;
    (void)one;
    if (cuInit(0) != CUDA_SUCCESS || cudaMallocManaged((void **)&p, sizeof(*p), cudaMemAttachGlobal))
        return 1;
    result = run(p);
    printf("%d %d %d\\n", result, *p, (int)cudaStreamSynchronize(stream));
    return result || *p != 5;
}
'''
MESON = '''
project('hello', 'c', 'cpp', 'cuda', version: '1', default_options: ['warning_level=2'])
cuda = dependency('cuda', version: '>=12', modules: ['cudart', 'cuda'])
test('hello', executable('hello', 'host.c', 'k.cu', dependencies: cuda,
  cuda_args: ['-gencode', 'arch=compute_80,code=sm_80', '--expt-relaxed-constexpr', '-rdc=true']))
'''
CMAKE = '''
cmake_minimum_required(VERSION 3.18)
project(hello LANGUAGES C CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(k SHARED k.cu)
add_executable(hello host.c)
target_link_libraries(hello k CUDA::cudart CUDA::cuda_driver)
add_executable(whole whole.cu k.cu)
set_target_properties(whole PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_ARCHITECTURES "80;90")
enable_testing()
add_test(NAME hello COMMAND hello)
add_test(NAME whole COMMAND whole)
'''


def environment():
    # Only the toolkit under test: no other nvcc, no other CUDA.
    kept = {k: v for k, v in os.environ.items()
            if not k.startswith(('CUDA', 'NVCC', 'SIMT', 'MESON'))}
    path = [p for p in kept['PATH'].split(':') if not os.path.exists(os.path.join(p, 'nvcc'))]
    return dict(kept, PATH=':'.join([os.path.join(TOOLKIT, 'bin')] + path), CUDA_PATH=TOOLKIT)


class Nvcc(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='simt-test-')
        self.addCleanup(shutil.rmtree, self.folder, True)
        for name, text in (('k.cu', KERNEL), ('host.c', HOST), ('value.h', '#define VALUE 5\n'),
                           ('whole.cu', HOST.replace('int run', 'extern "C" int run')),
                           ('meson.build', MESON), ('CMakeLists.txt', CMAKE)):
            self.write(name, text)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as made:
            made.write(text)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding='utf-8') as text:
            return text.read()

    def call(self, *command, fails=False):
        done = subprocess.run(command, cwd=self.folder, env=environment(), text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=SECONDS)
        self.assertEqual(bool(done.returncode), fails, '%s\n%s' % (' '.join(command), done.stdout))
        return done.stdout

    def test_version(self):
        text = self.call(NVCC, '--version')
        self.assertRegex(text, r'nvcc: NVIDIA \(R\) Cuda compiler driver')
        self.assertRegex(text.strip(), r'release 12\.\d+, V12\.\d+\.\d+$')
        self.assertIn('compute_90', self.call(NVCC, '--list-gpu-arch'))

    def test_options_of_gpu_code(self):
        out = self.call(
            NVCC, '-forward-unknown-to-host-compiler', '-gencode', 'arch=compute_80,code=sm_80',
            '--generate-code=arch=compute_90,code=[compute_90,sm_90]', '-arch=sm_90', '-Xptxas=-v',
            '-Xptxas', '-O3', '--expt-relaxed-constexpr', '-extended-lambda', '-rdc=true',
            '--use_fast_math', '-lineinfo', '-maxrregcount', '64', '-allow-unsupported-compiler',
            '--threads', '2', '-Xcudafe', '--display_error_number', '-diag-suppress', '177',
            '-std=c++20', '-O3', '-fno-strict-aliasing', '-Xcompiler', '-Wall,-fPIC',
            '-Xcompiler=-DMORE="a\\,b"', '-I.', '-I', '.', '-DX=f(1,2)', '-c', 'k.cu', '-o', 'k.o')
        self.assertEqual(out, '')
        self.call(NVCC, '-o', 'hello', 'k.o', 'host.c', '-lcuda', '-Xlinker', '-z,now', '-lm,dl')
        self.assertEqual(self.call('./hello'), '0 5 0\n')

    def test_dependencies(self):
        self.call(NVCC, '-c', 'k.cu', '-o', 'k.o', '-MD', '-MF', 'k.d', '-MT', 'k.o')
        self.assertRegex(self.read('k.d'), r'^k\.o: k\.cu(.|\n)*value\.h')
        self.assertIn('value.h', self.call(NVCC, '-M', 'k.cu'))

    def test_diagnostics_name_the_users_line(self):
        self.write('bad.cu', '__global__ void k(int *p)\n{\n    *p = undeclared;\n}\n'
                             'int main()\n{\n    k<<<1,\n       1>>>(1.5,\n            2);\n}\n')
        out = self.call(NVCC, 'bad.cu', '-o', 'bad', fails=True)
        self.assertIn('bad.cu:3:10', out)
        self.assertRegex(out, r'bad\.cu:[789]:')
        self.assertNotIn('/tmp/simt-', out)

    def test_refusals(self):
        self.assertIn('no input files', self.call(NVCC, fails=True))
        self.assertIn('missing.cu', self.call(NVCC, '-c', 'missing.cu', fails=True))
        self.assertIn('needs a value', self.call(NVCC, 'k.cu', '-o', fails=True))
        self.write('open.cu', '__global__ void k() {}\nint main() { k<<<1>>>(); }\n')
        self.assertRegex(self.call(NVCC, 'open.cu', fails=True), r'open\.cu:2:15: error: a launch needs')

    def test_library_and_run(self):
        self.call(NVCC, '-lib', 'k.cu', '-o', 'libk.a')
        self.call('cc', '-I' + os.path.join(TOOLKIT, 'include'), '-Wall', '-Wextra', '-Werror', '-c',
                  'host.c')
        self.call(NVCC, 'host.o', '-L.', '-lk', '-o', 'hello')
        self.assertEqual(self.call('./hello'), '0 5 0\n')
        self.assertEqual(self.call(NVCC, '--run', 'whole.cu', 'k.cu'), '0 5 0\n')

    def test_c_linker(self):
        """A C project that calls nvcc for its kernels and links by itself."""
        self.call(NVCC, '-c', 'k.cu', '-o', 'k.o')
        libraries = os.path.join(TOOLKIT, 'lib64')
        self.call('cc', '-I' + os.path.join(TOOLKIT, 'include'), 'host.c', 'k.o', '-L' + libraries,
                  '-lcudart', '-lstdc++', '-Wl,-rpath,' + libraries, '-o', 'hello')
        self.assertEqual(self.call('./hello'), '0 5 0\n')

    @unittest.skipUnless(shutil.which('g++'), 'no g++')
    def test_gcc(self):
        """Without clang: by name, by folder, and as the only compiler there is."""
        self.call(NVCC, '-ccbin', 'g++', '-O2', 'whole.cu', 'k.cu', '-o', 'hello')
        self.assertEqual(self.call('./hello'), '0 5 0\n')
        only = os.path.join(self.folder, 'only')
        os.mkdir(only)
        for name in ('g++', 'python3', 'sh', 'as', 'ld', 'ar', 'dirname', 'readlink', 'env', 'basename'):
            if shutil.which(name):
                os.symlink(shutil.which(name), os.path.join(only, name))
        self.call('env', 'PATH=' + only, NVCC, '-O2', 'whole.cu', 'k.cu', '-o', 'again')
        self.assertEqual(self.call('./again'), '0 5 0\n')
        self.call(NVCC, '-ccbin', only, '-c', 'k.cu', '-o', 'k.o')

    def test_time_to_build(self):
        """Ten seconds of the processor's time, whatever else the machine does."""
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cuda', 'language.cu')
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.call(NVCC, '-g', '-O2', source, '-o', 'language')
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 10)

    @unittest.skipUnless(shutil.which('meson'), 'no Meson')
    def test_meson(self):
        self.call('meson', 'setup', 'b')
        self.call('ninja', '-C', 'b')
        self.call('meson', 'test', '-C', 'b')
        self.assertEqual(self.call('b/hello'), '0 5 0\n')

    @unittest.skipUnless(shutil.which('cmake'), 'no CMake')
    def test_cmake(self):
        out = self.call('cmake', '-S', '.', '-B', 'b')
        self.assertRegex(out, r'The CUDA compiler identification is NVIDIA 12\.')
        self.call('cmake', '--build', 'b')
        self.assertEqual(self.call('b/hello'), '0 5 0\n')
        self.assertEqual(self.call('b/whole'), '0 5 0\n')

    def test_line_markers_reach_the_debugger(self):
        if not shutil.which('gdb'):
            self.skipTest('no gdb')
        self.call(NVCC, '-g', 'whole.cu', 'k.cu', '-o', 'hello')
        out = self.call('gdb', '-batch', '-nx', '-ex', 'set breakpoint pending on', '-ex', 'break k.cu:4',
                        '-ex', 'run', '-ex', 'print *p', '-ex', 'bt 1', './hello')
        if 'ptrace' in out or 'Cannot' in out:
            self.skipTest('gdb may not trace here')
        self.assertTrue(re.search(r'k \(p=.*at k\.cu:4', out), out)


if __name__ == '__main__':
    unittest.main(verbosity=2)
