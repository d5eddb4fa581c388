"""Rubin's rules: pool the results of one analysis of m completed tables.

Notation, for one coefficient: table i gives the estimate q_i with variance u_i (its squared standard error).

Barnard, J. and Rubin, D. B. (1999). Small-sample degrees of freedom with multiple imputation. Biometrika 86.
Li, K. H., Raghunathan, T. E. and Rubin, D. B. (1991). Large-sample significance levels from multiply imputed
    data using moment-based statistics and an F reference distribution. JASA 86.
Reiter, J. P. (2007). Small-sample degrees of freedom for multi-component significance tests with multiple
    imputation for missing data. Biometrika 94.
Rubin, D. B. (1987). Multiple Imputation for Nonresponse in Surveys. Wiley.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Pooled", "WaldTest", "pool"]

Numbers = Union[float, np.ndarray]
Names = Optional[tuple[str, ...]]


def pool(
    estimates: Iterable[Any],
    variances: Iterable[Any] | None = None,
    *,
    dof_complete: float | None = None,
    level: float = 0.95,
) -> Pooled:
    """Pool the estimates from m completed tables by Rubin's rules.

    Parameters
    ----------
    estimates : iterable of float, array-like or fitted results
        m numbers or m vectors, one for each table. Without `variances`, m fitted results: anything with
        `params` and `cov_params()` (statsmodels), anything with `coef_` and `cov_` or `covariance_`, or
        tuples (estimate, variance).
    variances : iterable of float or array-like, or None, default=None
        The squared standard errors: m numbers, m vectors, or m covariance matrices.
    dof_complete : float or None, default=None
        Degrees of freedom of the analysis without missing cells. By default the smallest `df_resid` (or
        `df_resid_`) of the fitted results, or infinite if none is known.
    level : float, default=0.95
        The nominal coverage of confidence intervals.

    Returns
    -------
    Pooled

    Examples
    --------
    >>> print(pool([1.0, 1.2, 0.9], [0.04, 0.05, 0.04]))
    3 tables, complete-data degrees of freedom: inf
      estimate  std_error  statistic      df   p_value    2.5 %  97.5 %      fmi
        1.0333    0.27285     3.7873  11.452  0.002806  0.43568   1.631  0.49847
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    analyses = [_read(result) for result in estimates] if variances is None else _paired(estimates, variances)
    if len(analyses) < 2:
        raise ValueError(
            f"pooling needs at least 2 completed tables, got {len(analyses)}: "
            "one table does not show how much imputations differ; impute it several times (m = 5 or more)"
        )
    q = _stacked([analysis.estimate for analysis in analyses], "estimates")
    u = _stacked([analysis.variance for analysis in analyses], "variances")
    _check_shapes(q, u)
    has_covariances = u.ndim == 3
    u_diagonal = np.diagonal(u, axis1=1, axis2=2) if has_covariances else u
    _check_not_negative(u_diagonal)
    return Pooled(
        m=len(q),
        estimate=q.mean(axis=0),
        ubar=u_diagonal.mean(axis=0),
        b=_between(q),
        dof_complete=_known_dof(analyses) if dof_complete is None else _checked_dof(dof_complete),
        level=level,
        names=_common_names(analyses, q.shape[1:]),
        within=u.mean(axis=0) if has_covariances else None,
        between=np.atleast_2d(np.cov(q - q[0], rowvar=False)) if has_covariances else None,
    )


class WaldTest(NamedTuple):
    """A joint test that coefficients are all zero: `statistic` is compared with F(df1, df2)."""

    statistic: float
    df1: int
    df2: float
    p_value: float
    riv: float


