"""Files of text: headers, encodings, line ends."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from .kind import Kind
from .outcome import Outcome
from .tables import csv_bytes, csv_text, hidden, holed, plain, texts


class PlainTable(Kind, base=True):
    """A plain table in an unusual file."""

    x = hidden()

    def columns(self) -> dict[str, list[str]]:
        return {**plain(self.x), "town": holed(np.where(self.x > 0, "Köln", "Bonn"), 2)}

    def table(self):
        return csv_bytes(self.columns())

    def check(self, done: Outcome) -> None:
        done.near("b", 5 - self.x, 0.4)
        done.among("town", ["Köln", "Bonn"])


class NoHeader(PlainTable):
    """`--no-header`: the first line is a row, and the completed file has no header either."""

    reading = ("--no-header",)
    header = False
    pandas = {"header": None}

    def table(self):
        return csv_bytes(self.columns(), header=False)

    def check(self, done: Outcome) -> None:
        assert len(done.after["0"]) == len(self.x)
        done.near("1", 5 - self.x, 0.4)


class HeaderLooksLikeData(PlainTable):
    """A first line of numbers is most likely no header: that is said, with the option that reads it as a row."""

    ways = ("command",)
    says = (r"header", r"--no-header")

    def table(self):
        return csv_bytes(self.columns(), header=False)

    def check(self, done: Outcome) -> None:
        pass


class HeaderOfYears(PlainTable):
    """Names that are years are a header."""

    ways = ("command",)
    hushes = (r"--no-header",)

    def table(self):
        years = {str(2018 + k): holed(texts(10 * k + self.x), k) for k in range(4)}
        return csv_bytes({"town": self.columns()["town"], **years})

    def check(self, done: Outcome) -> None:
        done.near("2020", 20 + self.x, 0.4)


class ByteOrderMark(PlainTable):
    """The byte order mark of UTF-8, as Excel writes it, is no part of the first name."""

    encoding = "utf-8-sig"

    def table(self):
        return b"\xef\xbb\xbf" + super().table()

    def check(self, done: Outcome) -> None:
        super().check(done)
        assert list(done.after)[0] == "a"


class Utf16(PlainTable):
    """UTF-16, as Excel's Unicode text, is read."""

    pandas = {"encoding": "utf-16"}

    def table(self):
        return csv_text(self.columns()).encode("utf-16")

    def check(self, done: Outcome) -> None:
        if done.way == "python":
            super().check(done)

    #: The completed file is UTF-8 or UTF-16; both are read.
    ways = ("python",)


class Utf16ByTheCommand(PlainTable):
    """UTF-16 is read by its byte order mark; the completed file is readable text with the same cells."""

    ways = ("command",)
    encoding = "utf-16"

    def table(self):
        return csv_text(self.columns()).encode("utf-16")

    def read_completed(self, path: Path):
        raw = path.read_bytes()
        encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        return self.cells_of(path, encoding)


class Latin1(PlainTable):
    """A file of ISO-8859-1 is not UTF-8: an error that offers `--encoding`."""

    ways = ("command",)
    code = 2
    says = (r"UTF-8", r"--encoding")
    encoding = "latin-1"

    def table(self):
        return csv_text(self.columns()).encode("latin-1")

    def check(self, done: Outcome) -> None:
        pass


class Latin1Asked(Latin1):
    """With `--encoding latin1`, `Köln` is read; the completed file is readable with the same cells."""

    ways = ("command", "python")
    reading = ("--encoding", "latin1")
    pandas = {"encoding": "latin-1"}
    code = 0
    says = ()

    def read_completed(self, path: Path):
        try:
            path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            return self.cells_of(path, "latin-1")
        return self.cells_of(path, "utf-8-sig")

    def check(self, done: Outcome) -> None:
        PlainTable.check(self, done)


class WindowsLines(PlainTable):
    """Lines that end as on Windows do so in the completed file, and no cell has a stray character."""

    def table(self):
        return csv_bytes(self.columns(), newline="\r\n")

    def check(self, done: Outcome) -> None:
        super().check(done)
        if done.way == "command":
            raw = done.completed.read_bytes()
            assert raw.count(b"\r\n") == raw.count(b"\n") == len(self.x) + 1
            assert b"\r\r" not in raw


class QuotedNewlines(PlainTable):
    """A newline within quotes is part of its cell."""

    def columns(self):
        return {"note": [f"line one of {i}\nline two" for i in range(len(self.x))], **super().columns()}


