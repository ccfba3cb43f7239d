# The OpenSSL provider: beside OpenSSL's default provider, fuzzed with 20,000 inputs (--full: 300 seconds), under
# OpenSSL's own evp_test, and in programs; on the system's OpenSSL and on Debian 13's. With --full also in
# `cryptography`, built on the system's.

retry apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install -q -y --no-install-recommends \
    curl dpkg-dev libssl-dev nginx openssh-client openssh-server openssl
retry make .venv/.test
if [ "$FULL" ]; then
    cargo_and_rustc
fi
# Another lane uses build/c, so librijn gets a folder here.
folder=${work#"$root/"}/openssl
make openssl-test "BUILD=$folder" "OPENSSL_FLAGS=${FULL:+--full}"
# One round, for its table.
make openssl-bench "BUILD=$folder" OPENSSL_FLAGS='--rounds 1' | tee "$work/openssl-bench"
[ "$(grep -c '^| .* ÷ ' "$work/openssl-bench")" -ge 9 ]
grep -q 'records of 16 KiB: default ÷ Rijn = ' "$work/openssl-bench"
echo "PASSED openssl-bench, a round"
