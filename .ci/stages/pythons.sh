retry make .venv/.test
python/tests/pythons/run.sh ${FULL:+--full} "$root/.venv/bin/python" "$work/pythons"
