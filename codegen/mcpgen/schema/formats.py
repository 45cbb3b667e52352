"""Formats of strings that can become Python types, and which of them do at a place of a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.values import Json, format_pointer

PYTHON_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "date-time": "datetime.datetime",
        "date": "datetime.date",
        "time": "datetime.time",
        "uuid": "uuid.UUID",
        "ipv4": "ipaddress.IPv4Address",
        "ipv6": "ipaddress.IPv6Address",
    }
)
"""The formats that have a strict Python type, with that."""
NATIVE_FORMATS = tuple(PYTHON_TYPES)


@dataclass(frozen=True)
class FormatChoices:
    """The formats that become Python types in one schema."""

    native: tuple[str, ...] = ()
    """The formats that do so by themselves."""
    places: tuple[tuple[str, bool], ...] = ()
    """JSON pointers of subschemas for which the user decided, each with whether that one becomes a Python type."""

    def find_choice(self, pointer: str) -> bool | None:
        """Return whether the subschema at a pointer becomes a Python type by the user's choice, None without one."""
        return self._choices.get(pointer)

    @cached_property
    def _choices(self) -> dict[str, bool]:
        return dict(self.places)

    def is_native(self, pointer: str, name: str) -> bool:
        """Return whether a string of a format, whose subschema is at a pointer, becomes a Python type."""
        if name not in NATIVE_FORMATS:
            return False
        choice = self.find_choice(pointer)
        return name in self.native if choice is None else choice


NO_FORMATS = FormatChoices()
"""All strings stay strings."""


def list_string_types(schema: Schema, formats: FormatChoices) -> dict[str, str]:
    """Return the Python type of the strings at each place of a schema that has some, by JSON pointer."""
    types: dict[str, str] = {}
    stack: list[tuple[str, Json]] = [("", schema.value)]
    while stack:
        pointer, subschema = stack.pop()
        if isinstance(subschema, dict):
            if subschema.get("type") in ("string", ["string", "null"], ["null", "string"]):
                name = str(subschema.get("format"))
                types[pointer] = PYTHON_TYPES[name] if formats.is_native(pointer, name) else "str"
            children = iterate_subschemas(subschema, schema.dialect)
            stack.extend((pointer + format_pointer(*path), child) for path, child in children)
    return types
