"""Source locations of changes: from JSON pointers into definitions to spans of files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from mcpgen.diagnostics import Span
from mcpgen.read.definitions import ResourceDefinition, ToolDefinition
from mcpgen.schema.values import Json, format_pointer, has_pointer


@dataclass(frozen=True)
class SchemaLocator:
    """Finds the parts of a definition's schema in its file."""

    definition: ToolDefinition | ResourceDefinition
    schema: Json
    member: Literal["inputSchema", "outputSchema", "x-mcpgen/schema"]
    """Path of the schema in the definition; the last is the payload of a resource."""

    def find_pointer(self, pointer: str, keyword: str, name: str = "") -> str:
        """Return the pointer, into the definition, of a keyword; of its subschema if the keyword is absent.

        Args:
            pointer: JSON pointer of the subschema, into the schema.
            keyword: a keyword of the subschema, empty for none.
            name: the only property that is concerned, if any: it is where the pointer leads, declared or not.
        """
        extended = pointer + format_pointer(keyword)
        if name:
            named = extended + format_pointer(name)
            if not has_pointer(self.schema, named):
                named = pointer + format_pointer("properties", name)
            return f"/{self.member}{named}"
        return f"/{self.member}{extended if keyword and has_pointer(self.schema, extended) else pointer}"

    def find_span(self, pointer: str, keyword: str, name: str = "") -> Span:
        """Return the place in a file of what `find_pointer` finds; of the nearest value around it if it is absent."""
        return self.definition.locate(self.find_pointer(pointer, keyword, name))


def locate_part(definition: ToolDefinition | ResourceDefinition, pointer: str) -> Span:
    """Return the place of a pointer into a definition; if nothing is there, that of what would contain it.

    Its own pointer leads to what is sought, whether that is there or not.
    """
    container = pointer
    while container:
        place = definition.find(container)
        if place is not None and place.exists():
            span = place.make_span()
            return replace(span, pointer=place.pointer + pointer.removeprefix(container)) if span.pointer else span
        container = container.rpartition("/")[0]
    return definition.span
