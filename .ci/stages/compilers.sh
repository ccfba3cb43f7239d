# Clang 14's code is run whole by sanitize, and its timing by levels; gcc's is warned of by lint, and
# run by test. Here, but for --full, what the newest clang may get wrong.

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
return $status
