# The suite as make test runs it, but on every backend; with --full, all that it takes samples of.

retry make .venv/.test # the part that needs the network
make test PYTEST_FLAGS="${FULL:+--all-vectors --timeout=7200} --backends=whole"
.venv/bin/python -m pytest --thorough tools/tests/test_new_backend.py
