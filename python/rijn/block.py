"""The block cipher AES in its raw modes: confidentiality without authentication."""

from __future__ import annotations

from typing import Self

from . import _check, registry
from ._check import Buffer, Byteorder, Width
from ._key import Key, NotMade
from ._traceback import clean_traceback
from .incremental import (
    CbcDecryptor,
    CbcEncryptor,
    Cfb8Decryptor,
    Cfb8Encryptor,
    CfbDecryptor,
    CfbEncryptor,
    Ctr,
    EcbDecryptor,
    EcbEncryptor,
    IgeDecryptor,
    IgeEncryptor,
    Incremental,
    Ofb,
)
from .registry import Backend


class AES(Key):
    """AES (FIPS 197) in the modes ECB, CBC, CFB, OFB and CTR (NIST SP 800-38A), and IGE.

    AES(key, *, backend=None, strict=False)

    key      16, 24 or 32 bytes, for AES-128, AES-192 or AES-256.
    backend  the name or the record of a backend (see rijn.backends()); None for the choice of
             rijn.use_backend, or of RIJN_BACKEND, or else the best.
    strict   True: no branch, no look-up and no layout depends on the key or the data. The
             constant-time backends are so anyway; on python it takes more time
             (docs/pure-python.md), and is no promise of constant time: integers are as
             long as their values. Other backends raise ValueError. Also a property: whether
             it is so.

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
    key_sizes = (16, 24, 32)

    # Not Self of a caller's class: what it returns is an instance of a backend's subclass.
    @clean_traceback
    def __new__(
        cls, key: Buffer, *, backend: str | Backend | None = None, strict: bool = False
    ) -> Self:
        backend_class, name = registry.choose(cls, backend)
        if _check.flag("strict", strict) and registry.needs_masks(name):
            return backend_class(key, name, strict=True)
        return backend_class(key, name)

    @property
    def strict(self) -> bool:
        """Whether no branch, no look-up and no layout depends on the key or the data: True on
        a constant-time backend, and on python where it was asked for."""
        return registry.is_constant_time(self.backend)

    # ECB (SP 800-38A section 6.1)

    def ecb_encrypt(self, data: Buffer) -> bytes:
        """Each 16-byte block by itself: a building block, not a way to hide data, for
        equal blocks encrypt equally. `data` is a multiple of 16 bytes, and so many are
        returned. Raises ValueError for another size."""
        raise NotMade

    def ecb_decrypt(self, data: Buffer) -> bytes:
        """Inverse of ecb_encrypt, with the same sizes: returns len(data) bytes, raises
        ValueError."""
        raise NotMade

    def ecb_encryptor(self) -> Incremental:
        """ecb_encrypt in pieces: returns a rijn.incremental.Incremental."""
        return EcbEncryptor(self)

    def ecb_decryptor(self) -> Incremental:
        """ecb_decrypt in pieces: returns a rijn.incremental.Incremental."""
        return EcbDecryptor(self)

    # CBC (SP 800-38A section 6.2)

    def cbc_encrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        """Cipher block chaining. iv: 16 bytes that nobody can predict.

        pkcs7=False: `data` is a multiple of 16 bytes, and so many are returned.
        pkcs7=True: `data` has any size; 1 to 16 bytes of padding (RFC 5652 section 6.3)
        complete its last block, so that len(data) // 16 * 16 + 16 bytes are returned.

        Raises ValueError for an iv or data of another size.
        """
        raise NotMade

    def cbc_decrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        """Inverse of cbc_encrypt: returns len(data) bytes, or with pkcs7=True 1 to 16 less.
        Raises ValueError for an iv or data of another size.

        pkcs7=True removes the padding, and raises ValueError("invalid padding") where
        there is none that is right. Whoever may send ciphertexts and sees that answer
        can decrypt everything by asking often (a padding oracle): authenticate first.
        """
        raise NotMade

    def cbc_encryptor(self, iv: Buffer, *, pkcs7: bool = False) -> Incremental:
        """cbc_encrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for an iv of another size."""
        return CbcEncryptor(self, iv, pkcs7=pkcs7)

    def cbc_decryptor(self, iv: Buffer, *, pkcs7: bool = False) -> Incremental:
        """cbc_decrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for an iv of another size. With pkcs7=True the last block comes from finalize,
        which finds whether the padding is right when all else has been handed out."""
        return CbcDecryptor(self, iv, pkcs7=pkcs7)

    # CFB (SP 800-38A section 6.3)

    def cfb_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Cipher feedback of whole blocks (CFB128). iv: 16 bytes, never twice under one
        key. `data` has any size: its last block may be shorter; as many bytes are returned.
        Raises ValueError for an iv of another size."""
        raise NotMade

    def cfb_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Inverse of cfb_encrypt, with the same sizes: returns len(data) bytes, raises
        ValueError."""
        raise NotMade

    def cfb_encryptor(self, iv: Buffer) -> Incremental:
        """cfb_encrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for an iv of another size."""
        return CfbEncryptor(self, iv)

    def cfb_decryptor(self, iv: Buffer) -> Incremental:
        """cfb_decrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for an iv of another size."""
        return CfbDecryptor(self, iv)

    def cfb8_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Cipher feedback of single bytes (CFB8): the cipher runs once for every byte.
        iv: 16 bytes, never twice under one key. `data` has any size; as many bytes are
        returned. Raises ValueError for an iv of another size."""
        raise NotMade

    def cfb8_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Inverse of cfb8_encrypt, with the same sizes: returns len(data) bytes, raises
        ValueError."""
        raise NotMade

    def cfb8_encryptor(self, iv: Buffer) -> Incremental:
        """cfb8_encrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for an iv of another size."""
        return Cfb8Encryptor(self, iv)

    def cfb8_decryptor(self, iv: Buffer) -> Incremental:
        """cfb8_decrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for an iv of another size."""
        return Cfb8Decryptor(self, iv)

    # OFB (SP 800-38A section 6.4)

    def ofb_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Output feedback. iv: 16 bytes, never twice under one key: two such messages
        give away their difference. `data` has any size; as many bytes are returned. Raises
        ValueError for an iv of another size."""
        raise NotMade

    def ofb_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Inverse of ofb_encrypt, and the same operation: returns and raises the same."""
        raise NotMade

    def ofb_encryptor(self, iv: Buffer) -> Incremental:
        """ofb_encrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for an iv of another size."""
        return Ofb(self, iv)

    def ofb_decryptor(self, iv: Buffer) -> Incremental:
        """ofb_decrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for an iv of another size."""
        return self.ofb_encryptor(iv)

    # IGE (Infinite Garble Extension: C. Campbell, 1977), as in OpenSSL and Telegram

    def ige_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """C_i = E(P_i + C_(i-1)) + P_(i-1). iv: 32 bytes, C_0 followed by P_0. `data` is a
        multiple of 16 bytes, and so many are returned. Raises ValueError for an iv or data of
        another size."""
        raise NotMade

    def ige_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Inverse of ige_encrypt, with the same sizes: returns len(data) bytes, raises
        ValueError."""
        raise NotMade

    def ige_encryptor(self, iv: Buffer) -> Incremental:
        """ige_encrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for an iv of another size."""
        return IgeEncryptor(self, iv)

    def ige_decryptor(self, iv: Buffer) -> Incremental:
        """ige_decrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for an iv of another size."""
        return IgeDecryptor(self, iv)

    # CTR (SP 800-38A section 6.5)

    def ctr_encrypt(
        self,
        counter: Buffer,
        data: Buffer,
        *,
        width: Width = 128,
        byteorder: Byteorder = "big",
        threads: int = 1,
    ) -> bytes:
        """Counter mode: `data`, of any size, XORed with the encrypted counter blocks.

        counter: the first counter block, 16 bytes, which grows by one a block.

            byteorder  width   what counts, and wraps to 0
            "big"      128     the whole block, as a big-endian integer
            "big"      64, 32  its last 8 or 4 bytes; the others stay
            "little"   128     the whole block, as a little-endian integer
            "little"   64, 32  its first 8 or 4 bytes; the others stay

        No counter block may serve two blocks of data under one key: their difference
        would be seen. Returns len(data) bytes. Raises ValueError for a counter of another size,
        another width or byteorder, and `data` of more than 2^width blocks.

        threads: how many work at once on `data` of 2 MiB or more, each on a part; a
        backend in Python has one.
        """
        raise NotMade

    def ctr_decrypt(
        self,
        counter: Buffer,
        data: Buffer,
        *,
        width: Width = 128,
        byteorder: Byteorder = "big",
        threads: int = 1,
    ) -> bytes:
        """Inverse of ctr_encrypt, and the same operation: returns and raises the same."""
        raise NotMade

    def ctr_encryptor(
        self, counter: Buffer, *, width: Width = 128, byteorder: Byteorder = "big"
    ) -> Incremental:
        """ctr_encrypt in pieces: returns a rijn.incremental.Incremental. Raises ValueError
        for a counter of another size, another width or byteorder."""
        return Ctr(self, counter, width, byteorder)

    def ctr_decryptor(
        self, counter: Buffer, *, width: Width = 128, byteorder: Byteorder = "big"
    ) -> Incremental:
        """ctr_decrypt in pieces: returns and raises what ctr_encryptor does."""
        return self.ctr_encryptor(counter, width=width, byteorder=byteorder)


