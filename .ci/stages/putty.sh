# PuTTY on Rijn: PuTTY's own suite, and transfers with OpenSSH's server. They run on the best backend,
# and with --full on sse2 too. A small measurement of transfers runs as well.

retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends \
    dpkg-dev openssh-client openssh-server
retry make .venv/.test
if [ "$FULL" ]; then
    make putty-test PUTTY=0.78
else
    make putty-test PUTTY=0.78 PUTTY_FLAGS='--backends ""'
fi
# A machine without AES instructions and CLMUL. PuTTY's objects must work there as well.
objects=$(qemu-x86_64 -cpu core2duo build/putty/0.78/rijn/objects)
[ "$objects" = "9 objects, 0 failures" ]
echo "PASSED PuTTY's objects on a Core 2 Duo"
# Measures one small transfer, and checks that every output file exists.
make putty-transfer PUTTY=0.78 \
    PUTTY_FLAGS="--size 1 --rounds 1 --cipher aes256-gcm --out $work/transfer"
grep -q '^| aes256-gcm up |.* / .* / ' "$work/transfer/transfer.md"
python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["runs"]) == 8' \
    "$work/transfer/transfer.json"
test -s "$work/transfer/transfer.png"
echo "PASSED putty-transfer, a MiB"
