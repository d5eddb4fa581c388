"""Complete a kind of table with the command and with Python."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pandas as pd
from psd_impute import DataError, ModelFileError, PSDImputer, SettingError

from .cells import of_frame
from .command import command
from .kind import Kind
from .outcome import Outcome, parse_json

SEED = 1


def by_command(kind: Kind, folder: Path) -> Outcome:
    """The outcome with the command."""
    given = kind.write(folder / kind.file, kind.table())
    completed = folder / "completed" / (kind.output or given.name)
    completed.parent.mkdir()
    kind.prepare(completed)
    said, code = "", 0
    how: list[object] = ["--seed", SEED, *kind.reading]
    fitting = ["--time-budget", kind.budget]
    learned = kind.learned()
    if learned is not None:
        first = kind.write(folder / f"learned.{kind.file.split('.', 1)[1]}", learned)
        fit = command("fit", first, "-o", folder / "model", *how, *fitting, *kind.fitting)
        said, code = fit.stderr, fit.returncode
        how, fitting = ["--seed", SEED, "--model", folder / "model", *kind.reading], []
    if code == 0:
        asked = [word.format(folder=folder) for word in kind.arguments]
        words = ["impute", *kind.inputs(given), "-o", completed, *how, *fitting, *asked]
        done = command(*words)
        said, code = said + done.stderr, done.returncode
    written = code == 0 and completed.exists()
    return Outcome(
        "command",
        kind,
        code,
        said.replace(f"{folder}/", ""),
        before=kind.cells_of(given) if written else None,
        after=kind.read_completed(completed) if written else None,
        folder=folder,
        given=given,
        completed=completed,
        ask_json=lambda: parse_json(command(*words, "--json").stdout),
        ask_kinds=lambda: _kinds(given, kind),
    )


def _kinds(given: Path, kind: Kind) -> dict[str, str]:
    """The kinds of the columns by `describe`."""
    described = command("describe", given, *kind.reading, "--json")
    assert described.returncode == 0, described.stderr
    return {column["name"]: column["kind"] for column in parse_json(described.stdout)["columns"]}


def by_python(kind: Kind, folder: Path) -> Outcome:
    """The outcome with Python."""
    imputer = PSDImputer(**{"random_state": SEED, "time_budget": kind.budget, **kind.settings})
    table, learned = (_frame(kind, part, folder) for part in (kind.table(), kind.learned()))
    before = of_frame(table) if hasattr(table, "shape") and len(table.shape) == 2 else None
    outcome = Outcome(
        "python", kind, 0, "", before=before, given=table, folder=folder, ask_kinds=lambda: outcome.imputer.columns_
    )
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            if kind.saved == "command":
                fit = command("fit", kind.write(folder / "learned.csv", kind.learned()), "-o", folder / "model")
                assert fit.returncode == 0, fit.stderr
            else:
                imputer.fit(table if learned is None else learned)
            if kind.saved:
                if kind.saved == "python":
                    imputer.save(folder / "model")
                imputer = PSDImputer.load(folder / "model", **kind.settings)
            outcome.completed = imputer.transform(table)
            outcome.after = of_frame(outcome.completed)
        except (SettingError, DataError, ModelFileError, ValueError, TypeError) as error:
            outcome.code = 1 if isinstance(error, SettingError) else 2
            outcome.said = f"error: {error}\n"
    outcome.imputer = imputer
    outcome.said += "".join(f"warning: {warning.message}\n" for warning in heard)
    outcome.said += str(getattr(imputer, "report_", ""))
    return outcome


def _frame(kind: Kind, table: Any, folder: Path) -> Any:
    """A file as pandas reads it; a frame as it is."""
    if not isinstance(table, bytes):
        return table
    path = kind.write(folder / kind.file, table)
    if path.suffix == ".xlsx":
        return pd.read_excel(path, **kind.pandas)
    if path.suffix == ".jsonl":
        return pd.read_json(path, lines=True, **kind.pandas)
    return pd.read_csv(path, **kind.pandas)
