"""Formats of strings that can become Python types, and which of them do at a place of a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from mcpgen.schema.keywords import walk_subschemas
from mcpgen.schema.values import as_object

if TYPE_CHECKING:
    from mcpgen.schema.document import Schema

FormatName: TypeAlias = Literal["date-time", "date", "time", "uuid", "ipv4", "ipv6"]
"""The formats that have a strict Python type."""
STANDARD_FORMATS = tuple(
    "date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference "
    "uuid uri-template json-pointer relative-json-pointer regex".split()
)
"""The formats that JSON Schema defines, all of strings."""


@dataclass(frozen=True)
class NativeFormat:
    """A format with a strict Python type. Add a format here first; the other modules follow the table."""

    python_type: str
    """The type, as messages write it."""
    runtime_name: str
    """Name of the annotation for it, which the run-time library defines."""
    generator_name: str
    """Name that datamodel-code-generator writes for the core schema."""
    core_format: str = ""
    """The format in core schemas if it is another one, because not every supported version of the type generator knows
    this one: old ones take `time` for a number of seconds."""


FORMAT_TABLE: Mapping[str, NativeFormat] = MappingProxyType(
    {
        "date-time": NativeFormat("datetime.datetime", "DateTime", "AwareDatetime"),
        "date": NativeFormat("datetime.date", "Date", "date"),
        "time": NativeFormat("datetime.time", "Time", "Path", core_format="path"),
        "uuid": NativeFormat("uuid.UUID", "Uuid", "UUID"),
        "ipv4": NativeFormat("ipaddress.IPv4Address", "NativeIpv4", "IPv4Address"),
        "ipv6": NativeFormat("ipaddress.IPv6Address", "NativeIpv6", "IPv6Address"),
    }
)
NATIVE_FORMATS = tuple(FORMAT_TABLE)
CORE_FORMATS: Mapping[str, str] = MappingProxyType(
    {name: entry.core_format or name for name, entry in FORMAT_TABLE.items()}
)
"""Format → the format in core schemas."""


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
    for pointer, subschema in walk_subschemas(schema.value, schema.dialect):
        if as_object(subschema).get("type") in ("string", ["string", "null"], ["null", "string"]):
            name = str(as_object(subschema).get("format"))
            types[pointer] = FORMAT_TABLE[name].python_type if formats.is_native(pointer, name) else "str"
    return types
