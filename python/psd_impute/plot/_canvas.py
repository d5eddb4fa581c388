"""Figures and panels, and their common style."""

from __future__ import annotations

import math
from io import BytesIO
from typing import Any, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from .._engine import SettingError

# Distinct for colour-blind readers too. As in mice, blue is observed and red imputed.
OBSERVED, IMPUTED = "#0072B2", "#D55E00"
PALE, GREY = "#D9E5EE", "#707070"

# From all cells observed to all cells missing.
SHARE_MISSING: Colormap = LinearSegmentedColormap.from_list("share missing", [PALE, IMPUTED])

# For labels that would overlap.
SLANTED: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}

_PANELS_A_ROW = 4


class Drawing(Figure):
    """A figure that notebooks show without pyplot."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()


def canvas(ax: Axes | None, width: float, height: float) -> tuple[Any, Axes]:
    """Return the result and the panel: a new figure of a size in inches and its panel, or the given ``ax`` for both."""
    if ax is not None:
        return ax, ax
    figure = Drawing(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def panels(count: int, ax: Axes | None, width: float = 3.2, height: float = 2.7) -> tuple[Any, list[Axes]]:
    """Return the result and its panels: a new figure with panels of a size in inches, or the given ``ax``."""
    if ax is not None:
        if count != 1:
            raise SettingError(f"`ax` holds one panel, but there are {count}\nhint: choose with `columns`")
        return ax, [ax]
    across = count if count <= _PANELS_A_ROW else min(_PANELS_A_ROW, math.ceil(math.sqrt(count)))
    down = math.ceil(count / across)
    figure = Drawing(figsize=(max(width * across, 4.0), height * down + 0.3), layout="constrained")
    return figure, [figure.add_subplot(down, across, k + 1) for k in range(count)]


def tidy(ax: Axes) -> None:
    """Remove the sides of the frame without an axis."""
    ax.spines[["top", "right"]].set_visible(False)


def scale(axis: Any, kind: str) -> None:
    """Set a few ticks on an axis of numbers or of times, which matplotlib counts in days since 1970."""
    if kind == "time":
        locator = AutoDateLocator(minticks=2, maxticks=6)
        axis.set_major_locator(locator)
        axis.set_major_formatter(ConciseDateFormatter(locator))
    else:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.get_major_formatter().set_powerlimits((-3, 4))


def legend(drawn: Any, entries: Mapping[str, str], marker: str | None = None) -> None:
    """Add a legend of colours, above the panels of a figure or on the given panel."""
    handles = [
        Patch(color=colour, label=label) if marker is None
        else Line2D([], [], color=colour, label=label, marker=marker, linestyle="none")
        for label, colour in entries.items()
    ]
    if isinstance(drawn, Figure):
        drawn.legend(handles=handles, loc="outside upper right", ncols=len(handles), frameon=False)
    else:
        drawn.legend(handles=handles, frameon=False)


def short(text: str, most: int = 24) -> str:
    """Shorten a name to fit beside an axis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def name_columns(ax: Axes, places: Any, names: Sequence[str]) -> None:
    """Write names of columns below an axis, vertically if there are many."""
    turned = SLANTED if len(names) <= 12 else {"rotation": 90}
    ax.set_xticks(places, [short(name) for name in names], **turned)
