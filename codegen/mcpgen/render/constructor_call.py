"""Render the options of a definition that differ from their defaults, as keywords."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from mcpgen.literals import Literal, make_literal

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def render_constructor_call(class_name: str, name: str, options: DataclassInstance) -> Literal:
    """Return `class_name(__file__, name, keyword=value, …)` with keywords for the options that are not defaults.

    Args:
        class_name: the class to construct.
        name: the exact name of the tool or resource.
        options: a dataclass whose fields, all with a default, are the keywords, of types that `make_literal` takes.
    """
    arguments = ["__file__", str(make_literal(name)), *list_keywords(options)]
    return Literal(f"{class_name}({', '.join(arguments)})")


def list_keywords(options: DataclassInstance) -> list[str]:
    """Return `keyword=value` for each option that is not the default; as above."""
    values = [(field.name, getattr(options, field.name), field.default) for field in fields(options)]
    return [f"{name}={make_literal(value)}" for name, value, default in values if value != default]
