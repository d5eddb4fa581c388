"""The imputers that the library is compared with, against the programs they reimplement.

Only the tables completed by the example `complete` come from the library.
"""

import os
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ks_2samp
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.metrics.pairwise import nan_euclidean_distances

ROOT = Path(__file__).parent.parent
# `cargo xtask test` has built it with the tests.
COMMAND = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug/examples/complete"


def write(path, cells):
    lines = (",".join("" if np.isnan(x) else repr(float(x)) for x in row) for row in cells)
    path.write_text("\n".join([",".join(f"x{j}" for j in range(cells.shape[1])), *lines]) + "\n")


def complete(method, train, test, folder, seed=0, imputation=1):
    files = [folder / f"{name}.csv" for name in ("train", "test", "out")]
    write(files[0], train)
    write(files[1], test)
    command = [COMMAND, method, *files, str(seed), str(imputation)]
    subprocess.run([str(x) for x in command], check=True, stdout=subprocess.DEVNULL)
    return np.genfromtxt(files[2], delimiter=",", skip_header=1)


def holes(cells, rate, rng):
    """Mask cells, but leave at least two in each column."""
    masked = np.where(rng.random(cells.shape) < rate, np.nan, cells)
    masked[:2] = cells[:2]
    return masked


def correlated(n, d, rng, factors=2):
    return rng.normal(size=(n, factors)) @ rng.normal(size=(factors, d)) + 0.3 * rng.normal(size=(n, d))


def tables(rng):
    """Pairs of a table to fit and one to complete: the same, or other rows with patterns that the first does not have."""
    cells = holes(correlated(200, 6, rng), 0.2, rng)
    yield "correlated", cells, cells
    sizes = np.array([1, 50, 1e-3, 2, 1e5])
    cells = holes(correlated(150, 5, rng) * sizes + 10 * sizes, 0.3, rng)
    yield "columns of different size", cells, cells
    cells = holes(correlated(40, 25, rng, 5), 0.1, rng)
    yield "almost as many columns as rows", cells, cells
    cells = holes(correlated(15, 25, rng, 5), 0.1, rng)
    yield "more columns than rows", cells, cells
    cells = correlated(200, 4, rng)
    cells[:, 1] = np.round(cells[:, 1])
    cells = holes(cells, 0.3, rng)
    yield "few values", cells, cells
    cells = holes(correlated(150, 5, rng), 0.3, rng)
    cells[:, 3] = 0.25
    yield "a constant column", cells, cells
    cells = correlated(120, 4, rng)
    cells = np.hstack([holes(cells, 0.3, rng), cells[:, :1] - 2 * cells[:, 1:2]])
    yield "a column without gaps", cells, cells
    train = correlated(300, 5, rng)
    train, test = train[:200], train[200:]
    train[:, :3] = holes(train[:, :3], 0.1, rng)
    test = np.where(rng.random(test.shape) < 0.6, np.nan, test)
    test[0] = np.nan
    yield "new patterns", train, test
    cells = holes(correlated(100, 3, rng), 0.85, rng)
    yield "mostly missing", cells, cells


TABLES = list(tables(np.random.default_rng(7)))


def worst(ours, theirs, train):
    """The largest difference, in standard deviations of its column."""
    scale = np.nanstd(train, axis=0)
    return (np.abs(ours - theirs) / np.where(scale > 0, scale, 1)).max()


every_table = pytest.mark.parametrize("train, test", [t[1:] for t in TABLES], ids=[t[0] for t in TABLES])


@every_table
def test_conditional_means_are_those_of_scikit_learn(train, test, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = IterativeImputer().fit(train).transform(test)
    assert worst(complete("ice", train, test, tmp_path), theirs, train) < 1e-9


def distances(test, train):
    """Squared distances by differences, and the largest error that scikit-learn's products of large numbers make in those of a row."""
    squares = (test[:, None] - train) ** 2
    shared = (~np.isnan(squares)).sum(2)
    exact = np.where(shared > 0, np.nansum(squares, 2) / np.maximum(shared, 1) * train.shape[1], np.nan)
    theirs = nan_euclidean_distances(test, train) ** 2
    return exact, np.nan_to_num(np.abs(theirs - exact)).max(1)


def means(values, distances):
    """The smallest and the largest mean of the five nearest, where any as near as the fifth may count. Distances are sorted."""
    count = min(5, len(values))
    fifth = distances[count - 1]
    equal = np.abs(distances - fifth) <= 1e-12 * fifth
    nearer, tied = values[(distances < fifth) & ~equal], np.sort(values[equal])
    free = count - len(nearer)
    return [(nearer.sum() + some.sum()) / count for some in (tied[:free], tied[-free:])]


@every_table
def test_means_of_neighbours_are_those_of_the_definition_and_of_scikit_learn(train, test, tmp_path):
    ours = complete("knn", train, test, tmp_path)
    theirs = KNNImputer().fit(train).transform(test)
    exact, error = distances(test, train)
    scale = np.nanstd(train, axis=0)
    scale[scale == 0] = 1
    gaps = np.argwhere(np.isnan(test))
    decided = 0
    for i, j in gaps:
        donors = np.flatnonzero(~np.isnan(train[:, j]) & ~np.isnan(exact[i]))
        donors = donors[np.argsort(exact[i, donors], kind="stable")]
        least, most = means(train[donors, j], exact[i, donors]) if len(donors) else [np.nanmean(train[:, j])] * 2
        assert least - 1e-9 * scale[j] < ours[i, j] < most + 1e-9 * scale[j]
        # The choice of scikit-learn among equally near rows is undefined, as is the order within its rounding error.
        if len(donors) <= 5 or exact[i, donors[5]] - exact[i, donors[4]] > 2 * error[i]:
            decided += 1
            assert abs(ours[i, j] - theirs[i, j]) < 1e-9 * scale[j]
    assert decided >= 0.4 * len(gaps)


def test_draws_have_the_distribution_of_scikit_learn(tmp_path):
    rng = np.random.default_rng(3)
    cells = correlated(70, 3, rng, 1) * [1, 20, 0.5] + [0, 100, 7]
    train, test = holes(cells[:50], 0.4, rng), np.where(rng.random((20, 3)) < 0.5, np.nan, cells[50:])
    ours, theirs = [], []
    for k in range(1, 151):
        imputer = IterativeImputer(sample_posterior=True, random_state=k)
        theirs.append((imputer.fit_transform(train), imputer.transform(test)))
        ours.append([complete("ice_mi", train, t, tmp_path, seed=1, imputation=k) for t in (train, test)])
    for table, ours, theirs in zip((train, test), zip(*ours), zip(*theirs)):
        gaps = np.argwhere(np.isnan(table))
        cell = [lambda t, i=i, j=j: t[i, j] for i, j in gaps[:: max(1, len(gaps) // 8)]]
        whole = [lambda t, j=j: t[:, j].mean() for j in range(3)] + [lambda t, j=j: t[:, j].std() for j in range(3)]
        pairs = [lambda t, j=j: np.corrcoef(t.T)[j, j - 1] for j in range(3)]
        for statistic in cell + whole + pairs:
            assert ks_2samp([statistic(t) for t in ours], [statistic(t) for t in theirs]).pvalue > 1e-4
