"""The progress of a fit."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from .._engine import SettingError
from ..report import FitReport
from ._canvas import GREY, IMPUTED, OBSERVED, PALE, canvas, tidy

# The colour of the members of each space.
_SPACES = {"columns as they are": OBSERVED, "normal scores": IMPUTED}
# Smaller weights are not shown, as in the report.
_SOME_WEIGHT = 0.005


def convergence(model: Any, *, ax: Axes | None = None) -> Any:
    """Plot the progress of a fit.

    For a `PSDImputer`: the held-out log-likelihood of its members in the order they were tried, with those of
    the stack and the normal model. A filled marker is a member with weight in the stack; the number beside it
    is the weight.

    For a `PSDDensity`: the Newton decrement by iteration, with a line at each change of the barrier's weight.

    Parameters
    ----------
    model : PSDImputer or PSDDensity
        A fitted model.
    ax : Axes or None, default=None
        The axes to draw on; None is a new figure.

    Returns
    -------
    Figure, or ``ax``
    """
    if hasattr(model, "trace_"):
        return _newton(model.trace_, ax)
    report = getattr(model, "report_", None)
    if report is None or not report.members:
        raise SettingError("there is nothing to draw: fit the imputer with preset='default' first")
    return _members(report, ax)


def _members(report: FitReport, ax: Axes | None) -> Any:
    tried = [step.name for step in report.trace if step.held_out is not None]
    order = list(dict.fromkeys([*tried, *(member.name for member in report.members)]))
    drawn, ax = canvas(ax, 7.0, 1.6 + 0.42 * len(order))
    for shift, (space, colour) in zip((-0.14, 0.14), _SPACES.items()):
        members = [member for member in report.members if member.space == space]
        y = [order.index(member.name) + shift for member in members]
        faces = [colour if member.weight > _SOME_WEIGHT else "white" for member in members]
        ax.scatter([member.held_out for member in members], y, s=40, c=faces, edgecolors=colour, zorder=3)
        for member, height in zip(members, y):
            if member.weight > _SOME_WEIGHT:
                _beside(ax, f"{100 * member.weight:.0f} %", member.held_out, height)
    if report.held_out is not None:
        ax.axvline(report.held_out, color="black", linewidth=1.5)
    if report.normal_held_out is not None:
        ax.axvline(report.normal_held_out, color=GREY, linewidth=1.5, linestyle="--")
    ax.margins(x=0.14)
    ax.set_yticks(range(len(order)), order)
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.grid(axis="y", color=PALE, zorder=0)
    ax.set_xlabel("held-out log-likelihood (nats per row)")
    _explain(ax, report)
    tidy(ax)
    return drawn


def _beside(ax: Axes, text: str, x: float, y: float) -> None:
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    style: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": "small", "zorder": 4}
    ax.annotate(text, (x, y), (7, 0), bbox=ground, **style)


def _explain(ax: Axes, report: FitReport) -> None:
    spaces = {member.space for member in report.members}
    handles = [
        Line2D([], [], color=colour, marker="o", linestyle="none", label=space)
        for space, colour in _SPACES.items()
        if space in spaces
    ]
    if any(member.weight <= _SOME_WEIGHT for member in report.members):
        hollow = Line2D([], [], color=GREY, marker="o", markerfacecolor="white", linestyle="none")
        hollow.set_label("without weight")
        handles.append(hollow)
    handles.append(Line2D([], [], color="black", label=f"stack ({report.held_out:.3f})"))
    if report.normal_held_out is not None:
        label = f"normal model ({report.normal_held_out:.3f})"
        handles.append(Line2D([], [], color=GREY, linestyle="--", label=label))
    ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)


def _newton(trace: Mapping[str, Any], ax: Axes | None) -> Any:
    decrements, barriers = np.asarray(trace["decrement"]), np.asarray(trace["barrier"])
    iterations = np.arange(1, len(decrements) + 1)
    drawn, ax = canvas(ax, 6.0, 3.6)
    ax.semilogy(iterations, decrements, "o-", color=OBSERVED, markersize=4)
    for k in np.flatnonzero(np.diff(barriers)):
        ax.axvline(k + 1.5, color=GREY, linewidth=0.8, linestyle=":")
    ax.set(xlabel="iteration", ylabel="Newton decrement")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    tidy(ax)
    return drawn
