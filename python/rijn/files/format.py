"""The Rijn file and the key file, which docs/format.md specifies.

A Rijn file is a text header of four lines and one message of chunked encryption (rijn.chunked). The
bytes of the header are the context of the message::

    Rijn file 1
    aead AEAD_AES_128_GCM
    key $argon2id$v=19$m=65536,t=3,p=4$4rXp7JcT1JXb0x9Y8zP2Og
    ---

There is exactly one way to write a header, and every other form is refused. An altered header is
another context, so the message's key commitment fails.
"""

from __future__ import annotations

import base64
import os
import re
import stat
import unicodedata
from dataclasses import dataclass
from typing import BinaryIO

from .. import _check
from .._check import Buffer
from .._traceback import clean_traceback
from ..chunked import AEADS, Truncated
from ..chunked.message import RIJN_FILE

__all__ = [
    "Argon2id",
    "BadHeader",
    "Header",
    "HexKey",
    "KeyExposed",
    "KeyFileError",
    "NotRijn",
    "RawKey",
    "Unsupported",
    "check_passphrase",
    "format_key",
    "parse_key",
    "read_key",
]

MAGIC = RIJN_FILE
VERSION = 1
MAX_HEADER = 256  # bytes; the longest that version 1 can have is 99
KEY_FILE = "file"
_END = b"---\n"
_PHC = re.compile(
    r"\$argon2id\$v=19\$m=([1-9][0-9]{0,9}),t=([1-9][0-9]{0,9}),p=([1-9][0-9]{0,9})"
    r"\$([A-Za-z0-9+/]{21}[AQgw])"  # the last digit has four unused bits
)
MAX_PASSPHRASE = 4096  # bytes

_KEY_LABEL = "rijn-key-v1"
_KEY_SIZES = sorted({aead.key_size for aead in AEADS.values()})
_MAX_KEY_FILE = 4096  # bytes


class NotRijn(ValueError):
    """The file does not begin like a Rijn file."""


class BadHeader(ValueError):
    """The header of a Rijn file is not written as docs/format.md requires."""


class Unsupported(ValueError):
    """This Rijn does not read a Rijn file of this version, AEAD or cost."""


class KeyFileError(ValueError):
    """A key file holds no key."""


class RawKey(KeyFileError):
    """A file holds only the bytes of a key."""


class HexKey(KeyFileError):
    """A file holds only the hexadecimal digits of a key."""


class KeyExposed(KeyFileError):
    """Users other than the owner may read or write a key file."""


