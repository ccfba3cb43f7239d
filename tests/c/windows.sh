#!/bin/bash
# Builds librijn for Windows with mingw-w64, links the example with both forms of it, and looks
# at what they export: the DLL the header's functions, the static library nothing.
#
#   tests/c/windows.sh DIRECTORY
set -euo pipefail
directory=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
triple=x86_64-w64-mingw32

cmake -S "$root" -B "$directory" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=x86_64 \
    -DCMAKE_C_COMPILER=$triple-gcc -DRIJN_WERROR=ON -DRIJN_BUILD_TESTS=OFF
cmake --build "$directory"
echo "PASSED windows: both forms of librijn, and the example with each"

# Directives to the linker, in the objects of a DLL: -export:"name"
exports() { # FILE: how many
    $triple-objdump --section=.drectve --full-contents "$1" 2>/dev/null |
        sed -n 's/^ [0-9a-f]* .\{36\} //p' | tr -d '\n' | { grep -o -- "-export:" || true; } | wc -l
}
if [ "$(exports "$directory/librijn_static.a")" -ne 0 ]; then
    echo "FAILED windows: the static library exports functions"
    exit 1
fi
objects=$(find "$directory/CMakeFiles/rijn.dir" -name key.c.obj)
[ "$(exports "$objects")" -gt 0 ] || { echo "FAILED windows: the DLL's objects export nothing"; exit 1; }

declared=$(grep -c '^RIJN_API' "$root/include/rijn.h")
exported=$($triple-objdump --private-headers "$directory/librijn.dll" |
    sed -n '/Name Pointer\] Table/,$s/.* \(rijn_[a-z0-9_]*\)$/\1/p' | sort -u)
if [ "$(wc -l <<<"$exported")" -ne "$declared" ] || ! grep -qx 'rijn_key_init_[0-9_]*' <<<"$exported"; then
    echo "FAILED windows: the header declares $declared functions, librijn.dll exports:"
    echo "$exported"
    exit 1
fi
echo "PASSED windows: exports"

# Another compiler, as MSVC, is told so.
if echo '#include <rijn.h>' | $triple-gcc -U__GNUC__ -I "$root/include" -fsyntax-only -xc - 2>"$directory/said"; then
    echo "FAILED windows: the header takes any compiler"
    exit 1
fi
grep -q 'MSVC and clang-cl are not supported' "$directory/said"
echo "PASSED windows: the header refuses other compilers"
