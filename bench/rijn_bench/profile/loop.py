"""The loop that every tool profiles, and the program that runs it:

    python -m rijn_bench.profile.loop AESGCM encrypt --key-size 16 --nonce-size 12 \\
        --backend table --size 16384 --messages 1000

It imports as little as possible: callgrind slows imports down a hundred times.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from itertools import repeat, starmap
from typing import TYPE_CHECKING

import rijn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Calls before the measured loop, so that Python specialises its code and a backend fills its
# caches. For long messages there are fewer calls, but at least two.
WARM_UP = 8
WARM_UP_BYTES = 1 << 15


UNAVAILABLE = 3  # the exit code if the backend cannot run


class Loop:
    """Processes messages one after the other, with one key.

    Encryption uses a new nonce for each message. Decryption opens the same message each time.

    :param kind: the class: "AES" or an AEAD, for example "AESGCM"
    :param method: "encrypt", "ctr_decrypt" and so on; it takes (nonce, data), or (data) if
        nonce_size is 0
    """

    def __init__(
        self, kind: str, method: str, *, key_size: int, nonce_size: int, backend: str, size: int
    ) -> None:
        cipher = getattr(rijn, kind)(bytes(range(key_size)), backend=backend)
        self._call: Callable[..., bytes] = getattr(cipher, method)
        self._nonce_size = nonce_size
        self._data = bytes(size)
        self._fresh = method.endswith("encrypt")
        if not self._fresh:
            nonce = (bytes(nonce_size),) if nonce_size else ()
            self._data = getattr(cipher, method.replace("decrypt", "encrypt"))(*nonce, self._data)
        self.run(min(max(WARM_UP_BYTES // size, 2), WARM_UP))

    def run(self, messages: int) -> None:
        """Processes messages. Profiles keep only the frames below this one."""
        for _ in starmap(self._call, self._arguments(messages)):
            pass

    def _arguments(self, messages: int) -> Iterable[tuple[bytes, ...]]:
        data = repeat(self._data, messages)
        if not self._nonce_size:
            return zip(data, strict=True)
        if not self._fresh:
            return zip(repeat(bytes(self._nonce_size), messages), data, strict=True)
        to_bytes: Callable[[int, int, str], bytes] = int.to_bytes  # type: ignore[assignment]
        numbers = map(to_bytes, range(messages), repeat(self._nonce_size), repeat("big"))
        return zip(numbers, data, strict=True)


def _control_perf(control: tuple[int, int], word: bytes) -> None:
    """Starts or stops counting in `perf stat --control`, and waits for its answer."""
    os.write(control[0], word + b"\n")
    os.read(control[1], 16)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="rijn_bench.profile.loop")
    parser.add_argument("kind")
    parser.add_argument("method")
    for name in ("--key-size", "--nonce-size", "--size", "--messages"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--backend", required=True)
    parser.add_argument("--cprofile", metavar="FILE")
    parser.add_argument("--control", nargs=2, type=int, metavar=("WRITE", "READ"))
    options = parser.parse_args(arguments)
    # Earlier allocations would decide when the garbage collector runs.
    gc.disable()
    try:
        loop = Loop(
            options.kind,
            options.method,
            key_size=options.key_size,
            nonce_size=options.nonce_size,
            backend=options.backend,
            size=options.size,
        )
    except rijn.BackendError as error:
        print(error, file=sys.stderr)
        sys.exit(UNAVAILABLE)
    if options.cprofile:
        import cProfile

        recorder = cProfile.Profile()
        recorder.runcall(loop.run, options.messages)
        recorder.dump_stats(options.cprofile)
    elif options.control:
        control = options.control[0], options.control[1]
        _control_perf(control, b"enable")
        loop.run(options.messages)
        _control_perf(control, b"disable")
    else:
        loop.run(options.messages)


if __name__ == "__main__":
    main(sys.argv[1:])
