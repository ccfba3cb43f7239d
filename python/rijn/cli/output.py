"""Where results go. docs/command-line.md has the table of what may be a destination, and
of what --force changes about that. What else is kept here:

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

import codecs
import os
import re
import shlex
import signal
import stat
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal, Self

import click

from . import standard, streams
from .failures import Exit, Failure, Interrupted, naming, running
from .permissions import without_acl
from .rename import rename_new

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import FrameType, TracebackType

STDOUT = "-"

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_held: list[int] | None = None  # the signals that came during a commit; None outside of one
_unfinished: set[Destination] = set()  # whose temporary files exist or are about to
_whole: list[str] = []  # the names of this run's results that are whole
_begun: list[Destination] = []  # pipes and devices that results are going to
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Signals:
    """Makes the first signal that asks for an end raise Interrupted; later ones do nothing.

    A signal that was ignored when the program started (as by nohup) stays so.
    """

    def __init__(self) -> None:
        self._former = {each: signal.getsignal(each) for each in _SIGNALS}
        self._set(self._interrupt)

    def ignore(self) -> None:
        """From here on none of them does anything."""
        self._set(signal.SIG_IGN)

    def give_back(self) -> None:
        """The handlers of before."""
        for each, handler in self._former.items():
            signal.signal(each, handler)

    def _interrupt(self, number: int, _frame: FrameType | None) -> None:
        self.ignore()
        if _held is None:
            raise Interrupted(number)
        _held.append(number)

    def _set(self, to: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
        for each, handler in self._former.items():
            if handler is not signal.SIG_IGN:
                signal.signal(each, to)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A signal that comes meanwhile raises Interrupted at the end, unless there is an error.
    To other threads than the main one none comes. Inside another such block it is the outer
    block that raises."""
    global _held
    if threading.current_thread() is not threading.main_thread() or _held is not None:
        yield
        return
    _held = []
    try:
        yield
    finally:
        came, _held = _held, None
    for number in came:
        raise Interrupted(number)


@contextmanager
def committing(name: str) -> Iterator[None]:
    """In the block a result gets this name: signals wait for its end, from which on it is whole."""
    with undisturbed():
        yield
        _whole.append(name)


def forget() -> None:
    """Begins a run: there are no results yet."""
    _whole.clear()
    _begun.clear()


def forget_begun() -> None:
    """What pipes and devices have got is told of."""
    _begun.clear()


def discard_unfinished() -> None:
    """Removes the temporary files of results that never became whole."""
    for each in list(_unfinished):
        with suppress(OSError):
            os.unlink(each.temporary)
    _unfinished.clear()


