# SPDX-License-Identifier: BSD-3-Clause
"""A staged install for a test: what a user has, in a folder of its own, used from there."""
import os
import shutil
import subprocess
import tempfile

# What could lead a program away from the stage, or change what it says.
FOREIGN = ('OPENDOCA_', 'DOCA_', 'PKG_CONFIG', 'LD_LIBRARY_PATH')


class Stage:
    """The tree is at `prefix`; `scratch` is for the test's own files. Other users can read both."""

    def __init__(self, build, prefix):
        self.root = tempfile.mkdtemp(prefix='opendoca-stage-')
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
