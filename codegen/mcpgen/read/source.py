"""One input file: its bytes, the JSON value they say, and the place of every part of that value."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from mcpgen.config import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.json_types import Json, pointer, tokens
from mcpgen.read import json_source, yaml_source
from mcpgen.read.disk import Disk
from mcpgen.read.files import Outside, TooLarge

OUTSIDE = "put it into the project, or name its folder on the command line: --root FOLDER"
LONGEST_LINE = 400
"""Characters of a source line that a place holds."""
_MARKS = re.compile(
    r"\b(inputSchema|outputSchema|input_schema|output_schema|uriTemplate|resourceTemplates)\b|\$(defs|ref)\b"
    r"|json-schema\.org|[\"']?\btype[\"']?\s*:\s*[\"']?(object|array|string|number|integer|boolean|null)\b"
)
"""What stands in definitions and JSON Schemas, and hardly in anything else."""


@dataclass
class Document:
    """A parsed file. `name` is the path as messages show it."""

    path: Path
    name: str
    text: str
    value: Json = None
    known: bool = True
    """Whether the file is known to be a definition. If not, nothing that stands in it may be shown: the settings, or a
    reference, may lead to any file."""
    node: yaml_source.Node | None = None
    """The places in YAML; JSON is searched when one is asked for."""
    _lines: list[str] = field(default_factory=list[str])
    _places: json_source.Places | None = None
    _index: json_source.Lines | None = None

    def span(self, at: str = "", key: str | None = None) -> Span:
        """The place of the value at a JSON pointer, or of the member name `key` in the object there.

        A pointer that leads nowhere gives the place of its nearest ancestor.
        """
        line, column = self._find(tokens(at), key)
        return self.spot(line, column, at if key is None else at + pointer(key))

    def spot(self, line: int, column: int, at: str = "") -> Span:
        """A place, with its source line if that may be shown."""
        if not self.known:
            return Span(self.name, line, column)
        said = self.line(line)
        start = max(0, min(column - 1 - LONGEST_LINE // 2, len(said) - LONGEST_LINE))
        return Span(self.name, line, column, at, said[start : start + LONGEST_LINE], start + 1)

    def line(self, number: int) -> str:
        """A source line, counted from 1, or nothing."""
        if not self._lines:
            self._lines = self.text.split("\n")
        return self._lines[number - 1].rstrip("\r") if 0 < number <= len(self._lines) else ""

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both from 1."""
        if self._index is None:
            self._index = json_source.Lines(self.text)
        return self._index.place(offset)

    def _find(self, path: list[str], key: str | None) -> tuple[int, int]:
        if self.node is not None:
            return self.node.find(path, key)
        if self._places is None:
            self._places = json_source.Places(self.text)
        return self.place(self._places.find(path, key))


def line_column(text: str, offset: int) -> tuple[int, int]:
    """An offset as (line, column), both from 1."""
    before = text.rfind("\n", 0, offset)
    return text.count("\n", 0, offset) + 1, offset - before


def load(path: Path, name: str, findings: Findings, limits: Limits, disk: Disk | None = None) -> Document | None:
    """Read and parse a JSON or YAML file; what is wrong with it goes into `findings`."""
    disk = disk or Disk(most=limits.file_size)
    disk.is_file(path)  # so that it is known to be wanted, also where there is none
    try:
        data = disk.read(path)
    except TooLarge as error:
        findings.error("MG009", str(error.strerror), Span(name), _raise("file-size"))
        return None
    except OSError as error:
        help = OUTSIDE if isinstance(error, Outside) else ""
        findings.error("MG001", f"cannot be read: {error.strerror}", Span(name), help)
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")) + 1
        findings.error(
            "MG002", "not valid UTF-8", Span(name, line, column), help="save the file as UTF-8, without other bytes"
        )
        return None
    document = Document(path, name, text, known=_MARKS.search(text) is not None)
    ok = _json(document, findings, limits) if path.suffix == ".json" else _yaml(document, findings, limits)
    return document if ok else None


def _raise(limit: str) -> str:
    return f"raise `limits.{limit}` in the settings if this is meant"


_QUOTED = re.compile(r"\"[^\"]{2,}\"|'[^']{2,}'|(?<=the tag )\S+|^\S+(?= is too large a number)")


def _sayable(message: str, document: Document) -> str:
    """A message without what it quotes of a file that may be any file."""
    return message if document.known else _QUOTED.sub("…", message)


def _json(document: Document, findings: Findings, limits: Limits) -> bool:
    if (count := json_source.count(document.text, limits.values)) > limits.values:
        message = f"{count} values are more than {limits.values}"
        findings.error("MG009", message, Span(document.name, 1, 1), _raise("values"))
        return False
    try:
        document.value = json_source.parse(document.text)
    except json_source.WrongJson as error:
        span = document.spot(*document.place(error.at))
        findings.error("MG002", _sayable(error.message, document), span, error.help)
        return False
    except json_source.LoneSurrogate as error:
        message = "a string holds a lone surrogate, which no UTF-8 can say"
        findings.error("MG002", message, document.span(error.pointer))
        return False
    if (deep := _too_deep(document.value, limits.depth)) is not None:
        message = f"nested more than {limits.depth} levels deep"
        findings.error("MG009", message, document.span(deep), _raise("depth"))
        return False
    return True


def _too_deep(value: Json, most: int) -> str | None:
    """The pointer of a value that lies more than so many levels deep, None if there is none."""
    level: list[Json] = [value]
    for _ in range(most):
        inner = [held.values() if isinstance(held, dict) else held for held in level if isinstance(held, dict | list)]
        level = [child for held in inner for child in held]
        if not level:
            return None
    stack: list[tuple[Json, int, str]] = [(value, 1, "")]
    while stack:
        held, depth, at = stack.pop()
        if depth > most:
            return at
        if isinstance(held, dict):
            stack.extend((child, depth + 1, at + pointer(key)) for key, child in held.items())
        elif isinstance(held, list):
            stack.extend((child, depth + 1, at + pointer(index)) for index, child in enumerate(held))
    return None


def _yaml(document: Document, findings: Findings, limits: Limits) -> bool:
    try:
        document.value, document.node = yaml_source.parse(document.text, limits)
    except yaml_source.WrongYaml as error:
        span = document.spot(error.line, error.column)
        code, help = ("MG009", _raise(error.limit)) if error.limit else ("MG002", "")
        findings.error(code, _sayable(error.message, document), span, help)
        return False
    return True
