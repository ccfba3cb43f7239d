"""Sources of keys. No option takes a secret as its value, because other users can see command lines."""

from __future__ import annotations

import errno
import os
import shlex
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import standard
from .failures import Exit, Failure, usage_errors
from .help_all import FurtherOption
from .options import SOURCE, STDIN, cannot_read, key_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..files.format import Argon2id, Header

_Function = TypeVar("_Function", bound="Callable[..., Any]")
_DEFAULT_AEAD = "AEAD_AES_128_GCM"  # for passphrases, as C2SP recommends


class _Descriptor(click.IntRange):
    """A file descriptor. A wrong value is not repeated in the message: it may be the passphrase."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            pass
        self.fail(f"it takes the number of a file descriptor, 0 to {self.max}", param, ctx)


DESCRIPTOR = _Descriptor(0, (1 << 31) - 1)
ONE_KEY = "A file has one key."


def key_options(function: _Function) -> _Function:
    """Adds the options from which KeySource is made."""
    for option in (
        click.option(
            "--passphrase-fd",
            cls=FurtherOption,
            type=DESCRIPTOR,
            metavar="N",
            help="Read the passphrase from file descriptor N, up to the first newline.",
        ),
        click.option(
            "--passphrase-env",
            cls=FurtherOption,
            metavar="NAME",
            help="Read the passphrase from the environment variable NAME.",
        ),
        click.option(
            "-k",
            "--key-file",
            "key_files",
            multiple=True,
            metavar="FILE",
            type=SOURCE,
            help="Use the key in FILE, or - for standard input.",
        ),
    ):
        function = option(function)
    return function


class KeySource:
    """The keys that the options name: key files, or a passphrase from an option or the terminal.

    Each key file is read once, and the passphrase is asked for once, for all files.
    """

    def __init__(
        self,
        key_files: Sequence[str],
        passphrase_env: str | None,
        passphrase_fd: int | None,
        files: Sequence[str] = (),
        prompt: str = "Passphrase",
    ) -> None:
        """files: the sources. Standard input cannot be both a source and a key file."""
        self._prompt = prompt
        self.key_files = key_files
        if "" in key_files or passphrase_env == "":
            raise click.UsageError("The name of a key is empty: is a shell variable unset?")
        given = [key_files or None, passphrase_env, passphrase_fd]
        if len(given) - given.count(None) > 1:
            raise click.UsageError(
                "Give only one of --key-file, --passphrase-env and --passphrase-fd."
            )
        if STDIN in key_files and (not files or STDIN in files):
            raise click.UsageError("Standard input cannot be both the key and the data.")
        if key_files.count(STDIN) > 1:
            raise click.UsageError("Standard input can be read only once.")
        self._fd = passphrase_fd
        self._keys: list[bytes] = []
        self._passphrase: str | None = None
        self._derived: dict[tuple[Argon2id, int], bytes] = {}
        if passphrase_env is not None:
            if passphrase_env not in os.environ:
                # The name is not repeated: it may be the passphrase.
                raise click.UsageError("--passphrase-env names a variable that is not set.")
            self._passphrase = _decode(os.fsencode(os.environ[passphrase_env]))
        if passphrase_fd is not None:
            # Now, because on descriptor 0 the data may follow.
            self._passphrase = _decode(_read_line(passphrase_fd))

    def statuses(self) -> list[os.stat_result]:
        """Returns the statuses of the files that the key or the passphrase comes from."""
        found = []
        for name in self.key_files:
            with suppress(OSError):  # reading the key reports it
                found.append(os.fstat(0) if name == STDIN else os.stat(name))
        if self._fd is not None:
            with suppress(OSError):
                found.append(os.fstat(self._fd))
        return found

    def check_source(
        self,
        name: str,
        status: os.stat_result,
        key_files: Sequence[os.stat_result] | None = None,
    ) -> None:
        """Checks that a source is not the file of the key or passphrase: nothing could decrypt the
        result. Failure.

        key_files  an earlier result of `statuses`; None: gets a new one
        """
        if not stat.S_ISREG(status.st_mode):
            return
        for key_file in self.statuses() if key_files is None else key_files:
            if os.path.samestat(status, key_file):
                raise Failure(
                    f"{name}: is the file of the key or passphrase",
                    "do not encrypt it",
                    Exit.REFUSED,
                )

    def read_keys(self) -> list[bytes]:
        """Returns the keys in the key files. Failure."""
        if not self._keys:
            self._keys = [_read_key(name) for name in self.key_files]
        return self._keys

    def ask(self) -> None:
        """Asks for the passphrase now, if no option gives the key. UsageError."""
        if not self.key_files and self._passphrase is None:
            self._passphrase = _ask(self._prompt, confirm=False)

    def derive(self, parameters: Argon2id, size: int, *, confirm: bool) -> bytes:
        """Derives the key from the passphrase with Argon2id, once for the same parameters.

        confirm  whether to ask for a new passphrase twice
        """
        if self._passphrase is None:
            self._passphrase = _ask(self._prompt, confirm)
        found = self._derived.get((parameters, size))
        if found is not None:
            return found
        try:
            with usage_errors():
                key = parameters.derive(self._passphrase, size)
        except MemoryError:
            mib = parameters.memory // 1024
            raise Failure(
                f"its passphrase needs {mib} MiB of memory, which are not available",
                "end other programs, or raise this program's memory limit",
                Exit.OTHER,
            ) from None
        self._derived[parameters, size] = key
        return key


def _read_key(name: str) -> bytes:
    from ..files.format import HexKey, KeyExposed, KeyFileError, RawKey, read_key

    hint = "rijn keygen -o FILE makes a key file"
    source = "" if name == STDIN else f" {shlex.quote(name)}"
    try:
        return read_key(0 if name == STDIN else name)
    except KeyExposed as error:
        text, hint = str(error), f"chmod 600{source}"
    except RawKey as error:
        text, hint = str(error), _hint_form(f"od -An -v -tx1{source} | tr -d ' \\n'")
    except HexKey as error:
        text, hint = str(error), _hint_form(f"cat{source}")
    except KeyFileError as error:
        text = str(error)
    except FileNotFoundError as error:
        text, hint = cannot_read(name, error), _hint_missing(name)
    except OSError as error:
        text = cannot_read(name, error)
    raise Failure(f"{key_name(name)}: bad key file: {text}", hint, Exit.KEY_FILE)


def _hint_form(digits: str) -> str:
    """Returns a shell command that makes a key file from the digits that `digits` prints. The key is
    never an argument of a process."""
    made = f"(umask 077; {{ printf 'rijn-key-v1 '; {digits}; }} > NEW)"
    return f"to make a key file NEW from it: {made}"


def _hint_missing(name: str) -> str:
    """Returns a hint for the name of a missing key file."""
    import difflib

    from ..files.format import UNSHOWN

    if key_name(name) == UNSHOWN:
        return "give the name of the key file, not the key itself"
    folder, base = os.path.split(name)
    try:
        there = os.listdir(folder or os.curdir)
    except OSError:
        return f"there is no folder {folder}"
    for near in difflib.get_close_matches(base, there, 1, 0.7):
        return f"did you mean {shlex.quote(os.path.join(folder, near))}?"
    return f"rijn keygen -o {shlex.quote(name)} makes one"


def _read_line(fd: int) -> bytes:
    """Reads one line, and no byte after it."""
    from ..files.format import MAX_PASSPHRASE

    line, longest = b"", MAX_PASSPHRASE + len(b"\r\n")
    try:
        if fd in standard.closed:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        while not line.endswith(b"\n") and len(line) < longest and (byte := os.read(fd, 1)):
            line += byte
    except OSError as error:
        raise click.UsageError(f"Cannot read file descriptor {fd}: {error.strerror}.") from None
    return line[:-1].removesuffix(b"\r") if line.endswith(b"\n") else line


def _decode(data: bytes) -> str:
    from ..files.format import check_passphrase

    with usage_errors():
        return check_passphrase(data)


def _ask(prompt: str, confirm: bool) -> str:
    import getpass

    if os.name == "posix":
        # Without a terminal getpass would read standard input, which may be the data.
        try:
            os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
        except OSError:
            raise click.UsageError(
                "There is no terminal to ask for a passphrase:"
                " use --key-file, --passphrase-env or --passphrase-fd."
            ) from None
    try:
        passphrase = getpass.getpass(f"{prompt}: ")
        if confirm and passphrase and getpass.getpass(f"{prompt} again: ") != passphrase:
            raise click.UsageError("The two passphrases differ.")
    except EOFError:
        raise click.UsageError("No passphrase was given.") from None
    except UnicodeDecodeError:
        raise click.UsageError("The passphrase is not text in the terminal's encoding.") from None
    return passphrase


def key_and_header(keys: KeySource, aead: str | None) -> tuple[bytes, Header]:
    """Returns the key and the header of a new file. UsageError, Failure; ValueError for an unknown
    AEAD."""
    from ..chunked import find_aead, named_aead
    from ..files.format import Argon2id, Header

    chosen = None if aead is None else named_aead(aead)  # before asking for a passphrase
    if len(keys.key_files) > 1:
        raise click.UsageError(f"{ONE_KEY} Give one key file.")
    if keys.key_files:
        (key,) = keys.read_keys()
        if chosen is not None and chosen.key_size != len(key):
            bits = 8 * chosen.key_size
            raise click.UsageError(
                f"The key has {8 * len(key)} bits, but {aead} needs {bits}:"
                f" make one with rijn keygen --bits {bits} -o FILE."
            )
        return key, Header(find_aead(aead, len(key)).name)
    chosen = chosen or named_aead(_DEFAULT_AEAD)
    parameters = Argon2id.new()
    key = keys.derive(parameters, chosen.key_size, confirm=True)
    return key, Header(chosen.name, parameters)
