"""The interface of all kinds of tables."""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .._engine import MISSING_TEXTS, DataError, Model, Table

Labels = Mapping[int, Sequence[Any]]
Notes = Tuple[List[str], List[str], List[Any], Optional[str]]


class Frame:
    """A table of one library.

    Parameters
    ----------
    data : table
        The table; see the subclasses for which.
    names : sequence of str
        The names of its columns in the engine.
    sentinel : number, str or None
        A value that counts as missing besides those that always do, or None.
    """

    def __init__(self, data: Any, names: Sequence[str], sentinel: Any = None) -> None:
        self.data = data
        self.names = list(names)
        self.sentinel = sentinel
        self._missing: np.ndarray | None = None
        self._marked: np.ndarray | None = None
        self._table: Table | None = None

    # Input of the engine

    def to_engine(self) -> Table:
        """Return the table as the engine reads it."""
        if self._table is None:
            self._table = self.read()
        return self._table

    def read(self) -> Table:
        """Return the table in Arrow's memory, with the cells that hold the sentinel missing."""
        raise NotImplementedError

    def missing(self) -> np.ndarray:
        """Return a mask of the missing cells, of the shape of the table."""
        if self._missing is None:
            self._missing = self.empty() | self.marked()
        return self._missing

    def empty(self) -> np.ndarray:
        """Return a mask of the cells that are NaN, None or null."""
        raise NotImplementedError

    def marked(self) -> np.ndarray:
        """Return a mask of the cells that hold the sentinel or a text that counts as missing."""
        if self._marked is None:
            columns = [self.holding(j, self.markers(j)) for j in range(len(self.names))]
            self._marked = np.column_stack(columns)
        return self._marked

    def markers(self, j: int) -> list[Any]:
        """Return the values of a column that count as missing."""
        sentinel = [] if self.sentinel is None else [self.sentinel]
        return sentinel + [text for text in self.tokens(j) if text != self.sentinel]

    def tokens(self, j: int) -> list[str]:
        """Return the texts of a column that commonly stand for a missing cell, such as ``N/A``.

        Among codes of two capitals, such as those of countries, NA is a code.
        """
        texts = self.texts(j)
        found = {text for text in texts if text.strip() in MISSING_TEXTS or not text.strip()}
        others = texts - found
        if others and all(map(_is_short_code, others)):
            found = {text for text in found if not _is_short_code(text)}
        return sorted(found)

    def holding(self, j: int, values: Sequence[Any]) -> np.ndarray:
        """Return a mask of the cells of a column that hold one of the given numbers and texts."""
        raise NotImplementedError

    def levels(self, j: int) -> list[Any] | None:
        """Return the categories of a column in their order, if its type lists them."""
        return None

    def is_ordered(self, j: int) -> bool:
        """Whether the type of a column orders its categories."""
        return False

    def texts(self, j: int) -> set[str]:
        """Return the distinct texts of a column; none if it holds something else."""
        return set()

    def zones(self) -> dict[str, str]:
        """Return the time zones of the columns that have one."""
        return self.to_engine().zones

    def periods(self) -> dict[str, str]:
        """Return the frequencies of the columns that hold periods."""
        return {}

    # Output

    def completed(
        self, model: Model, wanted: dict[str, Any], filled: Sequence[int], hear: Callable[[int], None]
    ) -> tuple[list[Any], Notes]:
        """Return the completed copies of the data that are wanted, with notes about the table and its drift.

        Only the columns at positions ``filled`` change. ``hear(number)`` is called after each copy.
        """
        tables, notes = model.complete(self.to_engine(), wanted, hear)
        labels = {j: column["labels"] for j, column in enumerate(model.columns())}
        return [self.restore(table, filled, labels) for table in tables], notes

    def restore(self, completed: Table, filled: Sequence[int], labels: Labels) -> Any:
        """Return the data with the missing cells of some columns taken from a completed table."""
        raise NotImplementedError

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> Any:
        """Return some columns of the data, followed by new columns of flags."""
        raise NotImplementedError

    def is_number(self, j: int) -> bool:
        """Whether the type of a column is numeric."""
        raise NotImplementedError

    def zeroed(self, data: Any, columns: Sequence[int]) -> Any:
        """Return the data with zeros in the missing cells of some numeric columns."""
        raise NotImplementedError

    def template(self) -> Any:
        """Return the table without its rows, for `like`."""
        return self.data[:0]

    def like(self, table: Table) -> Any:
        """Convert a table of the engine with these columns to this kind."""
        raise NotImplementedError


def _is_short_code(text: str) -> bool:
    return len(text) == 2 and text.isalpha() and text.isupper()


def is_a(data: Any, module: str, *classes: str) -> bool:
    """Whether the data is an instance of a class of a module, without importing the module."""
    loaded = sys.modules.get(module)
    return loaded is not None and any(isinstance(data, getattr(loaded, name, ())) for name in classes)


def read_table(data: Any, names: Sequence[str], column: Callable[[int], Any]) -> Table:
    """Convert a table with the Arrow C stream interface to the engine's; the error names a column that cannot be read."""
    try:
        return Table(data)
    except Exception as error:
        for j, name in enumerate(names):
            try:
                Table(column(j))
            except Exception as reason:
                raise DataError(
                    f"column `{name}` cannot be read: {reason}\nhint: cast the column to a usual type, or leave it out"
                ) from None
        raise DataError(f"the table cannot be read: {error}") from None


def pyarrow() -> Any:
    """Return PyArrow, or raise if it is not installed."""
    try:
        import pyarrow
    except ImportError:
        raise ImportError("tables of pandas are read through pyarrow\nhint: pip install pyarrow") from None
    return pyarrow


def widened(categories: Sequence[Any], labels: Sequence[Any], ordered: bool) -> list[Any]:
    """Return the categories with the labels that they lack: appended, or, if they are ordered, at their place in the labels' order."""
    out = list(categories)
    for k, label in enumerate(labels):
        if label in out:
            continue
        before = [out.index(other) for other in labels[:k] if other in out]
        after = [out.index(other) for other in labels[k + 1 :] if other in out]
        place = before[-1] + 1 if before else after[0] if after else len(out)
        out.insert(place if ordered else len(out), label)
    return out
