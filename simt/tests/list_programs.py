#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print the names of the .cu files of a folder, sorted."""
import os
import sys

print('\n'.join(sorted(n for n in os.listdir(sys.argv[1]) if n.endswith('.cu'))))
