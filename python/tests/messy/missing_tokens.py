"""Cells that stand for nothing: tokens, sentinels, odd texts."""

from __future__ import annotations

import numpy as np

from .kind import WHOLE, Kind
from .outcome import Outcome
from .tables import csv_bytes, hidden, holed, noise, plain, texts

#: Texts that pandas, R and people write for a missing cell.
TOKENS = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "-nan", "-NaN", "<NA>", "NaT", "none", "None", "NULL", "Null", "null", "\\N",
    "--", "n.a.", "missing", "#N/A", "#N/A N/A", "#NA", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN", "?", ".", "-",
)  # fmt: skip


class TokensAmongNumbers(Kind):
    """Every usual token for a missing cell in a column of numbers is one: the column is numbers, and all are filled."""

    missing = TOKENS
    pandas = {"na_values": list(TOKENS)}
    kinds = {"dose": "continuous"}
    x = hidden(300)

    def table(self):
        return csv_bytes({**plain(self.x), "dose": holed(texts(50 + 10 * self.x), share=0.3, token=TOKENS)})

    def check(self, done: Outcome) -> None:
        done.near("dose", 50 + 10 * self.x, error=3)
        done.looks("dose", r"\d+\.\d\d")


class TokensAmongLabels(Kind):
    """No token for a missing cell is ever a label: none is imputed."""

    budget = WHOLE
    missing = TOKENS
    pandas = {"na_values": list(TOKENS)}
    kinds = {"arm": "category"}
    x = hidden(300)
    truth = np.where(x > 0, "high", "low").tolist()

    def table(self):
        return csv_bytes({**plain(self.x), "arm": holed(self.truth, share=0.3, token=TOKENS)})

    def check(self, done: Outcome) -> None:
        done.among("arm", ["high", "low"])
        done.agrees("arm", self.truth, 0.85)


class TokensAmongDates(Kind):
    """Tokens in a column of dates are missing dates; real dates are filled in."""

    missing = TOKENS
    pandas = {"na_values": list(TOKENS), "parse_dates": ["day"]}
    x = hidden(300)

    def table(self):
        days = np.datetime64("2020-06-01") + np.round(60 * self.x).astype(int)
        return csv_bytes({**plain(self.x), "day": holed(days.astype(str), share=0.3, token=TOKENS)})

    def check(self, done: Outcome) -> None:
        done.looks("day", r"20(19|20|21)-\d\d-\d\d")
        for cell in done.imputed("day"):
            np.datetime64(str(cell)[:10])


class BlankCells(Kind):
    """Cells of spaces, of tabs or of two quotes are missing."""

    missing = ("",)
    pandas = {"skipinitialspace": True}
    x = hidden()

    def table(self):
        whole = csv_bytes({**plain(self.x), "c": holed(texts(20 + self.x), token=("", "<1>", "<2>", "<3>"))})
        return whole.replace(b"<1>", b"   ").replace(b"<2>", b'""').replace(b"<3>", b"\t")

    kinds = {"c": "continuous"}
    ways = ("command",)

    def check(self, done: Outcome) -> None:
        done.near("c", 20 + self.x, error=0.4)


class AddedToken(Kind):
    """`--missing unknown` adds to the usual tokens; it does not take their place."""

    reading = ("--missing", "unknown")
    missing = ("", "NA", "unknown")
    pandas = {"na_values": ["unknown"]}
    kinds = {"town": "category", "c": "continuous"}
    x = hidden()

    def table(self):
        towns = holed(np.where(self.x > 0, "Ulm", "Bonn"), token=("NA", "unknown"))
        return csv_bytes({**plain(self.x), "town": towns, "c": holed(texts(self.x), 3, token=("NA", "unknown"))})

    def check(self, done: Outcome) -> None:
        done.among("town", ["Ulm", "Bonn"])


class OnlyThisToken(Kind):
    """`--missing-only` takes the place of the usual tokens: NA is Namibia then."""

    reading = ("--missing-only", "?")
    missing = ("?",)
    pandas = {"na_values": ["?"], "keep_default_na": False}
    kinds = {"country": "category"}
    x = hidden()

    def table(self):
        countries = holed(np.where(self.x > 0, "NA", "DE"), token="?")
        return csv_bytes({"a": texts(self.x), "country": countries})

    def check(self, done: Outcome) -> None:
        done.among("country", ["NA", "DE"])
        assert "NA" in done.imputed("country")


class NegativeToken(Kind):
    """`--missing -999` is understood, though it begins with a dash; the cells are filled."""

    reading = ("--missing", "-999")
    settings = {"missing_values": -999}
    missing = ("", "-999")
    pandas = {}
    ways = ("command",)
    kinds = {"c": "continuous"}
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "c": holed(texts(8 + self.x), token="-999")})

    def check(self, done: Outcome) -> None:
        done.within("c", 2, 14)


