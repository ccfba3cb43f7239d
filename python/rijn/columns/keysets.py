"""Keysets: a primary key, which seals, and older keys, which still open."""

from __future__ import annotations

import base64
import hmac
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pkgutil import resolve_name
from typing import Any

from .. import _check
from .._traceback import clean_traceback
from .._uncopyable import Uncopyable
from ..files.format import UNSHOWN, may_be_key, parse_key, read_secret
from .formats import ALGORITHMS, XAES, Algorithm, Format, named

__all__ = ["Keyset", "KeysetError"]

MOST_KEYS = 254  # of a keyset: a byte holds the number of a row's key, and 255 means none
MAX_TEXT = 1 << 20  # bytes of a keyset
# JSON does not define these limits. Rijn's other readers of keysets have the same ones.
_MAX_DEPTH = 32  # nested objects and lists
_MAX_DIGITS = 1000  # of a number
_MAX_VALUE = 255  # characters of a key's 'value'
_MATERIAL = "SYMMETRIC"


class KeysetError(ValueError):
    """The keyset is not valid, or holds a key that cannot be used.

    The message says which key, and nothing about its bytes.
    """


class SecretKey(Uncopyable):
    """A key of a keyset. Anyone who has it can seal and open."""

    __slots__ = ("algorithm", "id", "raw", "secret")

    def __init__(self, id: int, algorithm: Algorithm | None, raw: bool, secret: bytes) -> None:
        self.id = id  # 1 to 2^32 - 1; 0 for the key of a Rijn key file
        self.algorithm = algorithm  # None for the key of a Rijn key file
        self.raw = raw  # True: rows in the format "tink" do not begin with its id
        self.secret = secret

    def is_same(self, other: SecretKey) -> bool:
        """Returns True if the other key has the same id, algorithm, prefix and bytes."""
        mine = (self.id, self.algorithm, self.raw)
        return mine == (other.id, other.algorithm, other.raw) and hmac.compare_digest(
            self.secret, other.secret
        )

    def __repr__(self) -> str:
        """Returns the id and the algorithm, and nothing about the bytes."""
        return f"<key {self.id} for {self.algorithm.name if self.algorithm else 'any format'}>"


