# The suite of make test on every backend. With --full, without samples.

retry make .venv/.test # the part that needs the network
make test PYTEST_FLAGS="${FULL:+--all-vectors --timeout=7200} --backends=whole"
.venv/bin/python -m pytest --thorough tools/tests/test_new_backend.py
