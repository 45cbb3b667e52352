"""Compare the tools of a server with those that a package was generated from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard, cast
from urllib.parse import unquote

from .errors import cut_text, find_difference, follow_pointer, format_pointer, make_visible, parse_pointer
from .schema_keywords import (
    ANNOTATION_KEYWORDS,
    DEFINITION_KEYWORDS,
    SCHEMA_KEYWORDS,
    SCHEMA_MAP_KEYWORDS,
    TYPED_KEYWORDS,
)

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


_SCHEMA_MEMBERS = ("inputSchema", "outputSchema")
_LONGEST_VALUE = 100
"""Characters of a value that a text shows."""
_CONTEXT = 30
"""Characters before the first difference that a text shows of two long values."""
MOST_LISTED = 5
"""Values that a text lists of those that only one side of an `enum` has."""
_SET_KEYWORDS = frozenset({"enum", "required", "type"})
"""Keywords whose lists are compared value by value."""
_Path = tuple[str, ...]
MISSING: Any = object()
"""Stands for the value of a part that only the other side has; `null` is a value."""


class ContractChange(NamedTuple):
    """A part of a contract that a server advertises differently; `MISSING` is the value of a side that lacks it."""

    pointer: str
    before: Any
    after: Any
    is_required: bool = False
    """Whether it is a property that only one side has, and that side requires it."""

    def __str__(self) -> str:
        return make_visible(f"{self.pointer} {self._describe()}")

    def _describe(self) -> str:
        if self.before is MISSING:
            required = ", and required" if self.is_required else ""
            return f"is new on the server{required}: {_cut(_format(self.after), 0)}"
        if self.after is MISSING:
            return f"is missing on the server: {_cut(_format(self.before), 0)}"
        new_values, lost_values = self.compare_lists()
        if parts := [
            *([f"also has {_list_some(new_values)}"] if new_values else []),
            *([f"no longer has {_list_some(lost_values)}"] if lost_values else []),
        ]:
            return f"{', and '.join(parts)} on the server"
        old, new = _format(self.before), _format(self.after)
        start = find_difference(old, new)
        return f"is {_cut(new, start)} on the server, not {_cut(old, start)}"

    def compare_lists(self) -> tuple[list[str], list[str]]:
        """Return the values that only the server has, and those that it lacks, as JSON.

        Both are empty unless the two sides are lists of values, such as an `enum`, that have some in common.
        """
        sides = self.before, self.after
        is_set = self.pointer.rpartition("/")[2] in _SET_KEYWORDS
        is_list = [isinstance(side, list) for side in sides]  # one type may stand for a list of it
        if not is_set or not any(is_list) or not all(isinstance(side, list | str) for side in sides):
            return [], []
        lists: list[list[Any]] = [side if isinstance(side, list) else [side] for side in sides]
        old, new = ([_format(value) for value in values] for values in lists)
        if not set(old) & set(new):
            return [], []
        return [text for text in new if text not in old], [text for text in old if text not in new]

    def covers(self, pointer: str) -> bool:
        """Return whether a pointer leads into the part that has changed.

        A property that only one side has can be declared in `$defs`: its name tells it there.
        """
        path, property_path = f"{pointer}/", f"/{'/'.join(self.pointer.split('/')[-2:])}/"
        is_lone = self.before is MISSING or self.after is MISSING
        is_defined = any(f"/{key}/" in path for key in DEFINITION_KEYWORDS)
        return path.startswith(f"{self.pointer}/") or (
            is_lone and is_defined and property_path.startswith("/properties/") and property_path in path
        )


def list_contract_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[ContractChange]:
    """Return the differences of two contracts in canonical form, sorted by JSON pointer.

    A list of types and an `anyOf` of the same types make no difference. A definition that only one contract has comes
    with the part that refers to it.
    """
    changes: list[ContractChange] = []
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key, MISSING), new.get(key, MISSING)
        if key in _SCHEMA_MEMBERS or not isinstance(before, dict) or not isinstance(after, dict):
            changes += _compare_values(before, after, (key,), is_in_map=True)
        else:
            changes += _compare_members(cast(dict[str, Any], before), cast(dict[str, Any], after), (key,), is_map=True)
    apart = [change for change in changes if not _is_lone_definition(change)]
    return sorted(apart or changes, key=lambda change: change.pointer)


def _is_lone_definition(change: ContractChange) -> bool:
    """Return whether a change is a definition, or all of them, that only one side has."""
    path = change.pointer.split("/")[2:]
    is_lone = change.before is MISSING or change.after is MISSING
    return is_lone and 0 < len(path) <= 2 and path[0] in DEFINITION_KEYWORDS


def _compare_members(
    old: dict[str, Any], new: dict[str, Any], path: _Path, *, is_map: bool
) -> Iterator[ContractChange]:
    """Yield the changes of two objects: schemas, or maps of names to schemas."""
    if not is_map and ("anyOf" in old) != ("anyOf" in new):
        old, new = _join_types(old), _join_types(new)
    if not is_map and old.get("type") != new.get("type") and old.keys() != new.keys():
        # it is another schema, not a changed one
        yield ContractChange(format_pointer(path), old, new)
        return
    lone_properties = _list_lone_properties(old, new)
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key, MISSING), new.get(key, MISSING)
        if key == "required" and not is_map:
            before, after = (_drop_names(schema, lone_properties) for schema in (old, new))
        elif key == "properties" and not is_map:
            yield from _compare_properties(old, new, (*path, key))
            continue
        yield from _compare_values(before, after, (*path, key), is_in_map=is_map)


def _join_types(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with a list of types instead of an `anyOf` of them, if that says the same.

    Only one branch may have keywords besides its types, and then the others are null, to which these do not apply.
    """
    rest = {key: schema[key] for key in schema if key != "anyOf"}
    if not isinstance(schema.get("anyOf"), list) or not schema["anyOf"] or "type" in rest:
        return schema
    branches: list[Any] = schema["anyOf"]
    types: set[str] = set()
    keywords: dict[str, Any] = {}
    for branch in branches:
        if not isinstance(branch, dict) or "type" not in branch:
            return schema
        members = cast(dict[str, Any], branch)
        types.update(_list_types(members))
        bare = {key: value for key, value in members.items() if key != "type"}
        others = [other for other in branches if other is not branch]
        if bare and (others != [{"type": "null"}] or not bare.keys() <= TYPED_KEYWORDS - rest.keys()):
            return schema
        keywords |= bare
    ordered = sorted(types)
    return {**rest, **keywords, "type": ordered if len(ordered) > 1 else ordered[0]}


