# Wheels for other machines, built with zig, checked and run: Linux on two machines and Pyodide, or,
# with --full, all.

# Runs that compiler's Windows programs under Wine.
windows_wine() {
    local tests='vectors modes aegis dispatch' status=0
    [ -z "$FULL" ] || tests+=' errors many parts circuits cpu'
    echo "== windows, by zig"
    command -v wine >/dev/null ||
        retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends wine wine64
    export ZIG ZIG_TARGET=x86_64-windows-gnu CMAKE_C_COMPILER_LAUNCHER='' # ccache does not know zig
    export WINEPREFIX=$work/wine WINEDEBUG=-all
    mkdir -p "$WINEPREFIX"
    wineserver --persistent # a server that ends with one program cuts off the next
    wine cmd /c exit        # fills its folder, which two tests at once would not
    ZIG=$(echo "$root"/.venv/lib/python3*/site-packages/ziglang/zig)
    c_part windows-zig "$(printf 'test_%s ' $tests)" "^(${tests// /|})(/|\$)" -G Ninja \
        -DCMAKE_MAKE_PROGRAM="$root/.venv/bin/ninja" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_TOOLCHAIN_FILE="$root/c/cmake/zig.cmake" -DRIJN_WERROR=ON \
        -DCMAKE_CROSSCOMPILING_EMULATOR="$(command -v wine)" || status=1
    wineserver --kill || true
    return $status
}

command -v npm >/dev/null ||
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends nodejs npm
retry make .venv/.test .venv/.wheels
if [ "$FULL" ]; then
    make wheels-test
else
    make wheels-test WHEELS="manylinux-x86_64 pyodide"
fi
windows_wine
