"""Definitions in a built package that are no longer those of the files: the package is stale."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from mcpgen.config.models import ConfiguredPackage
from mcpgen.files.regular_files import read_regular
from mcpgen.plan import MAX_OUTPUT_FILE_SIZE
from mcpgen.read.definitions import Definitions
from mcpgen.schema.values import Json, as_object, canonicalize

_KINDS = {"tool": "tools", "resource": "resources", "prompt": "prompts"}
"""Member of a definition's JSON file → the folder with these files."""


def list_stale_definitions(package: ConfiguredPackage, definitions: Definitions) -> list[str]:
    """Return the titles of definitions that the built package lacks, or has differently, or has besides.

    Nothing is returned for a package that was not built.
    """
    out = package.out
    built = dict(_iterate_built(out))
    if not built:
        return []
    declared = {title: canonicalize(value) for title, value in _iterate_declared(definitions)}
    titles = sorted(built.keys() | declared.keys())
    return [title for title in titles if built.get(title) != declared.get(title)]


def _iterate_declared(definitions: Definitions) -> Iterator[tuple[str, Json]]:
    for tool in definitions.tools:
        yield _make_title("tool", tool.tool), tool.tool
    for resource in definitions.resources:
        yield _make_title("resource", resource.resource), resource.resource
    for prompt in definitions.prompts:
        yield _make_title("prompt", prompt.prompt), prompt.prompt


def _iterate_built(out: Path) -> Iterator[tuple[str, str]]:
    for kind, folder in _KINDS.items():
        for file in sorted((out / folder).glob("*.json")):
            try:
                definition = as_object(as_object(json.loads(read_regular(file, MAX_OUTPUT_FILE_SIZE))).get(kind))
            except (OSError, ValueError, RecursionError):
                continue  # `check` reports it
            if definition:
                yield _make_title(kind, definition), canonicalize(definition)


def _make_title(kind: str, definition: dict[str, Json]) -> str:
    return f'{kind} "{definition.get("uri") or definition.get("uriTemplate") or definition.get("name")}"'
