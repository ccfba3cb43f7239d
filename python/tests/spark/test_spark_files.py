"""--engine spark for trees: executors and one machine make the same files."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rijn import chunked
from rijn.cli import main
from rijn.files import format_key
from rijn.spark import files
from rijn.spark.files import Changed, Failed, Job, Pinned, Repeated

KEY = bytes(range(16))
SIZES = {"empty": 0, "small": 5, "chunk": chunked.CHUNK, "large": 300 * chunked.CHUNK + 7}


@pytest.fixture
def photos(folder: Path, spark: Any) -> Path:
    key = folder / ".key"
    key.write_text(format_key(KEY))
    key.chmod(0o600)
    root = folder / "photos"
    (root / "2024").mkdir(parents=True)
    for name, size in SIZES.items():
        (root / "2024" / name).write_bytes(os.urandom(size))
    return root


def run(command: str, *arguments: str, engine: str = "spark") -> int:
    return main([command, "-r", "-k", ".key", *arguments, "--engine", engine])


def tree_of(root: str | Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in Path(root).rglob("*")
        if path.is_file()
    }


def job_of(spark: Any, source: Path, target: Path, message: chunked.Message, context: bytes) -> Job:
    """Returns the job that seals, and begins its target."""
    target.write_bytes(context + message.prefix)
    status = source.stat()
    return Job(
        Pinned.pin(str(source), status),
        str(target),
        target.stat().st_ino,
        status.st_size,
        files.range_size(spark, status.st_size),
        (os.path.abspath(".key"),),
        message.prefix,
        message.aead.name,
        context,
        None,
    )


# ---- There and back -------------------------------------------------------------------


@pytest.mark.parametrize("bare", [(), ("--bare",)], ids=["rijn", "bare"])
def test_each_engine_opens_files_of_the_other(
    photos: Path, bare: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree_of(photos)
    assert run("encrypt", "photos", "out", *bare) == 0
    assert len(tree_of("out")) == 4
    assert run("decrypt", "out", "back", *bare, engine="local") == 0
    assert tree_of("back") == before
    assert run("decrypt", "out", "again", *bare) == 0
    assert tree_of("again") == before
    capsys.readouterr()
    assert run("encrypt", "photos", "out", *bare, engine="local") == 0
    assert capsys.readouterr().err == "rijn: photos: 0 encrypted (0 bytes), 4 there already\n"


def test_the_bytes_of_messages_are_those_of_one_machine(photos: Path, spark: Any) -> None:
    """Several files as one job. The large file has several ranges."""
    jobs, wanted = [], {}
    for number, name in enumerate(SIZES):
        salt = bytes([number] * 24)
        message = chunked.Message(KEY, salt, aead=None, context=b"bound", backend=None)
        source, target = photos / "2024" / name, photos / f"of-{name}"
        data = source.read_bytes()
        sealed = bytearray(chunked.sealed_size(len(data), message.aead))
        sealed[: chunked.PREFIX] = message.prefix
        message.seal(0, data, memoryview(sealed)[chunked.PREFIX :], last=True)
        wanted[target] = b"bound" + sealed
        jobs.append(job_of(spark, source, target, message, b"bound"))
    assert [len(job.firsts) for job in jobs] == [1, 1, 1, 5]
    assert files.seal(spark, jobs) == [None] * 4
    assert {target: target.read_bytes() for target in wanted} == wanted


def test_many_small_files_are_few_jobs(
    photos: Path, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        (photos / str(number)).write_bytes(b"%d" % number)
    sizes = []
    seal = files.seal

    def counted(spark: Any, jobs: list[Job]) -> list[Exception | None]:
        sizes.append(len(jobs))
        return seal(spark, jobs)

    monkeypatch.setattr(files, "seal", counted)
    assert run("encrypt", "photos", "out") == 0
    assert sum(sizes) == 44 and len(sizes) < 22, sizes
    assert run("decrypt", "out", "back") == 0
    assert tree_of("back") == tree_of(photos)


# ---- No chunk is sealed twice ---------------------------------------------------------


def test_a_range_that_was_begun_is_not_sealed_again(photos: Path, spark: Any) -> None:
    """Not even by a first attempt, for example of a stage that is submitted again. Here it is another
    job, whose source looks the same and differs."""
    source, target = photos / "2024/large", photos / "target"
    job = job_of(spark, source, target, chunked.Message.new(KEY), b"")
    assert files.seal(spark, [job]) == [None]
    once, status = target.read_bytes(), source.stat()
    source.write_bytes(os.urandom(status.st_size))
    os.utime(source, ns=(0, status.st_mtime_ns))
    job.source.check(source.stat())
    for _ in range(2):
        (error,) = files.seal(spark, [job])
        assert isinstance(error, Repeated)
        assert target.read_bytes() == once
    os.unlink(job.claim(64))  # as if that range had never been begun
    (error,) = files.seal(spark, [job])
    assert isinstance(error, Repeated)
    chunk = chunked.CHUNK + 16
    place = chunked.PREFIX + 64 * chunk
    found = target.read_bytes()
    assert (
        found[:place] == once[:place] and found[place + 64 * chunk :] == once[place + 64 * chunk :]
    )
    assert found != once


def test_tasks_after_the_end_of_the_claims_seal_nothing(photos: Path, spark: Any) -> None:
    source, target = photos / "2024/large", photos / "target"
    job = job_of(spark, source, target, chunked.Message.new(KEY), b"")
    assert files.seal(spark, [job]) == [None]
    os.rename(target, photos / "whole")
    once = (photos / "whole").read_bytes()
    files.release(job)
    assert not list(photos.glob(".rijn-*"))
    (error,) = files.seal(spark, [job])
    assert isinstance(error, Failed) and str(target) in str(error)
    assert set(tree_of(photos)) == {"whole", *(f"2024/{name}" for name in SIZES)}
    assert (photos / "whole").read_bytes() == once


def test_a_file_begins_anew_as_a_new_message_four_times(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another job has taken the claims of `large`. The other files are made."""
    seal, jobs = files.seal, list[Job]()

    def begun(spark: Any, given: list[Job]) -> list[Exception | None]:
        for job in given:
            if job.source.path.endswith("large"):
                jobs.append(job)
                Path(job.claim(128)).touch()
        return seal(spark, given)

    with monkeypatch.context() as patch:
        patch.setattr(files, "seal", begun)
        assert run("encrypt", "photos", "out") == 1
    assert "photos/2024/large: executors were lost 4 times (see" in capsys.readouterr().err
    assert len({job.prefix for job in jobs}) == len({job.target for job in jobs}) == 4
    assert set(tree_of("out")) == {f"2024/{name}.rijn" for name in ("empty", "small", "chunk")}
    assert run("encrypt", "photos", "out") == 0
    assert run("decrypt", "out", "back") == 0
    assert tree_of("back") == tree_of(photos)


