"""The exceptions of Rijn. It also raises Python's own ValueError, TypeError and BufferError."""

from __future__ import annotations

import copyreg


class InvalidTag(Exception):
    """Authentication failed: the data, associated data, nonce or tag was altered, or the key is
    wrong.

    All causes look the same, and no plaintext is returned. `chunk` is the number of the first chunk
    that failed, if a run of chunks was opened, else None. `failed` has the numbers of all messages
    that failed, if one call opened many, else None.
    """

    def __init__(
        self,
        message: str = "authentication failed",
        *,
        chunk: int | None = None,
        failed: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(message)
        self.chunk = chunk
        self.failed = failed

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles subclasses too, which have more arguments and attributes than the message."""
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class BackendError(ValueError):
    """The requested backend does not exist or cannot run here.

    The message lists the backends that can run, and says why the others cannot.
    """
