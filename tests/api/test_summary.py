#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the sum of devtools/run_checks.py shows of a test that fails.

usage: test_summary.py ROOT
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv.pop(1), 'devtools'))
import run_checks

CMOCKA = {
    'stdout': '[ RUN      ] dies\n[  FAILED  ] dies\n[==========] 1 test(s) run.',
    'stderr': '%s\n[  ERROR   ] --- 0x1 != 0\n[   LINE   ] --- ../tests/test_death.c:121: error: Failure!\n',
}


def shown_of(said):
    return run_checks.telling(run_checks.output_of(dict(CMOCKA, stderr=CMOCKA['stderr'] % said)))


class Summary(unittest.TestCase):
    def test_what_a_child_said_is_shown(self):
        for said in ('30265: ../tests/lib/rdma_fixture.h:314: not so: poll(&fd, 1, 60000) == 1',
                     'host: ../tests/lib/comch_fixture.h:41: not so: a == b',
                     '../tests/conformance/link/rig.h:254: not so: a == b',
                     '7: ../tests/t.c:9: end_send(&end) is DOCA_ERROR_AGAIN, not DOCA_SUCCESS'):
            self.assertIn(said, shown_of(said))

    def test_noise_is_not(self):
        self.assertEqual(shown_of('2026 [WRN] rdma: the peer is gone'),
                         ['[  FAILED  ] dies', '[  ERROR   ] --- 0x1 != 0',
                          '[   LINE   ] --- ../tests/test_death.c:121: error: Failure!'])


if __name__ == '__main__':
    unittest.main()
