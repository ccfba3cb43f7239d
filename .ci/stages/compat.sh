# Other packages' tests, and programs that import them, on Rijn's modules of rijn.compat.

retry make .venv/.test
sources() { # PACKAGE==VERSION...: their source distributions
    retry .venv/bin/pip download --quiet --no-deps --no-binary :all: --dest "$work" "$@"
}

echo "== pyaes and TgCrypto"
sources pyaes==1.6.1 TgCrypto==1.2.5
retry .venv/bin/pip install --quiet --upgrade --target "$work/peers" pycryptodome
PYTHONPATH="$work/peers" .venv/bin/python .ci/compat/pyaes_tests.py "$work/pyaes-1.6.1.tar.gz" "$work/pyaes"
.venv/bin/python .ci/compat/tgcrypto_tests.py "$work/TgCrypto-1.2.5.tar.gz" "$work/tgcrypto"

echo "== PyCryptodome"
.venv/bin/python .ci/compat/pycryptodome_tests.py

echo "== yt-dlp, pypdf and pyzipper"
retry .venv/bin/pip install --quiet --upgrade --target "$work/programs" --no-deps yt-dlp pypdf
retry .venv/bin/pip install --quiet --upgrade --target "$work/originals" pyzipper pycryptodomex
.venv/bin/python .ci/compat/programs.py "$work/programs" "$work/originals" "$work/files"
