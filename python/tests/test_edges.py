"""Edge cases: types that lack a drawn label, markers of missing cells, files, and warnings about them."""

from __future__ import annotations

import datetime
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from psd_impute import DataError, PsdImputeError, PSDImputer, SettingError


@pytest.fixture(scope="module")
def letters() -> pd.DataFrame:
    """A number and the letter that it determines, with missing cells in both."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    table = pd.DataFrame({"x": x, "letter": np.where(x > 0.5, "c", np.where(x > -0.5, "b", "a"))})
    table["letter"] = table["letter"].astype(object)
    table.loc[::9, "letter"] = None
    table.loc[4::11, "x"] = np.nan
    return table


# Categories


@pytest.mark.parametrize("ordered", [False, True])
def test_a_categorical_gets_the_labels_that_it_lacks(letters, ordered):
    whole = letters.assign(letter=pd.Categorical(letters["letter"], ["a", "b", "c"], ordered=ordered))
    imputer = PSDImputer("mean", random_state=0).fit(whole)
    batch = pd.DataFrame({"x": [2.0, -2.0, 0.0], "letter": pd.Categorical([None, "a", None], ["a", "b"], ordered=ordered)})
    done = imputer.transform(batch)
    assert done["letter"].tolist() == ["c", "a", "b"]
    assert list(done["letter"].cat.categories) == ["a", "b", "c"] and done["letter"].cat.ordered == ordered
    tables = imputer.impute(batch, m=3)
    assert all(table["letter"].dtype == done["letter"].dtype for table in tables)
    # One that lacks a label in the middle gets it there, if its categories have an order.
    middle = batch.assign(letter=pd.Categorical([None, "a", None], ["a", "c"], ordered=ordered))
    assert list(imputer.transform(middle)["letter"].cat.categories) == (["a", "b", "c"] if ordered else ["a", "c", "b"])


def test_categories_of_numbers_stay_numbers(letters):
    numbers = letters.assign(letter=letters["letter"].map({"a": 10, "b": 20, "c": 30}).astype("Int64").astype("category"))
    imputer = PSDImputer("mean", random_state=0).fit(numbers)
    batch = pd.DataFrame({"x": [2.0, -2.0], "letter": pd.Categorical([None, 10], [10, 20])})
    done = imputer.transform(batch)
    assert done["letter"].tolist() == [30, 10] and done["letter"].cat.categories.dtype == np.int64


@pytest.mark.parametrize("empty", [
    pd.Categorical([None, None]),
    pd.Categorical([None, None], ["a", "b"]),
    np.array([None, None], dtype=object),
    np.array([np.nan, np.nan]),
])
def test_a_batch_without_a_label_is_completed(letters, empty):
    categories = letters.assign(letter=letters["letter"].astype("category"))
    imputer = PSDImputer("mean", random_state=0).fit(categories)
    done = imputer.transform(pd.DataFrame({"x": [2.0, -2.0], "letter": empty}, index=["i", "j"]))
    assert done["letter"].tolist() == ["c", "a"] and list(done.index) == ["i", "j"]
    if isinstance(empty, pd.Categorical):
        assert list(done["letter"].cat.categories) == ["a", "b", "c"]


def test_a_polars_enum_is_widened(letters):
    enum = pl.from_pandas(letters).with_columns(pl.col("letter").cast(pl.Enum(["a", "b", "c"])))
    imputer = PSDImputer("mean", random_state=0).fit(enum)
    batch = pl.DataFrame({"x": [2.0, -2.0], "letter": [None, "a"]}, schema={"x": pl.Float64, "letter": pl.Enum(["a", "b"])})
    done = imputer.transform(batch)
    assert done["letter"].to_list() == ["c", "a"] and done.schema["letter"] == pl.Enum(["a", "b", "c"])
    assert imputer.transform(enum).schema == enum.schema
    for dtype in (pl.Categorical, pl.String, pl.Null):
        nothing = pl.DataFrame({"x": [2.0], "letter": [None]}, schema={"x": pl.Float64, "letter": dtype})
        assert imputer.transform(nothing)["letter"].to_list() == ["c"]


def test_a_dictionary_of_pyarrow_is_extended(letters):
    table = pa.table({"x": letters["x"], "letter": pa.array(letters["letter"], pa.string()).dictionary_encode()})
    imputer = PSDImputer("mean", random_state=0).fit(table)
    few = pa.DictionaryArray.from_arrays(pa.array([None, 0], pa.int8()), pa.array(["a"]))
    done = imputer.transform(pa.table({"x": [2.0, -2.0], "letter": few}))
    assert done["letter"].to_pylist() == ["c", "a"] and done.schema.field("letter").type == few.type
    nothing = pa.table({"x": [2.0], "letter": pa.array([None], pa.float64()).dictionary_encode()})
    assert imputer.transform(nothing)["letter"].to_pylist() == ["c"]


# Ordered levels


@pytest.fixture(scope="module")
def grades() -> pd.DataFrame:
    """A number, and its grade as text and as a number, with gaps."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    grade = np.clip(np.floor(1.2 * (x + 0.4 * rng.normal(size=200)) + 2), 0, 3).astype(int)
    names = np.array(["poor", "fair", "good", "best"], dtype=object)
    table = pd.DataFrame({"x": x, "grade": names[grade], "score": (grade + 1).astype(float)})
    table.loc[::5, "grade"] = None
    table.loc[2::5, "score"] = np.nan
    return table


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_ordered_labels(grades, kind):
    levels = ["poor", "fair", "good", "best"]
    table = grades[["x", "grade"]]
    given = {"pandas": lambda: table, "polars": lambda: pl.from_pandas(table), "pyarrow": lambda: pa.Table.from_pandas(table)}[kind]()
    imputer = PSDImputer(random_state=0, ordered_features={"grade": levels}).fit(given)
    assert imputer.columns_ == {"x": "continuous", "grade": "ordered"}
    done = imputer.transform(given)
    column = done["grade"].to_pylist() if kind == "pyarrow" else done["grade"].to_list() if kind == "polars" else done["grade"].tolist()
    assert set(column) == set(levels)
    cells = imputer.conditional(given)["grade"]
    assert cells.labels == levels and cells.mean is None and cells.std is None
    np.testing.assert_allclose(cells.probabilities.sum(axis=1), 1, atol=1e-9)
    below = cells.probabilities.cumsum(axis=1)
    assert list(cells.median) == [levels[int((row >= 0.5).argmax())] for row in below]
    # The order is used: the median grows with x.
    ranks = [levels.index(label) for label in cells.median]
    assert np.corrcoef(ranks, table["x"].to_numpy()[cells.rows])[0, 1] > 0.8


