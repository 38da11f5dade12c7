#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Build a CUDA program with simt's nvcc, run it, and look at what it says.

usage: run_cuda.py TOOLKIT PROGRAM.cu [SANITIZERS]

With "address" or "thread" among the sanitizers, programs that say nothing of the kind themselves are built
with it, too.

A program passes when it exits with 0. Comments in it may say otherwise:

    // FLAGS: -DTWICE -fsanitize=address     for nvcc
    // ENV: SIMT_SEED=7                      for the run
    // FAILS: expression                     it must fail, and say this
    // SAYS: expression                      it must say this; may be repeated
    // NO BUILD: expression                  nvcc must refuse it, and say this
    // NEEDS: command                        skipped when this shell command fails
    // WITH: command                         in front of the program, if it works
    // NOT WITH: sanitizer reason            built without it
"""
import os
import re
import subprocess
import sys
import tempfile

SECONDS = 600
SKIPPED = 77


def directives(text, name):
    return [m.strip() for m in re.findall(r'^// %s:(.*)$' % re.escape(name), text, re.M)]


def run(command, environment=None):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', check=False, timeout=SECONDS, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, **(environment or {})))


def fail(why, result):
    print('%s\n--- exit status %d, output:\n%s' % (why, result.returncode, result.stdout))
    return 1


def sanitizer_of(text, wanted):
    """The sanitizer to add, if it works here."""
    if directives(text, 'FAILS') or directives(text, 'NO BUILD') or '-fsanitize' in text:
        return None
    for name in ('address', 'thread'):
        if name in wanted.split(',') and not any(d.startswith(name) for d in directives(text, 'NOT WITH')):
            compiler = os.environ.get('SIMT_CXX') or 'clang++'
            probe = subprocess.run([compiler, '-x', 'c++', '-fsanitize=' + name, '-', '-o', os.devnull], check=False,
                                   input='int main(){}', text=True, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            return None if probe.returncode else name
    return None


def wrapper(lines):
    for line in lines:
        command = line.split()
        if not subprocess.run(command + ['true'], check=False, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode:
            return command
    return []


def check_build(text, built):
    wanted = directives(text, 'NO BUILD')
    if wanted:
        if not built.returncode:
            return fail('nvcc accepts it', built)
        for expression in wanted:
            if not re.search(expression, built.stdout):
                return fail('nvcc does not say "%s"' % expression, built)
        return 0
    if built.returncode:
        return fail('nvcc fails', built)
    if 'warning:' in built.stdout:
        return fail('nvcc warns', built)
    return None


def check_run(text, ran):
    fails = directives(text, 'FAILS')
    if bool(ran.returncode) != bool(fails):
        return fail('the program should have failed' if fails else 'the program fails', ran)
    for expression in fails + directives(text, 'SAYS'):
        if not re.search(expression, ran.stdout, re.M | re.S):
            return fail('the program does not say "%s"' % expression, ran)
    return 0


def main():
    toolkit, program = sys.argv[1:3]
    wanted = sys.argv[3] if len(sys.argv) > 3 else ''
    with open(program, encoding='utf-8') as source:
        text = source.read()
    for command in directives(text, 'NEEDS'):
        if subprocess.run(command, shell=True, check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode:
            print('skipped: "%s" fails' % command)
            return SKIPPED
    environment = dict(e.split('=', 1) for line in directives(text, 'ENV') for e in line.split())
    with tempfile.TemporaryDirectory() as scratch:
        binary = os.path.join(scratch, 'program')
        flags = [f for line in directives(text, 'FLAGS') for f in line.split()]
        front = directives(text, 'WITH')
        sanitizer = sanitizer_of(text, wanted)
        if sanitizer:
            flags += ['-Xcompiler', '-fsanitize=' + sanitizer]
            front = front or ['setarch -R']
        built = run([os.path.join(toolkit, 'bin', 'nvcc'), '-g', '-O2', '-Xcompiler', '-Wall,-Wextra'] + flags +
                    [program, '-o', binary])
        verdict = check_build(text, built)
        if verdict is not None:
            return verdict
        try:
            return check_run(text, run(wrapper(front) + [binary], environment))
        except subprocess.TimeoutExpired as late:
            print('no end after %d s, output:\n%s' % (SECONDS, (late.stdout or b'').decode()))
            return 1


if __name__ == '__main__':
    sys.exit(main())
