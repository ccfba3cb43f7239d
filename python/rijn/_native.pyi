"""The binding of librijn (c/include/rijn.h), made from python/binding. Private: the public
classes choose between these classes and the pure-Python ones. The docstrings of the pure-Python
classes describe each method.

Every `Buffer` argument is any C-contiguous buffer. Results are new bytes objects, allocated once.
A bad argument raises ValueError. A wrong type raises TypeError. A buffer that is not contiguous
or not writable raises BufferError. The message has the given size and the allowed sizes.
"""

from collections.abc import Sequence
from typing import Final, NoReturn, Self, final, type_check_only

from _typeshed import structseq
from typing_extensions import Buffer, disjoint_base

from ._check import Byteorder, Width
from .many import Messages, Results

version: str

@final
class BackendInfo(structseq[str | bool | int], tuple[str, str, str, bool, bool, bool, int]):
    """One C backend."""

    __match_args__: Final = (
        "name",
        "summary",
        "reason",
        "available",
        "constant_time",
        "automatic",
        "blocks",
    )

    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def reason(self) -> str:
        """Why it cannot run here; "" if it can."""
    @property
    def available(self) -> bool: ...
    @property
    def constant_time(self) -> bool: ...
    @property
    def automatic(self) -> bool: ...
    @property
    def blocks(self) -> int:
        """AES blocks that it processes at once."""

def backends() -> list[BackendInfo]:
    """Returns the C backends of this build, the preferred one first."""

def aegis_kernels() -> list[tuple[str, str, bool, str, str]]:
    """Returns the AEGIS kernels: (name, backend, available, reason, summary)."""

def document(type: type, method: str, text: str, /) -> None:
    """Gives a method of a type here its docstring, unless it has one. Raises ValueError if the type
    does not have the method."""

def forked() -> None:
    """For os.register_at_fork: from now on, refuses a Stream that another process made."""

def environment() -> str:
    """Returns RIJN_BACKEND, read as secure_getenv does; "" if it is unset or must be ignored."""

def limit_cpu(mask: int) -> None:
    """For tests: hides the CPU features whose bit is not in mask (RIJN_CPU in rijn_machine.h)."""

# Rows of columns. rijn.columns.rows_pure documents them.

def prefixed(
    prefix: Buffer, data: Buffer, offsets: Buffer, lengths: bool, /
) -> tuple[bytes, memoryview]: ...
def padded(data: Buffer, offsets: Buffer, step: int, /) -> tuple[bytes, memoryview]: ...
def unpadded(data: Buffer, offsets: Buffer, /) -> tuple[bytes, memoryview, list[int]]: ...
def present(
    data: Buffer, offsets: Buffer, validity: Buffer, bit_offset: int, /
) -> tuple[bytes, memoryview]: ...
def viewed(
    views: Buffer, buffers: Sequence[Buffer], validity: Buffer | None, bit_offset: int, /
) -> tuple[bytes, memoryview]: ...
def taken(
    data: Buffer,
    offsets: Buffer,
    indices: Buffer,
    validity: Buffer | None,
    bit_offset: int,
    /,
) -> tuple[bytes, memoryview]: ...
def merged(
    which: Buffer, columns: Sequence[tuple[Buffer, Buffer]], /
) -> tuple[bytes, memoryview]: ...
def unprefixed(data: Buffer, offsets: Buffer, size: int, /) -> tuple[bytes, memoryview]: ...
def marked(data: Buffer, offsets: Buffer, prefixes: Sequence[Buffer], /) -> bytes: ...
def spread(offsets: Buffer, validity: Buffer, bit_offset: int, count: int, /) -> memoryview: ...
def spaced(width: int, count: int, /) -> memoryview: ...

@disjoint_base
class AES:
    """One expanded key with raw modes. No copy, no pickle. Wiped when collected."""

    def __new__(cls, key: Buffer, backend: str) -> Self: ...
    @property
    def backend(self) -> str: ...
    def ecb_encrypt(self, data: Buffer) -> bytes: ...
    def ecb_decrypt(self, data: Buffer) -> bytes: ...
    def cbc_encrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes: ...
    def cbc_decrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes: ...
    def cfb_encrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def cfb_decrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def cfb8_encrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def cfb8_decrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def ofb_encrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def ofb_decrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def ige_encrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def ige_decrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def ctr_encrypt(
        self,
        counter: Buffer,
        data: Buffer,
        *,
        width: Width = 128,
        byteorder: Byteorder = "big",
        threads: int = 1,
    ) -> bytes: ...
    def ctr_decrypt(
        self,
        counter: Buffer,
        data: Buffer,
        *,
        width: Width = 128,
        byteorder: Byteorder = "big",
        threads: int = 1,
    ) -> bytes: ...

@disjoint_base
class AESXTS:
    def __new__(cls, key: Buffer, backend: str) -> Self: ...
    @property
    def backend(self) -> str: ...
    def encrypt(self, tweak: Buffer, data: Buffer, *, threads: int = 1) -> bytes: ...
    def decrypt(self, tweak: Buffer, data: Buffer, *, threads: int = 1) -> bytes: ...

# Methods that the authenticated ciphers share. These classes do not exist at run time.

@type_check_only
class _Many:
    def encrypt_many(
        self,
        data: Messages,
        *,
        nonces: Buffer | Sequence[Buffer] | None = None,
        first_nonce: Buffer | None = None,
        associated_data: Buffer | Messages | None = None,
        prepend_nonce: bool = False,
        threads: int = 1,
    ) -> Results: ...
    def decrypt_many(
        self,
        data: Messages,
        *,
        nonces: Buffer | Sequence[Buffer] | None = None,
        first_nonce: Buffer | None = None,
        associated_data: Buffer | Messages | None = None,
        failed: list[int] | None = None,
        threads: int = 1,
    ) -> Results: ...

