"""Labels, booleans and free text."""

from __future__ import annotations

import numpy as np

from .kind import WHOLE, Kind
from .outcome import Outcome
from .tables import csv_bytes, hidden, holed, noise, plain, texts


def three(x: np.ndarray, labels: tuple[str, str, str]) -> list[str]:
    """Three labels, low to high."""
    return [labels[k] for k in np.digitize(x, [-0.5, 0.5])]


class CaseAndSpaces(Kind):
    """Labels that differ only in case or spaces are pointed out."""

    says = (r"Berlin", r"berlin|spaces|case")
    x = hidden()

    def table(self):
        towns = three(self.x, ("Berlin", "Bonn", "Ulm"))
        towns = [["Berlin", "berlin", "Berlin "][i % 3] if town == "Berlin" else town for i, town in enumerate(towns)]
        return csv_bytes({**plain(self.x), "town": holed(towns)})


class YesAndNo(Kind):
    """Yes and no in many spellings, one to a column, are booleans completed with their own spelling."""

    spellings = {
        "a1": ("yes", "no"),
        "a2": ("Y", "N"),
        "a3": ("TRUE", "FALSE"),
        "a4": ("t", "f"),
        "a5": ("1", "0"),
        "a6": ("True", "False"),
    }
    x = hidden()

    def table(self):
        columns = {name: holed(np.where(self.x > 0, *pair), k) for k, (name, pair) in enumerate(self.spellings.items())}
        return csv_bytes({**plain(self.x), **columns})

    def check(self, done: Outcome) -> None:
        for name, pair in self.spellings.items():
            found = {str(cell) for cell in done.imputed(name)}
            assert found <= {*pair} | {"True", "False", "1.0", "0.0"}, found


class YesInManySpellings(Kind):
    """Yes, yes, Y and YES in one column are pointed out as the same."""

    ways = ("command",)
    says = (r"answer", r"YES|case")
    x = hidden(300)

    def table(self):
        yes, no = ("Yes", "yes", "YES"), ("No", "no", "NO")
        return csv_bytes(
            {**plain(self.x), "answer": holed([(yes if v > 0 else no)[i % 3] for i, v in enumerate(self.x)])}
        )


class FreeText(Kind):
    """Remarks stay empty where they are empty, which is said with the number of cells."""

    empty = ("remark",)
    x = hidden()

    def table(self):
        remarks = [f"the patient said that it is {value:.3f} today, case {i}" for i, value in enumerate(self.x)]
        return csv_bytes({**plain(self.x), "remark": holed(remarks)})

    def check(self, done: Outcome) -> None:
        count = len(done.gaps("remark"))
        assert done.says(rf"\b{count} cells?.{{0,40}}remark|remark.{{0,60}}\b{count}\b"), done.said
        if done.way == "command":
            assert any(str(count) in note and "remark" in note for note in done.json["notes"]), done.json["notes"]


class FreeTextStrict(FreeText):
    """With `--strict` (`strict=True`), cells that stay empty are an error, and nothing is written."""

    arguments = ("--strict",)
    settings = {"strict": True}
    code = 2
    says = (r"remark", r"empty|missing")
    empty = ()

    def check(self, done: Outcome) -> None:
        assert done.after is None


class ManyLabels(Kind):
    """More than a thousand labels are allowed: what is imputed is one of those observed, frequent ones more often."""

    x = hidden(6000)
    reading = ("--categorical", "village")
    settings = {"categorical_features": ["village"]}
    kinds = {"village": "category"}

    @staticmethod
    def villages() -> list[str]:
        ranks = np.floor(1400 ** np.random.default_rng(3).random(6000)).astype(int)
        return [f"village {rank:04}" for rank in np.where(np.arange(6000) < 2800, np.arange(6000) // 2 + 1, ranks)]

    def table(self):
        return csv_bytes({**plain(self.x), "village": holed(self.villages(), share=0.1)})

    def check(self, done: Outcome) -> None:
        observed = {cell for cell in done.before["village"] if cell == cell and cell != ""}
        assert len(observed) > 1000
        done.among("village", observed)
        frequent = {f"village {rank:04}" for rank in range(1, 101)}
        shares = [np.mean([cell in frequent for cell in cells]) for cells in (done.imputed("village"), self.villages())]
        assert abs(shares[0] - shares[1]) < 0.12, shares


class Formulas(Kind):
    """Text that a spreadsheet would run, such as `=1+1`, stays byte for byte and is imputed as it is."""

    labels = ("=1+1", "+SUM(A1:A9)", "@cmd|' /C calc'!A0")
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "f": holed(three(self.x, self.labels))})

    def check(self, done: Outcome) -> None:
        done.among("f", self.labels)


