# SPDX-License-Identifier: BSD-3-Clause
"""Translate the text of inline PTX to C++.

Registers become variables of 64 bits; each instruction says which type it sees in them. What is not in
the tables below is refused by name: a kernel must not run with an instruction left out.
"""
import re

TYPES = {
    'b8': 'uint8_t', 'u8': 'uint8_t', 's8': 'int8_t',
    'b16': 'uint16_t', 'u16': 'uint16_t', 's16': 'int16_t',
    'b32': 'uint32_t', 'u32': 'uint32_t', 's32': 'int32_t',
    'b64': 'uint64_t', 'u64': 'uint64_t', 's64': 'int64_t',
    'f32': 'float', 'f64': 'double', 'pred': 'bool',
}
WIDE = {'uint16_t': 'uint32_t', 'int16_t': 'int32_t', 'uint32_t': 'uint64_t', 'int32_t': 'int64_t'}

SPECIAL = {
    'globaltimer': '::simt_globaltimer()',
    'globaltimer_lo': '(uint32_t)::simt_globaltimer()',
    'globaltimer_hi': '(uint32_t)(::simt_globaltimer() >> 32)',
    'clock': '(uint32_t)::simt_clock64()', 'clock_hi': '(uint32_t)(::simt_clock64() >> 32)',
    'clock64': '(uint64_t)::simt_clock64()',
    'laneid': '::simt::ptx::lane()',
    'warpid': '(::simt_linear_thread() / 32)',
    'nwarpid': '((blockDim.x * blockDim.y * blockDim.z + 31) / 32)',
    'smid': '::simt::ptx::smid()', 'nsmid': '1024u', 'gridid': '0u',
    'lanemask_eq': '(1u << ::simt::ptx::lane())',
    'lanemask_lt': '((1u << ::simt::ptx::lane()) - 1)',
    'lanemask_le': '(~0u >> (31 - ::simt::ptx::lane()))',
    'lanemask_gt': '(~1u << ::simt::ptx::lane())',
    'lanemask_ge': '(~0u << ::simt::ptx::lane())',
}
for _axis in 'xyz':
    SPECIAL['tid.' + _axis] = 'threadIdx.' + _axis
    SPECIAL['ntid.' + _axis] = 'blockDim.' + _axis
    SPECIAL['ctaid.' + _axis] = 'blockIdx.' + _axis
    SPECIAL['nctaid.' + _axis] = 'gridDim.' + _axis

# Words of ld, st, atom and red that change nothing here.
HINTS = re.compile(r'^(global|shared|local|const|param|generic|cta|cluster|gpu|sys|ca|cg|cs|cv|lu|wb|wt|nc|'
                   r'weak|mmio|noftz|L1::\w+|L2::\w+|shared::\w+|param::\w+|level::\w+|ftz)$')

BINARY = {'add': 'a + b', 'sub': 'a - b', 'and': 'a & b', 'or': 'a | b', 'xor': 'a ^ b',
          'min': 'a < b ? a : b', 'max': 'a > b ? a : b', 'div': 'a / b', 'rem': 'a % b'}
UNARY = {'not': '~a', 'neg': '-a', 'abs': 'a < 0 ? -a : a', 'cnot': 'a == 0', 'sqrt': 'sqrt(a)', 'rcp': '1 / a',
         'rsqrt': '1 / sqrt(a)', 'ex2': 'exp2(a)', 'lg2': 'log2(a)', 'sin': 'sin(a)', 'cos': 'cos(a)'}
COMPARE = {'eq': '==', 'ne': '!=', 'lt': '<', 'le': '<=', 'gt': '>', 'ge': '>=',
           'lo': '<', 'ls': '<=', 'hi': '>', 'hs': '>='}
ATOMIC = {'add': 'simt_old + simt_v', 'and': 'simt_old & simt_v', 'or': 'simt_old | simt_v', 'xor': 'simt_old ^ simt_v', 'exch': 'simt_v',
          'min': 'simt_old < simt_v ? simt_old : simt_v', 'max': 'simt_old > simt_v ? simt_old : simt_v',
          'inc': 'simt_old >= simt_v ? 0 : simt_old + 1', 'dec': 'simt_old == 0 || simt_old > simt_v ? simt_v : simt_old - 1'}
NOTHING = ('prefetch', 'prefetchu', 'discard', 'applypriority', 'pmevent', 'griddepcontrol')
ROUNDING = ('rn', 'rz', 'rm', 'rp', 'ftz', 'sat', 'approx', 'full', 'rni', 'rzi', 'rmi', 'rpi')


