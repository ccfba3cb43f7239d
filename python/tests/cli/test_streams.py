"""Files of every critical size, every input and output, and the cost of the program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.cobblestone import Cobblestone128Decryptor, Cobblestone128Encryptor
from program import KEY, LIMIT, RIJN, Result, call, names, start

Run = Callable[..., Result]
MIB = 1 << 20
SIZES = [0, 1, 16383, 16384, 16385, MIB - 1, MIB, MIB + 1, 5 * MIB + 12345]


@pytest.mark.parametrize("size", SIZES)
def test_round_trip(folder: Path, run: Run, size: int) -> None:
    data = os.urandom(size)
    Path("f").write_bytes(data)
    assert run("encrypt", "-q", "-k", ".key", "f") == Result(0, b"", "")
    Path("f").unlink()
    assert run("decrypt", "-q", "-k", ".key", "f.rijn") == Result(0, b"", "")
    assert Path("f").read_bytes() == data
    piped = run("encrypt", "-k", ".key", "--jobs", "1", stdin=data)
    assert run("decrypt", "-k", ".key", stdin=piped.out) == Result(0, data, "")
    assert names(folder) == {"f", "f.rijn"}


@pytest.mark.parametrize("size", SIZES)
def test_bare_interchanges_with_cryptography(folder: Path, run: Run, size: int) -> None:
    data = os.urandom(size)
    ours = run("encrypt", "--bare", "-k", ".key", stdin=data).out
    decryptor = Cobblestone128Decryptor(KEY, b"")
    assert decryptor.update(ours) + decryptor.finalize() == data
    encryptor = Cobblestone128Encryptor(KEY, b"")
    theirs = encryptor.update(data) + encryptor.finalize()
    assert run("decrypt", "--bare", "-k", ".key", stdin=theirs) == Result(0, data, "")


def test_python_dash_m_and_the_script_are_one_program(run: Run) -> None:
    from importlib.metadata import PackageNotFoundError, entry_points

    import rijn.__main__

    scripts = [entry for entry in entry_points(group="console_scripts") if entry.name == "rijn"]
    if not scripts:
        pytest.skip("the package runs from its sources, so no script is installed")
    try:
        assert scripts[0].load() is rijn.__main__.main
    except PackageNotFoundError as error:
        pytest.fail(str(error))
    assert run("--version").code == 0


def test_version_and_help(run: Run) -> None:
    import rijn

    assert run("--version") == Result(0, f"rijn {rijn.__version__}\n".encode(), "")
    help_text = run("--help").out.decode()
    for command in ("keygen", "encrypt", "decrypt", "info", "backends", "selftest"):
        assert f"  {command} " in help_text
        own = run(command, "--help")
        assert own.code == 0
        assert "Example" in own.out.decode()
    all_help = run("--help-all").out.decode()
    for code in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130):
        assert f"\n    {code} " in all_help


def test_the_manual_has_the_same_exit_codes() -> None:
    from rijn.cli.failures import EXIT_CODES

    manual = (Path(__file__).parents[3] / "docs" / "command-reference.md").read_text()
    assert dict(re.findall(r"^- (\d+): (.*)$", manual, re.MULTILINE)) == EXIT_CODES


def test_backends(run: Run) -> None:
    import rijn

    text, _, kernels = run("backends").out.decode().partition("\n\n")
    listed = text.splitlines()[1:]
    assert [line[2:].split()[0] for line in listed] == [b.name for b in rijn.backends()]
    (chosen,) = [line for line in listed if line.startswith("*")]
    assert chosen.split()[1] == rijn.AES(bytes(16)).backend
    several = [k for k in rijn.aegis_kernels() if k.name != k.backend]
    assert [line[2:].split()[:2] for line in kernels.splitlines()[2:]] == [
        [k.name, k.backend] for k in several
    ]
    safe = next((b.name for b in rijn.backends() if b.available and b.constant_time), "python")
    for backend in ("", safe, *{k.backend for k in several if k.available}):
        text = run("backends", env={"RIJN_BACKEND": backend}).out.decode()
        assert f"\n* {backend or rijn.AES(bytes(16)).backend} " in text
        named = {"backend": backend} if backend else {}
        kernel = rijn.AEGIS128L(bytes(16), **named).kernel
        marked = [line.split()[1] for line in text.splitlines() if line.startswith("*")]
        assert marked[1:] == [k.name for k in several if k.name == kernel]
        assert not several or f"\nAEGIS runs on the kernel {kernel} here.\n" in text


def test_selftest(run: Run) -> None:
    result = run("selftest")
    assert result.code == 0, result.out
    assert result.out.decode().splitlines()[-1].endswith(" checks, 0 failed")


def test_a_failed_selftest_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    import rijn.selftest
    from rijn.cli import main

    record = rijn.selftest.run()[0]
    wrong = record._replace(ok=False)
    monkeypatch.setattr(rijn.selftest, "run", lambda: [record, wrong])
    assert main(["selftest"]) == 1
    assert "WRONG" in capsys.readouterr().out


# ---- Cost ----


def test_start_up_is_short(folder: Path) -> None:
    """Counts modules: seconds would depend on the machine."""
    count = "print(len(sys.modules))"
    version = f"import sys; from rijn.cli import main; main(['--version']); {count}"
    bare, whole = (
        int(call([sys.executable, "-c", code]).out.split()[-1])
        for code in (f"import sys; {count}", version)
    )
    assert bare < whole < bare + 110


def test_start_up_loads_only_necessary_modules(folder: Path) -> None:
    done = call([sys.executable, "-X", "importtime", "-m", "rijn", "--version"])
    assert done.code == 0
    loaded = {line.split("|")[-1].strip() for line in done.err.splitlines()}
    assert "rijn.cli" in loaded
    unwanted = {"rijn.chunked", "rijn.aead", "rijn._native", "rijn.cli.encrypt"}
    unwanted |= {"rich", "argon2", "concurrent.futures.thread", "asyncio"}
    assert not loaded & unwanted


def test_the_python_backend_is_enough(folder: Path, run: Run) -> None:
    """Without the native module everything works and gives the same bytes."""
    hide = (
        "import sys; sys.modules['rijn._native'] = None\n"
        "from rijn.cli import main; sys.exit(main())"
    )
    Path("f").write_bytes(b"data" * 10_000)
    without = [sys.executable, "-c", hide]
    assert call([*without, "encrypt", "-k", ".key", "f"]).code == 0
    assert run("decrypt", "-k", ".key", "f.rijn", "-o", "-").out == b"data" * 10_000
    assert run("encrypt", "-f", "-k", ".key", "f").code == 0
    assert call([*without, "decrypt", "-k", ".key", "f.rijn", "-o", "g"]).code == 0
    assert Path("g").read_bytes() == b"data" * 10_000


# Runs the program and writes its peak memory, in KiB, to the file that PEAK names. (ru_maxrss does
# not work: across fork and exec it starts with the value of the process that runs the tests.)
MEASURED = [
    sys.executable,
    "-c",
    (
        "import os, re, sys\n"
        "from rijn.cli import main\n"
        "code = main()\n"
        "peak = re.search(r'VmHWM:\\s+(\\d+) kB', open('/proc/self/status').read())[1]\n"
        "open(os.environ['PEAK'], 'w').write(peak)\n"
        "sys.exit(code)\n"
    ),
]
MEMORY = 100 * 1024  # KiB
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/status")


def pipe_through(size: int, jobs: str) -> None:
    """Encrypts a sparse file of `size` bytes and decrypts the result, through pipes, so that it needs
    no disk space. Checks the output, and the peak memory."""
    with open("sparse", "wb") as file:
        file.truncate(size)
    options = ["-k", ".key", "--jobs", jobs]
    sealing = start(
        [*MEASURED, "encrypt", *options, "sparse", "-o", "-"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PEAK": "sealing"},
    )
    opening = start(
        [*MEASURED, "decrypt", *options],
        stdin=sealing.stdout,
        stdout=subprocess.PIPE,
        env={**os.environ, "PEAK": "opening"},
    )
    assert sealing.stdout is not None and opening.stdout is not None
    sealing.stdout.close()
    zeros = bytes(MIB)
    count = 0
    with opening.stdout as out:
        while data := out.read(MIB):
            assert data == zeros[: len(data)]
            count += len(data)
    assert (sealing.wait(LIMIT), opening.wait(LIMIT)) == (0, 0)
    assert count == size
    for peak in ("sealing", "opening"):
        assert int(Path(peak).read_text()) < MEMORY


@linux_only
@pytest.mark.parametrize("jobs", ["1", "2", "1000"])
def test_memory_is_bounded(folder: Path, jobs: str) -> None:
    pipe_through(150 * MIB + 1, jobs)


@linux_only
def test_memory_with_a_passphrase(folder: Path) -> None:
    """Argon2id's 64 MiB and the program stay under the limit together."""
    Path("f").write_bytes(bytes(10 * MIB))
    environment = {**os.environ, "PW": "open sesame", "PEAK": "peak"}
    assert call([*MEASURED, "encrypt", "--passphrase-env", "PW", "f"], env=environment).code == 0
    assert 64 * 1024 < int(Path("peak").read_text()) < MEMORY


