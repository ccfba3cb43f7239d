#!/bin/bash
# Tests constant time and wiping with each compiler at each level: runs the tests ct/* and wipe/* with
# one library for both (RIJN_WATCHED), and prints a table.
#
#   tests/ct/levels.sh [BUILD_DIRECTORY]
#
#   COMPILERS="gcc clang"        the compilers
#   LEVELS="O1 Os O2 O3"         the levels; O3 is CMake's Release, which users get
#   FULL=1                       all of the stepping (steps.c). Otherwise gcc's -O3 gets one other set
#                                of secrets, with few operations for AES-128 and -192; other levels get
#                                a sample
set -uo pipefail
build=$(realpath -m "${1:-build/levels}")
cd "$(dirname "$0")/../.."
read -ra compilers <<<"${COMPILERS:-gcc clang}"
read -ra levels <<<"${LEVELS:-O1 Os O2 O3}"
command -v valgrind >/dev/null || { echo "needs valgrind"; exit 1; }

# Prints the result of the tests KIND/* in ctest's log: "passed 6", "FAILED 2 of 6".
verdict() { # KIND LOG
    awk -v kind=" $1/" '
        /^ *[0-9]+\/[0-9]+ Test +#/ && index($0, kind) && !/\*\*\*Skipped/ { ran++; failed += !/ Passed / }
        END { print !ran ? "none ran" : failed ? "FAILED " failed " of " ran : "passed " ran }' "$2"
}

sets() { # COMPILER LEVEL: how many other sets of secrets the stepping compares; 0: a sample
    case ${FULL:-0}:$1:$2 in
    0:gcc:O3) echo 1 ;;
    0:*) echo 0 ;;
    *:O3) echo 2 ;;
    *) echo 0 ;;
    esac
}

mkdir -p "$build"
table=() status=0
for cc in "${compilers[@]}"; do
    for level in "${levels[@]}"; do
        directory=$build/$cc-$level
        echo "== $cc -$level"
        begun=$SECONDS
        cmake -S . -B "$directory" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Release \
            -DCMAKE_C_FLAGS_RELEASE="-$level -DNDEBUG" -DRIJN_WATCHED=ON \
            -DRIJN_STEPS_SETS="$(sets "$cc" "$level")" \
            -DRIJN_BUILD_EXAMPLES=OFF >"$directory.cmake.log" 2>&1 &&
            cmake --build "$directory" --target ct test_wipe &&
            if grep -q ct_steps "$directory"/tests/ct/CTestTestfile.cmake; then
                cmake --build "$directory" --target ct_steps
            fi &&
            ctest --test-dir "$directory" -R '^(ct|wipe)/' --no-tests=error \
                --output-on-failure | tee "$directory.log"
        [ ${PIPESTATUS[0]} -eq 0 ] || status=1
        ct=$(verdict ct "$directory.log") wipe=$(verdict wipe "$directory.log")
        table+=("$(printf '%-8s %-6s %-16s %-16s %4d s' "$cc" "-$level" "$ct" "$wipe" \
            $((SECONDS - begun)))")
        for verdict in "$ct" "$wipe"; do
            [[ $verdict == passed* ]] || status=1
        done
    done
done

echo
for cc in "${compilers[@]}"; do
    "$cc" --version | head -n 1
done
printf '%-8s %-6s %-16s %-16s %s\n' compiler level ct wipe time
printf '%s\n' "${table[@]}"
exit $status
