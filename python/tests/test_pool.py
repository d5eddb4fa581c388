"""Rubin's rules: the numbers of R's mice, identities, forms of input, and every error."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from psd_impute import Pooled, pool

MICE: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "mice_pool.json").read_text())
COLUMNS = ["estimate", "ubar", "b", "t", "riv", "lambda_", "df", "fmi", "std_error", "statistic", "p_value"]


def close(actual: Any, expected: Any, rtol: float = 1e-6) -> None:
    np.testing.assert_allclose(actual, np.asarray(expected, dtype=float), rtol=rtol)


def random_tables(m: int = 6, p: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Estimates and covariance matrices of m made-up analyses."""
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(m, p, p + 2))
    return rng.normal(size=(m, p)), roots @ roots.transpose(0, 2, 1)


def pooled_model(name: str, level: float = 0.95) -> Pooled:
    model = MICE["models"][name]
    dof = float(model["pooled"]["dfcom"][0])
    return pool(model["estimates"], model["covariances"], dof_complete=dof, level=level)


def as_result(params: Any, covariance: Any, **more: Any) -> SimpleNamespace:
    """An object with the interface of a statsmodels result."""
    return SimpleNamespace(params=params, cov_params=lambda: covariance, **more)


# The numbers of mice


@pytest.mark.parametrize("name", MICE["models"])
def test_every_column_of_mice_pool(name: str) -> None:
    expected, pooled = MICE["models"][name]["pooled"], pooled_model(name)
    assert pooled.m == expected["m"][0]
    for column in ["estimate", "ubar", "b", "t", "df", "riv", "lambda", "fmi"]:
        close(getattr(pooled, "lambda_" if column == "lambda" else column), expected[column])


@pytest.mark.parametrize("name", MICE["models"])
@pytest.mark.parametrize(("level", "ends"), [(0.95, ("2.5 %", "97.5 %")), (0.8, ("10 %", "90 %"))])
def test_every_column_of_mice_summary(name: str, level: float, ends: tuple[str, str]) -> None:
    expected, pooled = MICE["models"][name][f"summary{100 * level:.0f}"], pooled_model(name, level)
    for column in ["estimate", "std.error", "statistic", "df", "p.value"]:
        close(getattr(pooled, column.replace(".", "_")), expected[column])
    close(pooled.conf_int(), np.transpose([expected[end] for end in ends]))


@pytest.mark.parametrize("name", MICE["scalars"])
def test_mice_pool_scalar(name: str) -> None:
    expected = MICE["scalars"][name]
    pooled = pool(expected["estimates"], expected["variances"], dof_complete=float(expected["dfcom"]))
    for column in ["estimate", "ubar", "b", "t", "df", "riv", "fmi"]:
        assert isinstance(getattr(pooled, column), float)
        close(getattr(pooled, column), expected[column])


@pytest.mark.parametrize(
    ("name", "expected"), [(name, test) for name, tests in MICE["tests"].items() for test in tests]
)
def test_mice_d1(name: str, expected: dict[str, Any]) -> None:
    model = MICE["models"][name]
    dof = float(model["pooled"]["dfcom"][0]) if expected["known_dof"] else None
    pooled = pool(model["estimates"], model["covariances"], dof_complete=dof)
    test = pooled.wald_test([model["pooled"]["term"].index(term) for term in expected["tested"]])
    close(test, [expected[key] for key in ["f", "df1", "df2", "p", "riv"]])


# Identities


def test_equal_estimates_have_no_missing_information() -> None:
    q = np.full((3, 2), 0.1)
    large = pool(q, np.ones((3, 2)))
    small = pool(q, np.ones((3, 2)), dof_complete=10)
    for pooled in (large, small):
        for column in ["b", "riv", "lambda_", "fmi"]:
            assert (getattr(pooled, column) == 0).all()
        close(pooled.std_error, [1, 1])
    assert np.isinf(large.df).all()
    close(large.conf_int()[0], 0.1 + 1.959963985 * np.array([-1, 1]))
    close(small.df, 10 * 11 / 13 * np.ones(2))


def test_many_tables_leave_only_the_two_variances() -> None:
    q = np.random.default_rng(1).normal(5.0, 2.0, size=100_000)
    pooled = pool(q, np.full(q.shape, 3.0))
    close(pooled.t, 3.0 + 4.0, rtol=0.02)
    close(pooled.fmi, 4.0 / 7.0, rtol=0.02)
    close(np.diff(pooled.conf_int()), 2 * 1.959963985 * np.sqrt(pooled.t), rtol=1e-4)


