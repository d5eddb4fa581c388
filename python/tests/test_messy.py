"""Messy tables of many kinds: what must happen to each, with the command and with Python."""

from __future__ import annotations

import pytest
from messy import KINDS
from messy.command import COMMAND
from messy.make import write_all
from messy.run import by_command, by_python

WAYS = {"command": by_command, "python": by_python}
RUNS = [(name, way) for name, kind in KINDS.items() for way in kind.ways]


@pytest.mark.parametrize("name, way", RUNS)
def test_what_must_happen(name, way, tmp_path):
    if way == "command" and COMMAND is None:
        pytest.skip("PSD_IMPUTE_COMMAND names no command; `cargo xtask test` sets it")
    WAYS[way](KINDS[name](), tmp_path).check()


def test_there_are_many_kinds():
    assert len(KINDS) >= 60


def test_all_can_be_written_to_a_folder(tmp_path):
    written = write_all(tmp_path)
    assert len(written) >= len(KINDS) and all(path.exists() for path in written)
