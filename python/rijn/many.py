"""Many messages under one key in one call, for tables, queues and batches of records. The classes
of rijn.aead and rijn.aegis inherit from here.
"""

from __future__ import annotations

from collections.abc import Sequence

from ._check import Buffer
from ._key import NotMade

Messages = Sequence[Buffer] | tuple[Buffer, Buffer]
"""A list of buffers; or a column, the tuple of its data and its offsets."""
Results = list[bytes] | tuple[bytes, memoryview]
"""A list of bytes for a list; for a column, its data and its offsets."""


class Many:
    """Encrypts or decrypts many messages in one call.

    Each result is the one that `encrypt` would return, after its nonce if nonces are prepended. The
    messages come in one of two forms:

    - a list: any sequence of buffers except a tuple and a str. The result is a list of bytes.
    - a column: a tuple (data, offsets), the layout of Apache Arrow's binary and large_binary.
      Message i is data[offsets[i] : offsets[i + 1]]. `offsets` is a buffer of integers of 32 or 64
      bits, one more than there are messages. They never decrease, and need not begin with 0. For
      example: array.array("i"), a NumPy array, memoryview(arrow_buffer).cast("i"). The result is
      (bytes, memoryview), with offsets as wide. A column is several times as fast as a list,
      because no Python object is made for a message.
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
        """Encrypts and authenticates many messages.

        Without `nonces` and `first_nonce`, nonces are drawn at random and prepended: mind how many
        random nonces a key may have (see the class).

        :param data: the messages, a list or a column.
        :param nonces: one for each message. A list or tuple holds nonces of one size, at most 32
            bytes. One buffer holds them one after another, each of `drawn_nonce_size` bytes
            (AESSIV: any one size). Rijn does not check that they differ.
        :param first_nonce: the nonce of the first message. Each later one is the one before plus 1,
            with the last 8 bytes (or all of a shorter one) as a big-endian integer. For the next
            call, add the number of messages yourself.
        :param associated_data: one buffer for all messages, or a list or column with one for each.
            For AESSIV, one string for each message.
        :param prepend_nonce: True puts given or counted nonces before the messages too.
        :param threads: 1 to 1024 threads share 16 messages or more. It pays from some ten thousand
            messages on. A backend in Python uses one.
        :returns: a list or a column, as `data`: each result is the nonce, if prepended, the
            ciphertext and the tag.
        :raises ValueError: if a size is not allowed; if offsets decrease or lie outside `data`; if
            the results would exceed 2^31 - 1 bytes with 32-bit offsets; if counted nonces would
            wrap, and then nothing is encrypted; if prepend_nonce is True and AESSIV has no nonces.
        :raises TypeError: if `data` is neither a list nor a column. Errors name the item, as
            data[7].
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
        """Decrypts many messages: the inverse of `encrypt_many`.

        Without `nonces` and `first_nonce`, each message begins with its nonce.

        :param data: the messages, a list or a column.
        :param nonces: as for `encrypt_many`.
        :param first_nonce: as for `encrypt_many`.
        :param associated_data: as for `encrypt_many`.
        :param failed: None: InvalidTag is raised if any message fails, and no plaintext is
            returned. A list: it receives the numbers of the messages that failed, and nothing is
            raised. Their results are zeros, as long as the plaintext would be (empty if a message
            is too short).
        :param threads: as for `encrypt_many`.
        :returns: a list or a column, as `data`.
        :raises InvalidTag: after all messages have been checked. Its attribute `failed` has the
            numbers of all that failed.
        :raises ValueError, TypeError: as `encrypt_many`.
        """
        raise NotMade
