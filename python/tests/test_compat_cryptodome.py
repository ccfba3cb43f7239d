"""rijn.compat.cryptodome against PyCryptodome itself, on every backend: bytes, states and errors."""

from __future__ import annotations

import copy
import os
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from backends import BackendUnderTest, noise
from Crypto.Cipher import AES as ORIGINAL
from Crypto.Hash import CMAC as ORIGINAL_CMAC
from Crypto.Util import Counter as ORIGINAL_COUNTER
from Crypto.Util import Padding as ORIGINAL_PADDING
from hypothesis import given
from hypothesis import strategies as st

from rijn.compat.cryptodome import MessageTooLongError, Random
from rijn.compat.cryptodome.Cipher import AES
from rijn.compat.cryptodome.Hash import CMAC
from rijn.compat.cryptodome.Util import Counter, Padding

KEYS = (noise(16, 1), noise(24, 2), noise(32, 3))
IV = noise(16, 4)
NONCE = noise(11, 5)
CLASSIC = ("ECB", "CBC", "CFB", "OFB", "CTR", "OPENPGP")
AUTHENTICATED = ("GCM", "CCM", "EAX", "SIV", "OCB")
# The options of a cipher in each mode.
OPTIONS: dict[str, dict[str, Any]] = {
    "ECB": {},
    "CBC": {"iv": IV},
    "CFB": {"IV": IV},
    "OFB": {"iv": IV},
    "CTR": {"nonce": NONCE[:8]},
    "OPENPGP": {"iv": IV},
    **{name: {"nonce": NONCE} for name in AUTHENTICATED},
}
# The steps of a message that the modes share, with arguments of the right kind.
STEPS: dict[str, tuple[bytes, ...]] = {
    "update": (b"header",),
    "encrypt": (bytes(32),),
    "decrypt": (bytes(32),),
    "digest": (),
    "hexdigest": (),
    "verify": (bytes(16),),
    "encrypt_and_digest": (bytes(32),),
    "decrypt_and_verify": (bytes(32), bytes(16)),
}
keys = st.sampled_from(KEYS)
pieces = st.lists(st.integers(0, 50).map(noise), max_size=5)


def key_of(mode: str, key: bytes = KEYS[0]) -> bytes:
    return key * 2 if mode == "SIV" else key


def pair(tested: BackendUnderTest, mode: str, key: bytes = KEYS[0], **options: Any) -> list[Any]:
    """Returns our cipher and theirs."""
    options = options or OPTIONS[mode]
    ours = AES.new(key_of(mode, key), getattr(AES, f"MODE_{mode}"), **options, backend=tested.name)
    assert ours.backend == tested.name
    theirs = ORIGINAL.new(key_of(mode, key), getattr(ORIGINAL, f"MODE_{mode}"), **options)
    assert type(ours).__name__ == type(theirs).__name__
    return [ours, theirs]


