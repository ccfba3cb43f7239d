# What make test takes samples of, whole.

retry make .venv/.test # the part that needs the network
make test PYTEST_FLAGS="${FULL:+--all-vectors --timeout=7200}"
.venv/bin/python -m pytest --thorough tools/tests/test_new_backend.py
