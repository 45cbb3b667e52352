"""Read tables back: with parsers that others wrote to cells, and by the declared schema from cells to JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

Schema = dict[str, Any]
ABSENT = object()


@dataclass
class Parsed:
    """What a parser found: lines above the table as name and text, and the rows of the table, titles first."""

    lines: list[str]
    rows: list[list[str]]


# --- cells -----------------------------------------------------------------------------------------------------------
def parse_markdown(text: str) -> Parsed:
    """Parse paragraphs and one table; anything else that a parser finds in the text is an error."""
    parsed = Parsed([], [])
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        kind = token.type.removesuffix("_open").removesuffix("_close")
        assert kind in ("paragraph", "table", "thead", "tbody", "tr", "th", "td", "inline"), token
        if token.type == "tr_open":
            parsed.rows.append([])
        elif token.type == "inline" and token.level == 1:
            parsed.lines += read_inline(token).split("\n")
        elif token.type == "inline":
            parsed.rows[-1].append(read_inline(token))
    return parsed


def read_inline(token: Token) -> str:
    """Return the text of a cell or paragraph that has no markup."""
    texts: list[str] = []
    for child in token.children or ():
        assert child.type in ("text", "softbreak"), child
        assert "\n" not in child.content or token.level > 1, child
        texts.append("\n" if child.type == "softbreak" else child.content)
    return "".join(texts)


def parse_separated(text: str, delimiter: str, line_end: str, has_lines: bool) -> Parsed:
    """Parse CSV or TSV, after the lines above it and an empty line."""
    above, table = text.split(line_end * 2, 1) if line_end * 2 in text and has_lines else ("", text)
    reader = csv.reader(io.StringIO(table, newline=""), delimiter=delimiter, strict=True, lineterminator=line_end)
    return Parsed(above.split(line_end) if above else [], [*reader])


# --- values ----------------------------------------------------------------------------------------------------------
def decode_rows(schema: Schema, rows: list[list[str]]) -> list[Any]:
    """Return the objects of rows by the schema of one, titles first."""
    titles = rows[0]
    assert len(set(titles)) == len(titles)
    assert all(len(row) == len(titles) for row in rows), rows
    return [decode_row(schema, dict(zip(titles, row, strict=True))) for row in rows[1:]]


def decode_row(schema: Schema, cells: dict[str, str]) -> Any:
    extras = json.loads(cells.pop("…", "") or "{}")
    tree: dict[str, Any] = {}
    for title, text in cells.items():
        *path, last = split_title(title)
        owner = tree
        for name in path:
            owner = owner.setdefault(name, {})
        owner[last] = text
    out = decode_object(schema, tree, False)
    for title, value in extras.items():
        *path, last = split_title(title)
        owner = out
        for name in path:
            owner = owner[name]
        assert last not in owner
        owner[last] = value
    return out


def split_title(title: str) -> list[str]:
    """Return the names that a title consists of: between dots, or in quotes as in JSON."""
    names: list[str] = []
    while True:
        if title.startswith('"'):
            name, end = json.JSONDecoder().raw_decode(title)
            remainder = title[end:]
        else:
            name, dot, tail = title.partition(".")
            remainder = dot + tail
        names.append(name)
        if not remainder:
            return names
        assert remainder[0] == "."
        title = remainder[1:]


def decode_object(schema: Schema, tree: dict[str, Any], may_miss: bool) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, inner in schema["properties"].items():
        is_nullable, kinds = split_kinds(inner)
        misses = may_miss or is_nullable or name not in schema.get("required", ())
        value: Any
        if isinstance(tree[name], dict):
            texts = set(iterate_texts(tree[name]))
            if misses and texts == {""}:
                value = ABSENT
            elif is_nullable and texts == {"null"}:
                value = None
            else:
                value = decode_object(inner, tree[name], misses)
        else:
            value = decode_cell(tree[name], kinds, misses)
        if value is not ABSENT:
            out[name] = value
    return out


def iterate_texts(tree: dict[str, Any]) -> Iterator[str]:
    for part in tree.values():
        yield from iterate_texts(part) if isinstance(part, dict) else (part,)


def split_kinds(schema: Schema) -> tuple[bool, set[str]]:
    """Return whether null is a value, and the other kinds of values."""
    if "enum" in schema:
        return None in schema["enum"], {"string"}
    kinds = schema.get("type", ["any", "null"])
    kinds = {kinds} if isinstance(kinds, str) else set(kinds)
    return "null" in kinds, kinds - {"null"}


def decode_cell(text: str, kinds: set[str], may_miss: bool) -> Any:
    """Return the value that a cell stands for in a column with these kinds of values."""
    if kinds == {"string"}:
        if not may_miss:
            return text
        return ABSENT if text == "" else None if text == "null" else json.loads(text) if text[0] == '"' else text
    if text == "":
        return ABSENT
    try:
        return json.loads(text, parse_constant=refuse_constant)
    except ValueError:
        return text


def decode_lines(lines: list[str], rows: str) -> dict[str, Any]:
    """Return the properties that stand above a table, but for the name of the one with the rows."""
    out: dict[str, Any] = {}
    for line in lines:
        if line.startswith('"'):
            name, end = json.JSONDecoder().raw_decode(line)
            remainder = line[end:]
        else:
            name, colon, remainder = line.partition(":")
            remainder = colon + remainder
        if name == rows:
            assert remainder == ":"
            continue
        assert remainder.startswith(": ")
        assert name not in out
        out[name] = decode_cell(remainder[2:], {"any"}, True)
    return out


def refuse_constant(name: str) -> Any:
    raise ValueError(name)
