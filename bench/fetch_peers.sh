#!/bin/sh
# Unpacks Debian's packages of the libraries that the harness compares Rijn
# with, without root and without installing them, and compiles libaegis, which
# Debian has not got, from its Python package: CMake finds them there.
#
#   bench/fetch_peers.sh FOLDER        build/peers for `make bench-peers`
#
# PYTHON is an interpreter with pip (python3), CC the compiler of libaegis (cc).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
libraries="libssl-dev libipsec-mb-dev libbearssl-dev libsodium-dev"
: "${PYTHON:=python3}" "${CC:=cc}"
mkdir -p "$1/packages" "$1/usr/include" "$1/usr/lib"
cd "$1"

# libaegis_build TABLE [OPTION...]: one build of the sources in packages/, of which
# only the table of libaegis_code.h stays visible, so that several can be linked.
libaegis_build() {
    table=$1
    shift
    mkdir "packages/$table"
    for source in packages/pyaegis-*/c_src/*/*.c "$here/libaegis_code.c"; do
        case $source in
        */raf/*) continue ;;
        */cpu.c) defines= ;; # the answers themselves, which others are not to hear
        *) defines=$* ;;
        esac
        # shellcheck disable=SC2086
        $CC -O3 -fPIC -w -c $defines -I "$here" -I packages/pyaegis-*/c_src/include \
            -DBUILD="$table" -DVERSION="\"pyaegis $version, $(basename "$CC") $("$CC" -dumpversion)\"" \
            -o "packages/$table/$(basename "$source" .c).o" "$source" || return 1
    done
    ld -r -o "packages/$table.o" "packages/$table"/*.o &&
        objcopy --keep-global-symbol="$table" "packages/$table.o"
}

libaegis() {
    (cd packages && "$PYTHON" -m pip download --quiet --no-deps --no-binary pyaegis pyaegis &&
        tar xzf pyaegis-*.tar.gz) >packages/log 2>&1 || return 1
    version=$(echo packages/pyaegis-*.tar.gz | sed 's/.*-\(.*\)\.tar\.gz/\1/')
    no_vaes="-Daegis_runtime_has_vaes=libaegis_has_not -Daegis_runtime_has_avx512f=libaegis_has_not"
    no_aes="$no_vaes -Daegis_runtime_has_aesni=libaegis_has_not"
    libaegis_build libaegis &&
        libaegis_build libaegis_aesni $no_vaes &&
        libaegis_build libaegis_soft $no_aes -Daegis_runtime_has_neon_aes=libaegis_has_not &&
        ar rcs usr/lib/librijn_libaegis.a packages/libaegis.o packages/libaegis_aesni.o \
            packages/libaegis_soft.o &&
        cp packages/pyaegis-*/c_src/include/*.h usr/include
}

if libaegis; then
    echo "fetched and compiled: pyaegis $version (libaegis)"
else
    echo "not to be had here: libaegis ($(tail -n 1 packages/log))"
fi
rm -rf packages/*

if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    echo "No apt-get here. Install by hand, with headers, those that you want to compare with:"
    echo "  OpenSSL 3 (libcrypto), Intel's ipsec-mb, BearSSL, libsodium"
    rm -r packages
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
