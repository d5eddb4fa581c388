"""Predictive distributions of cells, and densities of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from psd_impute import PSDImputer, SettingError
from scipy.stats import multivariate_normal, norm


@pytest.fixture(scope="module")
def normal():
    """A large normal table, and an imputer of it."""
    rng = np.random.default_rng(0)
    covariance = np.array([[1.0, 0.8, 0.3], [0.8, 1.5, 0.2], [0.3, 0.2, 0.5]])
    table = rng.multivariate_normal([1.0, -2.0, 5.0], covariance, size=4000)
    imputer = PSDImputer(random_state=0).fit(table)
    return table, imputer


def test_cells_of_a_normal_table_are_those_of_its_regression(normal):
    table, imputer = normal
    mean, covariance = table.mean(axis=0), np.cov(table.T, bias=True)
    slope = covariance[2, :2] @ np.linalg.inv(covariance[:2, :2])
    rows = table[:20].copy()
    rows[:, 2] = np.nan
    cells = imputer.conditional(rows, quantiles=[0.1, 0.9])["x2"]
    expected = mean[2] + (rows[:, :2] - mean[:2]) @ slope
    deviation = np.sqrt(covariance[2, 2] - slope @ covariance[:2, 2])
    np.testing.assert_allclose(cells.mean, expected, atol=0.02)
    np.testing.assert_allclose(cells.std, deviation, rtol=0.02)
    np.testing.assert_allclose(cells.quantiles, cells.mean[:, None] + norm.ppf([0.1, 0.9]) * cells.std[:, None], atol=0.02)
    np.testing.assert_allclose(cells.mean, PSDImputer.transform(imputer.set_params(method="mean"), rows)[:, 2], atol=1e-9)
    assert cells.rows.tolist() == list(range(20)) and cells.kind == "continuous" and cells.labels is None


def test_log_densities_are_in_the_tables_units(normal):
    table, imputer = normal
    mean, covariance = table.mean(axis=0), np.cov(table.T, bias=True)
    rows = table[:20].copy()
    np.testing.assert_allclose(imputer.score_samples(rows), multivariate_normal(mean, covariance).logpdf(rows), atol=0.1)
    rows[:, 1] = np.nan
    observed = multivariate_normal(mean[[0, 2]], covariance[np.ix_([0, 2], [0, 2])])
    np.testing.assert_allclose(imputer.score_samples(rows), observed.logpdf(rows[:, [0, 2]]), atol=0.1)
    assert imputer.score_samples(np.full((1, 3), np.nan))[0] == pytest.approx(0, abs=1e-9)


def test_new_rows_have_the_tables_moments(normal):
    table, imputer = normal
    rows = imputer.sample(20_000, random_state=1)
    np.testing.assert_allclose(rows.mean(axis=0), table.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(np.cov(rows.T), np.cov(table.T), atol=0.06)


def test_draws_of_many_tables_have_the_cells_distribution(matrix):
    imputer = PSDImputer(random_state=0).fit(matrix)
    # A column has at least four cells: shares over 3,000 draws of each are accurate to 0.002.
    tables = np.stack(imputer.impute(matrix, m=3000, one_fit=True))
    for j in range(3):
        cells = imputer.conditional(matrix)[f"x{j}"]
        drawn = tables[:, cells.rows, j]
        error = cells.std / np.sqrt(3000)
        assert (np.abs(drawn.mean(axis=0) - cells.mean) < 4.5 * error).all()
        inside = (drawn > cells.quantiles[:, 0]) & (drawn < cells.quantiles[:, 1])
        assert inside.mean() == pytest.approx(0.95, abs=0.01)


def test_refits_add_the_uncertainty_of_the_fit(matrix):
    imputers = [PSDImputer(random_state=seed).fit(matrix) for seed in range(3)]

    def variance(imputer, one_fit):
        return np.stack(imputer.impute(matrix, m=1000, one_fit=one_fit)).mean(axis=1).var(axis=0).sum()

    # Variances of three thousand tables are known to three hundredths of themselves.
    means = {one: sum(variance(imputer, one) for imputer in imputers) for one in (True, False)}
    assert means[False] > 1.1 * means[True]
    imputer = imputers[0]
    again = imputer.impute(matrix, m=3)
    assert all(np.array_equal(a, b) for a, b in zip(again, imputer.impute(matrix, m=3)))
    assert not np.array_equal(again[0], again[1])
    assert np.array_equal(imputer.impute(matrix, m=1)[0], imputer.transform(matrix))


def test_categories_have_probabilities(people):
    imputer = PSDImputer(random_state=0).fit(people)
    cells = imputer.conditional(people)
    size = cells["size"]
    assert size.labels == ["S", "M", "L"] and size.mean is None and size.quantiles.shape == (len(size), 2)
    np.testing.assert_allclose(size.probabilities.sum(axis=1), 1, atol=1e-9)
    done, town = imputer.set_params(method="median").transform(people), cells["town"]
    assert list(done["size"].iloc[size.rows]) == list(size.median)
    assert town.labels == ["Bonn", "Ulm"] and town.mean is None and town.quantiles is None
    assert list(done["town"].iloc[town.rows]) == list(town.most_probable())
    assert cells["smokes"].labels == [False, True] and cells["ward"].labels == [3, 7]
    assert cells["joined"].mean.dtype.kind == "M" and cells["joined"].std.dtype.kind == "m"
    assert (np.abs(cells["joined"].mean - np.datetime64("2020-01-01")) < np.timedelta64(3 * 365, "D")).all()
    frame = pd.concat(cell.to_frame() for cell in cells.values())
    assert len(frame) == people.drop(columns="key").isna().sum().sum()
    assert {"row", "column", "mean", "std", "median", "q2.5", "q97.5", "p(Ulm)"} <= set(frame.columns)


@pytest.mark.parametrize("call, text", [
    (lambda imputer, X: imputer.conditional(X, quantiles=[1.0]), "1"),
    (lambda imputer, X: imputer.impute(X, m=0), "m is 0, but must be a whole number above zero"),
    (lambda imputer, X: imputer.sample(0), "n is 0, but must be a whole number above zero"),
])
def test_what_cannot_be(matrix, call, text):
    imputer = PSDImputer(random_state=0).fit(matrix)
    with pytest.raises(SettingError, match=text):
        call(imputer, matrix)
