"""Numbers as people write them."""

from __future__ import annotations

import re

import numpy as np

from .kind import Kind
from .outcome import Outcome
from .tables import csv_bytes, hidden, holed, plain, texts


def comma(text: str) -> str:
    """A number with a decimal comma."""
    return text.replace(",", " ").replace(".", ",").replace(" ", ".")


def english(cell: object) -> float:
    """Reads 1,234.50."""
    return float(str(cell).replace(",", ""))


def german(cell: object) -> float:
    """Reads 1.234,50."""
    return float(str(cell).replace(".", "").replace(",", ".")) if isinstance(cell, str) else float(cell)  # type: ignore[arg-type]


def continental(cell: object) -> float:
    """Reads 1,234 as a little more than one."""
    return float(str(cell).replace(",", "."))


def bare(cell: object) -> float:
    """Reads a number whatever stands around it."""
    found = re.search(r"[-−]?[\d,]+(\.\d+)?", str(cell))
    assert found, cell
    return float(found[0].replace(",", "").replace("−", "-"))


class ThousandsAndPoint(Kind):
    """`1,234.50` is a number, and imputed cells are written alike."""

    kinds = {"price": "continuous"}
    pandas = {"thousands": ","}
    x = hidden()
    truth = 20000 + 6000 * x

    def table(self):
        return csv_bytes({**plain(self.x), "price": holed(texts(self.truth, "{:,.2f}"))})

    def check(self, done: Outcome) -> None:
        done.near("price", self.truth, 1500, english)
        done.looks("price", r"-?\d{1,3}(,\d{3})*\.\d\d")


class ThousandsOfIntegers(Kind):
    """`12,345` is the integer 12345, not 12.345."""

    kinds = {"people": "integer"}
    pandas = {"thousands": ","}
    x = hidden()
    truth = 20000 + 6000 * x

    def table(self):
        return csv_bytes({**plain(self.x), "people": holed(texts(self.truth, "{:,.0f}"))})

    def check(self, done: Outcome) -> None:
        done.near("people", self.truth, 1500, english)
        done.looks("people", r"-?\d{1,3}(,\d{3})*")


class DecimalCommaSemicolons(Kind):
    """A German file: `;` between cells, decimal commas, points between thousands."""

    delimiter = ";"
    kinds = {"a": "continuous", "b": "continuous", "preis": "continuous"}
    pandas = {"sep": ";", "decimal": ",", "thousands": "."}
    x = hidden()
    truth = 2000 + 600 * x

    def table(self):
        plains = {name: [comma(cell) for cell in cells] for name, cells in plain(self.x).items()}
        prices = [comma(cell) for cell in texts(self.truth, "{:,.2f}")]
        return csv_bytes({**plains, "preis": holed(prices)}, ";")

    def check(self, done: Outcome) -> None:
        done.near("preis", self.truth, 150, german)
        done.near("b", 5 - self.x, 0.3, german)
        done.looks("preis", r"-?\d{1,3}(\.\d{3})*,\d\d")
        done.looks("b", r"-?\d+,\d+")


class DecimalCommaQuoted(Kind):
    """Decimal commas in quoted cells between commas."""

    kinds = {"a": "continuous", "b": "continuous"}
    pandas = {"decimal": ","}
    x = hidden()

    def table(self):
        return csv_bytes({name: [comma(cell) for cell in cells] for name, cells in plain(self.x).items()})

    def check(self, done: Outcome) -> None:
        done.near("b", 5 - self.x, 0.3, german)
        done.looks("b", r"-?\d+,\d+")


class DecimalCommaOfTheWholeFile(Kind):
    """`1,234` alone could be a thousand: the other columns of the file say that it is a decimal comma."""

    delimiter = ";"
    kinds = {"a": "continuous", "weight": "continuous"}
    pandas = {"sep": ";", "decimal": ","}
    x = hidden()
    truth = 2.5 + 0.3 * x

    def table(self):
        plains = {name: [comma(cell) for cell in cells] for name, cells in plain(self.x).items()}
        return csv_bytes({**plains, "weight": holed([comma(cell) for cell in texts(self.truth, "{:.3f}")])}, ";")

    def check(self, done: Outcome) -> None:
        done.near("weight", self.truth, 0.1, continental)
        done.looks("weight", r"\d,\d+")


class DecimalCommaMixedStyles(Kind):
    """In a file of decimal commas, `12.500` of a column without decimals is twelve thousand five hundred."""

    delimiter = ";"
    pandas = {"sep": ";", "decimal": ",", "thousands": "."}
    kinds = {"stueck": "integer"}
    x = hidden()
    truth = np.round(20000 + 6000 * x)

    def table(self):
        plains = {name: [comma(cell) for cell in cells] for name, cells in plain(self.x).items()}
        return csv_bytes({**plains, "stueck": holed([comma(cell) for cell in texts(self.truth, "{:,.0f}")])}, ";")

    def check(self, done: Outcome) -> None:
        done.near("stueck", self.truth, 1500, german)
        done.looks("stueck", r"-?\d{1,3}(\.\d{3})*")


