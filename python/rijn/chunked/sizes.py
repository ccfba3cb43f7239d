"""The sizes of a message and its parts, in bytes."""

from __future__ import annotations

from .. import _check
from .aeads import Aead
from .errors import truncated

CHUNK = 16384  # plaintext bytes of every chunk but the last
SALT = 24
COMMITMENT = 32
PREFIX = SALT + COMMITMENT  # bytes before chunk 0
MAX_CHUNKS = 1 << 38


def sealed_size(size: int, aead: Aead) -> int:
    """Returns the size of a message in bytes.

    :param size: bytes of plaintext.
    :param aead: the AEAD of the message.
    """
    found = _check.natural("size", size)
    return PREFIX + found + (found // CHUNK + 1) * aead.tag_size


def plain_size(sealed: int, aead: Aead, *, start: int = 0) -> int:
    """Returns the size of a message's plaintext in bytes: the inverse of `sealed_size`.

    :param sealed: bytes of the message.
    :param aead: the AEAD of the message.
    :param start: the position of the message in its file, for the error.
    :raises Truncated: if no message has this size.
    """
    size, before = _check.natural("sealed", sealed), _check.integer("start", start)
    chunks, rest = divmod(size - PREFIX, CHUNK + aead.tag_size)
    if size < PREFIX or rest < aead.tag_size:
        raise truncated(before + size)
    check_count(chunks + 1)
    return chunks * CHUNK + rest - aead.tag_size


def check_count(chunks: int) -> None:
    if chunks > MAX_CHUNKS:
        raise ValueError(f"{chunks} chunks; a message has at most 2^38 (4 PiB - 1 byte)")
