"""The last lines of a command: what to type next."""

from __future__ import annotations

import shlex


def format_next(*words: str) -> list[str]:
    """Return the lines that end a command: the last one is a command to copy."""
    return ["next:", f"  {shlex.join(words)}"]
