"""Pages with measured numbers: prose above a line, and below it what a script writes."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "python"


def write_numbers(name: str, numbers: str) -> None:
    """Replaces everything below the line that says which script writes it."""
    line = f"<!-- Below this line python/benchmarks/{name}.py writes. -->"
    path = FOLDER / f"{name}.md"
    prose, found, _ = path.read_text(encoding="utf-8").partition(line)
    if not found:
        raise SystemExit(f"{path} has no line {line}")
    path.write_text(f"{prose}{line}\n\n{numbers}", encoding="utf-8")
    print(f"wrote {path}")
