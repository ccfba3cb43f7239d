#!/bin/sh
# Builds the fuzz targets with clang, libFuzzer, ASan and UBSan, and runs each.
#
#   tests/fuzz/run.sh [SECONDS [BUILD_DIRECTORY]]     30 seconds each by default
#
# New inputs go to BUILD_DIRECTORY/found/, a failing one to BUILD_DIRECTORY.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-30}
build=${2:-build/fuzz}
command -v clang >/dev/null || { echo "needs clang with libFuzzer"; exit 1; }

cmake -S . -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DRIJN_SANITIZE=address,undefined -DRIJN_FUZZ=ON >/dev/null
cmake --build "$build" --target fuzz_modes fuzz_family fuzz_incremental fuzz_aegis

status=0
for target in modes family incremental aegis; do
    mkdir -p "$build/found/$target"
    if "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=4096 -timeout=20 \
        -print_final_stats=1 -artifact_prefix="$build/$target-" \
        "$build/found/$target" "tests/fuzz/corpus/$target" >"$build/$target.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
        coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$build/$target.log" | tail -n 1)
        echo "fuzz_$target: $runs inputs, $coverage edges, nothing found"
    else
        echo "fuzz_$target: FAILED"
        tail -n 40 "$build/$target.log"
        status=1
    fi
done
exit $status
