"""Every Python block of every page runs, prints what the page shows, and saves the figures that it shows."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))

from pages import IMAGES, ROOT, BlockFailed, all_pages, blocks, run, saved_figures, workspace

pytest.importorskip("matplotlib").use("Agg")
for package in ("pandas", "polars", "pyarrow", "statsmodels"):
    pytest.importorskip(package)

TEXTS = {path: path.read_text(encoding="utf-8") for path in all_pages()}
PAGES = [path for path, text in TEXTS.items() if any(block.language == "python" for block in blocks(text))]


def words(text: str) -> list[str]:
    """A text without its spaces, and without its numbers, whose last digits depend on the machine."""
    return re.sub(r"-?\d+(\.\d+)?(e[-+]\d+)?", "#", text).replace("-", "").split()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block(path: Path) -> None:
    text = TEXTS[path]
    with workspace() as folder:
        for block, printed in run(blocks(text), path):
            assert words(block.text) == words(printed), f"{path.name}, line {block.line}: run docs/pages.py"
        figures = {found.name for found in folder.glob("*.png")}
    assert figures == set(saved_figures(text))
    assert all(f"images/{name})" in text for name in figures)


def test_every_image_is_made_by_a_page() -> None:
    made = [name for text in TEXTS.values() for name in saved_figures(text)]
    assert sorted(made) == sorted(path.name for path in IMAGES.iterdir())


def test_the_pages_with_python_are_found() -> None:
    found = {str(path.relative_to(ROOT)) for path in PAGES}
    assert found >= {"README.md", "python/README.md", "docs/how-it-works.md", "docs/python/tutorial.md", "docs/python/limits.md"}


def test_every_other_imputer_has_a_block_of_ours() -> None:
    sections = TEXTS[ROOT / "docs" / "python" / "migration.md"].split("\n## ")[1:]
    assert len(sections) == 6
    assert all(any(block.language == "python" for block in blocks(section)) for section in sections)


def test_a_failure_names_its_block_and_line() -> None:
    text = "Text.\n```r\nx <- 1\n```\n\n```python\nx = 1\n```\n```python-peer\nz\n```\n\n```python\ny = 2\nassert x == y, 'they differ'\n```\n"
    with pytest.raises(BlockFailed, match=r"made-up.md, block 4, line 15: AssertionError: they differ"):
        list(run(blocks(text), Path("made-up.md")))


def test_outputs_are_compared_without_numbers() -> None:
    text = "```python\nprint('a', 1.25)\n-3\n```\n\n```output\na   1.3\n#\n```\n"
    [(block, printed)] = run(blocks(text), Path("made-up.md"))
    assert printed == "a 1.25\n-3\n"
    assert words(block.text) == words(printed) != words("b 1.25\n-3")
