"""Messages that come in pieces of any sizes, and streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from ..._uncopyable import Own
from .aes import PADDING_DEFAULT, PADDING_NONE, AESBlockModeOfOperation
from .util import Data, octets

__all__ = [
    "BLOCK_SIZE",
    "PADDING_DEFAULT",
    "PADDING_NONE",
    "BlockFeeder",
    "Decrypter",
    "Encrypter",
    "decrypt_stream",
    "encrypt_stream",
]

# Bytes that the streams read at a time: where the pure backends are fast too.
BLOCK_SIZE = 1 << 20

# Bytes that a feeder keeps back, for they may be padding.
HELD = 16


class BlockFeeder(Own):
    """One message through a mode of operation: feed for each piece, then feed().

    feed    what the mode does with the pieces that it can take whole.
    final   what it does with the rest and `padding`.
    """

    def __init__(
        self,
        mode: AESBlockModeOfOperation,
        feed: Callable[[bytes], bytes],
        final: Callable[[bytes, str], bytes],
        padding: str = PADDING_DEFAULT,
    ) -> None:
        self._mode = mode
        self._feed = feed
        self._final = final
        self._buffer: bytes | None = b""
        self._padding = padding

    def feed(self, data: Data | None = None) -> bytes:
        """Takes the next piece; returns what can be said so far, possibly nothing. None ends
        the message: what is left is returned, and a further call is a ValueError.

        At the end a ValueError says that the message has a length which the padding does
        not allow, or, when decrypting, wrong padding."""
        if self._buffer is None:
            raise ValueError("already finished feeder")
        if data is None:
            rest, self._buffer = self._buffer, None
            return self._final(rest, self._padding)
        buffer = self._buffer + octets(data)
        taken = self._mode._can_consume(max(0, len(buffer) - HELD))
        result = self._feed(buffer[:taken]) if taken else b""
        self._buffer = buffer[taken:]
        return result


class Encrypter(BlockFeeder):
    """Encrypter(mode, padding=PADDING_DEFAULT)

    mode     a mode of operation, which nobody else uses until the end.
    padding  PADDING_DEFAULT: PKCS #7 for ECB and CBC, none for the others, which take any
             length. PADDING_NONE: none; ECB and CBC take whole blocks, at least one, and
             CFB refuses it, as in pyaes.
    """

    def __init__(self, mode: AESBlockModeOfOperation, padding: str = PADDING_DEFAULT) -> None:
        super().__init__(mode, mode._encrypt_pieces, mode._final_encrypt, padding)


class Decrypter(BlockFeeder):
    """Decrypter(mode, padding=PADDING_DEFAULT): the inverse of Encrypter."""

    def __init__(self, mode: AESBlockModeOfOperation, padding: str = PADDING_DEFAULT) -> None:
        super().__init__(mode, mode._decrypt_pieces, mode._final_decrypt, padding)


def _feed_stream(
    feeder: BlockFeeder, in_stream: BinaryIO, out_stream: BinaryIO, block_size: int
) -> None:
    while piece := in_stream.read(block_size):
        out_stream.write(feeder.feed(piece))
    out_stream.write(feeder.feed())


def encrypt_stream(
    mode: AESBlockModeOfOperation,
    in_stream: BinaryIO,
    out_stream: BinaryIO,
    block_size: int = BLOCK_SIZE,
    padding: str = PADDING_DEFAULT,
) -> None:
    """Reads in_stream to its end, `block_size` bytes at a time, and writes what Encrypter
    makes of it to out_stream."""
    _feed_stream(Encrypter(mode, padding), in_stream, out_stream, block_size)


def decrypt_stream(
    mode: AESBlockModeOfOperation,
    in_stream: BinaryIO,
    out_stream: BinaryIO,
    block_size: int = BLOCK_SIZE,
    padding: str = PADDING_DEFAULT,
) -> None:
    """The inverse of encrypt_stream. What it writes has not been authenticated, and is
    written before the padding is seen."""
    _feed_stream(Decrypter(mode, padding), in_stream, out_stream, block_size)
