#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that words with a known danger do not occur where they are not wanted.

usage: check_tokens.py ROOT

Each rule: what, in which folders, except in which files, and why. Comments and strings do not count.
"""
import collections
import re
import sys

sys.dont_write_bytecode = True
import sources

Rule = collections.namedtuple('Rule', 'pattern folders allowed why')

LIBRARIES = ('src/util', 'src/soft', 'src/core', 'src/dma', 'src/argp', 'src/comch',
             'src/urom/host', 'src/urom/wire')
# Vendor-documented: argp prints its help, version and usage, and leaves after them.
ARGP = ('src/argp/',)
LOG = ('src/core/log',)
# Where the environment is read; all names are in docs/environment.md or the README.
ENVIRONMENT = ('src/soft/device/', 'src/soft/copy/', 'src/soft/gpu/', 'src/soft/service/',
               'src/soft/link/', 'src/soft/peer/', 'src/core/log', 'src/argp/', 'src/rdma/exchange',
               'src/util/config', 'src/urom/host/environment', 'src/urom/daemon/options',
               'src/urom/plugin/am/dpu/handlers')

RULES = [
    Rule(r'\b(?:v?printf|puts|putchar|perror)\s*\(', LIBRARIES, ARGP + LOG,
         'libraries log, they do not write to standard output'),
    Rule(r'\b(?:stdout|stderr)\b', LIBRARIES, ARGP + LOG,
         'libraries log, they do not write to standard streams'),
    Rule(r'\b(?:exit|_exit|_Exit|abort|quick_exit)\s*\(', LIBRARIES, ARGP,
         'libraries return errors'),
    Rule(r'\b(?:secure_)?getenv\s*\(', ('src',), ENVIRONMENT + ('src/tools/',),
         'the environment is read in few, listed places'),
    Rule(r'\b(?:setenv|putenv|unsetenv|clearenv)\s*\(', LIBRARIES, (),
         'the environment belongs to the program'),
    Rule(r'\b(?:sleep|usleep|nanosleep|clock_nanosleep)\s*\(', ('tests',), (),
         'a sleep is no synchronisation; wait for the event'),
    Rule(r'\b(?:strcpy|strcat|sprintf|vsprintf|gets|strtok|mktemp|tmpnam|alloca)\s*\(',
         ('src', 'bench', 'samples'), (), 'unbounded, or not thread safe'),
    Rule(r'\b(?:atoi|atol|atoll|atof)\s*\(', ('src', 'bench', 'samples'), (),
         'accepts anything; use util/parse.h'),
    Rule(r'__attribute__\s*\(\(\s*(?:constructor|destructor)', ('src',), (),
         'start-up has an order: tables are static, set-up is on first use'),
    Rule(r'\b(?:system|popen)\s*\(', ('src/util', 'src/soft', 'src/core', 'src/dma', 'src/argp'),
         (), 'libraries start no shell'),
    Rule(r'\b(?:assert_true|assert_false)\s*\(\s*(?:1|true|false|0)\s*\)', ('tests',), (),
         'asserts nothing'),
]


def main():
    root = sys.argv[1]
    complaints = []
    for rule in RULES:
        pattern = re.compile(rule.pattern)
        for path in sources.files(root, rule.folders, ('.c', '.h', '.cuh')):
            if path.startswith(rule.allowed):
                continue
            for number, line in enumerate(sources.code(sources.read(root, path)).split('\n'), 1):
                found = pattern.search(line)
                if found:
                    complaints.append('%s:%d: %s: %s' % (path, number, found.group(0).strip('( '),
                                                         rule.why))
    print('\n'.join(complaints + ['%d rules, %d complaints' % (len(RULES), len(complaints))]))
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
