"""What the modes share: arguments, outputs, and the order of calls."""

from __future__ import annotations

import os
from binascii import unhexlify
from typing import Any, ClassVar

from .... import _check
from ...._check import BLOCK, Buffer
from ...._traceback import clean_traceback
from ....block import AES
from ....incremental import OneAtATime
from ..._turns import in_turn

_HARDWARE = ("use_aesni", "use_clmul")


def backend_option(options: dict[str, Any]) -> str | None:
    """Returns `backend`. Ignores PyCryptodome's switches for CPU features, and raises TypeError for
    unknown options.
    """
    backend: str | None = options.pop("backend", None)
    for name in _HARDWARE:
        options.pop(name, None)
    if options:
        raise TypeError(f"unknown options: {', '.join(options)}")
    return backend


def checked_key(key: Buffer, sizes: tuple[int, ...] = (16, 24, 32)) -> bytes:
    """Returns the key. Raises ValueError if it has another size."""
    found = bytes(_check.readable("key", key))
    if len(found) not in sizes:
        raise ValueError(f"Incorrect AES key length ({len(found)} bytes)")
    return found


def from_hexadecimal(text: str | bytes) -> bytes:
    """Returns the bytes of a hexadecimal text. Raises ValueError for another text."""
    return unhexlify(text)


def check_threads(threads: object) -> None:
    """Checks the option `threads`, which changes nothing."""
    _check.natural("threads", threads)


def drawn_nonce(nonce: Buffer | None, size: int, least: int = 1, most: int | None = None) -> bytes:
    """Returns the nonce, or `size` random bytes if it is None. Raises ValueError if it has less than
    `least` or more than `most` bytes.
    """
    if nonce is None:
        return os.urandom(size)
    found = bytes(_check.readable("nonce", nonce))
    if not found and least == 1:
        raise ValueError("Nonce cannot be empty")
    if len(found) < least or (most is not None and len(found) > most):
        allowed = (
            f"{least} bytes or more" if most is None else f"in the range {least}..{most} bytes"
        )
        raise ValueError(f"Length of parameter 'nonce' must be {allowed}, not {len(found)}")
    return found


def given_iv(options: dict[str, Any]) -> Buffer:
    """Takes `iv` or `IV` from the options, or draws 16 random bytes."""
    found = [options.pop(name, None) for name in ("iv", "IV")]
    if None not in found:
        raise TypeError("You must either use 'iv' or 'IV', not both")
    iv: Buffer | None = found[0] if found[1] is None else found[1]
    return os.urandom(BLOCK) if iv is None else iv


def block_iv(options: dict[str, Any]) -> bytes:
    """As `given_iv`, for an IV that must have 16 bytes."""
    iv = bytes(_check.readable("iv", given_iv(options)))
    if len(iv) != BLOCK:
        raise ValueError(f"Incorrect IV length (it must be {BLOCK} bytes long)")
    return iv


def check_output(output: Buffer | None, size: int) -> memoryview | None:
    """Returns the bytes of `output`. Raises TypeError if it is not writable, and ValueError if it
    does not have `size` bytes.
    """
    if output is None:
        return None
    try:
        view = _check.writable("output", output)
    except (BufferError, TypeError):
        raise TypeError("output must be a bytearray or a writeable memoryview") from None
    if len(view) != size:
        raise ValueError(f"output must have the same length as the input ({size} bytes)")
    return view


def give_out(result: bytes, target: memoryview | None) -> bytes | None:
    """Returns the result, or writes it to the target and returns None."""
    if target is None:
        return result
    target[:] = result
    return None


class Mode(OneAtATime):
    """A cipher for one message, which AES.new makes."""

    block_size: ClassVar[int] = BLOCK
    """Bytes in a block."""

    _backend: str

    @property
    def backend(self) -> str:
        """The name of the backend that computes with this key."""
        return self._backend


class ClassicMode(Mode):
    """A mode without authentication: all calls encrypt, or all decrypt."""

    @clean_traceback
    def __init__(self, key: Buffer, options: dict[str, Any]) -> None:
        super().__init__()
        backend = backend_option(options)
        self._aes = AES(checked_key(key), backend=backend)
        self._backend = self._aes.backend
        self._direction: str | None = None

    @in_turn
    def encrypt(self, plaintext: Buffer, output: Buffer | None = None) -> bytes | None:
        """Encrypts the next piece of the message.

        :param plaintext: the next bytes.
        :param output: a writable buffer as long as `plaintext`. It may be `plaintext`.
        :returns: as many bytes; None if `output` got them.
        :raises TypeError: after decrypt, or if `output` is not writable.
        :raises ValueError: if an argument has a size that is not allowed.
        """
        return self._step("encrypt", plaintext, output)

    @in_turn
    def decrypt(self, ciphertext: Buffer, output: Buffer | None = None) -> bytes | None:
        """Decrypts the next piece: the inverse of `encrypt`.

        :param ciphertext: the next bytes.
        :param output: as for `encrypt`.
        :returns: as `encrypt`.
        :raises TypeError: after encrypt, or if `output` is not writable.
        :raises ValueError: as `encrypt`.
        """
        return self._step("decrypt", ciphertext, output)

    def _step(self, direction: str, data: Buffer, output: Buffer | None) -> bytes | None:
        if self._direction not in (None, direction):
            raise TypeError(f"{direction}() cannot be called after {self._direction}()")
        view = _check.readable("data", data)
        target = check_output(output, len(view))
        self._check_size(len(view))
        self._direction = direction
        crypt = self._encrypt if direction == "encrypt" else self._decrypt
        return give_out(crypt(view), target)

    def _check_size(self, size: int) -> None:
        """Raises ValueError if a piece cannot have this size."""

    def _encrypt(self, data: bytes | memoryview) -> bytes:
        raise NotImplementedError

    def _decrypt(self, data: bytes | memoryview) -> bytes:
        raise NotImplementedError