class Keyset(Uncopyable):
    """One primary key and up to 253 older ones::

        Keyset.from_file(path, *older)   a keyset in Tink's JSON, in the clear, or a Rijn key file
        Keyset.from_environment(name)    the same text in an environment variable
        Keyset.from_callable(function)   a function that returns the same text
        Keyset.generate(format)          a new key for columns of that format

    Tink's JSON holds keys of the types AesGcmKey, XAesGcmKey (with a salt of 12 bytes) and
    AesSivKey, and of Rijn's AesGcmSivKey and two types for AEGIS, with the output prefix TINK or
    RAW. A disabled or destroyed key opens no rows, and is refused as the primary key. A Rijn key
    file (docs/format.md) has one key of 16 or 32 bytes for any format except "tink". The
    first of several files has the primary key.

    A keyset is pickled as its origin, never as keys: another process reads the file or the
    variable, or calls the function. A keyset that was made in this process can be neither copied
    nor pickled (TypeError). No repr, error message or log shows any part of a key.
    """

    __slots__ = ("_asleep", "_keys", "_origin")

    @clean_traceback
    def __init__(
        self,
        keys: tuple[SecretKey, ...],
        asleep: tuple[dict[str, Any], ...] = (),
        origin: tuple[str, tuple[Any, ...]] | None = None,
    ) -> None:
        if not 0 < len(keys) <= MOST_KEYS:
            raise KeysetError(f"a keyset has 1 to {MOST_KEYS} keys, not {len(keys)}")
        ids = [key.id for key in keys if key.id]
        if len(ids) != len(set(ids)):
            raise KeysetError("two of its keys have the same id")
        self._keys = keys  # the primary one first
        self._asleep = asleep  # unused keys, as they are in the JSON
        self._origin = origin  # the constructor's name and its arguments

    @classmethod
    @clean_traceback
    def from_file(cls, path: str | os.PathLike[str], *older: str | os.PathLike[str]) -> Keyset:
        """Reads a keyset from a file.

        :param path: the file. Its primary key becomes the primary key.
        :param older: more files, whose keys become older ones.
        :raises OSError: if a file cannot be read.
        :raises KeysetError: if a file holds no valid keyset.
        :raises rijn.files.KeyExposed: if users other than the owner may read or write a file.
        :raises rijn.files.KeyFileError: if a Rijn key file is not valid.
        """
        names = [os.fspath(it) for it in (path, *older)]  # as given, for messages
        first, *rest = (cls(*_read(it), ("from_file", (os.path.abspath(it),))) for it in names)
        return first.with_older(*rest)

    @classmethod
    @clean_traceback
    def from_environment(cls, name: str) -> Keyset:
        """Reads a keyset from an environment variable.

        :param name: the variable's name.
        :raises KeyError: if there is no such variable.
        :raises KeysetError, KeyFileError: if its value is not a valid keyset.
        """
        if _check.text("name", name) not in os.environ:
            shown = UNSHOWN if may_be_key(name) else name
            raise KeyError(f"no environment variable {shown}")
        return cls(*_parsed(os.fsencode(os.environ[name])), ("from_environment", (name,)))

    @classmethod
    @clean_traceback
    def from_callable(cls, function: Callable[[], str | bytes]) -> Keyset:
        """Reads a keyset from a function.

        The function is called once, and again in each process that unpickles the keyset. A keyset
        can only be pickled if a module has the function under its name: not a lambda, a partial or
        an object's method, because their contents would be pickled too.

        :param function: returns the keyset as str or bytes. Its exceptions are passed on.
        :raises TypeError: if it returns another type.
        :raises KeysetError, KeyFileError: if the result is not a valid keyset.
        """
        data = function()
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogatepass")  # _parsed refuses it
        if not isinstance(data, bytes):
            raise TypeError(f"the keyset must be str or bytes, not {type(data).__name__}")
        return cls(*_parsed(data), ("from_callable", (function,)))

    @classmethod
    def generate(cls, format: str = "xaes") -> Keyset:
        """Generates a keyset of one new key with the operating system's generator.

        :param format: the format of its columns. Keys have 64 bytes for "siv", 16 for "aegis-128l"
            and 32 for the others. For "tink", the key is for AES-GCM.
        :raises ValueError: if the format is unknown.
        """
        return cls((_drawn(named(format), set()),))

    @clean_traceback
    def renewed(self, format: str = "xaes") -> Keyset:
        """Returns a keyset with a new primary key, and with all keys of this one as older keys.

        :param format: the format of its columns.
        :raises ValueError: if the format is unknown.
        :raises KeysetError: if there would be more than 254 keys.
        """
        ids = {key.id for key in self._keys} | {it.get("keyId") for it in self._asleep}
        return type(self)((_drawn(named(format), ids), *self._keys), self._asleep)

    @clean_traceback
    def with_older(self, *older: Keyset) -> Keyset:
        """Returns a keyset with this primary key and all other keys of the keysets as older keys.

        It can be pickled if all keysets come from files. A key that several keysets have counts
        once, at its first place. It is used if one of the keysets uses it, because another reader
        could not interpret json() otherwise.

        :param older: other keysets.
        :raises TypeError: if an argument is not a Keyset.
        :raises KeysetError: if two different keys have the same id, or there would be more than 254
            keys.
        """
        keysets = (self, *older)
        keys: list[SecretKey] = []
        asleep: list[dict[str, Any]] = []
        for each in keysets:
            if not isinstance(each, Keyset):
                raise TypeError(f"older must be Keysets, not {type(each).__name__}")
            keys += [it for it in each._keys if not any(it.is_same(there) for there in keys)]
        for each in keysets:
            for entry in each._asleep:
                id = entry["keyId"]
                used = [] if id in each.ids else [key for key in keys if key.id == id]
                if not all(_is_key(entry, key) for key in used):
                    raise KeysetError("two of its keys have the same id")
                if not used and not any(_is_same(entry, it) for it in asleep):
                    asleep.append(entry)
        origins = [it._origin or ("made here", ()) for it in keysets]
        return type(self)(
            tuple(keys),
            tuple(asleep),
            ("from_file", tuple(path for _, paths in origins for path in paths))
            if all(name == "from_file" for name, _ in origins)
            else None,
        )

    @clean_traceback
    def json(self) -> str:
        """Returns the keyset in Tink's JSON, in the clear: anyone who has the text has the keys.

        :raises KeysetError: if a key comes from a Rijn key file, which names no algorithm.
        """
        entries = []
        for key in self._keys:
            if key.algorithm is None:
                raise KeysetError("a key of a Rijn key file names no algorithm: it stays there")
            value = key.algorithm.params + _field(key.algorithm.key_field, key.secret)
            entries.append(
                {
                    "keyData": {
                        "typeUrl": key.algorithm.type_url,
                        "value": base64.b64encode(value).decode(),
                        "keyMaterialType": _MATERIAL,
                    },
                    "status": "ENABLED",
                    "keyId": key.id,
                    "outputPrefixType": "RAW" if key.raw else "TINK",
                }
            )
        found = {"primaryKeyId": self._keys[0].id, "key": [*entries, *self._asleep]}
        return json.dumps(found, indent=2) + "\n"

    @clean_traceback
    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes `json()` to a new file that only its owner can access.

        :param path: the file, which must not exist.
        :raises FileExistsError: if it exists.
        :raises OSError: if it cannot be written.
        :raises KeysetError: as `json`.
        """
        data = self.json().encode()
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(file, "wb") as out:
            out.write(data)

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the keys, the primary key's first; 0 for the key of a Rijn key file."""
        return tuple(key.id for key in self._keys)

    def __repr__(self) -> str:
        """Returns the number of keys and their origin, and nothing about the keys."""
        origin = "made here"
        if self._origin is not None:
            name, given = self._origin
            told = ", ".join(it if isinstance(it, str) else _name_of(it) for it in given)
            origin = f"{name.replace('_', ' ')} {told}"
        return f"<rijn.columns.Keyset of {len(self._keys)}, primary {self._keys[0].id}, {origin}>"

    def __reduce__(self) -> Any:
        """Pickles the origin."""
        if self._origin is None:
            return super().__reduce__()
        name, given = self._origin
        if name != "from_callable":
            return getattr(Keyset, name), given
        (function,) = given
        if not _is_found_by_name(function):
            raise TypeError(
                "a keyset from a function is pickled as the function's name, and no module has "
                f"{_name_of(function)} under its name: define it at the top of a module"
            )
        # Only the name. Some pickle more of a function: cloudpickle its code and globals, and every
        # pickle the attributes of an object with a function's name.
        return _named, (f"{function.__module__}:{function.__qualname__}",)


