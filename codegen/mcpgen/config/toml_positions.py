"""Where the keys of a TOML document stand."""

from __future__ import annotations

import re
from pathlib import Path

from mcpgen.diagnostics import Span
from mcpgen.files.regular_files import read_input

MAX_SETTINGS_SIZE = 256 * 2**10
"""Bytes of a settings file; larger ones are refused before they are parsed."""
_TABLE_HEADER = re.compile(r"^\s*\[(\[?)([^\[\]]+)\]")


_KEY_LINE = re.compile(r"^\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")


class KeyPositions:
    """Where keys stand in a TOML text, table by table (tomllib keeps no positions)."""

    def __init__(self, name: str, text: str, prefix: tuple[str, ...]) -> None:
        self._name, self._lines, self._prefix = name, text.split("\n"), prefix
        self._found: dict[tuple[str | int, ...], tuple[int, int]] = {}
        table: tuple[str | int, ...] = ()
        counts: dict[tuple[str | int, ...], int] = {}
        for number, line in enumerate(self._lines, 1):
            if header := _TABLE_HEADER.match(line):
                table = ()
                for part in _split_key(
                    header[2]
                ):  # what is below an element of a list of tables belongs to the last one
                    table = (*table, counts[table], part) if table in counts else (*table, part)
                if header[1]:
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                self._found.setdefault(table, (number, header.start(2) + 1))
            elif key := _KEY_LINE.match(line):
                self._found.setdefault((*table, *_split_key(key[1])), (number, key.start(1) + 1))

    def locate(self, path: tuple[str | int, ...]) -> Span:
        """The place of a key, or of the nearest table or key around it."""
        wanted = (*self._prefix, *path)
        pointer = ".".join(map(str, path))
        known = next((count for count in range(len(wanted), 0, -1) if wanted[:count] in self._found), 0)
        if not known:
            return Span(self._name, 0, 0, pointer)
        number, column = self._found[wanted[:known]]
        line = self._lines[number - 1]
        for part in wanted[known:]:  # the rest stands in an inline table
            if inner := re.compile(rf"(?<=[{{,.\s\"'])({re.escape(str(part))})[\"']?\s*[=.]").search(line, column - 1):
                column = inner.start(1) + 1
        return Span(self._name, number, column, pointer, line)


def _split_key(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in re.findall(r"[\w-]+|\"[^\"]*\"|'[^']*'", dotted)]


def read_settings_bytes(file: Path) -> bytes:
    """Read a settings file."""
    try:
        return read_input(file, MAX_SETTINGS_SIZE)
    except OSError:
        return b""
