"""How a table differs from the one that a model was fitted to."""

from __future__ import annotations

from dataclasses import dataclass


class DriftWarning(UserWarning):
    """A table differs from the one that the model was fitted to."""


@dataclass(frozen=True)
class ColumnDrift:
    """How the cells of a column differ from those that were learned. What is no more than chance is None.

    Attributes
    ----------
    column : str
        The column.
    cells : int
        Its observed cells.
    outside : float or None
        The share of cells outside the range that was learned.
    shift : float or None
        The mean minus the learned mean, in learned standard deviations.
    unseen : float or None
        The share of cells with labels that were never learned.
    relabelled : float or None
        The share of cells by which the labels' shares differ.
    note : str
        In words.
    """

    column: str
    cells: int
    outside: float | None
    shift: float | None
    unseen: float | None
    relabelled: float | None
    note: str
