#!/bin/sh
# One run under memcheck: watch.sh PROGRAM NAME clean|leaky (see ct.c).
# clean: memcheck itself must find no error either, wherever in the run.
# leaky: its reports are expected by the thousand, all counted and none printed.
set -eu
if [ "$3" = clean ]; then
    exec valgrind --quiet --error-exitcode=9 "$1" "$2" clean
fi
exec valgrind --quiet --error-limit=no --log-file=/dev/null "$1" "$2" leaky
