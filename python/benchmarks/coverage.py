"""Do pooled 95 % intervals cover the truth in 95 % of studies, and how wide are they?

Each study has N rows of y = 1 + x1 + x2 / 2 + e with x1, x2, e standard normal and correlation 0.5 between x1
and x2. 30 % of the cells of y and, independently, of x1 are taken away: completely at random (MCAR), or with
a probability that grows with x2, which is always observed (MAR). The table is then completed m times, y is
regressed on x1 and x2, its mean is taken, and both are pooled by Rubin's rules.

The same tables go to R's mice with method `norm`, whose model is the very one that made the data. mice does
its own regressions and pooling. Run as `python coverage.py`, with `--write` to renew docs/python/coverage.md.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Iterable

import numpy as np
from machine import measured_with
from page import write_numbers

from psd_impute import PSDImputer, pool

N, M = 200, 20
MISSING = 0.3
# The study was planned with so many tables a mechanism, which are too few to tell 95 % from 93 %; more are made, these
# among them.
PLANNED = 200
# What is estimated, and its true value.
TRUTH = {"slope of x1": 1.0, "slope of x2": 0.5, "mean of y": 1.0}
MECHANISMS = ("MCAR", "MAR")
# MAR cells are missing with probability 1 / (1 + exp(-(SHIFT + SLOPE x2))): on average 30 % of them.
SLOPE, SHIFT = 1.5, -1.188

WHOLE, OURS, ONE_FIT, MICE = "no cell missing", "psd_impute", "psd_impute, `one_fit=True`", "mice `norm`"

Intervals = np.ndarray  # of shape (..., estimands, 2)


# Studies


def study(seed: int, mechanism: str) -> tuple[np.ndarray, np.ndarray]:
    """The columns y, x1, x2 of a study, before and after cells are taken away."""
    rng = np.random.default_rng([MECHANISMS.index(mechanism), seed])
    x1, e1, e2 = rng.normal(size=(3, N))
    x2 = 0.5 * x1 + np.sqrt(0.75) * e1
    full = np.column_stack([1 + x1 + 0.5 * x2 + e2, x1, x2])
    chance = np.full(N, MISSING) if mechanism == "MCAR" else 1 / (1 + np.exp(-(SHIFT + SLOPE * x2)))
    table = full.copy()
    table[:, :2][rng.random((N, 2)) < chance[:, None]] = np.nan
    return full, table


# Analyses


def regression(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The slopes of y on x1 and x2, and their covariance matrix."""
    y, design = table[:, 0], np.column_stack([np.ones(N), table[:, 1:]])
    inverse = np.linalg.inv(design.T @ design)
    coefficients = inverse @ design.T @ y
    variance = np.sum((y - design @ coefficients) ** 2) / (N - 3)
    return coefficients[1:], variance * inverse[1:, 1:]


def mean(table: np.ndarray) -> tuple[float, float]:
    """The mean of y and its squared standard error."""
    return table[:, 0].mean(), table[:, 0].var(ddof=1) / N


def pooled(tables: Iterable[np.ndarray]) -> Intervals:
    """The intervals of all estimands from completed tables."""
    tables = list(tables)
    slopes = pool([regression(table) for table in tables], dof_complete=N - 3).conf_int()
    return np.vstack([slopes, pool([mean(table) for table in tables], dof_complete=N - 1).conf_int()])


def intervals(full: np.ndarray, table: np.ndarray) -> dict[str, Intervals]:
    """The intervals of one study. Pooling two equal tables gives those of the one."""
    imputer = PSDImputer(random_state=0, n_jobs=1).fit(table)
    return {
        WHOLE: pooled([full, full]),
        OURS: pooled(imputer.impute(table, m=M)),
        ONE_FIT: pooled(imputer.impute(table, m=M, one_fit=True)),
    }


def over_studies(studies: list[tuple[np.ndarray, np.ndarray]]) -> dict[str, Intervals]:
    """The intervals of all studies, stacked."""
    found = [intervals(full, table) for full, table in studies]
    return {name: np.stack([one[name] for one in found]) for name in found[0]}


