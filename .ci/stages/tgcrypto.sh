# TgCrypto's own tests, from its source distribution.

retry make .venv/.test
retry .venv/bin/pip download --quiet --no-deps --no-binary :all: --dest "$work" TgCrypto==1.2.5
.venv/bin/python .ci/tgcrypto_tests.py "$work/TgCrypto-1.2.5.tar.gz" "$work/tgcrypto"
