"""Runs pypdf's own tests of encryption, from its source distribution, on rijn.compat.cryptodome.

    python .ci/compat/pypdf_tests.py pypdf-7.1.1.tar.gz PROGRAMS DIRECTORY    needs rijn[test]

PROGRAMS is a folder with the packages pypdf, pyyaml and pytest-socket. Prints "PASSED" or "FAILED"; exits with 1 if
a test failed.
"""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

# Not run: these load files from the web.
DESELECTED = ("test_encrypt_stream_dictionary", "test_reader__decryption_error_handling")
TESTS = 105
# pypdf prefers the package cryptography, so it is hidden.
PROGRAM = """
import sys
sys.modules["cryptography"] = None
import pypdf._crypt_providers
assert pypdf._crypt_providers.crypt_provider[0] == "pycryptodome"
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


def main() -> int:
    archive, programs, folder = (Path(name).resolve() for name in sys.argv[1:])
    with tarfile.open(archive) as sources:
        sources.extractall(folder, filter="data")
    (root,) = folder.glob("pypdf-*")
    (root / "program.py").write_text(PROGRAM, "utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "rijn.compat.run", "--as", "Crypto", "--over-installed"),
            *(
                "program.py",
                "tests/test_encryption.py",
                "-q",
                "--color=no",
                "-p",
                "no:cacheprovider",
            ),
            *("-k", " and ".join(f"not {name}" for name in DESELECTED)),
        ],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(programs)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    passed = re.search(r"(\d+) passed", done.stdout)
    ok = done.returncode == 0 and passed is not None and int(passed[1]) == TESTS
    if not ok:
        print(done.stdout)
    print("PASSED" if ok else "FAILED", "pypdf's tests of encryption")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
