"""One Spark session for all tests here, in this process: `make spark-test` runs them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

MISSING = "needs what `make spark-test` installs"
pytest.importorskip("pyspark", reason=MISSING)
pytest.importorskip("pandas", reason=MISSING)
pytest.importorskip("nanoarrow", reason=MISSING)
if shutil.which("java") is None:
    pytest.skip("needs Java (Debian: openjdk-17-jre-headless)", allow_module_level=True)

LOCAL = {  # Spark's configuration: two threads, reachable only from here, and its log
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
}


@pytest.fixture(scope="session")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes the folder of Spark's event log."""
    return tmp_path_factory.mktemp("events")


@pytest.fixture(scope="session")
def spark(events: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    import rijn.spark

    folder = tmp_path_factory.mktemp("conf")
    given = LOCAL | {"spark.eventLog.dir": events.as_uri()}
    (folder / "spark-defaults.conf").write_text("".join(f"{k} {v}\n" for k, v in given.items()))
    os.environ |= {
        "SPARK_CONF_DIR": str(folder),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    found = rijn.spark.session()
    found.sparkContext.setLogLevel("OFF")
    yield found
    found.stop()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def keyset(folder: Path) -> Callable[..., Any]:
    """Returns a function that makes a keyset with a new key for a format, in a file."""
    from rijn.columns import Keyset

    def make(format: str = "xaes", name: str = "") -> Keyset:
        path = folder / (name or f".{format}.keyset")
        Keyset.generate(format).write(path)
        return Keyset.from_file(path)

    return make
