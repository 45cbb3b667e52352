"""Where the repository and what is beside it are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""
TESTS = ROOT / "tests"
SHARED = Path(os.environ.get("MCPGEN_SHARED") or ROOT.parent / "shared")
"""The data of others that tests read in place: official schemas, real definitions, test suites. It may be absent, and a
folder of this name may be somebody else's.
"""


def needs_shared(*paths: str) -> pytest.MarkDecorator:
    """Return the mark of a test that reads files or folders of the shared data, and is skipped where one is absent."""
    absent = [path for path in paths if not (SHARED / path).exists()]
    return pytest.mark.skipif(bool(absent), reason=f"the shared data has no {', '.join(absent)}")
