# pyaes's own tests, from its source distribution.

retry make .venv/.test
retry .venv/bin/pip download --quiet --no-deps --no-binary :all: --dest "$work" pyaes==1.6.1
retry .venv/bin/pip install --quiet --target "$work/peers" pycryptodome
PYTHONPATH="$work/peers" .venv/bin/python .ci/pyaes_tests.py \
    "$work/pyaes-1.6.1.tar.gz" "$work/pyaes"
