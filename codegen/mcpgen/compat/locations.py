"""Source locations of changes: from JSON pointers into definitions to spans of files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcpgen.diagnostics import Span
from mcpgen.read.definitions import ResourceDefinition, ToolDefinition
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer


@dataclass(frozen=True)
class SchemaLocator:
    """Finds the parts of a definition's schema in its file."""

    definition: ToolDefinition | ResourceDefinition
    schema: Json
    member: Literal["inputSchema", "outputSchema", "x-mcpgen/schema"]
    """Path of the schema in the definition; the last is the payload of a resource."""

    def find_pointer(self, pointer: str, keyword: str) -> str:
        """Return the pointer, into the definition, of a keyword; of its subschema if the keyword is absent.

        Args:
            pointer: JSON pointer of the subschema, into the schema.
            keyword: a keyword of the subschema, empty for none.
        """
        return f"/{self.member}{self._extend_pointer(pointer, keyword)}"

    def find_span(self, pointer: str, keyword: str) -> Span:
        """Return the place in the file of a keyword; of its subschema if the keyword is absent."""
        pointer = self._extend_pointer(pointer, keyword)
        if isinstance(self.definition, ToolDefinition):
            return self.definition.locate(self.member, pointer)
        return self.definition.locate(pointer)

    def _extend_pointer(self, pointer: str, keyword: str) -> str:
        extended = pointer + format_pointer(keyword)
        return extended if keyword and _has_pointer(self.schema, extended) else pointer


def locate_in_tool(tool: ToolDefinition, pointer: str) -> Span:
    """Return the place of a pointer into a Tool object; the tool's place if nothing is there."""
    if not pointer or tool.document is None or tool.at is None:
        return tool.span
    absolute = tool.at + pointer
    return tool.document.make_span(absolute) if _has_pointer(tool.document.value, absolute) else tool.span


def locate_in_resource(resource: ResourceDefinition, pointer: str) -> Span:
    """Return the place of a pointer into a Resource object; the resource's place if nothing is there."""
    if not pointer or resource.document is None or resource.at is None:
        return resource.span
    absolute = resource.at.removesuffix("/x-mcpgen/schema") + pointer
    return resource.document.make_span(absolute) if _has_pointer(resource.document.value, absolute) else resource.span


def _has_pointer(value: Json, pointer: str) -> bool:
    try:
        follow_pointer(value, parse_pointer(pointer))
    except KeyError:
        return False
    return True