@type_check_only
class _Sealer(_Many):
    """One expanded key. Results are ciphertext || tag. Wiped when collected."""

    def __new__(cls, key: Buffer, backend: str, tag_length: int = 16) -> Self: ...
    @property
    def backend(self) -> str: ...
    @property
    def tag_length(self) -> int: ...
    def encrypt(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None
    ) -> bytes: ...
    def decrypt(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None
    ) -> bytes: ...
    def encrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int: ...
    def decrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int: ...
    def encrypt_detached(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None
    ) -> tuple[bytes, bytes]: ...
    def decrypt_detached(
        self, nonce: Buffer, data: Buffer, tag: Buffer, associated_data: Buffer | None = None
    ) -> bytes: ...

@type_check_only
class _Online(_Sealer):
    def _stream(self, nonce: Buffer, associated_data: Buffer | None, opening: bool) -> Stream: ...

@type_check_only
class _Chunked(_Online):
    def seal_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int: ...
    def open_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int: ...

@type_check_only
class _AEGIS(_Chunked):
    @property
    def kernel(self) -> str: ...
    def unauthenticated_keystream(self, nonce: Buffer, size: int) -> bytes: ...

@type_check_only
class _ShortNonces(_Online):
    """A cipher that takes short nonces only with short_nonces=True."""

    def __new__(
        cls, key: Buffer, backend: str, tag_length: int = 16, short_nonces: bool = False
    ) -> Self: ...

@disjoint_base
class AESGCM(_ShortNonces, _Chunked):
    def encrypt(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> bytes: ...
    def decrypt(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> bytes: ...
    def encrypt_into(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None,
        buf: Buffer,
        *,
        threads: int = 1,
    ) -> int: ...
    def decrypt_into(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None,
        buf: Buffer,
        *,
        threads: int = 1,
    ) -> int: ...
    def encrypt_detached(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> tuple[bytes, bytes]: ...
    def decrypt_detached(
        self,
        nonce: Buffer,
        data: Buffer,
        tag: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> bytes: ...

@disjoint_base
class AESGCMSIV(_Sealer): ...

@disjoint_base
class XAES256GCM(_Online): ...

@disjoint_base
class AESCCM(_Sealer): ...

@disjoint_base
class AESOCB3(_ShortNonces): ...

@disjoint_base
class AESEAX(_ShortNonces): ...

@disjoint_base
class AEGIS128L(_AEGIS): ...

@disjoint_base
class AEGIS128X2(_AEGIS): ...

@disjoint_base
class AEGIS128X4(_AEGIS): ...

@disjoint_base
class AEGIS256(_AEGIS): ...

@disjoint_base
class AEGIS256X2(_AEGIS): ...

@disjoint_base
class AEGIS256X4(_AEGIS): ...

@final
class Stream:
    """A message in pieces, for one thread at a time. Pieces of AESOCB3 are whole blocks, except
    the last one. Decrypted data is not authenticated until verify has returned."""

    def crypt(self, data: Buffer, /) -> bytes: ...
    def crypt_into(self, data: Buffer, buf: Buffer) -> int: ...
    def tag(self) -> bytes: ...
    def verify(self, tag: Buffer, /) -> None: ...
    def __reduce__(self) -> NoReturn: ...

@disjoint_base
class AESSIV(_Many):
    def __new__(cls, key: Buffer, backend: str) -> Self: ...
    @property
    def backend(self) -> str: ...
    def encrypt(self, data: Buffer, associated_data: Sequence[Buffer] | None = None) -> bytes: ...
    def decrypt(self, data: Buffer, associated_data: Sequence[Buffer] | None = None) -> bytes: ...
    def encrypt_into(
        self, data: Buffer, associated_data: Sequence[Buffer] | None, buf: Buffer
    ) -> int: ...
    def decrypt_into(
        self, data: Buffer, associated_data: Sequence[Buffer] | None, buf: Buffer
    ) -> int: ...
    def encrypt_detached(
        self, data: Buffer, associated_data: Sequence[Buffer] | None = None
    ) -> tuple[bytes, bytes]: ...
    def decrypt_detached(
        self, data: Buffer, tag: Buffer, associated_data: Sequence[Buffer] | None = None
    ) -> bytes: ...

@disjoint_base
class CMAC:
    def __new__(cls, key: Buffer, backend: str) -> Self: ...
    @property
    def backend(self) -> str: ...
    def update(self, data: Buffer, /) -> None: ...
    def finalize(self) -> bytes: ...
    def verify(self, tag: Buffer, /) -> None: ...
    def copy(self) -> Self: ...

@disjoint_base
class AEGISMAC:
    def __new__(
        cls, key: Buffer, backend: str, nonce: Buffer, algorithm: str, tag_length: int
    ) -> Self: ...
    @property
    def backend(self) -> str: ...
    @property
    def kernel(self) -> str: ...
    def update(self, data: Buffer, /) -> None: ...
    def finalize(self) -> bytes: ...
    def verify(self, tag: Buffer, /) -> None: ...
    def copy(self) -> Self: ...

@disjoint_base
class KeyWrap:
    def __new__(cls, key: Buffer, backend: str) -> Self: ...
    @property
    def backend(self) -> str: ...
    def wrap(self, data: Buffer) -> bytes: ...
    def unwrap(self, data: Buffer) -> bytes: ...
    def wrap_padded(self, data: Buffer) -> bytes: ...
    def unwrap_padded(self, data: Buffer) -> bytes: ...
