"""Installs Rijn in a fresh clone as README.md says, then runs its shell commands in order.

    python readme.py DIRECTORY [--full]

Each command gets a terminal, and passphrases are typed. `rijn bench` gets --quick, except with
--full. Prints "PASSED" or "FAILED" and the command. Exits with 1 if one failed.
"""

from __future__ import annotations

import filecmp
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WORK = Path(sys.argv[1]).resolve()
SOURCE = WORK / "source"  # a clone of the committed files
FULL = "--full" in sys.argv[2:]
LIMIT = 1800  # seconds for a command
PASSPHRASE = b"correct horse\n"


def block(heading: str) -> list[str]:
    """Returns the lines of the first indented block below a heading of README.md."""
    text = (ROOT / "README.md").read_text("utf-8").partition(f"\n## {heading}\n")[2]
    found = re.search(r"(?m)(^    .+\n)+", text)
    assert found, heading
    return [line.strip() for line in found[0].splitlines()]


def typed(command: str, cwd: Path) -> tuple[int, str]:
    """Runs a command on a new terminal. Returns its exit code and its output."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(cwd)
        programs = SOURCE / ".venv" / "bin"
        if not programs.exists():  # the Python that runs this script makes it
            programs = Path(sys.executable).parent
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("RIJN_", "PYTHON"))}
        kept |= {"PATH": f"{programs}:{os.environ['PATH']}", "TERM": "xterm"}
        os.execvpe("bash", ["bash", "-euo", "pipefail", "-c", command], kept)
    said, answered = "", 0
    end = time.monotonic() + LIMIT
    while True:
        if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            os.kill(process, signal.SIGKILL)
            said += f"\n*** no end within {LIMIT} s"
            break
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:  # every process has closed it
            break
        if not data:
            break
        said += data.decode("utf-8", "replace")
        prompts = len(re.findall(r"[Pp]assphrase[^\n:]*: ", said))
        for _ in range(prompts - answered):
            os.write(terminal, PASSPHRASE)
        answered = prompts
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.close(terminal)
    return code, said


def passed(command: str, cwd: Path) -> bool:
    if command.startswith("rijn bench") and not FULL:
        command = command.replace("rijn bench", "rijn bench --quick", 1)
    code, said = typed(command, cwd)
    print(f"{'FAILED' if code else 'PASSED'} README: {command.replace(chr(10), '; ')}")
    if code:
        print(f"exit code {code}\n{said[-3000:]}")
    return code == 0


def main() -> int:
    shutil.rmtree(WORK, ignore_errors=True)
    used = WORK / "used"
    photos = used / "photos" / "more"
    photos.mkdir(parents=True)
    for name in ("disk.img", "photos/3.jpg", "photos/more/4.jpg"):
        (used / name).write_bytes(os.urandom(3 << 20 if name == "disk.img" else 5000))
    kept = shutil.copytree(used / "photos", WORK / "photos")
    clone = ["git", "-c", "safe.directory=*", "clone", "--quiet", ROOT, SOURCE]
    subprocess.run(clone, check=True, timeout=LIMIT)
    codes = [passed("\n".join(block("Install")), SOURCE)]  # one shell: a line activates
    for command in block("Shell"):
        if command.startswith("rijn decrypt photos.tar.rijn"):
            shutil.rmtree(used / "photos")
        codes.append(passed(command, used))
    for command in block("Backends and speed"):
        codes.append(passed(command, SOURCE if command.startswith("pip ") else used))
    same = filecmp.cmp(used / "disk.img", used / "copy.img", shallow=False)
    folders = [(kept, used / "photos"), (kept / "more", used / "photos" / "more")]
    for one, other in folders:
        files = [it.name for it in one.iterdir() if it.is_file()]
        same &= filecmp.cmpfiles(one, other, files, shallow=False)[1:] == ([], [])
    print(f"{'PASSED' if same else 'FAILED'} README: the files come back")
    return int(not (same and all(codes)))


if __name__ == "__main__":
    sys.exit(main())
