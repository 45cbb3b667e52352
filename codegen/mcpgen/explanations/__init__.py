"""Explanations of diagnostics: one Markdown file per code, with an example that triggers it and how to fix it."""

from __future__ import annotations

from pathlib import Path

from mcpgen.diagnostics import CATALOGUE

_EXPLANATIONS_FOLDER = Path(__file__).resolve().parent


def read_explanation(code: str) -> str:
    """Return the Markdown of a code: a paragraph, `## Example`, `## How to fix it`.

    Raises:
        FileNotFoundError: the code has no explanation.
    """
    return (_EXPLANATIONS_FOLDER / f"{code}.md").read_text("utf-8")


def read_titled_explanation(code: str) -> str:
    """Return the Markdown of a code below a heading with the code and its meaning."""
    return f"# {code}: {CATALOGUE[code]}\n\n{read_explanation(code)}"
