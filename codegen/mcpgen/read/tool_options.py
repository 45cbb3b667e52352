"""The options of a tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mcpgen.diagnostics import Span
from mcpgen.read.document import SourceDocument
from mcpgen.schema.keywords import map_subschemas
from mcpgen.schema.values import Json, format_pointer

OPTIONS_KEY = "x-mcpgen"


PULLED_FOLDER = "pulled"
"""The folder, within an input folder, that belongs to `mcpgen pull`."""


@dataclass(frozen=True)
class InputFile:
    """A file to read: where its input folder is, and its name in headers (stable on every machine)."""

    path: Path
    root: Path
    origin: str


def make_locator(document: SourceDocument, base: str) -> Callable[[tuple[str | int, ...], bool], Span]:
    """The place of a member's value, or of its name, by the way to it from a pointer."""

    def place(loc: tuple[str | int, ...], name: bool) -> Span:
        if name:
            return document.make_span(base + format_pointer(*loc[:-1]), str(loc[-1]))
        return document.make_span(base + format_pointer(*loc))

    return place


def is_pulled(file: InputFile) -> bool:
    """Whether a file is in the folder that belongs to `mcpgen pull`."""
    return PULLED_FOLDER in (file.root.name, file.path.relative_to(file.root).parts[0])


def is_class_name(value: Json) -> bool:
    """Return whether a value can be the name of a class."""
    return isinstance(value, str) and value.isascii() and value.isidentifier() and value[0].isupper()


def strip_options(schema: Json, dialect: str) -> Json:
    """Return a schema without the options of mcpgen that stand in it."""
    if not isinstance(schema, dict):
        return schema
    own = {key: value for key, value in schema.items() if key != OPTIONS_KEY}
    return map_subschemas(own, dialect, lambda _, inner: strip_options(inner, dialect))
