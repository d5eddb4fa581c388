"""Predictive distributions of missing cells."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .settings import time_zone

if TYPE_CHECKING:
    import pandas

# Number of cells shown.
_SHOWN = 10


@dataclass(frozen=True, repr=False)
class CellDistribution:
    """The distributions of the missing cells of one column, with one entry per cell. It prints as a table of the first ones.

    Attributes
    ----------
    column : str
        The column.
    kind : str
        Its kind: ``continuous``, ``integer``, ``ordered``, ``boolean``, ``category``, ``date``, ``time``,
        ``time of day``, ``duration`` or ``period``.
    rows : ndarray of shape (n_cells,)
        The rows of the cells, counted from zero.
    mean, std, median : ndarray of shape (n_cells,), or None for a category
        ``datetime64`` for a time, or ``datetime`` objects in its zone if it has one; ``time`` objects for a time of
        day; ``timedelta64`` for a duration. The standard deviations of all three are ``timedelta64``, and those of
        periods are numbers of periods. Ordered labels have a median, but no mean.
    levels : tuple of float
        The probabilities of ``quantiles``.
    quantiles : ndarray of shape (n_cells, n_levels), or None for a category
        One column for each of ``levels``.
    labels : list, or None for a number
        The labels, in the order of the columns of ``probabilities``.
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
    def _of(
        cls, column: str, levels: tuple[float, ...], found: dict[str, Any], zone: str | None, period: str | None
    ) -> CellDistribution:
        """Convert the engine's arrays, which hold times as counts of a unit since 1970 and ordered labels as positions."""
        unit, labels = found.pop("unit", None), found.get("labels")
        values = [name for name in ("mean", "median", "quantiles") if name in found]
        if found["kind"] == "duration":
            found.update({name: _times(found[name], unit, "timedelta64") for name in (*values, "std")})
        elif found["kind"] == "time of day":
            found.update({name: _clock(found[name], unit) for name in values})
            found["std"] = _times(found["std"], unit, "timedelta64")
        elif unit is not None:
            found.update({name: _in_zone(_times(found[name], unit, "datetime64"), zone) for name in values})
            found["std"] = _times(found["std"], unit, "timedelta64")
        elif period is not None:
            found.update({name: _periods(found[name], period) for name in values}, kind="period")
        elif labels and values and isinstance(labels[0], str):
            names = np.asarray(labels, dtype=object)
            found.update({name: names[np.rint(found[name]).astype(int)] for name in ("median", "quantiles")})
            found.update(mean=None, std=None)
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
        """Return a pandas ``DataFrame`` with one row per cell."""
        import pandas as pd

        columns: dict[str, Any] = {"row": self.rows, "column": self.column, **self._numbers()}
        if self.probabilities is not None and self.labels is not None:
            columns.update({f"p({label})": self.probabilities[:, k] for k, label in enumerate(self.labels)})
        # Lists let pandas infer the dtypes of times with a zone and of periods.
        lists = {name: list(cells) if getattr(cells, "dtype", None) == object else cells for name, cells in columns.items()}
        return pd.DataFrame({name: pd.Series(cells) if isinstance(cells, list) else cells for name, cells in lists.items()})

    def _numbers(self) -> dict[str, np.ndarray]:
        """Mean, standard deviation, median and quantiles, as far as the column has them."""
        named = {"mean": self.mean, "std": self.std, "median": self.median}
        out = {name: cells for name, cells in named.items() if cells is not None}
        if self.quantiles is not None:
            out.update({f"q{100 * p:g}": self.quantiles[:, k] for k, p in enumerate(self.levels)})
        return out

    def __repr__(self) -> str:
        cells = "1 missing cell" if len(self) == 1 else f"{len(self)} missing cells"
        columns: dict[str, np.ndarray] = {"row": self.rows, **self._numbers()}
        if self.probabilities is not None:
            columns.update({"most probable": self.most_probable(), "probability": self.probabilities.max(axis=1)})
        texts = [[name, *map(_text, values[:_SHOWN])] for name, values in columns.items()]
        widths = [max(map(len, column)) for column in texts]
        lines = ["  ".join(text.rjust(width) for text, width in zip(line, widths)) for line in zip(*texts)]
        more = [f"... and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        return "\n".join([f"{self.column} ({self.kind}): {cells}", *lines, *more])

    def _repr_html_(self) -> str | None:
        try:
            import pandas  # noqa: F401
        except ImportError:
            return None
        return str(self.to_frame().to_html(max_rows=_SHOWN, index=False))


def _text(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.5g}"
    if isinstance(value, np.datetime64):
        return str(value).replace("T00:00:00", "")
    return str(value)


def _times(counts: np.ndarray, unit: str, kind: str) -> np.ndarray:
    """Convert counts of a unit to times, to the second or to the unit if it is finer."""
    finer = unit if unit in ("ms", "us", "ns") else "s"
    seconds = {"D": 86400.0, "h": 3600.0, "m": 60.0}.get(unit, 1.0)
    return np.rint(counts * seconds).astype("int64").astype(f"{kind}[{finer}]")


def _clock(counts: np.ndarray, unit: str) -> np.ndarray:
    """Convert counts of a unit since midnight to times of day, to the microsecond."""
    midnight, day = datetime.datetime(1970, 1, 1), np.timedelta64(1, "D")
    since = _times(counts, unit, "timedelta64").astype("timedelta64[us]") % day.astype("timedelta64[us]")
    return _each(since.astype(object), lambda time: (midnight + time).time())


def _in_zone(times: np.ndarray, zone: str | None) -> np.ndarray:
    """Convert times in UTC to times in a zone, to the microsecond."""
    if zone is None:
        return times
    there, greenwich = time_zone(zone), datetime.timezone.utc
    return _each(times.astype("datetime64[us]").astype(object), lambda time: time.replace(tzinfo=greenwich).astimezone(there))


def _periods(ordinals: np.ndarray, freq: str) -> np.ndarray:
    """Convert ordinals to periods of a frequency."""
    import pandas as pd

    return _each(np.rint(ordinals), lambda ordinal: pd.Period(ordinal=int(ordinal), freq=freq))


def _each(values: np.ndarray, change: Callable[[Any], Any]) -> np.ndarray:
    """Apply a function to each value, into an array of objects."""
    out = np.empty(values.shape, dtype=object)
    for place, value in np.ndenumerate(values):
        out[place] = change(value)
    return out
