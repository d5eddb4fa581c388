"""Parts of tables: related columns, missing cells, and files."""

from __future__ import annotations

import csv
import io
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

#: Rows of a table, unless the kind needs more.
ROWS = 160


def hidden(rows: int = ROWS, seed: int = 0) -> np.ndarray:
    """The one quantity that all columns of a table follow, so that imputed cells can be compared with the truth."""
    return np.random.default_rng(seed).normal(size=rows)


def noise(rows: int = ROWS, seed: int = 1) -> np.ndarray:
    """Standard normal noise, another for each seed."""
    return np.random.default_rng(1000 + seed).normal(size=rows)


def gaps(rows: int = ROWS, share: float = 0.2, seed: int = 0) -> np.ndarray:
    """A mask of cells that are missing completely at random."""
    return np.random.default_rng(2000 + seed).random(rows) < share


def holed(cells: Iterable[Any], seed: int = 0, share: float = 0.2, token: Any = "") -> list[Any]:
    """Cells with missing ones replaced by a token, or by several in turn."""
    cells = list(cells)
    tokens = [token] if token is None or isinstance(token, (str, float, int)) else list(token)
    where = gaps(len(cells), share, seed)
    turn = np.cumsum(where) - 1
    return [tokens[turn[i] % len(tokens)] if where[i] else cell for i, cell in enumerate(cells)]


def texts(numbers: Iterable[float], form: str | Callable[[float], str] = "{:.2f}") -> list[str]:
    """Numbers as text."""
    return [form.format(x) if isinstance(form, str) else form(x) for x in numbers]


def plain(x: np.ndarray, seed: int = 90) -> dict[str, list[str]]:
    """Two ordinary columns that nearly determine the hidden one: `a` is complete, `b` has missing cells."""
    rows = len(x)
    a = texts(10 + 3 * x + 0.1 * noise(rows, seed))
    b = holed(texts(5 - x + 0.1 * noise(rows, seed + 1), "{:.3f}"), seed=seed)
    return {"a": a, "b": b}


def csv_text(
    columns: Mapping[str, Sequence[str]], delimiter: str = ",", newline: str = "\n", header: bool = True
) -> str:
    """A CSV file of columns; cells are quoted where they must be."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=newline)
    if header:
        writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def csv_bytes(columns: Mapping[str, Sequence[str]], delimiter: str = ",", **how: Any) -> bytes:
    """The same in UTF-8."""
    return csv_text(columns, delimiter, **how).encode()
