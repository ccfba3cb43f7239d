#!/bin/sh
# Installs a build of librijn under a temporary prefix and builds the example
# against it as a user would: by pkg-config and by find_package, shared and
# static; and the header as C++ if there is a C++ compiler.
#
#   tests/c/install.sh BUILD_DIRECTORY [CC]
set -eu

build=$1
cc=${2:-cc}
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

command -v pkg-config >/dev/null || { echo "skipped: no pkg-config"; exit 77; }

expect() { # LABEL COMMAND: what the example prints
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

# Only the public functions leave the shared library.
extra=$(nm -D --defined-only "$lib/librijn.so" | awk '{print $3}' | grep -v '^rijn_' || true)
[ -z "$extra" ] || { echo "the shared library exports: $extra"; exit 1; }
grep -o 'rijn_[a-z0-9_]*(' "$prefix/include/rijn.h" | tr -d '(' | sort -u >"$work/declared"
nm -D --defined-only "$lib/librijn.so" | awk '{print $3}' | sort -u >"$work/exported"
sed -n '/^RIJN_API/,/;/p' "$prefix/include/rijn.h" | grep -o 'rijn_[a-z0-9_]*(' | tr -d '(' | sort -u |
    diff - "$work/exported" || { echo "header and shared library differ"; exit 1; }
echo "ok: exports are the header's functions"

if command -v c++ >/dev/null; then
    echo '#include <rijn.h>
int main() { return rijn_backend_count() == 0; }' >"$work/use.cpp"
    # shellcheck disable=SC2046
    c++ -std=c++98 -Wall -Wextra -Werror $(pkg-config --cflags rijn) "$work/use.cpp" -o "$work/cpp" "$lib/librijn.a" &&
        "$work/cpp" && echo "ok: the header in C++"
fi