def outcome(call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Returns the result, or the kind of the error."""
    try:
        found = call(*arguments, **named)
    except (TypeError, ValueError) as error:
        return TypeError if isinstance(error, TypeError) else ValueError
    return found if isinstance(found, (bytes, str, tuple, type(None))) else "self"


# ---- Modes without authentication --------------------------------------------------------


@pytest.mark.parametrize("mode", CLASSIC)
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_pieces(tested: BackendUnderTest, mode: str, direction: str) -> None:
    @tested.examples
    @given(keys, pieces)
    def check(key: bytes, parts: list[bytes]) -> None:
        ours, theirs = pair(tested, mode, key)
        for part in parts:
            whole = part[: len(part) // 16 * 16] if mode in ("ECB", "CBC") else part
            assert getattr(ours, direction)(whole) == getattr(theirs, direction)(whole)

    check()


@pytest.mark.parametrize("size", [*range(8, 129, 24), 16, 120])
def test_segments(tested: BackendUnderTest, size: int) -> None:
    """CFB with segments of any size, and pieces that end inside a segment."""
    for direction in ("encrypt", "decrypt"):
        ours, theirs = pair(tested, "CFB", iv=IV, segment_size=size)
        for length in (0, 1, size // 8, 3, 40, 7):
            part = noise(length, length)
            assert getattr(ours, direction)(part) == getattr(theirs, direction)(part)


@pytest.mark.parametrize("bits", [8, 16, 24, 32, 56, 64, 96, 120, 128])
@pytest.mark.parametrize("little", [False, True])
@pytest.mark.parametrize("suffix", [0, 1])
def test_counters(tested: BackendUnderTest, bits: int, little: bool, suffix: int) -> None:
    """Counters of all sizes and places that pass from their last value to 0."""
    if bits == 128 and suffix:
        pytest.skip("a counter of 128 bits leaves no room for a suffix")
    prefix = noise(16 - bits // 8 - suffix, bits)
    layout = (bits, prefix, noise(suffix, 1), (1 << bits) - 2, little)
    ours, theirs = pair(tested, "CTR", counter=Counter.new(*layout))
    assert Counter.new(*layout) == ORIGINAL_COUNTER.new(*layout)
    for size in (5, 16, 0, 43, 70):
        assert ours.encrypt(noise(size, size)) == theirs.encrypt(noise(size, size))
    assert hasattr(ours, "nonce") == hasattr(theirs, "nonce") == (not suffix)


def test_counter_is_not_used_twice(tested: BackendUnderTest) -> None:
    ours, theirs = pair(tested, "CTR", nonce=noise(15), initial_value=7)
    data = noise(4090)
    assert ours.encrypt(data) == theirs.encrypt(data)
    for cipher in (ours, theirs):
        with pytest.raises(OverflowError):
            cipher.encrypt(bytes(7))
    assert ours.encrypt(bytes(6)) == theirs.encrypt(bytes(6))
    with pytest.raises(MessageTooLongError, match="wrapped around"):
        ours.encrypt(b"x")


@pytest.mark.parametrize("mode", [*CLASSIC, *AUTHENTICATED])
def test_random_values(mode: str) -> None:
    """Without an IV or a nonce, all modes but SIV draw one of PyCryptodome's size."""
    make = [
        lambda module=module: module.new(key_of(mode), getattr(module, f"MODE_{mode}"))
        for module in (AES, ORIGINAL)
    ]
    for name in ("iv", "IV", "nonce"):
        ours, theirs = (getattr(new(), name, None) for new in make)
        assert (ours and len(ours)) == (theirs and len(theirs))
        if ours:
            assert ours != getattr(make[0](), name)


# ---- Modes with authentication -----------------------------------------------------------


@pytest.mark.parametrize("mode", AUTHENTICATED)
def test_messages(tested: BackendUnderTest, mode: str) -> None:
    @tested.examples
    @given(keys, pieces, st.integers(0, 70).map(noise))
    def check(key: bytes, header: list[bytes], data: bytes) -> None:
        ours, theirs = pair(tested, mode, key)
        for part in header:
            assert ours.update(part) is ours
            theirs.update(part)
        sealed = theirs.encrypt_and_digest(data)
        assert ours.encrypt_and_digest(data) == sealed
        assert ours.hexdigest() == sealed[1].hex()
        ours, _ = pair(tested, mode, key)
        for part in header:
            ours.update(part)
        assert ours.decrypt_and_verify(*sealed) == data
        ours.verify(sealed[1])
        ours.hexverify(sealed[1].hex())

    check()


@pytest.mark.parametrize("mode", ["GCM", "EAX", "CCM", "OCB"])
def test_messages_in_pieces(tested: BackendUnderTest, mode: str) -> None:
    @tested.examples
    @given(keys, pieces)
    def check(key: bytes, parts: list[bytes]) -> None:
        size = sum(map(len, parts))
        options = {**OPTIONS[mode], **({"msg_len": size} if mode == "CCM" else {})}
        end: list[tuple[()]] = [()] if mode == "OCB" else []
        ours, theirs = pair(tested, mode, key, **options)
        sealed = []
        for arguments in [*((part,) for part in parts), *end]:
            sealed.append(theirs.encrypt(*arguments))
            assert ours.encrypt(*arguments) == sealed[-1]
        tag = theirs.digest()
        assert ours.digest() == ours.digest() == tag
        ours, theirs = pair(tested, mode, key, **options)
        for arguments in [*((piece,) for piece in sealed), *end]:
            assert ours.decrypt(*arguments) == theirs.decrypt(*arguments)
        ours.verify(tag)
        ours.verify(tag)

    check()


@pytest.mark.parametrize("mode", ["GCM", "EAX", "CCM", "OCB"])
@pytest.mark.parametrize("size", range(18))
def test_tag_sizes(mode: str, size: int) -> None:
    """Both accept the same sizes, also those that rijn.AESGCM does not have."""
    tested = BackendUnderTest("python", 1)
    try:
        ORIGINAL.new(KEYS[0], getattr(ORIGINAL, f"MODE_{mode}"), mac_len=size)
    except ValueError:
        with pytest.raises(ValueError):
            AES.new(KEYS[0], getattr(AES, f"MODE_{mode}"), mac_len=size)
        return
    options = {"nonce": NONCE, "mac_len": size}
    data = noise(40)
    ours, theirs = pair(tested, mode, **options)
    sealed = theirs.update(b"header").encrypt_and_digest(data)
    assert ours.update(b"header").encrypt_and_digest(data) == sealed
    assert len(sealed[1]) == size
    for wrong in (False, True):
        tag = bytes([sealed[1][0] ^ wrong]) + sealed[1][1:]
        for one_call in (True, False):
            opener = pair(tested, mode, **options)[0].update(b"header")
            if one_call:
                found = outcome(opener.decrypt_and_verify, sealed[0], tag)
                assert found == (ValueError if wrong else data)
            elif mode != "OCB":
                assert opener.decrypt(sealed[0]) == data
                assert outcome(opener.verify, tag) == (ValueError if wrong else None)


@pytest.mark.parametrize("mode", AUTHENTICATED)
def test_associated_data_alone(tested: BackendUnderTest, mode: str) -> None:
    for header in ((), (b"",), (b"a", b"header")):
        ours, theirs = pair(tested, mode)
        verifier, _ = pair(tested, mode)
        for part in header:
            for cipher in (ours, theirs, verifier):
                cipher.update(part)
        tag = theirs.digest()
        assert ours.digest() == tag
        verifier.verify(tag)


@pytest.mark.parametrize("mode", AUTHENTICATED)
def test_altered_messages(tested: BackendUnderTest, mode: str) -> None:
    """A wrong tag gives out nothing, leaves `output` as it was, and is final."""
    data = noise(50)
    sealed, tag = pair(tested, mode)[1].update(b"header").encrypt_and_digest(data)
    for changed, header, seen in (
        (bytes([sealed[0] ^ 1]) + sealed[1:], b"header", tag),
        (sealed, b"head", tag),
        (sealed, b"header", bytes([tag[0] ^ 1]) + tag[1:]),
        (sealed, b"header", tag[:-1]),
        (sealed[:-1], b"header", tag),
    ):
        opener = pair(tested, mode)[0].update(header)
        with pytest.raises(ValueError, match="^MAC check failed$"):
            opener.decrypt_and_verify(changed, seen)
        with pytest.raises(ValueError, match="^MAC check failed$"):
            opener.verify(tag)
        with pytest.raises(TypeError):
            opener.decrypt(b"more")
        if mode != "OCB":
            output = bytearray(b"x" * len(changed))
            with pytest.raises(ValueError, match="^MAC check failed$"):
                pair(tested, mode)[0].update(header).decrypt_and_verify(changed, seen, output)
            assert output == b"x" * len(changed)


@pytest.mark.parametrize("mode", [*CLASSIC, *AUTHENTICATED])
def test_states(mode: str) -> None:
    """Every sequence of three steps: the same results, and the same kinds of errors. After a tag that
    did not match, only verify is left."""
    tested = BackendUnderTest("python", 1)
    steps = {
        name: arguments
        for name, arguments in STEPS.items()
        if mode in AUTHENTICATED or name in ("encrypt", "decrypt")
    }
    if mode == "OCB":
        steps = {**steps, "end": (), "end of decryption": ()}
    for first in steps:
        for second in steps:
            for third in steps:
                ours, theirs = pair(tested, mode)
                for step in (first, second, third):
                    name = {"end": "encrypt", "end of decryption": "decrypt"}.get(step, step)
                    found, expected = (
                        outcome(getattr(cipher, name), *steps[step]) for cipher in (ours, theirs)
                    )
                    assert found == expected, (first, second, third, step)
                    if expected is ValueError:
                        break


@pytest.mark.parametrize("declared", [(31, None), (33, None), (32, 5), (32, 7), (None, 6)])
def test_sizes_that_ccm_was_told(declared: tuple[int | None, int | None]) -> None:
    tested = BackendUnderTest("python", 1)
    options = {"nonce": NONCE, "msg_len": declared[0], "assoc_len": declared[1]}
    results = []
    for cipher in pair(tested, "CCM", **options):
        steps = [outcome(cipher.update, b"header")]
        if steps != [ValueError]:
            steps.append(outcome(cipher.encrypt, bytes(32)))
        if ValueError not in steps:
            steps.append(outcome(cipher.digest))
        results.append(steps)
    assert results[0] == results[1]


def test_wrap(tested: BackendUnderTest) -> None:
    for mode, sizes in (("KW", (0, 8, 16, 17, 24, 40)), ("KWP", (0, 1, 7, 8, 9, 40))):
        for key in KEYS:
            for size in sizes:
                ours, theirs = (
                    module.new(key, getattr(module, f"MODE_{mode}"), **named)
                    for module, named in ((AES, {"backend": tested.name}), (ORIGINAL, {}))
                )
                sealed = outcome(theirs.seal, noise(size))
                assert outcome(ours.seal, noise(size)) == sealed
                if sealed is not ValueError:
                    for changed in (sealed, b"x" + sealed[1:], sealed[:-8], sealed[:-1], b""):
                        opener, peer = (
                            module.new(key, getattr(module, f"MODE_{mode}"))
                            for module in (AES, ORIGINAL)
                        )
                        assert outcome(opener.unseal, changed) == outcome(peer.unseal, changed)


# ---- Arguments ---------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [*CLASSIC, "GCM", "CCM", "EAX"])
def test_output(tested: BackendUnderTest, mode: str) -> None:
    """`output` gets the result, also in place. A wrong one changes nothing."""
    if mode == "OPENPGP":
        pytest.skip("PyCryptodome's OpenPGP mode has no output, because its first piece is longer")
    data = noise(32)
    ours, theirs = pair(tested, mode)
    for wrong, error in (
        (bytes(32), TypeError),
        (memoryview(bytes(32)), TypeError),
        ("text", TypeError),
        (bytearray(31), ValueError),
        (bytearray(33), ValueError),
    ):
        with pytest.raises(error):
            ours.encrypt(data, output=wrong)
    buffer = bytearray(data)
    assert ours.encrypt(buffer, output=buffer) is None
    assert buffer == theirs.encrypt(data)


WRONG: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    *(
        (mode, (), {"iv": iv})
        for mode in ("CBC", "CFB", "OFB")
        for iv in (b"", bytes(15), "sixteen letters.")
    ),
    *((mode, (), {"iv": IV, "IV": IV}) for mode in ("CBC", "CFB", "OFB", "OPENPGP")),
    *((mode, (IV, 5), {}) for mode in ("CBC", "GCM", "EAX", "CCM", "SIV", "OCB")),
    *((mode, (), {"unknown": 5}) for mode in (*CLASSIC, *AUTHENTICATED)),
    *((mode, (), {"nonce": nonce}) for mode in AUTHENTICATED for nonce in (b"", "n" * 12)),
    ("ECB", (IV,), {}),
    ("CTR", (IV,), {}),
    ("OPENPGP", (), {"iv": bytes(17)}),
    *(("CFB", (), {"segment_size": size}) for size in (0, 7, 9, 136)),
    *(("CTR", (), {"nonce": nonce}) for nonce in (bytes(16), "text")),
    *(("CTR", (), {"initial_value": value}) for value in (2**64, b"short")),
    ("CTR", (), {"counter": Counter.new(64)}),
    ("CTR", (), {"counter": Counter.new(128), "nonce": b"n"}),
    ("CTR", (), {"counter": {}}),
    *(("CCM", (), {"nonce": bytes(size)}) for size in (6, 14)),
    ("CCM", (), {"nonce": bytes(13), "msg_len": 65536}),
    ("OCB", (), {"nonce": bytes(16)}),
)


