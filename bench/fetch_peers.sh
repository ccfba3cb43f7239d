#!/bin/sh
# Fetches the libraries that the harness compares Rijn with. It unpacks Debian's
# packages, without root and without installing them. It compiles libraries that
# Debian does not have: libaegis from its Python package, AWS-LC and BoringSSL
# from their Rust packages. CMake finds them in the folder.
#
#   bench/fetch_peers.sh FOLDER        `make bench-peers` uses build/peers
#
# PYTHON is an interpreter with pip (default python3), CC the compiler of libaegis
# (default cc). README.md lists the requirements of AWS-LC and BoringSSL.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
libraries="libssl-dev libipsec-mb-dev libbearssl-dev libsodium-dev"
: "${PYTHON:=python3}" "${CC:=cc}"
PYTHON=$(realpath -s "$(command -v "$PYTHON")") # absolute, before cd
mkdir -p "$1/packages" "$1/usr/include" "$1/usr/lib"
cd "$1"

# libaegis_build TABLE [OPTION...]: builds the sources in packages/. Only the table of
# libaegis_code.h is exported, so that several builds can be linked together.
libaegis_build() {
    table=$1
    shift
    mkdir "packages/$table"
    for source in packages/pyaegis-*/c_src/*/*.c "$here/../c/tests/ct/libaegis_code.c"; do
        case $source in
        */raf/*) continue ;;
        */cpu.c) defines= ;; # defines the functions that the options replace elsewhere
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
    echo "not available: libaegis ($(tail -n 1 packages/log))"
fi
rm -rf packages/*

# crate PACKAGE: compiles the C code of the newest version with cargo. Sets $version, and $built to
# the output folder of its build script.
crate() {
    mkdir -p packages/src && : >packages/src/lib.rs
    printf '[package]\nname = "peer"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n%s = "*"\n' \
        "$1" >packages/Cargo.toml
    if ! command -v cargo >packages/log; then
        echo "cargo is not installed" >packages/log
        return 1
    fi
    cargo build --manifest-path packages/Cargo.toml --target-dir packages/target --release \
        --quiet --message-format=json >packages/messages 2>packages/log || return 1
    crate=$1
    built=$(sed -n 's/.*"build-script-executed".*#'"$1"'@.*"out_dir":"\([^"]*\)".*/\1/p' packages/messages)
    version=$(sed -n 's/.*"build-script-executed".*#'"$1"'@\([^"]*\)".*/\1/p' packages/messages)
}

# keep NAME HEADERS LIBRARY PREFIX: copies headers and library to where CMake looks, and writes
# fetched.h for boringssl.c.
keep() {
    mkdir -p "usr/include/$1" &&
        cp -r "$2/openssl" "usr/include/$1" &&
        cp "$3" "usr/lib/librijn_$1.a" &&
        printf '#define BORINGSSL_PREFIX %s\n#define FETCHED "%s"\n' "$4" \
            "$crate $version" >"usr/include/$1/fetched.h"
}

aws_lc() { # the prefix of its symbols contains the version
    crate aws-lc-sys || return 1
    prefix=aws_lc_$(echo "$version" | tr . _)
    keep aws_lc "$built/include" "$built/lib${prefix}_crypto.a" "$prefix"
}

boringssl() {
    mkdir packages/installed
    CFLAGS="${CFLAGS:-} -DBORINGSSL_PREFIX=boringssl" CXXFLAGS="${CXXFLAGS:-} -DBORINGSSL_PREFIX=boringssl" \
        BORING_BSSL_INSTALL_DIR=$PWD/packages/installed crate boring-sys || return 1
    keep boringssl packages/installed/include packages/installed/lib/libcrypto.a boringssl &&
        boringssl_avx2
}

# A copy of BoringSSL with other symbols. boringssl.c hides AVX-512 from it (Intel SDM volume 2,
# CPUID leaf 7 EBX: bits 16, 17, 30 and 31).
boringssl_avx2() {
    nm --defined-only --extern-only usr/lib/librijn_boringssl.a 2>/dev/null |
        awk 'NF == 3 { old = $3 } NF == 3 && sub(/boringssl/, "boringssl_avx2", $3) { print old, $3 }' |
        sort -u >packages/names
    objcopy --redefine-syms=packages/names usr/lib/librijn_boringssl.a usr/lib/librijn_boringssl_avx2.a &&
        mkdir -p usr/include/boringssl_avx2 &&
        ln -sfn ../boringssl/openssl usr/include/boringssl_avx2/openssl &&
        { sed '/PREFIX/s/boringssl$/boringssl_avx2/' usr/include/boringssl/fetched.h &&
            echo '#define CAPABILITIES ":~0xc0030000"'; } >usr/include/boringssl_avx2/fetched.h
}

for library in aws_lc boringssl; do
    if $library; then
        echo "fetched and compiled: $library ($version)"
    else
        echo "not available: $library ($(grep -v '^ *$' packages/log | tail -n 1))"
    fi
    rm -rf packages/*
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    echo "apt-get is not available. Install the libraries for the comparison yourself, with headers:"
    echo "  OpenSSL 3 (libcrypto), Intel's ipsec-mb, BearSSL, libsodium"
    rm -r packages
    exit 0
fi
for library in $libraries; do
    # the development package, and the package of its shared library
    packages="$library $(apt-cache depends "$library" 2>/dev/null | sed -n 's/^ *Depends: \(lib[^ ]*\)$/\1/p')"
    # shellcheck disable=SC2086
    if (cd packages && apt-get download $packages >log 2>&1); then
        echo "fetched: $packages"
    else
        echo "not available: $library ($(sed -n 's/^E: //p' packages/log | head -n 1); apt-get update may help)"
    fi
done
for package in packages/*.deb; do
    [ ! -e "$package" ] || dpkg-deb -x "$package" .
done
rm -r packages