class Unknown(Exception):
    """The instruction that is not known."""


class Translator:
    def __init__(self, operands):
        self.operands = operands  # names of C++ variables, by number
        self.declared = set()

    # Operands.

    def value(self, text):
        """A C++ expression of type uint64_t for a source operand."""
        text = text.strip()
        if text.startswith('%') and text[1:].isdigit():
            return self.operand(text)
        if text.startswith('%'):
            name = text[1:]
            if name in SPECIAL:
                return '(uint64_t)%s' % SPECIAL[name]
            if text in self.declared:
                return 'simt_r' + name
            raise Unknown(text)
        if text in self.declared:
            return 'simt_r' + text
        if text == 'WARP_SZ':
            return '(uint64_t)32'
        if re.match(r'^0[fF][0-9a-fA-F]{8}$', text) or re.match(r'^0[dD][0-9a-fA-F]{16}$', text):
            return '(uint64_t)0x%sull' % text[2:]
        if re.match(r'^-?(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uU]?$', text):
            return '(uint64_t)(%sll)' % text.rstrip('uU')
        raise Unknown(text)

    def operand(self, text):
        number = int(text[1:])
        if number >= len(self.operands):
            raise Unknown(text)
        return self.operands[number]

    def target(self, text):
        text = text.strip()
        if text.startswith('%') and text[1:].isdigit():
            return self.operand(text)
        if text in self.declared:
            return 'simt_r' + text.lstrip('%')
        if text == '_':
            return 'simt_none'
        raise Unknown(text)

    def address(self, text):
        found = re.match(r'^\[\s*([%\w.$]+)\s*(?:\+\s*(-?\w+)\s*)?\]$', text.strip())
        if not found:
            raise Unknown(text)
        base = self.value(found.group(1))
        return '(%s + (uint64_t)(%s))' % (base, found.group(2)) if found.group(2) else base

    def typed(self, kind, text):
        return '::simt::ptx::as<%s>(%s)' % (kind, self.value(text))

    # Instructions.

    def statement(self, text):
        text = text.strip()
        found = re.match(r'^@(!?)\s*(%?\w+)\s+(.*)$', text, re.S)
        if found:
            name = self.target(found.group(2))
            return 'if (%s%s) { %s }' % (found.group(1), name, self.statement(found.group(3)))
        if text.startswith('.reg'):
            return self.declare(text)
        name, _, rest = text.partition(' ') if ' ' in text else text.partition('\t')
        words = name.split('.')
        arguments = split_arguments(rest)
        method = getattr(self, 'do_' + words[0], None)
        try:
            if method:
                return method(words[1:], arguments)
            return self.arithmetic(words[0], words[1:], arguments)
        except (Unknown, IndexError, KeyError, ValueError):
            raise Unknown(text) from None

    def declare(self, text):
        found = re.match(r'^\.reg\s+\.(\w+)\s+(.*)$', text, re.S)
        if not found or found.group(1) not in TYPES:
            raise Unknown(text)
        made = []
        for name in found.group(2).split(','):
            name = name.strip()
            if not re.match(r'^%?[\w$]+$', name):
                raise Unknown(text)
            self.declared.add(name)
            made.append('uint64_t simt_r%s __attribute__((unused)) = 0;' % name.lstrip('%'))
        return ' '.join(made)

    def arithmetic(self, name, words, arguments):
        words = [w for w in words if w not in ROUNDING]
        kind = TYPES[words[-1]]
        if name in BINARY and len(words) == 1:
            return self.compute(arguments[0], kind, BINARY[name], a=arguments[1], b=arguments[2])
        if name in UNARY and len(words) == 1:
            return self.compute(arguments[0], kind, UNARY[name], a=arguments[1])
        raise Unknown(name)

    def compute(self, target, kind, formula, result=None, **sources):
        # The user's variables may be called a and b, too.
        formula = re.sub(r'\b([ab])\b', r'simt_\1', formula)
        inputs = ' '.join('%s simt_%s = %s;' % (kind, name, self.typed(kind, text))
                          for name, text in sources.items())
        return '{ %s %s = ::simt::ptx::bits((%s)(%s)); }' % (
            inputs, self.target(target), result or kind, formula)

    def do_mov(self, words, arguments):
        kind = TYPES[words[0]]
        target, source = arguments
        if target.startswith('{'):
            parts = split_arguments(target[1:-1])
            width = {'uint32_t': 32, 'uint64_t': 64}[kind] // len(parts)
            mask = hex((1 << width) - 1)
            return '{ uint64_t simt_v = %s; %s }' % (self.value(source), ' '.join(
                '%s = simt_v >> %d & %s;' % (self.target(p), i * width, mask)
                for i, p in enumerate(parts)))
        if source.startswith('{'):
            parts = split_arguments(source[1:-1])
            width = {'uint32_t': 32, 'uint64_t': 64}[kind] // len(parts)
            mask = hex((1 << width) - 1)
            return '%s = %s;' % (self.target(target), ' | '.join(
                '(%s & %s) << %d' % (self.value(p), mask, i * width) for i, p in enumerate(parts)))
        return '%s = %s;' % (self.target(target), self.value(source))

    def access(self, words):
        """Type, number of elements and order of a load or store."""
        order, count, kind = '::simt::ptx::plain', 1, None
        for word in words:
            if word in ('volatile', 'relaxed', 'mmio'):
                order = '::simt::ptx::relaxed'
            elif word in ('acquire', 'release'):
                order = '::simt::ptx::' + word
            elif word in ('v2', 'v4', 'v8'):
                count = int(word[1:])
            elif word in TYPES:
                kind = TYPES[word]
            elif not HINTS.match(word):
                raise Unknown(word)
        if kind is None:
            raise Unknown('.'.join(words))
        return kind, count, order

    def do_ld(self, words, arguments):
        kind, count, order = self.access(words)
        address = self.address(arguments[1])
        targets = split_arguments(arguments[0][1:-1]) if count > 1 else [arguments[0]]
        if len(targets) != count:
            raise Unknown('ld')
        if count == 1:
            return '%s = ::simt::ptx::load<%s>(%s, %s);' % (
                self.target(targets[0]), kind, address, order)
        return '{ uint64_t simt_none = 0; (void)simt_none; ::simt::ptx::load_vector<%s>(%s, %s, %s); }' % (
            kind, address, order, ', '.join(self.target(t) for t in targets))

    do_ldu = do_ld

    def do_st(self, words, arguments):
        kind, count, order = self.access(words)
        address = self.address(arguments[0])
        sources = split_arguments(arguments[1][1:-1]) if count > 1 else [arguments[1]]
        if len(sources) != count:
            raise Unknown('st')
        if count > 1:
            return '::simt::ptx::store_vector<%s>(%s, %s, %s);' % (
                kind, address, order, ', '.join(self.value(s) for s in sources))
        return '::simt::ptx::store<%s>(%s, %s, %s);' % (kind, address, self.value(sources[0]), order)

    def do_atom(self, words, arguments):
        words = [w for w in words if w not in ('relaxed', 'acquire', 'release', 'acq_rel', 'sc') and
                 (w in ATOMIC or w == 'cas' or w in TYPES or not HINTS.match(w))]
        operation, kind = words
        kind = TYPES[kind]
        target, address = self.target(arguments[0]), self.address(arguments[1])
        if operation == 'cas':
            return '%s = ::simt::ptx::cas<%s>(%s, %s, %s);' % (
                target, kind, address, self.value(arguments[2]), self.value(arguments[3]))
        return '{ %s simt_v = %s; %s = ::simt::ptx::change<%s>(%s, [=](%s simt_old) { (void)simt_old; return %s; }); }' % (
            kind, self.typed(kind, arguments[2]), target, kind, address, kind, ATOMIC[operation])

    def do_red(self, words, arguments):
        return '{ uint64_t simt_none; %s (void)simt_none; }' % self.do_atom(words, ['_'] + arguments)

    def do_fence(self, words, arguments):
        if arguments:
            raise Unknown('fence')
        return '::simt::fence();'

    do_membar = do_fence

    def do_bar(self, words, arguments):
        if words[:1] == ['warp']:
            return '__syncwarp((unsigned)%s);' % self.value(arguments[0])
        words = [w for w in words if w not in ('cta', 'aligned')]
        if words in (['sync'], ['arrive']):
            number, threads = (self.values(arguments) + ['0', '0'])[:2]
            if len(arguments) > 2 or (words == ['arrive'] and len(arguments) != 2):
                raise Unknown('bar')
            return self.named_barrier('ARRIVE' if words == ['arrive'] else 'PLAIN', number, threads)
        return self.reducing_barrier(words, arguments)

    do_barrier = do_bar

    def values(self, arguments):
        return [self.value(a) for a in arguments]

    @staticmethod
    def named_barrier(kind, number, threads, predicate='0'):
        return '::simt_named_barrier(SIMT_BARRIER_%s, (unsigned)%s, (unsigned)%s, (int)%s, __builtin_FILE(), ' \
            '__builtin_FUNCTION(), __builtin_LINE());' % (kind, number, threads, predicate)

    def reducing_barrier(self, words, arguments):
        """bar.red: target, barrier, number of threads if given, predicate."""
        kind = {('red', 'popc', 'u32'): 'COUNT', ('red', 'and', 'pred'): 'AND', ('red', 'or', 'pred'): 'OR'}[tuple(words)]
        target, number, *threads, predicate = arguments
        if len(threads) > 1:
            raise Unknown('bar')
        negated = predicate.startswith('!')
        test = '(%s %s 0)' % (self.value(predicate.lstrip('!')), '==' if negated else '!=')
        return '%s = (uint64_t)%s' % (self.target(target), self.named_barrier(
            kind, self.value(number), self.value(threads[0]) if threads else '0', test))

    def do_nanosleep(self, words, arguments):
        return '::simt_nanosleep((unsigned)%s);' % self.value(arguments[0])

    def do_prmt(self, words, arguments):
        if words != ['b32']:
            raise Unknown('prmt')
        return '%s = __byte_perm((unsigned)%s, (unsigned)%s, (unsigned)%s);' % (
            (self.target(arguments[0]),) + tuple(self.value(a) for a in arguments[1:4]))

    def do_mul(self, words, arguments, plus=None):
        words = [w for w in words if w not in ROUNDING]
        kind = TYPES[words[-1]]
        target, a, b = arguments[:3]
        result, formula = kind, 'a * b'
        if words[:1] == ['hi']:
            formula = '::simt::ptx::high_product<%s>(a, b)' % kind
        elif words[:1] == ['wide']:
            result = WIDE[kind]
            formula = '(%s)a * (%s)b' % (result, result)
        elif len(words) > 1 and words[0] != 'lo':
            raise Unknown('mul')
        if plus:
            formula = '%s + %s' % (formula, self.typed(result, plus))
        return self.compute(target, kind, formula, result, a=a, b=b)

    def do_mad(self, words, arguments):
        return self.do_mul(words, arguments, arguments[3])

    do_fma = do_mad

    def do_shl(self, words, arguments):
        kind = TYPES[words[0]]
        return self.shift(kind, 'shift_left', arguments)

    def do_shr(self, words, arguments):
        return self.shift(TYPES[words[0]], 'shift_right', arguments)

    def shift(self, kind, function, arguments):
        return '%s = ::simt::ptx::bits(::simt::ptx::%s<%s>(%s, (uint32_t)%s));' % (
            self.target(arguments[0]), function, kind, self.typed(kind, arguments[1]),
            self.value(arguments[2]))

    def do_shf(self, words, arguments):
        function = {('l', 'wrap'): 'l', ('r', 'wrap'): 'r', ('l', 'clamp'): 'lc',
                    ('r', 'clamp'): 'rc'}[(words[0], words[1])]
        return '%s = __funnelshift_%s((unsigned)%s, (unsigned)%s, (unsigned)%s);' % (
            (self.target(arguments[0]), function) + tuple(self.value(a) for a in arguments[1:4]))

    def do_bfe(self, words, arguments):
        kind = TYPES[words[0]]
        return '%s = ::simt::ptx::bits(::simt::ptx::extract<%s>(%s, (uint32_t)%s, (uint32_t)%s));' % (
            self.target(arguments[0]), kind, self.typed(kind, arguments[1]),
            self.value(arguments[2]), self.value(arguments[3]))

    def do_bfi(self, words, arguments):
        kind = TYPES[words[0]]
        return '%s = ::simt::ptx::bits(::simt::ptx::insert<%s>(%s, %s, (uint32_t)%s, (uint32_t)%s));' % (
            self.target(arguments[0]), kind, self.typed(kind, arguments[1]),
            self.typed(kind, arguments[2]), self.value(arguments[3]), self.value(arguments[4]))

    def bit_function(self, name, words, arguments):
        wide = TYPES[words[0]].endswith('64_t')
        return '%s = (uint64_t)__%s%s((%s)%s);' % (
            self.target(arguments[0]), name, 'll' if wide else '',
            'unsigned long long' if wide else 'unsigned', self.value(arguments[1]))

    def do_popc(self, words, arguments):
        return self.bit_function('popc', words, arguments)

    def do_clz(self, words, arguments):
        return self.bit_function('clz', words, arguments)

    def do_brev(self, words, arguments):
        return self.bit_function('brev', words, arguments)

    def do_setp(self, words, arguments):
        kind = TYPES[words[-1]]
        if len(words) != 2:
            raise Unknown('setp')
        return '%s = (uint64_t)(%s %s %s);' % (
            self.target(arguments[0]), self.typed(kind, arguments[1]), COMPARE[words[0]],
            self.typed(kind, arguments[2]))

    def do_selp(self, words, arguments):
        return '%s = %s ? %s : %s;' % (
            self.target(arguments[0]), self.value(arguments[3]), self.value(arguments[1]),
            self.value(arguments[2]))

    def do_cvt(self, words, arguments):
        words = [w for w in words if w not in ROUNDING]
        to, source = TYPES[words[0]], TYPES[words[1]]
        return '%s = ::simt::ptx::bits((%s)%s);' % (
            self.target(arguments[0]), to, self.typed(source, arguments[1]))

    def do_cvta(self, words, arguments):
        return '%s = %s;' % (self.target(arguments[0]), self.value(arguments[1]))

    def do_activemask(self, words, arguments):
        return '%s = __activemask();' % self.target(arguments[0])

    def do_vote(self, words, arguments):
        function = {'ballot': '__ballot_sync', 'any': '__any_sync', 'all': '__all_sync'}[words[1]]
        if words[0] != 'sync':
            raise Unknown('vote')
        return '%s = (uint64_t)%s((unsigned)%s, %s != 0);' % (
            self.target(arguments[0]), function, self.value(arguments[2]), self.value(arguments[1]))

    def do_shfl(self, words, arguments):
        kind = {'up': 'up', 'down': 'down', 'bfly': 'bfly', 'idx': 'idx'}[words[1]]
        if words[0] != 'sync' or words[2:] != ['b32'] or len(arguments) != 5:
            raise Unknown('shfl')
        target, _, predicate = arguments[0].partition('|')
        return '{ bool simt_p; %s = ::simt::ptx::shuffle(::simt::ptx::shuffle_%s, (uint32_t)%s, (uint32_t)%s, ' \
            '(uint32_t)%s, (unsigned)%s, &simt_p, __builtin_FILE(), __builtin_FUNCTION(), __builtin_LINE()); ' \
            '(void)simt_p; %s }' % (
                (self.target(target), kind) + tuple(self.value(a) for a in arguments[1:5]) +
                ('%s = simt_p;' % self.target(predicate) if predicate else '',))

    def do_lop3(self, words, arguments):
        if words != ['b32']:
            raise Unknown('lop3')
        table = int(arguments[4], 0)
        terms = ['(%ssimt_x & %ssimt_y & %ssimt_z)' % tuple('' if i >> b & 1 else '~' for b in (2, 1, 0))
                 for i in range(8) if table >> i & 1]
        return '{ uint32_t simt_x = (uint32_t)%s, simt_y = (uint32_t)%s, simt_z = (uint32_t)%s; ' \
            '(void)simt_x; (void)simt_y; (void)simt_z; %s = (uint32_t)(%s); }' % (
                self.value(arguments[1]), self.value(arguments[2]), self.value(arguments[3]),
                self.target(arguments[0]), ' | '.join(terms) or '0')

    def do_trap(self, words, arguments):
        return '__trap();'

    def do_brkpt(self, words, arguments):
        return '__brkpt();'

    def do_isspacep(self, words, arguments):
        yes = words[0] == 'global'
        return '%s = %d;' % (self.target(arguments[0]), yes)


def split_arguments(text):
    """Operands of an instruction: commas inside braces and brackets do not count."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c in '{[':
            depth += 1
        elif c in '}]':
            depth -= 1
        elif c == ',' and not depth:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [p.strip() for p in parts if p.strip()]


def instructions(text):
    """Splits at ';' and yields the braces of scopes on their own; vectors keep theirs."""
    text = re.sub(r'//[^\n]*|/\*.*?\*/', ' ', text, flags=re.S)
    rest = text
    while rest.strip():
        rest = rest.lstrip()
        if rest[0] in '{}':
            yield rest[0]
            rest = rest[1:]
            continue
        one, _, rest = rest.partition(';')
        # "}" directly behind an instruction closes a scope.
        if one.strip():
            yield re.sub(r'\s+', ' ', one.strip())


def translate(text, operands):
    """C++ for the text of one asm statement; raises Unknown."""
    translator = Translator(operands)
    made = []
    for one in instructions(text):
        if one in '{}':
            made.append(one)
        elif one.split('.')[0].split(' ')[0] in NOTHING:
            continue
        else:
            made.append(translator.statement(one))
    return ' '.join(made)
