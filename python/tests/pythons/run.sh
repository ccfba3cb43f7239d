#!/bin/bash
# Runs core.py on every available Python of Debian, and with --full on one built here. Needs root on
# Debian, python3 and mmdebstrap, and for --full a compiler.
#
#   python/tests/pythons/run.sh [--full] PYTHON DIRECTORY     PYTHON as for collect.sh
#
# Prints the reports of core.py, and "SKIPPED name: why" for an unavailable interpreter. Exits
# with 1 if a check failed.
set -uo pipefail
full=
if [ "${1:-}" = --full ]; then
    full=1
    shift
fi
python=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

"$here/collect.sh" "$python" "$work/collected" || exit
source "$here/../debian.sh"
rm -f "$work"/*.log

core() { # COMMAND...: core.py under this command
    timeout 1800 "$@" || echo "FAILED $*"
}

# Runs COMMAND... in the background once a processor is free. Its output goes to a file.
jobs=0
begin() {
    while [ "$(jobs -pr | wc -l)" -ge "$(nproc)" ]; do
        wait -n || true
    done
    jobs=$((jobs + 1))
    "$@" >"$work/$jobs.log" 2>&1 &
}

# Makes a root with one interpreter and its dependencies, unpacked but not configured. It takes
# ten seconds.
debian() { # SUITE ARCHITECTURE PACKAGE COMMAND
    local root=$work/$1-$2-$3
    echo "== $3 of $1, $2"
    if ! debian_root "$root" "$1" "$2" extract "$3"; then
        echo "SKIPPED $3 of $1, $2: not available from this mirror"
        return
    fi
    cp -r "$work/collected" "$root"
    core chroot "$root" "$4" /collected/python/tests/pythons/core.py /collected
}

# Debian has no Python without a global lock, and none with integers of 15-bit digits. This builds
# one that has both properties, from Debian's sources, because they are signed.
built() {
    local folder=$work/built
    echo "== free-threaded, digits of 15 bits"
    if ! debian_source trixie python3.13 "$folder"; then
        echo "SKIPPED free-threaded Python: its source is not available from this mirror"
        return
    fi
    (
        cd "$folder" &&
            ./configure -q --disable-gil --enable-big-digits=15 --disable-test-modules \
                --without-ensurepip CFLAGS='-O1 -w' &&
            timeout 900 make -s -j"$(nproc)"
    ) >"$folder.txt" 2>&1 || {
        tail -n 20 "$folder.txt"
        echo "SKIPPED free-threaded Python: it was not built within 15 minutes; see above"
        return
    }
    core "$folder/python" "$work/collected/python/tests/pythons/core.py" "$work/collected"
}

given() {
    echo "== the given one, without its packages"
    core "$python" -S "$work/collected/python/tests/pythons/core.py" "$work/collected"
}

begin given
begin debian trixie amd64 python3.13 python3.13
begin debian trixie i386 python3.13 python3.13
begin debian trixie amd64 pypy3 pypy3
begin debian sid amd64 python3.14 python3.14
begin debian sid amd64 python3.15 python3.15
if [ "$full" ]; then
    begin built
else
    echo "SKIPPED free-threaded Python with digits of 15 bits: it takes minutes to build; use --full"
fi
wait
for ((job = 1; job <= jobs; job++)); do
    cat "$work/$job.log"
done
! grep -q '^FAILED' "$work"/[0-9]*.log
