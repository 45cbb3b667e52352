"""What the types of a class say: everything, so that reading needs no check."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, cast

from pydantic import BaseModel

from .deep_values import NON_SCHEMA_MEMBERS


@cache
def says_all(cls: type[BaseModel]) -> bool:
    """Return whether a class accepts what its schema accepts, and no value that is nested without a limit.

    A class whose schema is stricter than its types has a validator of its own, which is not among `_PLAIN_TYPES`.
    """
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    return _is_plain(cls.__pydantic_core_schema__)


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

__all__ = ["says_all"]
