"""What a refusal leaves to whoever reads its traceback (a logger, a debugger, a crash report):
neither the plaintext that is not authentic nor the tag that would have been right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import public
import pytest
from rungs import Rung, noise

import rijn
from rijn import chunked
from rijn.wrap import KeyWrap

KEY = noise(32, 8)
PLAINTEXT = noise(48, 7)
PIECES = [PLAINTEXT[:16], PLAINTEXT[16:32], PLAINTEXT[32:]]


def locals_of(error: BaseException | None) -> Iterator[tuple[str, Any]]:
    """The local variables of Rijn's frames, in the tracebacks of an exception and of those
    that it came from."""
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if trace.tb_frame.f_globals["__name__"].partition(".")[0] == "rijn":
                for name, value in trace.tb_frame.f_locals.items():
                    yield f"{code.co_qualname}: {name}", value
            trace = trace.tb_next
        error = error.__context__


def strings(value: Any, depth: int = 4) -> Iterator[bytes]:
    """The bytes in a value, and in what it is made of."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        yield bytes(value)
    elif isinstance(value, int):
        yield abs(value).to_bytes((value.bit_length() + 7) // 8)
    elif depth and isinstance(value, (list, tuple)):
        for item in value:
            yield from strings(item, depth - 1)
    elif depth and type(value).__module__.startswith("rijn"):
        names = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
        for name in (*names, *getattr(value, "__dict__", ())):
            yield from strings(getattr(value, name, None), depth - 1)


def leaks(error: BaseException, *secrets: bytes) -> list[str]:
    """The variables that hold one of the secrets."""
    return [
        name
        for name, value in locals_of(error)
        if any(secret in text for text in strings(value) for secret in secrets)
    ]


def refusal(call: Callable[[], Any]) -> Any:
    with pytest.raises((rijn.InvalidTag, ValueError)) as caught:
        call()
    return caught.value


def altered(data: bytes, place: int = -1) -> bytes:
    other = bytearray(data)
    other[place] ^= 1
    return bytes(other)


def test_the_walk_finds_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a function of Rijn's, which calls what is planted here with plaintext in its hands."""

    def planted(*_: object) -> None:
        raise rijn.InvalidTag

    monkeypatch.setattr("rijn.pure.faces.aead.compare_digest", planted)
    aead = rijn.AESGCM(KEY, backend="python")
    sealed = aead.encrypt(bytes(12), PLAINTEXT)
    error = refusal(lambda: aead.decrypt(bytes(12), sealed))
    assert leaks(error, PLAINTEXT) == ["AEAD._open_apart: plaintext"]
    assert leaks(error, PLAINTEXT[::-1]) == []


@pytest.mark.parametrize("cls", public.AEADS)
def test_a_refused_message_leaves_nothing(rung: Rung, cls: Any) -> None:
    aead, nonce = rung.made(cls, public.key_of(cls)), public.nonce_of(cls)
    sealed = aead.encrypt(nonce, PLAINTEXT, b"ad")
    ciphertext, tag = aead.encrypt_detached(nonce, PLAINTEXT, b"ad")
    wrong, size = altered(sealed), len(PLAINTEXT)
    buffer = bytearray(wrong)
    calls = {
        "decrypt": lambda: aead.decrypt(nonce, wrong, b"ad"),
        "decrypt_into": lambda: aead.decrypt_into(nonce, wrong, b"ad", bytearray(size)),
        "in place": lambda: aead.decrypt_into(nonce, buffer, b"ad", memoryview(buffer)[:size]),
        "decrypt_detached": lambda: aead.decrypt_detached(nonce, ciphertext, altered(tag), b"ad"),
    }
    if hasattr(aead, "decryptor"):

        def in_pieces() -> None:
            opener = aead.decryptor(nonce, b"ad")
            opener.update(wrong[:20])
            opener.update(wrong[20:])
            opener.finalize()

        calls["in pieces"] = in_pieces
    for name, call in calls.items():
        assert leaks(refusal(call), *PIECES, tag) == [], name


@pytest.mark.parametrize("cls", [*public.AEADS, rijn.AESSIV])
def test_refused_messages_among_many_leave_nothing(rung: Rung, cls: Any) -> None:
    """Of those that were genuine neither, as nothing is handed out."""
    aead = rung.made(cls, public.key_of(cls))
    nonces = [noise(12 if cls is rijn.AESSIV else len(public.nonce_of(cls)), n) for n in range(2)]
    genuine, other = aead.encrypt_many([PLAINTEXT, PLAINTEXT[::-1]], nonces=nonces)
    tag = other[:16] if cls is rijn.AESSIV else other[-16:]
    wrong = altered(other, 0 if cls is rijn.AESSIV else -1)
    error = refusal(lambda: aead.decrypt_many([genuine, wrong], nonces=nonces))
    assert error.failed == (1,)
    assert leaks(error, *PIECES, *(piece[::-1] for piece in PIECES), tag) == []


@pytest.mark.parametrize("cls", [rijn.AESGCM, rijn.AEGIS128L])
def test_a_refused_run_of_chunks_leaves_nothing(rung: Rung, cls: Any) -> None:
    aead = rung.made(cls, public.key_of(cls))
    base, sealed = noise(aead.chunk_nonce_size), bytearray(3 * 32)
    aead.seal_chunks(base, 0, 16, False, PLAINTEXT, sealed)
    wrong, buf = altered(bytes(sealed)), bytearray(48)
    error = refusal(lambda: aead.open_chunks(base, 0, 16, False, wrong, buf))
    assert error.chunk == 2
    assert leaks(error, *PIECES, bytes(sealed[-16:])) == []


def test_a_refused_chunked_message_leaves_nothing(rung: Rung) -> None:
    message = chunked.encrypt(KEY, PLAINTEXT, backend=rung.name)
    wrong = altered(message)
    error = refusal(lambda: chunked.decrypt(KEY, wrong, backend=rung.name))
    assert leaks(error, *PIECES, message[-16:]) == []


def test_what_else_is_refused_leaves_nothing(rung: Rung) -> None:
    """Strings of SIV, padding of CBC, wrapped keys, MACs, messages of Sealer."""
    siv = rung.AESSIV(KEY)
    sealed = siv.encrypt(PLAINTEXT, [b"ad"])
    tag, ciphertext = sealed[:16], sealed[16:]
    buf = bytearray(len(PLAINTEXT))
    for call in (
        lambda: siv.decrypt(altered(tag) + ciphertext, [b"ad"]),
        lambda: siv.decrypt_into(altered(tag) + ciphertext, [b"ad"], buf),
        lambda: siv.decrypt_detached(ciphertext, altered(tag), [b"ad"]),
    ):
        assert leaks(refusal(call), *PIECES, tag) == []

    aes, iv = rung.AES(KEY), noise(16, 9)
    data = PLAINTEXT[:-1] + b"\x11"
    chained = aes.cbc_encrypt(iv, data)

    def in_pieces() -> None:
        opener = aes.cbc_decryptor(iv, pkcs7=True)
        opener.update(chained[:16])
        opener.finalize()

    assert leaks(refusal(lambda: aes.cbc_decrypt(iv, chained, pkcs7=True)), *PIECES[:2]) == []
    assert leaks(refusal(in_pieces), data[:16]) == []

    wrapper = rung.made(KeyWrap, KEY)
    for wrapped, unwrap in (
        (wrapper.wrap(PLAINTEXT), wrapper.unwrap),
        (wrapper.wrap_padded(PLAINTEXT), wrapper.unwrap_padded),
    ):
        assert leaks(refusal(lambda u=unwrap, w=wrapped: u(altered(w))), *PIECES) == []

    mac = rung.CMAC(KEY)
    mac.update(b"message")
    right = mac.copy().finalize()
    assert leaks(refusal(lambda: mac.verify(altered(right))), right) == []

    box = rijn.Sealer(rung.made(rijn.AESGCM, KEY))
    letter = box.seal(PLAINTEXT)
    assert leaks(refusal(lambda: box.open(altered(letter))), *PIECES, letter[-16:]) == []
