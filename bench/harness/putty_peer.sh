#!/bin/bash
# Makes a peer of the harness (putty.c) from the PuTTY that `make putty-bench` has built:
#
#   bench/harness/putty_peer.sh [0.78|0.83|0.85]
#
# It writes librijn_putty.a to build/peers/usr, where CMake looks. The library has PuTTY's ciphers
# twice: unchanged, and on Rijn with another librijn. Both have the same symbols, so each exports
# only a table of functions (putty_code.h). build/putty/VERSION/packets measures packets
# of both (putty_packets.c).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
version=${1:-0.85}
top=$root/build/putty/$version
to=$root/build/peers/usr
: "${CC:=cc}" # a program and its arguments, as in cmake

fail() {
    echo "$0: $*" >&2
    exit 1
}

# table NAME KIND [LIBRARY...]: writes $work/NAME.o
table() {
    local name=$1 kind=$2 source=$top/source
    shift 2
    [ -e "$top/$kind/built" ] || fail "PuTTY $version ($kind) is not built: run make putty-bench"
    $CC -O3 -fPIC -w -c -DBUILD="$name" -DVERSION="\"PuTTY $version, $(basename "$CC") $($CC -dumpversion)\"" \
        -I "$here" -I "$source" -I "$source/unix" -I "$source/charset" -I "$top/$kind/cmake" \
        -o "$work/$name-table.o" "$here/putty_code.c"
    ld -r -o "$work/$name.o" "$work/$name-table.o" \
        --start-group "$top/$kind/libcrypto.a" "$top/$kind/libutils.a" "$@" --end-group
    objcopy --keep-global-symbol="$name" "$work/$name.o"
}

[ "$($CC -dumpmachine | cut -d - -f 1)" = x86_64 ] || fail "the harness supports PuTTY's code only on x86-64"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table putty_original original
table putty_rijn rijn "$root/build/c/librijn.a"
mkdir -p "$to/include" "$to/lib"
rm -f "$work/librijn_putty.a"
ar rcs "$work/librijn_putty.a" "$work/putty_original.o" "$work/putty_rijn.o"
cp "$here/putty_code.h" "$to/include/"
mv "$work/librijn_putty.a" "$to/lib/"
$CC -O3 -I "$here" -o "$top/packets" "$here/putty_packets.c" "$to/lib/librijn_putty.a"
