"""Categories of pandas and polars."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl

from .frames import OneColumnOfInterest, sizes
from .kind import WHOLE
from .outcome import Outcome
from .tables import gaps, holed


class OrderedCategories(OneColumnOfInterest):
    """Ordered categories stay ordered, and are completed with labels that fit."""

    budget = WHOLE

    def cells(self):
        return pd.Categorical(sizes(self.x), ["S", "M", "L"], ordered=True)

    def check(self, done: Outcome) -> None:
        super().check(done)
        assert done.completed["c"].cat.ordered
        done.agrees("c", sizes(self.x).tolist(), 0.7)


class CategoricalLacksALabel(OneColumnOfInterest):
    """New rows whose categories lack a label of the model's: drawn labels do not vanish."""

    def learned(self):
        return super().table()

    def cells(self):
        return pd.Categorical(sizes(self.x))

    def table(self):
        table = super().table()
        small = np.where(sizes(self.x) == "L", "M", sizes(self.x))
        table["c"] = pd.Series(pd.Categorical(small, ["S", "M"])).mask(pd.Series(gaps()))
        return table

    def check(self, done: Outcome) -> None:
        done.among("c", ["S", "M", "L"])
        assert "L" in done.imputed("c")


class CategoricalWithoutACell(CategoricalLacksALabel):
    """A batch whose categories are all missing is completed with the labels that were learned."""

    def table(self):
        table = super().table()
        table["c"] = pd.Series(pd.Categorical([None] * len(table), ["S", "M", "L"]))
        return table


class CategoricalWithoutACategory(CategoricalLacksALabel):
    """A batch of a Categorical that has no categories at all is completed with the labels that were learned."""

    def table(self):
        table = super().table()
        table["c"] = pd.Series(pd.Categorical([None] * len(table)))
        return table


class EnumLacksALabel(OneColumnOfInterest):
    """An Enum of polars that lacks a label: drawn labels do not vanish."""

    def learned(self):
        cells = pl.Series("c", holed(sizes(self.x).tolist(), token=None), dtype=pl.Enum(["S", "M", "L"]))
        return pl.DataFrame({"a": self.x, "c": cells})

    def table(self):
        small = np.where(sizes(self.x) == "L", "M", sizes(self.x)).tolist()
        return pl.DataFrame({"a": self.x, "c": pl.Series("c", holed(small, token=None), dtype=pl.Enum(["S", "M"]))})

    def check(self, done: Outcome) -> None:
        done.among("c", ["S", "M", "L"])
        assert "L" in done.imputed("c")


class CategoriesOfIntervals(OneColumnOfInterest):
    """Categories that are intervals, as of pandas.cut, are completed, or stay empty, which is said."""

    empty = ("c",)

    def cells(self):
        return pd.cut(pd.Series(self.x), [-9, -1, 0, 1, 9])
