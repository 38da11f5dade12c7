#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that a shared library exports what its headers declare, no less and no more.

usage: check_exports.py LIBRARY HEADER_OR_FOLDER...
"""
import glob
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import gen_symbol_map


def exported(library):
    """Names of the defined dynamic symbols, without version nodes."""
    text = subprocess.run(['nm', '-D', '--defined-only', library], check=True, text=True,
                          capture_output=True).stdout
    names = set()
    for line in text.splitlines():
        kind, name = line.split()[-2:]
        if kind != 'A':
            names.add(name.split('@')[0])
    return names


def main():
    library, headers = sys.argv[1], []
    for path in sys.argv[2:]:
        headers += sorted(glob.glob(os.path.join(path, '**', '*.h'), recursive=True)) if (
            os.path.isdir(path)) else [path]
    has = exported(library)
    declared = set().union(*gen_symbol_map.collect(headers).values())
    for name in sorted(declared - has):
        print('%s: declared, not exported' % name)
    for name in sorted(has - declared):
        print('%s: exported, not declared' % name)
    print('%s: %d symbols' % (library, len(has)))
    return 1 if has != declared or not has else 0


if __name__ == '__main__':
    sys.exit(main())
