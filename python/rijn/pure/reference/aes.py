"""FIPS 197, step by step: the Advanced Encryption Standard, update 1 (2023).

Each function has the standard's name and cites its clause. Values that the standard derives are
computed here, not typed in. Nothing is optimized, except that products of bytes are cached.
"""

from __future__ import annotations

from functools import cache

# FIPS 197 section 3.4: four rows of four bytes; state[r][c] is row r, column c.
State = list[list[int]]
# FIPS 197 section 3.5: four bytes; a column of the state, or a part of a round key.
Word = list[int]

Nb = 4  # columns of the state


# ---- FIPS 197 section 4: bytes as elements of GF(2^8) ---------------------------------


def xTimes(b: int) -> int:
    """Section 4.2, equation (4.5): b * x modulo m(x) = x^8 + x^4 + x^3 + x + 1."""
    product = b << 1
    return product ^ 0b1_0001_1011 if product & 0b1_0000_0000 else product


@cache
def multiply(a: int, b: int) -> int:
    """Section 4.2: the product of a and b, as a sum of multiples b * x^i."""
    product = 0
    while a:
        if a & 1:
            product ^= b
        a >>= 1
        b = xTimes(b)
    return product


def inverse(b: int) -> int:
    """Section 4.4: the multiplicative inverse, which is b^254; 0 for 0.
    254 = 2 + 4 + 8 + 16 + 32 + 64 + 128."""
    power = 1
    for _ in range(7):
        b = multiply(b, b)
        power = multiply(power, b)
    return power


# ---- FIPS 197 section 5.1.1 and 5.3.2: the S-box --------------------------------------


def affine(b: int) -> int:
    """Section 5.1.1, equation (5.3): bit i of the result is
    b_i + b_(i+4 mod 8) + b_(i+5 mod 8) + b_(i+6 mod 8) + b_(i+7 mod 8) + c_i."""
    c = 0b0110_0011
    result = 0
    for i in range(8):
        bit = c >> i
        for distance in (0, 4, 5, 6, 7):
            bit ^= b >> (i + distance) % 8
        result |= (bit & 1) << i
    return result


SBOX = [affine(inverse(b)) for b in range(256)]
INVSBOX = [SBOX.index(b) for b in range(256)]


# ---- FIPS 197 section 5.2: the key schedule -------------------------------------------


def RotWord(word: Word) -> Word:
    """Section 5.2, equation (5.10)."""
    return word[1:] + word[:1]


def SubWord(word: Word) -> Word:
    """Section 5.2, equation (5.11)."""
    return [SBOX[b] for b in word]


def add_words(left: Word, right: Word) -> Word:
    """Section 4.1: the sum of polynomials with coefficients in GF(2^8)."""
    return [a ^ b for a, b in zip(left, right, strict=True)]


def KeyExpansion(key: bytes) -> list[Word]:
    """Section 5.2, algorithm 2: 4 * (Nr + 1) words from a key of Nk words."""
    Nk = len(key) // 4
    Nr = Nk + 6
    w = [list(key[4 * i : 4 * i + 4]) for i in range(Nk)]
    Rcon = 1  # first byte of Rcon[j] is x^(j - 1); the other three are 0 (table 5)
    for i in range(Nk, 4 * (Nr + 1)):
        temp = w[i - 1]
        if i % Nk == 0:
            temp = add_words(SubWord(RotWord(temp)), [Rcon, 0, 0, 0])
            Rcon = xTimes(Rcon)
        elif Nk > 6 and i % Nk == 4:
            temp = SubWord(temp)
        w.append(add_words(w[i - Nk], temp))
    return w


# ---- FIPS 197 section 5.1: the cipher -------------------------------------------------


def to_state(block: bytes) -> State:
    """Section 3.4, equation (3.6): state[r][c] = in[r + 4c]."""
    return [[block[r + 4 * c] for c in range(Nb)] for r in range(4)]


def from_state(state: State) -> bytes:
    """Section 3.4, equation (3.7): out[r + 4c] = state[r][c]."""
    return bytes(state[r][c] for c in range(Nb) for r in range(4))


def SubBytes(state: State) -> State:
    """Section 5.1.1."""
    return [[SBOX[b] for b in row] for row in state]


def ShiftRows(state: State) -> State:
    """Section 5.1.2, equation (5.5): s'[r][c] = s[r][(c + r) mod 4]."""
    return [[state[r][(c + r) % 4] for c in range(Nb)] for r in range(4)]


def multiply_columns(matrix: list[list[int]], state: State) -> State:
    """Section 4.3: every column of the state multiplied by a fixed matrix."""
    result = [[0] * Nb for _ in range(4)]
    for r in range(4):
        for c in range(Nb):
            for i in range(4):
                result[r][c] ^= multiply(matrix[r][i], state[i][c])
    return result


def MixColumns(state: State) -> State:
    """Section 5.1.3, equation (5.7)."""
    matrix = [
        [0x02, 0x03, 0x01, 0x01],
        [0x01, 0x02, 0x03, 0x01],
        [0x01, 0x01, 0x02, 0x03],
        [0x03, 0x01, 0x01, 0x02],
    ]
    return multiply_columns(matrix, state)


def AddRoundKey(state: State, words: list[Word]) -> State:
    """Section 5.1.4, equation (5.9): word c of the round key is added to column c."""
    return [[state[r][c] ^ words[c][r] for c in range(Nb)] for r in range(4)]


def Cipher(block: bytes, Nr: int, w: list[Word]) -> bytes:
    """Section 5.1, algorithm 1."""
    state = to_state(block)
    state = AddRoundKey(state, w[0:4])
    for round in range(1, Nr):
        state = SubBytes(state)
        state = ShiftRows(state)
        state = MixColumns(state)
        state = AddRoundKey(state, w[4 * round : 4 * round + 4])
    state = SubBytes(state)
    state = ShiftRows(state)
    state = AddRoundKey(state, w[4 * Nr : 4 * Nr + 4])
    return from_state(state)


# ---- FIPS 197 section 5.3: the inverse cipher -----------------------------------------


def InvShiftRows(state: State) -> State:
    """Section 5.3.1, equation (5.12): s'[r][c] = s[r][(c - r) mod 4]."""
    return [[state[r][(c - r) % 4] for c in range(Nb)] for r in range(4)]


def InvSubBytes(state: State) -> State:
    """Section 5.3.2."""
    return [[INVSBOX[b] for b in row] for row in state]


def InvMixColumns(state: State) -> State:
    """Section 5.3.3, equation (5.14)."""
    matrix = [
        [0x0E, 0x0B, 0x0D, 0x09],
        [0x09, 0x0E, 0x0B, 0x0D],
        [0x0D, 0x09, 0x0E, 0x0B],
        [0x0B, 0x0D, 0x09, 0x0E],
    ]
    return multiply_columns(matrix, state)


def InvCipher(block: bytes, Nr: int, w: list[Word]) -> bytes:
    """Section 5.3, algorithm 3."""
    state = to_state(block)
    state = AddRoundKey(state, w[4 * Nr : 4 * Nr + 4])
    for round in range(Nr - 1, 0, -1):
        state = InvShiftRows(state)
        state = InvSubBytes(state)
        state = AddRoundKey(state, w[4 * round : 4 * round + 4])
        state = InvMixColumns(state)
    state = InvShiftRows(state)
    state = InvSubBytes(state)
    state = AddRoundKey(state, w[0:4])
    return from_state(state)
