"""Where the parts of a bundled schema are written: in its own file, or in the one that a definition was copied from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mcpgen.diagnostics import Span
from mcpgen.read.document import SourceDocument


class WrittenPlace(NamedTuple):
    """A JSON pointer into a file, where there need not be a value."""

    document: SourceDocument
    pointer: str

    def make_span(self) -> Span:
        """Return the place for messages; that of the nearest value around it if there is no value."""
        return self.document.make_span(self.pointer)

    def exists(self) -> bool:
        """Check whether there is a value."""
        return self.document.has_value(self.pointer)


@dataclass(frozen=True)
class WrittenSchema:
    """A schema as it is written, in one or several files."""

    root: WrittenPlace
    copies: dict[str, WrittenPlace] = field(default_factory=dict[str, WrittenPlace])
    """Pointer of each definition that bundling has added, such as `/$defs/Place` → where it was copied from."""

    def is_whole_in(self, document: SourceDocument) -> bool:
        """Check whether all of it is written in one place of a document."""
        return not self.copies and self.root.document is document

    def find(self, pointer: str) -> WrittenPlace:
        """Return where a pointer into the bundled schema is written."""
        definition = "/".join(pointer.split("/")[:3])
        place = self.copies.get(definition)
        if place is None:
            return WrittenPlace(self.root.document, self.root.pointer + pointer)
        return WrittenPlace(place.document, place.pointer + pointer.removeprefix(definition))

    def describe(self, pointer: str) -> str:
        """Return what messages call the subschema at a pointer: where it is, in its schema or in another file."""
        place = self.find(pointer)
        if place.document is not self.root.document:
            return f"the schema at {place.document.name}#{place.pointer}"
        return f"the schema at #{pointer}" if pointer else "the schema itself"
