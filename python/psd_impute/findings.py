"""Warnings about a table that is fitted."""

from __future__ import annotations

from typing import Iterator, Sequence

from .frames import Frame


def findings(frame: Frame, empty: Sequence[int], kept: bool) -> Iterator[str]:
    """Yield warnings about a table, besides the engine's notes about its columns."""
    yield from _without_a_cell(frame, empty, kept)
    for j, name in enumerate(frame.names):
        found = [text for text in frame.tokens(j) if text != frame.sentinel]
        if found:
            shown = ", ".join(map(repr, found[:5]))
            yield (
                f"column `{name}`: cells that hold {shown} count as missing, and are completed\n"
                "hint: give the label another name if it is an answer"
            )


def _without_a_cell(frame: Frame, empty: Sequence[int], kept: bool) -> Iterator[str]:
    if not kept and empty:
        names = ", ".join(frame.names[j] for j in empty)
        yield f"no cell of {names} is observed: skipped, and not in what transform gives\nhint: keep_empty_features=True keeps it"
    others = [frame.names[j] for j in empty if not frame.is_number(j)]
    if kept and others:
        yield f"no cell of {', '.join(others)} is observed, and the dtype is no number: the cells stay missing"
