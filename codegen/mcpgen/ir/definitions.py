"""Parts of definitions that reading and generating have in common: arguments of prompts, and parsed URI templates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class PromptArgument:
    """Argument of a prompt: a string, or one of the values that the user has declared."""

    wire: str
    required: bool
    values: tuple[str, ...] = ()
    """The values that it may have; none: any string."""


@dataclass(frozen=True)
class PromptModule:
    """Prompt."""

    wire: str
    origin: str
    description: str
    """Its description, empty if it has none."""
    arguments: tuple[PromptArgument, ...] = ()
    python: str | None = None
    """Python name from the settings, None for a derived one."""


@dataclass(frozen=True)
class UriExpression:
    """Expression of a URI template: its operator (RFC 6570 section 2.2, empty for a simple one), its variables."""

    operator: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class MessageValue:
    """Place in the message of a form where a value stands."""

    name: str


UriTemplatePart: TypeAlias = str | UriExpression
"""Literal text of the URI, or an expression."""


def list_uri_variables(parts: tuple[UriTemplatePart, ...]) -> dict[str, bool]:
    """Return the names of the variables in order, each with True if it is optional: those of queries only are."""
    optional: dict[str, bool] = {}
    for part in parts:
        if isinstance(part, UriExpression):
            for name in part.names:
                optional[name] = optional.get(name, True) and part.operator in ("?", "&")
    return optional
