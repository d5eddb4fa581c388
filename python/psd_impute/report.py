"""The report of a fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Member(NamedTuple):
    """A member of the stack, with its held-out log-likelihood in nats per row."""

    name: str
    space: str
    weight: float
    held_out: float


class Step(NamedTuple):
    """A member that was tried: seconds since the start, and its held-out log-likelihood, None for donors."""

    seconds: float
    name: str
    held_out: float | None


class FindingWarning(UserWarning):
    """A check of a completed table found something to look at before it is used."""


class Finding(NamedTuple):
    """A finding of the checks of a completed table.

    `kind` is one of ``extrapolation``, ``label-pair``, ``impossible-value``, ``label-share``, ``zero-share``, ``value-share``, ``mean``,
    ``spread``, ``association``, ``far-cell``, ``sentinel`` and ``likelihood``; the imputed column comes first in `columns`. `severity` is at least
    1 if the whole fit is doubtful, otherwise about the share of a column's imputed cells that are doubtful.
    """

    kind: str
    columns: list[str]
    numbers: dict[str, float]
    text: str
    severity: float


@dataclass(frozen=True)
class FitReport:
    """The report of a fit.

    Attributes
    ----------
    preset : str
        The preset: ``default``, ``paper`` or ``theory``.
    rows : int
        The number of rows learned from.
    rows_fitted : int
        The number of rows that members were fitted to.
    rows_compared : int
        The number of rows that members were compared on, which are also the donors.
    seed : int
        The seed of the fit.
    converged : bool
    settings : dict
        The settings that the fit chose.
    held_out : float or None
        The held-out log-likelihood of the observed cells in nats per row; default preset only.
    normal_held_out : float or None
        The same for the normal model.
    members : tuple of Member
        Every member tried, with its weight; default preset only.
    trace : tuple of Step
        The members in the order they were tried; empty for a model that was loaded.
    notes : tuple of str
        Notes about the table's columns.
    findings : tuple of Finding
        The findings of the checks of the last completed table, the worst first. `transform` and `impute` warn of the first
        five with `FindingWarning`.
    balance : str or None
        A note if the draws of the last completed tables are not in balance: each row is then drawn by itself.
    """

    preset: str
    rows: int
    rows_fitted: int
    rows_compared: int
    seed: int
    converged: bool
    settings: dict[str, Any]
    held_out: float | None = None
    normal_held_out: float | None = None
    members: tuple[Member, ...] = ()
    trace: tuple[Step, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    balance: str | None = None

    @classmethod
    def _of(cls, found: dict[str, Any], trace: list[Step], notes: list[str]) -> FitReport:
        members = tuple(Member(*member) for member in found.pop("members", ()))
        rows_note = found.pop("rows_note", None)
        notes = [*notes, *([rows_note] if rows_note else [])]
        return cls(**found, members=members, trace=tuple(trace), notes=tuple(notes))

    def __str__(self) -> str:
        status = "converged" if self.converged else "did not converge"
        lines = [f"fitted to {self.rows_fitted} rows with seed {self.seed}; {status}"]
        if self.held_out is None:
            lines += [f"{name}: {value:.4g}" for name, value in self.settings.items()]
        else:
            normal = "" if self.normal_held_out is None else f" (normal model {self.normal_held_out:.3f})"
            lines.append(f"held-out log-likelihood {self.held_out:.3f} nats per row{normal}, of which:")
        for name, space, weight, held_out in self.members:
            if weight > 0.005:
                lines.append(f"  {100 * weight:3.0f} %  {name}, {space} ({held_out:.3f} alone)")
        lines += [f"note: {note}" for note in (*self.notes, *([self.balance] if self.balance else []))]
        return "\n".join(lines + [f"warning: {finding.text}" for finding in self.findings])
