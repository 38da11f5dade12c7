#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare public headers with the interface tables.

usage: check_api.py INCLUDE_DIR TABLES_DIR [HEADER...]

For each header that exists in INCLUDE_DIR and has a table in TABLES_DIR: every row of the table must
be in the header with the same prototype, value, member layout and stability, and the header must
declare nothing beyond the table. Names are looked up in the text of the header; types, values and
layouts are proved by the compiler ($CC, else cc) with a generated file of redeclarations, static
asserts and mirror structs. With HEADER arguments only those are compared. Device headers (.cuh) are
read as C++ ($CXX, else c++), with the CUDA headers of simt/ beside INCLUDE_DIR.

Exit status: 0 without a difference, 1 with differences (one line each), 2 when called wrongly.
"""

import collections
import csv
import os
import re
import subprocess
import sys
import tempfile

Row = collections.namedtuple('Row', 'kind name signature stability note')

STABILITY_MACROS = {
    'DOCA_STABLE': 'STABLE',
    'DOCA_EXPERIMENTAL': 'EXPERIMENTAL',
    'DOCA_DEPRECATED': 'DEPRECATED',
}
FLAVOURS = {'host': 'DOCA_ARCH_HOST', 'dpu': 'DOCA_ARCH_DPU'}
# Renames structs and functions for programs that were compiled elsewhere; not offered here.
BINARY_ONLY = {'doca_ctsd_flow.h'}
# Member that the handles of queues have behind those that programs know.
PRIVATE_END = 'opendoca'
NUMBER = re.compile(r'^[-+()\s0-9a-fA-FxXuUlL<|]+$')


def load_table(path):
    with open(path, newline='') as table:
        rows = list(csv.reader(table, delimiter='\t', quoting=csv.QUOTE_NONE))
    return [Row(*(row + [''] * 5)[:5]) for row in rows[1:] if row]


def tokens(text):
    """The text with one blank between tokens, for comparison without regard to layout."""
    return ' '.join(re.findall(r'"[^"]*"|\w+|\.\.\.|\S', text))


def closing(text, start):
    """Index just behind the bracket that closes the one at start."""
    pairs = {'(': ')', '{': '}'}
    depth = 0
    for i in range(start, len(text)):
        if text[i] == text[start]:
            depth += 1
        elif text[i] == pairs[text[start]]:
            depth -= 1
            if depth == 0:
                return i + 1
    return len(text)


def without_attributes(text):
    while True:
        found = re.search(r'__attribute__\s*\(', text)
        if not found:
            return text
        text = text[:found.start()] + ' ' + text[closing(text, found.end() - 1):]


def function_name(prototype):
    found = re.match(r'[^(]*?(\w+)\s*\(', prototype)
    return found.group(1) if found else prototype.strip()


class Header:
    """What the text of a header declares."""

    def __init__(self, include_dir, name):
        self.name = name
        self.include_dir = include_dir
        with open(os.path.join(include_dir, name)) as source:
            raw = source.read()
        raw = re.sub(r'/\*.*?\*/', ' ', raw, flags=re.S)
        raw = re.sub(r'//[^\n]*', ' ', raw).replace('\\\n', ' ')
        raw = re.sub(r'\bDOCA_STRUCT_START;', 'size_t __doca_api_version;', raw)
        self.includes = [i for i in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', raw, re.M)
                         if not i.startswith('impl/')]
        text = re.sub(r'^\s*#[^\n]*', ' ', raw, flags=re.M)
        self.text = re.sub(r'extern\s*"C"\s*\{', ' ', text)
        self._find_functions()
        self._find_enums()
        self._find_structs()

    def _find_functions(self):
        self.functions = {}
        for macro, prototype in re.findall(r'\b(DOCA_STABLE|DOCA_EXPERIMENTAL|DOCA_DEPRECATED)\s'
                                           r'([^;{]*);', self.text):
            prototype = without_attributes(prototype)
            self.functions[function_name(prototype)] = (STABILITY_MACROS[macro], prototype)
        self.inlines = {}
        for prototype in re.findall(r'\b(static\s+inline\s[^;{]*)\{', self.text):
            prototype = without_attributes(prototype)
            self.inlines[function_name(prototype)] = prototype
        self.device = {}  # name -> prototypes
        for prototype in re.findall(r'((?:\btemplate\s*<[^;{}]*>\s*)?__device__\s[^;{}]*);', self.text):
            name = re.search(r'(\w+)\s*\([^()]*\)\s*$', prototype)
            if name:
                self.device.setdefault(name.group(1), []).append(tokens(prototype))

    def _find_enums(self):
        self.enumerators = {}
        for found in re.finditer(r'\benum(\s+\w+)?\s*\{', self.text):
            end = closing(self.text, found.end() - 1)
            alias = re.match(r'\s*(\w+)\s*;', self.text[end:])
            names = {(found.group(1) or '').strip() or '<anonymous>'}
            if alias:
                names.add(alias.group(1))
            for constant in re.split(r',', without_attributes(self.text[found.end():end - 1])):
                word = re.match(r'\s*(\w+)', constant)
                if word:
                    self.enumerators[word.group(1)] = names

    def _find_structs(self):
        self.structs = {}  # name -> names of all members, nested ones included
        text = without_attributes(self.text)
        for found in re.finditer(r'(\btypedef\s+)?\b(?:struct|union)\b\s*(\w*)\s*\{', text):
            end = closing(text, found.end() - 1)
            alias = re.match(r'\s*(\w+)\s*;', text[end:]) if found.group(1) else None
            body = re.sub(r'\(\s*\*\s*(\w+)\s*\)\s*\([^)]*\)', r' \1', text[found.end():end - 1])
            members = set(re.findall(r'(\w+)\s*(?:\[[^]]*\]\s*)*[;,]', body))
            for name in filter(None, (found.group(2), alias and alias.group(1))):
                self.structs[name] = members

    def declares(self, pattern):
        return re.search(pattern, self.text) is not None


def is_device(name):
    return name.endswith('.cuh')


def compiler(name=''):
    if is_device(name):
        cuda = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'simt',
                            'toolkit', 'include')
        nothing = ['-D__simt_%s__=' % word for word in ('device', 'global', 'shared', 'constant')]
        return os.environ.get('CXX', 'c++').split() + [
            '-std=gnu++17', '-x', 'c++', '-DDOCA_ALLOW_EXPERIMENTAL_API', '-D__SIMT__=1', '-D__CUDACC__',
            '-D__CUDA_ARCH__=900', '-isystem', cuda, '-include', 'cuda_runtime.h'] + nothing
    return os.environ.get('CC', 'cc').split() + ['-std=gnu11', '-DDOCA_ALLOW_EXPERIMENTAL_API',
                                                 '-DDOCA_ALLOW_DEPRECATED_API']


def defines(include_dir, name, flavour='host'):
    """Macros that the header itself or a file of impl/ leaves defined: name -> (parameters, body).

    Returns them in two dictionaries, those of the header first, and the compiler's complaint.
    """
    paths = ['-I' + include_dir]
    if flavour != 'host':
        paths.insert(0, '-I' + os.path.join(include_dir, 'flavour', flavour))
    language = 'c++' if is_device(name) else 'c'
    run = subprocess.run(compiler(name) + paths + ['-E', '-dD', '-x', language, '-'], text=True,
                         input='#include <%s>\n' % name, capture_output=True, check=False)
    own, shared, current = {}, {}, ''
    for line in run.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            current = os.path.relpath(marker.group(1), include_dir)
            continue
        found = re.match(r'#(define|undef) (\w+)(\([^)]*\))?(.*)', line)
        if not found:
            continue
        directive, macro, parameters, body = found.groups()
        own.pop(macro, None)
        shared.pop(macro, None)
        if directive == 'define':
            if os.path.basename(current) == name:
                own[macro] = (parameters, body.strip())
            elif current.startswith('impl' + os.sep):
                shared[macro] = (parameters, body.strip())
    return own, shared, run.stderr.strip() if run.returncode else ''


def accepts_same_calls(wanted, parameters):
    """True when a macro with these parameters can be called as the wanted one: (a, b) or (a, ...)."""
    def count(text):
        names = [p.strip() for p in text.strip('()').split(',') if p.strip()]
        variadic = bool(names) and names[-1].endswith('...')
        return len(names) - variadic, variadic
    fixed, variadic = count(wanted)
    own_fixed, own_variadic = count(parameters)
    return (own_variadic and own_fixed <= fixed) if variadic else (fixed, False) == (
        own_fixed, own_variadic)


class Checker:
    """Compares one header with its table."""

    def __init__(self, include_dir, name, rows):
        self.include_dir = include_dir
        self.header = Header(include_dir, name)
        self.rows = rows
        self.differences = collections.OrderedDict()
        self.proofs = []  # (name, line of C)
        self.own, self.shared, complaint = defines(include_dir, name)
        if complaint:
            self.differ(name, 'cannot be preprocessed: ' + complaint.splitlines()[0])

    def differ(self, name, text):
        self.differences.setdefault(name, text)

    def run(self):
        for row in self.rows:
            if row.kind == 'macro' and self.header.name == 'doca_build_config.h':
                continue
            check = getattr(self, 'check_' + row.kind, None)
            if check:
                check(row)
        if self.header.name == 'doca_build_config.h':
            self.check_flavours()
        self.check_includes()
        self.check_layouts()
        self.check_extras()
        self.prove()
        return self.differences

    # Rows of the table, kind by kind.

    def check_function(self, row):
        if row.name not in self.header.functions:
            self.differ(row.name, 'missing: %s %s' % (row.stability, row.signature))
            return
        stability, prototype = self.header.functions[row.name]
        if stability != row.stability:
            self.differ(row.name, 'is %s, the table says %s' % (stability, row.stability))
        self.check_prototype(row, prototype)

    def check_inline(self, row):
        if row.name not in self.header.inlines:
            self.differ(row.name, 'missing: ' + row.signature)
            return
        self.check_prototype(row, self.header.inlines[row.name])

    def check_device_function(self, row):
        wanted = tokens(row.signature)
        found = self.header.device.get(row.name, [])
        if not found:
            self.differ(row.name, 'missing: ' + row.signature)
        elif wanted not in found:
            self.differ(row.name, 'is "%s", the table says "%s"' % ('" or "'.join(found), wanted))

    def check_prototype(self, row, prototype):
        wanted = tokens(without_attributes(row.signature))
        if tokens(prototype) != wanted:
            self.differ(row.name, 'is "%s", the table says "%s"' % (tokens(prototype), wanted))
        # A macro of the same name may understand calls of earlier releases as well.
        self.proofs.append((row.name, '#undef ' + row.name))
        self.proofs.append((row.name, row.signature + ';'))

    def check_enum(self, row):
        enum, assignment = row.signature.split(': ', 1)
        value = assignment.split('=', 1)[1].strip()
        if row.name not in self.header.enumerators:
            self.differ(row.name, 'missing: %s of enum %s' % (assignment, enum))
        elif enum not in self.header.enumerators[row.name]:
            self.differ(row.name, 'is in enum %s, the table says %s' % (
                '/'.join(sorted(self.header.enumerators[row.name])), enum))
        else:
            self.prove_equal(row.name, value)

    def check_macro(self, row):
        definition = self.own.get(row.name) or self.shared.get(row.name)
        if definition is None:
            self.differ(row.name, 'macro missing: ' + row.signature)
            return
        parameters, body = definition
        if row.signature.startswith(row.name + '('):
            wanted = row.signature[len(row.name):]
            if parameters is None or not accepts_same_calls(wanted, parameters):
                self.differ(row.name, 'takes %s, the table says %s' % (parameters or 'nothing',
                                                                      wanted))
        elif row.signature == '(empty)':
            if body:
                self.differ(row.name, 'is "%s", the table says empty' % body)
        elif row.signature != '(see note)':
            self.check_macro_value(row, body)

    def check_macro_value(self, row, body):
        noted = re.match(r'= (-?\d+)\b', row.note)
        if noted or NUMBER.match(row.signature):
            self.prove_equal(row.name, noted.group(1) if noted else row.signature)
        elif tokens(body) != tokens(row.signature):
            self.differ(row.name, 'is "%s", the table says "%s"' % (body, row.signature))

    def check_typedef(self, row):
        if not self.header.declares(r'\btypedef\b[^;]*\b%s\b|\}\s*%s\s*;' % (row.name, row.name)):
            self.differ(row.name, 'missing: ' + row.signature)
        elif '{...}' not in row.signature:
            self.proofs.append((row.name, row.signature + ';'))

    check_callback = check_typedef

    def check_struct(self, row):
        keyword = row.signature.split()[0]
        complete = row.name in self.header.structs
        if row.note.startswith('opaque'):
            if any(other.kind == 'struct' and other.name == row.name and
                   not other.note.startswith('opaque') for other in self.rows):
                return  # a forward declaration; the struct has a row of its own
            if complete:
                self.differ(row.name, 'is complete, the table says opaque')
            elif not self.header.declares(r'\b%s\s+%s\b' % (keyword, row.name)):
                self.differ(row.name, 'missing: ' + row.signature)
        elif not complete:
            self.differ(row.name, 'not complete: ' + row.signature)
        else:
            listed = {f.name.split('.')[-1] for f in self.rows
                      if f.kind == 'struct_field' and f.name.startswith(row.name + '.')}
            for name in sorted(self.header.structs[row.name] - listed - {PRIVATE_END}):
                self.differ('%s.%s' % (row.name, name), 'not in the table')

    # What concerns the header as a whole.

    def check_includes(self):
        wanted = [row.name for row in self.rows
                  if row.kind == 'include' and row.name not in BINARY_ONLY]
        for name in wanted:
            if name not in self.header.includes:
                self.differ('<%s>' % name, 'not included')
        for name in self.header.includes:
            if name not in wanted:
                self.differ('<%s>' % name, 'included, not in the table')

    def check_extras(self):
        def listed(*kinds):
            return {row.name for row in self.rows if row.kind in kinds}
        text = 'not in the table'
        for name in self.header.functions.keys() - listed('function'):
            self.differ(name, text)
        for name in self.header.inlines.keys() - listed('inline'):
            self.differ(name, text)
        for name in self.header.device.keys() - listed('device_function'):
            self.differ(name, text)
        for name in self.header.enumerators.keys() - listed('enum'):
            self.differ(name, text)
        for name in self.header.structs.keys() - listed('struct'):
            self.differ(name, text)
        for name in self.own.keys() - listed('macro'):
            if not name.startswith('OPENDOCA_') and not name.endswith(('_H_', '_CUH_')):
                self.differ(name, 'macro not in the table')

    def check_flavours(self):
        machine = subprocess.run(compiler() + ['-dumpmachine'], text=True, capture_output=True,
                                 check=False).stdout
        processor = 'DOCA_ARCH_ARM' if re.match('aarch64|arm', machine) else 'DOCA_ARCH_X86'
        for flavour, role in FLAVOURS.items():
            own, shared, complaint = defines(self.include_dir, self.header.name, flavour)
            own.update(shared)
            for row in self.rows:
                wanted = row.name in (role, processor)
                if complaint or wanted != (row.name in own):
                    self.differ('%s (%s flavour)' % (row.name, flavour), complaint or (
                        'macro missing' if wanted else 'must not be defined'))
                elif wanted and own[row.name] != (None, ''):
                    self.differ('%s (%s flavour)' % (row.name, flavour), 'must be empty')

    # Layouts: each complete struct is compared with a mirror built from the table.

    def is_alias(self, name):
        return any(row.kind == 'typedef' and row.name == name and '{...}' in row.signature
                   for row in self.rows)

    def check_layouts(self):
        for row in self.rows:
            if row.kind != 'struct' or row.note.startswith('opaque') or (
                    row.name in self.differences):
                continue
            fields = [f for f in self.rows
                      if f.kind == 'struct_field' and f.name.startswith(row.name + '.')]
            words = row.signature.split(None, 2)
            attributes = words[2] if len(words) > 2 else ''
            real = row.name if self.is_alias(row.name) else '%s %s' % (words[0], row.name)
            mirror = 'mirror_' + row.name
            self.proofs.append((row.name, '%s %s { %s } %s;' % (
                words[0], mirror, self.members(fields, row.name + '.'), attributes)))
            mirror = '%s %s' % (words[0], mirror)
            for field in fields:
                self.prove_field(real, mirror, field, row.name)
            longer = '>' if PRIVATE_END in self.header.structs.get(row.name, ()) else '=='
            self.proofs.append((row.name, '_Static_assert(sizeof(%s) %s sizeof(%s) && '
                                '_Alignof(%s) == _Alignof(%s), "size or alignment differs");' % (
                                    real, longer, mirror, real, mirror)))

    def members(self, fields, prefix):
        """C text of the members whose names are prefix plus one component."""
        text = ''
        for field in fields:
            name = field.name[len(prefix):]
            if not field.name.startswith(prefix) or '.' in name:
                continue
            kind = field.signature.split(': ', 1)[1]
            declared = '' if name.startswith('<') else name
            if kind.endswith('{nested}'):
                text += '%s { %s } %s; ' % (kind.split()[0],
                                            self.members(fields, field.name + '.'), declared)
            else:
                text += member(kind, declared) + '; '
        return text

    def prove_field(self, real, mirror, field, struct):
        path = [p for p in field.name[len(struct) + 1:].split('.') if not p.startswith('<')]
        if not path or field.name.endswith('>'):
            return
        kind = field.signature.split(': ', 1)[1]
        path = '.'.join(path)
        self.proofs.append((field.name, '_Static_assert(offsetof(%s, %s) == offsetof(%s, %s), '
                            '"offset differs");' % (real, path, mirror, path)))
        if not kind.endswith('{nested}'):
            same = '__is_same' if is_device(self.header.name) else '__builtin_types_compatible_p'
            self.proofs.append((field.name, '_Static_assert(%s('
                                '__typeof__(((%s *)0)->%s), __typeof__(((%s *)0)->%s)), '
                                '"type is not %s");' % (same, real, path, mirror, path, kind)))

    # Proofs by the compiler.

    def prove_equal(self, name, value):
        self.proofs.append((name, '_Static_assert((%s) == (%s), "value is not %s");' % (
            name, value, value)))

    def prove(self):
        """Compiles the proofs, one a line; each complaint becomes a difference of its row."""
        prologue = '#include <%s>\n#include <stddef.h>\n#include <stdint.h>\n' % self.header.name
        if is_device(self.header.name):
            prologue += ('#define _Static_assert static_assert\n#define _Alignof alignof\n')
        start = prologue.count('\n') + 1
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'proof.c')
            with open(path, 'w') as source:
                source.write(prologue + '\n'.join(line for _, line in self.proofs) + '\n')
            run = subprocess.run(compiler(self.header.name) + ['-w', '-I' + self.include_dir, '-fsyntax-only', path],
                                 text=True, capture_output=True, check=False)
        found = False
        for line in run.stderr.splitlines():
            error = re.match(r'(.*?):(\d+):\d+: (?:fatal )?error: (.*)', line)
            if not error:
                continue
            found = True
            number = int(error.group(2)) - start
            if error.group(1) == path and 0 <= number < len(self.proofs):
                self.differ(self.proofs[number][0], error.group(3))
            else:
                self.differ(self.header.name, 'does not compile: ' + line)
        if run.returncode and not found:
            self.differ(self.header.name, 'does not compile: ' + run.stderr.strip())


def member(kind, name):
    """C declaration of a struct member from a type as the tables write it."""
    array = re.match(r'(.*?)((?:\[\w*\])+)$', kind)
    if '(*' in kind:
        return kind
    return '%s %s%s' % (array.group(1), name, array.group(2)) if array else kind + ' ' + name


def select_headers(include_dir, tables_dir, names):
    """Headers to check; exits when a named one cannot be."""
    if not names:
        return sorted(t[:-4] for t in os.listdir(tables_dir) if t.endswith('.tsv') and
                      os.path.isfile(os.path.join(include_dir, t[:-4])))
    names = [os.path.basename(name) for name in names]
    for name in names:
        for path in (os.path.join(include_dir, name), os.path.join(tables_dir, name + '.tsv')):
            if not os.path.isfile(path):
                print('check_api.py: no such file: ' + path, file=sys.stderr)
                sys.exit(2)
    return names


def main(arguments):
    if len(arguments) < 2 or not all(os.path.isdir(a) for a in arguments[:2]):
        print(__doc__.split('\n\n')[1], file=sys.stderr)
        return 2
    include_dir, tables_dir = (os.path.abspath(a) for a in arguments[:2])
    names = select_headers(include_dir, tables_dir, arguments[2:])
    total = 0
    for name in names:
        rows = load_table(os.path.join(tables_dir, name + '.tsv'))
        for item, text in Checker(include_dir, name, rows).run().items():
            print('%s: %s: %s' % (name, item, text))
            total += 1
    print('%d headers checked, %d differences' % (len(names), total))
    return 1 if total else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
