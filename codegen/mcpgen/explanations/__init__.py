"""What each diagnostic means: a Markdown file a code, with an example that triggers it and the way to mend it."""

from __future__ import annotations

from pathlib import Path

from mcpgen.diagnostics import CATALOGUE

_FOLDER = Path(__file__).resolve().parent


def explanation(code: str) -> str:
    """The Markdown of a code of the catalogue: a paragraph, `## Example`, `## To mend it`.

    Raises:
        FileNotFoundError: the code has none.
    """
    return (_FOLDER / f"{code}.md").read_text("utf-8")


def titled(code: str) -> str:
    """The same with the code and its meaning in one line above."""
    return f"# {code}: {CATALOGUE[code]}\n\n{explanation(code)}"