class DecimalAsked(Kind):
    """`--decimal ,` settles what a file of `1,234` alone leaves open."""

    delimiter = ";"
    reading = ("--decimal", ",")
    pandas = {"sep": ";", "decimal": ","}
    x = hidden()

    def table(self):
        columns = {
            name: holed(texts(c + 0.2 * self.x, "{:.3f}"), k)
            for k, (name, c) in enumerate({"a": 2.5, "b": 4.5}.items())
        }
        return csv_bytes({name: [comma(cell) for cell in cells] for name, cells in columns.items()}, ";")

    def check(self, done: Outcome) -> None:
        done.within("a", 1, 4, continental)
        done.within("b", 3, 6, continental)
        done.looks("a", r"\d,\d+")


class ThousandsBySpaces(Kind):
    """`12 345,60`, with a space or one that does not break, is a number."""

    delimiter = ";"
    ways = ("command",)
    kinds = {"plain": "continuous", "narrow": "continuous"}
    x = hidden()
    truth = 20000 + 3000 * x

    def table(self):
        french = [cell.replace(",", " ").replace(".", ",") for cell in texts(self.truth, "{:,.2f}")]
        narrow = [cell.replace(" ", "\u202f") for cell in french]
        return csv_bytes(
            {"a": [comma(cell) for cell in texts(self.x)], "plain": holed(french), "narrow": holed(narrow, 2)}, ";"
        )

    def check(self, done: Outcome) -> None:
        for name, space in (("plain", " "), ("narrow", "\u202f")):
            done.near(name, self.truth, 1500, lambda cell: float(cell.replace(space, "").replace(",", ".")))
            done.looks(name, rf"\d{{2}}{space}\d{{3}},\d\d")


class ThousandsByApostrophes(Kind):
    """`12'345.60` of Switzerland is a number."""

    ways = ("command",)
    kinds = {"franken": "continuous"}
    x = hidden()
    truth = 20000 + 3000 * x

    def table(self):
        return csv_bytes(
            {**plain(self.x), "franken": holed([c.replace(",", "'") for c in texts(self.truth, "{:,.2f}")])}
        )

    def check(self, done: Outcome) -> None:
        done.near("franken", self.truth, 1500, lambda cell: float(cell.replace("'", "")))
        done.looks("franken", r"\d{2}'\d{3}\.\d\d")


class Dressed(Kind, base=True):
    """Numbers with something around them. Python's frames hold them as text."""

    form = "${:,.2f}"
    look = r"\$\d{1,3}(,\d{3})*\.\d\d"
    x = hidden()
    truth = 2000 + 300 * x
    error = 80.0
    ways = ("command",)
    kinds = {"c": "continuous"}

    def table(self):
        return csv_bytes({**plain(self.x), "c": holed(texts(self.truth, self.form))})

    def check(self, done: Outcome) -> None:
        done.near("c", self.truth, self.error, bare)
        done.looks("c", self.look)


class CurrencyBefore(Dressed):
    """`$1,234.50` is a number, and imputed cells have their sign."""


class CurrencyBehind(Dressed):
    """`1234.50 €` is a number, and imputed cells have their sign."""

    form = "{:.2f} €"
    look = r"\d+\.\d\d €"


class CurrencyCode(Dressed):
    """`EUR 1234.50` is a number, and imputed cells have their code."""

    form = "EUR {:.2f}"
    look = r"EUR \d+\.\d\d"


class Percent(Dressed):
    """`45.2%` is a number; imputed cells have their sign and stay between 0 and 100."""

    form = "{:.1f}%"
    look = r"\d+\.\d%"
    truth = 100 / (1 + np.exp(-Dressed.x))
    error = 6.0

    def check(self, done: Outcome) -> None:
        super().check(done)
        done.within("c", 0, 100, bare)


class Units(Dressed):
    """`70.5 kg` is a number, and imputed cells have their unit."""

    form = "{:.1f} kg"
    look = r"\d+\.\d kg"
    truth = 70 + 9 * Dressed.x
    error = 3.0


class UnicodeMinus(Dressed):
    """`−3.5`, with the minus of Unicode, is a negative number."""

    form = staticmethod(lambda x: f"{x:.2f}".replace("-", "−"))  # type: ignore[assignment]
    look = r"[-−]?\d+\.\d\d"
    truth = 3 * Dressed.x
    error = 1.0


class PlusSigns(Dressed):
    """`+3.5` is a number."""

    form = "{:+.2f}"
    look = r"[-+]?\d+\.\d\d"
    truth = 3 * Dressed.x
    error = 1.0


class Exponents(Kind):
    """`1.2e-5` is a number, and imputed cells stay positive and as small."""

    kinds = {"rate": "continuous"}
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "rate": holed(texts(1e-5 * np.exp(0.5 * self.x), "{:.3e}"))})

    def check(self, done: Outcome) -> None:
        done.within("rate", 0, 2e-4)


