"""Runs the unchanged benchmark crypto_pyaes of pyperformance with pyaes and with rijn.compat.pyaes,
and compares them with pyperf.

    python python/tools/crypto_pyaes.py [--backend NAME] [--rigorous | any other option of pyperf]

Needs pyperformance and pyaes (pip install '.[test]'). --backend chooses Rijn's backend.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

BENCHMARK = "pyperformance/data-files/benchmarks/bm_crypto_pyaes/run_benchmark.py"

# The benchmark imports pyaes in child processes of pyperf. They find this module in the first folder
# of PYTHONPATH, which pyperf passes on.
ALIAS = """\
import rijn
from rijn.compat import stand_in

rijn.use_backend({backend!r})
stand_in.take_place("pyaes", over_installed=True)
"""


def main(backend: str | None, options: list[str]) -> None:
    benchmark = distribution("pyperformance").locate_file(BENCHMARK)
    with tempfile.TemporaryDirectory() as folder:
        results = []
        alias = Path(folder, "alias")
        alias.mkdir()
        (alias / "pyaes.py").write_text(ALIAS.format(backend=backend), "utf-8")
        for name, path in (("pyaes", ""), ("rijn", str(alias))):
            result = Path(folder, f"{name}.json")
            print(f"crypto_pyaes ({name})", flush=True)
            subprocess.run(
                [sys.executable, str(benchmark), *options]
                + ([] if "--debug-single-value" in options else ["-o", str(result)]),
                env={**os.environ, "PYTHONPATH": path},
                check=True,
            )
            results.append(result)
        if all(map(Path.exists, results)):
            names = [json.loads(result.read_text())["metadata"]["name"] for result in results]
            assert names == ["crypto_pyaes"] * 2
            subprocess.run(
                [sys.executable, "-m", "pyperf", "compare_to", *map(str, results)], check=True
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--backend")
    own, others = parser.parse_known_args()
    main(own.backend, others)
