"""A column sealed row by row: rijn.columns.Column."""

from __future__ import annotations

from array import array as numbers
from collections.abc import Sequence
from os import urandom
from typing import Any, Literal

from .. import _check
from .._traceback import clean_traceback
from .._uncopyable import Own
from ..errors import InvalidTag
from ..registry import Backend
from . import arrow, formats
from .arrow import Chunk, ChunkedArray, Mask, Rows, Source
from .keysets import Keyset, SecretKey, keys_for
from .rows import behind, marked, merged, padded, prefixed, present, taken, unpadded

Errors = Literal["raise", "null"]
Type = Literal["binary", "large_binary", "string", "large_string"]

_FAILED = 255  # in the place of a key's number
_ID_SIZE = 5  # bytes, 01 || key id: Tink's
_OLD = bytes([0] + [1] * 254 + [0])  # what is left as it is, and what is sealed again


class KeyAtWork:
    """A key at work: its AEAD, and what rows under it begin with."""

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
        self.mark: int | None = None  # the prefix's number, where there is one

    def seal(self, rows: Rows, ad: Any, threads: int) -> Rows:
        given: dict[str, Any] = {}
        if isinstance(self.aead, formats.XAES.cls):
            # One derived key for all: the first 12 bytes of the nonces. Of the others 4 are
            # random too, so that calls which draw the same 12 do not count from the same place.
            given = {"first_nonce": urandom(16) + bytes(8), "prepend_nonce": True}
        data, offsets = self.aead.encrypt_many(rows, associated_data=ad, threads=threads, **given)
        return prefixed(self.prefix, data, offsets, False) if self.prefix else (data, offsets)

    def open(self, rows: Rows, ad: Any, threads: int) -> tuple[Rows, list[int]]:
        """The rows that open, in order, and the places of those that do not."""
        if self.mark is not None:
            rows = behind(*rows, _ID_SIZE)
        failed: list[int] = []
        data, offsets = self.aead.decrypt_many(
            rows, associated_data=ad, failed=failed, threads=threads
        )
        if failed:
            data, offsets = present(data, offsets, arrow.without(failed, len(offsets) - 1), 0)
        return (data, offsets), failed


class Column(Own):
    """A column of a table that is sealed row by row, each row by itself and under the name of its
    column.

    Column(keyset, format="xaes", *, context=None, pad=None, threads=1, backend=None)

    keyset   a Keyset: its primary key seals, and all of its keys open.
    format   "xaes", "gcm-siv", "aegis-256", "aegis-128l", "siv", "spark" or "tink": docs/columns.md
             says which for what, and how many rows a key may have.
    context  the column's name, bytes or str (as UTF-8): no row opens in a column of another. Of
             "spark" and "tink" it may be None: then associated data are framed by nobody, as
             the other side expects.
    pad      hides lengths in steps of so many bytes, 1 to 2^31 - 1: rows are padded (ISO/IEC
             7816-4, at least one byte) before they are sealed. Whoever opens them must say
             that they are, too. Not with "spark" and "tink".
    threads  how many work at once on a chunk, 1 to 1024.
    backend  as for rijn.AESGCM.

    A row is sealed with the associated data BE64(len(context)) || context || BE64(len(aad)) || aad,
    where aad is what the call gives for it, or nothing.

    An object never changes, so threads may share it, and a forked process may go on. It is pickled
    as its keyset is, by reference, or not at all (TypeError).
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
        """Seals every row of an Arrow array, or of a stream of them.

        array  what has __arrow_c_array__ or __arrow_c_stream__: arrays, chunked arrays and series
               of any package; of a binary, string or fixed-size binary type, of their large forms
               and their views, or a dictionary of one.
        aad    associated data: bytes for all rows, or an array of such a type with one for each.

        Returns an Array, or of a stream a ChunkedArray, of the type binary, or large_binary where
        array is of a large type or a view: as many rows, null where array is. A dictionary whose
        rows are sealed deterministically, under no associated data of their own, stays a
        dictionary, and its values are sealed.

        Raises TypeError for another type, ValueError where aad is null beside a value or has
        another number of rows, for an index that lies outside of its dictionary, and for results
        of more than 2^31 - 1 bytes in a type that is not large, ImportError without nanoarrow.
        """
        source, ads = self._read(array, aad)
        dictionary = self._keys[0].deterministic and source.encoded and ads.shared is not None
        schema = arrow.schema_of(source.sealed, source, dictionary)
        arrays, begin = [], 0
        for chunk in source.chunks:
            values = chunk.values(dictionary)
            rows = self._seal(values.rows(), ads.of(values, begin))
            arrays.append(arrow.built(schema, chunk, values, rows, values.mask))
            begin += chunk.count
        return arrow.result(source, arrays, schema)

    @clean_traceback
    def open(
        self, array: Any, aad: Any = None, *, type: Type | None = None, errors: Errors = "raise"
    ) -> ChunkedArray:
        """Inverse of seal.

        array   as for seal; a dictionary's values are opened, where aad is not one for each row.
        aad     as for seal.
        type    of what is returned, "binary", "large_binary", "string" or "large_string"; None:
                binary or large_binary, as seal. Of a string every row is looked at: whether it
                is UTF-8.
        errors  "raise": nothing is handed out where any row does not open. "null": such a row
                becomes null, and the result's attribute `failed` has the numbers of all of them;
                so does one that has a value and no associated data.

        Returns an Array, or of a stream a ChunkedArray, null where array is. Raises InvalidTag where
        rows are not genuine, whose attribute `failed` are the numbers of all that are not (their
        padding included, with pad); ValueError for a string that is not UTF-8; and as seal.
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
            opened = _Opened(*self._open(values.rows(), ads.of(values, begin, unbound)))
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
                raise ValueError(f"not UTF-8: {_told(not_text, source.count)}")
        return arrow.result(source, arrays, schema, tuple(sorted(failed + not_text)))

    @clean_traceback
    def rotate(self, array: Any, aad: Any = None) -> ChunkedArray:
        """Seals again what is sealed under an older key, under the primary one; what is under that
        stays as it is, byte for byte. All rows are opened to tell.

        Returns what seal returns; its attribute `rotated` says how many rows were sealed again (of
        a dictionary, how many of its values). Raises as open, and then nothing is handed out.
        """
        source, ads = self._read(array, aad)
        dictionary = source.encoded and ads.shared is not None
        schema = arrow.schema_of(source.sealed, source, dictionary)
        arrays: list[Any] = []
        failed: list[int] = []
        rotated = begin = 0
        for chunk in source.chunks:
            values = chunk.values(dictionary)
            rows, ad = values.rows(), ads.of(values, begin)
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
        """Whether equal rows, of equal associated data, are equal when sealed: of the format "siv",
        and of "tink" where the primary key is for AES-SIV."""
        return self._keys[0].deterministic

    def __repr__(self) -> str:
        """Names the format, the context and the keyset, and nothing of a key."""
        if not hasattr(self, "_keyset"):  # __init__ did not end, as a debugger may show
            return "<rijn.columns.Column, not initialized>"
        return (
            f"<rijn.columns.Column of {self._format.name}, context {self._context!r}, "
            f"{self._keyset!r}>"
        )

    def __reduce__(self) -> Any:
        """As its keyset is, which raises TypeError where it is not."""
        self._keyset.__reduce__()
        return _column, (self._keyset, self._format.name, self._given)

    # ---- Rows, without nulls; `ad` is one for all or a column -----------------------------

    def _seal(self, rows: Rows, ad: Any) -> Rows:
        """Under the primary key."""
        if self._pad is not None:
            rows = padded(*rows, self._pad)
        return self._keys[0].seal(rows, ad, self._threads)

    def _seal_at(self, places: list[int], opened: Rows, ad: Any) -> Rows:
        """Those at these places again, padded as they are."""
        return self._keys[0].seal(_at(places, opened), _own(places, ad), self._threads)

    def _open(self, rows: Rows, ad: Any) -> tuple[Rows, bytes, list[int]]:
        """The rows opened, of no bytes where they do not; for each the number of its key, or
        _FAILED; and the places of those."""
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
                part, lost = key.open(_at(tried, rows), _own(tried, ad), self._threads)
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
    """A pickled one."""
    return Column(keyset, format, **given)


