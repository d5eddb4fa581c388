"""The scikit-learn imputer."""

from __future__ import annotations

import numbers
import os
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from . import settings
from ._engine import DataError, Model, SettingError, Table
from .cells import CellDistribution
from .drift import ColumnDrift, DriftWarning
from .findings import findings
from .frames import Frame, check_table, column_names, frame_of, is_frame, pandas_table
from .random import seed_of
from .report import Finding, FindingWarning, FitReport, Step

#: At most so many warnings of doubts about a fitted table, and of findings in a completed one.
_FINDINGS = 5


class PSDImputer(TransformerMixin, BaseEstimator):
    """Complete tables from a density fitted to their observed cells.

    The density is fitted to all observed cells at once, whatever is missing. A missing cell gets a draw from its
    conditional distribution, which keeps the distribution of the data, or its mean or median. A model always completes
    the same row with the same draw, in any order and any batch.

    Parameters
    ----------
    method : {"draw", "mean", "median"}, default="draw"
        The value that `transform` gives a missing cell. A category gets a draw or its most probable label.
    n_anchors : "auto" or int, default="auto"
        An int fits one kernel density with that many anchors instead of the stack that cross-validation chooses.
    metric : {"auto", "full", "diagonal", "isotropic"}, default="auto"
        The kind of metric of kernel densities; "auto" is "full".
    preset : {"default", "paper", "theory"}, default="default"
        The model: the stack, or one kernel density as in the paper's experiments or theorem.
    reference : {"auto", "normal", "none"}, default="auto"
        Whether the normal model is one of the members; "auto" is "normal", but "none" if `n_anchors` is a number.
    time_budget : float or None, default=None
        Seconds after which no finer member of the stack is tried; None is 60. A fit that ends within the budget does
        not depend on it.
    categorical_features : "auto" or sequence of names, positions or bools, default="auto"
        Columns of numbers that are categories. Text, booleans, pandas' categories and numbers that are all zero or one
        are categories anyway.
    ordered_features : sequence of names, positions or bools, mapping of column to levels, or None, default=None
        Columns of ordered levels: few distinct numbers, or labels with their list from the lowest to the highest, as
        in ``{"grade": ["G1", "G2", "G3"]}``. With None, the levels are those of the column's type (a Categorical or an
        Enum). An ordered Categorical of pandas is ordered anyway.
    continuous_features : sequence of names, positions or bools, or None, default=None
        Columns that may hold any number: zeros and ones are no category, integers are not rounded, and columns that
        number the rows are completed.
    ignore_features : sequence of names, positions or bools, or None, default=None
        Columns that are left unchanged and not learned from.
    bounds : "auto", mapping of column to (low, high), or None, default="auto"
        Bounds of the imputed cells, both ends included; either end may be None. Columns are given by name or position.
        Dates and times can have bounds, in the time zone of the column if it has one. Where no end is given, imputed
        cells respect an end that all observed ones respect (positive amounts, shares, scales), listed in `ends_`; None
        turns this off.
    min_value, max_value : float or array-like of shape (n_features,), default=-inf, inf
        Bounds of all numeric columns, or of each column.
    missing_values : number, str, np.nan, None or pandas.NA, default=np.nan
        The value of a missing cell. NaN, None and NA are equivalent. With any other value, NaN in the table is an error,
        as in scikit-learn.
    add_indicator : bool, default=False
        Whether to add an indicator of missing cells for each column that had some at `fit`.
    keep_empty_features : bool, default=False
        Whether columns without a cell at `fit` are kept instead of dropped. Numbers become zeros, as in scikit-learn;
        cells of any other dtype stay missing, with a warning.
    strict : bool, default=False
        Whether missing cells that cannot be completed, such as those of free text, are an error in `fit` and `transform`.
        Otherwise `transform` warns of them, with counts and reasons.
    random_state : int, RandomState or None, default=None
        The seed. An int is the same seed as the command's ``--seed``.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores. Results do not depend on it.
    verbose : int, default=0
        Above zero, `fit` prints a line for each member tried, and `impute` one for each completed table.

    Attributes
    ----------
    report_ : FitReport
        The chosen settings, the held-out likelihood and the members tried.
    columns_ : dict of str to str
        The kind of each column: ``continuous``, ``integer``, ``ordered``, ``boolean``, ``category``, ``date``,
        ``time``, ``time of day``, ``duration``, ``period``, or ``left`` if it is left unchanged.
    ends_ : dict of str to (float or None, float or None)
        The lower and the upper end that imputed cells of a column respect because all observed ones do.
    seed_ : int
        The seed that was used.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns; only if all are text.

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
        ordered_features: Sequence[Any] | Mapping[Any, Sequence[Any] | None] | None = None,
        continuous_features: Sequence[Any] | None = None,
        ignore_features: Sequence[Any] | None = None,
        bounds: str | Mapping[Any, tuple[Any, Any]] | None = "auto",
        min_value: Any = -np.inf,
        max_value: Any = np.inf,
        missing_values: Any = np.nan,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        strict: bool = False,
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
        self.ordered_features = ordered_features
        self.continuous_features = continuous_features
        self.ignore_features = ignore_features
        self.bounds = bounds
        self.min_value = min_value
        self.max_value = max_value
        self.missing_values = missing_values
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.strict = strict
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # Fitting

    def fit(self, X: Any, y: Any = None) -> PSDImputer:
        """Fit the density to the observed cells of a table.

        Parameters
        ----------
        X : matrix, or table of pandas, polars, PyArrow or with the Arrow C stream interface
        y : ignored

        Returns
        -------
        self
        """
        settings.check(self)
        frame = self._frame(X, fitting=True)
        self.seed_ = seed_of(self.random_state)
        self._zones, self._periods = frame.zones(), frame.periods()
        missing = frame.missing()
        self._empty: list[int] = np.flatnonzero(missing.all(axis=0)).tolist()
        self._indicated: list[int] = np.flatnonzero(missing.any(axis=0)).tolist()
        if len(self._empty) == len(frame.names):
            # As in scikit-learn's imputers: nothing is learned, and columns are dropped or become zeros.
            self._model: Model | None = None
            trace: list[Step] = []
            notes: list[str] = []
            doubts: list[str] = []
        else:
            self._model, trace, notes, doubts = self._learn(frame)
        self._template = frame.template()
        self._finish(trace, notes)
        if len(doubts) > _FINDINGS:
            doubts[_FINDINGS - 1 :] = [f"{len(doubts) - _FINDINGS + 1} more columns or cells are doubtful: report_.notes has all"]
        for text in [*findings(frame, self._empty, self.keep_empty_features), *doubts]:
            warnings.warn(text, UserWarning, stacklevel=2)
        return self

    def _learn(self, frame: Frame) -> tuple[Model, list[Step], list[str], list[str]]:
        start = time.perf_counter()
        trace: list[Step] = []

        def hear(member: str, done: int, of: int, held_out: float | None) -> None:
            step = Step(time.perf_counter() - start, member, held_out)
            trace.append(step)
            if self.verbose:
                likelihood = "" if held_out is None else f", held-out log-likelihood {held_out:.3f}"
                print(f"[PSDImputer] {done} of {of}, {step.seconds:.1f} s: {member}{likelihood}")

        model, notes, doubts = Model.fit(
            frame.to_engine(),
            overrides=settings.overrides(self, frame, self._empty),
            bounds=self._bounds(),
            preset=self.preset,
            anchors=None if self.n_anchors == "auto" else int(self.n_anchors),
            metric=None if self.metric == "auto" else self.metric,
            normal={"auto": None, "normal": True, "none": False}[self.reference],
            seed=self.seed_,
            seconds=None if self.time_budget is None else float(self.time_budget),
            strict=self._kept(frame.names) if self.strict else None,
            threads=settings.threads(self.n_jobs),
            hear=hear,
        )
        return model, trace, notes, doubts

    def _finish(self, trace: list[Step], notes: list[str]) -> None:
        """Set the fitted attributes, and warn if the fit did not converge."""
        columns = self._model.columns() if self._model else []
        kind = lambda c: "left" if c["role"] == "left" else "period" if c["name"] in self._periods else c["kind"]
        self.columns_ = {c["name"]: kind(c) for c in columns}
        self.ends_ = {c["name"]: tuple(c["ends"]) for c in columns if self.bounds is not None and c["ends"] != [None, None]}
        self._filled = [j for j, column in enumerate(columns) if column["role"] != "left"]
        found = self._model.report() if self._model else None
        self.report_ = FitReport._of(found, trace, notes) if found else None
        if found and not found["converged"]:
            warnings.warn("the fit did not converge", ConvergenceWarning, stacklevel=3)

    def _kept(self, names: Sequence[str]) -> list[str]:
        """Return the columns that had a cell at `fit`, and so are not dropped or filled with zeros."""
        return [name for j, name in enumerate(names) if j not in self._empty]

    def _tell_empty(self, frame: Frame) -> None:
        """Warn of missing cells that cannot be completed; an error if `strict`."""
        if self._model is None or len(self._filled) + len(self._empty) == len(frame.names):
            return
        for note in self._model.left_empty(frame.to_engine(), self._kept(frame.names), bool(self.strict)):
            warnings.warn(note, UserWarning, stacklevel=3)

    # Completing

    def transform(self, X: Any) -> Any:
        """Complete a table.

        Parameters
        ----------
        X : table of the kind that `fit` had, or a matrix

        Returns
        -------
        table of the same kind
            With the same dtypes, index and names; observed cells are unchanged.
        """
        check_is_fitted(self)
        frame = self._frame(X, fitting=False)
        self._tell_empty(frame)
        return self._complete(frame, self.method)[0]

    def impute(self, X: Any, m: int = 10, *, one_fit: bool = False) -> list[Any]:
        """Return several completed tables, for analyses whose results are pooled.

        Each is drawn from the density refitted under random weights of the rows, so that results pooled by
        `psd_impute.pool` include the uncertainty of the fit. Weights are in balance over the m tables, and so are
        the draws of up to five, which reduces the simulation error of pooled results: use all m tables together.

        Parameters
        ----------
        X : table of the kind that `fit` had, or a matrix
        m : int, default=10
            The number of completed tables. The note `report_.balance` says if draws are not in balance.
        one_fit : bool, default=False
            Whether to draw all tables from one fit instead. Intervals are then too narrow.

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
        self._tell_empty(frame)
        return self._complete(frame, "draw", int(m), one_fit=one_fit, hear=self._progress(int(m)))

    def _progress(self, of: int) -> Callable[[int], None]:
        """Return a callback that prints a line after each completed table if `verbose`."""
        start = time.perf_counter()

        def hear(number: int) -> None:
            if self.verbose:
                print(f"[PSDImputer] {number} of {of} tables completed, {time.perf_counter() - start:.1f} s")

        return hear

    def _complete(
        self, frame: Frame, method: str, of: int = 1, *, one_fit: bool = False, hear: Callable[[int], None] = lambda number: None
    ) -> list[Any]:
        tables = [frame.data] * of
        if self._model is not None:
            wanted = {
                "method": method,
                "seed": self.seed_,
                "imputations": of,
                "one_fit": bool(one_fit),
                "bounds": self._bounds(),
                "threads": settings.threads(self.n_jobs),
            }
            tables, (notes, drift, found, balance) = frame.completed(self._model, wanted, self._filled, hear)
            for note in notes:
                warnings.warn(note, UserWarning, stacklevel=3)
            for note in drift:
                warnings.warn(note, DriftWarning, stacklevel=3)
            self._tell_findings([Finding(*finding) for finding in found])
            self._tell_balance(balance)
        return [self._arranged(frame, data) for data in tables]

    def _tell_findings(self, findings: list[Finding]) -> None:
        """Warn of the worst findings of the checks, and keep all of them."""
        assert self.report_ is not None
        self.report_ = replace(self.report_, findings=tuple(findings))
        # Notes that `fit` has given about the same table are not repeated.
        new = [finding.text for finding in findings if finding.text not in self.report_.notes]
        for text in new[:_FINDINGS]:
            warnings.warn(text, FindingWarning, stacklevel=4)

    def _tell_balance(self, note: str | None) -> None:
        """Keep the note that draws are not in balance, as the command prints it; print it if `verbose`."""
        assert self.report_ is not None
        self.report_ = replace(self.report_, balance=note)
        if note and self.verbose:
            print(f"[PSDImputer] note: {note}")

    def _arranged(self, frame: Frame, data: Any) -> Any:
        """Drop or fill the columns that were empty at `fit`, and add the indicators."""
        kept: Iterable[int] = range(len(frame.names))
        if self._empty:
            if self.keep_empty_features:
                data = frame.zeroed(data, [j for j in self._empty if frame.is_number(j)])
            else:
                kept = [j for j in kept if j not in self._empty]
        flags = frame.missing()[:, self._indicated] if self.add_indicator else np.empty((0, 0), dtype=bool)
        names = self._indicator_names(frame.names) if self.add_indicator else []
        return frame.arrange(data, list(kept), flags, names)

    # Other uses of the density

    def conditional(self, X: Any, quantiles: Sequence[float] = (0.025, 0.975)) -> dict[str, CellDistribution]:
        """Return the distribution of each missing cell given the observed cells of its row.

        Parameters
        ----------
        X : table of the kind that `fit` had, or a matrix
        quantiles : sequence of float, default=(0.025, 0.975)
            The probabilities of the quantiles, between 0 and 1.

        Returns
        -------
        dict of column name to CellDistribution
            For each column with missing cells, in the table's order.
        """
        check_is_fitted(self)
        if isinstance(quantiles, (numbers.Real, str)):
            raise SettingError(f"quantiles is {quantiles!r}, but must be a list of probabilities between 0 and 1")
        levels = tuple(float(p) for p in quantiles)
        frame = self._frame(X, fitting=False)
        if self._model is None:
            return {}
        found = self._model.cells(frame.to_engine(), levels, self._bounds(), settings.threads(self.n_jobs))
        zones, periods = frame.zones(), frame.periods()
        return {
            name: CellDistribution._of(name, levels, cells, zones.get(name), periods.get(name))
            for name, cells in found.items()
        }

    def drift(self, X: Any) -> list[ColumnDrift]:
        """Compare the cells of a table with those that were learned, to find for instance a change of units.

        Parameters
        ----------
        X : table of the kind that `fit` had, or a matrix

        Returns
        -------
        list of ColumnDrift
            The columns that differ by more than chance, the worst first. Empty for a model file too old to have this.
            `transform` and `impute` warn of the same columns with `DriftWarning`.
        """
        check_is_fitted(self)
        frame = self._frame(X, fitting=False)
        if self._model is None:
            return []
        return [ColumnDrift(**found) for found in self._model.drift(frame.to_engine())]

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-density of each row's observed cells, in the table's units.

        Compare only rows of the same pattern: others have densities of another dimension.

        Parameters
        ----------
        X : table of the kind that `fit` had, or a matrix

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        frame = self._frame(X, fitting=False)
        if self._model is None:
            return np.zeros(len(frame.data))
        return self._model.log_densities(frame.to_engine(), settings.threads(self.n_jobs))

    def sample(self, n: int = 1, random_state: Any = None) -> Any:
        """Draw new rows from the density.

        Parameters
        ----------
        n : int, default=1
            The number of rows.
        random_state : int, RandomState or None, default=None
            The seed; None is that of the fit.

        Returns
        -------
        table of the kind that was fitted, or a pandas table for a loaded model
            Columns that are not modelled, such as identifiers, have no values.
        """
        check_is_fitted(self)
        if not isinstance(n, numbers.Integral) or int(n) < 1:
            raise SettingError(f"n is {n!r}, but must be a whole number above zero")
        if self._model is None:
            raise SettingError("nothing was learned from a table without a cell\nhint: fit one with cells")
        seed = self.seed_ if random_state is None else seed_of(random_state)
        table = self._model.sample(int(n), seed, self._bounds(), settings.threads(self.n_jobs))
        if self._template is None:
            return pandas_table(table)
        return frame_of(self._template, self._names).like(table)

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which the command reads too. A failed write leaves no partial file.

        The file also keeps the settings on which `transform` depends: `method`, bounds, `missing_values`,
        `add_indicator`, `keep_empty_features` and `strict`.

        Parameters
        ----------
        path : str or path-like
        """
        check_is_fitted(self)
        if self._model is None:
            raise SettingError("nothing was learned from a table without a cell\nhint: fit one with cells")
        named = hasattr(self, "feature_names_in_") or _is_matrix(self._names)
        self._model.save(os.fspath(path), settings.to_json(self, self._names, named, self._zones, self._periods))

    @classmethod
    def load(cls, path: str | os.PathLike[str], **given: Any) -> PSDImputer:
        """Read an imputer from a model file that `save` or the command wrote.

        It completes tables as the saved one does. An untrusted file can neither crash the process nor run code.

        Parameters
        ----------
        path : str or path-like
        **given
            Settings of `PSDImputer` that replace those in the file.

        Returns
        -------
        PSDImputer
        """
        model = Model.from_bytes(Path(path).read_bytes())
        saved = settings.from_json(model.settings())
        imputer = cls(**{**saved.settings, **given})
        settings.check(imputer)
        columns = model.columns()
        imputer._model = model
        imputer._names = [column["name"] for column in columns]
        imputer.n_features_in_ = len(columns)
        if saved.named and not _is_matrix(imputer._names):
            imputer.feature_names_in_ = np.asarray(imputer._names, dtype=object)
        fitted_with = model.report()["seed"]
        imputer.seed_ = fitted_with if imputer.random_state is None else seed_of(imputer.random_state)
        imputer._empty = [j for j, column in enumerate(columns) if column["empty"]]
        imputer._indicated = [j for j, column in enumerate(columns) if column["gaps"]]
        imputer._zones, imputer._periods, imputer._template = {}, saved.periods, None
        imputer._finish([], [])
        return imputer

    def _bounds(self) -> tuple[list[settings.Bound], bool]:
        asked = settings.bounds(self, self._names, self._zones, self._periods)
        return asked, self.bounds is not None

    # Tables

    def _frame(self, X: Any, *, fitting: bool) -> Frame:
        """Return the table as a frame, checked against the table of the fit."""
        sentinel = None if settings.means_missing(self.missing_values) else self.missing_values
        check_table(X)
        if isinstance(X, np.ma.MaskedArray):
            # scikit-learn drops the mask, and would take the masked values for data.
            X = np.ma.filled(X.astype(float), np.nan if sentinel is None else sentinel)
        if is_frame(X):
            X = X if hasattr(X, "shape") else Table(X)
            validate_data(self, X, reset=fitting, skip_check_array=True)
            if 0 in X.shape:
                raise DataError(f"the table has {X.shape[0]} rows and {X.shape[1]} columns, but must have some of both")
            names = column_names(X)
        else:
            X = validate_data(
                self,
                X,
                reset=fitting,
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan" if sentinel is None else True,
            )
            X = X if sentinel is None else np.where(X == sentinel, X.dtype.type(np.nan), X)
            names = [f"x{j}" for j in range(X.shape[1])]
        if fitting:
            self._names = names
        frame = frame_of(X, self._names, sentinel)
        if sentinel is not None and is_frame(X):
            _refuse_other_gaps(frame)
        if not fitting:
            _refuse_other_periods(frame, self._periods)
        return frame

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns that `transform` gives, as an ndarray of str."""
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
        tags.input_tags.allow_nan = settings.means_missing(self.missing_values)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _is_matrix(names: Sequence[str]) -> bool:
    """Whether the columns are named as those of a matrix are: x0, x1, ..."""
    return list(names) == [f"x{j}" for j in range(len(names))]


