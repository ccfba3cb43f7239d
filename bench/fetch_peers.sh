#!/bin/sh
# Unpacks Debian's packages of the libraries that the harness compares Rijn
# with, without root and without installing them: CMake finds them there.
#
#   bench/fetch_peers.sh FOLDER        build/peers for `make bench-peers`
set -eu
libraries="libssl-dev libipsec-mb-dev libbearssl-dev libsodium-dev"
mkdir -p "$1/packages"
cd "$1"

if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    echo "No apt-get here. Install by hand, with headers, those that you want to compare with:"
    echo "  OpenSSL 3 (libcrypto), Intel's ipsec-mb, BearSSL, libsodium"
    exit 0
fi
for library in $libraries; do
    # the development package and the shared library that its link points to
    packages="$library $(apt-cache depends "$library" 2>/dev/null | sed -n 's/^ *Depends: \(lib[^ ]*\)$/\1/p')"
    # shellcheck disable=SC2086
    if (cd packages && apt-get download $packages >log 2>&1); then
        echo "fetched: $packages"
    else
        echo "not to be had here: $library ($(sed -n 's/^E: //p' packages/log | head -n 1); apt-get update may help)"
    fi
done
for package in packages/*.deb; do
    [ ! -e "$package" ] || dpkg-deb -x "$package" .
done
rm -r packages