@pytest.mark.parametrize(("mode", "places", "named"), WRONG)
def test_arguments_refused(mode: str, places: tuple[Any, ...], named: dict[str, Any]) -> None:
    errors = []
    for module in (AES, ORIGINAL):
        with pytest.raises((TypeError, ValueError)) as error:
            module.new(key_of(mode), getattr(module, f"MODE_{mode}"), *places, **named)
        errors.append(TypeError if isinstance(error.value, TypeError) else ValueError)
    assert errors[0] == errors[1]


@pytest.mark.parametrize("key", [b"", bytes(15), bytes(33), "sixteen letters.", None])
def test_keys_refused(key: Any) -> None:
    for mode in (*CLASSIC, *AUTHENTICATED):
        with pytest.raises((TypeError, ValueError)):
            AES.new(key, getattr(AES, f"MODE_{mode}"), **OPTIONS[mode])
    with pytest.raises(ValueError, match="Mode not supported"):
        AES.new(KEYS[0], 4)
    with pytest.raises(TypeError):
        AES.new(KEYS[0])  # type: ignore[call-arg]


@pytest.mark.parametrize("mode", [*CLASSIC, *AUTHENTICATED])
def test_refused_data_change_nothing(tested: BackendUnderTest, mode: str) -> None:
    ours, theirs = pair(tested, mode)
    steps = ["encrypt_and_digest"] if mode == "SIV" else ["encrypt"]
    steps += ["update"] if mode in AUTHENTICATED else []
    for step in steps:
        for wrong in ("text", 5, [0] * 16, memoryview(bytes(64))[::2]):
            with pytest.raises((TypeError, BufferError)):
                getattr(ours, step)(wrong)
    assert getattr(ours, steps[0])(bytes(32)) == getattr(theirs, steps[0])(bytes(32))


