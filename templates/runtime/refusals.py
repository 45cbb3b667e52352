"""Explain why a JSON value was refused: by its schema, or by the native formats of its class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, reduce
from operator import getitem
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from .deep_values import NON_SCHEMA_MEMBERS, find_errors
from .native_formats import FORMAT_ERROR, Native
from .violations import MOST_PROBLEMS, Problem, describe_value, sort_by_place

CHECKED: Any = object()
"""Validation context of a value whose schema needs no check."""


def explain_refusal(
    cls: type[BaseModel], value: object, problems: Sequence[Problem]
) -> list[Problem]:
    """Return the first violations of the schema and of native formats, in the order of the value.

    Args:
        cls: the class that refused the value.
        value: the JSON value.
        problems: violations of the schema.
    """
    found = [*problems, *_find_format_problems(cls, value)]
    return sort_by_place(found, value)[:MOST_PROBLEMS]


def _find_format_problems(cls: type[BaseModel], value: object) -> list[Problem]:
    """Return the strings of a JSON value that break a native format of a class."""
    if not reads_formats(cls):
        return []
    try:
        error = find_errors(cls, value, CHECKED)
    except Exception:  # noqa: BLE001 # foreign objects may raise anything
        return []
    return [] if error is None else _list_format_problems(error, value)


def _list_format_problems(error: ValidationError, value: object) -> list[Problem]:
    problems: list[Problem] = []
    for detail in error.errors(include_url=False, include_input=False):
        if detail["type"] != FORMAT_ERROR:
            continue
        try:
            text = reduce(getitem, detail["loc"], cast(Any, value))
        except (LookupError, TypeError):  # the place names a member of a union
            continue
        if isinstance(text, str):
            words = detail.get("ctx", {})["words"]
            problems.append(
                Problem(detail["loc"], "format", f"should be {words}", describe_value(text))
            )
    return problems


@cache
def reads_formats(cls: type[BaseModel]) -> bool:
    """Return whether a class, or one inside of it, has a native format."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    parts: list[Any] = [cls.__pydantic_core_schema__]
    while parts:
        part = parts.pop()
        if isinstance(part, list | tuple):
            parts.extend(cast(Iterable[Any], part))
        elif isinstance(part, dict):
            members = cast(dict[str, Any], part)
            function = members.get("function")
            if isinstance(function, dict):
                function = cast(dict[str, Any], function)["function"]
            if isinstance(getattr(function, "__self__", None), Native):
                return True
            parts.extend(item for key, item in members.items() if key not in NON_SCHEMA_MEMBERS)
    return False


__all__ = ["CHECKED", "explain_refusal", "reads_formats"]
