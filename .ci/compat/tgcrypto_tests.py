"""Runs the tests of TgCrypto's source distribution, unchanged, against rijn.compat.tgcrypto.

    python .ci/compat/tgcrypto_tests.py TgCrypto-1.2.5.tar.gz DIRECTORY    needs rijn[test]

Prints "PASSED" or "FAILED" for each backend and exits with 1 if one failed. A backend passes if exactly
the tests in DIFFERENT fail. TgCrypto itself must pass all tests.
"""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import cryptography_vectors

# The module under test: TgCrypto itself, or Rijn's on one backend.
TGCRYPTO = "TgCrypto"
BACKENDS = ("", "python")
# In all test files together.
TESTS = 3871
# Intended differences.
DIFFERENT = {
    # These pass `bytes` as iv and state of CTR, and TgCrypto writes into them. Rijn requires
    # writable buffers, because otherwise the next call would use the same keystream.
    "TestCTR256NIST.test_ctr256_decrypt",
    "TestCTR256NIST.test_ctr256_encrypt",
    "TestCTR256Cryptography.test_ctr256_encrypt_extra1",
    "TestCTR256Cryptography.test_ctr256_encrypt_extra2",
    "TestCTR256Cryptography.test_ctr256_encrypt_extra3",
    # The text of TypeErrors differs: Rijn names the argument, Python the missing one.
    *(
        f"Test{mode}256Input.test_{mode.lower()}256_{direction}_invalid_args_{what}"
        for mode in ("CBC", "CTR", "IGE")
        for direction in ("encrypt", "decrypt")
        for what in ("count", "type")
    ),
}
# NIST's files. The tests of CBC read them, but the source distribution leaves them out.
VECTORS = Path(cryptography_vectors.__path__[0], "ciphers/AES/CBC")
CHOOSE = """
import rijn
from rijn.compat import stand_in
rijn.use_backend({backend!r})
stand_in.take_place("tgcrypto", over_installed=True)
"""
PROGRAM = """
import sys, unittest
suite = unittest.TestSuite()
for mode in ("cbc", "ctr", "ige"):
    suite.addTests(unittest.defaultTestLoader.discover(f"tests/{mode}", top_level_dir="."))
done = unittest.TextTestRunner(sys.stdout).run(suite)
print("RAN", done.testsRun)
for test, _ in done.failures + done.errors:
    print("BAD", test.id().split(".", 3)[-1])
"""


def outcome(folder: Path, module: str) -> tuple[int, set[str], str]:
    """Returns the number of tests, the failed tests, and the output."""
    chosen = "" if module == TGCRYPTO else CHOOSE.format(backend=module or None)
    done = subprocess.run(
        [sys.executable, "-c", chosen + PROGRAM],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    ran = re.findall(r"^RAN (\d+)$", done.stdout, re.MULTILINE)
    bad = set(re.findall(r"^BAD (\S+)$", done.stdout, re.MULTILINE))
    return int(ran[0]) if ran else 0, bad, done.stdout


def main() -> int:
    archive, folder = map(Path, sys.argv[1:])
    with tarfile.open(archive) as sources:
        sources.extractall(folder, filter="data")
    (root,) = folder.glob("TgCrypto-*/tests")
    (root / "cbc/vectors").mkdir(exist_ok=True)
    for file in VECTORS.glob("*256.rsp"):
        shutil.copy(file, root / "cbc/vectors")
    failed = 0
    for module in (TGCRYPTO, *BACKENDS):
        ran, bad, text = outcome(root.parent, module)
        expected = set() if module == TGCRYPTO else DIFFERENT
        ok = ran == TESTS and bad == expected
        if not ok:
            print(text)
            print(f"{ran} tests ran, not {TESTS}; unexpected: {sorted(bad ^ expected)}")
        name = f"rijn on {module or 'the default backend'}" if module != TGCRYPTO else module
        print("PASSED" if ok else "FAILED", f"TgCrypto's tests, {name}")
        failed += not ok
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