def test_ordered_numbers_keep_their_values(grades):
    table = grades[["x", "score"]]
    imputer = PSDImputer("mean", random_state=0, ordered_features=["score"], bounds={"score": (2, None)})
    with pytest.raises(DataError, match="outside the bounds"):
        imputer.fit(table)
    imputer = PSDImputer("mean", random_state=0, ordered_features=[1]).fit(table)
    done = imputer.transform(table)
    assert imputer.columns_["score"] == "ordered" and set(done["score"]) == {1.0, 2.0, 3.0, 4.0}
    cells = imputer.conditional(table)["score"]
    assert cells.labels == [1, 2, 3, 4] and (cells.mean >= 1).all() and (cells.mean <= 4).all()
    np.testing.assert_allclose(cells.probabilities @ np.arange(1, 5), cells.mean, atol=1e-6)
    codes = imputer.set_params(method="draw").fit(table.to_numpy()).transform(table.to_numpy())
    assert set(codes[:, 1]) == {1.0, 2.0, 3.0, 4.0}


def test_an_ordered_categorical_is_taken_as_such(grades, tmp_path):
    levels = ["poor", "fair", "good", "best", "unseen"]
    table = grades[["x"]].assign(grade=pd.Categorical(grades["grade"], levels, ordered=True))
    imputer = PSDImputer(random_state=0).fit(table)
    assert imputer.columns_["grade"] == "ordered" and imputer.conditional(table)["grade"].labels == levels[:4]
    done = imputer.transform(table)
    assert done["grade"].dtype == table["grade"].dtype and done["grade"].notna().all()
    given = pa.Table.from_pandas(table, preserve_index=False)
    assert PSDImputer(random_state=0).fit(given).columns_["grade"] == "ordered"
    assert PSDImputer(random_state=0, categorical_features=["grade"]).fit(table).columns_["grade"] == "category"
    unordered = table.assign(grade=table["grade"].cat.as_unordered())
    assert PSDImputer(random_state=0).fit(unordered).columns_["grade"] == "category"
    assert PSDImputer(random_state=0, ordered_features=["grade"]).fit(unordered).columns_["grade"] == "ordered"
    imputer.save(tmp_path / "model")
    pd.testing.assert_frame_equal(PSDImputer.load(tmp_path / "model").transform(table), done)


