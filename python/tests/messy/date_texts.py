"""Dates, times of day and durations as text."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np

from .kind import Kind
from .outcome import Outcome
from .tables import csv_bytes, hidden, holed, plain


def days(x: np.ndarray, spread: float = 200) -> list[dt.date]:
    """Dates about the middle of 2020 that follow a column."""
    return [dt.date(2020, 7, 1) + dt.timedelta(days=round(spread * value)) for value in x]


class Dates(Kind, base=True):
    """Dates in one form. In Python's frames they are text, unless pandas is told to parse them."""

    form = "%Y-%m-%d"
    x = hidden()
    truth = days(x)
    pandas = {"parse_dates": ["day"]}
    kinds = {"day": "date"}

    def cells(self):
        return [day.strftime(self.form) for day in self.truth]

    def table(self):
        return csv_bytes({**plain(self.x), "day": holed(self.cells())})

    def read(self, cell: object) -> float:
        if isinstance(cell, str):
            return dt.datetime.strptime(cell, self.form).toordinal()
        return cell.toordinal()  # type: ignore[attr-defined]

    def check(self, done: Outcome) -> None:
        """Real dates, written in the same form, near the true ones."""
        done.near("day", [day.toordinal() for day in self.truth], 40, self.read)


class IsoDates(Dates):
    """2020-01-31 is a date, and real dates are imputed."""


class DayFirst(Dates):
    """31/01/2020 shows that days come first; imputed dates are written in that order."""

    form = "%d/%m/%Y"
    pandas = {"parse_dates": ["day"], "dayfirst": True}


class MonthFirst(Dates):
    """01/31/2020 shows that months come first; imputed dates are written in that order."""

    form = "%m/%d/%Y"


class AmbiguousDates(Dates):
    """01/02/2020, with no day above the twelfth, is not read one way or the other: the order is asked for."""

    form = "%d/%m/%Y"
    ways = ("command",)
    truth = [dt.date(2010 + (i * 7) % 12, 1 + i % 12, 1 + (i * 5) % 12) for i in range(160)]
    says = (r"day", r"month", r"--dates")
    kinds = {}
    empty = ("day",)

    def check(self, done: Outcome) -> None:
        pass


class AmbiguousDatesAsked(AmbiguousDates):
    """With `--dates mdy` the order is known, and imputed dates are written in it."""

    form = "%m/%d/%Y"
    reading = ("--dates", "mdy")
    says = ()
    empty = ()

    def check(self, done: Outcome) -> None:
        done.within("day", dt.date(2005, 1, 1).toordinal(), dt.date(2026, 1, 1).toordinal(), self.read)


class DatesWithDots(Dates):
    """31.01.2020 is a date."""

    form = "%d.%m.%Y"
    pandas = {"parse_dates": ["day"], "date_format": "%d.%m.%Y"}


class CompactDates(Dates):
    """20200131 is a date or names something; it is never a number that gives 20200496."""

    form = "%Y%m%d"
    pandas = {"parse_dates": ["day"], "date_format": "%Y%m%d"}


class CompactDatesWithOddCells(CompactDates):
    """A few cells of 20200131's kind that are no dates, such as 20209999 or 0, are named and stay; dates are imputed."""

    ways = ("command",)
    says = (r"`day`.{0,60}not dates", r"20209999", r"--missing")

    def cells(self):
        cells = super().cells()
        return [["20209999", "0"][i % 2] if i % 31 == 7 else cell for i, cell in enumerate(cells)]


class CompactDatesWithPoints(CompactDates):
    """`20200131.0`, as programs write integers with gaps among them, is a date, and imputed dates are written alike."""

    ways = ("command",)
    form = "%Y%m%d.0"


class CompactTimestamps(Dates):
    """20200131143000 is not completed as a number, which would be no time: its gaps stay empty, which is said."""

    ways = ("command",)
    form = "%Y%m%d143000"
    kinds = {}
    empty = ("day",)
    says = (r"`day` stay empty.{0,40}dates",)

    def check(self, done: Outcome) -> None:
        pass


