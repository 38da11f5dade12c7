#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Build and test in every configuration, and print one sum.

usage: run_checks.py [--jobs N] [--only NAME[,NAME...]] [--list]

Each configuration has a build folder build-<folder> with its logs: <name>.build.log, <name>.log and
meson-logs/<name>.json. Failing tests are printed with their output, and once more in few lines each at
the end, where nobody who sees only the end of a long log misses them. The last line of standard output
is "opendoca: N passed, N failed, N skipped"; the exit status is 0 when none failed.

Programs of cmocka and of Python's unittest count with their cases, any other test as one. The fuzz
targets are run by libFuzzer for FUZZ_SECONDS seconds each when that is set, or for 60 when CI is set, two
of them on each processor.

One run at a time works in a folder. What a run has started ends with it, also when it is killed.
"""
import argparse
import collections
import concurrent.futures
import fcntl
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

Configuration = collections.namedtuple(
    'Configuration', 'name folder options compiler environment suites timeouts')

ASAN = {
    'ASAN_OPTIONS': 'detect_stack_use_after_return=1:strict_string_checks=1:detect_leaks=1:'
                    'check_initialization_order=1',
    'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1',
}
TSAN = {'TSAN_OPTIONS': 'halt_on_error=1:second_deadlock_stack=1'}
RELEASE = ['-Doptimization=3', '-Ddebug=true', '-Db_ndebug=true']
SANITIZED = ['--buildtype=debugoptimized', '-Db_lundef=false', '-Dbench=disabled']
TRACE_LIBRARIES = os.path.join(ROOT, 'build-plain', 'src', 'flavour', 'trace')
# Meson puts folders of its own in front of what the environment says, hence by wrapper.
WRAPPERS = {'trace': shlex.join(['env', 'LD_LIBRARY_PATH=' + TRACE_LIBRARIES])}
RUNNING = ['unit', 'conformance', 'system', 'fuzz']  # suites that run our code
KERNELS = ['gpunetio']  # and code of kernels, with a sanitizer of their own

# Time-outs are multiplied: they end what hangs, and say nothing of who lends his processors to others.
CONFIGURATIONS = [
    # What is installed, with all tests.
    Configuration('plain', 'plain', RELEASE, 'gcc', {}, [], 3),
    # The checked flavour of the libraries under the same programs.
    Configuration('trace', 'plain', RELEASE, 'gcc',
                  {}, RUNNING, 4),
    Configuration('asan', 'asan', SANITIZED + ['-Db_sanitize=address,undefined'], 'gcc', ASAN,
                  RUNNING + KERNELS, 8),
    Configuration('tsan', 'tsan', SANITIZED + ['-Db_sanitize=thread'], 'gcc', TSAN,
                  RUNNING + KERNELS, 10),
]
FUZZ = Configuration('fuzz', 'fuzz', SANITIZED + ['-Db_sanitize=address,undefined', '-Dfuzz=true',
                                                  '-Dtrace_flavour=false'],
                     'clang', ASAN, [], 1)


class Sum:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return '%d passed, %d failed, %d skipped' % (self.passed, self.failed, self.skipped)


def say(text):
    print(text, flush=True)


# The second line: what processes that a test has started say before they exit.
TELLING = re.compile(r'^(\[  FAILED  \] \D|\[  ERROR   \]|\[   LINE   \]|(FAIL|ERROR): |\w*Error: |SUMMARY: |'
                     r'(\w+: )?\S+\.(c|h|cu|cpp):\d+: |'
                     r'.*(runtime error: |: error: ))')
failures = []  # a few lines for each


def telling(output):
    """The lines that tell most of a failure."""
    lines = list(dict.fromkeys(line.rstrip()[:200] for line in output.splitlines()
                               if TELLING.match(line)))
    last = [line[:200] for line in output.splitlines() if line.strip()][-3:]
    return (lines or last)[:10]


def fail(title, output):
    """Prints what failed with the end of its output, and keeps what tells most for the end."""
    say('%s\n%s' % (title, output[-8000:]))
    failures.append('\n'.join([title] + ['    ' + line for line in telling(output)]))


def tail(path, lines=60):
    with open(path, errors='replace') as log:
        return ''.join(log.readlines()[-lines:])


# What we start is told to end when we do.
TIED = ['setpriv', '--pdeathsig', 'TERM'] if shutil.which('setpriv') else []
LOCK_SECONDS = 300
lock = None  # held by all that we start, too


def lock_folder():
    """False: another run works here, and goes on doing so."""
    global lock
    lock = open(os.path.join(ROOT, 'build-checks.lock'), 'w')
    for waited in range(LOCK_SECONDS):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if waited == 0:
                say('another run works in %s; this one waits for its end' % ROOT)
            time.sleep(1)
    say('another run still works in %s; wait for it, or end it' % ROOT)
    return False


def run_logged(command, log, environment=None):
    """Runs with all output in the file `log`; returns the exit status."""
    with open(log, 'ab') as out:
        out.write(('\n$ %s\n' % ' '.join(command)).encode())
        out.flush()
        return subprocess.run(TIED + command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, check=False, pass_fds=[lock.fileno()],
                              env=dict(os.environ, **(environment or {}))).returncode


def build(configuration, jobs, targets=()):
    """Configures and builds; returns the folder, or None after printing why not."""
    folder = os.path.join(ROOT, 'build-' + configuration.folder)
    os.makedirs(folder, exist_ok=True)
    log = os.path.join(ROOT, 'build-%s.log' % configuration.folder)
    open(log, 'w').close()
    options = configuration.options + (['--werror'] if os.environ.get('CI') else [])
    for command in (['devtools/configure.sh', folder] + options,
                    ['ninja', '-C', folder, '-j', str(jobs)] + list(targets)):
        if run_logged(command, log, {'CC': configuration.compiler}):
            fail('%s: the build fails:' % configuration.name, tail(log))
            return None
    return folder


# What a test program says at its end.

CMOCKA = {'passed': re.compile(r'^\[  PASSED  \] (\d+) test', re.M),
          'failed': re.compile(r'^\[  FAILED  \] (\d+) test', re.M),
          'skipped': re.compile(r'^\[  SKIPPED \] (\d+) test', re.M)}


UNITTEST = re.compile(r'^Ran (\d+) tests? in .*\n\n(.*)', re.M)


def cases_of(output):
    """Cases by result, as cmocka and Python's unittest print them."""
    cases = {kind: sum(int(n) for n in pattern.findall(output))
             for kind, pattern in CMOCKA.items()}
    for ran, verdict in UNITTEST.findall(output):
        bad = {word: int(n) for word, n in re.findall(r'(\w+)=(\d+)', verdict)}
        failed = bad.get('failures', 0) + bad.get('errors', 0)
        cases['failed'] += failed
        cases['skipped'] += bad.get('skipped', 0)
        cases['passed'] += int(ran) - failed - bad.get('skipped', 0)
    return cases


