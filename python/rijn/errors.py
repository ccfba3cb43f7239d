"""What Rijn raises beyond Python's own ValueError, TypeError and BufferError."""

from __future__ import annotations

import copyreg


class InvalidTag(Exception):
    """Authentication failed: the data, the associated data, the nonce or the tag was
    altered, or the key is another. There is one kind of failure to see, and nothing
    of the plaintext is handed out.

    `chunk` is the number of the first chunk that failed, where a run of chunks was
    opened; else None. `failed` are the numbers of all messages that failed, where many were
    opened by one call; else None.
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
        """Subclasses too, whose arguments and attributes are more than the message."""
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class BackendError(ValueError):
    """A backend was asked for that does not exist or cannot run here. The message
    says which exist, and why those that cannot run cannot."""
