# SPDX-License-Identifier: BSD-3-Clause
"""A strict schema check: every field present, none added, exact types.

A schema is a Python value: a dict is an object with exactly these fields, a list of one schema is an
array of it, a tuple is a choice of schemas, a type is itself (bool is no int), None is null, a
compiled pattern is a string that matches as a whole, any other string stands for itself. The class
Map(key, value) is an object of any fields whose names and values fit.
"""
import collections
import json
import re

Map = collections.namedtuple('Map', 'key value')


def parse(text):
    """One JSON value; two fields of one name are an error too."""
    def unique(pairs):
        assert len({key for key, _ in pairs}) == len(pairs), 'a field occurs twice'
        return dict(pairs)
    return json.loads(text, object_pairs_hook=unique)


def _object(value, schema, where):
    if not isinstance(value, dict):
        yield '%s: no object' % where
        return
    for key in sorted(set(schema) ^ set(value)):
        yield '%s.%s: %s' % (where, key, 'missing' if key in schema else 'not in the schema')
    for key in set(schema) & set(value):
        yield from complaints(value[key], schema[key], '%s.%s' % (where, key))


def complaints(value, schema, where='$'):
    """What does not fit, as lines of text."""
    if isinstance(schema, Map):
        if not isinstance(value, dict):
            yield '%s: no object' % where
            return
        for key, inner in value.items():
            yield from complaints(key, schema.key, where + ' key')
            yield from complaints(inner, schema.value, '%s.%s' % (where, key))
    elif isinstance(schema, tuple):
        if all(list(complaints(value, choice)) for choice in schema):
            yield '%s: %r fits none of %r' % (where, value, schema)
    elif isinstance(schema, dict):
        yield from _object(value, schema, where)
    elif isinstance(schema, list):
        if not isinstance(value, list):
            yield '%s: no array' % where
            return
        for number, inner in enumerate(value):
            yield from complaints(inner, schema[0], '%s[%d]' % (where, number))
    elif isinstance(schema, type):
        if type(value) is not schema:
            yield '%s: %r is no %s' % (where, value, schema.__name__)
    elif isinstance(schema, re.Pattern):
        if not isinstance(value, str) or not schema.fullmatch(value):
            yield '%s: %r does not match %s' % (where, value, schema.pattern)
    elif value != schema:
        yield '%s: %r is not %r' % (where, value, schema)
