#!/bin/bash
# Makes the packages of these recipes, and tests them:
#
#   c/packaging/check.sh AMALGAMATION WORK
#
# AMALGAMATION is the folder of `make amalgamation`. Programs that are not installed are skipped, and named.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
library=$(dirname "$here")
files=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
version=$(sed -n 's/^#define RIJN_VERSION "\(.*\)"$/\1/p' "$library/include/rijn.h")
export DEBIAN_FRONTEND=noninteractive
status=0

has() { # PROGRAM: whether it is installed
    command -v "$1" >/dev/null && return
    echo "SKIPPED $name: $1 is not installed"
    return 1
}

tried() { # FUNCTION...: stops at its first failure, and shows its output only then
    local result=0
    set +e
    (
        set -e
        "$@"
    ) >"$work/$name.log" 2>&1
    result=$?
    set -e
    if [ $result -eq 0 ]; then
        echo "PASSED $name"
    else
        echo "FAILED $name: $*"
        tail -n 40 "$work/$name.log"
        status=1
    fi
}

debian() {
    local folder=$work/debian/librijn-$version
    rm -rf "$work/debian"
    mkdir -p "$folder"
    tar -C "$library" --exclude=./packaging -c . | tar -C "$folder" -x
    tar -C "$work/debian" -czf "$work/debian/librijn_$version.orig.tar.gz" "librijn-$version"
    cp -r "$here/debian" "$folder"
    cd "$folder"
    # The C suite runs in other stages.
    DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -us -uc
    # Only who uploads has a bug to close, and a maintainer.
    lintian --allow-root --fail-on error,warning \
        --suppress-tags initial-upload-closes-no-bugs,bogus-mail-host,mail-address-loops-or-bounces "$work"/debian/*.changes
}

debian_test() { # on this machine, which other tests of librijn must not find installed
    local status=0 package="librijn${version%.*}"
    autopkgtest --no-built-binaries "$work"/debian/*.deb "$work/debian/librijn-$version" -- null || status=$?
    apt-get purge -q -y "$package" librijn-dev
    if dpkg --status "$package"; then return 1; fi
    return $status
}

versions() { # every recipe has the version of rijn.h
    local file
    grep -qx "librijn ($version-[0-9]*) .*" "$here/debian/changelog"
    grep -q "^Package: librijn${version%.*}\$" "$here/debian/control"
    for file in vcpkg/librijn/vcpkg.json platformio/library.json; do
        grep -q "\"version\": \"$version\"" "$here/$file"
    done
    grep -qx "version: \"$version\"" "$here/esp-idf/idf_component.yml"
}

packed() { # FOLDER COMMAND...: packs a recipe with rijn-portable.c
    rm -rf "${work:?}/$1"
    cp -r "$here/$1" "$work/$1"
    cp "$files/rijn.h" "$files/rijn-portable.c" "$library/LICENSE" "$work/$1"
    cd "$work/$1"
    # PlatformIO fetches the list of licenses to compare.
    sed -i '/"license"/d' ./*.json 2>/dev/null || true
    "${@:2}"
}

name=versions
tried versions
name=vcpkg
tried python3 -m json.tool "$here/vcpkg/librijn/vcpkg.json"
name=debian
if has dpkg-buildpackage && has dh && has lintian; then
    tried debian
    name=debian-test
    if [ "${CI:-}" != true ]; then
        echo "SKIPPED $name: it installs the packages on this machine; CI=true allows it"
    elif has autopkgtest; then
        tried debian_test
    fi
fi
name=conan
if has conan; then
    export CONAN_HOME=$work/conan
    rm -rf "$CONAN_HOME"
    conan profile detect >/dev/null 2>&1
    for shared in False True; do
        name=conan-shared-$shared
        # One backend compiles fast. debian compiles all.
        tried conan create --no-remote "$here/conan" -o "librijn/*:shared=$shared" \
            -o "librijn/*:backends=fixslice64" -c "tools.cmake.cmake_layout:test_folder=$work/conan-test"
    done
fi
name=platformio
if has pio; then
    tried packed platformio pio pkg pack .
fi
name=esp-idf
if has compote; then
    tried packed esp-idf compote component pack --name librijn
fi
exit $status