def test_scale_of_estimates_only_scales() -> None:
    q, u = random_tables()
    one, thousand = (pool(c * q, c**2 * u, dof_complete=20) for c in (1.0, -1000.0))
    for column in ["riv", "lambda_", "df", "fmi", "p_value"]:
        close(getattr(thousand, column), getattr(one, column), rtol=1e-10)
    close(thousand.estimate, -1000 * one.estimate)
    close(thousand.conf_int(), -1000 * one.conf_int()[:, ::-1])
    close(thousand.wald_test(), one.wald_test())


def test_joint_test_does_not_depend_on_coordinates() -> None:
    q, u = random_tables()
    turn = np.random.default_rng(2).normal(size=(3, 3))
    turned = pool(q @ turn.T, turn @ u @ turn.T, dof_complete=30)
    close(turned.wald_test(), pool(q, u, dof_complete=30).wald_test())


def test_order_of_tables_does_not_matter() -> None:
    q, u = random_tables()
    order = [3, 0, 5, 1, 4, 2]
    straight, mixed = pool(q, u, dof_complete=20), pool(q[order], u[order], dof_complete=20)
    for column in COLUMNS:
        close(getattr(mixed, column), getattr(straight, column), rtol=1e-12)
    close(mixed.covariance, straight.covariance, rtol=1e-12)


def test_vectors_equal_scalars_one_by_one() -> None:
    q, u = random_tables()
    variances = np.diagonal(u, axis1=1, axis2=2)
    with_matrices, with_vectors = pool(q, u, dof_complete=9), pool(q, variances, dof_complete=9)
    for j in range(q.shape[1]):
        single = pool(q[:, j], variances[:, j], dof_complete=9)
        for column in COLUMNS:
            close(getattr(with_matrices, column)[j], getattr(single, column), rtol=1e-12)
            close(getattr(with_vectors, column)[j], getattr(single, column), rtol=1e-12)
        close(with_vectors.conf_int()[j], single.conf_int(), rtol=1e-12)


def test_total_covariance_gives_the_variance_of_every_contrast() -> None:
    q, u = random_tables()
    contrast = np.array([1.0, -2.0, 0.5])
    pooled = pool(q, u)
    single = pool(q @ contrast, contrast @ u @ contrast)
    close(contrast @ pooled.covariance @ contrast, single.t)
    close(np.diag(pooled.covariance), pooled.t)
    assert pool(q, np.abs(q)).covariance is None


def test_degrees_of_freedom_stay_below_those_of_the_complete_analysis() -> None:
    q, u = random_tables()
    df = [pool(q, u, dof_complete=dof).df for dof in (5, 50, 1e12, np.inf)]
    assert (df[0] < 5).all()
    assert (np.diff(df, axis=0) > 0).all()
    close(df[2], df[3])


def test_zero_variances() -> None:
    # A census: no sampling error, only missing cells
    pooled = pool([1.0, 2.0, 3.0], [0.0, 0.0, 0.0])
    assert (pooled.riv, pooled.lambda_, pooled.df, pooled.fmi) == (np.inf, 1.0, 2.0, 1.0)
    nothing = pool([0.0, 0.0], [0.0, 0.0])
    assert (nothing.t, nothing.fmi, nothing.statistic, nothing.p_value) == (0.0, 0.0, 0.0, 1.0)
    close(nothing.conf_int(), [0.0, 0.0])


# The joint test where mice has no numbers


@pytest.mark.parametrize("dof", [None, 12])
@pytest.mark.parametrize("m", [2, 5])
def test_joint_test_of_one_coefficient_is_its_t_test_for_few_tables(m: int, dof: float | None) -> None:
    q, u = random_tables(m)
    pooled = pool(q, u, dof_complete=dof)
    test = pooled.wald_test([1])
    close(test.statistic, pooled.statistic[1] ** 2)
    close([test.df2, test.p_value, test.riv], [pooled.df[1], pooled.p_value[1], pooled.riv[1]])


@pytest.mark.parametrize("m", [3, 6])
def test_joint_test_of_equal_estimates_is_that_of_the_complete_analysis(m: int) -> None:
    q, u = np.tile([0.1, 0.2], (m, 1)), np.tile(0.01 * np.eye(2), (m, 1, 1))
    close(pool(q, u).wald_test(), [2.5, 2, np.inf, np.exp(-2.5), 0])
    close(pool(q, u, dof_complete=10).wald_test().df2, 10 * 11 / 13)


def test_joint_degrees_of_freedom_tend_to_those_of_large_samples() -> None:
    q, u = random_tables()
    large, infinite = (pool(q, u, dof_complete=dof).wald_test() for dof in (1e9, None))
    close(large, infinite, rtol=1e-5)


def test_joint_test_stands_much_missing_information_in_few_rows() -> None:
    q, u = random_tables()
    test = pool(10 * q, u, dof_complete=8).wald_test()
    assert test.df2 > 0
    assert 0 < test.p_value < 1


