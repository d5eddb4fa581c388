"""Runs the Python of the pages: `python docs/pages.py [PAGE ...]` writes the outputs and the figures that pages show.

The `python` blocks of a page run in order, in one namespace and in a folder of their own that holds `examples/`. A block of
`output` is what the block before it printed; as in a notebook, the value of its last expression is printed too. A figure is a
PNG file that a block saves; the page shows it from `docs/images`. It needs the packages of `python/tests/requirements.txt`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any, Iterator, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block of a page: its place among all blocks from 1, its first line, its language, its text and where that is."""

    number: int
    line: int
    language: str
    text: str
    span: tuple[int, int]


class BlockFailed(AssertionError):
    """A block did not run, or what it asserts does not hold."""


def all_pages() -> list[Path]:
    """The pages of the site, and the READMEs."""
    return [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """The blocks of a page."""
    return [
        Block(number, text.count("\n", 0, match.start(2)) + 1, match[1], match[2], match.span(2))
        for number, match in enumerate(FENCE.finditer(text), start=1)
    ]


def run(found: list[Block], path: Path) -> Iterator[tuple[Block, str]]:
    """Runs the Python blocks in the current folder. Gives each block of output with what is printed."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for block in found:
        if block.language == "python":
            printed = run_block(block, path, namespace)
        elif block.language == "output":
            yield block, printed


def run_block(block: Block, path: Path, namespace: dict[str, Any]) -> str:
    """Runs one block, and returns what it prints."""
    tree = ast.parse("\n" * (block.line - 1) + block.text, str(path))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            exec(compile(tree, str(path), "exec"), namespace)
            value = eval(compile(ast.Expression(last.value), str(path), "eval"), namespace) if last else None
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            line = [frame.lineno for frame in frames if frame.filename == str(path)][-1]
            place = f"{path.name}, block {block.number}, line {line}"
            raise BlockFailed(f"{place}: {type(error).__name__}: {error}") from error
        if value is not None:
            print(repr(value))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


@contextlib.contextmanager
def workspace() -> Iterator[Path]:
    """A folder that holds `examples/`, as the current one for a while."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "examples", folder / "examples")
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def saved_figures(text: str) -> list[str]:
    """The figures that the Python blocks of a page save."""
    code = "".join(block.text for block in blocks(text) if block.language == "python")
    return re.findall(r'\.savefig\("([^"]+)"', code)


def write(path: Path) -> None:
    """Runs a page and writes its outputs and figures."""
    text = path.read_text(encoding="utf-8")
    with workspace() as folder:
        found = list(run(blocks(text), path))
        for name in saved_figures(text):
            shutil.copy(folder / name, IMAGES / name)
    for block, printed in reversed(found):
        start, end = block.span
        text = text[:start] + printed + text[end:]
    path.write_text(text, encoding="utf-8")


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["savefig.dpi"] = 120
    for path in [Path(name).resolve() for name in sys.argv[1:]] or all_pages():
        if any(block.language == "python" for block in blocks(path.read_text(encoding="utf-8"))):
            print(path.relative_to(ROOT))
            write(path)


if __name__ == "__main__":
    main()
