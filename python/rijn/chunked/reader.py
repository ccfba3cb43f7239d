"""An encrypted file as a seekable file of plaintext."""

from __future__ import annotations

import io
import os
from typing import BinaryIO

from .. import _check
from .._check import Buffer
from .._traceback import clean_traceback
from .._uncopyable import Uncopyable
from ..errors import InvalidTag
from ..registry import Backend
from .errors import truncated
from .message import Message
from .sizes import CHUNK, PREFIX
from .sources import read_full, read_up_to

_RUN = 64  # chunks that are opened with one call at most
_READ_AHEAD = 32  # chunks that are opened at most before they are asked for
_KEPT = 64  # chunks that are kept
_FEW = 4  # chunks: more of them are opened directly into the buffer of a read


def _wipe(chunk: memoryview) -> None:
    chunk[:] = bytes(len(chunk))


class Reader(Uncopyable, io.RawIOBase):
    """An encrypted message as a seekable, read-only file of its plaintext.

    The last chunk is authenticated first, so the size is certain. Every read opens only the chunks
    that it needs. Reads that follow one another also open up to 32 chunks ahead. The reader keeps
    the last 64 chunks (1 MiB), and wipes them when it is closed. For one thread at a time. The
    source belongs to the Reader until the Reader is closed, which does not close it.

    :param source: a seekable binary file. The message is from its position to its end.
    :param key: as for `Encryptor`.
    :param aead: as for `Encryptor`.
    :param context: as for `Encryptor`.
    :param backend: as for `Encryptor`.
    :raises WrongKey, Truncated, Damaged: if the prefix or the last chunk does not authenticate.
    :raises TypeError: if `source` has no readinto, seek or tell.
    :raises ValueError: if the key's size or the name does not fit.
    """

    @clean_traceback
    def __init__(
        self,
        source: BinaryIO,
        key: Buffer,
        *,
        aead: str | None = None,
        context: Buffer = b"",
        backend: str | Backend | None = None,
    ) -> None:
        super().__init__()
        self._kept: dict[int, memoryview] = {}  # chunks by number, the latest used last
        if not all(hasattr(source, name) for name in ("readinto", "seek", "tell")):
            raise TypeError(f"source must be a seekable binary file, not {type(source).__name__}")
        start = source.tell()
        self._message = Message.of(
            read_up_to(source, PREFIX),
            key,
            aead=aead,
            context=context,
            backend=backend,
            start=start,
        )
        self._source = source
        self.size = self._message.plain_size(source.seek(0, os.SEEK_END) - start)
        self._position = 0
        self._following = -1  # the chunk after the last opened run
        self._ahead = 1  # chunks to open at once; more if reads go on from there
        self._keep(self.size // CHUNK, 1)

    def _open(self, first: int, target: Buffer) -> None:
        """Opens the chunks from number `first` that fill the target. If they include the last chunk,
        they end the message.
        """
        message, size = self._message, len(memoryview(target))
        last = first * CHUNK + size == self.size
        count = size // CHUNK + last
        sealed = memoryview(bytearray(size + count * message.aead.tag_size))
        self._source.seek(message.offset(first))
        found = read_full(self._source, sealed)
        if found < len(sealed):
            raise truncated(message.offset(first) + found)
        message.open(first, sealed, target, last=last)

    def _keep(self, first: int, count: int) -> None:
        """Opens chunks and keeps them, for the oldest ones. A run of chunks ends at the last chunk."""
        run = memoryview(bytearray(min(count * CHUNK, self.size - first * CHUNK)))
        self._open(first, run)
        for number in range(first, first + count):
            start = (number - first) * CHUNK
            self._kept.pop(number, None)
            self._kept[number] = run[start : start + CHUNK]
        while len(self._kept) > _KEPT:
            _wipe(self._kept.pop(next(iter(self._kept))))

    def _plain(self, number: int, count: int) -> memoryview:
        """Returns the plaintext of a chunk. Opens it if it is not kept, with `count` chunks that the
        caller needs from there, and more if reads follow one another."""
        if number not in self._kept:
            self._ahead = min(2 * self._ahead, _READ_AHEAD) if number == self._following else 1
            most = min(_READ_AHEAD, self.size // CHUNK + 1 - number)
            needed, count = min(count, most), min(max(count, self._ahead), most)
            try:
                self._keep(number, count)
            except InvalidTag:
                if needed == count:
                    raise
                count, self._ahead = needed, 1  # nobody has asked for the bad chunk yet
                self._keep(number, count)
            self._following = number + count
        chunk = self._kept.pop(number)
        self._kept[number] = chunk
        return chunk

    def readable(self) -> bool:
        return not self.closed

    def seekable(self) -> bool:
        return not self.closed

    def tell(self) -> int:
        self._check_open()
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Moves to a position and returns it. It may be after the end, where reads return no bytes.

        :param offset: bytes, from the place that `whence` selects.
        :param whence: 0 for the start, 1 for the current position, 2 for the end.
        :raises ValueError: if the position is before the start.
        """
        self._check_open()
        try:
            base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}[
                _check.integer("whence", whence)
            ]
        except KeyError:
            raise ValueError(f"whence is {whence}; it is 0, 1 or 2") from None
        position = base + _check.integer("offset", offset)
        if position < 0:
            raise ValueError(f"seek to {position}, before the start")
        self._position = position
        return self._position

    @clean_traceback
    def read(self, size: int | None = -1, /) -> bytes:
        """Reads plaintext from the current position.

        :param size: the most bytes to read. None or a negative number: all.
        :returns: the plaintext, empty at the end.
        :raises Damaged, Truncated: if a chunk does not authenticate.
        """
        self._check_open()
        wanted = -1 if size is None else _check.integer("size", size)
        left = max(0, self.size - self._position)
        data = bytearray(left if wanted < 0 else min(wanted, left))
        self.readinto(data)
        return bytes(data)

    @clean_traceback
    def readinto(self, buffer: Buffer, /) -> int:
        """Fills a buffer with plaintext from the current position.

        :param buffer: a writable buffer. It is filled, except at the end of the plaintext.
        :returns: the number of bytes read.
        :raises Damaged, Truncated: if a chunk does not authenticate.
        """
        self._check_open()
        target = _check.writable("buffer", buffer)
        target = target[: max(0, self.size - self._position)]
        done = 0
        while done < len(target):
            number, skip = divmod(self._position, CHUNK)
            left = len(target) - done
            direct = self._direct(number, left) if not skip else 0
            if direct:
                self._open(number, target[done : done + direct])
                self._following, self._ahead = number + -(-direct // CHUNK), _READ_AHEAD
                count = direct
            else:
                part = self._plain(number, -(-(skip + left) // CHUNK))[skip : skip + left]
                count = len(part)
                target[done : done + count] = part
            done += count
            self._position += count
        return done

    def _direct(self, number: int, left: int) -> int:
        """Returns how many bytes to open directly into the caller's buffer, from a chunk of which
        `left` bytes and more are wanted: whole chunks up to the next one that is kept, or 0 for
        few."""
        last = self.size // CHUNK
        count = min(left // CHUNK, _RUN, last - number)  # the last chunk is kept at first
        found = next((n for n in range(count) if number + n in self._kept), count)
        return found * CHUNK if found > _FEW else 0

    def read1(self, size: int | None = -1, /) -> bytes:
        """Reads as `read` does, but without a size one chunk at most.

        :param size: the most bytes to read. None or a negative number: 16 KiB.
        :returns: the plaintext, empty at the end.
        :raises Damaged, Truncated: if a chunk does not authenticate.
        """
        if size is None or _check.integer("size", size) < 0:
            size = CHUNK
        return self.read(size)

    @clean_traceback
    def peek(self, size: int = 0, /) -> bytes:
        """Returns the plaintext from the current position to the end of its chunk, and stays there.

        :param size: ignored, as by io.BufferedReader.
        :returns: the plaintext, empty at the end.
        :raises Damaged, Truncated: if the chunk does not authenticate.
        """
        self._check_open()
        _check.integer("size", size)
        if self._position >= self.size:
            return b""
        number, skip = divmod(self._position, CHUNK)
        return bytes(self._plain(number, 1)[skip:])

    @clean_traceback
    def readline(self, size: int | None = -1, /) -> bytes:
        """Reads up to the end of a line.

        :param size: the most bytes to read. None or a negative number: the whole line.
        :returns: the plaintext with the line end, empty at the end.
        :raises Damaged, Truncated: if a chunk does not authenticate.
        """
        # io.IOBase's own applies the size to each peek, so to each of the chunks that a line lies in.
        self._check_open()
        limit = -1 if size is None else _check.integer("size", size)
        if limit < 0:
            limit = self.size
        line = bytearray()
        while len(line) < limit and not line.endswith(b"\n"):
            found = self.peek()[: limit - len(line)]
            if not found:
                break
            part = found[: found.find(b"\n") + 1 or None]
            line += part
            self._position += len(part)
        return bytes(line)

    def close(self) -> None:
        """Wipes the plaintext that the reader keeps. Leaves the source open."""
        kept = getattr(self, "_kept", {})  # an object whose constructor raised has none
        while kept:
            _wipe(kept.popitem()[1])
        super().close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"at {self._position} of {self.size} bytes"
        return f"<rijn.chunked.Reader, {state}>"

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("the reader is closed")
