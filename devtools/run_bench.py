#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run the benchmarks of a build folder and gather their results.

usage: run_bench.py BUILD [--output FILE] [--only NAME[,NAME...]]

A program prints one JSON object a line on standard output, all of whose members are required:

    bench, case, unit    what was measured
    ours                 our value, the median of `runs` runs; min, median, max: of the same runs
    peer, peer_value     what stands beside it in the same run ("memcpy"), and its value; or null
    ratio                above 1 means that we are better; null without a peer, or where it has 0

Lines that are no JSON object are comments and are passed on. The output is one JSON array, and a table
on standard output. Programs run one after the other: they want the machine for themselves.
"""
import argparse
import json
import os
import subprocess
import sys

FIELDS = ('bench', 'case', 'unit', 'ours', 'peer', 'peer_value', 'ratio', 'runs', 'min', 'median',
          'max')
COLUMNS = ('bench', 'case', 'ours', 'unit', 'peer', 'peer_value', 'ratio', 'min', 'max', 'runs')


def programs(build):
    text = subprocess.run(['meson', 'introspect', '--benchmarks', build], check=True, text=True,
                          capture_output=True).stdout
    return sorted(json.loads(text), key=lambda b: b['name'])


def run(program, build):
    """The results of one program, and whether it went well. As with `meson test`, paths of programs
    that Meson did not link itself are relative to the build folder."""
    process = subprocess.Popen(program['cmd'], stdout=subprocess.PIPE, text=True,
                               cwd=program['workdir'] or build,
                               stdin=subprocess.DEVNULL, env=dict(os.environ, **program['env']))
    results, good = [], True
    for line in process.stdout:
        if not line.startswith('{'):
            print(line, end='', flush=True)
            continue
        try:
            result = json.loads(line)
        except ValueError:
            print('%s: not JSON: %s' % (program['name'], line), end='')
            good = False
            continue
        missing = [f for f in FIELDS if f not in result]
        if missing:
            print('%s: without %s: %s' % (program['name'], ', '.join(missing), line), end='')
            good = False
        else:
            results.append({field: result[field] for field in FIELDS})
    if process.wait():
        print('%s: exit status %d' % (program['name'], process.returncode))
        good = False
    return results, good


def show(value):
    if value is None:
        return '-'
    return '%.4g' % value if isinstance(value, float) else str(value)


def table(results):
    rows = [COLUMNS] + [tuple(show(r[c]) for c in COLUMNS) for r in results]
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    for row in rows:
        print('  '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('--output', default='bench-results.json')
    parser.add_argument('--only', default='')
    arguments = parser.parse_args()
    results, good = [], True
    for program in programs(arguments.build):
        if arguments.only and program['name'] not in arguments.only.split(','):
            continue
        print('== ' + program['name'], flush=True)
        one, fine = run(program, arguments.build)
        results += one
        good = good and fine
    with open(arguments.output, 'w', encoding='utf-8') as output:
        output.write('[\n%s\n]\n' % ',\n'.join('  ' + json.dumps(r) for r in results))
    table(results)
    print('%d results in %s' % (len(results), arguments.output))
    return 0 if good and results else 1


if __name__ == '__main__':
    sys.exit(main())
