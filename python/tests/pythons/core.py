"""The core of the suite for any Python from 3.11 on, with only the standard library. It tests the
native backends if rijn has its native module, else the pure ones.

    python core.py FOLDER

collect.sh makes FOLDER: rijn without its native module, the tests, the packages of published
vectors, and pyaes. If FOLDER contains no `rijn`, the installed rijn is tested. Prints one
"PASSED name", "FAILED name" or "SKIPPED name: why" per check, then the speed. Exits with 1 if a
check failed.
"""

from __future__ import annotations

import platform
import random
import statistics
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1]).resolve()
sys.path[:0] = [str(FOLDER), str(FOLDER / "python" / "tests")]

import family_files
import vector_files

import rijn
from rijn import registry, selftest

PURE = ("python", "python-bitslice", "reference")
AVAILABLE = tuple(b.name for b in rijn.backends() if b.available)
LISTED = {listed.name for listed in registry.listed_backends()}
NATIVE = tuple(name for name in AVAILABLE if name in LISTED)
BACKENDS = NATIVE or PURE
# Vectors per file and backend: Pyodide's is the slowest Python here.
MOST = {"python": 150, "python-bitslice": 20, "reference": 20} | dict.fromkeys(NATIVE, 150)
SEALERS = (
    *(rijn.AESGCM, rijn.AESGCMSIV, rijn.AESCCM, rijn.AESOCB3, rijn.AESEAX, rijn.XAES256GCM),
    *(rijn.AEGIS128L, rijn.AEGIS128X2, rijn.AEGIS128X4),
    *(rijn.AEGIS256, rijn.AEGIS256X2, rijn.AEGIS256X4),
)


class Impossible(Exception):
    """A check cannot run on this Python."""


