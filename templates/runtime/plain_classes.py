"""What the types of a class say: everything, so that reading needs no check, or native formats."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from .deep_values import NON_SCHEMA_MEMBERS, read_value
from .native_formats import Native, list_format_problems
from .violations import Problem


@cache
def says_all(cls: type[BaseModel]) -> bool:
    """Return whether a class accepts what its schema accepts, and no value that is nested without a limit.

    A class whose schema is stricter than its types has a validator of its own, which is not among `_PLAIN_TYPES`.
    """
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    return _is_plain(cls.__pydantic_core_schema__)


def find_format_problems(
    cls: type[BaseModel], value: object, context: object = None
) -> list[Problem]:
    """Return the strings of a JSON value that break a native format of a class; `context` is that of the validation."""
    if _reads_formats(cls):
        try:
            read_value(cls, value, context)
        except ValidationError as error:
            return list_format_problems(error, value)
        except Exception:  # noqa: BLE001, S110 # foreign objects may raise anything
            pass
    return []


@cache
def _reads_formats(cls: type[BaseModel]) -> bool:
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


def _is_plain(part: Any) -> bool:
    """Return whether a part of pydantic's core schema has plain types alone, without references and open objects."""
    if isinstance(part, list | tuple):
        return all(map(_is_plain, cast(Iterable[Any], part)))
    if not isinstance(part, dict):
        return True
    members = cast(dict[str, Any], part)
    kind = members.get("type")
    if isinstance(kind, str) and kind not in _PLAIN_TYPES:
        return False
    if kind == "model" and not (members.get("root_model") or _is_closed(members)):
        return False
    return all(_is_plain(item) for key, item in members.items() if key not in NON_SCHEMA_MEMBERS)


def _is_closed(model: dict[str, Any]) -> bool:
    return bool(model["config"].get("extra_fields_behavior") == "forbid")


_PLAIN_TYPES = frozenset(
    "bool chain default dict float function-after int list literal model model-field model-fields none nullable str "
    "tagged-union tuple union".split()
)
"""Types of a core schema that accept the same values as the keywords that they were generated from."""

__all__ = ["find_format_problems", "says_all"]
