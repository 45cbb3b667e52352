"""Changes between two contracts, each at a JSON pointer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from .schema_keywords import DEFINITION_KEYWORDS, SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS, TYPED_KEYWORDS
from .violations import find_difference, format_pointer, make_visible

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
