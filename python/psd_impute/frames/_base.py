"""What every kind of table can do."""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Mapping, Sequence, Tuple

import numpy as np

from .._engine import MISSING_TEXTS, DataError, Model, Table

Labels = Mapping[int, Sequence[Any]]
Notes = Tuple[List[str], List[str], List[Any]]


class Frame:
    """A table of somebody's kind.

    Parameters
    ----------
    data : table
        The table; see the subclasses for which.
    names : sequence of str
        What the engine calls its columns.
    sentinel : number, str or None
        What stands for a missing cell besides what always does, or None.
    """

    def __init__(self, data: Any, names: Sequence[str], sentinel: Any = None) -> None:
        self.data = data
        self.names = list(names)
        self.sentinel = sentinel
        self._missing: np.ndarray | None = None
        self._marked: np.ndarray | None = None
        self._table: Table | None = None

    # What the engine reads

    def to_engine(self) -> Table:
        """The table as the engine reads it."""
        if self._table is None:
            self._table = self.read()
        return self._table

    def read(self) -> Table:
        """The table in Arrow's memory, with the sentinel's cells missing."""
        raise NotImplementedError

    def missing(self) -> np.ndarray:
        """Which cells are missing, with one row per row of the table."""
        if self._missing is None:
            self._missing = self.empty() | self.marked()
        return self._missing

    def empty(self) -> np.ndarray:
        """Which cells are NaN, None or null."""
        raise NotImplementedError

    def marked(self) -> np.ndarray:
        """Which cells hold the sentinel, or a text that stands for a missing cell."""
        if self._marked is None:
            columns = [self.holding(j, self.markers(j)) for j in range(len(self.names))]
            self._marked = np.column_stack(columns)
        return self._marked

    def markers(self, j: int) -> list[Any]:
        """What stands for a missing cell in a column."""
        sentinel = [] if self.sentinel is None else [self.sentinel]
        return sentinel + [text for text in self.tokens(j) if text != self.sentinel]

    def tokens(self, j: int) -> list[str]:
        """The texts of a column that stand for a missing cell wherever tables come from, such as ``N/A``.

        Among codes of two capitals, such as those of countries, NA is one of them.
        """
        texts = self.texts(j)
        found = {text for text in texts if text.strip() in MISSING_TEXTS or not text.strip()}
        others = texts - found
        if others and all(map(_is_short_code, others)):
            found = {text for text in found if not _is_short_code(text)}
        return sorted(found)

    def holding(self, j: int, values: Sequence[Any]) -> np.ndarray:
        """Which cells of a column hold one of some numbers and texts."""
        raise NotImplementedError

    def levels(self, j: int) -> list[Any] | None:
        """The categories of a column in their order, if its type lists them."""
        return None

    def is_ordered(self, j: int) -> bool:
        """Whether the type of a column says that its categories have an order."""
        return False

    def texts(self, j: int) -> set[str]:
        """The different texts of a column; none if it holds something else."""
        return set()

    def zones(self) -> dict[str, str]:
        """The time zones of the columns that have one."""
        return self.to_engine().zones

    def periods(self) -> dict[str, str]:
        """The frequencies of the columns that hold periods."""
        return {}

    # What comes back

    def completed(
        self, model: Model, wanted: dict[str, Any], filled: Sequence[int], hear: Callable[[int], None]
    ) -> tuple[list[Any], Notes]:
        """Completed copies of the data, as many as wanted, with notes about the table and its drift.

        Only the columns at ``filled`` change. ``hear(number)`` is called after each copy.
        """
        tables, notes = model.complete(self.to_engine(), wanted, hear)
        labels = {j: column["labels"] for j, column in enumerate(model.columns())}
        return [self.restore(table, filled, labels) for table in tables], notes

    def restore(self, completed: Table, filled: Sequence[int], labels: Labels) -> Any:
        """The data with the missing cells of some columns taken from a completed table."""
        raise NotImplementedError

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> Any:
        """Some columns of the data, and behind them new ones that hold flags."""
        raise NotImplementedError

    def is_number(self, j: int) -> bool:
        """Whether the type of a column says that it holds numbers."""
        raise NotImplementedError

    def zeroed(self, data: Any, columns: Sequence[int]) -> Any:
        """The data with zeros in the missing cells of some columns of numbers."""
        raise NotImplementedError

    def template(self) -> Any:
        """The table without its rows, for `like`."""
        return self.data[:0]

    def like(self, table: Table) -> Any:
        """A table of the engine's with these columns as one of this kind."""
        raise NotImplementedError


def _is_short_code(text: str) -> bool:
    return len(text) == 2 and text.isalpha() and text.isupper()


def is_a(data: Any, module: str, *classes: str) -> bool:
    """Whether the data is of a class of a module, which is not imported for it."""
    loaded = sys.modules.get(module)
    return loaded is not None and any(isinstance(data, getattr(loaded, name, ())) for name in classes)


def read_table(data: Any, names: Sequence[str], column: Callable[[int], Any]) -> Table:
    """A table with the Arrow C stream interface as the engine's; the error names a column that cannot be read."""
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
    """PyArrow, if it is there."""
    try:
        import pyarrow
    except ImportError:
        raise ImportError("tables of pandas are read through pyarrow\nhint: pip install pyarrow") from None
    return pyarrow


def widened(categories: Sequence[Any], labels: Sequence[Any], ordered: bool) -> list[Any]:
    """The categories with those of the labels that they lack: behind them, or, if they have an order, where the labels' order puts them."""
    out = list(categories)
    for k, label in enumerate(labels):
        if label in out:
            continue
        before = [out.index(other) for other in labels[:k] if other in out]
        after = [out.index(other) for other in labels[k + 1 :] if other in out]
        place = before[-1] + 1 if before else after[0] if after else len(out)
        out.insert(place if ordered else len(out), label)
    return out
