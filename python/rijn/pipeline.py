"""Whole streams through chunked encryption, several runs of chunks at once.

The caller's thread writes the result in order. `jobs` other threads seal or open runs of 64 chunks;
the native module releases the GIL. The buffers of `jobs + 1` runs are reused and nothing is copied
between them, so memory does not grow with the stream: 2 MiB a run.

    source --read--> [input 1 MiB] --seal--> [output 1 MiB] --write--> result

If the source is a regular file, each of these threads reads its own run. The caller's thread reads
any other source in order, and bytes that a file has gained since: a signal must be able to
interrupt a read that waits. On two cores, with files in memory, the writing alone takes three
quarters of the time of cp.

A regular file of less than one run starts no thread: the caller reads it, seals or opens it
and writes it. A thread pool costs more time than a small file does.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, BinaryIO, ParamSpec, TypeVar

from .chunked import CHUNK, Message
from .chunked.errors import truncated
from .chunked.sources import read_full

if TYPE_CHECKING:
    from collections.abc import Callable

_Takes = ParamSpec("_Takes")
_Result = TypeVar("_Result")

RUN = 64  # chunks; so many that passing a run to a thread costs almost nothing in comparison
SLOW = "reference"  # 0.1 s a chunk: its runs have one chunk, so that Ctrl-C does not wait for 64
MAX_JOBS = 24  # 25 runs of 2 MiB: half of what the program may use


class _Slot:
    """The buffers of one run, and its state."""

    __slots__ = ("future", "input", "number", "output", "size")

    number: int  # of the run
    future: Future[int]  # the bytes written to output
    size: int  # the bytes read into input

    def __init__(self, input_size: int, output_size: int) -> None:
        self.input = memoryview(bytearray(input_size))
        self.output = memoryview(bytearray(output_size))


class _Here(Executor):
    """Runs each function at once, in the thread that submits it."""

    def submit(
        self,
        function: Callable[_Takes, _Result],
        /,
        *arguments: _Takes.args,
        **named: _Takes.kwargs,
    ) -> Future[_Result]:
        future = Future[_Result]()
        future.set_result(function(*arguments, **named))
        return future


def all_cores() -> int:
    """Returns the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def seal_stream(
    message: Message,
    source: BinaryIO,
    write: Callable[[memoryview], object],
    *,
    jobs: int = 1,
    advance: Callable[[int], object] = lambda size: None,
) -> None:
    """Encrypts a source, to its end, as the whole message.

    Call this once for a Message: a second source would be encrypted with the same keystream.

    :param message: a new message.
    :param source: a binary file.
    :param write: writes all bytes of a view before it returns. The view changes later.
    :param jobs: how many threads seal.
    :param advance: receives the number of source bytes that were added to the result.
    """
    write(memoryview(message.prefix))

    def seal(first: int, slot: _Slot, size: int, last: bool) -> int:
        sealed = size + (size // CHUNK + last) * message.aead.tag_size
        return message.seal(first, slot.input[:size], slot.output[:sealed], last=last)

    _run(source, seal, write, (CHUNK, message.sealed_chunk), _chunks(message), jobs, advance)


def open_stream(
    message: Message,
    source: BinaryIO,
    write: Callable[[memoryview], object],
    *,
    jobs: int = 1,
    advance: Callable[[int], object] = lambda size: None,
) -> None:
    """Decrypts a source, which is after the message's prefix, to its end.

    `write` receives only authentic plaintext, in order. Only the return of this function makes sure
    that it was complete.

    :param message: the message with the prefix.
    :param source: as for `seal_stream`.
    :param write: as for `seal_stream`.
    :param jobs: as for `seal_stream`.
    :param advance: as for `seal_stream`.
    :raises Damaged, Truncated: if a chunk does not authenticate, or the end is missing.
    """
    tag_size = message.aead.tag_size

    def open_run(first: int, slot: _Slot, size: int, last: bool) -> int:
        whole, rest = divmod(size, message.sealed_chunk)
        if last and rest >= tag_size:
            plain = size - (whole + 1) * tag_size
            return message.open(first, slot.input[:size], slot.output[:plain], last=True)
        plain = whole * CHUNK
        message.open(first, slot.input[: size - rest], slot.output[:plain], last=False)
        if last:  # all chunks are sound, so the end is missing
            raise truncated(message.offset(first + whole) + rest)
        return plain

    _run(source, open_run, write, (message.sealed_chunk, CHUNK), _chunks(message), jobs, advance)


def _chunks(message: Message) -> int:
    """Returns the number of chunks in a run."""
    return 1 if message.backend == SLOW else RUN


def _run(
    source: BinaryIO,
    process: Callable[[int, _Slot, int, bool], int],
    write: Callable[[memoryview], object],
    chunk_sizes: tuple[int, int],
    chunks: int,
    jobs: int,
    advance: Callable[[int], object],
) -> None:
    """Runs the loop of both functions: process(first, slot, size, last) fills slot.output from
    slot.input.

    A run is the last one if the source ends before the input is full. The input of a last run may
    be empty. `chunk_sizes` has the bytes of a whole chunk in input and output, `chunks` the chunks
    of a run.
    """
    jobs = max(1, min(jobs, MAX_JOBS))
    start, size = _extent(source)
    if size:  # a small file takes small buffers, and no more threads than it has runs
        chunks = min(chunks, size // chunk_sizes[0] + 1)
        whole_runs = size // (chunks * chunk_sizes[0])
        jobs = min(jobs, whole_runs + 1) if whole_runs else 0
    input_size, output_size = (chunks * size for size in chunk_sizes)
    free = deque(_Slot(input_size, output_size) for _ in range(jobs + 1))
    busy: deque[_Slot] = deque()
    whole_runs_of_file = size // input_size  # the threads read these
    number = 0  # of the next run
    last = False

    def job(slot: _Slot, last: bool) -> int:
        """Returns the number of bytes in slot.output; -1 if the file has shrunk."""
        if slot.number < whole_runs_of_file:
            place = start + slot.number * input_size
            if _read_at(source.fileno(), slot.input, place) < input_size:
                return -1
            slot.size = input_size
        return process(slot.number * chunks, slot, slot.size, last)

    def begin() -> None:
        nonlocal number, last
        slot = free.popleft()
        slot.number = number
        if number >= whole_runs_of_file:
            if number == whole_runs_of_file and size:
                source.seek(start + whole_runs_of_file * input_size)
            slot.size = read_full(source, slot.input)
            last = slot.size < input_size
        slot.future = pool.submit(job, slot, last)
        busy.append(slot)
        number += 1

    def finish() -> None:
        nonlocal number, last, whole_runs_of_file
        slot = busy.popleft()
        written = slot.future.result()
        if written < 0:  # from here on, read in order to the current end
            number = whole_runs_of_file = slot.number
            last = False
            wait(other.future for other in busy)
            free.extend(busy)
            busy.clear()
        else:
            write(slot.output[:written])
            advance(slot.size)
        free.append(slot)

    with ThreadPoolExecutor(jobs, thread_name_prefix="rijn") if jobs else _Here() as pool:
        try:
            while busy or not last:
                if free and not last:
                    begin()
                else:
                    finish()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _extent(source: BinaryIO) -> tuple[int, int]:
    """Returns the position of the source, and the number of bytes from there to its end.

    Returns 0, 0 unless the source is a regular file that can be read at any position without
    waiting.
    """
    try:
        status = os.fstat(source.fileno())
    except OSError:  # io.UnsupportedOperation
        return 0, 0
    if not (stat.S_ISREG(status.st_mode) and hasattr(os, "preadv")):
        return 0, 0
    start = source.tell()
    return start, max(0, status.st_size - start)


def _read_at(fd: int, view: memoryview, place: int) -> int:
    """Reads at a position until `view` is full or the file ends. Returns the number of bytes read."""
    filled = 0
    while count := os.preadv(fd, [view[filled:]], place + filled):
        filled += count
        if filled == len(view):
            break
    return filled
