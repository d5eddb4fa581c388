"""Seeds, the way scikit-learn's users give them."""

from __future__ import annotations

import numbers
from typing import Any


def seed_of(random_state: Any) -> int:
    """The engine's seed: an int is one itself, a RandomState (NumPy's own for None) draws one."""
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31 - 1))
