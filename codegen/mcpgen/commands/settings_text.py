"""Add a key or a requirement to the text of a TOML file; everything else in it stays as it is, comments too."""

from __future__ import annotations

import json
import re
from typing import Any

from mcpgen.config.toml import parse_toml, quote_text

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
    """Return a pyproject.toml with one more requirement in `dependencies` of a table; None if that is not possible.

    The table is `project`, whose dependencies are an array, or Poetry's, whose are a table.
    """
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