def _list_types(schema: dict[str, Any]) -> list[str]:
    types: Any = schema["type"]
    return [types] if isinstance(types, str) else list(types)


def _compare_values(old: Any, new: Any, path: _Path, *, is_in_map: bool) -> Iterator[ContractChange]:
    """Yield the changes of two values: schemas below a name, else what their keyword says they are."""
    key = path[-1]
    if _is_same(old, new):
        return
    is_map = not is_in_map and key in SCHEMA_MAP_KEYWORDS
    has_schemas = is_in_map or is_map or key in SCHEMA_KEYWORDS
    if has_schemas and isinstance(old, dict) and isinstance(new, dict):
        members = cast(dict[str, Any], old), cast(dict[str, Any], new)
        yield from _compare_members(*members, path, is_map=is_map)
        return
    if not is_in_map and key in SCHEMA_KEYWORDS and isinstance(old, list) and isinstance(new, list):
        items: tuple[list[Any], list[Any]] = cast(Any, old), cast(Any, new)
        if len(items[0]) == len(items[1]):
            for number, (before, after) in enumerate(zip(*items, strict=True)):
                yield from _compare_values(before, after, (*path, str(number)), is_in_map=True)
            return
    yield ContractChange(format_pointer(path), old, new)


def _compare_properties(old: dict[str, Any], new: dict[str, Any], path: _Path) -> Iterator[ContractChange]:
    """Yield the changes of the properties of two schemas; a lone one is a single change, also if it is required."""
    old_properties, new_properties = _get_properties(old), _get_properties(new)
    for name in sorted(old_properties.keys() | new_properties.keys()):
        before, after = old_properties.get(name, MISSING), new_properties.get(name, MISSING)
        if before is MISSING or after is MISSING:
            is_required = name in _get_required(new if before is MISSING else old)
            yield ContractChange(format_pointer((*path, name)), before, after, is_required)
        else:
            yield from _compare_values(before, after, (*path, name), is_in_map=True)


