#!/bin/sh
# Builds the fuzz targets with clang, libFuzzer, ASan and UBSan, and runs each.
#
#   tests/fuzz/run.sh [SECONDS [BUILD_DIRECTORY [FOLDER...]]]     30 seconds each by default
#
# Each FOLDER has further targets: fuzz_NAME.c, with the seeds in corpus/NAME.
# CLANG names the compiler. New inputs go to BUILD_DIRECTORY/found/, a failing one to BUILD_DIRECTORY.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-30}
build=$(realpath -m "${2:-build/fuzz}")
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
folders=
for folder in "$@"; do
    folders="$folders;$(cd "$folder" && pwd)"
done
clang=${CLANG:-clang}
command -v "$clang" >/dev/null || { echo "needs clang with libFuzzer"; exit 1; }

cmake -S "$here/../.." -B "$build" -DRIJN_FUZZ_FOLDERS="${folders#;}" -DCMAKE_C_COMPILER="$clang" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DRIJN_SANITIZE=address,undefined -DRIJN_FUZZ=ON >/dev/null
cmake --build "$build" --target fuzz

fuzz() { # TARGET CORPUS
    mkdir -p "$build/found/$1"
    if "$build/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -max_len=4096 -timeout=20 \
        -print_final_stats=1 -artifact_prefix="$build/$1-" \
        "$build/found/$1" "$2" >"$build/$1.log" 2>&1; then
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
for folder in "$here" "$@"; do
    for source in "$folder"/fuzz_*.c; do
        target=$(basename "$source" .c)
        if [ "$(echo "$running" | wc -w)" -ge "$(getconf _NPROCESSORS_ONLN)" ]; then
            first=${running%% *}
            wait "$first" || status=1
            running=${running#"$first"}
            running=${running# }
        fi
        fuzz "${target#fuzz_}" "$folder/corpus/${target#fuzz_}" &
        running="${running:+$running }$!"
    done
done
for job in $running; do
    wait "$job" || status=1
done
exit $status
