#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that each layer includes only what lies below it.

usage: check_includes.py ROOT

    util < soft < core < libraries < tools

A room is a folder of src/. The table below says, room by room, which paths it may include with
quotes; a room always sees itself. Public headers are included with <>; util and soft see none.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
import sources

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
PUBLIC = re.compile(r'^(doca_\w+\.c?u?h|opendoca\.h|impl/.*)$')
# What the software NIC has in common with kernels: plain C that names nothing of the API.
SHARED = re.compile(r'^impl/opendoca_gpu_(ring|barrier)\.h$')

SOFT_DOORS = ('soft/soft.h', 'soft/device/', 'soft/service/', 'util/')

LIBRARY = ('core/core_priv.h', 'soft/', 'util/')

# room -> what it may include beside itself; the longest matching room counts.
RULES = {
    'util': (),
    'soft': ('util/',),
    'soft/device': ('soft/soft.h', 'util/'),
    'soft/service': ('soft/soft.h', 'util/'),
    'soft/peer': SOFT_DOORS + ('soft/link/link.h',),
    'soft/copy': SOFT_DOORS + ('soft/peer/',),
    'soft/link': SOFT_DOORS,
    'soft/cm': SOFT_DOORS,
    'soft/nic': SOFT_DOORS + ('soft/gpu/',),
    'soft/gpu': SOFT_DOORS,
    'soft/dma': SOFT_DOORS + ('soft/copy/', 'soft/gpu/', 'soft/nic/mkey.h'),
    # The rooms of core meet in core_priv.h; what lies directly in core/ is seen by itself.
    'core': ('soft/', 'util/'),
    'core/dev': ('core/core_priv.h', 'soft/', 'util/'),
    'core/mem': ('core/core_priv.h', 'soft/', 'util/'),
    'core/progress': ('core/core_priv.h', 'soft/', 'util/'),
    'core/sync': ('core/core_priv.h', 'soft/', 'util/'),
    # The host half of UROM is a library; its daemon and workers are programs. They meet in wire/.
    'urom/wire': ('util/',),
    'urom/host': LIBRARY + ('urom/wire/',),
    'urom/daemon': ('urom/wire/', 'soft/', 'util/'),
    'urom/worker': ('urom/wire/', 'soft/', 'util/'),
    # Plugins: common/ of each is seen by both of its halves. Host halves are a library.
    'urom/plugin': ('util/',),
    'urom/plugin/common': LIBRARY,
    'urom/plugin/amo': LIBRARY + ('urom/plugin/common/',),
    'urom/plugin/coll': LIBRARY + ('urom/plugin/common/',),
    'urom/plugin/rma': LIBRARY + ('urom/plugin/common/',),
    'urom/plugin/am': LIBRARY + ('urom/plugin/common/',),
    'urom/plugin/rdmo': LIBRARY + ('urom/plugin/common/',),
    'urom/plugin/sandbox': LIBRARY + ('urom/plugin/common/',),
    'tools': ('soft/', 'util/'),
    'tools/doca_urom_ctl': ('urom/wire/', 'soft/', 'util/'),
    'tools/opendoca': ('tools/common/', 'urom/wire/', 'soft/', 'util/'),
}
NO_DOCA = ('util', 'soft')


def room_of(path):
    """The room of a file of src/, and what it may include."""
    folder = os.path.dirname(path)
    while folder and folder not in RULES and '/' in folder:
        folder = os.path.dirname(folder)
    return folder, RULES.get(folder, LIBRARY)


def check_source(root, path):
    inner = path[len('src/'):]
    room, allowed = room_of(inner)
    # core/core_priv.h and its neighbours: not the rooms below them.
    own = (room + '/',)
    for line, (quote, name) in includes(root, path):
        where = '%s:%d: ' % (path, line)
        if quote == '<':
            if (PUBLIC.match(name) and not SHARED.match(name) and
                    room.split('/')[0] in NO_DOCA):
                yield where + '<%s>: %s/ knows no DOCA' % (name, room.split('/')[0])
            continue
        if PUBLIC.match(name):
            yield where + '"%s": public headers are included with <>' % name
        elif not os.path.isfile(os.path.join(root, 'src', name)):
            yield where + '"%s": no such file below src/' % name
        elif os.path.dirname(name) == os.path.dirname(inner):
            continue
        elif not name.startswith(allowed) and not (name.startswith(own) and
                                                   room_of(name)[0] == room):
            yield where + '"%s": %s/ may include %s' % (
                name, room, ', '.join(own + allowed))


def check_public(root, path):
    for line, (quote, name) in includes(root, path):
        if quote == '"':
            yield '%s:%d: "%s": public headers include with <>' % (path, line, name)
        elif PUBLIC.match(name) and not os.path.isfile(os.path.join(root, 'include', name)):
            yield '%s:%d: <%s>: no such public header' % (path, line, name)
        elif os.path.isfile(os.path.join(root, 'src', name)):
            yield '%s:%d: <%s>: a private header' % (path, line, name)


def check_sample(root, path):
    """Samples are built by users: nothing but public headers and their own folder."""
    for line, (quote, name) in includes(root, path):
        if quote == '"' and os.path.isfile(os.path.join(root, 'src', name)):
            yield '%s:%d: "%s": a private header' % (path, line, name)


def includes(root, path):
    text = sources.code(sources.read(root, path), keep_strings=True)
    for found in INCLUDE.finditer(text):
        yield text.count('\n', 0, found.start()) + 1, found.groups()


def main():
    root = sys.argv[1]
    checks = {'src': check_source, 'include': check_public, 'samples': check_sample}
    complaints, number = [], 0
    for folder, check in checks.items():
        for path in sources.files(root, (folder,), ('.c', '.h', '.cuh')):
            complaints += check(root, path)
            number += 1
    print('\n'.join(complaints + ['%d files, %d complaints' % (number, len(complaints))]))
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
