"""Compare the tools of a server with those that a package was generated from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple, TypeGuard
from urllib.parse import unquote

from .core_schemas import ABSENT
from .errors import find_difference, follow_pointer, format_pointer, make_visible, parse_pointer
from .schema_keywords import (
    ANNOTATION_KEYWORDS,
    DEFINITION_KEYWORDS,
    SCHEMA_KEYWORDS,
    SCHEMA_MAP_KEYWORDS,
    TYPED_KEYWORDS,
)

MOST_LISTED = 5
"""Values that a text lists of those that only one side of an `enum` has."""
_SCHEMA_MEMBERS = frozenset({"inputSchema", "outputSchema"})
_NEUTRAL_KEYWORDS = ANNOTATION_KEYWORDS | {"$comment", "discriminator"}
"""Keywords that do not restrict values; `discriminator` is from OpenAPI, and pydantic writes it."""
_NEUTRAL_IF_EMPTY = frozenset({"dependentRequired", "dependentSchemas", "patternProperties", "properties", "required"})
"""Keywords that do not restrict values if they have no members or items."""
_BARE_KEYWORDS = _NEUTRAL_KEYWORDS | DEFINITION_KEYWORDS | {"$ref", "$schema"}
"""Keywords that add nothing to the target of a `$ref`."""
_SCOPE_KEYWORDS = frozenset({"$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef"})
_DRAFT_07 = "http://json-schema.org/draft-07/schema"
_MAX_SUBSCHEMAS, _MAX_DEPTH = 50_000, 64
"""Limits for replacing references with their targets, since a small schema could become huge."""


def contract(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contract of a Tool in wire form: its name and its schemas in canonical form.

    It omits what callers cannot rely on (titles, descriptions, examples, defaults, `x-…` keywords, hints, `_meta`). It
    normalizes what can be written in several ways: a `$ref` or its target, the order of `required`, `enum` and a list
    of types, 1.0 or 1.
    """
    schemas = {member: tool[member] for member in sorted(_SCHEMA_MEMBERS) if tool.get(member) is not None}
    return {"name": tool.get("name")} | {member: canonical_schema(schema) for member, schema in schemas.items()}


def contract_text(tool: Mapping[str, Any]) -> str:
    """Return the contract of a Tool as one line of JSON, the same for all equivalent spellings."""
    return _format_canonical(contract(tool))


def contract_hash(tool: Mapping[str, Any]) -> str:
    """Return the SHA-256 of `contract_text`, in hex."""
    return hashlib.sha256(contract_text(tool).encode()).hexdigest()


