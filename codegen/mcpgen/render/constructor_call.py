"""Render the call of a run-time class whose arguments mostly have their defaults."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from mcpgen.literals import Literal, make_literal

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def render_constructor_call(class_name: str, first: str, options: DataclassInstance) -> Literal:
    """Return `class_name(first, keyword=value, …)` with a keyword for each option that differs from its default.

    Args:
        class_name: the class to construct.
        first: its positional argument.
        options: a dataclass whose fields, all with a default, are the keywords: strings, integers, bools or None.
    """
    arguments = [str(make_literal(first))]
    for field in fields(options):
        value = getattr(options, field.name)
        if value != field.default:
            arguments.append(f"{field.name}={make_literal(value)}")
    return Literal(f"{class_name}({', '.join(arguments)})")
