"""AES in its raw modes: confidentiality without authentication."""

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

    None of these modes detects altered data. Use AESGCM unless a protocol asks for one of them. IVs
    and counters have no defaults.

    Every method takes any C-contiguous buffer (bytes, bytearray, memoryview, mmap, array, NumPy
    array) and does not change it. An object never changes, so threads may share it. The class
    cannot be subclassed: an object belongs to a class of its backend.

    The methods that end in -or return an object with update(data) -> bytes,
    update_into(data, buf) -> int and finalize() -> bytes, for messages that come in pieces of any
    size (`rijn.incremental`).

    :param key: 16, 24 or 32 bytes, for AES-128, AES-192 or AES-256.
    :param backend: a name, or an item of `rijn.backends()`. None selects the backend of
        `rijn.use_backend`, or of RIJN_BACKEND, or else the best.
    :param strict: True: no branch, no look-up and no layout depends on the key or the data. The
        constant-time backends always work so. On python it takes more time (docs/pure-python.md)
        and does not promise constant time, because integers are as long as their values.
    :raises ValueError: if a size is not allowed, or the backend has no strict=True.
    :raises BackendError: if the backend is unknown or cannot run here.
    :raises TypeError: if an argument is not a buffer.
    :raises BufferError: if a buffer is not C-contiguous.
    """

    __slots__ = ()
    key_sizes = (16, 24, 32)

    # The result is an instance of the backend's subclass, never of a caller's class.
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
        """True if no branch, no look-up and no layout depends on the key or the data: on every
        constant-time backend, and on python if the key was made with strict=True.
        """
        return registry.is_constant_time(self.backend)

    # ECB (SP 800-38A section 6.1)

    def ecb_encrypt(self, data: Buffer) -> bytes:
        """Encrypts each 16-byte block separately.

        ECB is a building block and does not hide data: equal blocks encrypt equally.

        :param data: a multiple of 16 bytes.
        :returns: len(data) bytes.
        :raises ValueError: if `data` has another size.
        """
        raise NotMade

    def ecb_decrypt(self, data: Buffer) -> bytes:
        """Decrypts: the inverse of `ecb_encrypt`.

        :param data: a multiple of 16 bytes.
        :returns: len(data) bytes.
        :raises ValueError: if `data` has another size.
        """
        raise NotMade

    def ecb_encryptor(self) -> Incremental:
        """`ecb_encrypt` for a message in pieces.

        :returns: a `rijn.incremental.Incremental`.
        """
        return EcbEncryptor(self)

    def ecb_decryptor(self) -> Incremental:
        """`ecb_decrypt` for a message in pieces.

        :returns: a `rijn.incremental.Incremental`.
        """
        return EcbDecryptor(self)

    # CBC (SP 800-38A section 6.2)

    def cbc_encrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        """Encrypts in cipher block chaining.

        :param iv: 16 bytes that nobody can predict.
        :param data: a multiple of 16 bytes; with pkcs7=True, any size.
        :param pkcs7: True appends 1 to 16 bytes of padding (RFC 5652 section 6.3).
        :returns: len(data) bytes; with pkcs7=True, len(data) // 16 * 16 + 16 bytes.
        :raises ValueError: if `iv` or `data` has another size.
        """
        raise NotMade

    def cbc_decrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        """Decrypts: the inverse of `cbc_encrypt`.

        With pkcs7=True, anyone who can send ciphertexts and see whether the padding was valid can
        decrypt everything by asking often (a padding oracle). Authenticate first.

        :param iv: 16 bytes.
        :param data: a multiple of 16 bytes.
        :param pkcs7: True checks the padding and removes it.
        :returns: len(data) bytes; with pkcs7=True, 1 to 16 less.
        :raises ValueError: if `iv` or `data` has another size; "invalid padding" if the padding is
            not valid.
        """
        raise NotMade

    def cbc_encryptor(self, iv: Buffer, *, pkcs7: bool = False) -> Incremental:
        """`cbc_encrypt` for a message in pieces.

        :param iv: as for `cbc_encrypt`.
        :param pkcs7: as for `cbc_encrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if `iv` has another size.
        """
        return CbcEncryptor(self, iv, pkcs7=pkcs7)

    def cbc_decryptor(self, iv: Buffer, *, pkcs7: bool = False) -> Incremental:
        """`cbc_decrypt` for a message in pieces.

        With pkcs7=True, finalize returns the last block. It checks the padding after all the other
        plaintext has been returned.

        :param iv: as for `cbc_decrypt`.
        :param pkcs7: as for `cbc_decrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if `iv` has another size.
        """
        return CbcDecryptor(self, iv, pkcs7=pkcs7)

    # CFB (SP 800-38A section 6.3)

    def cfb_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Encrypts in cipher feedback of whole blocks (CFB128).

        :param iv: 16 bytes, never used twice under one key.
        :param data: any size. The last block may be shorter.
        :returns: len(data) bytes.
        :raises ValueError: if `iv` has another size.
        """
        raise NotMade

    def cfb_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Decrypts: the inverse of `cfb_encrypt`.

        :param iv: 16 bytes.
        :param data: any size.
        :returns: len(data) bytes.
        :raises ValueError: if `iv` has another size.
        """
        raise NotMade

    def cfb_encryptor(self, iv: Buffer) -> Incremental:
        """`cfb_encrypt` for a message in pieces.

        :param iv: as for `cfb_encrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if `iv` has another size.
        """
        return CfbEncryptor(self, iv)

    def cfb_decryptor(self, iv: Buffer) -> Incremental:
        """`cfb_decrypt` for a message in pieces.

        :param iv: as for `cfb_decrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if `iv` has another size.
        """
        return CfbDecryptor(self, iv)

    def cfb8_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Encrypts in cipher feedback of single bytes (CFB8). The cipher runs once for every byte.

        :param iv: 16 bytes, never used twice under one key.
        :param data: any size.
        :returns: len(data) bytes.
        :raises ValueError: if `iv` has another size.
        """
        raise NotMade

    def cfb8_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Decrypts: the inverse of `cfb8_encrypt`.

        :param iv: 16 bytes.
        :param data: any size.
        :returns: len(data) bytes.
        :raises ValueError: if `iv` has another size.
        """
        raise NotMade

    def cfb8_encryptor(self, iv: Buffer) -> Incremental:
        """`cfb8_encrypt` for a message in pieces.

        :param iv: as for `cfb8_encrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if `iv` has another size.
        """
        return Cfb8Encryptor(self, iv)

    def cfb8_decryptor(self, iv: Buffer) -> Incremental:
        """`cfb8_decrypt` for a message in pieces.

        :param iv: as for `cfb8_decrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if `iv` has another size.
        """
        return Cfb8Decryptor(self, iv)

    # OFB (SP 800-38A section 6.4)

    def ofb_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Encrypts in output feedback.

        :param iv: 16 bytes, never used twice under one key: two such messages reveal their
            difference.
        :param data: any size.
        :returns: len(data) bytes.
        :raises ValueError: if `iv` has another size.
        """
        raise NotMade

    def ofb_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Decrypts: the inverse of `ofb_encrypt`, and the same operation.

        :param iv: 16 bytes.
        :param data: any size.
        :returns: len(data) bytes.
        :raises ValueError: if `iv` has another size.
        """
        raise NotMade

    def ofb_encryptor(self, iv: Buffer) -> Incremental:
        """`ofb_encrypt` for a message in pieces.

        :param iv: as for `ofb_encrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if `iv` has another size.
        """
        return Ofb(self, iv)

    def ofb_decryptor(self, iv: Buffer) -> Incremental:
        """`ofb_decrypt` for a message in pieces.

        :param iv: as for `ofb_decrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if `iv` has another size.
        """
        return self.ofb_encryptor(iv)

    # IGE (Infinite Garble Extension: C. Campbell, 1977), as in OpenSSL and Telegram

    def ige_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Encrypts in infinite garble extension: `C_i = E(P_i + C_(i-1)) + P_(i-1)`.

        :param iv: 32 bytes: C_0 followed by P_0.
        :param data: a multiple of 16 bytes.
        :returns: len(data) bytes.
        :raises ValueError: if `iv` or `data` has another size.
        """
        raise NotMade

    def ige_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        """Decrypts: the inverse of `ige_encrypt`.

        :param iv: 32 bytes.
        :param data: a multiple of 16 bytes.
        :returns: len(data) bytes.
        :raises ValueError: if `iv` or `data` has another size.
        """
        raise NotMade

    def ige_encryptor(self, iv: Buffer) -> Incremental:
        """`ige_encrypt` for a message in pieces.

        :param iv: as for `ige_encrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if `iv` has another size.
        """
        return IgeEncryptor(self, iv)

    def ige_decryptor(self, iv: Buffer) -> Incremental:
        """`ige_decrypt` for a message in pieces.

        :param iv: as for `ige_decrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if `iv` has another size.
        """
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
        """Encrypts in counter mode: XORs `data` with the encrypted counter blocks.

        No counter block may serve two blocks of data under one key, or their difference is
        revealed. The counter grows by one for each block, and wraps to 0:

        =========  ======  ==========================================
        byteorder  width   counter
        =========  ======  ==========================================
        "big"      128     the whole block, as a big-endian integer
        "big"      64, 32  its last 8 or 4 bytes; the others stay
        "little"   128     the whole block, as a little-endian integer
        "little"   64, 32  its first 8 or 4 bytes; the others stay
        =========  ======  ==========================================

        :param counter: 16 bytes, the first counter block.
        :param data: any size, at most 2^width blocks.
        :param width: bits of the counter.
        :param byteorder: byte order of the counter.
        :param threads: 1 to 1024 threads share data of 2 MiB or more. A backend in Python uses one.
        :returns: len(data) bytes.
        :raises ValueError: if an argument has a size or value that is not allowed.
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
        """Decrypts: the inverse of `ctr_encrypt`, and the same operation.

        :param counter: as for `ctr_encrypt`.
        :param data: as for `ctr_encrypt`.
        :param width: as for `ctr_encrypt`.
        :param byteorder: as for `ctr_encrypt`.
        :param threads: as for `ctr_encrypt`.
        :returns: len(data) bytes.
        :raises ValueError: as `ctr_encrypt`.
        """
        raise NotMade

    def ctr_encryptor(
        self, counter: Buffer, *, width: Width = 128, byteorder: Byteorder = "big"
    ) -> Incremental:
        """`ctr_encrypt` for a message in pieces.

        :param counter: as for `ctr_encrypt`.
        :param width: as for `ctr_encrypt`.
        :param byteorder: as for `ctr_encrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: if an argument has a size or value that is not allowed.
        """
        return Ctr(self, counter, width, byteorder)

    def ctr_decryptor(
        self, counter: Buffer, *, width: Width = 128, byteorder: Byteorder = "big"
    ) -> Incremental:
        """`ctr_decrypt` for a message in pieces.

        :param counter: as for `ctr_encrypt`.
        :param width: as for `ctr_encrypt`.
        :param byteorder: as for `ctr_encrypt`.
        :returns: a `rijn.incremental.Incremental`.
        :raises ValueError: as `ctr_encryptor`.
        """
        return self.ctr_encryptor(counter, width=width, byteorder=byteorder)


class AESXTS(Key):
    """AES-XTS (IEEE 1619, NIST SP 800-38E), for the sectors of a disk.

    XTS does not detect altered data, or an old sector that was put back. An object never changes,
    so threads may share it.

    :param key: 32 or 64 bytes, for AES-128 or AES-256: a key for the data and one for the tweak.
        The two must differ.
    :param backend: a name, or an item of `rijn.backends()`. None selects the backend of
        `rijn.use_backend`, or of RIJN_BACKEND, or else the best.
    :raises ValueError: if a size is not allowed, or the two keys are the same.
    :raises BackendError: if the backend is unknown or cannot run here.
    :raises TypeError: if an argument is not a buffer.
    :raises BufferError: if a buffer is not C-contiguous.
    """

    __slots__ = ()
    key_sizes = (32, 64)
    data_max = 2**24  # 2^20 blocks, SP 800-38E section 4

    @clean_traceback
    def __new__(cls, key: Buffer, *, backend: str | Backend | None = None) -> Self:
        backend_class, name = registry.choose(cls, backend)
        return backend_class(key, name)

    def encrypt(self, tweak: Buffer, data: Buffer, *, threads: int = 1) -> bytes:
        """Encrypts one data unit, such as a sector.

        :param tweak: 16 bytes, usually the number of the sector, little-endian.
        :param data: 16 to 2^24 bytes. If the last block is shorter, it shares bytes with the block
            before (ciphertext stealing).
        :param threads: 1 to 1024 threads share data of 2 MiB or more. A backend in Python uses one.
        :returns: len(data) bytes.
        :raises ValueError: if an argument has another size.
        """
        raise NotMade

    def decrypt(self, tweak: Buffer, data: Buffer, *, threads: int = 1) -> bytes:
        """Decrypts: the inverse of `encrypt`.

        :param tweak: as for `encrypt`.
        :param data: 16 to 2^24 bytes.
        :param threads: as for `encrypt`.
        :returns: len(data) bytes.
        :raises ValueError: if an argument has another size.
        """
        raise NotMade
