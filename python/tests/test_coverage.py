"""Pooled intervals cover the truth and have the right width: a small version of benchmarks/coverage.py."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import coverage as benchmark  # noqa: E402

STUDIES = 24


@pytest.fixture(scope="module")
def found() -> dict[str, np.ndarray]:
    return benchmark.over_studies([benchmark.study(seed, "MAR") for seed in range(STUDIES)])


def test_intervals_cover_the_truth(found: dict[str, np.ndarray]) -> None:
    standard_error = np.sqrt(0.95 * 0.05 / STUDIES)
    assert benchmark.covered(found[benchmark.OURS]).mean() > 0.95 - 3 * standard_error


def test_missing_cells_widen_the_intervals(found: dict[str, np.ndarray]) -> None:
    """By less than dropping every row with a missing cell would: about 45 % of the rows are complete."""
    ratio = benchmark.width(found[benchmark.OURS]) / benchmark.width(found[benchmark.WHOLE])
    assert (ratio > [1.15, 1.15, 1.05]).all()
    assert (ratio < 1 / np.sqrt(0.45)).all()


def test_refits_widen_the_intervals(found: dict[str, np.ndarray]) -> None:
    ratio = benchmark.width(found[benchmark.ONE_FIT]) / benchmark.width(found[benchmark.OURS])
    assert (ratio < 0.97).all()


def test_the_benchmark_takes_away_what_it_says() -> None:
    for mechanism in benchmark.MECHANISMS:
        shares = [np.isnan(benchmark.study(seed, mechanism)[1]).mean(axis=0) for seed in range(100)]
        np.testing.assert_allclose(np.mean(shares, axis=0), [0.3, 0.3, 0.0], atol=0.02)