def count(result, output):
    """Sum of one test of Meson."""
    cases = cases_of(output)
    total = Sum()
    if result in ('OK', 'EXPECTEDFAIL'):
        total.passed = cases['passed'] or (0 if cases['skipped'] else 1)
        total.skipped = cases['skipped']
    elif result == 'SKIP':
        total.skipped = 1
    else:
        total.passed = cases['passed']
        total.skipped = cases['skipped']
        total.failed = cases['failed'] or 1
    return total


def reason(output):
    """Of a skipped test: its skipped cases, or the last line that it printed."""
    cases = re.findall(r'^\[  SKIPPED \] (?!\d+ test)(.*)', output, re.M)
    lines = [line for line in output.splitlines() if line.strip()]
    return ', '.join(dict.fromkeys(cases)) or ''.join(lines[-1:]) or 'no reason given'


def output_of(entry):
    """Of a test in a Meson log. Programs of cmocka do not end their last line."""
    return '\n'.join(entry.get(stream) or '' for stream in ('stdout', 'stderr'))


def read_log(path):
    """The tests of a Meson log in JSON lines."""
    if not os.path.exists(path):
        return []
    with open(path, errors='replace') as log:
        return [json.loads(line) for line in log if line.strip()]


def test(configuration, folder, jobs):
    """Runs the tests of a configuration; returns their sum."""
    total = Sum()
    name = configuration.name
    wrapper = WRAPPERS.get(name)
    # Meson adds the wrapper's name to that of the log.
    log = os.path.join(folder, 'meson-logs', name + ('-env' if wrapper else '') + '.json')
    if os.path.exists(log):
        os.remove(log)
    command = address_layout(configuration) + [
        'meson', 'test', '-C', folder, '--no-rebuild', '--logbase', name,
        '--num-processes', str(jobs), '--timeout-multiplier', str(configuration.timeouts)]
    for suite in configuration.suites:
        command += ['--suite', suite]
    if wrapper:
        command += ['--wrapper', wrapper]
    status = run_logged(command, os.path.join(folder, name + '.log'), configuration.environment)
    tests = read_log(log)
    for entry in tests:
        output = output_of(entry)
        one = count(entry['result'], output)
        total.add(one)
        if one.failed:
            fail('%s: %s: %s (exit status %s)' % (
                name, entry['name'], entry['result'], entry.get('returncode')), output)
        elif one.skipped:
            say('%s: %s: skipped: %s' % (name, entry['name'], reason(output)))
    if not tests or (status and not total.failed):
        fail('%s: meson test fails:' % name, tail(os.path.join(folder, name + '.log')))
        total.failed += 1
    return total


