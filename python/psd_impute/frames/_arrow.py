"""PyArrow tables, and others with the Arrow C stream interface."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .._engine import Table
from ._base import Frame, Labels, is_a, pyarrow


class Arrow(Frame):
    """Any table with the Arrow C stream interface. PyArrow tables come back as such, others as the engine's tables."""

    def read(self) -> Table:
        if not self.marked().any():
            return Table(self.data)
        import pyarrow.compute as pc

        table = self._arrow()
        for j, marked in enumerate(self.marked().T):
            if marked.any():
                column = table.column(j)
                cells = pc.if_else(pyarrow().array(marked), pyarrow().scalar(None, column.type), column)
                table = table.set_column(j, table.schema.field(j), cells)
        return Table(table)

    def empty(self) -> np.ndarray:
        import pyarrow.compute as pc

        table = self._arrow()
        return np.column_stack([pc.is_null(column, nan_is_null=True).to_numpy() for column in table.columns])

    def holding(self, j: int, values: Sequence[Any]) -> np.ndarray:
        column = self._arrow().column(j)
        out = np.zeros(len(column), dtype=bool)
        for value in values:
            out |= _equal(column, value)
        return out

    def levels(self, j: int) -> list[Any] | None:
        return self._arrow().column(j).chunk(0).dictionary.to_pylist() if self.is_dictionary(j) else None

    def texts(self, j: int) -> set[str]:
        types, field = pyarrow().types, self._arrow().schema.field(j)
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        if not (types.is_string(kind) or types.is_large_string(kind)):
            return set()
        different = self._arrow().column(j).unique().to_pylist()
        return {text for text in different if text is not None}

    def is_dictionary(self, j: int) -> bool:
        """Whether a column is dictionary-encoded."""
        return bool(pyarrow().types.is_dictionary(self._arrow().schema.field(j).type))

    def is_ordered(self, j: int) -> bool:
        return self.is_dictionary(j) and bool(self._arrow().schema.field(j).type.ordered)

    def _arrow(self) -> Any:
        """Return the data as a PyArrow table."""
        return pyarrow().table(self.data)

    def _is_pyarrow(self) -> bool:
        return is_a(self.data, "pyarrow", "Table", "RecordBatch")

    def restore(self, completed: Table, filled: Sequence[int], labels: Labels) -> Any:
        if not self._is_pyarrow():
            return completed
        pa = pyarrow()
        done = pa.table(completed)
        columns, fields = [], []
        for field, found in zip(self.data.schema, done.columns):
            try:
                columns.append(found.cast(field.type))
                fields.append(field)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                # The column had only missing cells, and its type cannot hold the completed ones.
                columns.append(found)
                fields.append(field.with_type(found.type))
        out = pa.table(columns, schema=pa.schema(fields, self.data.schema.metadata))
        return out.combine_chunks().to_batches()[0] if is_a(self.data, "pyarrow", "RecordBatch") else out

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> Any:
        if len(kept) == len(self.names) and not names:
            return data
        table = pyarrow().table(data).select(list(kept))
        for k, name in enumerate(names):
            table = table.append_column(name, [flags[:, k]])
        return table

    def is_number(self, j: int) -> bool:
        types, kind = pyarrow().types, self._arrow().schema.field(j).type
        return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))

    def zeroed(self, data: Any, columns: Sequence[int]) -> Any:
        import pyarrow.compute as pc

        pa = pyarrow()
        table = pa.table(data)
        for j in columns:
            field = table.schema.field(j)
            cells = pc.if_else(pa.array(self.missing()[:, j]), pa.scalar(0).cast(field.type), table.column(j))
            table = table.set_column(j, field, cells)
        return table

    def template(self) -> Any:
        return self.data if isinstance(self.data, Table) else self.data.slice(0, 0)

    def like(self, table: Table) -> Any:
        if not self._is_pyarrow():
            return table
        pa = pyarrow()
        found = pa.table(table)

        def column(field: Any) -> Any:
            if field.name not in found.column_names:
                return pa.nulls(len(found), field.type)
            cells = found.column(field.name)
            if not pa.types.is_dictionary(field.type):
                return cells.cast(field.type)
            return cells.cast(field.type.value_type).dictionary_encode().cast(field.type)

        return pa.table([column(field) for field in self.data.schema], schema=self.data.schema)


def _equal(column: Any, value: Any) -> np.ndarray:
    """Return a mask of the cells that equal a number or a text."""
    import pyarrow.compute as pc

    types = pyarrow().types
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    texts = types.is_string(kind) or types.is_large_string(kind)
    numbers = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    if not (texts if isinstance(value, str) else numbers):
        return np.zeros(len(column), dtype=bool)
    if numbers and not isinstance(value, str):
        column = column.cast(pyarrow().float64())
    return pc.fill_null(pc.equal(column.cast(kind) if texts else column, value), False).to_numpy()
