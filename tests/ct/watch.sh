#!/bin/sh
# One run under memcheck: watch.sh PROGRAM NAME clean|leaky (see ct.c).
# clean: memcheck itself must find no error either, wherever in the run.
# leaky: its reports are expected by the hundred and not printed.
set -eu
if [ "$3" = clean ]; then
    exec valgrind --quiet --error-exitcode=9 "$1" "$2" clean
fi
exec valgrind --quiet --log-file=/dev/null "$1" "$2" leaky
