# SPDX-License-Identifier: BSD-3-Clause
"""nvcc: preprocess, rewrite, compile, link with the host's compiler."""
import os
import shutil
import subprocess
import sys
import tempfile

import options as command_line
import rewrite

VERSION = '12.8.0'
VERSION_TEXT = '''\
nvcc: NVIDIA (R) Cuda compiler driver is what build systems look for.
This is simt: CUDA programs on the CPU, by way of the host's C++ compiler.
Cuda compilation tools, release %s, V%s
''' % ('.'.join(VERSION.split('.')[:2]), VERSION)
ARCHITECTURES = ('50', '52', '53', '60', '61', '62', '70', '72', '75', '80', '86', '87', '89', '90', '90a', '100',
                 '120')
SOURCES = {'.cu': 'cu', '.cc': 'c++', '.cpp': 'c++', '.cxx': 'c++', '.C': 'c++', '.c': 'c', '.i': 'c++',
           '.ii': 'c++'}


class Failed(Exception):
    """A message for the user, empty if somebody else has told it, and the exit status."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


class Driver:
    def __init__(self, top, options):
        self.top = top
        self.options = options
        self.compiler = self.find_compiler()
        self.is_clang = 'clang' in os.path.basename(os.path.realpath(self.compiler))
        self.scratch = None

    # Places.

    def find_compiler(self):
        wanted = os.environ.get('SIMT_CXX') or self.options.ccbin
        if wanted and os.path.isdir(wanted):
            wanted = next((p for p in (os.path.join(wanted, n) for n in ('clang++', 'g++'))
                           if os.path.exists(p)), None)
        if wanted and os.path.basename(wanted) in ('gcc', 'cc', 'clang'):
            # CMake names the C compiler at times; the C++ one stands beside it.
            beside = {'gcc': 'g++', 'cc': 'c++', 'clang': 'clang++'}[os.path.basename(wanted)]
            wanted = os.path.join(os.path.dirname(wanted), beside)
        candidates = [wanted] if wanted else ['clang++', 'clang++-19', 'clang++-16', 'clang++-15',
                                              'clang++-14', 'g++']
        for name in candidates:
            path = shutil.which(name)
            if path:
                return path
        raise Failed("no C++ compiler: none of %s is here" % ', '.join(candidates))

    def include(self):
        return os.path.join(self.top, 'include')

    def libraries(self):
        return os.path.join(self.top, 'lib64')

    # Running programs.

    def call(self, command, quiet=False):
        if self.options.verbose and not quiet:
            sys.stderr.write('#$ %s\n' % ' '.join(command_line.shlex.quote(c) for c in command))
        if self.options.dry_run:
            return
        status = subprocess.run(command, check=False).returncode
        if status:
            raise Failed('', status if status > 0 else 1)

    def temporary(self, name):
        if self.scratch is None:
            self.scratch = tempfile.mkdtemp(prefix='simt-')
        return os.path.join(self.scratch, name)

    def clean(self):
        if self.scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)

    # Flags.

    def standard(self):
        std = self.options.std or 'gnu++17'
        older = {'c++03': 'c++17', 'c++11': 'c++17', 'c++14': 'c++17', 'gnu++11': 'gnu++17',
                 'gnu++14': 'gnu++17'}
        return '-std=' + older.get(std, std)

    def preprocessor_flags(self, cuda):
        flags = [self.standard(), '-I' + self.include()] if not cuda else [
            self.standard(), '-isystem', self.include(), '-include', 'cuda_runtime.h',
            '-D__CUDACC__', '-D__NVCC__', '-D__SIMT__=1', '-D__CUDACC_VER_MAJOR__=12',
            '-D__CUDACC_VER_MINOR__=8', '-D__CUDACC_VER_BUILD__=0', '-D__CUDACC_RELAXED_CONSTEXPR__',
            '-D__CUDACC_EXTENDED_LAMBDA__', '-D__CUDA_ARCH__=' + os.environ.get('SIMT_CUDA_ARCH', '900'),
            '-D__CUDA_ARCH_LIST__=900']
        if self.options.default_stream == 'per-thread':
            flags.append('-DCUDA_API_PER_THREAD_DEFAULT_STREAM')
        return flags + self.options.preprocess + self.options.compile

    def optimization(self):
        if self.options.optimize is not None:
            return ['-O' + self.options.optimize]
        if any(f.startswith('-O') for f in self.options.compile):
            return []
        return ['-O0'] if self.options.debug else ['-O2']

    def compile_flags(self, cuda):
        flags = [self.standard()] + self.optimization() + self.options.compile
        if self.options.line_info and '-g' not in flags:
            flags.append('-g1')
        if not cuda:
            return flags
        if self.is_clang:
            flags += ['-fsanitize-coverage=trace-pc-guard', '-Wno-unknown-warning-option',
                      '-Wno-unused-command-line-argument', '-Wno-parentheses-equality']
        else:
            flags += ['-fsanitize-coverage=trace-pc', '-Wno-unknown-pragmas']
        # A large array of a kernel must not reach over the guard below its stack.
        flags.append('-fstack-clash-protection')
        # Kernels print pointers with %lx, and leave results of launches and the like unused.
        return flags + ['-Wno-format', '-Wno-unused-function', '-Wno-unused-value']

    # Steps.

    def preprocess(self, source, output, dependency=()):
        command = [self.compiler, '-E', '-x', 'c++', source, '-o', output] + list(dependency)
        self.call(command + self.preprocessor_flags(True) + self.optimization())

    def dependency_flags(self, source, output):
        o = self.options
        if not o.dependency:
            return []
        flags = list(o.dependency)
        if '-MT' not in flags and '-MQ' not in flags:
            flags += ['-MT', output]
        file = o.dep_file or os.path.splitext(output)[0] + '.d'
        return flags + ['-MF', file]

    def compile_cuda(self, source, output):
        stem = os.path.splitext(os.path.basename(source))[0]
        plain, made = self.temporary(stem + '.ii'), self.temporary(stem + '.cudafe.ii')
        if not os.path.exists(source):
            raise Failed("%s: No such file or directory" % source)
        self.preprocess(source, plain, self.dependency_flags(source, output))
        if self.options.dry_run:
            return
        with open(plain, encoding='utf-8', errors='surrogateescape') as text:
            rewritten = rewrite.rewrite(text.read())
        with open(made, 'w', encoding='utf-8', errors='surrogateescape') as text:
            text.write(rewritten)
            # Names the object that holds the edge callback: see runtime/edge.c.
            text.write('\n# 1 "<simt>" 3\nextern "C" const char simt_edge_anchor;\n'
                       'static const char *const simt_edge_wanted __attribute__((used)) = '
                       '&simt_edge_anchor;\n')
        if os.environ.get('SIMT_KEEP'):
            shutil.copy(made, os.environ['SIMT_KEEP'])
        self.call([self.compiler, '-c', '-x', 'c++-cpp-output', made, '-o', output] +
                  self.compile_flags(True))

    def compile_plain(self, source, language, output):
        flags = self.preprocessor_flags(False) + self.compile_flags(False)
        if language == 'c':
            flags = [f for f in flags if not f.startswith('-std=')]
        self.call([self.compiler, '-c', '-x', language, source, '-o', output] + flags +
                  self.dependency_flags(source, output))

    def compile(self, source, language, output):
        if language == 'cu':
            self.compile_cuda(source, output)
        else:
            self.compile_plain(source, language, output)

    def language(self, entry):
        path, forced = entry
        return forced or SOURCES.get(os.path.splitext(path)[1])

    # What the command line asks for.

    def run(self):
        o = self.options
        if o.verbose:
            self.tell_environment()
        mode = o.mode
        if mode == 'preprocess':
            return self.only_preprocess()
        if mode == 'dependencies':
            return self.only_dependencies()
        if mode == 'device-link':
            return self.empty_object(o.output or 'a_dlink.o')
        if mode == 'device-code':
            return self.no_device_code()
        if mode == 'run' and o.inputs and not any(self.language(e) for e in o.inputs):
            return self.run_program(o.inputs[0][0])
        objects = self.compile_all(mode)
        if mode == 'library':
            self.call(['ar', 'rcs', o.output or 'a.a'] + objects)
        elif mode != 'compile':
            output = o.output or 'a.out'
            self.link(objects, output)
            if mode == 'run':
                return self.run_program(output)
        return 0

    def tell_environment(self):
        """CMake reads these lines, and the one of the linker."""
        sys.stderr.write('#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n#$ PATH=%s/bin:%s\n'
                         '#$ INCLUDES="-I%s"\n#$ LIBRARIES=  "-L%s"\n#$ cicc -arch compute_90\n' % (
                             self.top, self.top, self.top, os.environ.get('PATH', ''),
                             self.include(), self.libraries()))

    def compile_all(self, mode):
        """Objects in the order of the inputs; inputs that are no sources stay as they are."""
        o, objects = self.options, []
        sources = [e for e in o.inputs if self.language(e)]
        if mode == 'compile' and o.output and len(sources) > 1:
            raise Failed('-o with -c takes one source')
        if not o.inputs:
            raise Failed('no input files')
        for number, entry in enumerate(o.inputs):
            language = self.language(entry)
            if not language:
                if not os.path.exists(entry[0]):
                    raise Failed("%s: No such file or directory" % entry[0])
                objects.append(entry[0])
                continue
            stem = os.path.splitext(os.path.basename(entry[0]))[0]
            if mode == 'compile':
                output = o.output or stem + '.o'
            else:
                output = self.temporary('%d-%s.o' % (number, stem))
            self.compile(entry[0], language, output)
            objects.append(output)
        return objects

    def link(self, objects, output):
        arguments = []
        for kind, value in self.options.link:
            arguments.append(objects[value] if kind == 'input' else value)
        command = [os.path.join(self.top, 'bin', 'simt-c++'), '-o', output] + [
            f for f in self.options.compile if f.startswith(('-f', '-g', '-m', '-pthread'))]
        command += arguments
        if self.options.verbose:
            shown = ' '.join(command_line.shlex.quote(c) for c in command)
            sys.stderr.write('#$ %s "-L%s" -lcudadevrt -lcudart\n' % (shown, self.libraries()))
        command += ['-L' + self.libraries()]
        if self.options.cudart != 'none':
            command += ['-lcudadevrt', '-lcudart']
        os.environ['SIMT_CXX'] = self.compiler
        self.call(command, quiet=True)

    def run_program(self, program):
        path = program.strip('"')
        if os.sep not in path:
            path = os.path.join('.', path)
        return subprocess.run([path] + self.options.run_arguments, check=False).returncode

    def only_preprocess(self):
        for entry in self.options.inputs:
            self.preprocess(entry[0], self.options.output or '-')
        return 0

    def only_dependencies(self):
        o = self.options
        for entry in o.inputs:
            command = [self.compiler, '-M', '-x', 'c++', entry[0]] + o.dependency
            if o.output or o.dep_file:
                command += ['-MF', o.output or o.dep_file]
            self.call(command + self.preprocessor_flags(True))
        return 0

    def empty_object(self, output):
        empty = self.temporary('empty.cpp')
        with open(empty, 'w', encoding='utf-8') as text:
            text.write('extern "C" const char simt_edge_anchor;\n')
        self.call([self.compiler, '-c', '-x', 'c++', empty, '-o', output, '-fPIC'])
        return 0

    def no_device_code(self):
        """Builds may ask for PTX or cubins as files; nothing here could load them."""
        for path, _ in self.options.inputs:
            output = self.options.output or os.path.splitext(os.path.basename(path))[0] + '.ptx'
            with open(output, 'w', encoding='utf-8') as text:
                text.write('// simt has no device code: kernels are part of the host program\n')
        return 0


def information(kind):
    if kind == 'version':
        sys.stdout.write(VERSION_TEXT)
    elif kind == 'help':
        sys.stdout.write('usage: nvcc [options] file...\n\n%s\nOptions are those of CUDA\'s nvcc; those that '
                         'concern GPU code only are accepted and ignored.\n' % VERSION_TEXT)
    else:
        prefix = 'sm_' if kind == 'list-code' else 'compute_'
        sys.stdout.write(''.join('%s%s\n' % (prefix, a) for a in ARCHITECTURES))
    return 0


def main(top, arguments):
    driver = None
    try:
        options = command_line.parse(arguments)
        if options.information:
            return information(options.information)
        driver = Driver(top, options)
        return driver.run()
    except command_line.Usage as error:
        sys.stderr.write('nvcc fatal   : %s\n' % error)
    except Failed as error:
        if str(error):
            sys.stderr.write('nvcc fatal   : %s\n' % error)
        return error.status
    except (rewrite.Error, rewrite.Errors) as error:
        sys.stderr.write('%s\n' % error)
    finally:
        if driver:
            driver.clean()
    return 1
