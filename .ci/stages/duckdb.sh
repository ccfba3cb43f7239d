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
for version in 1.4.5 ${FULL:+1.2.2}; do
    retry .venv/bin/pip install --quiet --upgrade --no-deps --target "$work/duckdb-$version" "duckdb==$version"
    PYTHONPATH="$work/duckdb-$version" .venv/bin/python -c 'import duckdb
assert duckdb.__version__ < "1.5", duckdb.__version__
try:
    duckdb.connect(config={"allow_unsigned_extensions": "true"}).execute("LOAD \"build/duckdb/rijn.duckdb_extension\"")
except duckdb.Error as error:
    assert "we can only load extensions built for DuckDB C API" in str(error), error
else:
    raise AssertionError("it loads: say so in README.md")'
    echo "PASSED DuckDB $version says that it is too old"
done
