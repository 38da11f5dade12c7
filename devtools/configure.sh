#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: configure.sh BUILD_FOLDER [MESON_OPTION...]
#
# meson setup, and again only when there is a reason: other options, or a file that the build finds by
# its name (tests, fuzz targets, benchmarks) came or went.

set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
build=$1
shift
stamp=$build/.configured

wanted=$(
    echo "${CC:-}" "$@"
    cd "$source" && find tests bench samples \( -name '*.c' -o -name '*.build' \) | LC_ALL=C sort
)

if [ ! -f "$build/build.ninja" ]; then
    rm -rf "$build"
    meson setup "$build" "$source" "$@"
elif [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
    meson setup --reconfigure "$build" "$source" "$@"
fi
printf '%s\n' "$wanted" >"$stamp"
