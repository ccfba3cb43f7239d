"""The traceback of a refusal, which loggers, debuggers and crash reports read, contains no key,
no unauthenticated plaintext, and no valid tag for the refused message."""

from __future__ import annotations

import io
import json
import os
import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
import public
import pytest
from arrow_arrays import array_of, values_of
from backends import SOME_NATIVE, BackendUnderTest, noise

import rijn
from rijn import chunked, cli, columns, files
from rijn.pure.python import PythonEngine
from rijn.wrap import KeyWrap

SHARED = Path(__file__).parents[2] / "vectors" / "keysets.json"
KEY = noise(32, 8)
PLAINTEXT = noise(48, 7)
PIECES = [PLAINTEXT[:16], PLAINTEXT[16:32], PLAINTEXT[32:]]


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yields an exception and its causes and contexts, shown or not."""
    found: list[BaseException] = []
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and all(each is not it for it in found):
            found.append(each)
            waiting += [each.__cause__, each.__context__]
    return iter(found)


def locals_of(error: BaseException | None) -> Iterator[tuple[str, Any]]:
    """Yields the local variables of Rijn's frames and of frames below them, in the tracebacks of an
    exception and of its causes and contexts."""
    for each in chain(error):
        inside, trace = False, each.__traceback__
        while trace is not None:
            frame = trace.tb_frame
            inside = inside or frame.f_globals["__name__"].partition(".")[0] == "rijn"
            if inside:
                for name, value in frame.f_locals.items():
                    yield f"{frame.f_code.co_qualname}: {name}", value
            trace = trace.tb_next


def strings(value: Any, depth: int = 4) -> Iterator[bytes]:
    """Yields the bytes in a value, and in its parts."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        yield bytes(value)
    elif isinstance(value, int):
        yield abs(value).to_bytes((value.bit_length() + 7) // 8)
    elif isinstance(value, str):
        yield value.encode("utf-8", "surrogatepass")
    elif depth and isinstance(value, dict):
        yield from strings([*value.keys(), *value.values()], depth)
    elif depth and isinstance(value, (list, tuple, set)):
        for item in value:
            yield from strings(item, depth - 1)
    elif depth and type(value).__module__.startswith("rijn"):
        names = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
        for name in (*names, *getattr(value, "__dict__", ())):
            yield from strings(getattr(value, name, None), depth - 1)


def leaks(error: BaseException, *secrets: bytes) -> list[str]:
    """Returns the variables that hold one of the secrets."""
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


def test_the_walk_finds_a_planted_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rijn calls a planted function while a local variable holds plaintext."""

    def planted(*_: object) -> None:
        raise rijn.InvalidTag

    monkeypatch.setattr("rijn.pure.public.aead.compare_digest", planted)
    aead = rijn.AESGCM(KEY, backend="python")
    sealed = aead.encrypt(bytes(12), PLAINTEXT)
    error = refusal(lambda: aead.decrypt(bytes(12), sealed))
    assert leaks(error, PLAINTEXT) == ["AEAD._open_apart: plaintext"]
    assert leaks(error, PLAINTEXT[::-1]) == []


@pytest.mark.parametrize("cls", public.AEADS)
def test_a_refused_message_leaves_nothing(tested: BackendUnderTest, cls: Any) -> None:
    aead, nonce = tested.make(cls, public.key_of(cls)), public.nonce_of(cls)
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
def test_refused_messages_among_many_leave_nothing(tested: BackendUnderTest, cls: Any) -> None:
    """Even the genuine messages leave nothing, since the call returns none of them."""
    aead = tested.make(cls, public.key_of(cls))
    nonces = [noise(12 if cls is rijn.AESSIV else len(public.nonce_of(cls)), n) for n in range(2)]
    genuine, other = aead.encrypt_many([PLAINTEXT, PLAINTEXT[::-1]], nonces=nonces)
    tag = other[:16] if cls is rijn.AESSIV else other[-16:]
    wrong = altered(other, 0 if cls is rijn.AESSIV else -1)
    error = refusal(lambda: aead.decrypt_many([genuine, wrong], nonces=nonces))
    assert error.failed == (1,)
    assert leaks(error, *PIECES, *(piece[::-1] for piece in PIECES), tag) == []


@pytest.mark.parametrize("cls", [rijn.AESGCM, rijn.AEGIS128L])
def test_a_refused_run_of_chunks_leaves_nothing(tested: BackendUnderTest, cls: Any) -> None:
    aead = tested.make(cls, public.key_of(cls))
    base, sealed = noise(aead.chunk_nonce_size), bytearray(3 * 32)
    aead.seal_chunks(base, 0, 16, False, PLAINTEXT, sealed)
    wrong, buf = altered(bytes(sealed)), bytearray(48)
    error = refusal(lambda: aead.open_chunks(base, 0, 16, False, wrong, buf))
    assert error.chunk == 2
    assert leaks(error, *PIECES, bytes(sealed[-16:])) == []


def test_a_refused_chunked_message_leaves_nothing(tested: BackendUnderTest) -> None:
    message = chunked.encrypt(KEY, PLAINTEXT, backend=tested.name)
    wrong = altered(message)
    error = refusal(lambda: chunked.decrypt(KEY, wrong, backend=tested.name))
    assert leaks(error, *PIECES, message[-16:]) == []


def test_a_message_that_is_damaged_later_leaves_nothing() -> None:
    """The chunks before the damage do not stay either."""
    text = PLAINTEXT * (3 * chunked.CHUNK // len(PLAINTEXT))
    message = chunked.encrypt(KEY, text)
    second = chunked.PREFIX + chunked.CHUNK + 16
    begun = chunked.Decryptor(KEY)
    begun.update(message[: second - 5])
    reader = chunked.Reader(io.BytesIO(altered(message, second + 40)), KEY)
    reader.read(100)
    for call in (
        lambda: begun.update(altered(message[second - 5 :], 40)),
        lambda: reader.read(),
    ):
        assert leaks(refusal(call), *PIECES) == []


@pytest.mark.sample(*SOME_NATIVE[:-1], "python")
def test_a_refused_column_leaves_nothing(tested: BackendUnderTest) -> None:
    """The genuine rows do not stay either."""
    column = columns.Column(columns.Keyset.generate("xaes"), context=b"c", backend=tested.name)
    sealed = column.seal(array_of("z", [PLAINTEXT, PLAINTEXT]))
    rows = values_of(sealed)
    wrong = array_of("z", [rows[0], altered(rows[1])])
    for call in (column.open, column.rotate):
        assert leaks(refusal(lambda call=call: call(wrong)), *PIECES) == []


def test_other_refusals_leave_nothing(tested: BackendUnderTest) -> None:
    """Strings of SIV, padding of CBC, wrapped keys, MACs, messages of Sealer."""
    siv = tested.AESSIV(KEY)
    sealed = siv.encrypt(PLAINTEXT, [b"ad"])
    tag, ciphertext = sealed[:16], sealed[16:]
    buf = bytearray(len(PLAINTEXT))
    for call in (
        lambda: siv.decrypt(altered(tag) + ciphertext, [b"ad"]),
        lambda: siv.decrypt_into(altered(tag) + ciphertext, [b"ad"], buf),
        lambda: siv.decrypt_detached(ciphertext, altered(tag), [b"ad"]),
    ):
        assert leaks(refusal(call), *PIECES, tag) == []

    aes, iv = tested.AES(KEY), noise(16, 9)
    data = PLAINTEXT[:-1] + b"\x11"
    chained = aes.cbc_encrypt(iv, data)

    def in_pieces() -> None:
        opener = aes.cbc_decryptor(iv, pkcs7=True)
        opener.update(chained[:16])
        opener.finalize()

    assert leaks(refusal(lambda: aes.cbc_decrypt(iv, chained, pkcs7=True)), *PIECES[:2]) == []
    assert leaks(refusal(in_pieces), data[:16]) == []

    wrapper = tested.make(KeyWrap, KEY)
    for wrapped, unwrap in (
        (wrapper.wrap(PLAINTEXT), wrapper.unwrap),
        (wrapper.wrap_padded(PLAINTEXT), wrapper.unwrap_padded),
    ):
        assert leaks(refusal(lambda u=unwrap, w=wrapped: u(altered(w))), *PIECES) == []

    mac = tested.CMAC(KEY)
    mac.update(b"message")
    right = mac.copy().finalize()
    assert leaks(refusal(lambda: mac.verify(altered(right))), right) == []

    box = rijn.Sealer(tested.make(rijn.AESGCM, KEY))
    letter = box.seal(PLAINTEXT)
    assert leaks(refusal(lambda: box.open(altered(letter))), *PIECES, letter[-16:]) == []


# ---- Keys ------------------------------------------------------------------------------


def forms(secret: bytes) -> Iterator[bytes]:
    """Yields eight bytes of a secret after eight, in every way of writing bytes."""
    for start in range(0, len(secret) - 7, 8):
        piece = secret[start : start + 8]
        yield piece
        yield piece[::-1]  # an integer in the other byte order
        yield piece.hex().encode()
        yield piece.hex().upper().encode()
        yield repr(piece)[2:-1].encode()
        yield ", ".join(map(str, piece)).encode()
        for ahead in range(3):  # the piece's own digits of Base64
            digits = b64encode(bytes(ahead) + piece)
            yield digits[-(-8 * ahead // 6) : 8 * (ahead + len(piece)) // 6]


def shown(value: Any, depth: int = 4) -> Iterator[bytes]:
    """Yields the texts that a crash report shows of a variable. It walks containers and takes the
    repr of other objects."""
    if isinstance(value, BaseException):
        yield from shown([value.args, getattr(value, "object", b""), getattr(value, "doc", "")])
    elif depth and isinstance(value, (dict, list, tuple, set, frozenset)):
        if value and all(type(it) is int and 0 <= it < 256 for it in value):
            yield bytes(value)
        items = [*value.keys(), *value.values()] if isinstance(value, dict) else value
        for item in items:
            yield from shown(item, depth - 1)
    elif isinstance(value, (bytes, bytearray, memoryview, str, int)):
        yield from strings(value)
    else:
        with suppress(AttributeError):  # an object that is not complete yet
            yield repr(value).encode("utf-8", "surrogatepass")


class Parts:
    """Parts of secrets, by their first bytes. There are thousands, and few match a text's bytes."""

    HEAD = 8

    def __init__(self, parts: Iterable[bytes] = ()) -> None:
        self._by_head: defaultdict[bytes, set[bytes]] = defaultdict(set)
        self.update(parts)

    def update(self, parts: Iterable[bytes]) -> None:
        for part in parts:
            self._by_head[part[: self.HEAD]].add(part)

    def shown_in(self, text: bytes) -> list[bytes]:
        heads = {text[at : at + self.HEAD] for at in range(len(text))}
        return [
            part
            for head in self._by_head.keys() & heads
            for part in self._by_head[head]
            if part in text
        ]


def keys_in(error: BaseException, parts: Parts) -> set[str]:
    """Returns the variables and exceptions that show a part of a secret."""
    found = [*locals_of(error), *((type(it).__name__, it) for it in chain(error))]
    texts = [(name, b"\0|\0".join(shown(value))) for name, value in found]
    whole = b"\0|\0".join(text for _, text in texts)
    seen = parts.shown_in(whole)
    return {name for name, text in texts if any(part in text for part in seen)}


def wrong(arguments: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the arguments with one of them altered, or of a wrong size, type or value."""
    for parameter, value in arguments.items():
        others: list[Any] = [object(), None, -1, 2**70, "nonsense", b""]
        if isinstance(value, bytes):
            others += [value[:-1], value + b"x", memoryview(value)[::-1], value.hex()]
            others += [altered(value), altered(value, 0)] if value else []
        elif isinstance(value, str):
            others += [value + it for it in ("\0", "\ud800", "\nrijn-key-v1 ", "0")]
            others += ["\ufeff" + value, 2 * value, value[:-2], value.encode(), value + 5000 * "x"]
        elif isinstance(value, (rijn.AEAD, columns.Keyset)):
            # PyNaCl's SecretBox takes the key itself as this argument.
            others += [secret for secret in public.SECRETS if len(secret) in (16, 32, 64)][:3]
            others += [others[-1].hex()]
        for other in others:
            yield arguments | {parameter: other}


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Parts:
    """Returns the forms of all keys: the keys of public.py, and keys that Rijn derives meanwhile,
    where Python sees them."""
    found = Parts()
    for secret in public.SECRETS:
        found.update(forms(secret))

    def recorded(original: Any, sizes: Callable[[Any], bytes]) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            result = original(*args, **options)
            found.update(forms(sizes((args, result))))
            return result

        return call

    monkeypatch.setattr(
        chunked.message, "_expand", recorded(chunked.message._expand, lambda it: it[1][:16])
    )
    engine = PythonEngine.__init__
    monkeypatch.setattr(PythonEngine, "__init__", recorded(engine, lambda it: it[0][1]))
    return found


@pytest.mark.sample(*SOME_NATIVE[:-1], "python")
@pytest.mark.filterwarnings("ignore:no (IV|counter) was given:DeprecationWarning")
def test_no_refusal_shows_a_key(
    tested: BackendUnderTest, parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For any wrong argument of a public call."""
    monkeypatch.chdir(tmp_path)  # a wrong path may name a new file
    refused, shows = set(), set()
    calls = public.calls(tested)
    taking = set()
    for name, make in calls.items():
        if name.endswith(("generate", "generate_key")):
            continue  # they take no key
        _, right = make()
        if {"key", "wrapping_key", "text", "keyset", "keys"} & set(right):
            taking.add(name)
        for secret in public.SECRETS:
            parts.update(forms(secret))
        for arguments in wrong(right):
            call, _ = make()
            try:
                public.perform(call, arguments)
            except Exception as error:  # noqa: BLE001 - whatever is raised must not show it
                refused.add(name)
                shows.update(f"{name}: {it}" for it in keys_in(error, parts))
    assert shows == set()
    assert len(public.SECRETS) > 10
    assert len(taking) > 30
    assert taking <= refused


def stored(tmp_path: Path, data: bytes, mode: int = 0o600) -> Path:
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.key"
    path.write_bytes(data)
    path.chmod(mode)
    return path


def refused_keys(call: Callable[[], Any], *secrets: bytes) -> None:
    with pytest.raises((ValueError, OSError, click.ClickException, cli.failures.Failure)) as caught:
        call()
    parts = Parts(part for secret in secrets for part in forms(secret))
    assert keys_in(caught.value, parts) == set()


def key_files(key: bytes) -> dict[str, bytes]:
    """Returns files with a key that all of Rijn's readers refuse."""
    text = files.format_key(key)
    return {
        "its digits alone": key.hex().encode(),
        "its bytes alone": key,
        "two keys": text.encode() + text.encode(),
        "another line": text.encode() + b"and more\n",
        "a control character": text.encode() + b"\0",
        "no UTF-8": text.encode() + b"\xff",
        "a byte order mark": b"\xef\xbb\xbf" + text.encode(),
        "a digit less": text.rstrip()[:-1].encode(),
        "too long": text.encode() + b"x" * 5000,
    }


def test_no_refusal_of_a_key_file_shows_its_key(tmp_path: Path) -> None:
    key = b"\x80" + noise(15, 77)
    exposed = stored(tmp_path, files.format_key(key).encode(), 0o644)
    with pytest.raises(files.KeyExposed):
        files.read_key(exposed)
    for path in (exposed, *(stored(tmp_path, data) for data in key_files(key).values())):
        refused_keys(partial(files.read_key, path), key)
        refused_keys(partial(columns.Keyset.from_file, path), key)


def shared_keysets() -> list[tuple[bytes, list[bytes]]]:
    """Returns the texts of vectors/keysets.json, each with its secrets."""
    found = []
    for entry in json.loads(SHARED.read_text("utf-8"))["keysets"]:
        pieces = [it if isinstance(it, list) else [it, 1] for it in entry.get("text", [])]
        text = "".join(piece * times for piece, times in pieces).encode()
        data = bytes.fromhex(entry["hex"]) if "hex" in entry else text
        found.append((data, re.findall(rb"(?<![\w/+.])[A-Za-z0-9+/]{24,}", data)))
    return found


def test_no_refusal_of_a_keyset_shows_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a keyset that others may read, and for every text that is not a keyset."""
    refused = 0
    for data, secrets in shared_keysets():
        monkeypatch.delenv("RIJN_TEST_KEYSET", raising=False)
        if data and b"\0" not in data:
            monkeypatch.setitem(os.environb, b"RIJN_TEST_KEYSET", data[: 1 << 16])
        safe, exposed = stored(tmp_path, data), stored(tmp_path, data, 0o644)
        text = data.decode("utf-8", "surrogateescape")
        for call in (
            lambda path=safe: columns.Keyset.from_file(path),
            lambda path=exposed: columns.Keyset.from_file(path),
            lambda it=data: columns.Keyset.from_callable(lambda: it),
            lambda it=text: columns.Keyset.from_callable(lambda: it),
            lambda: columns.Keyset.from_environment("RIJN_TEST_KEYSET"),
        ):
            try:
                call()
            except (ValueError, KeyError) as error:
                found = keys_in(error, Parts(it[:16] for it in secrets))
                # The test's own function returns the text. The caller's variables belong to the caller.
                assert found == set(), (data[:200], error)
                refused += bool(secrets)
    assert refused > 50


def test_no_refusal_by_the_command_shows_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    key, other, words = noise(16, 78), noise(32, 79), noise(16, 80).hex()
    good = str(stored(tmp_path, files.format_key(key).encode()))
    wide = str(stored(tmp_path, files.format_key(other).encode()))
    exposed = str(stored(tmp_path, files.format_key(key).encode(), 0o644))
    Path("a").write_bytes(b"text")
    Path("sealed").write_bytes(chunked.encrypt(key, b"text", aead="aes-128-gcm"))
    keyset = columns.Keyset.generate("siv")
    keyset.write("keyset")
    Path("keyset").chmod(0o644)
    secrets = key, other, words.encode(), keyset._keys[0].secret
    monkeypatch.setenv("RIJN_TEST_WORDS", words)
    monkeypatch.setenv("RIJN_TEST_LONG", 200 * words)
    bad = [str(stored(tmp_path, data)) for data in key_files(key).values()]
    for arguments in (
        *(f"encrypt -k {name} a" for name in (exposed, *bad)),
        f"encrypt -k {good} --aead aes-256-gcm a",
        f"encrypt -k {good} -k {wide} a",
        f"encrypt -k {good} -o {good} -f a",
        "encrypt --passphrase-env RIJN_TEST_LONG a",
        "encrypt --passphrase-env RIJN_TEST_WORDS --aead none a",
        f"decrypt --bare -k {wide} -o b sealed",
        f"decrypt --bare -k {good} -o b a",
        f"decrypt -k {good} -o b sealed",
        f"keygen -o {good}",
        f"columns keygen --renew keyset -o {good}",
    ):
        call = partial(cli.cli.main, arguments.split(), "rijn", standalone_mode=False)
        refused_keys(call, *secrets)


def test_a_callers_function_keeps_its_variables() -> None:
    """Rijn clears its own frames and the standard library frames below them. Line numbers stay, for
    debugging."""

    def fails() -> str:
        mine = "variable"
        raise LookupError(mine)

    with pytest.raises(LookupError) as caught:
        columns.Keyset.from_callable(fails)
    names = [entry.name for entry in caught.traceback]
    assert names[-3:] == ["cleaned", "from_callable", "fails"]
    assert caught.traceback[-1].frame.f_locals == {"mine": "variable"}
    assert caught.traceback[-2].frame.f_locals == {}


def test_a_refusal_in_a_handler_keeps_what_is_handled() -> None:
    """An exception that the caller is handling stays the context."""
    with pytest.raises(ValueError, match="key must be") as caught:
        try:
            raise LookupError("of the caller")
        except LookupError:
            rijn.AESGCM(b"short")
    assert isinstance(caught.value.__context__, LookupError)
