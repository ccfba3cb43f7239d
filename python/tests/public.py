"""The public interface: every module, every callable with its parameters, every class. A name that
is not classified here fails the tests that use this list (test_public.py)."""

from __future__ import annotations

import inspect
import io
import os
import pkgutil
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from arrow_arrays import array_of
from backends import BackendUnderTest, noise

import rijn
from rijn import chunked, columns, files, incremental
from rijn.compat import pyaes, tgcrypto
from rijn.compat.pyaes import blockfeeder, util
from rijn.wrap import KeyWrap

PUBLIC = (
    "rijn",
    "rijn.aead",
    "rijn.aegis",
    "rijn.block",
    "rijn.chunked",
    "rijn.columns",
    "rijn.compat",
    "rijn.compat.pyaes",
    "rijn.compat.pyaes.aes",
    "rijn.compat.pyaes.blockfeeder",
    "rijn.compat.pyaes.util",
    "rijn.compat.tgcrypto",
    "rijn.errors",
    "rijn.files",
    "rijn.incremental",
    "rijn.mac",
    "rijn.many",
    "rijn.sealer",
    "rijn.selftest",
    "rijn.wrap",
)
# Modules that only Rijn itself calls. Users reach their objects through public modules.
PRIVATE = (
    "rijn.cli",
    "rijn.disk",
    # Public, with PyCryptodome's arguments and errors; test_compat_cryptodome.py calls them.
    *("rijn.compat.cryptodome", "rijn.compat.run", "rijn.compat.stand_in"),
    *(f"rijn.chunked.{name}" for name in ("aeads", "errors", "message", "pieces", "reader")),
    *("rijn.chunked.sizes", "rijn.chunked.sources"),
    *(f"rijn.columns.{name}" for name in ("arrow", "column", "formats", "keysets")),
    *("rijn.columns.rows", "rijn.columns.rows_pure"),
    "rijn.known_answers",
    "rijn.native",
    "rijn.pipeline",
    "rijn.pure",
    "rijn.registry",
    *(f"rijn.files.{name}" for name in ("format", "objects", "secret", "whole")),
    "rijn.fsspec",  # public; test_files_fsspec.py calls it, where fsspec is installed
    "rijn.spark",  # public; python/tests/spark calls it, where Spark is installed
)
# Public names that these tests do not call with arguments: bases and protocols (their methods are
# called on subclasses), helpers that check nothing, and callables without arguments.
NOT_CALLED = {
    *("AEAD", "ShortTagAEAD", "ShortNonceAEAD", "OnlineAEAD", "ChunkAEAD", "AEGIS", "MAC"),
    *("Incremental", "Many"),
    *("OneAtATime", "Stream"),
    *("ChunkCipher", "CounterLike", "AESBlockModeOfOperation", "AESStreamModeOfOperation"),
    *("AESSegmentModeOfOperation", "Backend", "AEGISKernel", "Result", "BlockFeeder"),
    *(
        "backends",
        "aegis_kernels",
        "run",
        "display_name",
        "truncated",
        "variant",
        "whole_steps",
        "xor",
    ),
    *("read_full", "read_up_to"),
    # files.open makes these.
    *("FileReader", "FileWriter"),
    # Exceptions. test_public.py pickles them.
    *("InvalidTag", "BackendError", "WrongKey", "Damaged", "Truncated", "NotRijn", "BadHeader"),
    *("Unsupported", "KeyFileError", "KeyExposed", "RawKey", "HexKey", "KeysetError"),
    # A record that only Rijn makes.
    "Aead",
    # Methods of AES and of the AEADs make these. They are called below.
    *(name for name, cls in vars(incremental).items() if inspect.isclass(cls)),
}


def modules() -> set[str]:
    found = {"rijn"}
    for module in pkgutil.walk_packages(rijn.__path__, "rijn."):
        parts = module.name.split(".")
        if not any(part.startswith("_") for part in parts):
            found.add(module.name)
    return found


def classified(module: str) -> bool:
    return module in PUBLIC or any(
        module == name or module.startswith(name + ".") for name in PRIVATE
    )


def names() -> Iterator[tuple[str, Any]]:
    """Yields the public classes and functions, each once."""
    seen = set()
    for path in PUBLIC:
        module = import_module(path)
        for name in getattr(module, "__all__", dir(module)):
            thing = getattr(module, name)
            home = getattr(thing, "__module__", "")
            if name.startswith("_") or not callable(thing) or not home.startswith("rijn."):
                continue
            if (home == path or hasattr(module, "__all__")) and id(thing) not in seen:
                seen.add(id(thing))
                yield name, thing


def methods(cls: type) -> Iterator[str]:
    """Yields the public methods of `cls` that Rijn's own classes define and that take arguments."""
    for name in dir(cls):
        if name.startswith("_") or isinstance(inspect.getattr_static(cls, name), property):
            continue
        home = next(base for base in cls.__mro__ if name in vars(base))
        if home.__module__.startswith("rijn.") and callable(getattr(cls, name)):
            yield name


def qualified(name: str, thing: Any) -> str:
    """Returns the name, with a prefix if it is pyaes's: pyaes's AES is not rijn's."""
    prefix = "pyaes." if thing.__module__.startswith("rijn.compat.pyaes") else ""
    return prefix + name


