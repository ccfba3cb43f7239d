"""rijn.columns.Column: a column that is encrypted row by row."""

from __future__ import annotations

from array import array as numbers
from collections.abc import Sequence
from os import urandom
from typing import Any, Literal

from .. import _check
from .._traceback import clean_traceback
from .._uncopyable import Uncopyable
from ..errors import InvalidTag
from ..registry import Backend
from . import arrow, formats
from .arrow import Chunk, ChunkedArray, Mask, Rows, Source
from .keysets import Keyset, SecretKey, keys_for
from .rows import marked, merged, padded, prefixed, present, taken, unpadded, unprefixed

Errors = Literal["raise", "null"]
Type = Literal["binary", "large_binary", "string", "large_string"]

_FAILED = 255  # instead of a key's number
_ID_SIZE = 5  # bytes, 01 || key id: Tink's
_OLD = bytes([0] + [1] * 254 + [0])  # by key number: 0 keeps a row, 1 seals it again


class KeyAtWork:
    """A key with its AEAD, and the prefix of its rows."""

    __slots__ = ("aead", "deterministic", "mark", "prefix")

    def __init__(
        self, key: SecretKey, format: formats.Format, backend: str | Backend | None
    ) -> None:
        algorithm = key.algorithm or format.algorithms[0]
        self.aead: Any = algorithm.cls(key.secret, backend=backend)
        self.deterministic = algorithm.deterministic
        self.prefix = b""
        if format.prefixed and not key.raw:
            self.prefix = b"\1" + key.id.to_bytes(4, "big")
        self.mark: int | None = None  # the number of the prefix, if it has one

    def seal(self, rows: Rows, ad: Any, threads: int) -> Rows:
        given: dict[str, Any] = {}
        if isinstance(self.aead, formats.XAES.cls):
            # The first 12 bytes of the nonces are the same, so all rows share a derived key. The
            # next 4 are random too: two calls that draw the same 12 still count from other places.
            given = {"first_nonce": urandom(16) + bytes(8), "prepend_nonce": True}
        data, offsets = self.aead.encrypt_many(rows, associated_data=ad, threads=threads, **given)
        return prefixed(self.prefix, data, offsets, False) if self.prefix else (data, offsets)

    def open(self, rows: Rows, ad: Any, threads: int) -> tuple[Rows, list[int]]:
        """Returns the rows that open, in order, and the numbers of the rows that do not."""
        if self.mark is not None:
            rows = unprefixed(*rows, _ID_SIZE)
        failed: list[int] = []
        data, offsets = self.aead.decrypt_many(
            rows, associated_data=ad, failed=failed, threads=threads
        )
        if failed:
            data, offsets = present(data, offsets, arrow.without(failed, len(offsets) - 1), 0)
        return (data, offsets), failed