class CompactDayFirst(CompactTimestamps):
    """31012020, of which some have lost their zero in front, is not completed as a number."""

    form = "%d%m%Y"

    def cells(self):
        return [cell.lstrip("0") for cell in super().cells()]


class CompactDatesInPython(Dates):
    """Integers such as 20200131 in a frame are not completed with what is no date."""

    ways = ("python",)
    form = "%Y%m%d"
    pandas = {"dtype": {"day": "Int64"}}
    kinds = {}

    def read(self, cell: object) -> float:
        return dt.datetime.strptime(str(cell), self.form).toordinal()


class MonthNames(Dates):
    """31 Jan 2020 is a date."""

    form = "%d %b %Y"
    pandas = {"parse_dates": ["day"], "date_format": "%d %b %Y"}


class Timestamps(Dates):
    """2020-01-31 14:30 is a time, imputed to the minute."""

    form = "%Y-%m-%d %H:%M"
    kinds = {"day": "time"}

    def cells(self):
        start = dt.datetime(2020, 7, 1, 12, 0)
        return [(start + dt.timedelta(minutes=round(200 * 1440 * value))).strftime(self.form) for value in self.x]


class TimestampsWithZone(Dates):
    """2020-01-31T14:30:00Z is a time in UTC, and imputed ones say so."""

    form = "%Y-%m-%dT%H:%M:%SZ"
    kinds = {"day": "time"}

    def cells(self):
        start = dt.datetime(2020, 7, 1, 12, 0)
        return [(start + dt.timedelta(minutes=round(200 * 1440 * value))).strftime(self.form) for value in self.x]


class ImpossibleDate(Kind):
    """2020-02-30 among dates is named, not learned: an error, or the other cells are dates."""

    ways = ("command",)
    code = (0, 2)
    says = (r"2020-02-30",)
    x = hidden(300)

    def table(self):
        cells = holed([day.isoformat() for day in days(self.x)])
        cells[next(i for i, cell in enumerate(cells) if cell)] = "2020-02-30"
        return csv_bytes({**plain(self.x), "day": cells})

    def check(self, done: Outcome) -> None:
        for cell in done.imputed("day") if done.code == 0 else ():
            dt.date.fromisoformat(cell)


class Years(Kind):
    """Years are integers, imputed between those observed."""

    kinds = {"year": "integer"}
    x = hidden()
    truth = np.round(2000 + 6 * x).astype(int)

    def table(self):
        return csv_bytes({**plain(self.x), "year": holed(self.truth.astype(str))})

    def check(self, done: Outcome) -> None:
        done.near("year", self.truth, 2)
        done.whole("year")


class TimesOfDay(Kind):
    """14:30 is a time of day: imputed ones are between 00:00 and 23:59 and near the true ones."""

    ways = ("command",)
    x = hidden()
    truth = [round(13 * 60 + 90 * value) for value in x]

    def table(self):
        return csv_bytes({**plain(self.x), "at": holed([f"{m // 60:02}:{m % 60:02}" for m in self.truth])})

    def check(self, done: Outcome) -> None:
        done.looks("at", r"([01]\d|2[0-3]):[0-5]\d")
        done.near("at", self.truth, 30, lambda cell: int(cell[:2]) * 60 + int(cell[3:]))


class Durations(Kind):
    """1:23:45 and 27:05:00 are durations: imputed ones are positive and near the true ones."""

    ways = ("command",)
    x = hidden()
    truth = [round(80000 + 20000 * value) for value in x]

    def table(self):
        cells = [f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}" for s in self.truth]
        return csv_bytes({**plain(self.x), "took": holed(cells)})

    def check(self, done: Outcome) -> None:
        done.looks("took", r"\d+:[0-5]\d:[0-5]\d")
        done.near(
            "took", self.truth, 6000, lambda cell: sum(60**k * int(p) for k, p in enumerate(cell.split(":")[::-1]))
        )


