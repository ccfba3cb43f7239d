"""The binding of librijn (src/, include/rijn.h). Private: rijn.AES and
rijn.AESGCM choose between these classes and the pure-Python ones.

Every `Buffer` argument is any C-contiguous buffer. Results are fresh bytes,
allocated once. Argument errors are ValueError (TypeError for a wrong type,
BufferError for a buffer that is not contiguous or not writable), with the size
that was given and the sizes that are right in the message.
"""

from typing import Final, Self, final

from _typeshed import structseq
from typing_extensions import Buffer, disjoint_base

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
        """Why it cannot run here; "" when it can."""
    @property
    def available(self) -> bool: ...
    @property
    def constant_time(self) -> bool: ...
    @property
    def automatic(self) -> bool: ...
    @property
    def blocks(self) -> int:
        """AES blocks in flight."""

def backends() -> list[BackendInfo]:
    """The C backends of this build, preferred first."""

def limit_cpu(mask: int) -> None:
    """For tests: hide the CPU features whose RIJN_CPU_* bit is not in mask (cpu.h)."""

@disjoint_base
class AES:
    """One expanded key. Raw modes; no copy, no pickle; wiped when collected."""

    def __new__(cls, key: Buffer, backend: str) -> Self: ...
    @property
    def backend(self) -> str: ...
    def ecb_encrypt(self, data: Buffer) -> bytes: ...
    def ecb_decrypt(self, data: Buffer) -> bytes: ...
    def cbc_encrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes: ...
    def cbc_decrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes: ...
    def ctr_encrypt(self, counter: Buffer, data: Buffer) -> bytes: ...
    def ctr_decrypt(self, counter: Buffer, data: Buffer) -> bytes: ...

@disjoint_base
class AESGCM:
    """One expanded key; result = ciphertext || tag. Wiped when collected."""

    def __new__(cls, key: Buffer, backend: str, tag_length: int = 16) -> Self: ...
    @property
    def backend(self) -> str: ...
    @property
    def tag_length(self) -> int: ...
    def encrypt(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None
    ) -> bytes: ...
    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """InvalidTag also when data is shorter than a tag."""

    # buf begins where data begins or lies apart from it, and has exactly the
    # size of the result. InvalidTag: buf is zeros, or untouched when data is
    # shorter than a tag.
    def encrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int: ...
    def decrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int: ...
    def seal_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        """rijn_gcm_seal_chunks into buf, which lies apart from data and has exactly the
        size of the result; returns that size. ValueError unless tag_length is 16."""

    def open_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        """rijn_gcm_open_chunks, likewise. A bad tag raises InvalidTag whose attribute
        `chunk` is the number of the first bad chunk; buf is zeros then."""
