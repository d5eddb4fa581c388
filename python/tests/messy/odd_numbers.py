"""Numbers that are easy to get wrong: mixed forms, very long, very large, not finite, no numbers at all."""

from __future__ import annotations

import re

import numpy as np

from .kind import Kind
from .number_texts import comma, continental, english
from .outcome import Outcome
from .tables import csv_bytes, hidden, holed, plain, texts


class MixedUnits(Kind):
    """`70 kg` beside `154 lb` is not a column of one unit: the numbers are not mixed in silence."""

    ways = ("command",)
    x = hidden()

    def table(self):
        weights = [f"{70 + 9 * x:.0f} kg" if i % 2 else f"{154 + 20 * x:.0f} lb" for i, x in enumerate(self.x)]
        return csv_bytes({**plain(self.x), "weight": holed(weights, share=0.05)})

    empty = ("weight",)


class LongIntegers(Kind):
    """Integers of 17 digits keep every digit, whether they are observed numbers or name the rows."""

    x = hidden()
    accounts = [str(10**16 + 7919 * k * k + 1) for k in range(len(x))]

    def table(self):
        return csv_bytes({"account": self.accounts, **plain(self.x)})

    def check(self, done: Outcome) -> None:
        assert list(map(str, done.after["account"])) == self.accounts


class LongIntegersWithGaps(Kind):
    """Gaps among integers of 17 digits stay empty, which is said, or hold integers; observed ones keep every digit."""

    pandas = {"dtype": {"total": "Int64"}}
    x = hidden()
    totals = [str(10**16 + int(10**14 * value) + 1) for value in x]

    def table(self):
        return csv_bytes({**plain(self.x), "total": holed(self.totals)})

    def check_cells(self, done: Outcome) -> None:
        filled = [cell for cell in done.imputed("total") if not self.is_missing("total", cell)]
        assert all(re.fullmatch(r"1?\d{16}", str(cell)) for cell in filled), filled
        assert len(filled) == len(done.gaps("total")) or done.says("total")
        for old, new in zip(done.before["total"], done.after["total"]):
            assert self.is_missing("total", old) or str(old) == str(new), (old, new)


class LeadingZeros(Kind):
    """Postal codes keep their zeros: `01067` is text, imputed from those observed."""

    pandas = {"dtype": {"zip": str}}
    kinds = {"zip": "category"}
    codes = ["01067", "04109", "20095", "80331"]
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "zip": holed([self.codes[k] for k in np.digitize(self.x, [-0.7, 0, 0.7])])})

    def check(self, done: Outcome) -> None:
        done.among("zip", self.codes)


class LeadingZerosWithoutEnd(Kind):
    """Phone numbers with leading zeros, all different, are no numbers: they stay empty, and that is said."""

    pandas = {"dtype": {"phone": str}}
    empty = ("phone",)
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "phone": holed([f"0{30_000_000 + 7919 * k}" for k in range(len(self.x))])})


class Infinite(Kind):
    """An infinite number is an error that names the column, and nothing is written."""

    code = 2
    says = (r"`c`|\bc\b", r"inf", r"hint:")
    x = hidden()

    def table(self):
        cells = holed(texts(self.x))
        cells[5] = "inf"
        return csv_bytes({**plain(self.x), "c": cells})


class HugeAndTiny(Kind):
    """Numbers of 1e-300 and 1e300 beside each other are finite when imputed."""

    x = hidden()

    def table(self):
        return csv_bytes(
            {
                **plain(self.x),
                "tiny": holed(texts(1e-300 * (2 + np.tanh(self.x)), "{:.4e}"), 1),
                "huge": holed(texts(1e300 * (2 + np.tanh(self.x)), "{:.4e}"), 2),
            }
        )

    def check(self, done: Outcome) -> None:
        done.within("tiny", 0, 1e-299)
        done.within("huge", 0, 1e301)


class LargeOffset(Kind):
    """Small differences on top of a large number, as in Unix times, are not lost."""

    x = hidden()
    truth = 1_600_000_000 + 50 * x

    def table(self):
        return csv_bytes({**plain(self.x), "stamp": holed(texts(self.truth, "{:.0f}"))})

    def check(self, done: Outcome) -> None:
        done.near("stamp", self.truth, 15)
        done.whole("stamp")


class OneWildOutlier(Kind):
    """One cell of 1e6 among ordinary ones does not spoil the others: most imputed cells are ordinary."""

    x = hidden(300)

    def table(self):
        cells = holed(texts(10 + self.x))
        cells[next(i for i, cell in enumerate(cells) if cell)] = "1000000"
        return csv_bytes({**plain(self.x), "c": cells})

    def check(self, done: Outcome) -> None:
        found = done.numbers("c")
        assert np.median(np.abs(found - 10)) < 3 and np.mean(np.abs(found - 10) < 10) > 0.9, found


