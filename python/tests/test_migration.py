"""The blocks of the migration page that are ours run, and what they assert holds."""

from __future__ import annotations

import re

import pytest
from running import DOCUMENTS, Block, run

for package in ("pandas", "pyarrow", "statsmodels"):
    pytest.importorskip(package)

FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str, language: str) -> list[Block]:
    """The blocks of a language in a Markdown page, numbered among all blocks from 1."""
    return [
        Block(number, text.count("\n", 0, match.start(2)) + 1, match[2])
        for number, match in enumerate(FENCE.finditer(text), start=1)
        if match[1] == language
    ]


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
