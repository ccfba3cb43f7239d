"""AEGIS-128L and AEGIS-256 of a kernel are RFC 10032, for all keys, nonces, data and associated data of given
sizes.

    prove(library, backend, kernel, key, ad, size, decrypt, tag, in_place)

It runs the kernel's `call` for a whole message: AEGIS-128L for keys of 16 bytes, AEGIS-256 for 32. It compares
every bit of the output and of the tag of 16 or 32 bytes. Decrypting, the output is cut. Faults: `code N`
(faults.py); `length`, with the expected length of the data one byte too long.
"""

from __future__ import annotations

from pathlib import Path

import spec

from .bits import Algebra
from .driver import Result, Run
from .field import cut
from .tables import layout


def call_of(run: Run, **members: int) -> int:
    """Makes a rijn_aegis_call with these members, and zeros in the others."""
    value = bytearray(layout()["sizeof.rijn_aegis_call"])
    for name, number in members.items():
        offset, size = (
            layout()[f"rijn_aegis_call.{name}"],
            {"decrypt": 1, "closing": 16}.get(name, 8),
        )
        value[offset : offset + size] = number.to_bytes(size, "little")
    return run.buffer("call", len(value), spec.string(bytes(value)), aligned=True)


def message(
    bits: Algebra, key: spec.String, nonce: spec.String, ad: spec.String, data: spec.String,
    decrypt: bool, tag: int, longer: int,
) -> tuple[spec.String, spec.String]:  # fmt: skip
    """Returns the output and the tag of the standard."""
    it = spec.AEGIS(bits, key, nonce)
    it.Absorb(ad)
    out = []
    for block in spec.blocks(data, 16 * it.m):
        part = spec.xor(block, it.z()[: len(block)])
        out.append(cut(bits, part) if decrypt else part)
        it.Absorb(out[-1] if decrypt else block)
    return spec.joined(out), it.Finalize(len(ad), len(data) + longer, tag)


def prove(
    library: str | Path,
    backend: str,
    kernel: str,
    key: int,
    ad: int,
    size: int,
    decrypt: bool = False,
    tag: int = 16,
    in_place: bool = False,
    fault: str = "",
) -> Result:
    states, updates = (8, 10) if key == 16 else (6, 16)
    rate = 32 if key == 16 else 16
    updates += -(-ad // rate) + -(-size // rate) + 7
    bits = Algebra("opaque", cuts=8 * size, linear=128 * states * (updates + 1) + 16 * size + 8192)
    run = Run(library, backend, bits, fault)
    secret, nonce = bits.string("key", key), bits.string("nonce", key)
    given_ad, data = bits.string("ad", ad), bits.string("in", size)
    longer = 1 if fault == "length" else 0
    wanted, wanted_tag = message(bits, secret, nonce, given_ad, data, decrypt, tag, longer)

    given, out = run.data(data, in_place)
    tags = run.buffer("tag", tag)
    call = call_of(
        run,
        key=run.buffer("key", key, secret),
        nonce=run.buffer("nonce", key, nonce),
        ad=run.buffer("ad", ad, given_ad),
        ad_size=ad,
        out=out,
        size=size,
        decrypt=int(decrypt),
        closing=8 * ad | 8 * size << 64,
        tag_size=tag,
        tags=tags,
        **{"in": given},
    )
    variant = layout()["RIJN_AEGIS_128L" if key == 16 else "RIJN_AEGIS_256"]
    code = run.backend.library.symbol(f"rijn_aegis_code_{kernel}")
    code += variant * layout()["sizeof.rijn_aegis_code"] + layout()["rijn_aegis_code.call"]
    run.machine.call(run.backend.library.pointer(code), call)
    run.compare("out", out, wanted)
    run.compare("tag", tags, wanted_tag)
    return run.finish()
