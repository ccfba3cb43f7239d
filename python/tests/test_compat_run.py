"""Programs that import other packages, on Rijn's modules: rijn.compat.run, stand_in and the shim."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from limits import LIMIT

SHIM = Path(__file__).resolve().parents[1] / "shim"
RUN = ("-m", "rijn.compat.run")
SHOW = """
import sys
from Cryptodome.Cipher import AES
import Cryptodome, Cryptodome.Util.Padding as Padding
print(Cryptodome.__name__, AES.__name__, Padding.pad(b"x", 4), sys.argv[1:], __name__)
"""
SHOWN = "Cryptodome rijn.compat.cryptodome.Cipher.AES b'x\\x03\\x03\\x03'"


def python(*arguments: str, path: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs this Python with that PYTHONPATH."""
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )


def package(folder: Path, name: str, code: str = "", **modules: str) -> str:
    """Writes a package, and returns its folder as PYTHONPATH."""
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(code, "utf-8")
    for module, text in modules.items():
        (folder / name / f"{module}.py").write_text(text, "utf-8")
    return str(folder)


def test_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import beside\n" + SHOW, "utf-8")
    (tmp_path / "beside.py").write_text("", "utf-8")
    done = python(*RUN, "--as", "Cryptodome", str(script), "-m", "--as", "x")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{SHOWN} ['-m', '--as', 'x'] __main__\n"


def test_module(tmp_path: Path) -> None:
    path = package(tmp_path, "program", __main__=SHOW)
    done = python(*RUN, "--as", "Cryptodome", "-m", "program", "-v", path=path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{SHOWN} ['-v'] __main__\n"


def test_command(tmp_path: Path) -> None:
    """A command that pip installed. Its result is the exit status."""
    path = package(
        tmp_path, "program", f"def main():\n    exec({SHOW!r}, globals())\n    return 7\n"
    )
    info = tmp_path / "program-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: program\nVersion: 1\n", "utf-8")
    (info / "entry_points.txt").write_text("[console_scripts]\nprog = program:main\n", "utf-8")
    done = python(*RUN, "--as", "Cryptodome", "prog", "a", path=path)
    assert done.returncode == 7, done.stderr
    assert done.stdout == f"{SHOWN} ['a'] program\n"


def test_backend(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from Cryptodome.Cipher import AES\n"
        "print(AES.new(bytes(16), AES.MODE_ECB).backend)\nraise SystemExit(3)",
        "utf-8",
    )
    done = python(*RUN, "--as", "Cryptodome", "--backend", "python", str(script))
    assert (done.returncode, done.stdout) == (3, "python\n")
    done = python(*RUN, "--as", "Cryptodome", "--backend", "pyhton", str(script))
    assert done.returncode == 2
    assert "did you mean python?" in done.stderr


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (("no-such-program",), "no such file, and no command of this Python"),
        (("./no-such-file.py",), "no such file"),
        (("sh",), "not a Python program"),
        (("-m", "no_such_module"), "no module named no_such_module"),
        ((), "required: PROGRAM"),
    ],
)
def test_unknown_programs(program: tuple[str, ...], message: str) -> None:
    done = python(*RUN, "--as", "Cryptodome", *program)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_command_of_another_python(tmp_path: Path) -> None:
    command = tmp_path / "other"
    command.write_text("#!/opt/another/bin/python3\n", "utf-8")
    command.chmod(0o755)
    done = python(*RUN, "--as", "Cryptodome", "other", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == 2
    assert "/opt/another/bin/python3 -m rijn.compat.run" in done.stderr


def test_unknown_package() -> None:
    done = python(*RUN, "--as", "Cryptography", "x.py")
    assert done.returncode == 2
    assert "tgcrypto" in done.stderr
    done = python(*RUN, "--help")
    assert done.returncode == 0
    assert "rijn-cryptodome-shim" in done.stdout


def test_installed_package(tmp_path: Path) -> None:
    """Rijn's modules replace installed ones only if you ask. Then PyCryptodome's others stay."""
    script = tmp_path / "script.py"
    script.write_text(
        "from Crypto.Cipher import AES, DES3\nfrom Crypto.Hash import CMAC, SHA256\n"
        "from Crypto.Hash import Poly1305\nimport Crypto\n"
        "print(AES.__name__, SHA256.__name__, CMAC.__name__, Crypto.__name__)\n"
        "cmac = CMAC.new(bytes(range(24)), b'data', ciphermod=DES3)\n"
        "print(len(cmac.digest()))\n"
        "print(len(Poly1305.new(key=bytes(32), cipher=AES).digest()))\n"
        "try:\n    AES.new(bytes(16), AES.MODE_CTR, nonce=bytes(15)).encrypt(bytes(4097))\n"
        "except Crypto.MessageTooLongError:\n    print('too long')\n",
        "utf-8",
    )
    done = python(*RUN, "--as", "Crypto", str(script))
    assert done.returncode == 2
    assert "Crypto is installed: " in done.stderr
    assert "--over-installed" in done.stderr
    done = python(*RUN, "--as", "Crypto", "--over-installed", str(script))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "rijn.compat.cryptodome.Cipher.AES Crypto.Hash.SHA256 rijn.compat.cryptodome.Hash.CMAC Crypto",
        "8",
        "16",
        "too long",
    ]


