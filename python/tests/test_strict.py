"""strict=True: the same bytes, without tables and branches on secrets.

The tests check in two ways that no secret chooses anything. The engine's modules run on secret
integers (`Secret`), which support arithmetic but cannot be an index, a truth value or a dictionary
key. And the engine runs the same instructions for any two keys and messages."""

from __future__ import annotations

import inspect
import io
import operator
import struct
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from types import FrameType
from typing import Any, Self

import pytest
from backends import noise

import rijn
from rijn.pure import (
    bitslice,
    blocks,
    byteslice,
    circuits,
    fields,
    ghash,
    python,
    row_planes,
    tables,
    wideghash,
)
from rijn.pure.modes import gcm, raw

SIZES = [0, 1, 15, 16, 17, 33, 255, 1000, 4096, 30001]
KEYS = [noise(size, size) for size in (16, 24, 32)]
KiB = 1024


def strict_aes(key: bytes) -> rijn.AES:
    return rijn.AES(key, backend="python", strict=True)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"AES-{8 * len(key)}")
@pytest.mark.parametrize("size", SIZES)
def test_same_bytes(key: bytes, size: int) -> None:
    ours, theirs = strict_aes(key), rijn.AES(key)
    data, blocks, iv = noise(size, 1), noise(size // 16 * 16, 2), noise(16, 3)
    assert ours.ecb_encrypt(blocks) == theirs.ecb_encrypt(blocks)
    assert ours.ecb_decrypt(blocks) == theirs.ecb_decrypt(blocks)
    assert ours.cbc_decrypt(iv, blocks) == theirs.cbc_decrypt(iv, blocks)
    assert ours.ctr_encrypt(iv, data) == theirs.ctr_encrypt(iv, data)
    short = blocks[:128]
    assert ours.cbc_encrypt(iv, short) == theirs.cbc_encrypt(iv, short)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"AES-{8 * len(key)}")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("nonce_size", [12, 16])
def test_gcm(key: bytes, size: int, nonce_size: int) -> None:
    ours = rijn.AESGCM(key, backend="python", strict=True)
    assert ours.backend == "python"
    nonce, data, ad = noise(nonce_size, 1), noise(size, 2), noise(29, 3)
    sealed = rijn.AESGCM(key).encrypt(nonce, data, ad)
    assert ours.encrypt(nonce, data, ad) == sealed
    assert ours.decrypt(nonce, sealed, ad) == data
    with pytest.raises(rijn.InvalidTag):
        ours.decrypt(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), ad)


@pytest.mark.parametrize("low", [0, 2**31 + 5, 2**32 - 3, 2**32 - 1])
def test_a_counter_that_carries(low: int) -> None:
    """In row planes and in bit planes; with 32 and 128 bits."""
    counter = noise(12, 4) + low.to_bytes(4, "big")
    ours, theirs = strict_aes(KEYS[0]), rijn.AES(KEYS[0])
    for size in (500, 330 * KiB):
        data = noise(size, 5)
        for options in ({}, {"width": 32}):
            wanted = theirs.ctr_encrypt(counter, data, **options)
            assert ours.ctr_encrypt(counter, data, **options) == wanted


# ---- Secret integers ------------------------------------------------------------------


class Chosen(Exception):
    """Raised when a secret would choose something."""


def forbidden(*_: object, **__: object) -> Any:
    raise Chosen


class Whole(type):
    """The metaclass of Secret: isinstance(x, int) is true for both kinds of integers."""

    def __instancecheck__(cls, thing: object) -> bool:
        return type(thing) in (Secret, int)


class Secret(metaclass=Whole):
    """Replaces `int` in the modules of the engine: every integer from bytes is secret, and so is
    everything calculated from it. Operations that would reveal it raise Chosen."""

    __slots__ = ("value",)

    def __init__(self, value: Any = 0) -> None:
        self.value = plain(value)

    @staticmethod
    def from_bytes(data: Any, order: str = "big") -> Secret:
        return Secret(int.from_bytes(data, order))  # type: ignore[arg-type]

    def to_bytes(self, size: int = 1, order: str = "big") -> SecretBytes:
        return SecretBytes(self.value.to_bytes(size, order))

    def __neg__(self) -> Secret:
        return Secret(-self.value)

    def __invert__(self) -> Secret:
        return Secret(~self.value)

    def __lshift__(self, by: int) -> Secret:
        return Secret(self.value << by)  # fails if `by` is secret

    def __rshift__(self, by: int) -> Secret:
        return Secret(self.value >> by)

    __hash__ = forbidden  # type: ignore[assignment]
    __bool__ = __index__ = __int__ = __float__ = __format__ = __str__ = __repr__ = forbidden
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = forbidden
    __rlshift__ = __rrshift__ = __divmod__ = __mod__ = __floordiv__ = forbidden
    bit_length = bit_count = forbidden


def plain(value: Any) -> int:
    return value.value if type(value) is Secret else value


