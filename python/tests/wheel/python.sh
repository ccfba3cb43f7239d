#!/bin/bash
# Builds a Python that no registry has, from Debian's sources, because they are signed:
#
#   python/tests/wheel/python.sh free-threaded|musl WORK
#
# WORK/root then has the folder opt/python, for a Debian system: with zlib1g, or with musl, which is then
# its only C library. Needs a compiler, zlib1g-dev and musl-tools.
set -euo pipefail
kind=$1 work=$2
source "$(dirname "$0")/../debian.sh"
rm -rf "$work"
mkdir -p "$work"

# None of them is needed here. Without them only the C library and zlib are.
options=(--prefix=/opt/python --disable-test-modules CFLAGS='-O1 -w' PKG_CONFIG=false)
for module in _bz2 _ctypes _curses _curses_panel _dbm _gdbm _hashlib _lzma _sqlite3 _ssl _tkinter \
    _uuid readline; do
    options+=("py_cv_module_$module=n/a")
done
case $kind in
free-threaded)
    options+=(--disable-gil)
    ;;
musl)
    # The name that gcc would print is that of the other C library.
    cat >"$work/cc" <<'END'
#!/bin/sh
[ "$1" = --print-multiarch ] || exec musl-gcc "$@"
END
    chmod +x "$work/cc"
    export CC=$work/cc
    debian_source bookworm zlib "$work/zlib"
    (
        cd "$work/zlib"
        CFLAGS='-O2 -fPIC' ./configure --static
        make -j"$(nproc)" libz.a
    )
    options+=(ZLIB_CFLAGS="-I$work/zlib" ZLIB_LIBS="-L$work/zlib -lz")
    ;;
*)
    echo "no Python is named $kind" >&2
    exit 2
    ;;
esac
debian_source trixie python3.13 "$work/source"
cd "$work/source"
./configure -q "${options[@]}"
make -s -j"$(nproc)"
make -s install DESTDIR="$work/root"
