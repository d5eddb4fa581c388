"""Scatter plots of pairs of columns."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from matplotlib.axes import Axes

from .._engine import DataError, SettingError
from ._canvas import IMPUTED, OBSERVED, Drawing, legend, scale, short, tidy
from ._columns import Column, Sheet

_MOST_COLUMNS = 5
_MOST_POINTS = 2000


def pairs(
    table: Any, completed: Any, columns: Sequence[Any] | None = None, *, ax: Axes | None = None
) -> Any:
    """Plot each pair of numeric columns, one against the other.

    Rows with both cells observed have one colour, rows with an imputed cell another. At most 2000 rows of each
    are drawn, chosen at random with a fixed seed.

    Parameters
    ----------
    table : matrix or table
        The table before it was completed.
    completed : matrix or table, or list of them
        One or several completed tables, of which the first is drawn.
    columns : sequence of names or positions, or None, default=None
        The columns of numbers or times to draw; None is the five with most missing cells.
    ax : Axes or None, default=None
        The axes to draw on, for exactly two columns; None is a new figure.

    Returns
    -------
    Figure, or ``ax``
    """
    sheet = Sheet.with_gaps(table)
    done = sheet.completed(completed)[0]
    kinds = np.array([sheet.column(name).kind for name in sheet.names])
    drawable = (kinds != "category") & ~sheet.missing.all(axis=0) & np.isin(sheet.names, done.names)
    names = sheet.chosen(columns, drawable, _MOST_COLUMNS)
    for name in names:
        if not drawable[sheet.names.index(name)]:
            raise DataError(f"column `{name}` has no numbers or times to draw")
    if len(names) < 2:
        raise DataError(f"a pair needs two columns of numbers or times, but there is {len(names)}")
    columns = [done.column(name) for name in names]
    gaps = [sheet.column(name).missing for name in names]
    drawn, places = _triangle(len(names), ax)
    for (i, j), panel in places.items():
        _scatter(panel, columns[j], columns[i], gaps[j] | gaps[i])
        if i == len(names) - 1:
            panel.set_xlabel(short(names[j]))
        if j == 0:
            panel.set_ylabel(short(names[i]))
    legend(drawn, {"observed": OBSERVED, "imputed": IMPUTED}, marker="o")
    return drawn


def _triangle(count: int, ax: Axes | None) -> tuple[Any, dict[tuple[int, int], Axes]]:
    """Return the result and the panel of each pair, with the greater column first."""
    if ax is not None:
        if count != 2:
            raise SettingError(f"`ax` holds one pair, not {count} columns\nhint: choose two with `columns`")
        return ax, {(1, 0): ax}
    side = count - 1
    figure = Drawing(figsize=(max(2.4 * side, 4.0) + 0.4, max(2.2 * side, 3.2) + 0.4), layout="constrained")
    grid = figure.subplots(side, side, sharex="col", sharey="row", squeeze=False)
    for i, j in zip(*np.triu_indices(side, 1)):
        grid[i, j].remove()
    return figure, {(int(i) + 1, int(j)): grid[i, j] for i, j in zip(*np.tril_indices(side))}


def _scatter(ax: Axes, x: Column, y: Column, was_missing: np.ndarray) -> None:
    known = ~x.missing & ~y.missing
    for rows, colour in ((known & ~was_missing, OBSERVED), (known & was_missing, IMPUTED)):
        drawn = np.flatnonzero(rows)
        if len(drawn) > _MOST_POINTS:
            drawn = np.random.default_rng(0).choice(drawn, _MOST_POINTS, replace=False)
        strength = 0.7 if len(drawn) <= 500 else 0.4
        dots: dict[str, Any] = {"s": 9, "color": colour, "alpha": strength, "linewidths": 0, "rasterized": True}
        ax.scatter(x.values[drawn], y.values[drawn], **dots)
    for column, axis in ((x, ax.xaxis), (y, ax.yaxis)):
        scale(axis, column.kind)
    tidy(ax)
