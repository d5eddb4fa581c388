"""The scores of `psd-impute evaluate`, computed independently with numpy, scipy and POT.

Only the masks of `psd-impute ampute` and the scores printed by `evaluate` come from the library.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import ot
import pytest
from scipy.spatial.distance import cdist

ROOT = Path(__file__).parent.parent
# `cargo xtask test` has built it with the tests; `cargo run` would build its dependencies again, with other features.
COMMAND = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug/psd-impute"
MECHANISMS = ["mcar", "mar", "mnar", "mnar --mnar self", "mnar --mnar quantile"]


def psd_impute(*arguments):
    command = [COMMAND, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def write(path, cells):
    lines = (",".join("" if np.isnan(x) else repr(float(x)) for x in row) for row in cells)
    path.write_text("\n".join([",".join(f"x{j}" for j in range(cells.shape[1])), *lines]) + "\n")


def tables(rng):
    """Correlated columns of very different scales; skewed ones; a constant one; few values, so that rows repeat."""
    factor = rng.normal(size=(120, 1))
    yield np.hstack([factor * s + m + rng.normal(size=(120, 1)) for s, m in [(1, 0), (50, 1e4), (1e-3, 1), (2, -7)]])
    yield rng.exponential(size=(80, 2))
    yield np.hstack([rng.normal(size=(60, 3)), np.full((60, 1), 0.1)])
    yield rng.integers(0, 3, size=(150, 4)).astype(float)


def completions(masked, rng):
    """Means of columns, then two tables of values drawn from the columns."""
    missing = np.isnan(masked)
    yield np.where(missing, np.nanmean(masked, 0), masked)
    for _ in range(2):
        drawn = masked.copy()
        for j in range(masked.shape[1]):
            drawn[missing[:, j], j] = rng.choice(masked[~missing[:, j], j], missing[:, j].sum())
        yield drawn


def scores(truth, masked, completed):
    kept = np.ptp(truth, axis=0) > 0
    missing = np.isnan(masked)[:, kept]
    mean, deviation = truth[:, kept].mean(0), truth[:, kept].std(0)
    x, y = ((table[:, kept] - mean) / deviation for table in (truth, completed))
    rows = missing.any(1)
    equal = np.full(rows.sum(), 1 / rows.sum())
    error = (y - x)[missing]
    return {
        "ed": 2 * cdist(x, y).mean() - cdist(x, x).mean() - cdist(y, y).mean(),
        "w2": ot.emd2(equal, equal, cdist(y[rows], x[rows], "sqeuclidean") / 2),
        "rmse": np.sqrt((error**2).mean()),
        "mae": np.abs(error).mean(),
    }


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_scores_are_those_of_the_definitions(mechanism, tmp_path):
    rng = np.random.default_rng(MECHANISMS.index(mechanism))
    for truth in tables(rng):
        files = [tmp_path / f"{name}.csv" for name in ("truth", "masked", "one", "two", "three")]
        write(files[0], truth)
        psd_impute("ampute", files[0], "-o", files[1], "--mechanism", *mechanism.split(), "--rate", 0.3)
        masked = np.genfromtxt(files[1], delimiter=",", skip_header=1)
        completed = list(completions(masked, rng))
        for file, cells in zip(files[2:], completed):
            write(file, cells)
        ours = json.loads(psd_impute("evaluate", *files, "--json"))
        theirs = [scores(truth, masked, cells) for cells in completed]
        assert ours["category_error"] is None
        for name in ("ed", "w2", "rmse", "mae"):
            known = theirs[:2] if name == "w2" else theirs
            assert [each[name] for each in ours["each"]][: len(known)] == pytest.approx([s[name] for s in known], abs=1e-9)
            assert ours[name] == pytest.approx(np.mean([s[name] for s in known]), abs=1e-9)
