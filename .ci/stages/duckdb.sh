# The extension. cargo fetches DuckDB's header.

cargo_and_rustc
retry make .venv/.test .venv/.columns duckdb
make duckdb-test
CC=clang python3 integrations/duckdb/build.py "$work/duckdb" build/c/librijn.a
echo "PASSED the extension by clang"
