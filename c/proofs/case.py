"""Runs one case of a proof of machine code, in a process of its own. run.py starts it.

Reads {"proof", "arguments", "fault"} as JSON from standard input. Prints one JSON object: the bits
compared, the instructions that ran with their codes, the CPU seconds, `refused`: why the proof
failed, or "", and `kind`: the class of this refusal.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time

MEMORY = 4 << 30  # bytes


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    case = json.load(sys.stdin)
    proof = importlib.import_module(f"machine.{case['proof']}")
    refused = importlib.import_module("machine.refused").Refused
    result = {"bits": 0, "steps": 0, "codes": [], "refused": "", "kind": ""}
    try:
        done = proof.prove(**case["arguments"], fault=case["fault"])
    except refused as error:
        result["kind"] = type(error).__name__
        result["refused"] = str(error) or result["kind"]
    else:
        result |= {
            "bits": done.bits,
            "steps": done.steps,
            "codes": sorted(it.hex() for it in done.codes),
        }
    result["seconds"] = time.process_time()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
