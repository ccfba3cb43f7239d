#!/bin/bash
# Tests constant time of the backends of other machines, and counts their instructions per byte with
# QEMU: docs/other-machines.md has the tables.
#
#   tests/ct/counts.sh [BUILD_DIRECTORY]      `make counts` runs this
#
#   COMPILERS="gcc clang"                     the compilers
#   LIBAEGIS=1                                also libaegis, fetched as its Python package
set -euo pipefail
build=$(realpath -m "${1:-build/counts}")
cd "$(dirname "$0")/../.."
read -ra compilers <<<"${COMPILERS:-gcc clang}"
status=0

# compiler CC TRIPLE: prints the command of the compiler for TRIPLE.
compiler() {
    if [ "$1" = gcc ]; then
        echo "$2-gcc"
    else
        echo "$1 --target=$2"
    fi
}

# libaegis CC TRIPLE DIRECTORY: builds a static library of libaegis with -O3.
libaegis() {
    local sources=$build/pyaegis cc
    read -ra cc <<<"$(compiler "$1" "$2")"
    if [ ! -d "$sources" ]; then
        mkdir -p "$build/fetched"
        python3 -m pip download --quiet --no-deps --no-binary pyaegis -d "$build/fetched" pyaegis
        mkdir "$sources"
        tar xzf "$build"/fetched/pyaegis-*.tar.gz -C "$sources" --strip-components=1
    fi
    mkdir -p "$3"
    (cd "$3" && "${cc[@]}" -O3 -w -c -I "$sources/c_src/include" -DBUILD=libaegis \
        -DVERSION='"pyaegis"' "$sources"/c_src/*/*.c "$OLDPWD/tests/ct/libaegis_code.c" &&
        ar rcs libaegis.a ./*.o)
}

# CC TRIPLE QEMU FLAGS CPU: builds for a machine with these flags.
build_for() {
    local directory=$build/$3-$1 cc options=()
    read -ra cc <<<"$(compiler "$1" "$2")"
    if [ "${LIBAEGIS:-}" ]; then
        libaegis "$1" "$2" "$directory/libaegis"
        options=(-DRIJN_LIBAEGIS="$directory/libaegis/libaegis.a")
    fi
    cmake -S . -B "$directory" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$3" \
        -DCMAKE_C_COMPILER="${cc[0]}" -DCMAKE_C_COMPILER_TARGET="$2" -DCMAKE_C_FLAGS="$4" \
        -DCMAKE_CROSSCOMPILING_EMULATOR="$(command -v "qemu-$3");-L;/usr/$2;-cpu;$5" \
        -DRIJN_WERROR=ON "${options[@]}" >"$directory.log" &&
        cmake --build "$directory" --target ct_steps counts >>"$directory.log"
}

# CC QEMU BACKEND...: checks that each was watched, and none skipped.
constant_time() {
    local directory=$build/$2-$1 backends=${*:3}
    ctest --test-dir "$directory" -R "^ct/steps/(${backends// /|})\$" --no-tests=error \
        --output-on-failure && tests/ct/not_skipped.sh "$directory" $backends
}

# CC TRIPLE QEMU CPU BACKEND...: prints a table.
table() {
    local tests=$build/$3-$1/tests/ct
    printf '\n%s as %s\n\n' "$3" "$4"
    QEMU_PLUGIN=$tests/plugin.so "qemu-$3" -L "/usr/$2" -cpu "$4" "$tests/counts" "${@:5}"
}

for cc in "${compilers[@]}"; do
    zkn=rv64,zkn=true,zkt=true
    mkdir -p "$build"
    build_for "$cc" aarch64-linux-gnu aarch64 "" max
    build_for "$cc" riscv64-linux-gnu riscv64 -march=rv64gc_zkn_zkt "$zkn"
    constant_time "$cc" aarch64 armce neon planted || status=1
    constant_time "$cc" riscv64 riscv-zkn planted || status=1
    table "$cc" aarch64-linux-gnu aarch64 max armce armce-neon neon fixslice64 libaegis
    table "$cc" aarch64-linux-gnu aarch64 cortex-a72 armce neon libaegis
    table "$cc" riscv64-linux-gnu riscv64 "$zkn" riscv-zkn fixslice64 libaegis
done
exit $status
