"""Map of missing cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ._canvas import IMPUTED, PALE, SHARE_MISSING, canvas, legend, name_columns
from ._columns import Sheet

# More rows, or names of columns, are not legible on a page.
_MOST_LINES = 500
_MOST_NAMES = 50


def missingness(table: Any, *, ax: Axes | None = None) -> Any:
    """Plot the map of missing cells: rows downwards, columns across.

    With more than 500 rows, several share a line, coloured by the share of their cells that are missing.

    Parameters
    ----------
    table : matrix or table
        The table with missing cells.
    ax : Axes or None, default=None
        The axes to draw on; None is a new figure.

    Returns
    -------
    Figure, or ``ax``
    """
    sheet = Sheet.with_gaps(table)
    missing = sheet.missing
    rows, width = missing.shape
    shares = _lines(missing)
    drawn, ax = canvas(ax, min(max(4.5, 1.5 + 0.35 * width), 12), 4.5)
    ax.imshow(
        shares, cmap=SHARE_MISSING, vmin=0, vmax=1, aspect="auto", interpolation="none",
        extent=(-0.5, width - 0.5, rows - 0.5, -0.5),
    )
    named = range(0, width, -(-width // _MOST_NAMES))
    name_columns(ax, named, [sheet.names[j] for j in named])
    ax.set_ylabel("row")
    ax.spines[:].set_visible(False)
    share = f"{100 * missing.mean():.3g} %"
    ax.set_title(f"{missing.sum():,} of {missing.size:,} cells are missing ({share})", loc="left")
    legend(drawn, {"observed": PALE, "missing": IMPUTED})
    return drawn


def _lines(missing: np.ndarray) -> np.ndarray:
    """Return the missing share of each line of the map, by column."""
    starts = np.linspace(0, len(missing), min(len(missing), _MOST_LINES) + 1).astype(int)
    return np.add.reduceat(missing, starts[:-1], axis=0, dtype=float) / np.diff(starts)[:, None]
