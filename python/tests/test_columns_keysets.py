"""Keysets: the parts of Tink's JSON and of Rijn's key files that are read or refused. No key appears
in any message or pickle."""

from __future__ import annotations

import base64
import copy
import functools
import json
import os
import pickle
import re
import stat
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from backends import noise

from rijn import files
from rijn.columns import Column, Keyset, KeysetError, formats
from rijn.columns.keysets import keys_for
from rijn.files import format_key, read_key
from rijn.files.format import UNSHOWN, may_be_key, shown_name

SECRET = noise(32, 9)
SHARED = Path(__file__).parents[2] / "vectors" / "keysets.json"
TINK = "type.googleapis.com/google.crypto.tink."


HIDDEN = base64.b64encode(b"\x1a\x20" + SECRET).decode()[4:24]  # the key inside a keyset


def entry(id: int = 7, **changes: Any) -> dict[str, Any]:
    material = {
        "typeUrl": TINK + "AesGcmKey",
        "value": base64.b64encode(b"\x1a\x20" + SECRET).decode(),
        "keyMaterialType": "SYMMETRIC",
    }
    found = {"keyData": material, "status": "ENABLED", "keyId": id, "outputPrefixType": "TINK"}
    for name, value in changes.items():
        (material if name in material else found)[name] = value
    return found


def keyset_of(*entries: Any, primary: Any = 7) -> Keyset:
    text = json.dumps({"primaryKeyId": primary, "key": list(entries)})
    return Keyset.from_callable(lambda: text)


