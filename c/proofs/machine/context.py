"""The context of a key on a backend with instructions for AES: what key_init stores in it.

    prove(library, backend, size, powers)

It runs key_init with a symbolic key, and finds in the context

    round keys   of KeyExpansion, or InvMixColumns of them for decryption (FIPS 197 section 5.3.5)
    powers       H^k as POLYVAL's keys: byte-reversed, times x (RFC 8452 appendix A)
    folds        the XOR of the halves of one
    constants    and bytes that the uses of the key do not need: they stay undefined

Every byte must be one of these, and each round key and power must be there. The map of the context is then
what other proofs start from. They put any values, without a relation, in the place of round keys and powers.
Faults: `code N` (faults.py); `key`, as in ecb.py; `h`, whose H^3 has two bytes swapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import spec

from .arithmetic import Value, number
from .bits import Algebra, Poison
from .driver import USE_DECRYPT, USE_HASH, Difference, Result, Run, flat, string
from .field import multiply


@dataclass(frozen=True)
class Part:
    """A part of a context: `kind` is round, inverse, power, fold, constant or undefined."""

    kind: str
    index: int
    offset: int
    size: int
    value: bytes = b""


def polyval_key(h: spec.String) -> spec.String:
    """Returns the POLYVAL key for a GHASH key (RFC 8452 appendix A): mulX_POLYVAL(ByteReverse(H))."""
    bits = flat(h[::-1])
    top, bits = bits[127], [0, *bits[:127]]
    for i in (0, 121, 126, 127):  # x^128 = x^127 + x^126 + x^121 + 1
        bits[i] ^= top
    return string(bits)


def fold(value: spec.String) -> spec.String:
    return spec.xor(value[:8], value[8:])


def powers_of(bits: Algebra, h: spec.String, count: int) -> list[spec.String]:
    """Returns H^1 to H^count. Odd powers are cut, so that each has degree 2 in lower ones. H^2k is linear
    in H^k. All products of two powers with the same sum are the same power."""
    powers = [h]
    while len(powers) < count:
        n = len(powers)
        known = 1 << (n.bit_length() - 1)
        product = multiply(bits, powers[n - known], powers[known - 1])
        if n % 2 == 0:
            product = string([bits.cut(bit) for bit in flat(product)])
        powers.append(product)
    return powers


class Finder:
    """The known values that a context may hold, by their normal form."""

    def __init__(self, bits: Algebra) -> None:
        self.bits = bits
        self.known: dict[tuple[int, ...], tuple[str, int]] = {}

    def normal(self, value: Value) -> tuple[int, ...]:
        return tuple(self.bits.normal(bit) for bit in value)

    def enter(self, kind: str, index: int, value: spec.String) -> None:
        self.known.setdefault(self.normal(flat(value)), (kind, index))

    def parts(self, memory: Value) -> list[Part]:
        """Splits a context into its parts."""
        parts, offset, size = [], 0, len(memory) // 8
        while offset < size:
            for width in (16, 8):
                known = self.known.get(self.normal(memory[8 * offset : 8 * (offset + width)]))
                if known and offset % width == 0:
                    parts.append(Part(*known, offset, width))
                    break
            else:
                width, byte = 1, memory[8 * offset : 8 * offset + 8]
                value = number(byte)
                if all(isinstance(bit, Poison) for bit in byte):
                    parts.append(Part("undefined", 0, offset, 1))
                elif value is not None:
                    parts.append(Part("constant", 0, offset, 1, bytes([value])))
                else:
                    raise Difference(
                        f"byte {offset} of the context is {self.bits.describe(memory[8 * offset])}: "
                        "no round key and no power of H"
                    )
            offset += width
        return parts


@cache
def context_map(
    library: str | Path, backend: str, size: int, powers: int, uses: int, fault: str = ""
) -> tuple[tuple[Part, ...], Result]:
    bits = Algebra("quadratic", functions=False, linear=1 << 14, cuts=128 * powers)
    run = Run(library, backend, bits, fault)
    key = bits.string("key", size)
    used = [*key[:2][::-1], *key[2:]] if fault == "key" else key
    words = spec.KeyExpansion(bits, used)
    finder = Finder(bits)
    for i, word in enumerate(words):
        finder.enter("round", i, word)
    if uses & USE_DECRYPT:
        for i, word in enumerate(words):
            finder.enter("inverse", i, spec.InvMixColumns(word))
    if uses & USE_HASH:
        h = spec.CIPHER(bits, spec.string(bytes(16)), words)
        h = string([bits.cut(bit) for bit in flat(h)])
        for i, power in enumerate(powers_of(bits, h, powers)):
            if fault == "h" and i == 2:
                power = [*power[:2][::-1], *power[2:]]
            finder.enter("power", i + 1, polyval_key(power))
            finder.enter("fold", i + 1, fold(polyval_key(power)))

    size = run.backend.context_size
    context = run.key(key, uses, 1 << 20)
    parts = finder.parts(run.machine.load(context, size))
    found = {(it.kind, it.index) for it in parts}
    wanted = {("round", i) for i in range(len(words))}
    wanted |= {("power", i + 1) for i in range(powers if uses & USE_HASH else 0)}
    wanted |= {("inverse", i) for i in range(1, len(words) - 1) if uses & USE_DECRYPT}
    if wanted - found:
        raise Difference(f"not in the context: {sorted(wanted - found)}")
    run.result.bits = sum(8 * it.size for it in parts if it.kind != "undefined")
    if sum(it.size for it in parts) != size:
        raise Difference("the parts do not fill the context")
    return tuple(parts), run.finish()


def prove(
    library: str | Path,
    backend: str,
    size: int,
    powers: int,
    decrypt: bool = False,
    fault: str = "",
) -> Result:
    uses = USE_HASH | (USE_DECRYPT if decrypt else 0)
    return context_map(library, backend, size, powers, uses, fault)[1]
