#!/bin/bash
# Builds a Python that no registry has, from Debian's sources, because they are signed:
#
#   python/tests/wheel/python.sh free-threaded|musl WORK
#
# WORK/root then has the folder opt/python, for a Debian system: with zlib1g, or with musl, which is then
# its only C library. Needs root and mmdebstrap. The compiler is in a system of its own, WORK/builder:
# programs such as Spark load other libraries on a machine that has musl.
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
packages=gcc,libc6-dev,make
case $kind in
free-threaded)
    options+=(--disable-gil)
    packages+=,zlib1g-dev
    ;;
musl)
    options+=(CC=/cc ZLIB_CFLAGS=-I/zlib ZLIB_LIBS='-L/zlib -lz')
    packages+=,musl-tools
    ;;
*)
    echo "no Python is named $kind" >&2
    exit 2
    ;;
esac
builder=$work/builder
debian_root "$builder" trixie "$(dpkg --print-architecture)" minbase "$packages"
if [ "$kind" = musl ]; then
    # The name that gcc would print is that of the other C library.
    cat >"$builder/cc" <<'END'
#!/bin/sh
[ "$1" = --print-multiarch ] || exec musl-gcc "$@"
END
    chmod +x "$builder/cc"
    debian_source bookworm zlib "$builder/zlib"
    debian_inside "$builder" root sh -ec 'cd zlib && CC=/cc CFLAGS="-O2 -fPIC" ./configure --static && make libz.a'
fi
debian_source trixie python3.13 "$builder/source"
debian_inside "$builder" root sh -ec 'cd source
    ./configure -q "$@"
    make -s -j"$(nproc)"
    make -s install DESTDIR=/installed' sh "${options[@]}"
mv "$builder/installed" "$work/root"