@linux_only
@pytest.mark.thorough
def test_several_gib(folder: Path) -> None:
    """Tests more than 2^32 bytes."""
    pipe_through((1 << 32) + 5, str(os.cpu_count()))


# ---- Several files ----


def test_rm_leaves_a_source_that_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """rekey does the same: bytes appended after the read exist nowhere else."""
    from rijn.cli import main
    from rijn.cli.destination import Destination

    commit = Destination.commit

    def late(destination: Destination) -> None:
        with open(grows, "ab") as file:
            file.write(b"precious")
        commit(destination)

    Path("f").write_bytes(b"data")
    assert main(["encrypt", "-k", ".key", "f", "-o", "g.rijn"]) == 0
    sealed = Path("g.rijn").read_bytes()
    monkeypatch.setattr(Destination, "commit", late)
    grows = "f"
    assert main(["encrypt", "--rm", "-k", ".key", "f"]) == 1
    assert "f.rijn is whole, but the source is not removed" in capfd.readouterr().err
    assert Path("f").read_bytes() == b"dataprecious"
    grows = "g.rijn"
    monkeypatch.setenv("PW", "x")
    assert main(["rekey", "-k", ".key", "--new-passphrase-env", "PW", "g.rijn"]) == 9
    assert "became another file meanwhile" in capfd.readouterr().err
    assert Path("g.rijn").read_bytes() == sealed + b"precious"
    assert names(folder) == {"f", "f.rijn", "g.rijn"}


