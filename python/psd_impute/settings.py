"""Settings of an imputer: checked, and converted for the engine."""

from __future__ import annotations

import datetime
import json
import numbers
import os
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._engine import ModelFileError, SettingError, check_fit
from .frames import Frame

CHOICES = {
    "method": ("draw", "mean", "median"),
    "metric": ("auto", "full", "diagonal", "isotropic"),
    "preset": ("default", "paper", "theory"),
    "reference": ("auto", "normal", "none"),
}

End = Union[float, str, None]
Bound = Tuple[str, End, End, bool]


class ColumnOverride(NamedTuple):
    """The kind that the engine must give a column, with the levels if it is ordered."""

    column: str
    kind: str
    levels: Optional[Sequence[str]] = None


def check(settings: Any) -> None:
    """Raise if a setting is outside its range."""
    for name, allowed in CHOICES.items():
        value = getattr(settings, name)
        if not isinstance(value, str) or value not in allowed:
            raise SettingError(f"{name} is {value!r}, but must be one of {', '.join(map(repr, allowed))}")
    anchors = settings.n_anchors
    if anchors != "auto" and not isinstance(anchors, numbers.Integral):
        raise SettingError(f"n_anchors is {anchors!r}, but must be 'auto' or a whole number")
    budget = settings.time_budget
    if budget is not None and not isinstance(budget, numbers.Real):
        raise SettingError(f"time_budget is {budget!r}, but must be a number of seconds")
    check_fit(None if anchors == "auto" else int(anchors), None if budget is None else float(budget))


def threads(n_jobs: Any) -> int | None:
    """Return the number of threads of ``n_jobs``; None is all cores."""
    if n_jobs is None or n_jobs == -1:
        return None
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise SettingError(f"n_jobs is {n_jobs!r}, but must be None, -1 or a number of threads")
    count = int(n_jobs)
    return count if count > 0 else max(1, (os.cpu_count() or 1) + 1 + count)


def means_missing(value: Any) -> bool:
    """Whether the value is always missing: NaN, None or pandas.NA."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, numbers.Real) and value != value)


# Columns, by name or position


def column_name(column: Any, names: Sequence[str], setting: str) -> str:
    """Return the engine's name of a column given by name or position."""
    if isinstance(column, numbers.Integral) and not isinstance(column, bool) and str(column) not in names:
        if -len(names) <= int(column) < len(names):
            return names[int(column)]
    elif not isinstance(column, bool) and str(column) in names:
        return str(column)
    raise SettingError(f"{setting}: there is no column {column!r}\nhint: the columns are {', '.join(names)}")


def chosen(given: Any, names: Sequence[str], setting: str) -> list[str]:
    """Return the columns chosen by a list of names, positions or bools. Names and positions may be mixed."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        auto = "'auto' or " if setting == "categorical_features" else ""
        raise SettingError(f"{setting} is {given!r}, but must be {auto}a list of columns")
    items = given.tolist() if hasattr(given, "tolist") else list(given)
    if items and all(isinstance(item, (bool, np.bool_)) for item in items):
        if len(items) != len(names):
            raise SettingError(f"{setting} has {len(items)} bools, but the table has {len(names)} columns")
        return [name for name, item in zip(names, items) if item]
    return [column_name(item, names, setting) for item in items]


def overrides(settings: Any, frame: Frame, empty: Sequence[int]) -> list[ColumnOverride]:
    """Return the kinds of columns that override the engine's rules. An empty column has none."""
    names = frame.names
    found: dict[str, tuple[str, ColumnOverride]] = {}

    def add(setting: str, wanted: ColumnOverride) -> None:
        other = found.get(wanted.column)
        if other is not None and other[0] != setting:
            raise SettingError(f"column {wanted.column!r} is in both {other[0]} and {setting}\nhint: name it in one of them")
        found[wanted.column] = (setting, wanted)

    if not (isinstance(settings.categorical_features, str) and settings.categorical_features == "auto"):
        for name in chosen(settings.categorical_features, names, "categorical_features"):
            add("categorical_features", ColumnOverride(name, "category"))
    for setting, kind in (("continuous_features", "continuous"), ("ignore_features", "ignore")):
        for name in chosen(getattr(settings, setting) or (), names, setting):
            add(setting, ColumnOverride(name, kind))
    for name, levels in _ordered(settings.ordered_features, frame).items():
        add("ordered_features", ColumnOverride(name, "ordered", levels))
    out = {name: wanted for name, (_, wanted) in found.items()}
    for j, name in enumerate(names):
        out.setdefault(name, _usual(frame, j))
    return [wanted for j, name in enumerate(names) if (wanted := out[name]).kind and j not in empty]


