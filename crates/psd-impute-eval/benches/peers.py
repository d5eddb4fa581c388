"""Our imputers beside the programs they follow, in seconds on the same tables.

    cargo build --release -p psd-impute-eval --example complete
    RAYON_NUM_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python crates/psd-impute-eval/benches/peers.py

Ours and theirs fit and complete in turn, three times each; the least time counts. Neither starting programs nor files count. Needs what
`checks/requirements.txt` names.
"""

import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer

COMMAND = Path(__file__).parents[3] / "target/release/examples/complete"
PEERS = {
    "ice": IterativeImputer,
    "ice_mi": lambda: IterativeImputer(sample_posterior=True, random_state=0),
    "knn": KNNImputer,
}
ALONE = ["gaussian", "gaussian_mi", "pmm"]


def table(n, d, rng):
    cells = rng.normal(size=(n, 3)) @ rng.normal(size=(3, d)) + 0.5 * rng.normal(size=(n, d))
    return np.where(rng.random((n, d)) < 0.2, np.nan, cells)


def write(path, cells):
    lines = (",".join("" if np.isnan(x) else repr(float(x)) for x in row) for row in cells)
    path.write_text("\n".join([",".join(f"x{j}" for j in range(cells.shape[1])), *lines]) + "\n")


def ours(method, path):
    command = [COMMAND, method, path, path, path.with_name("out.csv"), "0", "1"]
    return float(subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE).stdout)


def theirs(peer, cells):
    start = time.perf_counter()
    peer().fit_transform(cells)
    return time.perf_counter() - start


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"{'table':>8}  {'method':<14} {'ours s':>8} {'theirs s':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        for n, d in [(1000, 10), (5000, 20)]:
            cells = table(n, d, np.random.default_rng(0))
            write(path, cells)
            for method, peer in PEERS.items():
                runs = [(ours(method, path), theirs(peer, cells)) for _ in range(3)]
                mine, other = np.min(runs, axis=0)
                print(f"{n:>5}x{d:<2}  {method:<14} {mine:8.4f} {other:8.4f} {other / mine:6.1f}", flush=True)
            for method in ALONE:
                mine = min(ours(method, path) for _ in range(3))
                print(f"{n:>5}x{d:<2}  {method:<14} {mine:8.4f} {'':>8} {'':>6}", flush=True)


if __name__ == "__main__":
    main()