def noise(size: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(size)


def check_backends() -> None:
    """An existing native module loads, and gives the chosen backend. Otherwise `python` is
    chosen."""
    assert set(AVAILABLE) >= set(PURE), AVAILABLE
    assert set(AVAILABLE) <= {*NATIVE, *PURE, "python-table", "numpy", "numba"}, AVAILABLE
    there = any(Path(*rijn.__path__).glob("_native.*[!i]"))
    assert bool(NATIVE) == there, NATIVE
    assert rijn.AES(bytes(16)).backend in (NATIVE or ("python",))


def check_selftest() -> None:
    results = selftest.run(BACKENDS)
    assert {result.backend for result in results} == set(BACKENDS)
    wrong = [result for result in results if not result.ok]
    assert not wrong, wrong


def check_known_answers() -> None:
    """NIST's vectors of the raw modes, in both directions."""
    names = {"ECB": "ecb", "CBC": "cbc", "CFB8": "cfb8", "CFB128": "cfb", "OFB": "ofb"}
    for file in vector_files.KAT_FILES:
        mode = names[file.source.split()[0]]
        for tested in BACKENDS:
            for vector in vector_files.sample(file.read(), MOST[tested]):
                aes = rijn.AES(vector["KEY"], backend=tested)
                iv = [vector["IV"]] if "IV" in vector else []
                found: bytes
                if "ENCRYPT" in vector.section:
                    found = getattr(aes, f"{mode}_encrypt")(*iv, vector["PLAINTEXT"])
                    assert found == vector["CIPHERTEXT"], (tested, file.name, vector)
                else:
                    found = getattr(aes, f"{mode}_decrypt")(*iv, vector["CIPHERTEXT"])
                    assert found == vector["PLAINTEXT"], (tested, file.name, vector)


def opened(aead: Any, *message: bytes) -> bytes | None:
    """Returns the plaintext, or None for a refused message."""
    try:
        plaintext: bytes = aead.decrypt(*message)
    except rijn.InvalidTag:
        return None
    return plaintext


def check_gcm() -> None:
    """NIST's vectors of GCM. Half of the decryptions must fail."""
    for file in vector_files.GCM_FILES:
        for tested in BACKENDS:
            for vector in vector_files.sample(file.read(), MOST[tested]):
                tag = vector["TAG"]
                short = {"short_tags": True, "short_nonces": True}
                aead = rijn.AESGCM(vector["KEY"], tag_length=len(tag), backend=tested, **short)
                sealed = vector["CT"] + tag
                wanted = None if "FAIL" in vector else vector["PT"]
                assert opened(aead, vector["IV"], sealed, vector["AAD"]) == wanted, vector
                if wanted is not None:
                    assert aead.encrypt(vector["IV"], wanted, vector["AAD"]) == sealed, vector


def check_gcm_siv() -> None:
    """The vectors of RFC 8452 that give a plaintext."""
    tried = 0
    for vector in family_files.GCM_SIV_FILE.read():
        if "PLAINTEXT" in vector:
            sealed = vector["CIPHERTEXT"] + vector["TAG"]
            message = (vector["IV"], sealed, vector.get("AAD"))
            for tested in NATIVE or ("python",):
                aead = rijn.AESGCMSIV(vector["KEY"], backend=tested)
                assert opened(aead, *message) == vector["PLAINTEXT"], (tested, vector)
            tried += 1
    assert tried > 30


def check_sealers() -> None:
    """Every authenticated cipher matches `reference`, which shares nothing with the others."""
    for sealer in SEALERS:
        key = noise(sealer.key_sizes[-1], 1)
        nonce = noise(12 if 12 in sealer.nonce_sizes else sealer.nonce_sizes[-1], 2)
        oracle = sealer(key, backend="reference")
        messages = [noise(size, size) for size in (0, 1, 16, 100, 700)]
        wanted = [oracle.encrypt(nonce, data, b"header") for data in messages]
        for tested in NATIVE or ("python",):
            aead = sealer(key, backend=tested)
            for data, sealed in zip(messages, wanted, strict=True):
                assert aead.encrypt(nonce, data, b"header") == sealed, (sealer, tested, len(data))
                assert opened(aead, nonce, sealed, b"header") == data
                assert opened(aead, nonce, sealed, b"another") is None
            try:
                aead.encrypt(b"", b"", b"")
                assert 0 in sealer.nonce_sizes, f"{sealer} takes an empty nonce"
            except ValueError:
                assert 0 not in sealer.nonce_sizes, f"{sealer} takes no empty nonce"


def check_buffers() -> None:
    """Results in the caller's memory: in place, apart, and over a part of the message, which is refused.
    The pure backends cannot tell without ctypes, and give the right result."""
    key, nonce, data = noise(16, 9), noise(12, 10), noise(100, 11)
    for tested in BACKENDS:
        aead = rijn.AESGCM(key, backend=tested)
        sealed = aead.encrypt(nonce, data)
        memory = bytearray(data + bytes(200))
        view = memoryview(memory)
        assert aead.encrypt_into(nonce, view[:100], None, view[:116]) == 116
        assert memory[:116] == sealed, tested
        assert aead.decrypt_into(nonce, view[:116], None, view[150:250]) == 100
        assert memory[150:250] == data, tested
        try:
            aead.encrypt_into(nonce, view[150:250], None, view[180:296])
        except ValueError:
            assert memory[150:250] == data, tested
        else:
            assert find_spec("_ctypes") is None, tested
            assert memory[180:296] == sealed, tested


def check_long_messages() -> None:
    """Compares bit planes with byte planes, at sizes where both work."""
    for key_size in (16, 32):
        key = noise(key_size, 3)
        planes, table = (rijn.AES(key, backend=f"python-{half}") for half in ("bitslice", "table"))
        for size in (56 * 1024 + 16, 2**20 + 4096 + 16):
            data = noise(size, size)
            iv = b"\xff" * 14 + noise(2)
            assert planes.ecb_encrypt(data) == table.ecb_encrypt(data)
            assert planes.ecb_decrypt(data) == table.ecb_decrypt(data)
            assert planes.cbc_decrypt(iv, data) == table.cbc_decrypt(iv, data)
            assert planes.ctr_encrypt(iv, data[:-9]) == table.ctr_encrypt(iv, data[:-9])
            a, b = (rijn.AESGCM(key, backend=f"python-{half}") for half in ("bitslice", "table"))
            assert a.encrypt(iv[:12], data, iv) == b.encrypt(iv[:12], data, iv)


def check_threads() -> None:
    """Eight threads with one fresh key each, and one shared key. Values that a backend makes at
    first use are made at the same time."""
    from concurrent.futures import ThreadPoolExecutor

    data = noise(20000)
    shared = rijn.AESGCM(noise(16, 4), backend=BACKENDS[0])
    expected = shared.encrypt(bytes(12), data)

    def agrees(seed: int) -> bool:
        own = rijn.AES(noise(32, seed), backend=BACKENDS[1])
        back = own.cbc_decrypt(bytes(16), own.cbc_encrypt(bytes(16), data[:4096]))
        return back == data[:4096] and shared.encrypt(bytes(12), data) == expected

    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(agrees, range(64)))
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            raise
        raise Impossible("there are no threads") from None


