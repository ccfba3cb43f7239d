"""Writes the seeds of the fuzz targets: corpus/modes/, family/, incremental/, aegis/, many/.

The beginnings of fuzz_modes.c, fuzz_family.c, fuzz_incremental.c, fuzz_aegis.c and fuzz_many.c
describe the layouts. Each seed reaches a case that random inputs find late: a whole batch after a
partial one, a counter that wraps, a forged tag, calls out of order.
"""

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
KEY = bytes(range(32))

ECB, CBC, CBC_PADDED, CTR, GCM, CHUNKS = range(6)
IN_PLACE, MISALIGN, FORGE, LAST = 1, 2, 4, 8
AD, ENCRYPT, DECRYPT, STREAM, FINISH, VERIFY, HASH, RESTART = range(8)


def key(size: int) -> bytes:
    return bytes([(size - 16) // 8]) + KEY[:size]


def mode(
    mode: int,
    size: int,
    *,
    flags: int = 0,
    key_size: int = 16,
    iv: bytes = bytes(16),
    nonce_size: int = 12,
    ad_size: int = 0,
    tag: int = 0,
    chunk: int = 64,
) -> bytes:
    return (
        bytes([mode, flags])
        + key(key_size)
        + iv
        + bytes([nonce_size - 1])
        + bytes(range(64, 128))
        + ad_size.to_bytes(2, "big")
        + bytes([tag])
        + (chunk - 1).to_bytes(2, "big")
        + bytes(i * 7 & 0xFF for i in range(size))
    )


def calls(
    *steps: tuple[int, int],
    flags: int = 0,
    key_size: int = 16,
    nonce_size: int = 12,
    counter: bytes = bytes(16),
) -> bytes:
    return (
        key(key_size)
        + bytes([flags, nonce_size - 1])
        + bytes(range(64, 128))
        + counter
        + b"".join(bytes([which]) + size.to_bytes(2, "big") for which, size in steps)
    )


def family(
    mode: int,
    size: int,
    *,
    flags: int = 0,
    key_size: int = 16,
    iv: bytes = bytes(range(32)),
    nonce_size: int = 12,
    ad_size: int = 0,
    tag: int = 0,
    cut: int = 0,
) -> bytes:
    return (
        bytes([mode, flags])
        + key(key_size)
        + KEY[::-1]
        + iv
        + bytes([nonce_size])
        + bytes(range(64, 104))
        + ad_size.to_bytes(2, "big")
        + bytes([tag])
        + cut.to_bytes(2, "big")
        + bytes(i * 7 & 0xFF for i in range(size))
    )


def aegis(
    variant: int,
    size: int,
    *pieces: int,
    ad_size: int = 0,
    flags: int = 0,
    bit: int = 0,
) -> bytes:
    return (
        bytes([variant, flags])
        + KEY
        + bytes(range(64, 96))
        + ad_size.to_bytes(2, "big")
        + size.to_bytes(2, "big")
        + bit.to_bytes(2, "big")
        + bytes(pieces)
    )


def many(
    flags: int,
    *offsets: int,
    first: int = 0,
    size: int = 2048,
    count: int | None = None,
    key_size: int = 16,
) -> bytes:
    width = 8 if flags & WIDE else 4
    return (
        bytes([flags, len(offsets) - 1 if count is None else count, first])
        + size.to_bytes(2, "big")
        + key(key_size)
        + b"".join((x % (1 << 8 * width)).to_bytes(width, "little") for x in offsets)
    )


WIDE, FRONT, OPEN, WITH_AD, COUNTER, STEPS, UNPAD, PREFIXES = (1 << i for i in range(8))

MANY = {
    "strings": many(0, 3, 3, 19, 20, 100, 612, 1200),
    "strings-64": many(WIDE | FRONT | WITH_AD, 0, 16, 32, 48, 64, 80, 96, 112, 128, 129),
    "steps": many(STEPS | WITH_AD, *range(5, 45)),
    "part": many(FRONT, *range(0, 800, 20), first=16, count=9),
    "counter": many(COUNTER | FRONT, 0, 1, 17, 17, 300),
    "falls": many(0, 10, 9, 20),
    "negative": many(0, -1, 5, 6),
    "negative-64": many(WIDE, -(2**63), 2**63 - 1),
    "beyond": many(0, 0, 100, size=99),
    "far-beyond": many(WIDE, 0, 2**62, 2**62 + 5),
    "open": many(OPEN | FRONT, 0, 5, 60, 60, 200, 228),
    "open-detached": many(OPEN | WIDE | WITH_AD, 7, 100, 101, 117),
    "unpad": many(UNPAD | OPEN, 0, 48, 48, 100, 180, 512),
    "nothing": many(0, 5),
    "prefixes": many(PREFIXES | FRONT | WITH_AD, *range(0, 400, 10), key_size=32),
    "prefixes-open": many(PREFIXES | OPEN | FRONT, *range(0, 1600, 40), 1620, key_size=32),
}


MODES = {
    "ecb": mode(ECB, 272, key_size=24),
    "ecb-odd": mode(ECB, 21),
    "cbc-in-place": mode(CBC, 400, flags=IN_PLACE, iv=KEY[:16]),
    "cbc-padded": mode(CBC_PADDED, 141, key_size=32, flags=MISALIGN),
    "cbc-padded-altered": mode(CBC_PADDED, 30, flags=FORGE, ad_size=31),
    "ctr-wraps-32": mode(CTR, 300, iv=bytes(12) + b"\xff\xff\xff\xfe"),
    "ctr-wraps-128": mode(CTR, 300, iv=b"\xff" * 15 + b"\xf9", flags=IN_PLACE),
    "gcm": mode(GCM, 333, key_size=32, ad_size=37),
    "gcm-long": mode(GCM, 1500, ad_size=700, flags=IN_PLACE),
    "gcm-nonce-16-tag-13": mode(GCM, 100, nonce_size=16, tag=4),
    "gcm-nonce-60-forged": mode(GCM, 161, nonce_size=60, flags=FORGE, ad_size=5),
    "gcm-empty": mode(GCM, 0, flags=FORGE),
    "chunks": mode(CHUNKS, 256, chunk=64),
    "chunks-last": mode(CHUNKS, 500, chunk=128, flags=LAST),
    "chunks-last-empty": mode(CHUNKS, 256, chunk=128, flags=LAST | MISALIGN),
    "chunks-forged": mode(CHUNKS, 500, chunk=100, flags=LAST | FORGE, ad_size=240),
}

INCREMENTAL = {
    "seal": calls((AD, 5), (AD, 40), (ENCRYPT, 1), (ENCRYPT, 300), (ENCRYPT, 17), (FINISH, 0)),
    "open": calls((AD, 20), (DECRYPT, 129), (DECRYPT, 600), (VERIFY, 0), key_size=32),
    "open-forged": calls((DECRYPT, 64), (DECRYPT, 64), (VERIFY, 1), flags=IN_PLACE),
    "empty": calls((FINISH, 0), (RESTART, 0), (VERIFY, 0), (FINISH, 0)),
    "out-of-order": calls((ENCRYPT, 3), (AD, 1), (DECRYPT, 2), (VERIFY, 0), (FINISH, 0), (AD, 1)),
    "restart": calls((AD, 16), (ENCRYPT, 16), (RESTART, 0), (DECRYPT, 140), (VERIFY, 0)),
    "nonce-16": calls((AD, 16), *[(ENCRYPT, 15)] * 20, (FINISH, 0), nonce_size=16, key_size=24),
    "hash": calls(
        (AD, 16), (HASH, 40), (HASH, 300), (VERIFY, 0), (RESTART, 0), (HASH, 5), (FINISH, 0)
    ),
    "hash-out-of-order": calls(
        (ENCRYPT, 3), (HASH, 1), (FINISH, 0), (HASH, 1), (RESTART, 0), (HASH, 9)
    ),
    "stream": calls((STREAM, 1), (STREAM, 127), (STREAM, 300), (STREAM, 5), counter=b"\xff" * 16),
}

CFB, CFB8, OFB, IGE, CTR_WIDTH, XTS, CMAC, KW, KWP, SIV = range(10)
GCM_SIV, XAES, CCM, OCB, EAX = range(10, 15)
ALTER, LITTLE, CTR_64, CTR_32 = 2, 4, 8, 16

FAMILY = {
    "cfb": family(CFB, 300, cut=21),
    "cfb-in-place": family(CFB, 141, cut=128, flags=IN_PLACE, key_size=32),
    "cfb8": family(CFB8, 70, cut=33, key_size=24),
    "ofb": family(OFB, 200, cut=77, flags=IN_PLACE),
    "ige": family(IGE, 320, flags=IN_PLACE, key_size=32),
    "ctr-little-128": family(CTR_WIDTH, 300, flags=LITTLE, iv=b"\xfe" + b"\xff" * 31),
    "ctr-little-64": family(CTR_WIDTH, 300, flags=LITTLE | CTR_64, iv=b"\xfa" + b"\xff" * 31),
    "ctr-32": family(CTR_WIDTH, 300, flags=CTR_32, iv=b"\xff" * 15 + b"\xf9" + bytes(16)),
    "xts": family(XTS, 128, key_size=32),
    "xts-stealing": family(XTS, 271, flags=IN_PLACE),
    "xts-in-parts": family(XTS, 271, cut=160, key_size=32),
    "cmac": family(CMAC, 64, cut=17),
    "cmac-altered": family(CMAC, 37, cut=16, tag=8, flags=ALTER),
    "kw": family(KW, 40, key_size=24),
    "kw-altered": family(KW, 24, cut=9, flags=ALTER | IN_PLACE),
    "kwp": family(KWP, 7),
    "kwp-long": family(KWP, 29, flags=IN_PLACE, key_size=32),
    "kwp-altered": family(KWP, 20, cut=55, flags=ALTER),
    "siv": family(SIV, 47, ad_size=30, nonce_size=16),
    "siv-short": family(SIV, 9, nonce_size=0, flags=IN_PLACE),
    "gcm-siv": family(GCM_SIV, 333, ad_size=37, key_size=32),
    "gcm-siv-altered": family(GCM_SIV, 150, ad_size=16, cut=5, flags=ALTER | IN_PLACE),
    "xaes": family(XAES, 100, ad_size=5),
    "ccm": family(CCM, 129, ad_size=20, nonce_size=4, tag=3),
    "ocb": family(OCB, 500, ad_size=300, key_size=24),
    "ocb-altered": family(OCB, 77, ad_size=16, nonce_size=14, cut=40, flags=ALTER),
    "eax": family(EAX, 290, ad_size=33, nonce_size=40),
    "eax-empty": family(EAX, 0, nonce_size=0, flags=ALTER),
}

AEGIS_128L, AEGIS_128X2, AEGIS_128X4, AEGIS_256, AEGIS_256X2, AEGIS_256X4 = range(6)
LONG_TAG = 1

AEGIS = {
    "128l": aegis(AEGIS_128L, 333, 1, 31, 32, 33, 200, ad_size=37),
    "128l-empty": aegis(AEGIS_128L, 0),
    "128l-in-place": aegis(AEGIS_128L, 64, 63, flags=2 | LONG_TAG, bit=70),
    "128x2": aegis(AEGIS_128X2, 200, 64, 63, 1, 0, 5, ad_size=65, flags=LONG_TAG),
    "128x4": aegis(AEGIS_128X4, 400, 127, 1, 128, 129, ad_size=127, bit=8 * 410),
    "128x4-tile": aegis(AEGIS_128X4, 4096 + 129, 255, ad_size=1300, flags=4),
    "256": aegis(AEGIS_256, 100, 15, 1, 16, 17, ad_size=16, flags=LONG_TAG),
    "256x2": aegis(AEGIS_256X2, 321, 31, 33, 7, ad_size=33, bit=8 * 340 + 7),
    "256x4": aegis(AEGIS_256X4, 5000, 250, 6, 64, flags=2, ad_size=63),
}


def main() -> None:
    targets = {
        "modes": MODES,
        "family": FAMILY,
        "incremental": INCREMENTAL,
        "aegis": AEGIS,
        "many": MANY,
    }
    for name, seeds in targets.items():
        directory = CORPUS / name
        directory.mkdir(parents=True, exist_ok=True)
        for old in directory.iterdir():
            old.unlink()
        for label, seed in seeds.items():
            (directory / label).write_bytes(seed)


if __name__ == "__main__":
    main()