class Column(Uncopyable):
    """A column of a table, encrypted row by row. Each row is bound to the name of its column.

    A row is sealed with the associated data BE64(len(context)) || context || BE64(len(aad)) || aad,
    where aad is the argument of the call, or empty.

    An object never changes, so threads may share it, and a forked process may use it. It is pickled
    as its keyset is: by reference, or not at all (TypeError).

    :param keyset: a Keyset. Its primary key seals, and all of its keys open.
    :param format: "xaes", "gcm-siv", "aegis-256", "aegis-128l", "siv", "spark" or "tink".
        docs/columns.md says when to use which, and how many rows a key may have.
    :param context: the column's name, bytes or str (as UTF-8). A row does not open under another
        context. "spark" and "tink" also allow None: then associated data are not framed, as the
        other side expects.
    :param pad: hides lengths: rows are padded to a multiple of this many bytes (ISO/IEC 7816-4, at
        least one byte), 1 to 2^31 - 1. Decryption needs `pad` too. Not with "spark" and "tink".
    :param threads: 1 to 1024 threads share a chunk.
    :param backend: as for rijn.AESGCM.
    :raises ValueError: if an argument does not fit the format.
    :raises KeysetError: if a key does not fit the format.
    :raises TypeError: if an argument has another type.
    """

    __slots__ = ("_context", "_format", "_given", "_keys", "_keyset", "_pad", "_threads")

    @clean_traceback  # `keyset` may be its text
    def __init__(
        self,
        keyset: Keyset,
        format: str = "xaes",
        *,
        context: bytes | str | None = None,
        pad: int | None = None,
        threads: int = 1,
        backend: str | Backend | None = None,
    ) -> None:
        if not isinstance(keyset, Keyset):
            raise TypeError(f"keyset must be a Keyset, not {type(keyset).__name__}")
        self._format = formats.named(format)
        if isinstance(context, str):
            context = context.encode()
        if context is not None:
            context = bytes(_check.readable("context", context))
        elif self._format.framed:
            raise ValueError(f"format {format} needs a context: the column's name")
        if pad is not None:
            if not self._format.framed:
                raise ValueError(f"format {format} has no padding: its other side knows none")
            pad = _check.integer("pad", pad)
            if not 0 < pad < 2**31:
                raise ValueError(f"pad must be 1 to 2^31 - 1, not {pad}")
        _check.threads(threads)
        self._keyset, self._context, self._pad, self._threads = keyset, context, pad, threads
        self._given = {"context": context, "pad": pad, "threads": threads, "backend": backend}
        self._keys = [KeyAtWork(it, self._format, backend) for it in keys_for(keyset, self._format)]
        for mark, key in enumerate(it for it in self._keys if it.prefix):
            key.mark = mark

    def seal(self, array: Any, aad: Any = None) -> ChunkedArray:
        """Encrypts every row of an Arrow array, or of a stream of arrays.

        :param array: an object with __arrow_c_array__ or __arrow_c_stream__, such as an array,
            chunked array or series. Its type is binary, string or fixed-size binary, a large form
            or a view of them, or a dictionary of one.
        :param aad: associated data: bytes for all rows, or such an array with one value for each
            row.
        :returns: an Array, or a ChunkedArray for a stream. Its type is binary, or large_binary if
            `array` has a large type or a view. It has as many rows, null where `array` is null. A
            dictionary stays a dictionary with sealed values if the format is deterministic and
            `aad` is not an array.
        :raises TypeError: if `array` has another type.
        :raises ValueError: if `aad` is null beside a value or has another number of rows; if an
            index lies outside its dictionary; if the results exceed 2^31 - 1 bytes in a type that
            is not large.
        :raises ImportError: if nanoarrow is missing.
        """
        source, ads = self._read(array, aad)
        dictionary = self._keys[0].deterministic and source.encoded and ads.shared is not None
        schema = arrow.schema_of(source.sealed, source, dictionary)
        arrays, begin = [], 0
        for chunk in source.chunks:
            values = chunk.values(dictionary)
            rows = self._seal(values.rows(), ads.for_rows(values, begin))
            arrays.append(arrow.built(schema, chunk, values, rows, values.mask))
            begin += chunk.count
        return arrow.result(source, arrays, schema)

    @clean_traceback
    def open(
        self, array: Any, aad: Any = None, *, type: Type | None = None, errors: Errors = "raise"
    ) -> ChunkedArray:
        """Decrypts every row: the inverse of `seal`.

        :param array: as for `seal`. The values of a dictionary are opened if `aad` is not an
            array.
        :param aad: as for `seal`.
        :param type: the type of the result: "binary", "large_binary", "string" or "large_string".
            None selects binary or large_binary, as `seal`. For strings, every row is checked to be
            UTF-8.
        :param errors: "raise" returns nothing if any row does not open. "null" makes such a row
            null, and also a row that has a value and no associated data. The result's attribute
            `failed` has the numbers of these rows.
        :returns: an Array, or a ChunkedArray for a stream, null where `array` is null.
        :raises InvalidTag: if rows do not authenticate (with `pad`, or have no valid padding). Its
            attribute `failed` has the numbers of all of them.
        :raises ValueError: if a string is not UTF-8; also as `seal`.
        :raises TypeError, ImportError: as `seal`.
        """
        if _check.text("errors", errors) not in ("raise", "null"):
            raise ValueError(f"errors must be 'raise' or 'null', not {errors!r}")
        source, ads = self._read(array, aad)
        if type is not None and _check.text("type", type) not in arrow.TYPES:
            raise ValueError(f"type must be one of {', '.join(arrow.TYPES)}, not {type!r}")
        kind = source.sealed if type is None else arrow.TYPES[type]
        dictionary = source.encoded and ads.shared is not None
        schema = arrow.schema_of(kind, source, dictionary)
        arrays: list[Any] = []
        failed: list[int] = []
        not_text: list[int] = []
        begin = 0
        for chunk in source.chunks:
            values = chunk.values(dictionary)
            unbound = ads.missing(values, begin) if errors == "null" else []
            opened = _Opened(*self._open(values.rows(), ads.for_rows(values, begin, unbound)))
            if self._pad is not None:
                opened.unpad()
            opened.refuse(unbound)
            if kind in "uU":
                opened.check_text()
            rows, mask = opened.column(values)
            arrays.append(arrow.built(schema, chunk, values, rows, mask))
            failed += [begin + row for row in chunk.numbers(values, opened.failed)]
            not_text += [begin + row for row in chunk.numbers(values, opened.not_text)]
            begin += chunk.count
        if errors == "raise":
            _refuse(failed, source.count)
            if not_text:
                raise ValueError(f"not UTF-8: {_counted(not_text, source.count)}")
        return arrow.result(source, arrays, schema, tuple(sorted(failed + not_text)))

    @clean_traceback
    def rotate(self, array: Any, aad: Any = None) -> ChunkedArray:
        """Seals rows of older keys again, under the primary key.

        Rows of the primary key stay as they are, byte for byte. All rows are opened to find their
        keys.

        :param array: as for `open`.
        :param aad: as for `seal`.
        :returns: as `seal`. The result's attribute `rotated` is the number of rows that were sealed
            again, or the number of values of a dictionary.
        :raises InvalidTag: if rows do not authenticate. Nothing is returned then.
        :raises TypeError, ValueError, ImportError: as `open`.
        """
        source, ads = self._read(array, aad)
        dictionary = source.encoded and ads.shared is not None
        schema = arrow.schema_of(source.sealed, source, dictionary)
        arrays: list[Any] = []
        failed: list[int] = []
        rotated = begin = 0
        for chunk in source.chunks:
            values = chunk.values(dictionary)
            rows, ad = values.rows(), ads.for_rows(values, begin)
            opened, which, places = self._open(rows, ad)
            old = [place for place, number in enumerate(which) if 0 < number < _FAILED]
            if old:
                again = self._seal_at(old, opened, ad)
                kept = present(*rows, arrow.without(old, len(which)), 0)
                rows = merged(which.translate(_OLD), [kept, again])
                rotated += len(old)
            arrays.append(arrow.built(schema, chunk, values, rows, values.mask))
            failed += [begin + row for row in chunk.numbers(values, places)]
            begin += chunk.count
        _refuse(failed, source.count)
        return arrow.result(source, arrays, schema, rotated=rotated)

    @property
    def deterministic(self) -> bool:
        """True if equal rows with equal associated data have equal results: with the format "siv",
        and with "tink" if the primary key is for AES-SIV.
        """
        return self._keys[0].deterministic

    def __repr__(self) -> str:
        """Returns the format, the context and the keyset, and nothing about a key."""
        if not hasattr(self, "_keyset"):  # __init__ did not end, as a debugger may show
            return "<rijn.columns.Column, not initialized>"
        return (
            f"<rijn.columns.Column of {self._format.name}, context {self._context!r}, "
            f"{self._keyset!r}>"
        )

    def __reduce__(self) -> Any:
        """Pickles as its keyset does. Raises TypeError if that cannot be pickled."""
        self._keyset.__reduce__()
        return _column, (self._keyset, self._format.name, self._given)

    # ---- Rows without nulls; `ad` is one value for all rows, or a column -------------------

    def _seal(self, rows: Rows, ad: Any) -> Rows:
        """Seals rows under the primary key."""
        if self._pad is not None:
            rows = padded(*rows, self._pad)
        return self._keys[0].seal(rows, ad, self._threads)

    def _seal_at(self, places: list[int], opened: Rows, ad: Any) -> Rows:
        """Seals the rows with these numbers again, with the padding that they have."""
        return self._keys[0].seal(_at(places, opened), _ad_at(places, ad), self._threads)

    def _open(self, rows: Rows, ad: Any) -> tuple[Rows, bytes, list[int]]:
        """Opens rows.

        Returns the opened rows (empty if a row failed), each row's key number or _FAILED, and the
        numbers of the rows that failed.
        """
        count = max(len(rows[1]) - 1, 0)
        which = bytearray([_FAILED]) * count
        parts: list[Rows] = []
        opened_by: list[int] = []
        pending: Any = range(count)
        prefixes = [it.prefix for it in self._keys if it.prefix]
        marks = marked(*rows, prefixes) if prefixes else b""
        for number, key in enumerate(self._keys):
            tried = pending
            if key.mark is not None and marks.count(key.mark) != count:
                tried = [place for place in pending if marks[place] == key.mark]
            if not len(tried):
                continue
            if len(tried) == count:
                part, lost = key.open(rows, ad, self._threads)
                if not lost:
                    return part, bytes([number]) * count, []
            else:
                part, lost = key.open(_at(tried, rows), _ad_at(tried, ad), self._threads)
            failed = {tried[place] for place in lost}
            for place in tried:
                if place not in failed:
                    which[place] = number
            parts.append(part)
            opened_by.append(number)
            pending = [place for place in pending if which[place] == _FAILED]
        pending = list(pending)
        parts.append((b"", numbers("q", bytes(8 * (len(pending) + 1)))))
        order = bytearray([len(opened_by)]) * 256
        for place, number in enumerate(opened_by):
            order[number] = place
        return merged(which.translate(order), parts), bytes(which), pending

    def _read(self, array: Any, aad: Any) -> tuple[Source, _Associated]:
        source = Source(array)
        return source, _Associated(self._context, aad, source.count)


