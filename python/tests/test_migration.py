"""The blocks of the migration page that are ours run, and what they assert holds."""

from __future__ import annotations

import pytest
from running import DOCUMENTS, Block, blocks, run

for package in ("pandas", "pyarrow", "statsmodels"):
    pytest.importorskip(package)


def test_every_block_that_is_ours() -> None:
    path = DOCUMENTS / "migration.md"
    run(blocks(path.read_text(encoding="utf-8"), "python"), path)


def test_every_section_has_a_block_of_ours() -> None:
    sections = (DOCUMENTS / "migration.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert len(sections) == 6
    assert all(blocks(section, "python") for section in sections)


def test_other_languages_are_not_ours() -> None:
    text = "Text.\n```r\nx <- 1\n```\n\n```python\ny = 2\n```\n```python-peer\nz = 3\n```\n"
    assert blocks(text, "python") == [Block(2, 7, "y = 2\n")]
