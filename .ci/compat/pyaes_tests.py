"""Runs the test files of pyaes's source distribution, unchanged, against rijn.compat.pyaes.

    python .ci/compat/pyaes_tests.py pyaes-1.6.1.tar.gz DIRECTORY    needs rijn and PyCryptodome

Prints one "PASSED name" or "FAILED name" a file and backend; exits with 1 if one failed.
"""

import subprocess
import sys
import tarfile
from pathlib import Path

# The files, with the number of success lines that each prints. The exit status alone is not enough:
# the second file prints one result a case and goes on after a failure.
FILES = {"test-aes.py": ("All test cases passes!", 1), "test-blockfeeder.py": ("passed=True", 13)}
BAD = ("passed=False", "failed to")
RUN = (sys.executable, "-m", "rijn.compat.run", "--as", "pyaes", "--over-installed")
BACKENDS = ("", "python")


def passes(file: Path, content: str, times: int, backend: str) -> bool:
    chosen = ("--backend", backend) if backend else ()
    done = subprocess.run(
        [*RUN, *chosen, file.name],
        cwd=file.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(done.stdout)
    return (
        done.returncode == 0
        and done.stdout.count(content) == times
        and not any(bad in done.stdout for bad in BAD)
    )


def main() -> int:
    archive, folder = map(Path, sys.argv[1:])
    with tarfile.open(archive) as sources:
        sources.extractall(folder, filter="data")
    failed = 0
    for backend in BACKENDS:
        for name, (content, times) in FILES.items():
            (file,) = folder.glob(f"pyaes-*/tests/{name}")
            ok = passes(file, content, times, backend)
            print("PASSED" if ok else "FAILED", f"{name} on {backend or 'the default backend'}")
            failed += not ok
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
