"""Compares yt-dlp's own decryption of AES-128-CBC with rijn.compat.cryptodome on the backend python.

    python .ci/compat/ytdlp_speed.py PROGRAMS    prints both speeds and the ratio

PROGRAMS is a folder with the package yt-dlp. Each figure is the median of 5 rounds that take turns.
"""

import statistics
import sys
import time
from pathlib import Path

from rijn.compat.cryptodome.Cipher import AES

OWN, OURS = 16 * 1024, 4 * 1024 * 1024  # bytes in a round
ROUNDS = 5
KEY, IV = bytes(range(16)), bytes(range(16, 32))


def main(programs: str) -> None:
    sys.path.insert(0, str(Path(programs).resolve()))
    sys.modules["Crypto"] = sys.modules["Cryptodome"] = None  # type: ignore[assignment]
    from yt_dlp.aes import aes_cbc_decrypt_bytes

    data = AES.new(KEY, AES.MODE_CBC, IV).encrypt(bytes(OURS))
    own, ours = [], []
    for _ in range(ROUNDS):
        begun = time.process_time()
        assert aes_cbc_decrypt_bytes(data[:OWN], KEY, IV) == bytes(OWN)
        between = time.process_time()
        cipher = AES.new(KEY, AES.MODE_CBC, IV, backend="python")
        assert cipher.decrypt(data) == bytes(OURS)
        own.append(OWN / (between - begun) / 1e6)
        ours.append(OURS / (time.process_time() - between) / 1e6)
    speeds = statistics.median(own), statistics.median(ours)
    print(f"yt-dlp's own {speeds[0]:.3f} MB/s, on rijn's backend python {speeds[1]:.1f} MB/s")
    print(f"{speeds[1] / speeds[0]:.0f} times as fast")


if __name__ == "__main__":
    main(*sys.argv[1:])
