"""Settings of Python's imputer, and models that go through files."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .frames import OneColumnOfInterest
from .outcome import Outcome
from .tables import csv_bytes, gaps, hidden, holed, texts


class IndicatorAfterLoad(OneColumnOfInterest):
    """A model that goes through a file keeps the indicators of the fit."""

    saved = "python"
    settings = {"add_indicator": True}

    def cells(self):
        return self.x + 1

    def check(self, done: Outcome) -> None:
        assert list(done.completed.columns) == ["a", "c", "missingindicator_c"]
        assert done.completed["missingindicator_c"].tolist() == gaps().tolist()


class EmptyColumnAfterLoad(OneColumnOfInterest):
    """A model that goes through a file still leaves out the column that was empty at the fit."""

    saved = "python"

    def learned(self):
        return pd.DataFrame({"a": self.x, "c": np.nan, "d": holed(self.x, token=np.nan)})

    def table(self):
        return pd.DataFrame({"a": self.x, "c": np.nan, "d": holed(self.x, 3, token=np.nan)})

    def is_missing(self, name, cell):
        return name != "c" and super().is_missing(name, cell)

    def check_cells(self, done: Outcome) -> None:
        pass

    def check(self, done: Outcome) -> None:
        assert list(done.completed.columns) == ["a", "d"]
        assert done.completed.notna().all().all()


class KeepEmptyFeatures(OneColumnOfInterest):
    """`keep_empty_features` keeps empty columns of every type with a value of that type, or as they were."""

    settings = {"keep_empty_features": True}
    empty = ("when", "size", "text")

    def table(self):
        n = len(self.x)
        return pd.DataFrame(
            {
                "a": self.x,
                "d": holed(self.x, token=np.nan),
                "none": np.nan,
                "when": pd.Series(pd.NaT, index=range(n), dtype="datetime64[ns]"),
                "size": pd.Series(pd.Categorical([None] * n, ["S", "M"])),
                "text": pd.Series(pd.array([None] * n, dtype="string")),
            }
        )

    def check(self, done: Outcome) -> None:
        assert list(done.completed.columns) == list(done.given.columns)
        assert (done.completed["none"] == 0).all() and "0.0" not in set(done.completed["text"].dropna())
        assert (done.completed.dtypes == done.given.dtypes).all()


class SentinelsOfIntegers(OneColumnOfInterest):
    """`missing_values=-999` leaves int64 integers int64, and fills them."""

    settings = {"missing_values": -999}

    def table(self):
        return pd.DataFrame({"a": self.x, "c": holed(np.round(100 + 10 * self.x).astype("int64").tolist(), token=-999)})

    def is_missing(self, name, cell):
        return cell == -999

    def check(self, done: Outcome) -> None:
        assert done.completed["c"].dtype == np.dtype("int64")
        done.within("c", 50, 150)


class LeftoverNan(OneColumnOfInterest):
    """With `missing_values=-999`, cells that are NaN are treated alike in frames and matrices: an error."""

    settings = {"missing_values": -999}
    code = 2
    says = (r"NaN",)

    def table(self):
        table = pd.DataFrame({"a": self.x, "c": self.x + 1})
        table.loc[3, "c"] = -999
        table.loc[5, "c"] = np.nan
        return table

    def check(self, done: Outcome) -> None:
        assert done.after is None


class LeftoverNanInAMatrix(LeftoverNan):
    """The same in a matrix."""

    def table(self):
        return super().table().to_numpy()


class BoundsOfATypo(OneColumnOfInterest):
    """Bounds of a column that there is not are an error at `fit`, with the names that there are."""

    settings = {"bounds": {"cc": (0, 1)}}
    code = 1
    says = (r"cc", r"hint:")

    def cells(self):
        return self.x

    def check(self, done: Outcome) -> None:
        assert not hasattr(done.imputer, "report_"), "the mistake was found only after the fit"


class BoundsThatAreNoPair(BoundsOfATypo):
    """`bounds={"c": 5}` is an error that says what bounds look like."""

    settings = {"bounds": {"c": 5}}
    says = (r"bounds", r"\bc\b", r"\(|low|pair")


class BoundsTheWrongWayRound(BoundsOfATypo):
    """Bounds the wrong way round are an error at `fit`."""

    settings = {"bounds": {"c": (5, 1)}}
    says = (r"bounds", r"wrong way")


class NamesAndPositions(OneColumnOfInterest):
    """Columns given by name and by position together are understood."""

    settings = {"categorical_features": ["c", 2]}

    def table(self):
        codes = np.digitize(self.x, [-0.5, 0.5]).astype(float)
        return pd.DataFrame({"a": self.x, "c": holed(codes, token=np.nan), "d": holed(10 * codes, 3, token=np.nan)})

    def check(self, done: Outcome) -> None:
        done.among("c", [0, 1, 2])
        done.among("d", [0, 10, 20])


class FeaturesOfEveryWish(OneColumnOfInterest):
    """`continuous_features`, `ignore_features` and `ordered_features` do as the command's options."""

    settings = {"continuous_features": ["c"], "ignore_features": ["d"], "ordered_features": ["o"]}
    empty = ("d",)

    def table(self):
        codes = np.digitize(self.x, [-0.5, 0.5])
        return pd.DataFrame(
            {
                "a": self.x,
                "c": holed((self.x > 0).astype(float), token=np.nan),
                "d": holed(self.x, 3, token=np.nan),
                "o": holed(codes.astype(float), 4, token=np.nan),
            }
        )

    def check(self, done: Outcome) -> None:
        assert done.imputer.columns_["c"] == "continuous" and done.imputer.columns_["d"] == "left"
        done.among("o", [0, 1, 2])


class CommaModelInPython(OneColumnOfInterest):
    """Float bounds under a model of a file with decimal commas are the numbers that they are: 1.125 is no 1125."""

    saved = "command"
    settings = {"bounds": {"c": (1.125, 2.875)}}
    truth = np.clip(2 + 0.3 * hidden(), 1.2, 2.8)

    def learned(self):
        columns = {"a": texts(10 + self.x), "c": holed(texts(self.truth, "{:.3f}"))}
        return csv_bytes({name: [cell.replace(".", ",") for cell in cells] for name, cells in columns.items()}, ";")

    def table(self):
        return pd.DataFrame({"a": 10 + self.x, "c": holed(self.truth, 3, token=np.nan)})

    def check(self, done: Outcome) -> None:
        done.within("c", 1.125, 2.875)


class StrictOnceAll(OneColumnOfInterest):
    """`strict=True` says nothing when every cell is filled."""

    settings = {"strict": True}

    def cells(self):
        return 5 + self.x

    def check(self, done: Outcome) -> None:
        done.near("c", 5 + self.x, 0.5)