def comparable_contracts(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two contracts, the same for equivalent Tools, with differences at the JSON pointers of the first Tool."""
    contracts = contract(old), contract(new)
    if _is_same(*contracts):
        return contracts
    for member in contracts[0].keys() & contracts[1].keys() & _SCHEMA_MEMBERS:
        schemas = _Canonicalizer(old[member]), _Canonicalizer(new[member])
        refs, new_refs = (schema.list_circular_references() for schema in schemas)
        lone, new_lone = [ref for ref in refs if ref not in new_refs], [ref for ref in new_refs if ref not in refs]
        renamed = dict(zip(new_lone, lone, strict=True)) if len(lone) == len(new_lone) else {}
        contracts[0][member], contracts[1][member] = schemas[0].write({}), schemas[1].write(renamed)
    return contracts


def canonical_schema(schema: Any) -> Any:
    """Return the canonical form of a JSON Schema. Circular references become numbered `$defs`."""
    return _Canonicalizer(schema).write()


class _Canonicalizer:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._left, self._depth = _MAX_SUBSCHEMAS, 0
        dialect = str(root.get("$schema")) if _is_object(root) else ""
        self._draft_07 = "draft-06" in dialect or "draft-07" in dialect
        self._names: Mapping[str, str] | None = None
        self._written: dict[str, str] = {}
        """What is written for the references that remain, in order of occurrence."""
        targets = _map_references(root)
        self._verbatim = targets is None
        self._circular = _find_circular(targets or {})

    def list_circular_references(self) -> list[str]:
        """Return the references that the canonical form keeps, in order of occurrence."""
        self.write()
        return [*self._written]

    def write(self, names: Mapping[str, str] | None = None) -> Any:
        """Return the canonical form: its definitions are numbered or, with `names`, where these or references say."""
        self._names, self._written, self._left = names, {}, _MAX_SUBSCHEMAS
        root = self._root
        for _ in self._circular:  # the root is always replaced by its target, even in a circle
            if _is_object(root) and "$ref" in root and (self._draft_07 or root.keys() <= _BARE_KEYWORDS):
                root = _resolve_reference(self._root, root["$ref"])
        out = self._write_schema(root)
        definitions: dict[str, Any] = {}
        while len(definitions) < len(self._written):
            ref = [*self._written][len(definitions)]
            definitions[ref] = self._write_schema(_resolve_reference(self._root, ref))
        if _is_object(out) and self._draft_07:
            out = {"$schema": _DRAFT_07, **out}
        for ref in sorted(definitions, key=lambda ref: len(self._written[ref])):  # a definition before its parts
            if names is None or _resolve_reference(self._root, ref) is not root:  # that is compared anyway
                _insert(out, unquote(self._written[ref]), definitions[ref])
        return out

    def _write_schema(self, schema: Any) -> Any:
        if not _is_object(schema):
            return schema
        self._left -= 1
        self._depth += 1
        if "$ref" in schema and not self._verbatim:
            out = self._write_referring(schema)
        else:
            members = sorted(schema.items())  # in a fixed order, so that the numbers are stable
            out = {key: self._write_member(key, value) for key, value in members if not self._is_dropped(key, value)}
        self._depth -= 1
        return True if out == {} else out

    def _is_dropped(self, key: str, value: Any) -> bool:
        if key in DEFINITION_KEYWORDS:
            return not self._verbatim
        is_extension = key.startswith("x-") and not key.startswith("x-mcp-")
        is_neutral = key in _NEUTRAL_KEYWORDS or (key in _NEUTRAL_IF_EMPTY and value in ({}, []))
        return key == "$schema" or is_extension or is_neutral

    def _write_member(self, key: str, value: Any) -> Any:
        if key in SCHEMA_KEYWORDS:
            return [self._write_schema(member) for member in value] if _is_array(value) else self._write_schema(value)
        if _is_object(value) and (key in SCHEMA_MAP_KEYWORDS or key == "dependentRequired"):
            return {
                name: _sort_values(member) if _is_array(member) else self._write_schema(member)
                for name, member in sorted(value.items())
            }
        if _is_array(value) and key in ("enum", "required", "type"):
            ordered = _sort_values(value)
            return ordered[0] if key == "type" and len(ordered) == 1 else ordered
        return _normalize_numbers(value)

    def _write_referring(self, schema: dict[str, Any]) -> Any:
        ref = schema["$ref"]
        if ref in self._circular or self._left < 0 or self._depth > _MAX_DEPTH:
            name = f"#/$defs/{len(self._written)}" if self._names is None else self._names.get(ref, ref)
            target = {"$ref": self._written.setdefault(ref, name)}
        else:
            target = self._write_schema(_resolve_reference(self._root, ref))
        rest = self._write_schema({key: value for key, value in schema.items() if key != "$ref"})
        if rest is True or self._draft_07:
            return target
        return {**rest, "allOf": [*rest.get("allOf", ()), target]}


# --- references ------------------------------------------------------------------------------------------------------
def _map_references(root: Any) -> dict[str, set[str]] | None:
    """Map `#` and each reference to those in its target; None if one is not a pointer, or a part has its own scope."""
    targets: dict[str, set[str]] = {}
    todo = {"#"}
    while todo:
        ref = todo.pop()
        found = targets[ref] = set[str]()
        stack = [_resolve_reference(root, ref)]
        if not isinstance(stack[0], dict | bool):
            return None
        for schema in filter(_is_object, stack):  # which grows while it is read
            scope = schema.keys() & _SCOPE_KEYWORDS - ({"$id"} if schema is root else set())
            if scope or not isinstance(schema.get("$ref", "#"), str):
                return None
            found |= {schema["$ref"]} if "$ref" in schema else set()
            for key, value in schema.items():
                if key in SCHEMA_KEYWORDS:
                    stack += value if _is_array(value) else [value]
                elif key in SCHEMA_MAP_KEYWORDS - DEFINITION_KEYWORDS and _is_object(value):
                    stack += value.values()
        todo |= found - targets.keys()
    return targets


def _find_circular(targets: dict[str, set[str]]) -> set[str]:
    """Return the references in a circle, or on a path between circles."""
    holders: dict[str, set[str]] = {ref: set() for ref in targets}
    for ref, inner in targets.items():
        for target in inner:
            holders[target].add(ref)
    left = {*targets}
    for edges, back in ((targets, holders), (holders, targets)):
        open_edges = {ref: edges[ref] & left for ref in left}
        ends = [ref for ref in left if not open_edges[ref]]
        for ref in ends:  # which grows while it is read
            left.discard(ref)
            for other in back[ref] & left:
                open_edges[other].discard(ref)
                if not open_edges[other]:
                    ends.append(other)
    return left


def _resolve_reference(root: Any, ref: str) -> Any:
    """Return the value at a reference such as `#/$defs/Day`; None if there is none."""
    with suppress(KeyError):
        return follow_pointer(root, unquote(ref[1:])) if ref == "#" or ref.startswith("#/") else None


def _insert(schema: dict[str, Any], reference: str, part: Any) -> None:
    *path, last = parse_pointer(reference)
    holder: Any = schema
    for token in path:
        holder = holder.setdefault(token, {}) if _is_object(holder) else None
    if _is_object(holder):
        holder.setdefault(last, part)


# --- values ----------------------------------------------------------------------------------------------------------
def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_array(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_same(old: Any, new: Any) -> bool:
    """Return whether two values are the same in JSON, where 1 is neither true nor a text."""
    return old is new or (ABSENT not in (old, new) and _format_canonical(old) == _format_canonical(new))


def _normalize_numbers(value: Any) -> Any:
    if _is_object(value):
        return {key: _normalize_numbers(inner) for key, inner in value.items()}
    if _is_array(value):
        return [_normalize_numbers(inner) for inner in value]
    is_integral = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_integral else value


def _sort_values(values: list[Any]) -> list[Any]:
    return sorted((_normalize_numbers(value) for value in values), key=_format_canonical)


def _format_canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _format(value: Any) -> str:
    return "" if value is ABSENT else json.dumps(value, ensure_ascii=False)


# --- changes ---------------------------------------------------------------------------------------------------------
_Path = tuple[str, ...]
_LONGEST_VALUE, _VALUE_CONTEXT, _WORDING_CONTEXT = 100, 30, 60
"""Characters that a text shows: of a value, before the first difference of two, on each side of one in wording."""


class Change(NamedTuple):
    """A part of a definition that a server advertises differently; `ABSENT` is the value of a side that lacks it."""

    pointer: str
    """JSON pointer into the definition."""
    before: Any
    after: Any
    is_required: bool = False
    """Whether it is a property that only one side has, and that side requires it."""

    def __str__(self) -> str:
        old, new = _format(self.before), _format(self.after)
        new_values, lost_values = self.compare_lists()
        if self.before is ABSENT:
            text = f"is new on the server{', and required' if self.is_required else ''}: {_cut_value(new)}"
        elif self.after is ABSENT:
            text = f"is missing on the server: {_cut_value(old)}"
        elif new_values or lost_values:
            parts = {"also has": new_values, "no longer has": lost_values}
            found = [f"{words} {_list_some(values)}" for words, values in parts.items() if values]
            text = f"{', and '.join(found)} on the server"
        else:
            start = find_difference(old, new)
            text = f"is {_cut_value(new, start)} on the server, not {_cut_value(old, start)}"
        return make_visible(f"{self.pointer} {text}")

    def describe_wording(self) -> str:
        """Return the text of a change in wording, which shows strings as they are."""
        sides = [side if isinstance(side, str) else _format(side) for side in (self.before, self.after)]
        start = find_difference(*sides)
        old, new = (f'"{_cut_wording(side, start)}"' for side in sides)
        if self.before is ABSENT:
            text = f"is new: {new}"
        else:
            text = f"is gone: {old}" if self.after is ABSENT else f"was {old}, is {new}"
        return make_visible(f"{self.pointer} {text}")

    def compare_lists(self) -> tuple[list[str], list[str]]:
        """Return the values, as JSON, that only the server has or lacks, if both lists have some in common."""
        sides = self.before, self.after
        is_set = self.pointer.rpartition("/")[2] in ("enum", "required", "type")
        if not (is_set and any(map(_is_array, sides)) and all(isinstance(side, list | str) for side in sides)):
            return [], []
        # one type may stand for a list of it
        old, new = ([_format(value) for value in (side if _is_array(side) else [side])] for side in sides)
        if not {*old} & {*new}:
            return [], []
        return [text for text in new if text not in old], [text for text in old if text not in new]

    def covers(self, pointer: str) -> bool:
        """Return whether a pointer leads into the part that has changed, or to the same property in `$defs`."""
        path, ending = f"{pointer}/", f"/{'/'.join(self.pointer.split('/')[-2:])}/"
        is_defined = ABSENT in (self.before, self.after) and any(f"/{key}/" in path for key in DEFINITION_KEYWORDS)
        is_property = is_defined and ending.startswith("/properties/") and ending in path
        return is_property or path.startswith(f"{self.pointer}/")

    def is_lone_definition(self) -> bool:
        """Return whether it is a definition, or all of them, that only one side has."""
        path = self.pointer.split("/")[2:]
        return ABSENT in (self.before, self.after) and 0 < len(path) <= 2 and path[0] in DEFINITION_KEYWORDS


def _list_some(texts: list[str]) -> str:
    more = [f"{len(texts) - MOST_LISTED} more"] if len(texts) > MOST_LISTED else []
    return ", ".join([*map(_cut_value, texts[:MOST_LISTED]), *more])


def _cut_value(text: str, start: int = 0) -> str:
    first = max(0, min(start - _VALUE_CONTEXT, len(text) - _LONGEST_VALUE))
    return _cut(text, first, first + _LONGEST_VALUE)


def _cut_wording(text: str, start: int) -> str:
    first = max(0, start - _WORDING_CONTEXT) if len(text) > 2 * _WORDING_CONTEXT else 0
    return _cut(text, first, start + _WORDING_CONTEXT)


def _cut(text: str, first: int, last: int) -> str:
    return f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}"


# --- changes of contracts --------------------------------------------------------------------------------------------
def list_contract_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Return the differences of two contracts in canonical form, sorted by JSON pointer.

    A list of types and an `anyOf` of them are the same. A definition that only one has comes with what refers to it.
    """
    changes: list[Change] = []
    for key in old.keys() | new.keys():
        kind = "schema" if key in _SCHEMA_MEMBERS else "map"
        changes += _compare(old.get(key, ABSENT), new.get(key, ABSENT), (key,), kind)
    apart = [change for change in changes if not change.is_lone_definition()]
    return sorted(apart or changes, key=lambda change: change.pointer)


def _compare(old: Any, new: Any, path: _Path, kind: str) -> Iterator[Change]:
    """Yield the changes of two values: their kind is "schema", "map" of schemas, or as the "keyword" at their end."""
    if _is_same(old, new):
        return
    if kind == "keyword" and path[-1] in SCHEMA_MAP_KEYWORDS:
        kind = "map"
    elif kind == "keyword" and path[-1] in SCHEMA_KEYWORDS:
        kind = "schema"
        if _is_array(old) and _is_array(new) and len(old) == len(new):
            for number, (before, after) in enumerate(zip(old, new, strict=True)):
                yield from _compare(before, after, (*path, str(number)), kind)
            return
    if kind == "keyword" or not _is_object(old) or not _is_object(new):
        yield Change(format_pointer(path), old, new)
    elif kind == "map":
        for name in old.keys() | new.keys():
            yield from _compare(old.get(name, ABSENT), new.get(name, ABSENT), (*path, name), "schema")
    else:
        yield from _compare_schemas(old, new, path)


def _compare_schemas(old: dict[str, Any], new: dict[str, Any], path: _Path) -> Iterator[Change]:
    if ("anyOf" in old) != ("anyOf" in new):
        old, new = _join_types(old), _join_types(new)
    if old.get("type") != new.get("type") and old.keys() != new.keys():
        yield Change(format_pointer(path), old, new)  # it is another schema, not a changed one
        return
    (properties, required), (new_properties, new_required) = _get_properties(old), _get_properties(new)
    lone = properties.keys() ^ new_properties.keys()
    for name in lone:  # a single change, also if it is required
        before, after = properties.get(name, ABSENT), new_properties.get(name, ABSENT)
        is_required = name in (new_required if before is ABSENT else required)
        yield Change(format_pointer((*path, "properties", name)), before, after, is_required)
    for key in old.keys() | new.keys():
        before, after = old.get(key, ABSENT), new.get(key, ABSENT)
        if key == "properties":
            before, after = ({name: side[name] for name in side.keys() - lone} for side in (properties, new_properties))
        elif key == "required":
            sides = required, new_required
            before, after = ([name for name in side if name not in lone] or ABSENT for side in sides)
        yield from _compare(before, after, (*path, key), "keyword")


def _get_properties(schema: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    properties, required = schema.get("properties"), schema.get("required")
    return properties if _is_object(properties) else {}, required if _is_array(required) else []


def _join_types(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with a list of types instead of an `anyOf` of them, if that says the same."""
    rest = {key: schema[key] for key in schema if key != "anyOf"}
    branches: list[Any] = schema.get("anyOf") or []
    if "type" in rest or not all(_is_object(branch) and "type" in branch for branch in branches):
        return schema
    types = [branch["type"] if _is_array(branch["type"]) else [branch["type"]] for branch in branches]
    keywords = {key: value for branch in branches for key, value in branch.items() if key != "type"}
    is_nullable = len(branches) == 2 and {"type": "null"} in branches  # keywords of types do not apply to null
    if keywords and not (is_nullable and keywords.keys() <= TYPED_KEYWORDS - rest.keys()):
        return schema
    names = sorted({*chain(*types)})
    return {**rest, **keywords, "type": names[0] if len(names) == 1 else names} if names else schema


# --- wording ---------------------------------------------------------------------------------------------------------
_CONTRACT_MEMBERS = _SCHEMA_MEMBERS | {"execution", "mimeType", "name", "uri", "uriTemplate", "x-mcpgen"}
"""Members of Tools, Resources, ResourceTemplates and Prompts that are their contract, or choices for mcpgen."""


def list_wording_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Return the differences in wording of two definitions, sorted by JSON pointer."""
    before, after = list_wording(old), list_wording(new)
    pointers = sorted(before.keys() | after.keys())
    changes = [Change(pointer, before.get(pointer, ABSENT), after.get(pointer, ABSENT)) for pointer in pointers]
    return [change for change in changes if not _is_same(change.before, change.after)]


def list_wording(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a definition in wire form says to models and people, by JSON pointer.

    That is every member that is not in the contract and, in schemas, the keywords that do not restrict values. Objects
    are split into their members, null and {} do not count. An argument of a prompt has its name instead of its index.
    """
    wording: dict[str, Any] = {}
    stack: list[tuple[Any, _Path, bool]] = []  # a value, its place, and whether only its neutral keywords are wording
    for key, value in definition.items():
        if key == "arguments" and _is_array(value):
            for argument in filter(_is_object, value):
                said = {member: text for member, text in argument.items() if member not in ("name", "required")}
                stack.append((said, (key, str(argument.get("name"))), False))
        elif key in _SCHEMA_MEMBERS or key not in _CONTRACT_MEMBERS:
            stack.append((value, (key,), key in _SCHEMA_MEMBERS or key == "requestedSchema"))
    while stack:
        value, place, is_schema = stack.pop()
        if is_schema:
            stack += _list_parts(value, place)
        elif _is_object(value):
            stack += [(inner, (*place, name), False) for name, inner in value.items()]
        elif value is not None:
            wording[format_pointer(place)] = _normalize_numbers(value)
    return wording


def _list_parts(schema: Any, place: _Path) -> Iterator[tuple[Any, _Path, bool]]:
    """Yield the members or items of a schema, their places, and whether they are or contain schemas."""
    if _is_array(schema):
        yield from ((item, (*place, str(index)), True) for index, item in enumerate(schema))
    for key, value in schema.items() if _is_object(schema) else ():
        if key in SCHEMA_MAP_KEYWORDS and _is_object(value):
            yield from ((inner, (*place, key, name), True) for name, inner in value.items())
        elif key in _NEUTRAL_KEYWORDS or (key.startswith("x-") and key != "x-mcpgen"):
            yield value, (*place, key), False
        elif key not in ("const", "enum", "x-mcpgen"):
            yield value, (*place, key), True
