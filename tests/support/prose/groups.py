"""The prose that people read, by where it is: pages, help, settings, generated code, the library, messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from support.prose.texts import (
    Prose,
    list_files,
    read_command_docstrings,
    read_descriptions,
    read_docstrings,
    read_markdown,
    read_strings,
    read_template,
)
from support.repository import ROOT

MADE = "<!-- Made by `python scripts/docs.py`. Do not edit. -->"
"""The line of pages that are written from the code: their text is read where it comes from."""
MADE_TABLE = re.compile(r"<!-- table: .*?<!-- end -->", re.DOTALL)
"""A table of a page that is written from the code."""
HELP_FILES = ["codegen/mcpgen/cli.py", "codegen/mcpgen/commands/*options.py"]
YAML_FILES = ["action.yml", ".pre-commit-hooks.yaml"]
SETTINGS_FILES = ["codegen/mcpgen/config/*.py"]
LIBRARY_FILES = "runtime/src/mcpgen_runtime/**/*.py"
HELP, DESCRIPTIONS = frozenset({"help", "show_default"}), frozenset({"description"})


def _read_files(patterns: list[str], read: Callable[[str, str], Iterator[Prose]]) -> list[Prose]:
    found: list[Prose] = []
    for path in list_files(ROOT, patterns):
        found += read(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    return found


def _read_page(path: str, text: str) -> Iterator[Prose]:
    without_tables = MADE_TABLE.sub(lambda match: "\n" * match[0].count("\n"), text)
    return iter(()) if MADE in text else read_markdown(path, without_tables)


def _read_help(path: str, text: str) -> Iterator[Prose]:
    yield from read_strings(path, text, HELP)
    if Path(path).name == "cli.py":
        yield from read_command_docstrings(path, text)


def _read_messages(path: str, text: str) -> Iterator[Prose]:
    elsewhere = {
        *_list_places([path], lambda name, code: read_strings(name, code, HELP), HELP_FILES),
        *_list_places([path], lambda name, code: read_strings(name, code, DESCRIPTIONS), SETTINGS_FILES),
    }
    return (prose for prose in read_strings(path, text) if (prose.path, prose.line, prose.text) not in elsewhere)


def _list_places(
    paths: list[str], read: Callable[[str, str], Iterator[Prose]], patterns: list[str]
) -> Iterator[tuple[str, int, str]]:
    wanted = {path.relative_to(ROOT).as_posix() for path in list_files(ROOT, patterns)}
    for path in paths:
        if path in wanted:
            for prose in read(path, (ROOT / path).read_text("utf-8")):
                yield prose.path, prose.line, prose.text


def read_groups() -> dict[str, list[Prose]]:
    """Read all prose of the repository, by group."""
    return {
        "readme": _read_files(["README.md"], _read_page),
        "pages": _read_files(["docs/**/*.md", *_TOP_PAGES], _read_page),
        "help": _read_files(HELP_FILES, _read_help) + _read_files(YAML_FILES, read_descriptions),
        "settings": _read_files(SETTINGS_FILES, lambda path, text: read_strings(path, text, DESCRIPTIONS)),
        "library": _read_files([LIBRARY_FILES], read_docstrings),
        "templates": _read_files(["templates/**/*.py.j2", "templates/**/*.pyi.j2"], read_template),
        "explanations": _read_files(["codegen/mcpgen/explanations/*.md"], _read_page),
        "messages": _read_files(["codegen/mcpgen/**/*.py", LIBRARY_FILES], _read_messages),
    }


_TOP_PAGES = ["CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "runtime/README.md"]
