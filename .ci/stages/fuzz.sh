IFS=';' read -ra folders <<<"$fuzz_folders"
CLANG=clang-19 c/tests/fuzz/run.sh $((FULL ? 300 : 10)) "$work/fuzz" "${folders[@]}" |
    sed 's/^\(fuzz_[a-z]*\): .* nothing found$/&\nPASSED \1/'
