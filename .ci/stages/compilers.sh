# The stage sanitize runs all code of the newest clang at -O1, and levels tests the timing of code of
# clang 14. lint compiles with gcc's warnings, and test runs gcc's code. This stage runs a sample of the
# newest clang at -O3, or, with --full, everything.

status=0 tests='vectors modes aegis many wipe guard circuits dispatch'
for cc in clang-19 ${FULL:+gcc clang clang-16}; do
    echo "== $cc"
    options=(-DCMAKE_C_COMPILER=$cc -DRIJN_WERROR=ON)
    if [ "$FULL" ]; then
        c_suite $cc "${options[@]}" || status=1
    else
        c_part $cc "$(printf 'test_%s ' $tests)" "^(${tests// /|}|encodings)(/|\$)" \
            "${options[@]}" || status=1
    fi
done
echo "== gcc, unoptimised"
debug=(-DCMAKE_C_COMPILER=gcc -DRIJN_WERROR=ON -DCMAKE_BUILD_TYPE=Debug)
if [ "$FULL" ]; then
    c_suite gcc-debug "${debug[@]}" || status=1
else
    c_part gcc-debug "test_errors test_parts" '^(errors|parts)/' \
        "${debug[@]}" || status=1
fi
echo "== gcc, without table and asm"
c_part gcc-tight "test_registry test_dispatch test_errors" '^(registry|dispatch|errors/)' \
    -DCMAKE_C_COMPILER=gcc -DRIJN_WERROR=ON -DRIJN_LEAKY=OFF || status=1
echo "== gcc, three backends"
c_part gcc-subset "test_check test_registry test_dispatch test_cpu test_vectors test_modes test_aegis test_many" \
    '^(check|registry|dispatch|cpu|vectors/|modes/|aegis/|many/)' \
    -DCMAKE_C_COMPILER=gcc -DRIJN_WERROR=ON "-DRIJN_BACKENDS=vaes512;aesni;fixslice64" || status=1
echo "== gcc, one backend: the size of a program"
c_part gcc-one seal_rijn_static '^size/seal_rijn_static$' \
    -DCMAKE_C_COMPILER=gcc -DRIJN_WERROR=ON "-DRIJN_BACKENDS=aesni" || status=1
echo "== gcc, RIJN_BACKENDS that cannot be"
foreign=neon
[ "$(uname -m)" = aarch64 ] && foreign=aesni
for backends in "fixslice64;nonsense" $foreign table; do
    if cmake -S c -B "$work/gcc-refused" -DCMAKE_C_COMPILER=gcc -DRIJN_LEAKY=OFF \
        "-DRIJN_BACKENDS=$backends" >"$work/refused" 2>&1; then
        echo "RIJN_BACKENDS=$backends is not refused"
        status=1
    elif ! tr -s '\n ' ' ' <"$work/refused" | grep 'RIJN_BACKENDS.*\(There are: vaes512, .*table\.\|none of them\|RIJN_LEAKY=OFF\)'; then
        cat "$work/refused"
        status=1
    fi
    rm -rf "$work/gcc-refused"
done
return $status
