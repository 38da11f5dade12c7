# SPDX-License-Identifier: BSD-3-Clause
"""Which files the source checks look at, and C text without comments."""
import os
import re

FOLDERS = ('include', 'src', 'simt', 'tests', 'bench', 'samples', 'devtools', 'data', '.ci')
SKIPPED = ('corpus', '__pycache__')


def files(root, folders=FOLDERS, extensions=None):
    """Paths relative to root, sorted; links are left out."""
    found = []
    for folder in folders:
        for place, inner, names in os.walk(os.path.join(root, folder)):
            inner[:] = [d for d in inner if d not in SKIPPED]
            for name in names:
                path = os.path.join(place, name)
                if os.path.islink(path) or (extensions and
                                            os.path.splitext(name)[1] not in extensions):
                    continue
                found.append(os.path.relpath(path, root))
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as source:
        return source.read()


TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def code(text, keep_strings=False):
    """C text with comments (and the contents of strings) blanked; lines keep their numbers."""
    def blank(found):
        token = found.group(0)
        if token.startswith('/'):
            return re.sub(r'[^\n]', ' ', token)
        return token if keep_strings else token[0] + ' ' * (len(token) - 2) + token[-1]
    return TOKEN.sub(blank, text)


class Function:
    """A function definition in Linux style: its braces stand in the first column."""

    def __init__(self, path, line, lines, name, body):
        self.path, self.line, self.lines, self.name, self.body = path, line, lines, name, body


def functions(root, path):
    """The function definitions of a C file; bodies without comments and strings."""
    lines = code(read(root, path)).split('\n')
    found = []
    for start, line in enumerate(lines):
        if line != '{':
            continue
        end = next((i for i in range(start, len(lines)) if lines[i] == '}'), None)
        first = start
        while first > 0 and lines[first - 1].strip() and lines[first - 1][0] not in '}#' and (
                not lines[first - 1].rstrip().endswith(';')):
            first -= 1
        name = re.search(r'(\w+)\s*\(', re.sub(r'__attribute__\s*\(\(.*?\)\)', '',
                                               ' '.join(lines[first:start])))
        if end is not None and name:
            found.append(Function(path, first + 1, end - first + 1, name.group(1),
                                  '\n'.join(lines[start + 1:end])))
    return found
