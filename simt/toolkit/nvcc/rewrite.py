# SPDX-License-Identifier: BSD-3-Clause
"""Turn preprocessed CUDA into C++.

Only what C++ lacks is touched: launches, the specifiers, shared memory, inline PTX. Everything else, line
markers included, is passed through, so that compilers, debuggers and sanitizers speak of the user's lines.
"""
import re

import ptx
import tokens as tk

SPECIFIERS = ('__simt_global__', '__simt_device__', '__simt_constant__', '__simt_managed__')
ASM = ('asm', '__asm__', '__asm')
ASM_WORDS = ('volatile', '__volatile__', '__volatile', 'inline', '__inline__')
# What is not there, by name: better said than a list of undeclared identifiers. The last word is the text that
# must follow, if any.
MISSING = (
    (r'(cuda|cu)Graph\w*|(cuda|cu)Stream(Begin|End|Is)Capture\w*', 'graphs', ''),
    (r'cuda(Texture|Surface)Object_t|cudaCreate(Texture|Surface)Object|cudaArray_t|cudaMalloc(3D)?Array', 'textures', ''),
    (r'tex[123]D\w*|texCubemap\w*|surf[123]D(read|write)', 'textures', '(<'),
    (r'texture|surface', 'textures', '<'),
    (r'__simt_cluster_dims__|cudaLaunchKernelEx\w*|this_cluster|cluster_group', 'clusters', ''),
    (r'cudaLaunchCooperativeKernel\w*|this_grid|grid_group', 'grid-wide-groups', ''),
    (r'nvcuda', 'tensor-instructions', ':'),
)
NOT_A_NAME = ('__attribute__', 'alignas', 'decltype', '__declspec', 'noexcept')


class Error(Exception):
    """A place and what is wrong there."""

    def __init__(self, place, text):
        super().__init__('%s:%d:%d: error: %s' % (place + (text,)))


class Kernel:
    """What is known of the kernels of one name."""

    def __init__(self):
        self.templates = []  # (parameters without default, has a pack)
        self.signatures = set()
        self.defined = []  # qualified names of non-template definitions


