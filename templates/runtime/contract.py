"""What a tool promises its callers, as one canonical text: two Tools with the same text can stand in for each other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard
from urllib.parse import unquote

_PROSE = frozenset(
    {
        "$comment",
        "default",
        "deprecated",
        "description",
        "discriminator",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    }
)
"""Keywords that assert nothing; `discriminator` is OpenAPI's, and pydantic writes it."""
_DEFINITIONS = frozenset({"$defs", "definitions"})
_NAMED = frozenset({"dependencies", "dependentSchemas", "patternProperties", "properties"})
"""Keywords whose value maps names to schemas; `_HOLDERS`: is a schema or a list of schemas."""
_HOLDERS = frozenset(
    "additionalItems additionalProperties allOf anyOf contains contentSchema else if items not oneOf prefixItems "
    "propertyNames then unevaluatedItems unevaluatedProperties".split()
)
_SCOPES = frozenset({"$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef"})
_SAY_NOTHING: dict[str, Any] = {
    **dict.fromkeys(
        ("dependentRequired", "dependentSchemas", "patternProperties", "properties"), {}
    ),
    "required": [],
}
"""Keywords that assert nothing when their value is this."""
_DRAFT_07 = "http://json-schema.org/draft-07/schema"
_MOST, _DEEPEST = 50_000, 64
"""Subschemas in all and levels of them that are written out; beyond that references stay references, lest a small
schema becomes a huge text."""


def contract(tool: Mapping[str, Any]) -> dict[str, Any]:
    """The contract of a Tool, given as it is on the wire: its name and its schemas in canonical form.

    Left out is what no caller can hold a tool to (titles, descriptions, examples, defaults, `x-…` keywords, hints,
    `_meta`) and what only is another way to write the same: `$ref` in place of its target, the order of `required`,
    `enum` and a list of types, 1.0 in place of 1.
    """
    out: dict[str, Any] = {"name": tool.get("name")}
    for member in ("inputSchema", "outputSchema"):
        if tool.get(member) is not None:
            out[member] = canonical_schema(tool[member])
    return out


def contract_text(tool: Mapping[str, Any]) -> str:
    """The contract of a Tool as one line of JSON, the same for every way to write it."""
    return _text(contract(tool))


def contract_hash(tool: Mapping[str, Any]) -> str:
    """The SHA-256 of `contract_text`, in hex."""
    return hashlib.sha256(contract_text(tool).encode()).hexdigest()


def canonical_schema(schema: Any) -> Any:
    """A JSON Schema in the form in which contracts are compared. References in a circle are numbered `$defs`."""
    return _Schemas(schema).written()


