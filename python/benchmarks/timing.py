"""How long does `fit_transform` take, beside other imputers, and how long the import?

The tables have 10 columns: skewed, bounded and bimodal transforms of three common factors with noise, 20 % of
the cells missing. Every imputer has its defaults; miceforest is given 5 iterations. Each measurement is made
in a process of its own, which is stopped after LIMIT seconds. Run as `python timing.py`, with `--write` to
renew docs/python/timing.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
import warnings
from multiprocessing.connection import Connection
from typing import Callable

import numpy as np
from machine import is_installed, measured_with
from page import write_numbers

ROWS = (500, 5_000, 50_000)
COLUMNS, MISSING = 10, 0.2
# Seconds after which a measurement is stopped.
LIMIT = 300
# A measurement is repeated so often, and the shortest counts, unless once takes longer than LONG seconds.
TIMES, LONG = 3, 5.0

IMPORTS = (
    "import psd_impute",
    "from psd_impute import PSDImputer",
    "from sklearn.impute import SimpleImputer",
)


def table(rows: int) -> np.ndarray:
    """Rows of one distribution, whatever their number: its loadings have a generator of their own."""
    loadings = np.random.default_rng(0).normal(size=(3, COLUMNS))
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(rows, 3)) + 2 * (rng.random((rows, 1)) < 0.4)
    mixed = factors @ loadings + 0.5 * rng.normal(size=(rows, COLUMNS))
    mixed[:, 0::3] = np.exp(mixed[:, 0::3] / 3)
    mixed[:, 1::3] = np.tanh(mixed[:, 1::3] / 2)
    mixed[rng.random(mixed.shape) < MISSING] = np.nan
    return mixed


# Imputers. What they need is imported before the clock starts.


def ours(method: str) -> Callable[[np.ndarray], None]:
    from psd_impute import PSDImputer

    return lambda X: PSDImputer(method=method, random_state=0).fit_transform(X)


def iterative() -> Callable[[np.ndarray], None]:
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    return IterativeImputer(random_state=0).fit_transform


def nearest() -> Callable[[np.ndarray], None]:
    from sklearn.impute import KNNImputer

    return KNNImputer().fit_transform


def forest() -> Callable[[np.ndarray], None]:
    import miceforest
    import pandas as pd

    def complete(X: np.ndarray) -> None:
        kernel = miceforest.ImputationKernel(pd.DataFrame(X).add_prefix("x"), random_state=0)
        kernel.mice(5)
        kernel.complete_data()

    return complete


IMPUTERS: dict[str, Callable[[], Callable[[np.ndarray], None]]] = {
    "psd_impute, draw": lambda: ours("draw"),
    "psd_impute, mean": lambda: ours("mean"),
    "IterativeImputer": iterative,
    "KNNImputer": nearest,
    "miceforest": forest,
}


# Measuring


def seconds(imputer: str, rows: int) -> float | None:
    """The time in a new process; None where it passes the limit."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(imputer, rows, there))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(LIMIT) else None
    finally:
        process.terminate()
        process.join()


def _measure(imputer: str, rows: int, result: Connection) -> None:
    # Reaching its limit of iterations is how IterativeImputer usually ends.
    warnings.simplefilter("ignore")
    complete, X = IMPUTERS[imputer](), table(rows)
    found: list[float] = []
    while len(found) < TIMES and max(found, default=0.0) < LONG:
        start = time.perf_counter()
        complete(X)
        found.append(time.perf_counter() - start)
    result.send(min(found))


def import_seconds(statement: str) -> float:
    """The median of five fresh processes."""
    code = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs)


# What comes out


def cell(found: float | None, base: float) -> str:
    """Seconds, and their ratio to ours."""
    if found is None:
        return f"> {LIMIT} s ({LIMIT / base:.1f} at least)"
    return f"{found:.3g} s ({found / base:.2g})"


def line(rows: int, imputers: list[str]) -> str:
    found = {}
    for imputer in imputers:
        found[imputer] = seconds(imputer, rows)
        print(f"{rows} rows, {imputer}: {found[imputer]}", file=sys.stderr)
    base = found[imputers[0]] or LIMIT
    return f"| {rows:,} | {' | '.join(cell(found[imputer], base) for imputer in imputers)} |"


def numbers(build: str) -> str:
    """Return the measurements as Markdown."""
    imputers = [name for name in IMPUTERS if name != "miceforest" or is_installed(name)]
    load = os.getloadavg()[0]
    lines = [line(rows, imputers) for rows in ROWS]
    imports = [f"| `{statement}` | {import_seconds(statement):.3f} s |" for statement in IMPORTS]
    head = [
        measured_with("numpy", "scikit-learn", "miceforest", "lightgbm", build=build),
        "",
        f"`fit_transform` of {COLUMNS} columns, {100 * MISSING:.0f} % of the cells missing.",
        f"In brackets the ratio to {imputers[0]}. Load average before the first measurement: {load:.1f}.",
        "",
        f"| rows | {' | '.join(imputers)} |",
        f"|---:|{'---:|' * len(imputers)}",
    ]
    return "\n".join([*head, *lines, "", "| import | time |", "|---|---:|", *imports]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Time of fit_transform and of the import.")
    parser.add_argument("--build", default="dev build", help="what the page says of the engine")
    parser.add_argument("--write", action="store_true", help="renew docs/python/timing.md")
    settings = parser.parse_args()
    text = numbers(settings.build)
    print(text)
    if settings.write:
        write_numbers("timing", text)


if __name__ == "__main__":
    main()