def mice(tables: list[np.ndarray]) -> Intervals:
    """The intervals of R's mice, for all studies in one call."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "tables.csv", Path(folder) / "intervals.csv"
        rows = np.vstack([np.column_stack([np.full(N, k), table]) for k, table in enumerate(tables)])
        text = "\n".join(",".join("NA" if np.isnan(x) else repr(float(x)) for x in row) for row in rows)
        given.write_text(f"study,y,x1,x2\n{text}\n")
        script = Path(__file__).with_name("coverage.R")
        subprocess.run(["Rscript", str(script), str(given), str(found), str(M)], check=True)
        return np.loadtxt(found, delimiter=",", skiprows=1, quotechar='"')[:, 1:].reshape(len(tables), -1, 2)


def mice_version() -> str | None:
    """The versions of R and mice, or None where either is missing."""
    if shutil.which("Rscript") is None:
        return None
    ask = "cat(R.version$major, '.', R.version$minor, ' ', as.character(packageVersion('mice')), sep = '')"
    answer = subprocess.run(["Rscript", "-e", ask], capture_output=True, text=True)
    r, _, package = answer.stdout.partition(" ")
    return f"R {r}, mice {package}" if answer.returncode == 0 else None


# What comes out


def covered(intervals: Intervals) -> np.ndarray:
    """The share of studies whose interval holds the truth, for each estimand."""
    truth = np.array(list(TRUTH.values()))
    return np.mean((intervals[..., 0] <= truth) & (truth <= intervals[..., 1]), axis=0)


def width(intervals: Intervals) -> np.ndarray:
    """The mean width of the intervals, for each estimand."""
    return np.mean(intervals[..., 1] - intervals[..., 0], axis=0)


def verdict(share: float, ratio: float | None) -> str:
    """Whether our intervals are what we aim at: 93 to 97 % cover, at most 5 % wider than those of mice."""
    missed = [] if 0.93 <= share <= 0.97 else ["coverage"]
    missed += ["width"] if ratio is not None and ratio > 1.05 else []
    return f"missed: {' and '.join(missed)}" if missed else "met"


def lines_of(mechanism: str, studies: int, with_mice: bool) -> list[str]:
    """The lines of the table for one mechanism."""
    made = [study(seed, mechanism) for seed in range(studies)]
    found = over_studies(made)
    if with_mice:
        found[MICE] = mice([table for _, table in made])
    lines = []
    for k, estimand in enumerate(TRUTH):
        for name, stacked in found.items():
            share, wide = covered(stacked)[k], width(stacked)[k]
            planned = covered(stacked[:PLANNED])[k]
            ratio = wide / width(found[MICE])[k] if with_mice else None
            cells = [mechanism, estimand, name]
            cells += [f"{100 * share:.1f} %", f"{100 * planned:.1f} %", f"{wide:.4f}"]
            cells += ["" if ratio is None else f"{ratio:.3f}", verdict(share, ratio) if name == OURS else ""]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def numbers(studies: int, build: str) -> str:
    """Return the measurements as Markdown."""
    versions = mice_version()
    if versions is None:
        print("Rscript or its package mice is missing: psd_impute stands alone")
    with ProcessPoolExecutor() as processes:
        parts = processes.map(lines_of, MECHANISMS, repeat(studies), repeat(versions is not None))
        lines = [line for part in parts for line in part]
    noise = 200 * np.sqrt(0.95 * 0.05 / studies)
    head = [
        f"{measured_with('numpy', build=build)} {versions or 'R or mice was missing'}.",
        "",
        f"{studies} studies a mechanism, {N} rows, m = {M}. "
        f"Two standard errors of a share that is 95 % are {noise:.1f} points.",
        "",
        f"| missing | estimand | completed by | covered | of the first {PLANNED} "
        "| mean width | to that of mice | aim |",
        "|---|---|---|---:|---:|---:|---:|---|",
    ]
    return "\n".join(head + lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of pooled intervals, beside R's mice.")
    parser.add_argument("--studies", type=int, default=1000, help="how many for each mechanism")
    parser.add_argument("--build", default="dev build", help="what the page says of the engine")
    parser.add_argument("--write", action="store_true", help="renew docs/python/coverage.md")
    settings = parser.parse_args()
    text = numbers(settings.studies, settings.build)
    print(text)
    if settings.write:
        write_numbers("coverage", text)


if __name__ == "__main__":
    main()