class BlankLines(PlainTable):
    """Blank lines at the end and between rows are no rows of missing cells, or are kept as they were."""

    def table(self):
        lines = csv_text(self.columns()).splitlines()
        lines[50:50] = ["", ""]
        return ("\n".join(lines) + "\n\n\n").encode()


class TrailingDelimiter(PlainTable):
    """A delimiter at the end of every line makes no column that must be imputed."""

    ways = ("command",)
    empty = ("",)

    def table(self):
        return "".join(line + ",\n" for line in csv_text(self.columns()).splitlines()).encode()


class NoNewlineAtTheEnd(PlainTable):
    """The last line counts though it has no end."""

    def table(self):
        return csv_bytes(self.columns()).rstrip(b"\n")


class Tabs(PlainTable):
    """Tabs separate cells."""

    file = "table.tsv"
    delimiter = "\t"
    pandas = {"sep": "\t"}

    def table(self):
        return csv_bytes(self.columns(), "\t")


class Pipes(PlainTable):
    """Bars separate cells, in a file that is called csv."""

    delimiter = "|"
    pandas = {"sep": "|"}

    def table(self):
        return csv_bytes(self.columns(), "|")


class Gzipped(PlainTable):
    """A file that is compressed comes back compressed."""

    file = "table.csv.gz"

    def table(self):
        return gzip.compress(csv_bytes(self.columns()), mtime=0)


class DuplicatedNames(PlainTable):
    """Two columns of the same name are not confused: an error that names them, or both are completed."""

    ways = ("command",)
    code = 2
    says = (r"`a`",)

    def table(self):
        return csv_bytes(self.columns()).replace(b"a,b,town", b"a,a,town", 1)

    def check(self, done: Outcome) -> None:
        assert done.after is None


class NamelessColumn(PlainTable):
    """A column without a name, as pandas writes its index, is kept."""

    ways = ("command",)

    def table(self):
        return csv_bytes({"": [str(i) for i in range(len(self.x))], **self.columns()})


class OddNames(PlainTable):
    """Names with spaces, quotes, newlines and emoji come back as they were."""

    names = ("height in cm ", 'the "b"', "two\nlines 🐟")

    def columns(self):
        return dict(zip(self.names, super().columns().values()))

    def check(self, done: Outcome) -> None:
        assert list(done.after) == list(self.names)
        done.near('the "b"', 5 - self.x, 0.4)


class RaggedRow(PlainTable):
    """A row with a cell too many is an error that names its line; nothing is written."""

    ways = ("command",)
    code = 2
    says = (r"72|71", r"cells|fields")

    def table(self):
        lines = csv_text(self.columns()).splitlines()
        lines[71] += ",9"
        return "\n".join(lines).encode()

    def check(self, done: Outcome) -> None:
        assert done.after is None


class NoTable(PlainTable):
    """Bytes that are no text are an error, not a table of one odd column."""

    ways = ("command",)
    code = 2

    def table(self):
        return bytes(np.random.default_rng(0).integers(0, 256, size=5000, dtype=np.uint8))

    def check(self, done: Outcome) -> None:
        assert done.says("hint:")


class EmptyFile(NoTable):
    """A file without a byte is an error with a hint."""

    def table(self):
        return b""


class HeaderOnly(NoTable):
    """A file with a header and no rows is an error."""

    says = (r"row",)

    def table(self):
        return b"a,b,c\n"

    def check(self, done: Outcome) -> None:
        assert done.after is None


class OldMacLines(PlainTable):
    """Lines that end with a carriage return alone are read as lines, or are an error; never one long row."""

    ways = ("command",)
    code = (0, 2)

    def table(self):
        return csv_bytes(self.columns(), newline="\r")

    def check_cells(self, done: Outcome) -> None:
        assert len(done.completed.read_text(encoding="utf-8").splitlines()) == len(self.x) + 1

    def check(self, done: Outcome) -> None:
        assert done.code == 0 or done.says("hint:")


class TrailingSpacesInLabels(PlainTable):
    """Labels with spaces around them stay byte for byte; that they differ only in spaces is pointed out."""

    ways = ("command",)
    says = (r"town", r"spaces?")

    def columns(self):
        columns = super().columns()
        columns["town"] = [cell + " " * (i % 2) if cell else cell for i, cell in enumerate(columns["town"])]
        return columns

    def check(self, done: Outcome) -> None:
        done.among("town", ["Köln", "Köln ", "Bonn", "Bonn "])