@pytest.mark.parametrize("given, text", [
    ({"ordered_features": ["grade"]}, "column `grade` cannot be taken as ordered: its labels have no order of their own\nhint: give its levels"),
    ({"ordered_features": {"grade": ["poor", "fair", "good"]}}, "its label `best` is not one of the levels given"),
    ({"ordered_features": {"score": [4, 3, 2, 1]}}, "numbers are ordered by their size"),
    ({"ordered_features": {"grade": "poor<fair"}}, "must be a list from the lowest to the highest"),
    ({"ordered_features": {"grade": ["poor", "poor"]}}, "a level of 'grade' is given twice"),
    ({"ordered_features": ["mark"]}, "ordered_features: there is no column 'mark'\nhint: the columns are x, grade, score"),
    ({"continuous_features": ["mark"]}, "continuous_features: there is no column 'mark'"),
    ({"ignore_features": [3]}, "ignore_features: there is no column 3"),
    ({"ignore_features": "x"}, "ignore_features is 'x', but must be a list of columns"),
    ({"categorical_features": ["score"], "ignore_features": [2]}, "column 'score' is in both categorical_features and ignore_features"),
    ({"continuous_features": ["grade"]}, "column `grade`: `best` is not a number (nor are 159 other cells)\nhint: "),
    ({"bounds": {"x": 5}}, "bounds: those of column 'x' are 5, but must be a pair (low, high)"),
    ({"bounds": {"x": "01"}}, "bounds: those of column 'x' are '01', but must be a pair"),
    ({"bounds": {"X": (0, 1)}}, "bounds: there is no column 'X'\nhint: the columns are x, grade, score"),
    ({"bounds": {"x": (-9, 9), 0: (-9, 9)}}, "bounds: column 'x' is given twice"),
    ({"bounds": {"grade": (0, 1)}}, "bounds: "),
    ({"bounds": {"x": (np.nan, 1)}}, "bounds: an end is NaN\nhint: None leaves an end out"),
    ({"max_value": np.nan}, "max_value is NaN for a column\nhint: inf leaves the end out"),
    ({"bounds": [(0, 1)]}, "must map columns to pairs (low, high)"),
    ({"min_value": "low"}, "min_value is 'low', but must be a number"),
    ({"categorical_features": [True, "score"]}, "there is no column True"),
])
def test_what_is_wrong_is_said_at_fit(grades, given, text):
    with pytest.raises(PsdImputeError) as error:
        PSDImputer(**given).fit(grades)
    assert text in str(error.value)
    assert "--" not in str(error.value), "an option of the command"


def test_messages_name_no_option_of_the_command(grades):
    bad = grades.assign(x=np.where(grades.index == 3, np.inf, grades["x"]))
    text = pd.DataFrame({"a": [f"text number {i}" for i in range(40)]})
    for table in (bad, text):
        with pytest.raises(DataError, match="_features") as error:
            PSDImputer().fit(table)
        assert "--" not in str(error.value)


def test_names_and_positions_may_be_mixed(grades):
    table = grades.assign(code=np.where(grades["x"] > 0, 5, 2), other=np.where(grades["x"] > 0.3, 7, 4))
    imputer = PSDImputer(random_state=0, categorical_features=["code", 4], bounds={"x": (-9, 9), 2: (0, 5)}).fit(table)
    assert imputer.columns_["code"] == imputer.columns_["other"] == "category"
    assert PSDImputer(random_state=0, categorical_features=np.array([3, 4])).fit(table).columns_ == imputer.columns_


def test_continuous_and_ignored_columns(grades):
    table = grades[["x", "score"]].assign(flag=np.where(grades["x"] > 0, 1.0, 0.0), note=np.arange(200) % 7)
    table.loc[::6, "flag"] = np.nan
    imputer = PSDImputer("mean", random_state=0, continuous_features=["flag", "score"], ignore_features=["note"]).fit(table)
    assert imputer.columns_ == {"x": "continuous", "score": "continuous", "flag": "continuous", "note": "left"}
    done = imputer.transform(table)
    assert not set(done["flag"]) <= {0.0, 1.0} and not set(done["score"]) <= {1.0, 2.0, 3.0, 4.0}
    matrix = np.column_stack([grades["x"], grades["score"]])
    imputer = PSDImputer(random_state=0, ignore_features=[1]).fit(matrix)
    with pytest.warns(UserWarning, match="40 cells of `x1` stay empty"):
        done = imputer.transform(matrix)
    assert np.isnan(done[:, 1]).sum() == np.isnan(matrix[:, 1]).sum()