def parameters(call: Any) -> list[inspect.Parameter]:
    found = list(signature(call).parameters.values())
    return [p for p in found if p.name != "self"]


def callables() -> Iterator[tuple[str, list[inspect.Parameter]]]:
    """Yields every public callable that takes arguments: its name, and its parameters."""
    for name, thing in names():
        if name in NOT_CALLED:
            continue
        full = qualified(name, thing)
        if parameters(thing):
            yield full, parameters(thing)
        if inspect.isclass(thing):
            for method in methods(thing):
                if parameters(getattr(thing, method)):
                    yield f"{full}.{method}", parameters(getattr(thing, method))
    for cls in (incremental.Incremental, incremental.AEADDecryptor, incremental.Stream):
        for method in methods(cls):
            if parameters(getattr(cls, method)):
                yield f"{cls.__name__}.{method}", parameters(getattr(cls, method))


# ---- Kinds of parameters --------------------------------------------------------------

BYTES = "bytes"  # any C-contiguous buffer
BYTES_OR_NONE = "bytes or None"
WRITABLE = "a writable buffer"
STRINGS = "buffers"  # a sequence of buffers, or None
INTEGER = "an integer"
INTEGER_OR_NONE = "an integer or None"
FLAG = "True or False"
TEXT = "a str"
TEXT_OR_NONE = "a str or None"
CHARACTERS = "pyaes's data"  # a buffer, a str, or characters
CHARACTERS_OR_NONE = "pyaes's data or None"
OCTETS = "16 integers"  # one block, as pyaes takes it
OBJECT = "an object"  # of a class of its own

KINDS = {
    **dict.fromkeys(("key", "nonce", "data", "iv", "tweak", "tag", "counter", "context"), BYTES),
    **dict.fromkeys(("prefix", "salt", "sealed", "wrapping_key", "key_to_wrap"), BYTES),
    "wrapped_key": BYTES,
    "associated_data": BYTES_OR_NONE,
    "first_nonce": BYTES_OR_NONE,
    "failed": OBJECT,
    "nonces": OBJECT,
    **dict.fromkeys(("buf", "buffer", "state"), WRITABLE),
    **dict.fromkeys(
        ("tag_length", "width", "first", "chunk", "size", "messages", "threads"), INTEGER
    ),
    **dict.fromkeys(("start", "key_size", "offset", "whence", "memory", "passes"), INTEGER),
    **dict.fromkeys(("lanes", "segment_size", "initial_value"), INTEGER),
    **dict.fromkeys(("bit_length", "jobs"), INTEGER_OR_NONE),
    **dict.fromkeys(
        (
            "pkcs7",
            "strict",
            "short_tags",
            "short_nonces",
            "last",
            "opening",
            "prepend_nonce",
            "overwrite",
        ),
        FLAG,
    ),
    **dict.fromkeys(("byteorder", "algorithm", "text", "phc", "passphrase"), TEXT),
    **dict.fromkeys(("backend", "aead", "name"), TEXT_OR_NONE),
    **dict.fromkeys(
        ("source", "mode", "path", "src", "dst", "file", "encoding", "newline"), OBJECT
    ),
    # Arrow arrays, and the sources of keysets
    **dict.fromkeys(("array", "aad", "keyset", "keys", "asleep", "origin", "older"), OBJECT),
    "function": OBJECT,
    **dict.fromkeys(("format", "errors"), TEXT),
    "type": TEXT_OR_NONE,
    "pad": INTEGER_OR_NONE,
    # pyaes itself checks the arguments of its feeders and streams.
    **dict.fromkeys(("in_stream", "out_stream", "block_size", "padding"), OBJECT),
    **dict.fromkeys(("plaintext", "ciphertext", "crypttext", "binary"), CHARACTERS),
}
# Parameters whose name means something else than elsewhere.
SPECIAL = {
    ("AESSIV.encrypt", "associated_data"): STRINGS,
    ("AESSIV.decrypt", "associated_data"): STRINGS,
    ("AESSIV.encrypt_into", "associated_data"): STRINGS,
    ("AESSIV.decrypt_into", "associated_data"): STRINGS,
    ("AESSIV.encrypt_detached", "associated_data"): STRINGS,
    ("AESSIV.decrypt_detached", "associated_data"): STRINGS,
    ("Sealer", "aead"): OBJECT,
    ("Reader.read", "size"): INTEGER_OR_NONE,
    ("Reader.read1", "size"): INTEGER_OR_NONE,
    ("Reader.readline", "size"): INTEGER_OR_NONE,
    # a key or the name of a key file, or a passphrase
    **{
        (name, parameter): OBJECT
        for name in ("encrypt_file", "decrypt_file", "open")
        for parameter in ("key", "passphrase", "errors")
    },
    # bytes or a str
    ("Column", "context"): OBJECT,
    ("Keyset.from_environment", "name"): TEXT,
    # A record: its values are checked when a header is read.
    ("Header", "aead"): OBJECT,
    ("Header", "passphrase"): OBJECT,
    ("named_aead", "name"): TEXT,
    ("sealed_size", "aead"): OBJECT,
    ("plain_size", "aead"): OBJECT,
    ("plain_size", "sealed"): INTEGER,
    ("Message.plain_size", "sealed"): INTEGER,
    ("ctr256_encrypt", "iv"): WRITABLE,
    ("ctr256_decrypt", "iv"): WRITABLE,
    ("pyaes.AES.encrypt", "plaintext"): OCTETS,
    ("pyaes.AES.decrypt", "ciphertext"): OCTETS,
    ("pyaes.Encrypter.feed", "data"): CHARACTERS_OR_NONE,
    ("pyaes.Decrypter.feed", "data"): CHARACTERS_OR_NONE,
    ("pyaes.append_PKCS7_padding", "data"): CHARACTERS,
    ("pyaes.strip_PKCS7_padding", "data"): CHARACTERS,
    ("pyaes.octets", "data"): CHARACTERS,
    ("pyaes.AESModeOfOperationCBC", "iv"): CHARACTERS_OR_NONE,
    ("pyaes.AESModeOfOperationOFB", "iv"): CHARACTERS_OR_NONE,
    ("pyaes.AESModeOfOperationCFB", "iv"): CHARACTERS,
    ("pyaes.AESModeOfOperationCTR", "counter"): OBJECT,
}
# Messages: a list of buffers, or a tuple of two.
MANY = ("encrypt_many", "decrypt_many")