def arithmetic(name: str) -> None:
    """Gives Secret the operator of that name, for either side."""
    function = getattr(operator, f"__{name}__")
    setattr(Secret, f"__{name}__", lambda self, other: Secret(function(self.value, plain(other))))
    setattr(Secret, f"__r{name}__", lambda self, other: Secret(function(plain(other), self.value)))


for name in ("and", "or", "xor", "add", "sub", "mul"):
    arithmetic(name)


class SecretBytes(bytes):
    """Replaces `bytes`: its items are secret integers, its slices secret bytes."""

    def __new__(cls, data: Any = b"") -> Self:
        if isinstance(data, list):
            data = bytes([plain(item) for item in data])
        return super().__new__(cls, data)

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return SecretBytes(found) if isinstance(place, slice) else Secret(found)

    def __iter__(self) -> Iterator[Any]:
        return iter([Secret(item) for item in bytes.__iter__(self)])

    def __add__(self, other: Any) -> SecretBytes:
        return SecretBytes(bytes.__add__(self, other))

    def __radd__(self, other: Any) -> SecretBytes:
        return SecretBytes(other + bytes(self))

    __hash__ = forbidden  # type: ignore[assignment]
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = forbidden  # type: ignore[assignment]
    __contains__ = translate = find = index = count = hex = decode = forbidden


class SecretIO(io.BytesIO):
    def getvalue(self) -> SecretBytes:
        return SecretBytes(super().getvalue())

    def read(self, size: int | None = -1, /) -> SecretBytes | bytes:
        return SecretBytes(found) if (found := super().read(size)) else b""


def secret_items(layout: str, data: Any) -> Iterator[tuple[SecretBytes, ...]]:
    for items in struct.iter_unpack(layout, data):
        yield tuple(map(SecretBytes, items))


MODULES = (
    *(python, bitslice, row_planes, byteslice, wideghash, blocks, circuits),
    *(fields, tables, ghash, gcm, raw),
)
# Table lookups. expand's own result is converted to secret bytes.
TABLES = (
    *(
        "SBOX",
        "INVERSE_SBOX",
        "encryption_tables",
        "decryption_tables",
        "table_rounds",
        "multiples",
    ),
    *("hash_tables", "nibble_table", "multiply_by", "hash_by_tables", "reversal", "reversing"),
)


def forget() -> None:
    """Clears the integers that the modules have cached."""
    for module in MODULES:
        for thing in vars(module).values():
            if hasattr(thing, "cache_clear"):
                thing.cache_clear()


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Makes the modules of the engine work on secret integers, and removes their tables."""
    forget()
    expand = python.expand
    monkeypatch.setattr(
        python, "expand", lambda *given: [SecretBytes(key) for key in expand(*given)]
    )
    for module in MODULES:
        for name, value in {
            "int": Secret,
            "bytes": SecretBytes,
            "BytesIO": SecretIO,
            "iter_unpack": secret_items,
        }.items():
            monkeypatch.setattr(module, name, value, raising=False)
        for name in TABLES:
            if hasattr(module, name):
                monkeypatch.setattr(module, name, forbidden)
    yield
    monkeypatch.undo()
    forget()


def sealer(engine: Any) -> gcm.GCM:
    return gcm.GCM(lambda _: engine, b"", 16)


# Message sizes for each layout: rows (and the hash by blocks, then with few lanes and with some), and
# bit planes with a rest that goes through the rows (and the hash with many lanes).
LAYOUTS = {"two blocks": 32, "rows": 1000, "rows, long": 40 * KiB, "bit planes": 320 * KiB + 1000}
CALLS: dict[str, Callable[[Any, bytes], object]] = {
    "ECB": lambda engine, data: engine.ecb_encrypt(data[: len(data) // 16 * 16]),
    "ECB, decrypting": lambda engine, data: engine.ecb_decrypt(data[: len(data) // 16 * 16]),
    "CBC": lambda engine, data: engine.cbc_encrypt(bytes(16), data[:64]),
    "CBC, decrypting": lambda engine, data: engine.cbc_decrypt(
        bytes(16), data[: len(data) // 16 * 16]
    ),
    "CTR": lambda engine, data: engine.ctr(noise(16, 6), data),
    "CFB": lambda engine, data: engine.cfb_encrypt(bytes(16), data[:64]),
    "CFB, decrypting": lambda engine, data: engine.cfb_decrypt(bytes(16), data[:1000]),
    "OFB": lambda engine, data: engine.ofb(bytes(16), data[:64]),
    "IGE": lambda engine, data: engine.ige_encrypt(bytes(32), data[:64]),
    "IGE, decrypting": lambda engine, data: engine.ige_decrypt(bytes(32), data[:64]),
    "KW": lambda engine, data: engine.kw_wrap(data[:64]),
    "KW, unwrapping": lambda engine, data: engine.kw_unwrap(data[:64]),
    "GCM": lambda engine, data: sealer(engine).encrypt(noise(12, 7), data, data[:29]),
    "GCM, decrypting": lambda engine, data: sealer(engine).decrypt(
        noise(12, 7), data, data[:29], b""
    ),
    "GCM, another nonce": lambda engine, data: sealer(engine).encrypt(noise(16, 7), data, b""),
}


@pytest.mark.parametrize("size", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_nothing_is_chosen_by_a_secret(
    secrets: None, call: Callable[[Any, bytes], object], size: int
) -> None:
    """Except CFB8, whose bytes go one by one into a bytearray."""
    call(python.PythonEngine(SecretBytes(KEYS[0]), strict=True), noise(size, 8))


@pytest.mark.parametrize("key", KEYS[1:], ids=lambda key: f"AES-{8 * len(key)}")
def test_longer_keys(secrets: None, key: bytes) -> None:
    CALLS["GCM"](python.PythonEngine(SecretBytes(key), strict=True), noise(1000, 8))


@pytest.mark.parametrize("size", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("name", ["ECB", "CTR", "GCM", "ECB, decrypting"])
def test_choices_without_strict_are_detected(secrets: None, name: str, size: int) -> None:
    """At every layout's size. If this fails, the check itself is broken."""
    with pytest.raises(Chosen):
        CALLS[name](python.PythonEngine(SecretBytes(KEYS[0])), noise(size, 8))


