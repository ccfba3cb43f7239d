"""AEGIS, step by step: RFC 10032.

The functions have the names of the RFC and change its state V: V[j][i] is AES block j of lane i, of
D lanes. AEGIS-128L and AEGIS-256 are the parallel modes with D = 1 (section 5.6). Sizes are in
bytes, where the RFC counts bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import ClassVar

from .aes import AddRoundKey, MixColumns, ShiftRows, SubBytes, from_state, to_state
from .modes import BLOCK, Bytes, xor
from .pieces import Online

# ---- Section 2: conventions -----------------------------------------------------------

C0 = bytes.fromhex("000101020305080d1522375990e97962")
C1 = bytes.fromhex("db3d18556dc22ff12011314273b528dd")


def AND(left: bytes, right: bytes) -> bytes:
    return bytes(a & b for a, b in zip(left, right, strict=True))


def add(*blocks: bytes) -> bytes:
    """Returns the XOR of blocks."""
    total = bytes(BLOCK)
    for block in blocks:
        total = xor(total, block)
    return total


def LE64(x: int) -> bytes:
    return x.to_bytes(8, "little")


def ZeroPad(x: bytes, n: int) -> bytes:
    return x + bytes(-len(x) % n)


def Split(x: bytes, n: int) -> list[bytes]:
    """Ignores partial blocks."""
    return [x[i : i + n] for i in range(0, len(x) - n + 1, n)]


def AESRound(block: bytes, rk: bytes) -> bytes:
    """A round of FIPS 197 section 5.1."""
    state = MixColumns(ShiftRows(SubBytes(to_state(block))))
    return from_state(AddRoundKey(state, [list(word) for word in Split(rk, 4)]))


# ---- Sections 3 to 5 ------------------------------------------------------------------


class Parallel(ABC):
    """The base of AEGIS-128X and AEGIS-256X. An object is one message."""

    blocks: ClassVar[int]  # of the state of a lane
    absorbed: ClassVar[int]  # blocks that a lane absorbs at once

    def __init__(self, D: int, tag_length: int) -> None:
        self.D = D
        self.tag_length = tag_length
        self.R = BLOCK * self.absorbed * D
        self.V: list[list[bytes]] = []

    @abstractmethod
    def Init(self, key: bytes, nonce: bytes) -> None: ...

    @abstractmethod
    def Update(self, *M: bytes) -> None:
        """Sections 5.4.1 and 5.5.1: M0 and M1, or M, each of D blocks."""

    @abstractmethod
    def z(self) -> bytes:
        """The keystream of Enc, Dec and DecPartial: z0 || z1, or z."""

    @abstractmethod
    def lane_tag(self, i: int) -> bytes:
        """Returns the tag of lane i. Finalize adds the tags of all lanes."""

    @abstractmethod
    def mask(self, u: bytes) -> None:
        """Does Repeat(7, Update(t, t)), where t is u added to a block of each lane."""

    def add_contexts(self, *blocks: int) -> None:
        """Adds ctx[i] to these blocks of every lane i."""
        for i in range(self.D):
            ctx = ZeroPad(bytes([i, self.D - 1]), BLOCK)
            for j in blocks:
                self.V[j][i] = xor(self.V[j][i], ctx)

    def rounds(self, *M: bytes) -> None:
        """Does AESRound(V[j-1,i], V[j,i]) for every block. M[n] is added to block 4n."""
        into = {4 * n: Split(m, BLOCK) for n, m in enumerate(M)}
        none = [bytes(BLOCK)] * self.D
        self.V = [
            [
                AESRound(self.V[j - 1][i], xor(self.V[j][i], into.get(j, none)[i]))
                for i in range(self.D)
            ]
            for j in range(self.blocks)
        ]

    def Absorb(self, ai: bytes) -> None:
        self.Update(*Split(ai, self.R // self.absorbed))

    def Enc(self, xi: bytes) -> bytes:
        ci = xor(xi, self.z())
        self.Absorb(xi)
        return ci

    def Dec(self, ci: bytes) -> bytes:
        xi = xor(ci, self.z())
        self.Absorb(xi)
        return xi

    def DecPartial(self, cn: bytes) -> bytes:
        out = xor(ZeroPad(cn, self.R), self.z())
        xn = out[: len(cn)]
        self.Absorb(ZeroPad(xn, self.R))
        return xn

    def Finalize(self, ad_len: int, msg_len: int) -> bytes:
        self.mask(LE64(8 * ad_len) + LE64(8 * msg_len))
        tag = bytes(self.tag_length)
        for i in range(self.D):
            tag = xor(tag, self.lane_tag(i))
        return tag

    def FinalizeMac(self, data_len: int) -> bytes:
        """Sections 8.3.2 and 8.4.2; with D = 1, Finalize of sections 8.1 and 8.2."""
        self.mask(LE64(8 * data_len) + LE64(8 * self.tag_length))
        tags = b"".join(self.lane_tag(i) for i in range(self.first_absorbed(), self.D))
        if self.D > 1:
            for v in Split(tags, BLOCK * self.absorbed):
                self.Absorb(b"".join(ZeroPad(x, BLOCK * self.D) for x in Split(v, BLOCK)))
            self.mask(LE64(self.D) + LE64(8 * self.tag_length))
        return self.lane_tag(0)

    def first_absorbed(self) -> int:
        """The first lane whose tag FinalizeMac absorbs."""
        return 1

    def Encrypt(self, msg: bytes, ad: bytes, key: bytes, nonce: bytes) -> tuple[bytes, bytes]:
        """Section 5.2."""
        self.Init(key, nonce)
        for ai in Split(ZeroPad(ad, self.R), self.R):
            self.Absorb(ai)
        ct = b"".join([self.Enc(xi) for xi in Split(ZeroPad(msg, self.R), self.R)])
        tag = self.Finalize(len(ad), len(msg))
        return ct[: len(msg)], tag

    def Decrypt(self, ct: bytes, ad: bytes, key: bytes, nonce: bytes) -> tuple[bytes, bytes]:
        """Section 5.3, before the comparison: returns the message and its correct tag."""
        self.Init(key, nonce)
        for ai in Split(ZeroPad(ad, self.R), self.R):
            self.Absorb(ai)
        msg = b"".join([self.Dec(ci) for ci in Split(ct, self.R)])
        cn = ct[len(msg) :]
        if cn:
            msg += self.DecPartial(cn)
        return msg, self.Finalize(len(ad), len(msg))

    def Stream(self, length: int, key: bytes, nonce: bytes) -> bytes:
        """Section 7."""
        return self.Encrypt(bytes(length), b"", key, nonce)[0]

    def Mac(self, data: bytes, key: bytes, nonce: bytes) -> bytes:
        """Section 8."""
        self.Init(key, nonce)
        for di in Split(ZeroPad(data, self.R), self.R):
            self.Absorb(di)
        return self.FinalizeMac(len(data))


class AEGIS_128X(Parallel):
    """Sections 3, 5.4, 8.1 and 8.3."""

    blocks = 8
    absorbed = 2

    def Init(self, key: bytes, nonce: bytes) -> None:
        self.V = [
            [block] * self.D
            for block in (
                xor(key, nonce),
                C1,
                C0,
                C1,
                xor(key, nonce),
                xor(key, C0),
                xor(key, C1),
                xor(key, C0),
            )
        ]
        for _ in range(10):
            self.add_contexts(3, 7)
            self.Update(nonce * self.D, key * self.D)

    def Update(self, *M: bytes) -> None:
        M0, M1 = M
        self.rounds(M0, M1)

    def z(self) -> bytes:
        V = self.V
        z0 = b"".join(add(V[6][i], V[1][i], AND(V[2][i], V[3][i])) for i in range(self.D))
        z1 = b"".join(add(V[2][i], V[5][i], AND(V[6][i], V[7][i])) for i in range(self.D))
        return z0 + z1

    def mask(self, u: bytes) -> None:
        t = b"".join(xor(self.V[2][i], u) for i in range(self.D))
        for _ in range(7):
            self.Update(t, t)

    def lane_tag(self, i: int) -> bytes:
        S = [self.V[j][i] for j in range(8)]
        if self.tag_length == 16:
            return add(*S[:7])
        return add(*S[:4]) + add(*S[4:])

    def first_absorbed(self) -> int:
        """Section 8.3.2: with a tag of 128 bits "tag from state 0 is included"."""
        return 0 if self.tag_length == 16 else 1


class AEGIS_256X(Parallel):
    """Sections 4, 5.5, 8.2 and 8.4."""

    blocks = 6
    absorbed = 1

    def Init(self, key: bytes, nonce: bytes) -> None:
        k0, k1 = Split(key, BLOCK)
        n0, n1 = Split(nonce, BLOCK)
        self.V = [
            [block] * self.D
            for block in (xor(k0, n0), xor(k1, n1), C1, C0, xor(k0, C0), xor(k1, C1))
        ]
        for _ in range(4):
            for M in (k0, k1, xor(k0, n0), xor(k1, n1)):
                self.add_contexts(3, 5)
                self.Update(M * self.D)

    def Update(self, *M: bytes) -> None:
        self.rounds(*M)

    def z(self) -> bytes:
        V = self.V
        return b"".join(
            add(V[1][i], V[4][i], V[5][i], AND(V[2][i], V[3][i])) for i in range(self.D)
        )

    def mask(self, u: bytes) -> None:
        t = b"".join(xor(self.V[3][i], u) for i in range(self.D))
        for _ in range(7):
            self.Update(t)

    def lane_tag(self, i: int) -> bytes:
        S = [self.V[j][i] for j in range(6)]
        if self.tag_length == 16:
            return add(*S)
        return add(*S[:3]) + add(*S[3:])


# ---- The contract of the backends -----------------------------------------------------


class AEGIS(Online):
    """A variant with one key."""

    def __init__(self, mode: type[Parallel], D: int, key: bytes, tag_length: int) -> None:
        self.message = partial(mode, D, tag_length)
        self.key = key

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        return self.message().Encrypt(bytes(data), bytes(ad), self.key, nonce)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """The caller compares."""
        return self.message().Decrypt(bytes(data), bytes(ad), self.key, nonce)

    def keystream(self, nonce: bytes, size: int) -> bytes:
        return self.message().Stream(size, self.key, nonce)

    def mac(self, nonce: bytes, data: Bytes) -> bytes:
        return self.message().Mac(bytes(data), self.key, nonce)


# The variants by the names of their public classes, made with (key, tag_length).
VARIANTS = {
    "AEGIS128L": partial(AEGIS, AEGIS_128X, 1),
    "AEGIS128X2": partial(AEGIS, AEGIS_128X, 2),
    "AEGIS128X4": partial(AEGIS, AEGIS_128X, 4),
    "AEGIS256": partial(AEGIS, AEGIS_256X, 1),
    "AEGIS256X2": partial(AEGIS, AEGIS_256X, 2),
    "AEGIS256X4": partial(AEGIS, AEGIS_256X, 4),
}