def _usual(frame: Frame, j: int) -> ColumnOverride:
    """Return the default kind of a column that no setting names."""
    name = frame.names[j]
    if isinstance(frame.data, np.ndarray) or name in frame.periods():
        # Columns of a matrix are all completed, and periods do not identify rows: neither is an identifier.
        return ColumnOverride(name, "completed")
    levels = frame.levels(j) if frame.is_ordered(j) else None
    if levels and all(isinstance(level, str) for level in levels):
        return ColumnOverride(name, "ordered", levels)
    if levels and all(_is_number(level) for level in levels) and levels == sorted(levels):
        return ColumnOverride(name, "ordered")
    return ColumnOverride(name, "")


def _ordered(given: Any, frame: Frame) -> dict[str, list[str] | None]:
    """Return the ordered columns with their levels: given, listed by the column's type, or None for numbers."""
    setting = "ordered_features"
    if not isinstance(given, Mapping):
        given = dict.fromkeys(chosen(given or (), frame.names, setting))
    out: dict[str, list[str] | None] = {}
    for column, levels in given.items():
        name = column_name(column, frame.names, setting)
        if levels is None:
            levels = frame.levels(frame.names.index(name))
            levels = levels if levels and all(isinstance(level, str) for level in levels) else None
        elif isinstance(levels, (str, bytes)) or not hasattr(levels, "__iter__"):
            raise SettingError(f"{setting}: the levels of {column!r} are {levels!r}, but must be a list from the lowest to the highest")
        texts = None if levels is None else [str(level) for level in levels]
        if texts is not None and len(set(texts)) < len(texts):
            raise SettingError(f"{setting}: a level of {column!r} is given twice")
        out[name] = texts
    return out


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


# Bounds


def bounds(settings: Any, names: Sequence[str], zones: Mapping[str, str], periods: Mapping[str, str]) -> list[Bound]:
    """Return the bounds of columns: the name, both ends, and whether they apply to numbers only."""
    ends: dict[str, Bound] = {}
    for k, (setting, none) in enumerate((("min_value", -np.inf), ("max_value", np.inf))):
        given = getattr(settings, setting)
        try:
            value = np.asarray(none if given is None else given, dtype=float)
        except (TypeError, ValueError):
            raise SettingError(f"{setting} is {given!r}, but must be a number or one for each column") from None
        if value.ndim and value.shape != (len(names),):
            raise SettingError(f"{setting} has {value.size} entries, but the table has {len(names)} columns")
        if np.isnan(value).any():
            raise SettingError(f"{setting} is NaN for a column\nhint: {none} leaves the end out")
        for name, end in zip(names, np.broadcast_to(value, (len(names),))):
            if end != none:
                low, high = ends.get(name, (name, None, None, True))[1:3]
                ends[name] = (name, float(end), high, True) if k == 0 else (name, low, float(end), True)
    for name, pair in _pairs(settings.bounds, names).items():
        low, high = (_end(end, zones.get(name), periods.get(name)) for end in pair)
        ends[name] = (name, low, high, False)
    return list(ends.values())


def _pairs(given: Any, names: Sequence[str]) -> dict[str, tuple[Any, Any]]:
    """Return the given ends by column name."""
    if given is None or isinstance(given, str) and given == "auto":
        return {}
    if not isinstance(given, Mapping):
        raise SettingError(f"bounds is {given!r}, but must map columns to pairs (low, high), or be 'auto' or None")
    out: dict[str, tuple[Any, Any]] = {}
    for column, pair in given.items():
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise SettingError(
                f"bounds: those of column {column!r} are {pair!r}, but must be a pair (low, high)\n"
                "hint: either end may be None, as in (0, None)"
            )
        name = column_name(column, names, "bounds")
        if name in out:
            raise SettingError(f"bounds: column {name!r} is given twice\nhint: give both ends at once")
        out[name] = (pair[0], pair[1])
    return out


def _end(end: Any, zone: str | None, period: str | None) -> End:
    """Convert a bound for the engine: a number, or a date or time as text."""
    if period is not None and end is not None:
        return float(_period(end, period).ordinal)
    if isinstance(end, np.timedelta64):
        return str(end.astype("timedelta64[us]").item())
    if isinstance(end, numbers.Real):
        if np.isnan(float(end)):
            raise SettingError("bounds: an end is NaN\nhint: None leaves an end out")
        return float(end) if np.isfinite(float(end)) else None
    if end is None:
        return None
    if isinstance(end, np.datetime64):
        end = str(end)
    if zone is not None:
        end = _in_zone(end, zone)
    return end.isoformat() if hasattr(end, "isoformat") else str(end)


