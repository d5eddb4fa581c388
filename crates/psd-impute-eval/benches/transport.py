"""How fast SoftImpute and Sinkhorn imputation are beside numpy and beside torch with geomloss, on one machine in one run.

    cargo build --release -p psd-impute-eval --example measure
    python crates/psd-impute-eval/benches/transport.py [ITERATIONS [THREADS]]

Sinkhorn is run for so many gradient steps (200 if not said): time is proportional to them. All have the same number of threads
(one if not said; on a machine with other work, torch with more is many times slower). Besides seconds and their ratio,
the root mean squared errors of the missing cells, in standard deviations, are shown: they tell that both do the same.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ITERATIONS, THREADS = (int(x) for x in [*sys.argv[1:], *("200", "1")[len(sys.argv) - 1 :]])
for name in ("RAYON", "OMP", "OPENBLAS", "MKL"):
    os.environ[f"{name}_NUM_THREADS"] = str(THREADS)

import geomloss  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

ROOT = Path(__file__).parents[3]
COMMAND = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release/examples/measure"
torch.set_default_dtype(torch.float64)
torch.set_num_threads(THREADS)


def ours(what, table, **request):
    rows = [[None if np.isnan(x) else float(x) for x in row] for row in table]
    request = json.dumps({what: {"table": rows, "seed": 0, **request}})
    answer = json.loads(subprocess.run([COMMAND], input=request.encode(), check=True, stdout=subprocess.PIPE).stdout)
    return answer["seconds"], np.array(answer["result"])


def soft_impute(x, penalty, iterations=1000):
    missing = np.isnan(x)
    filled = np.where(missing, 0, x)
    for _ in range(iterations):
        u, s, v = np.linalg.svd(filled, full_matrices=False)
        new = np.where(missing, u * np.maximum(s - penalty, 0) @ v, x)
        change, filled = np.linalg.norm(new - filled) / np.linalg.norm(filled), new
        if change <= 1e-10:
            break
    return filled


def cross_validated(x, rng):
    """A plain numpy SoftImpute whose penalty fills a tenth of the observed cells best."""
    largest = np.linalg.svd(np.nan_to_num(x), compute_uv=False)[0]
    penalties = largest * np.geomspace(1e-3, 1, 15)
    gone = ~np.isnan(x) & (rng.random(x.shape) < 0.1)
    masked = np.where(gone, np.nan, x)
    errors = [((soft_impute(masked, penalty) - x)[gone] ** 2).sum() for penalty in penalties]
    return soft_impute(x, penalties[np.argmin(errors)])


def sinkhorn(x, rng):
    """Batched Sinkhorn imputation with torch and geomloss."""
    n, missing = len(x), torch.tensor(np.isnan(x))
    filled = np.where(np.isnan(x), 0, x)
    distances = ((filled[:, None] - filled[None]) ** 2).sum(2) / 2
    blur = 0.05 * np.median(distances[distances > 0])
    loss = geomloss.SamplesLoss("sinkhorn", p=2, blur=blur, scaling=0.9, backend="tensorized")
    cells = torch.tensor(0.1 * rng.normal(size=int(missing.sum())), requires_grad=True)
    optimizer = torch.optim.RMSprop([cells], lr=1e-2)
    for _ in range(ITERATIONS):
        table = torch.tensor(filled)
        table[missing] = cells
        one, two = (table[rng.choice(n, 128, replace=False)] for _ in range(2))
        optimizer.zero_grad()
        loss(one, two).backward()
        optimizer.step()
    filled[np.isnan(x)] = cells.detach().numpy()
    return filled


def compare(name, shape, truth, table, mine, theirs):
    missing = np.isnan(table)
    rmse = lambda filled: np.sqrt((((filled - truth) / truth.std(0))[missing] ** 2).mean())
    start = time.perf_counter()
    other = theirs()
    seconds = time.perf_counter() - start
    best, filled = min((mine() for _ in range(2)), key=lambda run: run[0])
    print(
        f"{name:12} {shape[0]:5} x {shape[1]:<3} ours {best:8.3f} s, theirs {seconds:8.3f} s, {seconds / best:6.1f} times;"
        f"  rmse {rmse(filled):.4f} and {rmse(other):.4f}",
        flush=True,
    )


for shape in [(1000, 10), (500, 30)]:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1])) + 0.5 * rng.normal(size=shape)
    table = np.where(rng.random(shape) < 0.2, np.nan, truth)
    mean, deviation = np.nanmean(table, 0), np.nanstd(table, 0)
    x = (table - mean) / deviation
    back = lambda filled: filled * deviation + mean
    compare(
        "soft impute", shape, truth, table, lambda: ours("soft_impute", table), lambda: back(cross_validated(x, rng))
    )
    compare(
        "sinkhorn", shape, truth, table,
        lambda: ours("sinkhorn", table, iterations=ITERATIONS), lambda: back(sinkhorn(x, rng)),
    )
