"""Errors state the problem and suggest a remedy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import psd_impute
import pytest
from psd_impute import DataError, InternalError, ModelFileError, PSDDensity, PsdImputeError, PSDImputer, SettingError
from sklearn.exceptions import ConvergenceWarning, NotFittedError


def test_every_class_is_a_mistake_of_a_known_kind():
    assert all(issubclass(kind, PsdImputeError) for kind in (DataError, SettingError, ModelFileError))
    assert issubclass(PsdImputeError, ValueError) and issubclass(InternalError, RuntimeError)


@pytest.mark.parametrize("settings, text", [
    ({"method": "zero"}, "method is 'zero', but must be one of 'draw', 'mean', 'median'"),
    ({"metric": "l1"}, "metric is 'l1', but must be one of 'auto', 'full'"),
    ({"preset": "best"}, "preset is 'best', but must be one of 'default', 'paper', 'theory'"),
    ({"reference": 3}, "reference is 3, but must be one of"),
    ({"n_anchors": 0}, "n_anchors is 0, but must be 'auto' or a number from 1 to 10000"),
    ({"n_anchors": 2.5}, "n_anchors is 2.5"),
    ({"time_budget": -1}, "time_budget is -1, but must be a number of seconds above zero"),
    ({"n_jobs": 0}, "n_jobs is 0, but must be None, -1 or a number of threads"),
    ({"preset": "paper", "n_anchors": 3}, "the paper's presets set the anchors"),
    ({"preset": "theory", "time_budget": 5}, "have no time budget"),
    ({"categorical_features": "all"}, "categorical_features is 'all', but must be 'auto' or a list of columns"),
    ({"categorical_features": [7]}, "there is no column 7\nhint: the columns are x0, x1, x2"),
    ({"categorical_features": [True]}, "categorical_features has 1 bools, but the table has 3 columns"),
])
def test_settings(matrix, settings, text):
    with pytest.raises(SettingError) as error:
        PSDImputer(**settings).fit(matrix)
    assert text in str(error.value)


@pytest.mark.parametrize("bounds, text", [
    ({"bounds": {"x9": (0, 1)}}, "bounds: there is no column 'x9'\nhint: the columns are x0, x1, x2"),
    ({"bounds": {0: (3, 2)}}, "bounds 3:2 of column `x0`: they are the wrong way round"),
    ({"bounds": {0: ("a", None)}}, "bounds: `a` is no value of column `x0`, which is continuous\nhint: write it as in the table"),
    ({"min_value": [1, 2]}, "min_value has 2 entries, but the table has 3 columns"),
])
def test_bounds(matrix, bounds, text):
    with pytest.raises(SettingError) as error:
        PSDImputer(**bounds).fit(matrix).transform(matrix)
    assert text in str(error.value)


def test_cells_outside_their_bounds_are_named(matrix):
    given = matrix.copy()
    given[4, 1] = 9.0
    with pytest.raises(DataError) as error:
        PSDImputer(bounds={"x1": (None, 5)}).fit(given).transform(given)
    assert "row 5, column `x1`: `9" in str(error.value) and "hint: widen the bounds" in str(error.value)


def test_infinite_cells(matrix, people):
    given = matrix.copy()
    given[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        PSDImputer().fit(given)
    table = people[["height", "year"]].copy()
    table.iloc[2, 0] = np.inf
    with pytest.raises(DataError) as error:
        PSDImputer().fit(table)
    assert "row 3, column `height`" in str(error.value) and "infinite" in str(error.value)


def test_other_tables_than_the_fitted_one(matrix, people):
    imputer = PSDImputer(random_state=0).fit(people[["height", "town"]])
    with pytest.raises(ValueError, match="feature names should match"):
        imputer.transform(people[["height", "size"]])
    other = people[["height", "town"]].copy()
    other["town"] = 1.0
    with pytest.raises(DataError) as error:
        imputer.transform(other)
    assert "column `town`" in str(error.value) and "does not hold text" in str(error.value)
    with pytest.warns(UserWarning, match="feature names"), pytest.raises(ValueError, match="is expecting 2 features"):
        imputer.transform(matrix)
    with pytest.raises(NotFittedError):
        PSDImputer().transform(matrix)


def test_tables_without_rows(people):
    with pytest.raises(DataError, match="0 rows"):
        PSDImputer().fit(people.iloc[:0])
    with pytest.raises(DataError, match="0 columns"):
        PSDImputer().fit(people[[]])


def test_tables_without_anything_to_model():
    with pytest.raises(DataError) as error:
        PSDImputer().fit(pd.DataFrame({"a": [f"text number {i}" for i in range(40)]}))
    assert "no column that can be modelled" in str(error.value) and "hint:" in str(error.value)


def test_model_files(matrix, tmp_path):
    path = tmp_path / "model"
    PSDImputer(random_state=0).fit(matrix).save(path)
    whole = path.read_bytes()
    for damaged in (b"", b"hello", whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1])):
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError):
            PSDImputer.load(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        PSDImputer.load(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError) as error:
        PSDImputer(random_state=0).fit(matrix).save(tmp_path / "no" / "model")
    assert error.value.filename == str(tmp_path / "no" / "model")
    with pytest.raises(SettingError, match="nothing was learned"):
        PSDImputer(keep_empty_features=True).fit(np.full((3, 2), np.nan)).save(path)


def test_a_fit_that_does_not_converge_is_told(matrix, monkeypatch):
    from psd_impute import imputer

    class Unconverged:
        fit = staticmethod(lambda *given, **settings: (Unconverged(), [], []))
        columns = staticmethod(lambda: [{"name": f"x{j}", "role": "modelled", "kind": "continuous", "ends": [None, None]} for j in range(3)])
        report = staticmethod(lambda: dict(preset="paper", rows=1, rows_fitted=1, rows_compared=1, seed=0, converged=False, settings={}))

    monkeypatch.setattr(imputer, "Model", Unconverged)
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        PSDImputer().fit(matrix)


@pytest.mark.parametrize("given, text", [
    ({"anchors": [[0.0]]}, "anchors have 1 columns, but X has 3"),
    ({"metric": -1.0}, "bandwidth eta is -1, but must be"),
    ({"metric": np.diag([1.0, 1.0, -1.0])}, "metric is not positive definite"),
    ({"metric": [1.0, 2.0]}, "metric has shape (2,), but must have an entry for each of 3 columns"),
    ({"penalty": "l1"}, "penalty is 'l1', but must be 'identity' or 'kernel'"),
    ({"nu": 1.5, "reference": ("uniform", -9, 9)}, "nu"),
    ({"reference": "normal"}, "reference must be None, ('normal', mean, covariance) or ('uniform', low, high)"),
    ({"barrier": 0.0}, "mu_final is 0, but must be"),
])
def test_densities(matrix, given, text):
    with pytest.raises(PsdImputeError) as error:
        PSDDensity().fit(matrix, **{"anchors": np.zeros((1, 3)), **given})
    assert text in str(error.value)


def test_names_there_are_not():
    with pytest.raises(AttributeError, match="no attribute 'PSDRegressor'"):
        psd_impute.PSDRegressor
    assert "PSDImputer" in dir(psd_impute)


def test_no_module_takes_the_place_of_a_name():
    import importlib
    import pkgutil

    modules = [name for _, name, _ in pkgutil.iter_modules(psd_impute.__path__)]
    for name in modules:
        importlib.import_module(f"psd_impute.{name}")
    assert set(modules) & set(psd_impute.__all__) == {"plot"}
    assert callable(psd_impute.pool)
