"""Wrong sizes and wrong orders: one message each, the same on every backend."""

from __future__ import annotations

import ast
import copy
import inspect
import io
import itertools
import pickle
import re
import textwrap
from array import array
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from types import FunctionType
from typing import Any

import public
import pytest
from backends import BackendUnderTest, noise
from cryptography.hazmat.primitives.ciphers.aead import AESCCM as Peer

import rijn
from rijn import chunked

KEY = bytes(16)


def refuses(message: str, call: Callable[..., object], *given: object, **named: object) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call(*given, **named)


def test_key_sizes(tested: BackendUnderTest, subtests: pytest.Subtests) -> None:
    for size in [0, 1, 15, 17, 23, 25, 31, 33, 64]:
        with subtests.test(size=size):
            message = f"key must be 16, 24 or 32 bytes, not {size}"
            refuses(message, tested.AES, bytes(size))
            refuses(message, tested.AESGCM, bytes(size))


def test_iv_and_counter_sizes(tested: BackendUnderTest, subtests: pytest.Subtests) -> None:
    for size in [0, 1, 15, 17, 32]:
        with subtests.test(size=size):
            aes, wrong, data = tested.AES(KEY), bytes(size), bytes(16)
            for call in (aes.cbc_encrypt, aes.cbc_decrypt):
                refuses(f"iv must be 16 bytes, not {size}", call, wrong, data)
                refuses(f"iv must be 16 bytes, not {size}", call, wrong, data, pkcs7=True)
            for call in (aes.cbc_encryptor, aes.cbc_decryptor):
                refuses(f"iv must be 16 bytes, not {size}", call, wrong)
            for call in (aes.ctr_encrypt, aes.ctr_decrypt):
                refuses(f"counter must be 16 bytes, not {size}", call, wrong, data)
            for call in (aes.ctr_encryptor, aes.ctr_decryptor):
                refuses(f"counter must be 16 bytes, not {size}", call, wrong)


def test_data_sizes_of_block_modes(tested: BackendUnderTest, subtests: pytest.Subtests) -> None:
    for size in [1, 15, 17, 31, 129]:
        with subtests.test(size=size):
            aes, iv, data = tested.AES(KEY), bytes(16), bytes(size)
            message = f"data must be a multiple of 16 bytes, not {size}"
            refuses(message, aes.ecb_encrypt, data)
            refuses(message, aes.ecb_decrypt, data)
            refuses(message, aes.cbc_encrypt, iv, data)
            refuses(message, aes.cbc_decrypt, iv, data)
            refuses(message, aes.cbc_decrypt, iv, data, pkcs7=True)


def test_an_empty_padded_message_is_refused(tested: BackendUnderTest) -> None:
    refuses("invalid padding", lambda: tested.AES(KEY).cbc_decrypt(bytes(16), b"", pkcs7=True))


@pytest.mark.parametrize("cls", [rijn.AESGCM, rijn.AESEAX], ids=lambda cls: cls.__name__)
def test_empty_nonce(tested: BackendUnderTest, cls: Any) -> None:
    aead = tested.make(cls, KEY, short_nonces=True)
    message = "nonce must not be empty"
    refuses(message, lambda: aead.encrypt(b"", b"data"))
    refuses(message, lambda: aead.decrypt(b"", bytes(32)))
    refuses(message, lambda: aead.encrypt_into(b"", b"data", None, bytearray(20)))
    refuses(message, lambda: aead.decrypt_into(b"", bytes(20), None, bytearray(4)))
    refuses(
        "nonces[0] must be 1 to 32 bytes, not 0",
        lambda: aead.encrypt_many([b"data"], nonces=[b""]),
    )


