"""GCM of a backend is SP 800-38D, for all keys, nonces, data and associated data of given sizes.

    prove(library, backend, key, ad, size, decrypt, powers, vec, in_place, registers)

It runs gcm_seal or gcm_open from the backend's tables, and compares every bit of the output and of the tag.
The nonce has 12 bytes, the tag 16.

`registers` names a function for messages in registers: `seal`; `open`, which gets the right tag and must
return RIJN_OK; or `refuse`, which opens with any tag whose first bit is wrong, and must return RIJN_ERR_TAG and
zeros.

With `powers` (8; 17 or 33 with vecs), the context has the form that context.py proves, with any round keys
and any powers of H. With powers=0, key_init has made it from a symbolic key, and H is cut. An output bit that
is hashed, and the sum between two groups of blocks, are cut, too. `vec` is the number of blocks in a vec of
x86/vec_gcm.h, or 0 for carryless/ghash.h. `grouped` in field.py is GHASH by the distributive law; it is also
run on numbers.

Faults: `code N` (faults.py); `power`, which swaps two bytes of one power; `counter`, whose expected
keystream starts a block later; `length`, which hashes a length that is a byte too long; `tag`, which gives
`open` a wrong tag.
"""

from __future__ import annotations

from pathlib import Path

import spec

from .bits import Algebra
from .context import Part, context_map, fold, polyval_key
from .driver import USE_HASH, Result, Run, opened
from .field import Group, check_grouped, cut, grouped
from .tables import Backend


def groups_of(powers: int, ad: spec.String, data: spec.String, last: spec.String) -> list[Group]:
    """Splits the blocks that GHASH reads into the groups that share a reduction. Without powers, these
    are single blocks. With them, carryless/ghash.h has groups of up to `powers` whole blocks of associated
    data, its short end, batches of data, and the rest with the lengths."""
    whole, blocks = len(ad) // 16, spec.blocks(spec.padded(ad))
    rest: list[spec.String] = [*spec.blocks(spec.padded(data)), last]
    if powers == 0:
        return [Group([block]) for block in [*blocks, *rest]]
    groups = [blocks[i : min(i + powers, whole)] for i in range(0, whole, powers)]
    groups += [blocks[whole:]] if blocks[whole:] else []
    for _ in range(len(data) // (16 * powers)):
        groups.append(rest[:powers])
        rest = rest[powers:]
    if len(rest) > powers:
        groups.append(rest[:powers])
        rest = rest[powers:]
    return [Group(it) for it in [*groups, rest]]


def vec_groups_of(
    vec: int, batch: int, ad: spec.String, data: spec.String, last: spec.String
) -> list[Group]:
    """Splits the blocks as x86/vec_gcm.h does, with vecs and batches of so many blocks. All blocks of
    associated data but the last have groups of their own. The last follows an empty block, and the data
    follow it. Of these, batches are groups as long as a block follows them. In batches before the last of
    them, each place of the vecs is a chain."""
    zero = spec.string(bytes(16))
    *before, end = spec.blocks(spec.padded(ad)) or [zero]
    groups = [Group(before[i : i + batch]) for i in range(0, len(before), batch)]
    rest, first = [zero, end, *spec.blocks(spec.padded(data))], 1
    while len(rest) > batch:
        chains = vec if len(rest) > 2 * batch else 1
        groups.append(Group(rest[:batch], first, chains))
        rest, first = rest[batch:], 0
    return [*groups, Group([*rest, last], first)]


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
    vec: int = 0,
    in_place: bool = False,
    registers: str = "",
    fault: str = "",
) -> Result:
    decrypt = decrypt or registers in ("open", "refuse")
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
    other = bits.string("other tag", 16)

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
    if vec:
        groups = vec_groups_of(vec, batch, given_ad, hashed, last)
    else:
        groups = groups_of(powers, given_ad, hashed, last)
    check_grouped(tuple(it.shape for it in groups))
    used = [[*h[:2][::-1], *h[2:]] for h in hs] if fault == "power" else hs
    tag = spec.xor(mask, grouped(bits, used, groups))

    addresses = [run.buffer("nonce", 12, nonce), run.buffer("ad", ad, given_ad)]
    given, out = run.data(data, in_place)
    tail = (16, addresses[0], 12, addresses[1], ad, given, size)
    if registers and decrypt:
        if registers == "refuse":
            tag = [[tag[0][0] ^ 1, *other[0][1:]], *other[1:]]
        elif fault == "tag":
            tag = [[tag[0][0] ^ 1, *tag[0][1:]], *tag[1:]]
        run.call("gcm.gcm_open_in_registers", context, out, run.buffer("tag", 16, tag), *tail)
        refused = registers == "refuse"
        run.returned("RIJN_ERR_TAG" if refused else "RIJN_OK")
        run.compare("out", out, spec.string(bytes(size)) if refused else wanted)
        return run.finish()
    stored = run.buffer("tag", 16)
    if registers:
        run.call("gcm.gcm_seal_in_registers", context, out, stored, *tail)
        run.returned("RIJN_OK")
    elif decrypt:
        run.call("gcm.gcm_open", context, out, stored, *tail[1:])
    else:
        run.call("gcm.gcm_seal", context, out, stored, *tail)
    run.compare("out", out, wanted)
    run.compare("tag", stored, tag)
    return run.finish()