class MonthsOfYears(Kind):
    """2020-01 is a month: what is imputed is a month that there is."""

    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "month": holed([day.strftime("%Y-%m") for day in days(self.x, 60)])})

    def check(self, done: Outcome) -> None:
        for cell in done.imputed("month"):
            assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", cell), cell


class MixedDateForms(Kind):
    """Dates of two forms in one column are not mixed up: the column is left, which is said."""

    ways = ("command",)
    x = hidden()

    def table(self):
        forms = ["%Y-%m-%d", "%d/%m/%Y"]
        cells = [day.strftime(forms[i % 2]) for i, day in enumerate(days(self.x))]
        return csv_bytes({**plain(self.x), "day": holed(cells, share=0.1)})

    empty = ("day",)


class SentinelDates(Kind):
    """9999-12-31, repeated among dates of 2020, is reported with the option that makes it missing."""

    says = (r"until", r"9999-12-31", r"missing")
    ways = ("command",)
    x = hidden(300)

    def table(self):
        cells = holed([day.isoformat() for day in days(self.x)], share=0.1)
        return csv_bytes({**plain(self.x), "until": holed(cells, 7, share=0.06, token="9999-12-31")})


class TwoDigitYears(Kind):
    """31/12/99 is not completed with what is no date: it is a date, or left, which is said."""

    ways = ("command",)
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "day": holed([day.strftime("%d/%m/%y") for day in days(self.x)])})

    def check_cells(self, done: Outcome) -> None:
        for old, new in zip(done.before["day"], done.after["day"]):
            assert new == old if old else new == "" or dt.datetime.strptime(new, "%d/%m/%y"), (old, new)
        assert "" not in done.after["day"] or done.says("day")


class ClockOfTwelveHours(Kind):
    """2:30 PM is in the afternoon: imputed times keep AM and PM, or the column is left, which is said."""

    ways = ("command",)
    x = hidden()
    truth = [round(13 * 60 + 90 * value) for value in x]

    def table(self):
        cells = [f"{(m // 60 - 1) % 12 + 1}:{m % 60:02} {'PM' if m >= 720 else 'AM'}" for m in self.truth]
        return csv_bytes({**plain(self.x), "at": holed(cells)})

    def check_cells(self, done: Outcome) -> None:
        for old, new in zip(done.before["at"], done.after["at"]):
            assert new == old if old else new == "" or re.fullmatch(r"\d+:\d\d [AP]M", new), (old, new)
        assert "" not in done.after["at"] or done.says(r"`?at`?")


class OffsetsOfSummerTime(Kind):
    """Times with +01:00 in winter and +02:00 in summer stay real times."""

    ways = ("command",)
    x = hidden()

    def table(self):
        cells = [
            f"{day.isoformat()}T12:{i % 60:02}:00+0{2 if 3 < day.month < 11 else 1}:00"
            for i, day in enumerate(days(self.x))
        ]
        return csv_bytes({**plain(self.x), "when": holed(cells)})

    def check_cells(self, done: Outcome) -> None:
        for old, new in zip(done.before["when"], done.after["when"]):
            assert new == old if old else new == "" or dt.datetime.fromisoformat(new).tzinfo is not None, (old, new)
        assert "" not in done.after["when"] or done.says("when")


class Quarters(Kind):
    """2020Q1 is a label: what is imputed was observed."""

    x = hidden()
    quarters = [f"2020Q{k + 1}" for k in np.digitize(x, [-0.7, 0, 0.7])]

    def table(self):
        return csv_bytes({**plain(self.x), "quarter": holed(self.quarters)})

    def check(self, done: Outcome) -> None:
        done.among("quarter", ["2020Q1", "2020Q2", "2020Q3", "2020Q4"])


