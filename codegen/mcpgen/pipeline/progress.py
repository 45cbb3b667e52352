"""The progress of a run."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with a pass's name, how much of it is done, and how much there is."""
