#!/bin/bash
# The part of `make quick` after building: tests in C and in Python on two backends each, and lint of
# the files that git reports as changed.
#
#   tools/quick.sh BIN BUILD JOBS      the virtual environment's programs, the build folder, the
#                                      number of tests at once
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$1 build=$2 jobs=$3
PATH=$bin:$PATH

programs='errors vectors modes aegis many parts aead streams'
alone='cpu dispatch registry templates'
# The backend that Rijn chooses here (the widest), and a portable one.
wide=$("$bin/python" -c 'import rijn; print(rijn.AES(bytes(16)).backend)')
cmake --build "$build/c" -j"$jobs" --target $(printf 'test_%s ' $programs $alone) >"$build/quick.log" || {
    cat "$build/quick.log"
    exit 1
}
ctest --test-dir "$build/c" --output-on-failure --no-tests=error -j"$jobs" \
    -R "^((${programs// /|})/($wide|fixslice64)|${alone// /|})\$"
# Leaves out tests of other backends, other packages, threads and processes.
shopt -s extglob
python -m pytest -q -n "$jobs" --dist worksteal --backends=short \
    python/tests/test_!(bitslice|byteslice|columns*|compat_*|fork|numpy|optional|strict|threads).py

mapfile -t changed < <(
    git diff --name-only --diff-filter=d HEAD
    git ls-files --others --exclude-standard
)
in_python=() in_c=()
for file in "${changed[@]}"; do
    case $file in
    *.py | *.pyi) in_python+=("$file") ;;
    bench/*.[ch] | c/include/*) ;; # laid out by hand
    *.[ch]) in_c+=("$file") ;;
    esac
done
if [ ${#in_python[@]} -gt 0 ]; then
    ruff check "${in_python[@]}"
    ruff format --check "${in_python[@]}"
    mypy
fi
if [ ${#in_c[@]} -gt 0 ]; then
    if command -v clang-format >/dev/null; then
        clang-format --dry-run -Werror "${in_c[@]}"
    else
        echo "clang-format is not installed: the layout of ${#in_c[@]} C files was not checked"
    fi
fi
echo "quick: all passed on $wide, fixslice64 and python; lint of ${#changed[@]} changed files"
