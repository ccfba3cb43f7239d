"""rijn.columns beside others: the examples of docs/columns.md in pyarrow, Polars, pandas, DuckDB, Ray
and ClickHouse, and rows that Tink, ClickHouse and `cryptography` read and wrote. `make columns-test`
installs all of them. A test is skipped if its package is missing."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from backends import noise

from rijn.columns import Column, Keyset
from rijn.columns.keysets import SecretKey

pytest.importorskip("nanoarrow", reason="needs nanoarrow")

from arrow_arrays import array_of, values_of

GUIDE = Path(__file__).parents[2] / "docs" / "columns.md"
VALUES = [b"one", b"", None, b"gr\xc3\xbcn", b"more than twelve bytes", b"x" * 300]


# ---- The guide ------------------------------------------------------------------------


def sections() -> dict[str, str]:
    """Returns the Python code of each section of the guide, by its heading."""
    parts = re.split(r"^#+ (.*)$", GUIDE.read_text("utf-8"), flags=re.MULTILINE)
    found = zip(parts[1::2], parts[2::2], strict=True)
    return {  # python/tests/spark runs the sections on Spark
        heading: "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
        for heading, text in found
        if "```python" in text and "import rijn.spark" not in text
    }


@pytest.mark.skipif(not GUIDE.exists(), reason="no checkout")
def test_the_guide_has_a_section_for_each_engine() -> None:
    assert {
        "pyarrow",
        "Polars",
        "pandas",
        "DuckDB",
        "Ray",
        "ClickHouse",
        "Tink",
    } <= sections().keys()


@pytest.fixture(scope="module")
def ray_at_home() -> Iterator[None]:
    """Turns off Ray's usage reports and gives it a folder for its files. All tests of the process
    share the folder, because Ray remembers the token that it keeps there."""
    # The names of its sockets have a length limit, and a folder of pytest may exceed it.
    with (
        TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("HOME", folder)
        yield


@pytest.fixture
def local_ray(ray_at_home: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Lets the test start Ray, and ends it afterwards."""
    ray = pytest.importorskip("ray", reason="needs ray")
    pytest.importorskip("ray.data", reason="needs ray.data")
    init = ray.init

    def patient(**options: Any) -> Any:
        """Starts Ray, which times out after 30 s. On a busy machine it gets more attempts."""
        for _ in range(3):
            try:
                return init(**options)
            except Exception as error:
                if "timed out during startup" not in str(error):
                    raise
                ray.shutdown()
        return init(**options)

    monkeypatch.setattr(ray, "init", patient)
    yield ray
    ray.shutdown()


@pytest.mark.skipif(not GUIDE.exists(), reason="no checkout")
@pytest.mark.parametrize("heading", sections() if GUIDE.exists() else [])
def test_the_guide(
    heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    source = sections()[heading]
    for package in sorted(set(re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE))):
        if package != "rijn":
            pytest.importorskip(package, reason=f"needs {package}")
    if heading == "Ray":
        request.getfixturevalue("local_ray")
    names: dict[str, Any] = {"__name__": heading}
    if heading != "In Python":
        Keyset.generate("xaes").write("customers.json")
        start = "from rijn.columns import Column, Keyset\n"
        start += 'keyset = Keyset.from_file("customers.json")\n'
        start += 'column = Column(keyset, context="customers.email")\n'
        exec(start, names)  # noqa: S102 the beginning of the guide
    exec(compile(source, f"docs/columns.md, {heading}", "exec"), names)  # noqa: S102 ours
    assert "assert" in source


# ---- Arrow by pyarrow -----------------------------------------------------------------


def types() -> list[Any]:
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    return [
        *(pa.binary(), pa.large_binary(), pa.string(), pa.large_string()),
        *(pa.binary_view(), pa.string_view(), pa.binary(4)),
    ]


