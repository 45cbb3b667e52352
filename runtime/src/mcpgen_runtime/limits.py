"""Limits for untrusted values."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Limits for the values that a package reads: `limits` in the settings of mcpgen."""

    value_depth: int = 400
    """Maximum levels of arrays and objects in a value."""
    pattern_length: int = 2_000
    """Maximum characters of a string that is matched against a pattern which needs backtracking."""
    pattern_steps: int = 20_000
    """Maximum steps back of such a match."""


DEFAULT_LIMITS = Limits()

__all__ = ["DEFAULT_LIMITS", "Limits"]