def value(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize("format", formats.FORMATS)
def test_a_written_keyset_is_read(tmp_path: Path, format: str) -> None:
    keyset = Keyset.generate(format).renewed(format)
    path = tmp_path / "keys.json"
    keyset.write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        keyset.write(path)
    again = Keyset.from_file(path)
    assert again.ids == keyset.ids
    for ours, theirs in zip(keyset._keys, again._keys, strict=True):
        assert (ours.id, ours.algorithm, ours.raw) == (theirs.id, theirs.algorithm, theirs.raw)
        assert ours.secret == theirs.secret
        assert len(ours.secret) in formats.FORMATS[format].algorithms[0].cls.key_sizes
    assert len({key.secret for key in keyset._keys}) == 2


@pytest.mark.parametrize("text", ['{"' + '\\"' * 400_000, '{"' + '\\"' * 400_000 + "\\"])
def test_a_long_string_without_an_end(text: str) -> None:
    """It is scanned once. A scan from each of its quotes would take hours."""
    with pytest.raises(KeysetError, match="it is not JSON"):
        Keyset.from_callable(lambda: text)


def test_several_keysets_as_one(tmp_path: Path) -> None:
    """Like from_file with several files. A keyset that does not come from a file is not pickled."""
    paths = [tmp_path / "one", tmp_path / "two"]
    for path in paths:
        Keyset.generate().renewed().write(path)
    one, two = (Keyset.from_file(path) for path in paths)
    both = one.with_older(two)
    assert both.ids == (*one.ids, *two.ids) == Keyset.from_file(*paths).ids
    assert repr(both) == repr(Keyset.from_file(*paths))
    assert pickle.loads(pickle.dumps(both)).ids == both.ids
    assert one.with_older().ids == one.ids
    mixed = one.with_older(Keyset.generate())
    assert "made here" in repr(mixed)
    with pytest.raises(TypeError):
        pickle.dumps(mixed)
    with pytest.raises(TypeError, match="older must be Keysets, not PosixPath"):
        one.with_older(two, paths[0])  # type: ignore[arg-type]


def test_a_key_of_several_counts_once(tmp_path: Path) -> None:
    """A keyset and a renewed copy have keys in common."""
    paths = [tmp_path / "old", tmp_path / "renewed"]
    old = keyset_of(entry(7), entry(2, status="DISABLED"))
    old.write(paths[0])
    renewed = old.renewed("tink")
    renewed.write(paths[1])
    for keyset, ids in (
        (old.with_older(renewed), (7, renewed.ids[0])),
        (renewed.with_older(old, renewed), renewed.ids),
        (Keyset.from_file(*paths), (7, renewed.ids[0])),
        (pickle.loads(pickle.dumps(Keyset.from_file(*paths))), (7, renewed.ids[0])),
    ):
        assert keyset.ids == ids
        assert [it["keyId"] for it in json.loads(keyset.json())["key"]] == [*ids, 2]
    path = tmp_path / "a.key"
    path.write_text(files.format_key(SECRET))
    path.chmod(0o600)
    assert Keyset.from_file(path, path).ids == (0,)


@pytest.mark.parametrize("status", ["DISABLED", "DESTROYED"])
def test_a_key_that_one_keyset_enables_is_used(status: str) -> None:
    """The written keyset can be read again, also as the primary key."""
    using, resting = keyset_of(entry(7)), keyset_of(entry(8), entry(7, status=status), primary=8)
    for keyset, ids in ((using.with_older(resting), (7, 8)), (resting.with_older(using), (8, 7))):
        assert keyset.ids == ids
        assert Keyset.from_callable(keyset.json).ids == ids
        assert [it["status"] for it in json.loads(keyset.json())["key"]] == ["ENABLED"] * 2
    other = entry(7, value=value(b"\x1a\x20" + SECRET[:-1] + b"x"), status=status)
    if status == "DISABLED":
        with pytest.raises(KeysetError, match="two of its keys have the same id") as caught:
            using.with_older(keyset_of(entry(8), other, primary=8))
        nothing_of_the_key(caught.value)
    both = keyset_of(entry(8), entry(7), other, primary=8)  # one keyset alone may contain both
    assert both.with_older(using).ids == (8, 7)


@pytest.mark.parametrize(
    "other",
    [
        entry(value=value(b"\x1a\x20" + SECRET[:-1] + b"x")),
        entry(value=value(b"\x1a\x10" + SECRET[:16])),
        entry(outputPrefixType="RAW"),
        entry(typeUrl=formats.FORMATS["gcm-siv"].algorithms[0].type_url),
    ],
)
def test_two_keys_of_one_id_are_refused(other: Any) -> None:
    with pytest.raises(KeysetError, match="two of its keys have the same id") as caught:
        keyset_of(entry(8), primary=8).with_older(keyset_of(entry(7)), keyset_of(other))
    nothing_of_the_key(caught.value)


def test_the_primary_key_comes_first() -> None:
    keyset = keyset_of(entry(1), entry(2), entry(3, outputPrefixType="RAW"), primary=2)
    assert keyset.ids == (2, 1, 3)
    assert [key.raw for key in keyset._keys] == [False, False, True]
    assert all(key.secret == SECRET for key in keyset._keys)
    assert "2 " not in repr(keyset) or "primary 2" in repr(keyset)


def test_keys_that_are_not_used() -> None:
    destroyed = {"status": "DESTROYED", "keyId": 3, "outputPrefixType": "TINK"}
    keyset = keyset_of(entry(7), entry(2, status="DISABLED"), destroyed)
    assert keyset.ids == (7,)
    # they stay in the written keyset
    assert json.loads(keyset.json())["key"][1:] == [entry(2, status="DISABLED"), destroyed]
    assert {2, 3} & set(keyset.renewed("tink").ids) == set()
    for status in ("DISABLED", "DESTROYED"):
        with pytest.raises(KeysetError, match=f"its primary key 7 is {status.lower()}"):
            keyset_of(entry(7, status=status), entry(2))


XAES = {"typeUrl": TINK + "XAesGcmKey"}


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ([], "0 of its keys are the primary one"),
        ([entry(8)], "0 of its keys are the primary one"),
        ([entry(7), entry(7)], "2 of its keys are the primary one"),
        ([entry(7), entry(8), entry(8)], "two of its keys have the same id"),
        ([5], "no list 'key' of keys"),
        ([entry(0)], "no 'keyId' from 1 to 2\\^32 - 1"),
        ([entry(2**32)], "no 'keyId'"),
        ([{**entry(), "keyId": "7"}], "no 'keyId'"),
        ([{**entry(), "keyId": True}], "no 'keyId'"),
        ([entry(status="UNKNOWN_STATUS")], "key 7 has no 'status' that is known"),
        ([{k: v for k, v in entry().items() if k != "status"}], "no 'status'"),
        ([entry(outputPrefixType="CRUNCHY")], "neither of the output prefixes TINK and RAW"),
        ([entry(outputPrefixType="LEGACY")], "neither of the output prefixes"),
        ([{**entry(), "keyData": None}], "no 'keyData' that is symmetric"),
        ([entry(keyMaterialType="ASYMMETRIC_PRIVATE")], "no 'keyData' that is symmetric"),
        ([entry(typeUrl=TINK + "AesEaxKey")], "of none of the types AesGcmKey, XAesGcmKey"),
        ([entry(value=5)], "of none of the types"),
        ([entry(value="not base64!")], "no AES-GCM key of version 0"),
        ([entry(value=value(b""))], "no AES-GCM key of version 0"),
        ([entry(value=value(b"\x1a\x21" + SECRET))], "no AES-GCM key of version 0"),
        ([entry(value=value(b"\x1a\x20" + SECRET[:-1]))], "no AES-GCM key of version 0"),
        ([entry(value=value(b"\x1a\x20" + SECRET + b"\x08"))], "no AES-GCM key of version 0"),
        ([entry(value=value(b"\x08\x01\x1a\x20" + SECRET))], "no AES-GCM key of version 0"),
        ([entry(value=value(b"\x1b\x20" + SECRET))], "no AES-GCM key of version 0"),
        ([entry(value=value(b"\x18\x05"))], "no AES-GCM key of version 0"),
        (
            [entry(value=value(b"\x1a\x1f" + SECRET[1:]))],
            "key 7 must be 16, 24 or 32 bytes, not 31",
        ),
        ([entry(**XAES)], "key 7 is for nonces of another size than 24 bytes"),
        ([entry(**XAES, value=value(b"\x12\x02\x08\x08\x1a\x20" + SECRET))], "of another size"),
    ],
)
def test_refusals(entries: list[Any], text: str) -> None:
    with pytest.raises(KeysetError, match=text) as caught:
        keyset_of(*entries)
    nothing_of_the_key(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '{"key": {}}',
        '{"primaryKeyId": 7, "key": [' + json.dumps(entry())[:-3],
        "{" * 100_000,
        "[" + json.dumps(entry()) + "]",
        b"{\xff" + SECRET.hex().encode(),
        "rijn-key-v1 " + SECRET.hex() + "00",
        "rijn-key-v1 " + SECRET.hex()[:-1] + "x",
        "rijn-key-v1 " + SECRET.hex() + "\nrijn-key-v1 " + SECRET.hex(),
        SECRET.hex(),
        "",
    ],
)
def test_texts_that_are_not_keysets(text: str | bytes) -> None:
    with pytest.raises((KeysetError, files.KeyFileError)) as caught:
        Keyset.from_callable(lambda: text)
    nothing_of_the_key(caught.value)


