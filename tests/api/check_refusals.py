#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Call every function that docs/coverage.md calls refusing, and compare its answer with the page.

usage: check_refusals.py ROOT LIBRARY...

The calls are made from the interface tables: an object that a program can have is a real one, what
cannot exist is memory full of zeros, numbers are 1.
"""
import ctypes
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
ROOT, LIBRARIES = sys.argv[1], sys.argv[2:]
sys.path.insert(0, os.path.join(ROOT, 'devtools'))
import gen_coverage

PAGE = os.path.join(ROOT, 'docs', 'coverage.md')
REFUSES = re.compile(r'^\| `(\w+)` \| `([\w.]+)` \| `(DOCA_ERROR_\w+)` \|$', re.M)
PROTOTYPE = re.compile(r'^(.*?)(\w+)\((.*)\)$')
NUMBER = re.compile(r'^(?:u?int\d+_t|size_t|int|enum \w+|union doca_data|doca_\w+_t)\b[^*]*$')


def prototypes():
    """name -> (return type, types of the parameters)"""
    found = {}
    folder = os.path.join(ROOT, 'abi', '3.3')
    for table in sorted(os.listdir(folder)):
        with open(os.path.join(folder, table), encoding='utf-8') as lines:
            for line in lines:
                cells = line.rstrip('\n').split('\t')
                if cells[0] == 'function':
                    result, name, parameters = PROTOTYPE.match(cells[2]).groups()
                    found[name] = result.strip(), [p.strip() for p in parameters.split(',')]
    return found


class Api:
    """The libraries, with objects of the kinds that exist."""

    def __init__(self):
        self.handles = [ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL) for path in LIBRARIES]
        self.kept = []
        for name in ('doca_error_get_name', 'opendoca_last_error'):
            self.function(name).restype = ctypes.c_char_p
        devinfos, number = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_uint32()
        self.must('doca_devinfo_create_list', ctypes.byref(devinfos), ctypes.byref(number))
        memory = ctypes.create_string_buffer(4096)
        dev = self.new('doca_dev_open', ctypes.c_void_p(devinfos[0]))
        dma = self.new('doca_dma_create', dev)
        mmap = self.new('doca_mmap_create')
        started = self.new('doca_mmap_create')
        self.must('doca_mmap_add_dev', started, dev)
        self.must('doca_mmap_set_memrange', started, memory, ctypes.c_size_t(4096))
        self.must('doca_mmap_start', started)
        inventory = self.new('doca_buf_inventory_create', ctypes.c_size_t(1))
        self.must('doca_buf_inventory_start', inventory)
        buf = ctypes.c_void_p()
        self.must('doca_buf_inventory_buf_get_by_args', inventory, started, memory,
                  ctypes.c_size_t(64), memory, ctypes.c_size_t(0), ctypes.byref(buf))
        as_ctx = self.function('doca_dma_as_ctx')
        as_ctx.restype = ctypes.c_void_p
        self.kept += [memory, devinfos]
        self.wants_started = {'doca_mmap_dev_get_dpa_handle': started}
        self.objects = {
            'doca_dev': dev, 'doca_devinfo': ctypes.c_void_p(devinfos[0]), 'doca_dma': dma,
            'doca_ctx': ctypes.c_void_p(as_ctx(dma)), 'doca_mmap': mmap, 'doca_buf': buf,
            'doca_pe': self.new('doca_pe_create'),
            'doca_sync_event': self.new('doca_sync_event_create'),
            'doca_buf_arr': self.new('doca_buf_arr_create', ctypes.c_size_t(1)),
            'doca_rdma': self.new('doca_rdma_create', dev),
        }

    def function(self, name):
        for handle in self.handles:
            if hasattr(handle, name):
                return getattr(handle, name)
        raise AttributeError(name)

    def must(self, name, *arguments):
        code = self.function(name)(*arguments)
        assert code == 0, '%s: %s' % (name, self.function('doca_error_get_name')(code))

    def new(self, name, *arguments):
        made = ctypes.c_void_p()
        self.must(name, *arguments, ctypes.byref(made))
        return made

    def argument(self, name, parameter):
        known = re.match(r'(?:const )?struct (\w+) \*\w*$', parameter)
        if known and known.group(1) == 'doca_mmap' and name in self.wants_started:
            return self.wants_started[name]
        if known and known.group(1) in self.objects:
            return self.objects[known.group(1)]
        if NUMBER.match(parameter):
            return ctypes.c_uint64(1)
        self.kept.append(ctypes.create_string_buffer(1 << 14))
        return self.kept[-1]

    def answer(self, name, result, parameters):
        """The code that the call leaves: returned, or said where it returns none."""
        function = self.function(name)
        function.restype = ctypes.c_int if result == 'doca_error_t' else ctypes.c_uint64
        code = function(*[self.argument(name, p) for p in parameters])
        if result == 'doca_error_t':
            return self.function('doca_error_get_name')(code).decode()
        text = self.function('opendoca_last_error')().decode()
        said = re.search(r'DOCA_ERROR_\w+', text)
        return said.group(0) if said and name in text else 'nothing'


class Refusals(unittest.TestCase):
    def test_each_function_answers_as_the_page_says(self):
        with open(PAGE, encoding='utf-8') as page:
            rows = REFUSES.findall(page.read())
        self.assertEqual({name: code for name, _, code in rows}.keys() -
                         gen_coverage.refusals(ROOT).keys(), set())
        self.assertGreater(len(rows), 50)
        api, known = Api(), prototypes()
        for name, _, code in rows:
            with self.subTest(function=name):
                self.assertEqual(api.answer(name, *known[name]), code)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