class TokenOfOneColumn(Kind):
    """`--missing COL=TOKEN` is about one column: 0 is missing in `pressure` and a count in `children`."""

    reading = ("--missing", "pressure=0")
    ways = ("command",)
    missing = ("",)
    x = hidden()

    def table(self):
        children = np.clip(np.round(1 + self.x), 0, 5).astype(int)
        pressure = holed(texts(120 + 8 * self.x, "{:.0f}"), token="0")
        return csv_bytes({**plain(self.x), "pressure": pressure, "children": holed(children.astype(str), 5)})

    def is_missing(self, name: str, cell: object) -> bool:
        return cell == "" or (name, cell) == ("pressure", "0")

    def check(self, done: Outcome) -> None:
        done.within("pressure", 80, 160)
        done.among("children", list("012345"))


class OddTextsAmongNumbers(Kind):
    """A few odd texts leave a column of numbers one: they are named, stay as they are, and `--missing` is offered."""

    says = (r"titre", r"<5|see note", r"--missing")
    kinds = {"titre": "continuous"}
    ways = ("command",)
    x = hidden(300)

    def table(self):
        titre = holed(texts(50 + 10 * self.x))
        for row, odd in ((20, "<5"), (60, "<5"), (100, "see note"), (140, "pending")):
            titre[row] = odd
        return csv_bytes({**plain(self.x), "titre": titre})

    def check(self, done: Outcome) -> None:
        done.near("titre", 50 + 10 * self.x, error=3)


class OddTextsThatAreMissing(Kind):
    """With `--missing` for them, the odd texts are filled."""

    reading = ("--missing", "<5,see note")
    missing = ("", "<5", "see note")
    pandas = {"na_values": ["<5", "see note"]}
    kinds = {"titre": "continuous"}
    hushes = (r"odd",)
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "titre": holed(texts(50 + 10 * self.x), token=("", "<5", "see note"))})

    def check(self, done: Outcome) -> None:
        done.near("titre", 50 + 10 * self.x, error=3)


class Sentinel(Kind, base=True):
    """Numbers that stand for a missing cell."""

    sentinel = "-999"
    x = hidden(300)

    def table(self):
        age = holed(texts(np.clip(45 + 12 * self.x, 18, 88), "{:.0f}"), share=0.1)
        age = holed(age, 7, share=0.06, token=self.sentinel)
        return csv_bytes({**plain(self.x), "age": age})


class Sentinel999(Sentinel):
    """-999, far outside and repeated, is reported with the option that makes it missing."""

    says = (r"age", r"-999", r"missing")


class Sentinel9999(Sentinel):
    """9999, far outside and repeated, is reported with the option that makes it missing."""

    sentinel = "9999"
    says = (r"age", r"9999", r"missing")


class Sentinel99(Sentinel):
    """99 among the 1 to 5 of a questionnaire is reported with the option that makes it missing."""

    says = (r"answer", r"99", r"missing")

    def table(self):
        answer = holed(np.clip(np.round(3 + self.x), 1, 5).astype(int).astype(str), share=0.1)
        return csv_bytes({**plain(self.x), "answer": holed(answer, 7, share=0.06, token="99")})


class SentinelNobodyKnows(Sentinel):
    """12345 is no usual code, but repeated and far outside: it is reported too."""

    sentinel = "12345"
    says = (r"age", r"12345", r"missing")


class SentinelMadeMissing(Sentinel):
    """A sentinel that is declared for its column is filled with possible ages, and nothing is said of it any more."""

    reading = ("--missing", "age=-999")
    pandas = {"na_values": {"age": ["-999"]}}
    missing = ("", "-999")
    hushes = (r"stand for|sentinel",)

    def check(self, done: Outcome) -> None:
        done.within("age", 0, 110)
        done.near("age", np.clip(45 + 12 * self.x, 18, 88), error=5)


class SentinelOnce(Kind):
    """A lone -999 among ages is named."""

    says = (r"age", r"-999")
    x = hidden(300)

    def table(self):
        age = holed(texts(np.clip(45 + 12 * self.x, 18, 88), "{:.0f}"), share=0.1)
        age[7] = "-999"
        return csv_bytes({**plain(self.x), "age": age})


class FarOnce(Kind):
    """A cell far out is named: column, value and row."""

    ways = ("command",)
    says = (r"row 8 has `age` = 1900, \d+ deviations from the middle", r"the fit takes it to be much nearer")
    x = hidden(300)

    def table(self):
        age = holed(texts(np.clip(45 + 12 * self.x, 18, 88), "{:.0f}"), share=0.1)
        age[7] = "1900"
        return csv_bytes({**plain(self.x), "age": age})


