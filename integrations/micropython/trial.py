# The functions of the script that cases.py makes. They run on the target.
import rijn

tried = 0


def expect(error, words, call, *arguments):
    """Checks that the call raises `error` with `words` in its message."""
    global tried
    try:
        call(*arguments)
    except error as found:
        if words not in str(found):
            raise
        tried += 1
        return
    raise AssertionError("did not raise " + error.__name__ + ": " + words)


def equal(found, expected):
    global tried
    if found != expected:
        raise AssertionError(f"{found}, expected {expected}")
    tried += 1


def try_case(case):
    kind, key, method, arguments, result = case
    made = getattr(rijn, kind)(key)
    if kind == "CMAC":
        for piece in arguments:
            made.update(piece)
        equal(made.finalize(), result)
        expect(RuntimeError, "ended", made.update, b"")
        other = rijn.CMAC(key)
        other.update(b"".join(arguments))
        other.verify(result)
        other = rijn.CMAC(key)
        other.update(b"".join(arguments))
        expect(rijn.InvalidTag, "failed", other.verify, bytes([result[0] ^ 1]) + result[1:])
        return
    equal(getattr(made, method)(*arguments), result)
    into = getattr(made, method + "_into")
    buf = bytearray(len(result))
    equal(into(*(arguments + (buf,))), len(result))
    equal(buf, result)
    # In place. `data` is the second argument, or the only one.
    at = 1 if len(arguments) > 1 else 0
    data = arguments[at]
    shared = bytearray(max(len(data), len(result)))
    shared[: len(data)] = data
    view = memoryview(shared)
    arguments = list(arguments)
    arguments[at] = view[: len(data)]
    into(*(arguments + [view[: len(result)]]))
    equal(shared[: len(result)], result)
    if method != "decrypt":
        return
    # A wrong bit in the ciphertext or the tag, or other associated data: no plaintext is returned.
    for place in (0, len(data) - 1):
        wrong = bytearray(data)
        wrong[place] ^= 0x10
        buf = bytearray(b"\xaa" * len(result))
        expect(rijn.InvalidTag, "failed", made.decrypt, arguments[0], wrong, arguments[2])
        expect(rijn.InvalidTag, "failed", into, arguments[0], wrong, arguments[2], buf)
        equal(buf, bytes(len(result)))
    expect(rijn.InvalidTag, "failed", made.decrypt, arguments[0], data, b"another")


class Module:
    """A module for sys.modules. Functions are its attributes, not methods."""


def counting(size):
    return bytes(range(size))


def try_keys():
    """generate_key returns the requested number of bytes, all from os.urandom. A board without
    os.urandom gives OSError."""
    import sys

    found = sys.modules.get("os")
    sys.modules["os"] = Module()
    try:
        expect(OSError, "no random source", rijn.AESGCM.generate_key, 128)
        expect(OSError, "no random source", rijn.AEGIS128L.generate_key)
        sys.modules["os"].urandom = counting
        equal(rijn.AEGIS128L.generate_key(), counting(16))
        expect(TypeError, "bit_length", rijn.AESGCM.generate_key)
        for kind in rijn.AESGCM, rijn.AEGIS128L:
            for size in kind.key_sizes:
                equal(kind.generate_key(8 * size), counting(size))
                equal(kind.generate_key(bit_length=8 * size), counting(size))
            for bits in (-128, 0, 8, 127, 129, 512):
                expect(ValueError, "bit_length must be 128", kind.generate_key, bits)
    finally:
        if found:
            sys.modules["os"] = found
        else:
            del sys.modules["os"]
    expect(ValueError, "bit_length must be 128, not 256", rijn.AEGIS128L.generate_key, 256)
    import os

    if hasattr(os, "urandom"):
        equal(rijn.AESGCM.generate_key(128) != rijn.AESGCM.generate_key(128), True)


def try_names():
    """Checks constants, and arguments by name, as in the package."""
    equal(rijn.AESGCM.key_sizes, (16, 24, 32))
    equal(rijn.AEGIS128L.key_sizes, (16,))
    equal(rijn.__version__, VERSION)  # noqa: F821 - cases.py sets it
    for kind in rijn.AESGCM, rijn.AEGIS128L:
        aead = kind(bytes(16))
        equal(aead.tag_length, 16)
        sealed = aead.encrypt(bytes(16), b"data", b"header")
        equal(aead.encrypt(bytes(16), b"data", associated_data=b"header"), sealed)
        equal(aead.decrypt(bytes(16), sealed, associated_data=b"header"), b"data")
        equal(aead.encrypt(associated_data=b"header", data=b"data", nonce=bytes(16)), sealed)
        expect(rijn.InvalidTag, "failed", aead.decrypt, bytes(16), sealed)


# The functions of rijn.py that do the work. A callback, another thread or an interrupt can run
# between any two of their calls. The module in C has none of these functions.
WORKERS = ("_encrypt", "_decrypt", "_xor", "_hash", "_aegis_keystream", "_aegis_update")


