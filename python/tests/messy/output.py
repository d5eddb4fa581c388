"""Imputed values that can be true."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd

from .kind import WHOLE, Kind
from .outcome import Outcome
from .tables import csv_bytes, gaps, hidden, holed, noise, plain, texts


class Positive(Kind, base=True):
    """A column whose ends the data respect."""

    budget = WHOLE
    x = hidden(300)
    low, high = 0.0, np.inf

    def values(self) -> list[str]:
        raise NotImplementedError

    def table(self):
        return csv_bytes({**plain(self.x), "c": holed(self.values())})

    def check(self, done: Outcome) -> None:
        done.within("c", self.low, self.high)


class Lognormal(Positive):
    """Incomes stay positive without being told."""

    def values(self):
        return texts(np.exp(0.9 * self.x + 0.3 * noise(300)), "{:.3f}")


class Counts(Positive):
    """Counts with many zeros stay whole numbers from zero up."""

    def values(self):
        return np.random.default_rng(5).poisson(np.exp(0.8 * self.x)).astype(str).tolist()

    def check(self, done: Outcome) -> None:
        super().check(done)
        done.whole("c")


class Shares(Positive):
    """Shares stay between 0 and 1."""

    high = 1.0

    def values(self):
        return texts(1 / (1 + np.exp(-2.5 * self.x - 0.3 * noise(300))), "{:.3f}")


class SharesByMean(Shares):
    """Means of shares stay between 0 and 1 too."""

    arguments = ("--method", "mean")
    settings = {"method": "mean"}


class LognormalByMean(Lognormal):
    """Means of incomes stay positive too."""

    arguments = ("--method", "mean")
    settings = {"method": "mean"}


class IntegerWithALowerEnd(Kind):
    """Means of a count from 1 up are at least 1, and within the interval of the same cell."""

    arguments = ("--method", "mean", "--intervals", "{folder}/intervals.csv")
    settings = {"method": "mean"}
    budget = WHOLE
    x = hidden(300)

    def table(self):
        visits = 1 + np.random.default_rng(6).poisson(np.exp(1.5 * self.x - 1))
        return csv_bytes({**plain(self.x), "visits": holed(visits.astype(str))})

    def check(self, done: Outcome) -> None:
        done.within("visits", 1, 1000)
        if done.way == "python":
            cells = done.imputer.conditional(done.given)["visits"]
            inside = (cells.quantiles[:, 0] <= cells.mean + 0.5) & (cells.mean <= cells.quantiles[:, 1] + 0.5)
            assert cells.quantiles.min() >= 1 and cells.median.min() >= 1 and inside.mean() > 0.95
            return
        with open(done.folder / "intervals.csv", encoding="utf-8") as file:
            cells = [cell for cell in csv.DictReader(file) if cell["column"] == "visits"]
        assert len(cells) == len(done.gaps("visits"))
        for cell in cells:
            mean, median, low, high = (float(cell[name]) for name in ("mean", "median", "q2.5", "q97.5"))
            assert 1 <= low <= median <= high and mean >= 1, cell


class BoundsNone(Kind):
    """`--bounds none` switches the ends off that the data respect."""

    ways = ("command",)
    arguments = ("--bounds", "none")
    x = hidden(300)

    def table(self):
        return csv_bytes({**plain(self.x), "c": holed(texts(np.abs(self.x + 0.4 * noise(300)), "{:.3f}"), share=0.4)})

    def check(self, done: Outcome) -> None:
        assert min(done.numbers("c")) < 0, "an end of zero still holds"
        assert all("ends" not in column for column in done.json["columns"]), done.json["columns"]


class BoundsAsked(Kind):
    """Bounds that are asked for hold."""

    arguments = ("--bounds", "c=0:2")
    settings = {"bounds": {"c": (0, 2)}}
    x = hidden(300)

    def table(self):
        return csv_bytes({**plain(self.x), "c": holed(texts(np.clip(1 + 0.8 * self.x, 0, 2), "{:.3f}"))})

    def check(self, done: Outcome) -> None:
        done.within("c", 0, 2)


class OftenZero(Kind):
    """An amount that is often zero is imputed as zero as often, at 8,000 rows too."""

    rows = 8000
    #: Enough for mixtures in both spaces.
    budget = 1.5

    def amounts(self, age: np.ndarray) -> np.ndarray:
        latent = -0.35 + 0.01 * (age - 45) + noise(self.rows, 3)
        return np.where(latent > 0, np.exp(4 + 0.5 * noise(self.rows, 4) + latent), 0)

    def table(self):
        age = np.round(45 + 15 * hidden(self.rows))
        city = np.random.default_rng(9).choice(["A", "B", "C", "D"], self.rows)
        amount = holed(texts(self.amounts(age)), share=0.25)
        return csv_bytes({"age": texts(age, "{:.0f}"), "city": city.tolist(), "amount": amount})

    def check(self, done: Outcome) -> None:
        observed = np.mean([float(cell) == 0 for cell in done.before["amount"] if not self.is_missing("amount", cell)])
        imputed = np.mean(done.numbers("amount") == 0)
        assert abs(imputed - observed) < 0.04, (
            f"{imputed:.3f} of imputed cells are zero, {observed:.3f} of observed ones"
        )
        done.within("amount", 0, 1e6)


class AlternatingRows(Kind):
    """40,000 rows that alternate between two arms: imputed cells of each arm are like that arm's."""

    rows = 40_000
    budget = WHOLE

    def table(self):
        rng = np.random.default_rng(12)
        treated = np.arange(self.rows) % 2 == 0
        y = np.where(treated, 50, 10) + rng.normal(size=self.rows)
        arm = np.where(treated, "treated", "control")
        return csv_bytes({"arm": holed(arm, 1, 0.05), "y": holed(texts(y), 2, 0.05)})

    def check(self, done: Outcome) -> None:
        y = np.array([float(cell) for cell in done.after["y"]])
        treated = np.array(done.after["arm"]) == "treated"
        even = np.arange(self.rows) % 2 == 0
        alone = np.isin(np.arange(self.rows), done.gaps("y")) & ~np.isin(np.arange(self.rows), done.gaps("arm"))
        assert abs(y[alone & even].mean() - 50) < 3 and abs(y[alone & ~even].mean() - 10) < 3
        arms = np.isin(np.arange(self.rows), done.gaps("arm")) & ~np.isin(np.arange(self.rows), done.gaps("y"))
        assert np.mean(treated[arms] == even[arms]) > 0.95


