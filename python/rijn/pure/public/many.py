"""The methods of rijn.many on the Python backends: one message after another."""

from __future__ import annotations

import os
from array import array
from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, cast

from ... import _check, many
from ...errors import InvalidTag

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from typing_extensions import Buffer

    from ...many import Messages, Results
    from ..blocks import Bytes

NONCE_MOST = 32
OFFSETS_MOST = 2**31 - 1
WANTED = "a list of buffers, or a column: a tuple of data and offsets"


class Table:
    """The messages of an argument, and the size of its offsets: 0 for a list."""

    __slots__ = ("items", "width")

    def __init__(self, name: str, value: object, wanted: str = WANTED) -> None:
        if isinstance(value, tuple):
            self.items, self.width = column(name, value)
        elif _check.is_buffer(value):
            raise wrong_type(name, wanted, value)
        else:
            self.items, self.width = listed(name, wanted, value), 0

    def results(self, made: list[bytes]) -> Results:
        """Returns the results in the same layout."""
        if not self.width:
            return made
        code: Literal["i", "q"] = "i" if self.width == 4 else "q"
        offsets = array(code, accumulate(map(len, made), initial=0))
        return b"".join(made), memoryview(offsets.tobytes()).cast(code)


def wrong_type(name: str, wanted: str, value: object) -> TypeError:
    return TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def listed(name: str, wanted: str, value: object) -> list[Bytes]:
    """Returns the buffers of a sequence, in CPython's sense, which is not a text or a mapping."""
    if isinstance(value, (str, Mapping)) or not hasattr(type(value), "__getitem__"):
        raise wrong_type(name, wanted, value)
    items = enumerate(cast("Sequence[Buffer]", value))
    return [_check.readable(f"{name}[{i}]", item) for i, item in items]


def column(name: str, pair: tuple[Buffer, ...]) -> tuple[list[Bytes], int]:
    if len(pair) != 2:
        raise TypeError(
            f"{name} must be a tuple of data and offsets, or a list of buffers, "
            f"not a tuple of {len(pair)}"
        )
    return _check.column(name, *pair)


