#!/bin/bash
# Builds librijn for Windows on x86-64 and 32-bit x86 with mingw-w64, links the example with both
# forms of it, and compares their exports: the DLL exports the header's functions, the static library
# none. On 32-bit x86, where callers align the stack to 4 bytes, functions must align it again.
#
#   tests/unit/windows.sh DIRECTORY
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

# Directives to the linker, in the objects of a DLL: -export:"name"
exports() { # FILE: prints their number
    "$triple-objdump" --section=.drectve --full-contents "$1" 2>/dev/null |
        sed -n 's/^ [0-9a-f]* .\{36\} //p' | tr -d '\n' | { grep -o -- "-export:" || true; } | wc -l
}

# Prints the names of exported functions that call others or save vectors without aligning the stack
# first.
unaligned() {
    "$triple-objdump" --disassemble --no-show-raw-insn "$directory/librijn.dll" |
        awk '/^[0-9a-f]+ <.*>:$/ { name = $2; aligned = 0 }
             /and +\$0xffffff[0-9a-f]+,%esp/ { aligned = 1 } # to 8 bytes, where no more is needed
             /\tcall|%xmm/ && !aligned && !told[name]++ { print name }' |
        sed -n 's/^<_\(rijn_[a-z0-9_]*\)>:$/\1/p' | sort | comm -12 - <(echo "$exported")
}

check() { # MACHINE DIRECTORY
    triple=$1-w64-mingw32 directory=$2
    echo "== windows, $1"
    cmake -S "$root" -B "$directory" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR="$1" \
        -DCMAKE_C_COMPILER="$triple-gcc" -DRIJN_WERROR=ON -DRIJN_BUILD_TESTS=OFF
    cmake --build "$directory"
    echo "PASSED windows $1: both forms of librijn, and the example with each"

    if [ "$(exports "$directory/librijn_static.a")" -ne 0 ]; then
        echo "FAILED windows $1: the static library exports functions"
        exit 1
    fi
    declared=$(grep -c '^RIJN_API' "$root/include/rijn.h")
    exported=$("$triple-objdump" --private-headers "$directory/librijn.dll" |
        sed -n '/Name Pointer\] Table/,$s/.* \(rijn_[a-z0-9_]*\)$/\1/p' | sort -u)
    if [ "$(wc -l <<<"$exported")" -ne "$declared" ] || ! grep -qx 'rijn_key_init_[0-9_]*' <<<"$exported"; then
        echo "FAILED windows $1: the header declares $declared functions, librijn.dll exports:"
        echo "$exported"
        exit 1
    fi
    echo "PASSED windows $1: exports"

    if [ "$1" = i686 ]; then
        if [ "$(unaligned)" ]; then
            echo "FAILED windows $1: functions that do not align the stack:" $(unaligned)
            exit 1
        fi
        "$triple-objdump" --disassemble --no-show-raw-insn "$directory/librijn.dll" |
            grep -c 'and  *$0xfffffff0,%esp' >"$directory/aligning"
        [ "$(cat "$directory/aligning")" -gt 80 ] || {
            echo "FAILED windows $1: only $(cat "$directory/aligning") functions align the stack"
            exit 1
        }
        echo "PASSED windows $1: the stack is aligned by $(cat "$directory/aligning") functions"
    fi
}

check x86_64 "$1/x86_64"
check i686 "$1/i686"

# The header refuses other compilers, such as MSVC.
if echo '#include <rijn.h>' | x86_64-w64-mingw32-gcc -U__GNUC__ -I "$root/include" -fsyntax-only -xc - 2>"$1/said"; then
    echo "FAILED windows: the header takes any compiler"
    exit 1
fi
grep -q 'MSVC and clang-cl are not supported' "$1/said"
echo "PASSED windows: the header refuses other compilers"