def test_options_of_pycryptodome() -> None:
    """Switches for CPU features and threads change nothing."""
    options = {"nonce": NONCE, "use_aesni": False, "threads": 3}
    ours = AES.new(KEYS[0], AES.MODE_GCM, **options, use_clmul=False)
    theirs = ORIGINAL.new(KEYS[0], ORIGINAL.MODE_GCM, nonce=NONCE)
    assert ours.encrypt_and_digest(b"data") == theirs.encrypt_and_digest(b"data")
    with pytest.raises(ValueError):
        AES.new(KEYS[0], AES.MODE_CTR, threads=-1)


# ---- CMAC, padding, random ---------------------------------------------------------------


def test_cmac(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(keys, pieces, st.integers(4, 16))
    def check(key: bytes, parts: list[bytes], size: int) -> None:
        ours = CMAC.new(key, ciphermod=AES, mac_len=size, cipher_params={"backend": tested.name})
        theirs = ORIGINAL_CMAC.new(key, ciphermod=ORIGINAL, mac_len=size)
        assert ours.backend == tested.name
        for part in parts:
            assert ours.update(part) is ours
            theirs.update(part)
        other = ours.copy()
        assert ours.digest() == theirs.digest()
        assert ours.hexdigest() == theirs.hexdigest()
        assert ours.digest_size == size
        ours.verify(theirs.digest())
        ours.hexverify(theirs.hexdigest())
        with pytest.raises(ValueError, match="MAC check failed"):
            ours.verify(bytes(size))
        with pytest.raises(TypeError, match="after digest"):
            ours.update(b"more")
        assert other.update(b"more").digest() == theirs_more(key, parts, size)

    def theirs_more(key: bytes, parts: list[bytes], size: int) -> bytes:
        data = b"".join(parts) + b"more"
        return ORIGINAL_CMAC.new(key, data, ORIGINAL, mac_len=size).digest()

    check()


def test_cmac_after_digest() -> None:
    ours, theirs = (
        module.new(KEYS[0], b"a", ciphermod=aes, update_after_digest=True)
        for module, aes in ((CMAC, AES), (ORIGINAL_CMAC, ORIGINAL))
    )
    for part in (b"b", b"", b"cd" * 20):
        assert ours.digest() == theirs.digest()
        assert ours.update(part).digest() == theirs.update(part).digest()


def test_cmac_refused() -> None:
    for wrong in ({"mac_len": 3}, {"mac_len": 17}):
        with pytest.raises(ValueError):
            CMAC.new(KEYS[0], ciphermod=AES, **wrong)  # type: ignore[arg-type]
    for ciphermod in (None, ORIGINAL):
        with pytest.raises(TypeError):
            CMAC.new(KEYS[0], ciphermod=ciphermod)


@pytest.mark.parametrize("style", ["pkcs7", "x923", "iso7816", "unknown"])
def test_padding(style: str) -> None:
    @given(st.binary(max_size=40), st.integers(1, 40))
    def check(data: bytes, size: int) -> None:
        padded = outcome(ORIGINAL_PADDING.pad, data, size, style)
        assert outcome(Padding.pad, data, size, style) == padded
        for text in (padded, data) if isinstance(padded, bytes) else (data,):
            expected = outcome(ORIGINAL_PADDING.unpad, text, size, style)
            assert outcome(Padding.unpad, text, size, style) == expected

    check()


def test_padding_errors_are_one() -> None:
    found = set()
    for end in (b"\0", b"\x11", b"\x02\x03\x03", b"\xff"):
        with pytest.raises(ValueError) as error:
            Padding.unpad(bytes(16 - len(end)) + end, 16)
        found.add(str(error.value))
    assert found == {"Padding is incorrect."}


def test_random() -> None:
    assert len(Random.get_random_bytes(20)) == len(Random.new().read(20)) == 20
    assert Random.get_random_bytes(20) != Random.get_random_bytes(20)


# ---- Keys --------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [*CLASSIC, *AUTHENTICATED, "KW", "KWP", "CMAC"])
def test_no_copies(mode: str) -> None:
    made = (
        CMAC.new(KEYS[0], ciphermod=AES)
        if mode == "CMAC"
        else AES.new(key_of(mode), getattr(AES, f"MODE_{mode}"), **OPTIONS.get(mode, {}))
    )
    for copy_of in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="not copied or pickled"):
            copy_of(made)
    assert KEYS[0].hex() not in repr(made) and repr(KEYS[0])[2:-1] not in repr(made)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_forks() -> None:
    """A message does not continue in a forked process, where it would repeat its keystream."""
    ctr, ecb = AES.new(KEYS[0], AES.MODE_CTR), AES.new(KEYS[0], AES.MODE_ECB)
    gcm = AES.new(KEYS[0], AES.MODE_GCM)
    child = os.fork()
    if child == 0:
        found = 0
        for call in (ctr.encrypt, gcm.encrypt_and_digest):
            try:
                call(b"data")
            except RuntimeError:
                found += 1
        os._exit(found if ecb.encrypt(bytes(16)) else 9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2


def test_tracebacks_show_no_secrets() -> None:
    """Neither a key, nor plaintext that a refusal keeps, nor the right tag is in a frame of Rijn's."""
    key, data = noise(32, 9), noise(64, 10)
    sealed, tag = AES.new(key, AES.MODE_GCM, nonce=NONCE).encrypt_and_digest(data)
    for mac_len in (16, 5):
        opener = AES.new(key, AES.MODE_GCM, nonce=NONCE, mac_len=mac_len)
        with pytest.raises(ValueError) as error:
            opener.decrypt_and_verify(sealed, bytes(mac_len))
        check_frames(error.value, key, data, tag[:5])
    with pytest.raises(ValueError) as error:
        AES.new(key + b"x", AES.MODE_GCM)
    check_frames(error.value, key)


def check_frames(error: BaseException, *secrets: bytes) -> None:
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__name__", "").startswith("rijn."):
            shown = repr(frame.f_locals)
            assert not any(repr(secret)[2:-1] in shown for secret in secrets)
