"""Checks of arguments, for the Python backends and the incremental objects. The messages are the
same as in the native binding.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import typing_extensions

    Buffer = typing_extensions.Buffer
else:
    try:
        from collections.abc import Buffer
    except ImportError:  # before Python 3.12

        class Buffer:
            """A buffer: bytes, bytearray, memoryview, mmap, array, NumPy's arrays. A name for
            typing.get_type_hints.
            """


Width = Literal[32, 64, 128]
"""Bits of a counter."""
Byteorder = Literal["big", "little"]

BLOCK = 16
# The end of a range of sizes that only 64 bits limit.
NO_LIMIT = 2**61
# Prefixes of a format for the machine's byte order, with the sizes of C or the standard sizes.
OWN_ORDER = ("@", "=", "<" if sys.byteorder == "little" else ">")


def near(name: str, known: Iterable[str]) -> str:
    """Returns a question for the message about an unknown name, " (did you mean NAME?)", with the
    most similar known name. Returns "" if there is none.
    """
    from difflib import get_close_matches

    found = get_close_matches(name.lower(), list(known), 1)
    return f" (did you mean {found[0]}?)" if found else ""


def readable(name: str, value: Buffer) -> bytes | memoryview:
    """Returns the bytes of an argument, which must be a C-contiguous buffer.

    It copies them only if memoryview cannot cast the items. `name` is the argument's name for the
    error: TypeError, also for a buffer of Python objects, or BufferError.
    """
    if type(value) is bytes:
        return value
    view = _view(name, value)
    if not view.c_contiguous:
        raise BufferError(f"{name} must be C-contiguous")
    if view.nbytes == 0:
        return b""
    try:
        return view.cast("B")
    except ValueError:
        return bytes(view)


def writable(name: str, value: Buffer) -> memoryview:
    """Returns the bytes of a writable C-contiguous buffer. Raises as `readable`."""
    view = _view(name, value)
    if view.readonly:
        raise BufferError(f"{name} must be writable")
    if not view.c_contiguous:
        raise BufferError(f"{name} must be C-contiguous")
    return view.cast("B") if view.nbytes else memoryview(bytearray())


def _view(name: str, value: Buffer) -> memoryview:
    try:
        view = memoryview(value)
    except TypeError:
        raise TypeError(f"{name} must be a bytes-like object, not {type(value).__name__}") from None
    # References: an O in the format (PEP 3118), not in a field's name, which is between colons.
    if "O" in view.format and "O" in "".join(view.format.split(":")[::2]):
        raise TypeError(f"{name} must be a bytes-like object, not a buffer of Python objects")
    return view


def overlap(a: bytes | memoryview, b: bytes | memoryview) -> int | None:
    """Returns the offset of a's start from b's start if the two share memory, else None."""
    if not len(a) or not len(b):
        return None
    try:
        from ._address import distance
    except ImportError:
        # A Python without ctypes. Only the error is lost: the backends that call this complete
        # every result before they write any of it.
        return None
    found = distance(a, b)
    return found if -len(a) < found < len(b) else None


def output(
    buf: Buffer,
    size: int,
    data: bytes | memoryview,
    *others: tuple[str, bytes | memoryview],
    in_place: bool,
) -> memoryview:
    """Returns `buf` after checking it.

    It must have exactly `size` bytes and must not overlap the other arguments, which come with
    their names. It must not overlap `data` either, but may begin where `data` begins if in_place is
    True.
    """
    view = writable("buf", buf)
    if len(view) != size:
        raise ValueError(f"buf must be exactly {size} bytes, not {len(view)}")
    distance = overlap(view, data)
    if distance is not None and not (in_place and distance == 0):
        raise ValueError("data and buf overlap")
    for name, other in others:
        if overlap(view, other) is not None:
            raise ValueError(f"{name} and buf overlap")
    return view


def listed(sizes: Sequence[int]) -> str:
    """Returns "16", "16 or 32", "16, 24 or 32"."""
    *others, last = map(str, sizes)
    return f"{', '.join(others)} or {last}" if others else last


def key(value: Buffer, sizes: tuple[int, ...] = (16, 24, 32), name: str = "key") -> bytes:
    found = bytes(readable(name, value))
    if len(found) not in sizes:
        raise ValueError(f"{name} must be {listed(sizes)} bytes, not {len(found)}")
    return found


def nonce(value: Buffer, sizes: range) -> bytes:
    found = bytes(readable("nonce", value))
    nonce_size(len(found), sizes)
    return found


def nonce_size(size: int, sizes: range, short: range = range(0), name: str = "nonce") -> None:
    """Raises ValueError for a nonce size that is not in `sizes`, or is in `short`, whose sizes need
    short_nonces=True. `name` is the caller's name for the nonce.
    """
    if size in sizes and size not in short:
        return
    least, most = max(sizes[0], short.stop), sizes[-1]
    if sizes.stop < NO_LIMIT:
        allowed = f"be {least} bytes" if least == most else f"be {least} to {most} bytes"
    elif size:
        allowed = f"be {least} bytes or more"
    else:
        raise ValueError(f"{name} must not be empty")
    hint = ": ask for it with short_nonces=True" if size in short else ""
    raise ValueError(f"{name} must {allowed}, not {size}{hint}")


def exactly(size: int, name: str, value: Buffer) -> bytes:
    """Returns an argument of `size` bytes: an iv, a counter, the nonce of a run of chunks."""
    found = bytes(readable(name, value))
    if len(found) != size:
        raise ValueError(f"{name} must be {size} bytes, not {len(found)}")
    return found


def multiple_of_block(size: int) -> None:
    if size % BLOCK:
        raise ValueError(f"data must be a multiple of 16 bytes, not {size}")


def integer(name: str, value: object) -> int:
    """Returns an object with __index__ as an int. Raises TypeError for others, and for a bool."""
    if type(value) is int:
        return value
    try:
        if not isinstance(value, bool):
            return index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise TypeError(f"{name} must be an integer, not {type(value).__name__}")


def natural(name: str, value: object) -> int:
    found = integer(name, value)
    if found < 0:
        raise ValueError(f"{name} must not be negative: {found}")
    return found


def one_of(name: str, value: object, allowed: Sequence[int]) -> int:
    found = integer(name, value)
    if found not in allowed:
        raise ValueError(f"{name} must be {listed(allowed)}, not {found}")
    return found


def flag(name: str, value: object) -> bool:
    """Returns True or False. Raises TypeError for any other object."""
    if value is True or value is False:
        return value
    raise TypeError(f"{name} must be True or False, not {type(value).__name__}")


def text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"{name} must be a str, not {type(value).__name__}")


def counter_width(width: object, byteorder: str) -> int:
    """Returns the number of bits that count. A message may have 2 to this power blocks."""
    found = one_of("width", width, (32, 64, 128))
    if text("byteorder", byteorder) not in ("big", "little"):
        raise ValueError(f"byteorder must be 'big' or 'little', not {byteorder!r}")
    return found


def counter_after(counter: bytes, blocks: int, width: int, byteorder: str) -> bytes:
    """Returns the counter block `blocks` blocks later."""
    order: Literal["big", "little"] = "big" if byteorder == "big" else "little"
    number = int.from_bytes(counter, order)
    low = (1 << width) - 1
    return (number & ~low | (number + blocks) & low).to_bytes(BLOCK, order)


def unsigned(name: str, value: object) -> int:
    """Returns an integer from 0 to 2^64 - 1."""
    found = integer(name, value)
    if not 0 <= found < 2**64:
        raise OverflowError(f"{name} must be 0 to 2^64 - 1, not {found}")
    return found


def threads(value: object) -> None:
    """Checks `threads`. A backend in Python uses one thread, and accepts every number that others
    do.
    """
    found = integer("threads", value)
    if not 0 < found <= 1024:
        raise ValueError(f"threads must be 1 to 1024, not {found}")


def is_buffer(value: object) -> bool:
    try:
        memoryview(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def column(name: str, data: Buffer, offsets: Buffer) -> tuple[list[bytes | memoryview], int]:
    """Returns the rows of a column, and the size of an offset in bytes."""
    text = readable(f"the data of {name}", data)
    ends, width = offsets_of(name, offsets, len(text))
    return [text[a:b] for a, b in pairwise(ends)], width


def offsets_of(name: str, offsets: Buffer, size: int) -> tuple[list[int], int]:
    """Returns offsets into `size` bytes, and the size of an offset in bytes."""
    ends, width = integers(name, offsets)
    if any(b < a for a, b in zip([0, *ends], [*ends, size], strict=True)):
        raise ValueError(
            f"the offsets of {name} must not decrease, nor lie outside its {size} bytes"
        )
    return ends, width


def integers(name: str, value: Buffer) -> tuple[list[int], int]:
    """Returns offsets, and the size of an offset in bytes."""
    found = type(value).__name__
    if is_buffer(value):
        view = memoryview(value)
        plain = readable(f"the offsets of {name}", value)
        code = view.format[1:] if view.format.startswith(OWN_ORDER) else view.format
        if view.ndim == 1 and code in tuple("ilqnILQN") and view.itemsize in (4, 8):
            return memoryview(plain).cast(
                "i" if view.itemsize == 4 else "q"
            ).tolist(), view.itemsize
        found = f"of {view.ndim} dimensions and format '{view.format}'"
    raise TypeError(
        f"the offsets of {name} must be a one-dimensional buffer of integers of 32 or 64 bits, "
        f"as of memoryview(...).cast('i') or cast('q'), not {found} "
        "(put single messages in a list, not a tuple)"
    )
