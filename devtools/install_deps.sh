#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: install_deps.sh GROUP...
#
# Installs what is missing of the given groups of debian-packages.txt; silent when nothing is. Needs
# nothing but a POSIX shell, awk and dpkg, because it runs before anything else is there.

set -eu

list=$(dirname "$0")/debian-packages.txt
packages=$(awk -v groups=" $* " '/^#/ || NF < 2 { next } index(groups, " " $1 " ") { print $2 }' "$list")

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "install_deps.sh: no apt here; the project needs what these Debian packages hold:" $packages >&2
    exit 0
fi

missing=
for package in $packages; do
    case $(dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null) in
    *"install ok installed"*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
    if ! command -v sudo >/dev/null; then
        echo "install_deps.sh: what follows may fail; run as root: apt-get install$missing" >&2
        exit 0
    fi
fi

# Another apt may be at work, as on machines that have just started.
get() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@"
}

install() {
    get install --no-install-recommends "$@"
}

echo "installing:$missing"
# A list of packages may be there and fresh; asking the mirrors is for when it is not.
install $missing || { get update && install $missing; } || {
    # One that cannot be had must not keep out the rest: many are optional, and the build names what
    # it cannot do without.
    for package in $missing; do
        install "$package" || echo "install_deps.sh: $package cannot be installed" >&2
    done
}
