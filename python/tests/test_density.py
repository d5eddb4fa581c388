"""The kernel density with all but Q given, against independent computations."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from psd_impute import PSDDensity, SettingError
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import multivariate_normal, uniform

P = np.array([[1.0, 0.3], [0.3, 0.8]])
ANCHORS = np.random.default_rng(1).normal(size=(6, 2))
NORMAL = ("normal", [0.0, 0.5], [[4.0, 1.0], [1.0, 3.0]])


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(150, 2))
    table[:, 1] += table[:, 0] ** 2
    table[rng.random(table.shape) < 0.2] = np.nan
    return table


@pytest.fixture(scope="module")
def density(rows) -> PSDDensity:
    return PSDDensity().fit(rows, anchors=ANCHORS, metric=P, reference=NORMAL, nu=0.1)


def features(x: np.ndarray) -> np.ndarray:
    """Normalised: the square of a feature integrates to one."""
    gaps = x[:, None, :] - ANCHORS
    kernels = np.exp(-np.einsum("nai,ij,naj->na", gaps, P, gaps))
    return kernels / np.sqrt(np.pi / np.sqrt(np.linalg.det(2 * P)))


def test_the_density_is_its_formula(density):
    x = np.random.default_rng(3).normal(size=(9, 2))
    phi = features(x)
    expected = 0.9 * np.einsum("na,ab,nb->n", phi, density.Q, phi) + 0.1 * multivariate_normal(*NORMAL[1:]).pdf(x)
    np.testing.assert_allclose(density.log_density(x), np.log(expected), atol=1e-12)
    np.testing.assert_array_equal(density.anchors, ANCHORS)
    np.testing.assert_array_equal(density.metric, P)


def test_marginals_and_conditionals_are_integrals(density):
    at = lambda x, y: np.exp(density.log_density([[x, y]])[0])
    whole = quad(lambda y: at(0.4, y), -12, 14)[0]
    assert np.exp(density.log_density([[0.4, np.nan]])[0]) == pytest.approx(whole, rel=1e-7)
    given = density.conditional([0.4, np.nan])
    mean = quad(lambda y: y * at(0.4, y), -12, 14)[0] / whole
    square = quad(lambda y: y * y * at(0.4, y), -12, 14)[0] / whole
    assert given.columns == [1] and given.mean[0] == pytest.approx(mean, rel=1e-7)
    assert given.covariance[0, 0] == pytest.approx(square - mean**2, rel=1e-6)
    assert given.cdf(1, 0.7) == pytest.approx(quad(lambda y: at(0.4, y), -12, 0.7)[0] / whole, rel=1e-7)
    assert given.cdf(1, given.quantile(1, 0.3)) == pytest.approx(0.3, abs=1e-9)
    assert given.log_density([[0.7]])[0] == pytest.approx(np.log(at(0.4, 0.7) / whole), rel=1e-7)
    marginal = density.marginal([1])
    assert marginal.log_density([[0.2]])[0] == pytest.approx(density.log_density([[np.nan, 0.2]])[0], rel=1e-12)
    with pytest.raises(SettingError, match="column 0 is not among the cells"):
        given.cdf(0, 1.0)
    with pytest.raises(SettingError, match="must be different ones from 0 to 1"):
        density.marginal([2])


def test_draws_have_the_densitys_moments(density):
    both = density.marginal([1, 0])
    drawn = density.sample(40_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), both.mean[::-1], atol=0.04)
    np.testing.assert_allclose(np.cov(drawn.T), both.covariance[::-1, ::-1], atol=0.1)
    np.testing.assert_array_equal(both.sample(3, random_state=0), density.sample(3, random_state=0)[:, ::-1])
    given = density.conditional([0.4, np.nan])
    assert given.sample(40_000, random_state=1).mean() == pytest.approx(given.mean[0], abs=0.03)


def test_the_fit_is_the_optimum(rows):
    """Complete rows, two anchors: the objective is written out here and minimised by a general method."""
    whole = rows[~np.isnan(rows).any(axis=1)]
    anchors, barrier, weight = ANCHORS[:2], 1e-2, 1e-3
    density = PSDDensity().fit(whole, anchors=anchors, metric=P, barrier=barrier, regularization=weight)
    gap = anchors[0] - anchors[1]
    overlap = np.exp(-gap @ P @ gap / 2)
    h = np.array([[1.0, overlap], [overlap, 1.0]])
    gaps = whole[:, None, :] - anchors
    phi = np.exp(-np.einsum("nai,ij,naj->na", gaps, P, gaps)) / np.sqrt(np.pi / np.sqrt(np.linalg.det(2 * P)))

    def objective(free: np.ndarray) -> float:
        factor = np.array([[np.exp(free[0]), 0.0], [free[1], np.exp(free[2])]])
        q = factor @ factor.T
        q = q / np.trace(q @ h)
        fit = -np.log(np.einsum("na,ab,nb->n", phi, q, phi)).mean()
        return fit - barrier * np.linalg.slogdet(q)[1] + weight * np.trace(q)

    best = minimize(objective, np.zeros(3), method="BFGS", tol=1e-10)
    assert density.objective_ == pytest.approx(best.fun, abs=1e-7)
    assert density.status_ == "converged" and density.kkt_residual_ < 1e-3
    assert (np.diff(density.trace_["barrier"]) <= 0).all() and len(density.trace_["decrement"]) > 3


def test_metrics_agree_where_they_are_the_same(rows):
    fits = [PSDDensity(n_jobs=1).fit(rows, anchors=ANCHORS, metric=metric) for metric in (0.7, [0.7, 0.7], 0.7 * np.eye(2))]
    for fit in fits[1:]:
        np.testing.assert_allclose(fit.Q, fits[0].Q, atol=1e-7)
        np.testing.assert_allclose(fit.metric, 0.7 * np.eye(2))


def test_a_box(rows):
    inside = rows[((rows > -3) & (rows < 9) | np.isnan(rows)).all(axis=1)]
    box = PSDDensity().fit(inside, anchors=ANCHORS, metric=0.7, domain=([-3, -3], [9, 9]), reference=("uniform", -3, 9), nu=0.2)
    mass = quad(lambda y: np.exp(box.log_density([[np.nan, y]])[0]), -3, 9)[0]
    assert mass == pytest.approx(1, rel=1e-6)
    far = box.log_density([[8.9, -2.9]])[0]
    assert far == pytest.approx(np.log(0.2) + 2 * uniform(-3, 12).logpdf(0), rel=1e-6)


def test_pickling(density):
    again = pickle.loads(pickle.dumps(density))
    x = np.array([[0.3, np.nan], [1.0, 2.0]])
    np.testing.assert_allclose(again.log_density(x), density.log_density(x), atol=1e-12)
