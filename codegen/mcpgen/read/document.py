"""One input file: its bytes, the JSON value they say, and the place of every part of that value."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mcpgen.diagnostics import Span
from mcpgen.read import json_parser, yaml_parser
from mcpgen.schema.values import Json, format_pointer, parse_pointer

OUTSIDE_HELP = "put it into the project, or name its folder on the command line: --root FOLDER"
MAX_LINE_LENGTH = 400
"""Characters of a source line that a place holds."""


@dataclass
class SourceDocument:
    """A parsed file. `name` is the path as messages show it."""

    path: Path
    name: str
    text: str
    value: Json = None
    known: bool = True
    """Whether the file is known to be a definition. If not, nothing that stands in it may be shown: the settings, or a
    reference, may lead to any file."""
    node: yaml_parser.YamlNode | None = None
    """The places in YAML; JSON is searched when one is asked for."""
    _lines: list[str] = field(default_factory=list[str])
    _places: json_parser.JsonPositions | None = None
    _index: json_parser.LineIndex | None = None

    def make_span(self, at: str = "", key: str | None = None) -> Span:
        """The place of the value at a JSON pointer, or of the member name `key` in the object there.

        A pointer that leads nowhere gives the place of its nearest ancestor.
        """
        line, column = self._find(parse_pointer(at), key)
        return self.make_span_at(line, column, at if key is None else at + format_pointer(key))

    def make_span_at(self, line: int, column: int, at: str = "") -> Span:
        """A place, with its source line if that may be shown."""
        if not self.known:
            return Span(self.name, line, column)
        said = self.get_line(line)
        start = max(0, min(column - 1 - MAX_LINE_LENGTH // 2, len(said) - MAX_LINE_LENGTH))
        return Span(self.name, line, column, at, said[start : start + MAX_LINE_LENGTH], start + 1)

    def get_line(self, number: int) -> str:
        """A source line, counted from 1, or nothing."""
        if not self._lines:
            self._lines = self.text.split("\n")
        return self._lines[number - 1].rstrip("\r") if 0 < number <= len(self._lines) else ""

    def locate(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both from 1."""
        if self._index is None:
            self._index = json_parser.LineIndex(self.text)
        return self._index.locate(offset)

    def _find(self, path: list[str], key: str | None) -> tuple[int, int]:
        if self.node is not None:
            return self.node.find(path, key)
        if self._places is None:
            self._places = json_parser.JsonPositions(self.text)
        return self.locate(self._places.find(path, key))


def locate_offset(text: str, offset: int) -> tuple[int, int]:
    """An offset as (line, column), both from 1."""
    before = text.rfind("\n", 0, offset)
    return text.count("\n", 0, offset) + 1, offset - before
