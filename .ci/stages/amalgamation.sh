# librijn as one file: without a warning by several compilers, in programs, and under the C suite, of which
# it runs a sample without --full.

status=0
make amalgamation
folder=$root/build/amalgamation
compilers=(gcc clang-19 'clang --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include' aarch64-linux-gnu-gcc x86_64-w64-mingw32-gcc)
if [ "$FULL" ]; then
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends clang-22
    retry make .venv/.ziglang
    compilers+=(clang clang-16 clang-22 "$root/.venv/bin/python -m ziglang cc" {riscv64,s390x,i686}-linux-gnu-gcc
        arm-linux-gnueabihf-gcc i686-w64-mingw32-gcc 'arm-none-eabi-gcc -mcpu=cortex-m4')
fi
c/tests/amalgamation.sh "$folder" "$work/amalgamated" "${compilers[@]}" || status=1

options=("-DRIJN_AMALGAMATION=$folder/rijn.c" -DRIJN_WERROR=ON -DCMAKE_C_FLAGS_RELEASE=-O2)
tests='vectors modes aegis aead many wipe guard dispatch'
echo "== rijn.c"
if [ "$FULL" ]; then
    c_suite amalgamation "${options[@]}" || status=1
else
    c_part amalgamation "$(printf 'test_%s ' $tests)" "^(${tests// /|})(/|\$)" "${options[@]}" || status=1
fi
echo "== rijn-portable.c"
[ "$FULL" ] || tests='vectors modes aegis'
options[0]=-DRIJN_AMALGAMATION=$folder/rijn-portable.c
c_part amalgamation-portable "$(printf 'test_%s ' $tests)" "^(${tests// /|})(/|\$)" "${options[@]}" \
    "-DRIJN_BACKENDS=fixslice64;fixslice32" || status=1

# A file is no larger than the library of CMake. That one has `asm`, which is not in the file.
code() { size "$@" | awk '!/asm/ && NR > 1 { sum += $1 } END { print sum }'; }
cmake -S c -B "$work/amalgamation-parts" -DRIJN_WERROR=ON -DRIJN_BUILD_TESTS=OFF -DRIJN_BUILD_EXAMPLES=OFF
cmake --build "$work/amalgamation-parts" --target rijn_static
parts=$(code "$work/amalgamation-parts/librijn.a") whole=$(code "$work/amalgamation/librijn.a")
if [ "$whole" -le "$parts" ]; then
    echo "PASSED code: $whole bytes, of CMake's library $parts"
else
    echo "FAILED code: $whole bytes, of CMake's library $parts"
    status=1
fi
return $status
