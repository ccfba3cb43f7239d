"""rijn.chunked: interchange with `cryptography`, every way to tamper, streams, random access."""

from __future__ import annotations

import hmac
import io
import os
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, cast

import pytest
from cryptography import cobblestone
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from hypothesis import given, settings
from hypothesis import strategies as st

import rijn
from rijn import InvalidTag, chunked, pipeline
from rijn.chunked import CHUNK, PREFIX, Damaged, Decryptor, Encryptor, Reader, Truncated, WrongKey

SEALED = CHUNK + 16
EDGES = (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 5)
CONTEXT = b"a context"


def noise(size: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(size)


KEYS = {128: noise(16, 128), 256: noise(32, 256)}
KEY = KEYS[128]


def peer_encrypt(key: bytes, data: bytes, context: bytes) -> bytes:
    peer = getattr(cobblestone, f"Cobblestone{8 * len(key)}Encryptor")(key, context)
    return bytes(peer.update(data)) + bytes(peer.finalize())


def peer_decrypt(key: bytes, data: bytes, context: bytes) -> bytes:
    peer = getattr(cobblestone, f"Cobblestone{8 * len(key)}Decryptor")(key, context)
    return bytes(peer.update(data)) + bytes(peer.finalize())


# ---- The format ----


@pytest.mark.parametrize("context", [b"", CONTEXT], ids=["empty", "context"])
@pytest.mark.parametrize("size", EDGES)
@pytest.mark.parametrize("bits", KEYS)
def test_interchange_with_cryptography(bits: int, size: int, context: bytes) -> None:
    key, data = KEYS[bits], noise(size)
    ours = chunked.encrypt(key, data, context=context)
    assert len(ours) == PREFIX + size + 16 * (size // CHUNK + 1)
    assert len(ours) == chunked.sealed_size(size, chunked.find_aead(None, len(key)))
    assert peer_decrypt(key, ours, context) == data
    assert chunked.decrypt(key, peer_encrypt(key, data, context), context=context) == data


def test_every_backend_reads_every_backend(tested: object) -> None:
    name = tested.name  # type: ignore[attr-defined]
    data = noise(CHUNK + 100 if name != "reference" else 100)
    sealed = chunked.encrypt(KEY, data, context=CONTEXT, backend=name)
    assert peer_decrypt(KEY, sealed, CONTEXT) == data
    theirs = peer_encrypt(KEY, data, CONTEXT)
    assert chunked.decrypt(KEY, theirs, context=CONTEXT, backend=name) == data


def test_key_derivation() -> None:
    salt = noise(24)
    for aead in chunked.AEADS.values():
        key = noise(aead.key_size)
        info = b"c2sp.org/chunked-encryption@v1+" + aead.name.encode() + b"\0" + salt + CONTEXT
        size = aead.key_size + aead.nonce_size + 32
        derived = HKDFExpand(SHA512(), size, info).derive(key)
        message = chunked.Message(key, salt, aead=aead.name, context=CONTEXT, backend=None)
        assert message.prefix == salt + derived[-32:]


def test_messages_share_a_key() -> None:
    for aead in chunked.AEADS.values():
        key = noise(aead.key_size)
        messages = chunked.message.Messages(key, aead=aead.name, context=CONTEXT)
        for data in (b"", b"one", noise(CHUNK + 1)):
            message, sealed = messages.new(), bytearray(len(data) + 16 * (len(data) // CHUNK + 1))
            message.seal(0, data, sealed, last=True)
            whole = message.prefix + sealed
            assert chunked.decrypt(key, whole, aead=aead.name, context=CONTEXT) == data
            assert messages.of(whole[:PREFIX]).prefix == message.prefix
        assert messages.new().prefix[:24] != messages.new().prefix[:24]
        with pytest.raises(WrongKey):
            messages.of(bytes(PREFIX))
        with pytest.raises(Truncated) as caught:
            messages.of(bytes(PREFIX - 1), start=7)
        assert caught.value.offset == PREFIX + 6


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 128, 200, 255 * 64])
def test_hkdf_expand(size: int) -> None:
    keyed = hmac.new(KEY, digestmod="sha512")
    if size:
        expected = HKDFExpand(SHA512(), size, b"info").derive(KEY)
        assert chunked.message._expand(keyed, b"info", size) == expected
    else:
        assert chunked.message._expand(keyed, b"info", 0) == b""


def test_salts_differ() -> None:
    assert len({chunked.encrypt(KEY, b"")[:24] for _ in range(50)}) == 50


def test_aead_by_name() -> None:
    assert chunked.find_aead(None, 16).name == "AEAD_AES_128_GCM"
    assert chunked.find_aead(None, 32).name == "AEAD_AES_256_GCM"
    sealed = chunked.encrypt(KEYS[256], b"data", aead="AEAD_AES_256_GCM")
    assert chunked.decrypt(KEYS[256], sealed) == b"data"
    for name in ("AEAD_AES_128_GCM", "aes-128-gcm"):
        with pytest.raises(ValueError, match=r"key is 32 bytes; AEAD_AES_128_GCM takes 16"):
            chunked.encrypt(KEYS[256], b"", aead=name)
    with pytest.raises(
        ValueError, match=r"'AES'; there are: aes-128-gcm, aes-256-gcm, aegis-128l,"
    ):
        chunked.encrypt(KEY, b"", aead="AES")
    with pytest.raises(ValueError, match=r"key is 24 bytes; an AEAD takes 16 or 32"):
        chunked.encrypt(bytes(24), b"")


@pytest.mark.parametrize("aead", chunked.AEADS.values(), ids=lambda aead: aead.short)
def test_every_aead(aead: chunked.Aead) -> None:
    """Checks each chunk against the format, using the public class."""
    key, data = noise(aead.key_size, 1), noise(2 * chunked.CHUNK + 5, 2)
    sealed = chunked.encrypt(key, data, aead=aead.short, context=CONTEXT)
    assert len(sealed) == chunked.sealed_size(len(data), aead)
    assert chunked.decrypt(key, sealed, aead=aead.name, context=CONTEXT) == data

    info = b"c2sp.org/chunked-encryption@v1+" + aead.name.encode() + b"\0" + sealed[:24] + CONTEXT
    size = aead.key_size + aead.nonce_size + 32
    derived = HKDFExpand(SHA512(), size, info).derive(key)
    cipher = getattr(rijn, "AESGCM" if "GCM" in aead.name else aead.name[5:])
    base = int.from_bytes(derived[aead.key_size : -32], "big")
    chunks = [
        cipher(derived[: aead.key_size]).encrypt(
            (base ^ i).to_bytes(aead.nonce_size, "big"),
            data[i * chunked.CHUNK : (i + 1) * chunked.CHUNK],
        )
        for i in range(3)
    ]
    assert sealed == sealed[:24] + derived[-32:] + b"".join(chunks)

    for place in (60, len(sealed) - 1):
        altered = bytearray(sealed)
        altered[place] ^= 1
        with pytest.raises(InvalidTag):
            chunked.decrypt(key, altered, aead=aead.name, context=CONTEXT)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer(kind: type) -> None:
    sealed = chunked.encrypt(kind(KEY), kind(b"abc"), context=kind(CONTEXT))
    assert chunked.decrypt(kind(KEY), kind(sealed), context=kind(CONTEXT)) == b"abc"


def test_numpy_arrays() -> None:
    numpy: ModuleType = pytest.importorskip("numpy")
    array = numpy.arange(9000, dtype=numpy.uint32).reshape(90, 100)
    sealed = chunked.encrypt(KEY, array)
    assert chunked.decrypt(KEY, numpy.frombuffer(sealed, numpy.uint8)) == array.tobytes()
    assert chunked.decrypt(KEY, chunked.encrypt(KEY, numpy.zeros((0, 3)))) == b""


# ---- Tampering: every reader refuses it, with the same error ----


def read_whole(data: bytes) -> bytes:
    return chunked.decrypt(KEY, data, context=CONTEXT)


def read_stream(data: bytes) -> bytes:
    decryptor = Decryptor(KEY, context=CONTEXT)
    parts = [decryptor.update(data[i : i + 5000]) for i in range(0, len(data), 5000)]
    return b"".join(parts) + decryptor.finalize()


def read_pipeline(data: bytes) -> bytes:
    source, out = io.BytesIO(data), io.BytesIO()
    prefix = chunked.sources.read_up_to(source, PREFIX)
    message = chunked.Message.of(prefix, KEY, context=CONTEXT)
    pipeline.open_stream(message, source, out.write, jobs=2)
    return out.getvalue()


def read_random(data: bytes) -> bytes:
    return Reader(io.BytesIO(data), KEY, context=CONTEXT).read()


READERS = pytest.mark.parametrize(
    "read", [read_whole, read_stream, read_pipeline, read_random], ids=lambda f: f.__name__
)
LONG = peer_encrypt(KEY, noise(3 * CHUNK + 100), CONTEXT)  # four chunks
SHORT = peer_encrypt(KEY, b"attack at dawn", CONTEXT)


def flip(data: bytes, index: int) -> bytes:
    changed = bytearray(data)
    changed[index] ^= 1
    return bytes(changed)


@READERS
def test_readers_agree(read) -> None:
    assert read(LONG) == noise(3 * CHUNK + 100)
    assert read(SHORT) == b"attack at dawn"


@READERS
@pytest.mark.parametrize("index", [0, 23, 24, 55], ids=["salt", "salt", "commitment", "commitment"])
def test_altered_prefix(read, index: int) -> None:
    with pytest.raises(WrongKey):
        read(flip(LONG, index))


@READERS
@pytest.mark.parametrize("context", [b"", b"a Context", CONTEXT + b"\0"])
def test_another_context(read, context: bytes) -> None:
    with pytest.raises(WrongKey):
        read(peer_encrypt(KEY, b"data", context))


@READERS
def test_another_key(read) -> None:
    with pytest.raises(WrongKey):
        read(peer_encrypt(flip(KEY, 3), b"data", CONTEXT))


@READERS
@pytest.mark.parametrize("within", [0, 1, CHUNK - 1, CHUNK, SEALED - 1])
@pytest.mark.parametrize("chunk", [0, 1, 2])
def test_damaged_chunk(read, chunk: int, within: int) -> None:
    with pytest.raises(Damaged) as caught:
        read(flip(LONG, PREFIX + chunk * SEALED + within))
    assert caught.value.chunk == chunk
    assert caught.value.offset == PREFIX + chunk * SEALED
    assert f"byte {caught.value.offset}" in str(caught.value)


@READERS
def test_damaged_only_chunk(read) -> None:
    for index in range(PREFIX, len(SHORT)):
        with pytest.raises(Damaged) as caught:
            read(flip(SHORT, index))
        assert (caught.value.chunk, caught.value.offset) == (0, PREFIX)


@READERS
def test_swapped_chunks(read) -> None:
    first, second = (LONG[PREFIX + i * SEALED : PREFIX + (i + 1) * SEALED] for i in (0, 1))
    with pytest.raises(Damaged) as caught:
        read(LONG[:PREFIX] + second + first + LONG[PREFIX + 2 * SEALED :])
    assert caught.value.chunk == 0


@READERS
def test_chunk_left_out(read) -> None:
    # Random access looks at the end first, and finds a chunk from another place.
    with pytest.raises(Truncated if read is read_random else Damaged) as caught:
        read(LONG[: PREFIX + SEALED] + LONG[PREFIX + 2 * SEALED :])
    assert caught.value.offset == PREFIX + (2 if read is read_random else 1) * SEALED


@READERS
def test_chunk_of_another_message(read) -> None:
    other = peer_encrypt(KEY, noise(3 * CHUNK + 100), CONTEXT)
    cut = PREFIX + SEALED
    with pytest.raises(Damaged) as caught:
        read(LONG[:cut] + other[cut : cut + SEALED] + LONG[cut + SEALED :])
    assert caught.value.chunk == 1


@READERS
@pytest.mark.parametrize("size", [0, 1, 24, 55, 56, 57, 56 + 15])
def test_truncated_in_or_after_the_prefix(read, size: int) -> None:
    with pytest.raises(Truncated) as caught:
        read(LONG[:size])
    assert caught.value.offset == size


@READERS
@pytest.mark.parametrize("chunks", [0, 1, 2, 3])
@pytest.mark.parametrize("more", [0, 1, 15])
def test_truncated_between_chunks(read, chunks: int, more: int) -> None:
    """No message has this size, so this is certain before any decryption."""
    size = PREFIX + chunks * SEALED + more
    with pytest.raises(Truncated) as caught:
        read(LONG[:size])
    assert caught.value.offset == size


@READERS
@pytest.mark.parametrize("chunks", [1, 2, 3])
@pytest.mark.parametrize("more", [16, 17, 100, 115])
def test_truncated_inside_a_chunk(read, chunks: int, more: int) -> None:
    with pytest.raises(Truncated) as caught:
        read(LONG[: PREFIX + chunks * SEALED + more])
    assert caught.value.offset == PREFIX + chunks * SEALED


@READERS
def test_empty_last_chunk_missing(read) -> None:
    whole = peer_encrypt(KEY, noise(2 * CHUNK), CONTEXT)
    assert read(whole) == noise(2 * CHUNK)
    with pytest.raises(Truncated):
        read(whole[:-16])


@READERS
@pytest.mark.parametrize("extra", [1, 15, 16, 17, CHUNK, SEALED])
def test_extended(read, extra: int) -> None:
    for message in (SHORT, LONG):
        with pytest.raises((Damaged, Truncated)):
            read(message + bytes(extra))


@READERS
def test_two_messages_in_a_row(read) -> None:
    with pytest.raises(InvalidTag):
        read(LONG + LONG)


def test_errors_are_invalid_tag() -> None:
    for error in (WrongKey, Damaged, Truncated):
        assert issubclass(error, InvalidTag)
    assert not issubclass(Truncated, Damaged)


def test_the_commitment_is_checked_before_any_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*args: object, **kwargs: object) -> int:
        raise AssertionError("a chunk was opened")

    monkeypatch.setattr(chunked.Message, "open", never)
    for read in (read_whole, read_stream, read_pipeline, read_random):
        with pytest.raises(WrongKey):
            read(flip(LONG, 30))


# ---- Limits ----


def test_chunk_numbers_beyond_32_bits_and_the_limit() -> None:
    message = chunked.Message.new(KEY)
    buf = bytearray(SEALED)
    for number in (2**32 - 1, 2**32, 2**38 - 1):
        message.seal(number, noise(CHUNK), buf, last=False)
        plain = bytearray(CHUNK)
        message.open(number, buf, plain, last=False)
        assert plain == noise(CHUNK)
    with pytest.raises(ValueError, match="at most 2\\^38"):
        message.seal(2**38, noise(CHUNK), buf, last=False)
    with pytest.raises(ValueError, match="at most 2\\^38"):
        message.open(2**38, buf, plain, last=False)
    with pytest.raises(ValueError, match="at most 2\\^38"):
        message.seal(2**38 - 1, noise(CHUNK), bytearray(SEALED + 16), last=True)


def test_sizes_up_to_the_limit() -> None:
    aead = chunked.AEADS["AEAD_AES_128_GCM"]
    largest = 2**52 - 1
    assert chunked.plain_size(chunked.sealed_size(largest, aead), aead) == largest
    with pytest.raises(ValueError, match="at most"):
        chunked.plain_size(chunked.sealed_size(largest + 1, aead), aead)
    for size in (*EDGES, 10**9):
        assert chunked.plain_size(chunked.sealed_size(size, aead), aead) == size


# ---- Streams ----

splits = st.lists(st.integers(0, 3 * SEALED) | st.sampled_from([1, 55, 56, CHUNK, SEALED]))


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    pieces = []
    for size in sizes:
        pieces.append(data[:size])
        data = data[size:]
    return [*pieces, data]


@settings(max_examples=60)
@given(st.sampled_from(EDGES) | st.integers(0, 200_000), splits, splits)
def test_any_split(size: int, plain_sizes: list[int], sealed_sizes: list[int]) -> None:
    data = noise(size)
    encryptor = Encryptor(KEY, context=CONTEXT)
    sealed = b"".join([encryptor.update(piece) for piece in cut(data, plain_sizes)])
    sealed += encryptor.finalize()
    assert len(sealed) == chunked.sealed_size(size, chunked.find_aead(None, 16))
    assert peer_decrypt(KEY, sealed, CONTEXT) == data
    decryptor = Decryptor(KEY, context=CONTEXT)
    found = b""
    fed = 0
    for piece in cut(sealed, sealed_sizes):
        found += decryptor.update(piece)
        fed += len(piece)
        # Every complete chunk is returned, and nothing else.
        assert len(found) == max(0, fed - PREFIX) // SEALED * CHUNK
    assert found + decryptor.finalize() == data


def test_streams_end_once() -> None:
    encryptor = Encryptor(KEY)
    sealed = encryptor.finalize()
    assert chunked.decrypt(KEY, sealed) == b""
    for call in (lambda: encryptor.update(b""), encryptor.finalize):
        with pytest.raises(RuntimeError, match="finalized"):
            call()
    decryptor = Decryptor(KEY)
    assert decryptor.update(sealed) + decryptor.finalize() == b""
    for call in (lambda: decryptor.update(b""), decryptor.finalize):
        with pytest.raises(RuntimeError, match="finalized"):
            call()


@pytest.mark.parametrize("index", [30, PREFIX + 7])
def test_a_decryptor_is_dead_after_an_error(index: int) -> None:
    decryptor = Decryptor(KEY, context=CONTEXT)
    with pytest.raises(InvalidTag):
        decryptor.update(flip(LONG, index))
    for call in (lambda: decryptor.update(b""), decryptor.finalize):
        with pytest.raises(RuntimeError, match="error was raised"):
            call()


class Interposed:
    """Replaces the AEAD object of an Encryptor. Before its first call, it calls `act` once."""

    def __init__(self, encryptor: Encryptor, act: Callable[[], object]) -> None:
        self.acts = [act]
        self.cipher = encryptor._message._cipher
        encryptor._message._cipher = self

    def seal_chunks(self, *arguments: Any) -> int:
        if self.acts:
            self.acts.pop()()
        return self.cipher.seal_chunks(*arguments)

    open_chunks = seal_chunks


@pytest.mark.parametrize("other", ["update", "finalize"])
@pytest.mark.parametrize("one", ["update", "finalize"])
def test_an_encryptor_belongs_to_one_thread_at_a_time(one: str, other: str) -> None:
    """Two at once would seal two chunks with one number and so with one nonce."""
    encryptor = Encryptor(KEY)
    calls: dict[str, Callable[[], bytes]] = {
        "update": lambda: encryptor.update(noise(CHUNK)),
        "finalize": encryptor.finalize,
    }
    refused = []

    def meanwhile() -> None:
        with pytest.raises(RuntimeError, match="another thread is at work"):
            calls[other]()
        refused.append(other)

    Interposed(encryptor, meanwhile)
    sealed = calls[one]()
    assert refused
    if one == "update":
        sealed += encryptor.finalize()
    assert chunked.decrypt(KEY, sealed) == (noise(CHUNK) if one == "update" else b"")


def test_an_encryptor_is_dead_after_an_error() -> None:
    """Its buffered input is lost, and the rest would make a message without it."""

    def fail() -> None:
        raise MemoryError

    encryptor = Encryptor(KEY)
    Interposed(encryptor, fail)
    with pytest.raises(MemoryError):
        encryptor.update(noise(CHUNK))
    for call in (lambda: encryptor.update(b""), encryptor.finalize):
        with pytest.raises(RuntimeError, match="error was raised"):
            call()


def test_input_may_change_after_update() -> None:
    buffer = bytearray(noise(100))
    encryptor = Encryptor(KEY)
    sealed = encryptor.update(buffer)
    buffer[:] = bytes(100)
    assert chunked.decrypt(KEY, sealed + encryptor.finalize()) == noise(100)


# ---- The pipeline ----


class Dribble(io.RawIOBase):
    """A source that gives a few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes, seed: int) -> None:
        super().__init__()
        self._rest = memoryview(data)
        self._random = random.Random(seed)

    def readinto(self, buffer) -> int:
        size = min(len(buffer), len(self._rest), self._random.randint(1, 100_000))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


RUN = pipeline.RUN * CHUNK


def test_a_slow_backend_works_on_a_chunk_at_a_time() -> None:
    """Ctrl-C waits for the work that the threads have begun."""
    assert pipeline.SLOW in {record.name for record in rijn.backends()}
    for backend, most in ((pipeline.SLOW, 1), ("python", pipeline.RUN)):
        sizes: list[int] = []
        message = chunked.Message.new(KEY, backend=backend)
        assert message.backend == backend
        pipeline.seal_stream(
            message, io.BytesIO(noise(3 * CHUNK)), lambda data, sizes=sizes: sizes.append(len(data))
        )
        assert max(sizes[1:]) == min(most, 3) * message.sealed_chunk + (16 if most > 3 else 0)


@pytest.mark.parametrize("jobs", [1, 2, 5, 1000])
@pytest.mark.parametrize("size", [0, 1, CHUNK, RUN - 1, RUN, RUN + 1, 7 * RUN + CHUNK + 9])
def test_pipeline(size: int, jobs: int) -> None:
    data = noise(size)
    sealed, plain = io.BytesIO(), io.BytesIO()
    done: list[int] = []
    message = chunked.Message.new(KEY, context=CONTEXT)
    pipeline.seal_stream(message, Dribble(data, 1), sealed.write, jobs=jobs, advance=done.append)
    assert sum(done) == size
    assert peer_decrypt(KEY, sealed.getvalue(), CONTEXT) == data
    source = Dribble(sealed.getvalue(), 2)
    message = chunked.Message.of(chunked.sources.read_up_to(source, PREFIX), KEY, context=CONTEXT)
    pipeline.open_stream(message, source, plain.write, jobs=jobs)
    assert plain.getvalue() == data


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("start", [0, 7])
@pytest.mark.parametrize("size", [0, 1, RUN - 1, RUN, RUN + 1, 7 * RUN + CHUNK + 9])
def test_pipeline_of_a_file(size: int, start: int, jobs: int, tmp_path: Path) -> None:
    """The jobs read the file from its current position. Afterwards its position is the end."""
    data = noise(size)
    path = tmp_path / "file"
    path.write_bytes(bytes(start) + data)
    sealed, plain = io.BytesIO(), io.BytesIO()
    done: list[int] = []
    message = chunked.Message.new(KEY, context=CONTEXT)
    with path.open("rb", buffering=0) as source:
        source.seek(start)
        pipeline.seal_stream(message, source, sealed.write, jobs=jobs, advance=done.append)
        assert source.tell() == start + size
    assert sum(done) == size
    assert peer_decrypt(KEY, sealed.getvalue(), CONTEXT) == data
    path.write_bytes(bytes(start) + sealed.getvalue())
    with path.open("rb", buffering=0) as source:
        source.seek(start)
        message = chunked.Message.of(
            chunked.sources.read_up_to(source, PREFIX), KEY, context=CONTEXT
        )
        pipeline.open_stream(message, source, plain.write, jobs=jobs)
        assert source.tell() == start + len(sealed.getvalue())
    assert plain.getvalue() == data


@pytest.mark.parametrize("size", [0, 5 * RUN, 5 * RUN + 100, 8 * RUN + 100, 11 * RUN + 5])
@pytest.mark.parametrize("jobs", [1, 3])
def test_pipeline_of_a_file_that_changes(jobs: int, size: int, tmp_path: Path) -> None:
    """It is read to the end that it has by then, even if that moved. The caller may check the
    file. The result contains the bytes that the jobs read."""
    path = tmp_path / "file"
    path.write_bytes(noise(8 * RUN + 100))
    new = noise(8 * RUN + 100)[:size] + bytes(max(0, size - 8 * RUN - 100))
    sealed = io.BytesIO()

    def write(view: memoryview) -> None:
        if len(view) > PREFIX and sealed.tell() == PREFIX:
            os.truncate(path, size)
        sealed.write(view)

    message = chunked.Message.new(KEY, context=CONTEXT)
    with path.open("rb", buffering=0) as source:
        pipeline.seal_stream(message, source, write, jobs=jobs)
        assert source.tell() == max(size, sealed.tell() // (64 * SEALED) * RUN)
    plain = peer_decrypt(KEY, sealed.getvalue(), CONTEXT)
    assert plain[: len(new)] == new[: len(plain)]
    assert len(new) <= len(plain) <= max(len(new), (jobs + 1) * RUN)


@pytest.mark.parametrize("size", [1, CHUNK, RUN - 1])
def test_a_file_of_one_run_starts_no_thread(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pool costs more than a small file. A file that grows meanwhile is read to its new end."""

    def no_pool(*_: object, **__: object) -> None:
        raise AssertionError("a thread pool")

    class Growing(io.FileIO):
        """Grows after its size was looked at, before it is read."""

        def tell(self) -> int:
            with path.open("ab") as file:
                file.write(more)
            return super().tell()

    monkeypatch.setattr(pipeline, "ThreadPoolExecutor", no_pool)
    data, path = noise(size), tmp_path / "file"
    for more in (b"", noise(3 * RUN)):
        path.write_bytes(data)
        sealed, plain = io.BytesIO(), io.BytesIO()
        message = chunked.Message.new(KEY, context=CONTEXT)
        with Growing(path) as source:
            pipeline.seal_stream(message, cast("BinaryIO", source), sealed.write, jobs=4)
        assert peer_decrypt(KEY, sealed.getvalue(), CONTEXT) == data + more
    path.write_bytes(peer_encrypt(KEY, data, CONTEXT))
    with path.open("rb", buffering=0) as source:
        message = chunked.Message.of(
            chunked.sources.read_up_to(source, PREFIX), KEY, context=CONTEXT
        )
        pipeline.open_stream(message, source, plain.write, jobs=4)
    assert plain.getvalue() == data


@pytest.mark.parametrize("chunk", [0, 63, 64, 200, 300])
def test_pipeline_writes_nothing_from_the_bad_run_on(chunk: int) -> None:
    data = noise(5 * RUN)
    sealed = flip(peer_encrypt(KEY, data, CONTEXT), PREFIX + chunk * SEALED + 5)
    source, out = io.BytesIO(sealed), io.BytesIO()
    message = chunked.Message.of(chunked.sources.read_up_to(source, PREFIX), KEY, context=CONTEXT)
    with pytest.raises(Damaged) as caught:
        pipeline.open_stream(message, source, out.write, jobs=3)
    assert caught.value.chunk == chunk
    assert out.getvalue() == data[: chunk // pipeline.RUN * RUN]


@pytest.mark.parametrize("where", ["read", "write"])
def test_pipeline_passes_errors_on(where: str) -> None:
    class Broken(Dribble):
        def readinto(self, buffer) -> int:
            if where == "read" and len(self._rest) < 2 * RUN:
                raise OSError(5, "broken")
            return super().readinto(buffer)

    def write(view: memoryview) -> None:
        if where == "write" and len(view) > PREFIX:
            raise OSError(5, "broken")

    with pytest.raises(OSError, match="broken"):
        pipeline.seal_stream(chunked.Message.new(KEY), Broken(noise(6 * RUN), 3), write, jobs=2)


def test_a_nonblocking_source_is_refused() -> None:
    class NotReady(io.RawIOBase):
        def readinto(self, buffer) -> None:
            return None

    with pytest.raises(BlockingIOError):
        pipeline.seal_stream(chunked.Message.new(KEY), NotReady(), lambda view: None)


# ---- Random access ----


def reader(data: bytes, **options: object) -> Reader:
    return Reader(io.BytesIO(peer_encrypt(KEY, data, CONTEXT)), KEY, context=CONTEXT)


steps = st.lists(
    st.tuples(
        st.sampled_from(["set", "cur", "end"]),
        st.integers(-(5 * CHUNK), 5 * CHUNK) | st.sampled_from([CHUNK, -CHUNK, CHUNK - 1]),
        st.integers(-1, 3 * CHUNK),
    ),
    max_size=8,
)


@settings(max_examples=60)
@given(st.sampled_from(EDGES) | st.integers(0, 5 * CHUNK), steps)
def test_reads_like_a_file(size: int, script: list[tuple[str, int, int]]) -> None:
    """Every seek, tell and read gives the same result as a BytesIO of the plaintext."""
    data = noise(size)
    plain, sealed = io.BytesIO(data), reader(data)
    assert sealed.size == size
    for whence, offset, length in script:
        code = ["set", "cur", "end"].index(whence)
        target = [0, plain.tell(), size][code] + offset
        if target < 0:
            with pytest.raises(ValueError, match="before the start"):
                sealed.seek(offset, code)
        else:
            assert sealed.seek(offset, code) == plain.seek(target)
        assert sealed.tell() == plain.tell()
        assert sealed.read(length) == plain.read(length)


def test_long_reads() -> None:
    data = noise(200 * CHUNK + 17)
    sealed = reader(data)
    sealed.seek(CHUNK // 2)
    assert sealed.read() == data[CHUNK // 2 :]
    assert io.BufferedReader(reader(data)).read() == data


def test_the_message_may_begin_anywhere_in_the_file() -> None:
    file = io.BytesIO(b"header" + LONG)
    file.seek(6)
    sealed = Reader(file, KEY, context=CONTEXT)
    assert sealed.read() == noise(3 * CHUNK + 100)
    file = io.BytesIO(b"header" + flip(LONG, PREFIX + SEALED))
    file.seek(6)
    sealed = Reader(file, KEY, context=CONTEXT)
    with pytest.raises(Damaged) as caught:
        sealed.read()
    assert (caught.value.chunk, caught.value.offset) == (1, 6 + PREFIX + SEALED)


def test_sound_chunks_of_a_damaged_file_are_readable() -> None:
    sealed = Reader(io.BytesIO(flip(LONG, PREFIX + SEALED)), KEY, context=CONTEXT)
    assert sealed.read(CHUNK) == noise(3 * CHUNK + 100)[:CHUNK]
    with pytest.raises(Damaged):
        sealed.read(1)
    sealed.seek(2 * CHUNK)
    assert sealed.read() == noise(3 * CHUNK + 100)[2 * CHUNK :]


def test_the_last_chunk_is_authenticated_before_the_size_is_trusted() -> None:
    for broken in (LONG[:-1], flip(LONG, len(LONG) - 1), LONG[: PREFIX + SEALED], LONG + b"x"):
        with pytest.raises(Truncated):
            Reader(io.BytesIO(broken), KEY, context=CONTEXT)


def test_a_file_that_shrinks_under_the_reader() -> None:
    file = io.BytesIO(LONG)
    sealed = Reader(file, KEY, context=CONTEXT)
    file.truncate(PREFIX + 100)
    with pytest.raises(Truncated):
        sealed.read()


def test_reader_is_a_raw_file() -> None:
    sealed = reader(b"abc")
    assert sealed.readable() and sealed.seekable() and not sealed.writable()
    with pytest.raises(ValueError, match="whence"):
        sealed.seek(0, 9)
    sealed.seek(10)
    assert sealed.read() == b""
    sealed.close()
    for call in (sealed.read, sealed.tell, lambda: sealed.seek(0)):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_the_arguments_of_a_reader() -> None:
    data = b"what a reader reads"
    sealed = chunked.encrypt(KEY, data)
    for wrong in (sealed, io.StringIO("text"), None):
        named = type(wrong).__name__
        with pytest.raises(
            TypeError, match=f"^source must be a seekable binary file, not {named}$"
        ):
            Reader(wrong, KEY)
    with pytest.raises(TypeError, match="^source must be a seekable binary file, not bytes$"):
        Reader(KEY, io.BytesIO(sealed))
    file = Reader(io.BytesIO(sealed), KEY)
    for wrong in ("5", True, 5.0, b"5"):
        with pytest.raises(TypeError, match="^size must be an integer, not "):
            file.read(wrong)
    assert [file.read(5), file.read(0), file.read(None)] == [
        data[:5],
        b"",
        data[5:],
    ]
    assert [file.read(), file.read(7), file.seek(-3, io.SEEK_END), file.read(100)] == [
        b"",
        b"",
        len(data) - 3,
        data[-3:],
    ]
