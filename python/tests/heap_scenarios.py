"""Run by test_heap.py in a Python with the allocator heap.c. Prints, as JSON, how many blocks
with a secret each scenario freed, or left on the stack.

    LD_PRELOAD=heap.so PYTHONMALLOC=malloc python heap_scenarios.py heap.so BACKEND

While a scenario runs, this script holds the secrets that it looks for, and the answers of the
calls: memory that the caller holds belongs to the caller.
"""

from __future__ import annotations

import ctypes
import gc
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import rijn
from rijn import registry, wrap

noise = random.Random(9).randbytes

ONLINE: tuple[Any, ...] = (
    rijn.AESGCM,
    rijn.XAES256GCM,
    rijn.AESOCB3,
    rijn.AESEAX,
    rijn.AEGIS128L,
    rijn.AEGIS128X2,
    rijn.AEGIS128X4,
    rijn.AEGIS256,
    rijn.AEGIS256X2,
    rijn.AEGIS256X4,
)
WHOLE: tuple[Any, ...] = (rijn.AESGCMSIV, rijn.AESCCM)  # with a nonce, not in pieces
ENDS = (0, 100, 101, 5000, 5016, 45_000, 45_033)  # some of them release the interpreter's lock
TEXT = noise(ENDS[-1] + 61)


class Heap:
    def __init__(self, library: str) -> None:
        self.shim = ctypes.PyDLL(library)
        self.shim.heap_secret.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        self.shim.heap_watch.restype = ctypes.c_size_t
        self.shim.heap_largest.restype = ctypes.c_size_t
        self.shim.heap_stack.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
        self.shim.heap_stack.restype = ctypes.py_object

    def finds(self, secrets: Iterable[bytes], call: Callable[[], object]) -> int:
        """Returns how many blocks with one of the secrets are freed while `call` runs."""
        held = list(secrets)
        assert held
        self.shim.heap_forget()
        for secret in held:
            self.shim.heap_secret(secret, len(secret))
        gc.collect()
        self.shim.heap_watch(1)
        answer = call()
        gc.collect()
        found: int = self.shim.heap_watch(0)
        del answer
        return found

    def stack(self, secret: bytes, call: Any, method: Any, *arguments: object) -> int:
        """Returns whether the secret is on the stack after call(method, arguments)."""
        address = ctypes.cast(call, ctypes.c_void_p)
        run = partial(self.shim.heap_stack, address, method, arguments)
        return self.finds([secret], run)


def nonce_of(cls: Any) -> bytes:
    return noise(12 if 12 in cls.nonce_sizes else cls.nonce_sizes[0])


def pieces_of(data: bytes) -> list[bytes]:
    return [data[start:end] for start, end in pairwise((*ENDS, len(data)))]


def xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def refused(call: Callable[..., object], *arguments: object) -> None:
    try:
        call(*arguments)
    except (rijn.InvalidTag, ValueError):
        return
    raise AssertionError("a forgery was taken")


def flipped(sealed: bytes) -> bytes:
    """Alters the tag; in SIV, where the tag comes first, the text."""
    return sealed[:-1] + bytes([sealed[-1] ^ 1])


def memory_of(thing: Any) -> list[bytes]:
    """Returns the current contents of an object of the binding: keys, subkeys, states, in the
    layout of its backend. It omits words with two adjacent zero bytes, such as pointers and
    sizes, and runs shorter than two words."""
    size = type(thing).__basicsize__
    memory = ctypes.string_at(id(thing) + object.__basicsize__, size - object.__basicsize__)
    words = [memory[i : i + 8] for i in range(0, len(memory), 8)]
    runs = [b""]
    for word in words:
        if b"\0\0" in word or len(word) < 8:
            runs.append(b"")
        else:
            runs[-1] += word
    return [run for run in runs if len(run) >= 16]


# ---- Leaks that must be found ---------------------------------------------------------


