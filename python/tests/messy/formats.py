"""Files of other formats, several files, and the outputs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from .outcome import Outcome, mode_of
from .tables import holed, plain
from .text_files import PlainTable


class Workbook(PlainTable):
    """The first sheet of an Excel workbook is a table, and comes back as one: numbers as numbers, dates as dates."""

    file = "table.xlsx"

    def table(self):
        book = openpyxl.Workbook()
        sheet = book.active
        columns = self.columns()
        days = pd.Timestamp("2020-07-01") + pd.to_timedelta(np.round(100 * self.x), unit="D")
        sheet.append([*columns, "day"])
        for a, b, town, day in zip(*columns.values(), holed(days.to_pydatetime(), 3, token=None)):
            sheet.append([float(a), float(b) if b else None, town or None, day])
        out = io.BytesIO()
        book.save(out)
        return out.getvalue()

    def check(self, done: Outcome) -> None:
        super().check(done)
        for cell in done.imputed("day"):
            assert 2018 <= cell.year <= 2022


class JsonLines(PlainTable):
    """JSON, an object a line, is a table, and comes back as one; null and absent keys are missing."""

    file = "table.jsonl"

    def table(self):
        lines = []
        for i, (a, b, town) in enumerate(zip(*self.columns().values())):
            record = {"a": float(a), "b": float(b) if b else None, "town": town or None}
            lines.append({k: v for k, v in record.items() if v is not None or i % 2})
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


class SeveralFiles(PlainTable):
    """Several files of the same columns are one table."""

    ways = ("command",)

    def write(self, path: Path, table: bytes) -> Path:
        head, *rows = table.decode().splitlines(keepends=True)
        for k, part in enumerate((rows[:60], rows[60:100], rows[100:])):
            path.with_name(f"part-{k}.csv").write_text(head + "".join(part), encoding="utf-8")
        path.write_bytes(table)
        return path

    def inputs(self, path: Path) -> list[Path]:
        return sorted(path.parent.glob("part-*.csv"))


class ParquetFolder(PlainTable):
    """A folder of Parquet files is one table."""

    ways = ("command",)
    file = "table.parquet"

    def table(self):
        numbers = {name: [float(c) if c else None for c in cells] for name, cells in plain(self.x).items()}
        return pa.table({**numbers, "town": [c or None for c in self.columns()["town"]]})

    def write(self, path: Path, table: pa.Table) -> Path:
        path = super().write(path, table)
        folder = path.with_name("parts")
        folder.mkdir()
        for k, (start, stop) in enumerate(((0, 60), (60, 100), (100, 160))):
            pyarrow.parquet.write_table(table.slice(start, stop - start), folder / f"part-{k}.parquet")
        return path

    def inputs(self, path: Path) -> list[Path]:
        return [path.with_name("parts")]


class UnknownEnding(PlainTable):
    """An output name with an unknown ending is refused, not written as CSV; the known endings are named."""

    ways = ("command",)
    output = "completed.sav"
    code = 1
    says = (r"\.sav", r"csv", r"parquet")

    def check(self, done: Outcome) -> None:
        assert not done.completed.exists()


class PrivateFile(PlainTable):
    """Overwriting a file that only its owner can read leaves it so."""

    ways = ("command",)

    def prepare(self, completed: Path) -> None:
        completed.write_text("old", encoding="utf-8")
        completed.chmod(0o600)

    def check(self, done: Outcome) -> None:
        super().check(done)
        assert mode_of(done.completed) == 0o600
        assert [path.name for path in done.completed.parent.iterdir()] == [done.completed.name]


class InPlace(PlainTable):
    """Completing a table into its own file, which would lose what was missing, is refused."""

    ways = ("command",)
    code = 1
    says = (r"read from", r"hint:")

    def inputs(self, path: Path) -> list[Path]:
        return [path.parent / "completed" / path.name]

    def prepare(self, completed: Path) -> None:
        completed.write_bytes(self.table())

    def check(self, done: Outcome) -> None:
        assert done.completed.read_bytes() == self.table()


class IndicatorOfATakenName(PlainTable):
    """`--indicator` with a column that already has the indicator's name does not write two of one name in silence."""

    ways = ("command",)
    arguments = ("--indicator",)
    code = (0, 1, 2)

    def columns(self):
        return {**super().columns(), "b_missing": ["no"] * len(self.x)}

    def check_cells(self, done: Outcome) -> None:
        head = done.completed.read_text(encoding="utf-8").splitlines()[0].split(",")
        assert len(set(head)) == len(head), head

    def check(self, done: Outcome) -> None:
        assert done.code == 0 or done.says("b_missing")


class WorkbookWithErrors(PlainTable):
    """#N/A and #DIV/0! of a workbook are missing cells, not labels; booleans and numbers stay what they are."""

    file = "table.xlsx"

    def table(self):
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.append(["a", "b", "town", "yes"])
        for i, (a, b, town) in enumerate(zip(*self.columns().values())):
            sheet.append([float(a), float(b) if b else None, town or None, bool(self.x[i] > 0)])
            if not b:
                cell = sheet.cell(row=i + 2, column=2, value="#N/A" if i % 2 else "#DIV/0!")
                cell.data_type = "e"
        out = io.BytesIO()
        book.save(out)
        return out.getvalue()

    missing = ("", "#N/A", "#DIV/0!")

    pandas = {"na_values": ["#DIV/0!"]}


class WorkbookOfSeveralSheets(PlainTable):
    """Of a workbook with several sheets the first is read, and that is said."""

    ways = ("command",)
    file = "table.xlsx"
    says = (r"sheet", r"first table")

    def table(self):
        book = openpyxl.Workbook()
        book.active.title = "first table"
        for name in ("first table", "other"):
            sheet = book[name] if name in book.sheetnames else book.create_sheet(name)
            sheet.append(list(self.columns()))
            for a, b, town in zip(*self.columns().values()):
                sheet.append([float(a), float(b) if b else None, town or None])
        out = io.BytesIO()
        book.save(out)
        return out.getvalue()


class JsonOfMixedTypes(PlainTable):
    """A key with numbers in some lines and words in others is not mixed in silence."""

    ways = ("command",)
    file = "table.jsonl"
    code = (0, 2)
    says = (r"`?b`?",)

    def table(self):
        lines = [
            {"a": float(a), "b": ("word" if i % 2 else float(b)) if b else None}
            for i, (a, b, _) in enumerate(zip(*self.columns().values()))
        ]
        return "".join(json.dumps(line) + "\n" for line in lines).encode()

    def check_cells(self, done: Outcome) -> None:
        for name, cells in done.before.items():
            for old, new in zip(cells, done.after[name]):
                assert old is None or old == new and type(old) is type(new), (name, old, new)

    def check(self, done: Outcome) -> None:
        pass


class FilesOfOtherColumns(SeveralFiles):
    """Files whose columns differ are an error that names the file, or are matched by name, never by position."""

    code = (0, 2)

    def write(self, path: Path, table: bytes) -> Path:
        path = super().write(path, table)
        part = path.with_name("part-1.csv")
        lines = [line.split(",") for line in part.read_text(encoding="utf-8").splitlines()]
        part.write_text("".join(",".join((b, a, town)) + "\n" for a, b, town in lines), encoding="utf-8")
        return path

    def check_cells(self, done: Outcome) -> None:
        done.check_cells()

    def check(self, done: Outcome) -> None:
        assert done.code == 0 or done.says(r"part-1\.csv")
