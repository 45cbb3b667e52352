"""Render the call of a run-time class whose arguments mostly have their defaults."""

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
    arguments = ["__file__", str(make_literal(name))]
    for field in fields(options):
        value = getattr(options, field.name)
        if value != field.default:
            arguments.append(f"{field.name}={make_literal(value)}")
    return Literal(f"{class_name}({', '.join(arguments)})")
