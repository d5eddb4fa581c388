"""Polars tables, whose memory is shared with the engine."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .._engine import Table
from ._base import Frame, Labels, read_table, widened


class Polars(Frame):
    """A polars table. On the way back dtypes stay; an Enum gets the labels that it lacks."""

    def read(self) -> Table:
        import polars as pl

        data = self.data
        for j, marked in enumerate(self.marked().T):
            if marked.any():
                name = data.columns[j]
                data = data.with_columns(pl.when(pl.Series(marked)).then(None).otherwise(pl.col(name)).alias(name))
        # An Enum's list of values is stored beside it, and would not fit the completed column. Polars' Null columns are not Arrow's.
        enums = [pl.col(name).cast(pl.Categorical) for name, dtype in data.schema.items() if isinstance(dtype, pl.Enum)]
        nothing = [pl.col(name).cast(pl.String) for name, dtype in data.schema.items() if dtype == pl.Null]
        return read_table(data.with_columns(*enums, *nothing), self.names, lambda j: data.select(data.columns[j]))

    def empty(self) -> np.ndarray:
        def gaps(column: Any) -> np.ndarray:
            null = column.is_null()
            return (null | column.is_nan().fill_null(True) if column.dtype.is_float() else null).to_numpy()

        return np.column_stack([gaps(column) for column in self.data])

    def holding(self, j: int, values: Sequence[Any]) -> np.ndarray:
        import polars as pl

        column = self.data.to_series(j)
        texts = column.dtype in (pl.String, pl.Categorical, pl.Enum)
        values = [value for value in values if texts == isinstance(value, str)]
        if not values or not (texts or column.dtype.is_numeric()):
            return np.zeros(len(column), dtype=bool)
        column = column.cast(pl.String) if texts else column
        out = np.zeros(len(column), dtype=bool)
        for value in values:
            try:
                out |= (column == value).fill_null(False).to_numpy()
            except OverflowError:
                pass  # No cell holds a number that the type cannot hold.
        return out

    def levels(self, j: int) -> list[Any] | None:
        import polars as pl

        dtype = self.data.dtypes[j]
        return dtype.categories.to_list() if isinstance(dtype, pl.Enum) else None

    def texts(self, j: int) -> set[str]:
        import polars as pl

        column = self.data.to_series(j)
        if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
            return set()
        return {text for text in column.unique().cast(pl.String).to_list() if text is not None}

    def restore(self, completed: Table, filled: Sequence[int], labels: Labels) -> Any:
        import polars as pl

        done = pl.DataFrame(completed)
        missing = self.missing()
        columns = []
        for j in filled:
            if missing[:, j].any():
                column = done.get_column(self.names[j])
                dtype = self._dtype(j, column, labels.get(j, ()), bool(missing[:, j].all()))
                columns.append(column.cast(dtype).alias(self.data.columns[j]))
        return self.data.with_columns(*columns)

    def _dtype(self, j: int, column: Any, labels: Sequence[Any], nothing: bool) -> Any:
        """Return the dtype of a completed column."""
        import polars as pl

        dtype = self.data.dtypes[j]
        if isinstance(dtype, pl.Enum):
            wide = widened(dtype.categories.to_list(), labels, ordered=True)
            return dtype if len(wide) == len(dtype.categories) else pl.Enum(wide)
        texts = (pl.String, pl.Categorical)
        if nothing and (dtype == pl.Null or (column.dtype in texts) != (dtype in texts)):
            return column.dtype
        return dtype

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> Any:
        import polars as pl

        data = data.select([data.columns[j] for j in kept])
        return data.with_columns(pl.Series(name, flags[:, k]) for k, name in enumerate(names))

    def is_number(self, j: int) -> bool:
        return bool(self.data.dtypes[j].is_numeric())

    def zeroed(self, data: Any, columns: Sequence[int]) -> Any:
        import polars as pl

        def zero(j: int) -> Any:
            name = data.columns[j]
            cells = pl.when(pl.Series(self.missing()[:, j])).then(pl.lit(0)).otherwise(pl.col(name))
            return cells.cast(data.dtypes[j]).alias(name)

        return data.with_columns(zero(j) for j in columns)

    def like(self, table: Table) -> Any:
        import polars as pl

        found = pl.DataFrame(table)
        columns = [
            (found.get_column(name) if name in found.columns else pl.Series(name, [None] * len(found))).cast(dtype)
            for name, dtype in self.data.schema.items()
        ]
        return pl.DataFrame(columns)
