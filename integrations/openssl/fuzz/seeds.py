"""Writes the seeds of fuzz_provider.c, corpus/provider/: for several ciphers, a message that is encrypted and then
decrypted, with copies and parameters between; and MACs."""

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus" / "provider"

# Calls of fuzz_cipher, with the choices that each takes. The key and the IV are filled from a byte each.
START, OTHER_WAY = bytes([2, 5, 9]), bytes([0x82, 5, 9])
AD = bytes([6, 3, 20, 1, 1])  # 20 bytes
BLOCKS = bytes([4, 2, 2, 1, 7])  # 32 bytes, apart
BYTES = bytes([4, 3, 13, 1, 7])
LONG = bytes([4, 0, 4, 0, 0, 7])  # 1,024 bytes, in place
SAME = bytes([4, 1, 1, 0])  # the last output
TAG, GIVE_TAG = bytes([10, 15]), bytes([3, 2, 16])
FINAL, COPY, DIRECT = bytes([8]), bytes([9, 0]), bytes([7, 2, 1, 1, 3])
REJOIN = bytes([11, 3, 4])


def wild(call: int, *parameters: tuple[int, int, int, int]) -> bytes:
    """A call with parameters: name, type, kind, size."""
    listed = b"".join(bytes([*it, 3]) for it in parameters)
    return bytes([call, len(parameters) - 1]) + listed


ODD = wild(12, (9, 4, 4, 0), (1, 2, 3, 8), (3, 5, 5, 16)) + wild(14, (2, 5, 7, 16), (0, 2, 9, 8))
MESSAGE = START + AD + BLOCKS + COPY + BLOCKS + FINAL + TAG
ANSWER = OTHER_WAY + GIVE_TAG + AD + SAME + FINAL
FLOWS = [
    MESSAGE + ANSWER + START + LONG + BYTES + FINAL,
    START + GIVE_TAG + AD + BLOCKS + FINAL + TAG + ANSWER + ODD + REJOIN + BYTES + LONG + FINAL,
    bytes([3, 1, 7]) + START + BYTES + BLOCKS + FINAL + DIRECT + START + DIRECT + ODD,
]
MACS = wild(0, (28, 4, 4 + 8 * 3, 0), (27, 5, 5, 16)) + bytes(
    [3, 20, 1, 5, 4, 16, 2, 0, 1, 2, 1, 9]
)


def main() -> None:
    for old in CORPUS.iterdir():
        old.unlink()
    for cipher in range(0, 54, 2):
        flow = FLOWS[cipher // 2 % len(FLOWS)]
        (CORPUS / f"cipher-{cipher:02}").write_bytes(bytes([0, cipher, 1]) + flow)
    for way in range(2):
        (CORPUS / f"mac-{way}").write_bytes(bytes([7, way]) + MACS)


if __name__ == "__main__":
    main()
