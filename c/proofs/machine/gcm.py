"""GCM of a backend with instructions for AES is SP 800-38D, for all keys, nonces, data and associated data
of given sizes.

    prove(library, backend, key, ad, size, decrypt)

It runs gcm_seal or gcm_open from the backend's tables, on a context of the form that context.py proves,
with any round keys and any powers of H in it. It compares every bit of the output and of the tag. The
nonce has 12 bytes, the tag 16. An output bit that is hashed, and the sum between two groups of blocks,
are cut. `grouped` in field.py is GHASH by the distributive law; it is also run on numbers.

Faults: `code N` (faults.py); `power`, which swaps two bytes of one power; `counter`, whose expected
keystream starts a block later; `length`, which hashes a length that is a byte too long.
"""

from __future__ import annotations

from pathlib import Path

import spec

from .bits import Algebra
from .context import Part, context_map, fold, polyval_key
from .driver import USE_HASH, Result, Run
from .field import check_grouped, cut, grouped

POWERS = 8


def groups_of(ad: spec.String, data: spec.String, last: spec.String) -> list[list[spec.String]]:
    """Splits what GHASH reads as carryless/ghash.h does: whole blocks of associated data, its short end,
    batches of data, and the rest with the lengths."""
    groups = []
    whole = len(ad) // 16
    blocks = spec.blocks(spec.padded(ad))
    groups += [blocks[i : min(i + POWERS, whole)] for i in range(0, whole, POWERS)]
    groups += [blocks[whole:]] if blocks[whole:] else []
    blocks, batches = spec.blocks(spec.padded(data)), len(data) // (16 * POWERS) * POWERS
    groups += [blocks[i : i + POWERS] for i in range(0, batches, POWERS)]
    rest = [*blocks[batches:], last]
    if len(rest) > POWERS:
        groups.append(rest[: POWERS])
        rest = rest[POWERS:]
    return [*groups, rest]


def filled(run: Run, parts: tuple[Part, ...], words: list[spec.String], powers: list[spec.String]) -> int:
    """Makes a context with these round keys and powers. It is read-only."""
    value: spec.String = []
    for it in parts:
        if it.kind == "round":
            value += words[it.index]
        elif it.kind == "power":
            value += polyval_key(powers[it.index - 1])
        elif it.kind == "fold":
            value += fold(polyval_key(powers[it.index - 1]))
        elif it.kind == "constant":
            value += spec.string(it.value)
        else:
            value += run.undefined(it.size)
    return run.buffer("context", len(value), value, aligned=True)


def prove(
    library: str | Path,
    backend: str,
    key: int,
    ad: int,
    size: int,
    decrypt: bool = False,
    fault: str = "",
) -> Result:
    parts, _ = context_map(library, backend, key, POWERS, USE_HASH)
    rounds, blocks = key // 4 + 6, -(-size // 16)
    bits = Algebra(
        "quadratic",
        functions=False,
        cuts=8 * size + 128 * (blocks + ad // 16 + 2),
        linear=16 * size + 128 * (rounds + 1) * (blocks + 3) + 128 * (POWERS + 2 * blocks + ad) + 1024,
    )
    run = Run(library, backend, bits, fault)
    words = [bits.string(f"round key {i}", 16) for i in range(rounds + 1)]
    powers = [bits.string(f"H^{i + 1}", 16) for i in range(POWERS)]
    nonce, given_ad, data = bits.string("nonce", 12), bits.string("ad", ad), bits.string("in", size)

    def ciph(block: spec.String) -> spec.String:
        return spec.CIPHER(bits, block, words)

    j0 = nonce + spec.string(bytes([0, 0, 0, 1]))
    first = spec.inc(bits, 32, j0, 2 if fault == "counter" else 1)
    wanted = spec.CTR(bits, ciph, first, data, 32)
    hashed = data if decrypt else cut(bits, wanted)
    last = spec.hashed(given_ad, [*data, *([data[:1]] if fault == "length" else [])])[-16:]
    groups = groups_of(given_ad, hashed, last)
    check_grouped(tuple(map(len, groups)))
    used = [[*power[:2][::-1], *power[2:]] for power in powers] if fault == "power" else powers
    tag = spec.xor(ciph(j0), grouped(bits, used, groups))

    context = filled(run, parts, words, powers)
    addresses = [run.buffer("nonce", 12, nonce), run.buffer("ad", ad, given_ad)]
    given, out, stored = run.buffer("in", size, data), run.buffer("out", size), run.buffer("tag", 16)
    tail = (addresses[0], 12, addresses[1], ad, given, size)
    if decrypt:
        run.call("gcm.gcm_open", context, out, stored, *tail)
    else:
        run.call("gcm.gcm_seal", context, out, stored, 16, *tail)
    run.compare("out", out, wanted)
    run.compare("tag", stored, tag)
    return run.finish()