@dataclass(frozen=True, slots=True)
class Argon2id:
    """Derives a key from a passphrase: Argon2id version 1.3 (RFC 9106).

    The default cost is the RFC's second recommended choice. The limits bound the cost of reading a
    hostile header: 1 GiB, and four passes over it.
    """

    salt: bytes  # 16 bytes
    memory: int = 64 * 1024  # KiB
    passes: int = 3
    lanes: int = 4

    SALT_SIZE = 16
    MAX_MEMORY = 1024 * 1024  # KiB
    MAX_PASSES = 16
    MAX_LANES = 16
    MAX_WORK = 4 * MAX_MEMORY  # memory * passes

    def __post_init__(self) -> None:
        _check.readable("salt", self.salt)
        for name in ("memory", "passes", "lanes"):
            object.__setattr__(self, name, _check.integer(name, getattr(self, name)))
        if len(self.salt) != self.SALT_SIZE:
            raise BadHeader(f"Argon2id salt is {len(self.salt)} bytes, not {self.SALT_SIZE}")
        if self.passes < 1 or self.lanes < 1 or self.memory < 8 * self.lanes:
            raise BadHeader("Argon2id needs t >= 1, p >= 1 and m >= 8p")
        if (
            self.memory > self.MAX_MEMORY
            or self.passes > self.MAX_PASSES
            or self.lanes > self.MAX_LANES
            or self.memory * self.passes > self.MAX_WORK
        ):
            raise Unsupported(
                f"Argon2id with m={self.memory},t={self.passes},p={self.lanes} costs more than "
                f"is allowed (m <= {self.MAX_MEMORY}, t <= {self.MAX_PASSES}, "
                f"p <= {self.MAX_LANES}, m * t <= {self.MAX_WORK})"
            )

    @classmethod
    def new(cls) -> Argon2id:
        """Returns parameters of the default cost with a fresh random salt."""
        return cls(os.urandom(cls.SALT_SIZE))

    @property
    def phc(self) -> str:
        """The PHC string, without a hash."""
        salt = base64.b64encode(self.salt).decode().rstrip("=")
        return f"$argon2id$v=19$m={self.memory},t={self.passes},p={self.lanes}${salt}"

    @classmethod
    def parse(cls, phc: str) -> Argon2id:
        """Parses a PHC string: the inverse of `phc`.

        :param phc: the string, exactly as `phc` writes it.
        :raises BadHeader: if it is written in another way.
        :raises Unsupported: if the cost exceeds the limits.
        """
        match = _PHC.fullmatch(_check.text("phc", phc))
        if match is None:
            raise BadHeader(
                "its key line is neither 'file' nor an Argon2id PHC string in the one accepted form"
            )
        memory, passes, lanes = map(int, match.group(1, 2, 3))
        salt = base64.b64decode(match[4] + "==")
        return cls(salt, memory, passes, lanes)

    @clean_traceback
    def derive(self, passphrase: str, size: int) -> bytes:
        """Derives the key.

        :param passphrase: text, which is encoded as UTF-8 in normal form C.
        :param size: bytes of the key.
        :raises ValueError: as `check_passphrase`.
        :raises MemoryError: if there is less memory than the parameters require.
        :raises ImportError: if argon2-cffi is missing.
        """
        try:
            from argon2.exceptions import HashingError
            from argon2.low_level import Type, hash_secret_raw
        except ImportError:
            raise ImportError(
                "passphrases need the package argon2-cffi: pip install argon2-cffi"
            ) from None

        check_passphrase(_check.text("passphrase", passphrase).encode("utf-8", "surrogatepass"))
        try:
            return hash_secret_raw(
                unicodedata.normalize("NFC", passphrase).encode(),
                self.salt,
                time_cost=self.passes,
                memory_cost=self.memory,
                parallelism=self.lanes,
                hash_len=_check.natural("size", size),
                type=Type.ID,
                version=19,
            )
        except HashingError as error:  # the parameters are valid, so memory was missing
            raise MemoryError(f"Argon2id: {error}") from None


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a Rijn file: its AEAD, and the source of the key.

    passphrase is None if the key comes from a key file.
    """

    aead: str
    passphrase: Argon2id | None = None

    def encode(self) -> bytes:
        """Returns the header's bytes, which are also the message's context."""
        key = KEY_FILE if self.passphrase is None else self.passphrase.phc
        return f"Rijn file {VERSION}\naead {self.aead}\nkey {key}\n---\n".encode()

    @classmethod
    def read(cls, source: BinaryIO) -> Header:
        """Reads the header, and not a byte more.

        :param source: a binary file, buffered or raw, at the start of the header.
        :raises NotRijn: if the file does not begin like a Rijn file.
        :raises BadHeader: if the header is not valid.
        :raises Unsupported: if this Rijn does not read such a file.
        :raises Truncated: if the file stops inside the header.
        """
        found = b""
        while len(found) < len(MAGIC) and (more := source.read(len(MAGIC) - len(found))):
            found += more
        if found != MAGIC:
            if found and MAGIC.startswith(found):
                raise Truncated(f"the file stops at byte {len(found)}, in its header", len(found))
            raise NotRijn("it is empty" if not found else "it does not begin with 'Rijn file'")
        while not found.endswith(b"\n" + _END):
            line = source.readline(MAX_HEADER - len(found))
            found += line
            if found.count(b"\n") == 1:
                _check_version(found)  # first: another version may have other lines
            if len(found) == MAX_HEADER:
                raise BadHeader(f"its header does not end within {MAX_HEADER:,} bytes")
            if not line:
                raise Truncated(f"the file stops at byte {len(found)}, in its header", len(found))
        return cls.parse(found)

    @classmethod
    def parse(cls, data: Buffer) -> Header:
        """Parses a header: the inverse of `encode`.

        :param data: the header, exactly as `encode` writes it.
        :raises BadHeader: if it is written in another way.
        :raises Unsupported: if this Rijn does not read such a file.
        """
        data = bytes(_check.readable("data", data))
        _check_version(data)
        lines = re.fullmatch(rb"[^\n]*\naead ([A-Z0-9_]+)\nkey ([!-~]+)\n---\n", data)
        if lines is None:
            raise BadHeader("its header is not a line 'aead', a line 'key' and a line '---'")
        aead, key = lines[1].decode(), lines[2].decode()
        if aead not in AEADS:
            raise Unsupported(f"it uses {aead}; this Rijn knows {', '.join(AEADS)}")
        return cls(aead, None if key == KEY_FILE else Argon2id.parse(key))


def _check_version(header: bytes) -> None:
    version = re.match(rb"Rijn file ([1-9][0-9]{0,8})\n", header)
    if version is None:
        raise BadHeader("its first line names no version")
    if int(version[1]) != VERSION:
        raise Unsupported(f"it has format version {int(version[1])}; this Rijn reads {VERSION}")


@clean_traceback
def check_passphrase(data: Buffer) -> str:
    """Decodes a passphrase.

    :param data: 1 to 4096 bytes of UTF-8.
    :returns: the passphrase.
    :raises ValueError: if it has another size or is not UTF-8.
    """
    data = bytes(_check.readable("data", data))
    if not data:
        raise ValueError("the passphrase is empty")
    if len(data) > MAX_PASSPHRASE:
        raise ValueError(f"the passphrase is longer than {MAX_PASSPHRASE:,} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError("the passphrase is not UTF-8") from None


@clean_traceback
def format_key(key: Buffer) -> str:
    """Returns the text of a key file."""
    secret = bytes(_check.readable("key", key))
    return (
        f"# Rijn key, {8 * len(secret)} bits. Whoever has it can read what it encrypts.\n"
        f"{_KEY_LABEL} {secret.hex()}\n"
    )


@clean_traceback
def parse_key(text: str) -> bytes:
    """Returns the key in the text of a key file.

    The text has one line with the key, and any number of empty lines and lines that begin with '#'.
    A line ends with LF or CR LF. White space is spaces and tabs. Unicode's other line ends are
    refused or are part of a line, because an editor might not show them.

    :raises KeyFileError: if the text holds no key, or more than that.
    """
    text = _check.text("text", text).replace("\r\n", "\n")
    if text.startswith("\ufeff"):
        raise KeyFileError("it begins with a byte order mark, which UTF-8 does without")
    if control := re.search(r"[\0-\x08\x0b-\x1f\x7f]", text):
        line = 1 + text.count("\n", 0, control.start())
        raise KeyFileError(f"its line {line} has the control character U+{ord(control[0]):04X}")
    lines = [line.strip(" \t") for line in text.split("\n")]
    if not any(lines):
        raise KeyFileError("it is empty")
    lines = [line for line in lines if line and not line.startswith("#")]
    keys = sum(line.startswith(f"{_KEY_LABEL} ") for line in lines)
    if keys > 1:
        raise KeyFileError(f"it holds {keys} keys, not one")
    if keys and len(lines) > 1:
        raise KeyFileError("it has a line that is neither the key's nor a comment")
    match = re.fullmatch(_KEY_LABEL + r" ([0-9A-Fa-f]+)", lines[0]) if keys else None
    if match is None:
        raise KeyFileError(f"it has no line '{_KEY_LABEL} ' with hexadecimal digits")
    if len(match[1]) not in [2 * size for size in _KEY_SIZES]:
        wanted = " or ".join(str(2 * size) for size in _KEY_SIZES)
        raise KeyFileError(f"its key has {len(match[1])} hexadecimal digits, not {wanted}")
    return bytes.fromhex(match[1])


@clean_traceback
def read_key(path: str | os.PathLike[str] | int) -> bytes:
    """Reads a key file.

    A regular file that holds a key must not be accessible to group and others. A pipe, as in
    `--key-file <(command)`, has no permissions to check.

    :param path: a file name or an open descriptor.
    :returns: the key.
    :raises OSError: if the file cannot be read.
    :raises RawKey, HexKey: if the file holds a key in another form.
    :raises KeyExposed: if other users have access to it.
    :raises KeyFileError: if the file holds no key. The three errors above are KeyFileErrors too.
    """
    data, exposed = read_secret(path, _MAX_KEY_FILE)
    _check_form(data)
    try:
        key = parse_key(data.decode())
    except UnicodeDecodeError:
        raise KeyFileError("it is not UTF-8") from None
    if exposed is not None:
        raise exposed
    return key


def read_secret(path: str | os.PathLike[str] | int, most: int) -> tuple[bytes, KeyExposed | None]:
    """Reads a file of keys, or an open descriptor.

    Returns the bytes, and the error to raise after they are recognized as keys if other users have
    access to the file. Raises OSError, with the file name of shown_name, and KeyFileError for more
    than `most` bytes.
    """
    file, code, text = None, None, None
    try:
        file = open(path, "rb", closefd=not isinstance(path, int))  # noqa: SIM115
    except OSError as error:
        code, text = error.errno, error.strerror
    if file is None:  # a new error: the first one and its context contain the name
        shown = path if isinstance(path, int) else shown_name(os.fsdecode(path))
        raise OSError(code, text, shown)
    with file:
        status = os.fstat(file.fileno())
        data = file.read(most + 1)
    if len(data) > most:
        raise KeyFileError(f"it is longer than {most:,} bytes")
    if os.name == "posix" and stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        return data, KeyExposed(f"others have access to it (its mode is {mode:04o})")
    return data, None


UNSHOWN = "(a name that may be a key)"
_MARKS = re.compile(r"[\"{}\0-\x1f]")  # JSON, and lines
# 16 bytes or more in Base64, which has 22 characters. A path may lose two of them.
_RUN = re.compile(r"[A-Za-z0-9+/=_-]{20,}")
_HEX = re.compile(r"[0-9A-Fa-f]{32,}")  # 16 bytes or more in hexadecimal digits
_CHANGE = re.compile(r"(?=[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z])")


def may_be_key(text: str) -> bool:
    """Returns True if a text may contain a key: JSON, or 16 bytes or more in hexadecimal digits or
    Base64.

    The kinds of characters in Base64 change more often than in a name.
    """
    if _MARKS.search(text):
        return True
    text = re.sub("[ ,:]", "", text)
    if _HEX.search(text):
        return True
    return any(len(_CHANGE.findall(run)) > 2 for run in _RUN.findall(text))


def shown_name(name: str) -> str:
    """Returns the name of a file of keys, for a message.

    Returns UNSHOWN if there is no such file and the name may be a key that was given by mistake.
    """
    if os.path.lexists(name):
        return name
    folder, base = os.path.split(name)
    return UNSHOWN if may_be_key(base if os.path.isdir(folder) else name) else name


def _check_form(data: bytes) -> None:
    """Raises HexKey or RawKey for a key in another program's form: only digits, or bytes that are
    not a line of text.
    """
    digits = re.fullmatch(rb"([0-9A-Fa-f]+)\s*", data)
    if digits and len(digits[1]) in [2 * size for size in _KEY_SIZES]:
        raise HexKey(f"it has the digits of a key of {4 * len(digits[1])} bits, and no more")
    if len(data) in _KEY_SIZES and re.search(rb"[^\t\n\r -~]", data):
        raise RawKey(f"it has the {len(data)} bytes of a key, and no more")
