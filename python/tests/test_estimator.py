"""The imputer as a scikit-learn estimator."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from conftest import gaps
from psd_impute import FindingWarning, PSDImputer
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks


@parametrize_with_checks([PSDImputer(), PSDImputer(method="mean", add_indicator=True)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_nothing_is_expected_to_fail_or_random():
    outcomes = check_estimator(PSDImputer(), on_skip=None)
    assert {outcome["status"] for outcome in outcomes} <= {"passed", "skipped"}
    assert not any(outcome["expected_to_fail"] for outcome in outcomes)
    assert not PSDImputer().__sklearn_tags__().non_deterministic


@pytest.mark.parametrize("method", ["draw", "mean", "median"])
def test_observed_cells_stay_and_missing_ones_are_filled(matrix, method):
    done = PSDImputer(method=method, random_state=0).fit_transform(matrix)
    observed = ~np.isnan(matrix)
    assert np.array_equal(done[observed], matrix[observed]) and np.isfinite(done).all()


def test_a_row_is_always_completed_alike(matrix):
    imputer = PSDImputer(random_state=3).fit(matrix)
    whole = imputer.transform(matrix)
    order = np.random.default_rng(0).permutation(len(matrix))
    assert np.array_equal(imputer.transform(matrix[order]), whole[order])
    halves = [imputer.transform(half) for half in (matrix[:17], matrix[17:])]
    assert np.array_equal(np.vstack(halves), whole)
    assert np.array_equal(PSDImputer(random_state=3, n_jobs=1).fit_transform(matrix), whole)
    assert not np.array_equal(PSDImputer(random_state=4).fit_transform(matrix), whole)


def test_without_a_seed_one_fit_still_agrees_with_itself(matrix):
    imputer = PSDImputer().fit(matrix)
    assert np.array_equal(imputer.transform(matrix), imputer.transform(matrix))
    state = np.random.RandomState(5)
    assert PSDImputer(random_state=state).fit(matrix).seed_ != PSDImputer(random_state=state).fit(matrix).seed_


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_matrices_of_either_precision_and_order(matrix, dtype, order):
    given = np.array(matrix, dtype=dtype, order=order)
    given.setflags(write=False)
    done = PSDImputer(random_state=0).fit_transform(given)
    observed = ~np.isnan(given)
    assert done.dtype == dtype and np.array_equal(done[observed], given[observed])
    assert np.array_equal(done, PSDImputer(random_state=0).fit_transform(given.copy(order="C")))


def test_pickling_and_cloning(matrix):
    imputer = PSDImputer(method="median", random_state=0).fit(matrix)
    again = pickle.loads(pickle.dumps(imputer))
    assert np.array_equal(again.transform(matrix), imputer.transform(matrix))
    assert again.report_ == imputer.report_
    fresh = clone(imputer)
    assert fresh.get_params() == imputer.get_params() and not hasattr(fresh, "report_")


def test_a_file_holds_the_whole_model(matrix, tmp_path):
    imputer = PSDImputer(random_state=6).fit(matrix)
    imputer.save(tmp_path / "model")
    loaded = PSDImputer.load(tmp_path / "model")
    for a, b in zip(loaded.impute(matrix, m=2), imputer.impute(matrix, m=2)):
        assert np.array_equal(a, b)
    assert np.array_equal(loaded.sample(5).to_numpy(), imputer.sample(5))
    assert np.array_equal(loaded.score_samples(matrix), imputer.score_samples(matrix))
    assert loaded.columns_ == imputer.columns_ == dict.fromkeys(["x0", "x1", "x2"], "continuous")
    assert not hasattr(loaded, "feature_names_in_")


def test_pipelines_and_searches(matrix):
    target = np.nan_to_num(matrix).sum(axis=1)
    pipeline = make_pipeline(PSDImputer(random_state=0), StandardScaler(), Ridge())
    assert cross_val_score(pipeline, matrix, target, cv=3, n_jobs=2).shape == (3,)
    search = GridSearchCV(pipeline, {"psdimputer__method": ["mean", "draw"]}, cv=2).fit(matrix, target)
    assert search.best_params_["psdimputer__method"] in ("mean", "draw")


def test_column_transformer_keeps_names(people):
    numbers = ["height", "weight"]
    both = ColumnTransformer(
        [("ours", PSDImputer(random_state=0), numbers), ("theirs", SimpleImputer(strategy="most_frequent"), ["year"])]
    )
    done = both.set_output(transform="pandas").fit_transform(people)
    assert list(done.columns) == ["ours__height", "ours__weight", "theirs__year"]
    assert done.index.equals(people.index) and done.notna().all().all()


@pytest.mark.parametrize("container", ["default", "pandas", "polars"])
def test_set_output(matrix, container):
    imputer = PSDImputer(random_state=0).set_output(transform=container)
    done = imputer.fit_transform(matrix)
    assert type(done).__module__.split(".")[0] == {"default": "numpy"}.get(container, container)
    if container != "default":
        assert list(done.columns) == ["x0", "x1", "x2"] == list(imputer.get_feature_names_out())
    assert np.array_equal(np.asarray(done), PSDImputer(random_state=0).fit_transform(matrix))


def test_indicators(matrix):
    given = matrix.copy()
    given[:, 1] = np.where(np.isnan(given[:, 1]), 0.5, given[:, 1])
    imputer = PSDImputer(random_state=0, add_indicator=True).fit(given)
    done = imputer.transform(given)
    assert np.array_equal(done[:, 3:], np.isnan(given[:, [0, 2]]))
    assert list(imputer.get_feature_names_out(["a", "b", "c"]))[3:] == ["missingindicator_a", "missingindicator_c"]


def test_columns_without_a_cell(matrix):
    given = np.column_stack([matrix[:, 0], np.full(len(matrix), np.nan), matrix[:, 1:]])
    with pytest.warns(UserWarning, match="no cell of x1 is observed: skipped"):
        dropped = PSDImputer(random_state=0).fit(given)
    assert dropped.transform(given).shape == matrix.shape
    assert list(dropped.get_feature_names_out()) == ["x0", "x2", "x3"]
    kept = PSDImputer(random_state=0, keep_empty_features=True).fit(given)
    done = kept.transform(given)
    assert (done[:, 1] == 0).all() and np.array_equal(done[:, [0, 2, 3]], dropped.transform(given))
    nothing = np.full((4, 2), np.nan)
    with pytest.warns(UserWarning, match="no cell of x0, x1 is observed: skipped"):
        assert PSDImputer().fit_transform(nothing).shape == (4, 0)
    assert np.array_equal(PSDImputer(keep_empty_features=True).fit_transform(nothing), np.zeros((4, 2)))
    assert np.isnan(nothing).all()


def test_other_cells_may_stand_for_missing_ones(matrix):
    marked = np.where(np.isnan(matrix), -999.0, matrix)
    plain = PSDImputer(random_state=0).fit_transform(matrix)
    assert np.array_equal(PSDImputer(random_state=0, missing_values=-999).fit_transform(marked), plain)
    with pytest.raises(ValueError, match="contains NaN"):
        PSDImputer(missing_values=-999).fit(matrix)


def test_bounds(matrix):
    low, high = np.nanmin(matrix), np.nanmax(matrix)
    wide = np.vstack([matrix, np.full((200, 3), np.nan)])
    wide[60:, 0] = np.linspace(low, high, 200)
    with warnings.catch_warnings():
        # Most rows miss the same two columns, and no other row misses both.
        warnings.simplefilter("ignore", FindingWarning)
        done = PSDImputer(random_state=0, min_value=low, max_value=[high, high, high]).fit_transform(wide)
        free = PSDImputer(random_state=0).fit_transform(wide)
        some = PSDImputer(random_state=0, bounds={1: (None, np.nanmax(matrix[:, 1]))}).fit_transform(wide)
    assert done.min() >= low and done.max() <= high
    assert free.max() > high
    assert some[:, 1].max() <= np.nanmax(matrix[:, 1]) < some[:, 2].max()


def test_bounds_of_all_columns_leave_those_alone_that_are_not_modelled(people):
    table = people[["height", "weight"]].assign(row=np.arange(len(people)), always=1.0)
    imputer = PSDImputer(random_state=0, min_value=0, max_value=500).fit(table)
    assert imputer.columns_["row"] == "left" and imputer.transform(table)["weight"].notna().all()


def test_what_a_model_does_not_know_is_told(people):
    imputer = PSDImputer(random_state=0).fit(people[["height", "town"]])
    other = people[["height", "town"]].copy()
    other.loc["r0", "town"] = "Rome"
    with pytest.warns(UserWarning, match="labels unknown to the model in 1 cell"):
        done = imputer.transform(other)
    assert done.loc["r0", "town"] == "Rome" and done.notna().all().all()


def test_presets_of_the_paper_are_not_refitted(matrix):
    imputer = PSDImputer(random_state=0, preset="theory").fit(matrix[:30])
    with pytest.warns(UserWarning, match="only the default preset is refitted"):
        tables = imputer.impute(matrix[:30], m=2)
    assert not np.array_equal(*tables)


def test_a_running_number_in_a_matrix_is_completed(matrix):
    given = np.column_stack([np.arange(60.0), matrix])
    given[7, 0] = np.nan
    assert np.isfinite(PSDImputer(random_state=0).fit_transform(given)).all()


def test_categories_among_numbers(matrix):
    codes = np.where(np.nan_to_num(matrix[:, 0]) > 0, 5.0, 2.0)
    codes[::6] = np.nan
    given = np.column_stack([matrix, codes])
    for chosen in ([3], [False, False, False, True], [-1]):
        done = PSDImputer(random_state=0, categorical_features=chosen).fit_transform(given)
        assert set(done[:, 3]) == {2.0, 5.0}


@pytest.mark.parametrize("settings", [{"n_anchors": 4, "metric": "diagonal"}, {"n_anchors": 4, "reference": "normal"}, {"reference": "none"}, {"preset": "paper"}, {"preset": "theory"}])
def test_settings_of_the_fit(matrix, settings):
    imputer = PSDImputer(random_state=0, **settings).fit(matrix[:30])
    members = {member.name for member in imputer.report_.members}
    assert imputer.report_.preset == settings.get("preset", "default")
    assert ("normal model" in members) == (settings.get("reference") == "normal")
    assert np.isfinite(imputer.transform(matrix)).all()


def test_the_report(matrix, capsys):
    report = PSDImputer(random_state=9, verbose=1).fit(matrix).report_
    assert report.seed == 9 and report.rows == 60 and report.converged
    assert sum(member.weight for member in report.members) == pytest.approx(1, abs=0.02)
    assert [step.name for step in report.trace][0] == "normal model"
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(report.trace) and printed[0].startswith("[PSDImputer] 1 of ")
    assert f"held-out log-likelihood {report.held_out:.3f} nats per row" in str(report)


def test_the_held_out_likelihood_is_that_of_a_normal_table():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(400, 2))
    report = PSDImputer(random_state=0).fit(gaps(table, 0.1)).report_
    observed = (~np.isnan(gaps(table, 0.1))).sum() / 400
    entropy = 0.5 * np.log(2 * np.pi * np.e)
    assert report.held_out == pytest.approx(-observed * entropy, abs=0.15)


def test_this_scikit_learn_is_supported():
    assert tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 6)
