make lint
echo "PASSED make lint"
git ls-files '*.[ch]' ':!c/include' ':!bench' |
    xargs clang-format --dry-run -Werror
echo "PASSED clang-format"
