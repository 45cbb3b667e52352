"""Objects of users' classes as JSON objects: pydantic's dumps, dataclasses, attributes."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cached_property, lru_cache
from operator import is_
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, TypeAlias, cast

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo

from .errors import NoJsonForm
from .exact_types import walk_schemas
from .json_values import IteratorFailed, read_items, write_decimal

_ABSENT: Any = object()
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType)


class OpenObject:
    """An object of which the schema decides which attributes are properties."""

    def __init__(self, value: object, convert: Callable[[object], Any]) -> None:
        """Hold an object; `convert` converts the value of an attribute to JSON."""
        self._value, self._convert = value, convert

    @property
    def class_name(self) -> str:
        """The name of the object's class."""
        return type(self._value).__name__

    def list_public(self) -> list[str]:
        """Return the names of the public attributes."""
        return [*attributes(self._value)]

    def read(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the attributes of some names that the object or its class has; methods don't count.

        Raises:
            NoJsonForm: an attribute cannot be read.
        """
        values = {name: self._read(name) for name in names}
        return {name: item for name, item in values.items() if item is not _ABSENT}

    def read_computed(self, names: Iterable[str]) -> dict[str, Any]:
        """Return only those that a property of the class computes."""
        return self.read(name for name in names if is_computed(type(self._value), name))

    def convert(self, name: str, item: object) -> Any:
        """Convert the value of an attribute to JSON, which has this name; an object in it stays open.

        Raises:
            NoJsonForm: it has no JSON form; the place begins with the name.
        """
        try:
            return self._convert(item)
        except NoJsonForm as error:
            error.inside(name)
            raise

    def _read(self, name: str) -> Any:
        try:
            item = getattr(self._value, name, _ABSENT)
        except Exception as error:  # a property of the user's may raise anything
            problem = NoJsonForm(f"cannot be read from the object ({type(error).__name__})")
            problem.inside(name)
            raise problem from error
        return _ABSENT if isinstance(item, _FUNCTIONS) else item


def is_computed(cls: type[Any], name: str) -> bool:
    """Return whether a property of a class computes the attribute of this name."""
    return isinstance(inspect.getattr_static(cls, name, None), property | cached_property)


def attributes(value: object) -> dict[str, Any]:
    """Return the public attributes of an object, from `__dict__` and `__slots__`."""
    slots = [name for cls in reversed(type(value).__mro__) for name in _get_slots(cls)]
    values = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    values.update(getattr(value, "__dict__", {}))
    return {name: item for name, item in values.items() if not name.startswith("_")}


def _get_slots(cls: type[Any]) -> Iterable[str]:
    slots: Any = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else cast(Iterable[str], slots)


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


def list_iterators(value: Any, around: frozenset[int]) -> Any:
    """Return a model with lists instead of iterators, which pydantic would consume: it is written more than once.

    Args:
        value: the model, or a value in it; copied if there are iterators in it.
        around: the ids of the values around it.
    """
    cls = cast(Any, type(value))
    if issubclass(cls, Iterator):
        return [list_iterators(item, around) for item in read_items(cast(Iterator[Any], value))]
    is_model = is_written_by_pydantic(cls)
    if id(value) in around or not (is_model or cls in (list, tuple, dict)):
        return value
    around |= {id(value)}
    if cls in (list, tuple):
        items = [list_iterators(item, around) for item in cast(Iterable[Any], value)]
        return value if all(map(is_, items, cast(Iterable[Any], value))) else cast(Any, cls)(items)
    members = cast(dict[Any, Any], vars(value) if is_model else value)
    listed = {key: list_iterators(item, around) for key, item in members.items()}
    extras = cast(dict[str, Any], getattr(value, "__pydantic_extra__", None) or {})
    listed_extras = {key: list_iterators(item, around) for key, item in extras.items()}
    parts = ((listed, members), (listed_extras, extras))
    if all(new[key] is item for new, old in parts for key, item in old.items()):
        return value
    if not is_model:
        return listed
    copied: Any = copy.copy(value)
    cast(dict[str, Any], vars(copied)).update(listed)
    if extras:
        copied.__pydantic_extra__.update(listed_extras)
    return copied


def _write(value: Any, by_alias: bool | None, convert: Convert) -> Any:
    cls = cast(Any, type(value))
    try:
        if getattr(cls, "model_dump", BaseModel.model_dump) is not BaseModel.model_dump:
            return value.model_dump(mode="json", by_alias=by_alias)
        return cls.__pydantic_serializer__.to_python(
            value, mode="json", by_alias=by_alias, warnings=False, fallback=convert
        )
    except (NoJsonForm, IteratorFailed, RecursionError):
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
            cls.__pydantic_serializer__.to_python(value, mode="json", include={name}, warnings=False, fallback=convert)
        except Exception:  # as above
            return name
    return None


@lru_cache(512)
def has_aliases(cls: Any) -> bool:
    """Return whether a class, or one inside it, has fields with aliases."""
    return any("serialization_alias" in part for part in walk_schemas(cls.__pydantic_core_schema__))


@lru_cache(512)
def has_decimals(cls: Any) -> bool:
    """Return whether a class, or one inside it, has decimals, which pydantic writes as text."""
    return any(part.get("type") == "decimal" for part in walk_schemas(cls.__pydantic_core_schema__))


# --- decimals --------------------------------------------------------------------------------------------------------
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
