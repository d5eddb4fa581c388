"""Figures, checked by the data of their artists."""

from __future__ import annotations

import datetime
import importlib
import sys
import time
from types import SimpleNamespace
from typing import Any

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd
import polars as pl
import pyarrow as pa
from matplotlib.colors import to_hex
from matplotlib.dates import date2num
from matplotlib.figure import Figure

from psd_impute import PSDImputer, plot
from psd_impute.report import FitReport, Member, Step

BLUE, RED = "#0072b2", "#d55e00"
KINDS = ["pandas", "polars", "pyarrow"]


def mixed(n: int = 150) -> pd.DataFrame:
    """Numbers, a category, booleans and times with gaps, a column without and one that is constant."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    table = pd.DataFrame(
        {
            "size": 10 + x + 0.3 * rng.normal(size=n),
            "count": np.round(50 + 10 * x + rng.normal(size=n)),
            "town": pd.array(np.where(x + 0.5 * rng.normal(size=n) > 0, "Bath", "Ayr"), dtype="string"),
            "open": pd.array(x > 0.5, dtype="boolean"),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.round(300 + 90 * x), unit="D"),
            "whole": rng.normal(size=n),
            "same": np.full(n, 2.5),
        }
    )
    for j, name in enumerate(table.columns):
        if name != "whole":
            table.loc[rng.random(n) < 0.05 * (j + 1), name] = None
    return table


def as_kind(table: pd.DataFrame, kind: str) -> Any:
    return {"pandas": lambda t: t, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[kind](table)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed()


@pytest.fixture(scope="module")
def imputer(table: pd.DataFrame) -> PSDImputer:
    return PSDImputer(random_state=0, time_budget=1).fit(table)


@pytest.fixture(scope="module")
def completed(imputer: PSDImputer, table: pd.DataFrame) -> list[pd.DataFrame]:
    return imputer.impute(table, m=3)


def panel(figure: Any, xlabel: str) -> Any:
    return next(ax for ax in figure.axes if ax.get_xlabel() == xlabel)


def lines(ax: Any, colour: str) -> list[Any]:
    return [line for line in ax.lines if to_hex(line.get_color()) == colour]


def bars(ax: Any, colour: str) -> list[float]:
    return [bar.get_height() for bar in ax.patches if to_hex(bar.get_facecolor()) == colour]


def mesh(ax: Any) -> np.ndarray:
    """The cells of a mesh, one line per row. Older versions of matplotlib have them in one line."""
    return np.asarray(ax.collections[0].get_array()).reshape(len(ax.get_yticks()), -1)


def draw(figure: Figure) -> None:
    figure.canvas.draw()


# Missing cells


@pytest.mark.parametrize("kind", KINDS)
def test_map_marks_every_missing_cell(table: pd.DataFrame, kind: str) -> None:
    figure = plot.missingness(as_kind(table, kind))
    draw(figure)
    (ax,) = figure.axes
    np.testing.assert_array_equal(ax.images[0].get_array(), table.isna().to_numpy())
    assert [text.get_text() for text in ax.get_xticklabels()] == list(table.columns)
    assert f"{table.isna().sum().sum()} of {table.size:,}" in ax.get_title(loc="left")


def test_map_of_many_rows_is_small_and_loses_no_cell() -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((200_003, 4)) < [0, 0.01, 0.3, 0.9], np.nan, 1.0)
    shares = np.asarray(plot.missingness(X).axes[0].images[0].get_array())
    assert shares.shape == (500, 4)
    rows = np.diff(np.linspace(0, len(X), 501).astype(int))
    np.testing.assert_allclose(rows @ shares, np.isnan(X).sum(axis=0))


@pytest.mark.parametrize("kind", KINDS)
def test_patterns_count_rows(table: pd.DataFrame, kind: str) -> None:
    figure = plot.patterns(as_kind(table, kind))
    draw(figure)
    (ax,) = figure.axes
    beside, above = ax.child_axes
    counted = table.isna().value_counts()
    counts = np.array([bar.get_width() for bar in beside.patches])
    assert counts.sum() == len(table)
    assert counts[:20].tolist() == sorted(counted.tolist(), reverse=True)[:20]
    gaps = [name for name in table.columns if name != "whole"]
    assert [text.get_text() for text in ax.get_xticklabels()] == gaps
    np.testing.assert_allclose([bar.get_height() for bar in above.patches], table[gaps].isna().mean())
    np.testing.assert_allclose(counts @ mesh(ax), table[gaps].isna().sum())


def test_patterns_of_few_rows_are_exact() -> None:
    nan = np.nan
    figure = plot.patterns(np.array([[1, nan, 1], [1, nan, 1], [1, 1, 1], [1, nan, nan], [1, nan, 1]]))
    (ax,) = figure.axes
    np.testing.assert_array_equal(mesh(ax), [[1, 0], [0, 0], [1, 1]])
    assert [bar.get_width() for bar in ax.child_axes[0].patches] == [3, 1, 1]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["1 missing", "complete", "2 missing"]


def test_rare_patterns_are_summed() -> None:
    X = np.where(np.random.default_rng(0).random((3000, 9)) < 0.3, np.nan, 0.0)
    (ax,) = plot.patterns(X).axes
    counts = np.array([bar.get_width() for bar in ax.child_axes[0].patches])
    patterns = len(np.unique(np.isnan(X), axis=0))
    assert len(counts) == 21 and counts.sum() == 3000
    np.testing.assert_allclose(counts @ mesh(ax), np.isnan(X).sum(axis=0))
    assert ax.get_yticklabels()[-1].get_text() == f"{patterns - 20} other patterns"


# Observed against imputed


@pytest.mark.parametrize("kind", KINDS)
def test_densities_draw_each_completed_table(table: pd.DataFrame, completed: Any, kind: str) -> None:
    figure = plot.densities(as_kind(table, kind), [as_kind(one, kind) for one in completed])
    draw(figure)
    assert [ax.get_xlabel() for ax in figure.axes] == [name for name in table.columns if name != "whole"]
    for name in ("size", "count", "since"):
        ax = panel(figure, name)
        assert (len(lines(ax, BLUE)), len(lines(ax, RED))) == (1, 3)
        for line in ax.lines:
            x, y = line.get_data()
            assert np.sum(y) * (x[1] - x[0]) == pytest.approx(1, abs=1e-9)


def test_curves_have_the_mean_of_their_cells(table: pd.DataFrame, completed: Any) -> None:
    figure = plot.densities(table, completed)
    for name in ("size", "since"):
        ax = panel(figure, name)
        to_numbers = date2num if name == "since" else np.asarray
        gaps = table[name].isna()
        cells = [table[name][~gaps], *(one[name][gaps] for one in completed)]
        for line, expected in zip([*lines(ax, BLUE), *lines(ax, RED)], cells):
            x, y = line.get_data()
            expected = to_numbers(expected.to_numpy())
            assert np.average(x, weights=y) == pytest.approx(expected.mean(), abs=0.15 * expected.std())


def test_bars_are_shares_of_labels(table: pd.DataFrame, completed: Any) -> None:
    figure = plot.densities(table, completed)
    for name, labels in (("town", ["Ayr", "Bath"]), ("open", [False, True])):
        ax, gaps = panel(figure, name), table[name].isna()
        assert [text.get_text() for text in ax.get_xticklabels()] == [str(label) for label in labels]
        np.testing.assert_allclose(bars(ax, BLUE), [(table[name][~gaps] == label).mean() for label in labels])
        shares = [[(one[name][gaps] == label).mean() for label in labels] for one in completed]
        np.testing.assert_allclose(bars(ax, RED), np.mean(shares, axis=0))
        np.testing.assert_allclose([line.get_ydata() for line in ax.lines], shares)


def test_constant_column_is_one_bar(table: pd.DataFrame, completed: Any) -> None:
    ax = plot.densities(table, completed[0], ["same"]).axes[0]
    assert (bars(ax, BLUE), bars(ax, RED)) == ([1], [1])
    assert [text.get_text() for text in ax.get_xticklabels()] == ["2.5"]


def test_rare_labels_are_summed() -> None:
    rng = np.random.default_rng(0)
    labels = np.array([f"label {k:02}" for k in np.minimum(rng.geometric(0.15, 900), 30)], dtype=object)
    done = pd.DataFrame({"label": labels})
    table = done.mask(rng.random(done.shape) < 0.2)
    ax = plot.densities(table, done).axes[0]
    assert len(bars(ax, BLUE)) == 12
    assert (sum(bars(ax, BLUE)), sum(bars(ax, RED))) == (pytest.approx(1), pytest.approx(1))
    assert ax.get_xticklabels()[-1].get_text() == f"{len(set(labels)) - 11} others"


def test_whole_numbers_have_bars_and_one_value_imputed_is_drawn() -> None:
    X = np.column_stack([np.arange(60) % 3, np.linspace(0, 1, 60)])
    gaps = X.copy()
    gaps[:9, 0] = gaps[30, 1] = np.nan
    figure = plot.densities(gaps, X)
    np.testing.assert_allclose(bars(figure.axes[0], BLUE), [17 / 51] * 3)
    (curve,) = lines(figure.axes[1], RED)
    assert curve.get_xdata()[curve.get_ydata().argmax()] == pytest.approx(X[30, 1], abs=0.01)


@pytest.mark.parametrize("kind", ["objects", "polars", "pyarrow"])
def test_dates_are_on_an_axis_of_time(kind: str) -> None:
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=7 * k) for k in range(100)]
    gaps = [None if k % 4 == 0 else day for k, day in enumerate(days)]
    make = {"objects": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[kind]
    figure = plot.densities(make({"day": gaps}), make({"day": days}))
    draw(figure)
    x, _ = figure.axes[0].lines[0].get_data()
    assert date2num(days[0]) < x[0] < x[-1] < date2num(days[-1])
    assert "2021" in [text.get_text() for text in figure.axes[0].get_xticklabels()]


def test_completed_matrix_may_lack_empty_columns() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    X[:, 1] = X[::5, 2] = np.nan
    with pytest.warns(UserWarning, match="no cell of x1 is observed"):
        done = PSDImputer(random_state=0, time_budget=1).fit_transform(X)
    assert done.shape == (80, 3)
    figure = plot.densities(X, done)
    assert [ax.get_xlabel() for ax in figure.axes] == ["x2"]
    x, y = lines(figure.axes[0], RED)[0].get_data()
    assert np.average(x, weights=y) == pytest.approx(done[::5, 1].mean(), abs=0.2)


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_colour_rows_with_an_imputed_cell(table: pd.DataFrame, completed: Any, kind: str) -> None:
    figure = plot.pairs(as_kind(table, kind), as_kind(completed[0], kind), ["size", "since", "count"])
    draw(figure)
    assert len(figure.axes) == 3
    ax = panel(figure, "since")
    imputed = (table["since"].isna() | table["count"].isna()).to_numpy()
    expected = np.column_stack([date2num(completed[0]["since"].to_numpy()), completed[0]["count"]])
    for dots, rows, colour in zip(ax.collections, (~imputed, imputed), (BLUE, RED)):
        np.testing.assert_allclose(dots.get_offsets(), expected[rows])
        assert to_hex(dots.get_facecolor()[0]) == colour


def test_pairs_take_five_columns_and_thin_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 8))
    gaps = np.where(rng.random(X.shape) < np.linspace(0, 0.3, 8), np.nan, X)
    start = time.perf_counter()
    figure = plot.pairs(gaps, X)
    draw(figure)
    assert time.perf_counter() - start < 10
    assert {ax.get_xlabel() for ax in figure.axes} - {""} == {"x3", "x4", "x5", "x6"}
    assert [[len(dots.get_offsets()) for dots in ax.collections] for ax in figure.axes] == [[2000, 2000]] * 10


def test_two_hundred_thousand_rows_take_seconds() -> None:
    rng = np.random.default_rng(0)
    n = 200_000
    done = pd.DataFrame({"x": rng.normal(size=n), "t": rng.choice(["a", "b", "c"], n)})
    done["k"] = rng.integers(0, 90, n)
    done["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, n), unit="D")
    table = done.mask(rng.random(done.shape) < 0.2)
    start = time.perf_counter()
    for figure in (plot.missingness(table), plot.patterns(table), plot.densities(table, [done] * 5)):
        draw(figure)
    assert time.perf_counter() - start < 10


# Progress of a fit


def test_convergence_has_members_in_the_order_tried(imputer: PSDImputer) -> None:
    figure = plot.convergence(imputer)
    draw(figure)
    (ax,) = figure.axes
    report = imputer.report_
    tried = [text.get_text() for text in ax.get_yticklabels()]
    assert tried == list(dict.fromkeys(member.name for member in report.members))
    points = np.concatenate([dots.get_offsets() for dots in ax.collections])
    assert sorted(points[:, 0]) == pytest.approx(sorted(member.held_out for member in report.members))
    for x, y in points:
        assert any(x == member.held_out and tried[round(y)] == member.name for member in report.members)
    verticals = [line.get_xdata()[0] for line in ax.lines]
    assert verticals == [report.held_out, report.normal_held_out]


def test_convergence_fills_members_with_weight() -> None:
    members = (Member("one", "normal scores", 0.75, -2.0), Member("two", "columns as they are", 0.0, -3.0))
    trace = (Step(1.0, "two", -3.0), Step(2.0, "one", None), Step(3.0, "one", -2.0))
    report = FitReport("default", 10, 10, 10, 0, True, {}, -1.5, None, members, trace)
    (ax,) = plot.convergence(SimpleNamespace(report_=report)).axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["two", "one"]
    hollow, filled = ax.collections
    assert (to_hex(hollow.get_facecolor()[0]), to_hex(filled.get_facecolor()[0])) == ("#ffffff", RED)
    assert [text.get_text() for text in ax.texts] == ["75 %"]


def test_convergence_of_a_density_is_its_decrement() -> None:
    trace = {"decrement": np.array([3.0, 0.2, 1e-5, 0.5, 1e-9]), "barrier": np.array([1, 1, 1, 0.1, 0.1])}
    (ax,) = plot.convergence(SimpleNamespace(trace_=trace)).axes
    decrements, *changes = ax.lines
    np.testing.assert_array_equal(decrements.get_ydata(), trace["decrement"])
    np.testing.assert_array_equal(decrements.get_xdata(), [1, 2, 3, 4, 5])
    assert ax.get_yscale() == "log"
    assert [line.get_xdata()[0] for line in changes] == [3.5]


def test_convergence_of_nothing() -> None:
    with pytest.raises(ValueError, match="fit the imputer"):
        plot.convergence(PSDImputer())


# Over-imputation


def test_coverage_is_that_of_cells_masked_one_by_one(imputer: PSDImputer, table: pd.DataFrame) -> None:
    figure = plot.over_imputation(imputer, table, ["size"], level=0.8, max_cells=40, random_state=1)
    draw(figure)
    (ax,) = figure.axes
    inside, outside = (np.column_stack(line.get_data()) for line in ax.lines[:2])
    held, drawn = 0, {value for value, _ in [*inside, *outside]}
    rows = [row for row, value in enumerate(table["size"]) if value in drawn]
    assert len(rows) == len(inside) + len(outside) == 40
    for row in rows:
        masked = table.iloc[[row]].copy()
        masked["size"] = np.nan
        said = imputer.conditional(masked, quantiles=(0.1, 0.9))["size"]
        low, high = said.quantiles[0]
        here = low <= table["size"][row] <= high
        held += here
        assert said.median[0] in (inside if here else outside)[:, 1]
    assert len(inside) == held
    assert ax.get_title() == f"{100 * held / 40:.1f} % of 40 inside"
    assert [to_hex(line.get_color()) for line in ax.lines[:2]] == [BLUE, RED]


def test_intervals_of_dates_stand_over_the_observed_day(imputer: PSDImputer, table: pd.DataFrame) -> None:
    (ax,) = plot.over_imputation(imputer, table, ["since"], max_cells=30).axes
    observed = np.concatenate([line.get_xdata() for line in ax.lines[:2]])
    assert set(observed) <= set(date2num(table["since"].dropna().to_numpy()))
    for some, line in zip(ax.collections, ax.lines):
        for (bottom, top), (x, middle) in zip(some.get_segments(), np.column_stack(line.get_data())):
            assert bottom[0] == top[0] == x and bottom[1] <= middle <= top[1]


@pytest.mark.parametrize("name", ["town", "open"])
def test_confusion_counts_labels(imputer: PSDImputer, table: pd.DataFrame, name: str) -> None:
    (ax,) = plot.over_imputation(imputer, table, [name]).axes
    known = table[table[name].notna()]
    empty = pd.array([None] * len(known), dtype="string" if name == "town" else "boolean")
    masked = known.assign(**{name: empty})
    guessed = imputer.conditional(masked)[name].most_probable()
    labels = sorted(set(known[name]))
    expected = [[int(((known[name] == a) & (guessed == b)).sum()) for b in labels] for a in labels]
    assert [int(text.get_text()) for text in ax.texts] == np.ravel(expected).tolist()
    assert ax.get_title() == f"{100 * np.trace(expected) / len(known):.1f} % of {len(known)} right"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_is_over_imputed(table: pd.DataFrame, kind: str) -> None:
    def titles(given: Any) -> list[str]:
        imputer = PSDImputer(random_state=0, n_anchors=5).fit(given)
        figure = plot.over_imputation(imputer, given, max_cells=60)
        draw(figure)
        return [ax.get_title() for ax in figure.axes]

    assert titles(as_kind(table, kind)) == titles(table)


def test_sentinels_of_a_matrix_are_missing() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)).cumsum(axis=1)
    X[::4, 1] = np.nan
    settings = {"random_state": 0, "n_anchors": 5}
    marked = np.where(np.isnan(X), -999.0, X)
    plain = plot.over_imputation(PSDImputer(**settings).fit(X), X)
    given = plot.over_imputation(PSDImputer(missing_values=-999, **settings).fit(marked), marked)
    assert [ax.get_title() for ax in given.axes] == [ax.get_title() for ax in plain.axes]
    assert given.axes[1].get_title().endswith("of 45 inside")


# All figures


def test_no_missing_cell(imputer: PSDImputer) -> None:
    X = np.ones((5, 2))
    for function in (plot.missingness, plot.patterns):
        with pytest.raises(ValueError, match="no missing cell"):
            function(X)
    for compare in (plot.densities, plot.pairs):
        with pytest.raises(ValueError, match="no missing cell"):
            compare(X, X)


def test_single_column() -> None:
    X = np.array([[1.0], [np.nan], [2.5], [4.0]])
    done = np.array([[1.0], [3.0], [2.5], [4.0]])
    assert plot.missingness(X).axes[0].images[0].get_array().sum() == 1
    assert [bar.get_width() for bar in plot.patterns(X).axes[0].child_axes[0].patches] == [3, 1]
    assert len(plot.densities(X, done).axes) == 1
    with pytest.raises(ValueError, match="two columns"):
        plot.pairs(X, done)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t, d, i: plot.densities(t, d, ["nobody"]), "no column 'nobody'"),
        (lambda t, d, i: plot.densities(t, d, ["whole"]), "no missing cell was completed in whole"),
        (lambda t, d, i: plot.densities(t, t), "no missing cell was completed in any column"),
        (lambda t, d, i: plot.densities(t, []), "no completed table"),
        (lambda t, d, i: plot.densities(t, d[0].iloc[1:]), "149 rows, not 150"),
        (lambda t, d, i: plot.densities(t, d[0].assign(size="a")), "`size` is a number in the table"),
        (lambda t, d, i: plot.pairs(t, d, ["size", "town"]), "`town` has no numbers"),
        (lambda t, d, i: plot.over_imputation(i, t, level=1), "level is 1"),
        (lambda t, d, i: plot.over_imputation(i, t, ["same"]), "`same` is not modelled"),
        (lambda t, d, i: plot.over_imputation(i, t.assign(size=np.nan), ["size"]), "no observed cell"),
        (lambda t, d, i: plot.missingness(np.ones(3)), "1 dimensions"),
    ],
)
def test_mistakes_are_named(table: Any, completed: Any, imputer: Any, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(table, completed, imputer)


def test_axes_given_are_drawn_on_and_returned(table: Any, completed: Any, imputer: PSDImputer) -> None:
    calls = [
        lambda ax: plot.missingness(table, ax=ax),
        lambda ax: plot.patterns(table, ax=ax),
        lambda ax: plot.densities(table, completed, ["size"], ax=ax),
        lambda ax: plot.pairs(table, completed, ["size", "count"], ax=ax),
        lambda ax: plot.convergence(imputer, ax=ax),
        lambda ax: plot.over_imputation(imputer, table, ["open"], max_cells=20, ax=ax),
    ]
    for call in calls:
        ax = Figure().subplots()
        assert call(ax) is ax and ax.has_data()
        draw(ax.figure)
    for call in (plot.densities, plot.pairs):
        with pytest.raises(ValueError, match="`ax` holds one"):
            call(table, completed, ax=Figure().subplots())


def test_pyplot_and_settings_stay_as_they_were(table: Any, completed: Any, imputer: PSDImputer) -> None:
    before, opened = dict(matplotlib.rcParams), plt.get_fignums()
    figures = [
        plot.missingness(table), plot.patterns(table), plot.densities(table, completed),
        plot.pairs(table, completed), plot.convergence(imputer),
    ]
    for figure in figures:
        assert figure._repr_png_().startswith(b"\x89PNG")
    assert plt.get_fignums() == opened
    assert dict(matplotlib.rcParams) == before


def test_hint_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("psd_impute.plot")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "psd-impute\[plot\]"'):
        importlib.import_module("psd_impute.plot")
