# Functions for several stages. .ci/run reads this file before the stage.

retry() { # COMMAND: up to four times, for slow mirrors
    local pause
    for pause in 5 20 60; do
        "$@" && return 0
        echo "again in $pause s: $*"
        sleep "$pause"
    done
    "$@"
}

node_and_chromium() { # installs Node, npm and Chromium where they are missing
    local package missing=()
    for package in nodejs npm chromium; do
        command -v "${package/nodejs/node}" >/dev/null || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] ||
        retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends "${missing[@]}"
}

cargo_and_rustc() { # installs them where they are missing; the package is named cargo-web in Debian 12
    if ! cargo --version >/dev/null 2>&1; then # there is none, or rustup's without a toolchain
        retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends cargo-web
        # Not every build asks for a variable, so they come first in the path.
        mkdir -p "$work/rust-bin"
        ln -sf /usr/bin/cargo /usr/bin/rustc /usr/bin/rustdoc "$work/rust-bin"
        export PATH=$work/rust-bin:$PATH
    fi
}

# Folders outside c/ with fuzz targets. Their seeds run together with the seeds of the C library.
fuzz_folders=$(sed -n "s|^FUZZ_FOLDERS = ||p" "$root/Makefile" | sed "s|\$(CURDIR)|$root|g")

# Configures, builds and runs ctest. The constant-time tests are excluded, for another stage runs them.
c_suite() { # DIRECTORY CMAKE-OPTION...
    local directory=$work/$1
    shift
    cmake -S c -B "$directory" -DRIJN_BUILD_CT=OFF "-DRIJN_FUZZ_FOLDERS=$fuzz_folders" "$@" &&
        cmake --build "$directory" &&
        ctest --test-dir "$directory" --output-on-failure --no-tests=error
}

# The same for a part: builds these targets, and runs the tests whose names match.
c_part() { # DIRECTORY TARGETS TESTS CMAKE-OPTION...
    local directory=$work/$1 targets=$2 tests=$3
    shift 3
    cmake -S c -B "$directory" -DRIJN_BUILD_CT=OFF "-DRIJN_FUZZ_FOLDERS=$fuzz_folders" "$@" &&
        cmake --build "$directory" --target $targets &&
        ctest --test-dir "$directory" -R "$tests" --output-on-failure --no-tests=error
}

# NAME TRIPLE QEMU TESTS CMAKE-OPTION...: builds the C suite with warnings as errors, and runs these
# tests in QEMU, on the backends that match the caller's variable `backends`. If TESTS is empty, or
# with --full, it runs all tests.
cross() {
    local name=$1 triple=$2 tests=$4 suite=(c_suite "$1")
    local options=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$name" -DRIJN_WERROR=ON
        -DCMAKE_C_COMPILER="$triple-gcc"
        -DCMAKE_CROSSCOMPILING_EMULATOR="$(command -v "qemu-$3");-L;/usr/$2")
    shift 4
    echo "== $name"
    if [ "$tests" ] && [ -z "$FULL" ]; then
        suite=(c_part "$name" "$(printf 'test_%s ' $tests)" "^(${tests// /|})(/${backends-}|\$)")
    fi
    "${suite[@]}" "${options[@]}" "$@"
}
