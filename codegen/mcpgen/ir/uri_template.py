"""A parsed URI template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Expression:
    """An expression of a URI template: its operator (RFC 6570 section 2.2, empty for a simple one), its variables."""

    operator: str
    names: tuple[str, ...]


TemplatePart: TypeAlias = str | Expression
"""A literal as it stands in the URI, or an expression."""


def variables(parts: tuple[TemplatePart, ...]) -> dict[str, bool]:
    """The names of the variables in order, each with whether it may be left out: those of queries only may."""
    found: dict[str, bool] = {}
    for part in parts:
        if isinstance(part, Expression):
            for name in part.names:
                found[name] = found.get(name, True) and part.operator in ("?", "&")
    return found
