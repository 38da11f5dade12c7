#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print the paths of all files of a kind below a folder, sorted, relative to it.

usage: list_tests.py FOLDER [PATTERN]      (PATTERN: of the file's name, default test_*.c)
"""
import fnmatch
import os
import sys

root = sys.argv[1]
pattern = sys.argv[2] if len(sys.argv) > 2 else "test_*.c"
found = []
for folder, _, files in os.walk(root):
    found += [os.path.relpath(os.path.join(folder, f), root)
              for f in files if fnmatch.fnmatch(f, pattern)]
print("\n".join(sorted(found)))
