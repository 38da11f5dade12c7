# SPDX-License-Identifier: BSD-3-Clause
"""Tokens of preprocessed C++, with the line markers between them."""
import bisect
import re

TOKEN = re.compile(r'''
   (?P<line>^\#[^\n]*\n?)
 | (?P<raw>(?:u8|[uUL])?R"(?P<fence>[^()\\\s]{0,16})\(.*?\)(?P=fence)")
 | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"(?:_\w+)?)
 | (?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*')
 | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
 | (?P<word>[A-Za-z_$][\w$]*)
 | (?P<launch><<<)
 | (?P<space>\s+)
 | (?P<other>.)
''', re.X | re.M | re.S)

MARKER = re.compile(r'^# (\d+) "((?:[^"\\\n]|\\.)*)"([ \d]*)$', re.M)

OPENING = {'(': ')', '[': ']', '{': '}'}
CLOSING = {')': '(', ']': '[', '}': '{'}


class Token:
    __slots__ = ('kind', 'text', 'start', 'end')

    def __init__(self, kind, text, start, end):
        self.kind, self.text, self.start, self.end = kind, text, start, end

    def __repr__(self):
        return self.text


class Places:
    """From an offset in the preprocessed text to the user's file and line."""

    def __init__(self, text):
        self.text = text
        self.offsets, self.files = [0], [('<stdin>', 1)]
        for found in MARKER.finditer(text):
            name = re.sub(r'\\(.)', r'\1', found.group(2))
            self.offsets.append(found.end() + 1)
            self.files.append((name, int(found.group(1))))

    def place(self, offset):
        """(file, line, column)"""
        index = bisect.bisect_right(self.offsets, offset) - 1
        start = self.offsets[index]
        name, line = self.files[index]
        before = self.text[start:offset]
        column = len(before) - (before.rfind('\n') + 1) + 1
        return name, line + before.count('\n'), column


def segments(text):
    """(start, end) of what has to be looked at: the user's text, and system headers with device code."""
    bounds, own = [(0, False)], set()
    for found in MARKER.finditer(text):
        # GCC marks what a system header's macro leaves in the user's file, too.
        system = '3' in found.group(3).split() and found.group(2) not in own
        if not system:
            own.add(found.group(2))
        bounds.append((found.end() + 1, system))
    for (start, system), (end, _) in zip(bounds, bounds[1:] + [(len(text), False)]):
        part = text[start:end]
        if not system or '__simt_' in part or '<<<' in part:
            yield start, end, system


def tokenize(text, start, end):
    """Tokens without white space, line markers and pragmas."""
    made = []
    for found in TOKEN.finditer(text, start, end):
        kind = found.lastgroup if found.lastgroup != 'fence' else 'raw'
        if kind in ('space', 'line'):
            continue
        made.append(Token(kind, found.group(), found.start(), found.end()))
    return made


def closing(tokens, i):
    """Index of the bracket that closes the one at i, or None."""
    depth = 0
    for j in range(i, len(tokens)):
        text = tokens[j].text
        if tokens[j].kind != 'other':
            continue
        if text in OPENING:
            depth += 1
        elif text in CLOSING:
            depth -= 1
            if not depth:
                return j
    return None


def opening(tokens, i):
    """Index of the bracket that opens the one at i, or None."""
    depth = 0
    for j in range(i, -1, -1):
        text = tokens[j].text
        if tokens[j].kind != 'other':
            continue
        if text in CLOSING:
            depth += 1
        elif text in OPENING:
            depth -= 1
            if not depth:
                return j
    return None


def opening_angle(tokens, i):
    """Index of the '<' of the template arguments that end at i, or None."""
    depth, j = 0, i
    while j >= 0:
        text = tokens[j].text
        if text == '>':
            depth += 1
        elif text == '<':
            depth -= 1
            if not depth:
                return j
        elif text in CLOSING:
            j = opening(tokens, j)
            if j is None:
                return None
        elif text in (';', '{', '}', '<<<'):
            return None
        j -= 1
    return None


def closing_angle(tokens, i):
    """Index of the '>' of the template arguments or parameters that begin at i, or None."""
    depth, j = 0, i
    while j < len(tokens):
        text = tokens[j].text
        if text == '<':
            depth += 1
        elif text == '>':
            depth -= 1
            if not depth:
                return j
        elif text in OPENING:
            j = closing(tokens, j)
            if j is None:
                return None
        elif text in (';', '}'):
            return None
        j += 1
    return None


def split_commas(tokens, start, end):
    """Ranges between the commas of tokens[start:end] outside of brackets and template arguments."""
    parts, first, j = [], start, start
    angle = 0
    while j < end:
        text = tokens[j].text
        if tokens[j].kind == 'other' and text in OPENING:
            j = closing(tokens, j) or end
        elif text == '<':
            angle += 1
        elif text == '>':
            angle = max(0, angle - 1)
        elif text == ',' and not angle:
            parts.append((first, j))
            first = j + 1
        j += 1
    if first < end:
        parts.append((first, end))
    return parts
