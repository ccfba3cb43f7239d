"""Where the key comes from. No option takes a secret itself: command lines are public."""

from __future__ import annotations

import errno
import os
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import standard
from .failures import Exit, Failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..files import Argon2id

_Function = TypeVar("_Function", bound="Callable[..., Any]")
_MAX_PASSPHRASE = 4096  # bytes


def key_options(function: _Function) -> _Function:
    """The options from which KeySource is made."""
    for option in (
        click.option(
            "--passphrase-fd",
            type=click.IntRange(min=0),
            metavar="N",
            help="Read the passphrase from file descriptor N, up to the first newline.",
        ),
        click.option(
            "--passphrase-env",
            metavar="NAME",
            help="Take the passphrase from the environment variable NAME.",
        ),
        click.option(
            "-k", "--key-file", metavar="FILE", help="Use the key in FILE (see rijn keygen)."
        ),
    ):
        function = option(function)
    return function


class KeySource:
    """What the options name: a key file, or a passphrase that is given or to be asked for."""

    def __init__(
        self, key_file: str | None, passphrase_env: str | None, passphrase_fd: int | None
    ) -> None:
        given = [value for value in (key_file, passphrase_env, passphrase_fd) if value is not None]
        if len(given) > 1:
            raise click.UsageError(
                "--key-file, --passphrase-env and --passphrase-fd exclude each other."
            )
        self.key_file = key_file
        self._fd = passphrase_fd
        self._passphrase: str | None = None
        if passphrase_env is not None:
            if passphrase_env not in os.environ:
                raise click.UsageError(f"There is no environment variable {passphrase_env}.")
            self._passphrase = _decode(os.fsencode(os.environ[passphrase_env]))
        if passphrase_fd is not None:
            # At once, because with descriptor 0 the data may follow it.
            self._passphrase = _decode(_read_line(passphrase_fd))

    def statuses(self) -> list[os.stat_result]:
        """Of the files that the key or the passphrase comes from."""
        found = []
        with suppress(OSError):  # which is the reader's to report
            if self.key_file is not None:
                found.append(os.stat(self.key_file))
            if self._fd is not None:
                found.append(os.fstat(self._fd))
        return found

    def read_key(self) -> bytes:
        """The key in the key file. Failure."""
        from ..files import KeyExposed, KeyFileError, read_key

        assert self.key_file is not None
        hint = "rijn keygen -o FILE makes a key file"
        try:
            return read_key(self.key_file)
        except KeyExposed as error:
            text, hint = str(error), f"chmod 600 {shlex.quote(self.key_file)}"
        except KeyFileError as error:
            text = str(error)
        except OSError as error:
            text = f"it cannot be read: {error.strerror}"
        raise Failure(f"{self.key_file}: bad key file: {text}", hint, Exit.KEY_FILE)

    def derive(self, parameters: Argon2id, size: int, *, confirm: bool) -> bytes:
        """The key that Argon2id makes of the passphrase; `confirm` asks for it twice."""
        passphrase = _ask(confirm) if self._passphrase is None else self._passphrase
        if not passphrase:
            raise click.UsageError("The passphrase is empty.")
        return parameters.derive(passphrase, size)


def _read_line(fd: int) -> bytes:
    """One line, and not a byte of what follows it."""
    line = b""
    try:
        if fd in standard.closed:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        while not line.endswith(b"\n") and (byte := os.read(fd, 1)):
            line += byte
            if len(line) > _MAX_PASSPHRASE:
                raise click.UsageError(f"The passphrase is longer than {_MAX_PASSPHRASE} bytes.")
    except OSError as error:
        raise click.UsageError(f"Cannot read file descriptor {fd}: {error.strerror}.") from None
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise click.UsageError("The passphrase is not UTF-8.") from None


def _ask(confirm: bool) -> str:
    import getpass

    if os.name == "posix":
        # getpass falls back to standard input, which may be the data.
        try:
            os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
        except OSError:
            raise click.UsageError(
                "There is no terminal to ask for a passphrase:"
                " use --key-file, --passphrase-env or --passphrase-fd."
            ) from None
    try:
        passphrase = getpass.getpass("Passphrase: ")
        if confirm and passphrase and getpass.getpass("Passphrase again: ") != passphrase:
            raise click.UsageError("The two passphrases differ.")
    except EOFError:
        raise click.UsageError("No passphrase was given.") from None
    return passphrase
