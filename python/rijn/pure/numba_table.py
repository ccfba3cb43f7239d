"""The backend `numba`: a loop over 32-bit tables, which LLVM compiles at the first call.

The state is four 32-bit words, one for each column, with row 0 of FIPS 197's state in the highest
byte. A round takes each new column from four tables of 256 words, one for each row; the last round
uses the S-box:

    column c'  =  T0[row 0 of column c]  ^  T1[row 1 of column c+1]
               ^  T2[row 2 of column c+2]  ^  T3[row 3 of column c+3]  ^  round key

The interpreter lock is released. The machine code is cached beside this module in `__pycache__`,
else in the user's cache, or in NUMBA_CACHE_DIR. So only the first process waits 3 s for the
compiler. If nothing can be written, every process waits.

Not constant time: table look-ups depend on the key and the data.

Literals have types here. Numba makes a signed number of an unsigned number and an untyped literal,
and then checks for every index whether it counts from the end of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numba import njit, uint32, uint64

from . import fields
from .blocks import BLOCK, Bytes
from .fields import INVERSE_MIX, MIX, product

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Function = TypeVar("Function", bound=Callable[..., Any])

Words32: TypeAlias = "NDArray[np.uint32]"
ByteArray: TypeAlias = "NDArray[np.uint8]"
Table: TypeAlias = "NDArray[np.uint64]"
Columns: TypeAlias = "tuple[np.uint32, np.uint32, np.uint32, np.uint32]"


def compiled(function: Function) -> Function:
    try:
        found = njit(cache=True, nogil=True)(function)
    except RuntimeError:  # the cache cannot be written
        found = njit(nogil=True)(function)
    return cast("Function", found)


def read_only(data: Bytes) -> ByteArray:
    """Returns a read-only array: the functions above are compiled once, for such arrays."""
    found = np.frombuffer(data, np.uint8) if len(data) else np.empty(0, np.uint8)
    found.flags.writeable = False
    return found


# ---- Tables ---------------------------------------------------------------------------


def row_tables(substitution: bytes, matrix: tuple[int, ...]) -> Words32:
    """Returns tables[r][b]: byte b of row r, substituted and multiplied by its column of the
    matrix. The matrix's rows are its first row, rotated.
    """
    words = [
        [
            int.from_bytes(bytes(product(matrix[(i - r) % 4], s) for r in range(4)), "big")
            for s in substitution
        ]
        for i in range(4)
    ]
    return np.array(words, np.uint32)


SBOX = np.frombuffer(fields.SBOX, np.uint8).astype(np.uint32)
INVERSE_SBOX = np.frombuffer(fields.INVERSE_SBOX, np.uint8).astype(np.uint32)
T0, T1, T2, T3 = row_tables(fields.SBOX, MIX)
D0, D1, D2, D3 = row_tables(fields.INVERSE_SBOX, INVERSE_MIX)

LOW = uint32(0xFF)
S8, S16, S24 = uint32(8), uint32(16), uint32(24)
ZERO, ONE = uint32(0), uint32(1)
ZERO64, ONE64, LOW64, S32, S63 = uint64(0), uint64(1), uint64(0xFF), uint64(32), uint64(63)
REDUCTION = uint64(0xE1 << 56)


# ---- Blocks ---------------------------------------------------------------------------


@compiled
def load(data: ByteArray, at: int) -> np.uint32:
    """Returns four bytes as a big-endian number."""
    word: np.uint32 = (
        uint32(data[at]) << S24
        | uint32(data[at + 1]) << S16
        | uint32(data[at + 2]) << S8
        | uint32(data[at + 3])
    )
    return word


@compiled
def store(data: ByteArray, at: int, word: np.uint32) -> None:
    data[at] = word >> S24
    data[at + 1] = word >> S16 & LOW
    data[at + 2] = word >> S8 & LOW
    data[at + 3] = word & LOW


@compiled
def substituted(
    box: Words32, row0: np.uint32, row1: np.uint32, row2: np.uint32, row3: np.uint32
) -> np.uint32:
    """Returns a column of the last round. Each row comes from its own argument."""
    column: np.uint32 = (
        box[row0 >> S24] << S24
        | box[row1 >> S16 & LOW] << S16
        | box[row2 >> S8 & LOW] << S8
        | box[row3 & LOW]
    )
    return column


@compiled
def encrypt(k: Words32, a: np.uint32, b: np.uint32, c: np.uint32, d: np.uint32) -> Columns:
    """Encrypts a block (FIPS 197 section 5.1). k has the round keys, four words each."""
    a, b, c, d = a ^ k[0], b ^ k[1], c ^ k[2], d ^ k[3]
    last = len(k) - 4
    for i in range(4, last, 4):
        a, b, c, d = (
            T0[a >> S24] ^ T1[b >> S16 & LOW] ^ T2[c >> S8 & LOW] ^ T3[d & LOW] ^ k[i],
            T0[b >> S24] ^ T1[c >> S16 & LOW] ^ T2[d >> S8 & LOW] ^ T3[a & LOW] ^ k[i + 1],
            T0[c >> S24] ^ T1[d >> S16 & LOW] ^ T2[a >> S8 & LOW] ^ T3[b & LOW] ^ k[i + 2],
            T0[d >> S24] ^ T1[a >> S16 & LOW] ^ T2[b >> S8 & LOW] ^ T3[c & LOW] ^ k[i + 3],
        )
    return (
        substituted(SBOX, a, b, c, d) ^ k[last],
        substituted(SBOX, b, c, d, a) ^ k[last + 1],
        substituted(SBOX, c, d, a, b) ^ k[last + 2],
        substituted(SBOX, d, a, b, c) ^ k[last + 3],
    )


@compiled
def decrypt(k: Words32, a: np.uint32, b: np.uint32, c: np.uint32, d: np.uint32) -> Columns:
    """Decrypts a block by the equivalent inverse cipher (FIPS 197 section 5.3.5), with the keys of
    `inverse_keys`.
    """
    a, b, c, d = a ^ k[0], b ^ k[1], c ^ k[2], d ^ k[3]
    last = len(k) - 4
    for i in range(4, last, 4):
        a, b, c, d = (
            D0[a >> S24] ^ D1[d >> S16 & LOW] ^ D2[c >> S8 & LOW] ^ D3[b & LOW] ^ k[i],
            D0[b >> S24] ^ D1[a >> S16 & LOW] ^ D2[d >> S8 & LOW] ^ D3[c & LOW] ^ k[i + 1],
            D0[c >> S24] ^ D1[b >> S16 & LOW] ^ D2[a >> S8 & LOW] ^ D3[d & LOW] ^ k[i + 2],
            D0[d >> S24] ^ D1[c >> S16 & LOW] ^ D2[b >> S8 & LOW] ^ D3[a & LOW] ^ k[i + 3],
        )
    return (
        substituted(INVERSE_SBOX, a, d, c, b) ^ k[last],
        substituted(INVERSE_SBOX, b, a, d, c) ^ k[last + 1],
        substituted(INVERSE_SBOX, c, b, a, d) ^ k[last + 2],
        substituted(INVERSE_SBOX, d, c, b, a) ^ k[last + 3],
    )


@compiled
def inverse_keys(k: Words32) -> Words32:
    """Returns the round keys for `decrypt`: in reverse order, with InvMixColumns of the middle
    ones. The tables undo SubBytes first, so a word goes through the S-box before them.
    """
    inverse = np.empty_like(k)
    last = len(k) - 4
    for i in range(len(k)):
        word = k[last - i // 4 * 4 + i % 4]
        if 4 <= i < last:
            word = (
                D0[SBOX[word >> S24]]
                ^ D1[SBOX[word >> S16 & LOW]]
                ^ D2[SBOX[word >> S8 & LOW]]
                ^ D3[SBOX[word & LOW]]
            )
        inverse[i] = word
    return inverse


# ---- Modes. Output and data have the same length --------------------------------------


@compiled
def ecb_encrypt(k: Words32, data: ByteArray, output: ByteArray) -> None:
    for at in range(0, len(data), BLOCK):
        a, b, c, d = encrypt(
            k, load(data, at), load(data, at + 4), load(data, at + 8), load(data, at + 12)
        )
        store(output, at, a)
        store(output, at + 4, b)
        store(output, at + 8, c)
        store(output, at + 12, d)


@compiled
def ecb_decrypt(k: Words32, data: ByteArray, output: ByteArray) -> None:
    for at in range(0, len(data), BLOCK):
        a, b, c, d = decrypt(
            k, load(data, at), load(data, at + 4), load(data, at + 8), load(data, at + 12)
        )
        store(output, at, a)
        store(output, at + 4, b)
        store(output, at + 8, c)
        store(output, at + 12, d)


@compiled
def cbc_encrypt(k: Words32, iv: ByteArray, data: ByteArray, output: ByteArray) -> None:
    a, b, c, d = load(iv, 0), load(iv, 4), load(iv, 8), load(iv, 12)
    for at in range(0, len(data), BLOCK):
        a, b, c, d = encrypt(
            k,
            a ^ load(data, at),
            b ^ load(data, at + 4),
            c ^ load(data, at + 8),
            d ^ load(data, at + 12),
        )
        store(output, at, a)
        store(output, at + 4, b)
        store(output, at + 8, c)
        store(output, at + 12, d)


@compiled
def counter_mode(
    k: Words32, counter: ByteArray, carries: bool, data: ByteArray, output: ByteArray
) -> None:
    """Encrypts in counter mode. The counter is the last 32 bits of the block or, with `carries`,
    all 128.
    """
    a, b, c, d = load(counter, 0), load(counter, 4), load(counter, 8), load(counter, 12)
    keystream = np.empty(BLOCK, np.uint8)
    whole = len(data) // BLOCK * BLOCK
    for at in range(0, len(data), BLOCK):
        e, f, g, h = encrypt(k, a, b, c, d)
        if at < whole:
            store(output, at, e ^ load(data, at))
            store(output, at + 4, f ^ load(data, at + 4))
            store(output, at + 8, g ^ load(data, at + 8))
            store(output, at + 12, h ^ load(data, at + 12))
        else:
            store(keystream, 0, e)
            store(keystream, 4, f)
            store(keystream, 8, g)
            store(keystream, 12, h)
            for i in range(whole, len(data)):
                output[i] = data[i] ^ keystream[i - whole]
        d = uint32(d + ONE)
        if carries and d == ZERO:
            c = uint32(c + ONE)
            if c == ZERO:
                b = uint32(b + ONE)
                if b == ZERO:
                    a = uint32(a + ONE)


# ---- GHASH ----------------------------------------------------------------------------
# An element of GF(2^128) is two 64-bit numbers, high and low, whose most significant bit is
# the lowest power of x (SP 800-38D section 6.3): multiplying by x shifts to the right.


@compiled
def product_table(high: np.uint64, low: np.uint64) -> Table:
    """Returns table[256p + b] = b * x^(8p) * H."""
    table = np.zeros((256 * BLOCK, 2), np.uint64)
    for start in range(0, 256 * BLOCK, 256):
        bit = 128
        while bit:
            table[start + bit, 0], table[start + bit, 1] = high, low
            carry = low & ONE64
            low = low >> ONE64 | high << S63
            high = high >> ONE64 ^ carry * REDUCTION
            bit //= 2
        for bit in (2, 4, 8, 16, 32, 64, 128):
            for b in range(1, bit):
                for half in range(2):
                    table[start + bit + b, half] = table[start + bit, half] ^ table[start + b, half]
    return table


@compiled
def ghash(table: Table, y: Table, data: ByteArray) -> None:
    """Updates the state y with data, padded with zeros to whole blocks."""
    high, low = y[0], y[1]
    for at in range(0, len(data), BLOCK):
        if at + BLOCK <= len(data):
            high ^= uint64(load(data, at)) << S32 | uint64(load(data, at + 4))
            low ^= uint64(load(data, at + 8)) << S32 | uint64(load(data, at + 12))
        else:
            for i in range(at, len(data)):
                shift = uint64(8 * (7 - (i - at) % 8))
                if i - at < 8:
                    high ^= uint64(data[i]) << shift
                else:
                    low ^= uint64(data[i]) << shift
        next_high = next_low = ZERO64
        for p in range(8):
            shift = uint64(56 - 8 * p)
            left = uint64(256 * p) + (high >> shift & LOW64)
            right = uint64(256 * (p + 8)) + (low >> shift & LOW64)
            next_high ^= table[left, 0] ^ table[right, 0]
            next_low ^= table[left, 1] ^ table[right, 1]
        high, low = next_high, next_low
    y[0], y[1] = high, low
