#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print the paths of all test_*.c files below a folder, sorted, relative to it."""
import os
import sys

root = sys.argv[1]
found = []
for folder, _, files in os.walk(root):
    found += [os.path.relpath(os.path.join(folder, f), root)
              for f in files if f.startswith("test_") and f.endswith(".c")]
print("\n".join(sorted(found)))
