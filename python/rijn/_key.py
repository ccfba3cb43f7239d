"""What the key classes have in common."""

from __future__ import annotations

from typing import NoReturn


class Key:
    """An expanded key, bound to the backend that expanded it. Threads may share it."""

    __slots__ = ()

    @property
    def backend(self) -> str:
        """The name of the backend that does the work."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Names the backend and nothing of the key."""
        return f"<rijn.{type(self).__name__} on {self.backend}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"rijn.{type(self).__name__} holds a key: it is not copied or pickled")