# Forms of input


def test_results_of_statsmodels() -> None:
    pd = pytest.importorskip("pandas")
    formulas = pytest.importorskip("statsmodels.formula.api")
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(4, 40)), rng.normal(size=(4, 40))
    tables = [pd.DataFrame({"x": xi, "y": yi}) for xi, yi in zip(x, y)]
    fits = [formulas.ols("y ~ x", table).fit() for table in tables]
    pooled = pool(fits)
    by_hand = pool([fit.params for fit in fits], [fit.bse**2 for fit in fits], dof_complete=38)
    assert pooled.names == by_hand.names == ("Intercept", "x")
    assert pooled.dof_complete == 38
    for column in COLUMNS:
        close(getattr(pooled, column), getattr(by_hand, column))
    close(pooled.wald_test(["x"]), pooled.wald_test([1]))
    assert pool(fits, dof_complete=7).dof_complete == 7


def test_results_of_statsmodels_without_names() -> None:
    linear_model = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(4)
    x = linear_model.add_constant(rng.normal(size=(60, 1)))
    fits = [linear_model.Logit(rng.integers(0, 2, 60), x).fit(disp=False) for _ in range(3)]
    pooled = pool(fits)
    assert pooled.names is None
    assert pooled.dof_complete == 58
    close(pooled.estimate, np.mean([fit.params for fit in fits], axis=0))


@pytest.mark.parametrize("covariance", ["cov_", "covariance_"])
def test_results_with_coef(covariance: str) -> None:
    q, u = random_tables()
    names = np.array(["a", "b", "c"], dtype=object)
    fits = [SimpleNamespace(coef_=qi, feature_names_in_=names, **{covariance: ui}) for qi, ui in zip(q, u)]
    pooled = pool(fits)
    assert pooled.names == ("a", "b", "c")
    assert pooled.dof_complete == np.inf
    close(pooled.covariance, pool(q, u).covariance)
    for dof, fit in enumerate(fits, start=20):
        fit.df_resid_ = dof
    assert pool(fits).dof_complete == 20


def test_tuples_and_iterators() -> None:
    q, u = random_tables()
    pairs = pool(zip(q, u))
    close(pairs.covariance, pool(iter(q), iter(u)).covariance)
    close(pool([(1.0, 0.1), (2.0, 0.3)]).t, 0.2 + 1.5 * 0.5)


def test_smallest_degrees_of_freedom_count() -> None:
    fits = [as_result([1.0], [[1.0]], df_resid=dof) for dof in (12, 10, None)]
    assert pool(fits).dof_complete == 10


# Printed output


def test_table_of_numbers() -> None:
    pooled = pool([1.0, 1.2, 0.9], [0.04, 0.05, 0.04], level=0.9)
    head, header, row = str(pooled).splitlines()
    assert head == "3 tables, complete-data degrees of freedom: inf"
    assert " ".join(header.split()) == "estimate std_error statistic df p_value 5 % 95 % fmi"
    assert row.split()[:2] == ["1.0333", "0.27285"]


def test_table_has_names_and_is_aligned() -> None:
    pd = pytest.importorskip("pandas")
    q, u = random_tables(p=2)
    names = ["Intercept", "x"]
    lines = str(pool([pd.Series(row, index=names) for row in q], u, dof_complete=21)).splitlines()
    assert lines[0] == "6 tables, complete-data degrees of freedom: 21"
    assert [line.split()[0] for line in lines[2:]] == names
    assert len({len(line) for line in lines[1:]}) == 1
    unnamed = str(pool(q, u)).splitlines()
    assert [line.split()[0] for line in unnamed[2:]] == ["0", "1"]


def test_frame() -> None:
    pytest.importorskip("pandas")
    q, u = random_tables()
    fits = [SimpleNamespace(coef_=qi, cov_=ui, feature_names_in_=["a", "b", "c"]) for qi, ui in zip(q, u)]
    pooled = pool(fits)
    frame = pooled.to_frame()
    assert list(frame.index) == ["a", "b", "c"]
    for column in COLUMNS:
        close(frame[column], getattr(pooled, column))
    close(frame[["conf_low", "conf_high"]], pooled.conf_int())
    assert pool([1.0, 2.0], [1.0, 1.0]).to_frame().shape == (1, 13)


# Errors


