#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Build and run programs as users of the API have them, against an installed tree.

usage: run_external.py BUILD PREFIX [--only TEXT] [--keep] [--no-valgrind]

Installs into a stage and moves it there by changing the prefix in its pkg-config files, nothing else.
Builds each folder of programs/ with its own Meson file for the host and for the DPU, where the only
difference is PKG_CONFIG_PATH, and takes a warning for an error. Then runs the programs from other
folders and without any environment variable, and some again under valgrind.
"""
import argparse
import concurrent.futures
import fcntl
import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
from stage import stage_folder

VALGRIND = ['--quiet', '--error-exitcode=99', '--fair-sched=yes', '--leak-check=full',
            '--errors-for-leak-kinds=definite,indirect', '--child-silent-after-fork=yes']
SECONDS = 120  # no program runs longer
MAX_COPY = 2 * 1024 * 1024  # bytes; the default device's limit
PROGRAMS = 64 << 20  # bytes; what is built, and what it leaves

# Programs that need no arguments and run on both sides.
NEUTRAL = ['engine_poll', 'engine_event', 'engine_many', 'engine_reactive', 'engine_async_stop',
           'engine_one_callback', 'task_error', 'task_resubmit', 'task_try_submit', 'graph_join',
           'cache_invalidate', 'clock_pair', 'mixed_languages']


# First part of the names of programs that another script builds and runs.
ALL_KINDS = ('eth_', 'gpu_', 'urom_')


class Failed(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failed(what)


class Stage:
    """An installed tree with the programs built in it."""

    def __init__(self, build, prefix, kind):
        self.kind = kind
        self.folder = stage_folder(build, PROGRAMS)
        self.prefix = self.folder + prefix
        subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir',
                        self.folder], check=True)
        found = glob.glob(self.prefix + '/**/pkgconfig/doca-common.pc', recursive=True)
        self.libraries = os.path.dirname(os.path.dirname(found[0]))
        for path in glob.glob(self.libraries + '/pkgconfig*/*.pc'):
            with open(path, encoding='utf-8') as old:
                text = old.read()
            with open(path, 'w', encoding='utf-8') as new:
                new.write(re.sub('^prefix=.*', 'prefix=' + self.prefix, text, flags=re.M))
        self.programs = os.path.join(self.prefix, 'samples', 'external')
        shutil.copytree(os.path.join(HERE, 'programs'), self.programs)

    def names(self):
        names = [os.path.basename(os.path.dirname(path))
                 for path in glob.glob(self.programs + '/*/meson.build')]
        return sorted(name for name in names
                      if name.startswith(self.kind or ALL_KINDS) == bool(self.kind))

    def build(self, name, flavour, compilers=None):
        """Returns what went wrong, or None."""
        modules = 'pkgconfig' if flavour == 'host' else 'pkgconfig-dpu'
        environment = {key: os.environ[key] for key in ('PATH', 'HOME') if key in os.environ}
        environment['PKG_CONFIG_PATH'] = os.path.join(self.libraries, modules)
        if name.startswith('gpu_'):
            toolkit = os.path.join(self.prefix, 'simt')
            environment['CUDA_PATH'] = toolkit
            environment['PATH'] = os.path.join(toolkit, 'bin') + ':' + environment['PATH']
        source = os.path.join(self.programs, name)
        folder = os.path.join(source, 'build-' + flavour)
        if compilers:
            environment.update(compilers)
            folder += '.' + compilers['CC']
        for command in (['meson', 'setup', '--werror', folder, source], ['ninja', '-C', folder]):
            done = subprocess.run(command, env=environment, text=True, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            if done.returncode or re.search(r'\bwarning:', done.stdout):
                return '%s (%s) does not build:\n%s' % (name, flavour, done.stdout[-6000:])
        return None

    def build_all(self):
        jobs = [(name, flavour) for name in self.names() for flavour in ('host', 'dpu')]
        if not self.kind and shutil.which('clang') and shutil.which('clang++'):
            jobs += [('mixed_languages', flavour, {'CC': 'clang', 'CXX': 'clang++'})
                     for flavour in ('host', 'dpu')]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return [line for line in pool.map(lambda job: self.build(*job), jobs) if line]

    def has(self, program, flavour):
        return bool(glob.glob('%s/*/build-%s/%s' % (self.programs, flavour, program)))

    def path(self, program, flavour):
        return glob.glob('%s/*/build-%s/%s' % (self.programs, flavour, program))[0]


class Process:
    """A program that runs, with its output in files."""

    def __init__(self, tests, program, flavour, arguments, stdin=subprocess.DEVNULL, before=()):
        self.name = '%s (%s) %s' % (program, flavour, ' '.join(arguments))
        self.out = tempfile.TemporaryFile('w+', dir=tests.scratch)
        self.err = tempfile.TemporaryFile('w+', dir=tests.scratch)
        for file in (self.out, self.err):  # reading moves the place that the program shares
            flags = fcntl.fcntl(file, fcntl.F_GETFL)
            fcntl.fcntl(file, fcntl.F_SETFL, flags | os.O_APPEND)
        command = list(before) + tests.wrapper + [tests.stage.path(program, flavour)]
        self.popen = subprocess.Popen(command + list(arguments), cwd=tests.scratch,
                                      env=tests.environment, stdin=stdin, stdout=self.out,
                                      stderr=self.err)

    def texts(self):
        read = []
        for file in (self.out, self.err):
            file.seek(0)
            read.append(file.read())
        return read

    def await_line(self, text):
        end = time.monotonic() + SECONDS
        over = False  # asked before the look: the last words of a program count
        while text not in self.texts()[0]:
            if over:
                raise Failed('%s does not say "%s":\n%s%s' % (self.name, text, *self.texts()))
            time.sleep(0.01)
            over = self.popen.poll() is not None or time.monotonic() > end

    def end(self, status=0, says=(), errors=(), without=()):
        """Waits; checks the exit status and what was printed where."""
        try:
            self.popen.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
            raise Failed('%s hangs:\n%s%s' % (self.name, *self.texts())) from None
        out, err = self.texts()
        text = '%s ends with %d:\n%s%s' % (self.name, self.popen.returncode, out, err)
        expect(self.popen.returncode == status, text)
        for wanted in says:
            expect(wanted in out, 'no "%s" on stdout: %s' % (wanted, text))
        for wanted in errors:
            expect(wanted in err, 'no "%s" on stderr: %s' % (wanted, text))
        for unwanted in without:
            expect(unwanted not in out + err, '"%s" in %s' % (unwanted, text))
        return out, err


class Tests:
    """The methods test_* are the cases; those in `valgrind` are run under it, too."""

    valgrind = ['test_programs_run_on_both_sides_at_once', 'test_local_copy', 'test_file_flow',
                'test_event_pairs', 'test_app_copies', 'test_comch_talk', 'test_comch_data',
                'test_comch_data_given_up']

    def __init__(self, stage, wrapper):
        self.stage = stage
        self.wrapper = wrapper
        self.environment = {}
        self.scratch = tempfile.mkdtemp(dir=stage.folder)

    def start(self, program, flavour, *arguments, **options):
        return Process(self, program, flavour, arguments, **options)

    def run(self, program, flavour, *arguments, **wanted):
        return self.start(program, flavour, *arguments).end(**wanted)

    def file(self, name, size=None):
        path = os.path.join(self.scratch, name)
        if size is not None:
            with open(path, 'wb') as file:
                file.write(os.urandom(size))
        return path

    def remove(self, *names):
        for name in names:
            if os.path.exists(self.file(name)):
                os.remove(self.file(name))

    # Programs of one process.

    def test_programs_run_on_both_sides_at_once(self):
        for name in NEUTRAL:
            both = [self.start(name, flavour) for flavour in ('host', 'dpu')]
            for process in both:
                process.end(says=[name + ' finished successfully'])

    def test_local_copy(self):
        for arguments in (['-t', 'of the DPU'], ['-t', 'of the DPU', '-p', '0000:03:00.0'],
                          ['-t', 'of the DPU', '-ns', '3', '-nd', '2'],
                          ['--text', 'of the DPU', '--num-src-buf', '5', '--num-dst-buf', '59'],
                          ['-t', 'of the DPU', '-ns', '30', '-nd', '1']):
            self.run('local_copy', 'dpu', *arguments,
                     says=['The copy reads: of the DPU', 'finished successfully'])
        self.run('local_copy', 'dpu', '-t', 'x' * 4000, '-ns', '7', '-nd', '11',
                 says=['The copy reads: ' + 'x' * 4000])

    def test_local_copy_refuses(self):
        self.run('local_copy', 'host', '-t', 'a', status=1, errors=['on the DPU only'],
                 without=['Device mlx5'])
        for arguments, text in ((['-ns', 'x'], '-ns'), (['-ns', '0x3'], '-ns'),
                                (['--nope'], '--nope'), (['-ns'], '-ns'), (['-nd', '0'], ''),
                                (['-p', '03:0.0'], ''), (['-p', 'b1:00.0'], ''),
                                (['-ns', '40', '-nd', '40'], 'no more than 64'),
                                (['-t', 'x' * 5000], '')):
            self.run('local_copy', 'dpu', *arguments, status=1, errors=[text])

    def test_help_and_version(self):
        self.run('local_copy', 'dpu', '-h',
                 says=['-ns, --num-src-buf', '-nd, --num-dst-buf', '-p, --pci-addr', '-t, --text',
                       '--sdk-log-level', 'DOCA Flags', 'Program Flags'])
        self.run('local_copy', 'host', '-h', says=['--pci-addr'], without=['--num-src-buf'])
        self.run('local_copy', 'dpu', '-v')
        self.run('local_copy', 'dpu', '--version')
        self.run('app_copy', 'host', '-v', says=['app_copy, built for 3.3'])
        self.run('app_copy', 'dpu', '-h', says=['-f, --file', '-r, --rep-pci'])

    def test_parameter_file(self):
        path = self.file('parameters.json')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('{"doca_program_flags": {"text": "from a file", "num-src-buf": 2}}')
        self.run('local_copy', 'dpu', '-j', path, says=['The copy reads: from a file'])
        self.remove('parameters.json')

    # Host and DPU with files between them.

    def offer(self, text, before=()):
        """A host program that offers a text and waits for Enter."""
        host = self.start('file_copy_host', 'host', '-t', text, '-d', self.file('desc'), '-b',
                          self.file('info'), stdin=subprocess.PIPE, before=before)
        host.await_line('press Enter')
        return host

    def fetch(self, *more, **wanted):
        return self.run('file_copy_dpu', 'dpu', '-d', self.file('desc'), '-b', self.file('info'),
                        *more, **wanted)

    def dismiss(self, host):
        host.popen.stdin.write(b'\n')
        host.popen.stdin.close()
        host.end(says=['finished successfully'])

    def test_file_flow(self):
        for text in ('x', 'the whole story of the host', 'y' * 4000):
            host = self.offer(text)
            self.fetch(says=['The host says: ' + text, 'finished successfully'])
            self.fetch('-ns', '3', '-nd', '2', says=['The host says: ' + text])
            self.dismiss(host)

    def test_file_flow_between_network_namespaces(self):
        if os.geteuid() != 0 or subprocess.run(['unshare', '-n', 'true'], check=False,
                                               stderr=subprocess.DEVNULL).returncode:
            return
        host = self.offer('from elsewhere', before=[shutil.which('unshare'), '-n'])
        self.fetch(says=['The host says: from elsewhere'])
        self.dismiss(host)

    def test_file_flow_out_of_order(self):
        self.remove('desc', 'info')
        self.fetch(status=1, errors=['finished with errors'])  # nothing there yet
        first = self.offer('of the first')
        shutil.copy(self.file('desc'), self.file('stale'))
        self.dismiss(first)
        self.fetch(status=1)  # the host has left
        second = self.offer('of the second')
        shutil.move(self.file('stale'), self.file('desc'))
        self.fetch(status=1, without=['The host says'])
        self.dismiss(second)
        self.run('file_copy_host', 'dpu', status=1, errors=['on the host only'])
        self.run('file_copy_dpu', 'host', status=1, errors=['on the DPU only'])

    def test_file_flow_with_bad_descriptors(self):
        host = self.offer('never to be read')
        with open(self.file('desc'), 'rb') as file:
            good = file.read()
        expect(len(good) <= 512, 'a descriptor of %d bytes' % len(good))
        for bad in (b'', good[:-1], good + b'\0', bytes([good[0] ^ 1]) + good[1:],
                    good[:-1] + bytes([good[-1] ^ 0x80])):
            with open(self.file('desc'), 'wb') as file:
                file.write(bad)
            self.fetch(status=1, errors=['finished with errors'], without=['The host says'])
        with open(self.file('desc'), 'wb') as file:
            file.write(good)
        self.fetch(says=['never to be read'])
        self.dismiss(host)

    # Sync events.

    def test_event_pairs(self):
        address = {'host': ['-d', 'b1:00.0'], 'dpu': ['-d', '03:00.0', '-r', 'b1:00.0']}
        modes = [[], ['--async', '--atomic']]
        if not self.wrapper:
            modes += [['--atomic'], ['--async'], ['--async', '--async-num-tasks', '1']]
        for local, remote in (('host', 'dpu'), ('dpu', 'host')):
            for mode in modes:
                self.remove('event')
                more = ['-x', self.file('event')] + mode
                # whichever comes first
                pair = [self.start('event_remote', remote, *address[remote], *more),
                        self.start('event_local', local, *address[local], *more)]
                for process in pair:
                    process.end(says=['finished successfully'])

    def test_event_arguments(self):
        self.run('event_local', 'host', status=1)
        self.run('event_local', 'dpu', '-d', '03:00.0', '-x', 'event', status=1)
        self.run('event_local', 'host', '-d', 'b1:00.0', '-x', 'event', '--async-num-tasks', '0',
                 status=1)

    # The application.

    def app(self, host_file, dpu_file, status):
        """Both sides; returns the two outputs on stderr."""
        dpu = self.start('app_copy', 'dpu', '-f', dpu_file, '-p', '03:00.0', '-r', 'b1:00.0')
        dpu.await_line('Waiting for the host')
        host = self.start('app_copy', 'host', '-f', host_file, '-p', 'b1:00.0')
        return [process.end(status=status)[1] for process in (host, dpu)]

    def copy_with_app(self, size, to_dpu):
        self.remove('here', 'there')
        here, there = self.file('here', size), self.file('there')
        self.app(*((here, there) if to_dpu else (there, here)), status=0)
        with open(here, 'rb') as one, open(there, 'rb') as other:
            expect(one.read() == other.read(), 'the copy of %d bytes differs' % size)
        self.remove('here', 'there')

    def test_app_copies(self):
        for to_dpu in (True, False):
            self.copy_with_app(4096, to_dpu)

    def test_app_copies_both_ways(self):
        for size in (1, 12345, MAX_COPY):
            for to_dpu in (True, False):
                self.copy_with_app(size, to_dpu)

    def test_app_refuses(self):
        self.remove('here', 'there')
        self.app(self.file('here'), self.file('there'), status=1)
        self.app(self.file('here', 10), self.file('there', 10), status=1)
        for size in (MAX_COPY + 1, 0):
            self.remove('here', 'there')
            here, there = self.file('here', size), self.file('there')
            self.app(here, there, status=1)
            self.app(there, here, status=1)
            expect(not os.path.exists(there), 'a refused copy left a file')
        self.remove('here')
        self.run('app_copy', 'host', '-p', 'b1:00.0', status=1)

    # Comch.

    def pair(self, program, *, host=(), dpu=(), host_first=False, before=(), status=0):
        """Both sides of a program, one a moment before the other."""
        pair = {}
        for flavour in ('host', 'dpu') if host_first else ('dpu', 'host'):
            arguments = host if flavour == 'host' else ('-r', 'b1:00.0', *dpu)
            pair[flavour] = self.start(program, flavour, *arguments,
                                       before=before if flavour == 'host' else ())
        for process in pair.values():
            process.end(status=status)
        return {flavour: process.texts()[0] for flavour, process in pair.items()}

    def test_comch_talk(self):
        said = self.pair('comch_talk', host=['-t', 'a question'], dpu=['-t', 'an answer'])
        expect('Message received: a question' in said['dpu'], said['dpu'])
        expect('Message received: an answer' in said['host'], said['host'])
        said = self.pair('comch_talk', host=['-t', 'q' * 4080], dpu=['-t', 'x'], host_first=True)
        expect('q' * 4080 in said['dpu'], said['dpu'])

    def test_comch_talks_all_the_time(self):
        for i in range(100):
            self.pair('comch_talk', host_first=i % 2 == 0)

    def test_comch_data(self):
        said = self.pair('comch_data', host=['-t', 'bytes of the host'], dpu=['-t', 'of the DPU'])
        expect('Data received: bytes of the host' in said['dpu'], said['dpu'])
        expect('Data received: of the DPU' in said['host'], said['host'])

    def test_comch_data_all_the_time(self):
        for i in range(100):
            self.pair('comch_data', host_first=i % 2 == 0)

    def test_comch_data_given_up(self):
        dpu = self.start('comch_data', 'dpu', '--fail')
        host = self.start('comch_data', 'host', '--fail')
        dpu.end(status=1)
        host.end()

    def test_comch_without_the_other_side(self):
        process = self.start('comch_talk', 'host')
        process.await_line('Waiting for the other side')
        process.end(status=1, errors=['did not answer'])
        self.run('comch_talk', 'host', '-p', '03:00.0', status=1)

    def test_comch_between_network_namespaces(self):
        if os.geteuid() != 0 or subprocess.run(['unshare', '-n', 'true'], check=False,
                                               stderr=subprocess.DEVNULL).returncode:
            return
        elsewhere = [shutil.which('unshare'), '-n']
        for program in ('comch_talk', 'comch_data'):
            self.pair(program, before=elsewhere)

    def test_comch_after_a_kill(self):
        for victim, other in (('dpu', 'host'), ('host', 'dpu')):
            first = self.start('comch_data', 'dpu')
            second = self.start('comch_data', 'host', '--fail')  # stays, waiting for the end
            process = {'dpu': first, 'host': second}
            process['dpu'].await_line('Data received')
            process[victim].popen.kill()
            process[victim].popen.wait()
            process[other].end(status=1)
            self.pair('comch_data')

    # What surrounds the programs.

    def test_log_controls(self):
        out, err = self.run('engine_poll', 'host')
        expect('Task 0 is done' in out and not err, 'log lines went astray:\n' + out + err)
        self.run('local_copy', 'dpu', '-l', '10', without=['The copy reads'])
        out, err = self.run('local_copy', 'dpu', '--sdk-log-level', '70')
        for state in ('IDLE', 'RUNNING', 'STOPPING'):
            expect(state in err and state not in out, 'no %s in the trace:\n%s' % (state, err))
        self.environment = {'DOCA_LOG_LEVEL': 'trace'}
        self.run('engine_poll', 'host', errors=['RUNNING', 'STOPPING'])
        self.environment = {}

    def test_trace_libraries_take_the_place_of_the_others(self):
        trace = os.path.join(self.stage.libraries, 'trace')
        if not os.path.isdir(trace):
            return
        self.environment = {'LD_LIBRARY_PATH': trace, 'LD_TRACE_LOADED_OBJECTS': '1'}
        self.run('engine_poll', 'dpu', says=[trace + '/libdoca_dma.so', trace + '/libdoca_common.so'])
        del self.environment['LD_TRACE_LOADED_OBJECTS']
        for name in NEUTRAL:
            self.run(name, 'dpu')
        self.environment = {}

    # RDMA: the roles of its samples, on two sides that find each other by files.

    def rdma(self, first, second, *more, host=True):
        arguments = [('-o', self.file(own), '-c', self.file(peer), *more)
                     for own, peer in (('one', 'other'), ('other', 'one'))]
        flavours = ('host', 'dpu') if host else ('host', 'host')
        is_owner = first[0] == 'owner'
        waits = self.start('rdma_roles', flavours[0], '-m', *first, *arguments[0],
                           stdin=subprocess.PIPE if is_owner else subprocess.DEVNULL)
        self.run('rdma_roles', flavours[1], '-m', *second, *arguments[1],
                 says=['finished successfully'])
        if is_owner:
            waits.popen.stdin.write(b'\n')
            waits.popen.stdin.close()
        said = waits.end(says=['finished successfully'])[0]
        self.remove('one', 'other', 'memory')
        return said

    def test_rdma_roles(self):
        memory = ('-d', self.file('memory'))
        for host in (False, True):
            said = self.rdma(['receive'], ['send', '-t', 'a message'], host=host)
            expect('Received: a message' in said and 'Immediate' not in said, said)
            said = self.rdma(['receive'], ['send_imm', '-t', 'with a number'], host=host)
            expect('Received: with a number' in said and 'Immediate: 0x12345678' in said, said)
            said = self.rdma(['receive'], ['write_imm', '-t', 'announced'], *memory, host=host)
            expect('Received: announced' in said and 'Immediate: 0x12345678' in said, said)
            said = self.rdma(['owner'], ['write', '-t', 'in silence'], *memory, host=host)
            expect('The memory reads: in silence' in said, said)
            self.rdma(['owner', '-t', 'of the owner'], ['read'], *memory, host=host)

    def peers(self, *address):
        self.remove('event')  # the client takes the first one that it sees
        with socket.socket() as held:  # nobody else gets this port meanwhile
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            held.bind(('', 0))
            where = ('-p', str(held.getsockname()[1]), '-e', self.file('event'))
            server = self.start('rdma_peers', 'host', *where)
            server.await_line('Listening')
            self.run('rdma_peers', 'host', *where, *address,
                     says=['read: 7', 'finished successfully'])
            said = server.end(says=['the event is 7', 'all have left', 'finished successfully'])[0]
        for i in range(4):
            expect('connection %d: 64 bytes: message %d' % (i, i) in said, said)

    def test_rdma_peers(self):
        """Several connections each, by all kinds of addresses; an event of the other side."""
        self.peers('-a', '127.0.0.1', '-t', 'IPv4')
        self.peers('-a', '::ffff:127.0.0.1', '-t', 'GID')
        if socket.has_ipv6 and os.path.exists('/proc/net/if_inet6'):
            self.peers('-a', '::1', '-t', 'IPv6')

    def test_nothing_is_left_in_the_folder(self):
        self.remove('desc', 'info', 'event')
        expect(not os.listdir(self.scratch), 'left behind: %s' % os.listdir(self.scratch))


def uncovered():
    """The names that the official programs use and ours do not."""
    sources = ''
    for path in glob.glob(HERE + '/programs/*/*.[ch]*'):
        with open(path, encoding='utf-8') as file:
            sources += file.read()
    with open(os.path.join(HERE, 'names.txt'), encoding='utf-8') as file:
        names = [line.strip() for line in file if not line.startswith('#')]
    # of a member, the member itself
    return [name for name in names
            if not re.search(r'\b%s\b' % re.escape(name.rsplit('.', 1)[-1]), sources)]


def run_cases(tests, cases):
    failures = 0
    for name in cases:
        start = time.monotonic()
        try:
            getattr(tests, name)()
            verdict = 'ok'
        except Failed as failed:
            failures += 1
            verdict = 'FAIL: %s' % failed
            tests.environment = {}
        print('%s%s (%.1f s): %s' % ('valgrind: ' if tests.wrapper else '', name[len('test_'):],
                                     time.monotonic() - start, verdict), flush=True)
    return failures


def wait_until(is_so):
    end = time.monotonic() + SECONDS
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)


def run_all(stage, arguments, tests):
    failures = stage.build_all()
    missing = uncovered()
    if missing:
        failures.append('no program uses ' + ', '.join(missing))
    print('\n'.join(failures) or 'built in both flavours', flush=True)
    if failures:
        return len(failures)
    cases = [name for name in vars(tests) if name.startswith('test_') and arguments.only in name]
    count = run_cases(tests(stage, []), cases)
    valgrind = shutil.which('valgrind')
    if valgrind is None:
        print('valgrind is not installed, nothing is run under it')
    elif not arguments.no_valgrind:
        count += run_cases(tests(stage, [valgrind] + VALGRIND),
                           [name for name in cases if name in tests.valgrind])
    return count


def main(tests, kind, description):
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('prefix')
    parser.add_argument('--only', default='', help='cases with this text in their name')
    parser.add_argument('--keep', action='store_true', help='leave the stage')
    parser.add_argument('--no-valgrind', action='store_true')
    arguments = parser.parse_args()
    stage = Stage(arguments.build, arguments.prefix, kind)
    try:
        return 1 if run_all(stage, arguments, tests) else 0
    finally:
        if arguments.keep:
            print('stage: ' + stage.folder)
        else:
            shutil.rmtree(stage.folder)


if __name__ == '__main__':
    sys.exit(main(Tests, '', __doc__))