# ---- The executed instructions --------------------------------------------------------


def instructions(call: Callable[[], object]) -> tuple[int, str]:
    """Returns how many instructions of rijn.pure `call` runs, and a hash of them."""
    hashed, count = sha256(), 0
    numbers: dict[Any, int] = {}

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        code = frame.f_code
        if event == "call":
            if "/pure/" not in code.co_filename:
                return None
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
            name = f"{code.co_filename}:{code.co_qualname}".encode()
            numbers.setdefault(code, len(numbers))
            hashed.update(name)
        elif event == "opcode":
            count += 1
            hashed.update(b"%d,%d;" % (numbers[code], frame.f_lasti))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count, hashed.hexdigest()


class Small(python.PythonEngine):
    """Uses bit planes from 8 blocks, so that short messages run the long code."""

    BITS_FROM = 8

    __slots__ = ()


@pytest.mark.parametrize("engine", [python.PythonEngine, Small])
def test_the_same_instructions_for_any_secret(engine: Any) -> None:
    """Keys and data of zeros, of ones, and others. GHASH makes the counter, so it is secret, too.
    A first call makes the values that all keys share."""

    def encrypt(key: bytes, data: bytes) -> None:
        sealer(engine(key, strict=True)).encrypt(bytes(16), data, data[:20])

    encrypt(bytes(16), bytes(300))
    found = {
        instructions(lambda key=key, data=data: encrypt(key, data))
        for key, data in (
            (bytes(16), bytes(300)),
            (b"\xff" * 16, b"\xff" * 300),
            (noise(16, 1), noise(300, 2)),
        )
    }
    assert len(found) == 1
    assert found.pop()[0] > 10_000


def test_different_instructions_are_detected() -> None:
    """`choose` branches. If this fails, the check itself is broken."""
    assert len({instructions(lambda b=b: bitslice.choose(b, 1)) for b in (0, 1, 255)}) == 3


def test_backends_that_take_strict(tested: object) -> None:
    name = tested.name  # type: ignore[attr-defined]
    record = next(found for found in rijn.backends() if found.name == name)
    if name == "python" or record.constant_time:
        assert rijn.AES(bytes(16), backend=name, strict=True).backend == name
        assert rijn.AESGCM(bytes(16), backend=name, strict=True).backend == name
    else:
        for cls in (rijn.AES, rijn.AESGCM):
            with pytest.raises(ValueError, match="strict=True works on python"):
                cls(bytes(16), backend=name, strict=True)


@pytest.mark.parametrize("cls", [rijn.AES, rijn.AESGCM])
def test_strict_is_an_attribute(cls: Any) -> None:
    """On every backend, whatever `strict` is. No other class takes it."""
    for record in rijn.backends():
        if record.available:
            assert cls(KEYS[0], backend=record.name).strict is bool(record.constant_time)
            if record.constant_time:
                assert cls(KEYS[0], backend=record.name, strict=True).strict is True
    assert cls(KEYS[0], backend="python", strict=True).strict is True
    assert cls(KEYS[0], backend="python", strict=False).strict is False
    with pytest.raises(AttributeError):
        cls(KEYS[0]).strict = True


def test_classes_with_strict_show_it() -> None:
    for name in rijn.__all__:
        thing = getattr(rijn, name)
        if isinstance(thing, type) and not issubclass(thing, Exception):
            takes = "strict" in inspect.signature(thing).parameters
            assert takes == hasattr(thing, "strict"), name
            assert takes == (thing in (rijn.AES, rijn.AESGCM))
