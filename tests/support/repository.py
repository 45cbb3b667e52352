"""Where the repository and what is beside it are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""
TESTS = ROOT / "tests"