def _period(end: Any, freq: str) -> Any:
    import pandas as pd

    try:
        return pd.Period(end, freq=freq)
    except (TypeError, ValueError):
        raise SettingError(f"bounds: {end!r} is no period of frequency {freq}\nhint: give a pandas.Period or a text such as '2020-01'") from None


def _in_zone(end: Any, zone: str) -> Any:
    """Place a time without a zone in the zone of its column."""
    if isinstance(end, str):
        try:
            end = datetime.datetime.fromisoformat(end)
        except ValueError:
            return end
    if isinstance(end, datetime.datetime):
        return end if end.tzinfo is not None else end.replace(tzinfo=time_zone(zone))
    if isinstance(end, datetime.date):
        return datetime.datetime(end.year, end.month, end.day, tzinfo=time_zone(zone))
    return end


def time_zone(name: str) -> datetime.tzinfo:
    """Return the zone of an Arrow name: one of the time zone database, or an offset such as ``+01:00``."""
    if name[:1] in "+-":
        hours, _, minutes = name[1:].partition(":")
        offset = datetime.timedelta(hours=int(hours[:2]), minutes=int(minutes or hours[2:] or 0))
        return datetime.timezone(-offset if name[0] == "-" else offset)
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)


# Settings in model files


class Saved(NamedTuple):
    """An imputer in a model file: its settings, whether its columns had names, and the frequencies of columns of periods."""

    settings: dict[str, Any]
    named: bool
    periods: dict[str, str]


def to_json(
    settings: Any, names: Sequence[str], named: bool, zones: Mapping[str, str], periods: Mapping[str, str]
) -> str | None:
    """Return the settings on which `transform` depends, for a model file; None if all are the defaults."""
    out: dict[str, Any] = {}
    if settings.method != "draw":
        out["method"] = settings.method
    for name in ("add_indicator", "keep_empty_features", "strict"):
        if getattr(settings, name):
            out[name] = True
    if not means_missing(settings.missing_values):
        value = settings.missing_values
        out["missing_values"] = value.item() if hasattr(value, "item") else value
    for name, none in (("min_value", -np.inf), ("max_value", np.inf)):
        value = getattr(settings, name)
        if value is not None and not np.all(np.asarray(value, dtype=float) == none):
            # JSON has no infinities.
            out[name] = np.asarray(value, dtype=float).astype(str).tolist()
    pairs = _pairs(settings.bounds, names)
    if settings.bounds is None:
        out["bounds"] = None
    elif pairs:

        def plain(name: str, end: Any) -> End:
            period = periods.get(name)
            return _end(end, zones.get(name), None) if period is None or end is None else str(_period(end, period))

        out["bounds"] = {name: [plain(name, end) for end in ends] for name, ends in pairs.items()}
    if not named:
        out["named"] = False
    if periods:
        out["periods"] = dict(periods)
    return json.dumps(out, allow_nan=False, sort_keys=True) if out else None


def from_json(text: str | None) -> Saved:
    """Read the output of `to_json`. The file is untrusted."""
    try:
        found = json.loads(text or "{}")
        named = found.pop("named", True) is True
        periods = {_saved_text(name): _saved_text(freq) for name, freq in found.pop("periods", {}).items()}
        kept = {name: _SAVED[name](value) for name, value in found.items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ModelFileError("the settings in the model file cannot be read\nhint: fit the model again") from None
    return Saved(kept, named, periods)


def _saved_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _saved_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _saved_end(value: Any) -> End:
    return value if value is None or isinstance(value, str) else float(value)


def _saved_bounds(value: Any) -> dict[str, tuple[Any, Any]] | None:
    if value is None:
        return None
    return {name: (_saved_end(low), _saved_end(high)) for name, (low, high) in value.items()}


_SAVED: dict[str, Any] = {
    "method": _saved_text,
    "add_indicator": _saved_flag,
    "keep_empty_features": _saved_flag,
    "strict": _saved_flag,
    "missing_values": lambda value: value if isinstance(value, str) else float(value),
    "min_value": lambda value: np.asarray(value, dtype=float),
    "max_value": lambda value: np.asarray(value, dtype=float),
    "bounds": _saved_bounds,
}
