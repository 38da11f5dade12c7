#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: check_headers.sh INCLUDE_DIR [CFLAG...]
#
# Compiles each public header of INCLUDE_DIR (a source or an installed tree) alone and twice in one
# file, as C11 and C++17, with gcc and clang where present, with and without the experimental API,
# in both flavours, with all warnings as errors. Then links programs of two files that include all
# headers: nothing may be defined twice, and the program must carry the role note of its flavour,
# also after link-time optimisation and removal of unused sections.
# CFLAGs are added to each compilation, e.g. -I for third-party headers.

set -u

if [ $# -lt 1 ] || [ ! -d "$1" ]; then
    echo "usage: $0 INCLUDE_DIR [CFLAG...]" >&2
    exit 2
fi
include=$(cd "$1" && pwd)
shift
extra=("$@")
warnings=(-Wall -Wextra -Wpedantic -Werror)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failures=0

fail()
{
    failures=$((failures + 1))
    echo "FAIL: $1"
    sed 's/^/    /' "$work/err" | head -n 12
}

# A typedef at the end keeps headers that only define macros from being an empty file.
printf 'typedef int this_file_is_not_empty;\n' >"$work/end"

headers=()
for path in "$include"/*.h; do
    name=$(basename "$path")
    headers+=("$name")
    { printf '#include <%s>\n#include <%s>\n' "$name" "$name"; cat "$work/end"; } \
        >"$work/${name%.h}.c"
    cp "$work/${name%.h}.c" "$work/${name%.h}.cpp"
done
[ -e "$include/${headers[0]}" ] || { echo "$0: no headers in $include" >&2; exit 2; }

# Two files with all headers, the second in the opposite order.
printf '#include <%s>\n' "${headers[@]}" >"$work/first"
{ cat "$work/first"; printf 'int second(void);\nint main(void)\n{\n    return second();\n}\n'; } \
    >"$work/main.c"
{
    tac "$work/first"
    printf '#ifdef __cplusplus\nextern "C"\n#endif\nint second(void);\n'
    printf 'int second(void)\n{\n    return 0;\n}\n'
} >"$work/second.c"
cp "$work/second.c" "$work/second.cpp"

check_alone() # compiler, extension, options...
{
    local compiler=$1 extension=$2 name
    shift 2
    for name in "${headers[@]}"; do
        $compiler "$@" "${warnings[@]}" "${extra[@]}" -fsyntax-only \
            "$work/${name%.h}.$extension" 2>"$work/err" ||
            fail "$name alone: $compiler $*"
    done
}

# The note: "opendoca" in the owner column, the role code in the first byte of the description.
has_role() # program, role code
{
    command -v readelf >/dev/null || return 0
    readelf -nW "$1" 2>/dev/null | grep -A 2 '^ *opendoca ' >"$work/err"
    grep -q "description data: 0$2 00 00 00" "$work/err" &&
        ! grep 'description data:' "$work/err" | grep -qv ": 0$2 00 00 00"
}

check_link() # C compiler, C++ compiler, role code, options...
{
    local cc=$1 cxx=$2 role=$3 second
    shift 3
    for second in second.c second.cpp; do
        if $cc -std=c11 "$@" "${extra[@]}" -c "$work/main.c" -o "$work/main.o" 2>"$work/err" &&
            if [ $second = second.c ]; then
                $cc -std=c11 "$@" "${extra[@]}" -c "$work/$second" -o "$work/second.o"
            else
                $cxx -std=c++17 "$@" "${extra[@]}" -c "$work/$second" -o "$work/second.o"
            fi 2>"$work/err" &&
            $cxx "$@" -Wl,--gc-sections -Wl,--as-needed "$work/main.o" "$work/second.o" \
                -o "$work/program" 2>"$work/err"; then
            has_role "$work/program" "$role" || fail "role note $role missing: $cc, $second, $*"
        else
            fail "link of main.c and $second: $cc $*"
        fi
    done
}

for compilers in "gcc g++" "clang clang++"; do
    read -r cc cxx <<<"$compilers"
    if ! command -v "$cc" >/dev/null || ! command -v "$cxx" >/dev/null; then
        continue
    fi
    for flavour in host dpu; do
        paths=(-I"$include")
        role=1
        [ $flavour = dpu ] && paths=(-I"$include/flavour/dpu" "${paths[@]}") && role=2
        for api in -UDOCA_ALLOW_EXPERIMENTAL_API -DDOCA_ALLOW_EXPERIMENTAL_API; do
            check_alone "$cc" c -std=c11 "$api" "${paths[@]}"
            check_alone "$cxx" cpp -std=c++17 "$api" "${paths[@]}"
        done
        check_link "$cc" "$cxx" $role "${paths[@]}" -O0
        check_link "$cc" "$cxx" $role "${paths[@]}" -O2 -flto -ffunction-sections -fdata-sections
    done
done

if [ $failures -ne 0 ]; then
    echo "$failures of the header checks failed"
    exit 1
fi
echo "${#headers[@]} headers of $include are fine"
