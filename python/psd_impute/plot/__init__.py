"""Figures of missing cells, of imputed cells and of the progress of a fit.

Each function returns a matplotlib figure, which notebooks show and ``savefig`` writes; pyplot does not track
it. Given ``ax``, a function draws there instead and returns it, which works for figures of one panel.

>>> import numpy as np
>>> from psd_impute import plot
>>> plot.missingness(np.array([[1.0, np.nan], [2.0, 5.0], [3.0, np.nan]])).axes[0].get_title(loc="left")
'2 of 6 cells are missing (33.3 %)'
"""

from __future__ import annotations

try:
    import matplotlib  # noqa: F401
except ImportError:
    raise ImportError('figures need matplotlib\nhint: pip install "psd-impute[plot]"') from None

from ._convergence import convergence
from ._densities import densities
from ._missingness import missingness
from ._over_imputation import over_imputation
from ._pairs import pairs
from ._patterns import patterns

__all__ = ["missingness", "patterns", "densities", "pairs", "convergence", "over_imputation"]
