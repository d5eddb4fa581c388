"""The command that the tests run."""

from __future__ import annotations

import os
import subprocess

COMMAND = os.environ.get("PSD_IMPUTE_COMMAND")


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs the command."""
    words = [str(COMMAND), *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
