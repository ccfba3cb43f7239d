"""Messages in pieces: the objects that AES.cbc_encryptor, AESGCM.encryptor and similar methods
return.

The raw modes are written once over the one-shot methods of rijn.AES, and the AEADs over their
streams, so they are the same for every backend. This module knows neither block.py nor aead.py,
which import it: the methods that it needs of them are protocols here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

from . import _check
from ._check import BLOCK, Buffer, Byteorder, Width
from ._uncopyable import OneProcess
from .errors import InvalidTag


class OneAtATime(OneProcess):
    """An object that serves one call at a time.

    A call takes the only turn, and returns it unless it ends the message. Taking the last item of a
    list is atomic, whatever threads there are.
    """

    __slots__ = ("_finalized", "_turn")

    def __init__(self) -> None:
        super().__init__()
        self._finalized = False
        self._turn = [None]

    def __repr__(self) -> str:
        """Returns the state, and nothing about the key or the message."""
        state = ", finalized" if self._finalized else ""
        return f"<{type(self).__module__}.{type(self).__name__}{state}>"

    def _take_turn(self) -> None:
        self._check_process()
        try:
            self._turn.pop()
        except IndexError:
            raise RuntimeError(
                "finalize has been called"
                if self._finalized
                else "another thread is at work with this object"
            ) from None

    def _take_last_turn(self) -> None:
        self._take_turn()
        self._finalized = True


class Incremental(OneAtATime, ABC):
    """One message in pieces of any size: call update for each piece, then finalize.

    The results of all calls, joined, are the result of the one-shot method. An object belongs to
    one thread at a time: a call during another thread's call raises RuntimeError. So does every
    call in a process that was forked since. It can be neither copied nor pickled (TypeError). A
    call that raises an error for its arguments changes nothing.
    """

    __slots__ = ()

    def update(self, data: Buffer) -> bytes:
        """Takes the next piece.

        :param data: the next bytes of the message.
        :returns: the part of the result that is complete. It may be empty; then a later call
            returns more.
        :raises RuntimeError: after finalize.
        """
        view = _check.readable("data", data)
        self._take_turn()
        try:
            return self._update(view)
        finally:
            self._turn.append(None)

    def update_into(self, data: Buffer, buf: Buffer) -> int:
        """Takes the next piece, and writes to the start of a buffer.

        :param data: the next bytes of the message.
        :param buf: a writable buffer, at least as long as the result of `update`. It may overlap
            `data`.
        :returns: the number of bytes written.
        :raises ValueError: if `buf` is too short.
        :raises RuntimeError: after finalize.
        """
        view = _check.readable("data", data)
        target = _check.writable("buf", buf)
        self._take_turn()
        try:
            size = self._output_size(len(view))
            if len(target) < size:
                raise ValueError(f"buf must be at least {size} bytes, not {len(target)}")
            target[:size] = self._update(view)
            return size
        finally:
            self._turn.append(None)

    def finalize(self) -> bytes:
        """Ends the message.

        :returns: the rest of the result.
        :raises ValueError: if the one-shot method would, for all the data together.
        :raises RuntimeError: if finalize has been called before.
        """
        self._take_last_turn()
        return self._finalize()

    @abstractmethod
    def _output_size(self, size: int) -> int:
        """Returns the number of bytes that _update of `size` bytes returns."""

    @abstractmethod
    def _update(self, data: bytes | memoryview) -> bytes: ...

    @abstractmethod
    def _finalize(self) -> bytes: ...


class OneShot(Protocol):
    """The one-shot methods that the raw modes in pieces call. rijn.AES has them all, and documents
    them.
    """

    def ecb_encrypt(self, data: Buffer) -> bytes: ...
    def ecb_decrypt(self, data: Buffer) -> bytes: ...
    def cbc_encrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes: ...
    def cbc_decrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes: ...
    def cfb_encrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def cfb_decrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def cfb8_encrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def cfb8_decrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def ofb_encrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def ige_encrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def ige_decrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def ctr_encrypt(
        self, counter: Buffer, data: Buffer, *, width: Width = 128, byteorder: Byteorder = "big"
    ) -> bytes: ...


class _Blocks(Incremental):
    """A mode that works on whole blocks. Keeps the bytes that do not fill a block yet."""

    __slots__ = ("_aes", "_held", "_pending", "_total")

    def __init__(self, aes: OneShot, *, held: int = 0) -> None:
        """held=1 keeps the last block back even if it is whole."""
        super().__init__()
        self._aes = aes
        self._held = held
        self._pending = b""
        self._total = 0

    def _output_size(self, size: int) -> int:
        return max(len(self._pending) + size - self._held, 0) // BLOCK * BLOCK

    def _update(self, data: bytes | memoryview) -> bytes:
        size = self._output_size(len(data))
        self._total += len(data)
        if size == 0:
            self._pending += data
            return b""
        taken = size - len(self._pending)
        blocks = self._pending + data[:taken] if self._pending else data[:taken]
        self._pending = bytes(data[taken:])
        return self._crypt(blocks)

    def _finalize(self) -> bytes:
        _check.multiple_of_block(self._total)
        return b""

    @abstractmethod
    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        """Processes the next whole blocks of the message, at least one."""


class EcbEncryptor(_Blocks):
    __slots__ = ()

    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        return self._aes.ecb_encrypt(blocks)


class EcbDecryptor(_Blocks):
    __slots__ = ()

    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        return self._aes.ecb_decrypt(blocks)


class CbcEncryptor(_Blocks):
    __slots__ = ("_iv", "_pkcs7")

    def __init__(self, aes: OneShot, iv: Buffer, *, pkcs7: bool) -> None:
        super().__init__(aes)
        self._iv = _check.exactly(BLOCK, "iv", iv)
        self._pkcs7 = _check.flag("pkcs7", pkcs7)

    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        ciphertext = self._aes.cbc_encrypt(self._iv, blocks)
        self._iv = ciphertext[-BLOCK:]
        return ciphertext

    def _finalize(self) -> bytes:
        if self._pkcs7:
            return self._aes.cbc_encrypt(self._iv, self._pending, pkcs7=True)
        return super()._finalize()


class CbcDecryptor(_Blocks):
    __slots__ = ("_iv", "_pkcs7")

    def __init__(self, aes: OneShot, iv: Buffer, *, pkcs7: bool) -> None:
        super().__init__(aes, held=1 if _check.flag("pkcs7", pkcs7) else 0)
        self._iv = _check.exactly(BLOCK, "iv", iv)
        self._pkcs7 = _check.flag("pkcs7", pkcs7)

    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        plaintext = self._aes.cbc_decrypt(self._iv, blocks)
        self._iv = bytes(blocks[-BLOCK:])
        return plaintext

    def _finalize(self) -> bytes:
        rest = super()._finalize()
        if self._pkcs7:
            return self._aes.cbc_decrypt(self._iv, self._pending, pkcs7=True)
        return rest


class IgeEncryptor(_Blocks):
    __slots__ = ("_iv",)

    def __init__(self, aes: OneShot, iv: Buffer) -> None:
        super().__init__(aes)
        self._iv = _check.exactly(2 * BLOCK, "iv", iv)

    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        ciphertext = self._aes.ige_encrypt(self._iv, blocks)
        self._iv = ciphertext[-BLOCK:] + bytes(blocks[-BLOCK:])
        return ciphertext


class IgeDecryptor(_Blocks):
    __slots__ = ("_iv",)

    def __init__(self, aes: OneShot, iv: Buffer) -> None:
        super().__init__(aes)
        self._iv = _check.exactly(2 * BLOCK, "iv", iv)

    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        plaintext = self._aes.ige_decrypt(self._iv, blocks)
        self._iv = bytes(blocks[-BLOCK:]) + plaintext[-BLOCK:]
        return plaintext


class Cfb8Encryptor(Incremental):
    """CFB8. The last 16 bytes of ciphertext are the IV of the next piece."""

    __slots__ = ("_aes", "_iv")

    def __init__(self, aes: OneShot, iv: Buffer) -> None:
        super().__init__()
        self._aes = aes
        self._iv = _check.exactly(BLOCK, "iv", iv)

    def _output_size(self, size: int) -> int:
        return size

    def _update(self, data: bytes | memoryview) -> bytes:
        ciphertext = self._aes.cfb8_encrypt(self._iv, data)
        self._iv = (self._iv + ciphertext[-BLOCK:])[-BLOCK:]
        return ciphertext

    def _finalize(self) -> bytes:
        return b""


class Cfb8Decryptor(Cfb8Encryptor):
    __slots__ = ()

    def _update(self, data: bytes | memoryview) -> bytes:
        plaintext = self._aes.cfb8_decrypt(self._iv, data)
        self._iv = (self._iv + bytes(data[-BLOCK:]))[-BLOCK:]
        return plaintext


class _Keystream(Incremental):
    """A mode that XORs data with blocks of keystream. Keeps the unused bytes of a block."""

    __slots__ = ("_aes", "_keystream")

    def __init__(self, aes: OneShot) -> None:
        super().__init__()
        self._aes = aes
        self._keystream = b""

    def _output_size(self, size: int) -> int:
        return size

    def _update(self, data: bytes | memoryview) -> bytes:
        start = b""
        if self._keystream:
            taken = len(self._keystream)
            start = self._use(data[:taken])
            data = data[taken:]
        whole = len(data) // BLOCK * BLOCK
        output = self._crypt(data[:whole]) if whole else b""
        if whole < len(data):
            self._keystream = self._next_block()
            output += self._use(data[whole:])
        return start + output if start else output

    def _use(self, data: bytes | memoryview) -> bytes:
        """Returns `data` XORed with the next bytes of the kept keystream."""
        taken = self._keystream[: len(data)]
        self._keystream = self._keystream[len(data) :]
        return xor(taken, data)

    def _finalize(self) -> bytes:
        return b""

    @abstractmethod
    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        """Processes whole blocks, at least one."""

    @abstractmethod
    def _next_block(self) -> bytes:
        """Returns the block of keystream for the next block of data, which is incomplete."""


def xor(left: bytes, right: bytes | memoryview) -> bytes:
    """Returns the XOR of two strings of the same length."""
    return (int.from_bytes(left) ^ int.from_bytes(right)).to_bytes(len(left))


class CfbEncryptor(_Keystream):
    """CFB. `_feedback` is the ciphertext so far of the block that the keystream is for."""

    __slots__ = ("_feedback", "_iv")

    def __init__(self, aes: OneShot, iv: Buffer) -> None:
        super().__init__(aes)
        self._iv = _check.exactly(BLOCK, "iv", iv)
        self._feedback = b""

    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        ciphertext = self._aes.cfb_encrypt(self._iv, blocks)
        self._iv = ciphertext[-BLOCK:]
        return ciphertext

    def _next_block(self) -> bytes:
        return self._aes.ecb_encrypt(self._iv)

    def _use(self, data: bytes | memoryview) -> bytes:
        output = super()._use(data)
        self._feed(self._ciphertext(data, output))
        return output

    def _ciphertext(self, data: bytes | memoryview, output: bytes) -> bytes:
        return output

    def _feed(self, ciphertext: bytes) -> None:
        self._feedback += ciphertext
        if len(self._feedback) == BLOCK:
            self._iv, self._feedback = self._feedback, b""


class CfbDecryptor(CfbEncryptor):
    __slots__ = ()

    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        plaintext = self._aes.cfb_decrypt(self._iv, blocks)
        self._iv = bytes(blocks[-BLOCK:])
        return plaintext

    def _ciphertext(self, data: bytes | memoryview, output: bytes) -> bytes:
        return bytes(data)


class Ofb(_Keystream):
    """OFB in both directions. The last block of keystream is the IV of the next one."""

    __slots__ = ("_iv",)

    def __init__(self, aes: OneShot, iv: Buffer) -> None:
        super().__init__(aes)
        self._iv = _check.exactly(BLOCK, "iv", iv)

    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        output = self._aes.ofb_encrypt(self._iv, blocks)
        self._iv = xor(output[-BLOCK:], blocks[-BLOCK:])
        return output

    def _next_block(self) -> bytes:
        self._iv = self._aes.ecb_encrypt(self._iv)
        return self._iv


class Ctr(_Keystream):
    """CTR in both directions."""

    __slots__ = ("_byteorder", "_counter", "_counting", "_left", "_width")

    def __init__(self, aes: OneShot, counter: Buffer, width: Width, byteorder: Byteorder) -> None:
        super().__init__(aes)
        self._counter = _check.exactly(BLOCK, "counter", counter)
        self._width = _check.counter_width(width, byteorder)
        self._left = 1 << self._width  # blocks
        self._byteorder = byteorder
        # Empty if this is the backend's default.
        plain = self._width == 8 * BLOCK and byteorder == "big"
        self._counting: dict[str, Any] = (
            {} if plain else {"width": self._width, "byteorder": byteorder}
        )

    def _update(self, data: bytes | memoryview) -> bytes:
        needed = -(-max(0, len(data) - len(self._keystream)) // BLOCK)
        if needed > self._left:
            raise ValueError(f"data is too long for a counter of {self._width} bits")
        self._left -= needed
        return super()._update(data)

    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        output = self._aes.ctr_encrypt(self._counter, blocks, **self._counting)
        self._counter = _check.counter_after(
            self._counter, len(blocks) // BLOCK, self._width, self._byteorder
        )
        return output

    def _next_block(self) -> bytes:
        return self._crypt(bytes(BLOCK))


class Stream(Protocol):
    """A backend's message in pieces of an AEAD. Plaintext is not authenticated until verify has
    returned.
    """

    def crypt(self, data: Buffer, /) -> bytes:
        """Returns the next piece, as long as `data`. AESOCB3 takes whole blocks until the last
        piece.
        """

    def crypt_into(self, data: Buffer, buf: Buffer) -> int:
        """Writes the next piece to a buffer of its size, and returns the size. `buf` is `data` or
        does not overlap it.
        """

    def tag(self) -> bytes:
        """Ends an encrypted message and returns its tag."""

    def verify(self, tag: Buffer, /) -> None:
        """Ends a decrypted message. Raises InvalidTag for another tag."""


class AEADEncryptor(Incremental):
    """Encrypts and authenticates a message in pieces.

    The results of all calls, joined, are the result of `encrypt`: the ciphertext and its tag.
    update returns as many bytes as it is given. AESOCB3 works on whole blocks: update returns the
    complete blocks, and finalize returns the rest.
    """

    __slots__ = ("_pending", "_step", "_stream")

    def __init__(self, stream: Stream, step: int = 1) -> None:
        """step: every piece for the stream, except the last, is a multiple of this many bytes."""
        super().__init__()
        self._stream = stream
        self._step = step
        self._pending = b""

    def _output_size(self, size: int) -> int:
        return (len(self._pending) + size) // self._step * self._step

    def _update(self, data: bytes | memoryview) -> bytes:
        ready, rest = whole_steps(self._pending, data, self._step)
        output = self._stream.crypt(ready) if ready else b""
        self._pending = rest
        return output

    def _finalize(self) -> bytes:
        return self._stream.crypt(self._pending) + self._stream.tag()


class _Kept(bytearray):
    """Plaintext that nobody has received: zeroed before its memory is freed.

    It is made at its final size, because growing copies it.
    """

    def __del__(self) -> None:
        memoryview(self)[:] = bytes(len(self))


class AEADDecryptor(OneAtATime):
    """Decrypts a message in pieces. The pieces, joined, are the result of `encrypt`::

        opener = aead.decryptor(nonce, associated_data)
        for piece in pieces:
            opener.update(piece)  # b""
        plaintext = opener.finalize()

    The plaintext is kept until finalize has verified the tag, and discarded if the tag is wrong. So
    update returns no bytes, and a message needs as much memory as it is long. If you can undo
    everything that you do with unauthenticated plaintext, use update_unverified instead.

    The kept plaintext is zeroed before its memory is freed, when the message is accepted, refused
    or abandoned. On the C backends, freed memory then holds no other plaintext. The Python backends
    cannot promise that: they leave `bytes` and integers. The results of finalize and
    update_unverified belong to the caller.

    An object belongs to one thread at a time: a call during another thread's call raises
    RuntimeError. So does every call in a process that was forked since. It can be neither copied
    nor pickled (TypeError). A call that raises an error for its arguments changes nothing.
    """

    __slots__ = ("_held", "_pending", "_plaintext", "_step", "_stream")

    def __init__(self, stream: Stream, tag_length: int, step: int = 1) -> None:
        """tag_length: the message ends with a tag of this many bytes. step: as for AEADEncryptor."""
        super().__init__()
        self._stream = stream
        self._held = tag_length
        self._step = step
        self._pending = b""
        self._plaintext: list[_Kept] = []

    def update(self, data: Buffer) -> bytes:
        """Takes the next piece. finalize returns the plaintext.

        :param data: the next bytes of the message.
        :returns: no bytes.
        :raises RuntimeError: after finalize.
        """
        view = _check.readable("data", data)
        self._take_turn()
        try:
            ready, rest = whole_steps(self._pending, view, BLOCK, self._held)
            self._keep(ready)
            self._pending = rest
            return b""
        finally:
            self._turn.append(None)

    def update_unverified(self, data: Buffer) -> bytes:
        """Takes the next piece, and returns plaintext that NOBODY HAS AUTHENTICATED.

        An attacker may have chosen it. Keep it to yourself until finalize has returned. If finalize
        raises InvalidTag, destroy the plaintext and everything derived from it.

        :param data: the next bytes of the message.
        :returns: the next plaintext. The last tag_length bytes so far may be the tag, so their
            plaintext comes later.
        :raises RuntimeError: after finalize.
        """
        view = _check.readable("data", data)
        self._take_turn()
        try:
            ready, rest = whole_steps(self._pending, view, self._step, self._held)
            plaintext = self._stream.crypt(ready) if ready else b""
            self._pending = rest
            return plaintext
        finally:
            self._turn.append(None)

    def finalize(self) -> bytes:
        """Ends the message and verifies its tag.

        :returns: the plaintext that update has kept, and the rest.
        :raises InvalidTag: unless `encrypt` made the message.
        :raises RuntimeError: if finalize has been called before.
        """
        self._take_last_turn()
        try:
            size = len(self._pending) - self._held
            if size < 0:
                raise InvalidTag
            self._keep(self._pending[:size])
            self._stream.verify(self._pending[size:])
            return b"".join(self._plaintext)
        finally:
            self._plaintext.clear()

    def _keep(self, ready: bytes | memoryview) -> None:
        """Decrypts `ready` and keeps the plaintext."""
        if ready:
            plaintext = _Kept(len(ready))
            self._stream.crypt_into(ready, plaintext)
            self._plaintext.append(plaintext)


def whole_steps(
    pending: bytes, data: bytes | memoryview, step: int, held: int = 0
) -> tuple[bytes | memoryview, bytes]:
    """Joins `pending` and `data`, and splits them: a multiple of `step` bytes, and the rest.

    The rest has at least `held` bytes, if there are so many.
    """
    size = max(len(pending) + len(data) - held, 0) // step * step
    if pending:
        data = memoryview(pending + bytes(data))
    return data[:size], bytes(data[size:])