def address_layout(configuration):
    """ThreadSanitizer of some compilers cannot stand the address layout of some kernels."""
    if configuration.name != 'tsan' or not shutil.which('setarch'):
        return []
    fixed = ['setarch', '-R']
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, 'program')
        made = subprocess.run([configuration.compiler, '-fsanitize=thread', '-x', 'c', '-', '-o',
                               program], input=b'int main(void) { return 0; }', check=False,
                              stderr=subprocess.DEVNULL)
        if made.returncode:
            return []
        works = [not subprocess.run(prefix + [program], check=False, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL).returncode
                 for prefix in ([], fixed) for _ in range(5)]
    return fixed if not all(works[:5]) and all(works[5:]) else []


# Fuzzing.

# A minute each, of the clock: one after the other on every processor would take twice as long.
FUZZ_AT_ONCE = 2


def fuzz_seconds():
    return int(os.environ.get('FUZZ_SECONDS') or (60 if os.environ.get('CI') else 0))


def fuzz_name(program):
    return os.path.basename(program)[len('fuzz-'):]


def fuzz_one(program):
    """Runs one target; returns its name and the log of a finding, or None."""
    name = fuzz_name(program)
    committed = os.path.join(ROOT, 'tests', 'fuzz', name, 'corpus')
    work = os.path.join(os.path.dirname(program), 'work-' + name)
    found = os.path.join(work, 'found')
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(found)
    log = os.path.join(work, 'log')
    status = run_logged([program, '-max_total_time=%d' % fuzz_seconds(), '-timeout=20',
                         '-rss_limit_mb=2048', '-print_final_stats=1', '-close_fd_mask=3',
                         '-artifact_prefix=%s/' % work, found, committed], log, ASAN)
    return name, tail(log, 80) if status else None


def fuzz(jobs):
    total = Sum()
    folder = build(FUZZ, jobs, ['fuzzers'])
    if folder is None:
        total.failed = 1
        return total
    programs = sorted(p for p in glob.glob(os.path.join(folder, 'tests', 'fuzz', 'fuzz-*'))
                      if os.path.isfile(p) and os.access(p, os.X_OK))
    with concurrent.futures.ThreadPoolExecutor(FUZZ_AT_ONCE * jobs) as pool:
        for name, log in pool.map(fuzz_one, programs):
            if log is None:
                total.passed += 1
            else:
                total.failed += 1
                fail('fuzz: %s has a finding:' % name, log)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--only', default='', help='names of configurations')
    parser.add_argument('--list', action='store_true', help='print their names')
    arguments = parser.parse_args()
    names = [c.name for c in CONFIGURATIONS] + (['fuzz'] if fuzz_seconds() else [])
    if arguments.list:
        print('\n'.join(names))
        return 0
    wanted = arguments.only.split(',') if arguments.only else names

    total = Sum()
    if not lock_folder():
        say('opendoca: 0 passed, 1 failed, 0 skipped')
        return 1
    for configuration in CONFIGURATIONS + [FUZZ]:
        if configuration.name not in wanted:
            continue
        start = time.monotonic()
        if configuration is FUZZ:
            one = fuzz(arguments.jobs)
        else:
            one = Sum()
            folder = build(configuration, arguments.jobs)
            if folder is None:
                one.failed = 1
            else:
                one = test(configuration, folder, arguments.jobs)
        say('%s: %s (%d s)' % (configuration.name, one, time.monotonic() - start))
        total.add(one)
    if failures:
        say('What failed:\n' + '\n'.join(failures))
    say('opendoca: %s' % total)
    return 1 if total.failed or not total.passed else 0


if __name__ == '__main__':
    sys.exit(main())
