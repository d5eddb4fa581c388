"""Seeds from scikit-learn's ``random_state``."""

from __future__ import annotations

import numbers
from typing import Any


def seed_of(random_state: Any) -> int:
    """Return the engine's seed: an int itself, or one drawn from the RandomState (NumPy's own for None)."""
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31 - 1))
