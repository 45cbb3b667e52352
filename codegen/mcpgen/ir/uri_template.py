"""A parsed URI template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class UriExpression:
    """An expression of a URI template: its operator (RFC 6570 section 2.2, empty for a simple one), its variables."""

    operator: str
    names: tuple[str, ...]


UriTemplatePart: TypeAlias = str | UriExpression
"""A literal as it stands in the URI, or an expression."""


def list_uri_variables(parts: tuple[UriTemplatePart, ...]) -> dict[str, bool]:
    """The names of the variables in order, each with whether it may be left out: those of queries only may."""
    found: dict[str, bool] = {}
    for part in parts:
        if isinstance(part, UriExpression):
            for name in part.names:
                found[name] = found.get(name, True) and part.operator in ("?", "&")
    return found