def offenders(heap: Heap) -> Iterator[tuple[str, int]]:
    secret = noise(100)
    large = noise(300_000)

    def grown() -> None:
        room = bytearray(secret)
        room += bytes(200_000)
        room[:100] = bytes(100)

    def shrunk() -> None:
        room = bytearray(200_000)
        room[-100:] = secret
        del room[1000:]

    yield "bytes", heap.finds([secret], lambda: len(bytes(bytearray(secret))))
    yield "one window", heap.finds([secret[40:56]], lambda: len(b"-" + secret[40:56]))
    yield "large", heap.finds([large], lambda: len(bytes(bytearray(large))))
    yield "grown", heap.finds([secret], grown)
    yield "shrunk", heap.finds([secret], shrunk)
    yield "stack", heap.stack(secret, heap.shim.heap_offend, bytes)


# ---- Calls that must not leak ---------------------------------------------------------


def messages(heap: Heap, backend: str) -> Iterator[tuple[str, int]]:
    for cls in ONLINE:
        name = cls.__name__
        aead = cls(noise(cls.key_sizes[0]), backend=backend)
        nonce = nonce_of(cls)
        sealed = aead.encrypt(nonce, TEXT, b"header")
        secrets = [TEXT, xor(TEXT, sealed[: len(TEXT)])]
        forged = pieces_of(flipped(sealed))
        right = pieces_of(sealed)

        def taken(aead: Any, nonce: bytes, pieces: list[bytes]) -> Any:
            decryptor = aead.decryptor(nonce, b"header")
            for piece in pieces:
                decryptor.update(piece)
            return decryptor

        def refuse(aead: Any, nonce: bytes, pieces: list[bytes]) -> None:
            refused(taken(aead, nonce, pieces).finalize)

        def give_up(aead: Any, nonce: bytes, pieces: list[bytes]) -> None:
            taken(aead, nonce, pieces)

        def accept(aead: Any, nonce: bytes, pieces: list[bytes]) -> object:
            return taken(aead, nonce, pieces).finalize()

        yield f"{name} pieces refused", heap.finds(secrets, partial(refuse, aead, nonce, forged))
        yield f"{name} pieces given up", heap.finds(secrets, partial(give_up, aead, nonce, right))
        yield f"{name} pieces accepted", heap.finds(secrets, partial(accept, aead, nonce, right))

    for cls in ONLINE + WHOLE:
        aead = cls(noise(cls.key_sizes[0]), backend=backend)
        nonce = nonce_of(cls)
        sealed = flipped(aead.encrypt(nonce, TEXT, b"header"))

        def whole(aead: Any, nonce: bytes, sealed: bytes) -> None:
            refused(aead.decrypt, nonce, sealed, b"header")

        def into(aead: Any, nonce: bytes, sealed: bytes) -> None:
            refused(aead.decrypt_into, nonce, sealed, b"header", bytearray(len(TEXT)))

        name = cls.__name__
        right = aead.encrypt(nonce, TEXT)
        yield f"{name} sealed", heap.finds([TEXT], partial(aead.encrypt, nonce, TEXT))
        yield f"{name} accepted", heap.finds([TEXT], partial(aead.decrypt, nonce, right))
        yield f"{name} refused", heap.finds([TEXT], partial(whole, aead, nonce, sealed))
        yield f"{name} into refused", heap.finds([TEXT], partial(into, aead, nonce, sealed))

    siv = rijn.AESSIV(noise(32), backend=backend)
    sealed = flipped(siv.encrypt(TEXT))
    yield "AESSIV refused", heap.finds([TEXT], lambda: refused(siv.decrypt, sealed))
    wrapper = wrap.KeyWrap(noise(32), backend=backend)
    plain = wrapper.wrap(TEXT[:64])
    padded = wrapper.wrap_padded(TEXT[:64])
    # Unwrapped as the other kind, the whole text appears and is refused.
    yield "KW refused", heap.finds([TEXT], lambda: refused(wrapper.unwrap, padded))
    yield "KWP refused", heap.finds([TEXT], lambda: refused(wrapper.unwrap_padded, plain))
    yield "KW accepted", heap.finds([TEXT], lambda: wrapper.unwrap(plain))
    yield "KWP accepted", heap.finds([TEXT], lambda: wrapper.unwrap_padded(padded))


