"""One result of a command. docs/command-reference.md has the table of what may be a destination, and
of what --force changes about that. This module stands on targets.py (what a name stands for),
results.py (what became of this run's results), permissions.py, rename.py and signals.py.

Its rules:

1. A result appears under its name only when it is whole: it is written to a
   temporary file in the same folder, which is synced and then given the name.
2. A failure, Ctrl-C (SIGINT), SIGTERM or SIGHUP leaves nothing behind. SIGKILL
   or a power cut may leave the temporary file `.rijn-*.part`, never a result
   that is not whole, and never one that others may read who may not.
3. An existing file is not overwritten without --force, not even one that came
   into being while the command ran. The exception is an empty file that the shell
   made for a redirection (_is_placeholder): it holds nothing.
4. What the result is made from, the source and the key, is never the
   destination, by whatever name, even with --force; but of rekey, which takes the
   place of what it read, unchanged since.
5. Ciphertext is not written to a terminal; plaintext only as long as it is text.
6. The result gets the permission bits of the file that it replaces, or else
   those of the source or of any new file, but for the umask's. A replaced file of
   another owner takes bits away and gives none.
7. To a pipe or a device the result goes as it is made. Decryption hands out
   only what is authentic; that nothing is missing only the exit code tells.
8. What ends the program tells what there is of the result, whole or in part.
9. A Destination is made in the main thread, for the umask is the process's. Other threads
   may write and complete it: signals do not end those, so who starts them waits for them.

The order of the end, and why (Destination._finish; batch.py does each step for many results):

    utime      of a tree's result: the source's time of change
    fsync      the temporary file's bytes, while a signal still discards them
    rename     the commit; from here on signals wait until the folder is synced
    fchmod     from 0600 to the bits of rule 6
    fsync      the folder

The bits come after the name. Set before it, a kill between the two would leave
the whole plaintext, open to others, under a name that nobody looks for. So a
kill leaves 0600 at worst, which costs a chmod. For the same reason a file
system that refuses the bits is no failure: the result stays its owner's.

Without --force the rename must not replace. renameat2 can say that; where it is
not to be had, a hard link can (it is the same commit, with one name too many for
a moment); where the file system has no hard links either, the name is looked at
once more and then taken by a plain rename: what came into being under it in
between, microseconds, is replaced. To claim the name by an empty file first
would be safe from that, and leave the empty file where a result should be if
the program is killed before it has replaced it.
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

from . import results, standard, streams
from .acl import without_acl
from .failures import Exit, Failure, Interrupted, naming
from .folders import sync_folder
from .permissions import bits_like, umask
from .rename import rename_new
from .same_file import overlap, unchanged
from .signals import undisturbed
from .targets import became_another, look_at, look_at_descriptor, look_in, open_device
from .terminal_text import TerminalText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from .folders import Folder

STDOUT = "-"


class Destination:
    """One result. Entering it begins the result, leaving it without an error completes it.

    Making the object checks every rule that can be checked before there is
    anything to write, so that nobody types a passphrase in vain. Failure, UsageError.
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
        source       the status of the file that the result is made from, if there is one
        keys         of the files that the key or the passphrase comes from
        in_place     of the file that the result is made from and takes the place of, as it is then
        replaces     of another file that the result may replace without `force`, as it is then
        replaceable  whether `force` may replace the regular file of that path
        redirected   whether the result may take the place of the empty file that standard output is
                     redirected to
        keep_time    whether the result gets the time of change of `source`, or `in_place`
        folder       the open folder of the result, where `path` is in one
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
        if not path:  # an unset variable of a script's
            raise click.UsageError("The destination has no name.")
        if folder is not None:
            self._target = look_in(folder, path)
        elif self._descriptor is None:
            self._target = look_at(path, force=force, is_key=self._is_key)
        else:
            self._target = look_at_descriptor(self._descriptor, path, is_key=self._is_key)
        self.name = self._target.name
        self.is_terminal = self._target.is_terminal
        self._path = self._target.path  # where the result gets its name; "" of a pipe or a device
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
                f"{self.name}: is the file that the key comes from",
                "name another destination",
                Exit.REFUSED,
            )

    @property
    def temporary(self) -> str:
        """Where the result is written before it has its name, while it is; "" if it gets none."""
        if self._folder is None or not self._temporary:
            return self._temporary
        return os.path.join(self._folder.path, self._temporary)

    def synced(self) -> os.stat_result:
        """The status of what was written, which is on the disk, or the server, then. OSError."""
        os.fsync(self._fd)
        return os.fstat(self._fd)

    @property
    def has_name(self) -> bool:
        """Whether the result is a file that gets a name, not a pipe or a device."""
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
                f"{self.name}: exists already, and is not of encrypt's making",
                f"--force replaces it if it is named: -o {shlex.quote(self.name)}",
                Exit.REFUSED,
            )

    def _is_placeholder(self) -> bool:
        """Return whether the file there is empty, belongs to the user, and may be replaced unasked:
        by a key, or because this run's standard output is redirected to it."""
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
            self._temporary = f".rijn-{os.urandom(8).hex()}.part"
            if self._folder is None:
                self._temporary = os.path.join(os.path.dirname(self._path), self._temporary)
            results.begin_file(self)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            try:
                self._fd = os.open(self._temporary, flags, 0o600, dir_fd=self._at)
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
        """All that has to be on the disk with the bytes, before the name."""
        if self._keep_time:
            self._set_time()

    def commit(self) -> None:
        """Gives the result its name. Its bytes are on the disk, its folder is to be synced, and
        no signal comes between (`undisturbed`). Failure, OSError."""
        if self._force or self._replaces is not None or self._is_placeholder():
            self._take_place()
        else:
            self._take_name()
        results.end_file(self)
        self._temporary = ""
        results.add_whole(self.name)
        self._set_mode()

    def sync_folder(self) -> None:
        """Syncs the folder. Errors are ignored: its results have names and are whole."""
        if self._folder is not None:
            self._folder.sync()
        else:
            sync_folder(os.path.dirname(self._path))

    @property
    def descriptor(self) -> int:
        """The open temporary file."""
        return self._fd

    def close(self) -> None:
        """Closes the file, and removes it if it has no name yet. OSError with the destination's
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
        """Replaces what stands there, if that is still what may be replaced."""
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
            if rename_new(self._temporary, self._path, folder=self._at):
                return
            os.link(self._temporary, self._path, src_dir_fd=self._at, dst_dir_fd=self._at)
        except FileExistsError:
            raise self._exists() from None
        except OSError:  # EPERM, EOPNOTSUPP, on Android EACCES: there are no links
            with suppress(FileNotFoundError):
                os.lstat(self._path, dir_fd=self._at)
                raise self._exists() from None
            os.rename(self._temporary, self._path, src_dir_fd=self._at, dst_dir_fd=self._at)
        else:
            os.unlink(self._temporary, dir_fd=self._at)

    def _set_time(self) -> None:
        """Before the name, so that no whole result has another. What the file system does not
        keep, it does not keep."""
        model = self._source if self._in_place is None else self._in_place
        if model is not None:
            times = model.st_atime_ns, model.st_mtime_ns
            try:
                os.utime(self._fd if os.utime in os.supports_fd else self._temporary, ns=times)
            except OSError:
                return

    def _set_mode(self) -> None:
        if self._in_place is not None:  # it stays whose it was, where that may be said
            with suppress(OSError):
                os.fchown(self._fd, self._in_place.st_uid, self._in_place.st_gid)
        try:
            os.fchmod(self._fd, self._mode())
        except OSError:
            return

    def _mode(self) -> int:
        """The bits of rule 6."""
        if self._is_key:
            return 0o600
        mode = bits_like(self._source, self._fd) & ~self._umask
        if self._found is None or self._is_placeholder():
            return mode
        replaced = bits_like(self._found, self._fd)
        # Where others may write, the file may be there for the sake of its bits.
        is_owners = self._found.st_uid == os.fstat(self._fd).st_uid
        return replaced if is_owners else replaced & mode
