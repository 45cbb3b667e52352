"""Explanations of diagnostics: one Markdown file per code, each with the same sections."""

from __future__ import annotations

from pathlib import Path

from mcpgen.diagnostics import CATALOGUE

_EXPLANATIONS_FOLDER = Path(__file__).resolve().parent
SECTIONS = ("Where", "Why", "What to do", "Bad example", "Good example")
"""Headings of an explanation, below what the code means. The bad example triggers the diagnostic.

The good one does not. Its files replace those of the bad one, and its commands are the same unless it says others."""


def read_explanation(code: str) -> str:
    """Return the Markdown of a code: what it means, then the sections.

    Raises:
        FileNotFoundError: the code has no explanation.
    """
    return (_EXPLANATIONS_FOLDER / f"{code}.md").read_text("utf-8")


def read_titled_explanation(code: str, remark: str = "") -> str:
    """Return the Markdown of a code below a heading with the code and its meaning, and a remark if there is one."""
    return "\n\n".join(filter(None, (f"# {code}: {CATALOGUE[code]}", remark, read_explanation(code))))