@pytest.mark.parametrize("number", range(7))
def test_every_type_of_pyarrow(number: int) -> None:
    """Its slices and chunks, nulls, dictionaries. The results are valid arrays."""
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    type_ = types()[number]
    values = [b"four" if v is not None and number == 6 else v for v in VALUES] * 3
    column = Column(Keyset.generate("xaes"), context="c")
    whole = pa.array(values, pa.binary()).cast(type_)
    for array in (whole, whole.slice(1, 9), whole.slice(7), whole.slice(4, 0), whole.slice(3, 1)):
        sealed = pa.array(column.seal(array))
        sealed.validate(full=True)
        assert sealed.type == (pa.binary() if number in (0, 2, 6) else pa.large_binary())
        assert sealed.null_count == array.null_count
        back = pa.array(column.open(sealed, type="large_binary"))
        back.validate(full=True)
        assert back.equals(array.cast(pa.large_binary()))
        text = pa.array(column.open(sealed, type="string"))
        text.validate(full=True)
        assert text.equals(array.cast(pa.string()))
        chunks = pa.chunked_array([array, array.slice(2), array.slice(0, 0)], type_)
        parts = pa.chunked_array(column.seal(chunks))
        parts.validate(full=True)
        assert parts.num_chunks == 3
        assert (
            pa.chunked_array(column.open(parts)).to_pylist() == chunks.cast(pa.binary()).to_pylist()
        )
    if number < 4:
        siv = Column(Keyset.generate("siv"), "siv", context="c")
        encoded = whole.dictionary_encode().slice(2)
        sealed = pa.array(siv.seal(encoded))
        sealed.validate(full=True)
        assert pa.types.is_dictionary(sealed.type)
        assert len(sealed.dictionary) == len(encoded.dictionary)
        back = pa.array(siv.open(sealed, type="string"))
        back.validate(full=True)
        assert back.cast(pa.string()).equals(whole.slice(2).cast(pa.string()))
    empty = pa.chunked_array([], type_)
    assert len(pa.chunked_array(column.open(column.seal(empty)))) == 0


def test_a_table_of_pyarrow_is_refused() -> None:
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    column = Column(Keyset.generate("xaes"), context="c")
    for table in (pa.table({"a": ["b"]}), pa.record_batch({"a": ["b"]}), pa.array([1])):
        with pytest.raises(TypeError, match="must be of a binary or string type"):
            column.seal(table)


# ---- Tink -----------------------------------------------------------------------------


def tink_keyset(template: Any) -> tuple[Any, Keyset]:
    """Returns a keyset from Tink, and the same keyset read by Rijn."""
    tink = pytest.importorskip("tink", reason="needs tink")
    from tink import cleartext_keyset_handle

    handle = tink.new_keyset_handle(template)
    text = io.StringIO()
    cleartext_keyset_handle.write(tink.JsonKeysetWriter(text), handle)
    return handle, Keyset.from_callable(text.getvalue)


def templates() -> dict[str, Any]:
    pytest.importorskip("tink", reason="needs tink")
    from tink import aead, daead

    aead.register()
    daead.register()
    names = (
        *("AES128_GCM", "AES256_GCM", "AES128_GCM_RAW", "AES256_GCM_RAW"),
        *("XAES_256_GCM_192_BIT_NONCE", "XAES_256_GCM_192_BIT_NONCE_NO_PREFIX"),
    )
    found = {name: getattr(aead.aead_key_templates, name) for name in names}
    return found | {"AES256_SIV": daead.deterministic_aead_key_templates.AES256_SIV}


TEMPLATES = (
    *("AES128_GCM", "AES256_GCM", "AES128_GCM_RAW", "AES256_GCM_RAW", "AES256_SIV"),
    *("XAES_256_GCM_192_BIT_NONCE", "XAES_256_GCM_192_BIT_NONCE_NO_PREFIX"),
)


def tink_calls(handle: Any, name: str) -> tuple[Any, Any]:
    from tink import aead, daead

    if name == "AES256_SIV":
        primitive = handle.primitive(daead.DeterministicAead)
        return primitive.encrypt_deterministically, primitive.decrypt_deterministically
    primitive = handle.primitive(aead.Aead)
    return primitive.encrypt, primitive.decrypt


