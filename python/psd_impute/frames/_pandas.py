"""Pandas tables. They go through PyArrow, which shares memory where it can."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .._engine import DataError, Table
from ._base import Frame, Labels, pyarrow, widened


class Pandas(Frame):
    """A pandas table. On the way back dtypes, index and names stay; a Categorical gets the labels that it lacks."""

    def read(self) -> Table:
        pa = pyarrow()
        marked = self.marked()
        arrays = []
        for j, name in enumerate(self.names):
            column = self.data.iloc[:, j]
            try:
                arrays.append(_to_arrow(column, marked[:, j] if marked.any() else None))
            except (pa.ArrowException, TypeError, ValueError) as error:
                raise DataError(
                    f"column `{name}` of dtype {column.dtype} cannot be read: {error}\n"
                    "hint: convert the column so that all its cells are numbers, text, booleans or times"
                ) from None
        return Table(pa.table(arrays, names=self.names))

    def empty(self) -> np.ndarray:
        return self.data.isna().to_numpy(dtype=bool)

    def holding(self, j: int, values: Sequence[Any]) -> np.ndarray:
        out = np.zeros(len(self.data), dtype=bool)
        for value in values:
            out |= _equal(self.data.iloc[:, j], value)
        return out

    def levels(self, j: int) -> list[Any] | None:
        dtype = self.data.dtypes.iloc[j]
        return list(dtype.categories) if _is_categorical(dtype) else None

    def is_ordered(self, j: int) -> bool:
        dtype = self.data.dtypes.iloc[j]
        return _is_categorical(dtype) and bool(dtype.ordered)

    def texts(self, j: int) -> set[str]:
        column = self.data.iloc[:, j]
        if not (column.dtype == object or _is_categorical(column.dtype) or str(column.dtype).startswith("str")):
            return set()
        different = column.cat.categories if _is_categorical(column.dtype) else column
        return {text for text in different if isinstance(text, str)}

    def periods(self) -> dict[str, str]:
        # The dtype is named period[M], whereas its frequency may be named ME.
        dtypes = zip(self.names, self.data.dtypes)
        return {name: str(dtype)[len("period[") : -1] for name, dtype in dtypes if _is_period(dtype)}

    def restore(self, completed: Table, filled: Sequence[int], labels: Labels) -> Any:
        done = pyarrow().table(completed)
        missing = self.missing()
        out = self.data.copy()
        for j in filled:
            gaps = np.flatnonzero(missing[:, j])
            if len(gaps):
                cells = done.column(j).take(pyarrow().array(gaps))
                out.isetitem(j, _filled(self.data.iloc[:, j], gaps, cells, labels.get(j, ())))
        return out

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> Any:
        if len(kept) < data.shape[1]:
            data = data.iloc[:, list(kept)]
        for k, name in enumerate(names):
            data = data.assign(**{name: flags[:, k]})
        return data

    def is_number(self, j: int) -> bool:
        from pandas.api.types import is_bool_dtype, is_numeric_dtype

        dtype = self.data.dtypes.iloc[j]
        return bool(is_numeric_dtype(dtype) and not is_bool_dtype(dtype))

    def zeroed(self, data: Any, columns: Sequence[int]) -> Any:
        out = data.copy()
        for j in columns:
            column = data.iloc[:, j].copy()
            column.iloc[np.flatnonzero(self.missing()[:, j])] = 0
            out.isetitem(j, column)
        return out

    def like(self, table: Table) -> Any:
        found = pyarrow().table(table)
        # The column is not modelled: a dtype without missing values is replaced by one that has them.
        out = self.data.reindex(range(len(table)))
        for j, name in enumerate(self.names):
            if name in found.column_names:
                out.isetitem(j, _cells(found.column(name), self.data.dtypes.iloc[j], ()))
        return out


def _to_arrow(column: Any, marked: np.ndarray | None) -> Any:
    """Convert a column to a PyArrow array, with the marked cells missing."""
    pa = pyarrow()
    if _is_period(column.dtype):
        # The distance of periods is that of their ordinals, whatever the lengths of months.
        missing = column.isna().to_numpy() if marked is None else column.isna().to_numpy() | marked
        return pa.array(column.array.asi8, mask=missing)
    if marked is None:
        return pa.array(column, from_pandas=True)
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb":
        return pa.array(column.to_numpy(), mask=marked, from_pandas=True)
    return pa.array(column.mask(marked), from_pandas=True)


def _filled(column: Any, gaps: np.ndarray, cells: Any, labels: Sequence[Any]) -> Any:
    """Fill the missing cells of the column from a PyArrow array."""
    if _is_categorical(column.dtype):
        categories = _categories(column.dtype, cells.type, labels)
        column = column.cat.set_categories(categories, ordered=column.dtype.ordered)
    try:
        new = column.copy()
        new.iloc[gaps] = _cells(cells, column.dtype, labels)
        return new
    except (TypeError, ValueError):
        if len(gaps) < len(column):
            raise
        # The column had only missing cells, and its dtype cannot hold the completed ones.
        natural = cells.to_pandas()
        natural.index, natural.name = column.index, column.name
        return natural


def _cells(cells: Any, dtype: Any, labels: Sequence[Any]) -> Any:
    """Convert a PyArrow array to an array of a dtype."""
    import pandas as pd

    if _is_period(dtype):
        return pd.arrays.PeriodArray(cells.combine_chunks().to_numpy(zero_copy_only=False).astype("int64"), dtype=dtype)
    if _is_categorical(dtype):
        values = pd.array(cells.to_pylist(), dtype=object)
        return pd.Categorical(values, categories=_categories(dtype, cells.type, labels), ordered=dtype.ordered)
    if dtype == object and pyarrow().types.is_temporal(cells.type):
        out = np.empty(len(cells), dtype=object)
        out[:] = cells.to_pylist()
        return out
    return cells.to_pandas().astype(dtype).array


def _categories(dtype: Any, type_: Any, labels: Sequence[Any]) -> Any:
    """Return the categories of a dtype with all labels added, in the categories' type."""
    known = list(dtype.categories)
    if labels and all(isinstance(label, float) and label.is_integer() for label in labels):
        labels = [int(label) for label in labels] if not any(isinstance(c, float) for c in known) else labels
    wide = widened(known, labels, bool(dtype.ordered))
    return dtype.categories if len(wide) == len(known) else wide


def _equal(column: Any, value: Any) -> np.ndarray:
    try:
        return (column == value).fillna(False).to_numpy(dtype=bool)
    except TypeError:
        return np.zeros(len(column), dtype=bool)


def _is_categorical(dtype: Any) -> bool:
    return type(dtype).__name__ == "CategoricalDtype"


def _is_period(dtype: Any) -> bool:
    return type(dtype).__name__ == "PeriodDtype"
