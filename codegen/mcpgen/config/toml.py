"""TOML text: parse it in bounded time, find the positions of its keys, and add to it, as `tomllib` does not."""

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
    """Return the table that TOML text describes; raise `InvalidToml` if it is not valid, or nested too deeply."""
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
    """Return the header of a table, or an entry of a list, without numbers: `[tool.mcpgen.package.tools.NAME]`."""
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


# --- additions --------------------------------------------------------------------------------------------------------
_TABLE = re.compile(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*mcpgen[ \t]*\][^\n]*\n", re.MULTILINE)
_COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?:[ \t]*#[^\n]*\Z)?")
"""The blank lines and comments with which a file begins."""


_STRING = r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'"
_TOKEN = re.compile(rf"({_STRING})|#[^\n]*|[^\]]")
_ARRAY = re.compile(rf"^[ \t]*dependencies[ \t]*=[ \t]*\[(?P<items>(?:{_STRING}|#[^\n]*|[^\]\"'#])*)\]", re.MULTILINE)
"""The dependencies of a project."""
_REST_OF_LINE = re.compile(r"(?P<comma>,?)(?P<comment>[ \t]*(?:#[^\n]*)?)\n")
_HEADER = re.compile(r"^[ \t]*\[[^\n\]]*\]{1,2}[ \t]*(?:#[^\n]*)?$", re.MULTILINE)


def add_setting(text: str, is_pyproject: bool, key: str, value: str) -> str | None:
    """Return a settings file with one more key, whose value is a string; None if there is no safe place for it."""
    header = _TABLE.search(text) if is_pyproject else _COMMENTS.match(text)
    if header is None:
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    added = f"{key} = {quote_text(value)}{newline}"
    start, end = text[: header.end()], text[header.end() :]
    if start and not start.endswith("\n"):
        start += newline
    changed = f"{start}{added}{end}"
    try:
        path = ("tool", "mcpgen") if is_pyproject else ()
        before, after = (_get_table(parse_toml(version), path) for version in (text, changed))
    except (ValueError, KeyError):
        return None
    return changed if (after.pop(key, None), after) == (value, before) else None


def add_requirement(text: str, table: tuple[str, ...], requirement: str) -> str | None:
    """Return a pyproject.toml with one more dependency of `project` or Poetry's table; None if that is impossible."""
    lines = text.replace("\r\n", "\n")
    name, versions = re.split(r"(?=[<>=!~])", requirement, maxsplit=1)
    if table == ("project",):
        changed = _add_to_array(lines, json.dumps(requirement))
    else:
        changed = _add_line(lines, (*table, "dependencies"), f"{name} = {json.dumps(versions)}")
    try:
        before, after = parse_toml(lines), parse_toml(changed)
        old: Any = _get_table(before, table).pop("dependencies", [])
        new: Any = _get_table(after, table).pop("dependencies", [])
        added: Any = [*old, requirement] if table == ("project",) else {**old, name: versions}
    except (ValueError, KeyError, TypeError):
        return None
    return changed.replace("\n", "\r\n" if "\r\n" in text else "\n") if (new, after) == (added, before) else None


def _get_table(document: Any, table: tuple[str, ...]) -> Any:
    for key in table:
        document = document[key]
    return document


def _add_to_array(text: str, item: str) -> str:
    table = _find_table(text, ("project",))
    array = None if table is None else _ARRAY.search(text, *table)
    if array is None:
        return _add_line(text, ("project",), f"dependencies = [{item}]")
    strings = [token for token in _TOKEN.finditer(text, *array.span("items")) if token[1]]
    if not strings:
        return f"{text[: array.start('items')]}{item}{text[array.start('items') :]}"
    last = strings[-1].end()
    rest = _REST_OF_LINE.match(text, last, array.end("items"))
    if rest is None:
        return f"{text[:last]}, {item}{text[last:]}"
    line = text[text.rfind("\n", 0, last) + 1 : last]
    indent = line[: len(line) - len(line.lstrip())]
    return f"{text[:last]},{rest['comment']}\n{indent}{item}{rest['comma']}\n{text[rest.end() :]}"


def _add_line(text: str, table: tuple[str, ...], line: str) -> str:
    found = _find_table(text, table)
    if found is None:
        return text
    before = text[: found[1]].rstrip()
    return f"{before}\n{line}{text[len(before) :] or chr(10)}"


def _find_table(text: str, table: tuple[str, ...]) -> tuple[int, int] | None:
    """Return where the lines of a table begin and end, but for those of the tables inside it."""
    name = r"[ \t]*\.[ \t]*".join(table)
    header = re.search(rf"^[ \t]*\[[ \t]*{name}[ \t]*\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
    if header is None:
        return None
    following = _HEADER.search(text, header.end())
    return header.end(), len(text) if following is None else following.start()
