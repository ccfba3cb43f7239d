"""GCM-SIV of a backend is RFC 8452, for all keys, nonces, data and associated data of given sizes.

    prove(library, backend, key, ad, size, decrypt, vec, in_place)

It runs key_init, and gcm_siv_seal or gcm_siv_open from the backend's tables. It compares every bit of the
output and of the tag. These messages are short enough for modes/registers_gcm_siv.h: up to 256 bytes.

The derived POLYVAL key, its odd powers, the sum between two groups of blocks, and the tag of a sealed message
are cut: the proof holds for any value of them. When opening, the tag may be any.

Faults: `code N` (faults.py); `key`, as in ecb.py; `counter`, whose expected keystream starts a block later;
`length`, which hashes a length that is a byte too long.
"""

from __future__ import annotations

from pathlib import Path

import spec

from .bits import Algebra
from .context import powers_of
from .driver import Result, Run
from .field import Group, check_grouped, cut, grouped


def groups_of(vec: int, ad: spec.String, data: spec.String, last: spec.String) -> list[Group]:
    """Splits the blocks that POLYVAL reads as polyval_register and polyval_short do. With up to 64 bytes of
    data each block has its own reduction. Else the first blocks of the data do, or they are the first of
    the chains; then blocks go by four (`vec` = 1) or by `vec`, and all vecs but the last are chains."""
    blocks = spec.blocks(spec.padded(ad))
    rest: list[spec.String] = [*spec.blocks(spec.padded(data)), last]
    if len(data) <= 64:
        return [Group([block]) for block in [*blocks, *rest]]
    groups, n = [Group([block]) for block in blocks], len(rest) % max(vec, 4 // vec)
    if vec == 1:
        groups += [Group([block]) for block in rest[:n]]
        return groups + [Group(rest[i : i + 4]) for i in range(n, len(rest), 4)]
    zeros = [spec.string(bytes(16))] * (vec - n)
    groups += [Group(zeros + rest[:n], vec - n, vec)] if n else []
    groups += [Group(rest[i : i + vec], 0, vec) for i in range(n, len(rest) - vec, vec)]
    return [*groups, Group(rest[-vec:])]


def prove(
    library: str | Path,
    backend: str,
    key: int,
    ad: int,
    size: int,
    decrypt: bool = False,
    vec: int = 1,
    in_place: bool = False,
    fault: str = "",
) -> Result:
    blocks, hashed_blocks = -(-size // 16), -(-ad // 16) + -(-size // 16) + 1
    bits = Algebra(
        "polynomial",
        functions=False,
        cuts=128 * (4 * hashed_blocks + 8),
        linear=128 * ((key // 4 + 7) * (blocks + 16) + 8 * hashed_blocks + 16) + 4096,
    )
    run = Run(library, backend, bits, fault)
    secret, nonce = bits.string("key", key), bits.string("nonce", 12)
    given_ad, data, given_tag = (bits.string(*it) for it in (("ad", ad), ("in", size), ("tag", 16)))
    used = [*secret[:2][::-1], *secret[2:]] if fault == "key" else secret
    words = spec.KeyExpansion(bits, used)
    h, message_key = spec.derive_keys(lambda it: spec.CIPHER(bits, it, words), key, nonce)
    h = cut(bits, h)
    derived = spec.KeyExpansion(bits, message_key)

    def ciph(block: spec.String) -> spec.String:
        return spec.CIPHER(bits, block, derived)

    def crypt(tag: spec.String) -> spec.String:
        if fault == "counter":
            tag = spec.inc(bits, 32, tag[::-1])[::-1]
        return spec.AES_CTR(bits, ciph, tag, data)

    powers = powers_of(bits, spec.mulX_GHASH(bits, h[::-1]), 4)
    wanted = crypt(given_tag) if decrypt else []
    plaintext = cut(bits, wanted) if decrypt else data
    longer = spec.string(bytes(1)) if fault == "length" else []
    last = spec.polyval_input(plaintext + longer, given_ad)[-16:]
    hashed = [
        [block[::-1] for block in it]
        for it in (spec.blocks(spec.padded(given_ad)), spec.blocks(spec.padded(plaintext)))
    ]
    groups = groups_of(vec, spec.joined(hashed[0]), spec.joined(hashed[1]), last[::-1])
    check_grouped(tuple(it.shape for it in groups))
    tag = spec.tag_of(ciph, grouped(bits, powers, groups)[::-1], nonce)
    if not decrypt:
        tag = cut(bits, tag)
        wanted = crypt(tag)

    context = run.key(secret, 0)
    places = [run.buffer("nonce", 12, nonce), run.buffer("ad", ad, given_ad)]
    given, out = run.data(data, in_place)
    stored = run.buffer("tag", 16)
    if decrypt:
        read = run.buffer("given tag", 16, given_tag)
        run.call("gcm_siv.gcm_siv_open", context, out, stored, read, *places, ad, given, size)
    else:
        run.call("gcm_siv.gcm_siv_seal", context, out, stored, *places, ad, given, size)
    run.compare("out", out, wanted)
    run.compare("tag", stored, tag)
    return run.finish()
