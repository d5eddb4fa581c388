"""SoftImpute, the Sinkhorn divergence, the energy-I-Score, the coverage of intervals and the sliced Wasserstein distance, computed
independently with numpy, POT and, if installed, torch and geomloss.

Only the output of the example `measure` comes from the library.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import ot
import pytest
from scipy.special import logsumexp

ROOT = Path(__file__).parent.parent
# `cargo xtask test` has built it with the tests.
COMMAND = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug/examples/measure"


def rows(cells):
    return [[None if np.isnan(x) else float(x) for x in row] for row in cells]


def measure(what, **request):
    request = {k: rows(v) if isinstance(v, np.ndarray) else v for k, v in request.items()}
    done = subprocess.run([COMMAND], input=json.dumps({what: request}).encode(), check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["result"]


def masked(rng, n, d, rate):
    """Correlated columns of different scales, with missing cells."""
    table = (rng.normal(size=(n, 2)) @ rng.normal(size=(2, d)) + 0.5 * rng.normal(size=(n, d))) * 10.0 ** np.arange(d) + 3
    table[rng.random((n, d)) < rate] = np.nan
    return table


def soft_impute(table, penalty):
    """By singular values, step by step until only rounding changes: convergence in small steps may be slow."""
    mean, deviation = np.nanmean(table, 0), np.nanstd(table, 0)
    x = (table - mean) / deviation
    missing = np.isnan(x)
    filled = np.where(missing, 0, x)
    for _ in range(20000):
        u, s, v = np.linalg.svd(filled, full_matrices=False)
        new = np.where(missing, u * np.maximum(s - penalty, 0) @ v, x)
        still = np.linalg.norm(new - filled) <= 1e-14 * np.linalg.norm(filled)
        filled = new
        if still:
            break
    return np.where(missing, filled * deviation + mean, table)


@pytest.mark.parametrize("shape", [(100, 5), (40, 7), (6, 9)])
@pytest.mark.parametrize("penalty", [0.3, 2.0, 8.0])
def test_soft_impute(shape, penalty):
    table = masked(np.random.default_rng(shape[0]), *shape, 0.2)
    ours = np.array(measure("soft_impute", table=table, penalty=penalty, seed=0))
    theirs = soft_impute(table, penalty)
    scale = np.nanstd(table, 0)
    assert np.abs((ours - theirs) / scale).max() < 1e-8


def divergence(x, y, blur, scaling):
    """Value and gradients by symmetric Sinkhorn steps, the temperature falling."""
    cost = lambda a, b: ((a[:, None] - b[None]) ** 2).sum(2) / 2
    softmin = lambda eps, c, h: -eps * (logsumexp((h[None] - c) / eps, axis=1) - np.log(c.shape[1]))
    both = np.vstack([x, y])
    diameter = np.linalg.norm(both.max(0) - both.min(0))
    falling = np.exp(np.arange(2 * np.log(diameter), 2 * np.log(blur), 2 * np.log(scaling)))
    schedule = [diameter**2, *falling, blur**2]

    def solve(a, b):
        c = cost(a, b)
        f, g = softmin(schedule[0], c, np.zeros(len(b))), softmin(schedule[0], c.T, np.zeros(len(a)))
        for eps in schedule:
            f, g = (f + softmin(eps, c, g)) / 2, (g + softmin(eps, c.T, f)) / 2
        mass = lambda c, h: np.exp((h[None] - c) / eps - logsumexp((h[None] - c) / eps, axis=1)[:, None])
        slopes = (a - mass(c, g) @ b) / len(a), (b - mass(c.T, f) @ a) / len(b)
        return softmin(eps, c, g).mean(), softmin(eps, c.T, f).mean(), *slopes

    xy, xx, yy = solve(x, y), solve(x, x), solve(y, y)
    return xy[0] + xy[1] - xx[0] - yy[0], [xy[2] - xx[2], xy[3] - yy[2]]


def clouds():
    rng = np.random.default_rng(0)
    for n, m, d, blur in [(128, 128, 10, 0.5), (64, 37, 3, 0.1), (5, 9, 1, 0.02), (128, 128, 30, 1.5)]:
        yield rng.normal(size=(n, d)), rng.normal(size=(m, d)) * 1.5 + 0.5, blur


def test_divergence():
    for x, y, blur in clouds():
        ours = measure("divergence", x=x, y=y, blur=blur, scaling=0.9)
        value, gradients = divergence(x, y, blur, 0.9)
        assert ours["value"] == pytest.approx(value, abs=1e-11)
        for a, b in zip(ours["gradients"], gradients):
            assert np.abs(np.array(a) - b).max() < 1e-11


def test_divergence_is_that_of_geomloss():
    torch, geomloss = pytest.importorskip("torch"), pytest.importorskip("geomloss")
    for x, y, blur in clouds():
        points = [torch.tensor(points, requires_grad=True) for points in (x, y)]
        loss = geomloss.SamplesLoss("sinkhorn", p=2, blur=blur, scaling=0.9, backend="tensorized")(*points)
        loss.backward()
        ours = measure("divergence", x=x, y=y, blur=blur, scaling=0.9)
        assert ours["value"] == pytest.approx(loss.item(), abs=1e-10)
        for a, b in zip(ours["gradients"], points):
            assert np.abs(np.array(a) - b.grad.numpy()).max() < 1e-10


def i_score(table, impute):
    """The score of an imputer that does not draw."""
    missing = np.isnan(table)
    completed = impute(table)
    scores, weights = [], []
    for j in np.flatnonzero(missing.any(0)):
        p = missing[:, j].mean()
        test = ~missing[:, j]
        others = np.delete(np.arange(table.shape[1]), j)
        whole = ~missing[np.ix_(test, others)].any(0)
        if not whole.any():
            test &= ~missing[:, others[np.argmin(missing[np.ix_(test, others)].sum(0))]]
            whole = ~missing[np.ix_(test, others)].any(0)
        asked = np.vstack([completed[test], completed[~test]])[:, [j, *others[whole]]]
        asked[: test.sum(), 0] = np.nan
        error = impute(asked)[: test.sum(), 0] - table[test, j]
        scores.append(np.abs(error).mean() / np.nanstd(table[:, j]))
        weights.append(p * (1 - p))
    return np.average(scores, weights=weights), scores


def test_i_score():
    rng = np.random.default_rng(3)
    mean = lambda table: np.where(np.isnan(table), np.nanmean(table, 0), table)
    for complete in (0, 2):
        table = masked(rng, 150, 5, 0.3)
        whole = masked(rng, 150, 5, 0.0)
        table[:, :complete] = whole[:, :complete]
        for method, impute in [("mean", mean), ("soft_impute", lambda table: soft_impute(table, 2.0))]:
            ours = measure("i_score", table=table, method=method, draws=3)
            score, scores = i_score(table, impute)
            assert ours["score"] == pytest.approx(score, abs=1e-9)
            assert ours["columns"] == pytest.approx(scores, abs=1e-9)


def test_intervals():
    rng = np.random.default_rng(4)
    truth = masked(rng, 200, 4, 0.0)
    table = np.where(rng.random(truth.shape) < 0.3, np.nan, truth)
    ends = np.sort(truth + truth.std(0) * rng.normal(size=(2, *truth.shape)), axis=0)
    coverage, width = measure("intervals", truth=truth, masked=table, lower=ends[0], upper=ends[1])
    missing = np.isnan(table)
    assert coverage == ((ends[0] <= truth) & (truth <= ends[1]))[missing].mean()
    assert width == pytest.approx(((ends[1] - ends[0]) / truth.std(0))[missing].mean(), abs=1e-9)


@pytest.mark.parametrize("width", [1, 3, 7])
def test_sliced_wasserstein_is_that_of_pot(width):
    rng = np.random.default_rng(width)
    # It replaces w2 above five thousand rows with missing cells.
    truth = masked(rng, 6000, width, 0.0)
    missing = rng.random(truth.shape) < 0.3
    missing[:5500, 0] = True
    completed = np.where(missing, truth + truth.std(0) * rng.normal(0.5, 1.5, size=truth.shape), truth)
    ours = measure("sliced", truth=truth, masked=np.where(missing, np.nan, truth), completed=completed)
    directions = np.array(ours["directions"]).T
    assert directions.shape[0] == width and directions.shape[1] >= (256 if width > 1 else 1)
    x, y = ((table[missing.any(1)] - truth.mean(0)) / truth.std(0) for table in (completed, truth))
    # POT has the root of the mean over directions; a basis has as many as there are columns.
    theirs = width / 2 * ot.sliced_wasserstein_distance(x, y, projections=directions) ** 2
    assert ours["value"] == pytest.approx(theirs, abs=1e-9)