class AESXTS(Key):
    """AES-XTS (IEEE 1619, NIST SP 800-38E), for the sectors of a disk.

    AESXTS(key, *, backend=None)

    key      32 or 64 bytes, for AES-128 or AES-256: a key for the data and one for the
             tweak, which must differ.
    backend  the name or the record of a backend (see rijn.backends()); None for the choice of
             rijn.use_backend, or of RIJN_BACKEND, or else the best.

    Alterations are not noticed, and an old sector put back neither. An object never
    changes, so threads may share it.

    Raises ValueError for wrong sizes, BackendError for the backend, TypeError and
    BufferError for what is no C-contiguous buffer.
    """

    __slots__ = ()
    key_sizes = (32, 64)
    data_max = 2**24  # 2^20 blocks, SP 800-38E section 4

    @clean_traceback
    def __new__(cls, key: Buffer, *, backend: str | Backend | None = None) -> Self:
        backend_class, name = registry.choose(cls, backend)
        return backend_class(key, name)

    def encrypt(self, tweak: Buffer, data: Buffer, *, threads: int = 1) -> bytes:
        """tweak: 16 bytes, as a rule the number of the sector, little-endian. `data` has 16
        to 2^24 bytes; where they are no whole number of blocks, the last two share bytes
        (ciphertext stealing). As many bytes are returned. Raises ValueError for other sizes.

        threads: how many work at once on `data` of 2 MiB or more, each on a part, 1 to 1024; a
        backend in Python has one.
        """
        raise NotMade

    def decrypt(self, tweak: Buffer, data: Buffer, *, threads: int = 1) -> bytes:
        """Inverse of encrypt, with the same sizes: returns len(data) bytes, raises ValueError;
        threads as there."""
        raise NotMade
