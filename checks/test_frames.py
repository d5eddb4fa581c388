"""Tables in every format and of every type, compared cell by cell with pyarrow and pandas.

`examples/fill_missing.rs` completes missing cells with the mean or the most frequent label of their column. Observed cells, types and
metadata must not change, and missing cells must get the values that numpy computes.
"""

import csv
import datetime
import decimal
import io
import os
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parent.parent
ROWS = 20_000
# `cargo xtask test` has built it with the tests; `cargo run` would build its dependencies again, with other features.
COMMAND = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug/examples/fill_missing"


def fill(source, target, *overrides):
    """Complete a file; return the kinds of its columns, and the note about each."""
    command = [COMMAND, str(source), str(target), *overrides]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: (kind, note) for name, kind, note in (line.split("\t") for line in printed.splitlines())}


def numbers(rng, kind):
    """Integers that a type can hold, with no mean of two that ends in a half."""
    info = np.iinfo(kind)
    return rng.integers(max(info.min, -1000), min(info.max, 1000), ROWS).astype(kind)


def columns():
    """A column of every type that can be completed: a pyarrow array without missing cells."""
    rng = np.random.default_rng(1)
    labels = rng.choice(["red", "green", "blue", "é, \"quoted\"\nline"], ROWS, p=[0.4, 0.3, 0.2, 0.1])
    days = rng.integers(-20_000, 20_000, ROWS)
    out = {str(np.dtype(k)): pa.array(numbers(rng, k)) for k in
           ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")}
    out["float16"] = pa.array(rng.normal(size=ROWS).astype("float16"))
    out["float32"] = pa.array(rng.normal(size=ROWS).astype("float32"))
    out["float64"] = pa.array(rng.normal(size=ROWS))
    out["two_decimals"] = pa.array(np.round(rng.normal(size=ROWS), 2))
    out["decimal128"] = pa.array([decimal.Decimal(int(x)).scaleb(-3) for x in rng.integers(-9999, 9999, ROWS)],
                                 pa.decimal128(12, 3))
    out["decimal256"] = out["decimal128"].cast(pa.decimal256(50, 3))
    out["bool"] = pa.array(rng.random(ROWS) < 0.7)
    out["binary_numbers"] = pa.array((rng.random(ROWS) < 0.7).astype("int64"))
    out["string"] = pa.array(labels)
    out["large_string"] = pa.array(labels, pa.large_string())
    out["string_view"] = pa.array(labels, pa.string_view())
    out["dictionary"] = pa.array(labels).dictionary_encode()
    out["small_dictionary"] = pa.array(labels).cast(pa.dictionary(pa.int8(), pa.string()))
    out["date32"] = pa.array(days, pa.int32()).cast(pa.date32())
    out["date64"] = out["date32"].cast(pa.date64())
    for unit, seconds in (("s", 1), ("ms", 1000), ("us", 10**6), ("ns", 10**9)):
        times = days * 86_400 * seconds + rng.integers(0, 86_400 * seconds, ROWS)
        out[f"time_{unit}"] = pa.array(times).cast(pa.timestamp(unit))
        out[f"time_{unit}_zone"] = pa.array(times).cast(pa.timestamp(unit, "Europe/Berlin"))
    out["whole_minutes"] = pa.array(days * 86_400_000 + 60_000 * rng.integers(0, 1440, ROWS)).cast(pa.timestamp("ms"))
    return out


def pierced(array, rng):
    """The array with one cell in five missing, and the mask of these."""
    missing = rng.random(ROWS) < 0.2
    if pa.types.is_floating(array.type) and array.type != pa.float16():
        # Half of the missing floats are NaN, the others null.
        cells = array.to_numpy(zero_copy_only=False).copy()
        cells[missing] = np.nan
        return pa.array(cells, array.type, mask=missing & (rng.random(ROWS) < 0.5)), missing
    if pa.types.is_string_view(array.type):
        # pyarrow cannot take from these.
        return pa.array([None if gap else x for gap, x in zip(missing, array.to_pylist())], array.type), missing
    keep = pa.array(np.where(missing, None, np.arange(ROWS)), pa.int64())
    return array.take(keep), missing


@pytest.fixture(scope="session")
def table():
    rng = np.random.default_rng(2)
    cells, missing = {}, {}
    for name, array in columns().items():
        cells[name], missing[name] = pierced(array, rng)
    cells["list"] = pa.array([[i] if i % 3 else None for i in range(ROWS)])
    cells["struct"] = pa.array([{"a": i} if i % 3 else None for i in range(ROWS)])
    cells["binary"] = pa.array([b"x%d" % i if i % 3 else None for i in range(ROWS)])
    cells["row_number"] = pa.array(range(ROWS))
    cells["free_text"] = pa.array([f"a text {i}" if i % 3 else None for i in range(ROWS)])
    cells["never"] = pa.array([None] * ROWS, pa.float64())
    cells["constant"] = pa.array(["same" if i % 3 else None for i in range(ROWS)])
    missing["constant"] = np.arange(ROWS) % 3 == 0
    schema = pa.schema([pa.field(name, array.type, metadata={"of": name}) for name, array in cells.items()])
    schema = schema.with_metadata({"pandas": "{}", "source": "here"})
    return pa.table(list(cells.values()), schema=schema), missing


def raw(array):
    """Cells as comparable Python values; NaN is None, and times are integers in their unit."""
    if pa.types.is_timestamp(array.type) or pa.types.is_date64(array.type):
        array = array.cast(pa.int64())
    if pa.types.is_date32(array.type):
        array = array.cast(pa.int32())
    return [None if isinstance(x, float) and x != x else x for x in array.to_pylist()]


def expected(name, array):
    """The value that missing cells of a column get."""
    seen = [x for x in raw(array) if x is not None]
    kind = array.type
    if name in ("binary_numbers", "constant") or not (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        or pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    ):
        return Counter(seen).most_common(1)[0][0]
    mean = sum(map(decimal.Decimal, seen)) / len(seen)
    unit = "0.01" if name == "two_decimals" else None
    if pa.types.is_decimal(kind):
        unit = "0.001"
    if pa.types.is_integer(kind) or pa.types.is_date32(kind):
        unit = 1
    if pa.types.is_date64(kind) or pa.types.is_timestamp(kind):
        second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[getattr(kind, "unit", "ms")]
        units = [86_400 * second, 3600 * second, 60 * second, second, second // 10**3, second // 10**6, 1]
        unit = next(u for u in units if u and all(x % u == 0 for x in seen))
    if unit is None:
        return float(mean)
    step = decimal.Decimal(unit)
    return type(seen[0])((mean / step).to_integral_value(decimal.ROUND_HALF_UP) * step)


def close(name, kind):
    """The tolerance of a completed number: rounding of the mean in the type it is computed in."""
    if pa.types.is_float16(kind):
        return 1e-3
    if pa.types.is_float32(kind):
        return 1e-7
    # Nanoseconds since 1970 have more digits than a double.
    return 512 if name.startswith("time_ns") else 1e-12


def compare(before, after, missing):
    types = [{f.name: (str(f.type), f.nullable) for f in table.schema} for table in (before, after)]
    assert types[0] == types[1]
    for name in before.schema.names:
        old, new = before[name].combine_chunks(), after[name].combine_chunks()
        old, new = (x.cast(x.type.value_type) if pa.types.is_dictionary(x.type) else x for x in (old, new))
        if name not in missing:
            assert old.equals(new), name
            continue
        fills = set()
        for gap, x, y in zip(missing[name], raw(old), raw(new)):
            if gap:
                fills.add(y)
            else:
                assert x == y, name
        assert len(fills) == 1, name
        fill, wanted = fills.pop(), expected(name, old)
        if isinstance(wanted, (float, int)) and not isinstance(wanted, bool):
            assert fill == pytest.approx(wanted, abs=close(name, old.type), rel=0), name
        else:
            assert fill == wanted, name


WRITERS = {
    "snappy.parquet": lambda t, path: pq.write_table(t, path, row_group_size=7000),
    "zstd.parquet": lambda t, path: pq.write_table(t, path, compression="zstd", data_page_version="2.0"),
    "gzip.parquet": lambda t, path: pq.write_table(t, path, compression="gzip", use_dictionary=False),
    "lz4.parquet": lambda t, path: pq.write_table(t, path, compression="lz4"),
    "lz4.feather": lambda t, path: pa.feather.write_feather(t, path, compression="lz4", chunksize=3000),
    "zstd.feather": lambda t, path: pa.feather.write_feather(t, path, compression="zstd"),
    "plain.arrow": lambda t, path: pa.feather.write_feather(t, path, compression="uncompressed"),
    "plain.arrows": lambda t, path: write_stream(t, path),
}


def write_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=3000)


def read(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".arrows":
        return pa.ipc.open_stream(path).read_all()
    return pa.ipc.open_file(path).read_all()


def in_utc(table, name):
    """The table with another zone for the same times."""
    position, kind = table.schema.get_field_index(name), pa.timestamp("ms", "UTC")
    return table.set_column(position, table.schema.field(name).with_type(kind), table[name].cast(kind))


@pytest.mark.parametrize("name", WRITERS)
def test_arrow_tables_keep_everything_but_gaps(table, name, tmp_path):
    before, missing = table
    WRITERS[name](before, tmp_path / name)
    kinds = fill(tmp_path / name, tmp_path / f"out.{name}")
    before, after = read(tmp_path / name), read(tmp_path / f"out.{name}")
    if name.endswith(".parquet"):
        # Parquet has no seconds; where pyarrow made milliseconds of them, the Rust reader does not see the name of the zone.
        before, after = (in_utc(t, "time_s_zone") for t in (before, after))
    compare(before, after, missing)
    assert {k: v for k, v in after.schema.metadata.items() if k != b"ARROW:schema"} == before.schema.metadata
    assert all(after.schema.field(f.name).metadata.items() >= (f.metadata or {}).items() for f in before.schema)
    assert kinds["int64"][0] == "integer" and kinds["float64"][0] == "continuous"
    assert kinds["bool"][0] == kinds["binary_numbers"][0] == "boolean"
    assert kinds["date32"][0] == "date" and kinds["time_ns_zone"][0] == "time"
    assert "it identifies rows" in kinds["row_number"][1] and "free text" in kinds["free_text"][1]
    assert "List" in kinds["list"][1] and "no cell is observed" in kinds["never"][1]


def frame():
    """A table for CSV, as pandas has it."""
    rng = np.random.default_rng(3)
    days = pd.Timestamp("1999-12-01") + pd.to_timedelta(rng.integers(0, 9000, ROWS), "D")
    out = pd.DataFrame({
        "whole": rng.integers(-50, 50, ROWS),
        "real": rng.normal(size=ROWS),
        "price": np.round(rng.gamma(2, 20, ROWS), 2),
        "flag": rng.random(ROWS) < 0.3,
        "zero_one": (rng.random(ROWS) < 0.3).astype(int),
        "label": rng.choice(["a b", "c,d", "e;f", 'say "g"', "h\ni"], ROWS),
        "day": days.strftime("%Y-%m-%d"),
        "moment": (days + pd.to_timedelta(rng.integers(0, 1440, ROWS), "min")).strftime("%Y-%m-%d %H:%M:%S"),
        "text": [f"text no. {i}" for i in range(ROWS)],
    }).astype(object)
    return out.mask(rng.random(out.shape) < 0.15)


DIALECTS = {
    "plain": {},
    "semicolons": {"sep": ";", "decimal": ","},
    "tabs": {"sep": "\t", "lineterminator": "\r\n", "na_rep": "NA"},
    "bars": {"sep": "|", "quoting": csv.QUOTE_ALL, "na_rep": "?"},
}
COMPRESSION = {"": None, ".gz": "gzip", ".zst": "zstd"}


def cells(text, separator):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("compression", COMPRESSION)
def test_text_keeps_everything_but_gaps(name, compression, tmp_path):
    table, dialect = frame(), DIALECTS[name]
    if "decimal" in dialect:
        # pandas writes objects as they are.
        for column in ("real", "price"):
            table[column] = table[column].map(lambda x: str(x).replace(".", ","), na_action="ignore")
        dialect = {"sep": ";"}
    source, target = tmp_path / f"in.csv{compression}", tmp_path / f"out.csv{compression}"
    text = table.to_csv(index=False, **dialect).encode("utf-8-sig" if name == "tabs" else "utf-8")
    with pa.output_stream(source, compression=COMPRESSION[compression]) as file:
        file.write(text)
    fill(source, target)
    before, after = (pa.input_stream(p, compression=COMPRESSION[compression]).read().decode() for p in (source, target))
    separator = dialect.get("sep", ",")
    old, new = cells(before, separator), cells(after, separator)
    assert len(old) == len(new) == ROWS + 1 and old[0] == new[0]
    fills = {column: set() for column in table}
    token = dialect.get("na_rep", "")
    for x, y in zip(old[1:], new[1:]):
        for column, a, b in zip(table, x, y, strict=True):
            if a == token:
                fills[column].add(b)
            else:
                assert a == b
    assert fills.pop("text") == {token}
    for column, values in fills.items():
        (value,) = values
        seen = table[column].dropna()
        if column in ("flag", "zero_one", "label"):
            assert value == str(Counter(seen).most_common(1)[0][0])
        elif column in ("day", "moment"):
            mean = pd.to_datetime(seen).mean()
            assert value == (mean.round("D").strftime("%Y-%m-%d") if column == "day" else
                             mean.round("min").strftime("%Y-%m-%d %H:%M:%S"))
        else:
            mean = seen.map(lambda x: float(str(x).replace(",", "."))).mean()
            digits = {"whole": 0, "price": 2}.get(column, 15)
            assert float(value.replace(",", ".")) == pytest.approx(round(mean, digits), abs=1e-12)
            assert ("," in value) == (name == "semicolons" and column != "whole")


def test_text_bytes_between_gaps_stay(tmp_path):
    lines = [f'{i / 7:.3f},"lab,{i % 3}", {i % 5}\r\n' + ("\r\n" if i % 11 == 0 else "") for i in range(ROWS)]
    gaps = [line.replace(f"{i / 7:.3f}", "NA", 1) if i % 4 == 0 else line for i, line in enumerate(lines)]
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(("x,y,z\r\n" + "".join(gaps)).encode())
    fill(source, target)
    after = target.read_bytes()
    mean = np.mean([float(f"{i / 7:.3f}") for i in range(ROWS) if i % 4])
    assert after == source.read_bytes().replace(b"NA", f"{mean:.3f}".rstrip("0").ljust(5, "0").encode())


def test_text_becomes_arrow(tmp_path):
    table = frame()
    table.to_csv(tmp_path / "in.csv", index=False)
    for name in ("out.parquet", "out.arrow", "out.arrows"):
        fill(tmp_path / "in.csv", tmp_path / name)
        after = read(tmp_path / name)
        kinds = {"whole": pa.int64(), "real": pa.float64(), "price": pa.float64(), "flag": pa.bool_(),
                 "zero_one": pa.int64(), "label": pa.string(), "day": pa.date32(), "moment": pa.timestamp("ms"),
                 "text": pa.string()}
        assert {f.name: f.type for f in after.schema} == kinds
        for column, cells in table.items():
            for x, y in zip(cells, after[column].to_pylist()):
                if x is np.nan or pd.isna(x):
                    assert (y is None) == (column == "text")
                elif isinstance(y, (datetime.date, datetime.datetime)):
                    assert pd.Timestamp(x) == pd.Timestamp(y)
                else:
                    assert x == y


def test_arrow_becomes_text(table, tmp_path):
    before, missing = table
    before = before.drop_columns(["list", "struct", "binary", "float16", "decimal256", "date64"])
    pq.write_table(before, tmp_path / "in.parquet")
    fill(tmp_path / "in.parquet", tmp_path / "same.parquet")
    fill(tmp_path / "in.parquet", tmp_path / "out.csv")
    typed = read(tmp_path / "same.parquet")
    options = pa.csv.ConvertOptions(column_types={
        f.name: pa.string() if pa.types.is_dictionary(f.type) or pa.types.is_string_view(f.type) else f.type
        for f in typed.schema}, strings_can_be_null=True, quoted_strings_can_be_null=False)
    parse = pa.csv.ParseOptions(newlines_in_values=True)
    text = pa.csv.read_csv(tmp_path / "out.csv", convert_options=options, parse_options=parse)
    for name in typed.schema.names:
        old, new = raw(typed[name].combine_chunks()), raw(text[name].combine_chunks())
        assert old == new, name


def test_the_same_table_gives_the_same_cells_in_any_format(tmp_path):
    """Rounding is that of the values, not of the format."""
    rng = np.random.default_rng(4)
    table = pd.DataFrame({
        "tenths": np.round(rng.normal(size=500), 1), "whole": rng.integers(0, 9, 500).astype(float), "real": rng.normal(size=500),
    }).mask(rng.random((500, 3)) < 0.2)
    table.to_csv(tmp_path / "in.csv", index=False)
    table.to_parquet(tmp_path / "in.parquet")
    fill(tmp_path / "in.csv", tmp_path / "out.csv")
    fill(tmp_path / "in.parquet", tmp_path / "out.parquet")
    from_text, from_arrow = pd.read_csv(tmp_path / "out.csv"), pd.read_parquet(tmp_path / "out.parquet")
    pd.testing.assert_frame_equal(from_text, from_arrow, check_exact=True)
    assert table.attrs == from_arrow.attrs and (table.dtypes == from_arrow.dtypes).all()