def kind(call: str, parameter: str) -> str | None:
    if call.endswith(MANY) and parameter in ("data", "associated_data"):
        return OBJECT
    return SPECIAL.get((call, parameter)) or KINDS.get(parameter)


# ---- One valid call of each callable --------------------------------------------------

Call = Callable[[], tuple[Callable[..., Any], dict[str, Any]]]

AEADS: tuple[Any, ...] = tuple(
    found
    for name in rijn.__all__
    if isinstance(found := getattr(rijn, name), type)
    and issubclass(found, rijn.AEAD)
    and found is not rijn.AEAD
)
DATA = noise(32, 1)
SECRETS: set[bytes] = set()
"""The keys and passphrases in these calls. No other argument has a part of one."""


def secret_key(size: int, seed: int = 0) -> bytes:
    """Returns a key that is the same each time."""
    key = noise(size, seed + 7919)
    SECRETS.add(key)
    return key


FOLDER = tempfile.TemporaryDirectory()  # until the process ends
CHUNK = 32


def key_of(cls: Any) -> bytes:
    return secret_key(cls.key_sizes[0], 2)


def nonce_of(cls: Any) -> bytes:
    return noise(12 if 12 in cls.nonce_sizes else cls.nonce_sizes[0], 3)


def options(call: Any, tested: BackendUnderTest, **given: Any) -> dict[str, Any]:
    """Returns the arguments of a constructor: the given ones, and the usual ones that it takes."""
    usual = {"backend": tested.name, "tag_length": 16, "short_tags": False, "strict": False}
    usual |= {"short_nonces": False}
    found = {p.name for p in parameters(call)}
    return given | {name: value for name, value in usual.items() if name in found}


def aead_calls(tested: BackendUnderTest, cls: Any) -> dict[str, Call]:
    name, nonce = cls.__name__, nonce_of(cls)
    aead = tested.make(cls, key_of(cls))
    ad = noise(9, 4)
    sealed = aead.encrypt(nonce, DATA, ad)
    apart, tag = aead.encrypt_detached(nonce, DATA, ad)
    threads = {"threads": 1} if cls is rijn.AESGCM else {}
    message = {"nonce": nonce, "data": DATA, "associated_data": ad} | threads
    secret = message | {"data": sealed}
    many = {"nonces": None, "first_nonce": nonce, "associated_data": ad, "threads": 1}
    calls: dict[str, Call] = {
        name: lambda: (cls, options(cls, tested, key=key_of(cls))),
        f"{name}.generate_key": lambda: (cls.generate_key, {"bit_length": 8 * cls.key_sizes[0]}),
        f"{name}.encrypt": lambda: (aead.encrypt, message),
        f"{name}.decrypt": lambda: (aead.decrypt, secret),
        f"{name}.encrypt_into": lambda: (
            aead.encrypt_into,
            message | {"buf": bytearray(len(sealed))},
        ),
        f"{name}.decrypt_into": lambda: (aead.decrypt_into, secret | {"buf": bytearray(len(DATA))}),
        f"{name}.encrypt_detached": lambda: (aead.encrypt_detached, message),
        f"{name}.decrypt_detached": lambda: (
            aead.decrypt_detached,
            message | {"data": apart, "tag": tag},
        ),
        f"{name}.encrypt_many": lambda: (
            aead.encrypt_many,
            many | {"data": [DATA], "prepend_nonce": True},
        ),
        f"{name}.decrypt_many": lambda: (
            aead.decrypt_many,
            many | {"data": [sealed], "failed": None},
        ),
    }
    if hasattr(cls, "encryptor"):
        start = {"nonce": nonce, "associated_data": ad}
        calls |= {
            f"{name}.encryptor": lambda: (aead.encryptor, start),
            f"{name}.decryptor": lambda: (aead.decryptor, start),
        }
    if hasattr(cls, "seal_chunks"):
        base = noise(cls.chunk_nonce_size, 5)
        run = {"nonce": base, "first": 0, "chunk": CHUNK, "last": False}
        one = bytearray(CHUNK + 16)
        aead.seal_chunks(base, 0, CHUNK, False, DATA, one)
        calls |= {
            f"{name}.seal_chunks": lambda: (
                aead.seal_chunks,
                run | {"data": DATA, "buf": bytearray(CHUNK + 16)},
            ),
            f"{name}.open_chunks": lambda: (
                aead.open_chunks,
                run | {"data": bytes(one), "buf": bytearray(CHUNK)},
            ),
        }
    if hasattr(cls, "unauthenticated_keystream"):
        calls[f"{name}.unauthenticated_keystream"] = lambda: (
            aead.unauthenticated_keystream,
            {"nonce": nonce, "size": 5},
        )
    return calls


