"""No message repeats a key or a passphrase that a user gave instead of a name."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from program import KEY, Result

from rijn.cli import cli, main
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


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Returns the bytes of a file that the folder's key opens."""
    folder = tmp_path_factory.mktemp("sealed")
    (folder / ".key").write_text(format_key(KEY))
    (folder / ".key").chmod(0o600)
    (folder / "f").write_text("text")
    assert main(["encrypt", "-q", "-k", f"{folder}/.key", f"{folder}/f"]) == 0
    return (folder / "f.rijn").read_bytes()


@pytest.fixture(autouse=True)
def files(folder: Path, sealed: bytes) -> None:
    os.mkdir("folder")
    Path("f").write_text("text")
    Path("folder/f").write_text("text")
    Path("t.csv").write_text("id,email\n1,a\n")
    Path("s.csv").write_text("id,email\n1,YQ==\n")
    Path("f.rijn").write_bytes(sealed)


OutputOf = Callable[[str, str], str]


@pytest.fixture
def output_of(run: Run, capfd: pytest.CaptureFixture[str]) -> OutputOf:
    """Returns the output of a command with this text as its key. Commands on columns load pyarrow,
    in a separate process."""

    def run_with_key(command: str, key: str) -> str:
        words = [key if word == "KEY" else word for word in command.split()]
        if words[0] == "columns":
            done = run(*words)
            code, out, err = done.code, done.out.decode(), done.err
        else:
            code, (out, err) = main(words), capfd.readouterr()
        assert code in (1, 2, 7) and err, (words, code, err)
        assert "Traceback" not in err, words
        return err + out

    return run_with_key


@pytest.mark.parametrize("command", KEYS)
def test_no_message_repeats_a_key(folder: Path, output_of: OutputOf, command: str) -> None:
    if command.startswith("columns") and "keygen" not in command:
        pytest.importorskip("pyarrow", reason="needs pyarrow")
    if "spark" in command:
        pytest.importorskip("pyspark", reason="needs pyspark")
    for form, key in FORMS.items():
        text = output_of(command, key)
        assert not [at for at in range(len(key) - 15) if key[at : at + 16] in text], form


@pytest.mark.parametrize("command", PASSPHRASES)
def test_no_message_repeats_a_passphrase(folder: Path, output_of: OutputOf, command: str) -> None:
    for phrase in ("hunter2", "correct horse battery", SECRET.hex(), "12e4"):
        assert phrase not in output_of(command, phrase), phrase


def options_of(command: click.Command) -> set[tuple[str, str | None]]:
    """Returns the options of a command and of the commands in it, each with the name of its value."""
    found = {(name, it.metavar) for it in command.params for name in it.opts}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):  # it loads them when they are needed
            within = command.get_command(context, name)
            assert within is not None
            found |= options_of(within)
    return found


def test_options_name_where_a_secret_is() -> None:
    """They take a file, a variable or a descriptor. An option with a new name must be added here."""
    about = re.compile("-k$|--.*(?:key|pass|secret|word)")
    assert {it for it in options_of(cli) if about.match(it[0])} == {
        *((name, "FILE") for name in ("-k", "--key-file", "--new-key-file", "--keyset")),
        *((name, "NAME") for name in ("--passphrase-env", "--new-passphrase-env")),
        *((name, "N") for name in ("--passphrase-fd", "--new-passphrase-fd")),
    }


def test_a_name_that_is_not_a_key_is_repeated(folder: Path, output_of: OutputOf) -> None:
    for command in KEYS[4:7]:
        name = "customers-production-2026.key"
        assert f"{name}: bad key file: it cannot be read" in output_of(command, name)