def _named(name: str) -> Keyset:
    """Unpickles a keyset from a function's name, "module:name". Raises ImportError and
    AttributeError, and as from_callable.
    """
    return Keyset.from_callable(resolve_name(name))


def _name_of(function: Any) -> str:
    """Returns the name of a function. For a partial or another callable object it is the class's
    name, because the object may hold a key.
    """
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def _is_found_by_name(function: Any) -> bool:
    """Returns True if a module, or a class of one, has the function, so that pickle uses its name."""
    found: Any = sys.modules.get(getattr(function, "__module__", None) or "")
    for part in getattr(function, "__qualname__", "").split("."):
        found = getattr(found, part, None)
    return found is not None and found == function


def _is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Returns True if two unused keys are the same in the JSON."""
    return hmac.compare_digest(*(json.dumps(it, sort_keys=True).encode() for it in (one, other)))


def _is_key(entry: dict[str, Any], key: SecretKey) -> bool:
    """Returns True if an unused entry is that key. A destroyed one is compared by its id only.
    Raises KeysetError.
    """
    return entry["status"] == "DESTROYED" or _key(key.id, entry).is_same(key)


def keys_for(keyset: Keyset, format: Format) -> tuple[SecretKey, ...]:
    """Returns the keys, the primary one first. Raises KeysetError if one does not fit the format."""
    for key in keyset._keys:
        if key.algorithm is None:
            if format.prefixed:
                raise KeysetError(
                    f"format {format.name} needs a keyset in Tink's JSON: a Rijn key file "
                    "names neither a key's id nor its type"
                )
            sizes = format.algorithms[0].cls.key_sizes
            if len(key.secret) not in sizes:
                raise KeysetError(
                    f"format {format.name} needs a key of {_check.listed(sizes)} bytes, not "
                    f"{len(key.secret)}"
                )
        elif key.algorithm not in format.algorithms:
            names = ", ".join(it.name for it in format.algorithms)
            raise KeysetError(
                f"key {key.id} is for {key.algorithm.name}; format {format.name} has keys "
                f"for {names}"
            )
    return keyset._keys


def _read(path: str) -> tuple[tuple[SecretKey, ...], tuple[dict[str, Any], ...]]:
    data, exposed = read_secret(path, MAX_TEXT)
    found = _parsed(data)
    if exposed is not None:
        raise exposed
    return found


def _parsed(data: bytes) -> tuple[tuple[SecretKey, ...], tuple[dict[str, Any], ...]]:
    """Returns the keys of a keyset or a Rijn key file, and the JSON of the unused keys.

    Python's errors about a text contain the text. So they are dropped before another error is
    raised, which would keep them as its context.
    """
    if len(data) > MAX_TEXT:
        raise KeysetError(f"it is longer than {MAX_TEXT:,} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = None
    if text is None:
        raise KeysetError("it is not UTF-8")
    if not text.lstrip().startswith("{"):
        return (SecretKey(0, None, True, parse_key(text)),), ()
    try:
        found = None if _is_deep(text) else _JSON.decode(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise KeysetError("it is not JSON")
    entries, primary = found.get("key"), found.get("primaryKeyId")
    if type(primary) is not int:
        primary = None  # 7.0 is not an id, although it equals 7
    if not isinstance(entries, list) or not all(isinstance(it, dict) for it in entries):
        raise KeysetError("it has no list 'key' of keys")
    keys, asleep = [], []
    for entry in entries:
        id = entry.get("keyId")
        if type(id) is not int or not 0 < id < 2**32:
            raise KeysetError("a key of it has no 'keyId' from 1 to 2^32 - 1")
        status = entry.get("status")
        if status not in ("ENABLED", "DISABLED", "DESTROYED"):
            raise KeysetError(f"key {id} has no 'status' that is known")
        if status == "ENABLED":
            keys.append(_key(id, entry))
        elif id == primary:
            raise KeysetError(f"its primary key {id} is {status.lower()}")
        else:
            asleep.append(entry)
    first = [key for key in keys if key.id == primary]
    if len(first) != 1:
        raise KeysetError(f"{len(first)} of its keys are the primary one")
    return (*first, *(key for key in keys if key.id != primary)), tuple(asleep)


# Strings, closed or not, so that no part of one is read twice; and brackets.
_MARKS = re.compile(r'"(?:[^"\\]|\\.?)*"?|[][{}]', re.DOTALL)


def _is_deep(text: str) -> bool:
    depth = 0
    for mark in _MARKS.findall(text):
        depth += (mark in "{[") - (mark in "}]")
        if depth > _MAX_DEPTH:
            return True
    return False


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns the members of an object in JSON. A name that is repeated has no value."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = None if name in found else value
    return found


def _number(text: str) -> int | float:
    if sum(map(str.isdigit, text)) > _MAX_DIGITS:
        raise ValueError
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _constant(name: str) -> Any:
    raise ValueError  # NaN and Infinity are not JSON


_JSON = json.JSONDecoder(
    object_pairs_hook=_members, parse_int=_number, parse_float=_number, parse_constant=_constant
)


def _key(id: int, entry: dict[str, Any]) -> SecretKey:
    prefix, material = entry.get("outputPrefixType"), entry.get("keyData")
    if prefix not in ("TINK", "RAW"):
        raise KeysetError(f"key {id} has neither of the output prefixes TINK and RAW")
    if not isinstance(material, dict) or material.get("keyMaterialType") != _MATERIAL:
        raise KeysetError(f"key {id} has no 'keyData' that is symmetric")
    url, value = material.get("typeUrl"), material.get("value")
    algorithm = next((it for it in ALGORITHMS if it.type_url == url), None)
    if algorithm is None or not isinstance(value, str):
        types = ", ".join(it.type_url.rpartition(".")[2] for it in ALGORITHMS)
        raise KeysetError(f"key {id} is of none of the types {types}")
    try:
        fields = _fields_of(value)
    except (ValueError, IndexError):
        fields = {}
    secret = fields.get(algorithm.key_field)
    if not isinstance(secret, bytes) or fields.get(1, 0) != 0:
        raise KeysetError(f"key {id} is no {algorithm.name} key of version 0")
    if len(secret) not in algorithm.cls.key_sizes:
        sizes = _check.listed(algorithm.cls.key_sizes)
        raise KeysetError(f"key {id} must be {sizes} bytes, not {len(secret)}")
    if algorithm is XAES and fields.get(2) != algorithm.params[2:]:
        raise KeysetError(f"key {id} is for nonces of another size than 24 bytes")
    return SecretKey(id, algorithm, prefix == "RAW", secret)


def _drawn(format: Format, taken: set[Any]) -> SecretKey:
    """Generates a key whose id is not in `taken`."""
    algorithm = format.algorithms[0]
    id = 0
    while id in taken or not id:
        id = int.from_bytes(os.urandom(4), "big")
    return SecretKey(id, algorithm, not format.prefixed, os.urandom(algorithm.drawn))


# ---- Protocol buffers: fields with a number and an integer, or a number, a size and bytes ----


def _fields_of(value: str) -> dict[int, int | bytes]:
    """Returns the fields of a key in Base64. Raises ValueError or IndexError if it is not valid."""
    data = base64.b64decode(value, validate=True)
    fields = list(_fields(data))
    known = [number for number, _ in fields if number < 4]
    whole = base64.b64encode(data).decode() == value  # no bits beyond the last byte
    if len(value) > _MAX_VALUE or len(known) != len(set(known)) or not whole:
        raise ValueError
    return dict(fields)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yields the number and the value of each field. Raises ValueError or IndexError if data is not
    valid.
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        value, at = _varint(data, at)
        if tag & 7 == 0:
            yield tag >> 3, value
        elif tag & 7 == 2 and at + value <= len(data):
            yield tag >> 3, data[at : at + value]
            at += value
        else:
            raise ValueError


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Returns the integer that begins at this byte, of at most nine bytes, and the position after
    it.
    """
    value = shift = 0
    while data[at] & 0x80:
        if shift == 56:
            raise ValueError
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def _field(number: int, data: bytes) -> bytes:
    """Returns a field of less than 128 bytes."""
    return bytes([number << 3 | 2, len(data)]) + data
