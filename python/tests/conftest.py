"""Shared fixtures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


def gaps(table: np.ndarray, share: float = 0.2, seed: int = 1) -> np.ndarray:
    """A copy with cells missing completely at random, except one cell of each row."""
    rng = np.random.default_rng(seed)
    missing = rng.random(table.shape) < share
    missing[np.arange(len(table)), rng.integers(table.shape[1], size=len(table))] = False
    out = table.copy()
    out[missing] = np.nan
    return out


@pytest.fixture(scope="session")
def matrix() -> np.ndarray:
    """Sixty rows of three correlated numbers, a fifth of them missing."""
    rng = np.random.default_rng(0)
    return gaps(rng.normal(size=(60, 3)).cumsum(axis=1))


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    """A table of many dtypes with gaps in every column but the first two, and an index of its own."""
    rng = np.random.default_rng(2)
    n = 80
    x = rng.normal(size=n)
    table = pd.DataFrame(
        {
            "key": [f"k{i}" for i in range(n)],
            "year": 1990 + np.arange(n) % 7,
            "height": 1.7 + 0.1 * x,
            "steps": pd.array(np.round(800 + 100 * x).astype(int), dtype="Int64"),
            "weight": pd.array(np.round(70 + 9 * x + rng.normal(size=n), 1), dtype="Float64"),
            "single": (x + rng.normal(size=n)).astype("float32"),
            "age": pd.array(np.clip(np.round(40 + 9 * x), 0, 255).astype("uint8"), dtype="UInt8"),
            "size": pd.Categorical(np.where(x > 0.4, "L", np.where(x < -0.4, "S", "M")), ["S", "M", "L", "XL"], ordered=True),
            "ward": pd.Categorical(np.where(x > 0, 3, 7)),
            "town": np.where(x + rng.normal(size=n) > 0, "Ulm", "Bonn"),
            "smokes": pd.array(x + rng.normal(size=n) > 0.5, dtype="boolean"),
            "flag": np.array([bool(v > 0) for v in x + rng.normal(size=n)], dtype=object),
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.round(200 * x), unit="D"),
            "seen": pd.Timestamp("2020-01-01", tz="Europe/Berlin") + pd.to_timedelta(np.round(900 * x), unit="min"),
        },
        index=[f"r{i}" for i in range(n)],
    )
    for name in table.columns[2:]:
        table[name] = table[name].mask(rng.random(n) < 0.15)
    return table