# Markers of missing cells


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_marker_keeps_integers(grades, kind):
    plain = grades[["x"]].assign(score=grades["score"].astype("Int64"), name=grades["grade"])
    marked = plain.assign(x=plain["x"].fillna(-999.0), score=plain["score"].fillna(-999).astype("int64"), name=plain["name"].fillna("poor"))
    make = {"pandas": lambda t: t, "polars": pl.from_pandas, "pyarrow": lambda t: pa.Table.from_pandas(t, preserve_index=False)}[kind]
    given = make(marked)
    imputer = PSDImputer(random_state=0, missing_values=-999).fit(given)
    done = imputer.transform(given)
    ours = done.to_pandas() if kind != "pandas" else done
    assert ours["score"].dtype == np.int64 and (ours["score"] > 0).all()
    assert np.isnan(marked["x"]).sum() == 0 and given.equals(make(marked))
    theirs = PSDImputer(random_state=0).fit_transform(plain.assign(name=marked["name"]))
    assert (ours["score"] == theirs["score"]).all()
    assert {"x", "score"} >= set(imputer.conditional(given))


def test_a_marker_may_be_beyond_a_type():
    column = np.arange(40).astype("int8")
    table = pd.DataFrame({"x": np.where(column % 5 == 0, -999, column**1.5), "small": column})
    for given in (table, pl.from_pandas(table), pa.Table.from_pandas(table, preserve_index=False)):
        done = PSDImputer(random_state=0, missing_values=-999, continuous_features=["small"]).fit_transform(given)
        assert list(done["small"].to_numpy()) == list(column) and done["x"].to_numpy().min() >= 0


def test_a_marker_may_be_text(grades):
    marked = grades.assign(grade=grades["grade"].fillna("?"), score=grades["score"].fillna(1.0))
    for given in (marked, marked.astype({"grade": "category"}), pl.from_pandas(marked), pa.Table.from_pandas(marked)):
        done = PSDImputer(random_state=0, missing_values="?").fit_transform(given)
        column = done["grade"]
        found = set(column.to_pylist() if hasattr(column, "to_pylist") else column.to_list())
        assert found == {"poor", "fair", "good", "best"}


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_other_gaps_beside_a_marker_are_refused(grades, kind):
    table = grades[["x", "score"]].copy()
    given = {"pandas": lambda: table, "polars": lambda: pl.from_pandas(table), "pyarrow": lambda: pa.Table.from_pandas(table)}[kind]()
    with pytest.raises(DataError) as error:
        PSDImputer(missing_values=-999).fit(given)
    assert "X contains NaN: column `score` has 40 cells without a value" in str(error.value) and "hint:" in str(error.value)


# Columns without a cell


def test_empty_columns_of_every_dtype(grades, recwarn):
    n = len(grades)
    table = grades[["x", "score"]].assign(
        number=np.nan,
        whole=pd.array([None] * n, dtype="Int64"),
        text=np.array([None] * n, dtype=object),
        label=pd.Categorical([None] * n, ["a"]),
        day=pd.Series([pd.NaT] * n, dtype="datetime64[ns]"),
        flag=pd.array([None] * n, dtype="boolean"),
    )
    with pytest.warns(UserWarning, match="no cell of text, label, day, flag is observed"):
        imputer = PSDImputer(random_state=0, keep_empty_features=True).fit(table)
    done = imputer.transform(table)
    assert (done.dtypes == table.dtypes).all()
    assert (done["number"] == 0).all() and (done["whole"] == 0).all() and done["score"].notna().all()
    assert done[["text", "label", "day", "flag"]].isna().all().all()
    with pytest.warns(UserWarning, match="no cell of number, whole, text, label, day, flag is observed: skipped"):
        dropped = PSDImputer(random_state=0).fit(table)
    assert list(dropped.transform(table).columns) == ["x", "score"]
    later = table.assign(number=np.where(np.arange(n) % 2, 7.0, np.nan))
    assert set(imputer.transform(later)["number"]) == {0.0, 7.0}


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_empty_columns_elsewhere(grades, kind):
    table = pl.from_pandas(grades[["x", "score"]]).with_columns(
        number=pl.lit(None, dtype=pl.Int16), text=pl.lit(None, dtype=pl.String), day=pl.lit(None, dtype=pl.Date), nothing=pl.lit(None)
    )
    given = table if kind == "polars" else table.to_arrow()
    with pytest.warns(UserWarning, match="no cell of text, day, nothing is observed"):
        done = PSDImputer(random_state=0, keep_empty_features=True).fit_transform(given)
    assert done.schema == given.schema
    assert set(done["number"].to_numpy()) == {0} and done["text"].null_count() == len(grades) if kind == "polars" else True


