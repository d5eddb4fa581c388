"""Observed cells against their predictions from the other cells of their rows."""

from __future__ import annotations

import numbers
from typing import Any, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.dates import date2num
from sklearn.utils import check_random_state

from .._engine import DataError, SettingError
from ..cells import CellDistribution
from ._canvas import IMPUTED, OBSERVED, SLANTED, legend, panels, scale, short, tidy
from ._columns import Sheet, label_text

_MOST_PANELS = 16
_MOST_LABELS = 12
_SHADES = LinearSegmentedColormap.from_list("share", ["white", OBSERVED])


def over_imputation(
    imputer: Any,
    table: Any,
    columns: Sequence[Any] | None = None,
    level: float = 0.9,
    max_cells: int = 500,
    random_state: Any = 0,
    *,
    ax: Axes | None = None,
) -> Any:
    """Plot observed cells, removed one at a time, against their predictions from the other cells of the row.

    For a number or time, the predictive median and an interval at `level` are drawn over the observed value; if
    the model is right, the share `level` of the intervals contain it and cross the diagonal. For a category, the
    most probable label is counted against the observed one.

    Rows that the model was fitted to are predicted too well, especially by donors, which contain them. To judge
    predictions, give held-out rows.

    Parameters
    ----------
    imputer : PSDImputer
        A fitted imputer.
    table : table of the kind that the imputer was fitted to
        The rows to predict.
    columns : sequence of names or positions, or None, default=None
        The columns to draw; None is those modelled, at most the 16 with most missing cells.
    level : float, default=0.9
        The probability of an interval.
    max_cells : int, default=500
        The maximum number of cells over all columns; each column has an equal share, chosen at random.
    random_state : int, RandomState or None, default=0
        The seed of the choice of cells.
    ax : Axes or None, default=None
        The axes to draw on; None is a new figure.

    Returns
    -------
    Figure, or ``ax``
    """
    if not 0 < level < 1:
        raise SettingError(f"level is {level!r}, but must be between 0 and 1")
    if imputer._model is None:
        raise SettingError("nothing was learned from a table without a cell\nhint: fit one with cells")
    sheet = Sheet(imputer._frame(table, fitting=False).data, imputer._names)
    modelled = np.array([column["role"] == "modelled" for column in imputer._model.columns()])
    names = sheet.chosen(columns, modelled & ~sheet.missing.all(axis=0), _MOST_PANELS)
    if not names:
        raise DataError("no column is modelled and has observed cells")
    random = check_random_state(random_state)
    share = max(1, max_cells // len(names))
    judged = [_judge(imputer, sheet, name, level, share, random) for name in names]
    drawn, axes = panels(len(names), ax, 3.4, 3.2)
    for panel, (kind, observed, said) in zip(axes, judged):
        if said.probabilities is None:
            _intervals(panel, kind, observed, said)
        else:
            _confusion(panel, observed, said)
    if any(said.probabilities is None for _, _, said in judged):
        legend(drawn, {f"inside its {100 * level:g} % interval": OBSERVED, "outside": IMPUTED})
    return drawn


def _judge(
    imputer: Any, sheet: Sheet, name: str, level: float, most: int, random: np.random.RandomState
) -> tuple[str, np.ndarray, CellDistribution]:
    """Return the kind of a column, some observed cells, and the prediction of each from the rest of its row."""
    column = sheet.column(name)
    rows = np.flatnonzero(~column.missing)
    if not len(rows):
        raise DataError(f"column `{name}` has no observed cell")
    if len(rows) > most:
        rows = np.sort(random.choice(rows, most, replace=False))
    sentinel = float(imputer.missing_values) if isinstance(imputer.missing_values, numbers.Real) else np.nan
    said = imputer.conditional(sheet.without(name, rows, sentinel), ((1 - level) / 2, (1 + level) / 2))
    if name not in said:
        raise DataError(f"column `{name}` is not modelled, so nothing is said of its cells")
    return column.kind, column.values[rows], said[name]


def _intervals(ax: Axes, kind: str, observed: np.ndarray, said: CellDistribution) -> None:
    numbers_of = date2num if kind == "time" else np.asarray
    low, high = numbers_of(said.quantiles).T
    middle = numbers_of(said.median)
    held = (low <= observed) & (observed <= high)
    # Whole numbers are jittered so that they do not overlap.
    x = observed + np.linspace(-0.3, 0.3, len(observed)) * (said.kind == "integer")
    for some, colour in ((held, OBSERVED), (~held, IMPUTED)):
        ax.vlines(x[some], low[some], high[some], color=colour, alpha=0.5, linewidth=1)
        ax.plot(x[some], middle[some], "o", color=colour, markersize=3.5, markeredgewidth=0)
    ax.axline((observed[0], observed[0]), slope=1, color="black", linewidth=1, linestyle="--")
    ax.set_title(f"{100 * held.mean():.1f} % of {len(held):,} inside", fontsize="medium")
    ax.set(xlabel=f"{short(said.column)}, observed", ylabel="predicted")
    scale(ax.xaxis, kind)
    scale(ax.yaxis, kind)
    tidy(ax)


def _confusion(ax: Axes, observed: np.ndarray, said: CellDistribution) -> None:
    observed = _texts(observed)
    guessed = _texts(said.most_probable())
    labels = _shown(list(_texts(said.labels)), observed, guessed)
    place = {label: k for k, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    np.add.at(counts, tuple([place.get(label, -1) for label in labels] for labels in (observed, guessed)), 1)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.pcolormesh(shares, cmap=_SHADES, vmin=0, vmax=1, edgecolors="white", linewidth=1)
    for (i, j), count in np.ndenumerate(counts):
        colour = "white" if shares[i, j] > 0.5 else "black"
        ax.text(j + 0.5, i + 0.5, count, ha="center", va="center", color=colour, fontsize="small")
    texts, middles = [short(label, 12) for label in labels], np.arange(len(labels)) + 0.5
    ax.set_xticks(middles, texts, **(SLANTED if sum(map(len, texts)) > 24 else {}))
    ax.set_yticks(middles, texts)
    ax.invert_yaxis()
    right = np.mean(observed == guessed)
    ax.set_title(f"{100 * right:.1f} % of {len(observed):,} right", fontsize="medium")
    ax.set(xlabel="most probable", ylabel=f"{short(said.column)}, observed")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


def _texts(labels: Any) -> np.ndarray:
    return np.array([label_text(label) for label in labels], dtype=object)


def _shown(labels: list[str], observed: np.ndarray, guessed: np.ndarray) -> list[str]:
    """Return the labels to show, in their order. Unknown labels and the rarest of many share the last place."""
    if len(labels) > _MOST_LABELS:
        found, counts = np.unique(observed, return_counts=True)
        frequent = set(found[np.argsort(-counts, kind="stable")][: _MOST_LABELS - 1])
        labels = [label for label in labels if label in frequent]
    return labels if set(observed) | set(guessed) <= set(labels) else [*labels, "other"]
