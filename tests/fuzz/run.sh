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
cmake --build "$build" --target fuzz_modes fuzz_family fuzz_incremental fuzz_aegis fuzz_many \
    fuzz_rows fuzz_keyset

fuzz() { # TARGET
    mkdir -p "$build/found/$1"
    if "$build/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -max_len=4096 -timeout=20 \
        -print_final_stats=1 -artifact_prefix="$build/$1-" \
        "$build/found/$1" "tests/fuzz/corpus/$1" >"$build/$1.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$1.log")
        coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$build/$1.log" | tail -n 1)
        echo "fuzz_$1: $runs inputs, $coverage edges, nothing found"
    else
        echo "fuzz_$1: FAILED"
        tail -n 40 "$build/$1.log"
        return 1
    fi
}

# As many at once as there are processors.
status=0
running=
for target in modes family incremental aegis many rows keyset; do
    # shellcheck disable=SC2086
    set -- $running
    if [ $# -ge "$(getconf _NPROCESSORS_ONLN)" ]; then
        wait "$1" || status=1
        shift
    fi
    fuzz "$target" &
    running="$* $!"
done
for job in $running; do
    wait "$job" || status=1
done
exit $status