def _column(keyset: Keyset, format: str, given: dict[str, Any]) -> Column:
    """Unpickles a Column."""
    return Column(keyset, format, **given)


class _Associated:
    """The associated data of each row."""

    __slots__ = ("_context", "_source", "shared")

    def __init__(self, context: bytes | None, aad: Any, count: int) -> None:
        self._context = context
        self._source: Source | None = None
        self.shared: bytes | None = None
        """The associated data of all rows, if they have the same."""
        if hasattr(aad, "__arrow_c_array__") or hasattr(aad, "__arrow_c_stream__"):
            self._source = Source(aad, "aad")
            if self._source.count != count:
                raise ValueError(f"aad has {self._source.count:,} rows, the array {count:,}")
            return
        self.shared = b"" if aad is None else bytes(_check.readable("aad", aad))
        if context is not None:
            self.shared = b"".join((_framed(context), _framed(self.shared)))

    def missing(self, chunk: Chunk, begin: int) -> list[int]:
        """Returns the chunk's rows that have a value and no associated data, numbered among the
        rows that are not null.
        """
        if self._source is None:
            return []
        values = arrow.bits(chunk.mask, chunk.count)
        lost = values & ~self._source.between(begin, begin + chunk.count)[1]
        if not lost:
            return []
        value, aad = (f"{bits:0{chunk.count}b}"[::-1] for bits in (values, values ^ lost))
        beside = (a for v, a in zip(value, aad, strict=True) if v == "1")
        return [place for place, a in enumerate(beside) if a == "0"]

    def for_rows(self, chunk: Chunk, begin: int, missing: Sequence[int] = ()) -> Any:
        """Returns the associated data of the chunk's rows that are not null.

        The chunk's first row is row `begin`. `missing` are rows known to have none, as `missing`
        numbers them: their results here have no meaning.
        """
        if self._source is None:
            return self.shared
        rows, there = self._source.between(begin, begin + chunk.count)
        lost = arrow.bits(chunk.mask, chunk.count) & ~there
        if lost and not missing:
            first = begin + (lost & -lost).bit_length() - 1
            raise ValueError(
                f"aad is null beside a value in {lost.bit_count():,} rows, the first is row {first}"
            )
        if chunk.mask is not None:
            rows = present(*rows, *chunk.mask)
        return rows if self._context is None else prefixed(_framed(self._context), *rows, True)