def nothing_of_the_key(error: BaseException) -> None:
    """Checks that no exception of the chain shows the key. They hold the texts that were wrong."""
    pieces = [SECRET.hex()[:16], value(b"\x1a\x20" + SECRET)[8:24]]
    seen: BaseException | None = error
    while seen is not None:
        told = f"{seen} {seen!r} {seen.args} {vars(seen)}"
        told += "".join(repr(getattr(seen, name, "")) for name in ("doc", "object"))
        for piece in pieces:
            assert piece not in told
        seen = seen.__context__
    for piece in pieces:
        assert piece not in "".join(traceback.format_exception(error))


def test_the_shared_keysets_of_all_parsers(tmp_path: Path) -> None:
    """The DuckDB extension and the jar test the same texts."""
    path = tmp_path / "keys.json"
    path.touch(0o600)
    verdicts = [0, 0]
    for case in json.loads(SHARED.read_text("utf-8"))["keysets"]:
        pieces = [it if isinstance(it, str) else it[0] * it[1] for it in case.get("text", ())]
        path.write_bytes(bytes.fromhex(case.get("hex", "")) + "".join(pieces).encode())
        keys = None
        try:
            keys = [
                [key.id, key.algorithm and key.algorithm.name, key.raw, key.secret.hex()]
                for key in Keyset.from_file(path)._keys
            ]
        except (KeysetError, files.KeyFileError) as error:
            assert not re.search("[0-9A-Za-z+/=]{24,}", str(error)), case["name"]
        assert keys == case.get("keys"), case["name"]
        verdicts[keys is None] += 1
        if len(path.read_bytes()) > 1 << 20:
            with pytest.raises(KeysetError, match="longer than 1,048,576 bytes"):
                Keyset.from_callable(path.read_bytes)
    assert verdicts[0] > 40
    assert verdicts[1] > 140