@pytest.mark.parametrize("name", TEMPLATES)
def test_tink_in_both_directions(name: str) -> None:
    handle, keyset = tink_keyset(templates()[name])
    seal, open_ = tink_calls(handle, name)
    column = Column(keyset, "tink")
    for ad in (b"", b"associated"):
        rows = values_of(column.seal(array_of("z", VALUES), ad))
        assert [row if row is None else open_(row, ad) for row in rows] == VALUES
        theirs = [value if value is None else seal(value, ad) for value in VALUES]
        assert values_of(column.open(array_of("z", theirs), ad)) == VALUES
        if name == "AES256_SIV":
            assert rows == theirs
    own = array_of("z", [b"%d" % i for i in range(6)])
    rows = values_of(column.seal(array_of("z", VALUES), own))
    for i, (row, value) in enumerate(zip(rows, VALUES, strict=True)):
        assert row is None or open_(row, b"%d" % i) == value


def test_tink_reads_our_keysets() -> None:
    tink = pytest.importorskip("tink", reason="needs tink")
    templates()
    from tink import cleartext_keyset_handle

    for format, name in (("tink", ""), ("xaes", ""), ("siv", "AES256_SIV"), ("spark", "")):
        keyset = Keyset.generate(format).renewed(format)
        handle = cleartext_keyset_handle.read(tink.JsonKeysetReader(keyset.json()))
        seal, open_ = tink_calls(handle, name)
        framed = format in ("xaes", "siv")
        column = Column(keyset, format, context="c" if framed else None)
        ad = b"\0\0\0\0\0\0\0\1c\0\0\0\0\0\0\0\2ad" if framed else b"ad"
        rows = values_of(column.seal(array_of("z", VALUES), b"ad"))
        assert [row if row is None else open_(row, ad) for row in rows] == VALUES
        theirs = [value if value is None else seal(value, ad) for value in VALUES]
        assert values_of(column.open(array_of("z", theirs), b"ad")) == VALUES


def test_tink_refuses_another_salt() -> None:
    pytest.importorskip("tink", reason="needs tink")
    from tink import aead

    from rijn.columns import KeysetError

    templates()
    with pytest.raises(KeysetError, match="nonces of another size than 24 bytes"):
        tink_keyset(aead.aead_key_templates.XAES_256_GCM_160_BIT_NONCE_NO_PREFIX)


def test_a_keyset_that_tink_has_rotated() -> None:
    tink = pytest.importorskip("tink", reason="needs tink")
    from tink import aead, cleartext_keyset_handle

    templates()
    text = io.StringIO()
    handle, old = tink_keyset(aead.aead_key_templates.AES256_GCM)
    builder = tink.new_keyset_handle(aead.aead_key_templates.XAES_256_GCM_192_BIT_NONCE)
    cleartext_keyset_handle.write(tink.JsonKeysetWriter(text), builder)
    keyset = Keyset.from_callable(text.getvalue)
    both = Keyset((*keyset._keys, *old._keys))
    seal, _ = tink_calls(handle, "AES256_GCM")
    column = Column(both, "tink")
    rotated = column.rotate(array_of("z", [seal(b"a", b""), None, seal(b"b", b"")]))
    assert rotated.rotated == 2
    _, open_ = tink_calls(builder, "XAES")
    assert [row and open_(row, b"") for row in values_of(rotated)] == [b"a", None, b"b"]