@pytest.mark.parametrize(
    ("estimates", "variances", "message"),
    [
        ([1.0], [1.0], r"at least 2 completed tables, got 1: .*impute it several times \(m = 5 or more\)"),
        ([], [], "at least 2 completed tables, got 0"),
        ([1.0, 2.0], [1.0], "2 estimates but 1 variances"),
        (
            [[1.0, 2.0], [1.0]],
            [[1.0, 2.0], [1.0]],
            r"estimates of table 2 have shape \(1,\), .*table 1 \(2,\)",
        ),
        ([1.0, 2.0], [1.0, [1.0]], r"variances of table 2 have shape \(1,\), those of table 1 \(\)"),
        ([[1.0, 2.0]] * 2, [1.0, 1.0], r"shape \(2,\) need variances of that shape .* got shape \(\)"),
        ([[1.0, 2.0]] * 2, [np.eye(3)] * 2, r"covariance matrix; got shape \(3, 3\)"),
        ([np.eye(2)] * 2, [np.eye(2)] * 2, r"a number or a vector, got shape \(2, 2\)"),
        ([[], []], [[], []], r"a number or a vector, got shape \(0,\)"),
        ([1.0, np.nan], [1.0, 1.0], "the estimates of table 2 hold NaN or infinite values"),
        ([1.0, 2.0], [np.inf, 1.0], "the variances of table 1 hold NaN or infinite values"),
        ([1.0, 2.0], [1.0, -1.0], "table 2 has a negative variance; variances are squared standard errors"),
        ([[1.0, 2.0]] * 2, [np.eye(2), -np.eye(2)], "table 2 has a negative variance"),
    ],
)
def test_bad_values(estimates: Any, variances: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pool(estimates, variances)


def test_not_numbers() -> None:
    with pytest.raises(TypeError, match="the estimates of table 1 are not numbers: 'age'"):
        pool(["age", "bmi"], [1.0, 1.0])


@pytest.mark.parametrize("results", [[1.0, 2.0], [[1.0, 0.1], [2.0, 0.1]]])
def test_results_that_cannot_be_read(results: Any) -> None:
    kind = type(results[0]).__name__
    with pytest.raises(TypeError, match=f"cannot take estimate and variance from {kind}: give variances, or"):
        pool(results)


@pytest.mark.parametrize("level", [0.0, 1.0, 95, np.nan])
def test_bad_level(level: float) -> None:
    with pytest.raises(ValueError, match=f"level must lie between 0 and 1, got {level}"):
        pool([1.0, 2.0], [1.0, 1.0], level=level)


@pytest.mark.parametrize("dof", [0, -3, np.nan])
def test_bad_degrees_of_freedom(dof: float) -> None:
    message = f"complete-data degrees of freedom must be positive, got {dof}"
    with pytest.raises(ValueError, match=message):
        pool([1.0, 2.0], [1.0, 1.0], dof_complete=dof)
    with pytest.raises(ValueError, match=message):
        pool([as_result([1.0], [[1.0]], df_resid=dof)] * 2)


def test_names_that_differ() -> None:
    pd = pytest.importorskip("pandas")
    first, second = pd.Series([1.0, 2.0], index=["a", "b"]), pd.Series([1.0, 2.0], index=["b", "a"])
    with pytest.raises(ValueError, match=r"table 2 has coefficients \['b', 'a'\], expected \['a', 'b'\]"):
        pool([first, second], [np.ones(2)] * 2)
    with pytest.raises(ValueError, match=r"table 1 has coefficients \['b', 'a'\], expected \['a', 'b'\]"):
        pool([first, first], [second, second])


def test_names_that_are_too_few() -> None:
    fits = [SimpleNamespace(coef_=np.ones(2), cov_=np.eye(2), feature_names_in_=["a"])] * 2
    with pytest.raises(ValueError, match=r"there are 1 names for estimates of shape \(2,\)"):
        pool(fits)


def test_joint_test_needs_covariances() -> None:
    with pytest.raises(ValueError, match="wald_test needs covariances: pool covariance matrices"):
        pool([[1.0, 2.0]] * 2, [[1.0, 1.0]] * 2).wald_test()


@pytest.mark.parametrize("which", [[], "a"])
def test_joint_test_of_no_list(which: Any) -> None:
    with pytest.raises(ValueError, match="which must be a list of names or positions of coefficients, got"):
        pool(*random_tables()).wald_test(which)


def test_joint_test_of_unknown_coefficients() -> None:
    q, u = random_tables()
    for which in ([3], [-1], ["a"]):
        with pytest.raises(ValueError, match=rf"there is no coefficient {which[0]!r}; there are: 0 to 2"):
            pool(q, u).wald_test(which)
    named = [SimpleNamespace(coef_=qi, cov_=ui, feature_names_in_=["a", "b", "c"]) for qi, ui in zip(q, u)]
    with pytest.raises(ValueError, match="there is no coefficient 'd'; there are: a, b, c"):
        pool(named).wald_test(["a", "d"])