def calls_with(aead: Any, nonce: bytes) -> dict[str, Callable[[], object]]:
    """Returns every call of an AEAD that takes a nonce. The ciphertext is not authentic."""
    ciphertext = bytes(20)
    calls: dict[str, Callable[[], object]] = {
        "encrypt": lambda: aead.encrypt(nonce, b"data"),
        "decrypt": lambda: aead.decrypt(nonce, ciphertext),
        "encrypt_into": lambda: aead.encrypt_into(nonce, b"data", None, bytearray(20)),
        "decrypt_into": lambda: aead.decrypt_into(nonce, ciphertext, None, bytearray(4)),
        "encrypt_detached": lambda: aead.encrypt_detached(nonce, b"data"),
        "decrypt_detached": lambda: aead.decrypt_detached(nonce, b"data", bytes(16)),
    }
    if hasattr(aead, "encryptor"):
        calls |= {
            "encryptor": lambda: aead.encryptor(nonce),
            "decryptor": lambda: aead.decryptor(nonce),
        }
    return calls


def many_with(aead: Any, nonce: bytes) -> dict[str, Callable[[], object]]:
    return {
        "encrypt_many": lambda: aead.encrypt_many([b"data"], nonces=[nonce]),
        "decrypt_many": lambda: aead.decrypt_many([bytes(20)], nonces=[nonce], failed=[]),
        "encrypt_many, counted": lambda: aead.encrypt_many([b"data"], first_nonce=nonce),
        "decrypt_many, counted": lambda: aead.decrypt_many(
            [bytes(20)], first_nonce=nonce, failed=[]
        ),
    }


def refused(call: Callable[[], object]) -> str:
    """Returns the message that refuses a nonce, or "" if it is accepted."""
    with suppress(rijn.InvalidTag):
        try:
            call()
        except ValueError as error:
            return str(error)
    return ""


SHORT_NONCES = (rijn.AESGCM, rijn.AESOCB3, rijn.AESEAX)


@pytest.mark.parametrize("cls", public.AEADS, ids=lambda cls: cls.__name__)
def test_short_nonces_need_an_option(tested: BackendUnderTest, cls: Any) -> None:
    """Swapped arguments, as in encrypt(b"header", nonce), must not give a message under a short
    nonce. Every way to encrypt and decrypt refuses the same nonces."""
    key = noise(cls.key_sizes[0])
    given: list[dict[str, Any]] = [{}]
    if cls in SHORT_NONCES:
        given += [{"short_nonces": True}, {"short_nonces": False}]
        if cls is rijn.AESGCM and tested.name == "python":
            given += [{"strict": True}, {"strict": True, "short_nonces": True}]
    else:
        with pytest.raises(TypeError, match="short_nonces"):
            cls(key, backend=tested.name, short_nonces=True)
    for options in given:
        aead = tested.make(cls, key, **options)
        for size in range(34):
            asked = cls in SHORT_NONCES and 0 < size < 8 and not options.get("short_nonces")
            allowed = size in cls.nonce_sizes and not asked
            for name, call in calls_with(aead, noise(size)).items():
                said = refused(call)
                assert (not said) == allowed, (name, size, options)
                assert not said or said.startswith("nonce must "), name
                assert said.endswith(f", not {size}: ask for it with short_nonces=True") == asked
            # Nonces of a batch have at most 32 bytes.
            for name, call in many_with(aead, noise(size)).items():
                said = refused(call)
                assert (not said) == (allowed and size <= 32), (name, size, options)
                assert said.endswith("with short_nonces=True") == asked


@pytest.mark.parametrize("cls", SHORT_NONCES, ids=lambda cls: cls.__name__)
def test_swapped_arguments_are_refused(tested: BackendUnderTest, cls: Any) -> None:
    limit = "8 to 15 bytes" if cls is rijn.AESOCB3 else "8 bytes or more"
    refuses(
        f"nonce must be {limit}, not 6: ask for it with short_nonces=True",
        lambda: tested.make(cls, KEY).encrypt(b"header", noise(12)),
    )


