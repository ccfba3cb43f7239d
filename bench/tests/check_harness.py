"""Runs the harness in tiny rounds over all tasks, and checks its JSON lines:

check_harness.py HARNESS

Every key and every row must follow schema 2, which bench/README.md describes.
"""

import json
import math
import subprocess
import sys
from typing import Any

HARNESS = sys.argv[1]
QUICK = ["--json", "--rounds", "3", "--millis", "0.02"]

Json = dict[str, Any]

MACHINE = {
    "kind": str,
    "schema": int,
    "cpu": str,
    "cpu_id": str,
    "features": list,
    "architecture": str,
    "cores": int,
    "kernel": str,
    "compiler": str,
    "flags": str,
    "rijn": str,
    "tasks": int,
    "rounds": int,
    "millis": int | float,
    "pinned": bool,
    "cycles": dict,
    "contenders": list,
    "ceilings": list,
}
ROW = {
    "kind": str,
    "algorithm": str,
    "operation": str,
    "size": int,
    "key": str,
    "buffer": str,
    "threads": int,
    "messages": int,
    "ns": list,
}
INSTRUCTIONS = ("aesni", "aesni-avx", "vaes256", "vaes512")
TASK = ("algorithm", "operation", "size", "key", "buffer", "threads")


def typed(found: Json, shape: dict[str, Any]) -> None:
    assert found.keys() == shape.keys(), found.keys() ^ shape.keys()
    for key, kind in shape.items():
        assert isinstance(found[key], kind), (key, found[key])


def run(*options: str) -> list[Json]:
    output = subprocess.run(
        [HARNESS, *QUICK, *options], check=True, capture_output=True, text=True
    ).stdout
    return [json.loads(line) for line in output.splitlines()]


def check(*options: str) -> tuple[Json, dict[tuple[Any, ...], list[Json]]]:
    """Runs the harness and checks the shape of its lines. Returns the machine, and rows by task."""
    machine, *rows = run(*options)
    typed(machine, MACHINE)
    assert (machine["kind"], machine["schema"]) == ("machine", 2)
    ready = {
        kind: {c["name"] for c in machine[kind] if c["state"] == "ready"}
        for kind in ("contenders", "ceilings")
    }
    for contender in machine["contenders"]:
        typed(
            contender,
            {
                "name": str,
                "state": str,
                "reason": str,
                "version": str,
                "constant_time": bool | type(None),
            },
        )
        assert contender["state"] in ("ready", "unavailable", "not installed")
        assert (contender["state"] == "unavailable") == (contender["reason"] != "")
    for ceiling in machine["ceilings"]:
        typed(ceiling, {"name": str, "state": str, "reason": str})
        assert (ceiling["state"] == "ready") == (ceiling["reason"] == "")
    tasks: dict[tuple[Any, ...], list[Json]] = {}
    for row in rows:
        name = {"row": "contender", "ceiling": "ceiling"}[row["kind"]]
        shape = ROW | {name: str}
        if machine["cycles"]["available"]:
            shape |= {"cycles": list}
            assert len(row["cycles"]) == machine["rounds"]
        if "instructions" in row:
            shape |= {"instructions": str}
            assert "--instructions" in options and row["kind"] == "row"
            assert (
                row["instructions"] in ("", *INSTRUCTIONS)
                or row["contender"] == f"rijn/{row['instructions']}"
            )
        if "steps" in row:
            shape |= {"steps": int}
            assert "--steps" in options and row["kind"] == "row"
            assert 0 < row["steps"] < 100_000
        typed(row, shape)
        assert row[name] in ready[name + "s"]
        assert len(row["ns"]) == machine["rounds"]
        # For decryption in place, the time to restore the message is subtracted. In rounds as short
        # as these, the difference may be negative.
        subtracted = row["operation"] == "decrypt" and row["buffer"] == "in-place"
        assert all(math.isfinite(ns) and (ns > 0 or subtracted) for ns in row["ns"]), row
        assert row["messages"] > 0
        tasks.setdefault(tuple(row[key] for key in TASK), []).append(row)
    assert len(tasks) == machine["tasks"], (len(tasks), machine["tasks"])
    for group in tasks.values():
        names = [row.get("contender", row.get("ceiling")) for row in group]
        assert len(set(names)) == len(names), names
        assert {n for n in ready["contenders"] if n.startswith("rijn/")} <= set(names)
    return machine, tasks


def refuses(*options: str) -> None:
    done = subprocess.run([HARNESS, *options], check=False, capture_output=True, text=True)
    assert done.returncode == 2, (options, done)
    assert done.stdout == "" and done.stderr.startswith("harness: "), (options, done)


