"""What each diagnostic means: a Markdown file a code, with an example that triggers it and the way to mend it."""

from __future__ import annotations

from pathlib import Path

from mcpgen.diagnostics import CATALOGUE

_EXPLANATIONS_FOLDER = Path(__file__).resolve().parent


def read_explanation(code: str) -> str:
    """The Markdown of a code of the catalogue: a paragraph, `## Example`, `## To mend it`.

    Raises:
        FileNotFoundError: the code has none.
    """
    return (_EXPLANATIONS_FOLDER / f"{code}.md").read_text("utf-8")


def read_titled_explanation(code: str) -> str:
    """The same with the code and its meaning in one line above."""
    return f"# {code}: {CATALOGUE[code]}\n\n{read_explanation(code)}"
