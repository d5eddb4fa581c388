"""The cells of tables: of files and of frames."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any, Iterable

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet

#: Longer than any cell.
csv.field_size_limit(10**7)

Cells = dict[str, list[Any]]


def arrow(frame: Any) -> pa.Table:
    """A frame as PyArrow's."""
    if isinstance(frame, pd.DataFrame):
        return pa.Table.from_pandas(frame, preserve_index=False)
    return frame.to_arrow() if isinstance(frame, pl.DataFrame) else pa.table(frame)


def of_frame(frame: Any) -> Cells:
    """The cells of a frame or matrix."""
    if isinstance(frame, pd.DataFrame):
        return _named(map(str, frame.columns), [list(frame.iloc[:, j]) for j in range(frame.shape[1])])
    if isinstance(frame, pl.DataFrame):
        return _named(frame.columns, [column.to_list() for column in frame])
    if isinstance(frame, np.ndarray):
        return _named((f"x{j}" for j in range(frame.shape[1])), frame.T.tolist())
    table = pa.table(frame)
    return _named(table.column_names, [column.to_pylist() for column in table.columns])


def of_file(path: Path, delimiter: str = ",", encoding: str = "utf-8", header: bool = True) -> Cells:
    """The cells of a file, those of a text file as text."""
    if path.suffix == ".parquet":
        return of_frame(pyarrow.parquet.read_table(path))
    if path.suffix == ".arrow":
        return of_frame(pa.ipc.open_file(path).read_all())
    if path.suffix == ".xlsx":
        rows = [list(row) for row in openpyxl.load_workbook(path).active.iter_rows(values_only=True)]
        return _named(map(str, rows[0]), _columns(rows[1:], len(rows[0])))
    if path.suffix == ".jsonl":
        records = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        names = list(dict.fromkeys(name for record in records for name in record))
        return {name: [record.get(name) for record in records] for name in names}
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode(encoding)
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    names = rows.pop(0) if header else [str(j) for j in range(len(rows[0]))]
    return _named(names, _columns(rows, len(names)))


def _columns(rows: list[list[Any]], width: int) -> list[list[Any]]:
    """Rows turned into columns; what is behind the last column is left out."""
    return [[row[j] if j < len(row) else "" for row in rows] for j in range(width)]


def _named(names: Iterable[str], columns: list[list[Any]]) -> Cells:
    """Columns by name; the second of a name has a number."""
    found: Cells = {}
    for name, cells in zip(names, columns):
        unique, k = name, 1
        while unique in found:
            unique, k = f"{name}.{k}", k + 1
        found[unique] = cells
    return found
