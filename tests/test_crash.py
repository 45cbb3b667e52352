"""Whatever moment a build is killed at, the next one ends with the whole package."""

from __future__ import annotations

import os
from pathlib import Path

import crash
import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
def test_killed_builds_are_mended(tmp_path: Path) -> None:
    counts = crash.kill_builds(tmp_path, 20, seed=os.getpid())
    assert counts["killed"] > 0
