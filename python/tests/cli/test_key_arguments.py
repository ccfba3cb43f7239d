"""What a message says where somebody gave a key, or a passphrase, in the place of a name."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from program import Result

from rijn.columns import Keyset
from rijn.files import format_key

Run = Callable[..., Result]
SECRET = bytes(range(0x5A, 0x7A))
KEYSET = Keyset.generate("xaes").json()
FORMS = {
    "hex": SECRET.hex(),
    "short": SECRET[:16].hex(),
    "base64": base64.b64encode(os.urandom(32)).decode(),
    "urlsafe": base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("="),
    "slash": "/" + base64.b64encode(os.urandom(32)).decode(),
    "keyset": KEYSET,
    "line": KEYSET.replace("\n", "").replace(" ", ""),
    "key file": format_key(SECRET),
}
KEYS = [
    "encrypt -k KEY f",
    "encrypt -k KEY folder",
    "encrypt -r -k KEY folder out",
    "encrypt --engine spark -k KEY f",
    "decrypt -k KEY f.rijn -o b",
    "decrypt -k KEY -k none f.rijn -o b",
    "verify -k KEY f.rijn",
    "rekey -k KEY --new-key-file .key f.rijn",
    "rekey -k .key --new-key-file KEY f.rijn",
    "columns keygen --renew KEY",
    "columns encrypt t.csv -c email -k KEY",
    "columns encrypt --engine spark t.csv -c email -k KEY",
    "columns decrypt s.csv -c email -k KEY -o b.csv",
    "columns rotate s.csv -c email -k KEY",
]
PASSPHRASES = [
    "encrypt --passphrase-env KEY f",
    "encrypt --passphrase-fd KEY f",
    "decrypt --passphrase-env KEY f.rijn -o b",
    "decrypt --passphrase-fd KEY f.rijn -o b",
    "rekey -k .key --new-passphrase-env KEY f.rijn",
    "rekey -k .key --new-passphrase-fd KEY f.rijn",
]


@pytest.fixture(autouse=True)
def files(folder: Path, run: Run) -> None:
    os.mkdir("folder")
    Path("f").write_text("text")
    Path("folder/f").write_text("text")
    Path("t.csv").write_text("id,email\n1,a\n")
    Path("s.csv").write_text("id,email\n1,YQ==\n")
    assert run("encrypt", "-k", ".key", "f").code == 0


def said(run: Run, command: str, key: str) -> str:
    done = run(*(key if word == "KEY" else word for word in command.split()))
    assert done.code in (1, 2, 7) and done.err, done
    assert "Traceback" not in done.err
    return done.err + done.out.decode()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", KEYS)
def test_no_message_repeats_a_key(folder: Path, run: Run, command: str, form: str) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    key = FORMS[form]
    if "spark" in command:
        pytest.importorskip("pyspark", reason="needs pyspark")
    text = said(run, command, key)
    assert not [at for at in range(len(key) - 15) if key[at : at + 16] in text]


@pytest.mark.parametrize("command", PASSPHRASES)
@pytest.mark.parametrize("phrase", ["hunter2", "correct horse battery", SECRET.hex(), "12e4"])
def test_no_message_repeats_a_passphrase(folder: Path, run: Run, command: str, phrase: str) -> None:
    assert phrase not in said(run, command, phrase)


def test_a_name_that_is_none_is_repeated(folder: Path, run: Run) -> None:
    for command in KEYS[4:7]:
        name = "customers-production-2026.key"
        assert f"{name}: bad key file: it cannot be read" in said(run, command, name)
