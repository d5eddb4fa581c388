"""The optimum, computed independently from the definition of the problem, with a conic solver.

Only the problems and the solutions printed by `examples/conic_problems.rs` come from the library. Features are
k(x, w) = exp(-(x-w)' P (x-w)), P = inv(Sigma) / 4, divided by the square root of the integral of their square.
"""

import json
import os
import subprocess
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

ROOT = Path(__file__).parent.parent
# `cargo xtask test` has built it with the tests; `cargo run` would build its dependencies again, with other features.
COMMAND = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug/examples/conic_problems"
COUNT = 9
# At 1e-11 Clarabel ended one of the problems as "optimal_inaccurate".
TIGHT = {f"tol_{name}": 1e-9 for name in ("gap_abs", "gap_rel", "feas", "ktratio")}


class Problem:
    """A problem with its matrices."""

    def __init__(self, raw):
        self.cells, self.anchors, self.sigma = (np.array(raw[k], float) for k in ("cells", "anchors", "sigma"))
        self.metric = np.linalg.inv(self.sigma) / 4
        self.size = np.sqrt(np.linalg.det(2 * np.pi * self.sigma))
        self.box = self.intervals(raw["box"])
        self.nu, self.mu, self.penalty = raw["nu"], raw["mu"], raw["lambda"]
        weights = np.ones(len(self.cells)) if raw["weights"] is None else np.array(raw["weights"])
        self.weights = weights / weights.sum()
        self.reference = np.array([reference(raw["reference"], row) for row in self.cells])
        self.solution = raw["solution"]

        nothing = np.full(self.anchors.shape[1], np.nan)
        whole = self.integrals(nothing)
        norms = np.sqrt(np.outer(whole.diagonal(), whole.diagonal()))
        self.h = whole / norms
        self.a = [self.integrals(row) / norms for row in self.cells]
        # The library's kernel between anchors is normalised up to the constant that all features share.
        kernel = self.kernel(self.anchors) * self.size / norms
        self.a0 = kernel if raw["regularizer"] == "Kernel" else np.eye(len(kernel))

    def intervals(self, box):
        """The base measure's interval for each column; null is an open end."""
        ends = np.array([[None, None]] * self.anchors.shape[1] if box is None else box, float)
        return np.where(np.isnan(ends), [-np.inf, np.inf], ends)

    def kernel(self, points):
        """k between points and anchors."""
        apart = points[..., None, :] - self.anchors
        return np.exp(-np.einsum("...i,ij,...j", apart, self.metric, apart))

    def integrals(self, row):
        """The integrals of k_a k_b over the missing columns of a row: k_a k_b is a Gaussian around the midpoint."""
        missing = np.isnan(row)
        deviation = np.sqrt(self.sigma.diagonal())
        out = np.empty((len(self.anchors),) * 2)
        for a, b in np.ndindex(*out.shape):
            middle, apart = (self.anchors[a] + self.anchors[b]) / 2, self.anchors[a] - self.anchors[b]
            low, high = norm.cdf((self.box.T - middle) / deviation)
            inside = np.prod((high - low)[missing])
            out[a, b] = np.exp(-apart @ self.metric @ apart / 2) * normal(row, middle, self.sigma) * inside
        return self.size * out

    def quadrature(self, row):
        """The same by a Gauss rule on the features themselves, nine deviations around the anchors or on the box."""
        nodes, weights = np.polynomial.legendre.leggauss(80)
        reach = 9 * np.sqrt(self.sigma.diagonal())
        low = np.maximum(self.box[:, 0], self.anchors.min(0) - reach)
        high = np.minimum(self.box[:, 1], self.anchors.max(0) + reach)
        axes = [((h - l) / 2 * nodes + (h + l) / 2, (h - l) / 2 * weights) for l, h in zip(low, high)]
        axes = [axis if np.isnan(x) else (np.array([x]), np.ones(1)) for x, axis in zip(row, axes)]
        grid = np.stack(np.meshgrid(*(x for x, _ in axes), indexing="ij"), -1).reshape(-1, len(row))
        volume = np.prod(np.stack(np.meshgrid(*(w for _, w in axes), indexing="ij"), -1), -1).ravel()
        values = self.kernel(grid)
        return values.T @ (volume[:, None] * values)

    def solve(self):
        """Q, the dual of tr(QH) = 1 and the objective, by CVXPY and Clarabel. Rows are divided by their size first."""
        q = cp.Variable((len(self.h),) * 2, symmetric=True)
        used = self.weights > 0
        sizes = np.array([a.max() for a in self.a])
        rows = np.array([a.ravel() / size for a, size in zip(self.a, sizes)])
        density = (1 - self.nu) * (rows @ cp.vec(q, order="C")) + self.nu * self.reference / sizes
        objective = (
            -self.weights[used] @ cp.log(density[used])
            + self.penalty * cp.trace(q @ self.a0)
            - self.mu * cp.log_det(q)
        )
        mass = cp.trace(q @ self.h) == 1
        problem = cp.Problem(cp.Minimize(objective), [mass])
        problem.solve(solver=cp.CLARABEL, **TIGHT)
        assert problem.status == cp.OPTIMAL
        return q.value, float(mass.dual_value), problem.value - self.weights @ np.log(sizes)


def normal(row, mean, covariance):
    """The normal density at the observed cells of a row; one when there are none."""
    seen = ~np.isnan(row)
    if not seen.any():
        return 1.0
    return multivariate_normal.pdf(row[seen], mean[seen], covariance[np.ix_(seen, seen)])


def reference(raw, row):
    """The reference density at the observed cells of a row."""
    if raw is None:
        return 0.0
    if "uniform" not in raw:
        return normal(row, np.array(raw["mean"]), np.array(raw["covariance"]))
    seen = ~np.isnan(row)
    low, high = np.array(raw["uniform"])[seen].T
    inside = np.all((low <= row[seen]) & (row[seen] <= high))
    return inside / np.prod(high - low)


@pytest.fixture(scope="session")
def problems():
    printed = subprocess.run([COMMAND], check=True, stdout=subprocess.PIPE).stdout
    problems = [Problem(raw) for raw in json.loads(printed)]
    assert len(problems) == COUNT
    return problems


@pytest.fixture(params=range(COUNT))
def problem(request, problems):
    return problems[request.param]


def test_formulas_are_the_integrals(problem):
    nothing = np.full(problem.anchors.shape[1], np.nan)
    for row in [nothing, *problem.cells]:
        exact = problem.integrals(row)
        np.testing.assert_allclose(problem.quadrature(row), exact, rtol=1e-9, atol=1e-12 * exact.max())


def test_optimum_is_the_conic_one(problem):
    ours = problem.solution
    q, dual, value = problem.solve()
    assert ours["status"] == "Converged"
    assert ours["objective"] == pytest.approx(value, rel=1e-8)
    assert ours["omega"] == pytest.approx(dual, rel=1e-4)
    assert np.abs(ours["q"] - q).max() < 1e-4 * np.abs(q).max()
