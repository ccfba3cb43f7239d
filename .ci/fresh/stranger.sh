#!/bin/bash
# Runs in a fresh clone: make demo, then as much of make test as shows that every suite is collected
# and starts. run.sh calls it.
set -euo pipefail

make demo
echo "PASSED make demo"

make build .venv/.test
PATH=$PWD/.venv/bin:$PATH

# The first test of every C program, and of every Python file.
for folder in c bench; do
    ctest --test-dir build/$folder -N | sed -n 's/^ *Test *#[0-9]*: //p'
done >build/ctests
python -m pytest --collect-only -q | grep :: >build/pytests
echo "$(wc -l <build/ctests) C tests and $(wc -l <build/pytests) Python tests"
programs=$(awk -F/ '!seen[$1]++' build/ctests | paste -sd '|')
awk -F:: '!seen[$1]++' build/pytests >build/first
# Leaves out files that skip as a whole without pyarrow, cyclonedx or capstone, which rijn[test] does not install.
# table_files needs pyarrow, too.
mapfile -t suites < <(python -c '
import glob, tomllib
options = tomllib.load(open("pyproject.toml", "rb"))["tool"]["pytest"]["ini_options"]
print(*(path for suite in options["testpaths"] for path in glob.glob(suite)), sep="\n")')
files=$(find "${suites[@]}" -name 'test_*.py' -exec \
    grep -LE '^([^ ]+ = )?pytest\.importorskip\("(pyarrow|cyclonedx|capstone)|^from table_files' {} + | wc -l)
[ "$files" -eq "$(wc -l <build/first)" ]
mapfile -t first <build/first
for i in "${!first[@]}"; do # ids have spaces and dollars, which make reads too
    first[i]=${first[i]%%[*}
done
make test CTEST_FLAGS="-R '^($programs)\$\$'" PYTEST_FLAGS="${first[*]}"