class OldDates(Kind):
    """Dates before 1970 and before 1900 are dates."""

    kinds = {"born": "date"}
    ways = ("command",)
    x = hidden()
    truth = [dt.date(1890, 3, 1) + dt.timedelta(days=round(9000 * value)) for value in x]

    def table(self):
        return csv_bytes({**plain(self.x), "born": holed([day.isoformat() for day in self.truth])})

    def check(self, done: Outcome) -> None:
        done.near(
            "born", [day.toordinal() for day in self.truth], 2500, lambda cell: dt.date.fromisoformat(cell).toordinal()
        )


class YearMonths(Kind):
    """201601 is a month or a label: 201654 is not imputed."""

    x = hidden(200, 3)

    def table(self):
        cells = [f"{int(2010 + 3 * value)}{1 + i % 12:02}" for i, value in enumerate(self.x)]
        return csv_bytes({**plain(self.x), "month": holed(cells)})

    def check_cells(self, done: Outcome) -> None:
        filled = [cell for cell in done.imputed("month") if not self.is_missing("month", cell)]
        assert all(1 <= int(float(cell)) % 100 <= 12 for cell in filled), filled
        assert len(filled) == len(done.gaps("month")) or done.says("month")


class UnixTimes(Kind):
    """Seconds since 1970 are integers, imputed among those observed."""

    kinds = {"stamp": "integer"}
    x = hidden()

    def table(self):
        return csv_bytes({**plain(self.x), "stamp": holed([f"{1_600_000_000 + int(1e6 * v)}" for v in self.x])})

    def check(self, done: Outcome) -> None:
        done.near("stamp", 1.6e9 + 1e6 * self.x, 3e5)
        done.whole("stamp")


class OtherDigits(Kind, base=True):
    """Dates of digits in forms that are not completed: no number that is no date is ever imputed."""

    ways = ("command",)
    form = "%y%m%d"
    empty = ("day",)
    x = hidden(300)

    def table(self):
        return csv_bytes({**plain(self.x), "day": holed([day.strftime(self.form) for day in days(self.x)])})


class YearMonthDayOfSixDigits(OtherDigits):
    """200131 is left alone, which is said."""


class DayMonthYearOfSixDigits(OtherDigits):
    """310120 is left alone, which is said."""

    form = "%d%m%y"


class DatesWithHours(OtherDigits):
    """2020013112 is left alone, which is said."""

    form = "%Y%m%d12"


class CountsOfSixDigits(Kind):
    """Six digits that are a date only by chance are completed."""

    kinds = {"c": "integer"}
    x = hidden(300)

    def table(self):
        return csv_bytes({**plain(self.x), "c": holed([f"{500_000 + 100_000 * value:.0f}" for value in self.x])})


class ClocksOfDigits(Kind):
    """1359 may be a time of day: that numbers are imputed is said."""

    ways = ("command",)
    says = (r"look like times of day", r"--ignore")
    x = hidden(300)

    def table(self):
        minutes = [int(np.clip(720 + 200 * value, 0, 1439)) for value in self.x]
        return csv_bytes({**plain(self.x), "at": holed([str(m // 60 * 100 + m % 60) for m in minutes])})


class DatesInTwoOrders(Kind):
    """31/01/2020 and 01/31/2020 in one column are named as dates that are not written in one way."""

    ways = ("command",)
    says = (r"look like dates that are not all written in one way",)
    empty = ("day",)
    x = hidden(300)

    def table(self):
        cells = [day.strftime(["%d/%m/%Y", "%m/%d/%Y"][i % 2]) for i, day in enumerate(days(self.x))]
        return csv_bytes({**plain(self.x), "day": holed(cells)})


class DatesInTwoOrdersThatRepeat(DatesInTwoOrders):
    """The same where dates come back so often that they may be labels."""

    empty = ()

    def table(self):
        cells = [day.strftime(["%d/%m/%Y", "%m/%d/%Y"][i % 2]) for i, day in enumerate(days(np.round(6 * self.x), 3))]
        return csv_bytes({**plain(self.x), "day": holed(cells)})
