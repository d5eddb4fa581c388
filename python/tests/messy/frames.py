"""Frames of pandas, polars and PyArrow with types that are easy to lose."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from .kind import Kind
from .outcome import Outcome
from .tables import gaps, hidden, holed, noise


class OneColumnOfInterest(Kind, base=True):
    """A frame with one interesting column, `c`."""

    ways: Any = ("python",)
    x = hidden()

    def cells(self) -> Any:
        """The interesting column, without gaps."""
        raise NotImplementedError

    def table(self) -> Any:
        column = pd.Series(self.cells())
        return pd.DataFrame({"a": 10 + 3 * self.x + 0.1 * noise(), "c": column.mask(pd.Series(gaps()))})

    def check(self, done: Outcome) -> None:
        """The type is the one it was."""
        if done.completed is None:
            assert done.code, "there is no table"
        elif isinstance(done.given, pd.DataFrame):
            assert done.completed["c"].dtype == done.given["c"].dtype, done.completed["c"].dtype
        elif isinstance(done.given, pl.DataFrame):
            assert done.completed.schema == done.given.schema


def sizes(x: np.ndarray) -> np.ndarray:
    """Three sizes."""
    return np.array(["S", "M", "L"])[np.digitize(x, [-0.5, 0.5])]


class Nullable(OneColumnOfInterest):
    """Int64, Float64, boolean and string of pandas come back as they were."""

    ways = ("command", "python")

    def table(self):
        x = self.x
        columns = {
            "a": pd.Series(x),
            "i": pd.array(np.round(100 + 10 * x).astype(int), dtype="Int64"),
            "f": pd.array(x + 1, dtype="Float64"),
            "b": pd.array(x > 0, dtype="boolean"),
            "s": pd.array(sizes(x), dtype="string"),
        }
        return pd.DataFrame(
            {name: pd.Series(cells).mask(pd.Series(gaps(seed=k))) for k, (name, cells) in enumerate(columns.items())}
        )

    def check(self, done: Outcome) -> None:
        if done.way == "python":
            assert (done.completed.dtypes == done.given.dtypes).all()
        done.near("i", np.round(100 + 10 * self.x), 5)
        done.among("s", ["S", "M", "L"])
        done.among("b", [True, False])


class TimeZones(OneColumnOfInterest):
    """Times with a zone keep it, in `transform` and in `conditional`."""

    def cells(self):
        return pd.Timestamp("2020-06-01", tz="Europe/Berlin") + pd.to_timedelta(np.round(900 * self.x), unit="min")

    def check(self, done: Outcome) -> None:
        super().check(done)
        cells = done.imputer.conditional(done.given)["c"]
        frame = cells.to_frame()
        assert getattr(frame["median"].dtype, "tz", None) is not None, frame["median"].dtype


class Timedeltas(OneColumnOfInterest):
    """Timedeltas are durations: they are imputed as such."""

    def cells(self):
        return pd.to_timedelta(np.round(3600 * (20 + 2 * self.x)), unit="s")

    def check(self, done: Outcome) -> None:
        super().check(done)
        done.near("c", 20 + 2 * self.x, 1, lambda cell: cell.total_seconds() / 3600)


class TimesInPython(OneColumnOfInterest):
    """Times of day, as objects, are imputed as such."""

    def cells(self):
        return pd.Series([dt.time(12 + round(h) % 60 // 60, round(30 + 8 * h) % 60) for h in self.x], dtype=object)

    def table(self):
        minutes = np.clip(np.round(720 + 90 * self.x), 0, 1439).astype(int)
        cells = [dt.time(m // 60, m % 60) for m in minutes]
        return pd.DataFrame({"a": self.x, "c": pd.Series(holed(cells, token=None), dtype=object)})

    def check(self, done: Outcome) -> None:
        truth = np.clip(np.round(720 + 90 * self.x), 0, 1439)
        done.near("c", truth, 30, lambda cell: 60 * cell.hour + cell.minute)


class Periods(OneColumnOfInterest):
    """Periods of pandas are imputed as periods."""

    def cells(self):
        return pd.PeriodIndex(pd.Timestamp("2020-06-01") + pd.to_timedelta(np.round(300 * self.x), unit="D"), freq="M")

    def check(self, done: Outcome) -> None:
        super().check(done)
        assert all(isinstance(cell, pd.Period) for cell in done.imputed("c"))


class SeriesInsteadOfAFrame(OneColumnOfInterest):
    """A Series is refused with the way out: to_frame()."""

    code = 2
    says = (r"Series", r"to_frame")

    def table(self):
        return pd.Series(holed(self.x, token=np.nan), name="c")


class SparseFrame(OneColumnOfInterest):
    """pandas' Sparse columns are completed, or refused with the column's name and the way out."""

    code = 2
    says = (r"`c`|\bc\b", r"[Ss]parse")

    def cells(self):
        return np.where(self.x > 0, self.x, 0.0)

    def table(self):
        table = super().table()
        return table.assign(c=pd.arrays.SparseArray(table["c"], fill_value=0.0))


class MixedObjects(OneColumnOfInterest):
    """Numbers and words in one object column are an error that names the column."""

    code = 2
    says = (r"`c`", r"hint:")

    def table(self):
        cells: list[Any] = [float(v) if i % 2 else "word" for i, v in enumerate(self.x)]
        return pd.DataFrame({"a": self.x, "c": pd.Series(holed(cells, token=None), dtype=object)})

    def check(self, done: Outcome) -> None:
        assert done.after is None


class ObjectNumbers(OneColumnOfInterest):
    """Numbers in an object column, with None, are numbers."""

    def table(self):
        return pd.DataFrame({"a": self.x, "c": pd.Series(holed((5 + self.x).tolist(), token=None), dtype=object)})

    def check(self, done: Outcome) -> None:
        done.near("c", 5 + self.x, 0.5)


class Decimals(OneColumnOfInterest):
    """Decimals are numbers, and come back as decimals."""

    ways = ("command", "python")

    def table(self):
        cells = [Decimal(f"{5 + v:.2f}") for v in self.x]
        return pa.table({"a": self.x, "c": pa.array(holed(cells, token=None), pa.decimal128(8, 2))})

    def check(self, done: Outcome) -> None:
        done.near("c", 5 + self.x, 0.5)
        assert all(isinstance(cell, Decimal) for cell in done.imputed("c"))


class PolarsTypes(OneColumnOfInterest):
    """Dates, times, durations, categories, enums and small integers of polars come back as they were."""

    def table(self):
        x, start = self.x, dt.datetime(2020, 6, 1)
        minutes = np.clip(np.round(720 + 90 * x), 0, 1439).astype(int).tolist()
        columns = {
            "date": pl.Series([start.date() + dt.timedelta(days=round(100 * v)) for v in x], dtype=pl.Date),
            "when": pl.Series([start + dt.timedelta(minutes=round(9000 * v)) for v in x], dtype=pl.Datetime("ms")),
            "took": pl.Series([dt.timedelta(minutes=round(900 + 60 * v)) for v in x], dtype=pl.Duration("us")),
            "at": pl.Series([dt.time(m // 60, m % 60) for m in minutes], dtype=pl.Time),
            "cat": pl.Series(sizes(x).tolist(), dtype=pl.Categorical),
            "enum": pl.Series(sizes(x).tolist(), dtype=pl.Enum(["S", "M", "L", "XL"])),
            "u8": pl.Series(np.clip(np.round(9 + 5 * x), 0, 255).astype(int).tolist(), dtype=pl.UInt8),
            "yes": pl.Series((x > 0).tolist(), dtype=pl.Boolean),
        }
        holes = {
            name: pl.Series(
                name, [None if gone else cell for cell, gone in zip(cells, gaps(seed=k))], dtype=cells.dtype
            )
            for k, (name, cells) in enumerate(columns.items())
        }
        return pl.DataFrame({"a": x, **holes})

    def check(self, done: Outcome) -> None:
        super().check(done)
        done.within("u8", 0, 30)
        done.among("enum", ["S", "M", "L"])


class ArrowTypes(OneColumnOfInterest):
    """Dates, times of day, durations, dictionaries and unsigned integers of Arrow come back as they were."""

    ways = ("command", "python")

    def table(self):
        x, start = self.x, dt.date(2020, 6, 1)
        minutes = np.clip(np.round(720 + 90 * x), 0, 1439).astype(int).tolist()
        columns = {
            "date": ([start + dt.timedelta(days=round(100 * v)) for v in x], pa.date32()),
            "at": ([dt.time(m // 60, m % 60) for m in minutes], pa.time32("s")),
            "took": ([dt.timedelta(seconds=round(900 + 60 * v)) for v in x], pa.duration("s")),
            "u8": (np.clip(np.round(9 + 5 * x), 0, 255).astype(int).tolist(), pa.uint8()),
            "size": (sizes(x).tolist(), pa.dictionary(pa.int8(), pa.string())),
        }
        arrays = {
            name: pa.array([None if gone else cell for cell, gone in zip(cells, gaps(seed=k))], kind)
            for k, (name, (cells, kind)) in enumerate(columns.items())
        }
        return pa.table({"a": x, **arrays})

    def check(self, done: Outcome) -> None:
        done.near("u8", np.clip(np.round(9 + 5 * self.x), 0, 255), 3)
        done.near("took", 900 + 60 * self.x, 30, lambda cell: cell.total_seconds())
        done.near("at", 720 + 90 * self.x, 40, lambda cell: 60 * cell.hour + cell.minute)
        done.among("size", ["S", "M", "L"])
        if done.way == "python":
            assert done.completed.schema.equals(done.given.schema)


class NestedCells(OneColumnOfInterest):
    """Lists in cells are left as they are and said to be, or are an error that names the column."""

    empty = ("c",)

    def table(self):
        cells = [[float(v), 1.0] for v in self.x]
        return pa.table(
            {
                "a": self.x,
                "c": pa.array(holed(cells, share=0.1, token=None)),
                "d": pa.array(holed(self.x.tolist(), 2, token=None)),
            }
        )


class ComplexNumbers(OneColumnOfInterest):
    """Complex numbers are an error that names the column."""

    code = 2
    says = (r"`c`|complex",)

    def table(self):
        return pd.DataFrame({"a": self.x, "c": self.x + 1j * self.x})


class OddIndex(OneColumnOfInterest):
    """An index with repeated labels is kept, and rows are not mixed up by it."""

    def table(self):
        table = pd.DataFrame({"a": self.x, "c": holed(5 + self.x, token=np.nan)})
        table.index = pd.Index(["same"] * len(table), name="who")
        return table

    def check(self, done: Outcome) -> None:
        assert done.completed.index.equals(done.given.index)
        done.near("c", 5 + self.x, 0.5)


class RepeatedNames(OneColumnOfInterest):
    """A frame with two columns of a name is an error that names it, or both are completed."""

    code = 2
    says = (r"`a`|\ba\b",)

    def table(self):
        table = pd.DataFrame({"a": self.x, "c": holed(self.x, token=np.nan)})
        table.columns = ["a", "a"]
        return table


class InfiniteInAFrame(OneColumnOfInterest):
    """An infinite cell of a frame is an error that names row and column."""

    code = 2
    says = (r"row 6", r"`c`", r"infinite")

    def table(self):
        cells = holed(self.x, token=np.nan)
        cells[5] = np.inf
        return pd.DataFrame({"a": self.x, "c": cells})


class NumbersAsText(OneColumnOfInterest):
    """A frame's column of numbers as text is not taken for labels in silence."""

    says = (r"`?c`?", r"number")

    def table(self):
        cells = [f"{v:.0f}" for v in 50 + 10 * self.x]
        return pd.DataFrame({"a": self.x, "c": pd.Series(holed(cells, token=None), dtype=object)})

    empty = ()
    missing = ()


