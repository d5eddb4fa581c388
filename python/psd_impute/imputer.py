"""The imputer, as scikit-learn has them."""

from __future__ import annotations

import numbers
import os
import time
import warnings
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from ._engine import DataError, Model, SettingError, Table
from .cells import CellDistribution
from .frames import Frame, column_names, frame_of, is_frame, pandas_table, replace_missing
from .random import seed_of
from .report import FitReport, Step


class PSDImputer(TransformerMixin, BaseEstimator):
    """Completes tables from a density that was fitted to their observed cells.

    The density is fitted to all observed cells at once, whatever is missing. A missing cell is completed with a draw
    from its conditional distribution, which keeps the distribution of the data, or with its mean or median. The same
    row of the same model is always completed with the same draw, in whatever order or batch rows come.

    Parameters
    ----------
    method : {"draw", "mean", "median"}, default="draw"
        What `transform` puts into a missing cell. A category gets a draw or its most probable label.
    n_anchors : "auto" or int, default="auto"
        With a number, one kernel density with so many anchors instead of the stack that cross-validation chooses.
    metric : {"auto", "full", "diagonal", "isotropic"}, default="auto"
        The kind of metric that kernel densities have; full unless given.
    preset : {"default", "paper", "theory"}, default="default"
        What to fit: the stack, or one kernel density as in the paper's experiments or theorem.
    reference : {"auto", "normal", "none"}, default="auto"
        Whether the normal model stands beside the other members; "auto" is "normal", but "none" where `n_anchors`
        asks for a single kernel density.
    time_budget : float or None, default=None
        Seconds after which no finer member of the stack is tried; None is 60. A fit that ends before does not depend
        on it.
    categorical_features : "auto" or sequence of names, positions or bools, default="auto"
        Columns that are categories though their cells are numbers. Text, booleans, pandas' categories and numbers
        that are all zero or one are categories anyway.
    bounds : mapping of column to (low, high), or None, default=None
        What the cells of a column may be, both ends included; either end may be None. Columns are given by name, or
        by position where they have no names. Dates have bounds too.
    min_value, max_value : float or array-like of shape (n_features,), default=-inf, inf
        Bounds of all numeric columns, or of each column.
    missing_values : number, str, np.nan, None or pandas.NA, default=np.nan
        What stands for a missing cell. NaN, None and NA are all the same.
    add_indicator : bool, default=False
        Whether to add a column for each one that had missing cells at `fit`, which says where cells were missing.
    keep_empty_features : bool, default=False
        Whether columns without a cell at `fit` are kept, with zeros, instead of dropped.
    random_state : int, RandomState or None, default=None
        The seed of everything random. An int is the same seed as the command's ``--seed``.
    n_jobs : int or None, default=None
        Threads; None and -1 are all cores. Results do not depend on it.
    verbose : int, default=0
        Above zero, a line is printed for each member tried.

    Attributes
    ----------
    report_ : FitReport
        How the fit went: chosen settings, held-out likelihood, the members tried.
    columns_ : dict of str to str
        What each column was taken for: ``continuous``, ``integer``, ``boolean``, ``category``, ``date``, ``time``, or
        ``left`` if it stays as it is.
    seed_ : int
        The seed that was used.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where all names are text.

    Examples
    --------
    >>> import numpy as np
    >>> from psd_impute import PSDImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 2)).cumsum(axis=1)
    >>> X[::4, 1] = np.nan
    >>> tables = PSDImputer(random_state=0).fit(X).impute(X, m=3)
    >>> len(tables), bool(np.isnan(tables[0]).any())
    (3, False)
    """

    def __init__(
        self,
        method: str = "draw",
        *,
        n_anchors: str | int = "auto",
        metric: str = "auto",
        preset: str = "default",
        reference: str = "auto",
        time_budget: float | None = None,
        categorical_features: str | Sequence[Any] = "auto",
        bounds: Mapping[Any, tuple[Any, Any]] | None = None,
        min_value: Any = -np.inf,
        max_value: Any = np.inf,
        missing_values: Any = np.nan,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.n_anchors = n_anchors
        self.metric = metric
        self.preset = preset
        self.reference = reference
        self.time_budget = time_budget
        self.categorical_features = categorical_features
        self.bounds = bounds
        self.min_value = min_value
        self.max_value = max_value
        self.missing_values = missing_values
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # Fitting

    def fit(self, X: Any, y: Any = None) -> PSDImputer:
        """Fits the density to the observed cells of a table.

        Parameters
        ----------
        X : matrix, or table of pandas, polars, PyArrow or with the Arrow C stream interface
        y : ignored

        Returns
        -------
        self
        """
        self._check_settings()
        frame = self._frame(X, fitting=True)
        self.seed_ = seed_of(self.random_state)
        missing = frame.missing()
        self._empty: list[int] = np.flatnonzero(missing.all(axis=0)).tolist()
        self._indicated: list[int] = np.flatnonzero(missing.any(axis=0)).tolist()
        if len(self._empty) == len(frame.names):
            # As scikit-learn's imputers have it: there is nothing to learn, and nothing to keep or only zeros.
            self._model: Model | None = None
            trace: list[Step] = []
            notes: list[str] = []
        else:
            self._model, trace, notes = self._learn(frame)
        self._template = frame.template()
        self._finish(trace, notes, missing)
        return self

    def _learn(self, frame: Frame) -> tuple[Model, list[Step], list[str]]:
        start = time.perf_counter()
        trace: list[Step] = []

        def hear(member: str, done: int, of: int, held_out: float | None) -> None:
            step = Step(time.perf_counter() - start, member, held_out)
            trace.append(step)
            if self.verbose:
                likelihood = "" if held_out is None else f", held-out log-likelihood {held_out:.3f}"
                print(f"[PSDImputer] {done} of {of}, {step.seconds:.1f} s: {member}{likelihood}")

        model, notes = Model.fit(
            frame.to_engine(),
            wishes=self._wishes(frame),
            recipe=self.preset,
            anchors=None if self.n_anchors == "auto" else int(self.n_anchors),
            metric=None if self.metric == "auto" else self.metric,
            normal={"auto": None, "normal": True, "none": False}[self.reference],
            seed=self.seed_,
            seconds=None if self.time_budget is None else float(self.time_budget),
            threads=self._threads(),
            hear=hear,
        )
        return model, trace, notes

    def _finish(self, trace: list[Step], notes: list[str], missing: np.ndarray) -> None:
        """What was learned of the columns, and what the caller should hear."""
        columns = self._model.columns() if self._model else []
        self.columns_ = {c["name"]: "left" if c["role"] == "left" else c["kind"] for c in columns}
        self._filled = [j for j, column in enumerate(columns) if column["role"] != "left"]
        left = [c["name"] for j, c in enumerate(columns) if c["role"] == "left" and j not in self._empty]
        found = self._model.report() if self._model else None
        self.report_ = FitReport._of(found, trace, notes) if found else None
        if found and not found["converged"]:
            warnings.warn("the fit did not converge", ConvergenceWarning, stacklevel=3)
        gaps = [name for name in left if missing[:, [c["name"] for c in columns].index(name)].any()]
        if gaps:
            warnings.warn(
                f"missing cells stay in {', '.join(gaps)}; report_.notes says why", UserWarning, stacklevel=3
            )

    # Completing

    def transform(self, X: Any) -> Any:
        """Completes a table.

        Parameters
        ----------
        X : table of the kind that `fit` had, or a matrix

        Returns
        -------
        table of the same kind
            With its dtypes, index and names; cells that were observed are as they were.
        """
        check_is_fitted(self)
        frame = self._frame(X, fitting=False)
        return self._complete(frame, self.method, 1)

    def impute(self, X: Any, m: int = 10, *, one_fit: bool = False) -> list[Any]:
        """Several completed tables, for analyses whose results are pooled.

        Each is drawn from the density refitted under random weights of the rows, so that what is computed from them
        and pooled by `psd_impute.pool` also says how uncertain the fit is. Weights and draws are in balance over the m
        tables, which keeps what is pooled from scattering with them: the tables belong together, use all of them.

        Parameters
        ----------
        X : table of the kind that `fit` had, or a matrix
        m : int, default=10
            How many.
        one_fit : bool, default=False
            Whether to draw all from the one fit instead. Intervals are then too narrow.

        Returns
        -------
        list of m tables of the same kind
        """
        check_is_fitted(self)
        if not isinstance(m, numbers.Integral) or int(m) < 1:
            raise SettingError(f"m is {m!r}, but must be a whole number above zero")
        frame = self._frame(X, fitting=False)
        if m > 1 and not one_fit and self.report_ is not None and self.report_.preset != "default":
            warnings.warn(
                "all tables are drawn from the one fit; only the default preset is refitted", UserWarning, stacklevel=2
            )
        return [self._complete(frame, "draw", k, of=int(m), one_fit=one_fit) for k in range(1, int(m) + 1)]

    def _complete(
        self, frame: Frame, method: str, imputation: int, *, of: int = 1, one_fit: bool = False
    ) -> Any:
        data = frame.data
        if self._model is not None:
            wanted = {
                "method": method,
                "seed": self.seed_,
                "imputation": imputation,
                "imputations": of,
                "one_fit": bool(one_fit),
                "bounds": self._bounds(self._model),
                "threads": self._threads(),
            }
            data, notes = frame.completed(self._model, wanted, self._filled)
            for note in notes:
                warnings.warn(note, UserWarning, stacklevel=3)
        return self._arranged(frame, data)

    def _arranged(self, frame: Frame, data: Any) -> Any:
        """Drops or fills the columns that were empty at `fit`, and adds the indicators."""
        kept: Iterable[int] = range(len(frame.names))
        if self._empty:
            if self.keep_empty_features:
                data = frame.zeroed(data, self._empty)
            else:
                kept = [j for j in kept if j not in self._empty]
        flags = frame.missing()[:, self._indicated] if self.add_indicator else np.empty((0, 0), dtype=bool)
        names = self._indicator_names(frame.names) if self.add_indicator else []
        return frame.arrange(data, list(kept), flags, names)

    # What else the density says

    def conditional(self, X: Any, quantiles: Sequence[float] = (0.025, 0.975)) -> dict[str, CellDistribution]:
        """What is known of each missing cell given the observed cells of its row.

        Parameters
        ----------
        X : table of the kind that `fit` had, or a matrix
        quantiles : sequence of float, default=(0.025, 0.975)
            The probabilities at which quantiles are given, between 0 and 1.

        Returns
        -------
        dict of column name to CellDistribution
            For each column with missing cells, in the table's order.
        """
        check_is_fitted(self)
        levels = tuple(float(p) for p in quantiles)
        frame = self._frame(X, fitting=False)
        if self._model is None:
            return {}
        found = self._model.cells(frame.to_engine(), levels, self._bounds(self._model), self._threads())
        return {name: CellDistribution._of(name, levels, cells) for name, cells in found.items()}

    def score_samples(self, X: Any) -> np.ndarray:
        """The log-density of each row's observed cells, in the table's units.

        A row with other cells observed has a density of another dimension: compare rows with the same ones.
        """
        check_is_fitted(self)
        frame = self._frame(X, fitting=False)
        if self._model is None:
            return np.zeros(len(frame.data))
        return self._model.log_densities(frame.to_engine(), self._threads())

    def sample(self, n: int = 1, random_state: Any = None) -> Any:
        """New rows, drawn from the density, as a table of the kind that was fitted; of a loaded model, as one of pandas.

        Columns that are not modelled, such as identifiers, have no values. With `random_state=None` the rows are
        those of the fit's own seed.
        """
        check_is_fitted(self)
        if not isinstance(n, numbers.Integral) or int(n) < 1:
            raise SettingError(f"n is {n!r}, but must be a whole number above zero")
        if self._model is None:
            raise SettingError("nothing was learned from a table without a cell\nhint: fit one with cells")
        seed = self.seed_ if random_state is None else seed_of(random_state)
        table = self._model.sample(int(n), seed, self._bounds(self._model), self._threads())
        if self._template is None:
            return pandas_table(table)
        return frame_of(self._template, self._names).like(table)

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file, which the command reads too: all of it, or nothing."""
        check_is_fitted(self)
        if self._model is None:
            raise SettingError("nothing was learned from a table without a cell\nhint: fit one with cells")
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str], **settings: Any) -> PSDImputer:
        """An imputer with the model of a file that `save` or the command wrote.

        The file says what the columns are and how cells are distributed; other settings, such as `method`, are given
        here. A stranger's file can neither crash nor run anything.
        """
        imputer = cls(**settings)
        imputer._check_settings()
        imputer._model = Model.from_bytes(Path(path).read_bytes())
        columns = imputer._model.columns()
        imputer._names = [column["name"] for column in columns]
        imputer.n_features_in_ = len(columns)
        if imputer._names != [f"x{j}" for j in range(len(columns))]:
            imputer.feature_names_in_ = np.asarray(imputer._names, dtype=object)
        fitted_with = imputer._model.report()["seed"]
        imputer.seed_ = fitted_with if imputer.random_state is None else seed_of(imputer.random_state)
        imputer._empty = imputer._indicated = []
        imputer._template = None
        imputer._finish([], [], np.zeros((0, len(columns)), dtype=bool))
        return imputer

    # Settings

    def _check_settings(self) -> None:
        choices = {
            "method": ("draw", "mean", "median"),
            "metric": ("auto", "full", "diagonal", "isotropic"),
            "preset": ("default", "paper", "theory"),
            "reference": ("auto", "normal", "none"),
        }
        for name, allowed in choices.items():
            value = getattr(self, name)
            if value not in allowed:
                raise SettingError(f"{name} is {value!r}, but must be one of {', '.join(map(repr, allowed))}")
        anchors = self.n_anchors
        if anchors != "auto" and not (isinstance(anchors, numbers.Integral) and 1 <= int(anchors) <= 10_000):
            raise SettingError(f"n_anchors is {anchors!r}, but must be 'auto' or a number from 1 to 10000")
        budget = self.time_budget
        if budget is not None and not (isinstance(budget, numbers.Real) and 0 < float(budget) <= 1e9):
            raise SettingError(f"time_budget is {budget!r}, but must be a number of seconds above zero")

    def _threads(self) -> int | None:
        if self.n_jobs is None or self.n_jobs == -1:
            return None
        if not isinstance(self.n_jobs, numbers.Integral) or self.n_jobs == 0:
            raise SettingError(f"n_jobs is {self.n_jobs!r}, but must be None, -1 or a number of threads")
        return int(self.n_jobs) if self.n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(self.n_jobs))

    def _wishes(self, frame: Frame) -> list[tuple[str, str]]:
        """What the caller knows better of columns than the engine's rules."""
        wishes = {}
        if isinstance(frame.data, np.ndarray):
            # Whoever gives a matrix wants all of it completed: no column of it is an identifier.
            wishes = {name: "completed" for name in frame.names}
        if not isinstance(self.categorical_features, str):
            chosen = np.asarray(self.categorical_features)
            if chosen.dtype == bool:
                if chosen.shape != (len(frame.names),):
                    raise SettingError(
                        f"categorical_features has {chosen.size} bools, but the table has {len(frame.names)} columns"
                    )
                chosen = np.flatnonzero(chosen)
            wishes.update({self._name(column, "categorical_features"): "category" for column in chosen.tolist()})
        elif self.categorical_features != "auto":
            raise SettingError(
                f"categorical_features is {self.categorical_features!r}, but must be 'auto' or a list of columns"
            )
        return [(name, wish) for name, wish in wishes.items() if self._names.index(name) not in self._empty]

    def _name(self, column: Any, setting: str) -> str:
        """The engine's name of a column that is given by name or position."""
        if isinstance(column, numbers.Integral) and str(column) not in self._names:
            if -len(self._names) <= int(column) < len(self._names):
                return self._names[int(column)]
        elif str(column) in self._names:
            return str(column)
        raise SettingError(
            f"{setting}: there is no column {column!r}\nhint: the columns are {', '.join(self._names)}"
        )

    def _bounds(self, model: Model) -> list[tuple[str, str | None, str | None]]:
        """The bounds of columns, as text."""
        ends: dict[str, list[Any]] = {}
        kinds = ("continuous", "integer")
        numeric = {c["name"] for c in model.columns() if c["role"] == "modelled" and c["kind"] in kinds}
        for k, (setting, none) in enumerate((("min_value", -np.inf), ("max_value", np.inf))):
            value = np.asarray(none if getattr(self, setting) is None else getattr(self, setting), dtype=float)
            if value.ndim and value.shape != (self.n_features_in_,):
                raise SettingError(f"{setting} has {value.size} entries, but the table has {self.n_features_in_} columns")
            for name, end in zip(self._names, np.broadcast_to(value, (self.n_features_in_,))):
                if name in numeric and end != none:
                    ends.setdefault(name, [None, None])[k] = float(end)
        for column, given in dict(self.bounds or {}).items():
            low, high = given
            ends[self._name(column, "bounds")] = [low, high]
        return [(name, _text(low), _text(high)) for name, (low, high) in ends.items()]

    # Tables

    def _frame(self, X: Any, *, fitting: bool) -> Frame:
        """The table as a frame, checked against that of the fit."""
        sentinel = not _means_missing(self.missing_values)
        if _is_lazy(X):
            raise TypeError("a lazy table has no cells yet\nhint: call .collect() on it first")
        if is_frame(X):
            X = X if hasattr(X, "shape") else Table(X)
            validate_data(self, X, reset=fitting, skip_check_array=True)
            if 0 in X.shape:
                raise DataError(f"the table has {X.shape[0]} rows and {X.shape[1]} columns, but must have some of both")
            names = column_names(X)
            X = replace_missing(X, self.missing_values) if sentinel else X
        else:
            X = validate_data(
                self,
                X,
                reset=fitting,
                dtype=[np.float64, np.float32],
                ensure_all_finite=True if sentinel else "allow-nan",
            )
            X = np.where(X == self.missing_values, X.dtype.type(np.nan), X) if sentinel else X
            names = [f"x{j}" for j in range(X.shape[1])]
        if fitting:
            self._names = names
        return frame_of(X, self._names)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns that `transform` gives."""
        check_is_fitted(self, "n_features_in_")
        names = _check_feature_names_in(self, input_features)
        kept = [j for j in range(len(names)) if self.keep_empty_features or j not in self._empty]
        out = list(names[kept]) + (self._indicator_names(names) if self.add_indicator else [])
        return np.asarray(out, dtype=object)

    def _indicator_names(self, names: Sequence[str]) -> list[str]:
        return [f"missingindicator_{names[j]}" for j in self._indicated]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "report_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = _means_missing(self.missing_values)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _means_missing(value: Any) -> bool:
    """Whether the value is one of those that are missing anyway: NaN, None, pandas.NA."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, numbers.Real) and value != value)


def _is_lazy(X: Any) -> bool:
    return type(X).__name__ == "LazyFrame"


def _text(end: Any) -> str | None:
    """A bound as the engine reads it: a number, a date or a time."""
    if isinstance(end, numbers.Real):
        return repr(float(end)) if np.isfinite(float(end)) else None
    if end is None:
        return None
    return end.isoformat() if hasattr(end, "isoformat") else str(end)
