"""FIPS 197, SP 800-38A and SP 800-38D read aloud: the oracle of every other rung.

Each function has its standard's name (in its spelling) and cites its clause. Nothing here is typed
in that the standard derives, nothing is done for speed (but that products of bytes
are remembered), and nothing is shared with another rung, so that a mistake cannot be
shared either.

FIPS 197       Advanced Encryption Standard, update 1 (2023)
SP 800-38A     Block cipher modes of operation: methods and techniques (2001)
SP 800-38D     Galois/Counter Mode and GMAC (2007)

Not constant time: branches and table look-ups depend on the key and the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

# Input as the caller has it.
Bytes = bytes | memoryview
# FIPS 197 section 3.4: four rows of four bytes; state[r][c] is row r, column c.
State = list[list[int]]
# FIPS 197 section 3.5: four bytes; a column of the state, or a part of a round key.
Word = list[int]

BLOCK = 16
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


# ---- SP 800-38D section 6: the parts of GCM -------------------------------------------
# A block is a 128-bit integer whose most significant bit is the standard's bit 0.


def xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def inc(s: int, X: bytes) -> bytes:
    """SP 800-38D section 6.2: the last s bits of X, taken as an integer, grow by one
    modulo 2^s. s = 32 is GCM's inc32; s = 128 is the standard incrementing function
    of SP 800-38A appendix B.1 on the whole counter block."""
    number = int.from_bytes(X, "big")
    low = number % (1 << s)
    return (number - low + (low + 1) % (1 << s)).to_bytes(len(X), "big")


def multiply_blocks(X: int, Y: int) -> int:
    """SP 800-38D section 6.3, algorithm 1: X * Y in GF(2^128)."""
    R = 0b1110_0001 << 120
    Z = 0
    V = Y
    for i in range(128):
        if X >> (127 - i) & 1:
            Z ^= V
        V = V >> 1 ^ R if V & 1 else V >> 1
    return Z


def blocks_of(X: Bytes) -> Iterator[bytes]:
    """X cut into blocks; the last may be shorter."""
    return (bytes(X[i : i + BLOCK]) for i in range(0, len(X), BLOCK))


def GHASH(H: int, X: bytes) -> bytes:
    """SP 800-38D section 6.4, algorithm 2. X is a whole number of blocks."""
    Y = 0
    for block in blocks_of(X):
        Y = multiply_blocks(Y ^ int.from_bytes(block, "big"), H)
    return Y.to_bytes(BLOCK, "big")


def pad(X: Bytes) -> bytes:
    """X with the zeros that complete its last block (section 7.1, steps 4 and 5)."""
    return bytes(X) + bytes(-len(X) % BLOCK)


def bit_length(X: Bytes) -> bytes:
    """[len(X)]_64 of section 7.1, step 5."""
    return (8 * len(X)).to_bytes(8, "big")


class Engine:
    """AES with one key, in the modes of SP 800-38A and SP 800-38D.

    Arguments are checked by the caller: the key has 16, 24 or 32 bytes, ECB and
    CBC get whole blocks, an IV or counter has 16 bytes, and a nonce is not empty.
    """

    def __init__(self, key: bytes) -> None:
        self.w = KeyExpansion(key)
        self.Nr = len(self.w) // 4 - 1
        # SP 800-38D section 7.1, step 1.
        self.H = int.from_bytes(self.CIPH(bytes(BLOCK)), "big")

    def CIPH(self, block: bytes) -> bytes:
        return Cipher(block, self.Nr, self.w)

    def CIPH_inverse(self, block: bytes) -> bytes:
        return InvCipher(block, self.Nr, self.w)

    def ecb_encrypt(self, data: Bytes) -> bytes:
        """SP 800-38A section 6.1: C_j = CIPH(P_j)."""
        return b"".join(self.CIPH(block) for block in blocks_of(data))

    def ecb_decrypt(self, data: Bytes) -> bytes:
        """SP 800-38A section 6.1: P_j = CIPH^-1(C_j)."""
        return b"".join(self.CIPH_inverse(block) for block in blocks_of(data))

    def cbc_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        """SP 800-38A section 6.2: C_j = CIPH(P_j + C_(j-1)), C_0 = IV."""
        ciphertext = []
        previous = iv
        for block in blocks_of(data):
            previous = self.CIPH(xor(block, previous))
            ciphertext.append(previous)
        return b"".join(ciphertext)

    def cbc_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        """SP 800-38A section 6.2: P_j = CIPH^-1(C_j) + C_(j-1), C_0 = IV."""
        plaintext = []
        previous = iv
        for block in blocks_of(data):
            plaintext.append(xor(self.CIPH_inverse(block), previous))
            previous = block
        return b"".join(plaintext)

    def counter_mode(self, s: int, counter: bytes, data: Bytes) -> bytes:
        """The output of block i is CIPH(T_i) + its input, cut to the input's length;
        T_(i+1) = inc_s(T_i)."""
        output = []
        for block in blocks_of(data):
            output.append(xor(block, self.CIPH(counter)[: len(block)]))
            counter = inc(s, counter)
        return b"".join(output)

    def ctr(self, counter: bytes, data: Bytes) -> bytes:
        """SP 800-38A section 6.5, with the counters of appendix B.1, m = 128."""
        return self.counter_mode(128, counter, data)

    def GCTR(self, ICB: bytes, X: Bytes) -> bytes:
        """SP 800-38D section 6.5, algorithm 3."""
        return self.counter_mode(32, ICB, X)

    def J0(self, IV: bytes) -> bytes:
        """SP 800-38D section 7.1, step 2: the pre-counter block."""
        if len(IV) == 12:
            return IV + (1).to_bytes(4, "big")
        return GHASH(self.H, pad(IV) + bytes(8) + bit_length(IV))

    def tag(self, J0: bytes, C: Bytes, A: Bytes) -> bytes:
        """SP 800-38D section 7.1, steps 4 to 6, with t = 128."""
        S = GHASH(self.H, pad(A) + pad(C) + bit_length(A) + bit_length(C))
        return self.GCTR(J0, S)

    def gcm_encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        """SP 800-38D section 7.1, algorithm 4: the ciphertext and the whole tag."""
        J0 = self.J0(nonce)
        ciphertext = self.GCTR(inc(32, J0), data)
        return ciphertext, self.tag(J0, ciphertext, ad)

    def gcm_decrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        """SP 800-38D section 7.2, algorithm 5: the plaintext, and the tag that the
        ciphertext should have had; the caller compares (step 8)."""
        J0 = self.J0(nonce)
        return self.GCTR(inc(32, J0), data), self.tag(J0, data, ad)
