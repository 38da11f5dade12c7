#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that each source names its licence in its first line (second, behind "#!").

usage: check_spdx.py ROOT
"""
import os
import sys

sys.dont_write_bytecode = True
import sources

CHECKED = ('.c', '.h', '.S', '.cuh', '.cpp', '.py', '.sh', '.build', '.meson', '.map')
LICENCE = 'SPDX-License-Identifier: BSD-3-Clause'
ALONE = ('Makefile', 'meson.build', 'meson_options.txt', '.clang-format', '.ci/run')


def main():
    root = sys.argv[1]
    paths = sources.files(root, extensions=CHECKED) + [
        p for p in ALONE if os.path.exists(os.path.join(root, p))]
    without = []
    for path in paths:
        lines = sources.read(root, path).split('\n')
        line = lines[1] if lines[0].startswith('#!') and len(lines) > 1 else lines[0]
        if LICENCE not in line:
            without.append(path)
    print('\n'.join(without + ['%d files, %d without a licence line' % (len(paths), len(without))]))
    return 1 if without else 0


if __name__ == '__main__':
    sys.exit(main())
