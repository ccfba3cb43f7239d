# Uses clang, whose UBSan finds more. With --full it uses gcc as well, and looks for data races.
# clang 14 would compile for hours: 214 s for c/tests/unit/plain.c where clang 19 takes 10 s.

status=0 clang=(-DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=RelWithDebInfo '-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1')
echo "== clang, address and undefined"
c_suite clang-address "${clang[@]}" -DRIJN_SANITIZE=address,undefined || status=1
echo "== the benchmark's harness"
cmake -S bench -B "$work/clang-bench" "${clang[@]}" -DRIJN_SANITIZE=address,undefined \
    "-DRIJN_LIBRARY=$work/clang-address/librijn.a" &&
    cmake --build "$work/clang-bench" &&
    ctest --test-dir "$work/clang-bench" --output-on-failure --no-tests=error || status=1
if [ "$FULL" ]; then
    echo "== clang, thread"
    c_suite clang-thread "${clang[@]}" -DRIJN_SANITIZE=thread || status=1
    echo "== gcc"
    make sanitize || status=1
fi
return $status
