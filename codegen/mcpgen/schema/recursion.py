"""Raise Python's recursion limit for walks over deep schemas."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

RECURSION_LIMIT = 10_000
"""Frames for schemas as deep as `limits.depth` allows: some ten frames a level."""


@contextmanager
def allow_deep_recursion() -> Generator[None]:
    """Raise Python's recursion limit to `RECURSION_LIMIT` within the block, if it is lower."""
    old_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(old_limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(old_limit)
