"""Messages that come in pieces of any size, and streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from ..._uncopyable import Uncopyable
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

# Bytes that the streams read at a time. The Python backends are fast for pieces of this size too.
BLOCK_SIZE = 1 << 20

# Bytes that a feeder keeps, because they may be padding.
HELD = 16


class BlockFeeder(Uncopyable):
    """Passes one message through a mode of operation: feed for each piece, then feed().

    :param mode: a mode of operation.
    :param feed: processes pieces that the mode can take whole.
    :param final: processes the rest, and `padding`.
    :param padding: as for Encrypter.
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
        """Takes the next piece.

        :param data: the piece. None ends the message.
        :returns: the part of the result that is complete. It may be empty.
        :raises ValueError: at the end, if the padding does not allow the message's length, or the
            padding of a decrypted message is wrong; also after the end.
        """
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
    """Encrypts a message that comes in pieces.

    :param mode: a mode of operation, which nobody else uses until the end.
    :param padding: PADDING_DEFAULT: PKCS #7 for ECB and CBC; none for the other modes, which take
        any length. PADDING_NONE: no padding. Then ECB and CBC need whole blocks, at least one, and
        CFB refuses it, as in pyaes.
    """

    def __init__(self, mode: AESBlockModeOfOperation, padding: str = PADDING_DEFAULT) -> None:
        super().__init__(mode, mode._encrypt_pieces, mode._final_encrypt, padding)


class Decrypter(BlockFeeder):
    """Decrypts a message that comes in pieces: the inverse of Encrypter.

    :param mode: as for Encrypter.
    :param padding: as for Encrypter.
    """

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
    """Encrypts in_stream to its end with an Encrypter, `block_size` bytes at a time, and writes the
    results to out_stream.
    """
    _feed_stream(Encrypter(mode, padding), in_stream, out_stream, block_size)


def decrypt_stream(
    mode: AESBlockModeOfOperation,
    in_stream: BinaryIO,
    out_stream: BinaryIO,
    block_size: int = BLOCK_SIZE,
    padding: str = PADDING_DEFAULT,
) -> None:
    """Decrypts a stream: the inverse of encrypt_stream. The plaintext is not authenticated, and it
    is written before the padding is checked.
    """
    _feed_stream(Decrypter(mode, padding), in_stream, out_stream, block_size)