def test_rijn_key_files(tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.key" for n in range(2)]
    for n, path in enumerate(paths):
        path.write_text(files.format_key(noise(32, n)))
        path.chmod(0o600)
    keyset = Keyset.from_file(*paths)
    assert [key.secret for key in keyset._keys] == [noise(32, 0), noise(32, 1)]
    assert keyset.ids == (0, 0)
    for name, format in formats.FORMATS.items():
        fits = name in ("xaes", "gcm-siv", "aegis-256", "siv", "spark")
        if fits:
            assert len(keys_for(keyset, format)) == 2
            continue
        with pytest.raises(KeysetError, match=f"format {name} needs a key"):
            keys_for(keyset, format)
    with pytest.raises(KeysetError, match="names no algorithm"):
        keyset.json()
    paths[0].chmod(0o644)
    with pytest.raises(files.KeyExposed):
        Keyset.from_file(paths[0])
    with pytest.raises(FileNotFoundError):
        Keyset.from_file(tmp_path / "none")
    paths[1].write_bytes(b"{" + bytes(2 << 20))
    with pytest.raises(files.KeyFileError, match="longer than"):
        Keyset.from_file(paths[1])


def test_a_key_is_for_its_algorithm_alone() -> None:
    keyset = Keyset.generate("gcm-siv")
    for name, format in formats.FORMATS.items():
        if name == "gcm-siv":
            assert keys_for(keyset, format) == keyset._keys
        else:
            with pytest.raises(
                KeysetError, match=f"is for AES-GCM-SIV; format {name} has keys for"
            ):
                keys_for(keyset, format)
    mixed = keyset.renewed("siv")
    with pytest.raises(KeysetError, match="is for AES-GCM-SIV"):
        keys_for(mixed, formats.FORMATS["siv"])


def function() -> bytes:
    return json.dumps({"primaryKeyId": 7, "key": [entry()]}).encode()


def test_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "keys.json"
    path.write_bytes(function())
    path.chmod(0o600)
    monkeypatch.setenv("A_KEYSET", function().decode())
    for keyset, origin in (
        (Keyset.from_file(path), f"from file {path}"),
        (Keyset.from_environment("A_KEYSET"), "from environment A_KEYSET"),
        (Keyset.from_callable(function), "from callable function"),
    ):
        assert origin in repr(keyset)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            data = pickle.dumps(keyset, protocol)
            assert SECRET not in data
            assert HIDDEN.encode() not in data
            assert pickle.loads(data)._keys[0].secret == SECRET
        assert copy.copy(keyset).ids == (7,)
        text = repr(keyset) + str(keyset) + repr(keyset._keys) + str(keyset._keys[0])
        assert SECRET.hex() not in text
        assert repr(SECRET)[2:-1] not in text
        made_here = keyset.renewed("tink")
        for what in (made_here, made_here._keys[0], keyset._keys[0]):
            with pytest.raises(TypeError, match="is not copied or pickled: it holds a key"):
                pickle.dumps(what)
    with pytest.raises(KeyError, match="no environment variable NONE_SUCH"):
        Keyset.from_environment("NONE_SUCH")
    with pytest.raises(TypeError, match="must be str or bytes, not list"):
        Keyset.from_callable(list)  # type: ignore[arg-type]
    # another process reads the file again
    data = pickle.dumps(Keyset.from_file(path))
    path.unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(data)


class Vault:
    """Has methods that serve as the function of a keyset. It may hold a key itself."""

    def __init__(self, text: bytes = b"") -> None:
        self.text = text

    @classmethod
    def named(cls) -> bytes:
        return function()

    def get(self) -> bytes:
        return self.text

    __call__ = get


def test_the_state_of_a_function_is_not_pickled() -> None:
    text = function().decode()
    held = Vault(function())
    for given in (functools.partial(str, text), text.strip, lambda: text, held, held.get):
        keyset = Keyset.from_callable(given)
        assert HIDDEN not in repr(keyset)
        assert repr(function())[2:-1] not in repr(keyset)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match="no module has .* under its name"):
                pickle.dumps(keyset, protocol)
        with pytest.raises(TypeError, match="no module has .* under its name"):
            pickle.dumps(Column(keyset, "tink"))
    again = pickle.loads(pickle.dumps(Keyset.from_callable(Vault.named)))
    assert again._keys[0].secret == SECRET