def left(*, whole: bool = True) -> str:
    """What there is of this run's results, whole or in part; "" if there is nothing.

    whole: tell of those, too."""
    said = []
    if whole and len(_whole) > 1:
        said = [f"{len(_whole):,} results are whole"]
    elif whole:
        said = [f"the result in {name} is whole" for name in _whole]
    said += [
        f"the {each.written:,} bytes that went to {each.name} are not whole"
        for each in _begun
        if each.written
    ]
    return "; ".join(said)


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
        self.name = path
        self.written = 0  # bytes
        self.is_terminal = False
        self._folder = folder
        # Names are relative to this descriptor, unless it is None.
        self._at = None if folder is None else folder.fd
        self._path = ""  # where the result gets its name; "" while it is a pipe or a device
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
        self._text: codecs.IncrementalDecoder | None = None
        self._descriptor = None
        if folder is None:
            self._descriptor = 1 if path == STDOUT else streams.descriptor(path)
        if not path:  # an unset variable of a script's
            raise click.UsageError("The destination has no name.")
        if folder is not None:
            self._found = self._look_in(folder)
        elif self._descriptor is None:
            self._found = self._look()
        else:
            self._found = self._look_at_descriptor(self._descriptor)
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
        if self.is_terminal:
            self._text = codecs.getincrementaldecoder("utf-8")()
        self._umask = umask() if folder is None else folder.umask

    # ---- The rules ----

    def _look_in(self, folder: Folder) -> os.stat_result | None:
        """As _look, in an open folder, where no link is followed."""
        self._path = self.name.rpartition(os.sep)[2]
        if self._path not in folder.names:  # what has come since, _take_name finds
            return None
        with suppress(FileNotFoundError), naming(self.name):
            found = os.lstat(self._path, dir_fd=folder.fd)
            if not stat.S_ISREG(found.st_mode):
                raise self._became_another()
            return found
        return None

    def _look(self) -> os.stat_result | None:
        """What stands under the name; sets _path if the result gets a name. Failure."""
        # A symbolic link stays one. realpath follows those that the kernel would not, which
        # somebody else has planted in a shared folder: so the kernel looks afterwards.
        path = os.path.realpath(self.name)
        try:
            found = os.stat(self.name)
        except FileNotFoundError:
            found = None
        if found is None or stat.S_ISREG(found.st_mode):
            if found is not None and not os.path.samestat(found, os.lstat(path)):
                raise Failure(f"{self.name}: changed meanwhile", "try again", Exit.OTHER)
            folder = os.path.dirname(path)
            if not os.path.basename(self.name):
                raise Failure(f"{self.name}: there is no such folder", "make it first", Exit.OTHER)
            if not os.path.isdir(folder):
                raise Failure(
                    f"{self.name}: there is no folder {folder}", "make it first", Exit.OTHER
                )
            if found is None and streams.is_system_folder(folder):
                raise Failure(
                    f"{self.name}: there is no such device, and {folder} does not keep files",
                    "name a file in another folder",
                    Exit.REFUSED,
                )
            self._path = path
            return found
        if stat.S_ISDIR(found.st_mode):
            raise Failure(f"{self.name}: is a folder", "name the file to write in it", Exit.REFUSED)
        if stat.S_ISSOCK(found.st_mode):
            raise Failure(f"{self.name}: is a socket", "name a file or a pipe", Exit.REFUSED)
        if stat.S_ISBLK(found.st_mode) and not self._force:
            raise Failure(
                f"{self.name}: is a block device",
                "choose a file" if self._is_key else "--force overwrites what is on it",
                Exit.REFUSED,
            )
        if stat.S_ISCHR(found.st_mode):
            fd = os.open(self.name, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
            self.is_terminal = os.isatty(fd)
            os.close(fd)
        return found

    def _look_at_descriptor(self, fd: int) -> os.stat_result:
        """The same for one that whoever started the program has opened."""
        if fd == 1:
            self.name = "standard output"
        if fd in standard.closed:
            raise Failure(f"{self.name} is closed", "name a destination", Exit.OTHER)
        try:
            found = os.fstat(fd)
        except OSError as error:
            error.filename = self.name
            raise
        self.is_terminal = os.isatty(fd)
        if self._is_key and stat.S_ISREG(found.st_mode) and found.st_mode & 0o077:
            raise Failure(
                f"others could read the file that {self.name} is redirected to",
                f"{running()} -o FILE makes one that is safe",
                Exit.KEY_FILE,
            )
        return found

    def _check_inputs(self, found: os.stat_result) -> None:
        if self._source is not None and _overlap(found, self._source):
            raise Failure(
                f"{self.name}: source and destination are the same file",
                "name another destination",
                Exit.REFUSED,
            )
        if any(_overlap(found, key) for key in self._keys):
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
                    raise self._became_another()
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
            _unfinished.add(self)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            try:
                self._fd = os.open(self._temporary, flags, 0o600, dir_fd=self._at)
            except OSError as error:
                _unfinished.discard(self)
                error.filename = self.name
                raise
            return self
        if self._descriptor is not None:
            sys.stdout.flush()
            self._fd = os.dup(self._descriptor)
        else:
            self._fd = self._open_device()
        if not self.is_terminal:
            _begun.append(self)
        return self

    def _open_device(self) -> int:
        """What the rules were checked for, and nothing that took its name since."""
        assert self._found is not None
        flags = os.O_WRONLY | getattr(os, "O_NOCTTY", 0)
        if stat.S_ISBLK(self._found.st_mode):
            flags |= os.O_EXCL  # Linux: EBUSY if it is mounted
        fd = os.open(self.name, flags)
        opened = os.fstat(fd)
        same_kind = stat.S_IFMT(opened.st_mode) == stat.S_IFMT(self._found.st_mode)
        if not (same_kind and os.path.samestat(opened, self._found)):  # numbers come again
            os.close(fd)
            raise self._became_another()
        return fd

    def _became_another(self) -> Failure:
        return Failure(f"{self.name}: became another file meanwhile", "try again", Exit.REFUSED)

    def write(self, data: memoryview | bytes) -> None:
        """Writes all of it. OSError with the destination's name; Failure (rule 5)."""
        if self._text is not None:
            data = self._only_text(self._text, bytes(data), last=False)
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
            self._only_text(self._text, b"", last=True)
        if self._found is not None and stat.S_ISBLK(self._found.st_mode):
            os.fsync(self._fd)  # that is where its errors show
        if self in _begun:
            _begun.remove(self)
            _whole.append(self.name)

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
        _unfinished.discard(self)
        self._temporary = ""
        _whole.append(self.name)
        self._set_mode()

    def sync_folder(self) -> None:
        """Syncs the folder. Errors are ignored: its results have names and are whole."""
        if self._folder is not None:
            self._folder.sync()
        else:
            _sync(os.path.dirname(self._path))

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
                _unfinished.discard(self)

    def _take_place(self) -> None:
        """Replaces what stands there, if that is still what may be replaced."""
        try:
            found = os.lstat(self._path, dir_fd=self._at)
            self._found = without_acl(found, self._path, follow_symlinks=False, folder=self._at)
        except FileNotFoundError:
            if self._replaces is not None:
                raise self._became_another() from None
        else:
            if not stat.S_ISREG(self._found.st_mode):
                raise self._became_another()
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
        mode = _bits(self._source, self._fd) & ~self._umask
        if self._found is None or self._is_placeholder():
            return mode
        replaced = _bits(self._found, self._fd)
        # Where others may write, the file may be there for the sake of its bits.
        is_owners = self._found.st_uid == os.fstat(self._fd).st_uid
        return replaced if is_owners else replaced & mode


class Folder:
    """An open folder for results, whose names are relative to its descriptor: no link that
    somebody plants in its path counts. It is closed when nobody holds it any more."""

    def __init__(self, path: str, fd: int, names: Iterable[str] | None = None) -> None:
        """names: its entries, if they are known. OSError."""
        self.path = path
        self.fd = fd
        self.umask = umask()
        with naming(path):
            self.status = os.fstat(fd)
            self.names = frozenset(os.listdir(fd) if names is None else names)
        self.identity = self.status.st_dev, self.status.st_ino
        self._holders = 1

    def hold(self) -> Self:
        """Keeps it open until it is released once more."""
        self._holders += 1
        return self

    def release(self) -> None:
        self._holders -= 1
        if not self._holders:
            os.close(self.fd)

    def sync(self) -> None:
        """Syncs it. Errors are ignored: its results have names and are whole."""
        with suppress(OSError):
            os.fsync(self.fd)


def open_folder(path: str, at: int | None = None, *, follow: bool = False) -> int:
    """The descriptor of a folder, of that name in the folder `at`. Without `follow` a link to a
    folder is no folder. OSError."""
    flags = os.O_RDONLY | os.O_DIRECTORY | (0 if follow else os.O_NOFOLLOW)
    return os.open(path, flags, dir_fd=at)


def make_folder(path: str, model: os.stat_result, above: Folder) -> Folder:
    """Opens the folder of that path, in the folder above it. Makes it if there is none, with the
    permission bits of another as of rule 6, but that its owner may do anything. A new folder keeps
    the setgid bit that it gets from the folder above, which is to be synced. In the main thread.
    OSError; Failure where something else has the name, a link to a folder included."""
    name, made = os.path.basename(path), True
    with naming(path):
        try:
            os.mkdir(name, 0o700, dir_fd=above.fd)
        except FileExistsError:
            made = False
            if not stat.S_ISDIR(os.lstat(name, dir_fd=above.fd).st_mode):
                text = f"{path}: exists already, and is no folder"
                raise Failure(text, "move it away", Exit.REFUSED) from None
        fd = open_folder(name, above.fd)
    try:
        if made:
            with suppress(OSError):
                inherited = os.fstat(fd).st_mode & stat.S_ISGID
                os.fchmod(fd, inherited | 0o700 | _bits(model, fd) & ~above.umask)
        return Folder(path, fd, () if made else None)
    except BaseException:
        os.close(fd)
        raise


def umask() -> int:
    """Return the mask of the process. Nothing but setting it tells it, so no signal may come between."""
    with undisturbed():
        mask = os.umask(0o077)
        os.umask(mask)
    return mask


def _sync(path: str) -> None:
    """A folder, as well as that can be done: what has got a name in it is whole."""
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def unchanged(path: str, read: os.stat_result, *, folder: int | None = None) -> bool:
    """Tells whether a name, in an open folder, still stands for the unchanged file that was read.
    OSError."""
    found = os.lstat(path, dir_fd=folder)
    return (
        stat.S_ISREG(found.st_mode)
        and os.path.samestat(found, read)
        and (found.st_size, found.st_mtime_ns) == (read.st_size, read.st_mtime_ns)
    )


def _bits(model: os.stat_result | None, result: int) -> int:
    """The permission bits of an open file, or folder, that takes after another. OSError."""
    if model is None or not (stat.S_ISREG(model.st_mode) or stat.S_ISDIR(model.st_mode)):
        return 0o666
    mode = stat.S_IMODE(model.st_mode) & 0o777
    elsewhere = mode & (0o707 | (mode & 0o007) << 3)  # in a group, they were for other people
    if elsewhere != mode and model.st_gid != os.fstat(result).st_gid:
        return elsewhere
    return mode


def _overlap(a: os.stat_result, b: os.stat_result) -> bool:
    """Whether writing to one file changes what is read from the other, as far as can be told."""
    if stat.S_ISBLK(a.st_mode) and stat.S_ISBLK(b.st_mode):
        one, other = _in_sysfs(a), _in_sysfs(b)
        nested = f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")
        return a.st_rdev == b.st_rdev or nested  # a disk and its partition
    for device, file in ((a, b), (b, a)):
        if stat.S_ISBLK(device.st_mode) and stat.S_ISREG(file.st_mode):
            with suppress(OSError), open(f"{_in_sysfs(device)}/loop/backing_file") as backing:
                return os.path.samestat(os.stat(backing.read().rstrip("\n")), file)
    kinds = (stat.S_ISREG, stat.S_ISFIFO)
    return any(kind(a.st_mode) for kind in kinds) and os.path.samestat(a, b)


def _in_sysfs(device: os.stat_result) -> str:
    number = f"{os.major(device.st_rdev)}:{os.minor(device.st_rdev)}"
    return os.path.realpath(f"/sys/dev/block/{number}")