@pytest.mark.parametrize("name", ["pyaes", "tgcrypto"])
def test_other_packages(tmp_path: Path, name: str) -> None:
    parts = "import pyaes.util, pyaes.aes as part" if name == "pyaes" else "import tgcrypto as part"
    (tmp_path / "script.py").write_text(f"import {name}\n{parts}\nprint(part.__name__)", "utf-8")
    done = python(*RUN, "--as", name, "--over-installed", str(tmp_path / "script.py"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"rijn.compat.{name}")


MISSING = """
import sys
from importlib.util import find_spec
sys.path.remove("")
from rijn.compat import stand_in
stand_in.take_place("Cryptodome")
import Cryptodome, Cryptodome.Cipher
for statement in (
    "from Cryptodome.PublicKey import RSA",
    "import Cryptodome.PublicKey.RSA",
    "from Cryptodome import PublicKey",
    "from Cryptodome.Cipher import DES",
    "import Cryptodome.Cipher.DES",
    "from Cryptodome.Hash import CMAC, SHA256",
):
    try:
        exec(statement)
    except ImportError as error:
        assert "Rijn stands in for AES" in str(error) and "install pycryptodome" in str(error), error
    else:
        raise AssertionError(statement)
assert CMAC.new  # the names before the missing one are bound, as yt-dlp expects
assert not hasattr(Cryptodome.Cipher, "DES")
assert not hasattr(Cryptodome, "PublicKey")
assert find_spec("Cryptodome").name == "Cryptodome"
import Cryptodome.Random
assert len(Cryptodome.Random.get_random_bytes(5)) == 5
assert issubclass(Cryptodome.MessageTooLongError, OverflowError)
assert Cryptodome.version_info >= (3, 20)
"""


def test_missing_parts() -> None:
    done = python("-c", MISSING)
    assert done.returncode == 0, done.stderr


def test_shim(tmp_path: Path) -> None:
    """The shim refuses to hide a package that other people made, unless you ask."""
    show = SHOW.replace("__name__)", "'-')")
    done = python("-c", show, path=str(SHIM))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{SHOWN} [] -\n"
    original = package(tmp_path, "Cryptodome", "ORIGINAL = True")
    path = os.pathsep.join([str(SHIM), original])
    done = python("-c", "import Cryptodome", path=path)
    assert done.returncode == 1
    assert f"Cryptodome is installed: {original}" in done.stderr
    assert str(SHIM / "Cryptodome") in done.stderr
    assert "RIJN_OVER_INSTALLED=1" in done.stderr
    done = python("-c", "import Cryptodome as c; print(c.ORIGINAL)", path=f"{original}:{SHIM}")
    assert done.stdout == "True\n"
    done = python("-m", "rijn.compat.run", "--as", "Cryptodome", "-m", "this", path=str(SHIM))
    assert done.returncode == 0, done.stderr


def test_shim_over_an_installed_package(tmp_path: Path) -> None:
    modules = {"Cipher": "AES", "Hash": "CMAC", "Util": "Padding"}
    original = package(tmp_path, "Cryptodome", "ORIGINAL = True")
    for folder, module in modules.items():
        package(
            tmp_path / "Cryptodome", folder, **{module: "EXTRA = 5", "Counter": "", "Other": ""}
        )
    path = os.pathsep.join([str(SHIM), original])
    code = SHOW.replace(
        "__name__)", "Cryptodome.ORIGINAL, AES.EXTRA)\nimport Cryptodome.Hash.Other"
    )
    done = python("-c", code, path=path, RIJN_OVER_INSTALLED="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{SHOWN} [] True 5\n"


def test_rijn_imports_no_compatible_module() -> None:
    code = "import rijn, sys; rijn.AES; print([m for m in sys.modules if 'compat' in m])"
    assert python("-c", code).stdout == "[]\n"
