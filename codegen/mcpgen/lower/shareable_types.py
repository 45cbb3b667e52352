"""Which definitions of a schema others may share: those that speak of nothing outside the definitions."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.ir.package import ShareableDefinition
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.values import Json, format_pointer, hash_json, parse_pointer


def find_shareable(index: SchemaIndex) -> list[ShareableDefinition]:
    """The definitions that speak of nothing outside the definitions, each with a hash of all that it reaches.

    Definitions that reach each other are hashed together, and once, whatever refers to them.
    """
    found: list[ShareableDefinition] = []
    for keyword in ("$defs", "definitions"):
        held = index.root.get(keyword) if isinstance(index.root, dict) else None
        if not isinstance(held, dict):
            continue
        references = {name: _collect_references(index, keyword, name, inner) for name, inner in held.items()}
        known: dict[str, str] = {}
        for circle in find_components({name: tuple(others or ()) for name, others in references.items()}):
            outward = {other for name in circle for other in references[name] or ()}.difference(circle)
            if any(references[name] is None for name in circle) or not outward <= known.keys():
                continue
            content: Json = {
                "dialect": index.dialect,
                "definitions": {name: held[name] for name in circle},
                "reached": {name: known[name] for name in outward},
            }
            made = hash_json(content)
            known |= {name: hash_json({"name": name, "content": made}) for name in circle}
        for name in held:
            if name in known:
                others = frozenset(format_pointer(keyword, other) for other in (name, *(references[name] or ())))
                found.append(ShareableDefinition(format_pointer(keyword, name), known[name], others))
    return found


def _collect_references(index: SchemaIndex, keyword: str, name: str, schema: Json) -> set[str] | None:
    """The definitions that one refers to, None where it speaks of anything else or has a base of its own."""
    found: set[str] = set()
    stack = [(format_pointer(keyword, name), schema)]
    while stack:
        here, inner = stack.pop()
        if not isinstance(inner, dict):
            continue
        if "$dynamicRef" in inner or "$id" in inner:
            return None
        ref = inner.get("$ref")
        if isinstance(ref, str):
            target = index.find_target(here, ref)
            path = parse_pointer(target) if target is not None else []
            if len(path) != 2 or path[0] != keyword:
                return None
            found.add(path[1])
        stack.extend((here + format_pointer(*path), child) for path, child in iterate_subschemas(inner, index.dialect))
    return found


def find_components(graph: Mapping[str, tuple[str, ...]]) -> list[list[str]]:
    """The strongly connected components of a graph, each after those that it leads to (Tarjan's algorithm)."""
    found: list[list[str]] = []
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    held: list[str] = []
    inside: set[str] = set()
    for start in graph:
        path = [] if start in numbers else [(start, iter(graph[start]))]
        if path:
            numbers[start] = lowest[start] = len(numbers)
            held.append(start)
            inside.add(start)
        while path:
            key, rest = path[-1]
            following = next(rest, None)
            if following is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[key])
                if lowest[key] == numbers[key]:
                    circle: list[str] = []
                    while not circle or circle[-1] != key:
                        circle.append(held.pop())
                        inside.discard(circle[-1])
                    found.append(circle)
            elif following not in numbers:
                numbers[following] = lowest[following] = len(numbers)
                held.append(following)
                inside.add(following)
                path.append((following, iter(graph.get(following, ()))))
            elif following in inside:
                lowest[key] = min(lowest[key], numbers[following])
    return found