def _refuse_other_periods(frame: Frame, learned: Mapping[str, str]) -> None:
    """Raise if periods have another frequency: they are counted in it, and would be taken for other times."""
    found = frame.periods()
    for j, name in enumerate(frame.names):
        holds, held = found.get(name), learned.get(name)
        if holds != held and not frame.missing()[:, j].all():
            said = [f"periods of frequency {freq}" if freq else "no periods" for freq in (holds, held)]
            hint = f"X[{name!r}].dt.asfreq({held!r}) converts periods" if holds and held else "convert the column to the type it had"
            raise DataError(f"column `{name}` holds {said[0]}, but {said[1]} where the model was fitted\nhint: {hint}")


def _refuse_other_gaps(frame: Frame) -> None:
    """Raise if a table with a value for missing cells also has NaN, as scikit-learn's imputers do."""
    counts = frame.empty().sum(axis=0)
    if counts.any():
        j = int(counts.argmax())
        others = "" if (counts > 0).sum() == 1 else f", and {int((counts > 0).sum()) - 1} more columns have some"
        raise DataError(
            f"X contains NaN: column `{frame.names[j]}` has {counts[j]} cells without a value, but "
            f"missing_values={frame.sentinel!r} says that missing cells hold {frame.sentinel!r}{others}\n"
            f"hint: leave missing_values out and make the cells that hold {frame.sentinel!r} NaN, or replace NaN by {frame.sentinel!r}"
        )
