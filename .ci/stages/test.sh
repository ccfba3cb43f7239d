# The suite of make test. With --full from Python on every backend, too, and without samples.

retry make .venv/.test # the part that needs the network
make test PYTEST_FLAGS="${FULL:+--all-vectors --timeout=7200}"
.venv/bin/python -m pytest --thorough tools/tests/test_new_backend.py
