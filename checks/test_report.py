"""Findings of a report, compared with numpy and scipy: Little's test, dependence of missingness, distances."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

ROOT = Path(__file__).parent.parent
COMMAND = os.environ.get("PSD_IMPUTE_COMMAND", str(ROOT / "target/debug/psd-impute"))


def table():
    """Two numbers, a third that goes missing where the first is large, and labels that do so at random."""
    rng = np.random.default_rng(7)
    a = rng.normal(size=250)
    b = 0.6 * a + rng.normal(size=250)
    c = a - b + 0.5 * rng.normal(size=250)
    label = rng.choice(["k", "l", "m"], size=250, p=[0.5, 0.3, 0.2])
    out = pd.DataFrame({"a": a.round(3), "b": b.round(3), "c": c.round(3), "label": label})
    out.loc[(a > 0.5) & (rng.random(250) < 0.7), "c"] = np.nan
    out.loc[rng.random(250) < 0.1, "b"] = np.nan
    out.loc[rng.random(250) < 0.2, "label"] = None
    return out


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    table().to_csv(folder / "table.csv", index=False)
    run = lambda *words: subprocess.run([COMMAND, *words], cwd=folder, check=True, stderr=subprocess.PIPE)
    run("fit", "table.csv", "-o", "model.psd", "--time-budget", "1", "--quiet")
    run("impute", "table.csv", "--model", "model.psd", "-o", "done.csv", "--quiet")
    run("report", "table.csv", "--model", "model.psd", "--completed", "done.csv", "-o", "report.html")
    page = (folder / "report.html").read_text(encoding="utf-8")
    findings = page.split('id="findings">')[1].split("</script>")[0]
    return json.loads(findings), pd.read_csv(folder / "done.csv")


def little(cells):
    """Little's test with the likelihood maximised directly, over the mean and a Cholesky factor."""
    cells = (cells - np.nanmean(cells, axis=0)) / np.nanstd(cells, axis=0)
    n, d = cells.shape
    lower = np.tril_indices(d)
    patterns = {}
    for row in cells:
        patterns.setdefault(tuple(~np.isnan(row)), []).append(row)
    groups = [(np.array(seen), np.array(rows)[:, np.array(seen)]) for seen, rows in patterns.items() if any(seen)]

    def parts(theta):
        factor = np.zeros((d, d))
        factor[lower] = theta[d:]
        return theta[:d], factor @ factor.T

    def loss(theta):
        mean, covariance = parts(theta)
        return -sum(
            stats.multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)], allow_singular=True).logpdf(rows).sum()
            for seen, rows in groups
        ) / n

    start = np.concatenate([np.zeros(d), np.eye(d)[lower]])
    best = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).x
    mean, covariance = parts(best)
    statistic = 0.0
    for seen, rows in groups:
        off = rows.mean(axis=0) - mean[seen]
        statistic += len(rows) * off @ np.linalg.solve(covariance[np.ix_(seen, seen)], off)
    freedom = sum(int(seen.sum()) for seen, _ in groups) - d
    return statistic, freedom, stats.chi2.sf(statistic, freedom)


def test_littles_test_is_that_of_the_greatest_likelihood(found):
    statistic, freedom, p = little(table()[["a", "b", "c"]].to_numpy())
    assert found[0]["little"]["freedom"] == freedom
    assert found[0]["little"]["statistic"] == pytest.approx(statistic, rel=1e-4)
    assert found[0]["little"]["p"] == pytest.approx(p, rel=1e-3)


def pooled(counts):
    """Labels with an expected count below five in a group are merged, with the rarest of the others if needed."""
    counts = counts[:, np.argsort(counts.sum(axis=0), kind="stable")]
    expected = counts.sum(axis=0) * counts.sum(axis=1).min() / counts.sum()
    together = int((expected < 5).sum())
    while 0 < together < counts.shape[1] and expected[:together].sum() < 5:
        together += 1
    return np.column_stack([counts[:, :together].sum(axis=1), counts[:, together:]]) if together else counts


def test_dependence_is_that_of_scipy(found):
    data = table()
    names = [column["name"] for column in found[0]["columns"]]
    pairs = found[0]["dependence"]["pairs"]
    assert len(pairs) == 9
    for pair in pairs:
        gaps, other = names[pair["gaps"]], names[pair["other"]]
        gone = data[gaps].isna()
        if other == "label":
            counts = pooled(pd.crosstab(gone, data[other]).to_numpy())
            chi, p, _, _ = stats.chi2_contingency(counts, correction=False)
            effect = np.sqrt(chi / counts.sum())
        else:
            first, second = data[other][gone].dropna(), data[other][~gone].dropna()
            wins, p = stats.mannwhitneyu(first, second, use_continuity=False, method="asymptotic")
            effect = 2 * wins / (len(first) * len(second)) - 1
        assert pair["effect"] == pytest.approx(effect, rel=1e-3, abs=1e-6), (gaps, other)
        assert pair["p"] == pytest.approx(p, rel=1e-3, abs=1e-12), (gaps, other)


def test_distances_are_those_of_scipy(found):
    findings, done = found
    data = table()
    for compared in findings["belong"]["columns"]:
        name = findings["columns"][compared["column"]]["name"]
        gone = data[name].isna()
        observed, imputed = data[name][~gone], done[name][gone]
        if name == "label":
            shares = [x.value_counts(normalize=True).reindex(["k", "l", "m"], fill_value=0) for x in (observed, imputed)]
            distance = 0.5 * (shares[0] - shares[1]).abs().sum()
        else:
            distance = stats.ks_2samp(observed, imputed).statistic
        assert compared["imputed"]["count"] == gone.sum()
        assert compared["distance"] == pytest.approx(distance, rel=1e-3, abs=1e-6), name
