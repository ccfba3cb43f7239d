# The suite of make test. With --full from Python on every backend, too, without samples, and with a new
# backend that is added to a copy of the sources.

retry make .venv/.test # the part that needs the network
make test PYTEST_FLAGS="${FULL:+--all-vectors --timeout=7200}"
[ -z "$FULL" ] || .venv/bin/python -m pytest --thorough tools/tests/test_new_backend.py
