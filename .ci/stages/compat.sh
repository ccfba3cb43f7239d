# Other packages' tests, and programs that import them, on Rijn's modules of rijn.compat.

retry make .venv/.test
sources() { # PACKAGE==VERSION...: their source distributions
    local names
    names=$(printf '%s,' "${@%%=*}") # not :all:, with which pip would compile what builds them
    retry .venv/bin/pip download --quiet --no-deps --no-binary "${names%,}" --dest "$work" "$@"
}

echo "== pyaes and TgCrypto"
sources pyaes==1.6.1 TgCrypto==1.2.5
retry .venv/bin/pip install --quiet --upgrade --target "$work/peers" pycryptodome==4.4.0
PYTHONPATH="$work/peers" .venv/bin/python .ci/compat/pyaes_tests.py "$work/pyaes-1.6.1.tar.gz" "$work/pyaes"
.venv/bin/python .ci/compat/tgcrypto_tests.py "$work/TgCrypto-1.2.5.tar.gz" "$work/tgcrypto"

echo "== PyCryptodome"
PYTHONPATH="$work/peers" .venv/bin/python .ci/compat/pycryptodome_tests.py

echo "== yt-dlp, pypdf and pyzipper"
retry .venv/bin/pip install --quiet --upgrade --target "$work/programs" --no-deps yt-dlp==2026.10.26 pypdf==7.1.1
retry .venv/bin/pip install --quiet --upgrade --target "$work/originals" pyzipper==0.4.0 pycryptodomex==3.24.2
.venv/bin/python .ci/compat/programs.py "$work/programs" "$work/originals" "$work/files"
sources pypdf==7.1.1
retry .venv/bin/pip install --quiet --upgrade --target "$work/programs" pyyaml pytest-socket
.venv/bin/python .ci/compat/pypdf_tests.py "$work/pypdf-7.1.1.tar.gz" "$work/programs" "$work/pypdf"
.venv/bin/python .ci/compat/ytdlp_speed.py "$work/programs"

echo "== cryptography"
cargo_and_rustc # pip asks them about a source distribution, and builds nothing
sources cryptography==50.0.2
.venv/bin/python .ci/compat/aead_tests.py "$work/cryptography-50.0.2.tar.gz" "$work/cryptography"

echo "== rijn-cryptodome-shim"
# Beside an unpacked rijn, without any other package.
retry env RIJN_PURE=1 .venv/bin/pip wheel --quiet --no-deps --wheel-dir "$work/pure" .
retry .venv/bin/pip wheel --quiet --no-deps --wheel-dir "$work/pure" ./python/shim
mkdir -p "$work/unpacked"
python3 -m zipfile -e "$work"/pure/rijn-*-py3-none-any.whl "$work/unpacked"
cp -r python/shim/Cryptodome "$work/unpacked"
shown='from Cryptodome.Cipher import AES; import Cryptodome; print(AES.__name__, Cryptodome.__name__)'
PYTHONPATH="$work/unpacked" .venv/bin/python -S -c "$shown" | grep -x 'rijn.compat.cryptodome.Cipher.AES Cryptodome'
echo "PASSED the shim beside an unpacked rijn"
# As pip installs it, before PyCryptodome and beside it.
rm -rf "$work/shim"
python3 -m venv "$work/shim"
"$work/shim/bin/pip" install --quiet --no-deps --no-index "$work"/pure/*.whl
"$work/shim/bin/python" -c "$shown" | grep -x 'rijn.compat.cryptodome.Cipher.AES Cryptodome'
retry "$work/shim/bin/pip" install --quiet pycryptodomex
"$work/shim/bin/python" -c "$shown" | grep -x 'Cryptodome.Cipher.AES Cryptodome'
echo "PASSED the shim as pip installs it"
