"""Patterns of missing cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ._canvas import IMPUTED, OBSERVED, SHARE_MISSING, canvas, name_columns
from ._columns import Sheet

# Number of patterns shown separately; the rest are summed.
_MOST_PATTERNS = 20


def patterns(table: Any, *, ax: Axes | None = None) -> Any:
    """Plot the patterns of missing cells, their numbers of rows, and the missing share of each column.

    A line is a pattern, the most frequent first. Patterns beyond the 20th share the last line, coloured by the
    missing shares of the columns in their rows. Columns without a missing cell are left out.

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
    gaps = np.flatnonzero(missing.any(axis=0))
    shares, counts, labels = _lines(missing[:, gaps])
    lines, width = shares.shape
    drawn, ax = canvas(ax, min(max(5.5, 2.5 + 0.45 * width), 14), 2.4 + 0.26 * lines)
    ax.pcolormesh(shares, cmap=SHARE_MISSING, vmin=0, vmax=1, edgecolors="white", linewidth=1.5)
    ax.set(xlim=(0, width), ylim=(lines, 0))
    name_columns(ax, np.arange(width) + 0.5, [sheet.names[j] for j in gaps])
    ax.set_yticks(np.arange(lines) + 0.5, labels)
    _bare(ax)
    _rows_beside(ax, counts)
    _shares_above(ax, missing[:, gaps].mean(axis=0))
    return drawn


def _lines(missing: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the missing share by column, the number of rows and the label of each line."""
    # Rows are packed into bytes, so that each is compared as a whole.
    packed = np.ascontiguousarray(np.packbits(missing, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))
    shares, counts = missing[first[order]].astype(float), counts[order]
    labels = [f"{of} missing" if of else "complete" for of in shares[:_MOST_PATTERNS].sum(axis=1).astype(int)]
    others = len(counts) - _MOST_PATTERNS
    if others > 0:
        rest = counts[_MOST_PATTERNS:]
        mean = rest @ shares[_MOST_PATTERNS:] / rest.sum()
        shares = np.vstack([shares[:_MOST_PATTERNS], mean])
        counts = np.append(counts[:_MOST_PATTERNS], rest.sum())
        labels.append(f"{others:,} other patterns" if others > 1 else "1 other pattern")
    return shares, counts, labels


def _rows_beside(ax: Axes, counts: np.ndarray) -> None:
    beside = ax.inset_axes((1.02, 0, 0.3, 1), sharey=ax)
    bars = beside.barh(np.arange(len(counts)) + 0.5, counts, height=0.7, color=OBSERVED)
    beside.bar_label(bars, [f"{count:,}" for count in counts], padding=3, fontsize="small")
    beside.set(xlabel="rows", xlim=(0, 2.2 * counts.max()), xticks=[])
    beside.tick_params(labelleft=False)
    _bare(beside)


def _shares_above(ax: Axes, shares: np.ndarray) -> None:
    above = ax.inset_axes((0, 1.02, 1, max(0.25, 1.5 / (len(ax.get_yticks()) + 1))), sharex=ax)
    bars = above.bar(np.arange(len(shares)) + 0.5, shares, width=0.7, color=IMPUTED)
    texts, upright = [f"{100 * share:.2g} %" for share in shares], len(shares) > 12
    above.bar_label(bars, texts, padding=2, fontsize="small", rotation=90 if upright else 0)
    above.set(ylabel="missing", ylim=(0, (1.6 if upright else 1.25) * shares.max()), yticks=[])
    above.tick_params(labelbottom=False)
    _bare(above)


def _bare(ax: Axes) -> None:
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
