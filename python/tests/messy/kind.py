"""A kind of messy table: how it is made, and what must happen to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Mapping, Sequence

import numpy as np
import pyarrow.parquet

from .cells import Cells, arrow, of_file

if TYPE_CHECKING:
    from .outcome import Outcome

#: All kinds, by name.
KINDS: dict[str, type[Kind]] = {}

#: Seconds that every fit of a small table ends before.
WHOLE = 60.0


class Kind:
    """One kind of messy table. The docstring of a subclass says what must happen.

    A file (bytes) is read by the command itself, and for Python by pandas. A frame (pandas, polars, PyArrow) is given
    to Python as it is, and to the command as a Parquet file.
    """

    #: The name of the file, whose ending says its format.
    file: ClassVar[str] = "table.csv"
    #: The name of the completed file; that of ``file`` unless given.
    output: ClassVar[str | None] = None
    #: Who completes the table.
    ways: ClassVar[Sequence[str]] = ("command", "python")

    #: Arguments of the command that say how to read the table, as `describe` has them too.
    reading: ClassVar[Sequence[str]] = ()
    #: Arguments of `fit` alone, where another table is learned from.
    fitting: ClassVar[Sequence[str]] = ()
    #: Other arguments of the command; {folder} is one for more files.
    arguments: ClassVar[Sequence[str]] = ()
    #: Arguments of pandas' reader.
    pandas: ClassVar[Mapping[str, Any]] = {}
    #: Settings of the imputer.
    settings: ClassVar[Mapping[str, Any]] = {}
    #: Seconds to fit in: so few that only the simplest model is fitted, however busy the machine is; or `WHOLE`.
    budget: ClassVar[float] = 0.001
    #: Whether Python's model goes through a file between `fit` and `transform`: its own one, or one of the command's.
    saved: ClassVar[Literal["", "python", "command"]] = ""

    #: The delimiter of the file, its encoding and whether it has a header, for the test's reader.
    delimiter: ClassVar[str] = ","
    encoding: ClassVar[str] = "utf-8"
    header: ClassVar[bool] = True
    #: Texts that stand for a missing cell.
    missing: ClassVar[Sequence[str]] = ("",)

    #: The exit code: 0 done, 1 wrong usage (SettingError), 2 bad data (DataError or another ValueError);
    #: several if more than one answer is honest.
    code: ClassVar[int | tuple[int, ...]] = 0
    #: Required messages: regular expressions over all messages, ignoring case.
    says: ClassVar[Sequence[str]] = ()
    #: Messages that must not appear.
    hushes: ClassVar[Sequence[str]] = ()
    #: The required kinds of columns.
    kinds: ClassVar[Mapping[str, str]] = {}
    #: Columns whose missing cells stay empty, which must be said.
    empty: ClassVar[Sequence[str]] = ()

    def __init_subclass__(cls, base: bool = False) -> None:
        """Registers the kind, unless it is only the base of others."""
        if base:
            return
        assert cls.__doc__, f"{cls.__name__} does not say what must happen"
        assert cls.__name__ not in KINDS, f"{cls.__name__} is there twice"
        KINDS[cls.__name__] = cls

    def table(self) -> Any:
        """The table to complete: the bytes of a file, or a frame."""
        raise NotImplementedError

    def learned(self) -> Any:
        """The table to learn from, if it is another one."""
        return None

    def write(self, path: Path, table: Any) -> Path:
        """Write a table to the folder of a path; return the input of the command."""
        if isinstance(table, bytes):
            path.write_bytes(table)
            return path
        path = path.with_name(path.name.split(".")[0] + ".parquet")
        pyarrow.parquet.write_table(arrow(table), path)
        return path

    def inputs(self, path: Path) -> list[Path]:
        """The input of the command, if it is not the file that `write` returned."""
        return [path]

    def prepare(self, completed: Path) -> None:
        """Prepare the place where the completed table will be."""

    def cells_of(self, path: Path, encoding: str | None = None) -> Cells:
        """The cells of a file, as the test reads them."""
        return of_file(path, self.delimiter, encoding or self.encoding, self.header)

    def read_completed(self, path: Path) -> Cells:
        """The cells of the completed file."""
        return self.cells_of(path)

    def is_missing(self, name: str, cell: Any) -> bool:
        """Whether a cell of a column is missing."""
        if isinstance(cell, str):
            return cell.strip() in self.missing
        return cell is None or type(cell).__name__ in ("NAType", "NaTType") or bool(np.any(cell != cell))

    def check_cells(self, done: Outcome) -> None:
        """Check the requirements on every completed table; a kind may override them."""
        done.check_cells()

    def check(self, done: Outcome) -> None:
        """Check further requirements on the outcome."""