# Files


def test_a_loaded_imputer_transforms_as_the_saved_one(grades, tmp_path):
    table = grades.assign(empty=np.nan, full=1.5 * np.arange(200), grade=pd.Categorical(grades["grade"]))
    marked = table.drop(columns=["empty", "grade"]).fillna(-999)
    cases = [
        (table, {"add_indicator": True}),
        (table, {"keep_empty_features": True, "method": "median"}),
        (table, {"bounds": {"x": (None, 9.0), 2: (0.5, 4.5)}, "method": "mean", "add_indicator": True}),
        (marked, {"missing_values": -999}),
        (table[["x", "score"]], {"min_value": [-np.inf, 0.5], "max_value": 9}),
        (table[["x", "score"]].to_numpy(), {"add_indicator": True}),
        (table[["x", "score"]].set_axis([1, 2], axis=1), {"add_indicator": True}),
    ]
    for k, (X, given) in enumerate(cases):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "no cell of empty")
            imputer = PSDImputer(random_state=0, **given).fit(X)
        imputer.save(tmp_path / f"model{k}")
        loaded = PSDImputer.load(tmp_path / f"model{k}")
        done, again = imputer.transform(X), loaded.transform(X)
        if isinstance(X, pd.DataFrame):
            pd.testing.assert_frame_equal(done, again)
        else:
            assert np.array_equal(done, again)
        assert list(loaded.get_feature_names_out()) == list(imputer.get_feature_names_out())
        pickled = pickle.loads(pickle.dumps(loaded)).transform(X)
        assert np.array_equal(np.asarray(pickled), np.asarray(again)) or isinstance(X, pd.DataFrame)
    assert PSDImputer.load(tmp_path / "model1", method="mean").method == "mean"
    assert PSDImputer.load(tmp_path / "model1").method == "median"


def test_settings_of_a_strangers_file_are_checked(grades, tmp_path):
    from psd_impute import ModelFileError

    imputer = PSDImputer(random_state=0).fit(grades[["x", "score"]])
    for bad in ('[1]', '{"method": 3}', '{"add_indicator": "yes"}', '{"bounds": {"x": 5}}', '{"unknown": 1}', '{"min_value": "low"}'):
        imputer._model.save(str(tmp_path / "model"), bad)
        with pytest.raises(ModelFileError, match="settings in the model file"):
            PSDImputer.load(tmp_path / "model")
    imputer._model.save(str(tmp_path / "model"), '{"method": "zero"}')
    with pytest.raises(SettingError, match="method is 'zero'"):
        PSDImputer.load(tmp_path / "model")


# Bounds


def test_bounds_are_numbers_whatever_the_file_looked_like(tmp_path):
    import os
    import subprocess

    command = os.environ.get("PSD_IMPUTE_COMMAND")
    if command is None:
        pytest.skip("PSD_IMPUTE_COMMAND names no command")
    rng = np.random.default_rng(0)
    rows = "\n".join(f"{x:.3f};{y:.3f}".replace(".", ",") for x, y in rng.uniform(0, 1, (60, 2)))
    (tmp_path / "in.csv").write_text("a;b\n" + rows + "\n0,5;\n")
    subprocess.run([command, "fit", str(tmp_path / "in.csv"), "-o", str(tmp_path / "model")], check=True, capture_output=True)
    imputer = PSDImputer.load(tmp_path / "model", bounds={"b": (None, 1.125)})
    outside = pd.DataFrame({"a": [0.5], "b": [1.2]})
    with pytest.raises(DataError, match="outside the bounds"):
        imputer.transform(outside)
    assert imputer.transform(outside.assign(b=[np.nan]))["b"].item() <= 1.125


# Times


