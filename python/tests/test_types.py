"""Annotations agree with themselves, and the engine's stubs with the engine."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("mypy")


@pytest.mark.parametrize("arguments", [
    ["mypy", "--ignore-missing-imports", "--disallow-untyped-defs", "-p", "psd_impute"],
    ["mypy.stubtest", "--ignore-disjoint-bases", "--ignore-missing-stub", "psd_impute._engine"],
])
def test_types(arguments, tmp_path):
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
