"""What each diagnostic means, with an example that triggers it and the way to mend it: a Markdown file for each code."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).resolve().parent


def explanation(code: str) -> str:
    """The Markdown of a code of the catalogue."""
    return (_FOLDER / f"{code}.md").read_text("utf-8")
