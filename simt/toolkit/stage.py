#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lay out the toolkit in the build folder as it is installed, by links.

usage: stage.py SOURCE STAGE STAMP LIBRARY...
"""
import os
import sys

SCRIPTS = ('libcudart.so', 'libcudart_static.a', 'libcuda.so')


def link(target, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.islink(path) or os.path.exists(path):
        if os.path.islink(path) and os.readlink(path) == target:
            return
        os.remove(path)
    os.symlink(target, path)


def main():
    source, stage, stamp = (os.path.abspath(p) for p in sys.argv[1:4])
    for name in os.listdir(os.path.join(source, 'bin')):
        link(os.path.join(source, 'bin', name), os.path.join(stage, 'bin', name))
    link(os.path.join(source, 'include'), os.path.join(stage, 'include'))
    link(os.path.join(source, 'nvcc'), os.path.join(stage, 'libexec', 'nvcc'))
    link(os.path.join(source, 'gdb'), os.path.join(stage, 'share', 'gdb'))
    link('lib64', os.path.join(stage, 'lib'))
    link(os.path.join(source, 'version.txt'), os.path.join(stage, 'version.txt'))
    os.makedirs(os.path.join(stage, 'nvvm', 'libdevice'), exist_ok=True)
    for name in SCRIPTS:
        link(os.path.join(source, 'lib', 'libcudart.so'), os.path.join(stage, 'lib64', name))
    for library in sys.argv[4:]:
        library = os.path.abspath(library)
        name = os.path.basename(library)
        link(library, os.path.join(stage, 'lib64', name))
        if '.so.' in name:
            base = name[:name.index('.so.')] + '.so'
            link(name, os.path.join(stage, 'lib64', base))
            link(name, os.path.join(stage, 'lib64', base + '.' + name.split('.so.')[1].split('.')[0]))
    with open(stamp, 'w', encoding='utf-8') as done:
        done.write('%s\n' % stage)


if __name__ == '__main__':
    main()
