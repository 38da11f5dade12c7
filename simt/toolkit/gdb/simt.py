# SPDX-License-Identifier: BSD-3-Clause
"""CUDA threads of simt in gdb.

    (gdb) source $CUDA_PATH/share/gdb/simt.py
    (gdb) simt threads              all CUDA threads, in groups that stand at the same place
    (gdb) simt threads all          one line a thread
    (gdb) simt switch BLOCK THREAD  looks at that thread (both linear numbers); "bt", "up", "print" follow
    (gdb) simt back                 returns to where the process stopped; needed before it goes on
"""
import gdb

STATES = ('could go on', 'at a barrier', 'at a collective', 'has returned')
# Of a saved context on x86-64, see runtime/context.c.
SAVED = (('r12', 0x08), ('r13', 0x10), ('r14', 0x18), ('r15', 0x20), ('rbx', 0x28), ('rbp', 0x30),
         ('rip', 0x38))
STACK_POINTER = 0x40


def running_blocks():
    try:
        block = gdb.parse_and_eval("'device.c'::device.running")
    except gdb.error:
        raise gdb.GdbError('no simt runtime with debug information in this program') from None
    while int(block):
        yield block.dereference()
        block = block['next']


def read_word(address):
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, 8)), 'little')


def set_register(name, value):
    # Those of outer frames cannot be changed.
    gdb.newest_frame().select()
    gdb.execute('set $%s = %d' % (name, value), to_string=True)


class Registers:
    """The registers of the selected OS thread, changed for a while."""
    saved = None

    @classmethod
    def take(cls, context):
        gdb.newest_frame().select()
        if cls.saved is None:
            names = [n for n, _ in SAVED] + ['rsp']
            cls.saved = {n: int(gdb.parse_and_eval('(unsigned long)$%s' % n)) for n in names}
        for name, offset in SAVED:
            set_register(name, read_word(context + offset))
        set_register('rsp', context + STACK_POINTER)

    @classmethod
    def give_back(cls):
        if cls.saved is None:
            return
        # The stack pointer first: gdb finds frames anew after each step.
        for name in ['rsp'] + [n for n, _ in SAVED]:
            set_register(name, cls.saved[name])
        cls.saved = None


def frame_of_user():
    """The innermost frame that is not the runtime's."""
    frame = gdb.newest_frame()
    for _ in range(16):
        place = frame.find_sal().symtab
        name = gdb.solib_name(frame.pc()) or ''
        if 'libsimt.so' not in name and not (place and '/simt/device.h' in place.filename):
            return frame
        older = frame.older()
        if older is None:
            break
        frame = older
    return frame


def place_of(block, thread):
    if int(thread['state']) == 3:
        return ''
    if int(block['current']) == int(thread.address):
        return 'runs now'
    carrier = thread['carrier']
    if not int(carrier):
        return 'has not begun'
    Registers.take(int(carrier['context']))
    try:
        frame = frame_of_user()
        place = frame.find_sal()
        return '%s at %s:%d' % (frame.name() or '?', place.symtab.filename if place.symtab else '?',
                                place.line)
    finally:
        Registers.give_back()


def threads_of(block):
    for i in range(int(block['threads'])):
        yield i, block['thread'][i]


def describe(block, thread):
    state = STATES[int(thread['state'])]
    place = place_of(block, thread)
    return place if place in ('runs now', 'has not begun') else '%s%s%s' % (
        state, ': ' if place else '', place)


class Simt(gdb.Command):
    """simt threads [all] | simt switch BLOCK THREAD | simt back"""

    def __init__(self):
        super().__init__('simt', gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if words[:1] == ['threads']:
            self.threads(words[1:] == ['all'])
        elif words[:1] == ['switch'] and len(words) == 3:
            self.switch(int(words[1]), int(words[2]))
        elif words == ['back']:
            Registers.give_back()
            gdb.execute('frame 0')
        else:
            raise gdb.GdbError(self.__doc__)

    def threads(self, each):
        Registers.give_back()
        selected = gdb.selected_frame()
        total = 0
        for block in running_blocks():
            name = block['grid'].dereference()['kernel']['name'].string()
            groups = {}
            for i, thread in threads_of(block):
                groups.setdefault(describe(block, thread), []).append(i)
            total += int(block['threads'])
            print('kernel %s, block %d: %d threads' % (name, int(block['number']),
                                                       int(block['threads'])))
            if each:
                lines = [(i, text) for text, numbers in groups.items() for i in numbers]
                for i, text in sorted(lines):
                    print('  %4d  %s' % (i, text))
            else:
                for text, numbers in groups.items():
                    print('  %4d (%d..%d)  %s' % (len(numbers), numbers[0], numbers[-1], text))
        print('%d CUDA threads' % total)
        if selected.is_valid():
            selected.select()

    def switch(self, number, index):
        for block in running_blocks():
            if int(block['number']) != number:
                continue
            if not 0 <= index < int(block['threads']):
                raise gdb.GdbError('block %d has threads 0..%d' % (number, int(block['threads']) - 1))
            thread = block['thread'][index]
            carrier = thread['carrier']
            if int(block['current']) == int(thread.address):
                raise gdb.GdbError('that thread runs now: see "thread" and "bt"')
            if not int(carrier):
                raise gdb.GdbError('that thread has no stack: %s' % describe(block, thread))
            Registers.take(int(carrier['context']))
            frame_of_user().select()
            gdb.execute('frame')
            return
        raise gdb.GdbError('no block %d is running' % number)


Simt()