def aes_calls(tested: BackendUnderTest) -> dict[str, Call]:
    aes = tested.AES(secret_key(16, 6))
    padded = aes.cbc_encrypt(noise(16, 7), DATA, pkcs7=True)
    calls: dict[str, Call] = {
        "AES": lambda: (rijn.AES, options(rijn.AES, tested, key=secret_key(16))),
        "AES.generate_key": lambda: (rijn.AES.generate_key, {"bit_length": 128}),
    }
    for method in methods(rijn.AES):
        usual = {
            "iv": noise(32 if method.startswith("ige") else 16, 7),
            "counter": noise(16, 7),
            "data": padded if method == "cbc_decrypt" else DATA,
            "pkcs7": True,
            "width": 64,
            "byteorder": "little",
            "threads": 1,
        }
        call = getattr(aes, method)
        taken = {p.name for p in parameters(getattr(rijn.AES, method))}
        arguments = {name: value for name, value in usual.items() if name in taken}
        if arguments:
            calls[f"AES.{method}"] = lambda call=call, arguments=arguments: (call, arguments)
    return calls


def other_calls(tested: BackendUnderTest) -> dict[str, Call]:
    xts = tested.AESXTS(secret_key(32, 8))
    siv = tested.AESSIV(secret_key(32, 9))
    kek = tested.make(KeyWrap, secret_key(16, 10))
    sector = {"tweak": noise(16), "data": DATA, "threads": 1}
    strings = [b"a", b"bc"]
    hidden = siv.encrypt(DATA, strings)
    clear = {"data": DATA, "associated_data": strings}
    secret = {"data": hidden, "associated_data": strings}
    many = {"nonces": None, "first_nonce": noise(16), "associated_data": b"ad", "threads": 1}
    backend = {"backend": tested.name}
    box = rijn.Sealer(tested.AESGCM(secret_key(16)))
    sealed = box.seal(DATA, b"ad")
    calls: dict[str, Call] = {
        "AESXTS": lambda: (rijn.AESXTS, {"key": secret_key(32, 8), **backend}),
        "AESXTS.generate_key": lambda: (rijn.AESXTS.generate_key, {"bit_length": 256}),
        "AESXTS.encrypt": lambda: (xts.encrypt, sector),
        "AESXTS.decrypt": lambda: (xts.decrypt, sector),
        "AESSIV": lambda: (rijn.AESSIV, {"key": secret_key(32, 9), **backend}),
        "AESSIV.generate_key": lambda: (rijn.AESSIV.generate_key, {"bit_length": 256}),
        "AESSIV.encrypt": lambda: (siv.encrypt, clear),
        "AESSIV.decrypt": lambda: (siv.decrypt, secret),
        "AESSIV.encrypt_into": lambda: (siv.encrypt_into, clear | {"buf": bytearray(48)}),
        "AESSIV.decrypt_into": lambda: (siv.decrypt_into, secret | {"buf": bytearray(32)}),
        "AESSIV.encrypt_detached": lambda: (siv.encrypt_detached, clear),
        "AESSIV.decrypt_detached": lambda: (
            siv.decrypt_detached,
            clear | {"data": hidden[16:], "tag": hidden[:16]},
        ),
        "AESSIV.encrypt_many": lambda: (
            siv.encrypt_many,
            many | {"data": [DATA], "prepend_nonce": True},
        ),
        "AESSIV.decrypt_many": lambda: (
            siv.decrypt_many,
            many | {"data": [siv.encrypt(DATA, [b"ad", noise(16)])], "failed": None},
        ),
        "KeyWrap": lambda: (KeyWrap, {"key": secret_key(16), **backend}),
        "KeyWrap.generate_key": lambda: (KeyWrap.generate_key, {"bit_length": 128}),
        "CMAC": lambda: (rijn.CMAC, {"key": secret_key(16), **backend}),
        "CMAC.generate_key": lambda: (rijn.CMAC.generate_key, {"bit_length": 128}),
        "CMAC.update": lambda: (tested.CMAC(secret_key(16)).update, {"data": DATA}),
        "CMAC.verify": lambda: (
            (mac := tested.CMAC(secret_key(16))).verify,
            {"tag": mac.copy().finalize()},
        ),
        "AEGISMAC": lambda: (
            rijn.AEGISMAC,
            options(
                rijn.AEGISMAC, tested, key=secret_key(16), nonce=noise(16), algorithm="AEGIS-128L"
            ),
        ),
        "AEGISMAC.generate_key": lambda: (rijn.AEGISMAC.generate_key, {"bit_length": 128}),
        "AEGISMAC.update": lambda: (
            tested.make(rijn.AEGISMAC, secret_key(16), noise(16)).update,
            {"data": DATA},
        ),
        "AEGISMAC.verify": lambda: (
            (mac := tested.make(rijn.AEGISMAC, secret_key(16), noise(16))).verify,
            {"tag": mac.copy().finalize()},
        ),
        "Sealer": lambda: (rijn.Sealer, {"aead": tested.AESGCM(secret_key(16)), "messages": 5}),
        "Sealer.seal": lambda: (box.seal, {"data": DATA, "associated_data": b"ad"}),
        "Sealer.open": lambda: (box.open, {"sealed": sealed, "associated_data": b"ad"}),
        "use_backend": lambda: (rijn.use_backend, {"name": None}),
    }
    for wrap, unwrap in (("wrap", "unwrap"), ("wrap_padded", "unwrap_padded")):
        wrapped = getattr(kek, wrap)(DATA)
        calls[f"KeyWrap.{wrap}"] = lambda wrap=wrap: (getattr(kek, wrap), {"data": DATA})
        calls[f"KeyWrap.{unwrap}"] = lambda unwrap=unwrap, wrapped=wrapped: (
            getattr(kek, unwrap),
            {"data": wrapped},
        )
    for suffix in ("", "_with_padding"):
        wrap_key = getattr(rijn, f"aes_key_wrap{suffix}")
        unwrap_key = getattr(rijn, f"aes_key_unwrap{suffix}")
        wrapped = wrap_key(secret_key(16), DATA)
        calls[f"aes_key_wrap{suffix}"] = lambda wrap_key=wrap_key: (
            wrap_key,
            {"wrapping_key": secret_key(16), "key_to_wrap": secret_key(32, 13), **backend},
        )
        calls[f"aes_key_unwrap{suffix}"] = lambda unwrap_key=unwrap_key, wrapped=wrapped: (
            unwrap_key,
            {"wrapping_key": secret_key(16), "wrapped_key": wrapped, **backend},
        )
    return calls