class FixedDecimals(Kind):
    """`1.50` has two decimals in every cell, imputed ones too."""

    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "c": holed(texts(np.round(4 + self.x, 1), "{:.2f}"))})

    def check(self, done: Outcome) -> None:
        done.looks("c", r"-?\d\.\d\d")


class IndianGrouping(Kind):
    """`1,23,456` of India is 123456, or the column is left, which is said."""

    ways = ("command",)
    x = hidden()
    truth = np.round(300_000 + 40_000 * x).astype(int)

    def table(self):
        cells = [f"{v // 100_000},{v // 1000 % 100:02},{v % 1000:03}" for v in self.truth]
        return csv_bytes({**plain(self.x), "rupees": holed(cells)})

    def check_cells(self, done: Outcome) -> None:
        gaps = [new for old, new in zip(done.before["rupees"], done.after["rupees"]) if old == ""]
        if all(cell == "" for cell in gaps):
            assert done.says("rupees")
        else:
            done.near("rupees", self.truth, 20_000, english)


class PaddedNumbers(Kind):
    """Spaces around numbers, as of columns of a fixed width, do not make them text; they stay where they were."""

    ways = ("command",)
    kinds = {"c": "continuous"}
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "c": [f"{cell:>9} " for cell in holed(texts(20 + self.x))]})

    def check(self, done: Outcome) -> None:
        done.near("c", 20 + self.x, 0.5)


class QuotedNumbers(Kind):
    """Numbers within quotes are numbers; rows without gaps come back with their quotes."""

    kinds = {"c": "continuous"}
    x = hidden()

    def table(self):
        columns = {**plain(self.x), "c": holed(texts(20 + self.x))}
        rows = zip(*columns.values())
        lines = [",".join(f'"{cell}"' if cell else "" for cell in row) for row in rows]
        return ('"a","b","c"\n' + "\n".join(lines) + "\n").encode()

    def check(self, done: Outcome) -> None:
        done.near("c", 20 + self.x, 0.5)


class SomeThousands(Kind):
    """`950` beside `1,200`: separators only where there are thousands."""

    kinds = {"c": "integer"}
    pandas = {"thousands": ","}
    x = hidden()
    truth = np.round(1000 + 200 * x)

    def table(self):
        return csv_bytes({**plain(self.x), "c": holed(texts(self.truth, "{:,.0f}"))})

    def check(self, done: Outcome) -> None:
        done.near("c", self.truth, 60, english)
        done.looks("c", r"\d{1,3}|\d,\d{3}")


class WrittenInTwoWays(Kind, base=True):
    """Rounded numbers that are not all written in one way: they repeat, but are no labels in silence."""

    ways = ("command",)
    forms = ("{:.0f} kg", "{:.0f} lb")
    scale = 9.0
    x = hidden(300)

    def table(self):
        numbers = np.round(70 + self.scale * self.x, 1 if self.scale < 9 else 0)
        cells = [self.forms[i % 2].format(value) for i, value in enumerate(numbers)]
        return csv_bytes({**plain(self.x), "c": holed(cells)})


class UnitsThatRepeat(WrittenInTwoWays):
    """70 kg and 72 lb in one column are named as different units."""

    says = (r"`?c`?: its numbers have different currencies or units", r"kg", r"lb")


class CurrenciesThatRepeat(WrittenInTwoWays):
    """$70 and €72 in one column are named as different currencies."""

    forms = ("${:.0f}", "€{:.0f}")
    says = (r"different currencies or units",)


class PercentOrShare(Kind):
    """52% and 0.35 in one column are named."""

    ways = ("command",)
    says = (r"have a sign `%`",)
    x = hidden(300)

    def table(self):
        shares = np.round(20 / (1 + np.exp(-self.x))) / 20
        cells = [f"{100 * share:.0f}%" if i % 2 else f"{share:.2f}" for i, share in enumerate(shares)]
        return csv_bytes({**plain(self.x), "c": holed(cells)})


class TwoDecimalSigns(WrittenInTwoWays):
    """4.2 and 4,2 in one column are named."""

    scale = 2.0
    says = (r"decimal point and \d+ a decimal comma",)

    def table(self):
        cells = [f"{4 + value:.1f}" for value in self.x]
        cells = [cell.replace(".", ",") if i % 2 else cell for i, cell in enumerate(cells)]
        return csv_bytes({**plain(self.x), "c": holed(cells)})


class DosesAreLabels(Kind):
    """10 mg, 20 mg and 1 g are labels, of which nothing is said."""

    ways = ("command",)
    hushes = (r"currencies or units",)
    kinds = {"dose": "category"}
    x = hidden()

    def table(self):
        doses = [["10 mg", "20 mg", "1 g"][int(abs(2 * value)) % 3] for value in self.x]
        return csv_bytes({**plain(self.x), "dose": holed(doses)})