def test_tag_lengths(tested: BackendUnderTest, subtests: pytest.Subtests) -> None:
    for size in [-1, 0, 1, 3, 5, 7, 9, 11, 17, 32]:
        with subtests.test(size=size):
            message = f"tag_length must be 4, 8, 12, 13, 14, 15 or 16, not {size}"
            refuses(message, tested.AESGCM, KEY, tag_length=size)


def test_ccm_takes_its_tag_length_by_position(tested: BackendUnderTest) -> None:
    """Like `cryptography`."""
    by_place = tested.make(rijn.AESCCM, KEY, 8)
    assert by_place.tag_length == 8
    nonce, data = noise(12, 1), noise(20, 2)
    peer = Peer(KEY, 8).encrypt(nonce, data, b"ad")
    assert by_place.encrypt(nonce, data, b"ad") == peer
    refuses(
        "tag_length must be 4, 6, 8, 10, 12, 14 or 16, not 7",
        lambda: tested.make(rijn.AESCCM, KEY, 7),
    )
    refuses(
        "a tag_length of 4 invites forgery: ask for it with short_tags=True",
        lambda: tested.make(rijn.AESCCM, KEY, 4),
    )


# Sizes: any argument with a fixed size refuses some of them.
SIZES = (0, 1, 7, 12, 15, 16, 17, 24, 31, 32, 33, 63, 65, 200)
# Messages about another argument, or in the words of another package or of the format.
OTHER_WORDS = (
    "buf must be",  # it does not fit data
    "invalid padding",
    "the two halves of an XTS key must differ",
    "data of ",  # a run of chunks, which has several sizes
    "its first line",  # a header
    "the passphrase is",
)


def error_of_size(make: public.Call, parameter: str, size: int) -> tuple[type, str]:
    call, arguments = make()
    try:
        public.perform(call, arguments | {parameter: bytearray(size)})
    except Exception as error:  # noqa: BLE001 - any error counts
        return type(error), str(error)
    return type(None), ""


@cache
def python_calls() -> dict[str, public.Call]:
    return public.calls(BackendUnderTest("python", 1))


@cache
def error_in_python(name: str, parameter: str, size: int) -> tuple[type, str]:
    """The answer of `python`, which all others are compared with; computed once."""
    return error_of_size(python_calls()[name], parameter, size)


def test_a_wrong_size_names_the_argument(tested: BackendUnderTest) -> None:
    """The words are the same on every backend, and include the given size."""
    sizes = SIZES if not tested.effort.brief else SIZES[::5]
    failures, refused = [], 0
    for name, make in public.calls(tested).items():
        if name.startswith("pyaes.") or name.partition("256_")[0] in ("ige", "cbc", "ctr"):
            continue  # these repeat the errors of the originals
        for parameter in make()[1]:
            if public.kind(name, parameter) not in (
                public.BYTES,
                public.BYTES_OR_NONE,
                public.WRITABLE,
            ):
                continue
            for size in sizes:
                said = [
                    error_of_size(make, parameter, size),
                    error_in_python(name, parameter, size),
                ]
                kind, text = said[0]
                if said[0] != said[1]:
                    failures.append(f"{name}({parameter}: {size}): {said}")
                elif issubclass(kind, ValueError) and not text.startswith(OTHER_WORDS):
                    refused += 1
                    named = re.search(rf"\b{parameter}\b", text)
                    counted = str(size) in text or (not size and "empty" in text)
                    if not (named and counted):
                        failures.append(f"{name}({parameter}: {size}): {text}")
                elif not issubclass(kind, (type(None), ValueError, rijn.InvalidTag)):
                    failures.append(f"{name}({parameter}: {size}): {said}")
    assert not failures, f"{len(failures)}:\n" + "\n".join(failures)
    assert refused > 20 * len(sizes)