def piece_calls(tested: BackendUnderTest) -> dict[str, Call]:
    def state() -> Any:
        return tested.AES(secret_key(16)).ctr_encryptor(noise(16))

    def opener() -> Any:
        return tested.AESGCM(secret_key(16)).decryptor(noise(12))

    aead = tested.AESGCM(secret_key(16))
    return {
        "Incremental.update": lambda: (state().update, {"data": DATA}),
        "Incremental.update_into": lambda: (
            state().update_into,
            {"data": DATA, "buf": bytearray(32)},
        ),
        "AEADDecryptor.update": lambda: (opener().update, {"data": DATA}),
        "AEADDecryptor.update_unverified": lambda: (opener().update_unverified, {"data": DATA}),
        "Stream.crypt": lambda: (aead._stream(noise(12), None, False).crypt, {"data": DATA}),
        "Stream.crypt_into": lambda: (
            aead._stream(noise(12), None, False).crypt_into,
            {"data": DATA, "buf": bytearray(len(DATA))},
        ),
        "Stream.verify": lambda: (
            aead._stream(noise(12), None, True).verify,
            {"tag": aead.encrypt(noise(12), b"")},
        ),
    }


def chunked_calls(tested: BackendUnderTest) -> dict[str, Call]:
    key = secret_key(16, 11)
    common = {"aead": "aes-128-gcm", "context": b"context", "backend": tested.name}
    sealed = chunked.encrypt(key, DATA, **common)
    prefix = sealed[: chunked.PREFIX]
    record = chunked.AEADS["AEAD_AES_128_GCM"]

    def message() -> Any:
        return chunked.Message.of(prefix, key, **common)

    def reader() -> Any:
        return chunked.Reader(io.BytesIO(sealed), key, **common)

    run = {"first": 0, "last": True}
    return {
        "encrypt": lambda: (chunked.encrypt, {"key": key, "data": DATA, **common}),
        "decrypt": lambda: (chunked.decrypt, {"key": key, "data": sealed, **common}),
        "Encryptor": lambda: (chunked.Encryptor, {"key": key, **common}),
        "Encryptor.update": lambda: (chunked.Encryptor(key, **common).update, {"data": DATA}),
        "Decryptor": lambda: (chunked.Decryptor, {"key": key, **common}),
        "Decryptor.update": lambda: (chunked.Decryptor(key, **common).update, {"data": sealed}),
        "Message": lambda: (
            chunked.Message,
            {"key": key, "salt": noise(24), "start": 7, **common},
        ),
        "Message.new": lambda: (chunked.Message.new, {"key": key, **common}),
        "Message.of": lambda: (
            chunked.Message.of,
            {"prefix": prefix, "key": key, "start": 7, **common},
        ),
        "Message.offset": lambda: (message().offset, {"chunk": 2}),
        "Message.plain_size": lambda: (message().plain_size, {"sealed": len(sealed)}),
        "Message.seal": lambda: (message().seal, run | {"data": DATA, "buf": bytearray(48)}),
        "Message.open": lambda: (
            message().open,
            run | {"data": sealed[chunked.PREFIX :], "buf": bytearray(32)},
        ),
        "Reader": lambda: (chunked.Reader, {"source": io.BytesIO(sealed), "key": key, **common}),
        "Reader.seek": lambda: (reader().seek, {"offset": 3, "whence": 0}),
        "Reader.read": lambda: (reader().read, {"size": 5}),
        "Reader.read1": lambda: (reader().read1, {"size": 5}),
        "Reader.readline": lambda: (reader().readline, {"size": 5}),
        "Reader.peek": lambda: (reader().peek, {"size": 5}),
        "Reader.readinto": lambda: (reader().readinto, {"buffer": bytearray(8)}),
        "named_aead": lambda: (chunked.named_aead, {"name": "aes-128-gcm"}),
        "find_aead": lambda: (chunked.find_aead, {"name": "aes-128-gcm", "key_size": 16}),
        "sealed_size": lambda: (chunked.sealed_size, {"size": 100, "aead": record}),
        "plain_size": lambda: (
            chunked.plain_size,
            {"sealed": len(sealed), "aead": record, "start": 3},
        ),
    }


