"""Tables of unusual sizes, and columns with nothing to learn."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .kind import WHOLE, Kind
from .outcome import Outcome
from .tables import csv_bytes, hidden, holed, noise, plain, texts


class EmptyColumn(Kind):
    """A column without a cell stays empty, and that is said; Python leaves it out, as scikit-learn does."""

    x = hidden()
    empty = ("nothing",)
    ways = ("command",)

    def table(self):
        return csv_bytes({**plain(self.x), "nothing": [""] * len(self.x)})


class EmptyColumnInPython(Kind):
    """A column without a cell is left out of Python's completed table, as by scikit-learn, and that is said."""

    x = hidden()
    ways = ("python",)

    def table(self):
        return pd.DataFrame({"a": self.x, "b": holed(self.x, token=np.nan), "nothing": np.nan})

    says = (r"nothing",)

    def check_cells(self, done: Outcome) -> None:
        assert list(done.completed.columns) == ["a", "b"] and done.completed.notna().all().all()


class ConstantColumn(Kind):
    """A column of one value is completed with it."""

    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "c": holed(["7"] * len(self.x))})

    def check(self, done: Outcome) -> None:
        assert set(done.numbers("c")) == {7}


class EmptyRows(Kind):
    """Rows without a cell are completed with what the columns hold, not with one and the same row."""

    x = hidden()

    def table(self):
        columns = {**plain(self.x), "town": holed(np.where(self.x > 0, "Ulm", "Bonn"), 4)}
        for i in range(20, 40):
            for cells in columns.values():
                cells[i] = ""
        return csv_bytes(columns)

    def check(self, done: Outcome) -> None:
        rows = {tuple(str(cells[i]) for cells in done.after.values()) for i in range(20, 40)}
        assert len(rows) > 10
        done.within("a", -5, 25)


class OneRow(Kind):
    """One row has nothing to learn from: an error, no invented cells."""

    code = 2
    says = (r"no column that can be modelled|one row", r"hint:")

    def table(self):
        return b"a,b,c\n1.5,,x\n"


class OneColumn(Kind):
    """One column is completed with what it holds."""

    x = hidden()

    def table(self):
        return csv_bytes({"only": holed(texts(10 + self.x), token="NA")})

    missing = ("", "NA")

    def check(self, done: Outcome) -> None:
        done.within("only", 4, 16)
        assert 0.5 < np.std(done.numbers("only")) < 2


class FiveRows(Kind):
    """Five rows of three columns are completed, within reason."""

    def table(self):
        return b"a,b,c\n1.0,10,u\n2.0,,v\n3.0,30,u\n,40,v\n5.0,50,\n"

    def check(self, done: Outcome) -> None:
        done.within("a", -5, 12)
        done.within("b", -50, 120)
        done.among("c", ["u", "v"])


class Wide(Kind, base=True):
    """More columns than rows."""

    width = 100
    x = hidden(60)

    def table(self):
        columns = {}
        for j in range(self.width):
            cells = texts(j + self.x * (1 if j % 2 else -1) + 0.5 * noise(60, j))
            columns[f"c{j}"] = cells if j % 25 else holed(cells, j, 0.1)
        return csv_bytes(columns)

    def check(self, done: Outcome) -> None:
        for j in range(0, self.width, 25):
            done.within(f"c{j}", j - 8, j + 8)


class MoreColumnsThanRows(Wide):
    """A hundred columns and sixty rows are completed, within reason."""


class ManyColumns(Wide):
    """Three hundred columns and sixty rows too."""

    ways = ("command",)
    width = 300


class RepeatedRows(Kind):
    """Every row twenty times: the completed table is fine."""

    budget = WHOLE
    x = np.repeat(hidden(15), 20)

    def table(self):
        a = np.repeat(texts(10 + 3 * self.x[::20]), 20)
        return csv_bytes(
            {"a": a.tolist(), "b": holed(texts(5 - self.x)), "g": holed(np.where(self.x > 0, "u", "v"), 2)}
        )

    def check(self, done: Outcome) -> None:
        done.near("b", 5 - self.x, 0.5)
        done.agrees("g", np.where(self.x > 0, "u", "v").tolist(), 0.8)


class IdenticalRows(Kind):
    """A table of the same row over and over has nothing to learn from: an error that says so."""

    code = 2
    says = (r"no column that can be modelled", r"hint:")

    def table(self):
        return csv_bytes({"a": ["1.5"] * 60, "b": holed(["2.5"] * 60), "g": holed(["u"] * 60, 2)})


class Collinear(Kind):
    """Columns that are exact multiples and sums of others are completed so that this holds nearly."""

    budget = WHOLE
    x = hidden(300)

    def table(self):
        cm, weight = np.round(170 + 8 * self.x, 1), np.round(70 + 9 * noise(300), 1)
        total = texts(cm + weight, "{:.1f}")
        return csv_bytes(
            {
                "cm": texts(cm, "{:.1f}"),
                "mm": holed(texts(10 * cm, "{:.0f}")),
                "kg": texts(weight, "{:.1f}"),
                "sum": holed(total, 3),
            }
        )

    def check(self, done: Outcome) -> None:
        done.near("mm", 10 * np.round(170 + 8 * self.x, 1), 5)
        done.near("sum", np.round(170 + 8 * self.x, 1) + np.round(70 + 9 * noise(300), 1), 1)


class OrdinaryTable(Kind):
    """A table with nothing wrong is completed without a warning."""

    budget = WHOLE
    hushes = (r"warning",)
    x = hidden(300)

    def table(self):
        size = [["S", "M", "L"][k] for k in np.digitize(self.x + 0.3 * noise(300), [-0.5, 0.5])]
        return csv_bytes({**plain(self.x), "n": holed(texts(40 + 9 * self.x, "{:.0f}"), 1), "size": holed(size, 2)})


class NothingMissing(Kind):
    """A table without gaps comes back as it was, and nothing is fitted."""

    x = hidden()

    def table(self):
        return csv_bytes({"a": texts(self.x), "g": np.where(self.x > 0, "u", "v").tolist()})

    def check(self, done: Outcome) -> None:
        if done.way == "command":
            assert done.completed.read_bytes() == done.given.read_bytes()


class NearlyEmptyColumn(Kind):
    """A column with three observed cells of 160 is completed near them, or stays empty and that is said."""

    x = hidden()

    def table(self):
        rare = [f"{3 + k}.5" if k < 3 else "" for k in range(len(self.x))]
        return csv_bytes({**plain(self.x), "rare": rare})

    def check(self, done: Outcome) -> None:
        done.within("rare", -10, 20)
