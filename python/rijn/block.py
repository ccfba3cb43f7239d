"""The block cipher AES in its raw modes: confidentiality without authentication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import registry
from ._key import Key

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .incremental import Incremental


class AES(Key):
    """AES (FIPS 197) in the modes ECB, CBC and CTR (NIST SP 800-38A).

    AES(key, *, backend=None)

    key      16, 24 or 32 bytes, for AES-128, AES-192 or AES-256.
    backend  the name of a rung (see rijn.backends()); None for the choice of
             rijn.use_backend, or of RIJN_BACKEND, or else the best.

    None of these modes notices altered data: unless a protocol asks for one of them,
    use AESGCM. IVs and counters are always given: there is no default.

    Every method takes any C-contiguous buffer (bytes, bytearray, memoryview, mmap,
    array, NumPy array) and leaves it as it is. An object never changes, so threads may
    share it. The class cannot be subclassed: what it makes belongs to the backend.

    The methods that end in -or return an object with update(data) -> bytes,
    update_into(data, buf) -> int and finalize() -> bytes, for messages that come in
    pieces of any size (rijn.incremental).

    Raises ValueError for wrong sizes, BackendError for the backend, TypeError for what
    is no buffer, BufferError for one that is not contiguous.
    """

    __slots__ = ()

    # Not Self: what it returns is always an instance of a subclass.
    def __new__(cls, key: Buffer, *, backend: str | None = None) -> AES:  # noqa: PYI034
        if cls is not AES:
            raise TypeError("rijn.AES cannot be subclassed")
        name = registry.resolve(backend)
        return registry.faces(name).AES(key, name)

    # ECB (SP 800-38A section 6.1)

    def ecb_encrypt(self, data: Buffer) -> bytes:
        """Each 16-byte block by itself: a building block, not a way to hide data, for
        equal blocks encrypt equally. `data` is a multiple of 16 bytes."""
        raise NotImplementedError

    def ecb_decrypt(self, data: Buffer) -> bytes:
        """Inverse of ecb_encrypt."""
        raise NotImplementedError

    def ecb_encryptor(self) -> Incremental:
        """ecb_encrypt in pieces."""
        from .incremental import EcbEncryptor

        return EcbEncryptor(self)

    def ecb_decryptor(self) -> Incremental:
        """ecb_decrypt in pieces."""
        from .incremental import EcbDecryptor

        return EcbDecryptor(self)

    # CBC (SP 800-38A section 6.2)

    def cbc_encrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        """Cipher block chaining. iv: 16 bytes that nobody can predict.

        pkcs7=False: `data` is a multiple of 16 bytes, and so many are returned.
        pkcs7=True: `data` has any size; 1 to 16 bytes of padding (RFC 5652 section 6.3)
        complete its last block, so that len(data) // 16 * 16 + 16 bytes are returned.
        """
        raise NotImplementedError

    def cbc_decrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        """Inverse of cbc_encrypt.

        pkcs7=True removes the padding, and raises ValueError("invalid padding") where
        there is none that is right. Whoever may send ciphertexts and sees that answer
        can decrypt everything by asking often (a padding oracle): authenticate first.
        """
        raise NotImplementedError

    def cbc_encryptor(self, iv: Buffer, *, pkcs7: bool = False) -> Incremental:
        """cbc_encrypt in pieces."""
        from .incremental import CbcEncryptor

        return CbcEncryptor(self, iv, pkcs7=pkcs7)

    def cbc_decryptor(self, iv: Buffer, *, pkcs7: bool = False) -> Incremental:
        """cbc_decrypt in pieces. With pkcs7=True the last block comes from finalize,
        which finds whether the padding is right when all else has been handed out."""
        from .incremental import CbcDecryptor

        return CbcDecryptor(self, iv, pkcs7=pkcs7)

    # CTR (SP 800-38A section 6.5)

    def ctr_encrypt(self, counter: Buffer, data: Buffer) -> bytes:
        """Counter mode: `data`, of any size, XORed with the encrypted counter blocks.

        counter: the first counter block, 16 bytes; one big-endian integer that grows by
        one a block and wraps from 2^128 - 1 to 0. No counter block may serve two blocks
        of data under one key: their difference would be seen.
        """
        raise NotImplementedError

    def ctr_decrypt(self, counter: Buffer, data: Buffer) -> bytes:
        """Inverse of ctr_encrypt, and the same operation."""
        raise NotImplementedError

    def ctr_encryptor(self, counter: Buffer) -> Incremental:
        """ctr_encrypt in pieces."""
        from .incremental import Ctr

        return Ctr(self, counter)

    def ctr_decryptor(self, counter: Buffer) -> Incremental:
        """ctr_decrypt in pieces."""
        return self.ctr_encryptor(counter)
