#!/bin/sh
# Builds the constant-time tests and runs them with their output shown.
#
#   tests/ct/run.sh [BUILD_DIRECTORY]      CC chooses the compiler
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/ct}
command -v valgrind >/dev/null || { echo "needs valgrind"; exit 1; }
cmake -S . -B "$build" >/dev/null
cmake --build "$build" --target ct
ctest --test-dir "$build" -L ct --no-tests=error --output-on-failure
grep -h 'operations watched' "$build/Testing/Temporary/LastTest.log"