def check_compat() -> None:
    """The interfaces of pyaes and TgCrypto, against pyaes and the oracle."""
    import pyaes as original

    from rijn.compat import pyaes, tgcrypto

    key, iv, data = noise(32, 5), noise(16, 6), noise(3000, 7)
    for name in ("cbc", "cfb", "ofb"):
        ours = pyaes.Encrypter(pyaes.AESModesOfOperation[name](key, iv=iv))
        theirs = original.Encrypter(original.AESModesOfOperation[name](key, iv=iv))
        assert ours.feed(data) + ours.feed() == theirs.feed(data) + theirs.feed()
    chain = noise(32, 8)
    sealed = tgcrypto.ige256_encrypt(data[:992], key, chain)
    assert sealed == rijn.AES(key, backend="reference").ige_encrypt(chain, data[:992])
    assert tgcrypto.ige256_decrypt(sealed, key, chain) == data[:992]


CHECKS = (
    *(check_backends, check_selftest, check_known_answers, check_gcm, check_gcm_siv),
    *(check_sealers, check_buffers, check_threads),
    *(() if NATIVE else (check_long_messages, check_compat)),
)


def outcome(check: Callable[[], None]) -> str:
    name = check.__name__.removeprefix("check_")
    start = time.perf_counter()
    try:
        check()
    except Impossible as reason:
        return f"SKIPPED {name}: {reason}"
    except Exception:  # noqa: BLE001 - any error is a finding
        traceback.print_exc(file=sys.stdout)
        return f"FAILED {name}"
    return f"PASSED {name} ({time.perf_counter() - start:.1f} s)"


def seconds(call: Callable[[], object]) -> float:
    """Returns the processor time of `call`."""
    start = time.process_time()
    call()
    return time.process_time() - start


def native_speed() -> str:
    """Returns the speed of GCM with 1 MiB on the chosen backend."""
    aead, data = rijn.AESGCM(noise(16, 9)), noise(2**20)
    spent = statistics.median(seconds(lambda: aead.encrypt(bytes(12), data)) for _ in range(9))
    return f"GCM-128 of 1 MiB: {len(data) / 1e6 / spent:.3g} MB/s on {aead.backend}"


def pure_speed() -> str:
    """Returns the speed of CTR with 1 MiB beside pyaes, in turns, after a warm-up for tracing compilers."""
    import pyaes as original

    key, data = noise(16, 9), noise(2**20)
    part = data[: 2**14]
    aes = rijn.AES(key, backend="python")
    peer = original.AESModeOfOperationCTR(key, original.Counter(1))
    assert aes.ctr_encrypt(bytes(15) + b"\1", part) == peer.encrypt(part)
    ours, theirs = [], []
    for _ in range(9):
        ours.append(seconds(lambda: aes.ctr_encrypt(bytes(16), data)))
        theirs.append(seconds(lambda: peer.encrypt(part)))
    ours_speed = 1 / statistics.median(ours)
    peer_speed = len(part) / 2**20 / statistics.median(theirs)
    return (
        f"CTR-128 of 1 MiB: {ours_speed:.3g} MiB/s; pyaes {peer_speed:.3g}; "
        f"{ours_speed / peer_speed:.3g} x pyaes"
    )


def name_of_this_python() -> str:
    digits = sys.int_info.bits_per_digit
    free = " free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return (
        f"{platform.python_implementation()}-{platform.python_version()}{free}, "
        f"{sys.maxsize.bit_length() + 1}-bit {sys.platform}, digits of {digits} bits"
    )


def main() -> int:
    print(name_of_this_python())
    failed = 0
    for check in CHECKS:
        line = outcome(check)
        print(line, flush=True)
        failed += line.startswith("FAILED")
    print(name_of_this_python() + ":", native_speed() if NATIVE else pure_speed())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