@pytest.mark.parametrize("cls", [*public.AEADS, rijn.AEGISMAC])
def test_a_wrong_tag_length_names_the_argument(tested: BackendUnderTest, cls: Any) -> None:
    key = public.key_of(cls)
    given: dict[str, Any] = {"key": key, "backend": tested.name}
    if cls is rijn.AEGISMAC:
        given["nonce"] = key
    for size in (-1, 0, 3, 17, 2**64):
        with pytest.raises(
            ValueError, match=rf"^(tag_length must be [\d, or]+, not|a tag_length of) {size}\b"
        ):
            cls(**given, tag_length=size)
    for value in ("16", b"16", 16.0, None, True):
        found = type(value).__name__
        with pytest.raises(TypeError, match=f"^tag_length must be an integer, not {found}$"):
            cls(**given, tag_length=value)


def test_a_wrong_item_of_a_batch_is_named(tested: BackendUnderTest) -> None:
    aead = tested.make(rijn.AEGIS128L, KEY)
    offsets = memoryview(array("q", [0, 1])).cast("B").cast("q")
    apart = memoryview(bytearray(4))[::2]
    for said, error, arguments in (
        (r"data\[1\] must be a bytes-like object, not str", TypeError, {"data": [b"", "x"]}),
        (r"data\[1\] must be C-contiguous", BufferError, {"data": [b"", apart]}),
        (
            "the data of data must be a bytes-like object, not str",
            TypeError,
            {"data": ("x", offsets)},
        ),
        ("the data of data must be C-contiguous", BufferError, {"data": (apart, offsets)}),
        (
            "the offsets of data must be C-contiguous",
            BufferError,
            {"data": (b"x", memoryview(array("q", [0, 0, 1]))[::2])},
        ),
        ("nonces must be C-contiguous", BufferError, {"data": [b""], "nonces": apart}),
        (
            r"nonces\[1\] must be a bytes-like object, not int",
            TypeError,
            {"data": [b"", b""], "nonces": [bytes(16), 5]},
        ),
        (
            r"associated_data\[2\] must be a bytes-like object, not int",
            TypeError,
            {"data": [b""] * 3, "associated_data": [b"", bytearray(1), 5]},
        ),
    ):
        with pytest.raises(error, match=f"^{said}$"):
            aead.encrypt_many(**arguments)


def test_a_wrong_nonce_of_a_batch_is_named(tested: BackendUnderTest) -> None:
    aead = tested.make(rijn.AEGIS128L, KEY)
    refuses(
        "nonces[0] must be 16 bytes, not 12",
        lambda: aead.encrypt_many([b"", b""], nonces=[bytes(12)] * 2),
    )
    refuses(
        "first_nonce must be 16 bytes, not 12",
        lambda: aead.encrypt_many([b"", b""], first_nonce=bytes(12)),
    )
    refuses(
        "nonces must be of one size: nonces[0] has 16 bytes, and nonces[2] 15",
        lambda: aead.encrypt_many([b""] * 3, nonces=[bytes(16), bytes(16), bytes(15)]),
    )
    refuses(
        "each of nonces must be 1 to 32 bytes, not 33",
        lambda: tested.AESSIV(2 * KEY).encrypt_many([b"", b""], nonces=bytes(66)),
    )


# ---- Finished objects ----------------------------------------------------------------


def test_finished_objects_raise_one_kind_of_error(tested: BackendUnderTest) -> None:
    """Every public object with finalize, verify or tag, finished in every possible way."""
    ends = {"finalize": (), "verify": (bytes(16),), "tag": ()}
    after = {
        "update": (b"",),
        "update_into": (b"", bytearray(64)),
        "update_unverified": (b"",),
        "crypt": (b"",),
        "crypt_into": (b"", bytearray()),
        "copy": (),
        **ends,
    }
    ended = set()
    for name in public.objects(tested):
        for end, its in ends.items():
            thing = public.objects(tested)[name]
            if not hasattr(thing, end):
                continue
            try:
                getattr(thing, end)(*its)
            except (rijn.InvalidTag, ValueError):  # an empty message; the object is finished anyway
                pass
            for method, arguments in after.items():
                if hasattr(thing, method):
                    with pytest.raises(RuntimeError, match=r"finali[sz]e|verify has been called"):
                        getattr(thing, method)(*arguments)
            ended.add(name)
    assert {"CMAC", "AEGISMAC", "Stream", "Encryptor", "Decryptor"} <= ended
    assert {"AEADEncryptor", "AEADDecryptor", "CbcDecryptor", "Ctr"} <= ended


