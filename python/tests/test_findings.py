"""Ends that imputed cells respect, and findings of the checks of completed tables."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
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
    with pytest.warns(FindingWarning) as heard:
        imputer.transform(table)
    said = "`volume` is imputed in 199 rows with `age` below 10, where it was never observed"
    assert any(said in str(warning.message) for warning in heard)
    finding = next(finding for finding in imputer.report_.findings if finding.kind == "extrapolation")
    assert finding.columns[0] == "volume" and finding.numbers["rows"] == 199
    assert "warning: `volume`" in str(imputer.report_)


# Each defect is reported by the command, on the report's page, and in Python


def normal(rows=600, seed=0):
    """A number, one that follows it and a label, with gaps."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    table = pd.DataFrame({"x": x, "y": x + 0.5 * rng.normal(size=rows), "label": np.where(x + rng.normal(size=rows) > 0, "b", "a")})
    for name in ("y", "label"):
        table.loc[rng.random(rows) < 0.2, name] = np.nan
    return table


def never_observed():
    table = normal()
    return None, table.assign(y=table["y"].mask(table["x"] < -0.3))


def far_cell():
    table = normal()
    table.loc[512, "x"] = 1e6
    return None, table


def code():
    table = normal().assign(age=lambda t: np.round(50 + 9 * t["y"]))
    table.loc[[7, 70, 170, 370], "age"] = -999
    return None, table


def learned_from(change):
    """A model of another population."""
    return lambda: (normal(), change(normal(seed=1)))


def wives_who_are_men():
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"sex": np.where(rng.random(900) < 0.5, "f", "m"), "role": np.where(rng.random(900) < 0.5, "wife", "husband")})
    later = table.assign(role=np.where(table["sex"] == "f", "wife", "husband"))
    later.loc[rng.random(900) < 0.3, "role"] = None
    table.loc[:50, "role"] = None
    return table, later


DEFECTS = {
    "extrapolation": (never_observed, r"`y` is imputed in \d+ rows with `x` below"),
    "far-cell": (far_cell, "row 513 has `x` = 1000000"),
    "sentinel": (code, r"-999(\.0)? in 4 cells is far from all others"),
    "label-pair": (wives_who_are_men, r"meets `(sex|role)` = \w+ in \d+ imputed rows, but never"),
    "association": (learned_from(lambda t: t.assign(y=-t["y"])), r"`y` and `x` correlate by 0\.\d+ where `y` is imputed, by -0"),
    "impossible-value": (learned_from(lambda t: t.assign(y=np.exp(t["y"]))), "`y` is negative in"),
    "label-share": (learned_from(lambda t: t.assign(label=t["label"].mask(t["label"] == "b", "a"))), "`label` = (a|b) in"),
    "zero-share": (lambda: (normal().assign(y=lambda t: t["y"].clip(lower=0)), normal(seed=1).assign(y=lambda t: np.exp(t["y"]))), "`y` is 0 in"),
}


@pytest.mark.parametrize("kind", DEFECTS)
def test_each_defect_is_said_wherever_one_looks(kind, tmp_path):
    make, text = DEFECTS[kind]
    learned, table = make()
    learned = table if learned is None else learned
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        imputer = PSDImputer(random_state=0, time_budget=0.001).fit(learned)
        imputer.transform(table)
    assert any(found.kind == kind and re.search(text, found.text) for found in imputer.report_.findings), imputer.report_.findings
    assert any(re.search(text, str(warning.message)) for warning in said)
    assert all("--" not in str(warning.message) for warning in said)

    command = os.environ.get("PSD_IMPUTE_COMMAND")
    if command is None:
        pytest.skip("PSD_IMPUTE_COMMAND names no command")
    paths = {name: str(tmp_path / name) for name in ("learned.csv", "in.csv", "out.csv", "model", "page.html")}
    learned.to_csv(paths["learned.csv"], index=False)
    table.to_csv(paths["in.csv"], index=False)
    run = lambda *words: subprocess.run([command, *words], check=True, capture_output=True, text=True)
    run("fit", paths["learned.csv"], "-o", paths["model"], "--time-budget", "0.001")
    words = ["impute", paths["in.csv"], "--model", paths["model"], "-o", paths["out.csv"]]
    warned = [line for line in run(*words).stderr.splitlines() if line.startswith("warning: ")]
    assert len(warned) <= 5 and re.search(text, "\n".join(warned)), warned
    found = json.loads(run(*words, "--json").stdout)["warnings"]
    assert any(warning["kind"] == kind for warning in found)
    run("report", paths["in.csv"], "--model", paths["model"], "-o", paths["page.html"])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    look = re.search(r'<section id="look".*?</section>', page, re.DOTALL)[0]
    plain = html.unescape(re.sub(r"</?code>", "`", look)).replace("\xa0", " ")
    assert re.search(text, plain, re.IGNORECASE), plain
    assert "nothing was found" not in plain


def test_clean_tables_raise_no_alarm():
    alarms = []
    for seed in range(10):
        table = normal(400, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FindingWarning)
            # The normal model alone does not model the association of labels and numbers.
            imputer = PSDImputer(random_state=seed, time_budget=2).fit(table)
            imputer.transform(table)
        alarms += [finding.text for finding in imputer.report_.findings]
    assert len(alarms) <= 1, alarms


def test_a_code_for_missing_cells_is_warned_of_once():
    _, table = code()
    with pytest.warns(UserWarning, match="-999 in 4 cells is far from .*\nhint: missing_values=-999") as said:
        imputer = PSDImputer(random_state=0, time_budget=0.001).fit(table)
    with warnings.catch_warnings(record=True) as again:
        warnings.simplefilter("always")
        imputer.transform(table)
    assert not any("-999" in str(warning.message) for warning in again)
    assert imputer.report_.findings[0].kind == "sentinel" and len(said) == 1
    assert any("-999 in 4 cells" in note for note in imputer.report_.notes)


def test_doubts_about_a_table_are_warned_of_at_fit():
    table = normal().assign(label=lambda t: t["label"].where(t.index % 7 > 0, t["label"].str.upper()))
    with pytest.warns(UserWarning, match="column `label`: labels differ only in case or space"):
        PSDImputer(random_state=0, time_budget=0.001).fit(table)
    many = pd.DataFrame({f"c{k}": np.where(np.arange(80) % 3, "a", "A") for k in range(9)}).assign(x=normal(80)["x"])
    with pytest.warns(UserWarning) as said:
        PSDImputer(random_state=0, time_budget=0.001).fit(many)
    assert len(said) == 5 and "5 more columns or cells are doubtful: report_.notes has all" in str(said[-1].message)
