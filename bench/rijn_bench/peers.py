"""Other Python packages with AES or AEGIS, each through its public API.

Each entry of PEERS has the name of a distribution, a module, and a function that returns the Offer
for a task, or None. Packages that are not installed are listed as such.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module, metadata
from operator import attrgetter
from types import ModuleType
from typing import Any

from .contenders import TAG, Offer, Stock, aead_offer, mac_message
from .plan import ALGORITHMS
from .results import Contender, Task

Offering = Callable[[ModuleType, Task, bytes], Offer | None]


@dataclass(frozen=True)
class Peer:
    name: str
    distribution: str
    module: str
    make: Offering

    @property
    def about(self) -> Contender:
        reason = _imported(self.module)
        if isinstance(reason, ModuleType):
            return Contender(
                name=self.name, through="python", state="ready", version=self._version()
            )
        missing = reason.startswith("No module named")
        return Contender(
            name=self.name,
            through="python",
            state="not installed" if missing else "unavailable",
            reason="" if missing else reason,
        )

    def _version(self) -> str:
        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:
            return ""

    def offer(self, task: Task, data: bytes) -> Offer | None:
        module = _imported(self.module)
        if not isinstance(module, ModuleType):
            return None
        made = self.make(module, task, data)
        # If the key stays bytes until it is used, there is no set-up to measure.
        if made and task.operation == "rekey" and made.setup is bytes:
            return None
        return made


@cache
def _imported(module: str) -> ModuleType | str:
    """Returns the module, or why its import fails."""
    try:
        return import_module(module)
    except ImportError as error:
        return str(error)


def _mode(task: Task) -> str:
    """Returns the mode: "gcm" for "aes-128-gcm", "" for algorithms other than AES."""
    family, _, rest = task.algorithm.partition("-")
    return rest.partition("-")[2] if family == "aes" else ""


# ---- cryptography --------------------------------------------------------------------


_CRYPTOGRAPHY_AEADS = {
    "gcm": "AESGCM",
    "gcm-siv": "AESGCMSIV",
    "ccm": "AESCCM",
    "ocb3": "AESOCB3",
}


def _cryptography(module: ModuleType, task: Task, data: bytes) -> Offer | None:
    mode = _mode(task)
    AES = import_module("cryptography.hazmat.primitives.ciphers.algorithms").AES
    if mode in _CRYPTOGRAPHY_AEADS:
        aead = import_module("cryptography.hazmat.primitives.ciphers.aead")
        return aead_offer(getattr(aead, _CRYPTOGRAPHY_AEADS[mode]), task, data)
    if mode in ("siv", "cmac"):
        if task.buffer != "fresh" and task.operation != "rekey":
            return None
        if mode == "cmac":
            CMAC = import_module("cryptography.hazmat.primitives.cmac").CMAC
            return Offer(lambda key: CMAC(AES(key)), mac_message, (data,), nonced=False)
        siv = import_module("cryptography.hazmat.primitives.ciphers.aead").AESSIV
        direction = "decrypt" if task.operation == "decrypt" else "encrypt"
        return Offer(siv, attrgetter(direction), (data, None), nonced=False)
    if mode not in ("ecb", "cbc", "ctr", "cfb", "cfb8", "ofb", "xts") or task.buffer == "in-place":
        return None
    modes = import_module("cryptography.hazmat.primitives.ciphers.modes")
    decrepit = _imported("cryptography.hazmat.decrepit.ciphers.modes")  # newer versions
    if mode in ("cfb", "cfb8", "ofb") and isinstance(decrepit, ModuleType):
        modes = decrepit
    decrypt = task.operation == "decrypt"

    def context(keyed: Any, kind: Any) -> Any:
        cipher = module.Cipher(keyed, kind)
        return cipher.decryptor() if decrypt else cipher.encryptor()

    # update_into requires 15 more bytes of output buffer.
    out = None if task.buffer == "fresh" else memoryview(bytearray(len(data) + 15))

    if mode == "ecb":
        # One context serves any number of messages.
        def ecb_setup(key: bytes) -> Any:
            return context(AES(key), modes.ECB())

        method = attrgetter("update" if out is None else "update_into")
        arguments = (data,) if out is None else (data, out)
        return Offer(ecb_setup, method, arguments, False, out and out[: len(data)])

    if mode == "ctr":
        # One context per key: resetting its nonce avoids a key set-up.
        def ctr_setup(key: bytes) -> Any:
            return context(AES(key), modes.CTR(bytes(16)))

        def ctr_message(keyed: Any) -> Callable[..., object]:
            reset = keyed.reset_nonce
            update = keyed.update if out is None else keyed.update_into

            def run(nonce: bytes, *arguments: Any) -> object:
                reset(nonce)
                return update(*arguments)

            return run

        arguments = (data,) if out is None else (data, out)
        return Offer(ctr_setup, ctr_message, arguments, out=out and out[: len(data)])

    kind = getattr(modes, mode.upper())

    # A context serves only one message, so each message includes the key set-up.
    def other_message(key: bytes) -> Callable[..., object]:
        def run(nonce: bytes) -> object:
            made = context(AES(key), kind(nonce))
            result = made.update(data) if out is None else made.update_into(data, out)
            made.finalize()
            return result

        return run

    return Offer(bytes, other_message, (), out=out and out[: len(data)])


# ---- PyCryptodome --------------------------------------------------------------------


_PYCRYPTODOME_AEADS = ("gcm", "ccm", "ocb3", "eax", "siv")


def _pycryptodome(module: ModuleType, task: Task, data: bytes) -> Offer | None:
    mode = _mode(task)
    if task.buffer == "in-place" or (mode == "ocb3" and task.buffer == "apart"):
        return None
    if mode == "cmac":
        return _pycryptodome_cmac(module, data) if task.buffer == "fresh" else None
    if mode in _PYCRYPTODOME_AEADS:
        return _pycryptodome_aead(module, mode, task, data)
    if mode not in ("ecb", "cbc", "ctr", "cfb8", "ofb"):
        return None
    new: Any = module.new
    method = attrgetter("decrypt" if task.operation == "decrypt" else "encrypt")
    output = bytearray(len(data)) if task.buffer == "apart" else None

    if mode == "ecb":

        def setup(key: bytes) -> Any:
            return new(key, module.MODE_ECB)

        if output is None:
            return Offer(setup, method, (data,), nonced=False)
        # `output` is a keyword.
        return Offer(
            setup, lambda keyed: partial(method(keyed), output=output), (data,), False, output
        )

    # A cipher object serves only one message, so each message includes the key set-up.
    def message(key: bytes) -> Callable[..., object]:
        def run(nonce: bytes) -> object:
            if mode == "ctr":
                cipher = new(key, module.MODE_CTR, nonce=b"", initial_value=nonce)
            elif mode == "cfb8":
                cipher = new(key, module.MODE_CFB, iv=nonce, segment_size=8)
            else:
                cipher = new(key, module.MODE_CBC if mode == "cbc" else module.MODE_OFB, iv=nonce)
            return method(cipher)(data, output=output)

        return run

    return Offer(bytes, message, (), out=output)


def _pycryptodome_aead(module: ModuleType, mode: str, task: Task, data: bytes) -> Offer:
    decrypt = task.operation == "decrypt"
    new: Any = module.new
    number = getattr(module, f"MODE_{mode.rstrip('3').upper()}")
    text, tag = (data[:-TAG], data[-TAG:]) if decrypt else (data, b"")
    if mode == "siv" and decrypt:  # SIV's tag is at the front
        text, tag = data[TAG:], data[:TAG]
    # CCM's first block has the sizes. With these options, it does not buffer the message.
    options = {"msg_len": len(text), "assoc_len": 0} if mode == "ccm" else {}
    output = bytearray(len(text)) if task.buffer == "apart" else None
    into = {} if output is None else {"output": output}

    # A cipher object serves only one message, so each message includes the key set-up.
    def message(key: bytes) -> Callable[..., object]:
        def run(*nonce: bytes) -> object:
            cipher = new(key, number, *nonce, **options)
            if decrypt:
                return cipher.decrypt_and_verify(text, tag, **into)
            sealed, mac = cipher.encrypt_and_digest(text, **into)
            if output is not None:
                return mac
            return mac + sealed if mode == "siv" else sealed + mac

        return run

    return Offer(bytes, message, (), mode != "siv", output)


def _pycryptodome_cmac(module: ModuleType, data: bytes) -> Offer:
    new: Any = import_module("Crypto.Hash.CMAC").new

    def message(keyed: Any) -> Callable[..., object]:
        def run() -> object:
            mac = keyed.copy()
            mac.update(data)
            return mac.digest()

        return run

    return Offer(lambda key: new(key, ciphermod=module), message, (), nonced=False)


# ---- pyaes, tinyaes ------------------------------------------------------------------


def _pyaes(module: ModuleType, task: Task, data: bytes) -> Offer | None:
    mode = _mode(task)
    if mode not in ("ecb", "cbc", "ctr", "cfb8", "ofb") or task.buffer != "fresh":
        return None
    method = "decrypt" if task.operation == "decrypt" else "encrypt"

    def blocks(cipher: Any) -> bytes:
        """Calls ECB or CBC once for each block."""
        call = getattr(cipher, method)
        return b"".join([call(data[i : i + 16]) for i in range(0, len(data), 16)])

    if mode == "ecb":
        return Offer(
            module.AESModeOfOperationECB, lambda keyed: partial(blocks, keyed), (), nonced=False
        )

    # A mode object serves only one message, so each message includes the key set-up.
    def message(key: bytes) -> Callable[..., object]:
        def run(nonce: bytes) -> object:
            if mode == "cbc":
                return blocks(module.AESModeOfOperationCBC(key, iv=nonce))
            if mode == "cfb8":
                cipher = module.AESModeOfOperationCFB(key, iv=nonce, segment_size=1)
                return getattr(cipher, method)(data)
            if mode == "ofb":
                return getattr(module.AESModeOfOperationOFB(key, iv=nonce), method)(data)
            counter = module.Counter(int.from_bytes(nonce, "big"))
            return getattr(module.AESModeOfOperationCTR(key, counter=counter), method)(data)

        return run

    return Offer(bytes, message, ())


def _tinyaes(module: ModuleType, task: Task, data: bytes) -> Offer | None:
    mode = _mode(task)
    if task.algorithm not in ("aes-128-cbc", "aes-128-ctr"):
        return None

    # An object has a key and an IV, and serves only one message.
    def message(key: bytes) -> Callable[..., object]:
        AES: Any = module.AES
        if mode == "ctr" and task.buffer == "fresh":
            return lambda nonce: AES(key, nonce).CTR_xcrypt_buffer(data)
        name = "CTR_xcrypt_buffer_inplace"
        if mode == "cbc":
            method = "decrypt" if task.operation == "decrypt" else "encrypt"
            name = f"CBC_{method}_buffer_inplace_raw"
        return lambda nonce, buffer: getattr(AES(key, nonce), name)(buffer)

    if mode == "ctr" and task.buffer == "fresh":
        return Offer(bytes, message, ())
    if task.buffer != "in-place":
        return None
    buffer = bytearray(data)
    return Offer(bytes, message, (buffer,), out=buffer)


# ---- AEGIS and AES-GCM of libaegis and libsodium -------------------------------------

_PYAEGIS = {
    f"aegis-{width}": f"Aegis{width.upper()}"
    for width in ("128l", "128x2", "128x4", "256", "256x2", "256x4")
}


def _pyaegis(module: ModuleType, task: Task, data: bytes) -> Offer | None:
    if task.algorithm not in _PYAEGIS:
        return None
    cipher = getattr(module, _PYAEGIS[task.algorithm])(TAG)
    decrypt = task.operation == "decrypt"
    call = cipher.decrypt if decrypt else cipher.encrypt
    if task.buffer == "fresh":
        return Offer(bytes, lambda key: partial(call, key), (data,))
    if task.buffer == "apart":
        out = bytearray(len(data) + (-TAG if decrypt else TAG))
        return Offer(bytes, lambda key: partial(call, key), (data, None, out), out=out)
    if decrypt:
        stock = Stock(data, lambda slot: (slot[:-TAG], bytes(slot[-TAG:])))
        return Offer(
            bytes,
            lambda key: partial(cipher.decrypt_inplace, key),
            (),
            out=stock.slots[0][:-TAG],
            stock=stock,
        )
    buffer = bytearray(data)
    return Offer(bytes, lambda key: partial(cipher.encrypt_inplace, key), (buffer,), out=buffer)


_NACL = {
    "aes-256-gcm": "crypto_aead_aes256gcm",
    "aegis-128l": "crypto_aead_aegis128l",
    "aegis-256": "crypto_aead_aegis256",
}


def _pynacl(module: ModuleType, task: Task, data: bytes) -> Offer | None:
    name = _NACL.get(task.algorithm)
    if name is None or task.buffer != "fresh":
        return None
    call = getattr(module, f"{name}_{task.operation}", None)
    if call is None:
        return None

    def message(key: bytes) -> Callable[..., object]:
        return lambda nonce: call(data, None, nonce, key)

    return Offer(bytes, message, ())


# ---- python-bitsliced-aes ------------------------------------------------------------


def _bsaes(module: ModuleType, task: Task, data: bytes) -> Offer | None:
    """Uses python-bitsliced-aes. It is not packaged: put its bsaes.py on the module path."""
    if task.algorithm != "aes-128-ecb" or task.buffer != "fresh" or task.operation != "encrypt":
        return None
    return Offer(module.BitslicedAES128ECB, attrgetter("encrypt"), (data,), nonced=False)


PEERS = (
    Peer("cryptography", "cryptography", "cryptography.hazmat.primitives.ciphers", _cryptography),
    Peer("pycryptodome", "pycryptodome", "Crypto.Cipher.AES", _pycryptodome),
    Peer("pyaegis", "pyaegis", "pyaegis", _pyaegis),
    Peer("pynacl", "PyNaCl", "nacl.bindings", _pynacl),
    Peer("pyaes", "pyaes", "pyaes", _pyaes),
    Peer("tinyaes", "tinyaes", "tinyaes", _tinyaes),
    Peer("bsaes", "bsaes", "bsaes", _bsaes),
)
assert all(name in ALGORITHMS for name in (*_PYAEGIS, *_NACL))


def peers(wanted: tuple[str, ...] | None = None) -> list[Peer]:
    """Returns the peers, installed or not: all, or those in `wanted`."""
    return [peer for peer in PEERS if wanted is None or peer.name in wanted]
