#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: check_install.sh SOURCE BUILD PREFIX
#
# A staged install: public headers only and all of them, each compiles alone, and every pkg-config
# module of both sides (host, DPU) is found, has the version and flags that it should have.

set -u

source=$1 build=$2 prefix=$3
stage=$(mktemp -d) || exit 2
trap 'rm -rf "$stage"' EXIT
failures=0

fail()
{
    failures=$((failures + 1))
    echo "FAIL: $1"
}

meson install -C "$build" --no-rebuild --quiet --destdir "$stage" || exit 1
include=$stage$prefix/include

diff <(cd "$source/include" && find . -type f ! -name meson.build | sort) \
    <(cd "$include" && find . -type f | sort) || fail "installed headers differ from include/"

export PKG_CONFIG_SYSROOT_DIR=$stage
export PKG_CONFIG_LIBDIR
for PKG_CONFIG_LIBDIR in $(find "$stage$prefix" -type d -name 'pkgconfig*'); do
    for pc in "$PKG_CONFIG_LIBDIR"/*.pc; do
        module=$(basename "$pc" .pc)
        pkg-config --exists --print-errors "$module" || { fail "$pc"; continue; }
        [ "$(pkg-config --modversion "$module")" = "$(cat "$source/VERSION")" ] ||
            fail "$pc: version $(pkg-config --modversion "$module")"
        # Some versions put the stage before the variable, some do not.
        case $(pkg-config --variable=prefix "$module") in
        "$prefix" | "$stage$prefix") ;;
        *) fail "$pc: prefix $(pkg-config --variable=prefix "$module")" ;;
        esac
        for folder in $(pkg-config --libs-only-L --cflags-only-I "$module" | tr ' ' '\n' |
            sed -n 's/^-[LI]//p'); do
            [ -d "$folder" ] || fail "$pc: no folder $folder"
        done
        case $PKG_CONFIG_LIBDIR in
        *-dpu) pkg-config --cflags "$module" | grep -q flavour/dpu || fail "$pc: not DPU" ;;
        *) pkg-config --cflags "$module" | grep -q flavour/dpu && fail "$pc: DPU flags" ;;
        esac
    done
done

"$(dirname "$0")/check_headers.sh" "$include" || failures=$((failures + 1))
[ $failures -eq 0 ]
