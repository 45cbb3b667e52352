"""Canonical text of a tool's contract: Tools with the same text can replace each other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard
from urllib.parse import unquote

from .schema_keywords import ANNOTATION_KEYWORDS, DEFINITION_KEYWORDS, SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS
from .violations import follow_pointer, parse_pointer

NEUTRAL_KEYWORDS = ANNOTATION_KEYWORDS | {"$comment", "discriminator"}
"""Keywords that do not restrict values; `discriminator` is from OpenAPI, and pydantic writes it."""
_APPLIED_MAP_KEYWORDS = SCHEMA_MAP_KEYWORDS - DEFINITION_KEYWORDS
_SCOPE_KEYWORDS = frozenset({"$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef"})
_NEUTRAL_VALUES: dict[str, Any] = {
    **{key: {} for key in ("dependentRequired", "dependentSchemas", "patternProperties", "properties")},
    "required": [],
}
"""Values with which a keyword does not restrict values."""
_DRAFT_07 = "http://json-schema.org/draft-07/schema"
_MAX_SUBSCHEMAS, _MAX_DEPTH = 50_000, 64
"""Limits for replacing references with their targets, in subschemas and levels, so that a small schema does not become
huge."""


def contract(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contract of a Tool in wire form: its name and its schemas in canonical form.

    It omits what callers cannot rely on (titles, descriptions, examples, defaults, `x-…` keywords, hints, `_meta`). It
    normalizes what can be written in several ways: a `$ref` or its target, the order of `required`, `enum` and a list
    of types, 1.0 or 1.
    """
    out: dict[str, Any] = {"name": tool.get("name")}
    for member in ("inputSchema", "outputSchema"):
        if tool.get(member) is not None:
            out[member] = canonical_schema(tool[member])
    return out


def contract_text(tool: Mapping[str, Any]) -> str:
    """Return the contract of a Tool as one line of JSON, the same for all equivalent spellings."""
    return format_canonical(contract(tool))


def contract_hash(tool: Mapping[str, Any]) -> str:
    """Return the SHA-256 of `contract_text`, in hex."""
    return hashlib.sha256(contract_text(tool).encode()).hexdigest()


