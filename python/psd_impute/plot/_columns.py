"""Columns of tables of any kind, as arrays to plot."""

from __future__ import annotations

import datetime
import decimal
import numbers
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
from matplotlib.dates import date2num

from .._engine import DataError, SettingError
from ..frames import column_names, frame_of, is_frame


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
    kind : {"number", "time", "category"}
    values : ndarray
        Numbers, days since 1970, or texts. The values of missing cells have no meaning.
    missing : ndarray of bool
    """

    name: str
    kind: str
    values: np.ndarray
    missing: np.ndarray

    @property
    def observed(self) -> np.ndarray:
        return self.values[~self.missing]


class Sheet:
    """A table of any kind.

    Attributes
    ----------
    names : list of str
        The names of the columns; for a matrix those given, or x0, x1, ...
    missing : ndarray of bool
        The mask of missing cells, of the shape of the table.
    """

    def __init__(self, table: Any, names: Sequence[str] | None = None) -> None:
        if not is_frame(table):
            table = np.asarray(table, dtype=float)
            if table.ndim != 2:
                raise DataError(f"the table has {table.ndim} dimensions, but must have rows and columns")
            names = [f"x{j}" for j in range(table.shape[1])] if names is None else names
        else:
            names = column_names(table)
        self._frame = frame_of(table, names)
        self.names = self._frame.names
        self.missing = self._frame.missing()

    @classmethod
    def with_gaps(cls, table: Any) -> Sheet:
        """Read a table; raise if it has no missing cells."""
        sheet = cls(table)
        if not sheet.missing.any():
            raise DataError("the table has no missing cell")
        return sheet

    def column(self, name: str) -> Column:
        """Return a column."""
        j = self.names.index(name)
        missing, raw = self.missing[:, j], _cells(self._frame.data, j)
        kind, found = _typed(raw[~missing])
        empty, dtype = (None, object) if kind == "category" else (np.nan, float)
        values = np.full(len(raw), empty, dtype=dtype)
        values[~missing] = found
        return Column(name, kind, values, missing)

    def without(self, name: str, rows: np.ndarray, sentinel: float = np.nan) -> Any:
        """Return some rows as a table of the same kind, with one column missing. In a matrix it holds a sentinel."""
        data, j = self._frame.data, self.names.index(name)
        if isinstance(data, np.ndarray):
            taken = data[rows]
            taken[:, j] = np.nan
            return np.where(np.isnan(taken), sentinel, taken)
        if hasattr(data, "to_series"):
            import polars

            return data[rows].with_columns(polars.lit(None, data.schema[name]).alias(name))
        import pyarrow

        if hasattr(data, "iloc"):
            import pandas

            taken = data.iloc[rows].copy()
            nulls = pyarrow.nulls(len(rows), pyarrow.array(taken.iloc[:, j], from_pandas=True).type)
            taken.isetitem(j, pandas.arrays.ArrowExtensionArray(nulls))
            return taken
        taken = pyarrow.table(data).take(rows)
        field = taken.schema.field(j)
        return taken.set_column(j, field, pyarrow.nulls(len(rows), field.type))

    def completed(self, tables: Any) -> list[Sheet]:
        """Read one or several completions of this table. A matrix may lack the columns that have no cell here."""
        if not isinstance(tables, (list, tuple)):
            tables = [tables]
        if not tables:
            raise DataError("there is no completed table")
        sheets = []
        for table in tables:
            names = self.names
            if not is_frame(table):
                table = np.asarray(table, dtype=float)
                width = table.shape[-1]
                if width < len(names):
                    names = [name for name, empty in zip(names, np.asarray(self.missing.all(axis=0))) if not empty]
                names = [*names, *(f"added {j}" for j in range(len(names), width))]
            sheet = Sheet(table, names)
            if len(sheet.missing) != len(self.missing):
                raise DataError(f"a completed table has {len(sheet.missing)} rows, not {len(self.missing)}")
            sheets.append(sheet)
        return sheets

    def was_completed(self, completed: Sheet) -> np.ndarray:
        """Return the columns whose missing cells are filled in a completed table."""
        gaps = self.missing.copy()
        for j, name in enumerate(self.names):
            gaps[:, j] &= name in completed.names and ~completed.missing[:, completed.names.index(name)]
        return np.asarray(gaps.any(axis=0))

    def chosen(self, columns: Any, among: np.ndarray, most: int) -> list[str]:
        """Return the columns to draw, by name or position; None is those of some with most missing cells."""
        if columns is None:
            places = np.flatnonzero(among)
            gaps = self.missing.sum(axis=0)[places]
            return [self.names[j] for j in np.sort(places[np.argsort(-gaps, kind="stable")][:most])]
        return [self._name(given) for given in ([columns] if isinstance(columns, (str, int)) else columns)]

    def _name(self, given: Any) -> str:
        if str(given) in self.names:
            return str(given)
        if isinstance(given, numbers.Integral) and -len(self.names) <= int(given) < len(self.names):
            return self.names[int(given)]
        hint = f"hint: the columns are {', '.join(self.names)}"
        raise SettingError(f"columns: there is no column {given!r}\n{hint}")


def imputed_cells(of: Column, completed: Sheet) -> np.ndarray:
    """Return the imputed cells of a column in a completed table."""
    other = completed.column(of.name)
    if other.kind != of.kind:
        kinds = f"a {of.kind} in the table, but a {other.kind} in a completed one"
        raise DataError(f"column `{of.name}` is {kinds}")
    return other.values[of.missing & ~other.missing]


def label_text(label: Any) -> str:
    """Return the text of a label at an axis."""
    plain_number = isinstance(label, numbers.Real) and not isinstance(label, (bool, np.bool_))
    return f"{label:g}" if plain_number else str(label)


def _cells(data: Any, j: int) -> np.ndarray:
    """Return all cells of a column as they are, including missing ones."""
    if isinstance(data, np.ndarray):
        return data[:, j]
    if hasattr(data, "iloc"):
        cells = data.iloc[:, j]
        return cells.to_numpy("datetime64[us]") if cells.dtype.kind == "M" else cells.to_numpy()
    if hasattr(data, "to_series"):
        return data.to_series(j).to_numpy()
    import pyarrow

    cells = pyarrow.table(data).column(j)
    if pyarrow.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    return cells.to_numpy()


def _typed(cells: np.ndarray) -> tuple[str, np.ndarray]:
    """Return the kind of observed cells, and the cells as numbers, days since 1970 or texts."""
    if cells.dtype.kind in "fiu" or _all(cells, (numbers.Real, decimal.Decimal)):
        return "number", cells.astype(float)
    if cells.dtype.kind == "M" or _all(cells, datetime.date):
        return "time", date2num(cells.astype("datetime64[us]"))
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [label_text(cell) for cell in cells]
    return "category", texts


def _all(cells: np.ndarray, kinds: Any) -> bool:
    """Whether the cells are objects of the given types. A bool is no number."""
    return cells.dtype.kind == "O" and all(isinstance(x, kinds) and not isinstance(x, bool) for x in cells)
