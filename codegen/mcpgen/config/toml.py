"""TOML text: parse it in bounded time, and find the positions of its keys, which `tomllib` doesn't keep."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mcpgen.diagnostics import Span
from mcpgen.files.regular_files import read_input

MAX_SETTINGS_SIZE = 256 * 2**10
"""Bytes of a settings file; larger ones are refused before they are parsed."""
MAX_KEY_PARTS = 100
"""Parts of one dotted key. The time that `tomllib` takes is quadratic in them."""
_QUOTED_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_DOTTED_KEY = re.compile(r"[\w. \t-]+")
_POSITION = re.compile(r" \(at line (\d+), column (\d+)\)")


class InvalidToml(ValueError):
    """Text that is not valid TOML, or nested more deeply than is sensible. `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.line, self.column), self.__dict__


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table that TOML text describes.

    Raises:
        InvalidToml: The text is not valid TOML, or nested too deeply.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MAX_KEY_PARTS:
            for key in _DOTTED_KEY.finditer(_QUOTED_STRING.sub("s", line)):
                if key[0].count(".") > MAX_KEY_PARTS:
                    raise InvalidToml(f"a key of more than {MAX_KEY_PARTS} parts", number, 1)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InvalidToml("nested too deeply", 1, 1) from None
    except ValueError as error:  # invalid TOML, or a number of more digits than Python reads
        message, position = str(error), _POSITION.search(str(error))
        lines = text.rstrip("\n").split("\n")
        row, column = map(int, position.groups()) if position else (len(lines), len(lines[-1]) + 1)
        raise InvalidToml(message.split(" (at")[0], row, column) from None


_TABLE_HEADER = re.compile(r"^\s*\[(\[?)([^\[\]]+)\]")
_KEY_LINE = re.compile(r"^\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")


class KeyPositions:
    """Positions of the keys of a TOML text. `prefix` is the table that the paths of `locate` are relative to."""

    def __init__(self, name: str, text: str, prefix: tuple[str, ...]) -> None:
        self._name, self._lines, self.prefix = name, text.split("\n"), prefix
        self._positions: dict[tuple[str | int, ...], tuple[int, int]] = {}
        table: tuple[str | int, ...] = ()
        counts: dict[tuple[str | int, ...], int] = {}
        for number, line in enumerate(self._lines, 1):
            if header := _TABLE_HEADER.match(line):
                table = ()
                for part in _split_key(header[2]):  # below a list of tables: belongs to its last element
                    table = (*table, counts[table], part) if table in counts else (*table, part)
                if header[1]:
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                self._positions.setdefault(table, (number, header.start(2) + 1))
            elif key := _KEY_LINE.match(line):
                self._positions.setdefault((*table, *_split_key(key[1])), (number, key.start(1) + 1))

    def locate(self, path: tuple[str | int, ...]) -> Span:
        """Return the span of a key, of the first key or table inside of it, or of the nearest one around it."""
        full_path = (*self.prefix, *path)
        pointer = ".".join(map(str, path))
        if full_path not in self._positions:
            inside = next((key for key in self._positions if full_path and key[: len(full_path)] == full_path), None)
            full_path = full_path if inside is None else inside
        depth = next((count for count in range(len(full_path), 0, -1) if full_path[:count] in self._positions), 0)
        if not depth:
            return Span(self._name, 0, 0, pointer)
        number, column = self._positions[full_path[:depth]]
        line = self._lines[number - 1]
        for part in full_path[depth:]:  # inside an inline table
            key = re.compile(rf"(?<=[{{,.\s\"'])({re.escape(str(part))})[\"']?\s*[=.]").search(line, column - 1)
            if key is not None:
                column = key.start(1) + 1
        return Span(self._name, number, column, pointer, line)


def get_settings_path(file: Path | None) -> tuple[str, ...]:
    """Return the path of the table with the settings in a settings file."""
    return ("tool", "mcpgen") if file is not None and file.name == "pyproject.toml" else ()


def format_header(path: Iterable[str | int], *, is_list: bool = False) -> str:
    """Return the header of a table, or of an entry of a list: `[tool.mcpgen.package.tools.NAME]`.

    Numbers in the path, of entries of a list, are not written.
    """
    name = ".".join(step for step in path if isinstance(step, str))
    return f"[[{name}]]" if is_list else f"[{name}]"


def quote_text(text: str) -> str:
    """Return a text as a TOML string in which everything is visible."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in quoted)


def _split_key(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in re.findall(r"[\w-]+|\"[^\"]*\"|'[^']*'", dotted)]


def read_settings_bytes(file: Path) -> bytes:
    """Return the bytes of a settings file, none if it cannot be read."""
    try:
        return read_input(file, MAX_SETTINGS_SIZE)
    except OSError:
        return b""
