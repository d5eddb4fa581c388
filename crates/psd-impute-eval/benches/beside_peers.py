"""The scores of our native imputers beside those of the programs that they follow.

    psd-impute lab run in-sample.toml --data DIR -o records.jsonl
    python crates/psd-impute-eval/benches/beside_peers.py records.jsonl peers.csv

The second file has the columns dataset, rate, seed, method, ed, w2 and rmse, the method being one of PEERS. Masks are not the same, so single
tables differ by chance; the median over tables and rates of the ratio of the means over seeds tells whether a method is the same.
Needs pandas; prints a table in Markdown.
"""

import sys

import pandas as pd

# Ours, and the same by others.
PEERS = {
    "mean": "mean",
    "ice": "sklearn IterativeImputer",
    "ice_mi": "sklearn IterativeImputer sample_posterior",
    "softimpute": "SoftImpute",
    "ot": "Sinkhorn OT",
    "knn": "sklearn KNNImputer",
    "pmm": "R mice pmm",
    "r_mice_pmm": "R mice pmm",
}
SCORES = ["ed", "w2", "rmse"]


def means(frame):
    return frame.groupby(["dataset", "rate"])[SCORES].mean()


def main(records, peers):
    ours = pd.read_json(records, lines=True)
    theirs = pd.read_csv(peers)
    print("| method | beside | tables and rates | ED | OT | RMSE |\n|---|---|---|---|---|---|")
    for method, peer in PEERS.items():
        a, b = (means(frame[frame.method == name]) for frame, name in ((ours, method), (theirs, peer)))
        ratio = (a / b).dropna()
        if len(ratio):
            shown = (f"{ratio[score].median():.3f} ({ratio[score].min():.2f} to {ratio[score].max():.2f})" for score in SCORES)
            print(f"| `{method}` | {peer} | {len(ratio)} | {' | '.join(shown)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
