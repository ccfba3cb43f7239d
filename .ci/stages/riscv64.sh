# Tests for processors that have more than QEMU's default one.
riscv_tests=$(printf 'test_%s ' vectors modes errors aegis many parts copies random aead streams guard wipe \
    bypass threads dispatch)

# RISC-V's vector cryptography. The QEMU of this Debian does not have it. The QEMU of the next
# release has it, and reports it.
vector_riscv() {
    local backend=riscv-zvkned qemu=$work/trixie/usr/bin/qemu-riscv64 test status=0
    local cpu=rv64,v=true,zvkned=true,zvkg=true,zvkt=true,zkt=true
    echo "== riscv64 with vector cryptography"
    [ -x "$qemu" ] || (. python/tests/debian.sh && debian_root "$work/trixie" trixie amd64 extract qemu-user)
    c_part riscv64-zvk "$riscv_tests" "/($backend|fixslice64)\$|^dispatch\$" -DCMAKE_SYSTEM_NAME=Linux \
        -DCMAKE_SYSTEM_PROCESSOR=riscv64 -DCMAKE_C_COMPILER=riscv64-linux-gnu-gcc -DRIJN_WERROR=ON \
        -DCMAKE_CROSSCOMPILING_EMULATOR="$qemu;-L;/usr/riscv64-linux-gnu;-cpu;$cpu,vlen=128" ||
        status=1
    echo "== and registers of 256 bits"
    for test in vectors modes many; do
        "$qemu" -L /usr/riscv64-linux-gnu -cpu "$cpu,vlen=256" \
            "$work/riscv64-zvk/tests/unit/test_$test" "$backend" || status=1
    done
    return $status
}

status=0
if [ "$FULL" ]; then # else as processors with more
    cross riscv64 riscv64-linux-gnu riscv64 '' || status=1
fi
# and on a processor with Zkn. This QEMU does not report it, so the compiler assumes it.
echo "== riscv64 with Zkn"
c_part riscv64-zkn "$riscv_tests ct_steps" '/riscv-zkn$|^dispatch$|^ct/steps/' \
    -DRIJN_BUILD_CT=ON -DCMAKE_SYSTEM_NAME=Linux \
    -DCMAKE_SYSTEM_PROCESSOR=riscv64 -DCMAKE_C_COMPILER=riscv64-linux-gnu-gcc \
    -DCMAKE_C_FLAGS=-march=rv64gc_zkn_zkt -DRIJN_WERROR=ON \
    -DCMAKE_CROSSCOMPILING_EMULATOR="$(command -v qemu-riscv64);-L;/usr/riscv64-linux-gnu;-cpu;rv64,zkn=true,zkt=true" ||
    status=1
c/tests/ct/not_skipped.sh "$work/riscv64-zkn" riscv-zkn fixslice64 fixslice32 table planted || status=1
vector_riscv || status=1
echo "== riscv64, told of vectors: what keeps them from a compiler"
for cc in clang clang-19; do
    for source in c/src/backends/riscv_zvkned.c c/src/aegis/riscv_zvkned.c; do
        $cc --target=riscv64-linux-gnu -march=rv64gcv -std=c11 -O3 -Wall -Wextra -Werror -Ic/include \
            -Ic/src -c "$source" -o "$work/vectors.o" && echo "PASSED $source by $cc" || status=1
    done
done
echo "== aarch64 and riscv64 with Zkn, clang: constant time, instructions"
COMPILERS=clang c/tests/ct/counts.sh "$work/counts" || status=1
echo "== riscv64, big-endian: none of its backends"
riscv64-linux-gnu-gcc -mbig-endian -std=c11 -Ic/include -Ic/src -c c/src/backends.c -o "$work/big.o" || status=1
if riscv64-linux-gnu-nm "$work/big.o" | grep riscv; then status=1; fi
return $status