def workers():
    return [getattr(rijn, name) for name in WORKERS]


def set_workers(functions):
    for name, function in zip(WORKERS, functions):
        setattr(rijn, name, function)


def visited(visit, call, *arguments):
    """Makes the call, and calls `visit` before and after each worker."""
    own = workers()

    def wrapped(function):
        def worker(*arguments):
            visit()
            function(*arguments)
            visit()

        return worker

    set_workers([wrapped(function) for function in own])
    try:
        return call(*arguments)
    finally:
        set_workers(own)


def another(call, arguments):
    """Returns a visit that makes this call, with workers that are not visited."""
    own = workers()
    expected = call(*arguments)

    def visit():
        hooked = workers()
        set_workers(own)
        equal(call(*arguments), expected)
        set_workers(hooked)

    return visit


def interrupt(calls):
    """Returns a visit that raises KeyboardInterrupt after this number of calls."""
    left = [calls]

    def visit():
        left[0] -= 1
        if left[0] == -1:
            raise KeyboardInterrupt

    return visit


def try_sharing():
    """Uses one object in two simultaneous calls, as a callback, an interrupt or another thread
    does. Both results must be right."""
    data, other = bytes(range(96)), bytes(range(100, 196))
    nonce, second = bytes(range(16)), bytes(range(50, 66))
    aes = rijn.AES(bytes(range(3, 35)))
    gcm = rijn.AESGCM(bytes(range(3, 19)))
    aegis = rijn.AEGIS128L(bytes(range(3, 19)))
    calls = [
        (aes.ecb_encrypt, (data,), (other,)),
        (aes.ecb_decrypt, (data,), (other,)),
        (aes.cbc_encrypt, (nonce, data), (second, other)),
        (aes.cbc_decrypt, (nonce, data), (second, other)),
        (aes.ctr_encrypt, (nonce, data), (second, other)),
    ]
    for aead in gcm, aegis:
        one, two = (nonce, data, other), (second, other, data[:33])
        calls.append((aead.encrypt, one, two))
        one, two = [(each[0], aead.encrypt(*each), each[2]) for each in (one, two)]
        calls.append((aead.decrypt, one, two))
    for call, one, two in calls:
        equal(visited(another(call, two), call, *one), call(*one))
    # On two processors, two calls can be inside a worker. So no worker may write to the keys.
    for decrypting, crypt in (False, rijn._encrypt), (True, rijn._decrypt):
        keys = rijn._schedule(nonce, decrypting)
        crypt(keys, data, bytearray(96), 6)
        equal(keys, rijn._schedule(nonce, decrypting))


def try_interrupts():
    """decrypt_into leaves zeros wherever it is interrupted, for genuine and forged messages."""
    nonce, data = bytes(16), bytes(range(1, 101))
    for aead in rijn.AESGCM(bytes(16)), rijn.AEGIS128L(bytes(16)):
        sealed = aead.encrypt(nonce, data)
        forged = sealed[:-1] + bytes([sealed[-1] ^ 1])
        for message in sealed, forged:
            calls = 0
            whole = False
            while not whole:
                buf = bytearray(b"\xaa" * 100)
                expected = bytes(100)
                try:
                    visit = interrupt(calls)
                    visited(visit, aead.decrypt_into, nonce, message, None, buf)
                    expected = data
                    whole = True
                except KeyboardInterrupt:
                    calls += 1
                except rijn.InvalidTag:
                    whole = True
                equal(buf, expected)
            equal(calls > 8, True)


def try_views():
    """Views of wider items are refused, although MicroPython's views have no format. Views of
    signed bytes are refused, or treated as bytes."""
    try:
        from array import array
    except ImportError:
        return
    zeros = bytes(16)
    aes = rijn.AES(zeros)
    for code in "HI":
        wide = memoryview(array(code, range(16)))
        for call in aes.ecb_encrypt, aes.ecb_decrypt, rijn.AES, rijn.AEGIS128L, rijn.CMAC:
            expect(TypeError, "must be bytes", call, wide)
        expect(TypeError, "data must be", aes.ctr_encrypt, zeros, wide)
        expect(TypeError, "counter must be", aes.ctr_encrypt, wide, zeros)
        expect(TypeError, "buf must be", aes.ecb_encrypt_into, zeros, wide)
        expect(TypeError, "buf must be", aes.ctr_encrypt_into, zeros, bytes(len(bytes(wide))), wide)
        equal(bytes(wide), bytes(array(code, range(16))))
        for aead in rijn.AESGCM(zeros), rijn.AEGIS128L(zeros):
            expect(TypeError, "nonce must be", aead.encrypt, wide, zeros)
            expect(TypeError, "data must be", aead.encrypt, zeros, wide)
            expect(TypeError, "data must be", aead.decrypt, zeros, wide)
            expect(TypeError, "associated_data must be", aead.encrypt, zeros, zeros, wide)
    data = bytes(range(120, 136))
    signed = memoryview(array("b", [byte - 256 if byte > 127 else byte for byte in data]))
    for call in aes.ecb_encrypt, aes.ecb_decrypt:
        expected = call(data)
        try:
            found = call(signed)
        except TypeError:
            continue
        equal(found, expected)
    signed = memoryview(array("b", range(16)))
    if hasattr(signed, "format"):
        expect(TypeError, "data must be", aes.ecb_encrypt, signed)


