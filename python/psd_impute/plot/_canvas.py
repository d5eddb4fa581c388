"""Figures and panels, and how all of them look."""

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

# Told apart whatever colours one sees. As users of mice know it: blue is observed, red is not.
OBSERVED, IMPUTED = "#0072B2", "#D55E00"
PALE, GREY = "#D9E5EE", "#707070"

# From all cells observed to all missing.
SHARE_MISSING: Colormap = LinearSegmentedColormap.from_list("share missing", [PALE, IMPUTED])

# For labels that would run into each other.
SLANTED: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}

_PANELS_A_ROW = 4


class Drawing(Figure):
    """A figure that notebooks show, though pyplot does not know it."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()


def canvas(ax: Axes | None, width: float, height: float) -> tuple[Any, Axes]:
    """What to return and where to draw: a new figure of a size in inches and its panel, or what was given."""
    if ax is not None:
        return ax, ax
    figure = Drawing(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def panels(count: int, ax: Axes | None, width: float = 3.2, height: float = 2.7) -> tuple[Any, list[Axes]]:
    """What to return and where to draw: a figure and its panels of a size in inches, or what is given."""
    if ax is not None:
        if count != 1:
            raise SettingError(f"`ax` holds one panel, but there are {count}\nhint: choose with `columns`")
        return ax, [ax]
    across = count if count <= _PANELS_A_ROW else min(_PANELS_A_ROW, math.ceil(math.sqrt(count)))
    down = math.ceil(count / across)
    figure = Drawing(figsize=(max(width * across, 4.0), height * down + 0.3), layout="constrained")
    return figure, [figure.add_subplot(down, across, k + 1) for k in range(count)]


def tidy(ax: Axes) -> None:
    """Takes the frame away where no axis is."""
    ax.spines[["top", "right"]].set_visible(False)


def scale(axis: Any, kind: str) -> None:
    """A few ticks for an axis of numbers or of times, which matplotlib counts in days since 1970."""
    if kind == "time":
        locator = AutoDateLocator(minticks=2, maxticks=6)
        axis.set_major_locator(locator)
        axis.set_major_formatter(ConciseDateFormatter(locator))
    else:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.get_major_formatter().set_powerlimits((-3, 4))


def legend(drawn: Any, entries: Mapping[str, str], marker: str | None = None) -> None:
    """Says which colour is what, above the panels of a figure or on the panel given."""
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
    """A name that fits beside an axis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def name_columns(ax: Axes, places: Any, names: Sequence[str]) -> None:
    """Writes names of columns below an axis, upright where they are many."""
    turned = SLANTED if len(names) <= 12 else {"rotation": 90}
    ax.set_xticks(places, [short(name) for name in names], **turned)
