"""pyperformance's benchmark crypto_pyaes, its own file unchanged, through pyaes and through
rijn.compat.pyaes, then compared by pyperf.

    python tools/crypto_pyaes.py [--rigorous | --fast | any other option of pyperf]

Needs pyperformance and pyaes (pip install '.[test]'). RIJN_BACKEND chooses the rung,
if it is constant time or python.
"""

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

BENCHMARK = "pyperformance/data-files/benchmarks/bm_crypto_pyaes/run_benchmark.py"

# The benchmark says `import pyaes`, and pyperf runs it in processes of its own: they find
# the module in this folder first. pyperf passes PYTHONPATH on, and variables that it is
# told of.
ALIAS = Path(__file__).resolve().parent / "alias"


def main(options: list[str]) -> None:
    benchmark = distribution("pyperformance").locate_file(BENCHMARK)
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for name, path in (("pyaes", ""), ("rijn", str(ALIAS))):
            result = Path(folder, f"{name}.json")
            print(f"crypto_pyaes ({name})", flush=True)
            subprocess.run(
                [sys.executable, str(benchmark), "--inherit-environ=RIJN_BACKEND", *options]
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
    main(sys.argv[1:])
