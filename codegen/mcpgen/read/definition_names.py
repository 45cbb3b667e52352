"""Choose names for the definitions that a compound document copies, and name files relative to the input folder."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TypeAlias

from mcpgen.files.definition_files import get_stem
from mcpgen.files.project_paths import resolve_path
from mcpgen.paths import format_relative_path
from mcpgen.read.reachable import ReachableSchemas
from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.values import parse_pointer

DefinitionKey: TypeAlias = tuple[Path, str]
"""File and pointer of a definition."""


class RelativePaths:
    """Paths relative to the input folder, so that what is made of them is the same on every machine."""

    def __init__(self, root: Path) -> None:
        self._root = resolve_path(root)
        self._relative: dict[Path, str] = {}

    def get(self, path: Path) -> str:
        """Return a file's path relative to the input folder."""
        if path not in self._relative:
            self._relative[path] = format_relative_path(resolve_path(path), self._root)
        return self._relative[path]


def get_definitions_keyword(dialect: str) -> str:
    """Return the keyword for definitions in a dialect."""
    return "definitions" if dialect == DRAFT_07 else "$defs"


def choose_definition_names(reach: ReachableSchemas, paths: RelativePaths) -> dict[DefinitionKey, str]:
    """Return a name for each definition to add, independent of the order of references.

    A name that several definitions have, or the schema itself, is followed by the name of the file.
    """
    home = reach.home.root
    definitions = home.get(get_definitions_keyword(reach.dialect)) if isinstance(home, dict) else None
    used = set(definitions) if isinstance(definitions, dict) else set[str]()
    keys = [*reach.copied, *((path, "") for path in reach.embedded)]
    preferred = {
        (path, pointer): parse_pointer(pointer)[-1] if pointer else get_stem(path.name) for path, pointer in keys
    }
    claims = Counter(preferred.values())
    names: dict[DefinitionKey, str] = {}
    for key in sorted(preferred, key=lambda key: (paths.get(key[0]), key[1])):
        name = preferred[key]
        stem = name if claims[name] == 1 and name not in used else f"{name}_{get_stem(key[0].name)}"
        name, count = stem, 2
        while name in used:
            name, count = f"{stem}_{count}", count + 1
        used.add(name)
        names[key] = name
    return names
