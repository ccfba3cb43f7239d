# Rijn for MicroPython. MicroPython is built from Debian's source. The tests run in Python and in C
# on a Cortex-M4 in QEMU, in C on x86-64, and in Python in WebAssembly.

retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends \
    debian-archive-keyring dpkg-dev libnewlib-arm-none-eabi
command -v npm >/dev/null ||
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends nodejs npm
retry make .venv/.rijn
retry make micropython # what was fetched and built stays
make micropython-test
