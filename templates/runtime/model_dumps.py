"""Write pydantic models and pydantic dataclasses in pydantic's JSON mode, as the decorators of SDKs do, and decimals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias, cast

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo

from .core_schemas import walk_schemas
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
    return any(
        "serialization_alias" in part for part in walk_schemas(cls.__pydantic_core_schema__)
    )


@lru_cache(512)
def has_decimals(cls: Any) -> bool:
    """Return whether a class, or one inside it, has decimals, which pydantic writes as text."""
    return any(
        part.get("type") == "decimal" for part in walk_schemas(cls.__pydantic_core_schema__)
    )


# --- decimals -------------------------------------------------------------------------------------------------------
_MAX_DIGITS = 4300
"""Python does not convert longer integers (`sys.get_int_max_str_digits`)."""


class OpenDecimal:
    """A decimal of which the schema decides whether it is a number or a string."""

    __slots__ = ("_default", "_number", "_text")

    def __init__(self, value: Decimal, default: str | None = None) -> None:
        """Hold a decimal; `default` is its form where the schema takes both, None for the number."""
        self._number, self._text = write_decimal(value), str(value)
        self._default = self._number if default is None else default

    def choose(self, takes_numbers: bool, takes_text: bool) -> int | float | str:
        """Return the form that a schema takes; the usual one if it takes both or neither."""
        if takes_numbers == takes_text:
            return self._default
        return self._number if takes_numbers else self._text


def write_decimal(value: Decimal) -> int | float | str:
    """Return an integer, the float that reads back as the same decimal, or else the text.

    Raises:
        NoJsonForm: it is not finite.
    """
    if not value.is_finite():
        raise NoJsonForm(f"JSON has no {value}")
    if value.adjusted() >= _MAX_DIGITS:
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    near = float(value)
    return near if Decimal(repr(near)) == value else str(value)


def reopen_decimals(form: Any, value: Any) -> Any:
    """Replace the texts that pydantic wrote for decimals, in place.

    Args:
        form: the JSON that pydantic wrote.
        value: the value that it wrote.
    """
    if isinstance(value, RootModel):
        return reopen_decimals(form, cast(Any, value).root)
    if isinstance(form, str):
        is_text = isinstance(value, Decimal) and value.is_finite() and form == str(value)
        return OpenDecimal(value, form) if is_text else form
    if isinstance(form, dict):
        members = cast(dict[str, Any], form)
        for key, item in members.items():
            if isinstance(item, str | dict | list):
                members[key] = reopen_decimals(item, _get_member(value, key))
    elif isinstance(form, list) and isinstance(value, Collection):
        items, others = cast(list[object], form), cast(Collection[object], value)
        if len(items) == len(others):
            items[:] = map(reopen_decimals, items, others)
    return cast(Any, form)


def _get_member(value: Any, key: str) -> Any:
    """Return what pydantic wrote under a key; None if that is not known."""
    if isinstance(value, Mapping):
        return cast(Mapping[object, Any], value).get(key)
    return getattr(value, _map_attributes(cast(Any, type(value))).get(key, key), None)


@lru_cache(512)
def _map_attributes(cls: Any) -> dict[str, str]:
    """Map the aliases of a class's fields and computed fields to their names."""
    fields: dict[str, FieldInfo] = getattr(cls, "__pydantic_fields__", {})
    aliases = {name: field.serialization_alias for name, field in fields.items()}
    if (decorators := getattr(cls, "__pydantic_decorators__", None)) is not None:
        computed: dict[str, Any] = decorators.computed_fields
        aliases |= {name: decorator.info.alias for name, decorator in computed.items()}
    return {alias: name for name, alias in aliases.items() if alias is not None}


__all__ = [
    "OpenDecimal",
    "has_aliases",
    "has_decimals",
    "is_written_by_pydantic",
    "reopen_decimals",
    "write_as_configured",
    "write_by_alias",
    "write_decimal",
]