class Cached:
    """A function with attributes, like a decorator's result."""

    def __init__(self, function: Callable[[], bytes]) -> None:
        functools.update_wrapper(self, function)
        self.text = function()

    def __call__(self) -> bytes:
        return self.text


@Cached
def decorated() -> bytes:
    return function()


@functools.cache
def cached() -> bytes:
    return function()


HELD = function()


def with_a_global() -> bytes:
    return HELD


MODULE = """
import functools
TEXT = {text!r}
class Vault:
    text = TEXT
    @classmethod
    def get(cls): return cls.text
def of_a_global(): return TEXT
def of_a_default(text=TEXT): return text
def of_a_closure(text):
    @functools.wraps(of_a_default)
    def inner(): return text
    inner.__qualname__ = "closed"
    return inner
closed = of_a_closure(TEXT)
"""


def test_a_pickle_has_the_name_of_a_function_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any pickler must keep to it. cloudpickle takes the code, globals and closures of a function
    whose module is pickled by value. Any pickler takes the attributes of an object with a
    function's name."""
    text = function().decode()
    (tmp_path / "vault_of_test.py").write_text(MODULE.format(text=text))
    monkeypatch.syspath_prepend(tmp_path)
    import vault_of_test as vault  # type: ignore[import-not-found]

    dumps: list[Callable[[object], bytes]] = [pickle.dumps]
    for name in ("cloudpickle", "pyspark.cloudpickle", "ray.cloudpickle"):
        with suppress(ImportError):
            library = import_module(name)
            library.register_pickle_by_value(vault)
            library.register_pickle_by_value(sys.modules[__name__])
            dumps.append(library.dumps)
    try:
        for given in (
            *(vault.of_a_global, vault.of_a_default, vault.closed, vault.Vault.get),
            *(function, decorated, cached, with_a_global, Vault.named),
        ):
            keyset = Keyset.from_callable(given)
            column = Column(keyset, "tink")

            def call(value: object, column: Column = column) -> object:
                return column, value

            for dump in dumps:
                for what in (keyset, column, [keyset, {"a": column}], Holder(column)):
                    data = dump(what)
                    assert SECRET not in data and HIDDEN.encode() not in data
                    assert given.__qualname__.encode() in data
                again = pickle.loads(dump(keyset))
                assert again._keys[0].secret == SECRET
            for dump in dumps[1:]:  # an inner function is pickled by value, with the names it uses
                data = dump(call)
                assert SECRET not in data and HIDDEN.encode() not in data
    finally:
        for dump in dumps[1:]:
            library = import_module(dump.__module__.rpartition(".")[0])
            for module in (vault, sys.modules[__name__]):
                library.unregister_pickle_by_value(module)


@dataclass
class Holder:
    column: Column


def test_a_function_whose_name_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(Keyset.from_callable(with_a_global))
    monkeypatch.delattr(sys.modules[__name__], "with_a_global")
    with pytest.raises(AttributeError, match="with_a_global"):
        pickle.loads(data)