BLOCK_MODES = ("ecb", "cbc", "ige")
OTHER_MODES = ("ctr", "cfb", "cfb8", "ofb", "cmac", "gcm", "ccm", "ocb3", "eax", "siv")
CHAINED = ("ofb", "ige", "cmac", "ccm", "eax", "siv")  # also cbc, cfb, cfb8 in encryption
AEGIS = {f"aegis-{k}{x}": w for k in (128, 256) for x, w in (("", 1), ("x2", 2), ("x4", 3))}
AEGIS["aegis-128l"] = AEGIS.pop("aegis-128")
everything = [
    *(f"aes-{bits}-{mode}" for bits in (128, 192, 256) for mode in (*BLOCK_MODES, *OTHER_MODES)),
    *(f"aes-{bits}-{mode}" for bits in (128, 256) for mode in ("xts", "gcm-siv")),
    *("xaes-256-gcm", *AEGIS),
]
machine, tasks = check(
    *("--algorithm", ",".join(everything), "--operation", "encrypt,decrypt,rekey"),
    *("--size", "16,1350", "--key", "warm,cold", "--buffer", "apart,in-place"),
)
# 50 algorithms: rekey once. Encrypt and decrypt, warm and cold, apart and in place: with 16 bytes,
# and with 1350 bytes except for 3 block modes with 3 keys. CMAC: only encrypt and apart.
assert len(everything) == 50
assert len(tasks) == 50 + 47 * 8 + 38 * 8 + 3 * 2 * 2, len(tasks)
for (algorithm, operation, *_), group in tasks.items():
    kinds = {row["ceiling"].split("/")[0] for row in group if row["kind"] == "ceiling"}
    names = {row["ceiling"] for row in group if row["kind"] == "ceiling"}
    mode = algorithm.split("-", 2)[-1]
    chained = mode in CHAINED or (mode in ("cbc", "cfb", "cfb8") and operation == "encrypt")
    assert ("clmul+aesenc" in kinds) <= (mode == "gcm-siv" and operation == "encrypt")
    assert ("chain+aesenc" in kinds) <= (mode == "siv" and operation == "encrypt")
    assert ("copy" in kinds) == (operation != "rekey" and mode != "cmac")
    assert "clmul" not in kinds or mode in ("gcm", "gcm-siv")
    assert "aesenc/chain" not in names or chained
    wide = sum(name.startswith("aesenc/") for name in names)
    assert wide <= (1 if chained else AEGIS.get(algorithm, 3)), (algorithm, names)

_, tasks = check("--size", "64,1M", "--threads", "1,3", "--pin", "--buffer", "in-place",
                 "--operation", "decrypt", "--algorithm", "aes-128-gcm")  # fmt: skip
assert {task[-1] for task in tasks} == {1, 3}

_, tasks = check("--size", "16..1K,1K..3000:2", "--no-ceilings", "--algorithm", "aes-256-ctr")
assert sorted({task[2] for task in tasks}) == [16, 64, 256, 1024, 2048, 3000]
assert all(row["kind"] == "row" for group in tasks.values() for row in group)

machine, tasks = check("--size", "16", "--instructions", "--algorithm", "aes-128-gcm,aes-128-ctr")
watched = machine["architecture"] == "x86_64" and machine["kernel"].startswith("Linux")
for group in tasks.values():
    for row in group:
        own = row["kind"] == "row" and row["contender"].startswith("rijn/")
        assert ("instructions" in row) == (row["kind"] == "row" and (own or watched)), row

_, tasks = check(
    "--size",
    "16,64",
    "--steps",
    "--no-ceilings",
    "--contender",
    "rijn/",
    "--algorithm",
    "aes-128-gcm",
)
for group in tasks.values():
    # With sanitizers, a slow backend may take too many instructions to count.
    assert any("steps" in row for row in group) == watched

machine, *rows = run("--list")
assert not rows and machine["kind"] == "machine"
assert {
    "openssl",
    "ipsec-mb",
    "bearssl",
    "libsodium",
    "libaegis",
    "aws-lc",
    "boringssl",
    "putty",
} <= {c["name"].split("/")[0] for c in machine["contenders"]}

refuses("--algorithm", "aes-512-gcm")
refuses("--operation", "destroy")
refuses("--size", "0")
refuses("--size", "16..")
refuses("--size", "16..8")
refuses("--size", "16..64:1")
refuses("--size", "2000M")
refuses("--threads", "0")
refuses("--rounds", "0")
refuses("--rounds", "5x")
refuses("--millis", "-1")
refuses("--key", "tepid")
refuses("--contender", "nobody")
refuses("surplus")
