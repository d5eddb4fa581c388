"""Writes all messy tables to a folder, to look at: `python -m messy.make FOLDER` in python/tests."""

from __future__ import annotations

import sys
from pathlib import Path

from . import KINDS


def write_all(folder: Path) -> list[Path]:
    """Writes each kind's table to a folder of its name, with a line about what must happen to it."""
    written = []
    for name, kind in KINDS.items():
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        (place / "what-must-happen.txt").write_text((kind.__doc__ or "") + "\n", encoding="utf-8")
        for stem, table in (("learned", kind().learned()), (None, kind().table())):
            if table is None:
                continue
            file = kind.file if stem is None else f"{stem}.{kind.file.split('.', 1)[1]}"
            try:
                written.append(kind().write(place / file, table))
            except Exception as error:  # a frame that no file can hold
                path = place / f"{file.split('.')[0]}.txt"
                path.write_text(f"{table}\n\nno file holds it: {error}\n", encoding="utf-8")
                written.append(path)
    return written


if __name__ == "__main__":
    print(f"{len(write_all(Path(sys.argv[1])))} tables in {sys.argv[1]}")