def _list_lone_properties(old: dict[str, Any], new: dict[str, Any]) -> set[str]:
    """Return the names of the properties that only one of two schemas has."""
    return set(_get_properties(old).keys() ^ _get_properties(new).keys())


def _get_properties(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    return cast(dict[str, Any], properties) if isinstance(properties, dict) else {}


def _get_required(schema: dict[str, Any]) -> list[Any]:
    required: Any = schema.get("required")
    return cast(Any, required) if isinstance(required, list) else []


def _drop_names(schema: dict[str, Any], dropped: set[str]) -> Any:
    """Return the required properties of a schema without some of them; `MISSING` if none is left."""
    return [name for name in _get_required(schema) if name not in dropped] or MISSING


def _is_same(old: Any, new: Any) -> bool:
    """Return whether two values are the same in JSON, where 1 is neither true nor a text."""
    if old is MISSING or new is MISSING:
        return old is new
    return json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)


def _list_some(texts: list[str]) -> str:
    """Return texts as a list, and how many more there are than it names."""
    more = [f"{len(texts) - MOST_LISTED} more"] if len(texts) > MOST_LISTED else []
    return ", ".join([*(_cut(text, 0) for text in texts[:MOST_LISTED]), *more])


def _format(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str, start: int) -> str:
    """Return a text, or if it is long, the part of it around an index."""
    if len(text) <= _LONGEST_VALUE:
        return text
    first = max(0, min(start - _CONTEXT, len(text) - _LONGEST_VALUE))
    last = first + _LONGEST_VALUE
    return f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}"


_CONTRACT_MEMBERS = frozenset(
    {"execution", "inputSchema", "mimeType", "name", "outputSchema", "uri", "uriTemplate", "x-mcpgen"}
)
"""Members of Tools, Resources, ResourceTemplates and Prompts that are their contract, or choices for mcpgen."""
_VALUES = frozenset({"const", "enum"})
"""Keywords whose values contain no schemas."""
_WORDING_CONTEXT = 60
"""Characters that are shown before and after the first difference of two strings."""


class WordingChange(NamedTuple):
    """A part of a definition with different wording; None if it is missing on one side."""

    pointer: str
    before: Any
    after: Any

    def __str__(self) -> str:
        old_excerpt, new_excerpt = _excerpt(_format_wording(self.before), _format_wording(self.after))
        if self.before is None:
            return f"{self.pointer} is new: {new_excerpt}"
        if self.after is None:
            return f"{self.pointer} is gone: {old_excerpt}"
        return f"{self.pointer} was {old_excerpt}, is {new_excerpt}"


