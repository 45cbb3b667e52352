"""Write pydantic models and pydantic dataclasses in pydantic's JSON mode, as the decorators of SDKs do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeAlias, cast

from pydantic import BaseModel

from .json_errors import NoJsonForm

Convert: TypeAlias = Callable[[Any], Any]
"""Converts a value that pydantic cannot write."""


def write_by_alias(value: Any, convert: Convert) -> Any:
    """Return a model's JSON, with the aliases of its fields.

    Raises:
        NoJsonForm: pydantic cannot write it.
    """
    return _write(value, True, convert)


def write_as_configured(value: Any, convert: Convert) -> Any:
    """Return a model's JSON, with aliases only where the model's `serialize_by_alias` says so.

    Raises:
        NoJsonForm: pydantic cannot write it.
    """
    return _write(value, None, convert)


def is_written_by_pydantic(cls: Any) -> bool:
    """Return whether a class is a pydantic model or a pydantic dataclass."""
    return issubclass(cls, BaseModel) or hasattr(cls, "__pydantic_serializer__")


def _write(value: Any, by_alias: bool | None, convert: Convert) -> Any:
    cls = cast(Any, type(value))
    try:
        if getattr(cls, "model_dump", BaseModel.model_dump) is not BaseModel.model_dump:
            return value.model_dump(mode="json", by_alias=by_alias)
        return cls.__pydantic_serializer__.to_python(
            value, mode="json", by_alias=by_alias, warnings=False, fallback=convert
        )
    except (NoJsonForm, RecursionError):
        raise
    except Exception as error:  # a serializer may raise anything, with the value in its text
        why = type(error).__name__
        problem = NoJsonForm(f"pydantic cannot write the {cls.__name__} as JSON ({why})")
        if (name := _find_failing_field(value, convert)) is not None:
            problem.inside(name)
        raise problem from error


def _find_failing_field(value: Any, convert: Convert) -> str | None:
    """Return the first field that pydantic cannot write."""
    cls = cast(Any, type(value))
    fields: Iterable[str] = getattr(cls, "__pydantic_fields__", ())
    for name in fields:
        try:
            cls.__pydantic_serializer__.to_python(
                value, mode="json", include={name}, warnings=False, fallback=convert
            )
        except Exception:  # noqa: BLE001 # as above
            return name
    return None


@lru_cache(512)
def has_aliases(cls: Any) -> bool:
    """Return whether a class, or one inside it, has fields with aliases."""
    return has_schema_member(
        cls.__pydantic_core_schema__, lambda members: "serialization_alias" in members
    )


@lru_cache(512)
def has_decimals(cls: Any) -> bool:
    """Return whether a class, or one inside it, has decimals, which pydantic writes as text."""
    return has_schema_member(
        cls.__pydantic_core_schema__, lambda members: members.get("type") == "decimal"
    )


def has_schema_member(schema: Any, is_wanted: Callable[[dict[str, Any]], bool]) -> bool:
    """Return whether a part of a pydantic core schema is wanted."""
    if isinstance(schema, list | tuple):
        return any(has_schema_member(part, is_wanted) for part in cast(list[Any], schema))
    if not isinstance(schema, dict):
        return False
    members = cast(dict[str, Any], schema)
    return is_wanted(members) or any(
        has_schema_member(members[key], is_wanted) for key in members.keys() - _NON_SCHEMA_MEMBERS
    )


_NON_SCHEMA_MEMBERS = frozenset({"cls", "config", "default", "function", "metadata"})

__all__ = [
    "has_aliases",
    "has_decimals",
    "has_schema_member",
    "is_written_by_pydantic",
    "write_as_configured",
    "write_by_alias",
]
