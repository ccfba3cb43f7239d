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
#               crypto/aesgcm-clmul.c, linked with build/librijn.a
#
# What it leaves, for each version and kind, in build/putty/VERSION/KIND/:
#
#   pscp psftp plink testcrypt      the programs; PATH/testcrypt is what
#                                   VERSION/source/test/cryptsuite.py is run with
#   libcrypto.a libutils.a          PuTTY's ciphers, and what they need; of rijn,
#                                   link build/librijn.a behind them
#   objects                         of rijn: objects.c, which check.py runs
#   cmake/                          cmake's own
#
# and in build/putty/VERSION/source/ the unpacked source, Debian's patches applied, with
# the headers: ssh.h and crypto/ of it, with -I VERSION/source -I VERSION/source/unix
# -I VERSION/original/cmake (cmake.h). What is there and newer than its sources is not built
# again. KIND/built is written last: it says that all of KIND is there.
#
# Needs cmake 3.19, a C compiler, dpkg-dev, and apt with Debian's archive key; nothing of the
# system's apt configuration is changed. DEBIAN_MIRROR=URL names another mirror.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
top=$root/build/putty
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

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
for tool in apt-get cmake dpkg-source; do
    command -v "$tool" >/dev/null || fail "$tool is missing (Debian: apt cmake dpkg-dev)"
done

fetch() { # VERSION: into $top/VERSION/source
    local suite apt full dsc
    suite=$(suite_of "$1")
    [ ! -e "$top/$1/source/.unpacked" ] || return 0
    [ -r "$keyring" ] || fail "$keyring is missing (Debian: debian-archive-keyring)"
    apt=$top/$1/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    echo "deb-src [signed-by=$keyring] $mirror $suite main" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<EOF
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Sandbox::User "";
Acquire::Retries "3";
Acquire::http::Timeout "60";
EOF
    echo "PuTTY $1: fetching the source of Debian $suite"
    APT_CONFIG=$apt/apt.conf apt-get -qq update
    full=$(APT_CONFIG=$apt/apt.conf apt-cache showsrc --only-source putty |
        sed -n 's/^Version: //p' | grep "^$1-" | sort -V | tail -n 1) ||
        fail "Debian $suite has no PuTTY $1 any more"
    dsc=putty_$full.dsc
    # Upstream's own signature may be missing from a mirror. apt has checked each file that
    # is there against Debian's signed index; whether those are all we need, the sums in the
    # .dsc say.
    (cd "$top/$1" && APT_CONFIG=$apt/apt.conf \
        apt-get -qq source --only-source --download-only "putty=$full") ||
        echo "(not everything was to be had; checking what was)"
    [ -e "$top/$1/$dsc" ] || fail "$dsc could not be fetched"
    (cd "$top/$1" && awk '/^Checksums-Sha256:/ { on = 1; next } /^[^ ]/ { on = 0 }
        on && $3 !~ /\.asc$/ { print $1 "  " $3 }' "$dsc" | sha256sum --check --quiet -) ||
        fail "the source of PuTTY $1 is not whole"
    rm -rf "$top/$1/source"
    (cd "$top/$1" && dpkg-source -q --no-check -x "$dsc" source)
    touch "$top/$1/source/.unpacked"
}

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
        options=(-DRIJN_LIBRARY="$root/build/librijn.a" -DRIJN_INCLUDE="$root/include"
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
        "${CC:-cc}" -O2 -w -I "$tree" -I "$tree/unix" -I "$tree/charset" -I "$to/cmake" \
            -o "$to/objects" "$here/objects.c" -Wl,--wrap=safemalloc,--wrap=safefree \
            -Wl,--start-group "$to/libcrypto.a" "$to/libutils.a" "$root/build/librijn.a" \
            -Wl,--end-group || fail "objects.c could not be built with PuTTY $1"
    fi
    touch "$to/built"
}

mkdir -p "$top"
exec 9>"$top/.lock" # one at a time
flock 9
for version in "${versions[@]}"; do
    fetch "$version"
    for kind in "${kinds[@]}"; do
        if [ "$kind" = rijn ] && [ ! -e "$root/build/librijn.a" ]; then
            fail "build/librijn.a is missing: run make build"
        fi
        build "$version" "$kind"
    done
done
