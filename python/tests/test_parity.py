"""The command and the package: the same model file, the same cells to the bit."""

from __future__ import annotations

import os
import subprocess

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest
from psd_impute import PSDImputer

COMMAND = os.environ.get("PSD_IMPUTE_COMMAND")
pytestmark = pytest.mark.skipif(COMMAND is None, reason="PSD_IMPUTE_COMMAND names no command; `cargo xtask test` sets it")


# A Parquet file does not keep the order of a Categorical's labels.
ORDERED = ("--ordered", "size=S<M<L<XL")


def run(*arguments: object) -> None:
    subprocess.run([str(COMMAND), *map(str, arguments)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def files(people, tmp_path_factory):
    """A table, its model by the command, and its completion by the command."""
    folder = tmp_path_factory.mktemp("parity")
    table = people.drop(columns="flag").reset_index(drop=True)
    table.to_parquet(folder / "in.parquet")
    run("impute", folder / "in.parquet", "-o", folder / "draw.parquet", "--seed", 5, "--save-model", folder / "model", *ORDERED)
    run("impute", folder / "in.parquet", "-o", folder / "mean.parquet", "--method", "mean", "--seed", 5, *ORDERED)
    run("impute", folder / "in.parquet", "-o", folder / "many.parquet", "-m", 3, "--seed", 5, *ORDERED)
    return folder, table


def same(ours: pd.DataFrame, path: object) -> None:
    theirs = pyarrow.parquet.read_table(path).to_pandas()
    assert list(ours.columns) == list(theirs.columns)
    for name in ours:
        left, right = ours[name].reset_index(drop=True), theirs[name].astype(ours[name].dtype)
        assert left.equals(right), name


def test_the_same_cells(files):
    folder, table = files
    imputer = PSDImputer(random_state=5).fit(table)
    same(imputer.transform(table), folder / "draw.parquet")
    same(PSDImputer("mean", random_state=5).fit_transform(table), folder / "mean.parquet")
    for k, done in enumerate(imputer.impute(table, m=3), start=1):
        same(done, folder / f"many.{k}.parquet")


def test_the_same_model_file(files, tmp_path):
    folder, table = files
    imputer = PSDImputer(random_state=5).fit(table)
    imputer.save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == (folder / "model").read_bytes()


def test_a_model_of_the_commands(files):
    folder, table = files
    loaded = PSDImputer.load(folder / "model")
    same(loaded.transform(table), folder / "draw.parquet")
    same(PSDImputer.load(folder / "model", method="mean").transform(table), folder / "mean.parquet")
    assert loaded.seed_ == 5 and loaded.report_.rows == len(table) and loaded.report_.trace == ()
    assert list(loaded.feature_names_in_) == list(table.columns)


def test_a_model_for_the_command(files, tmp_path):
    folder, table = files
    PSDImputer(random_state=5).fit(table).save(tmp_path / "model")
    run("impute", folder / "in.parquet", "-o", tmp_path / "out.parquet", "--model", tmp_path / "model", "--seed", 5)
    same(PSDImputer.load(tmp_path / "model").transform(table), tmp_path / "out.parquet")


def test_a_csv_file_of_numbers(matrix, tmp_path):
    table = pd.DataFrame(matrix, columns=["a", "b", "c"])
    table.to_csv(tmp_path / "in.csv", index=False)
    run("impute", tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--seed", 1)
    theirs = np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1)
    ours = PSDImputer(random_state=1).fit(table).transform(table).to_numpy()
    assert np.array_equal(theirs, ours)