def rijn_file(key: bytes) -> bytes:
    """Returns the bytes of an encrypted file."""
    context = files.Header("AEAD_AES_128_GCM").encode()
    return context + chunked.encrypt(key, DATA, context=context)


def whole_file_calls(tested: BackendUnderTest) -> dict[str, Call]:
    key = secret_key(16, 12)
    plain, sealed, result = (os.path.join(FOLDER.name, name) for name in ("p", "s", "r"))
    for name, data in {plain: DATA, sealed: rijn_file(key)}.items():
        with open(name, "wb") as file:
            file.write(data)
    usual = {"key": key, "passphrase": None, "backend": tested.name}
    whole = {"dst": result, "overwrite": True, "jobs": 1, **usual}
    text = {"encoding": None, "errors": None, "newline": None}
    return {
        "encrypt_file": lambda: (
            files.encrypt_file,
            {"src": plain, "aead": "aes-128-gcm", **whole},
        ),
        "decrypt_file": lambda: (files.decrypt_file, {"src": sealed, **whole}),
        "open": lambda: (
            files.open,
            {"file": io.BytesIO(), "mode": "wb", "aead": "aes-128-gcm", **text, **usual},
        ),
    }


def file_calls() -> dict[str, Call]:
    header = files.Header("AEAD_AES_128_GCM")
    cost = files.Argon2id(noise(16), 64, 1, 1)
    return {
        "check_passphrase": lambda: (
            files.check_passphrase,
            {"data": secret_key(20).hex().encode()},
        ),
        "format_key": lambda: (files.format_key, {"key": secret_key(16)}),
        "parse_key": lambda: (files.parse_key, {"text": files.format_key(secret_key(16))}),
        "Argon2id": lambda: (
            files.Argon2id,
            {"salt": noise(16), "memory": 64, "passes": 1, "lanes": 1},
        ),
        "Argon2id.parse": lambda: (files.Argon2id.parse, {"phc": cost.phc}),
        "Argon2id.derive": lambda: (cost.derive, {"passphrase": secret_key(20).hex(), "size": 16}),
        "Header": lambda: (files.Header, {"aead": "AEAD_AES_128_GCM", "passphrase": cost}),
        "Header.parse": lambda: (files.Header.parse, {"data": header.encode()}),
        "Header.read": lambda: (files.Header.read, {"source": io.BytesIO(header.encode())}),
    }


def column_calls(tested: BackendUnderTest) -> dict[str, Call]:
    keyset = columns.Keyset.generate("siv")
    other = columns.Keyset.generate("siv")
    SECRETS.update(key.secret for it in (keyset, other) for key in it._keys)
    file, new = (Path(FOLDER.name, os.urandom(8).hex()) for _ in range(2))
    keyset.write(file)
    column = columns.Column(keyset, "siv", context=b"context", backend=tested.name)
    clear = {"array": array_of("z", [DATA]), "aad": b"ad"}
    secret = clear | {"array": column.seal(**clear)}
    options = {"context": b"context", "pad": 16, "threads": 1, "backend": tested.name}
    os.environ["RIJN_TEST_KEYSET"] = keyset.json()
    usual = {"keys": keyset._keys, "asleep": (), "origin": None}
    name = {"name": "RIJN_TEST_KEYSET"}
    return {
        "Column": lambda: (columns.Column, {"keyset": keyset, "format": "siv", **options}),
        "Column.seal": lambda: (column.seal, clear),
        "Column.open": lambda: (column.open, secret | {"type": "binary", "errors": "null"}),
        "Column.rotate": lambda: (column.rotate, secret),
        "Keyset": lambda: (columns.Keyset, usual),
        "Keyset.from_file": lambda: (
            columns.Keyset.from_file,
            {"path": file, "older": ()},
        ),
        "Keyset.from_environment": lambda: (columns.Keyset.from_environment, name),
        "Keyset.from_callable": lambda: (columns.Keyset.from_callable, {"function": keyset.json}),
        "Keyset.generate": lambda: (columns.Keyset.generate, {"format": "tink"}),
        "Keyset.renewed": lambda: (keyset.renewed, {"format": "tink"}),
        "Keyset.with_older": lambda: (
            keyset.with_older,
            {"older": (other,)},
        ),
        "Keyset.write": lambda: (
            keyset.write,
            {"path": new.with_suffix(f".{os.urandom(8).hex()}")},
        ),
    }


