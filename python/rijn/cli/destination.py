"""The destination of one result. docs/command-reference.md lists the allowed destinations, and what
--force changes. This module uses targets.py (kinds of destinations), results.py (the results of this
run) and signals.py, and of rijn.disk new_file.py and permissions.py.

Rules:

1. A result gets its name only when it is complete. It is written to a temporary
   file in the same folder, which is synced and then renamed.
2. A failure, Ctrl-C (SIGINT), SIGTERM or SIGHUP leaves nothing behind. SIGKILL or
   a power cut may leave the temporary file `.rijn-*.part`. They never leave an
   incomplete result, or a result that more users may read than rule 6 allows.
3. An existing file is not overwritten without --force, even if it appears while
   the command runs. An empty file that the shell made for a redirection is the
   exception (_is_placeholder): it has no content to lose.
4. The source and the file of the key are never the destination, under any name,
   even with --force. Only rekey replaces its source, if it has not changed since.
5. Ciphertext is not written to a terminal. Plaintext is, as long as it is text.
6. The result gets the permission bits of the file that it replaces, or else of
   the source, or else of any new file, without the bits of the umask. If the
   replaced file has another owner, its bits can only remove permissions.
7. A pipe or a device gets the result piece by piece. Decryption only writes
   authenticated pieces. Only the exit code tells whether the result is complete.
8. When the program ends early, the message says how much of a result exists.
9. The main thread makes each Destination, because the umask belongs to the
   process. Other threads may write and complete it. Signals do not end those
   threads, so their starter waits for them.

Order of the last steps (Destination._finish; group_commit.py does each step for many results):

    utime      for a result of a tree: the source's time of change
    fsync      the bytes of the temporary file, while a signal still discards them
    rename     the commit; from here on signals wait until the folder is synced
    fchmod     from 0600 to the bits of rule 6
    fsync      the folder

The bits come after the name. Otherwise a kill between the two steps could leave
the complete plaintext, readable by others, under a temporary name that nobody
looks for. As it is, a kill leaves mode 0600 at worst, and chmod repairs that.
For the same reason it is no failure if a file system refuses the bits: only the
owner can then read the result.

Without --force the rename must not replace a file. renameat2 can do that. If
it is not available, a hard link can: it is the same commit, but for a moment the
file has two names. If the file system has no hard links either, the code
checks the name once more and then renames. A file that appears in the
microseconds between is replaced. Claiming the name with an empty file first
would avoid that, but a kill would then leave the empty file in place of a result.
"""

from __future__ import annotations

import os
import shlex
import signal
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Self

import click

from ..disk.acl import without_acl
from ..disk.new_file import create, sync_folder, take_name, temporary_name
from ..disk.permissions import bits_of_result, umask
from ..disk.same_file import overlap, unchanged
from . import results, standard, streams
from .failures import Exit, Failure, Interrupted, naming
from .signals import undisturbed
from .targets import became_another, look_at, look_at_descriptor, look_in, open_device
from .terminal_text import TerminalText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from .folders import Folder

STDOUT = "-"


