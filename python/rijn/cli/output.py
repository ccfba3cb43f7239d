"""Where results go. The rules, all of which are kept here:

1. A result appears under its name only when it is whole: it is written to a
   temporary file in the same folder, which is synced and then given the name.
2. A failure, Ctrl-C (SIGINT), SIGTERM or SIGHUP leaves nothing behind. SIGKILL
   or a power cut may leave the temporary file `.rijn-*.part`, never a result.
3. An existing file is not overwritten without --force, not even one that came
   into being while the command ran.
4. The source is never the destination, by whatever name, even with --force.
5. Ciphertext is not written to a terminal; plaintext only as long as it is text.
6. The result gets the permission bits of the file that it replaces, or else of
   the source, or else of any new file. Until it is whole only its owner may
   read it.
7. To a pipe or a device the result goes as it is made. Decryption hands out
   only what is authentic; that nothing is missing only the exit code tells.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import secrets
import signal
import stat
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal, Self

from .failures import Exit, Failure, Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

STDOUT = "-"

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_unfinished: set[str] = set()  # temporary files that exist or are about to
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@contextmanager
def signals_raise() -> Iterator[None]:
    """Makes the first signal that asks for an end raise Interrupted; later ones do nothing.

    A signal that was ignored when the program started (as by nohup) stays so. After
    an error the handlers stay: what cleans up must not be interrupted twice.
    """

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise Interrupted(number)

    former = {each: signal.getsignal(each) for each in _SIGNALS}
    for each, handler in former.items():
        if handler is not signal.SIG_IGN:
            signal.signal(each, interrupt)
    yield
    for each, handler in former.items():
        signal.signal(each, handler)


def discard_unfinished() -> None:
    """Removes the temporary files of results that never became whole."""
    for path in list(_unfinished):
        with suppress(OSError):
            os.unlink(path)
        _unfinished.discard(path)


class Destination:
    """One result. Entering it begins the result, leaving it without an error completes it.

    Making the object checks every rule that can be checked before there is
    anything to write, so that nobody types a passphrase in vain. Failure.
    """

    def __init__(
        self,
        path: str,
        source: os.stat_result | None,
        *,
        force: bool,
        content: Literal["ciphertext", "plaintext", "key"],
    ) -> None:
        """source is the status of the file that the result is made from, if there is one."""
        self.name = path
        self._path = ""  # where the result gets its name; "" while it is a pipe or a device
        self._temporary = ""
        self._fd = -1
        self._force = force
        self._is_key = content == "key"
        self._text: codecs.IncrementalDecoder | None = None
        if path == STDOUT:
            self.name = "standard output"
            found: os.stat_result | None = os.fstat(1)
            self.is_terminal = os.isatty(1)
        else:
            found, self.is_terminal = self._look()
        if (
            source is not None
            and found is not None
            and stat.S_ISREG(found.st_mode)
            and os.path.samestat(source, found)
        ):
            raise Failure(
                f"{self.name}: source and destination are the same file",
                "name another destination",
                Exit.REFUSED,
            )
        if self.is_terminal and content == "ciphertext":
            raise Failure(
                "ciphertext is binary and is not written to a terminal",
                "name a destination, or redirect the output with > FILE",
                Exit.REFUSED,
            )
        if self._path and found is not None and not force:
            raise self._exists()
        if self.is_terminal:
            self._text = codecs.getincrementaldecoder("utf-8")()
        if self._is_key:
            self._mode = 0o600
        elif found is not None and self._path:
            self._mode = stat.S_IMODE(found.st_mode) & 0o777
        elif source is not None and stat.S_ISREG(source.st_mode):
            self._mode = stat.S_IMODE(source.st_mode) & 0o777
        else:
            umask = os.umask(0)
            os.umask(umask)
            self._mode = 0o666 & ~umask

    def _look(self) -> tuple[os.stat_result | None, bool]:
        """What stands under the name, and whether that is a terminal. Sets _path."""
        try:
            found = os.stat(self.name)
        except FileNotFoundError:
            found = None
        if found is None or stat.S_ISREG(found.st_mode):
            path = os.path.realpath(self.name)  # a symbolic link stays one
            folder = os.path.dirname(path)
            if not os.path.isdir(folder):
                raise Failure(
                    f"{self.name}: there is no folder {folder}", "make it first", Exit.OTHER
                )
            self._path = path
            return found, False
        if stat.S_ISDIR(found.st_mode):
            raise Failure(f"{self.name}: is a folder", "name the file to write in it", Exit.REFUSED)
        is_terminal = False
        if stat.S_ISCHR(found.st_mode):
            fd = os.open(self.name, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
            is_terminal = os.isatty(fd)
            os.close(fd)
        return found, is_terminal

    def _exists(self) -> Failure:
        hint = "choose another name" if self._is_key else "--force overwrites it"
        return Failure(f"{self.name}: exists already", hint, Exit.REFUSED)

    def __enter__(self) -> Self:
        if self._path:
            self._temporary = os.path.join(
                os.path.dirname(self._path), f".rijn-{secrets.token_hex(8)}.part"
            )
            _unfinished.add(self._temporary)
            try:
                self._fd = os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except OSError as error:
                error.filename = self.name
                raise
        elif self.name == "standard output":
            sys.stdout.flush()
            self._fd = os.dup(1)
        else:
            self._fd = os.open(self.name, os.O_WRONLY)
        return self

    def write(self, data: memoryview | bytes) -> None:
        """Writes all of it. OSError with the destination's name; Failure (rule 5)."""
        if self._text is not None:
            data = self._only_text(self._text, bytes(data), last=False)
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except BrokenPipeError:
            raise Interrupted(signal.SIGPIPE) from None
        except OSError as error:
            error.filename = self.name
            raise

    @staticmethod
    def _only_text(decoder: codecs.IncrementalDecoder, data: bytes, *, last: bool) -> bytes:
        """The characters that data completes; Failure if it is not text."""
        try:
            text = decoder.decode(data, last)
            if not _NOT_TEXT.search(text):
                return text.encode()
        except UnicodeDecodeError:
            pass
        raise Failure(
            "the plaintext is binary and is not written to a terminal",
            "name a destination, or redirect the output with > FILE",
            Exit.REFUSED,
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            try:
                if kind is None:
                    self._finish()
            finally:
                os.close(self._fd)
            if kind is None and self._path:
                self._name_result()
        except OSError as failed:
            failed.filename = self.name
            raise
        finally:
            discard_unfinished()

    def _finish(self) -> None:
        if self._text is not None:
            self._only_text(self._text, b"", last=True)
        if self._path:
            os.fchmod(self._fd, self._mode)
            os.fsync(self._fd)

    def _name_result(self) -> None:
        if self._force:
            os.replace(self._temporary, self._path)
        else:
            try:
                os.link(self._temporary, self._path)
            except FileExistsError:
                raise self._exists() from None
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
                    raise
                self._claim_name()
        folder = os.open(os.path.dirname(self._path), os.O_RDONLY)
        try:
            os.fsync(folder)
        except OSError:
            pass  # some file systems cannot sync a folder; the file itself is synced
        finally:
            os.close(folder)

    def _claim_name(self) -> None:
        """For file systems without hard links: whoever creates the name may replace it."""
        try:
            os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            raise self._exists() from None
        try:
            os.replace(self._temporary, self._path)
        except BaseException:
            os.unlink(self._path)
            raise
