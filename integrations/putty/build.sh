#!/bin/bash
# Fetches PuTTY's source from Debian and builds its programs:
#
#   integrations/putty/build.sh [0.78|0.83|0.85]... [original|software|rijn]...
#
# The default version is 0.85; the default is all three kinds.
#
#   original    PuTTY unchanged: AES-NI and CLMUL if the CPU has them
#   software    without them (PuTTY's own cmake options), so that its portable code runs
#   rijn        with this folder's files instead of crypto/aes-ni.c and
#               crypto/aesgcm-clmul.c, linked with build/c/librijn.a
#
# Results for each version and kind, in build/putty/VERSION/KIND/:
#
#   pscp psftp plink testcrypt      the programs; VERSION/source/test/cryptsuite.py
#                                   uses testcrypt
#   libcrypto.a libutils.a          PuTTY's ciphers and their dependencies; for rijn,
#                                   link build/c/librijn.a after them
#   objects                         for rijn: objects.c, which check.py runs
#   cmake/                          cmake's build folder
#
# build/putty/VERSION/source/ has the source with Debian's patches. To use its headers, such as
# ssh.h, compile with -I VERSION/source -I VERSION/source/unix -I VERSION/original/cmake
# (cmake.h). Files that are newer than their sources are not built again. KIND/built is written
# last, when KIND is complete.
#
# Needs cmake 3.19, a C compiler, and what debian_source.sh needs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
top=$root/build/putty
: "${CC:=cc}" # a program and its arguments, as in cmake

fail() {
    echo "$0: $*" >&2
    exit 1
}

suite_of() { # VERSION: prints the release of Debian with this version
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
        suite_of "$word" >/dev/null || fail "unknown version or kind: $word. Versions: 0.78 0.83" \
            "0.85. Kinds: original software rijn"
        versions+=("$word")
        ;;
    esac
done
[ ${#versions[@]} -gt 0 ] || versions=(0.85)
[ ${#kinds[@]} -gt 0 ] || kinds=(original software rijn)
command -v cmake >/dev/null || fail "cmake is not installed (Debian: cmake)"
case $(uname -m) in
x86_64) ;;
*) fail "PuTTY uses these files only on x86-64" ;;
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
        fail "building PuTTY $1 ($2) failed; the whole output is in $to/log"
    }
    for name in pscp psftp plink testcrypt libcrypto.a libutils.a; do
        ln -sf "cmake/$name" "$to/$name"
        [ -e "$to/$name" ] || fail "the build of PuTTY $1 ($2) has no $name"
    done
    if [ "$2" = rijn ]; then
        tree=$top/$1/source
        $CC -O2 -w -I "$tree" -I "$tree/unix" -I "$tree/charset" -I "$to/cmake" \
            -I "$root/c/include" -o "$to/objects" "$here/objects.c" \
            -Wl,--wrap=safemalloc,--wrap=safefree,--wrap=rijn_gcm_seal,--wrap=rijn_gcm_tag \
            -Wl,--start-group "$to/libcrypto.a" "$to/libutils.a" "$root/build/c/librijn.a" \
            -Wl,--end-group || fail "building objects.c with PuTTY $1 failed"
    fi
    touch "$to/built"
}

mkdir -p "$top"
exec 9>"$top/.lock" # one build at a time
flock 9
for version in "${versions[@]}"; do
    "$here/../debian_source.sh" putty "$version" "$(suite_of "$version")" "$top/$version"
    for kind in "${kinds[@]}"; do
        if [ "$kind" = rijn ] && [ ! -e "$root/build/c/librijn.a" ]; then
            fail "build/c/librijn.a does not exist: run make build"
        fi
        build "$version" "$kind"
    done
done
