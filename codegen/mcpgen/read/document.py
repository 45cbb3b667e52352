"""Parsed input file: its text, its JSON value, the span of every part, and where the parts of a bundled schema are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from mcpgen.diagnostics import Span
from mcpgen.read import yaml_parser
from mcpgen.read.foreign_definitions import find_server_name
from mcpgen.read.json_parser import JsonPositions, LineIndex
from mcpgen.schema.values import Json, as_object, follow_pointer, format_pointer, has_pointer, parse_pointer

OUTSIDE_HELP = "put it into the project, or name its folder on the command line: --root FOLDER"
MAX_LINE_LENGTH = 400
"""Characters of a source line that a span contains."""


@dataclass
class SourceDocument:
    """Parsed file. `name` is the path in messages."""

    path: Path
    name: str
    text: str
    value: Json = None
    is_quotable: bool = True
    """Whether the file is recognised as a definition. If not, no message may quote it: settings and references can name
    any file."""
    node: yaml_parser.YamlNode | None = None
    """Positions of the values in YAML. Positions in JSON are searched for when they are needed."""
    is_pulled: bool = False
    """Whether the file belongs to `mcpgen pull`."""
    reload: Callable[[], SourceDocument | None] | None = None
    """Reads the file when a place in it is needed. Until then, a document from the cache has no text and no value."""

    def make_span(self, pointer: str = "", key: str | None = None) -> Span:
        """Return the span of the value at a JSON pointer, or of the member name `key` in the object there.

        If there is no such value, return the span of its nearest ancestor.
        """
        line, column = self._find(parse_pointer(pointer), key)
        return self.make_span_at(line, column, pointer if key is None else pointer + format_pointer(key))

    def make_span_at(self, line: int, column: int, pointer: str = "") -> Span:
        """Return the span at a line and column, with its source line if that may be quoted."""
        if not self.is_quotable:
            return Span(self.name, line, column)
        text = self._lines.get_line(line)
        start = max(0, min(column - 1 - MAX_LINE_LENGTH // 2, len(text) - MAX_LINE_LENGTH))
        pulled = self.find_pulled_name(pointer) if self.is_pulled else ""
        return Span(self.name, line, column, pointer, text[start : start + MAX_LINE_LENGTH], start + 1, pulled=pulled)

    def find_pulled_name(self, pointer: str) -> str:
        """Return the name or URI, on its server, of the definition that a pointer is in; empty if it has none."""
        definition = as_object(self.find_value(format_pointer(*parse_pointer(pointer)[:2])))
        prefix = as_object(as_object(self.value).get("generated")).get("prefix")
        name = find_server_name(definition)
        is_prefixed = isinstance(prefix, str) and name == definition.get("name")
        return name.removeprefix(str(prefix)) if is_prefixed else name

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.text)

    @cached_property
    def _positions(self) -> JsonPositions:
        return JsonPositions(self.text)

    def locate(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both counted from 1."""
        return self._lines.locate(offset)

    def find_offset(self, path: list[str], key: str | None = None) -> int:
        """Return the offset of the value at a path, or of its nearest ancestor; with `key`, of that member's name."""
        return self._lines.find_offset(*self._find(path, key))

    def has_value(self, pointer: str) -> bool:
        """Check whether there is a value at a JSON pointer."""
        return (self.reload is None or self._reload()) and has_pointer(self.value, pointer)

    def find_value(self, pointer: str) -> Json:
        """Return the value at a JSON pointer; None if there is none."""
        return follow_pointer(self.value, parse_pointer(pointer)) if self.has_value(pointer) else None

    def _reload(self) -> bool:
        document = None if self.reload is None else self.reload()
        if document is None:
            return False
        self.text, self.value, self.node = document.text, document.value, document.node
        self.is_quotable, self.reload = document.is_quotable, None
        return True

    def _find(self, path: list[str], key: str | None) -> tuple[int, int]:
        if self.reload is not None and not self._reload():
            return 0, 0
        if self.node is not None:
            return self.node.find(path, key)
        return self.locate(self._positions.find(path, key))


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
