#!/bin/bash
# Fails unless ct_steps watched each of these rungs when ctest ran last in a build directory: one
# that is not there is skipped, and counts as passed.
#
#   tests/ct/not_skipped.sh BUILD_DIRECTORY RUNG...
set -euo pipefail
status=0
for rung in "${@:2}"; do
    if ! grep -q "^$rung: [1-9][0-9]* calls watched, 0 not" "$1/Testing/Temporary/LastTest.log"; then
        echo "FAILED ct/steps/$rung: it watched nothing"
        status=1
    fi
done
exit $status
