"""Explanations of diagnostics: one Markdown file per code, with its meaning as the heading and the same sections."""

from __future__ import annotations

from mcpgen.diagnostics import CATALOGUE, EXPLANATIONS_FOLDER

SECTIONS = ("Where", "Why", "What to do", "Bad example", "Good example")
"""Headings of an explanation, below what the code means. The bad example triggers the diagnostic.

The good one does not. Its files replace those of the bad one, and its commands are the same unless it says others."""


def read_explanation(code: str) -> str:
    """Return the Markdown of a code below its heading: what it means, then the sections.

    Raises:
        FileNotFoundError: the code has no explanation.
    """
    return (EXPLANATIONS_FOLDER / f"{code}.md").read_text("utf-8").partition("\n\n")[2]


def read_titled_explanation(code: str, remark: str = "") -> str:
    """Return the Markdown of a code below a heading with the code and its meaning, and a remark if there is one."""
    return "\n\n".join(filter(None, (f"# {code}: {CATALOGUE[code]}", remark, read_explanation(code))))
