"""Find the definitions of a schema that other schemas may share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from mcpgen.ir.graph import find_strong_components
from mcpgen.ir.package import ShareableDefinition
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.values import Json, format_pointer, hash_json, parse_pointer


def find_shareable(index: SchemaIndex) -> list[ShareableDefinition]:
    """Return the definitions that refer to other definitions only, each with a hash of everything that it reaches.

    Definitions that reach each other are hashed together, and once.
    """
    shareable: list[ShareableDefinition] = []
    for keyword in ("$defs", "definitions"):
        definitions = index.root.get(keyword) if isinstance(index.root, dict) else None
        if not isinstance(definitions, dict):
            continue
        references = {name: _collect_references(index, keyword, name, inner) for name, inner in definitions.items()}
        digests = _hash_definitions(index.dialect, definitions, references)
        for name in definitions:
            if name in digests:
                reached = (name, *(references[name] or ()))
                pointers = frozenset(format_pointer(keyword, other) for other in reached)
                shareable.append(ShareableDefinition(format_pointer(keyword, name), digests[name], pointers))
    return shareable


def _hash_definitions(
    dialect: str, definitions: Mapping[str, Json], references: Mapping[str, set[str] | None]
) -> dict[str, str]:
    """Return the hash of each definition that reaches nothing but definitions."""
    digests: dict[str, str] = {}
    for component in _list_components({name: tuple(others or ()) for name, others in references.items()}):
        outward = {other for name in component for other in references[name] or ()}.difference(component)
        if any(references[name] is None for name in component) or not outward <= digests.keys():
            continue
        content: Json = {
            "dialect": dialect,
            "definitions": {name: definitions[name] for name in component},
            "reached": {name: digests[name] for name in outward},
        }
        digest = hash_json(content)
        digests |= {name: hash_json({"name": name, "content": digest}) for name in component}
    return digests


def _collect_references(index: SchemaIndex, keyword: str, name: str, schema: Json) -> set[str] | None:
    """Return the definitions that a definition refers to, None where it refers to anything else or has an `$id`."""
    names: set[str] = set()
    stack = [(format_pointer(keyword, name), schema)]
    while stack:
        pointer, inner = stack.pop()
        if not isinstance(inner, dict):
            continue
        if "$dynamicRef" in inner or "$id" in inner:
            return None
        ref = inner.get("$ref")
        if isinstance(ref, str):
            target = index.find_target(pointer, ref)
            path = parse_pointer(target) if target is not None else []
            if len(path) != 2 or path[0] != keyword:
                return None
            names.add(path[1])
        for tokens, child in iterate_subschemas(inner, index.dialect):
            stack.append((pointer + format_pointer(*tokens), child))
    return names


def _list_components(graph: Mapping[str, tuple[str, ...]]) -> list[list[str]]:
    """Return the strongly connected components of a graph, each after those that it leads to."""
    components: dict[int, list[str]] = defaultdict(list)
    for name, number in find_strong_components(graph).items():
        components[number].append(name)
    return [components[number] for number in sorted(components, reverse=True)]
