"""Messages that come in pieces: what AES.cbc_encryptor, AESGCM.encryptor and their like
return.

The raw modes are written once over the one-shot methods of rijn.AES, and the AEADs over
their streams, so that they are the same for every backend. What is needed of either is a
protocol here: block.py and aead.py make these objects, and this module knows neither.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

from . import _check
from ._check import BLOCK, Buffer, Byteorder, Width
from ._uncopyable import Place
from .errors import InvalidTag


class OneAtATime(Place):
    """A call takes the only turn, and gives it back unless it ends the message: taking the
    last item of a list is one step, whatever threads there are."""

    __slots__ = ("_finalized", "_turn")

    def __init__(self) -> None:
        super().__init__()
        self._finalized = False
        self._turn = [None]

    def __repr__(self) -> str:
        """Nothing of the key, nor of the message."""
        state = ", finalized" if self._finalized else ""
        return f"<{type(self).__module__}.{type(self).__name__}{state}>"

    def _take_turn(self) -> None:
        self._stay()
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
    """One message in pieces of any sizes: update for each piece, then finalize.

    The results of all the calls, joined, are what the one-shot method returns. An
    object belongs to one thread at a time: a call that comes while another is at work
    raises RuntimeError. So does every call in a process that was forked since; and it is
    neither copied nor pickled (TypeError). A call that raises for its arguments has
    changed nothing.
    """

    __slots__ = ()

    def update(self, data: Buffer) -> bytes:
        """Takes the next piece; returns what can be said so far: possibly nothing, and then
        more at a later call.
        Raises RuntimeError after finalize."""
        view = _check.readable("data", data)
        self._take_turn()
        try:
            return self._update(view)
        finally:
            self._turn.append(None)

    def update_into(self, data: Buffer, buf: Buffer) -> int:
        """As update, into the start of a writable buffer, which has room for what update
        would return and may be anywhere, `data` itself too. Returns the number of
        bytes written."""
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
        """Ends the message; returns the rest of the result. Raises ValueError where the
        one-shot method would, for all the data together; RuntimeError the second time."""
        self._take_last_turn()
        return self._finalize()

    @abstractmethod
    def _output_size(self, size: int) -> int:
        """The number of bytes that _update of `size` bytes returns."""

    @abstractmethod
    def _update(self, data: bytes | memoryview) -> bytes: ...

    @abstractmethod
    def _finalize(self) -> bytes: ...


class OneShot(Protocol):
    """The one-shot methods that the pieces of a raw mode stand on: rijn.AES, which documents
    them, has them all."""

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
    """A mode that works on whole blocks: keeps what does not fill one yet."""

    __slots__ = ("_aes", "_held", "_pending", "_total")

    def __init__(self, aes: OneShot, *, held: int = 0) -> None:
        """held=1 keeps the last block back even when it is whole."""
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
        """The next whole blocks of the message, at least one."""


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
    """The last 16 bytes of ciphertext are the next piece's IV."""

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
    """A mode that XORs data with blocks of keystream: keeps what a broken block leaves
    over."""

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
        """Data XORed with as much of the keystream that is left."""
        taken = self._keystream[: len(data)]
        self._keystream = self._keystream[len(data) :]
        return xor(taken, data)

    def _finalize(self) -> bytes:
        return b""

    @abstractmethod
    def _crypt(self, blocks: bytes | memoryview) -> bytes:
        """Whole blocks, at least one."""

    @abstractmethod
    def _next_block(self) -> bytes:
        """A block of keystream for the next block of data, which is broken."""


def xor(left: bytes, right: bytes | memoryview) -> bytes:
    """Of the same length."""
    return (int.from_bytes(left) ^ int.from_bytes(right)).to_bytes(len(left))


