#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: check_format.sh ROOT
#
# clang-format agrees with every C source. Versions format differently, so only version 14 counts;
# with another one the check is skipped (77).

set -u

cd "$1" || exit 2
format=
for candidate in clang-format-14 clang-format; do
    if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then
        format=$candidate
        break
    fi
done
if [ -z "$format" ]; then
    echo "no clang-format 14 here"
    exit 77
fi
find include src simt tests bench samples \( -name '*.c' -o -name '*.h' -o -name '*.cuh' \) -print0 \
    2>/dev/null | xargs -0 -r -n 16 -P 2 "$format" --dry-run --Werror
