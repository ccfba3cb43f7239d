# NAME TRIPLE QEMU CPU TESTS BACKEND: runs these tests of a built suite on another processor, and
# checks that it chooses that backend.
other_cpu() {
    local emulator=(qemu-"$3" -L "/usr/$2" -cpu "$4") tests=$work/$1/tests/unit test status=0
    echo "== $1 as $4"
    for test in $5; do
        "${emulator[@]}" "$tests/test_$test" "$6" || status=1
    done
    "${emulator[@]}" "$tests/test_dispatch" | grep -x "this machine's choice: $6" || status=1
    return $status
}

status=0
# with the constant-time tests in QEMU
cross aarch64 aarch64-linux-gnu aarch64 '' -DRIJN_BUILD_CT=ON || status=1
c/tests/ct/not_skipped.sh "$work/aarch64" armce neon fixslice64 fixslice32 table planted || status=1
other_cpu aarch64 aarch64-linux-gnu aarch64 cortex-a72 'aegis many wipe' armce ||
    status=1 # without EOR3
return $status
