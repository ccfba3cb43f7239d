"""After a fork, Rijn refuses calls that would repeat a nonce or a keystream, and never waits for a
lock that another thread held."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import public
import pytest
from arrow_arrays import array_of, values_of
from backends import OPTIONAL, PURE, SOME_NATIVE, BackendUnderTest, noise, skip_reasons
from limits import LIMIT

import rijn
from rijn import chunked
from rijn.compat import pyaes

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork here"),
    pytest.mark.sample(*SOME_NATIVE, *PURE, *OPTIONAL),
]


def forked(call: Callable[[], str], fork: Callable[[], int] = os.fork) -> str:
    """Returns the result or the error of `call` in a forked process."""
    source, sink = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about forks beside threads
        child = fork()
    if child == 0:
        try:
            os.close(source)
            try:
                answer = call()
            except Exception as error:  # noqa: BLE001 - any error is the answer
                answer = f"{type(error).__name__}: {error}"
            os.write(sink, answer.encode()[:60_000])
        finally:
            os._exit(0)
    os.close(sink)
    with open(source, "rb") as answers:
        ready, _, _ = select.select([answers], [], [], LIMIT)
        if not ready:
            os.kill(child, signal.SIGKILL)
        found = answers.read().decode()
    os.waitpid(child, 0)
    assert ready, "the forked process did not answer"
    return found


# A call that continues a message, for each class that refuses it after a fork.
CONTINUE: dict[str, Callable[[Any], object]] = {
    "Sealer": lambda box: box.seal(b""),
    "Message": lambda message: message.seal(0, b"", bytearray(16), last=True),
    "Stream": lambda stream: stream.crypt(b""),
    "Encryptor": lambda encryptor: encryptor.update(b""),
    **dict.fromkeys(
        (
            *("EcbEncryptor", "EcbDecryptor", "CbcEncryptor", "CbcDecryptor", "CfbEncryptor"),
            *("CfbDecryptor", "Cfb8Encryptor", "Cfb8Decryptor", "Ofb", "IgeEncryptor"),
            *("IgeDecryptor", "Ctr", "AEADEncryptor", "AEADDecryptor"),
        ),
        lambda state: state.update(b""),
    ),
    **dict.fromkeys(
        (f"pyaes.AESModeOfOperation{mode}" for mode in ("CBC", "CFB", "OFB", "CTR")),
        lambda mode: mode.encrypt(bytes(16)),
    ),
    "FileWriter": lambda writer: writer.write(b""),
    "pyaes.Encrypter": lambda feeder: feeder.feed(bytes(64)),
    "pyaes.Decrypter": lambda feeder: feeder.feed(bytes(64)),
    "pyaes.BlockFeeder": lambda feeder: feeder.feed(bytes(64)),
}
ENDS: dict[str, Callable[[Any], object]] = {
    "Encryptor": lambda encryptor: encryptor.finalize(),
    "Stream": lambda stream: stream.tag(),
    "Ctr": lambda state: state.finalize(),
    "AEADEncryptor": lambda state: state.finalize(),
    "AEADDecryptor": lambda state: state.finalize(),
}
# Objects that cannot repeat a nonce or a keystream: keys, MACs, decryption, and ECB, block by
# block.
FREE = {
    *(cls.__name__ for cls in public.AEADS),
    *(
        "AES",
        "AESXTS",
        "AESSIV",
        "KeyWrap",
        "CMAC",
        "AEGISMAC",
        "Decryptor",
        "Reader",
        "FileReader",
    ),
    *("Keyset", "Column"),
    *("pyaes.AES", "pyaes.AESModeOfOperationECB"),
}


def test_every_class_is_classified() -> None:
    known = public.objects(BackendUnderTest("python", 1))
    assert set(known) == set(CONTINUE) | FREE


def continued(things: dict[str, Any]) -> str:
    """Returns the objects that continue here although another process made them."""
    found = []
    for table in (CONTINUE, ENDS):
        for name, call in table.items():
            try:
                call(things[name])
            except RuntimeError as error:
                if "belongs to the process that made it" in str(error):
                    continue
                found.append(f"{name}: {error}")
            else:
                found.append(f"{name} went on")
    return "; ".join(found) or "all stay"


def test_messages_in_progress_stay_in_their_process(tested: BackendUnderTest) -> None:
    things = public.objects(tested)
    assert forked(lambda: continued(things)) == "all stay"
    # In this process they continue.
    for name, call in CONTINUE.items():
        call(things[name])


def drawn(things: dict[str, Any]) -> str:
    """Returns newly drawn nonces, a salt and the base of a column's nonces."""
    rows = array_of("z", [b"text"])
    found = (
        things["AESGCM"].encrypt_many([b""])[0][:12],
        things["XAES256GCM"].encrypt_many([b""])[0][:24],
        chunked.encrypt(noise(16), b"")[:24],
        values_of(things["Column"].seal(rows))[0][:16],
    )
    return " ".join(it.hex() for it in found)


def fork_unseen(names: list[str]) -> None:
    """Forks like a C library: Python calls none of its fork hooks. The process has one thread,
    because another could hold the interpreter's lock."""
    import ctypes

    fork = ctypes.PyDLL(None).fork  # PyDLL keeps the interpreter's lock
    for name in names:
        tested = BackendUnderTest(name, 1)
        things = public.objects(tested)
        assert forked(partial(continued, things), fork) == "all stay", name
        for which, call in CONTINUE.items():
            call(things[which])
        own, others = (it.split() for it in (drawn(things), forked(partial(drawn, things), fork)))
        assert len({*own, *others}) == len(own) + len(others) == 8, name
        # A grandchild.
        assert forked(partial(forked, partial(continued, things), fork), fork) == "all stay", name
    print(len(names))


