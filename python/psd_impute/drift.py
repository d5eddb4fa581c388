"""Differences between a table and the one that a model was fitted to."""

from __future__ import annotations

from dataclasses import dataclass


class DriftWarning(UserWarning):
    """A table differs from the one that the model was fitted to."""


@dataclass(frozen=True)
class ColumnDrift:
    """Differences between the cells of a column and those that were learned; None where they are within chance.

    Attributes
    ----------
    column : str
        The name of the column.
    cells : int
        The number of its observed cells.
    outside : float or None
        The share of cells outside the learned range.
    shift : float or None
        The mean minus the learned mean, in learned standard deviations.
    unseen : float or None
        The share of cells with labels that the model was not fitted to.
    relabelled : float or None
        The total variation distance between the shares of labels.
    note : str
        The differences in words.
    """

    column: str
    cells: int
    outside: float | None
    shift: float | None
    unseen: float | None
    relabelled: float | None
    note: str
