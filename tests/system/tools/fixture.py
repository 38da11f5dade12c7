# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the tools share: one staged install a test program, and how a tool is run.

usage of each test program: test_X.py BUILD PREFIX [HELPER] [unittest arguments]
"""
import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from stage import Stage, clean_environment

TIMEOUT = 120

STAGE = None
HELPER = None  # a program that the build made for the test

ZERO_DEVICES = '{"devices": []}'


def devices_file(*devices, **top):
    return json.dumps(dict(top, devices=list(devices)))


class ToolTest(unittest.TestCase):
    maxDiff = None

    def run_tool(self, name, *arguments, status=0, role=None, config=None, env=None, **options):
        """Runs a program of the stage (or of a path) and returns its result."""
        environment = clean_environment(OPENDOCA_ROLE=role, OPENDOCA_CONFIG=config, **(env or {}))
        path = name if os.path.isabs(name) else STAGE.tool(name)
        for stream, default in (('stdin', subprocess.DEVNULL), ('stdout', subprocess.PIPE),
                                ('stderr', subprocess.PIPE)):
            options.setdefault(stream, default)
        result = subprocess.run([path] + list(arguments), check=False, text=True, timeout=TIMEOUT,
                                env=environment, **options)
        if status is not None:
            self.assertEqual(result.returncode, status,
                             '%s %s\n%s%s' % (name, arguments, result.stdout, result.stderr))
        return result

    def scratch_file(self, text, name=None):
        return STAGE.file(name or self.id().rsplit('.', 1)[-1], text)

    def example_config(self):
        return os.path.join(STAGE.prefix, 'share', 'opendoca', 'devices.example.json')


def version():
    with open(os.path.join(STAGE.prefix, 'VERSION'), encoding='utf-8') as file:
        return file.read().rstrip('\n')


def main():
    global STAGE, HELPER
    build, prefix = sys.argv[1:3]
    rest = sys.argv[3:]
    if rest and os.path.isabs(rest[0]):
        HELPER = rest.pop(0)
    STAGE = Stage(build, prefix)
    try:
        unittest.main(module='__main__', argv=[sys.argv[0]] + rest, verbosity=2)
    finally:
        STAGE.remove()
