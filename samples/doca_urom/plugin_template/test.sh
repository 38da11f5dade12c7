#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: test.sh PREFIX BUILD [WRAPPER...]
#
# Starts a service of the tree at PREFIX with the plugin in BUILD, in a runtime folder of its own, and
# runs the program there, behind WRAPPER if there is one.
set -u

prefix=$1 build=$2
shift 2
OPENDOCA_RUNTIME_DIR=$(mktemp -d) || exit 2
export OPENDOCA_RUNTIME_DIR
UROM_PLUGIN_PATH=$build "$prefix/services/doca_urom_daemon" >"$OPENDOCA_RUNTIME_DIR/log" 2>&1 &
daemon=$!
trap 'kill $daemon 2>/dev/null; wait $daemon 2>/dev/null; rm -rf "$OPENDOCA_RUNTIME_DIR"' EXIT

tries=1200
until grep -q 'ready: ' "$OPENDOCA_RUNTIME_DIR/log"; do
    tries=$((tries - 1))
    if [ $tries -eq 0 ] || ! kill -0 $daemon 2>/dev/null; then
        cat "$OPENDOCA_RUNTIME_DIR/log"
        exit 1
    fi
    sleep 0.1
done
said=$("$@" "$build/plugin_template")
status=$?
echo "$said"
[ $status -eq 0 ] && [ "$said" = "the worker says that the sum is 5050" ] && exit 0
cat "$OPENDOCA_RUNTIME_DIR/log"
exit 1
