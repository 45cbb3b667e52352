"""Render the places of classes' schemas in the definitions of tools and resources."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Literal as OneOf
from typing import TypeAlias

from mcpgen.ir.package import Package
from mcpgen.literals import Literal, make_literal
from mcpgen.lower.identity import list_place_pointers, split_node_id
from mcpgen.names.package_names import PackageNames

Keyword: TypeAlias = OneOf["error", "inputSchema", "outputSchema", "requestedSchema", "schema"]
KEYWORDS: Mapping[str, Keyword] = {
    "error": "error",
    "form": "requestedSchema",
    "input": "inputSchema",
    "output": "outputSchema",
    "resource": "schema",
}
"""Sides with which ids of classes begin, and where the definition has their schemas."""


def render_declared_place(node_id: str, definition: str | None = None) -> Literal | None:
    """Return keywords of a class, None if no schema describes just it; `definition` is a JSON file not beside it."""
    side, kind, places = split_node_id(node_id)
    pointers = list_place_pointers(places)
    if side not in KEYWORDS or kind != ":" or pointers is None:
        return None
    return render_place(KEYWORDS[side], pointers, definition)


def map_declared_places(node_ids: Iterable[str], definition: str | None = None) -> dict[str, Literal]:
    """Return the keywords of those of some classes that have one, by id; `definition` as in the function above."""
    return {key: place for key in node_ids if (place := render_declared_place(key, definition)) is not None}


def render_shared_place(uses: Iterable[tuple[str, str]], modules: Mapping[str, str]) -> Literal | None:
    """Return the keywords of a shared class from the tool with the lowest hash, so that the text seldom changes."""
    ordered = sorted(uses, key=lambda use: hashlib.sha256(use[0].encode()).digest())
    places = (render_declared_place(node_id, f"../tools/{modules[wire]}.json") for wire, node_id in ordered)
    return next((place for place in places if place is not None), None)


def map_shared_places(node_ids: Iterable[str], package: Package, names: PackageNames) -> dict[str, Literal]:
    """Return the keywords of those of some shared classes that have one, by id."""
    modules = {wire: tool.module for wire, tool in names.tools.items()}
    places = {key: render_shared_place(package.shared_uses.get(key, ()), modules) for key in node_ids}
    return {key: place for key, place in places.items() if place is not None}


def render_place(keyword: Keyword, pointers: Iterable[str], definition: str | None = None) -> Literal:
    """Return the keywords of a class that some places in a tool's schema describe together."""
    places = [str(make_literal(f"{keyword}#{pointer}" if pointer else keyword)) for pointer in pointers]
    listed = places[0] if len(places) == 1 else f"({', '.join(places)})"
    text = f"schema={listed}"
    return Literal(text if definition is None else f"{text}, definition={make_literal(definition)}")