# The methods for many messages, using those for one.
class Many(many.Many):
    __slots__ = ()

    def _seal_one(self, nonce: bytes, data: Bytes, ad: Bytes | None) -> bytes:
        """Seals one message, whose arguments are checked."""
        raise NotImplementedError

    def _open_one(self, nonce: bytes, data: Bytes, ad: Bytes | None) -> bytes:
        """Opens one message. Raises InvalidTag."""
        raise NotImplementedError

    def _check_one(self, nonce: Bytes, size: int, name: str) -> None:
        """Raises ValueError for more data than the mode allows, and calls the data `name`."""
        raise NotImplementedError

    def _sizes(self) -> tuple[range, int, int]:
        """Returns the sizes of a nonce, of a drawn nonce, and of a tag, in bytes."""
        raise NotImplementedError

    def _short_nonces(self) -> range:
        """Returns the nonce sizes that need short_nonces=True, if it was not given."""
        return range(0)

    def encrypt_many(
        self,
        data: Messages,
        *,
        nonces: Buffer | Sequence[Buffer] | None = None,
        first_nonce: Buffer | None = None,
        associated_data: Buffer | Messages | None = None,
        prepend_nonce: bool = False,
        threads: int = 1,
    ) -> Results:
        table = Table("data", data)
        count = len(table.items)
        given = self._nonces(nonces, first_nonce, count)
        ads = associated(associated_data, count)
        front = _check.flag("prepend_nonce", prepend_nonce) or given is None
        if prepend_nonce and nonces is None and first_nonce is None and not self._sizes()[1]:
            raise ValueError("prepend_nonce needs nonces or first_nonce here")
        _check.threads(threads)
        if given is None:
            size = self._sizes()[1]
            given = [os.urandom(size) for _ in range(count)]
        for i, (nonce, item) in enumerate(zip(given, table.items, strict=True)):
            self._check_one(nonce, len(item), f"data[{i}]")
        longer = len(given[0]) * front + self._sizes()[2] if given else 0
        if table.width == 4 and sum(map(len, table.items)) + longer * count > OFFSETS_MOST:
            raise ValueError("the results exceed 2^31 - 1 bytes: use offsets of 64 bits")
        return table.results(
            [
                (nonce if front else b"") + self._seal_one(nonce, item, ad)
                for nonce, item, ad in zip(given, table.items, ads, strict=True)
            ]
        )

    def decrypt_many(
        self,
        data: Messages,
        *,
        nonces: Buffer | Sequence[Buffer] | None = None,
        first_nonce: Buffer | None = None,
        associated_data: Buffer | Messages | None = None,
        failed: list[int] | None = None,
        threads: int = 1,
    ) -> Results:
        table = Table("data", data)
        given = self._nonces(nonces, first_nonce, len(table.items))
        ads = associated(associated_data, len(table.items))
        if failed is not None and not isinstance(failed, list):
            raise TypeError(f"failed must be a list, not {type(failed).__name__}")
        _check.threads(threads)
        _, drawn, tag = self._sizes()
        front = drawn if given is None else 0
        made, bad = [], []
        for number, (item, ad) in enumerate(zip(table.items, ads, strict=True)):
            nonce = bytes(item[:front]) if given is None else given[number]
            size = len(item) - front - tag
            if size >= 0:
                self._check_one(nonce, size, f"data[{number}]")
            try:
                if size < 0:
                    raise InvalidTag
                made.append(self._open_one(nonce, item[front:], ad))
            except InvalidTag:
                made.append(bytes(max(size, 0)))
                bad.append(number)
        if bad and failed is None:
            text = f"authentication failed: {len(bad)} of {len(made)} messages"
            made.clear()  # so that the traceback does not keep plaintext
            raise InvalidTag(text, failed=tuple(bad))
        if failed is not None:
            failed.extend(bad)
        return table.results(made)

    def _nonces(
        self, nonces: Buffer | Sequence[Buffer] | None, first_nonce: Buffer | None, count: int
    ) -> list[bytes] | None:
        """Returns a nonce for each message; None if they are to be drawn, or are before the
        messages.
        """
        if nonces is not None and first_nonce is not None:
            raise ValueError("nonces and first_nonce exclude each other")
        if first_nonce is not None:
            return self._counted(bytes(_check.readable("first_nonce", first_nonce)), count)
        if nonces is None:
            return None if self._sizes()[1] else [b""] * count
        if _check.is_buffer(nonces):
            joined = bytes(_check.readable("nonces", cast("Buffer", nonces)))
            usual = self._sizes()[1]
            # The total size does not show whether there are too few or they are too short.
            if usual and len(joined) != usual * count:
                raise ValueError(
                    f"nonces of {len(joined)} bytes are not {usual} for each of {count} messages"
                )
            if len(joined) % count if count else joined:
                raise ValueError(
                    f"nonces of {len(joined)} bytes are not one for each of {count} messages"
                )
            size = len(joined) // count if count else 0
            separate = [joined[size * i : size * (i + 1)] for i in range(count)]
        else:
            separate = [bytes(n) for n in listed("nonces", "a buffer or a list of buffers", nonces)]
        if len(separate) != count:
            raise ValueError(f"{len(separate)} nonces for {count} messages")
        for i, nonce in enumerate(separate):
            if len(nonce) != len(separate[0]):
                raise ValueError(
                    f"nonces must be of one size: nonces[0] has {len(separate[0])} bytes, and "
                    f"nonces[{i}] {len(nonce)}"
                )
        if count:
            joint = _check.is_buffer(nonces)
            self._check_nonce("each of nonces" if joint else "nonces[0]", len(separate[0]))
        return separate

    def _counted(self, base: bytes, count: int) -> list[bytes]:
        self._check_nonce("first_nonce", len(base))
        fixed = base[:-8]
        size = len(base) - len(fixed)
        first = int.from_bytes(base[-8:], "big")
        left = (1 << 8 * size) - first
        if count > left:
            raise ValueError(f"first_nonce would wrap before message {left} of {count}")
        return [fixed + (first + i).to_bytes(size, "big") for i in range(count)]

    def _check_nonce(self, name: str, size: int) -> None:
        sizes = self._sizes()[0]
        few = range(sizes[0], min(sizes[-1], NONCE_MOST) + 1)
        _check.nonce_size(size, few, self._short_nonces(), name)


def associated(value: Buffer | Messages | None, count: int) -> Sequence[Bytes | None]:
    if value is None:
        return [None] * count
    if not isinstance(value, tuple) and _check.is_buffer(value):
        return [_check.readable("associated_data", cast("Buffer", value))] * count
    ads = Table("associated_data", value, f"a buffer, {WANTED}").items
    if len(ads) != count:
        raise ValueError(f"associated_data are of {len(ads)} messages, and data of {count}")
    return ads
