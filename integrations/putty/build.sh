#!/bin/bash
# Fetches PuTTY's source from Debian and builds its programs:
#
#   integrations/putty/build.sh [0.78|0.83|0.85]... [original|software|rijn]...
#
# Without a version: 0.85. Without a kind: all three.
#
#   original    as PuTTY is: AES-NI and CLMUL where the CPU has them
#   software    without them (PuTTY's own cmake options), so that its portable code runs
#   rijn        with this folder's files in place of crypto/aes-ni.c and
#               crypto/aesgcm-clmul.c, linked with build/c/librijn.a
#
# What it leaves, for each version and kind, in build/putty/VERSION/KIND/:
#
#   pscp psftp plink testcrypt      the programs; PATH/testcrypt is what
#                                   VERSION/source/test/cryptsuite.py is run with
#   libcrypto.a libutils.a          PuTTY's ciphers, and what they need; of rijn,
#                                   link build/c/librijn.a behind them
#   objects                         of rijn: objects.c, which check.py runs
#   cmake/                          cmake's own
#
# and in build/putty/VERSION/source/ the unpacked source, Debian's patches applied, with
# the headers: ssh.h and crypto/ of it, with -I VERSION/source -I VERSION/source/unix
# -I VERSION/original/cmake (cmake.h). What is there and newer than its sources is not built
# again. KIND/built is written last: it says that all of KIND is there.
#
# Needs cmake 3.19, a C compiler, and what debian_source.sh needs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
top=$root/build/putty
: "${CC:=cc}" # a program and its arguments, as cmake reads it

fail() {
    echo "$0: $*" >&2
    exit 1
}

suite_of() { # VERSION: the release of Debian that has it
    case $1 in
    0.78) echo bookworm ;;
    0.83) echo trixie ;;
    0.85) echo sid ;;
    *) return 1 ;;
    esac
}

versions=() kinds=()
for word; do
    case $word in
    original | software | rijn) kinds+=("$word") ;;
    *)
        suite_of "$word" >/dev/null || fail "neither a version (0.78 0.83 0.85) nor a kind" \
            "(original software rijn): $word"
        versions+=("$word")
        ;;
    esac
done
[ ${#versions[@]} -gt 0 ] || versions=(0.85)
[ ${#kinds[@]} -gt 0 ] || kinds=(original software rijn)
command -v cmake >/dev/null || fail "cmake is missing (Debian: cmake)"
case $(uname -m) in
x86_64) ;;
*) fail "PuTTY takes AES from these files on x86-64 alone; here it has its own" ;;
esac

build() { # VERSION KIND
    local tree=$top/$1/source to=$top/$1/$2 options=() name
    case $2 in
    software) options=(-DHAVE_AES_NI=OFF -DHAVE_CLMUL=OFF) ;;
    rijn)
        tree=$to/tree
        mkdir -p "$tree"
        cp -a --update "$top/$1/source/." "$tree"
        for name in "$here"/crypto/*.[ch]; do
            cmp -s "$name" "$tree/crypto/${name##*/}" || cp "$name" "$tree/crypto"
        done
        options=(-DRIJN_LIBRARY="$root/build/c/librijn.a" -DRIJN_INCLUDE="$root/c/include"
            -DCMAKE_PROJECT_putty_INCLUDE="$here/rijn.cmake")
        ;;
    esac
    echo "PuTTY $1: building $2"
    mkdir -p "$to"
    rm -f "$to/built"
    {
        cmake -S "$tree" -B "$to/cmake" -DPUTTY_GTK_VERSION=NONE -DCMAKE_BUILD_TYPE=Release \
            "${options[@]}" &&
            cmake --build "$to/cmake" -j"$(nproc)" --target pscp psftp plink testcrypt
    } >"$to/log" 2>&1 || {
        tail -n 30 "$to/log" >&2
        fail "PuTTY $1 ($2) could not be built; all of it is in $to/log"
    }
    for name in pscp psftp plink testcrypt libcrypto.a libutils.a; do
        ln -sf "cmake/$name" "$to/$name"
        [ -e "$to/$name" ] || fail "PuTTY $1 ($2) has been built without $name"
    done
    if [ "$2" = rijn ]; then
        tree=$top/$1/source
        $CC -O2 -w -I "$tree" -I "$tree/unix" -I "$tree/charset" -I "$to/cmake" \
            -I "$root/c/include" -o "$to/objects" "$here/objects.c" \
            -Wl,--wrap=safemalloc,--wrap=safefree,--wrap=rijn_gcm_seal \
            -Wl,--start-group "$to/libcrypto.a" "$to/libutils.a" "$root/build/c/librijn.a" \
            -Wl,--end-group || fail "objects.c could not be built with PuTTY $1"
    fi
    touch "$to/built"
}

mkdir -p "$top"
exec 9>"$top/.lock" # one at a time
flock 9
for version in "${versions[@]}"; do
    "$here/../debian_source.sh" putty "$version" "$(suite_of "$version")" "$top/$version"
    for kind in "${kinds[@]}"; do
        if [ "$kind" = rijn ] && [ ! -e "$root/build/c/librijn.a" ]; then
            fail "build/c/librijn.a is missing: run make build"
        fi
        build "$version" "$kind"
    done
done