def test_a_fork_that_python_does_not_see() -> None:
    sample = (*SOME_NATIVE, *PURE, *OPTIONAL)
    names = [name for name, reason in skip_reasons().items() if name in sample and not reason]
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.append('..'); import test_fork; test_fork.fork_unseen({names})",
        ],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{len(names)}\n"


def test_modes_of_pyaes_stay_in_their_process(tested: BackendUnderTest) -> None:
    """Called directly, in both directions, or through a feeder: its pieces, and the rest."""
    calls = public.pyaes_calls(tested)
    ways: dict[str, Callable[[], object]] = {}
    for mode in ("CBC", "CFB", "OFB", "CTR"):
        make, given = calls[f"pyaes.AESModeOfOperation{mode}"]()
        ways[f"{mode}.encrypt"] = partial(make(**given).encrypt, bytes(16))
        ways[f"{mode}.decrypt"] = partial(make(**given).decrypt, bytes(16))
        for feeder in (pyaes.Encrypter, pyaes.Decrypter):
            ways[f"{feeder.__name__}({mode})"] = partial(feeder(make(**given)).feed, bytes(64))
            begun = feeder(make(**given))
            begun.feed(bytes(16))
            ways[f"{feeder.__name__}({mode}), the end"] = begun.feed

    def answers() -> str:
        went_on = []
        for name, call in ways.items():
            try:
                call()
            except RuntimeError as error:
                assert "belongs to the process that made it" in str(error)
            else:
                went_on.append(name)
        return "; ".join(went_on) or "all stay"

    assert forked(answers) == "all stay"


def test_keys_and_decryption_continue_in_the_child(tested: BackendUnderTest) -> None:
    """Keys, MACs, decryption, and every object made in the forked process."""
    things = public.objects(tested)
    aead, cmac, box = things["AESGCM"], things["CMAC"], things["Sealer"]
    nonce, key = noise(12), noise(16)
    sealed, boxed = aead.encrypt(nonce, b"data"), box.seal(b"data")
    message = chunked.encrypt(key, b"data")
    half, rest = message[:60], message[60:]
    decryptor = chunked.Decryptor(key)
    decryptor.update(half)
    tag = tested.CMAC(public.secret_key(16))
    tag.update(b"data")
    cmac.update(b"data")

    def answers() -> str:
        assert aead.encrypt(nonce, b"data") == sealed
        assert box.open(boxed) == b"data"
        assert decryptor.update(rest) + decryptor.finalize() == b"data"
        assert cmac.finalize() == tag.finalize()
        own = rijn.Sealer(aead)
        assert own.open(own.seal(b"data")) == b"data"
        for name, thing in public.objects(tested).items():
            if name in CONTINUE:
                CONTINUE[name](thing)
        return "done"

    assert forked(answers) == "done"


def test_the_child_of_a_child(tested: BackendUnderTest) -> None:
    """An object of the child stays in the child."""
    things = public.objects(tested)

    def grandchild() -> str:
        things["Ctr"] = tested.AES(noise(16)).ctr_encryptor(noise(16))
        return forked(lambda: str(things["Ctr"].update(b"")))

    assert "belongs to the process that made it" in forked(grandchild)


def test_the_error_says_what_to_do() -> None:
    box = rijn.Sealer(rijn.AESGCM(noise(16)))
    assert forked(lambda: str(box.seal(b""))) == (
        "RuntimeError: rijn.Sealer belongs to the process that made it, from which this one was "
        "forked; two would count the same messages: make another in this process, and divide the "
        "limit by messages="
    )


def test_a_lock_that_is_held_does_not_hang_the_child() -> None:
    """Another thread is in Sealer.seal and holds its lock."""
    box = rijn.Sealer(rijn.AESGCM(noise(16)))
    with box._lock:
        assert "RuntimeError" in forked(lambda: str(box.seal(b"")))
    ended = threading.Event()

    def seal_until_the_end() -> None:
        while not ended.is_set():
            box.seal(b"")

    thread = threading.Thread(target=seal_until_the_end)
    thread.start()
    try:
        for _ in range(10):
            assert "RuntimeError" in forked(lambda: str(box.seal(b"")))
    finally:
        ended.set()
        thread.join(LIMIT)
    assert not thread.is_alive()


def test_a_running_call_does_not_hang_the_child(tested: BackendUnderTest) -> None:
    """Another thread is in update and has the turn, which the child never gets back."""
    state = tested.AES(noise(16)).ctr_encryptor(noise(16))
    state._turn.clear()
    assert "belongs to the process" in forked(lambda: str(state.update(b"")))


def answer(box: rijn.Sealer, queue: Any) -> None:
    try:
        queue.put(str(box.seal(b"")))
    except Exception as error:  # noqa: BLE001 - any error is the answer
        queue.put(f"{type(error).__name__}: {error}")


def test_multiprocessing_forks() -> None:
    context = multiprocessing.get_context("fork")
    box = rijn.Sealer(rijn.AESGCM(noise(16)))
    queue = context.SimpleQueue()
    process = context.Process(target=answer, args=(box, queue))
    process.start()
    process.join(LIMIT)
    assert process.exitcode == 0
    assert "RuntimeError: rijn.Sealer belongs to the process" in queue.get()
