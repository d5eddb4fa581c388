"""The kernel density, with everything but ``Q`` fixed by the caller."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._engine import DataError, KernelDensity, SettingError
from .random import seed_of


class PSDDensity:
    """A positive semi-definite kernel density on incomplete rows, fitted by convex maximum likelihood:

        p(x) = (1 - ν) φ(x)ᵀ Q φ(x) + ν u(x),   φ_a(x) ∝ exp(-(x - w_a)ᵀ P (x - w_a)),   ∫ φ_a² = 1

    Only ``Q`` is fitted. Rows are not rescaled: standardise them first, or choose anchors and metric on their scale.
    Missing cells are NaN and are integrated out.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Number of threads; None uses all cores. Results do not depend on it.

    Attributes
    ----------
    Q : ndarray of shape (n_anchors, n_anchors)
        The fitted matrix, for features whose squares integrate to one; the density integrates to one.
    anchors : ndarray of shape (n_anchors, n_features)
        The points ``w_a``.
    metric : ndarray of shape (n_features, n_features)
        The matrix ``P``.
    omega_ : float
        The dual of the constraint that the density integrates to one.
    objective_ : float
        The objective at the last barrier weight.
    status_ : str
        ``converged``, ``iteration limit`` or ``stalled`` (at the limit of rounding).
    kkt_residual_ : float
        The residual of the optimality conditions, zero at the optimum.
    rank_ : int
        The rank of the kernel matrix: less than the number of anchors if some are nearly equal.
    trace_ : dict of str to ndarray
        ``objective``, ``decrement``, ``step`` and ``barrier`` of each Newton step.

    Examples
    --------
    >>> import numpy as np
    >>> from psd_impute import PSDDensity
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> X[::3, 1] = np.nan
    >>> density = PSDDensity().fit(X, anchors=rng.normal(size=(8, 2)), metric=0.5)
    >>> density.status_
    'converged'
    >>> density.conditional([0.3, np.nan]).mean.shape
    (1,)
    """

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        *,
        anchors: Any,
        metric: Any = 1.0,
        barrier: float = 1e-3,
        regularization: float = 0.0,
        penalty: str = "identity",
        reference: tuple[Any, ...] | None = None,
        nu: float = 0.0,
        domain: tuple[Any, Any] | None = None,
        tolerance: float = 1e-8,
        max_iter: int = 200,
    ) -> PSDDensity:
        """Fit ``Q`` to the observed cells.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; NaN is missing.
        anchors : array-like of shape (n_anchors, n_features)
            The points ``w_a``.
        metric : float, array-like of shape (n_features,) or (n_features, n_features), default=1
            ``P``: one bandwidth for all columns, one for each, or the matrix.
        barrier : float, default=1e-3
            The weight μ of ``-log det Q`` in the objective.
        regularization : float, default=0
            The weight λ of ``tr(Q A_0)``.
        penalty : {"identity", "kernel"}, default="identity"
            ``A_0``: the identity, or the kernel between the anchors.
        reference : None, ("normal", mean, covariance) or ("uniform", low, high), default=None
            The density ``u``.
        nu : float, default=0
            The weight of the reference, at least zero and below one; zero without a reference.
        domain : None or (low, high), default=None
            The box on which the density is defined; None is all of space. With a box, the metric cannot be a matrix.
        tolerance : float, default=1e-8
            The solver stops when half the squared Newton decrement is at most this.
        max_iter : int, default=200
            The maximum number of Newton steps.

        Returns
        -------
        self
        """
        X, anchors = _rows(X, "X"), _rows(anchors, "anchors")
        d = X.shape[1]
        if anchors.shape[1] != d:
            raise DataError(f"anchors have {anchors.shape[1]} columns, but X has {d}")
        if penalty not in ("identity", "kernel"):
            raise SettingError(f"penalty is {penalty!r}, but must be 'identity' or 'kernel'")
        self._given = {
            "anchors": anchors,
            "metric": _metric(metric, d),
            "barrier": float(barrier),
            "regularization": float(regularization),
            "kernel_penalty": penalty == "kernel",
            "nu": float(nu),
            **_reference(reference, d),
            "domain": None if domain is None else _box(*domain, d),
            "tolerance": float(tolerance),
            "max_iter": int(max_iter),
        }
        self._names = [f"x{j}" for j in range(d)]
        self._engine, self.Q, report = KernelDensity.fit(X, self._names, self._given, self.n_jobs)
        self.anchors = anchors
        self.metric = _precision(metric, d)
        self.omega_ = report["omega"]
        self.objective_ = report["objective"]
        self.status_ = report["status"]
        self.kkt_residual_ = report["kkt_residual"]
        self.rank_ = report["rank"]
        self.trace_ = report["trace"]
        return self

    def log_density(self, X: Any) -> np.ndarray:
        """Log-density of each row's observed cells.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._engine.log_density(self._checked(X), self.n_jobs)

    def conditional(self, x: Any) -> Conditional:
        """Return the distribution of the missing cells of one row given its observed ones.

        Parameters
        ----------
        x : array-like of shape (n_features,)

        Returns
        -------
        Conditional
        """
        x = np.asarray(x, dtype=float)
        if x.ndim != 1:
            raise DataError(f"x has {x.ndim} dimensions, but must be one row")
        return Conditional(self, self._checked(x[None, :])[0])

    def marginal(self, columns: Sequence[int]) -> Conditional:
        """Return the marginal distribution of the given columns.

        Parameters
        ----------
        columns : sequence of int

        Returns
        -------
        Conditional
        """
        d = len(self._names)
        columns = [int(j) for j in columns]
        if not columns or len(set(columns)) < len(columns) or not all(0 <= j < d for j in columns):
            raise SettingError(f"columns are {columns}, but must be different ones from 0 to {d - 1}")
        return Conditional(self, np.full(d, np.nan), columns)

    def sample(self, n: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw new rows.

        Parameters
        ----------
        n : int, default=1
        random_state : int, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (n, n_features)
        """
        return self.marginal(range(len(self._names))).sample(n, random_state)

    def _checked(self, X: Any) -> np.ndarray:
        X = _rows(X, "X")
        if X.shape[1] != len(self._names):
            raise DataError(f"X has {X.shape[1]} columns, but the density has {len(self._names)}")
        return X

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_engine"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_given" in state:
            self._engine = KernelDensity.at(self._names, self._given, self.Q)


class Conditional:
    """The distribution of some cells of a row given others.

    Attributes
    ----------
    columns : list of int
        The columns of the cells, which vectors and matrices follow in order.
    mean : ndarray of shape (n_cells,)
    covariance : ndarray of shape (n_cells, n_cells)
    """

    def __init__(self, density: PSDDensity, row: np.ndarray, columns: Sequence[int] | None = None) -> None:
        missing = np.flatnonzero(np.isnan(row)).tolist()
        self.columns: list[int] = missing if columns is None else list(columns)
        self._density, self._row = density, row
        # Their positions among the missing cells, which index the engine's results.
        self._places = [missing.index(j) for j in self.columns]
        mean, covariance = density._engine.moments(row)
        self.mean: np.ndarray = mean[self._places]
        self.covariance: np.ndarray = covariance[np.ix_(self._places, self._places)]

    def log_density(self, values: Any) -> np.ndarray:
        """Conditional log-density of each row of values of the cells."""
        values = _rows(values, "values")
        if values.shape[1] != len(self.columns):
            raise DataError(f"values have {values.shape[1]} columns, but there are {len(self.columns)} cells")
        rows = np.repeat(self._row[None, :], len(values), axis=0)
        rows[:, self.columns] = values
        return self._density.log_density(rows) - self._density.log_density(self._row[None, :])

    def cdf(self, column: int, x: float) -> float:
        """Probability that the cell of a column is at most ``x``."""
        return self._density._engine.cdf(self._row, self._cell(column), float(x))

    def quantile(self, column: int, p: float) -> float:
        """Quantile of the cell of a column at a probability between 0 and 1."""
        return self._density._engine.quantile(self._row, self._cell(column), float(p))

    def sample(self, n: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw all cells jointly, as an ndarray of shape (n, n_cells)."""
        return self._density._engine.draw(self._row, int(n), seed_of(random_state))[:, self._places]

    def _cell(self, column: int) -> int:
        if column not in self.columns:
            raise SettingError(f"column {column} is not among the cells, which are those of {self.columns}")
        return int(column)


def _rows(X: Any, name: str) -> np.ndarray:
    X = np.asarray(X, dtype=float)
    if X.ndim != 2:
        raise DataError(f"{name} has {X.ndim} dimensions, but must have rows and columns")
    return X


def _vector(value: Any, d: int, name: str) -> np.ndarray:
    value = np.asarray(value, dtype=float)
    if value.shape != (d,):
        raise SettingError(f"{name} has shape {value.shape}, but must have an entry for each of {d} columns")
    return value


def _precision(metric: Any, d: int) -> np.ndarray:
    """Return ``P`` as a matrix."""
    metric = np.asarray(metric, dtype=float)
    return metric.copy() if metric.ndim == 2 else np.eye(d) * metric


def _metric(metric: Any, d: int) -> Any:
    """Convert the metric for the engine: a matrix becomes ``P^-1 / 4``, the covariance of a product of two features."""
    metric = np.asarray(metric, dtype=float)
    if metric.ndim == 0:
        return float(metric)
    if metric.ndim == 1:
        return _vector(metric, d, "metric")
    if metric.shape != (d, d) or not np.allclose(metric, metric.T):
        raise SettingError(f"metric has shape {metric.shape}, but must be a symmetric matrix of order {d}")
    try:
        np.linalg.cholesky(metric)
    except np.linalg.LinAlgError:
        raise SettingError("metric is not positive definite") from None
    inverse = np.linalg.inv(metric)
    return (inverse + inverse.T) / 8


def _reference(reference: tuple[Any, ...] | None, d: int) -> dict[str, Any]:
    out: dict[str, Any] = {"uniform": None, "normal": None}
    if reference is None:
        return out
    kind, first, second = reference if len(reference) == 3 else ("", None, None)
    if kind == "uniform":
        out["uniform"] = _box(first, second, d)
    elif kind == "normal":
        covariance = np.asarray(second, dtype=float)
        if covariance.shape != (d, d):
            raise SettingError(f"the reference's covariance has shape {covariance.shape}, but must be {(d, d)}")
        out["normal"] = (_vector(first, d, "the reference's mean"), covariance)
    else:
        raise SettingError("reference must be None, ('normal', mean, covariance) or ('uniform', low, high)")
    return out


def _box(low: Any, high: Any, d: int) -> np.ndarray:
    return np.column_stack([_vector(np.broadcast_to(end, (d,)), d, "a box") for end in (low, high)])
