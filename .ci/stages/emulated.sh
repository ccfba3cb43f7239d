# Other x86-64 CPUs in QEMU: runs tests of the C suite, and checks which backend is chosen. The oldest CPU
# gets two backends, Haswell those that need it. With --full, both get the whole suite.

status=0
some='vectors modes errors aegis many parts dispatch'
for cpu in qemu64:sse2 core2duo:ssse3 Nehalem:ssse3 Westmere:aesni Haswell,-aes:avx2 Haswell:aesni-avx \
    EPYC-Milan:aesni-avx; do
    model=${cpu%:*} backend=${cpu#*:}
    echo "== $model"
    if [ "$model" = qemu64 ] || [ "$model" = Haswell ]; then
        backends=$([ "$model" = qemu64 ] && echo '(sse2|fixslice64)$' || echo '(avx2|aesni-avx)$')
        cross "x86-64-$model" x86_64-linux-gnu x86_64 "$some" -DCMAKE_SYSTEM_PROCESSOR=x86_64 \
            -DCMAKE_CROSSCOMPILING_EMULATOR="$(command -v qemu-x86_64);-cpu;$model" || status=1
    fi
    if qemu-x86_64 -cpu "$model" "$work/x86-64-qemu64/tests/unit/test_dispatch" |
        grep -qx "this machine's choice: $backend"; then
        echo "PASSED $model: $backend"
    else
        echo "FAILED $model: not $backend"
        status=1
    fi
done
# It has SSSE3 and nothing later.
if qemu-x86_64 -cpu core2duo "$work/x86-64-qemu64/tests/unit/test_vectors" ssse3; then
    echo "PASSED core2duo: vectors on ssse3"
else
    echo "FAILED core2duo: vectors on ssse3"
    status=1
fi
return $status
