"""GCM of a backend is SP 800-38D, for all keys, nonces, data and associated data of given sizes.

    prove(library, backend, key, ad, size, decrypt, powers, in_place)

It runs gcm_seal or gcm_open from the backend's tables, and compares every bit of the output and of the tag.
The nonce has 12 bytes, the tag 16.

With `powers` (8: AES instructions), the context has the form that context.py proves, with any round keys and
any powers of H. With powers=0, key_init has made it from a symbolic key, and H is cut. An output bit that is
hashed, and the sum between two groups of blocks, are cut, too. `grouped` in field.py is GHASH by the
distributive law; it is also run on numbers.

Faults: `code N` (faults.py); `power`, which swaps two bytes of one power; `counter`, whose expected
keystream starts a block later; `length`, which hashes a length that is a byte too long.
"""

from __future__ import annotations

from pathlib import Path

import spec

from .bits import Algebra
from .context import Part, context_map, fold, polyval_key
from .driver import USE_HASH, Result, Run, opened
from .field import check_grouped, cut, grouped
from .tables import Backend


def groups_of(
    powers: int, ad: spec.String, data: spec.String, last: spec.String
) -> list[list[spec.String]]:
    """Splits the blocks that GHASH reads into the groups that share a reduction. Without powers, these
    are single blocks. With them, carryless/ghash.h has groups of up to `powers` whole blocks of associated
    data, its short end, batches of data, and the rest with the lengths."""
    whole, blocks = len(ad) // 16, spec.blocks(spec.padded(ad))
    rest: list[spec.String] = [*spec.blocks(spec.padded(data)), last]
    if powers == 0:
        return [[block] for block in [*blocks, *rest]]
    groups = [blocks[i : min(i + powers, whole)] for i in range(0, whole, powers)]
    groups += [blocks[whole:]] if blocks[whole:] else []
    for _ in range(len(data) // (16 * powers)):
        groups.append(rest[:powers])
        rest = rest[powers:]
    if len(rest) > powers:
        groups.append(rest[:powers])
        rest = rest[powers:]
    return [*groups, rest]


def filled(
    run: Run, parts: tuple[Part, ...], words: list[spec.String], powers: list[spec.String]
) -> int:
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
    powers: int = 8,
    in_place: bool = False,
    fault: str = "",
) -> Result:
    rounds, blocks = key // 4 + 6, -(-size // 16)
    hashed_blocks = blocks + -(-ad // 16) + 1
    batch = Backend(opened(Path(library).resolve()), backend).blocks
    bits = Algebra(
        "quadratic",
        functions=powers == 0,
        cuts=8 * size + 128 * (hashed_blocks + 1),
        linear=128 * ((rounds + 1) * (blocks + batch + 4) + powers + 2 * hashed_blocks) + 8192,
    )
    run = Run(library, backend, bits, fault)
    if powers:
        words = [bits.string(f"round key {i}", 16) for i in range(rounds + 1)]
        hs = [bits.string(f"H^{i + 1}", 16) for i in range(powers)]
        parts, _ = context_map(library, backend, key, powers, USE_HASH)
    else:
        secret = bits.string("key", key)
        words = spec.KeyExpansion(bits, secret)
        hs = [cut(bits, spec.CIPHER(bits, spec.string(bytes(16)), words))]
    nonce, given_ad, data = bits.string("nonce", 12), bits.string("ad", ad), bits.string("in", size)

    def ciph(block: spec.String) -> spec.String:
        return spec.CIPHER(bits, block, words)

    j0 = nonce + spec.string(bytes([0, 0, 0, 1]))
    first = spec.inc(bits, 32, j0, 2 if fault == "counter" else 1)
    wanted = spec.CTR(bits, ciph, first, data, 32)
    mask = ciph(j0)
    # Batches are whole, and some of their keystream is unused.
    whole = -(-(blocks + 1) // batch) * batch
    spec.CTR(bits, ciph, j0, spec.string(bytes(16 * whole)), 32)
    if powers:
        context = filled(run, parts, words, hs)
    else:
        context = run.key(secret, USE_HASH, hashed_blocks)
    hashed = data if decrypt else cut(bits, wanted)
    longer = spec.string(bytes(1)) if fault == "length" else []
    last = spec.hashed(given_ad, data + longer)[-16:]
    groups = groups_of(powers, given_ad, hashed, last)
    check_grouped(tuple(map(len, groups)))
    used = [[*h[:2][::-1], *h[2:]] for h in hs] if fault == "power" else hs
    tag = spec.xor(mask, grouped(bits, used, groups))

    addresses = [run.buffer("nonce", 12, nonce), run.buffer("ad", ad, given_ad)]
    given, out = run.data(data, in_place)
    stored = run.buffer("tag", 16)
    tail = (addresses[0], 12, addresses[1], ad, given, size)
    if decrypt:
        run.call("gcm.gcm_open", context, out, stored, *tail)
    else:
        run.call("gcm.gcm_seal", context, out, stored, 16, *tail)
    run.compare("out", out, wanted)
    run.compare("tag", stored, tag)
    return run.finish()
