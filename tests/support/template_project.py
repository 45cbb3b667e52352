"""Copies of examples/weather-server, as somebody has it who copies the folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from support.repository import ROOT

PROJECT = ROOT / "examples" / "weather-server"
PACKAGE = "src/weather_server/mcp_gen"
_LEFT_BEHIND = shutil.ignore_patterns("__pycache__", ".venv", ".*_cache", "dist", "*.egg-info")


def copy_project(folder: Path) -> Path:
    """Copy the project below a folder, without what using it leaves behind; return the copy."""
    return Path(shutil.copytree(PROJECT, folder / "weather-server", ignore=_LEFT_BEHIND))