class _Associated:
    """The associated data of each row."""

    __slots__ = ("_context", "_source", "shared")

    def __init__(self, context: bytes | None, aad: Any, count: int) -> None:
        self._context = context
        self._source: Source | None = None
        self.shared: bytes | None = None
        """Those of all rows, if they have the same."""
        if hasattr(aad, "__arrow_c_array__") or hasattr(aad, "__arrow_c_stream__"):
            self._source = Source(aad, "aad")
            if self._source.count != count:
                raise ValueError(f"aad has {self._source.count:,} rows, the array {count:,}")
            return
        self.shared = b"" if aad is None else bytes(_check.readable("aad", aad))
        if context is not None:
            self.shared = b"".join((_framed(context), _framed(self.shared)))

    def missing(self, chunk: Chunk, begin: int) -> list[int]:
        """Which of the chunk's rows that are not null have none, as their places among those."""
        if self._source is None:
            return []
        values = arrow.bits(chunk.mask, chunk.count)
        lost = values & ~self._source.between(begin, begin + chunk.count)[1]
        if not lost:
            return []
        value, aad = (f"{bits:0{chunk.count}b}"[::-1] for bits in (values, values ^ lost))
        beside = (a for v, a in zip(value, aad, strict=True) if v == "1")
        return [place for place, a in enumerate(beside) if a == "0"]

    def of(self, chunk: Chunk, begin: int, missing: Sequence[int] = ()) -> Any:
        """Of the chunk's rows that are not null; its first row is row `begin`. `missing` are the
        places of those that are known to have none: what is given of these is nobody's."""
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
    """Rows that were opened, in the places of those that are not null, and what is wrong with
    them."""

    __slots__ = ("_rows", "failed", "not_text")

    def __init__(self, rows: Rows, which: bytes, failed: list[int]) -> None:
        self._rows = rows
        self.failed = failed
        self.not_text: list[int] = []

    def unpad(self) -> None:
        """Those that failed have no bytes, and so no padding."""
        data, offsets, self.failed = unpadded(*self._rows)
        self._rows = data, offsets

    def refuse(self, places: list[int]) -> None:
        """Whatever became of them."""
        if places:
            self.failed = sorted({*self.failed, *places})

    def check_text(self) -> None:
        data, offsets = self._rows
        found = arrow.not_text((bytes(data), offsets))
        self.not_text = sorted(set(found).difference(self.failed))

    def column(self, chunk: Chunk) -> tuple[Rows, Mask | None]:
        """The rows that are right, and which of the chunk's rows they are."""
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


def _own(places: Any, ad: Any) -> Any:
    return _at(places, ad) if isinstance(ad, tuple) else ad


def _told(rows: list[int], count: int) -> str:
    return f"{len(rows):,} of {count:,} rows, the first is row {rows[0]}"


def _refuse(failed: list[int], count: int) -> None:
    if failed:
        raise InvalidTag(f"authentication failed: {_told(failed, count)}", failed=tuple(failed))
