"""The subject of a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rijn import _check

from ..plan import ALGORITHMS, built

if TYPE_CHECKING:
    from .loop import Loop

OPERATIONS = ("encrypt", "decrypt")


class Subject(NamedTuple):
    """An algorithm, an operation, a backend and a message size."""

    algorithm: str  # one of rijn_bench.plan.built()
    operation: str  # one of OPERATIONS
    backend: str  # as given to backend=
    size: int  # bytes a message

    def check(self) -> None:
        """Raises ValueError if the parts do not fit together, and rijn.BackendError."""
        from rijn import AES

        if self.algorithm not in built():
            near = _check.near(self.algorithm, built())
            raise ValueError(
                f"unknown algorithm {self.algorithm!r}{near}; known: {', '.join(built())}"
            )
        if self.operation not in OPERATIONS:
            raise ValueError(
                f"unknown operation {self.operation!r}; known: {', '.join(OPERATIONS)}"
            )
        if self.size < 1:
            raise ValueError("a message must have at least one byte")
        algorithm = ALGORITHMS[self.algorithm]
        if algorithm.is_mac:
            raise ValueError(f"{self.algorithm} cannot be profiled: choose a cipher")
        if algorithm.blocks and self.size % 16:
            raise ValueError(f"{self.algorithm} takes whole blocks of 16 bytes, not {self.size}")
        if not algorithm.takes(self.size):
            raise ValueError(f"{self.algorithm} takes {algorithm.least} to {algorithm.most} bytes")
        AES(bytes(16), backend=self.backend)

    @property
    def is_native(self) -> bool:
        """True if one message is one call into C."""
        from rijn.registry import PURE

        return all(backend.name != self.backend for backend in PURE)

    def loop(self) -> Loop:
        """Returns a loop that is ready to run: key expanded, caches warm."""
        from .loop import Loop

        kind, method, options = self._arguments()
        return Loop(kind, method, **options)

    def command(self, messages: int) -> list[str]:
        """Returns Python's arguments that run the loop as a program."""
        kind, method, options = self._arguments()
        command = ["-m", "rijn_bench.profile.loop", kind, method]
        for name, value in {**options, "messages": messages}.items():
            command += [f"--{name.replace('_', '-')}", str(value)]
        return command

    def _arguments(self) -> tuple[str, str, dict[str, Any]]:
        """Returns the arguments of Loop."""
        algorithm = ALGORITHMS[self.algorithm]
        kind = algorithm.aead or algorithm.own
        method = self.operation if kind else f"{algorithm.mode}_{self.operation}"
        return (
            kind or "AES",
            method,
            {
                "key_size": algorithm.key_size,
                "nonce_size": algorithm.nonce_size,
                "backend": self.backend,
                "size": self.size,
            },
        )