class Destination:
    """One result. Entering begins the result, and leaving without an error completes it.

    The constructor checks all rules that need no data, so that nobody types a passphrase for
    nothing. Failure, UsageError.
    """

    def __init__(
        self,
        path: str,
        source: os.stat_result | None,
        *,
        force: bool,
        content: Literal["ciphertext", "plaintext", "key"],
        keys: Sequence[os.stat_result] = (),
        in_place: os.stat_result | None = None,
        replaces: os.stat_result | None = None,
        replaceable: Callable[[str], bool] = lambda path: True,
        redirected: bool = False,
        keep_time: bool = False,
        folder: Folder | None = None,
    ) -> None:
        """
        source       the status of the source, if it is a file
        keys         the statuses of the files that the key or the passphrase comes from
        in_place     the status of the source, if the result replaces it; it must not change
        replaces     the status of another file that the result may replace without `force`
        replaceable  tells whether `force` may replace the regular file at a path
        redirected   whether the result may replace the empty file that standard output is
                     redirected to
        keep_time    whether the result gets the time of change of `source` or `in_place`
        folder       the open folder of the result; None: `path` is an ordinary path
        """
        self.written = 0  # bytes
        self._folder = folder
        # Names are relative to this descriptor, unless it is None.
        self._at = None if folder is None else folder.fd
        self._temporary = ""
        self._fd = -1
        self._force = force
        self._is_key = content == "key"
        self._source = source
        self._keys = keys
        self._in_place = in_place
        self._replaces = replaces if in_place is None else in_place
        self._replaceable = replaceable
        self._redirected = redirected
        self._keep_time = keep_time
        self._descriptor = None
        if folder is None:
            self._descriptor = 1 if path == STDOUT else streams.descriptor(path)
        if not path:  # an unset shell variable
            raise click.UsageError(
                "The name of the destination is empty: is a shell variable unset?"
            )
        if folder is not None:
            self._target = look_in(folder, path)
        elif self._descriptor is None:
            self._target = look_at(path, force=force, is_key=self._is_key)
        else:
            self._target = look_at_descriptor(self._descriptor, path, is_key=self._is_key)
        self.name = self._target.name
        self.is_terminal = self._target.is_terminal
        self._path = self._target.path  # of the result; "" for a pipe or a device
        self._found = self._target.found
        self._text = TerminalText() if self.is_terminal else None
        if self._found is not None:
            self._check_inputs(self._found)
            if self.is_terminal and content == "ciphertext":
                raise Failure(
                    "ciphertext is binary and is not written to a terminal",
                    "name a destination, or redirect the output with > FILE",
                    Exit.REFUSED,
                )
            if self._path:
                self._check_replacing()
        self._umask = umask() if folder is None else folder.umask

    # ---- The rules ----

    def _check_inputs(self, found: os.stat_result) -> None:
        if self._source is not None and overlap(found, self._source):
            raise Failure(
                f"{self.name}: source and destination are the same file",
                "name another destination",
                Exit.REFUSED,
            )
        if any(overlap(found, key) for key in self._keys):
            raise Failure(
                f"{self.name}: is the file of the key or passphrase",
                "name another destination",
                Exit.REFUSED,
            )

    @property
    def temporary(self) -> str:
        """The path of the temporary file while there is one, else ""."""
        if self._folder is None or not self._temporary:
            return self._temporary
        return os.path.join(self._folder.path, self._temporary)

    def synced(self) -> os.stat_result:
        """Syncs the bytes written so far to the disk or server, and returns the status. OSError."""
        os.fsync(self._fd)
        return os.fstat(self._fd)

    @property
    def has_name(self) -> bool:
        """True if the result is a file that gets a name, not a pipe or a device."""
        return bool(self._path)

    def _check_replacing(self) -> None:
        if self._replaces is not None:
            with naming(self.name):
                if not unchanged(self._path, self._replaces, folder=self._at):
                    raise became_another(self.name)
            return
        if self._is_placeholder():
            return
        if not self._force:
            raise self._exists()
        if not self._replaceable(self._path):
            raise Failure(
                f"{self.name}: exists already, and --force replaces it only if -o names it",
                f"-o {shlex.quote(self.name)} --force overwrites it",
                Exit.REFUSED,
            )

    def _is_placeholder(self) -> bool:
        """Returns whether the existing file is the user's, is empty, and may be replaced without
        --force: by a key, or because standard output is redirected to it."""
        found = self._found
        if found is None or not stat.S_ISREG(found.st_mode) or found.st_size:
            return False
        if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
            return False
        return self._is_key or (self._redirected and standard.receives(found))

    def _exists(self) -> Failure:
        hint = "--force overwrites it"
        if self._is_key:
            hint = "choose another name"
        elif not self._replaceable(self._path):
            hint = f"-o {shlex.quote(self.name)} --force overwrites it"
        return Failure(f"{self.name}: exists already", hint, Exit.REFUSED)

    # ---- The work ----

    def __enter__(self) -> Self:
        if self._path:
            self._temporary = temporary_name()
            if self._folder is None:
                self._temporary = os.path.join(os.path.dirname(self._path), self._temporary)
            results.begin_file(self)
            try:
                self._fd = create(self._temporary, folder=self._at)
            except OSError as error:
                results.end_file(self)
                error.filename = self.name
                raise
            return self
        if self._descriptor is not None:
            sys.stdout.flush()
            self._fd = os.dup(self._descriptor)
        else:
            self._fd = open_device(self._target)
        if not self.is_terminal:
            results.begin_stream(self)
        return self

    def write(self, data: memoryview | bytes) -> None:
        """Writes all of it. OSError with the destination's name; Failure (rule 5)."""
        if self._text is not None:
            data = self._text.checked(bytes(data))
        view = memoryview(data)
        try:
            while view:
                count = os.write(self._fd, view)
                self.written += count
                view = view[count:]
        except BrokenPipeError:
            raise Interrupted(signal.SIGPIPE) from None
        except OSError as error:
            error.filename = self.name
            raise

    # ---- The end ----

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._finish()
        except OSError as failed:
            failed.filename = self.name
            raise
        finally:
            self.close()

    def _finish(self) -> None:
        if self._path:
            self.prepare()
            os.fsync(self._fd)
            with undisturbed():
                self.commit()
                self.sync_folder()
            return
        if self._text is not None:
            self._text.checked(b"", last=True)
        if self._found is not None and stat.S_ISBLK(self._found.st_mode):
            os.fsync(self._fd)  # that is where its errors show
        results.end_stream(self)

    def prepare(self) -> None:
        """Does the steps that come before the sync and the name."""
        if self._keep_time:
            self._set_time()

    def commit(self) -> None:
        """Gives the result its name. The caller has synced its bytes, will sync its folder, and holds
        back signals meanwhile (`undisturbed`). Failure, OSError."""
        if self._force or self._replaces is not None or self._is_placeholder():
            self._take_place()
        else:
            self._take_name()
        results.end_file(self)
        self._temporary = ""
        results.add_whole(self.name)
        self._set_mode()

    def sync_folder(self) -> None:
        """Syncs the folder. Ignores errors: the results have names and are complete."""
        if self._folder is not None:
            self._folder.sync()
        else:
            sync_folder(os.path.dirname(self._path))

    @property
    def descriptor(self) -> int:
        """The open temporary file."""
        return self._fd

    def close(self) -> None:
        """Closes the file, and removes it if it has no name yet. OSError, with the destination's
        name."""
        try:
            os.close(self._fd)
        except OSError as error:
            error.filename = self.name
            raise
        finally:
            if self._temporary:
                with suppress(OSError):
                    os.unlink(self._temporary, dir_fd=self._at)
                results.end_file(self)

    def _take_place(self) -> None:
        """Replaces the existing file, if it is still a file that may be replaced."""
        try:
            found = os.lstat(self._path, dir_fd=self._at)
            self._found = without_acl(found, self._path, follow_symlinks=False, folder=self._at)
        except FileNotFoundError:
            if self._replaces is not None:
                raise became_another(self.name) from None
        else:
            if not stat.S_ISREG(self._found.st_mode):
                raise became_another(self.name)
            self._check_inputs(self._found)
            self._check_replacing()
        os.replace(self._temporary, self._path, src_dir_fd=self._at, dst_dir_fd=self._at)

    def _take_name(self) -> None:
        try:
            take_name(self._temporary, self._path, folder=self._at)
        except FileExistsError:
            raise self._exists() from None

    def _set_time(self) -> None:
        """Sets the time of change. This comes before the name, so that every complete result has
        it. Ignores file systems that refuse it."""
        model = self._source if self._in_place is None else self._in_place
        if model is not None:
            times = model.st_atime_ns, model.st_mtime_ns
            try:
                os.utime(self._fd if os.utime in os.supports_fd else self._temporary, ns=times)
            except OSError:
                return

    def _set_mode(self) -> None:
        if self._in_place is not None:  # keeps the owner, where the system allows it
            with suppress(OSError):
                os.fchown(self._fd, self._in_place.st_uid, self._in_place.st_gid)
        try:
            os.fchmod(self._fd, self._mode())
        except OSError:
            return

    def _mode(self) -> int:
        """Returns the permission bits of rule 6."""
        if self._is_key:
            return 0o600
        replaced = None if self._found is None or self._is_placeholder() else self._found
        return bits_of_result(self._source, replaced, self._fd, self._umask)