def comparable_contracts(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two contracts whose differences are at the JSON pointers of the first, and of the second if it lacks them.

    Their circular references keep the names that the first Tool gives them. Equivalent Tools have the same contracts.
    """
    contracts = contract(old), contract(new)
    if format_canonical(contracts[0]) == format_canonical(contracts[1]):
        return contracts
    for member in contracts[0].keys() & contracts[1].keys() - {"name"}:
        schemas = _Canonicalizer(old[member]), _Canonicalizer(new[member])
        refs, new_refs = (schema.list_circular_references() for schema in schemas)
        lone, new_lone = (
            [ref for ref in own if ref not in others] for own, others in ((refs, new_refs), (new_refs, refs))
        )
        renamed = dict(zip(new_lone, lone, strict=True)) if len(lone) == len(new_lone) else {}
        contracts[0][member] = schemas[0].write_named({ref: ref for ref in refs})
        contracts[1][member] = schemas[1].write_named({ref: renamed.get(ref, ref) for ref in new_refs})
    return contracts


def canonical_schema(schema: Any) -> Any:
    """Return the canonical form of a JSON Schema. Circular references become numbered `$defs`."""
    return _Canonicalizer(schema).canonicalize()


class _Canonicalizer:
    """Builds the canonical form of one schema."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._left, self._depth = _MAX_SUBSCHEMAS, 0
        self._draft_07 = _is_object(root) and any(
            draft in str(root.get("$schema")) for draft in ("draft-06", "draft-07")
        )
        self._written: dict[str, str] = {}
        """What is written for the references that remain, in order of occurrence."""
        self._names: Mapping[str, str] = {}
        """What is written instead of `#/$defs/` and a number."""
        targets = _map_references(root)
        self._verbatim = targets is None
        self._circular = _find_circular(targets or {})

    def canonicalize(self) -> Any:
        out, definitions, _ = self._write()
        if not definitions:
            return out
        return {**out, "$defs": {ref.split("/")[-1]: part for ref, part in definitions.items()}}

    def list_circular_references(self) -> list[str]:
        """Return the references that the canonical form keeps, in order of occurrence."""
        self._write()
        return list(self._written)

    def write_named(self, names: Mapping[str, str]) -> Any:
        """Return the canonical form with the definitions where the names of their references say.

        There is none of the root: that is compared anyway.
        """
        self._names, self._written = names, {}
        self._left = _MAX_SUBSCHEMAS
        out, definitions, root = self._write()
        targets = {name: _resolve_reference(self._root, ref) for ref, name in self._written.items()}
        for name in sorted(definitions, key=len):  # a definition before its parts
            if targets[name] is not root:
                _insert(out, unquote(name), definitions[name])
        return out

    def _write(self) -> tuple[Any, dict[str, Any], Any]:
        """Return the canonical form without definitions, these by what is written for references, and the root."""
        root = self._root
        for _ in self._circular:  # the root is always replaced by its target, even in a circle
            if _is_object(root) and _is_bare(root, self._draft_07):
                root = _resolve_reference(self._root, root["$ref"])
        out = self._write_schema(root)
        definitions: dict[str, Any] = {}
        while len(definitions) < len(self._written):
            ref = list(self._written)[len(definitions)]
            definitions[self._written[ref]] = self._write_schema(_resolve_reference(self._root, ref))
        if _is_object(out) and self._draft_07:
            out = {"$schema": _DRAFT_07, **out}
        return out, definitions, root

    def _write_schema(self, schema: Any) -> Any:
        if not _is_object(schema):
            return schema
        self._left -= 1
        self._depth += 1
        members_by_keyword = schema
        if "$ref" in members_by_keyword and not self._verbatim:
            out = self._write_referring(members_by_keyword)
        else:
            members = sorted(members_by_keyword.items())  # in a fixed order, so that the numbers are stable
            out = {
                key: self._write_member(key, argument)
                for key, argument in members
                if not self._is_dropped(key, argument)
            }
        self._depth -= 1
        return True if out == {} else out

    def _is_dropped(self, key: str, value: Any) -> bool:
        if key == "$schema":
            return True
        if key in DEFINITION_KEYWORDS:
            return not self._verbatim
        extension = key.startswith("x-") and not key.startswith("x-mcp-")
        return key in NEUTRAL_KEYWORDS or extension or (key in _NEUTRAL_VALUES and value == _NEUTRAL_VALUES[key])

    def _write_member(self, key: str, value: Any) -> Any:
        if key in SCHEMA_KEYWORDS:
            return [self._write_schema(member) for member in value] if _is_array(value) else self._write_schema(value)
        if _is_object(value) and key in SCHEMA_MAP_KEYWORDS:
            named = sorted(value.items())
            return {
                name: _sort_values(member) if _is_array(member) else self._write_schema(member)
                for name, member in named
            }
        if _is_object(value) and key == "dependentRequired":
            return {name: _sort_values(names) for name, names in value.items()}
        if _is_array(value) and key in ("enum", "required", "type"):
            ordered = _sort_values(value)
            return ordered[0] if key == "type" and len(ordered) == 1 else ordered
        return normalize_numbers(value)

    def _write_referring(self, schema: dict[str, Any]) -> Any:
        """Write a schema with a `$ref`: its target, inside an `allOf` if it has other keywords."""
        target = self._write_target(schema["$ref"])
        rest_schema = self._write_schema({key: value for key, value in schema.items() if key != "$ref"})
        if rest_schema is True or self._draft_07:
            return target
        return {**rest_schema, "allOf": [*rest_schema.get("allOf", ()), target]}

    def _write_target(self, ref: str) -> Any:
        if ref in self._circular or self._left < 0 or self._depth > _MAX_DEPTH:
            name = self._names.get(ref, f"#/$defs/{len(self._written)}")
            return {"$ref": self._written.setdefault(ref, name)}
        return self._write_schema(_resolve_reference(self._root, ref))


# --- references ------------------------------------------------------------------------------------------------------
def _map_references(root: Any) -> dict[str, set[str]] | None:
    """Map each reference to those inside its target; None if not all of them are plain pointers into the schema."""
    references: dict[str, set[str]] = {}
    open_refs, scoped = _find_references(root, True)
    todo = list(open_refs)
    while todo and not scoped:
        ref = todo.pop()
        if ref in references:
            continue
        target = _resolve_reference(root, ref)
        if not isinstance(target, dict | bool):
            return None
        references[ref], scoped = _find_references(target, ref == "#")
        todo.extend(references[ref])
    return None if scoped else references


def _find_references(schema: Any, is_root: bool) -> tuple[set[str], bool]:
    """Return the references outside definitions, and whether a subschema has its own scope."""
    references: set[str] = set()
    scoped = False
    stack = [(schema, is_root)]
    while stack:
        inner, top = stack.pop()
        if _is_object(inner):
            members = inner
            scoped |= any(key in members for key in _SCOPE_KEYWORDS if not (top and key == "$id"))
            if "$ref" in members:
                ref = members["$ref"]
                scoped |= not isinstance(ref, str)
                references.add(str(ref))
            stack.extend((subschema, False) for subschema in _iterate_subschemas(members))
    return references, scoped


def _iterate_subschemas(schema: dict[str, Any]) -> Iterator[Any]:
    for key, value in schema.items():
        if key in SCHEMA_KEYWORDS:
            yield from value if _is_array(value) else (value,)
        elif key in _APPLIED_MAP_KEYWORDS and _is_object(value):
            yield from value.values()


def _find_circular(targets: dict[str, set[str]]) -> set[str]:
    """Return the references in a circle, or on a path between circles."""
    unvisited = set(targets)
    held_by: dict[str, set[str]] = {ref: set() for ref in targets}
    for ref, inner in targets.items():
        for target in inner:
            held_by[target].add(ref)
    for edges, back in ((targets, held_by), (held_by, targets)):
        counts = {ref: len(edges[ref] & unvisited) for ref in unvisited}
        ready = [ref for ref, count in counts.items() if not count]
        while ready:
            ref = ready.pop()
            unvisited.discard(ref)
            for target in back[ref] & unvisited:
                counts[target] -= 1
                if not counts[target]:
                    ready.append(target)
    return unvisited


def _resolve_reference(root: Any, ref: str) -> Any:
    """Return the value at a reference such as `#/$defs/Day`; None if there is none."""
    if not (ref == "#" or ref.startswith("#/")):
        return None
    try:
        return follow_pointer(root, unquote(ref[1:]))
    except KeyError:
        return None


def _insert(schema: dict[str, Any], reference: str, part: Any) -> None:
    """Insert a part of a schema at a reference if the schema has none there."""
    *path, last = parse_pointer(reference)
    holder: Any = schema
    for token in path:
        holder = holder.setdefault(token, {}) if _is_object(holder) else None
    if _is_object(holder):
        holder.setdefault(last, part)


def _is_bare(schema: dict[str, Any], draft_07: bool) -> bool:
    """Return whether only its `$ref` restricts a schema."""
    ignored = NEUTRAL_KEYWORDS | DEFINITION_KEYWORDS | {"$ref", "$schema"}
    return "$ref" in schema and (draft_07 or not any(key not in ignored for key in schema))


# --- values ----------------------------------------------------------------------------------------------------------
def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_array(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def normalize_numbers(value: Any) -> Any:
    """Return a JSON value with integral floats as integers."""
    if _is_object(value):
        return {key: normalize_numbers(inner) for key, inner in value.items()}
    if _is_array(value):
        return [normalize_numbers(inner) for inner in value]
    integral = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if integral else value


def _sort_values(values: list[Any]) -> list[Any]:
    return sorted((normalize_numbers(value) for value in values), key=format_canonical)


def format_canonical(value: Any) -> str:
    """Return a JSON value as one line of text, with sorted members."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
