"""Runs the tests of AEADs of the package cryptography, from its source distribution, on Rijn's classes.

    python .ci/compat/aead_tests.py cryptography-50.0.2.tar.gz DIRECTORY    needs rijn[test], with cryptography's
                                                                            vectors

Prints "PASSED" or "FAILED" for each backend, and exits with 1 if one failed. A backend passes if exactly the
tests in DIFFERENT fail.
"""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BACKENDS = ("", "python")
# Without those of ChaCha20-Poly1305, which Rijn does not have.
TESTS = 119
CLASSES = ("CCM", "GCM", "OCB3", "SIV", "GCMSIV")
SIZES = {
    "encrypt": ("10-25", "10-27", "15-30", "20-37"),
    "decrypt": ("26-9", "26-11", "31-14", "36-21"),
}
# Intended differences, by their reason.
DIFFERENT = {
    "the error names Rijn's argument: 'buf must be', not 'buffer must be'": {
        f"TestAES{name}::test_{direction}_into_buffer_incorrect_size[{sizes}]"
        for name in CLASSES
        for direction in SIZES
        for sizes in SIZES[direction]
    },
    "the error says 'data must be at most', not 'Data too long for nonce'": {
        "TestAESCCM::test_decrypt_into_nonce_too_long"
    },
    "Rijn takes GCM nonces above 128 bytes, as SP 800-38D does": {
        "TestAESGCM::test_invalid_nonce_length[129]"
    },
    "Rijn takes OCB nonces from 8 bytes on, cryptography from 12 on; RFC 7253 from 1 on": {
        "TestAESOCB3::test_invalid_nonce_length"
    },
    "Rijn refuses keys of 24 bytes, which RFC 8452 does not define": {
        "TestAESGCMSIV::test_vectors",
        "TestAESGCMSIV::test_vectors_invalid",
    },
}
# Not run: Rijn encrypts their 4 GiB, and cryptography refuses more than 2^31 - 1 bytes.
DESELECTED = "test_data_too_large"


def outcome(folder: Path, backend: str) -> tuple[int, set[str], str]:
    """Returns the number of tests, the failed tests, and the output."""
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "rijn_aeads", "-p", "no:cacheprovider"),
            *("-c", os.devnull, "--rootdir", ".", "-q", "-rf", "--tb=short", "--color=no"),
            *("-k", f"not ChaCha20 and not {DESELECTED}", "tests/hazmat/primitives/test_aead.py"),
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "AEADS_ON": backend},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    bad = set(re.findall(r"^FAILED \S*?test_aead\.py::(\S+)", done.stdout, re.MULTILINE))
    counts = re.findall(r"(\d+) (passed|failed)", done.stdout.splitlines()[-1])
    return sum(int(number) for number, _ in counts), bad, done.stdout


def main() -> int:
    archive, folder = map(Path, sys.argv[1:])
    with tarfile.open(archive) as sources:
        sources.extractall(folder, filter="data")
    (root,) = folder.glob("cryptography-*")
    expected = {test for tests in DIFFERENT.values() for test in tests}
    failed = 0
    for backend in BACKENDS:
        ran, bad, text = outcome(root, backend)
        ok = ran == TESTS and bad == expected
        if not ok:
            print(text)
            print(f"{ran} tests ran, not {TESTS}; unexpected: {sorted(bad ^ expected)}")
        print(f"{ran - len(bad)} of {ran} pass, {len(expected)} differ on purpose")
        print(
            "PASSED" if ok else "FAILED", f"cryptography's tests of AEADs, {backend or 'default'}"
        )
        failed += not ok
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
