#!/bin/bash
# Makes a peer of the harness (putty.c) from PuTTY as `make putty-bench` has built it:
#
#   bench/harness/putty_peer.sh [0.78|0.83|0.85]
#
# librijn_putty.a, in build/peers/usr where CMake looks, holds the ciphers of PuTTY as it is
# and, once more, of PuTTY on Rijn with a librijn of its own. Both have the same names for
# everything: so only a table of functions of each stays visible (putty_code.h).
# build/putty/VERSION/packets times packets of both (putty_packets.c).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
version=${1:-0.85}
top=$root/build/putty/$version
to=$root/build/peers/usr
: "${CC:=cc}" # a program and its arguments, as cmake reads it

fail() {
    echo "$0: $*" >&2
    exit 1
}

# table NAME KIND [LIBRARY...]: $work/NAME.o
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

[ "$($CC -dumpmachine | cut -d - -f 1)" = x86_64 ] || fail "the harness knows PuTTY's code for x86-64 only"
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
