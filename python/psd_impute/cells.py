"""What is known of missing cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class CellDistribution:
    """The distributions of the missing cells of one column, a cell an entry.

    Attributes
    ----------
    column : str
        The column.
    kind : str
        What it holds: ``continuous``, ``integer``, ``boolean``, ``category``, ``date`` or ``time``.
    rows : ndarray of shape (n_cells,)
        The rows of the cells, from zero.
    mean, std, median : ndarray of shape (n_cells,), or None for a category
        Those of a time are ``datetime64``, its standard deviation is ``timedelta64``.
    levels : tuple of float
        The probabilities that ``quantiles`` are at.
    quantiles : ndarray of shape (n_cells, n_levels), or None for a category
    labels : list, or None for a number
    probabilities : ndarray of shape (n_cells, n_labels), or None for a number
        Each row adds up to one.
    """

    column: str
    kind: str
    rows: np.ndarray
    levels: tuple[float, ...]
    mean: np.ndarray | None = None
    std: np.ndarray | None = None
    median: np.ndarray | None = None
    quantiles: np.ndarray | None = None
    labels: list[Any] | None = None
    probabilities: np.ndarray | None = None

    @classmethod
    def _of(cls, column: str, levels: tuple[float, ...], found: dict[str, Any]) -> CellDistribution:
        """From the engine's arrays. It counts times in a unit since 1970."""
        unit = found.pop("unit", None)
        if unit is not None:
            for name in ("mean", "median", "quantiles"):
                found[name] = _times(found[name], unit, "datetime64")
            found["std"] = _times(found["std"], unit, "timedelta64")
        return cls(column=column, levels=levels, **found)

    def __len__(self) -> int:
        return len(self.rows)

    def most_probable(self) -> np.ndarray:
        """The most probable label of each cell; the median of a number."""
        if self.probabilities is None or self.labels is None:
            assert self.median is not None
            return self.median
        return np.asarray(self.labels, dtype=object)[self.probabilities.argmax(axis=1)]

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, a cell a row."""
        import pandas as pd

        columns: dict[str, Any] = {"row": self.rows, "column": self.column}
        if self.quantiles is not None:
            columns.update(mean=self.mean, std=self.std, median=self.median)
            columns.update({f"q{100 * p:g}": self.quantiles[:, k] for k, p in enumerate(self.levels)})
        if self.probabilities is not None and self.labels is not None:
            columns.update({f"p({label})": self.probabilities[:, k] for k, label in enumerate(self.labels)})
        return pd.DataFrame(columns)


def _times(counts: np.ndarray, unit: str, kind: str) -> np.ndarray:
    """Counts of a unit as times to the second, or finer where the unit is."""
    finer = unit if unit in ("ms", "us", "ns") else "s"
    seconds = {"D": 86400.0, "h": 3600.0, "m": 60.0}.get(unit, 1.0)
    return np.rint(counts * seconds).astype("int64").astype(f"{kind}[{finer}]")
