"""NumPy matrices."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from .._engine import Model, Table, table_from_matrix, write_matrix
from ._base import Frame, Notes


class Matrix(Frame):
    """A matrix of single or double precision, in which sentinels are already NaN."""

    def read(self) -> Table:
        return table_from_matrix(self.data, self.names)

    def empty(self) -> np.ndarray:
        return np.isnan(self.data)

    def marked(self) -> np.ndarray:
        return np.zeros((1, len(self.names)), dtype=bool)

    def completed(
        self, model: Model, wanted: dict[str, Any], filled: Sequence[int], hear: Callable[[int], None]
    ) -> tuple[list[Any], Notes]:
        out = [np.empty(self.data.shape, dtype=self.data.dtype) for _ in range(wanted["imputations"])]
        return out, model.complete_into(self.to_engine(), wanted, out, hear)

    def arrange(self, data: Any, kept: Sequence[int], flags: np.ndarray, names: Sequence[str]) -> np.ndarray:
        if len(kept) < data.shape[1]:
            data = data[:, list(kept)]
        return np.hstack([data, flags.astype(data.dtype)]) if names else data

    def is_number(self, j: int) -> bool:
        return True

    def zeroed(self, data: Any, columns: Sequence[int]) -> np.ndarray:
        out = data.copy()
        out[:, list(columns)] = np.nan_to_num(out[:, list(columns)])
        return out

    def like(self, table: Table) -> np.ndarray:
        out = np.empty((len(table), len(self.names)), dtype=self.data.dtype)
        write_matrix(table, self.names, out)
        return out