def objects(heap: Heap, backend: str) -> Iterator[tuple[str, int]]:
    """Makes, uses and deletes objects."""

    def given_up(name: str, box: list[Any], least: int) -> Iterator[tuple[str, int]]:
        secrets = memory_of(box[0])
        assert sum(map(len, secrets)) >= least, (name, [len(run) for run in secrets])
        assert sys.getrefcount(box[0]) <= 2, name  # the box's and the call's
        yield name, heap.finds(secrets, box.clear)

    key = noise(16)
    box: list[Any] = [rijn.AES(key, backend=backend)]
    if backend == "aesni":  # its round keys have the standard's order
        assert any(key in run for run in memory_of(box[0])), "not the memory of the key"
    yield from given_up("AES", box, 100)
    for cls in ONLINE + WHOLE:
        yield from given_up(cls.__name__, [cls(noise(cls.key_sizes[0]), backend=backend)], 16)
    yield from given_up("AESXTS", [rijn.AESXTS(noise(64), backend=backend)], 200)
    yield from given_up("AESSIV", [rijn.AESSIV(noise(64), backend=backend)], 200)
    yield from given_up("KeyWrap", [wrap.KeyWrap(noise(32), backend=backend)], 100)
    box = [rijn.CMAC(noise(16), backend=backend)]
    box[0].update(TEXT[:77])
    yield from given_up("CMAC", box, 64)
    box = [rijn.AEGISMAC(noise(16), noise(16), backend=backend)]
    box[0].update(TEXT[:77])
    yield from given_up("AEGISMAC", box, 64)
    for cls in ONLINE:
        for direction in ("encryptor", "decryptor"):
            aead = cls(noise(cls.key_sizes[0]), backend=backend)
            half = getattr(aead, direction)(nonce_of(cls), b"header")
            half.update(TEXT[:77])
            secrets = memory_of(half._stream)
            assert sum(map(len, secrets)) >= 16, cls
            box = [half]
            del half
            yield f"{cls.__name__} {direction} unfinished", heap.finds(secrets, box.clear)


def columns(heap: Heap) -> Iterator[tuple[str, int]]:
    """Short rows are inside a column's views, which the binding copies."""
    native: Any = registry.native_module()
    views = b"".join((12).to_bytes(4, "little") + noise(12) for _ in range(40))
    outside = (13).to_bytes(4, "little") + bytes(12)  # no buffer has this row
    yield "views", heap.finds([views], lambda: native.viewed(views, [], None, 0))
    given: tuple[Any, ...] = (views + outside, [], None, 0)
    yield "views refused", heap.finds([views], lambda: refused(native.viewed, *given))


def stacks(heap: Heap, backend: str) -> Iterator[tuple[str, int]]:
    """The binding's own data on the stack: a chain's end, a padded message's tail."""
    aes = rijn.AES(noise(16), backend=backend)
    iv, text = noise(16), noise(64)
    call = ctypes.pythonapi.PyObject_CallObject
    keystream = xor(text, aes.ofb_encrypt(iv, text))
    yield "OFB", heap.stack(keystream, call, aes.ofb_encrypt, iv, text)
    ends = (iv + noise(16), text)
    yield "IGE", heap.stack(text, call, aes.ige_encrypt, *ends)
    sealed = aes.ige_encrypt(*ends)
    yield "IGE back", heap.stack(text, call, aes.ige_decrypt, ends[0], sealed)
    # A tail of 15 bytes and its one byte of padding.
    padded = aes.cbc_encrypt(iv, text[:63], pkcs7=True)
    opened = partial(aes.cbc_decrypt, pkcs7=True)
    yield "CBC padded", heap.stack(text[48:63] + b"\1", call, opened, iv, padded)


def main(library: str, backend: str) -> None:
    heap = Heap(library)
    json.dump(
        {
            "offenders": dict(offenders(heap)),
            "messages": dict(messages(heap, backend)),
            "objects": dict(objects(heap, backend)),
            "columns": dict(columns(heap)),
            "stacks": dict(stacks(heap, backend)),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
