"""Identify classes and aliases: in a schema by their places, in all schemas by a hash of their content."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from mcpgen.ir.types import Alias, Node, ObjectClass, Ref, Type
from mcpgen.ir.visitors import find_strong_components, group_components, rebuild_type
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.schema.formats import NO_FORMATS, FormatChoices
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import (
    ANNOTATION_KEYWORDS,
    DEFINITION_KEYWORDS,
    iterate_subschemas,
    map_subschemas,
    walk_subschemas,
)
from mcpgen.schema.values import Json, as_object, follow_pointer, format_pointer, hash_json, parse_pointer

_IGNORED_KEYWORDS = DEFINITION_KEYWORDS | {"$schema", "$comment"}
"""Keywords that neither constrain nor describe a value."""


# --- ids --------------------------------------------------------------------------------------------------------------
def make_node_id(places: Sequence[SchemaPlace], kind: str) -> str:
    """Return the part of an id that follows the side: the kind (`:` for a class, `~` for an alias) and the places."""
    texts = (
        _escape_pointer(place.pointer)
        + "".join(f"!{keyword}" for keyword in sorted(place.without))
        + "".join(f"!{keyword}*" for keyword in sorted(place.merged))
        for place in places
    )
    return kind + "&".join(sorted(texts))


def split_node_id(node_id: str) -> tuple[str, str, str]:
    """Return the side, the kind and the places of an id; raise ValueError if it is none."""
    for index, char in enumerate(node_id):
        if char in ":~":
            return node_id[:index], char, node_id[index + 1 :]
    raise ValueError(node_id)


def list_place_pointers(places: str) -> list[str] | None:
    """Return the pointers of the places of an id, None if keywords of one count as absent or merged."""
    if "!" in places:
        return None
    return [place.replace("%21", "!").replace("%26", "&").replace("%25", "%") for place in places.split("&")]


def _escape_pointer(pointer: str) -> str:
    return pointer.replace("%", "%25").replace("&", "%26").replace("!", "%21")


# --- digests ----------------------------------------------------------------------------------------------------------
class ContentDigests:
    """Hashes of the subschemas of one schema, each including everything that it refers to.

    The names of definitions do not count, unless definitions refer to each other in a circle.
    """

    def __init__(self, index: SchemaIndex, formats: FormatChoices = NO_FORMATS) -> None:
        self._index, self._formats = index, formats
        self._hashes: dict[str, str | None] = {}
        self._targets = {
            pointer: index.find_target(pointer, ref)
            for pointer, schema in walk_subschemas(index.root, index.dialect)
            if isinstance(ref := as_object(schema).get("$ref"), str)
        }
        self._target_hashes: dict[str, str | None] = {}
        self._hash_targets()

    def hash_places(self, places: Sequence[SchemaPlace]) -> str | None:
        """Return the hash of the combined subschemas at some places, without their own titles and other annotations.

        That is None if the content depends on the position in the document.
        """
        contents: list[Json] = []
        for place in places:
            schema = follow_pointer(self._index.root, parse_pointer(place.pointer))
            if isinstance(schema, dict):
                left_out = place.without | ANNOTATION_KEYWORDS
                schema = {keyword: value for keyword, value in schema.items() if keyword not in left_out}
                if isinstance(types := schema.get("type"), list) and "object" in types:
                    schema["type"] = "object"  # null is a member of the union with this class
            content = self._hash_content(place.pointer, schema)
            if content is None:
                return None
            contents.append(content)
        summary: dict[str, Json] = {"dialect": self._index.dialect, "contents": contents}
        if any(place.merged for place in places):  # branches as conditions of a class make another one than as members
            summary["merged"] = [[*sorted(place.merged)] for place in places]
        return hash_json(summary)

    def _hash_targets(self) -> None:
        edges = self._list_edges()
        components = group_components(find_strong_components(edges))
        for number in sorted(components, reverse=True):
            component = components[number]
            if len(component) == 1 and component[0] not in edges[component[0]]:
                self._target_hashes[component[0]] = self._hash_at(component[0])
            else:
                self._target_hashes |= self._hash_circle(component)

    def _list_edges(self) -> dict[str, list[str]]:
        holders = sorted(self._targets)
        edges: dict[str, list[str]] = {}
        for target in dict.fromkeys(target for target in self._targets.values() if target is not None):
            start = bisect_left(holders, target + "/")
            end = bisect_left(holders, target + "0")  # the character after "/"
            inside = [*holders[start:end], *([target] if target in self._targets else [])]
            referred = dict.fromkeys(self._targets[holder] for holder in inside)
            edges[target] = [other for other in referred if other is not None]
        return edges

    def _hash_circle(self, component: Sequence[str]) -> dict[str, str | None]:
        outside, self._hashes = self._hashes, {}
        self._target_hashes |= {target: f"circle {target}" for target in component}
        contents = {target: self._hash_at(target) for target in sorted(component)}
        self._hashes = outside
        if None in contents.values():
            return dict.fromkeys(component)
        content = hash_json({**contents})
        return {target: hash_json([target, content]) for target in component}

    def _hash_at(self, pointer: str) -> str | None:
        if pointer not in self._hashes:
            schema = follow_pointer(self._index.root, parse_pointer(pointer))
            self._hashes[pointer] = self._hash_content(pointer, schema)
        return self._hashes[pointer]

    def _hash_content(self, pointer: str, schema: Json) -> str | None:
        """Return the hash of the schema at a pointer, None if it depends on its position."""
        if not isinstance(schema, dict):
            return hash_json(schema)
        if "$dynamicRef" in schema or "$id" in schema:
            return None
        content: dict[str, Json] = {key: value for key, value in schema.items() if key not in _IGNORED_KEYWORDS}
        if isinstance(content.get("$ref"), str):
            target = self._targets.get(pointer)
            target_hash = None if target is None else self._target_hashes.get(target)
            if target_hash is None or len(content) == 1:
                return target_hash
            content["$ref"] = target_hash
        hashes = {
            path: self._hash_at(pointer + format_pointer(*path))
            for path, _ in iterate_subschemas(content, self._index.dialect)
        }
        if None in hashes.values():
            return None
        content = map_subschemas(content, self._index.dialect, lambda path, _: hashes[path])
        if self._formats.is_native(pointer, str(content.get("format"))):
            content["native"] = True  # another Python type than in a schema that has it as a string
        if isinstance(properties := content.get("properties"), dict):
            content["properties"] = [[name, value] for name, value in properties.items()]  # their order counts
        return hash_json(content)


def describe_structure(node: Node) -> Json:
    """Return the structure of a node without its name, its description and the ids that it refers to."""
    match node:
        case ObjectClass(fields=fields, extra=extra):
            described: list[Json] = [
                [field.wire, _describe_type(field.type), field.presence, field.description, field.default]
                for field in fields
            ]
            return [described, None if extra is None else _describe_type(extra)]
        case Alias(type=type, recursive=recursive):
            return [_describe_type(type), recursive]


def _describe_type(node: Type) -> str:
    return repr(_strip_ids(node))


def _strip_ids(node: Type) -> Type:
    stripped = rebuild_type(node, _strip_ids)
    return Ref("") if isinstance(stripped, Ref) else replace(stripped, alias=None)


def make_digest(content: str | None, node: Node) -> str:
    """Return a hash of a node, given the hash of its places; empty if it has none."""
    return "" if content is None else hash_json([content, describe_structure(node)])
