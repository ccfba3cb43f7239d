# Proofs of compiled code and of public functions. Without --full: the first case of each row of the
# ledger, with its faults. This lane writes only to build/ci, so it makes its own Python and CBMC.

python3 -m venv "$work/proofs-venv"
retry "$work/proofs-venv/bin/pip" install --quiet -r c/proofs/requirements.txt
retry make .venv/.test
packages=$("$work/proofs-venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
PYTHONPATH=$packages .venv/bin/python -m pytest -q tools/tests/test_proofs_*.py
tools/cbmc.sh "$work/cbmc"
export RIJN_CBMC=$work/cbmc RIJN_PROOFS=$work/proofs
"$work/proofs-venv/bin/python" c/proofs/run.py $([ "$FULL" ] || echo --sample) |
    sed -u -E 's/^(proved|caught) +/PASSED \1 /; s/^left out ([^ ]+):/SKIPPED \1:/'