def key_texts(size: int) -> list[str]:
    """Returns a new key in the forms in which somebody may pass it instead of a name."""
    secret = os.urandom(size)
    keyset = Keyset.generate("xaes").json()
    return [
        secret.hex(),
        secret.hex().upper(),
        secret.hex(" "),
        secret.hex(":"),
        base64.b64encode(secret).decode(),
        base64.b64encode(secret).decode().rstrip("="),
        base64.urlsafe_b64encode(secret).decode(),
        "/" + base64.b64encode(secret).decode(),
        format_key(secret),
        f"rijn-key-v1 {secret.hex()}",
        keyset,
        keyset.replace("\n", "").replace(" ", ""),
    ]


def test_no_message_repeats_a_key_that_was_given_as_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for size in (16, 24, 32, 64) * 20:
        for text in key_texts(size):
            calls: list[Callable[[], object]] = [
                lambda text=text: Keyset.from_environment(text),  # type: ignore[misc]
                lambda text=text: Keyset.from_file(text),  # type: ignore[misc]
                lambda text=text: Keyset.from_file(Path(text)),  # type: ignore[misc]
                lambda text=text: read_key(text),  # type: ignore[misc]
            ]
            for call in calls:
                with pytest.raises((OSError, KeyError)) as caught:
                    call()
                assert caught.value.__context__ is None
                said = f"{caught.value} {caught.value!r} {vars(caught.value)}"
                said += str(getattr(caught.value, "filename", ""))
                assert "that may be a key" in said and text[5:20] not in said


@pytest.mark.parametrize(
    "name",
    [
        *("my.keyset", "customers-production-2026.keyset", "/etc/rijn/customers/production.json"),
        *(
            "CUSTOMERS_KEYSET_IN_PRODUCTION_2026",
            "backup-2026-11-25T10.keyset",
            "k3",
            "keys/My.key",
        ),
        *("a-rather-long-name-of-a-keyset-with-many-words", "/run/secrets/rijn/primary.v2.json"),
    ],
)
def test_a_name_is_repeated(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any working directory: the names of parent folders may look like keys."""
    folder = tmp_path / "q7Zk2Lm9Rt4Wv8Bn3PdX"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert not may_be_key(name) and shown_name(name) == name
    with pytest.raises(FileNotFoundError, match=re.escape(name)):
        Keyset.from_file(name)
    with pytest.raises(KeyError, match=re.escape(name)):
        Keyset.from_environment(name)


def test_a_file_that_exists_is_named(tmp_path: Path) -> None:
    path = tmp_path / os.urandom(32).hex()
    path.write_text("none")
    assert shown_name(str(path)) == str(path)
    assert shown_name(str(tmp_path / "no.keyset")) == str(tmp_path / "no.keyset")
    assert may_be_key(path.name) and shown_name(str(path) + "0") == UNSHOWN


def test_a_relative_path_is_of_the_folder_where_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Keyset.generate("siv").write("keys.json")
    data = pickle.dumps(Keyset.from_file("keys.json"))
    monkeypatch.chdir(os.sep)
    assert len(pickle.loads(data).ids) == 1


def test_unknown_formats() -> None:
    with pytest.raises(ValueError, match="format must be one of xaes"):
        Keyset.generate("aes")
    with pytest.raises(TypeError, match="format must be a str"):
        Keyset.generate(5)  # type: ignore[arg-type]


def test_a_new_key_has_an_id_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    keyset = keyset_of(entry(7), entry(2, status="DISABLED"))
    ids = iter([0, 7, 2, 2**32 - 1])
    monkeypatch.setattr(
        os, "urandom", lambda size: next(ids).to_bytes(4) if size == 4 else bytes(size)
    )
    assert keyset.renewed("tink").ids == (2**32 - 1, 7)


def test_without_nanoarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keysets and columns can be made. Methods that take an array say what they need."""
    column = Column(Keyset.generate("xaes"), context="c")
    monkeypatch.setitem(sys.modules, "nanoarrow", None)
    for call in (column.seal, column.open, column.rotate):
        with pytest.raises(ImportError, match="needs the package nanoarrow: pip install"):
            call(object())
