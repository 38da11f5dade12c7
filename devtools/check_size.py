#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that functions and files stay short.

usage: check_size.py ROOT

No function above 120 lines, no file above 1000. In src/ also the whole is held: a median of at most
20 lines and a 90th percentile of at most 55.
"""
import sys

sys.dont_write_bytecode = True
import sources

FUNCTION_LINES, FILE_LINES = 120, 1000
MEDIAN, P90 = 20, 55
# What it declares, and in which file, is not ours to choose.
LONG_FILES = ('include/doca_flow.h', 'include/doca_rdma.h')
CHECKED = ('.c', '.h', '.cuh', '.py', '.sh', '.build', '.meson')


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0


def main():
    root = sys.argv[1]
    complaints = []
    for path in sources.files(root, extensions=CHECKED):
        lines = sources.read(root, path).count('\n')
        if lines > FILE_LINES and path not in LONG_FILES:
            complaints.append('%s: %d lines, limit %d' % (path, lines, FILE_LINES))
    for folder in ('src', 'tests', 'bench', 'samples'):
        found = [f for path in sources.files(root, (folder,), ('.c', '.h'))
                 for f in sources.functions(root, path)]
        complaints += ['%s:%d: %s() has %d lines, limit %d' % (
            f.path, f.line, f.name, f.lines, FUNCTION_LINES)
                       for f in found if f.lines > FUNCTION_LINES]
        lengths = [f.lines for f in found]
        median, p90 = percentile(lengths, 0.5), percentile(lengths, 0.9)
        print('%s: %d functions, median %d lines, 90th percentile %d' % (
            folder, len(lengths), median, p90))
        if folder == 'src' and (median > MEDIAN or p90 > P90):
            complaints.append('src: median above %d or 90th percentile above %d' % (MEDIAN, P90))
    print('\n'.join(complaints + ['%d complaints' % len(complaints)]))
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
