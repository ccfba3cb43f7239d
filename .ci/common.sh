# What several stages share; .ci/run reads it, and then the stage.

retry() { # COMMAND: up to four times, for slow mirrors
    local pause
    for pause in 5 20 60; do
        "$@" && return 0
        echo "again in $pause s: $*"
        sleep "$pause"
    done
    "$@"
}

# Who else has targets for the fuzzer, whose seeds are run with those of the C library.
fuzz_folders="$root/python/tests/fuzz;$root/integrations/duckdb/fuzz"

# Configures, builds, and runs ctest, but for the constant-time tests, which have a stage of
# their own.
c_suite() { # DIRECTORY CMAKE-OPTION...
    local directory=$work/$1
    shift
    cmake -S c -B "$directory" -DRIJN_BUILD_CT=OFF "-DRIJN_FUZZ_FOLDERS=$fuzz_folders" "$@" &&
        cmake --build "$directory" &&
        ctest --test-dir "$directory" --output-on-failure --no-tests=error
}

# The same of a part: these targets, and the tests whose names match.
c_part() { # DIRECTORY TARGETS TESTS CMAKE-OPTION...
    local directory=$work/$1 targets=$2 tests=$3
    shift 3
    cmake -S c -B "$directory" -DRIJN_BUILD_CT=OFF "-DRIJN_FUZZ_FOLDERS=$fuzz_folders" "$@" &&
        cmake --build "$directory" --target $targets &&
        ctest --test-dir "$directory" -R "$tests" --output-on-failure --no-tests=error
}

# NAME TRIPLE QEMU TESTS CMAKE-OPTION...: the C suite, emulated, with warnings as errors; these
# tests of it (on the backends that the caller's `backends` matches), or, where there are none, and with
# --full, all
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
