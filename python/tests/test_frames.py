"""Tables of every kind come back in their own type."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from psd_impute import DataError, PSDImputer


@pytest.fixture(scope="module")
def imputer(people):
    return PSDImputer(random_state=0).fit(people)


def test_pandas_keeps_everything_but_the_gaps(people, imputer):
    before = people.copy()
    done = imputer.transform(people)
    pd.testing.assert_frame_equal(people, before)
    assert list(done.columns) == list(people.columns) and done.index.equals(people.index)
    assert (done.dtypes == people.dtypes).all()
    assert done.notna().all().all()
    for name in people:
        seen = people[name].notna()
        assert (done[name][seen] == people[name][seen]).all(), name
    assert set(done["size"]) <= {"S", "M", "L"} and set(done["flag"]) == {True, False}
    assert "column `key` is left as it is: it identifies rows" in imputer.report_.notes


def test_pandas_of_other_indexes_and_names():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(30, 2)), columns=[1, "b"], index=pd.MultiIndex.from_product([[1, 1], range(15)]))
    table.iloc[3, 0] = np.nan
    with pytest.raises(TypeError, match="string"):
        PSDImputer().fit(table)
    table.columns = [1, 2]
    done = PSDImputer(random_state=0).fit_transform(table)
    assert list(done.columns) == [1, 2] and done.index.equals(table.index) and done.notna().all().all()


def test_polars(people, imputer):
    given = pl.from_pandas(people.drop(columns=["flag", "ward"])).with_columns(
        pl.col("town").cast(pl.Enum(["Bonn", "Ulm", "Wien"])), pl.col("size").cast(pl.Categorical)
    )
    done = PSDImputer(random_state=0).fit_transform(given)
    assert done.schema == given.schema and done.null_count().sum_horizontal().item() == 0
    for name in given.columns:
        seen = given[name].is_not_null()
        assert done[name].filter(seen).equals(given[name].filter(seen)), name
    with pytest.raises(TypeError, match=r"collect\(\)"):
        PSDImputer().fit(given.lazy())


def test_pyarrow_and_other_arrow_streams(people):
    given = pa.Table.from_pandas(people.drop(columns="flag"), preserve_index=False)
    done = PSDImputer(random_state=0).fit_transform(given)
    assert done.schema.equals(given.schema, check_metadata=True)
    assert sum(column.null_count for column in done.columns) == 0

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return given.__arrow_c_stream__(requested_schema)

    assert pa.table(PSDImputer(random_state=0).fit_transform(Stream())).equals(done)
    batch = given.to_batches()[0]
    assert PSDImputer(random_state=0).fit_transform(batch).equals(done.combine_chunks().to_batches()[0])


def test_all_kinds_are_completed_alike(people):
    numbers = people[["height", "single", "year"]].astype(float)
    by_pandas = PSDImputer(random_state=0).fit_transform(numbers)
    by_polars = PSDImputer(random_state=0).fit_transform(pl.from_pandas(numbers))
    by_arrow = PSDImputer(random_state=0).fit_transform(pa.Table.from_pandas(numbers, preserve_index=False))
    by_numpy = PSDImputer(random_state=0).fit_transform(numbers.to_numpy())
    for other in (by_polars.to_numpy(), by_arrow.to_pandas().to_numpy(), by_numpy):
        assert np.array_equal(by_pandas.to_numpy(), other)


def test_columns_that_are_shared_are_not_copied():
    rng = np.random.default_rng(0)
    whole, gap = rng.normal(size=50), rng.normal(size=50)
    gap[3] = np.nan
    given = pa.table({"whole": whole, "gap": pa.array(gap, from_pandas=True)})
    imputer = PSDImputer(random_state=0).fit(given)
    from psd_impute._engine import Table

    back = pa.table(Table(given))
    assert back.column(0).chunk(0).buffers()[1].address == given.column(0).chunk(0).buffers()[1].address
    done = imputer.transform(given)
    assert done.column(0).chunk(0).buffers()[1].address == given.column(0).chunk(0).buffers()[1].address


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_sentinels_indicators_and_empty_columns_in_tables(people, kind):
    table = people[["height", "year"]].assign(year=lambda t: t.year.astype(float), empty=np.nan)
    given = {"pandas": lambda: table, "polars": lambda: pl.from_pandas(table), "pyarrow": lambda: pa.Table.from_pandas(table, preserve_index=False)}[kind]()
    names = lambda t: t.column_names if kind == "pyarrow" else list(t.columns)
    with pytest.warns(UserWarning, match="no cell of empty is observed: skipped"):
        imputer = PSDImputer(random_state=0, add_indicator=True).fit(given)
    done = imputer.transform(given)
    assert names(done) == ["height", "year", "missingindicator_height", "missingindicator_empty"]
    flags = done["missingindicator_height"]
    assert np.array_equal(np.asarray(flags.to_numpy(), dtype=bool), table["height"].isna().to_numpy())
    kept = PSDImputer(random_state=0, keep_empty_features=True).fit_transform(given)
    assert names(kept) == ["height", "year", "empty"] and (np.asarray(kept["empty"].to_numpy()) == 0).all()
    if kind != "pyarrow":
        marked = table.drop(columns="empty").fillna(-1.0)
        marked = marked if kind == "pandas" else pl.from_pandas(marked)
        done = PSDImputer(random_state=0, missing_values=-1).fit_transform(marked)
        assert (np.asarray(done["height"].to_numpy()) > 0).all()


def test_bounds_of_dates(people):
    last = people["joined"].max()

    def latest(bounds):
        imputer = PSDImputer(random_state=1, bounds=bounds).fit(people)
        assert imputer.transform(people)["joined"].notna().all()
        nobody = people.reindex(["nobody"])
        return imputer.conditional(nobody, quantiles=[0.9999])["joined"].quantiles.max()

    assert latest({"joined": (None, last)}) <= last < latest(None)
    assert latest({"joined": (None, datetime.date(2021, 5, 1))}) <= np.datetime64("2021-05-01")


def test_cells_that_stay_empty_are_told_with_counts_and_reasons(people):
    keyed = people[["key", "height", "year"]].copy()
    keyed.loc[["r4", "r7"], "key"] = None
    imputer = PSDImputer(random_state=0).fit(keyed)
    assert "2 cells of `key` stay empty: it identifies rows" in imputer.report_.notes
    with pytest.warns(UserWarning, match="2 cells of `key` stay empty: it identifies rows"):
        done = imputer.transform(keyed)
    assert done["key"].isna().sum() == 2 and done["height"].notna().all()
    with pytest.warns(UserWarning, match="1 cell of `key` stays empty"):
        imputer.transform(keyed.loc[["r4", "r5"]])


def test_strict_refuses_cells_that_would_stay_empty(people):
    keyed = people[["key", "height", "year"]].copy()
    strict = PSDImputer(random_state=0, strict=True).fit(keyed)
    assert strict.transform(keyed)["height"].notna().all()
    keyed.loc["r4", "key"] = None
    what = r"1 missing cell would stay empty: 1 of `key` \(it identifies rows\)\nhint: categorical_features key completes it with texts of other rows"
    for refused in (strict.transform, strict.impute, PSDImputer(strict=True).fit):
        with pytest.raises(DataError, match=what):
            refused(keyed)
    # A column without a cell is dropped, as scikit-learn does, and so has none that stays empty.
    empty = people[["height", "year"]].assign(never=np.nan)
    with pytest.warns(UserWarning, match="no cell of never is observed: skipped"):
        assert list(PSDImputer(random_state=0, strict=True).fit_transform(empty).columns) == ["height", "year"]


def test_mixed_objects_are_refused_by_name():
    table = pd.DataFrame({"a": [1.0, 2.0, None], "b": np.array([1, "x", None], dtype=object)})
    with pytest.raises(DataError, match="column `b` of dtype object cannot be read") as error:
        PSDImputer().fit(table)
    assert "hint: convert the column" in str(error.value)


def test_new_rows_look_like_the_table(people, imputer):
    rows = imputer.sample(50)
    assert list(rows.columns) == list(people.columns) and (rows.dtypes == people.dtypes).all()
    assert rows.drop(columns="key").notna().all().all()
    assert set(rows["town"]) <= {"Ulm", "Bonn"} and rows.equals(imputer.sample(50))
    assert not rows.equals(imputer.sample(50, random_state=8))
    given = pl.from_pandas(people[["height", "town"]])
    assert PSDImputer(random_state=0).fit(given).sample(4).schema == given.schema
    given = pa.Table.from_pandas(people[["height", "size"]], preserve_index=False)
    assert PSDImputer(random_state=0).fit(given).sample(4).schema.equals(given.schema)
