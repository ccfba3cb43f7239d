"""CBC of a backend is SP 800-38A, for all keys, initialization vectors and blocks.

    prove(library, backend, key, blocks, decrypt, in_place)

It runs key_init and cbc.cbc_encrypt or cbc.cbc_decrypt from the backend's tables. It compares every bit of
the output, and the vector for the next call: the last block of the ciphertext. Faults: `code N`
(faults.py); `key`, as in ecb.py; `iv`, whose expected vector has two bytes swapped.
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
    lanes = (
        batch if decrypt else blocks * batch
    )  # a lone block may go through the cipher in a batch
    bits = Algebra(linear=128 * (key // 4 + 7) * (blocks + lanes + 3) + 4096)
    run = Run(library, backend, bits, fault)
    secret, iv, data = (
        bits.string("key", key),
        bits.string("iv", 16),
        bits.string("in", 16 * blocks),
    )
    used = [*secret[:2][::-1], *secret[2:]] if fault == "key" else secret
    words = spec.KeyExpansion(bits, used)
    expected = [*iv[:2][::-1], *iv[2:]] if fault == "iv" else iv
    cipher = spec.INVCIPHER if decrypt else spec.CIPHER
    cipher(bits, spec.string(bytes(16)), words)  # a batch may have empty places
    if decrypt:
        wanted = spec.CBC_decrypt(lambda it: cipher(bits, it, words), expected, data)
    else:
        wanted = spec.CBC_encrypt(lambda it: cipher(bits, it, words), expected, data)

    context = run.key(secret, USE_DECRYPT if decrypt else 0)
    vector = run.buffer("iv", 16)
    run.machine.set(vector, [bit for byte in iv for bit in byte])
    given, out = run.data(data, in_place)
    run.call(
        "cbc.cbc_decrypt" if decrypt else "cbc.cbc_encrypt", context, vector, out, given, blocks
    )
    run.compare("out", out, wanted)
    run.compare("iv", vector, (data if decrypt else wanted)[-16:])
    return run.finish()
