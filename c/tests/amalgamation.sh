#!/bin/bash
# Tests the files of `make amalgamation` as their users compile them, without CMake:
#
#   c/tests/amalgamation.sh FOLDER WORK [COMPILER...]
#
# FOLDER has rijn.h, rijn.c and rijn-portable.c. Each COMPILER ("arm-none-eabi-gcc -mcpu=cortex-m4") must
# compile both without a warning. Then a program in C11 and one in C++17 are built by the commands of
# docs/c.md, and run, in QEMU for other machines. The stage `amalgamation` of .ci/run also runs the C suite.
set -euo pipefail
folder=$(cd "$1" && pwd) work=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
cd "$work"
status=0

# COMMAND...: asks a compiler for warnings in both files.
warns() {
    local file mode=(-O2 -fsyntax-only)
    case "$*" in *zig*) mode=(-O0 -c -o zig.o) ;; esac # zig cc fails without an output
    for file in rijn.c rijn-portable.c; do
        if "$@" -std=c11 -Wall -Wextra -Wpedantic -Werror "${mode[@]}" "$folder/$file"; then
            echo "PASSED $* $file"
        else
            echo "FAILED $* $file"
            status=1
        fi
    done
}

for compiler; do
    # shellcheck disable=SC2086 # the options are words
    warns $compiler
done

# NAME COMMAND...: runs a program, which must have opened its message.
runs() {
    local name=$1
    shift
    if "$@" >"$name.out" && grep -qx 'opened: Attack at dawn (.*)' "$name.out"; then
        echo "PASSED $name: $(head -n 1 "$name.out")"
    else
        echo "FAILED $name"
        cat "$name.out"
        status=1
    fi
}

# The two commands of docs/c.md, then a caller in C++17.
for file in rijn rijn-portable; do
    cc -O2 -c "$folder/$file.c"
    cc -O2 -I"$folder" "$here/../examples/seal.c" $file.o -o seal
    runs $file ./seal
done
if command -v c++ >/dev/null; then
    c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$folder" -x c++ "$here/../examples/seal.c" -x none rijn.o -o seal++
    runs 'rijn, C++17' ./seal++
fi

# TRIPLE QEMU FILE
elsewhere() {
    if ! command -v "$1-gcc" >/dev/null || ! command -v "qemu-$2" >/dev/null; then
        echo "SKIPPED $3 on $2: $1-gcc and qemu-$2 are not both installed"
        return
    fi
    "$1-gcc" -O1 -static -I"$folder" "$here/../examples/seal.c" "$folder/$3.c" -o "seal-$2"
    runs "$3 on $2" "qemu-$2" "./seal-$2"
}
elsewhere aarch64-linux-gnu aarch64 rijn
elsewhere riscv64-linux-gnu riscv64 rijn
elsewhere s390x-linux-gnu s390x rijn-portable
elsewhere arm-linux-gnueabihf arm rijn-portable

# For a small machine, with a part of the library (docs/microcontrollers.md).
if command -v arm-none-eabi-gcc >/dev/null; then
    arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os -ffunction-sections -Wall -Wextra -Werror \
        -DRIJN_CONFIG_FILE='"gcm.h"' -I"$here/micro/configs" -c "$folder/rijn-portable.c" -o micro.o
    arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os -Wall -Wextra -Werror -DRIJN_THUMB2=1 \
        -DRIJN_CONFIG_FILE='"gcm-fast.h"' -I"$here/micro/configs" -c "$folder/rijn-portable.c" -o thumb2.o
    # fixslice32 takes its rounds and CTR from thumb2.S.
    arm-none-eabi-nm --undefined-only thumb2.o >thumb2.names
    grep -q rijn_thumb2_encrypt thumb2.names
    grep -q rijn_thumb2_ctr thumb2.names
    echo "PASSED a part on Cortex-M4: $(arm-none-eabi-size micro.o | awk 'NR == 2 { print $1 }') bytes of code"
else
    echo "SKIPPED a part on Cortex-M4: arm-none-eabi-gcc is not installed"
fi
exit $status