# ---- ClickHouse -----------------------------------------------------------------------


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_clickhouse_in_both_directions(bits: int) -> None:
    """ClickHouse's encrypt gives ciphertext || tag. With the IV in front, these are the rows of
    `spark`, under associated data of each row, of all rows, and without."""
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    chdb = pytest.importorskip("chdb.session", reason="needs chdb")
    secret = noise(bits // 8)
    drawn = Keyset.generate("spark")._keys[0]
    keyset = Keyset((SecretKey(drawn.id, drawn.algorithm, drawn.raw, secret),))
    column = Column(keyset, "spark")
    mode, key = f"aes-{bits}-gcm", {"key": secret.hex()}
    with chdb.Session() as session:

        def rows(table: Any, expression: str) -> Any:
            sql = (
                f"SELECT if(v IS NULL, NULL, {expression}) AS v FROM Python(table) "
                "SETTINGS output_format_arrow_string_as_string = 0"
            )
            return session.query(sql, "ArrowTable", params=key)["v"]

        plain = pa.array(VALUES, pa.binary())
        own = [b"%d" % i for i in range(len(VALUES))]
        for given, each in (
            (None, [b""] * len(VALUES)),
            (b"ad", [b"ad"] * len(VALUES)),
            (own, own),
        ):
            aad = pa.array(given, pa.binary()) if isinstance(given, list) else given
            ivs = pa.array([noise(12 + i)[i:] for i in range(len(VALUES))], pa.binary())
            table = pa.table({"v": plain, "iv": ivs, "aad": pa.array(each, pa.binary())})
            theirs = rows(
                table, f"concat(iv, encrypt('{mode}', v, unhex({{key:String}}), iv, aad))"
            )
            assert pa.chunked_array(column.open(theirs, aad)).to_pylist() == VALUES
            sealed = pa.array(column.seal(plain, aad))
            table = pa.table({"v": sealed, "aad": table["aad"]})
            opening = "substring(v, 13), unhex({key:String}), substring(v, 1, 12)"
            assert rows(table, f"decrypt('{mode}', {opening}, aad)").to_pylist() == VALUES
            lost = rows(table, f"tryDecrypt('{mode}', {opening}, concat(aad, 'x'))")
            # It does not check the tag of an empty message.
            assert [row for row in lost.to_pylist() if row] == []
            assert lost.null_count == len(VALUES) - 1


# ---- cryptography ---------------------------------------------------------------------


def test_spark_s_layout_by_cryptography() -> None:
    """IV[12] || ciphertext || tag[16], as aes_encrypt(value, key, 'GCM') writes it."""
    aead = pytest.importorskip("cryptography.hazmat.primitives.ciphers.aead")
    for ad in (b"", b"associated"):
        keyset = Keyset.generate("spark")
        column, theirs = Column(keyset, "spark"), aead.AESGCM(keyset._keys[0].secret)
        rows = values_of(column.seal(array_of("u", VALUES), ad))
        assert [
            row if row is None else theirs.decrypt(row[:12], row[12:], ad) for row in rows
        ] == VALUES
        nonces = [os.urandom(12) for _ in VALUES]
        sealed = [
            None if value is None else nonce + theirs.encrypt(nonce, value, ad)
            for nonce, value in zip(nonces, VALUES, strict=True)
        ]
        assert values_of(column.open(array_of("z", sealed), ad, type="string")) == VALUES


def test_deterministic_and_gcm_siv_by_cryptography() -> None:
    aead = pytest.importorskip("cryptography.hazmat.primitives.ciphers.aead")
    ad = b"\0\0\0\0\0\0\0\1c" + bytes(8)
    keyset = Keyset.generate("siv")
    theirs = aead.AESSIV(keyset._keys[0].secret)
    rows = values_of(Column(keyset, "siv", context="c").seal(array_of("z", VALUES[3:])))
    assert rows == [theirs.encrypt(value, [ad]) for value in VALUES[3:]]
    keyset = Keyset.generate("gcm-siv")
    siv = aead.AESGCMSIV(keyset._keys[0].secret)
    rows = values_of(Column(keyset, "gcm-siv", context="c").seal(array_of("z", VALUES[3:])))
    assert [siv.decrypt(row[:12], row[12:], ad) for row in rows if row] == VALUES[3:]


# ---- Polars' streaming engine, Ray -------------------------------------------------------


def test_polars_streams(tmp_path: Path) -> None:
    """Polars seals and opens batch by batch, and keeps the order of rows."""
    pl = pytest.importorskip("polars", reason="needs polars")
    column = Column(Keyset.generate("xaes"), context="c")
    sizes: list[int] = []

    def seal(series: Any) -> Any:
        sizes.append(len(series))
        return pl.Series(column.seal(series))

    def open_(series: Any) -> Any:
        return pl.Series(column.open(series, type="large_string"))

    texts = [None if i % 7 == 0 else f"user{i}@example.com" for i in range(40_000)]
    frame = pl.DataFrame({"n": range(len(texts)), "email": texts})
    plain, sealed = tmp_path / "plain.parquet", tmp_path / "sealed.parquet"
    frame.write_parquet(plain, row_group_size=10_000)
    email, options = pl.col("email"), {"is_elementwise": True}
    pl.scan_parquet(plain).with_columns(
        email.map_batches(seal, return_dtype=pl.Binary, **options)
    ).sink_parquet(sealed)
    assert len([size for size in sizes if size]) >= 4
    assert max(sizes) <= 10_000
    assert pl.read_parquet(sealed)["email"].dtype == pl.Binary
    opened = pl.scan_parquet(sealed).with_columns(
        email.map_batches(open_, return_dtype=pl.String, **options)
    )
    assert opened.collect(engine="streaming").equals(frame)


def test_ray_workers_read_the_keyset_file(local_ray: Any, tmp_path: Path) -> None:
    """Other processes handle the blocks. The data sent to them contains no key. A row that does not
    open ends the job."""
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    path = tmp_path / "keyset.json"
    Keyset.generate("xaes").write(path)
    column = Column(Keyset.from_file(path), context="c")

    def seal(batch: Any) -> Any:
        table = batch.append_column("by", pa.array([os.getpid()] * len(batch)))
        return table.set_column(0, "c", pa.chunked_array(column.seal(batch["c"])))

    def open_(batch: Any) -> Any:
        return batch.set_column(0, "c", pa.chunked_array(column.open(batch["c"])))

    secret = Keyset.from_file(path)._keys[0].secret
    sent = local_ray.cloudpickle.dumps(seal)
    assert str(path).encode() in sent
    assert secret not in sent
    local_ray.init(num_cpus=1, include_dashboard=False, logging_level="error")
    local_ray.data.DataContext.get_current().enable_progress_bars = False
    blocks = [pa.table({"c": pa.array(VALUES, pa.binary())}) for _ in range(3)]
    sealed = local_ray.data.from_arrow(blocks).map_batches(seal, batch_format="pyarrow")
    rows = sealed.take_all()
    assert {row["by"] for row in rows}.isdisjoint({os.getpid()})
    assert values_of(column.open(array_of("z", [row["c"] for row in rows]))) == VALUES * 3
    rows[3]["c"] = rows[3]["c"][:-1] + bytes([rows[3]["c"][-1] ^ 1])
    altered = pa.table({"c": pa.array([row["c"] for row in rows], pa.binary())})
    opened = local_ray.data.from_arrow(altered).map_batches(open_, batch_format="pyarrow")
    with pytest.raises(Exception, match="1 of 18 rows, the first is row 3"):
        opened.take_all()


# ---- Other packages' arrays ------------------------------------------------------------


def test_polars_and_pandas_and_duckdb_in_a_row() -> None:
    """Each package opens the rows that the one before sealed. The last returns the first values."""
    pl = pytest.importorskip("polars", reason="needs polars")
    pd = pytest.importorskip("pandas", reason="needs pandas")
    duckdb = pytest.importorskip("duckdb", reason="needs duckdb")
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    column = Column(Keyset.generate("xaes"), context="c")
    texts = ["one", None, "grün", "", noise(100).hex()] * 5
    from_polars = pl.Series(column.seal(pl.Series(texts)))
    assert from_polars.dtype == pl.Binary
    assert pl.Series(column.open(from_polars, type="large_string")).to_list() == texts
    in_pandas = pd.Series.from_arrow(column.open(from_polars, type="string"))
    sealed = pa.chunked_array(column.seal(in_pandas))
    assert sealed.null_count == 5
    table = pa.table({"c": sealed})
    relation = duckdb.from_arrow(table).select("c")
    fetched = pa.table(relation).column("c")
    assert pa.chunked_array(column.open(fetched, type="string")).to_pylist() == texts
