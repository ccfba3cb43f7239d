"""Many messages under one key in one call: what the classes of rijn.aead and rijn.aegis share
for tables, queues and batches of records."""

from __future__ import annotations

from collections.abc import Sequence

from ._check import Buffer
from ._key import NotMade

Messages = Sequence[Buffer] | tuple[Buffer, Buffer]
"""A list of buffers; or a column, the tuple of its data and its offsets."""
Results = list[bytes] | tuple[bytes, memoryview]
"""A list of bytes for a list, and for a column its data and its offsets."""


class Many:
    """encrypt_many and decrypt_many.

    Each message is by itself what encrypt makes of it, its nonce in front of it where that is
    said below, and decrypt opens it. Messages come as

    a list    of buffers (or any sequence but a tuple and a str), and a list of bytes comes back;
    a column  (data, offsets), the layout of Apache Arrow's binary and large_binary: message i
              is data[offsets[i] : offsets[i + 1]]. `offsets` is a buffer of integers of 32 or 64
              bits, one more than there are messages, which never decrease and need not begin
              with 0: array.array("i"), a NumPy array, memoryview(arrow_buffer).cast("i").
              (bytes, memoryview) comes back, with offsets as wide. No Python object is made of
              a message, so that this is several times as fast.
    """

    __slots__ = ()

    def encrypt_many(
        self,
        data: Messages,
        *,
        nonces: Buffer | Sequence[Buffer] | None = None,
        first_nonce: Buffer | None = None,
        associated_data: Buffer | Messages | None = None,
        prepend_nonce: bool = False,
        threads: int = 1,
    ) -> Results:
        """Encrypts and authenticates all messages of `data`.

        nonces           one for each message, in a list or a tuple, all of one size, at most
                         32 bytes; or one behind the other in one buffer, then each of the
                         class's usual size, drawn_nonce_size (of AESSIV, which has none, of
                         any one size). That no two are equal is not looked at.
        first_nonce      or that of the first message: those of the others count from there,
                         in the last 8 bytes (or all, of a shorter one), a big-endian
                         integer. ValueError, and nothing is encrypted, where it would wrap.
                         The next call's is this one and the number of messages: yours to keep.
                         With neither, nonces are drawn at random and stand in front of the
                         messages: mind how many of them a key may have (see the class).
        associated_data  one buffer for all messages, or a list or a column of one each (of
                         AESSIV: one string for each message).
        prepend_nonce    True: nonces that were given or counted stand in front too. ValueError
                         of AESSIV where there are neither.
        threads          how many work at once, 1 to 1024, each on a part of the messages, with
                         effect from 16 messages on; a backend in Python has one. Worth it from
                         some ten thousand messages on.

        Returns a list or a column, as the messages came: result i is the nonce, if it stands in
        front, the ciphertext and the tag. An error names the item that is wrong, as data[7]. Raises
        ValueError for wrong sizes, for offsets that lie outside `data` or decrease, and for
        32-bit offsets whose results pass 2^31 - 1 bytes; TypeError for what is neither list nor
        column.
        """
        raise NotMade

    def decrypt_many(
        self,
        data: Messages,
        *,
        nonces: Buffer | Sequence[Buffer] | None = None,
        first_nonce: Buffer | None = None,
        associated_data: Buffer | Messages | None = None,
        failed: list[int] | None = None,
        threads: int = 1,
    ) -> Results:
        """Inverse of encrypt_many; without `nonces` and `first_nonce`, the nonces stand in
        front of the messages.

        failed  None: InvalidTag is raised where any message is not genuine, after all have
                been looked at; its attribute `failed` are the numbers of all that are not,
                and no plaintext is handed out. Or a list, to which those numbers are
                appended: then nothing is raised, and results that failed are zeros, as long as
                the plaintext would be (of messages too short to be any, empty).

        Returns a list or a column, as the messages came. Raises as encrypt_many, and InvalidTag.
        """
        raise NotMade