class _Schemas:
    """The canonical form of one schema."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._left, self._depth = _MOST, 0
        self._draft_07 = _is_object(root) and "draft-07" in str(root.get("$schema"))
        self._numbers: dict[str, str] = {}
        """The references that stay, in the order in which they are met: each with its name in the result."""
        targets = _targets(root)
        self._verbatim = targets is None
        self._circular = _circular(targets or {})

    def written(self) -> Any:
        root = self._root
        for _ in self._circular:  # at the root what is referred to is written out, circle or not
            if _is_object(root) and _is_bare(root, self._draft_07):
                root = _at(self._root, root["$ref"])
        out = self._schema(root)
        definitions: dict[str, Any] = {}
        while len(definitions) < len(self._numbers):
            ref = list(self._numbers)[len(definitions)]
            definitions[self._numbers[ref]] = self._schema(_at(self._root, ref))
        if _is_object(out) and self._draft_07:
            out = {"$schema": _DRAFT_07, **out}
        return {**out, "$defs": definitions} if definitions else out

    def _schema(self, schema: Any) -> Any:
        if not _is_object(schema):
            return schema
        self._left -= 1
        self._depth += 1
        held = schema
        if "$ref" in held and not self._verbatim:
            out = self._referring(held)
        else:
            members = sorted(held.items())  # in one order, for the numbers' sake
            out = {
                key: self._member(key, one) for key, one in members if not self._dropped(key, one)
            }
        self._depth -= 1
        return True if out == {} else out

    def _dropped(self, key: str, value: Any) -> bool:
        if key == "$schema":
            return True
        if key in _DEFINITIONS:
            return not self._verbatim
        extension = key.startswith("x-") and not key.startswith("x-mcp-")
        return key in _PROSE or extension or (key in _SAY_NOTHING and value == _SAY_NOTHING[key])

    def _member(self, key: str, value: Any) -> Any:
        if key in _HOLDERS:
            return [self._schema(one) for one in value] if _is_array(value) else self._schema(value)
        if _is_object(value) and key in _NAMED | _DEFINITIONS:
            named = sorted(value.items())
            return {
                name: _sorted(one) if _is_array(one) else self._schema(one) for name, one in named
            }
        if _is_object(value) and key == "dependentRequired":
            return {name: _sorted(names) for name, names in value.items()}
        if _is_array(value) and key in ("enum", "required", "type"):
            ordered = _sorted(value)
            return ordered[0] if key == "type" and len(ordered) == 1 else ordered
        return _plain(value)

    def _referring(self, schema: dict[str, Any]) -> Any:
        """A schema with a `$ref`: its target, in an `allOf` if there is more that it says."""
        target = self._target(schema["$ref"])
        rest = self._schema({key: value for key, value in schema.items() if key != "$ref"})
        if rest is True or self._draft_07:
            return target
        return {**rest, "allOf": [*rest.get("allOf", ()), target]}

    def _target(self, ref: str) -> Any:
        if ref in self._circular or self._left < 0 or self._depth > _DEEPEST:
            return {"$ref": f"#/$defs/{self._numbers.setdefault(ref, str(len(self._numbers)))}"}
        return self._schema(_at(self._root, ref))


# --- references ------------------------------------------------------------------------------------------------------
def _targets(root: Any) -> dict[str, set[str]] | None:
    """Each reference of a schema with those that its target holds; None: not all of them are plain pointers into it."""
    found: dict[str, set[str]] = {}
    open_refs, scoped = _refs(root, True)
    todo = list(open_refs)
    while todo and not scoped:
        ref = todo.pop()
        if ref in found:
            continue
        target = _at(root, ref)
        if not isinstance(target, dict | bool):
            return None
        found[ref], scoped = _refs(target, ref == "#")
        todo.extend(found[ref])
    return None if scoped else found


def _refs(schema: Any, is_root: bool) -> tuple[set[str], bool]:
    """The references in a schema, definitions apart, and whether any part of it has a scope of its own."""
    found: set[str] = set()
    scoped = False
    stack = [(schema, is_root)]
    while stack:
        inner, top = stack.pop()
        if _is_object(inner):
            held = inner
            scoped |= any(key in held for key in _SCOPES if not (top and key == "$id"))
            if "$ref" in held:
                ref = held["$ref"]
                scoped |= not isinstance(ref, str)
                found.add(str(ref))
            stack.extend((one, False) for one in _subschemas(held))
    return found, scoped


def _subschemas(schema: dict[str, Any]) -> Iterator[Any]:
    for key, value in schema.items():
        if key in _HOLDERS:
            yield from value if _is_array(value) else (value,)
        elif key in _NAMED and _is_object(value):
            yield from value.values()


def _circular(targets: dict[str, set[str]]) -> set[str]:
    """The references in a circle, or on the way from one circle to another."""
    left = set(targets)
    held_by: dict[str, set[str]] = {ref: set() for ref in targets}
    for ref, inner in targets.items():
        for one in inner:
            held_by[one].add(ref)
    for edges, back in ((targets, held_by), (held_by, targets)):
        counts = {ref: len(edges[ref] & left) for ref in left}
        done = [ref for ref, count in counts.items() if not count]
        while done:
            ref = done.pop()
            left.discard(ref)
            for one in back[ref] & left:
                counts[one] -= 1
                if not counts[one]:
                    done.append(one)
    return left


def _at(root: Any, ref: str) -> Any:
    """The value at a reference such as `#/$defs/Day`, None where there is none."""
    if not (ref == "#" or ref.startswith("#/")):
        return None
    value = root
    for token in unquote(ref[1:]).split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if _is_object(value):
            value = value.get(key)
        elif _is_array(value) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _is_bare(schema: dict[str, Any], draft_07: bool) -> bool:
    """Whether a schema says nothing but its `$ref`."""
    ignored = _PROSE | _DEFINITIONS | {"$ref", "$schema"}
    return "$ref" in schema and (draft_07 or not any(key not in ignored for key in schema))


# --- values ----------------------------------------------------------------------------------------------------------
def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_array(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _plain(value: Any) -> Any:
    """A JSON value with integral floats as integers."""
    if _is_object(value):
        return {key: _plain(inner) for key, inner in value.items()}
    if _is_array(value):
        return [_plain(inner) for inner in value]
    integral = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if integral else value


def _sorted(values: list[Any]) -> list[Any]:
    return sorted((_plain(value) for value in values), key=_text)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
