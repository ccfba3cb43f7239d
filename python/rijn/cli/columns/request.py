"""The options that encrypt, decrypt and rotate share, as one object.

This module uses only options.py, and needs neither pyarrow nor Spark.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from .options import SealingOptions, contexts_of

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Request:
    """The values of the options that the three commands share, under the names of their parameters."""

    files: tuple[str, ...]
    columns: tuple[str, ...]
    keysets: tuple[str, ...]
    format: str | None
    deterministic: tuple[str, ...]
    aad: str | None
    contexts: tuple[str, ...]
    pad: int | None
    output: str | None
    force: bool
    quiet: bool
    engine: str
    jobs: int
    progress: bool | None
    backend: str | None

    def sealing_options(self) -> SealingOptions:
        """Returns the options for sealing. UsageError."""
        contexts = contexts_of(self.contexts)
        return SealingOptions(
            self.columns, self.format, self.deterministic, self.aad, contexts, self.pad
        )


def as_request(function: Callable[..., int]) -> Callable[..., int]:
    """Passes the shared options to a command as one Request, and its own options by name."""
    shared = [field.name for field in fields(Request)]

    @functools.wraps(function)
    def call(**given: Any) -> int:
        request = Request(**{name: given.pop(name) for name in shared})
        return function(request, **given)

    return call
