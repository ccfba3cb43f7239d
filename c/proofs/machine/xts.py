"""XTS of a backend is IEEE 1619, for all keys, encrypted tweaks and whole blocks.

    prove(library, backend, key, blocks, decrypt, in_place)

It runs key_init and xts.xts_encrypt or xts.xts_decrypt from the backend's tables. It compares every bit of
the output, and the tweak of the next block. Faults: `code N` (faults.py); `key`, as in ecb.py; `tweak`, which
expects the tweaks a block later; `next`, which expects only the tweak of the next block so.
"""

from __future__ import annotations

from pathlib import Path

import spec

from .bits import Algebra
from .driver import USE_DECRYPT, Result, Run, opened
from .tables import Backend


def prove(
    library: str | Path,
    backend: str,
    key: int,
    blocks: int,
    decrypt: bool = False,
    in_place: bool = False,
    fault: str = "",
) -> Result:
    batch = Backend(opened(Path(library).resolve()), backend).blocks
    bits = Algebra(linear=128 * (key // 4 + 7) * (2 * blocks + batch + 3) + 4096)
    run = Run(library, backend, bits, fault)
    secret, tweak = bits.string("key", key), bits.string("tweak", 16)
    data = bits.string("in", 16 * blocks)
    used = [*secret[:2][::-1], *secret[2:]] if fault == "key" else secret
    words = spec.KeyExpansion(bits, used)
    cipher = spec.INVCIPHER if decrypt else spec.CIPHER
    cipher(bits, spec.string(bytes(16)), words)  # a batch may have empty places
    first = spec.alpha(tweak) if fault == "tweak" else tweak
    wanted, following = spec.XTS(lambda it: cipher(bits, it, words), first, data)
    following = spec.alpha(following) if fault == "next" else following

    context = run.key(secret, USE_DECRYPT if decrypt else 0)
    place = run.buffer("tweak", 16)
    run.machine.set(place, [bit for byte in tweak for bit in byte])
    given, out = run.data(data, in_place)
    run.call(
        "xts.xts_decrypt" if decrypt else "xts.xts_encrypt", context, place, out, given, blocks
    )
    run.compare("out", out, wanted)
    run.compare("tweak", place, following)
    return run.finish()
