# The part of a test that runs on the target: see cases.py.
import rijn

tried = 0


def expect(error, words, call, *arguments):
    """The call raises just this, with these words."""
    global tried
    try:
        call(*arguments)
    except error as found:
        if words not in str(found):
            raise
        tried += 1
        return
    raise AssertionError("no " + error.__name__ + " of " + words)


def equal(found, expected):
    global tried
    if found != expected:
        raise AssertionError(f"{found} instead of {expected}")
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
    # In place: the data come before the associated data, or last.
    at = 1 if len(arguments) > 1 else 0
    data = arguments[at]
    room = bytearray(max(len(data), len(result)))
    room[: len(data)] = data
    view = memoryview(room)
    arguments = list(arguments)
    arguments[at] = view[: len(data)]
    into(*(arguments + [view[: len(result)]]))
    equal(room[: len(result)], result)
    if method != "decrypt":
        return
    # One bit of the tag, of the ciphertext, of the associated data: nothing comes out.
    for place in (0, len(data) - 1):
        wrong = bytearray(data)
        wrong[place] ^= 0x10
        buf = bytearray(b"\xaa" * len(result))
        expect(rijn.InvalidTag, "failed", made.decrypt, arguments[0], wrong, arguments[2])
        expect(rijn.InvalidTag, "failed", into, arguments[0], wrong, arguments[2], buf)
        equal(buf, bytes(len(result)))
    expect(rijn.InvalidTag, "failed", made.decrypt, arguments[0], data, b"another")


class Module:
    """For sys.modules. What is imported from it are its attributes, and no methods."""


def counting(size):
    return bytes(range(size))


def try_keys():
    """Keys have as many bytes as were asked for, all of them of os.urandom, which not every
    board has."""
    import sys

    found = sys.modules.get("os")
    sys.modules["os"] = Module()
    sys.modules["os"].urandom = counting
    try:
        for kind, lengths in (rijn.AESGCM, (128, 192, 256)), (rijn.AEGIS128L, (128,)):
            equal(kind.generate_key(), counting(16))
            for bits in lengths:
                equal(kind.generate_key(bits), counting(bits // 8))
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
        equal(rijn.AESGCM.generate_key() != rijn.AESGCM.generate_key(), True)


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
    expect(TypeError, "data must be bytes", aes.ecb_encrypt_into, [0] * 16, bytearray(16))
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
    room = bytearray(48)
    view = memoryview(room)
    expect(ValueError, "overlap", aes.ecb_encrypt_into, view[:32], view[1:33])
    expect(ValueError, "overlap", aes.ecb_encrypt_into, view[1:33], view[:32])
    expect(ValueError, "overlap", aes.ctr_encrypt_into, view[:16], zeros, view[8:24])
    equal(room, bytes(48))
