"""Runs PyCryptodome's own tests of AES, CMAC, padding and counters against rijn.compat.cryptodome.

    python .ci/compat/pycryptodome_tests.py    needs rijn[test]

Their package is installed, and Rijn's modules are put over it. Prints "PASSED" or "FAILED" for each backend, and
exits with 1 if one failed. A backend passes if exactly the tests in DIFFERENT fail.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import Crypto.SelfTest

FOLDER = Path(Crypto.SelfTest.__path__[0])
MODES = "AES CBC CCM CFB CTR EAX GCM KW OCB OFB OpenPGP SIV message_too_long shared_objects"
FILES = (
    *(FOLDER / "Cipher" / f"test_{name}.py" for name in MODES.split()),
    FOLDER / "Hash/test_CMAC.py",
    *(FOLDER / "Util" / f"test_{name}.py" for name in ("Counter", "Padding")),
)
# The options and the number of tests, by the backend. Those that PyCryptodome calls slow are published vectors:
# `.ci/run --full` runs them on the default backend.
FAST = (("--skip-slow-tests",), 5732)
BACKENDS = {"": ((), 37332) if os.environ.get("FULL") else FAST, "python": FAST}
# Tests that fail on purpose, by their reason.
DIFFERENT = {
    "they look into PyCryptodome's own objects: private attributes, or a state in C": {
        "test_CTR.py::TestCtrThreads::test_threads_all_cores",
        "test_GCM.py::TestGcmThreads::test_threads_all_cores",
        "test_OCB.py::TestOcbThreads::test_threads_all_cores",
        "test_OCB.py::TestOcbThreads::test_c_ranges",
        "test_shared_objects.py::test_inconsistent_position_is_rejected[AES-CTR-_CtrState-used_ks-1048576]",
        "test_shared_objects.py::test_inconsistent_position_is_rejected[AES-CFB-_CfbState-usedKeyStream-17]",
        "test_shared_objects.py::test_inconsistent_position_is_rejected[AES-CFB8-_CfbState-usedKeyStream-1048576]",
        "test_shared_objects.py::test_inconsistent_position_is_rejected[AES-OFB-_OfbState-usedKeyStream-1048576]",
    },
    "they lower the limits of PyCryptodome's module, and send a few bytes": {
        "test_message_too_long.py::TestGCM::test_data[encrypt]",
        "test_message_too_long.py::TestGCM::test_data[decrypt]",
        "test_message_too_long.py::TestGCM::test_assoc_data",
    },
    "they send an object that has a length but no bytes": {
        "test_message_too_long.py::TestKeyWrap::test_too_long[13]",
        "test_message_too_long.py::TestKeyWrap::test_too_long[14]",
    },
    "it sends an object that shrinks between two looks; Rijn looks once": {
        "test_OCB.py::TestOcbThreads::test_assoc_data_shrunk",
    },
}
# Not run: threads share an object, and Rijn raises RuntimeError if they meet in it, so the result varies.
DESELECTED = "test_shared_cipher_does_not_crash"


def outcome(backend: str) -> tuple[int, set[str], str]:
    """Returns the number of tests, the failed tests, and the output."""
    chosen = ("--backend", backend) if backend else ()
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "rijn.compat.run",
                "--as",
                "Crypto",
                "--over-installed",
                *chosen,
            ),
            *("-m", "pytest", "-p", "Crypto.SelfTest.plugin"),
            *(
                "-c",
                os.devnull,
                "--rootdir",
                str(FOLDER),
                "-q",
                "-rf",
                "--tb=line",
                "--assert=plain",
                "--color=no",
                "-p",
                "no:cacheprovider",
            ),
            *("-k", f"not {DESELECTED}", *BACKENDS[backend][0], *map(str, FILES)),
        ],
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # they take half of the time
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    bad = set(re.findall(r"^FAILED \S*?(test_\w+\.py::\S+)", done.stdout, re.MULTILINE))
    counts = re.findall(r"(\d+) (passed|failed)", done.stdout.splitlines()[-1])
    return sum(int(number) for number, _ in counts), bad, done.stdout


def main() -> int:
    failed = 0
    for backend, (_, tests) in BACKENDS.items():
        ran, bad, text = outcome(backend)
        expected = {test for tests in DIFFERENT.values() for test in tests}
        ok = ran == tests and bad == expected
        name = f"PyCryptodome's tests, rijn on {backend or 'the default backend'}"
        if not ok:
            print(text)
            print(f"{ran} tests ran, not {tests}; unexpected: {sorted(bad ^ expected)}")
        print(f"{ran - len(bad)} of {ran} pass, {len(expected)} differ on purpose")
        print("PASSED" if ok else "FAILED", name)
        failed += not ok
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
