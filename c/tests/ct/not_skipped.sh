#!/bin/bash
# Fails unless ct_steps watched each of these backends in the last run of ctest in a build directory.
# ctest skips unavailable backends and counts them as passed.
#
#   tests/ct/not_skipped.sh BUILD_DIRECTORY BACKEND...
set -euo pipefail
status=0
for backend in "${@:2}"; do
    if ! grep -q "^$backend: [1-9][0-9]* calls watched, 0 not" "$1/Testing/Temporary/LastTest.log"; then
        echo "FAILED ct/steps/$backend: it watched nothing"
        status=1
    fi
done
exit $status
