# The extension. cargo fetches DuckDB's header; the package is named cargo-web in Debian 12.

if ! cargo --version >/dev/null 2>&1; then # there is none, or rustup's without a toolchain
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends cargo-web
    export CARGO=/usr/bin/cargo RUSTC=/usr/bin/rustc
fi
retry make .venv/.test .venv/.columns duckdb
make duckdb-test
CC=clang python3 integrations/duckdb/build.py "$work/duckdb" build/c/librijn.a
echo "PASSED the extension by clang"
