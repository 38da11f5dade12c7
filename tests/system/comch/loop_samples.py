#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: loop_samples.py HOST DPU ROUNDS WANTED ARGUMENT...

Runs both programs of a sample again and again, either one first by turns. Each pair must end well,
and the host must print what is wanted. Several pairs run side by side, each in a folder of its own.
"""
import os
import subprocess
import sys
import tempfile
import threading

LANES = 4
PATIENCE = 120  # seconds, of one pair


def start(program, arguments, environment):
    return subprocess.Popen([program, *arguments], env=environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def play(host, dpu, host_first, wanted, arguments, environment):
    """What is wrong, or None."""
    order = [(host, arguments, 'host'), (dpu, [], 'dpu')]
    running = [start(program, given, dict(environment, OPENDOCA_ROLE=role))
               for program, given, role in (order if host_first else reversed(order))]
    try:
        said = [one.communicate(timeout=PATIENCE)[0] for one in running]
    except subprocess.TimeoutExpired:
        said = ['', '']
    finally:
        for one in running:
            one.kill()
            one.wait()
    if any(one.returncode != 0 for one in running) or wanted not in said[0 if host_first else 1]:
        return '%s: %s' % ([one.returncode for one in running], said)
    return None


def main():
    host, dpu, rounds, wanted = sys.argv[1:5]
    failures = []

    def lane(number):
        with tempfile.TemporaryDirectory(prefix='comch-loop-') as folder:
            environment = dict(os.environ, OPENDOCA_RUNTIME_DIR=folder)
            for i in range(number, int(rounds), LANES):
                wrong = play(host, dpu, i // LANES % 2 == 0, wanted, sys.argv[5:], environment)
                if wrong is not None:
                    failures.append('round %d: %s' % (i, wrong))
                    return

    lanes = [threading.Thread(target=lane, args=(number,)) for number in range(LANES)]
    for one in lanes:
        one.start()
    for one in lanes:
        one.join()
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
