retry make .venv/.test
python/tests/pythons/run.sh "$root/.venv/bin/python" "$work/pythons"