def pyaes_calls(tested: BackendUnderTest) -> dict[str, Call]:
    key, iv, backend = secret_key(16), noise(16), {"backend": tested.name}
    block = noise(16, 12)
    calls: dict[str, Call] = {
        "pyaes.AES": lambda: (pyaes.AES, {"key": key, **backend}),
        "pyaes.AES.encrypt": lambda: (pyaes.AES(key, **backend).encrypt, {"plaintext": block}),
        "pyaes.AES.decrypt": lambda: (pyaes.AES(key, **backend).decrypt, {"ciphertext": block}),
        "pyaes.Counter": lambda: (pyaes.Counter, {"initial_value": 5}),
    }
    for mode, given in {
        "ECB": {},
        "CBC": {"iv": iv},
        "OFB": {"iv": iv},
        "CFB": {"iv": iv, "segment_size": 8},
        "CTR": {"counter": pyaes.Counter(5)},
    }.items():
        cls = getattr(pyaes, f"AESModeOfOperation{mode}")
        arguments = {"key": key, **given, **backend}
        name = f"pyaes.{cls.__name__}"
        calls[name] = lambda cls=cls, arguments=arguments: (cls, arguments)
        for method in ("encrypt", "decrypt"):
            (parameter,) = parameters(getattr(cls, method))
            calls[f"{name}.{method}"] = (
                lambda cls=cls, arguments=arguments, method=method, parameter=parameter: (
                    getattr(cls(**arguments), method),
                    {parameter.name: block},
                )
            )

    def mode_() -> Any:
        return pyaes.AESModeOfOperationCTR(key, pyaes.Counter(5), **backend)

    for cls in (pyaes.Encrypter, pyaes.Decrypter):
        feeder = {"padding": "default"}
        calls[f"pyaes.{cls.__name__}"] = lambda cls=cls, feeder=feeder: (
            cls,
            {"mode": mode_(), **feeder},
        )
        calls[f"pyaes.{cls.__name__}.feed"] = lambda cls=cls: (cls(mode_()).feed, {"data": DATA})
    for stream in (pyaes.encrypt_stream, pyaes.decrypt_stream):
        calls[f"pyaes.{stream.__name__}"] = lambda stream=stream: (
            stream,
            {
                "mode": mode_(),
                "in_stream": io.BytesIO(DATA),
                "out_stream": io.BytesIO(),
                "block_size": 16,
                "padding": "default",
            },
        )
    return calls | {
        "pyaes.append_PKCS7_padding": lambda: (util.append_PKCS7_padding, {"data": DATA}),
        "pyaes.strip_PKCS7_padding": lambda: (
            util.strip_PKCS7_padding,
            {"data": util.append_PKCS7_padding(DATA)},
        ),
        "pyaes.to_bufferable": lambda: (util.to_bufferable, {"binary": DATA}),
        "pyaes.octets": lambda: (util.octets, {"data": DATA}),
    }


def tgcrypto_calls(tested: BackendUnderTest) -> dict[str, Call]:
    calls: dict[str, Call] = {}
    for name in tgcrypto.__all__:
        common = {"data": DATA, "key": secret_key(32), "backend": tested.name}
        call = getattr(tgcrypto, name)
        if name.startswith("ctr"):
            calls[name] = lambda call=call, common=common: (
                call,
                common | {"iv": bytearray(16), "state": bytearray(1)},
            )
        else:
            iv = noise(32 if name.startswith("ige") else 16)
            calls[name] = lambda call=call, common=common, iv=iv: (call, common | {"iv": iv})
    return calls


def calls(tested: BackendUnderTest) -> dict[str, Call]:
    """Returns a valid call of every public callable that takes arguments, on one backend."""
    found: dict[str, Call] = {}
    for cls in AEADS:
        found |= aead_calls(tested, cls)
    return (
        found
        | aes_calls(tested)
        | other_calls(tested)
        | piece_calls(tested)
        | chunked_calls(tested)
        | file_calls()
        | whole_file_calls(tested)
        | column_calls(tested)
        | pyaes_calls(tested)
        | tgcrypto_calls(tested)
    )


SIGNATURES: dict[tuple[type, str, str], inspect.Signature] = {}  # compiled methods: parsed text


def signature(call: Callable[..., Any]) -> inspect.Signature:
    text = getattr(call, "__text_signature__", None)
    if text is None:
        return inspect.signature(call)
    place = type(call), call.__qualname__, text
    if place not in SIGNATURES:
        SIGNATURES[place] = inspect.signature(call)
    return SIGNATURES[place]


