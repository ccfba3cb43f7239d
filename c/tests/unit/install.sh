#!/bin/sh
# Installs a build of librijn under a temporary prefix and builds the example
# against it as a user would: with pkg-config and with find_package, shared and
# static. Also compiles the header as C++ if there is a C++ compiler.
#
#   tests/unit/install.sh BUILD_DIRECTORY [CC]
set -eu

build=$1
cc=${2:-cc}
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

command -v pkg-config >/dev/null || { echo "skipped: no pkg-config"; exit 77; }

expect() { # LABEL COMMAND: checks the output of the example
    label=$1
    shift
    "$@" >"$work/said" || { echo "$label: exit status $?"; cat "$work/said"; exit 1; }
    sed 1d "$work/said" | diff - "$work/want" || { echo "$label: said something else"; exit 1; }
    echo "ok: $label"
}
cat >"$work/want" <<'END'
opened: Attack at dawn (success)
altered: "" (authentication failed)
END

cmake --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
[ -n "$(find "$prefix/share/doc" -name LICENSE)" ] || { echo "no LICENSE was installed"; exit 1; }
pc=$(dirname "$(find "$prefix" -name rijn.pc)")
lib=$(dirname "$pc")
export PKG_CONFIG_PATH="$pc"
flags="-std=c11 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags rijn)"

# shellcheck disable=SC2086
{
    $cc $flags "$examples/seal.c" -o "$work/shared" $(pkg-config --libs rijn)
    $cc $flags "$examples/seal.c" -o "$work/static" $(pkg-config --libs --static rijn | sed "s|-lrijn|$lib/librijn.a|")
}
expect "pkg-config, shared" env LD_LIBRARY_PATH="$lib" "$work/shared"
expect "pkg-config, static" "$work/static"
if env -u LD_LIBRARY_PATH "$work/shared" >/dev/null 2>&1; then
    echo "the shared example ran without librijn.so: it tested nothing"
    exit 1
fi

cmake -S "$examples" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 &&
    cmake --build "$work/cmake" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
expect "find_package, shared" "$work/cmake/seal_rijn"
expect "find_package, static" "$work/cmake/seal_rijn_static"

# find_package accepts only this minor version.
for version in $(pkg-config --modversion rijn | awk -F. '{print $1 "." $2, $1 "." $2 + 1, $1 + 1 "." $2, "0.0"}'); do
    mkdir -p "$work/find"
    printf 'cmake_minimum_required(VERSION 3.22)\nproject(find NONE)\nfind_package(rijn %s)\nmessage("found: ${rijn_FOUND}")\n' \
        "$version" >"$work/find/CMakeLists.txt"
    cmake -S "$work/find" -B "$work/find/build-$version" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1
    sed -n 's/^found: //p' "$work/log"
done | tr '\n' ' ' >"$work/said"
[ "$(cat "$work/said")" = "1 0 0 0 " ] || { echo "find_package of this and other versions: $(cat "$work/said")"; exit 1; }
echo "ok: find_package takes no other minor version"

# The shared library exports only the public functions, all with the version of its symbols. Functions
# that initialize structs, or get structs that nothing initializes, have the version of the structs in
# their names.
structs=$(sed -n 's/^#define RIJN_STRUCTS "\(.*\)"/\1/p' "$prefix/include/rijn.h")
node=RIJN_$(echo "${structs#_}" | tr _ .)
sed -n '/^RIJN_API/,/;/p' "$prefix/include/rijn.h" | tr '\n' ' ' | tr ';' '\n' |
    sed -n "s/.*RIJN_WITH_STRUCTS(\([a-z_0-9]*\)).*/\1$structs/p; t
            s/.*RIJN_API[A-Z_]* [^(]*\(rijn_[a-z0-9_]*\)(.*/\1/p" | sed "s/$/@@$node/" | sort -u >"$work/declared"
[ "$(grep -c "$structs@" "$work/declared")" -eq 10 ] || { echo "not ten functions that are the first to see a struct"; exit 1; }
nm -D --defined-only "$lib/librijn.so" | awk '$2 != "A" {print $3}' | sort -u |
    diff "$work/declared" - || { echo "header and shared library differ"; exit 1; }
echo "ok: exports are the header's functions, under $node"

# Calls inside the library are direct. The dynamic linker only fills in addresses of functions of
# other libraries, in the PLT and the GOT.
readelf --wide --relocs "$lib/librijn.so" | grep -E 'JU?MP_SLO|GLOB_DAT' >"$work/bound"
if grep 'rijn_' "$work/bound"; then
    echo "librijn.so calls itself by way of the dynamic linker"
    exit 1
fi
grep -q memcpy "$work/bound" || { echo "librijn.so copies nothing: the question was put wrongly"; exit 1; }
echo "ok: no call of its own by way of the dynamic linker"

# Programs with the header of another minor version do not link with either form of the library.
mkdir "$work/other"
sed 's/^#define RIJN_STRUCTS .*/#define RIJN_STRUCTS "_0_999"/' "$prefix/include/rijn.h" >"$work/other/rijn.h"
for form in librijn.a librijn.so; do
    # shellcheck disable=SC2086
    if $cc -I "$work/other" $flags "$examples/seal.c" -o "$work/mismatch" "$lib/$form" 2>"$work/said"; then
        echo "$form was linked with the header of another version"
        exit 1
    fi
    grep -q 'rijn_key_init_0_999' "$work/said" || { cat "$work/said"; exit 1; }
done
echo "ok: another version's header is not linked"

# A program that was linked with a library of another minor version does not start with this library.
# If the functions have the names of this version, only the version of the symbols refuses it.
for other in "$work/other" "$prefix/include"; do
    suffix=$(sed -n 's/^#define RIJN_STRUCTS "\(.*\)"/\1/p' "$other/rijn.h")
    rm -rf "$work/stand-in"
    mkdir "$work/stand-in"
    sed "s/$structs@/$suffix@/; s/@.*//; s/.*/void &(void); void &(void) {}/" "$work/declared" >"$work/stand-in/all.c"
    echo 'RIJN_0.999 { global: rijn_*; };' >"$work/stand-in/map"
    $cc -shared -fPIC -Wl,-soname,librijn.so.0.999 -Wl,--version-script="$work/stand-in/map" \
        "$work/stand-in/all.c" -o "$work/stand-in/librijn.so.0.999"
    # shellcheck disable=SC2086
    $cc -I "$other" $flags "$examples/seal.c" -o "$work/stand-in/seal" "$work/stand-in/librijn.so.0.999"
    cp "$lib/librijn.so" "$work/stand-in/librijn.so.0.999"
    if LD_LIBRARY_PATH="$work/stand-in" "$work/stand-in/seal" >/dev/null 2>"$work/said"; then
        echo "a program of another version was started"
        exit 1
    fi
    grep -qE 'RIJN_0.999|rijn_[a-z_]*_0_999' "$work/said" || { cat "$work/said"; exit 1; }
done
echo "ok: a program of another version is not started"

if command -v c++ >/dev/null; then
    echo '#include <rijn.h>
int main() { return rijn_backend_count() == 0; }' >"$work/use.cpp"
    # shellcheck disable=SC2046
    c++ -std=c++98 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags rijn) "$work/use.cpp" -o "$work/cpp" "$lib/librijn.a" &&
        "$work/cpp" && echo "ok: the header in C++" || exit 1
    for header in "$examples/../include"/*.h; do
        echo "#include \"$header\"" >"$work/each.cpp"
        c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -c "$work/each.cpp" -o "$work/each.o" || exit 1
    done
    echo "ok: each header of include/ in C++"
fi