class Rewriter:
    def __init__(self, text):
        self.text = text
        self.places = tk.Places(text)
        self.tokens = []
        for start, end, _ in tk.segments(text):
            self.tokens += tk.tokenize(text, start, end)
        self.edits = []  # (start, end, replacement)
        self.kernels = {}
        self.errors = []

    # Edits.

    def replace(self, start, end, text):
        self.edits.append((start, end, text))

    def erase(self, first, last):
        """Blanks tokens, keeps the lines between them."""
        for t in self.tokens[first:last + 1]:
            self.replace(t.start, t.end, '')

    def source(self, first, last):
        """The text of tokens[first:last+1] on one line."""
        text = self.text[self.tokens[first].start:self.tokens[last].end]
        return re.sub(r'\s+', ' ', re.sub(r'^#.*$', ' ', text, flags=re.M))

    def error(self, index, text):
        self.errors.append(Error(self.places.place(self.tokens[index].start), text))

    def apply(self):
        made, position = [], 0
        for start, end, text in sorted(self.edits, key=lambda e: (e[0], e[1])):
            made.append(self.text[position:start])
            made.append(text)
            position = end
        made.append(self.text[position:])
        return ''.join(made)

    # The pass over the tokens: scopes, and what to do in them.

    def run(self):
        self.find_kernels()
        scopes = []  # 'space:<name>', 'type', 'device', 'host' of each open brace
        head = 0  # first token of the present declaration
        i = 0
        while i < len(self.tokens):
            t = self.tokens[i]
            if t.kind == 'other':
                if t.text == '{':
                    scopes.append(self.scope(head, i, scopes))
                    head = i + 1
                elif t.text == '}':
                    if scopes:
                        scopes.pop()
                    head = i + 1
                elif t.text == ';':
                    head = i + 1
            elif t.kind == 'launch':
                if i and self.tokens[i - 1].text != 'operator':
                    self.launch(i)
            elif t.kind == 'word':
                self.word(i, head, scopes)
            i += 1
        if self.errors:
            raise self.errors[0] if len(self.errors) == 1 else Errors(self.errors)
        return self.apply() + self.registrations()

    def scope(self, head, brace, scopes):
        words = [t.text for t in self.tokens[head:brace]]
        inner = scopes[-1] if scopes else ''
        if inner in ('device', 'host') and '__simt_device__' not in words:
            return inner
        if '__simt_device__' in words or '__simt_global__' in words:
            return 'device'
        if 'namespace' in words:
            name = [w for w in words[words.index('namespace') + 1:] if re.match(r'[A-Za-z_]\w*$', w)]
            return 'space:' + '::'.join(name)
        if words[:1] == ['extern'] and len(words) == 2:
            return 'space:'
        if '(' not in words or (words and words[0] in ('struct', 'class', 'union', 'enum')):
            return 'type'
        if any(w in ('struct', 'class', 'union', 'enum') for w in words) and words[-1] != ')':
            return 'type' if words[0] == 'template' else 'host'
        return 'host'

    def word(self, i, head, scopes):
        t = self.tokens[i]
        device = 'device' in scopes
        if t.text in SPECIFIERS:
            self.replace(t.start, t.end, '')
            if t.text == '__simt_global__':
                self.define_kernel(i, scopes)
        elif t.text == '__simt_shared__':
            self.shared(i, head, device or 'host' in scopes)
        elif t.text in ASM and device:
            self.asm(i)
        elif t.text == '__noinline__' and self.tokens[i - 1].text not in ('(', ','):
            self.replace(t.start, t.end, '__attribute__((noinline))')
        elif t.text == 'clock' and device and self.tokens[i - 1].text not in ('.', '>', ':') and (
                self.tokens[i + 1].text == '('):
            self.replace(t.start, t.end, '::simt::device_clock')
        elif self.missing(i):
            pass
        elif t.text == 'cudaLaunchKernel' and self.tokens[i + 1].text == '(':
            self.strip_cast(i + 2)

    def missing(self, i):
        text = self.tokens[i].text
        if text[:1] not in 'cts_n':
            return False
        for expression, what, following in MISSING:
            if re.fullmatch(expression, text) and (not following or self.tokens[i + 1].text[:1] in following):
                self.error(i, '%s: simt has no %s [simt-no-%s]' % (
                    text.replace('__simt_', '__'), what.replace('-', ' '), what))
                return True
        return False

    # Kernels.

    def kernel_name(self, i):
        """Index of the name in the declaration whose __global__ is token i, or None."""
        j = i + 1
        while j < len(self.tokens) and self.tokens[j].text not in (';', '{'):
            t = self.tokens[j]
            if t.kind == 'word' and self.tokens[j + 1].text == '(':
                if t.text not in NOT_A_NAME:
                    return j
                j = tk.closing(self.tokens, j + 1) or j
            j += 1
        return None

    def declaration_start(self, i):
        while i > 0 and self.tokens[i - 1].text not in (';', '{', '}'):
            i -= 1
        return i

    def find_kernels(self):
        for i, t in enumerate(self.tokens):
            if t.text != '__simt_global__':
                continue
            name = self.kernel_name(i)
            if name is None:
                continue
            kernel = self.kernels.setdefault(self.tokens[name].text, Kernel())
            start = self.declaration_start(i)
            if self.tokens[start].text == 'template':
                end = tk.closing_angle(self.tokens, start + 1)
                if end is None or end == start + 2:
                    continue
                parameters = tk.split_commas(self.tokens, start + 2, end)
                texts = [[x.text for x in self.tokens[a:b]] for a, b in parameters]
                kernel.templates.append((sum('=' not in x for x in texts),
                                         any('...' in ''.join(x) for x in texts)))
            else:
                end = tk.closing(self.tokens, name + 1)
                count = len(tk.split_commas(self.tokens, name + 2, end))
                types = tuple(t.text for t in self.tokens[name + 2:end] if t.text in (
                    '*', '&', 'int', 'float', 'double', 'char', 'unsigned', 'long', 'short'))
                kernel.signatures.add((count, types))

    def define_kernel(self, i, scopes):
        name = self.kernel_name(i)
        if name is None or self.tokens[self.declaration_start(i)].text == 'template':
            return
        end = tk.closing(self.tokens, name + 1)
        if end is None or self.tokens[end + 1].text != '{':
            return
        if any(not s.startswith('space:') for s in scopes):
            return
        path = [s[len('space:'):] for s in scopes if s != 'space:']
        self.kernels[self.tokens[name].text].defined.append(
            '::'.join(path + [self.tokens[name].text]))

    def registrations(self):
        lines = []
        for name, kernel in self.kernels.items():
            if kernel.templates or len(kernel.signatures) > 1:
                continue
            for path in kernel.defined:
                lines.append('static int simt_known_%d __attribute__((unused)) = '
                             '::simt::know(&::%s, "%s");' % (len(lines), path, name))
        return '\n# 1 "<simt>" 3\n' + '\n'.join(lines) + '\n' if lines else ''

    def deduced(self, first, last):
        """Whether template arguments of the kernel expression are left to the compiler."""
        name, given = last, 0
        if self.tokens[last].text == '>':
            angle = tk.opening_angle(self.tokens, last)
            given = len(tk.split_commas(self.tokens, angle + 1, last))
            name = angle - 1
        kernel = self.kernels.get(self.tokens[name].text)
        if kernel is None:
            return False
        if given == 0 and last == name:
            return bool(kernel.templates) or len(kernel.signatures) > 1
        return any(pack or given < needed for needed, pack in kernel.templates) or (
            len(kernel.templates) > 1 and len({t for t in kernel.templates}) > 1)

    # Launches.

    def expression_start(self, last):
        """First token of the postfix expression that ends at `last`."""
        j = last
        while True:
            t = self.tokens[j]
            if t.text in (')', ']'):
                j = tk.opening(self.tokens, j)
                if j is None:
                    return last
                before = self.tokens[j - 1]
                if not (before.kind == 'word' and before.text not in ('return', 'else', 'do')
                        or before.text in (')', ']', '>')):
                    return j
                j -= 1
                continue
            if t.text == '>':
                angle = tk.opening_angle(self.tokens, j)
                if angle is None:
                    return last
                j = angle - 1
                t = self.tokens[j]
            if t.kind != 'word':
                return j
            if self.tokens[j - 1].text == 'template':
                j -= 1
            if self.tokens[j - 1].text == ':' and self.tokens[j - 2].text == ':':
                before = self.tokens[j - 3]
                if before.text == '>' or (before.kind == 'word' and before.text not in (
                        'return', 'else', 'do', 'case')):
                    j -= 3
                    continue
                return j - 2
            if self.tokens[j - 1].text == '.':
                j -= 2
                continue
            if self.tokens[j - 1].text == '>' and self.tokens[j - 2].text == '-':
                j -= 3
                continue
            return j

    def config_end(self, i):
        """Index of the first of the three '>' that close the '<<<' at i, or None."""
        j, angle = i + 1, 0
        while j < len(self.tokens) - 3:
            t = self.tokens[j]
            if t.kind == 'other' and t.text in tk.OPENING:
                j = tk.closing(self.tokens, j)
                if j is None:
                    return None
            elif t.text in (';', '}'):
                return None
            elif t.text == '<' and self.tokens[j - 1].kind == 'word' and (
                    self.tokens[j - 1].end == t.start):
                angle += 1
            elif t.text == '>':
                run = 1
                while self.tokens[j + run].text == '>' and (
                        self.tokens[j + run].start == self.tokens[j + run - 1].end):
                    run += 1
                if run - angle >= 3 and self.tokens[j + run].text == '(':
                    return j + run - 3
                angle = max(0, angle - run)
                j += run - 1
            j += 1
        return None

    def launch(self, i):
        end = self.config_end(i)
        if end is None or i == 0:
            self.error(i, 'no ">>>(" ends this launch')
            return
        first, last = self.expression_start(i - 1), i - 1
        name = re.sub(r' ?(::|[<>,()\[\].&*]) ?', r'\1', self.source(first, last))
        name = name.replace('\\', '\\\\').replace('"', '\\"')
        parts = tk.split_commas(self.tokens, i + 1, end)
        if not 2 <= len(parts) <= 4:
            self.error(i, 'a launch needs a grid and a block, and takes a shared size and a stream')
            return
        begin = self.tokens[first].start
        if self.deduced(first, last):
            self.replace(begin, begin, '::simt::launch_deduced([](auto... simt_p) { ')
            tail = '(simt_p...); }, "%s", ::simt::config(' % name
            self.zero_arguments(end + 3)
        else:
            self.replace(begin, begin, '::simt::launch(')
            tail = ', "%s", ::simt::config(' % name
        self.replace(self.tokens[i].start, self.tokens[i].end, tail)
        self.replace(self.tokens[end].start, self.tokens[end + 2].end, '))')

    def zero_arguments(self, i):
        end = tk.closing(self.tokens, i)
        for first, last in tk.split_commas(self.tokens, i + 1, end):
            t = self.tokens[first]
            if last == first + 1 and t.text in ('0', '__null', 'nullptr'):
                self.replace(t.start, t.end, '::simt::zero_t()')

    def strip_cast(self, i):
        """cudaLaunchKernel((const void *)kernel, ...): the kernel's type is needed."""
        if self.tokens[i].text == '(':
            end = tk.closing(self.tokens, i)
            words = sorted(t.text for t in self.tokens[i + 1:end])
            if words in (['*', 'void'], ['*', 'const', 'void']):
                self.erase(i, end)
        elif self.tokens[i].text in ('reinterpret_cast', 'static_cast'):
            end = tk.closing_angle(self.tokens, i + 1)
            words = sorted(t.text for t in self.tokens[i + 2:end])
            if words in (['*', 'void'], ['*', 'const', 'void']):
                self.erase(i, end)

    # Shared memory.

    def shared(self, i, head, in_function):
        end = i
        while self.tokens[end].text not in (';', '{', '='):
            end += 1
        words = [t.text for t in self.tokens[head:end]]
        t = self.tokens[i]
        if 'extern' not in words:
            static = 'static' in words
            self.replace(t.start, t.end, 'thread_local' if static else 'static thread_local')
            return
        bracket = next((j for j in range(head, end) if self.tokens[j].text == '['), None)
        if bracket is None:
            self.error(i, 'extern __shared__ needs an array without a size')
            return
        name = self.tokens[bracket - 1].text
        kept = [x.text for x in self.tokens[head:bracket - 1]
                if x.text not in ('extern', '__simt_shared__')]
        first, last = self.tokens[head], self.tokens[end]
        if in_function:
            kind = 'simt_type_of_' + name
            made = 'typedef %s %s%s; %s &%s __attribute__((unused)) = *(%s *)::simt_dynamic_shared()' % (
                ' '.join(kept), kind, self.source(bracket, end - 1), kind, name, kind)
        else:
            bare = re.sub(r'__attribute__ \( \( .*? \) \)|alignas \( .*? \)', '', ' '.join(kept))
            made = 'static ::simt::dynamic_array< %s > %s __attribute__((unused))' % (bare, name)
        lines = self.text[first.start:last.start].count('\n')
        self.replace(first.start, last.start, made + '\n' * lines)

    # Inline PTX.

    def asm(self, i):
        j = i + 1
        while self.tokens[j].text in ASM_WORDS:
            j += 1
        if self.tokens[j].text != '(':
            return
        end = tk.closing(self.tokens, j)
        parts = self.asm_parts(j + 1, end)
        text = ''.join(unquote(t.text) for t in self.tokens[parts[0][0]:parts[0][1]])
        outputs = [self.operand(p) for p in tk.split_commas(self.tokens, *parts[1])] if len(parts) > 1 else []
        inputs = [self.operand(p) for p in tk.split_commas(self.tokens, *parts[2])] if len(parts) > 2 else []
        names = ['simt_o%d' % n for n in range(len(outputs))]
        names += ['simt_i%d' % n for n in range(len(inputs))]
        labels = {operand[0]: n for n, operand in enumerate(outputs + inputs) if operand[0]}
        text = text.replace('%%', '%')
        text = re.sub(r'%\[(\w+)\]', lambda m: '%%%d' % labels.get(m.group(1), 999), text)
        try:
            body = ptx.translate(text, names)
        except ptx.Unknown as unknown:
            self.error(i, 'unknown PTX instruction "%s" [simt-unknown-ptx]' % unknown)
            return
        made = ['::simt::ptx::compiler_barrier();']
        for n, (_, constraint, expression) in enumerate(outputs):
            start = '::simt::ptx::bits(%s)' % expression if '+' in constraint else '0'
            made.append('uint64_t simt_o%d = %s;' % (n, start))
        for n, (_, constraint, expression) in enumerate(inputs):
            made.append('const uint64_t simt_i%d __attribute__((unused)) = ::simt::ptx::bits(%s);' % (
                n, expression))
        made.append(body)
        made += ['::simt::ptx::put(%s, simt_o%d);' % (expression, n)
                 for n, (_, _, expression) in enumerate(outputs)]
        made.append('::simt::ptx::compiler_barrier();')
        first, last = self.tokens[i], self.tokens[end]
        lines = self.text[first.start:last.end].count('\n')
        self.replace(first.start, last.end, 'do { %s } while (0)' % ' '.join(made) + '\n' * lines)
        self.drop_edits_inside(first.start, last.end)

    def drop_edits_inside(self, start, end):
        self.edits = [e for e in self.edits[:-1] if not start <= e[0] < end] + self.edits[-1:]

    def asm_parts(self, start, end):
        """Ranges of text, outputs, inputs and clobbers."""
        parts, first, j = [], start, start
        while j < end:
            text = self.tokens[j].text
            if self.tokens[j].kind == 'other' and text in tk.OPENING:
                j = tk.closing(self.tokens, j)
            elif text == ':':
                parts.append((first, j))
                first = j + 1
            j += 1
        return parts + [(first, end)]

    def operand(self, bounds):
        """(name or None, constraint, expression)"""
        first, end = bounds
        name = None
        if self.tokens[first].text == '[':
            name = self.tokens[first + 1].text
            first += 3
        constraint = unquote(self.tokens[first].text)
        return name, constraint, '(%s)' % self.source(first + 2, end - 2)


class Errors(Exception):
    def __init__(self, errors):
        super().__init__('\n'.join(str(e) for e in errors))


def unquote(literal):
    """The text of a string literal."""
    found = re.match(r'(?:u8|[uUL])?R"([^()\s]*)\((.*)\)\1"$', literal, re.S)
    if found:
        return found.group(2)
    inner = literal[literal.index('"') + 1:literal.rindex('"')]
    plain = {'n': '\n', 't': '\t', 'r': '\r'}
    return re.sub(r'\\(.)', lambda m: plain.get(m.group(1), m.group(1)), inner, flags=re.S)


def rewrite(text):
    return Rewriter(text).run()
