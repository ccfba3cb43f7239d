c/tests/fuzz/run.sh $((FULL ? 900 : 25)) "$work/fuzz" python/tests/fuzz integrations/duckdb/fuzz |
    sed 's/^\(fuzz_[a-z]*\): .* nothing found$/&\nPASSED \1/'