class TokensInAFrame(OneColumnOfInterest):
    """Texts such as `N/A` in a frame's column of labels count as missing, as they do in files: a warning names them."""

    missing = ("N/A", "n/a", "missing")
    says = (r"`c`", r"N/A", r"missing")

    def table(self):
        cells = holed(sizes(self.x).tolist(), token=("N/A", "n/a", "missing"))
        return pd.DataFrame({"a": self.x, "b": holed(self.x, 5, token=np.nan), "c": pd.Series(cells, dtype=object)})


class MaskedArray(OneColumnOfInterest):
    """Cells under the mask of a NumPy masked array are missing, whatever number stands there."""

    def table(self):
        cells = np.column_stack([self.x, 5 + self.x])
        mask = np.column_stack([np.zeros(len(self.x), dtype=bool), gaps()])
        return np.ma.masked_array(np.where(mask, -999.0, cells), mask=mask)

    def check_cells(self, done: Outcome) -> None:
        pass

    def check(self, done: Outcome) -> None:
        filled = np.asarray(done.completed)[gaps(), 1]
        assert np.abs(filled - (5 + self.x)[gaps()]).mean() < 0.5, filled


class ArrowBackedPandas(OneColumnOfInterest):
    """Columns of pandas that Arrow stores come back with their types."""

    def table(self):
        x = self.x
        columns = {
            "i": pd.array(np.round(100 * x).astype(int), dtype="int64[pyarrow]"),
            "s": pd.array(sizes(x), dtype=pd.ArrowDtype(pa.string())),
            "b": pd.array(x > 0, dtype="bool[pyarrow]"),
            "c": pd.array(
                pd.Timestamp("2020-01-01") + pd.to_timedelta(np.round(99 * x), unit="D"), dtype="timestamp[ns][pyarrow]"
            ),
        }
        holes = {name: pd.Series(c).mask(pd.Series(gaps(seed=k))) for k, (name, c) in enumerate(columns.items())}
        return pd.DataFrame({"a": x, **holes})

    def check(self, done: Outcome) -> None:
        assert (done.completed.dtypes == done.given.dtypes).all()
        done.near("i", np.round(100 * self.x), 30)


class ObjectDates(OneColumnOfInterest):
    """Dates of Python in an object column are imputed as dates."""

    def table(self):
        cells = [dt.date(2020, 1, 1) + dt.timedelta(days=round(99 * value)) for value in self.x]
        return pd.DataFrame({"a": self.x, "c": pd.Series(holed(cells, token=None), dtype=object)})

    def check(self, done: Outcome) -> None:
        assert all(type(cell) is dt.date for cell in done.imputed("c"))


class EmptyStrings(OneColumnOfInterest):
    """Empty strings in a frame, which are text to pandas, count as missing: a warning says so."""

    says = (r"`c`", r"missing")

    def table(self):
        cells = pd.Series(holed(sizes(self.x).tolist()), dtype=object)
        return pd.DataFrame({"a": self.x, "b": holed(self.x, 5, token=np.nan), "c": cells})
