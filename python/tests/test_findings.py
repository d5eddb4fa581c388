"""Ends that imputed cells respect, and what the checks of completed tables find."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from psd_impute import FindingWarning, PSDImputer, SettingError


def incomes(rows=400):
    rng = np.random.default_rng(4)
    x = rng.normal(size=rows)
    income = np.abs(x + 0.4 * rng.normal(size=rows))
    income[rng.random(rows) < 0.3] = np.nan
    return pd.DataFrame({"x": x, "income": income})


def test_ends_that_all_observed_cells_respect():
    table = incomes()
    imputer = PSDImputer(random_state=0, preset="default", time_budget=0.001).fit(table)
    assert imputer.ends_ == {"income": (0.0, None)}
    assert imputer.transform(table)["income"].min() > 0 and imputer.sample(500)["income"].min() > 0
    cells = imputer.conditional(table)["income"]
    assert min(cells.mean.min(), cells.median.min(), cells.quantiles.min()) >= 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        free = PSDImputer(random_state=0, bounds=None, time_budget=0.001).fit(table)
        assert free.ends_ == {} and free.sample(500)["income"].min() < 0
    with pytest.raises(SettingError, match="or be 'auto' or None"):
        PSDImputer(bounds="all").fit(table)


def test_lifted_ends_stay_so_in_a_file(tmp_path):
    table = incomes()
    PSDImputer(random_state=0, bounds=None, time_budget=0.001).fit(table).save(tmp_path / "model")
    loaded = PSDImputer.load(tmp_path / "model")
    assert loaded.bounds is None and loaded.ends_ == {}


def test_findings_are_warned_of_and_kept():
    age = np.linspace(0.1, 20, 400)
    volume = np.where(age > 10, 2 * age, np.nan)
    table = pd.DataFrame({"age": age, "volume": volume})
    imputer = PSDImputer(random_state=0, time_budget=0.001).fit(table)
    assert imputer.report_.findings == ()
    with pytest.warns(FindingWarning, match="`volume` is imputed in 199 rows with `age` below 10, where it was never observed"):
        imputer.transform(table)
    finding = imputer.report_.findings[0]
    assert (finding.kind, finding.columns[0]) == ("extrapolation", "volume") and finding.numbers["rows"] == 199
    assert "warning: `volume`" in str(imputer.report_)
