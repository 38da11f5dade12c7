#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write a linker version script from the annotations of headers.

Public headers mark each exported function with DOCA_STABLE or DOCA_EXPERIMENTAL; the private door
between the libraries (core_priv.h) marks its own with CORE_API, the soft layer with SOFT_API. Nothing
else is exported.
"""
import argparse
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
DECLARATION = re.compile(r"\b(DOCA_STABLE|DOCA_EXPERIMENTAL|DOCA_DEPRECATED|CORE_API|SOFT_API)\b([^;{]*)[;{]")
NODES = (("DOCA_STABLE", "DOCA_3"), ("DOCA_EXPERIMENTAL", "DOCA_EXPERIMENTAL"),
         ("DOCA_DEPRECATED", "DOCA_DEPRECATED"), ("CORE_API", "OPENDOCA_PRIVATE"),
         ("SOFT_API", "OPENDOCA_SOFT_PRIVATE"))


def declared_name(prototype):
    """The name that a prototype (or a variable declaration) introduces."""
    head = prototype.split("(", 1)[0] if "(" in prototype else prototype.split("[", 1)[0]
    names = re.findall(r"[A-Za-z_]\w*", head)
    return names[-1] if names else None


def symbols(path):
    text = COMMENT.sub(" ", open(path, encoding="utf-8").read())
    text = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", text, flags=re.M)
    text = re.sub(r"__attribute__\s*\(\([^()]*(?:\([^()]*\))*[^()]*\)\)", " ", text)
    for mark, prototype in DECLARATION.findall(text):
        name = declared_name(prototype)
        if name:
            yield mark, name


def collect(paths):
    found = {}
    for path in paths:
        for mark, name in symbols(path):
            found.setdefault(mark, set()).add(name)
    return found


def render(found):
    lines = []
    for mark, node in NODES:
        names = sorted(found.get(mark, ()))
        if names:
            lines.append("%s {\n    global:\n%s\n};\n" %
                         (node, "\n".join("        %s;" % n for n in names)))
    lines.append("OPENDOCA_LOCAL {\n    local:\n        *;\n};\n")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", default="-")
    parser.add_argument("--public", nargs="*", default=[])
    parser.add_argument("--private", nargs="*", default=[])
    parser.add_argument("--list", action="store_true", help="print names instead of a map")
    args = parser.parse_args()
    found = collect(args.public + args.private)
    if args.list:
        text = "".join("%s\n" % n for n in sorted(set().union(*found.values()))) if found else ""
    else:
        text = render(found)
    if args.output == "-":
        sys.stdout.write(text)
    else:
        with open(args.output, "w", encoding="utf-8") as out:
            out.write(text)


if __name__ == "__main__":
    main()