def test_times_of_a_zone_keep_it(people):
    imputer = PSDImputer(random_state=0).fit(people[["height", "seen"]])
    cells = imputer.conditional(people[["height", "seen"]])["seen"]
    assert {str(time.tzinfo) for time in cells.mean} == {"Europe/Berlin"}
    assert cells.quantiles.shape == (len(cells), 2) and cells.quantiles[0, 0] < cells.median[0] < cells.quantiles[0, 1]
    frame = cells.to_frame()
    assert str(frame["mean"].dt.tz) == str(frame["q2.5"].dt.tz) == "Europe/Berlin"
    plain = imputer.set_params(method="median").transform(people[["height", "seen"]])["seen"]
    away = plain.iloc[cells.rows] - pd.Series(list(cells.median), index=plain.index[cells.rows])
    assert (away.abs() <= pd.Timedelta(seconds=30)).all(), "the column has whole minutes"
    polars = pl.from_pandas(people[["height", "seen"]])
    cells = PSDImputer(random_state=0).fit(polars).conditional(polars)["seen"]
    assert {str(time.tzinfo) for time in cells.mean} == {"Europe/Berlin"}


def test_bounds_of_a_zone_without_one_are_of_that_zone(people):
    table = people[["height", "seen"]]
    last = table["seen"].max()
    naive = last.tz_localize(None)
    PSDImputer(bounds={"seen": (None, naive)}).fit(table)
    with pytest.raises(DataError, match="outside the bounds"):
        PSDImputer(bounds={"seen": (None, naive - pd.Timedelta(minutes=1))}).fit(table)


def test_periods(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=150)
    start = pd.Period("2015-01", freq="M")
    months = pd.Series([start + int(k) for k in np.round(30 + 10 * x)], dtype="period[M]")
    months[::7] = pd.NaT
    table = pd.DataFrame({"x": x, "month": months})
    imputer = PSDImputer(random_state=0, bounds={"month": (None, "2021-12")}).fit(table)
    assert imputer.columns_["month"] == "period"
    done = imputer.transform(table)
    assert done["month"].dtype == months.dtype and done["month"].notna().all() and (done["month"] <= pd.Period("2021-12")).all()
    assert (done["month"][months.notna()] == months[months.notna()]).all()
    cells = imputer.conditional(table)["month"]
    with pytest.raises(SettingError, match="bounds: 1.5 is no period of frequency M"):
        PSDImputer(bounds={"month": (1.5, None)}).fit(table)
    assert cells.kind == "period" and all(isinstance(month, pd.Period) for month in cells.median)
    expected = 30 + 10 * x[cells.rows]
    assert np.abs(np.array([(month - start).n for month in cells.median]) - expected).max() < 3
    assert imputer.sample(5)["month"].dtype == months.dtype
    imputer.save(tmp_path / "model")
    pd.testing.assert_frame_equal(PSDImputer.load(tmp_path / "model").transform(table), done)


def test_periods_of_another_frequency_are_refused(tmp_path):
    months = pd.Series(pd.period_range("2015-01", periods=60, freq="M"))
    table = pd.DataFrame({"x": np.arange(60) ** 2.0, "month": months.mask(np.arange(60) % 7 == 3)})
    imputer = PSDImputer(random_state=0, time_budget=0.001).fit(table)
    imputer.save(tmp_path / "model")
    loaded = PSDImputer.load(tmp_path / "model")
    assert loaded.columns_["month"] == "period"
    quarters = table.assign(month=pd.Series(pd.period_range("2015-01", periods=60, freq="Q")).mask(np.arange(60) % 7 == 3))
    for model in (imputer, loaded):
        with pytest.raises(DataError, match=r"column `month` holds periods of frequency Q-DEC, but periods of frequency M where.*\n.*asfreq\('M'\)"):
            model.transform(quarters)
        with pytest.raises(DataError, match="column `month` holds no periods, but periods of frequency M"):
            model.transform(table.assign(month=np.arange(60.0)))
        nothing = table.assign(month=pd.Series([pd.NaT] * 60, dtype="period[M]"))
        assert model.transform(nothing)["month"].notna().all()


