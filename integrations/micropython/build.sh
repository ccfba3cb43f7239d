#!/bin/bash
# Fetches MicroPython's source from Debian and builds the firmwares and modules for the tests:
#
#   integrations/micropython/build.sh [1.25|1.26]
#
# The default version is 1.26. Results in build/micropython/VERSION/:
#
#   source/                     MicroPython, Debian's patches applied
#   mpy-cross/mpy-cross         its compiler
#   rijn.mpy                    this folder's rijn.py, for every port
#   rijn-armv7m.mpy             the same for Armv7-M only, with viper compiled
#   plain/firmware.elf          the port `qemu` on a Cortex-M4, without Rijn
#   frozen/firmware.elf         with rijn.py frozen into it, by manifest.py
#   frozen-armv7m/firmware.elf  with the source of rijn-armv7m.mpy frozen into it
#   fixslice32/firmware.elf     with the module in C, constant time
#   table/firmware.elf          with the module in C, by table look-ups
#   cmake/firmware.elf          like fixslice32, but compiled as CMake ports do (folder port)
#   native/BACKEND-ARCH/rijn.mpy   the module in C as a native .mpy: fixslice32-armv7m,
#                               table-armv7m and, on x86-64, fixslice32-x64
#   unix/micropython            on x86-64, the port `unix`
#
# The WebAssembly port, from npm, goes to build/micropython/npm. Downloads happen only once. make
# rebuilds the rest if needed.
#
# Needs arm-none-eabi-gcc with newlib, make, cmake, gcc, python3 (or $PYTHON) with pyelftools, npm, and
# what debian_source.sh needs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
top=$root/build/micropython
python=${PYTHON:-python3}
webassembly=@micropython/micropython-webassembly-pyscript@1.27.0

fail() {
    echo "$0: $*" >&2
    exit 1
}

version=${1:-1.26}
case $version in
1.25) suite=trixie ;;
1.26) suite=sid ;;
*) fail "VERSION must be 1.25 or 1.26, not $version" ;;
esac
for tool in arm-none-eabi-gcc cmake gcc make npm python3; do
    command -v "$tool" >/dev/null ||
        fail "$tool is not installed (Debian: gcc-arm-none-eabi cmake gcc make npm python3)"
done
echo '#include <string.h>' | arm-none-eabi-gcc -E - >/dev/null 2>&1 ||
    fail "newlib is not installed (Debian: libnewlib-arm-none-eabi)"
"$python" -c 'import elftools' 2>/dev/null ||
    fail "pyelftools is not installed (make micropython installs it into .venv)"

quietly() { # WHAT COMMAND...: shows the output only if it fails
    local what=$1
    shift
    echo "MicroPython $version: $what"
    "$@" >"$to/log" 2>&1 </dev/null || {
        tail -n 30 "$to/log" >&2
        fail "$what failed; the whole output is in $to/log"
    }
}

firmware() { # NAME OPTION...: into $to/NAME/firmware.elf
    local name=$1
    shift
    quietly "firmware $name" port qemu "$name" BOARD=MPS2_AN386 \
        BOARD_DIR="$here/boards/MPS2_AN386" "$@"
}

port() { # PORT NAME OPTION...: into $to/NAME
    local port=$1 name=$2
    shift 2
    make -C "$to/source/ports/$port" -j"$(nproc)" FROZEN_MANIFEST= BUILD="$to/$name" \
        MICROPY_MPYCROSS="$to/mpy-cross/mpy-cross" \
        MICROPY_MPYCROSS_DEPENDENCY="$to/mpy-cross/mpy-cross" "$@"
}

packed() { # NAME OPTION...: into $to/NAME.mpy, without line numbers
    local name=$1
    shift
    "$python" "$here/pack.py" "$name" >"$to/$name.py"
    "$to/mpy-cross/mpy-cross" -O3 "$@" -s rijn.py -o "$to/$name.mpy" "$to/$name.py"
}

native() { # BACKEND ARCH
    local folder=$to/native/$1-$2
    mkdir -p "$folder"
    quietly "native module $1 for $2" make -C "$folder" -f "$here/modules/rijn/Makefile" \
        -j"$(nproc)" MPY_DIR="$to/source" ARCH="$2" RIJN_MODULE="$1" PYTHON="$python"
}

to=$top/$version
mkdir -p "$to"
exec 9>"$top/.lock" # one build at a time
flock 9
"$here/../debian_source.sh" micropython "$version" "$suite" "$to"
quietly mpy-cross make -C "$to/source/mpy-cross" BUILD="$to/mpy-cross" -j"$(nproc)"
packed rijn
packed rijn-armv7m -march=armv7m
firmware plain
firmware frozen FROZEN_MANIFEST="$here/manifest.py"
mkdir -p "$to/armv7m"
cp "$to/rijn-armv7m.py" "$to/armv7m/rijn.py"
cp "$here/manifest.py" "$to/armv7m/"
firmware frozen-armv7m FROZEN_MANIFEST="$to/armv7m/manifest.py"
for backend in fixslice32 table; do
    firmware "$backend" USER_C_MODULES="$here/modules" RIJN_MODULE="$backend"
    native "$backend" armv7m
done
quietly "firmware by CMake" cmake -S "$here/port" -B "$to/cmake" -DMICROPY_DIR="$to/source" \
    -DBUILT="$to/fixslice32" -DUSER_C_MODULES="$here/modules/rijn/micropython.cmake"
quietly "firmware by CMake" cmake --build "$to/cmake"
if [ "$(uname -m)" = x86_64 ]; then
    native fixslice32 x64
    quietly "port unix" port unix unix MICROPY_PY_SSL=0 MICROPY_PY_BTREE=0 MICROPY_PY_FFI=0 \
        MICROPY_PY_THREAD=0
fi
[ -e "$top/npm/node_modules/@micropython" ] ||
    quietly WebAssembly npm install --silent --no-audit --no-fund --prefix "$top/npm" "$webassembly"
