"""Backend selection: the list, every way to choose, the effect of CPU features, and Rijn without
the native module."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import AbstractContextManager
from importlib import import_module
from itertools import permutations
from pathlib import Path
from threading import Barrier, Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from backends import (
    ALL,
    ELSEWHERE,
    NATIVE,
    OPTIONAL,
    PURE,
    BackendUnderTest,
    needs_native,
    skip_reasons,
)
from limits import LIMIT

import rijn
from rijn import registry
from rijn._key import Key
from rijn.wrap import KeyWrap

ROOT = Path(__file__).resolve().parents[2]
KEY = bytes(16)
LEFT_OUT = "left out of this build"


def run(code: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs code in a fresh interpreter, with RIJN_BACKEND only if it is given."""
    inherited = {name: value for name, value in os.environ.items() if name != "RIJN_BACKEND"}
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )


def answer(code: str, *options: str, **environment: str) -> object:
    """Returns the JSON that the code prints."""
    result = run(code, *options, **environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def available() -> set[str]:
    return {backend.name for backend in rijn.backends() if backend.available}


def environmental() -> list[str]:
    """Returns the available backends that RIJN_BACKEND may name here."""
    return [b.name for b in rijn.backends() if b.available and b.constant_time] or ["python"]


# ---- The list ------------------------------------------------------------------------


def test_every_expected_backend_is_listed() -> None:
    """On this machine's build, a missing native module is a failed build, not a skip."""
    names = [backend.name for backend in rijn.backends()]
    assert len(names) == len(set(names))
    assert set(ALL) - ELSEWHERE <= set(names)


@needs_native
def test_backends_of_other_machines_are_not_listed() -> None:
    """Without the native module, the contents of its build are unknown."""
    assert not ELSEWHERE & {backend.name for backend in rijn.backends()}


@needs_native
def test_records() -> None:
    listed = {it.name: (it.constant_time, it.choice) for it in registry.listed_backends()}
    for backend in rijn.backends():
        assert isinstance(backend, rijn.Backend)
        assert backend.available is (backend.reason == "")
        assert backend.summary or backend.reason == LEFT_OUT
        assert "\n" not in backend.summary
        assert backend.blocks >= (1 if backend.available else 0)
        if backend.name in listed:
            claim, choice = listed[backend.name]
            assert backend.constant_time is claim, backend.name
            # ON_32: machines with 32-bit words. Nobody runs the Python suite there.
            chosen = choice in ("AUTOMATIC", "ALIGNED", "ON_64") and backend.reason != LEFT_OUT
            assert backend.automatic is chosen, backend.name
        if backend.name in OPTIONAL:
            assert backend.constant_time is {"numpy": None, "numba": False}[backend.name]
        if backend.name == "reference":
            assert backend.constant_time is False
        if backend.name in ("reference", *OPTIONAL):
            assert backend.automatic is False
        if backend.name.startswith("python"):
            assert backend.constant_time is None
            assert backend.automatic is (backend.name == "python")
    assert {"fixslice64", "fixslice32", *PURE} <= available()
    (table,) = (found for found in rijn.backends() if found.name == "table")
    assert table.reason in ("", LEFT_OUT)  # CMake's RIJN_LEAKY=OFF


@needs_native
def test_what_a_build_leaves_out_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with CMake's RIJN_BACKENDS=fixslice64. Backends of other machines are not listed."""
    native: Any = registry.native_module()
    built = [record for record in native.backends() if record.name == "fixslice64"]
    few = SimpleNamespace(backends=lambda: built, environment=native.environment)
    monkeypatch.setattr(registry, "native_module", lambda: few)
    registry._left_out.cache_clear()
    try:
        absent = {it.name: it for it in rijn.backends() if it.reason == LEFT_OUT}
        with pytest.raises(
            rijn.BackendError, match=r"'table' cannot run here.* not .*table.*: left out"
        ):
            registry.resolve("table")
    finally:
        registry._left_out.cache_clear()
    listed = {it.name: it for it in registry.listed_backends()}
    assert set(absent) == listed.keys() - ELSEWHERE - {"fixslice64"}
    assert not any(it.available or it.automatic for it in absent.values())
    assert all(it.constant_time is listed[name].constant_time for name, it in absent.items())


def test_the_table_claims_constant_time_only_for_backends_that_do() -> None:
    """The printed table says "no" then, and "–" for a backend that does not load."""
    said = {name: timing for _, name, timing, _ in registry._lines(rijn.backends())}
    for record in rijn.backends():
        unclaimed = "no" if record.available else "–"
        assert (
            said[record.name] == {True: "yes", False: "no", None: unclaimed}[record.constant_time]
        )
    assert said["python"] == said["numba"] == "no"


def test_the_list_is_a_copy() -> None:
    rijn.backends().clear()
    assert rijn.backends()


def test_automatic_native_backends_are_constant_time() -> None:
    """Every automatic native backend is also constant time."""
    for backend in rijn.backends():
        if backend.name in NATIVE and backend.automatic:
            assert backend.constant_time is True


# ---- Choosing ------------------------------------------------------------------------


def automatic() -> str:
    return next(b.name for b in rijn.backends() if b.automatic and b.available)


KEYS = [
    found
    for name in rijn.__all__
    if isinstance(found := getattr(rijn, name), type)
    and issubclass(found, Key)
    and found is not rijn.AEAD
]


def unfinished(method: object) -> bool:
    """True for a method of a public class that a backend must replace."""
    code = getattr(method, "__code__", None)
    return code is not None and "NotMade" in code.co_names


def test_every_backend_has_every_class(tested: BackendUnderTest) -> None:
    assert len(KEYS) == 17
    for cls in (*KEYS, KeyWrap):
        nonce = [bytes(16)] if cls is rijn.AEGISMAC else []
        thing = cls(bytes(range(cls.key_sizes[0])), *nonce, backend=tested.name)
        assert isinstance(thing, cls), cls
        assert thing.backend == tested.name, cls
        left = [name for base in cls.__mro__ for name in vars(base) if unfinished(vars(base)[name])]
        assert left, cls
        for name in left:
            assert not unfinished(getattr(type(thing), name)), (cls, name)


def test_keyword() -> None:
    for name in available():
        assert rijn.AES(KEY, backend=name).backend == name
        assert rijn.AESGCM(KEY, backend=name).backend == name
    assert rijn.AES(KEY, backend=None).backend == rijn.AES(KEY).backend


def test_use_backend() -> None:
    before = rijn.AES(KEY).backend
    try:
        for name in available():
            rijn.use_backend(name)
            assert rijn.AES(KEY).backend == name
            assert rijn.AESGCM(KEY).backend == name
            # The keyword takes precedence.
            assert rijn.AES(KEY, backend="reference").backend == "reference"
    finally:
        rijn.use_backend(None)
    assert rijn.AES(KEY).backend == before


def test_use_backend_as_a_context() -> None:
    before = rijn.current_backend()
    assert before == rijn.AES(KEY).backend
    with rijn.use_backend("reference") as name:
        assert name == rijn.current_backend() == rijn.AES(KEY).backend == "reference"
        with pytest.raises(ValueError), rijn.use_backend("python"):
            raise ValueError
        assert rijn.current_backend() == "reference"
        with rijn.use_backend(None):
            assert rijn.current_backend() == before
        with pytest.raises(rijn.BackendError):
            rijn.use_backend("nonsense")
        assert rijn.current_backend() == "reference"
    assert rijn.current_backend() == before == rijn.AES(KEY).backend


def ended(*contexts: AbstractContextManager[str]) -> None:
    for context in contexts:
        context.__exit__(None, None, None)


def test_blocks_end_in_any_order() -> None:
    """Blocks of several threads and generators end in any order. Afterwards the choice from
    outside the blocks holds again."""
    before = rijn.current_backend()
    names = ["reference", "python", "python-table"]
    for order in permutations(range(3)):
        contexts = [rijn.use_backend(name) for name in names]
        for context in contexts:
            context.__enter__()
        left = dict(enumerate(names))
        for i in order:
            ended(contexts[i])
            del left[i]
            wanted = left[max(left)] if left else before
            assert rijn.current_backend() == wanted == rijn.AES(KEY).backend, (order, i)


def test_blocks_of_two_threads_leave_nothing_chosen() -> None:
    before, entered, left = rijn.current_backend(), Barrier(2, timeout=LIMIT), Event()
    seen: list[str] = []

    def first() -> None:
        with rijn.use_backend("reference"):
            entered.wait()
            entered.wait()
        left.set()

    def second() -> None:
        entered.wait()
        with rijn.use_backend("python-table"):
            entered.wait()
            assert left.wait(LIMIT)
            seen.append(rijn.current_backend())

    threads = [Thread(target=target) for target in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert seen == ["python-table"]
    assert rijn.current_backend() == before


def test_a_context_that_is_entered_again_chooses_again() -> None:
    before = rijn.current_backend()
    context = rijn.use_backend("reference")
    for _ in range(2):
        with context as name:
            assert name == rijn.current_backend() == "reference"
            with context, rijn.use_backend("python"), context:
                assert rijn.current_backend() == "reference"
            assert rijn.current_backend() == "reference"
        assert rijn.current_backend() == before
    assert repr(context) == "<rijn.use_backend('reference')>"


def test_a_permanent_choice_within_a_block_stays() -> None:
    try:
        with rijn.use_backend("reference"):
            rijn.use_backend("python-table")
            with rijn.use_backend("python"):
                pass
        assert rijn.current_backend() == "python-table"
        for _ in range(100):
            rijn.use_backend("python")
        assert len(registry._chosen) <= 2
    finally:
        rijn.use_backend(None)


def test_a_record_names_its_backend() -> None:
    for record in rijn.backends():
        if record.available:
            assert rijn.AES(KEY, backend=record).backend == record.name
            assert rijn.AESGCM(KEY, backend=record).backend == record.name
            with rijn.use_backend(record) as name:
                assert name == record.name
    for kernel in rijn.aegis_kernels():
        if kernel.available:
            assert rijn.AEGIS128L(KEY, backend=kernel).kernel == kernel.name


def test_the_list_is_a_table() -> None:
    records = rijn.backends()
    assert isinstance(records, list)
    header, *lines = repr(records).splitlines()
    assert header.split() == ["backend", "constant", "time"]
    assert [line[2:].split()[0] for line in lines] == [record.name for record in records]
    for line, record in zip(lines, records, strict=True):
        assert line.startswith("* ") == (record.name == rijn.current_backend())
        assert line.endswith(record.summary if record.available else record.reason)
    assert repr(type(records)()).split() == header.split()
    html = records._repr_html_()
    assert html.count("<tr>") == len(records) + 1
    odd = records[0]._replace(summary="<b>", available=True)
    assert "<td>&lt;b&gt;</td>" in type(records)([odd])._repr_html_()
    result = run("import rijn; print(rijn.backends())", RIJN_BACKEND="nonsense")
    shown = result.stdout.splitlines()
    assert len(shown) == len(records) + 1, result.stderr
    assert not any(line.startswith("*") for line in shown)


def test_objects_keep_their_backend() -> None:
    old = rijn.AESGCM(KEY)
    name = old.backend
    try:
        rijn.use_backend("reference")
        assert old.backend == name
    finally:
        rijn.use_backend(None)


WHICH = "import json, rijn; print(json.dumps([rijn.AES(bytes(16)).backend, \
rijn.AESGCM(bytes(16)).backend]))"


@pytest.mark.parametrize("blocked", [False, True], ids=["native", "pure"])
def test_environment(blocked: bool) -> None:
    """The environment never replaces a constant-time backend by another kind. It may name
    `python` where no constant-time backend can run."""
    start = BLOCKED if blocked else ""
    listed = answer(
        f"{start}import json, rijn\n"
        "print(json.dumps([b._asdict() for b in rijn.backends() if b.available]))"
    )
    assert isinstance(listed, list)
    safe = [record["name"] for record in listed if record["constant_time"]]
    assert bool(safe) is (not blocked and not skip_reasons()["fixslice64"])
    for name in (record["name"] for record in listed):
        if name in (safe or ["python"]):
            assert answer(start + WHICH, RIJN_BACKEND=name) == [name, name]
            continue
        result = run(start + WHICH, RIJN_BACKEND=name)
        assert result.returncode != 0, name
        last = result.stderr.strip().splitlines()[-1]
        assert f"BackendError: RIJN_BACKEND: backend {name!r} is not constant time" in last
        assert f"backend={name!r} or rijn.use_backend({name!r})" in last
        code = f"{start}import rijn; rijn.use_backend({name!r})\n" + WHICH
        assert answer(code, RIJN_BACKEND=name) == [name, name]


@pytest.mark.parametrize("blocked", [False, True], ids=["native", "pure"])
def test_a_setuid_program_ignores_the_environment(blocked: bool) -> None:
    """As in a setuid program. Starting one needs root."""
    if os.geteuid() != 0:
        pytest.skip("needs root")
    code = (BLOCKED if blocked else "") + WHICH
    code = f"import os; assert os.getuid() != os.geteuid()\n{code}"
    raise_it = (
        "import os, sys; os.setreuid(65534, 0)\n"
        f"os.execv(sys.executable, [sys.executable, '-c', {code!r}])"
    )
    chosen = answer(raise_it, RIJN_BACKEND="nonsense")
    assert chosen == (["python"] * 2 if blocked else answer(WHICH))


def test_an_empty_variable_counts_as_unset() -> None:
    assert answer(WHICH, RIJN_BACKEND="") == answer(WHICH)


def test_use_backend_wins_over_the_environment() -> None:
    code = "import rijn; rijn.use_backend('reference')\n" + WHICH
    named = environmental()[-1]
    assert answer(code, RIJN_BACKEND=named) == ["reference", "reference"]
    code = "import rijn; rijn.use_backend('reference'); rijn.use_backend(None)\n" + WHICH
    assert answer(code, RIJN_BACKEND=named) == [named, named]


def test_the_keyword_wins_over_the_environment() -> None:
    code = "import json, rijn; print(json.dumps(rijn.AES(bytes(16), backend='reference').backend))"
    assert answer(code, RIJN_BACKEND=environmental()[-1]) == "reference"


def names_all(message: str) -> bool:
    listed = set(ALL) - ELSEWHERE
    return all(re.search(rf"(?<![\w-]){name}(?![\w-])", message) for name in listed)


@pytest.mark.parametrize("name", ["nonsense", "AESNI", "aesni ", "", "pure.python", "_native"])
def test_an_unknown_name_is_an_error_that_lists_what_exists(name: str) -> None:
    for call in (
        lambda: rijn.AES(KEY, backend=name),
        lambda: rijn.AESGCM(KEY, backend=name),
        lambda: rijn.use_backend(name),
    ):
        with pytest.raises(rijn.BackendError) as caught:
            call()
        assert name in str(caught.value)
        assert names_all(str(caught.value)), caught.value
    assert rijn.AES(KEY).backend in available()


def test_a_backend_of_other_machines_is_known() -> None:
    for name in ELSEWHERE:
        with pytest.raises(rijn.BackendError, match=f"backend '{name}' is not for this machine"):
            rijn.AES(KEY, backend=name)


def test_a_name_is_a_string() -> None:
    for wrong in (3, b"table", ["python"], ("python",), True):
        for call in (
            lambda wrong=wrong: rijn.AES(KEY, backend=wrong),
            lambda wrong=wrong: rijn.AESGCM(KEY, backend=wrong),
            lambda wrong=wrong: rijn.AEGIS128L(KEY, backend=wrong),
            lambda wrong=wrong: rijn.use_backend(wrong),
        ):
            with pytest.raises(TypeError, match="^backend must be a str, not"):
                call()


def test_a_misspelt_environment_is_an_error() -> None:
    """The first key raises it. `import rijn` and an explicit backend still work."""
    result = run("import rijn; rijn.AES(bytes(16))", RIJN_BACKEND="asni")
    assert result.returncode != 0
    last = result.stderr.strip().splitlines()[-1]
    assert "BackendError" in last
    assert "asni" in last
    # The error lists the names that the environment may use, and no others.
    told = last.partition("; there are: ")[2]
    for record in rijn.backends():
        named = re.search(rf"(?<![\w-]){record.name}(?![\w-])", told)
        may = record.constant_time or record.name in environmental()
        assert bool(named) == bool(may), record.name
    code = "import json, rijn; print(json.dumps(rijn.AES(bytes(16), backend='reference').backend))"
    assert answer(code, RIJN_BACKEND="asni") == "reference"


# ---- Dispatch by CPU features --------------------------------------------------------


def cpu_features() -> list[tuple[str, str]]:
    """Returns the features of include/rijn_machine.h in the order of their bits, with the kernel's
    names for them."""
    header = (ROOT / "c" / "include" / "rijn_machine.h").read_text("utf-8")
    found = re.findall(r'\bX\((\w+), "[^"]*", "([^"]*)"\)', header)
    return [(name, flag.replace(".", "_")) for name, flag in found]


def cpu_bits() -> dict[str, int]:
    bits = {name: 1 << number for number, (name, _) in enumerate(cpu_features())}
    assert {"AES", "PCLMULQDQ", "AVX2", "AVX512F", "ZVKNED"} <= set(bits)
    return bits


def test_every_cpu_feature_is_used() -> None:
    """By a backend or an AEGIS kernel. Some features are named to be avoided."""
    source = ROOT / "c" / "src"
    asked = "".join(
        path.read_text("utf-8")
        for path in [*source.glob("backends/*.c"), *source.glob("aegis/*.c")]
    )
    assert [name for name, _ in cpu_features() if f"RIJN_CPU({name})" not in asked] == []


def features(listed: registry.ListedBackend) -> set[str]:
    """Returns the CPU features that a backend's own file requires."""
    name = listed.name.replace("-", "_")
    text = (ROOT / "c" / "src" / "backends" / f"{name}.c").read_text("utf-8")
    found = re.search(r"^    \.cpu = ([^,]*),", text, re.MULTILINE)
    return set(re.findall(r"RIJN_CPU\((\w+)\)", found[1])) if found else set()


# The backends of the automatic choice, preferred first, and the features that each needs.
NEEDS = {
    listed.name: features(listed)
    for listed in registry.listed_backends()
    if listed.choice in ("AUTOMATIC", "ALIGNED", "ON_64") and listed.name not in ELSEWHERE
}

# Run under a mask. Prints the list, the kernel that a key gets, and one ciphertext of it.
MASKED = """
import json, rijn
from rijn import _native
_native.limit_cpu({mask})
aes, aead = rijn.AES(bytes(16)), rijn.AESGCM(bytes(16))
print(json.dumps({{
    "aes": aes.backend,
    "aead": aead.backend,
    "native": {{b.name: b.reason for b in _native.backends()}},
    "public": {{b.name: b.reason for b in rijn.backends()}},
    "bytes": aes.ecb_encrypt(bytes(160)).hex() + aead.encrypt(bytes(12), bytes(200)).hex(),
}}))
"""

MASKS = {
    "nothing": lambda bits: 0,
    "everything": lambda bits: sum(bits.values()),
    "just enough for aesni": lambda bits: sum(bits[name] for name in NEEDS.get("aesni", ())),
    "no wide registers": lambda bits: sum(
        bit for name, bit in bits.items() if not name.startswith(("AVX", "V"))
    ),
    "no AES": lambda bits: sum(bits.values()) - bits["AES"],
    "no PCLMULQDQ": lambda bits: sum(bits.values()) - bits["PCLMULQDQ"],
    "no SSSE3": lambda bits: sum(bits.values()) - bits["SSSE3"],
    "no SSE4.1": lambda bits: sum(bits.values()) - bits["SSE41"],
    "only AES": lambda bits: bits["AES"],
    "only AVX-512": lambda bits: sum(
        bit for name, bit in bits.items() if name.startswith("AVX512")
    ),
}


def cpu_flags() -> set[str]:
    """Returns the flags that the kernel reports, not the library."""
    info = Path("/proc/cpuinfo")
    if not info.exists():
        pytest.skip("no /proc/cpuinfo with the features of this CPU")
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", info.read_text(), re.MULTILINE)
    return set(found[1].split()) if found else set()


@needs_native
def test_the_dispatch_test_knows_every_automatic_backend() -> None:
    listed = [b.name for b in rijn.backends() if b.automatic and b.name in NATIVE]
    assert listed == [name for name in NEEDS if name in listed]
    assert "fixslice64" in listed


@needs_native
@pytest.mark.parametrize("mask", MASKS, ids=str)
def test_which_kernel_runs_under_each_mask(mask: str) -> None:
    bits, flags = cpu_bits(), cpu_flags()
    allowed = MASKS[mask](bits)
    usable = {name for name, flag in cpu_features() if allowed & bits[name] and flag in flags}
    expected = next(name for name, needed in NEEDS.items() if needed <= usable)

    said = answer(MASKED.format(mask=allowed))
    assert isinstance(said, dict)
    assert said["aes"] == said["aead"] == expected
    assert said["native"] == {name: said["public"][name] for name in said["native"]}
    for name, reason in said["native"].items():
        if name in NEEDS:
            assert (reason == "") is (NEEDS[name] <= usable), (name, reason)
        else:
            assert name in NATIVE
            assert reason == ""
    reference = rijn.AES(KEY, backend="reference").ecb_encrypt(bytes(160))
    reference += rijn.AESGCM(KEY, backend="reference").encrypt(bytes(12), bytes(200))
    assert said["bytes"] == reference.hex()


@needs_native
@pytest.mark.parametrize("lacking", ["AES", "PCLMULQDQ"])
def test_an_unavailable_backend_says_why(lacking: str) -> None:
    code = """
import json, rijn
from rijn import _native
_native.limit_cpu({mask})
said = []
for call in (
    lambda: rijn.AES(bytes(16), backend="aesni"),
    lambda: rijn.AESGCM(bytes(16), backend="aesni"),
    lambda: rijn.use_backend("aesni"),
    lambda: _native.AES(bytes(16), "aesni"),
):
    try:
        call()
    except rijn.BackendError as error:
        said.append(str(error))
print(json.dumps([said, rijn.AES(bytes(16)).backend]))
"""
    if os.uname().machine not in ("x86_64", "i686"):
        pytest.skip("backend aesni: not compiled for this processor")
    bits = cpu_bits()
    said = answer(code.format(mask=sum(bits.values()) - bits[lacking] - bits["AVX2"]))
    assert isinstance(said, list)
    messages, chosen = said
    assert chosen == ("ssse3" if os.uname().machine == "x86_64" else "fixslice64")
    assert len(messages) == 4
    for message in messages[:3]:
        assert {"AES": "AES-NI", "PCLMULQDQ": "PCLMULQDQ"}[lacking] in message
        assert names_all(message)
    assert "aesni" in messages[3]


# ---- Without the native module -------------------------------------------------------

BLOCKED = """
import sys
from contextlib import AbstractContextManager
from itertools import permutations
class NoNative:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "rijn._native":
            raise ModuleNotFoundError("No module named 'rijn._native'", name=name)
sys.meta_path.insert(0, NoNative)
"""

EVERYTHING = """
import json, rijn
key, nonce, iv, data = bytes(range(32)), bytes(range(12)), bytes(range(16)), bytes(range(208))
aes, aead = rijn.AES(key), rijn.AESGCM(key, tag_length=12)
sealed = aead.encrypt(nonce, data, iv)
assert aead.decrypt(nonce, sealed, iv) == data
buf = bytearray(len(sealed))
aead.encrypt_into(nonce, data, iv, buf)
assert buf == sealed
encryptor = aes.cbc_encryptor(iv, pkcs7=True)
results = [
    sealed,
    aes.ecb_encrypt(data), aes.ecb_decrypt(data),
    aes.cbc_encrypt(iv, data), aes.cbc_encrypt(iv, data, pkcs7=True), aes.cbc_decrypt(iv, data),
    aes.ctr_encrypt(iv, data),
    encryptor.update(data[:100]) + encryptor.update(data[100:]) + encryptor.finalize(),
]
try:
    aead.decrypt(nonce, sealed, b"")
except rijn.InvalidTag:
    results.append(b"refused")
errors = []
for name in ("aesni", "table"):
    try:
        rijn.AES(key, backend=name)
    except rijn.BackendError as error:
        errors.append(str(error))
print(json.dumps({
    "from": rijn.__file__,
    "version": rijn.__version__,
    "used": [aes.backend, aead.backend],
    "results": [result.hex() for result in results],
    "available": [b.name for b in rijn.backends() if b.available],
    "reasons": {b.name: b.reason for b in rijn.backends() if not b.available},
    "errors": errors,
}))
"""


def check_without_native(said: object) -> None:
    """`python` gives the same bytes, and every native name is listed with its reason."""
    whole = answer(EVERYTHING)
    assert isinstance(said, dict)
    assert isinstance(whole, dict)
    assert whole["used"][0] in NATIVE
    assert said["used"] == ["python", "python"]
    assert said["results"] == whole["results"]
    assert len(said["results"]) == 9
    assert said["version"] == whole["version"]
    assert set(PURE) <= set(said["available"])
    assert not set(NATIVE) & set(said["available"])
    assert len(said["errors"]) == 2
    # rijn.backends() says that the native module is missing.
    assert said["reasons"]
    for name, reason in said["reasons"].items():
        assert ("native" if name not in OPTIONAL else f"package {name}") in reason, reason
    for error in said["errors"]:
        assert "native" in error, error


@needs_native
def test_native_module_that_cannot_be_imported() -> None:
    check_without_native(answer(BLOCKED + EVERYTHING))


@needs_native
def test_native_module_removed(tmp_path: Path) -> None:
    """Runs a copy of the package without its compiled file. Without site (-S), no installed copy
    comes first."""
    copy = tmp_path / "rijn"
    ignored = shutil.ignore_patterns("_native*", "__pycache__")
    shutil.copytree(Path(rijn.__file__).parent, copy, ignore=ignored)
    said = answer(EVERYTHING, "-S", PYTHONPATH=str(tmp_path))
    assert isinstance(said, dict)
    assert Path(said["from"]).parent == copy
    check_without_native(said)


# ---- Import --------------------------------------------------------------------------


def test_import_is_lazy() -> None:
    """`import rijn` alone loads no module of the package, and no other package."""
    code = """
import json, sys
before = set(sys.modules)
import rijn
print(json.dumps(sorted(set(sys.modules) - before)))
"""
    loaded = answer(code)
    assert isinstance(loaded, list)
    assert [name for name in loaded if name.startswith("rijn")] == ["rijn"]
    for heavy in ("cryptography", "numpy", "argparse", "asyncio", "typing_extensions"):
        assert heavy not in loaded


def test_public_names() -> None:
    for name in (
        "AES",
        "AESGCM",
        "InvalidTag",
        "BackendError",
        "Backend",
        "backends",
        "current_backend",
        "use_backend",
        "__version__",
    ):
        assert getattr(rijn, name) is not None
        assert name in dir(rijn)
    assert callable(rijn.backends)
    for module in (rijn, import_module("rijn.pure.public")):
        with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
            module.nonsense  # noqa: B018


def test_the_submodules_do_not_hide_the_functions() -> None:
    """`rijn.backends` stays a function after any import."""
    code = """
import json, rijn, rijn.registry, rijn.aead, rijn.block, rijn.incremental, rijn.errors
print(json.dumps(callable(rijn.backends) and callable(rijn.use_backend)))
"""
    assert answer(code) is True


@needs_native
def test_versions_agree() -> None:
    from rijn import _native

    header = (ROOT / "c" / "include" / "rijn.h").read_text("utf-8")
    found = re.search(r'#define RIJN_VERSION "([\d.]+)"', header)
    assert found
    assert rijn.__version__ == _native.version == found[1]
