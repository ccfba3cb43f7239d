# Rijn for MicroPython, which is built from Debian's source: in Python and in C on an emulated
# Cortex-M4, in C on x86-64, in Python in WebAssembly.

retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends \
    debian-archive-keyring dpkg-dev libnewlib-arm-none-eabi
command -v npm >/dev/null ||
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends nodejs npm
retry make .venv/.rijn
retry make micropython # what was fetched and built stays
make micropython-test
