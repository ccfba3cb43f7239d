"""Runs two executor processes (local-cluster), and kills one in the middle of a job. Checks that
every row exists exactly once and under its own nonce. Checks a tree, too, whose large file began
anew, as a new message. test_spark_cluster.py runs it, by spark-submit, with a folder as its argument.
At the end it prints "whole".

Rijn's own functions do not help with this: a function of the script kills, before them in the same
tasks or around them.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROWS, PARTS = 12_000, 12
KILLED = 4  # the number of a partition
FOLDER = Path(sys.argv[1])


def once(name: str) -> bool:
    """Returns whether this is the first call for that name, in all processes."""
    try:
        os.close(os.open(FOLDER / name, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def executor() -> int:
    """Returns the executor process of this Python."""
    process = os.getpid()
    while "CoarseGrainedExecutorBackend" not in Path(f"/proc/{process}/cmdline").read_text():
        process = parent(process)
    return process


def disturbed(batches: Iterator[Any]) -> Iterator[Any]:
    """Records which executor has a partition. Kills the first executor with partition KILLED halfway
    through."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    (FOLDER / f"executor-{executor()}").touch()
    for place, batch in enumerate(batches):
        yield batch
        if context.partitionId() == KILLED and place == 1:
            kill_once("")


def kill_once(task: str) -> None:
    """Kills the first executor that arrives here."""
    if once(f"{task}killed"):
        (FOLDER / f"{task}killed-{executor()}").touch()
        os.kill(executor(), signal.SIGKILL)
        time.sleep(60)  # the executor's end ends this process
    (FOLDER / f"{task}again-{executor()}").touch()


def noted(task: str) -> set[str]:
    """Returns the executors that recorded this."""
    return {path.name.rpartition("-")[2] for path in FOLDER.glob(f"{task}-*")}


def main() -> None:
    import rijn.spark

    spark = rijn.spark.session()
    spark.sparkContext.setLogLevel("ERROR")
    assert spark.sparkContext.master.startswith("local-cluster[2,"), spark.sparkContext.master
    check_rows(spark)
    check_files()
    spark.stop()
    print("whole")


# ---- Columns --------------------------------------------------------------------------


def check_rows(spark: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    import rijn.spark
    from rijn.columns import Column, Keyset

    columns = {
        "email": Column(Keyset.from_file(FOLDER / "xaes"), context="email"),
        "ssn": Column(Keyset.from_file(FOLDER / "siv"), "siv", context="ssn"),
        "phone": Column(Keyset.from_file(FOLDER / "spark"), "spark"),
    }
    plain = spark.range(0, ROWS, 1, PARTS).selectExpr(
        "id",
        "if(id % 7 = 3, null, concat('user', id % 1000, '@example.com')) AS email",
        "concat('ssn-', id % 100) AS ssn",
        "cast(id * 7919 AS string) AS phone",
    )
    sealed = rijn.spark.seal(
        plain.mapInArrow(disturbed, plain.schema), columns, aad={"email": "id"}
    )
    target = FOLDER / "sealed"
    sealed.write.parquet(str(target))
    ran, killed, again = noted("executor"), noted("killed"), noted("again")
    assert len(ran) >= 2 and len(killed) == len(again) == 1 and not killed & again
    assert killed | again <= ran

    whole = pq.read_table(target).sort_by("id")
    was = {
        "email": [None if i % 7 == 3 else f"user{i % 1000}@example.com" for i in range(ROWS)],
        "ssn": [f"ssn-{i % 100}" for i in range(ROWS)],
        "phone": [str(i * 7919) for i in range(ROWS)],
    }
    ids = list(range(ROWS))
    assert whole["id"].to_pylist() == ids, "rows are lost or doubled"
    bound = pa.array([str(i) for i in ids])
    for name, column in columns.items():  # on one machine
        opened = column.open(whole[name], bound if name == "email" else None, type="string")
        assert pa.chunked_array(opened).to_pylist() == was[name], name
    theirs = whole["ssn"].to_pylist()
    assert theirs == pa.array(columns["ssn"].seal(pa.array(was["ssn"]))).to_pylist()
    for name, size in (("email", 24), ("phone", 12)):
        nonces = [row[:size] for row in whole[name].to_pylist() if row is not None]
        assert len(set(nonces)) == len(nonces) >= ROWS * 6 // 7, name

    again = rijn.spark.open(
        spark.read.parquet(str(target)),
        columns,
        aad={"email": "id"},
        types=dict.fromkeys(columns, "string"),
    )
    assert sorted(tuple(row) for row in again.collect()) == list(
        zip(ids, *(was[name] for name in ("email", "ssn", "phone")), strict=True)
    )


# ---- Files ----------------------------------------------------------------------------


def done_then_killed(job: Any, first: int, *, sealing: bool) -> None:
    """Wraps rijn.spark.files._range on the executors. The first executor that has finished the third
    range of a large file is killed before it reports."""
    from rijn.spark import files

    files._range(job, first, sealing=sealing)
    task = "sealing" if sealing else "opening"
    (FOLDER / f"{task}-{executor()}").touch()
    if first and first == job.firsts[2]:
        kill_once(f"{task}-")


def check_files() -> None:
    from rijn.chunked import CHUNK
    from rijn.cli import main
    from rijn.files import format_key
    from rijn.spark import files

    (FOLDER / "key").write_text(format_key(os.urandom(16)))
    (FOLDER / "key").chmod(0o600)
    photos = FOLDER / "photos"
    photos.mkdir()
    sizes = {"empty": 0, "small": 5, "chunk": CHUNK, "large": 1100 * CHUNK + 7}
    for name, size in sizes.items():
        (photos / name).write_bytes(os.urandom(size))
    messages, targets = set[bytes](), set[str]()
    before = files.seal, files.open, files._range

    def counted(run: Any) -> Any:
        def run_counted(spark: Any, jobs: list[files.Job]) -> list[Exception | None]:
            for job in jobs:
                if Path(job.source.path).stem == "large":
                    messages.add(job.prefix)
                    targets.add(job.target)
            found: list[Exception | None] = run(spark, jobs)
            return found

        return run_counted

    def run(command: str, source: str, result: str, *more: str) -> None:
        paths = str(FOLDER / source), str(FOLDER / result)
        assert main([command, "-r", "-k", str(FOLDER / "key"), *paths, *more]) == 0, command

    files.seal, files.open, files._range = *map(counted, before[:2]), done_then_killed
    try:
        run("encrypt", "photos", "out", "--engine", "spark")
        assert len(messages) == len(targets) >= 2, "it did not begin anew"
        run("decrypt", "out", "again", "--engine", "spark")
        assert len(targets) >= len(messages) + 2, "it did not begin anew"
    finally:
        files.seal, files.open, files._range = before
    for task in ("sealing", "opening"):
        ran, killed, again = noted(task), noted(f"{task}-killed"), noted(f"{task}-again")
        assert len(ran) >= 2 and len(killed) == len(again) == 1 and not killed & again, task
    assert {path.name for path in (FOLDER / "out").iterdir()} == {f"{name}.rijn" for name in sizes}
    run("decrypt", "out", "back")
    for name in sizes:
        plain = (photos / name).read_bytes()
        assert (FOLDER / "back" / name).read_bytes() == plain, name
        assert (FOLDER / "again" / name).read_bytes() == plain, name


main()
