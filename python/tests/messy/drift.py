"""Models applied to other tables than the one they were fitted to."""

from __future__ import annotations

import numpy as np

from .kind import Kind
from .outcome import Outcome
from .tables import csv_bytes, hidden, holed, noise, texts


class Applied(Kind, base=True):
    """A model of heights in centimetres."""

    x = hidden(300)
    new = hidden(80, seed=5)

    def people(self, x: np.ndarray, seed: int = 0) -> dict[str, list[str]]:
        return {
            "height": texts(170 + 8 * x, "{:.1f}"),
            "weight": holed(texts(70 + 9 * x + 2 * noise(len(x), seed), "{:.1f}"), seed),
            "sex": holed(np.where(x + 0.5 * noise(len(x), seed + 9) > 0, "m", "f"), seed + 1),
        }

    def learned(self):
        return csv_bytes(self.people(self.x))

    def table(self):
        return csv_bytes(self.people(self.new, 3))


class SamePopulation(Applied):
    """New rows of the same population are completed without a word of drift."""

    hushes = (r"drift|outside what|other units|deviations",)

    def check(self, done: Outcome) -> None:
        done.near("weight", 70 + 9 * self.new, 4)
        done.among("sex", ["m", "f"])


class OtherUnits(Applied):
    """Heights in metres under a model of centimetres are noted, with the column and the share of cells outside."""

    says = (r"height", r"outside|shift|drift")

    def table(self):
        return csv_bytes({**self.people(self.new, 3), "height": texts(1.7 + 0.08 * self.new, "{:.2f}")})

    def check(self, done: Outcome) -> None:
        if done.way == "command":
            assert "height" in str(done.json.get("drift", done.json["notes"])), done.json


class OtherPopulation(Applied):
    """Children under a model of adults are noted."""

    says = (r"height", r"outside|shift|drift")

    def table(self):
        return csv_bytes(self.people(self.new - 7, 3))


class NewLabel(Applied):
    """A label that the model does not know is named; the row is completed all the same."""

    says = (r"sex", r"`x`|\bx\b|unknown|label")

    def table(self):
        columns = self.people(self.new, 3)
        columns["sex"] = ["x" if i % 9 == 0 and cell else cell for i, cell in enumerate(columns["sex"])]
        return csv_bytes(columns)


class AbsentColumn(Applied):
    """Columns that new rows lack count as missing, with a note."""

    ways = ("command",)
    says = (r"height",)

    def table(self):
        columns = self.people(self.new, 3)
        del columns["height"]
        return csv_bytes(columns)

    def check(self, done: Outcome) -> None:
        done.within("weight", 35, 110)


class AbsentColumnInPython(Applied):
    """Columns that new rows lack are named: an error as scikit-learn has it, or missing with a note."""

    ways = ("python",)
    code = 2
    says = (r"height",)

    def table(self):
        columns = self.people(self.new, 3)
        del columns["height"]
        return csv_bytes(columns)


class ExtraColumn(Applied):
    """Columns that the model does not know come back as they were, which is said if they have gaps."""

    ways = ("command",)
    empty = ("shoe",)

    def table(self):
        return csv_bytes({**self.people(self.new, 3), "shoe": holed(texts(40 + self.new, "{:.0f}"), 8)})


class OtherOrder(Applied):
    """Columns in another order are found by their names."""

    ways = ("command",)

    def table(self):
        columns = self.people(self.new, 3)
        return csv_bytes({name: columns[name] for name in ("sex", "weight", "height")})

    def check(self, done: Outcome) -> None:
        done.near("weight", 70 + 9 * self.new, 4)


class TextWhereNumbersWere(Applied):
    """Words in a column of numbers are an error that names the cell, or are named and kept."""

    says = (r"height", r"tall|small|Utf8|text")
    code = 2

    def table(self):
        columns = self.people(self.new, 3)
        columns["height"] = ["tall" if v > 0 else "small" for v in self.new]
        return csv_bytes(columns)


class FewRowsInOtherUnits(Applied):
    """Six rows with heights in metres are enough for a note."""

    says = (r"height", r"outside|shift|drift")

    def table(self):
        people = {name: cells[:6] for name, cells in self.people(self.new, 3).items()}
        return csv_bytes({**people, "height": texts(1.7 + 0.08 * self.new[:6], "{:.2f}")})


class OneNewRow(Applied):
    """One new row is completed, and not called drift."""

    hushes = (r"drift|deviations",)

    def table(self):
        return b"height,weight,sex\n178.0,,\n"

    def check(self, done: Outcome) -> None:
        done.within("weight", 60, 100)
        done.among("sex", ["m", "f"])


class OtherDecimals(Applied):
    """New rows written with decimal commas mean the same numbers as under points, or are an error: never 1,785 cm."""

    ways = ("command",)
    delimiter = ";"
    code = (0, 2)

    def table(self):
        columns = self.people(self.new, 3)
        return csv_bytes({name: [cell.replace(".", ",") for cell in cells] for name, cells in columns.items()}, ";")

    def check(self, done: Outcome) -> None:
        if done.code:
            assert done.says("height") and done.says(r"163,6")
            return
        done.near("weight", 70 + 9 * self.new, 5, lambda cell: float(cell.replace(",", ".")))


class TokenOfTheFit(Applied):
    """A sentinel that was declared where the model was fitted, and not for new rows, does not pass unnoticed."""

    ways = ("command",)
    fitting = ("--missing", "weight=-999")
    says = (r"weight.{0,80}(outside|not what was learned|missing)",)

    def people(self, x: np.ndarray, seed: int = 0) -> dict[str, list[str]]:
        columns = super().people(x, seed)
        return {**columns, "weight": [cell or "-999" for cell in columns["weight"]]}

    def check_cells(self, done: Outcome) -> None:
        pass


class NoColumnOfTheModel(Applied):
    """A table with none of the model's columns, as one without a header, is an error: nothing is made up."""

    ways = ("command",)
    code = 2
    says = (r"none of the modelled columns|has no column", r"hint:")

    def table(self):
        return csv_bytes(self.people(self.new, 3), header=False)


class RenamedColumn(Applied):
    """A column that is spelled otherwise is missing by one name and unknown by the other; both are said."""

    ways = ("command",)
    says = (r"`height` is not in the table|no column `height`", r"`Height`")
    code = (0, 2)

    def table(self):
        columns = self.people(self.new, 3)
        return csv_bytes({"Height" if name == "height" else name: cells for name, cells in columns.items()})


class OtherCurrency(Applied):
    """Euros under a model of dollars are an error that names the cell."""

    ways = ("command",)
    code = 2
    says = (r"€", r"weight", r"hint:")

    def people(self, x: np.ndarray, seed: int = 0) -> dict[str, list[str]]:
        sign = "€" if seed else "$"
        columns = super().people(x, seed)
        return {**columns, "weight": [sign + cell if cell else cell for cell in columns["weight"]]}


class OtherSpelling(Applied):
    """Labels in another case than the model's are said to be unknown; they stay as they are."""

    ways = ("command",)
    says = (r"sex.{0,60}unknown",)

    def table(self):
        columns = self.people(self.new, 3)
        return csv_bytes({**columns, "sex": [cell.upper() for cell in columns["sex"]]})

    def check(self, done: Outcome) -> None:
        done.among("sex", ["m", "f"])
