"""The blocks of the page of limits run, and what they assert holds."""

from __future__ import annotations

import pytest
from running import DOCUMENTS, blocks, run

for package in ("pandas", "pyarrow"):
    pytest.importorskip(package)


def test_every_block() -> None:
    path = DOCUMENTS / "limits.md"
    found = blocks(path.read_text(encoding="utf-8"), "python")
    assert len(found) == 12
    run(found, path)
