"""Tables of the kinds that people have: to the engine's columns, and back to what they were.

The engine reads Arrow's memory. NumPy's matrices are copied into columns once; what has the Arrow C stream interface
(polars, PyArrow, ...) is shared; pandas goes through PyArrow, which shares what it can. On the way back only cells
that were missing change: dtypes, index and names stay, and a column without gaps is the one that came in.
"""

from __future__ import annotations

import sys
from typing import Any, Sequence

import numpy as np

from ._engine import DataError, Model, SettingError, Table, table_from_matrix, write_matrix


class Frame:
    """A table of somebody's kind.

    Parameters
    ----------
    data : table
        The table; see the subclasses for which.
    names : sequence of str
        What the engine calls its columns.
    """

    def __init__(self, data: Any, names: Sequence[str]) -> None:
        self.data = data
        self.names = list(names)

    def to_engine(self) -> Table:
        """The table as the engine reads it."""
        raise NotImplementedError

    def missing(self) -> np.ndarray:
        """Which cells are missing, a row a row."""
        raise NotImplementedError

    def completed(self, model: Model, wanted: dict[str, Any], filled: Sequence[int]) -> tuple[Any, list[str]]:
        """The data, completed by a model as wanted in the columns at ``filled``, and what there is to say."""
        table, notes = model.complete(self.to_engine(), wanted)
        return self.restore(table, filled), notes

    def restore(self, completed: Table, filled: Sequence[int]) -> Any:
        """The data with the missing cells of some columns taken from a completed table."""
        raise NotImplementedError

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> Any:
        """Some columns of the data, and behind them new ones that hold flags."""
        raise NotImplementedError

    def zeroed(self, data: Any, columns: Sequence[int]) -> Any:
        """The data with zeros in the missing cells of some columns."""
        raise NotImplementedError

    def template(self) -> Any:
        """The table without its rows, for `like`."""
        return self.data[:0]

    def like(self, table: Table) -> Any:
        """A table of the engine's with these columns as one of this kind."""
        raise NotImplementedError


class Matrix(Frame):
    """A matrix of NumPy's, of single or double precision."""

    def to_engine(self) -> Table:
        return table_from_matrix(self.data, self.names)

    def missing(self) -> np.ndarray:
        return np.isnan(self.data)

    def completed(self, model: Model, wanted: dict[str, Any], filled: Sequence[int]) -> tuple[Any, list[str]]:
        out = np.empty(self.data.shape, dtype=self.data.dtype)
        return out, model.complete_into(self.to_engine(), wanted, out)

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> np.ndarray:
        if len(kept) < data.shape[1]:
            data = data[:, list(kept)]
        return np.hstack([data, flags.astype(data.dtype)]) if names else data

    def zeroed(self, data: Any, columns: Sequence[int]) -> np.ndarray:
        out = data.copy()
        out[:, list(columns)] = np.nan_to_num(out[:, list(columns)])
        return out

    def like(self, table: Table) -> np.ndarray:
        out = np.empty((len(table), len(self.names)), dtype=self.data.dtype)
        write_matrix(table, self.names, out)
        return out


class Pandas(Frame):
    """A table of pandas."""

    def to_engine(self) -> Table:
        pa = _pyarrow()
        arrays = []
        for j, name in enumerate(self.names):
            column = self.data.iloc[:, j]
            try:
                arrays.append(pa.array(column, from_pandas=True))
            except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
                raise DataError(
                    f"column `{name}` of dtype {column.dtype} cannot be read: {error}\n"
                    "hint: convert the column so that all its cells are numbers, text, booleans or times"
                ) from None
        return Table(pa.table(arrays, names=self.names))

    def missing(self) -> np.ndarray:
        return self.data.isna().to_numpy()

    def restore(self, completed: Table, filled: Sequence[int]) -> Any:
        done = _pyarrow().table(completed)
        out = self.data.copy()
        for j in filled:
            column = self.data.iloc[:, j]
            gaps = np.flatnonzero(column.isna().to_numpy())
            if len(gaps):
                new = column.copy()
                new.iloc[gaps] = done.column(j).take(gaps).to_pandas().astype(column.dtype).array
                out.isetitem(j, new)
        return out

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> Any:
        if len(kept) < data.shape[1]:
            data = data.iloc[:, list(kept)]
        for k, name in enumerate(names):
            data = data.assign(**{name: flags[:, k]})
        return data

    def zeroed(self, data: Any, columns: Sequence[int]) -> Any:
        out = data.copy()
        for j in columns:
            column = data.iloc[:, j]
            out.isetitem(j, column.astype(float).fillna(0.0).astype(column.dtype))
        return out

    def like(self, table: Table) -> Any:
        found = pandas_table(table)
        # A type that cannot be missing, of a column that is not modelled, gives way to one that can.
        out = self.data.reindex(range(len(found)))
        for j, name in enumerate(self.names):
            if name in found.columns:
                out.isetitem(j, found[name].astype(self.data.iloc[:, j].dtype))
        return out