@dataclass(frozen=True, eq=False, repr=False)
class Pooled:
    """Pooled estimates: numbers if numbers were pooled, otherwise arrays with one entry per coefficient.

    Attributes
    ----------
    m : int
        Number of completed tables.
    estimate : float or ndarray of shape (n_coefficients,)
        Mean of the m estimates.
    ubar : float or ndarray of shape (n_coefficients,)
        Variance within imputations: mean of the m variances.
    b : float or ndarray of shape (n_coefficients,)
        Variance between imputations: variance of the m estimates.
    dof_complete : float
        Degrees of freedom of the complete-data analysis, possibly infinite.
    level : float
        Level of the confidence intervals.
    names : tuple of str or None
        Names of the coefficients, None if they have none.
    within, between : ndarray of shape (n_coefficients, n_coefficients) or None
        `ubar` and `b` as covariance matrices, None unless covariance matrices were pooled.
    """

    m: int
    estimate: Numbers
    ubar: Numbers
    b: Numbers
    dof_complete: float
    level: float
    names: Names
    within: np.ndarray | None
    between: np.ndarray | None

    # Rubin (1987), 3.1. The mean of infinitely many estimates has variance ubar + b; that of m estimates
    # differs from it by another b / m. Hence
    #
    #     t = ubar + (1 + 1/m) b,   riv = (1 + 1/m) b / ubar,   lambda = (1 + 1/m) b / t.
    #
    # The same holds for vectors, with matrices in place of ubar, b and t.

    @property
    def t(self) -> Numbers:
        """Total variance."""
        return self.ubar + self._b_of_mean

    @property
    def covariance(self) -> np.ndarray | None:
        """Total covariance matrix, with `t` on its diagonal; None unless covariance matrices were pooled."""
        if self.within is None or self.between is None:
            return None
        return self.within + (1 + 1 / self.m) * self.between

    @property
    def riv(self) -> Numbers:
        """Relative increase in variance due to the missing cells."""
        return _ratio(self._b_of_mean, self.ubar)

    @property
    def lambda_(self) -> Numbers:
        """Share of the total variance that is due to the missing cells."""
        return _ratio(self._b_of_mean, self.t)

    @property
    def df(self) -> Numbers:
        """Degrees of freedom of Barnard and Rubin; Rubin's if `dof_complete` is infinite."""
        return _degrees_of_freedom(self.m, self.lambda_, self.dof_complete)

    @property
    def fmi(self) -> Numbers:
        """Fraction of missing information; 0 if the estimates do not differ."""
        return _fraction_missing(self.lambda_, self.df)

    @property
    def std_error(self) -> Numbers:
        """Square root of the total variance."""
        return np.sqrt(self.t)

    @property
    def statistic(self) -> Numbers:
        """Estimate over its standard error, for the test that it is zero."""
        return _ratio(self.estimate, self.std_error)

    @property
    def p_value(self) -> Numbers:
        """Two-sided p value of `statistic`, from Student's t with `df` degrees of freedom."""
        from scipy.special import stdtr

        p_value: Numbers = 2 * stdtr(self.df, -np.abs(self.statistic))
        return p_value

    def conf_int(self) -> np.ndarray:
        """Confidence intervals, with lower and upper ends along the last axis."""
        from scipy.special import stdtrit

        half = stdtrit(self.df, (1 + self.level) / 2) * self.std_error
        return np.stack([self.estimate - half, self.estimate + half], axis=-1)

    def wald_test(self, which: Sequence[str | int] | None = None) -> WaldTest:
        """Test that several coefficients are all zero (D1 of Li, Raghunathan and Rubin).

        Parameters
        ----------
        which : sequence of str or int, or None, default=None
            Names or positions of the coefficients; None is all, including an intercept.

        Returns
        -------
        WaldTest
        """
        if self.within is None or self.between is None:
            raise ValueError("wald_test needs covariances: pool covariance matrices in place of variances")
        chosen = self._positions(which)
        block = np.ix_(chosen, chosen)
        q = np.take(self.estimate, chosen)
        return _wald(self.m, q, self.within[block], self.between[block], self.dof_complete)

    def to_frame(self) -> pd.DataFrame:
        """All results as a pandas ``DataFrame`` with one row per coefficient."""
        import pandas as pd

        return pd.DataFrame(self._columns(), index=self.names)

    def __repr__(self) -> str:
        tail = 50 * (1 - self.level)
        headers = {"conf_low": f"{tail:g} %", "conf_high": f"{100 - tail:g} %"}
        shown = ["estimate", "std_error", "statistic", "df", "p_value", "conf_low", "conf_high", "fmi"]
        columns = self._columns()
        cells = [_text_column(headers.get(name, name), columns[name]) for name in shown]
        lines = ["  ".join(row) for row in zip(self._labels(), *cells)]
        head = f"{self.m} tables, complete-data degrees of freedom: {self.dof_complete:g}"
        return "\n".join([head, *lines])

    def _columns(self) -> dict[str, np.ndarray]:
        low, high = np.moveaxis(self.conf_int(), -1, 0)
        columns = {
            "estimate": self.estimate,
            "std_error": self.std_error,
            "statistic": self.statistic,
            "df": self.df,
            "p_value": self.p_value,
            "conf_low": low,
            "conf_high": high,
            "riv": self.riv,
            "lambda_": self.lambda_,
            "fmi": self.fmi,
            "ubar": self.ubar,
            "b": self.b,
            "t": self.t,
        }
        return {name: np.atleast_1d(column) for name, column in columns.items()}

    @property
    def _b_of_mean(self) -> Numbers:
        return (1 + 1 / self.m) * self.b

    def _positions(self, which: Sequence[str | int] | None) -> list[int]:
        if which is None:
            return list(range(np.size(self.estimate)))
        if isinstance(which, str) or len(which) == 0:
            raise ValueError(f"which must be a list of names or positions of coefficients, got {which!r}")
        return [self._position(one) for one in which]

    def _position(self, one: str | int) -> int:
        names = self.names or ()
        if isinstance(one, str) and one in names:
            return names.index(one)
        if not isinstance(one, str) and 0 <= one < np.size(self.estimate):
            return one
        known = ", ".join(names) if names else f"0 to {np.size(self.estimate) - 1}"
        raise ValueError(f"there is no coefficient {one!r}; there are: {known}")

    def _labels(self) -> list[str]:
        """The first column of the printed table with its header; of no width for a single number."""
        rows = np.size(self.estimate)
        labels = list(self.names or ("" if np.ndim(self.estimate) == 0 else str(i) for i in range(rows)))
        width = max(map(len, labels))
        return [label.ljust(width) for label in ["", *labels]]


