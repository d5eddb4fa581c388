"""Messy tables: how each kind is made, and what must happen to it. `test_messy.py` runs them all."""

from . import (  # noqa: F401  (each declares its kinds)
    categories,
    date_texts,
    drift,
    formats,
    frames,
    labels,
    missing_tokens,
    number_texts,
    odd_numbers,
    output,
    settings,
    shapes,
    text_files,
)
from .kind import KINDS, Kind

__all__ = ["KINDS", "Kind"]