class NegativesInParentheses(Kind):
    """`(1,234.00)` of bookkeepers is negative, and imputed cells are written alike."""

    ways = ("command",)
    kinds = {"c": "continuous"}
    x = hidden()

    def table(self):
        book = [f"({-v:,.2f})" if v < 0 else f"{v:,.2f}" for v in 3000 * self.x]
        return csv_bytes({**plain(self.x), "c": holed(book)})

    def check(self, done: Outcome) -> None:
        done.looks("c", r"\(\d[\d,]*\.\d\d\)|\d[\d,]*\.\d\d")
        done.near("c", 3000 * self.x, 500, lambda cell: (-1 if cell[0] == "(" else 1) * english(cell.strip("()")))


class MixedCurrencies(Kind):
    """`$5` beside `€5` is not a column of one currency: the amounts are not mixed in silence."""

    ways = ("command",)
    x = hidden()
    empty = ("price",)
    says = (r"`price`.{0,40}different currencies",)

    def table(self):
        prices = [f"{'$' if i % 2 else '€'}{500 + 70 * x:.2f}" for i, x in enumerate(self.x)]
        return csv_bytes({**plain(self.x), "price": holed(prices, share=0.05)})


class MixedDecimals(Kind):
    """`1,5` beside `2.5` in a column: nothing becomes fifteen. It is an error, or said."""

    ways = ("command",)
    code = (0, 2)
    says = (r"`?c`?",)
    x = hidden()

    def table(self):
        cells = texts(5 + self.x, "{:.1f}")
        cells = [comma(cell) if i % 2 else cell for i, cell in enumerate(cells)]
        return csv_bytes({**plain(self.x), "c": holed(cells, share=0.1)})

    def check_cells(self, done: Outcome) -> None:
        for old, new in zip(done.before["c"], done.after["c"]):
            assert new == old if old else new == "" or 0 <= continental(new) <= 11, (old, new)


class MixedDecimalsFew(MixedDecimals):
    """A few `1,5` among many `2.5`: they are named, and none of them becomes fifteen."""

    says = (r"`c`", r"\d,\d")

    def table(self):
        cells = texts(5 + self.x, "{:.1f}")
        cells = [comma(cell) if i % 40 == 3 else cell for i, cell in enumerate(cells)]
        return csv_bytes({**plain(self.x), "c": holed(cells, share=0.1)})


class PercentAndShares(Kind):
    """`45%` beside `0.45` in a column are not the same number: nothing is imputed from a mixture in silence."""

    ways = ("command",)
    code = (0, 2)
    says = (r"rate",)
    x = hidden()

    def table(self):
        shares = 1 / (1 + np.exp(-self.x))
        cells = [f"{100 * s:.1f}%" if i % 2 else f"{s:.3f}" for i, s in enumerate(shares)]
        return csv_bytes({**plain(self.x), "rate": holed(cells, share=0.05)})

    empty = ("rate",)


class OverflowingNumbers(Kind):
    """`1e400` is more than a number can be: an error that names the cell, as for infinite ones, or an odd text."""

    ways = ("command",)
    code = (0, 2)
    says = (r"1e400",)
    x = hidden()

    def table(self):
        cells = holed(texts(self.x))
        cells[next(i for i, cell in enumerate(cells) if cell)] = "1e400"
        return csv_bytes({**plain(self.x), "c": cells})

    def check(self, done: Outcome) -> None:
        if done.code == 0:
            done.within("c", -10, 10)


class FractionsAndRanges(Kind):
    """`1/2` and `5-10` are labels, not dates: what is imputed is one of those observed."""

    kinds = {"dose": "category", "ages": "category"}
    x = hidden()

    def table(self):
        part = np.digitize(self.x, [-0.5, 0.5])
        doses = np.array(["1/4", "1/2", "3/4"])[part]
        ages = np.array(["5-10", "11-12", "1-4"])[part]
        return csv_bytes({**plain(self.x), "dose": holed(doses, 1), "ages": holed(ages, 2)})

    def check(self, done: Outcome) -> None:
        done.among("dose", ["1/4", "1/2", "3/4"])
        done.among("ages", ["5-10", "11-12", "1-4"])


class CensoredNumbers(Kind):
    """Numbers of which one in six is `<1`: not labels in silence. The texts are named, with `--missing`."""

    ways = ("command",)
    says = (r"`?c`?.{0,200}<1", r"--missing|--continuous")
    x = hidden(300)

    def table(self):
        cells = ["<1" if value < -1 else f"{5 + 2 * value:.1f}" for value in self.x]
        return csv_bytes({**plain(self.x), "c": holed(cells)})


class VersionsAndPressures(Kind):
    """`1.2.10` and `120/80` are neither dates nor numbers: what is imputed was observed."""

    kinds = {"version": "category", "pressure": "category"}
    x = hidden()

    def table(self):
        part = np.digitize(self.x, [-0.5, 0.5])
        versions, pressures = np.array(["1.2.3", "1.2.10", "2.0.1"]), np.array(["110/70", "120/80", "140/90"])
        return csv_bytes({**plain(self.x), "version": holed(versions[part], 1), "pressure": holed(pressures[part], 2)})

    def check(self, done: Outcome) -> None:
        done.among("version", ["1.2.3", "1.2.10", "2.0.1"])
        done.among("pressure", ["110/70", "120/80", "140/90"])