def perform(call: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Calls with the arguments, by name where possible."""
    found = signature(call).parameters
    places = [
        place
        for p in found.values()
        if p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL) and p.name != "self"
        for place in (arguments[p.name] if p.kind is p.VAR_POSITIONAL else [arguments[p.name]])
    ]
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    rest = {
        name: value
        for name, value in arguments.items()
        if name not in found or found[name].kind not in by_place
    }
    return call(*places, **rest)


# ---- An object of each class ----------------------------------------------------------


def objects(tested: BackendUnderTest) -> dict[str, Any]:
    """Returns one object of every public class that holds a key or a place in a message, by name."""
    key, iv = secret_key(16), noise(16)
    aes = tested.AES(key)
    gcm = tested.AESGCM(key)
    made: dict[str, Any] = {cls.__name__: tested.make(cls, key_of(cls)) for cls in AEADS}
    made |= {
        "AES": aes,
        "AESXTS": tested.AESXTS(secret_key(32, 8)),
        "AESSIV": tested.AESSIV(secret_key(32)),
        "KeyWrap": tested.make(KeyWrap, key),
        "CMAC": tested.CMAC(key),
        "AEGISMAC": tested.make(rijn.AEGISMAC, key, iv),
        "Sealer": rijn.Sealer(gcm),
        "Keyset": columns.Keyset.generate("xaes"),
        "Column": columns.Column(columns.Keyset.generate("xaes"), context="c", backend=tested.name),
        "Stream": gcm._stream(iv, None, False),
        "Message": chunked.Message.new(key, backend=tested.name),
        "Encryptor": chunked.Encryptor(key, backend=tested.name),
        "Decryptor": chunked.Decryptor(key, backend=tested.name),
        "Reader": chunked.Reader(io.BytesIO(chunked.encrypt(key, DATA)), key, backend=tested.name),
        "FileReader": files.open(io.BytesIO(rijn_file(key)), key=key, backend=tested.name),
        "FileWriter": files.open(io.BytesIO(), "wb", key=key, backend=tested.name),
        "AEADEncryptor": gcm.encryptor(iv),
        "AEADDecryptor": gcm.decryptor(iv),
    }
    for method in methods(rijn.AES):
        if method.endswith("or"):
            size = 32 if method.startswith("ige") else 16
            start = getattr(aes, method)
            state = start() if method.startswith("ecb") else start(noise(size))
            made[type(state).__name__] = state
    ctr = pyaes.AESModeOfOperationCTR(key, pyaes.Counter(5), backend=tested.name)
    made |= {
        "pyaes.AES": pyaes.AES(key, backend=tested.name),
        "pyaes.AESModeOfOperationECB": pyaes.AESModeOfOperationECB(key, backend=tested.name),
        "pyaes.AESModeOfOperationCBC": pyaes.AESModeOfOperationCBC(key, iv, backend=tested.name),
        "pyaes.AESModeOfOperationCFB": pyaes.AESModeOfOperationCFB(key, iv, backend=tested.name),
        "pyaes.AESModeOfOperationOFB": pyaes.AESModeOfOperationOFB(key, iv, backend=tested.name),
        "pyaes.AESModeOfOperationCTR": ctr,
        "pyaes.Encrypter": pyaes.Encrypter(ctr),
        "pyaes.Decrypter": pyaes.Decrypter(ctr),
        "pyaes.BlockFeeder": blockfeeder.BlockFeeder(ctr, ctr.encrypt, ctr._final_encrypt),
    }
    return made


def values() -> dict[str, Any]:
    """Returns one object of every public record class, which may be copied and pickled."""
    return {
        "Aead": chunked.AEADS["AEAD_AES_128_GCM"],
        "Argon2id": files.Argon2id(noise(16)),
        "Header": files.Header("AEAD_AES_128_GCM", files.Argon2id(noise(16))),
        "Backend": rijn.backends()[0],
        "AEGISKernel": rijn.AEGISKernel("k", "b", True, "", "a kernel"),
        "Result": rijn.selftest.Result("python", "AES-128-ECB", True, "FIPS 197"),
    }


def exceptions() -> dict[str, Exception]:
    return {
        "InvalidTag": rijn.InvalidTag("altered", chunk=7),
        "BackendError": rijn.BackendError("there is none"),
        "WrongKey": chunked.WrongKey("another key"),
        "Damaged": chunked.Damaged("chunk 3", 3, 4711),
        "Truncated": chunked.Truncated("it stops", 4711),
        **{
            cls.__name__: cls("a text")
            for cls in (
                files.NotRijn,
                files.BadHeader,
                files.Unsupported,
                files.KeyFileError,
                files.KeyExposed,
                files.RawKey,
                files.HexKey,
                columns.KeysetError,
            )
        },
    }


# Objects exist only of the subclasses of these; Counter is pyaes's own.
BASES = {
    "Many",
    *("AEAD", "ShortTagAEAD", "ShortNonceAEAD", "OnlineAEAD", "ChunkAEAD", "AEGIS", "MAC"),
    "Incremental",
    *("OneAtATime", "OneShot"),
    *("ChunkCipher", "pyaes.CounterLike", "pyaes.AESBlockModeOfOperation"),
    *("pyaes.AESStreamModeOfOperation", "pyaes.AESSegmentModeOfOperation", "pyaes.Counter"),
}


def classes() -> set[str]:
    return {qualified(name, thing) for name, thing in names() if inspect.isclass(thing)}