def test_associated_data_may_be_left_out(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(KEY)
    nonce, data = noise(12, 1), noise(20, 2)
    sealed = aead.encrypt(nonce, data)
    assert sealed == aead.encrypt(nonce, data, None) == aead.encrypt(nonce, data, b"")
    assert sealed == aead.encrypt(nonce=nonce, data=data, associated_data=None)
    assert aead.decrypt(nonce, sealed) == aead.decrypt(nonce, sealed, b"") == data
    assert aead.decrypt(nonce=nonce, data=sealed, associated_data=None) == data
    buf = bytearray(36)
    aead.encrypt_into(nonce=nonce, data=data, associated_data=None, buf=buf)
    assert buf == sealed


def test_wrong_calls_are_type_errors(tested: BackendUnderTest) -> None:
    aead, aes = tested.AESGCM(KEY), tested.AES(KEY)
    for call in (
        lambda: rijn.AES(backend=tested.name),
        lambda: rijn.AES(KEY, tested.name),
        lambda: rijn.AESGCM(KEY, 16, backend=tested.name),
        lambda: rijn.AESCCM(KEY, 16, True, backend=tested.name),
        lambda: aes.ecb_encrypt(),
        lambda: aes.ecb_encrypt(b"", b""),
        lambda: aes.cbc_encrypt(bytes(16)),
        lambda: aes.cbc_encrypt(bytes(16), b"", True),
        lambda: aes.ctr_encrypt(bytes(16), b"", pkcs7=True),
        lambda: aead.encrypt(bytes(12)),
        lambda: aead.encrypt(bytes(12), b"", None, b""),
        lambda: aead.encrypt(bytes(12), b"", nonce=b"x"),
        lambda: aead.encrypt(bytes(12), b"", ad=b""),
        lambda: aead.encrypt_into(bytes(12), b"", None),
    ):
        with pytest.raises(TypeError):
            call()


def outcome(
    cipher: rijn.AES | rijn.AESGCM, method: str, *arguments: object, **options: object
) -> tuple[str, object]:
    """Returns the result, or the error and its text."""
    try:
        return "result", getattr(cipher, method)(*arguments, **options)
    except (ValueError, TypeError, BufferError, rijn.InvalidTag) as error:
        return type(error).__name__, str(error)


def test_refusals_are_the_same_everywhere(tested: BackendUnderTest) -> None:
    """Any mixture of right and wrong arguments ends as on `python`. With two mistakes, the same
    one is named."""
    buffers = [
        b"",
        bytes(1),
        bytes(12),
        bytearray(16),
        bytes(33),
        memoryview(bytearray(80))[3:67],
        memoryview(bytes(32))[::2],
        array("I", [1, 2, 3, 4]),
        None,
        "text",
        5,
    ]
    names = (tested.name, "python")
    aes, other_aes = (rijn.AES(KEY, backend=name) for name in names)
    aead, other_aead = (rijn.AESGCM(KEY, tag_length=12, backend=name) for name in names)
    for first, second in itertools.product(buffers, repeat=2):
        for method, options in [
            ("cbc_encrypt", {}),
            ("cbc_decrypt", {}),
            ("cbc_encrypt", {"pkcs7": True}),
            ("cbc_decrypt", {"pkcs7": True}),
            ("ctr_encrypt", {}),
        ]:
            ours = outcome(aes, method, first, second, **options)
            theirs = outcome(other_aes, method, first, second, **options)
            assert ours == theirs, (method, first, second, options)
        for method in ("encrypt", "decrypt"):
            ours = outcome(aead, method, first, second, first)
            theirs = outcome(other_aead, method, first, second, first)
            assert ours == theirs, (method, first, second)
        for method, size in itertools.product(("encrypt_into", "decrypt_into"), (0, 21, 28, 52)):
            mine, yours = bytearray(b"\xaa" * size), bytearray(b"\xaa" * size)
            ours = outcome(aead, method, first, second, None, mine)
            theirs = outcome(other_aead, method, first, second, None, yours)
            assert ours == theirs, (method, first, second, size)
            assert mine == yours, (method, first, second, size)


def test_objects_are_of_the_public_classes(tested: BackendUnderTest) -> None:
    assert isinstance(tested.AES(KEY), rijn.AES)
    assert isinstance(tested.AESGCM(KEY), rijn.AESGCM)


def test_objects_do_not_change(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(KEY)
    for name in ("backend", "tag_length"):
        with pytest.raises(AttributeError):
            setattr(aead, name, getattr(aead, name))
    with pytest.raises(AttributeError):
        tested.AES(KEY).backend = "reference"


def test_keys_do_not_show(tested: BackendUnderTest) -> None:
    key = b"a very secret key"[:16]
    for thing in (tested.AES(key), tested.AESGCM(key)):
        assert "secret" not in repr(thing)
        assert key.hex() not in repr(thing)


def test_repr_shows_the_progress(tested: BackendUnderTest) -> None:
    """The repr shows no address, no key and no text."""
    box, ctr = rijn.Sealer(tested.AESGCM(KEY)), tested.AES(KEY).ctr_encryptor(bytes(16))
    opener = tested.AESGCM(KEY).decryptor(bytes(12))
    sealer = chunked.Encryptor(2 * KEY, backend=tested.name)
    reader = chunked.Decryptor(2 * KEY, backend=tested.name)
    box.seal(b"secret")
    shown = [repr(thing) for thing in (box, ctr, opener, reader)]
    assert shown == [
        f"<rijn.Sealer of AESGCM on {tested.name}, 1 messages sealed>",
        "<rijn.incremental.Ctr>",
        "<rijn.incremental.AEADDecryptor>",
        "<rijn.chunked.Decryptor, 0 chunks so far>",
    ]
    sealed = sealer.update(bytes(chunked.CHUNK))
    assert re.fullmatch(
        rf"<rijn.chunked.Encryptor of \S+ on {tested.name}, 1 chunks so far>", repr(sealer)
    )
    sealed += sealer.finalize()
    assert reader.update(sealed) + reader.finalize() == bytes(chunked.CHUNK)
    ctr.finalize()
    assert repr(ctr) == "<rijn.incremental.Ctr, finalized>"
    assert repr(sealer).endswith(", over>") and repr(reader).endswith(", over>")
    file = chunked.Reader(io.BytesIO(sealed), 2 * KEY, backend=tested.name)
    assert repr(file) == f"<rijn.chunked.Reader, at 0 of {chunked.CHUNK} bytes>"
    file.close()
    assert repr(file) == "<rijn.chunked.Reader, closed>"


def test_keys_are_not_copied(tested: BackendUnderTest) -> None:
    for thing in (tested.AES(KEY), tested.AESGCM(KEY)):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                call(thing)


@pytest.mark.parametrize("base", [rijn.AES, rijn.AESGCM, rijn.AEGIS256, rijn.CMAC, rijn.AESSIV])
def test_the_classes_cannot_be_subclassed(base: type) -> None:
    """Neither the base nor the classes of its objects, alone or beside another class."""
    made = type(base(bytes(base.key_sizes[-1])))
    for bases in ((base,), (made,), (dict, base)):
        with pytest.raises(TypeError, match=f"^rijn.{base.__name__} cannot be subclassed: "):
            type("Mine", bases, {})


@pytest.mark.parametrize("base", [rijn.AES, rijn.AESGCM, rijn.AEGIS256, rijn.CMAC, rijn.AESSIV])
def test_the_class_of_an_object_takes_keywords(tested: BackendUnderTest, base: Any) -> None:
    key = bytes(base.key_sizes[-1])
    made = type(tested.make(base, key))
    assert made(key=key, backend=tested.name).backend == tested.name
    with pytest.raises(TypeError, match="missing .*'key'"):
        made(backend=tested.name)
    with pytest.raises(TypeError, match="'locks?'"):
        made(key=key, lock=1)


def stubs(cls: type) -> dict[str, Any]:
    """Returns the methods and properties of a class that each backend replaces: a docstring, then
    one statement without a value."""
    found = {}
    for name, member in vars(cls).items():
        function = member.fget if isinstance(member, property) else member
        if isinstance(function, FunctionType) and not name.startswith("__"):
            (parsed,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
            assert isinstance(parsed, ast.FunctionDef)
            if len(parsed.body) == 2 and isinstance(parsed.body[1], (ast.Raise, ast.Pass)):
                found[name] = function
    return found


@pytest.mark.parametrize(
    "base",
    [rijn.AES, rijn.AESXTS, rijn.AESGCM, rijn.AESCCM, rijn.AESEAX, rijn.AESSIV, rijn.AEGIS128L]
    + [rijn.AESOCB3, rijn.AESGCMSIV, rijn.XAES256GCM, rijn.CMAC],
)
def test_no_method_without_a_backend_returns(base: Any) -> None:
    """Every method that a backend replaces raises if there is no backend."""
    nobody = object.__new__(base)
    methods = {
        k: v for cls in base.__mro__ if "rijn" in cls.__module__ for k, v in stubs(cls).items()
    }
    assert methods
    for function in methods.values():
        given = [
            it for it in inspect.signature(function).parameters.values() if it.default is it.empty
        ]
        positional = [b"" for it in given[1:] if it.kind is not it.KEYWORD_ONLY]
        named = {it.name: b"" for it in given if it.kind is it.KEYWORD_ONLY}
        with pytest.raises(TypeError, match="^call this on an object that its class has made"):
            function(nobody, *positional, **named)


@pytest.mark.parametrize("backend", ["python", None])
def test_calls_without_a_backend_name_the_remedy(backend: str | None) -> None:
    aead = rijn.AESGCM(KEY, backend=backend)
    for call in (
        lambda: rijn.AESGCM.encrypt(aead, bytes(12), b"x"),
        lambda: rijn.AES.ecb_encrypt(rijn.AES(KEY, backend=backend), bytes(16)),
        lambda: object.__new__(rijn.AESGCM).encrypt(bytes(12), b"x"),
        lambda: object.__new__(rijn.AEGIS128L).tag_length,
    ):
        with pytest.raises(TypeError, match="^call this on an object that its class has made"):
            call()
    for base in (rijn.aead.AEAD, rijn.aead.OnlineAEAD, rijn.aegis.AEGIS):
        with pytest.raises(TypeError, match=rf"{base.__name__} is a base class: make an"):
            base(KEY, backend=backend)


def test_generate_key_needs_a_size() -> None:
    with pytest.raises(TypeError, match=r"^bit_length must be given: 128, 192 or 256$"):
        rijn.AESGCM.generate_key()
    assert len(rijn.AEGIS256.generate_key()) == 32
    assert len(rijn.AEGIS256.generate_key(256)) == len(rijn.AESGCM.generate_key(256)) == 32
    for cls, wrong in ((rijn.AESGCM, 0), (rijn.AEGIS256, 0), (rijn.AEGIS256, 128)):
        with pytest.raises(ValueError, match="^bit_length must be "):  # 0 is not "left out"
            cls.generate_key(wrong)


def test_classes_of_errors() -> None:
    assert issubclass(rijn.BackendError, ValueError)
    assert issubclass(rijn.InvalidTag, Exception)
    assert not issubclass(rijn.InvalidTag, ValueError)
    assert rijn.InvalidTag().chunk is None