def try_errors():
    zeros = bytes(16)
    for size in (0, 15, 17, 33):
        expect(ValueError, "key must be 16 or 24 or 32 bytes", rijn.AES, bytes(size))
        expect(ValueError, "key must be 16 or 24 or 32 bytes", rijn.AESGCM, bytes(size))
        expect(ValueError, "key must be 16 or 24 or 32 bytes", rijn.CMAC, bytes(size))
    expect(ValueError, "key must be 16 bytes, not 32", rijn.AEGIS128L, bytes(32))
    expect(TypeError, "key must be bytes", rijn.AES, "0123456789abcdef")
    aes = rijn.AES(zeros)
    expect(ValueError, "multiple of 16 bytes, not 15", aes.ecb_encrypt, bytes(15))
    expect(ValueError, "multiple of 16 bytes, not 17", aes.ecb_decrypt, bytes(17))
    expect(ValueError, "multiple of 16 bytes, not 1", aes.cbc_encrypt, zeros, b"1")
    expect(ValueError, "iv must be 16 bytes, not 12", aes.cbc_decrypt, bytes(12), zeros)
    expect(ValueError, "counter must be 16 bytes, not 8", aes.ctr_encrypt, bytes(8), zeros)
    for size in (0, 15, 17):
        buf = bytearray(size)
        expect(ValueError, "buf must be exactly 16 bytes", aes.ecb_encrypt_into, zeros, buf)
        expect(ValueError, "buf must be exactly 16", aes.ecb_encrypt_into, bytearray(zeros), buf)
        expect(ValueError, "buf must be exactly 16", aes.ctr_encrypt_into, zeros, zeros, buf)
    expect(TypeError, "buf must be writable", aes.ecb_encrypt_into, zeros, zeros)
    for fixed in (bytes(16), b""):
        expect(TypeError, "buf must be writable", aes.ecb_encrypt_into, fixed, memoryview(fixed))
        equal(fixed, bytes(len(fixed)))
    expect(TypeError, "data must be bytes", aes.ecb_encrypt_into, [0] * 16, bytearray(16))
    for wrong in (5, None, "", "0123456789abcdef"):
        expect(TypeError, "data must be bytes", aes.ecb_encrypt, wrong)
        expect(TypeError, "data must be bytes", aes.ecb_encrypt_into, wrong, bytearray(16))
        expect(TypeError, "data must be bytes", aes.ecb_decrypt, wrong)
        expect(TypeError, "data must be bytes", aes.cbc_encrypt, zeros, wrong)
        expect(TypeError, "data must be bytes", aes.cbc_decrypt, zeros, wrong)
        expect(TypeError, "data must be bytes", aes.ctr_encrypt, zeros, wrong)
        expect(TypeError, "data must be bytes", rijn.AESGCM(zeros).encrypt, zeros, wrong)
        expect(TypeError, "data must be bytes", rijn.AESGCM(zeros).decrypt, zeros, wrong)
        expect(TypeError, "data must be bytes", rijn.AEGIS128L(zeros).encrypt, zeros, wrong)
        expect(TypeError, "data must be bytes", rijn.CMAC(zeros).update, wrong)
    for aead, nonce in ((rijn.AESGCM(zeros), bytes(12)), (rijn.AEGIS128L(zeros), zeros)):
        for size in (0, 15):
            expect(rijn.InvalidTag, "failed", aead.decrypt, nonce, bytes(size))
        buf = bytearray(18)
        expect(ValueError, "buf must be exactly 17", aead.encrypt_into, nonce, b"1", None, buf)
        expect(TypeError, "associated_data must be", aead.encrypt, nonce, b"", 5)
    expect(ValueError, "nonce must not be empty", rijn.AESGCM(zeros).encrypt, b"", b"")
    expect(ValueError, "nonce must be 16 bytes, not 12", aead.encrypt, bytes(12), b"")
    try:
        import uctypes  # noqa: F401
    except ImportError:
        return
    shared = bytearray(48)
    view = memoryview(shared)
    expect(ValueError, "overlap", aes.ecb_encrypt_into, view[:32], view[1:33])
    expect(ValueError, "overlap", aes.ecb_encrypt_into, view[1:33], view[:32])
    expect(ValueError, "overlap", aes.ctr_encrypt_into, view[:16], zeros, view[8:24])
    equal(shared, bytes(48))
