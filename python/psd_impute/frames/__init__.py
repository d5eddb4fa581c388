"""Conversion of tables of several libraries to the engine's columns and back.

The engine reads Arrow's memory. NumPy matrices are copied into columns once; tables with the Arrow C stream interface
(polars, PyArrow, ...) are shared; pandas goes through PyArrow, which shares where it can. On the way back only missing
cells change: dtypes, index and names stay, and a column without missing cells is the input column itself.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .._engine import DataError, Table
from ._arrow import Arrow
from ._base import Frame, is_a, pyarrow
from ._matrix import Matrix
from ._pandas import Pandas
from ._polars import Polars

__all__ = ["Frame", "check_table", "column_names", "frame_of", "is_frame", "pandas_table"]


def frame_of(data: Any, names: Sequence[str], sentinel: Any = None) -> Frame:
    """Return the data as a frame whose columns have these names in the engine."""
    if isinstance(data, np.ndarray):
        return Matrix(data, names)
    if is_a(data, "pandas", "DataFrame"):
        return Pandas(data, names, sentinel)
    if is_a(data, "polars", "DataFrame"):
        return Polars(data, names, sentinel)
    return Arrow(data if is_a(data, "pyarrow", "Table", "RecordBatch") else Table(data), names, sentinel)


def is_frame(data: Any) -> bool:
    """Whether the data is a table whose columns have types of their own, not a matrix."""
    arrow = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
    return arrow or is_a(data, "pandas", "DataFrame")


def check_table(data: Any) -> None:
    """Raise for data that looks like a table but is none, and say how to convert it."""
    if type(data).__name__ == "LazyFrame":
        raise TypeError("a lazy table has no cells yet\nhint: call .collect() on it first")
    if is_a(data, "pandas", "Series") or is_a(data, "polars", "Series"):
        raise DataError("a Series is one column, but X must be a table\nhint: X.to_frame() makes a table of it")
    # A sparse matrix of SciPy may be a dict, too; scikit-learn refuses those.
    if isinstance(data, dict) and not hasattr(data, "tocsr"):
        raise DataError("a dict is no table\nhint: pandas.DataFrame(X) or polars.DataFrame(X) makes one of it")
    if is_a(data, "pyarrow", "Array", "ChunkedArray"):
        raise DataError("an array is one column, but X must be a table\nhint: pyarrow.table({'x': X}) makes a table of it")
    if is_a(data, "pandas", "DataFrame"):
        twins = data.columns[data.columns.duplicated()]
        if len(twins):
            raise DataError(f"X has two columns named `{twins[0]}`\nhint: give each column a name of its own")
        sparse = [str(name) for name, dtype in data.dtypes.items() if type(dtype).__name__ == "SparseDtype"]
        if sparse:
            raise DataError(
                f"pandas' Sparse dtypes are not supported: {', '.join(sparse)}\n"
                "hint: X.sparse.to_dense() makes a table of it if all columns are sparse; "
                "X[name].sparse.to_dense() makes a column"
            )


def column_names(data: Any) -> list[str]:
    """Return the names of a table's columns as text."""
    if is_a(data, "pandas", "DataFrame") or is_a(data, "polars", "DataFrame"):
        return [str(name) for name in data.columns]
    return Table(data).column_names


def pandas_table(table: Table) -> Any:
    """Convert a table of the engine to pandas."""
    return pyarrow().table(table).to_pandas()
