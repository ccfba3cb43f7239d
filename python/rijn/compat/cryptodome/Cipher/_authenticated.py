"""The order of calls of the modes that authenticate."""

from __future__ import annotations

from .... import _check
from ...._check import Buffer
from ...._traceback import clean_traceback
from ....errors import InvalidTag
from ....incremental import Stream
from ..._turns import in_turn
from ._mode import Mode, check_output, from_hexadecimal, give_out

# The methods that may follow, and the error of others.
START = frozenset(("update", "encrypt", "decrypt", "digest", "verify"))
_REFUSED = {
    "update": "update() can only be called immediately after initialization",
    "encrypt": "encrypt() can only be called after initialization or an update()",
    "decrypt": "decrypt() can only be called after initialization or an update()",
    "digest": "digest() cannot be called when decrypting or validating a message",
    "verify": "verify() cannot be called when encrypting a message",
}


class PieceStream:
    """A message in pieces that no class of Rijn has. Others derive from it and have `crypt`."""

    def crypt(self, data: Buffer, /) -> bytes:
        raise NotImplementedError

    def crypt_into(self, data: Buffer, buf: Buffer) -> int:
        output = self.crypt(data)
        memoryview(buf)[:] = output
        return len(output)


class AuthenticatedMode(Mode):
    """A mode that encrypts and authenticates one message, in pieces of any size.

    update takes the associated data. Then either encrypt and digest, or decrypt and verify.
    """

    nonce: bytes
    """The nonce of this message."""

    def __init__(self) -> None:
        super().__init__()
        self._allowed = START
        self._associated: list[bytes] = []
        self._stream: Stream | None = None
        self._tag: bytes | None = None
        self._failed = False

    # What each mode has: the message in pieces; and in one call, which gives out no plaintext
    # before it has checked the tag.

    def _start(self, associated_data: bytes, opening: bool) -> Stream:
        raise NotImplementedError

    def _seal(self, data: bytes | memoryview, associated_data: bytes) -> tuple[bytes, bytes]:
        raise NotImplementedError

    def _open(self, data: bytes | memoryview, tag: bytes, associated_data: bytes) -> bytes:
        raise NotImplementedError

    def _check_associated(self, size: int) -> None:
        """Raises ValueError if there is too much associated data, `size` bytes so far."""

    def _announce(self, size: int, step: str) -> None:
        """Takes note of the next `size` bytes of the message. Raises ValueError if they are not
        allowed. `step` is "encrypt" or "decrypt"; "" ends the message.
        """

    @in_turn
    def update(self, assoc_data: Buffer) -> AuthenticatedMode:
        """Authenticates the next piece of the associated data.

        :param assoc_data: any size. It is kept until the message begins.
        :returns: this object.
        :raises TypeError: after any other method.
        """
        self._require("update")
        piece = bytes(_check.readable("assoc_data", assoc_data))
        self._check_associated(sum(map(len, self._associated)) + len(piece))
        self._associated.append(piece)
        return self

    @in_turn
    def encrypt(self, plaintext: Buffer, output: Buffer | None = None) -> bytes | None:
        """Encrypts the next piece of the message.

        :param plaintext: the next bytes.
        :param output: a writable buffer as long as `plaintext`. It may be `plaintext`.
        :returns: as many bytes; None if `output` got them.
        :raises TypeError: after decrypt, digest or verify, or if `output` is not writable.
        :raises ValueError: if an argument has a size that is not allowed.
        """
        return self._crypt("encrypt", "digest", plaintext, output)

    @in_turn
    def decrypt(self, ciphertext: Buffer, output: Buffer | None = None) -> bytes | None:
        """Decrypts the next piece, and returns plaintext that NOBODY HAS AUTHENTICATED.

        An attacker may have chosen it. Keep it to yourself until verify has returned, or use
        decrypt_and_verify instead.

        :param ciphertext: the next bytes, without the tag.
        :param output: as for `encrypt`.
        :returns: as `encrypt`.
        :raises TypeError: after encrypt, digest or verify, or if `output` is not writable.
        :raises ValueError: as `encrypt`.
        """
        return self._crypt("decrypt", "verify", ciphertext, output)

    @in_turn
    def digest(self) -> bytes:
        """Ends an encrypted message, and returns its tag. Later calls return it again.

        :raises TypeError: after decrypt or verify.
        """
        self._require("digest")
        return self._digest()

    def hexdigest(self) -> str:
        """As `digest`, as a hexadecimal text."""
        return self.digest().hex()

    @clean_traceback
    @in_turn
    def verify(self, received_mac_tag: Buffer) -> None:
        """Ends a decrypted message and compares its tag, in a time that does not depend on the
        difference.

        :param received_mac_tag: the whole tag.
        :raises ValueError: "MAC check failed" if the message, the associated data, the nonce, the
            key or the tag is another one. All later calls fail, too.
        :raises TypeError: after encrypt or digest.
        """
        self._require("verify")
        self._verify(bytes(_check.readable("received_mac_tag", received_mac_tag)))

    @clean_traceback
    def hexverify(self, hex_mac_tag: str) -> None:
        """As `verify`, for a hexadecimal text."""
        self.verify(from_hexadecimal(hex_mac_tag))

    @in_turn
    def encrypt_and_digest(
        self, plaintext: Buffer, output: Buffer | None = None
    ) -> tuple[bytes | None, bytes]:
        """Encrypts the message, or the rest of it, and ends it.

        :param plaintext: as for `encrypt`.
        :param output: as for `encrypt`.
        :returns: the result of `encrypt`, and the tag.
        :raises TypeError, ValueError: as `encrypt`.
        """
        self._require("encrypt")
        data, target = _arguments("plaintext", plaintext, output)
        self._announce(len(data), "encrypt")
        if self._stream is None:
            self._announce(0, "")
            ciphertext, self._tag = self._seal(data, self._joined())
        else:
            ciphertext = self._stream.crypt(data)
            self._digest()
        self._allowed = frozenset(("digest",))
        assert self._tag is not None
        return give_out(ciphertext, target), self._tag

    @clean_traceback
    @in_turn
    def decrypt_and_verify(
        self, ciphertext: Buffer, received_mac_tag: Buffer, output: Buffer | None = None
    ) -> bytes | None:
        """Decrypts the message, or the rest of it, and checks the tag before it gives out anything.

        :param ciphertext: as for `decrypt`.
        :param received_mac_tag: as for `verify`.
        :param output: as for `encrypt`. After an error it is as before.
        :returns: as `encrypt`.
        :raises ValueError: as `verify` and `encrypt`.
        :raises TypeError: as `decrypt`.
        """
        self._require("decrypt")
        data, target = _arguments("ciphertext", ciphertext, output)
        tag = bytes(_check.readable("received_mac_tag", received_mac_tag))
        self._announce(len(data), "decrypt")
        if self._stream is None:
            self._announce(0, "")
            self._allowed = frozenset(("verify",))
            try:
                plaintext = self._open(data, tag, self._joined())
            except InvalidTag:
                raise self._failure() from None
            self._tag = tag
        else:
            plaintext = self._stream.crypt(data)
            self._verify(tag)
        return give_out(plaintext, target)

    def _require(self, step: str) -> None:
        if step not in self._allowed:
            raise TypeError(_REFUSED[step])

    def _joined(self) -> bytes:
        return b"".join(self._associated)

    def _begun(self, opening: bool) -> Stream:
        """Returns the message in pieces. Begins it if necessary."""
        if self._stream is None:
            self._stream = self._start(self._joined(), opening)
        return self._stream

    def _crypt(self, step: str, end: str, data: Buffer, output: Buffer | None) -> bytes | None:
        self._require(step)
        view, target = _arguments("data", data, output)
        self._announce(len(view), step)
        result = self._begun(step == "decrypt").crypt(view)
        self._allowed = frozenset((step, end)) & self._allowed
        return give_out(result, target)

    def _digest(self) -> bytes:
        if self._tag is None:
            self._announce(0, "")
            self._tag = self._begun(False).tag()
        self._allowed = frozenset(("digest",))
        return self._tag

    def _verify(self, tag: bytes) -> None:
        if self._failed:
            raise self._failure()
        if self._tag is None:
            self._announce(0, "")
        self._allowed = frozenset(("verify",))
        if self._tag is None:
            try:
                self._begun(True).verify(tag)
            except InvalidTag:
                raise self._failure() from None
            self._tag = tag
        elif not equal(self._tag, tag):
            raise self._failure()

    def _failure(self) -> ValueError:
        self._failed = True
        return ValueError("MAC check failed")


def _arguments(
    name: str, data: Buffer, output: Buffer | None
) -> tuple[bytes | memoryview, memoryview | None]:
    view = _check.readable(name, data)
    return view, check_output(output, len(view))


def equal(left: bytes, right: bytes) -> bool:
    """Compares two tags, in a time that does not depend on the difference."""
    from hmac import compare_digest

    return compare_digest(left, right)
