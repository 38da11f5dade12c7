#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tools that only look: no privileges, no configuration, no files left behind."""
import os
import pwd
import resource
import shutil
import unittest

import fixture
from fixture import ToolTest

HAS_FILES = 'thread' in os.environ.get('OD_SANITIZE', '')

LOOKING = [
    ['doca_caps'], ['doca_caps', '--list-devs', '--list-rep-devs', '--list-libs', '--list-loggers'],
    ['doca_caps', '--sdk-log-level', '70'], ['doca-env'], ['doca-env', '--json'],
    ['doca-capability-snapshot'], ['doca-collect-host-state'], ['doca-collect-dpu-state'],
    ['doca-validate', 'doca-common', '/etc/passwd'], ['opendoca', 'device', 'list'],
]


def picture(folder):
    """Every path below a folder with what would change when it is written."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            status = os.lstat(path)
            found[path] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
    return found


def write_nothing():
    """A program that writes to a file is ended by a signal."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


class Harmless(ToolTest):
    def setUp(self):
        self.home = os.path.join(fixture.STAGE.scratch, 'home')
        os.mkdir(self.home)
        os.chmod(self.home, 0o777)
        self.home_environment = {name: self.home for name in (
            'HOME', 'TMPDIR', 'XDG_RUNTIME_DIR', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME',
            'XDG_DATA_HOME', 'XDG_STATE_HOME')}

    def tearDown(self):
        shutil.rmtree(self.home)

    def look(self, **options):
        for role in ('host', 'dpu'):
            for command in LOOKING:
                before = picture(fixture.STAGE.root)
                self.run_tool(*command, role=role, cwd=self.home, env=self.home_environment,
                              preexec_fn=write_nothing, **options)
                self.assertEqual(picture(fixture.STAGE.root), before, command)

    @unittest.skipIf(HAS_FILES, 'ThreadSanitizer maps a file of its own')
    def test_nothing_is_written(self):
        self.look()

    @unittest.skipIf(HAS_FILES, 'ThreadSanitizer maps a file of its own')
    @unittest.skipIf(os.geteuid() != 0, 'only root can become somebody else')
    def test_nobody_can_look(self):
        nobody = pwd.getpwnam('nobody')
        self.look(user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])

    def test_the_tree_can_be_moved(self):
        moved = os.path.join(fixture.STAGE.scratch, 'elsewhere')
        shutil.copytree(fixture.STAGE.prefix, moved, symlinks=True)
        out = self.run_tool(os.path.join(moved, 'bin', 'doca-env'), '--json').stdout
        self.assertIn(os.path.join(moved, 'samples', 'doca_dma'), out)
        self.assertIn('"consistent": true', out)
        shutil.rmtree(moved)

    def test_programs_are_found_by_either_folder(self):
        tools = sorted(os.listdir(os.path.join(fixture.STAGE.prefix, 'tools')))
        links = os.path.join(fixture.STAGE.prefix, 'bin')
        self.assertEqual(sorted(os.listdir(links)), tools)
        for name in tools:
            self.assertEqual(os.readlink(os.path.join(links, name)), '../tools/' + name)
            self.run_tool(os.path.join(links, name), '--version')

    def test_libraries_are_found_by_either_folder(self):
        link = os.path.join(fixture.STAGE.prefix, 'lib64')
        self.assertTrue(os.path.islink(link))
        self.assertFalse(os.path.isabs(os.readlink(link)))
        self.assertTrue(os.path.exists(os.path.join(link, 'libdoca_common.so')))


if __name__ == '__main__':
    fixture.main()