class VeryLongCell(Kind):
    """A cell of two hundred thousand characters is read and written whole."""

    x = hidden()

    def table(self):
        notes = [f"note {i} on something" for i in range(len(self.x))]
        notes[40] = "long " * 40_000
        return csv_bytes({**plain(self.x), "note": notes})


class LabelsWithQuotes(Kind):
    """Labels with commas, quotes, newlines and emoji come back as they were."""

    budget = WHOLE
    labels = ('a "quoted", label', "two\nlines", "naïve 🐟 日本語")
    kinds = {"q": "category"}
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "q": holed(three(self.x, self.labels))})

    def check(self, done: Outcome) -> None:
        done.among("q", self.labels)
        done.agrees("q", three(self.x, self.labels), 0.7)


class LabelSeenOnce(Kind):
    """A label that was seen once is a label, and does not take over."""

    x = hidden()

    def table(self):
        cells = holed(three(self.x, ("S", "M", "L")))
        cells[next(i for i, cell in enumerate(cells) if cell)] = "XXL"
        return csv_bytes({**plain(self.x), "size": cells})

    def check(self, done: Outcome) -> None:
        done.among("size", ["S", "M", "L", "XXL"])
        assert done.imputed("size").count("XXL") < 5


class ConstantLabel(Kind):
    """A column with one label is completed with it."""

    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "country": holed(["DE"] * len(self.x))})

    def check(self, done: Outcome) -> None:
        done.among("country", ["DE"])


class Couples(Kind):
    """Husbands are not imputed to women, who are wives, nor wives to men."""

    budget = WHOLE
    x = hidden(400)

    def table(self):
        rng = np.random.default_rng(8)
        sex = np.where(rng.random(400) < 0.5, "woman", "man")
        married = rng.random(400) < 0.6
        role = np.where(married, np.where(sex == "woman", "wife", "husband"), "single")
        return csv_bytes({**plain(self.x), "sex": holed(sex, 1), "role": holed(role, 2)})

    def check(self, done: Outcome) -> None:
        pairs = list(zip(done.after["sex"], done.after["role"]))
        both = set(done.gaps("sex")) & set(done.gaps("role"))
        wrong = [i for i, pair in enumerate(pairs) if pair in (("woman", "husband"), ("man", "wife")) and i not in both]
        assert len(wrong) <= 3, [pairs[i] for i in wrong]


class NumbersAndWords(Kind):
    """1 to 5 beside words such as `often`, half and half, are labels: what is imputed is one of those observed."""

    x = hidden()

    def table(self):
        answers = [["1", "2", "never", "often", "5"][k] for k in np.digitize(self.x, [-1, -0.3, 0.3, 1])]
        return csv_bytes({**plain(self.x), "answer": holed(answers)})

    def check(self, done: Outcome) -> None:
        done.among("answer", ["1", "2", "never", "often", "5"])


class NumbersAsCategories(Kind):
    """Codes 1, 2 and 9 that are asked to be categories are completed with 1, 2 or 9 only."""

    reading = ("--categorical", "ward")
    settings = {"categorical_features": ["ward"]}
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "ward": holed(three(self.x, ("1", "2", "9")))})

    def check(self, done: Outcome) -> None:
        assert set(done.numbers("ward")) <= {1, 2, 9}


class IdentifiersAlone(Kind):
    """Keys that name the rows are left as they are, and gaps among them stay, which is said."""

    empty = ("key",)
    x = hidden()

    def table(self):
        return csv_bytes(
            {"key": holed([f"P{7919 * i % 100_000:05}" for i in range(len(self.x))], share=0.05), **plain(self.x)}
        )


class CollinearLabels(Kind):
    """A label that is a function of another is completed by it."""

    budget = WHOLE
    x = hidden(300)

    def table(self):
        town = three(self.x, ("Ulm", "Bonn", "Wien"))
        country = ["AT" if t == "Wien" else "DE" for t in town]
        return csv_bytes({"v": texts(noise(300)), "town": town, "country": holed(country)})

    def check(self, done: Outcome) -> None:
        done.agrees("country", ["AT" if t == "Wien" else "DE" for t in three(self.x, ("Ulm", "Bonn", "Wien"))], 0.9)
