"""Distributions of observed and imputed cells, by column."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import num2date

from .._engine import DataError
from ._canvas import IMPUTED, OBSERVED, SLANTED, legend, panels, scale, short, tidy
from ._columns import Column, Sheet, imputed_cells, label_text

_MOST_PANELS = 16
_MOST_BARS = 12
_CURVE_POINTS = 400


def densities(
    table: Any, completed: Any, columns: Sequence[Any] | None = None, *, ax: Axes | None = None
) -> Any:
    """Plot the distributions of observed and imputed cells, by column.

    Numbers and times have curves: one for the observed cells, and one for the imputed cells of each completed
    table. Categories, and whole numbers of at most 12 values, have bars: the share of each among the observed
    cells and among the imputed ones, with a dot for each completed table if there are several. The two
    distributions may differ for good reason: missing cells are often unlike the observed ones.

    Parameters
    ----------
    table : matrix or table
        The table before it was completed.
    completed : matrix or table, or list of them
        One or several completed tables, such as from `PSDImputer.impute`.
    columns : sequence of names or positions, or None, default=None
        The columns to draw; None is those that were completed, at most the 16 with most missing cells.
    ax : Axes or None, default=None
        The axes to draw on; None is a new figure.

    Returns
    -------
    Figure, or ``ax``
    """
    sheet = Sheet.with_gaps(table)
    done = sheet.completed(completed)
    filled = np.all([sheet.was_completed(one) for one in done], axis=0) & ~sheet.missing.all(axis=0)
    names = sheet.chosen(columns, filled, _MOST_PANELS)
    without = [name for name in names if not filled[sheet.names.index(name)]]
    if without or not names:
        raise DataError(f"no missing cell was completed in {', '.join(without) or 'any column'}")
    drawn, axes = panels(len(names), ax)
    for name, panel in zip(names, axes):
        column = sheet.column(name)
        _panel(panel, column, [imputed_cells(column, one) for one in done])
    legend(drawn, {"observed": OBSERVED, "imputed": IMPUTED})
    return drawn


def _panel(ax: Axes, column: Column, imputed: list[np.ndarray]) -> None:
    observed = column.observed
    values = np.unique(np.concatenate([observed, *imputed]))
    whole = column.kind == "number" and len(values) <= _MOST_BARS and bool((values == np.round(values)).all())
    if column.kind == "category" or whole or len(values) == 1:
        _bars(ax, column.kind, observed, imputed)
    else:
        _curves(ax, observed, imputed)
        scale(ax.xaxis, column.kind)
    ax.set_xlabel(short(column.name, 40))
    tidy(ax)


# Curves


def _curves(ax: Axes, observed: np.ndarray, imputed: list[np.ndarray]) -> None:
    edges = np.linspace(*_range(np.concatenate([observed, *imputed])), _CURVE_POINTS + 1)
    least = _bandwidth(observed)
    strength = max(0.25, 1 / np.sqrt(len(imputed)))
    for cells in imputed:
        curve = _curve(cells, edges, max(_bandwidth(cells), least))
        ax.plot(*curve, color=IMPUTED, alpha=strength, linewidth=1.3)
    x, y = _curve(observed, edges, least)
    ax.fill_between(x, y, color=OBSERVED, alpha=0.12, linewidth=0)
    ax.plot(x, y, color=OBSERVED, linewidth=2)
    ax.set_ylim(bottom=0)
    ax.set_yticks([])
    ax.set_ylabel("density")


def _range(cells: np.ndarray) -> tuple[float, float]:
    """Return the range of the cells, without outliers far beyond the others."""
    least, low, high, greatest = np.quantile(cells, [0, 0.01, 0.99, 1])
    if low == high:
        return least, greatest
    return max(least, low - (high - low) / 2), min(greatest, high + (high - low) / 2)


def _bandwidth(cells: np.ndarray) -> float:
    """Bandwidth by Silverman's rule, from the interquartile range if it is smaller. Zero if all cells are equal."""
    quarter, three_quarters = np.quantile(cells, [0.25, 0.75])
    spreads = [spread for spread in (cells.std(), (three_quarters - quarter) / 1.349) if spread > 0]
    return 0.9 * min(spreads, default=0.0) * len(cells) ** -0.2


def _curve(cells: np.ndarray, edges: np.ndarray, bandwidth: float) -> tuple[np.ndarray, np.ndarray]:
    """Kernel density at the midpoints of bins, with mass beyond the ends reflected."""
    step = edges[1] - edges[0]
    bandwidth = max(bandwidth, step)
    counts, _ = np.histogram(cells, edges)
    reach = int(np.ceil(4 * bandwidth / step))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / bandwidth) ** 2)
    smooth = np.convolve(np.pad(counts, reach, mode="symmetric"), kernel / kernel.sum(), mode="valid")
    return edges[:-1] + step / 2, smooth / (len(cells) * step)


# Bars


def _bars(ax: Axes, kind: str, observed: np.ndarray, imputed: list[np.ndarray]) -> None:
    labels, shares = _shares(observed, imputed)
    places, of_imputed = np.arange(len(labels)), shares[1:]
    ax.bar(places - 0.2, shares[0], 0.4, color=OBSERVED)
    ax.bar(places + 0.2, of_imputed.mean(axis=0), 0.4, color=IMPUTED)
    if len(imputed) > 1:
        ax.plot(places + 0.2, of_imputed.T, "o", color="black", markersize=3, alpha=0.5, markeredgewidth=0)
    text = (lambda day: f"{num2date(day):%Y-%m-%d}") if kind == "time" else label_text
    texts = [short(text(label), 16) for label in labels]
    ax.set_xticks(places, texts, **(SLANTED if sum(map(len, texts)) > 24 else {}))
    ax.set_xlim(-0.6, len(labels) - 0.4)
    ax.set_ylabel("share")


def _shares(observed: np.ndarray, imputed: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels and their shares among the cells of each array. The rarest of many labels are summed."""
    labels, codes = np.unique(np.concatenate([observed, *imputed]), return_inverse=True)
    ends = np.cumsum([len(cells) for cells in (observed, *imputed)])[:-1]
    counts = [np.bincount(part, minlength=len(labels)) for part in np.split(codes, ends)]
    shares = np.array([count / count.sum() for count in counts])
    if len(labels) > _MOST_BARS:
        order = np.argsort(-shares[0], kind="stable")
        kept, rest = np.sort(order[: _MOST_BARS - 1]), order[_MOST_BARS - 1 :]
        labels = np.append(labels[kept], f"{len(rest)} others")
        shares = np.column_stack([shares[:, kept], shares[:, rest].sum(axis=1)])
    return labels, shares