def list_wording(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a definition says to models and people, by JSON pointer.

    That is the title, the description, annotations, icons, `_meta` and every other member that is not in the contract.
    In schemas, it is the keywords that do not restrict values: titles, descriptions, defaults, examples and `x-…`.
    Objects are split into their members; an argument of a prompt has its name instead of its index.

    Args:
        definition: a Tool, Resource, ResourceTemplate or Prompt in wire form.
    """
    wording: dict[str, Any] = {}
    for key, value in definition.items():
        if key in ("inputSchema", "outputSchema"):
            wording.update(_find_in_schema(value, (key,)))
        elif key == "arguments" and isinstance(value, list):
            wording.update(_find_in_arguments(cast(list[object], value)))
        elif key not in _CONTRACT_MEMBERS:
            wording.update(_take_apart(value, (key,)))
    return wording


def hash_wording(definition: Mapping[str, Any]) -> str:
    """Return the SHA-256 of everything that a definition says to models and people, including its name, in hex."""
    wording = [definition.get("name"), list_wording(definition)]
    return hashlib.sha256(format_canonical(wording).encode("utf-8", "surrogatepass")).hexdigest()


def list_wording_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[WordingChange]:
    """Return the differences in wording of two definitions, sorted by JSON pointer."""
    old_wording, new_wording = list_wording(old), list_wording(new)
    return [
        WordingChange(pointer, old_wording.get(pointer), new_wording.get(pointer))
        for pointer in sorted(old_wording.keys() | new_wording.keys())
        if format_canonical(old_wording.get(pointer)) != format_canonical(new_wording.get(pointer))
    ]


# --- parts of a definition -------------------------------------------------------------------------------------------
def _find_in_schema(root: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the keywords of a schema and its subschemas that do not restrict values, without recursion."""
    stack: list[tuple[Any, tuple[str, ...]]] = [(root, path)]
    while stack:
        schema, place = stack.pop()
        if isinstance(schema, list):
            items = enumerate(cast(list[object], schema))
            stack += [(item, (*place, str(index))) for index, item in items]
        if not isinstance(schema, dict):
            continue
        for key, value in cast(dict[str, Any], schema).items():
            member_place = (*place, key)
            if key in SCHEMA_MAP_KEYWORDS and isinstance(value, dict):
                named = cast(dict[str, Any], value)
                stack += [(inner, (*member_place, name)) for name, inner in named.items()]
            elif key in NEUTRAL_KEYWORDS or (key.startswith("x-") and key != "x-mcpgen"):
                yield from _take_apart(value, member_place)
            elif key not in _VALUES and key != "x-mcpgen":
                stack.append((value, member_place))


def _find_in_arguments(arguments: list[object]) -> Iterator[tuple[str, Any]]:
    for index, argument in enumerate(arguments):
        if isinstance(argument, dict):
            members = cast(dict[str, Any], argument)
            name = str(members.get("name", index))
            for key, value in members.items():
                if key not in ("name", "required"):
                    yield from _take_apart(value, ("arguments", name, key))


def _take_apart(root: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the members of an object at any depth, or a value that is not an object; null and {} do not count."""
    stack: list[tuple[Any, tuple[str, ...]]] = [(root, path)]
    while stack:
        value, place = stack.pop()
        if isinstance(value, dict):
            members = cast(dict[str, Any], value)
            stack += [(inner, (*place, name)) for name, inner in members.items()]
        elif value is not None:
            yield format_pointer(place), normalize_numbers(value)


# --- text of a change ------------------------------------------------------------------------------------------------
def _format_wording(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _excerpt(before: str, after: str) -> tuple[str, str]:
    """Return both strings in quotes with every character visible, and long ones cut around their first difference."""
    start = find_difference(before, after)
    return _quote(before, start), _quote(after, start)


def _quote(text: str, start: int) -> str:
    first = max(0, start - _WORDING_CONTEXT) if len(text) > 2 * _WORDING_CONTEXT else 0
    last = start + _WORDING_CONTEXT if len(text) > start + _WORDING_CONTEXT else len(text)
    cut = make_visible(text[first:last])
    return f'"{"…" if first else ""}{cut}{"…" if last < len(text) else ""}"'


def describe_changes(changes: Iterable[object], most: int) -> str:
    """Return the changes as one string of at most so many bytes of UTF-8."""
    return cut_text("; ".join(map(str, changes)), most)
