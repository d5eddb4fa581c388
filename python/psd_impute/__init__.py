"""Imputation that keeps the distribution of the data.

A positive semi-definite kernel density is fitted to the observed cells of a table by convex maximum likelihood.
The same density gives conditional means, exact draws for multiple imputation, intervals, log-densities and new rows.

>>> import numpy as np
>>> from psd_impute import PSDImputer
>>> X = np.array([[1.62, 61.0], [1.75, np.nan], [1.81, 83.0], [np.nan, 72.0], [1.70, 69.0], [1.66, 58.0]])
>>> PSDImputer(method="mean", random_state=0).fit_transform(X).shape
(6, 2)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._engine import DataError, InternalError, ModelFileError, PsdImputeError, SettingError
    from .cells import CellDistribution
    from .density import PSDDensity
    from .drift import ColumnDrift, DriftWarning
    from .imputer import PSDImputer
    from .pooling import Pooled, pool
    from .report import Finding, FindingWarning, FitReport

__version__ = "0.1.0"

# The module of each name. Names are imported on first use: scikit-learn alone takes longer to import than this package.
_HOMES = {
    "PSDImputer": "imputer",
    "PSDDensity": "density",
    "pool": "pooling",
    "Pooled": "pooling",
    "CellDistribution": "cells",
    "ColumnDrift": "drift",
    "DriftWarning": "drift",
    "Finding": "report",
    "FindingWarning": "report",
    "FitReport": "report",
    "PsdImputeError": "_engine",
    "DataError": "_engine",
    "SettingError": "_engine",
    "ModelFileError": "_engine",
    "InternalError": "_engine",
}

__all__ = [*_HOMES, "plot"]


def __getattr__(name: str) -> Any:
    if name == "plot":
        return import_module(".plot", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
