"""Random bytes from the operating system."""

from os import urandom

from .. import _absent

__all__ = ["get_random_bytes", "new"]


def get_random_bytes(size: int) -> bytes:
    """Returns `size` random bytes."""
    return urandom(size)


class Generator:
    """A file of random bytes."""

    def read(self, size: int) -> bytes:
        """Returns `size` random bytes."""
        return urandom(size)

    def flush(self) -> None:
        """Does nothing."""

    def reinit(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


def new(*_arguments: object, **_options: object) -> Generator:
    """Returns a Generator. Ignores all arguments."""
    return Generator()


def atfork() -> None:
    """Does nothing: the operating system's generator needs no help."""


__getattr__ = _absent.refuser(__name__)