class GroupedLikeAToken(Kind):
    """Under `--missing 9999`, 9.999 is an observed number and stays; 9999 is filled."""

    reading = ("--missing", "c=9999")
    ways = ("command",)
    missing = ("", "9999")
    number = "9.999"
    x = hidden()

    def table(self):
        c = holed(texts(8 + self.x, "{:.3f}"), share=0.1, token="9999")
        where = [i for i, cell in enumerate(c) if cell != "9999"][3:60:7]
        return csv_bytes({**plain(self.x), "c": [self.number if i in where else cell for i, cell in enumerate(c)]})

    def check(self, done: Outcome) -> None:
        assert done.before["c"].count(self.number) >= 8, "the table has none of them"
        done.within("c", 0, 20)


class NegativeLikeAToken(GroupedLikeAToken):
    """Under `--missing -9999`, -9.999 stays."""

    reading = ("--missing", "c=-9999")
    number = "-9.999"
    missing = ("",)

    def table(self):
        return super().table().replace(b"9999", b"")


class GroupedLikeATokenWithCommas(Kind):
    """The same with decimal commas: 9,999 stays under `--missing 9999`."""

    reading = ("--missing", "c=9999")
    ways = ("command",)
    delimiter = ";"
    missing = ("", "9999")
    x = hidden()

    def table(self):
        c = holed([cell.replace(".", ",") for cell in texts(8 + self.x, "{:.3f}")], share=0.1, token="9999")
        c = ["9,999" if i % 7 == 3 and cell != "9999" else cell for i, cell in enumerate(c)]
        return csv_bytes({"a": [cell.replace(".", ",") for cell in texts(self.x, "{:.2f}")], "c": c}, ";")

    def check(self, done: Outcome) -> None:
        assert done.before["c"].count("9,999") >= 8, "the table has none of them"


class StandsIn(Kind, base=True):
    """Labels some of which stand for missing cells."""

    ways = ("command",)
    label = "unknown"
    x = hidden(300)

    def table(self):
        answer = holed(np.where(self.x > 0, "hi", "lo").tolist(), share=0.1)
        return csv_bytes({**plain(self.x), "answer": holed(answer, 7, share=0.12, token=self.label)})


class UnknownAmongLabels(StandsIn):
    """`unknown` among labels is reported with the option that makes it missing."""

    says = (r"`unknown` \(\d+\) may stand for missing", r"--missing 'answer=unknown'")


class DontKnowAmongLabels(StandsIn):
    """`Don't know` is reported, with an option that a shell understands."""

    label = "Don't know"
    says = (r"may stand for missing", r'--missing "answer=Don\'t know"')


class CodeAmongLabels(StandsIn):
    """-999 among hi and lo is reported."""

    label = "-999"
    says = (r"`-999` \(\d+\) may stand for missing", r"--missing 'answer=-999'")


class RefusedAmongScores(StandsIn):
    """One to five with 12 % `refused` are named as numbers that are text because of it."""

    says = (r"numbers", r"refused", r"--missing 'answer=refused'")

    def table(self):
        answer = holed(np.clip(np.round(3 + self.x), 1, 5).astype(int).astype(str), share=0.1)
        return csv_bytes({**plain(self.x), "answer": holed(answer, 7, share=0.14, token="refused")})


class StatesAmongLabels(Kind):
    """ND among states, and an answer that is no word for missing cells, are labels, of which nothing is said."""

    ways = ("command",)
    hushes = (r"stand for missing",)
    x = hidden(300)

    def table(self):
        states = [["ND", "SD", "NE", "KS", "MN", "IA"][int(abs(5 * value)) % 6] for value in self.x]
        votes = np.where(self.x > 0.5, "yes", np.where(self.x < -0.5, "no", "undecided")).tolist()
        return csv_bytes({**plain(self.x), "state": holed(states), "vote": holed(votes, 4)})


class NoSentinel(Kind):
    """99 points out of 100 and a lone large number are not reported as sentinels."""

    hushes = (r"stand for|sentinel|looks like a missing",)
    x = hidden(300)

    def table(self):
        points = holed(np.clip(np.round(80 + 15 * self.x), 0, 99).astype(int).astype(str), share=0.15)
        income = texts(np.exp(8 + 0.8 * self.x + 0.1 * noise(300)), "{:.0f}")
        return csv_bytes({**plain(self.x), "points": points, "income": holed(income, 4)})

    def check(self, done: Outcome) -> None:
        done.within("points", 0, 99)


class NoneAsAnAnswer(Kind):
    """Tokens that may be an answer are not lost in silence: the summary says that `none` was taken for missing."""

    ways = ("command",)
    missing = ("", "none")
    says = (r"none",)
    x = hidden(300)

    def table(self):
        drinks = np.where(self.x > 0.3, "wine", np.where(self.x < -0.3, "beer", "none"))
        return csv_bytes({**plain(self.x), "drinks": holed(drinks, share=0.1)})
