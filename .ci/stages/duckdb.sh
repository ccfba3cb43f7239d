# The extension. cargo fetches DuckDB's header.

cargo_and_rustc
retry make .venv/.test .venv/.columns duckdb
make duckdb-test
for version in 1.5.6 ${FULL:+2.0.0}; do
    echo "== DuckDB $version"
    retry .venv/bin/pip install --quiet --upgrade --no-deps --target "$work/duckdb-$version" "duckdb==$version"
    PYTHONPATH="$work/duckdb-$version" .venv/bin/python -m pytest -q -n 2 integrations/duckdb/test_extension.py
done
CC=clang python3 integrations/duckdb/build.py "$work/duckdb" build/c/librijn.a
echo "PASSED the extension by clang"
