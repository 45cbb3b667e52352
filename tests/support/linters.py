"""Linters of files that are not Python: where they are installed, and how a test runs them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def run_linter(name: str, *arguments: str, cwd: Path) -> str:
    """Return what a linter says, "" if it finds nothing; the test is skipped where it is not installed."""
    beside = Path(sys.executable).with_name(name)
    program = str(beside) if beside.is_file() else shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    run = subprocess.run([program, *arguments], cwd=cwd, capture_output=True, text=True)
    return "" if run.returncode == 0 else run.stdout + run.stderr
