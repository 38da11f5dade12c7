# SPDX-License-Identifier: BSD-3-Clause
"""A staged install for a test: what a user has, in a folder of its own, used from there.

As a program, stage.py BUILD BYTES: makes the folder of a stage in which so many more bytes have room,
and prints its name.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

# What could lead a program away from the stage, or change what it says.
FOREIGN = ('OPENDOCA_', 'DOCA_', 'PKG_CONFIG', 'LD_LIBRARY_PATH')

NAME = 'opendoca-stage-%d-'  # with the process that removes it
SCRATCH = 8 << 20            # bytes for the files of a test
AT_ONCE = 4                  # tests that may look for room before the others have taken theirs
LONG_AGO = 6 * 3600          # s; the process may be one that this one cannot see


def sweep(folder):
    """Removes what tests left that were killed."""
    for path in glob.glob(os.path.join(folder, NAME.replace('%d', '*') + '*')):
        owner = re.match(NAME.replace('%d', '([0-9]+)'), os.path.basename(path))
        try:
            old = time.time() - os.lstat(path).st_mtime > LONG_AGO
        except FileNotFoundError:  # its owner removes it at this moment
            continue
        if owner and not os.path.exists('/proc/' + owner.group(1)) and old:
            shutil.rmtree(path, ignore_errors=True)


def installed_bytes(build):
    told = subprocess.run(['meson', 'introspect', '--installed', build], check=True,
                          stdout=subprocess.PIPE).stdout
    return sum(os.path.getsize(path) for path in json.loads(told) if os.path.isfile(path))


def stage_folder(build, more=SCRATCH, owner=None):
    """A new folder where the install and `more` bytes have room: with the temporary files, or else
    where more than a small memory stands behind."""
    needed = installed_bytes(build) * 5 // 4 + more
    for room in (AT_ONCE * needed, needed):
        tried = []
        for folder in (tempfile.gettempdir(), '/var/tmp', os.path.abspath(build)):
            try:
                sweep(folder)
                free = shutil.disk_usage(folder).free
                if free >= room:
                    return tempfile.mkdtemp(prefix=NAME % (owner or os.getpid()), dir=folder)
                tried.append('%s, where %d are free' % (folder, free))
            except OSError as error:
                tried.append('%s: %s' % (folder, error.strerror))
    sys.exit('a staged install needs %d bytes, for which there is no room: %s; set TMPDIR' %
             (needed, '; '.join(tried)))


class Stage:
    """The tree is at `prefix`; `scratch` is for the test's own files. Other users can read both."""

    def __init__(self, build, prefix):
        self.root = stage_folder(build)
        os.chmod(self.root, 0o755)
        subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir',
                        self.root], check=True)
        self.prefix = os.path.join(self.root, prefix.lstrip('/'))
        self.libdir = os.path.realpath(os.path.join(self.prefix, 'lib64'))
        self.scratch = os.path.join(self.root, 'scratch')
        os.mkdir(self.scratch)

    def tool(self, name):
        return os.path.join(self.prefix, 'tools', name)

    def file(self, name, text):
        path = os.path.join(self.scratch, name)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        return path

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)


def library_path():
    """Of the checked flavour when that is what is tested; else the tree's programs find their own."""
    return ':'.join(folder for folder in os.environ.get('LD_LIBRARY_PATH', '').split(':')
                    if folder.endswith('/trace')) or None


def clean_environment(**more):
    """This environment without what is meant for other programs; None removes a variable."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
    more.setdefault('LD_LIBRARY_PATH', library_path())
    kept.update({k: v for k, v in more.items() if v is not None})
    return kept


if __name__ == '__main__':
    print(stage_folder(sys.argv[1], int(sys.argv[2]), os.getppid()))