class CfbEncryptor(_Keystream):
    """`_feedback` is the ciphertext of the block at which the keystream stands."""

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
    """Both directions of OFB. The last block of keystream is the next one's IV."""

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
    """Both directions of CTR."""

    __slots__ = ("_byteorder", "_counter", "_counting", "_left", "_width")

    def __init__(self, aes: OneShot, counter: Buffer, width: Width, byteorder: Byteorder) -> None:
        super().__init__(aes)
        self._counter = _check.exactly(BLOCK, "counter", counter)
        self._width = _check.counter_width(width, byteorder)
        self._left = 1 << self._width  # blocks
        self._byteorder = byteorder
        # Nothing where the backend counts so unasked.
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
    """An AEAD's message in pieces, as a backend has it. What it decrypts is not
    authenticated until verify has returned."""

    def crypt(self, data: Buffer, /) -> bytes:
        """The next piece: as many bytes. Pieces of AESOCB3 are whole blocks but for the last."""

    def crypt_into(self, data: Buffer, buf: Buffer) -> int:
        """The same into a writable buffer of that size, which is data's or lies apart from
        it. Returns the number of bytes."""

    def tag(self) -> bytes:
        """Ends a message that is encrypted."""

    def verify(self, tag: Buffer, /) -> None:
        """Ends a message that is decrypted: raises InvalidTag for another tag."""


class AEADEncryptor(Incremental):
    """A message that is encrypted and authenticated in pieces: the results of all the calls,
    joined, are what encrypt returns, the ciphertext and its tag.

    update returns as many bytes as it is given. AESOCB3 works on whole blocks: there update
    returns the blocks that are complete, and finalize returns the rest.
    """

    __slots__ = ("_pending", "_step", "_stream")

    def __init__(self, stream: Stream, step: int = 1) -> None:
        """step: the stream takes pieces of a multiple of so many bytes, but for the last."""
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
    """Plaintext that nobody has seen: set to zero before its memory is given back, however
    that comes. It is made at its size, for what grows is copied."""

    def __del__(self) -> None:
        memoryview(self)[:] = bytes(len(self))


class AEADDecryptor(OneAtATime):
    """A message that is decrypted in pieces. The pieces, joined, are what encrypt returned,
    the ciphertext and its tag.

        opener = aead.decryptor(nonce, associated_data)
        for piece in pieces:
            opener.update(piece)  # b""
        plaintext = opener.finalize()

    What has been decrypted is kept until finalize has found the tag right, and is given up
    when it is wrong: a message needs as much memory as it is long. So update returns b"", and
    the results of all the calls, joined, are the plaintext. Whoever can undo what
    they do with plaintext that is not authenticated yet may take it from
    update_unverified instead.

    What is kept is set to zero when the message is refused, accepted or given up, before
    its memory is given back; on the C backends nothing else of the plaintext is left in
    freed memory. Pure Python cannot promise that: its work leaves `bytes` and integers
    behind. What finalize and update_unverified return is the caller's.

    An object belongs to one thread at a time: a call that comes while another is at work
    raises RuntimeError. So does every call in a process that was forked since; and it is
    neither copied nor pickled (TypeError). A call that raises for its arguments has
    changed nothing.
    """

    __slots__ = ("_held", "_pending", "_plaintext", "_step", "_stream")

    def __init__(self, stream: Stream, tag_length: int, step: int = 1) -> None:
        """tag_length: the bytes at the message's end that are its tag. step: as for
        AEADEncryptor."""
        super().__init__()
        self._stream = stream
        self._held = tag_length
        self._step = step
        self._pending = b""
        self._plaintext: list[_Kept] = []

    def update(self, data: Buffer) -> bytes:
        """Takes the next piece. Returns b"": finalize returns the plaintext, once it is
        authenticated. Raises RuntimeError after finalize."""
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
        """Takes the next piece, and returns plaintext that NOBODY HAS AUTHENTICATED: an
        attacker may have chosen it. Keep it to yourself until finalize has returned, and
        destroy it and all that came of it when finalize raises InvalidTag. The last
        tag_length bytes so far may be the tag, so their plaintext comes later."""
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
        """Ends the message. Raises InvalidTag, and returns nothing, unless it is what encrypt
        made; else returns the plaintext that update has kept and the rest of it.
        RuntimeError the second time."""
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
        """Decrypts and keeps."""
        if ready:
            room = _Kept(len(ready))
            self._stream.crypt_into(ready, room)
            self._plaintext.append(room)


def whole_steps(
    pending: bytes, data: bytes | memoryview, step: int, held: int = 0
) -> tuple[bytes | memoryview, bytes]:
    """Joins the pending bytes and the data, and cuts them into a multiple of `step` bytes and
    a rest of at least `held` bytes, if there are so many."""
    size = max(len(pending) + len(data) - held, 0) // step * step
    if pending:
        data = memoryview(pending + bytes(data))
    return data[:size], bytes(data[size:])