def test_rm_spares_a_file_that_took_the_source_s_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from rijn.cli import main
    from rijn.cli.destination import Destination

    commit = Destination.commit

    def late(destination: Destination) -> None:
        os.rename("f", "old")
        Path("f").write_bytes(b"data")
        commit(destination)

    Path("f").write_bytes(b"data")
    monkeypatch.setattr(Destination, "commit", late)
    assert main(["encrypt", "--rm", "-k", ".key", "f"]) == 1
    assert "f.rijn is whole, but the source is not removed" in capfd.readouterr().err
    assert names(folder) == {"f", "f.rijn", "old"}


def test_rekey_does_not_restore_a_removed_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rijn.cli import main
    from rijn.cli.destination import Destination

    commit = Destination.commit

    def late(destination: Destination) -> None:
        os.unlink("f.rijn")
        commit(destination)

    Path("f").write_bytes(b"data")
    assert main(["encrypt", "-k", ".key", "f"]) == 0
    monkeypatch.setattr(Destination, "commit", late)
    monkeypatch.setenv("PW", "x")
    assert main(["rekey", "-k", ".key", "--new-passphrase-env", "PW", "f.rijn"]) == 9
    assert names(folder) == {"f"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_rekey_leaves_a_file_to_its_owner(folder: Path, run: Run) -> None:
    Path("f").write_bytes(b"data")
    assert run("encrypt", "-k", ".key", "f").code == 0
    os.chmod("f.rijn", 0o640)
    os.chown("f.rijn", 65534, 65534)
    assert (
        run("rekey", "-k", ".key", "--new-passphrase-env", "PW", "f.rijn", env={"PW": "x"}).code
        == 0
    )
    now = os.stat("f.rijn")
    assert (now.st_uid, now.st_gid, now.st_mode & 0o777) == (65534, 65534, 0o640)


def test_one_file_that_asks_for_too_much_memory_does_not_stop_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from rijn.cli import main
    from rijn.files import Argon2id

    derive = Argon2id.derive

    def scarce(self: Argon2id, passphrase: str, size: int) -> bytes:
        if b"wants more" in Path("a.rijn").read_bytes() and not tried:
            tried.append(self)
            raise MemoryError
        return derive(self, passphrase, size)

    tried: list[Argon2id] = []
    monkeypatch.setenv("PW", "x")
    for name in ("a", "b"):
        Path(name).write_bytes(b"data")
        assert main(["encrypt", "--rm", "--passphrase-env", "PW", name]) == 0
    with open("a.rijn", "ab") as file:
        file.write(b"wants more")
    monkeypatch.setattr(Argon2id, "derive", scarce)
    assert main(["decrypt", "--passphrase-env", "PW", "a.rijn", "b.rijn"]) == 1
    assert "rijn: a.rijn: its passphrase needs 64 MiB of memory" in capfd.readouterr().err
    assert Path("b").read_bytes() == b"data"


def test_a_reader_that_goes_ends_a_verification(folder: Path, run: Run) -> None:
    for name in ("a", "b", "c"):
        Path(name).write_bytes(b"data")
    assert run("encrypt", "-k", ".key", "a", "b", "c").code == 0
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        done = call([*RIJN, "verify", "-k", ".key", "a.rijn", "b.rijn", "c.rijn"], stdout=gone)
    assert done == Result(141, b"", "")


def test_output_of_one_file_is_not_reported_for_the_next(folder: Path, run: Run) -> None:
    data = run("encrypt", "-k", ".key", stdin=bytes(3 * MIB)).out
    done = run("decrypt", "-k", ".key", "-", "none.rijn", stdin=data[:-5])
    first, second, last = done.err.splitlines()
    assert "bytes that went to standard output are not whole" in first
    assert second == "rijn: none.rijn: No such file or directory (check the name)"
    assert last == "rijn: 0 of 2 files decrypted, 2 failed" and done.code == 5


def test_a_file_without_permission_is_one_failure(folder: Path, run: Run) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read all")
    for name in ("a", "b"):
        Path(name).write_bytes(b"data")
    os.chmod("a", 0)
    assert run("encrypt", "-k", ".key", "a", "b").code == 1
    assert Path("b.rijn").exists()


def test_names_outside_the_encoding_are_shown(folder: Path, run: Run) -> None:
    Path("ł  ł").write_bytes(b"data")
    assert run("encrypt", "-k", ".key", "ł  ł").code == 0
    said = run("verify", "-k", ".key", "ł  ł.rijn", env={"PYTHONIOENCODING": "latin1"})
    assert said.out == b"\\u0142  \\u0142.rijn: whole, 4 bytes\n"
    assert "-o 'ł  ł' --force" in run("decrypt", "-k", ".key", "ł  ł.rijn").err