class Polars(Frame):
    """A table of polars."""

    def to_engine(self) -> Table:
        return Table(self.data)

    def missing(self) -> np.ndarray:
        def gaps(column: Any) -> np.ndarray:
            null = column.is_null()
            return (null | column.is_nan().fill_null(True) if column.dtype.is_float() else null).to_numpy()

        return np.column_stack([gaps(column) for column in self.data])

    def restore(self, completed: Table, filled: Sequence[int]) -> Any:
        import polars as pl

        done = pl.DataFrame(completed)
        columns = (done.get_column(self.names[j]).cast(self.data.schema[self.names[j]]) for j in filled)
        return self.data.with_columns(*columns)

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> Any:
        import polars as pl

        data = data.select([data.columns[j] for j in kept])
        return data.with_columns(pl.Series(name, flags[:, k]) for k, name in enumerate(names))

    def zeroed(self, data: Any, columns: Sequence[int]) -> Any:
        import polars as pl

        return data.with_columns(pl.col(data.columns[j]).fill_null(0).fill_nan(0) for j in columns)

    def like(self, table: Table) -> Any:
        import polars as pl

        found = pl.DataFrame(table)
        columns = [
            (found.get_column(name) if name in found.columns else pl.Series(name, [None] * len(found))).cast(dtype)
            for name, dtype in self.data.schema.items()
        ]
        return pl.DataFrame(columns)


class Arrow(Frame):
    """Anything else with the Arrow C stream interface. PyArrow's tables come back as such, others as the engine's."""

    def to_engine(self) -> Table:
        return Table(self.data)

    def missing(self) -> np.ndarray:
        import pyarrow.compute as pc

        table = _pyarrow().table(self.data)
        return np.column_stack([pc.is_null(column, nan_is_null=True).to_numpy() for column in table.columns])

    def restore(self, completed: Table, filled: Sequence[int]) -> Any:
        if not _is(self.data, "pyarrow", "Table", "RecordBatch"):
            return completed
        done = _pyarrow().table(completed)
        if _is(self.data, "pyarrow", "RecordBatch"):
            return done.cast(self.data.schema).combine_chunks().to_batches()[0]
        return done.cast(self.data.schema)

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> Any:
        if len(kept) == len(self.names) and not names:
            return data
        table = _pyarrow().table(data).select(list(kept))
        for k, name in enumerate(names):
            table = table.append_column(name, [flags[:, k]])
        return table

    def zeroed(self, data: Any, columns: Sequence[int]) -> Any:
        pa = _pyarrow()
        table = pa.table(data)
        for j in map(int, columns):
            field = table.schema.field(j)
            kind = pa.float64() if pa.types.is_null(field.type) else field.type
            table = table.set_column(j, field.name, pa.array(np.zeros(len(table)), kind))
        return table

    def template(self) -> Any:
        return self.data if isinstance(self.data, Table) else self.data.slice(0, 0)

    def like(self, table: Table) -> Any:
        if not _is(self.data, "pyarrow", "Table", "RecordBatch"):
            return table
        pa = _pyarrow()
        found = pa.table(table)

        def column(field: Any) -> Any:
            if field.name not in found.column_names:
                return pa.nulls(len(found), field.type)
            cells = found.column(field.name)
            if not pa.types.is_dictionary(field.type):
                return cells.cast(field.type)
            return cells.cast(field.type.value_type).dictionary_encode().cast(field.type)

        return pa.table([column(field) for field in self.data.schema], schema=self.data.schema)


def pandas_table(table: Table) -> Any:
    """A table of the engine's as one of pandas."""
    return _pyarrow().table(table).to_pandas()


def is_frame(data: Any) -> bool:
    """Whether the data is a table with columns of its own types, not a matrix."""
    arrow = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
    return arrow or _is(data, "pandas", "DataFrame")


def column_names(data: Any) -> list[str]:
    """The names of a table's columns, as text."""
    if _is(data, "pandas", "DataFrame") or _is(data, "polars", "DataFrame"):
        return [str(name) for name in data.columns]
    return Table(data).column_names


def frame_of(data: Any, names: Sequence[str]) -> Frame:
    """The data as a frame whose columns the engine calls by these names."""
    if isinstance(data, np.ndarray):
        return Matrix(data, names)
    if _is(data, "pandas", "DataFrame"):
        return Pandas(data, names)
    if _is(data, "polars", "DataFrame"):
        return Polars(data, names)
    return Arrow(data if _is(data, "pyarrow", "Table", "RecordBatch") else Table(data), names)


def replace_missing(data: Any, value: Any) -> Any:
    """The table with every cell that equals ``value`` missing."""
    if _is(data, "pandas", "DataFrame"):
        return data.mask(data == value)
    if _is(data, "polars", "DataFrame"):
        import polars as pl

        same = [name for name, dtype in data.schema.items() if dtype.is_numeric() != isinstance(value, str)]
        return data.with_columns(pl.when(pl.col(name) != value).then(pl.col(name)).alias(name) for name in same)
    raise SettingError(
        f"missing_values={value!r} is not supported for {type(data).__name__}\nhint: make the cells null instead"
    )


def _is(data: Any, module: str, *classes: str) -> bool:
    """Whether the data is of a class of a module, which is not imported for it."""
    loaded = sys.modules.get(module)
    return loaded is not None and any(isinstance(data, getattr(loaded, name, ())) for name in classes)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError("tables of pandas are read through pyarrow\nhint: pip install pyarrow") from None
    return pyarrow
