"""AES by tables: the key schedule, and blocks one by one.

A block is a 128-bit big-endian integer. A round is 16 look-ups in tables of 256 such
integers, one table for each byte position, XORed together (`round_tables`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from .blocks import BLOCK, xor
from .fields import INVERSE_MIX, INVERSE_SBOX, MIX, SBOX, product, xtimes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# The source of byte p in ShiftRows and in InvShiftRows (FIPS 197 sections 5.1.2 and 5.3.1), where
# 5 * 13 = 1 modulo 16. For a single block, they are (block * 5)[::5] and (block * 13)[::13].
SHIFTED = [5 * p % BLOCK for p in range(BLOCK)]
INVERSE_SHIFTED = [13 * p % BLOCK for p in range(BLOCK)]

# tables[position][byte].
Tables = tuple[tuple[int, ...], ...]


# ---- Tables, made at the first key ----------------------------------------------------


def round_tables(substitution: bytes, matrix: tuple[int, ...], direction: int) -> Tables:
    """Returns tables for a round: tables[p][b] is the result of byte b at position p, which is
    substituted, moved by `direction` times its row, and spread over its new column by the matrix.
    """
    tables = []
    columns = []  # columns[row][b]: the bytes of the new column, row 0 on top
    for row in range(4):
        factors = [matrix[(row - i) % 4] for i in range(4)]
        columns.append(
            [int.from_bytes(bytes(product(f, s) for f in factors)) for s in substitution]
        )
    for position in range(BLOCK):
        column, row = divmod(position, 4)
        shift = 32 * (3 - (column - direction * row) % 4)
        tables.append(tuple(word << shift for word in columns[row]))
    return tuple(tables)


@cache
def encryption_tables() -> Tables:
    return round_tables(SBOX, MIX, 1)


@cache
def decryption_tables() -> Tables:
    return round_tables(INVERSE_SBOX, INVERSE_MIX, -1)


# ---- Blocks ---------------------------------------------------------------------------


def table_rounds(tables: Tables, states: Iterable[int], round_keys: list[int]) -> list[int]:
    """Applies to each state, for each round key, one round of the tables and then XOR."""
    t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15 = tables
    made = []
    for state in states:
        for round_key in round_keys:
            a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q = state.to_bytes(16)
            state = (
                t0[a] ^ t1[b] ^ t2[c] ^ t3[d] ^ t4[e] ^ t5[f] ^ t6[g] ^ t7[h]
                ^ t8[i] ^ t9[j] ^ t10[k] ^ t11[m] ^ t12[n] ^ t13[o] ^ t14[p] ^ t15[q]
                ^ round_key
            )  # fmt: skip
        made.append(state)
    return made


# ---- The key schedule -----------------------------------------------------------------


def substitute_by_table(word: bytes) -> bytes:
    return word.translate(SBOX)


def expand(key: bytes, sub_word: Callable[[bytes], bytes] = substitute_by_table) -> list[bytes]:
    """Returns the round keys (FIPS 197 section 5.2)."""
    words = [key[i : i + 4] for i in range(0, len(key), 4)]
    nk = len(words)
    constant = 1
    for i in range(nk, 4 * (nk + 7)):
        word = words[-1]
        if i % nk == 0:
            word = sub_word(word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = xtimes(constant)
        elif nk == 8 and i % nk == 4:
            word = sub_word(word)
        words.append(xor(word, words[-nk]))
    return [b"".join(words[i : i + 4]) for i in range(0, len(words), 4)]
