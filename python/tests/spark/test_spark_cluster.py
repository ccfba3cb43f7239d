"""rijn.spark on two executor processes, and the commands as processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import LOCAL
from limits import LIMIT

from rijn.columns import Column, Keyset
from rijn.files import format_key

ROWS = 2000
CLUSTER = {
    "spark.master": "local-cluster[2,1,1024]",
    "spark.executor.memory": "1024m",
    "spark.log.level": "ERROR",
    "spark.executorEnv.SPARK_LOCAL_IP": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
}


def environment(folder: Path, settings: dict[str, str]) -> dict[str, str]:
    """Returns the environment of a process whose Spark has these settings."""
    import pyspark

    folder.mkdir()
    text = "".join(f"{key} {value}\n" for key, value in settings.items())
    (folder / "spark-defaults.conf").write_text(text)
    home = os.path.dirname(pyspark.__file__)
    ours = {key: value for key, value in os.environ.items() if "SPARK" not in key}
    return ours | {
        "SPARK_CONF_DIR": str(folder),
        "SPARK_HOME": home,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(folder / "work"),
        "PYSPARK_PYTHON": sys.executable,
    }


def submitted(
    script: Path, *arguments: str, env: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [f"{env['SPARK_HOME']}/bin/spark-submit", str(script), *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def test_an_executor_is_killed_in_the_middle(folder: Path) -> None:
    for format in ("xaes", "siv", "spark"):
        Keyset.generate(format).write(folder / format)
    settings = LOCAL | CLUSTER | {"spark.eventLog.enabled": "false"}
    env = environment(folder / "conf", settings)
    done = submitted(Path(__file__).with_name("cluster.py"), str(folder), env=env)
    assert done.returncode == 0 and done.stdout.endswith("whole\n"), done.stderr[-8000:]


# ---- The command as a process of its own -----------------------------------------------


def local(folder: Path) -> dict[str, str]:
    Keyset.generate("xaes").write(folder / "k")
    table = pa.table({"id": list(range(1000)), "email": [f"user{i}" for i in range(1000)]})
    pq.write_table(table, folder / "t.parquet")
    settings = LOCAL | {"spark.eventLog.enabled": "false", "spark.log.level": "ERROR"}
    return environment(folder / "conf", settings)


def seen(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"conf", "k", "submit.py"}


ENCRYPT = ("columns", "encrypt", "--engine", "spark", "t.parquet", "-c", "email", "-k", "k")


def test_by_spark_submit(folder: Path) -> None:
    env = local(folder)
    script = folder / "submit.py"
    script.write_text("from rijn.cli import main\n\nraise SystemExit(main())\n")
    done = submitted(script, *ENCRYPT, env=env)
    assert done.returncode == 0, done.stderr[-4000:]
    sealed = pq.read_table("t.sealed.parquet")["email"]
    column = Column(Keyset.from_file("k"), context="email")
    assert pa.chunked_array(column.open(sealed, type="string"))[7].as_py() == "user7"
    done = submitted(script, *ENCRYPT, env=env)
    assert (
        done.returncode == 9 and "t.sealed.parquet: exists already" in done.stdout
    )  # as errors, too
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}


def interrupted(
    env: dict[str, str],
    *arguments: str,
    begun: Callable[[], bool],
    number: int = signal.SIGINT,
    group: bool = False,
) -> None:
    """Sends this signal to a plain rijn, whose session begins and ends with it, once `begun` says so.
    With `group`, every process that it started gets the signal, too: then Spark's JVM ends."""

    def heeding() -> None:  # the parent process may ignore signals
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])

    with subprocess.Popen(
        [sys.executable, "-m", "rijn", *arguments],
        env=env,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heeding,  # noqa: PLW1509
        start_new_session=True,
    ) as process:
        try:
            end = time.monotonic() + LIMIT
            while not begun() and process.poll() is None:
                assert time.monotonic() < end
                time.sleep(0.02)
            if group:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
            _, said = process.communicate(timeout=LIMIT)  # until the JVM has closed it, too
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 128 + number, said
    assert said.endswith("rijn: interrupted (nothing was left behind)\n"), said
    assert "Traceback" not in said, said


def unfinished(folder: Path, count: int = 1) -> Callable[[], bool]:
    """Returns a check for at least `count` unfinished files."""
    return lambda: len([*folder.rglob(".rijn-*.part")]) >= count


def test_a_signal_while_the_jvm_starts_leaves_none(folder: Path) -> None:
    """pyspark waits for the JVM with a temporary folder."""
    (folder / "tmp").mkdir()
    env = local(folder) | {"TMPDIR": str(folder / "tmp")}
    interrupted(env, *ENCRYPT, begun=lambda: any((folder / "tmp").iterdir()))
    assert seen(folder) == {"t.parquet", "tmp"}


def test_a_signal_leaves_nothing(folder: Path) -> None:
    interrupted(local(folder), *ENCRYPT, begun=unfinished(folder))
    assert seen(folder) == {"t.parquet"}


def test_a_signal_to_the_jvm_too_leaves_nothing(folder: Path) -> None:
    env = local(folder)
    interrupted(env, *ENCRYPT, begun=unfinished(folder), number=signal.SIGTERM, group=True)
    assert seen(folder) == {"t.parquet"}


@pytest.mark.parametrize(
    ("size", "number", "group"),
    [(15 << 20, signal.SIGINT, False), (48 << 20, signal.SIGTERM, True)],
    ids=["threads", "main"],
)
def test_a_signal_leaves_nothing_of_a_tree(
    folder: Path, size: int, number: int, group: bool
) -> None:
    """Small files are in the hands of threads, and a large one is, too. The backend is slow, and the
    signal comes when a range was claimed."""
    (folder / "key").write_text(format_key(bytes(16)))
    (folder / "key").chmod(0o600)
    (folder / "photos").mkdir()
    (folder / "photos/large").write_bytes(bytes(size))
    settings = LOCAL | {"spark.eventLog.enabled": "false", "spark.log.level": "ERROR"}
    env = environment(folder / "conf", settings)
    command = ("encrypt", "-r", "-k", "key", "photos", "out", "--engine", "spark")
    command += ("--backend", "reference")
    interrupted(env, *command, begun=unfinished(folder, 2), number=number, group=group)
    assert not list((folder / "out").iterdir())