# ---- Failures -------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, chunked.PREFIX + 64 * (chunked.CHUNK + 16), -1])
def test_an_overwritten_target_is_not_a_result(
    photos: Path, place: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some file systems write a client's partial page back as a whole page."""
    seal = files.seal

    def zeroed(spark: Any, jobs: list[Job]) -> list[Exception | None]:
        told = seal(spark, jobs)
        for job in jobs:
            if job.source.path.endswith("large"):
                at = place + len(job.context) if place > 0 else place
                with open(job.target, "r+b") as file:
                    file.seek(at, os.SEEK_SET if at >= 0 else os.SEEK_END)
                    (byte,) = file.read(1)
                    file.seek(-1, os.SEEK_CUR)
                    file.write(bytes([byte ^ 255]))
        return told

    monkeypatch.setattr(files, "seal", zeroed)
    assert run("encrypt", "photos", "out") == 1
    assert (
        "large: its result differs from the bytes that the executors wrote"
        in capsys.readouterr().err
    )
    assert set(tree_of("out")) == {f"2024/{name}.rijn" for name in ("empty", "small", "chunk")}


@pytest.mark.parametrize("how", ["another", "linked", "link"])
def test_nothing_goes_into_another_file(
    photos: Path, how: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An attacker with write access to the folder links or replaces the target."""
    assert run("encrypt", "photos", "out") == 0
    opened, seen = files.open, photos / "seen"

    def replaced(spark: Any, jobs: list[Job]) -> list[Exception | None]:
        for job in jobs:
            if how == "linked":
                os.link(job.target, f"{seen}-{Path(job.source.path).stem}")
                continue
            if how == "another":
                os.rename(job.target, seen)  # keeps its inode
                Path(job.target).touch()
            else:
                os.unlink(job.target)
                seen.touch()
                os.symlink(seen, job.target)
        found = opened(spark, jobs)
        for job in jobs:
            assert not Path(job.target).read_bytes()
        return found

    monkeypatch.setattr(files, "open", replaced)
    assert run("decrypt", "out", "back") == 1
    said = capsys.readouterr().err
    assert said.count("on an executor: ") == len(SIZES)
    assert not tree_of("back")


def test_executors_with_another_key_are_reported(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seal = files.seal

    def changed(spark: Any, jobs: list[Job]) -> list[Exception | None]:
        Path(".key").write_text(format_key(KEY[::-1]))
        return seal(spark, jobs)

    monkeypatch.setattr(files, "seal", changed)
    assert run("encrypt", "photos", "out") == 1
    said = capsys.readouterr().err
    assert said.count("on an executor: the key file has another key (the executors must") == 4
    assert not tree_of("out")


def test_a_source_that_becomes_a_pipe_is_refused(photos: Path, spark: Any) -> None:
    source, target = photos / "2024/small", photos / "target"
    job = job_of(spark, source, target, chunked.Message.new(KEY), b"")
    source.unlink()
    os.mkfifo(source)
    (error,) = files.seal(spark, [job])
    assert isinstance(error, Changed)


def test_a_replaced_source_is_refused(photos: Path, spark: Any) -> None:
    source, target = photos / "2024/large", photos / "target"
    message = chunked.Message.new(KEY)
    job = job_of(spark, source, target, message, b"")
    pinned = job.source
    for other in (
        replace(pinned, size=pinned.size - 1),
        replace(pinned, mtime_ns=pinned.mtime_ns + 1),
        replace(pinned, inode=pinned.inode + 1),
    ):
        (error,) = files.seal(spark, [replace(job, source=other)])
        assert isinstance(error, Changed)
        assert target.read_bytes() == message.prefix
    os.unlink(".key")
    (error,) = files.seal(spark, [job])
    assert isinstance(error, Failed) and "FileNotFoundError" in str(error)


def test_a_full_disk_is_reported_once(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def full(job: Job, first: int, *, sealing: bool) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", job.target)

    with monkeypatch.context() as patch:
        patch.setattr(files, "_range", full)
        assert run("encrypt", "photos", "out") == 8
    assert capfd.readouterr().err.count("No space left on device (make room") == 1
    assert not tree_of("out")


def test_a_source_that_changes_leaves_nothing(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The source changes after its ranges were sealed, and before the result has its name."""
    seal = files.seal

    def altered(spark: Any, jobs: list[Job]) -> list[Exception | None]:
        told = seal(spark, jobs)
        with (photos / "2024/small").open("ab") as file:
            file.write(b"!")
        return told

    monkeypatch.setattr(files, "seal", altered)
    assert run("encrypt", "photos", "out") == 1
    assert "photos/2024/small: changed while it was read (use" in capsys.readouterr().err
    assert set(tree_of("out")) == {f"2024/{name}.rijn" for name in ("empty", "large", "chunk")}


def test_unauthenticated_files_leave_no_result(
    photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("encrypt", "photos", "out") == 0
    path = Path("out/2024/large.rijn")
    data = bytearray(path.read_bytes())
    data[100 * (chunked.CHUNK + 16)] ^= 1
    path.write_bytes(data)
    assert run("decrypt", "out", "back") == 4
    assert "out/2024/large.rijn: damaged: chunk 99 " in capsys.readouterr().err
    assert set(tree_of("back")) == {"2024/empty", "2024/small", "2024/chunk"}


def test_refusals(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], spark: Any
) -> None:
    monkeypatch.setenv("PW", "secret")
    for text, arguments in (
        ("needs -r", ["-k", ".key", "photos/2024/small"]),
        ("needs --key-file with a regular file", ["-r", "--passphrase-env", "PW", "photos", "out"]),
        ("needs --key-file with a regular file", ["-r", "-k", "-", "photos", "out"]),
        ("needs --key-file with a regular file", ["-r", "-k", "/dev/null", "photos", "out"]),
        ("-j does not go with --engine spark", ["-r", "-k", ".key", "photos", "out", "-j", "2"]),
    ):
        assert main(["encrypt", *arguments, "--engine", "spark"]) == 2
        assert text in capsys.readouterr().err
    monkeypatch.setattr(
        type(spark.sparkContext), "getConf", lambda self: {"spark.speculation": " True"}
    )
    assert run("encrypt", "photos", "out") == 2
    assert "spark.speculation is on" in capsys.readouterr().err
    assert not tree_of("out")


# ---- Places without keys --------------------------------------------------------------


def test_no_key_is_in_the_logs_of_spark(photos: Path, events: Path) -> None:
    assert run("encrypt", "photos", "out") == 0
    logged = b"".join(path.read_bytes() for path in events.rglob("*") if path.is_file())
    assert b"SparkListenerTaskEnd" in logged
    for secret in (KEY, KEY.hex().encode()):
        assert secret not in logged


def test_no_key_is_in_a_task(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.serializers import CloudPickleSerializer

    sent = []
    dumps = CloudPickleSerializer.dumps

    def record(self: Any, what: object) -> bytes:
        sent.append(dumps(self, what))
        return sent[-1]

    monkeypatch.setattr(CloudPickleSerializer, "dumps", record)
    assert run("encrypt", "photos", "out") == 0
    assert any(str(photos.parent / ".key").encode() in it for it in sent)
    for secret in (KEY, KEY.hex().encode()):
        assert not any(secret in it for it in sent)
