"""The tutorial runs, and what it asserts holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from running import DOCUMENTS, Block, BlockFailed, run

pytest.importorskip("matplotlib").use("Agg")
for package in ("pandas", "polars", "pyarrow", "statsmodels"):
    pytest.importorskip(package)


def cells(text: str) -> list[Block]:
    """The code cells of a notebook in jupytext's percent format, numbered among all cells from 1."""
    found: list[Block] = []
    starts = [match.start() for match in re.finditer(r"^# %%", text, re.MULTILINE)]
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)]), start=1):
        cell = text[start:end]
        if not cell.startswith("# %% [markdown]"):
            found.append(Block(number, text.count("\n", 0, start) + 1, cell))
    return found


def test_every_cell_of_the_tutorial() -> None:
    path = DOCUMENTS / "tutorial.py"
    namespace = run(cells(path.read_text(encoding="utf-8")), path)
    assert namespace["done"].null_count().sum_horizontal().item() == 0


def test_a_failure_names_its_cell_and_line() -> None:
    text = "# %% [markdown]\n# Two lines.\n# %%\nx = 1\n\n# %%\ny = 2\nassert x == y, 'they differ'\n"
    assert [(cell.number, cell.line) for cell in cells(text)] == [(2, 3), (3, 6)]
    with pytest.raises(BlockFailed, match=r"made-up.py, block 3, line 8: AssertionError: they differ"):
        run(cells(text), Path("made-up.py"))