class _Opened:
    """Opened rows, without the null ones, and which of them failed."""

    __slots__ = ("_rows", "failed", "not_text")

    def __init__(self, rows: Rows, which: bytes, failed: list[int]) -> None:
        self._rows = rows
        self.failed = failed
        self.not_text: list[int] = []

    def unpad(self) -> None:
        """Removes the padding. Rows that failed have no bytes, so they have no padding either."""
        data, offsets, self.failed = unpadded(*self._rows)
        self._rows = data, offsets

    def refuse(self, places: list[int]) -> None:
        """Marks rows as failed, whether or not they opened."""
        if places:
            self.failed = sorted({*self.failed, *places})

    def check_text(self) -> None:
        data, offsets = self._rows
        found = arrow.not_text((bytes(data), offsets))
        self.not_text = sorted(set(found).difference(self.failed))

    def column(self, chunk: Chunk) -> tuple[Rows, Mask | None]:
        """Returns the good rows, and the mask that says which of the chunk's rows they are."""
        wrong = self.failed + self.not_text
        if not wrong:
            return self._rows, chunk.mask
        data, offsets = self._rows
        rows = present(data, offsets, arrow.without(wrong, len(offsets) - 1), 0)
        there = bytearray(arrow.bitmap_of(arrow.bits(chunk.mask, chunk.count), chunk.count))
        for row in chunk.standing(wrong):
            there[row >> 3] &= ~(1 << (row & 7))
        return rows, (there, 0)


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "big") + data


def _at(places: Any, rows: Rows) -> Rows:
    return taken(*rows, numbers("q", places), None, 0)


def _ad_at(places: Any, ad: Any) -> Any:
    return _at(places, ad) if isinstance(ad, tuple) else ad


def _counted(rows: list[int], count: int) -> str:
    return f"{len(rows):,} of {count:,} rows, the first is row {rows[0]}"


def _refuse(failed: list[int], count: int) -> None:
    if failed:
        raise InvalidTag(f"authentication failed: {_counted(failed, count)}", failed=tuple(failed))