# Formulas


def _between(q: np.ndarray) -> Numbers:
    """Variance between imputations; subtracting q[0] makes it exactly 0 for equal estimates, in spite of rounding."""
    variance: Numbers = np.var(q - q[0], axis=0, ddof=1)
    return variance


def _ratio(part: Numbers, whole: Numbers) -> Numbers:
    """The part over the whole; 0 if the part is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Numbers = np.where(part == 0, 0.0, np.divide(part, whole))[()]
    return ratio


def _discounted(dof: float) -> float:
    """Degrees of freedom v (v + 1) / (v + 3) of Barnard and Rubin, also for infinite v."""
    return dof * (1 - 2 / (dof + 3))


# Rubin (1987). b is estimated from m tables, so (m - 1) b over its expectation is about chi-squared with
# m - 1 degrees of freedom, while ubar is taken as known. Only the share lambda of t varies, and t has the
# first two moments of a chi-squared variable (Satterthwaite) with
#
#     old = (m - 1) / lambda^2
#
# degrees of freedom.
#
# Barnard and Rubin (1999). If the complete-data analysis itself has only v degrees of freedom, ubar varies
# too. The observed cells hold a share 1 - lambda of the information and leave
#
#     observed = v (v + 1) / (v + 3) (1 - lambda).
#
# Reciprocals add: 1 / df = 1 / old + 1 / observed. Hence df < v always, and df = old for infinite v.


def _degrees_of_freedom(m: int, lambda_: Numbers, dof_complete: float) -> Numbers:
    with np.errstate(divide="ignore"):
        old = np.divide(m - 1, np.square(lambda_))
        if np.isinf(dof_complete):
            return old
        observed = _discounted(dof_complete) * np.subtract(1.0, lambda_)
        return 1 / (1 / old + 1 / observed)


# Rubin (1987), 3.1.10. Student's t with df degrees of freedom and squared scale t holds the information
# (df + 1) / (df + 3) / t about its centre; without missing cells it would be 1 / ubar. The share lost is
#
#     1 - (df + 1) / (df + 3) ubar / t = lambda + (1 - lambda) 2 / (df + 3),
#
# as 1 - lambda = ubar / t: the same as (riv + 2 / (df + 3)) / (riv + 1). A finite v keeps df finite even if
# b = 0, but no information is missing then, and the fraction is set to 0.


def _fraction_missing(lambda_: Numbers, df: Numbers) -> Numbers:
    fraction: Numbers = np.where(lambda_ == 0, 0.0, lambda_ + (1 - lambda_) * 2 / (df + 3))[()]
    return fraction


# Li, Raghunathan and Rubin (1991). The k x k matrix b of a few tables is too noisy to be used as it is. If
# every direction loses the same share of information, b is a multiple of ubar, and one average estimates it:
#
#     r = (1 + 1/m) tr(b ubar^-1) / k,   D1 = q' ubar^-1 q / (k (1 + r)).


def _wald(m: int, q: np.ndarray, within: np.ndarray, between: np.ndarray, dof_complete: float) -> WaldTest:
    from scipy.special import chdtrc, fdtrc

    k = len(q)
    riv = (1 + 1 / m) * np.trace(np.linalg.solve(within, between)) / k
    statistic = q @ np.linalg.solve(within, q) / (k * (1 + riv))
    df2 = _joint_degrees_of_freedom(m, k, riv, dof_complete)
    p_value = chdtrc(k, k * statistic) if np.isinf(df2) else fdtrc(k, df2, statistic)
    return WaldTest(float(statistic), k, float(df2), float(p_value), float(riv))


# The second degrees of freedom of D1 follow from matching two moments, as r comes from n = k (m - 1) numbers.
# With a = r n / (n - 2), Li, Raghunathan and Rubin (1991) have
#
#     4 + (n - 4) (1 + 1/a)^2                                        for n > 4,
#     (k + 1) / 2 times the degrees of freedom of one coefficient    otherwise.
#
# Reiter (2007) lets ubar vary too: v* = v (v + 1) / (v + 3) is finite. In terms of s = 1 + a, x = v* - 4 s
# and y = v* - 2 s, his sum of terms is
#
#     4 + x / (1 + a^2 / (n - 4) (y (1/s + 4/x)^2 + 4/s + 4/y + 8/x)),
#
# which tends to the first line as v grows, and to v* as a goes to 0. It needs n > 4 and x > 0. Otherwise the
# second line is used with the degrees of freedom of Barnard and Rubin, and at most v*: for k = 1 the test is
# then the t test of the coefficient.


def _joint_degrees_of_freedom(m: int, k: int, riv: float, dof_complete: float) -> float:
    n = k * (m - 1)
    v = _discounted(dof_complete)
    if n > 4:
        a = riv * n / (n - 2)
        s = 1 + a
        if np.isinf(v):
            return float(4 + (n - 4) * _ratio(s, a) ** 2)
        x, y = v - 4 * s, v - 2 * s
        if x > 0:
            return 4 + x / (1 + a**2 / (n - 4) * (y * (1 / s + 4 / x) ** 2 + 4 / s + 4 / y + 8 / x))
    return min(v, (k + 1) / 2 * float(_degrees_of_freedom(m, riv / (1 + riv), dof_complete)))


# Input


class _Analysis(NamedTuple):
    """The result of the analysis of one table."""

    estimate: Any
    variance: Any
    dof: float | None = None
    names: Names = None


def _read(result: Any) -> _Analysis:
    """Read a fitted result or an (estimate, variance) tuple."""
    if hasattr(result, "params") and hasattr(result, "cov_params"):
        return _Analysis(result.params, result.cov_params(), getattr(result, "df_resid", None))
    for covariance in ("cov_", "covariance_"):
        if hasattr(result, "coef_") and hasattr(result, covariance):
            names = getattr(result, "feature_names_in_", None)
            return _Analysis(
                result.coef_,
                getattr(result, covariance),
                getattr(result, "df_resid_", None),
                None if names is None else tuple(map(str, names)),
            )
    if isinstance(result, tuple) and len(result) == 2:
        return _Analysis(*result)
    raise TypeError(
        f"cannot take estimate and variance from {type(result).__name__}: give variances, or results with "
        "params and cov_params(), or with coef_ and cov_, or (estimate, variance) tuples"
    )


def _paired(estimates: Iterable[Any], variances: Iterable[Any]) -> list[_Analysis]:
    estimates, variances = list(estimates), list(variances)
    if len(estimates) != len(variances):
        raise ValueError(f"there are {len(estimates)} estimates but {len(variances)} variances")
    return [_Analysis(*pair) for pair in zip(estimates, variances)]


def _stacked(values: list[Any], what: str) -> np.ndarray:
    """Stack the values of all tables into one array."""
    arrays: list[np.ndarray] = []
    for table, value in enumerate(values, start=1):
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise TypeError(f"the {what} of table {table} are not numbers: {value!r}") from None
        if not np.isfinite(array).all():
            raise ValueError(f"the {what} of table {table} hold NaN or infinite values")
        if arrays and array.shape != arrays[0].shape:
            raise ValueError(
                f"the {what} of table {table} have shape {array.shape}, those of table 1 {arrays[0].shape}"
            )
        arrays.append(array)
    return np.stack(arrays)


def _check_shapes(q: np.ndarray, u: np.ndarray) -> None:
    shape = q.shape[1:]
    if len(shape) > 1 or q.size == 0:
        raise ValueError(f"each estimate must be a number or a vector, got shape {shape}")
    if u.shape[1:] not in (shape, 2 * shape):
        raise ValueError(
            f"estimates of shape {shape} need variances of that shape or, for a vector, a covariance matrix; "
            f"got shape {u.shape[1:]}"
        )


def _check_not_negative(variances: np.ndarray) -> None:
    tables = np.flatnonzero((variances < 0).reshape(len(variances), -1).any(axis=1))
    if tables.size:
        raise ValueError(
            f"table {tables[0] + 1} has a negative variance; variances are squared standard errors"
        )


def _known_dof(analyses: list[_Analysis]) -> float:
    known = [_checked_dof(analysis.dof) for analysis in analyses if analysis.dof is not None]
    return min(known, default=np.inf)


def _checked_dof(dof: float) -> float:
    if not dof > 0:
        raise ValueError(f"the complete-data degrees of freedom must be positive, got {dof}")
    return float(dof)


def _common_names(analyses: list[_Analysis], shape: tuple[int, ...]) -> Names:
    """Return the names of the coefficients, which must be the same for all tables."""
    common: Names = None
    for table, analysis in enumerate(analyses, start=1):
        for names in (analysis.names, _index(analysis.estimate), _index(analysis.variance)):
            if names is not None and common is not None and names != common:
                raise ValueError(f"table {table} has coefficients {list(names)}, expected {list(common)}")
            common = common or names
    if common is not None and (len(common),) != shape:
        raise ValueError(f"there are {len(common)} names for estimates of shape {shape}")
    return common


def _index(values: Any) -> Names:
    """Return the index of a pandas object as names; a list's `index` is a method."""
    index = getattr(values, "index", None)
    return None if index is None or callable(index) else tuple(map(str, index))


# Output


def _text_column(name: str, numbers: np.ndarray) -> list[str]:
    """Format a header and its numbers, aligned to the right."""
    cells = [name, *(f"{number:.5g}" for number in numbers)]
    width = max(map(len, cells))
    return [cell.rjust(width) for cell in cells]
