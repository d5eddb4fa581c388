"""The machine and the programs that numbers were measured with."""

from __future__ import annotations

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psd_impute


def measured_with(*packages: str, build: str) -> str:
    """A sentence: date, machine, versions and the engine's build."""
    found = [f"Python {platform.python_version()}", f"psd_impute {psd_impute.__version__} ({build})"]
    found += [f"{package} {version(package)}" for package in packages if is_installed(package)]
    today = datetime.date.today().isoformat()
    return f"Measured on {today}, {_processor()}, {os.cpu_count()} cores, with {', '.join(found)}."


def is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