class Extrapolated(Kind):
    """Cells imputed where the column was never observed, as for the babies of `boys`, are reported."""

    x = hidden(400)
    says = (r"volume.{0,80}(never|hardly ever) observed",)

    def table(self):
        age = np.linspace(0.1, 20, 400)
        height = 50 + 6.5 * age + 3 * noise(400)
        volume = np.clip(np.round(1.9 * (age - 8) + noise(400, 2)), 1, 25)
        seen = (age > 10) & ~gaps(400, 0.3, 9)
        cells = [f"{v:.0f}" if ok else "" for v, ok in zip(volume, seen)]
        return csv_bytes({"age": texts(age), "height": texts(height, "{:.1f}"), "volume": cells})

    def check(self, done: Outcome) -> None:
        done.within("volume", -10, 60)


class ManyTables(Kind):
    """`-m 3` writes three tables, which agree on observed cells and differ on others."""

    ways = ("command",)
    arguments = ("-m", "3")
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "c": holed(texts(self.x + noise()))})

    def check(self, done: Outcome) -> None:
        tables = [done.completed.with_name(f"table.{k}.csv") for k in (1, 2, 3)]
        assert len({path.read_bytes() for path in tables}) == 3


class SmallIntegersSampled(Kind):
    """New rows of a column of 8-bit integers are within 0 to 255: -19 does not become 237."""

    x = hidden(300)
    arguments = ("--save-model", "{folder}/model")

    def table(self):
        pixels = np.clip(np.round(12 + 14 * self.x), 0, 255).astype("uint8")
        return pd.DataFrame({"a": self.x, "pixel": pd.array(holed(pixels.tolist(), token=None), dtype="UInt8")})

    def check(self, done: Outcome) -> None:
        observed = [cell for cell in done.before["pixel"] if not self.is_missing("pixel", cell)]
        done.within("pixel", 0, 255)
        sampled = done.sample(500)["pixel"]
        assert len(sampled) == 500 and 0 <= min(sampled) and max(sampled) < 1.5 * max(observed), (
            min(sampled),
            max(sampled),
        )


class SignedBytesSampled(SmallIntegersSampled):
    """New rows of signed 8-bit integers near their end are within -128 to 127."""

    def table(self):
        cells = np.clip(np.round(110 + 9 * self.x), -128, 127).astype("int8")
        return pd.DataFrame({"a": self.x, "pixel": pd.array(holed(cells.tolist(), token=None), dtype="Int8")})

    def check(self, done: Outcome) -> None:
        done.within("pixel", -128, 127)
        sampled = done.sample(500)["pixel"]
        assert -128 <= min(sampled) and min(sampled) > 50 and max(sampled) <= 127, (min(sampled), max(sampled))