@pytest.fixture(scope="module")
def lengths() -> pd.DataFrame:
    """A number, a duration and a time of day that follow it, with gaps."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    midnight = datetime.datetime(2020, 1, 1)
    clock = [(midnight + datetime.timedelta(minutes=float(round(720 + 60 * v)))).time() for v in x]
    table = pd.DataFrame({"x": x, "took": pd.to_timedelta(np.round(3600 + 600 * x), unit="s"), "at": pd.Series(clock, dtype=object)})
    table.loc[::7, "took"] = pd.NaT
    table.loc[3::7, "at"] = None
    return table


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_durations_and_times_of_day(lengths, kind):
    arrow = pa.Table.from_pandas(lengths, preserve_index=False)
    given = {"pandas": lambda: lengths, "polars": lambda: pl.from_arrow(arrow), "pyarrow": lambda: arrow}[kind]()
    bounds = {"took": (datetime.timedelta(0), np.timedelta64(2, "h")), "at": (datetime.time(6), "18:00")}
    imputer = PSDImputer(random_state=0, bounds=bounds).fit(given)
    assert imputer.columns_ == {"x": "continuous", "took": "duration", "at": "time of day"}
    done = imputer.transform(given)
    if kind == "pandas":
        assert (done.dtypes == lengths.dtypes).all() and done.notna().all().all()
        assert all(type(time) is datetime.time for time in done["at"])
        seen = lengths["took"].notna()
        assert (done["took"][seen] == lengths["took"][seen]).all() and (done["took"] > pd.Timedelta(0)).all()
    elif kind == "polars":
        assert done.schema == given.schema and done.null_count().sum_horizontal().item() == 0
    else:
        assert done.schema.equals(given.schema) and sum(column.null_count for column in done.columns) == 0
    cells = imputer.conditional(given)
    took, at = cells["took"], cells["at"]
    expected = 3600 + 600 * lengths["x"].to_numpy()[took.rows]
    assert took.mean.dtype.kind == took.std.dtype.kind == "m"
    assert np.abs(took.mean / np.timedelta64(1, "s") - expected).max() < 200
    minutes = np.array([60 * time.hour + time.minute for time in at.median])
    assert np.abs(minutes - (720 + 60 * lengths["x"].to_numpy()[at.rows])).max() < 30
    assert at.std.dtype.kind == "m" and "12:" in repr(at)
    assert imputer.sample(3).shape == (3, 3)


def test_durations_in_a_loaded_model(lengths, tmp_path):
    bounds = {"took": (datetime.timedelta(0), pd.Timedelta(hours=2)), "at": (datetime.time(6), None)}
    imputer = PSDImputer(random_state=0, bounds=bounds).fit(lengths)
    imputer.save(tmp_path / "model")
    pd.testing.assert_frame_equal(PSDImputer.load(tmp_path / "model").transform(lengths), imputer.transform(lengths))


# Inputs that are no tables


def test_what_is_no_table_is_said(grades):
    with pytest.raises(DataError, match=r"a Series is one column.*\nhint: X.to_frame\(\)"):
        PSDImputer().fit(grades["x"])
    with pytest.raises(DataError, match="a Series is one column"):
        PSDImputer().fit(pl.Series("x", [1.0, None]))
    with pytest.raises(DataError, match="a dict is no table"):
        PSDImputer().fit({"x": [1.0, None]})
    with pytest.raises(DataError, match="an array is one column"):
        PSDImputer().fit(pa.chunked_array([[1.0, None]]))
    sparse = grades[["x"]].assign(s=pd.arrays.SparseArray(np.zeros(200)))
    with pytest.raises(DataError, match=r"Sparse dtypes are not supported: s\nhint: .*sparse.to_dense\(\)"):
        PSDImputer().fit(sparse)
    with pytest.raises(ValueError, match="1D array"):
        PSDImputer().fit(np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="1D array"):
        PSDImputer().fit([1.0, 2.0])
    scipy_sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="toarray"):
        PSDImputer().fit(scipy_sparse.eye(4).tocsr())
    with pytest.raises(ValueError, match="Complex data not supported"):
        PSDImputer().fit(np.array([[1j, 2.0], [3.0, 4.0]]))
    with pytest.raises(DataError, match="column `z` of dtype complex128 cannot be read"):
        PSDImputer().fit(grades[["x"]].assign(z=np.full(200, 1j)))
    with pytest.raises(DataError, match="two columns named `x`\nhint: give each column a name of its own"):
        PSDImputer().fit(pd.concat([grades[["x"]], grades[["x"]]], axis=1))
    with pytest.raises(DataError, match="column `m` of dtype object cannot be read"):
        PSDImputer().fit(grades[["x"]].assign(m=pd.Series([1, "a"] * 100, dtype=object)))


def test_columns_of_lists_are_left_alone(grades):
    table = grades[["x", "score"]].assign(tags=[[1, 2]] * 200)
    imputer = PSDImputer(random_state=0).fit(table)
    assert imputer.columns_["tags"] == "left" and imputer.transform(table)["tags"].equals(table["tags"])
    assert any("`tags` is left as it is: the type" in note for note in imputer.report_.notes)
    assert PSDImputer(random_state=0).fit_transform([[1.0, 2.0], [np.nan, 3.0], [2.0, 4.0], [3.0, 5.5]]).shape == (4, 2)


def test_texts_that_are_something_else_are_pointed_out(grades):
    table = grades.assign(grade=np.where(grades.index % 50 == 0, "N/A", grades["grade"].fillna("poor")), year=(1990 + grades.index % 7).astype(str))
    for given in (table, pl.from_pandas(table), pa.Table.from_pandas(table)):
        with pytest.warns(UserWarning) as said:
            imputer = PSDImputer(random_state=0).fit(given)
        done = imputer.transform(given)
        column = done["grade"].to_pylist() if hasattr(done, "column_names") else list(done["grade"])
        assert set(column) == {"poor", "fair", "good", "best"}
        texts = [str(warning.message) for warning in said]
        assert any("column `grade`: cells that hold 'N/A' count as missing, and are completed" in text for text in texts)
        assert any("`year`" in note and "numbers stored as text" in note for note in imputer.report_.notes)


def test_a_code_that_looks_like_a_token_is_a_code(grades):
    rng = np.random.default_rng(0)
    table = grades[["x"]].assign(country=np.where(rng.random(200) < 0.4, "NA", "DE"))
    table.loc[::9, "country"] = None
    for given in (table, pl.from_pandas(table)):
        with pytest.warns(UserWarning, match=r"column `country`: `NA` \(66\) may stand for missing cells, but counts as a label"):
            done = PSDImputer(random_state=0).fit_transform(given)
        assert set(done["country"]) == {"NA", "DE"}
        assert (done["country"].to_numpy() == "NA").sum() > (table["country"] == "NA").sum()


def test_masked_cells_are_missing(matrix):
    masked = np.ma.masked_array(np.where(np.isnan(matrix), -999.0, matrix), np.isnan(matrix))
    plain = PSDImputer(random_state=0).fit_transform(matrix)
    assert np.array_equal(PSDImputer(random_state=0).fit_transform(masked), plain)
    assert np.array_equal(PSDImputer(random_state=0, missing_values=-999).fit_transform(masked), plain)


def test_types_that_cannot_be_read_are_named(grades):
    table = pl.from_pandas(grades[["x"]]).with_columns(big=pl.lit(1, dtype=pl.Int128))
    with pytest.raises(DataError, match="column `big` cannot be read: .*\nhint: cast the column"):
        PSDImputer().fit(table)


# Printed output


def test_cells_are_a_table_of_their_own(grades):
    cells = PSDImputer(random_state=0, ordered_features={"grade": ["poor", "fair", "good", "best"]}).fit(grades).conditional(grades)
    lines = repr(cells["score"]).splitlines()
    assert lines[0] == "score (integer): 40 missing cells"
    assert lines[1].split() == ["row", "mean", "std", "median", "q2.5", "q97.5"]
    assert lines[2].split()[0] == "2" and len(lines) == 13 and lines[-1] == "... and 30 more"
    lines = repr(cells["grade"]).splitlines()
    assert lines[1].split() == ["row", "median", "q2.5", "q97.5", "most", "probable", "probability"]
    html = cells["score"]._repr_html_()
    assert html.count("<tr>") < 15 and "q97.5" in html


def test_quantiles_are_a_list(grades):
    table = grades[["x", "score"]]
    imputer = PSDImputer(random_state=0, time_budget=0.001).fit(table)
    with pytest.raises(SettingError, match="quantiles is 0.5, but must be a list"):
        imputer.conditional(table, quantiles=0.5)


def test_progress_of_several_tables(grades, capsys):
    imputer = PSDImputer(random_state=0).fit(grades[["x", "score"]])
    imputer.impute(grades[["x", "score"]], m=2)
    assert capsys.readouterr().out == ""
    imputer.set_params(verbose=1).impute(grades[["x", "score"]], m=3)
    printed = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in printed] == [f"[PSDImputer] {k} of 3 tables completed" for k in (1, 2, 3)]


def test_the_numbers_of_tables_do_not_change_a_table(grades):
    """Several tables made in one call of the engine equal those made one by one."""
    table = grades[["x", "score"]]
    imputer = PSDImputer(random_state=0).fit(table)
    tables = imputer.impute(table, m=3)
    assert not tables[0].equals(tables[1])
    matrices = PSDImputer(random_state=0).fit(table.to_numpy()).impute(table.to_numpy(), m=3)
    for ours, theirs in zip(tables, matrices):
        assert ours["x"].equals(pd.Series(theirs[:, 0], name="x"))

