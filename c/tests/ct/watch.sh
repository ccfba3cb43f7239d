#!/bin/sh
# Runs ct once under memcheck: watch.sh PROGRAM NAME clean|leaky (see ct.c).
# clean: memcheck must not find any error in the whole run.
# leaky: thousands of reports are expected; they are counted, not printed.
set -eu
if [ "$3" = clean ]; then
    exec valgrind --quiet --error-exitcode=9 "$1" "$2" clean
fi
exec valgrind --quiet --error-limit=no --log-file=/dev/null "$1" "$2" leaky
