"""Outcomes of completing a table, and their checks."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from .cells import Cells, of_file, of_frame
from .command import command
from .kind import Kind


@dataclass
class Outcome:
    """The outcome of completing a kind of table in one way.

    Attributes
    ----------
    way : str
        ``command`` or ``python``.
    code : int
        The exit code, or the one that the exception would have.
    said : str
        All messages to the user: standard error; or warnings, notes of the report, the exception.
    before, after : dict of column to cells
        The table and the completed one, by name; text if a text file was read by the command. None where there is none.
    given, completed : object
        The same as the user has them: paths of files, or frames.
    """

    way: str
    kind: Kind
    code: int
    said: str
    before: dict[str, list[Any]] | None = None
    after: dict[str, list[Any]] | None = None
    given: Any = None
    completed: Any = None
    folder: Path = Path()
    #: Return the summary as JSON, and the kinds of the columns.
    ask_json: Callable[[], dict[str, Any]] | None = field(default=None, repr=False)
    ask_kinds: Callable[[], Mapping[str, str]] | None = field(default=None, repr=False)
    #: Python's imputer.
    imputer: Any = field(default=None, repr=False)

    @functools.cached_property
    def json(self) -> dict[str, Any]:
        """The command's summary under ``--json``."""
        assert self.ask_json is not None
        return self.ask_json()

    @functools.cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kinds of the columns."""
        assert self.ask_kinds is not None
        return self.ask_kinds()

    def sample(self, n: int) -> Cells:
        """New rows of the model; the command's must have been saved."""
        if self.way == "python":
            return of_frame(self.imputer.sample(n))
        done = command("sample", self.folder / "model", "-n", n, "-o", self.folder / "sample.parquet")
        assert done.returncode == 0, done.stderr
        return of_file(self.folder / "sample.parquet")

    # Checks of every outcome

    def check(self) -> None:
        """Check the kind's declarations, the requirements on every completed table, and then the kind's own."""
        kind = self.kind
        assert "panicked" not in self.said and "mistake of ours" not in self.said, self.said
        assert self.code in np.atleast_1d(kind.code), f"exit code {self.code}, not {kind.code}:\n{self.said}"
        for wanted in kind.says:
            assert self.says(wanted), f"nothing says {wanted!r}:\n{self.said}"
        for unwanted in kind.hushes:
            assert not self.says(unwanted), f"says {unwanted!r}:\n{self.said}"
        if self.code:
            assert self.after is None, "something was written after an error"
        if self.after is not None:
            kind.check_cells(self)
        if kind.kinds:
            found = {name: self.kinds.get(name) for name in kind.kinds}
            assert found == dict(kind.kinds), self.said
        kind.check(self)

    def check_cells(self) -> None:
        """Observed cells are as they were; the others are filled, unless the kind says that they stay empty."""
        assert self.before is not None and self.after is not None
        assert list(self.after)[: len(self.before)] == list(self.before), list(self.after)
        for name, cells in self.before.items():
            done = self.after[name]
            assert len(done) == len(cells), f"{name}: {len(done)} rows, not {len(cells)}"
            for row, (old, new) in enumerate(zip(cells, done)):
                if not self.kind.is_missing(name, old):
                    assert same(old, new), f"{name}, row {row + 1}: {old!r} became {new!r}"
                elif name in self.kind.empty:
                    assert self.kind.is_missing(name, new) or same(old, new), (
                        f"{name}, row {row + 1}: {new!r} should be empty"
                    )
                else:
                    assert not self.kind.is_missing(name, new), f"{name}, row {row + 1} was not filled:\n{self.said}"
                    assert not lost(new) or new in cells, f"{name}, row {row + 1}: {new!r} is no value"
        self.check_lines()
        for name in self.kind.empty:
            assert self.says(re.escape(name)), f"nothing says that cells of {name} stay empty:\n{self.said}"

    def check_lines(self) -> None:
        """Lines of a text file without a gap are the same to the byte, quotes and all."""
        if self.way == "python" or Path(self.completed).suffix not in (".csv", ".tsv"):
            return
        old, new = (Path(path).read_bytes().split(b"\n") for path in (self.given, self.completed))
        if len(old) != len(new) or self.kind.encoding not in ("utf-8", "utf-8-sig"):
            return
        cells = list(self.before.values())  # type: ignore[union-attr]
        gaps = [any(self.kind.is_missing(n, c[i]) for n, c in self.before.items()) for i in range(len(cells[0]))]  # type: ignore[union-attr]
        if len(old) == len(gaps) + 2:
            for row, gap in enumerate(gaps):
                assert gap or old[row + 1] == new[row + 1], f"row {row + 1}: {old[row + 1]!r} became {new[row + 1]!r}"

    # Questions for the kinds

    def says(self, pattern: str) -> bool:
        """Whether the user was told something of the sort."""
        return re.search(pattern, self.said, re.IGNORECASE | re.DOTALL) is not None

    def imputed(self, name: str) -> list[Any]:
        """The imputed cells of a column; there must be some."""
        assert self.before is not None and self.after is not None
        rows = self.gaps(name)
        assert rows, f"{name} had no gaps"
        return [self.after[name][i] for i in rows]

    def gaps(self, name: str) -> list[int]:
        """The rows at which a column was missing."""
        assert self.before is not None
        return [i for i, cell in enumerate(self.before[name]) if self.kind.is_missing(name, cell)]

    def numbers(self, name: str, read: Callable[[Any], float] = float) -> np.ndarray:
        """The imputed cells as numbers."""
        return np.array([read(cell) for cell in self.imputed(name)])

    def near(
        self, name: str, truth: Sequence[float] | np.ndarray, error: float, read: Callable[[Any], float] = float
    ) -> None:
        """Imputed numbers are off from the truth by no more than this on average."""
        off = np.abs(self.numbers(name, read) - np.asarray(truth, dtype=float)[self.gaps(name)])
        assert off.mean() < error, f"{name} is off by {off.mean():.4g} on average: {self.imputed(name)[:6]}"

    def within(self, name: str, low: float, high: float, read: Callable[[Any], float] = float) -> None:
        """Imputed numbers lie in a range, ends included."""
        found = self.numbers(name, read)
        assert low <= found.min() and found.max() <= high, f"{name}: {found.min()} to {found.max()}"

    def whole(self, name: str) -> None:
        """Imputed numbers are integers, and written as such."""
        for cell in self.imputed(name):
            written = re.fullmatch(r"-?\d+", cell) if isinstance(cell, str) else float(cell).is_integer()
            assert written, f"{name}: {cell!r}"

    def among(self, name: str, labels: Sequence[Any]) -> None:
        """Imputed cells are some of these."""
        strange = {cell for cell in self.imputed(name) if cell not in labels}
        assert not strange, f"{name}: {strange}"

    def looks(self, name: str, pattern: str) -> None:
        """Imputed cells that are text are written in this way."""
        for cell in self.imputed(name):
            assert not isinstance(cell, str) or re.fullmatch(pattern, cell), f"{name}: {cell!r}"

    def agrees(self, name: str, truth: Sequence[Any], share: float) -> None:
        """At least this share of imputed labels is the true one."""
        right = [self.after[name][i] == truth[i] for i in self.gaps(name)]  # type: ignore[index]
        assert np.mean(right) >= share, f"{name}: {np.mean(right):.2f} are right"


def same(old: Any, new: Any) -> bool:
    """Whether a cell is the one it was."""
    if isinstance(old, (list, np.ndarray)):
        return bool(np.array_equal(old, new))
    return type(old) is type(new) and bool(old == new) or (bool(old == new) and not isinstance(old, (str, bool)))


def lost(cell: Any) -> bool:
    """Whether a cell that was filled is still none."""
    if isinstance(cell, str):
        return cell.strip().lower() in ("", "nan", "inf", "-inf", "infinity", "nat", "na", "none", "null", "<na>")
    return isinstance(cell, float) and not np.isfinite(cell)


def parse_json(text: str) -> dict[str, Any]:
    """The one object of a summary."""
    return json.loads(text)


def mode_of(path: Path) -> int:
    """The permissions of a file."""
    return path.stat().st_mode & 0o777
