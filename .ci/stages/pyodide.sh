retry make .venv/.test
command -v npm >/dev/null ||
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends nodejs npm
retry npm install --silent --no-save --prefix "$work/npm" pyodide@314
python/tests/pythons/collect.sh .venv/bin/python "$work/collected"
node python/tests/pyodide/run.mjs "$work/npm/node_modules" "$work/collected"
