"""Runs the code of documents, and says where it fails."""

from __future__ import annotations

import re
import traceback
from pathlib import Path
from typing import Any, NamedTuple, Sequence

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs" / "python"


class Block(NamedTuple):
    """A piece of code in a document: its place among the pieces, its first line, and its text."""

    number: int
    line: int
    code: str


FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str, language: str) -> list[Block]:
    """The blocks of a language in a Markdown page, numbered among all blocks from 1."""
    return [
        Block(number, text.count("\n", 0, match.start(2)) + 1, match[2])
        for number, match in enumerate(FENCE.finditer(text), start=1)
        if match[1] == language
    ]


class BlockFailed(AssertionError):
    """A block did not run, or what it asserts does not hold."""


def run(blocks: Sequence[Block], path: Path) -> dict[str, Any]:
    """Runs blocks in order in one namespace, which is returned."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks:
        code = compile("\n" * (block.line - 1) + block.code, str(path), "exec")
        try:
            exec(code, namespace)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            line = [frame.lineno for frame in frames if frame.filename == str(path)][-1]
            raise BlockFailed(
                f"{path.name}, block {block.number}, line {line}: {type(error).__name__}: {error}"
            ) from error
    return namespace
