"""What a definition says to models and people: everything except the contract, by JSON pointer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from .schema_keywords import SCHEMA_MAP_KEYWORDS
from .tool_contract import NEUTRAL_KEYWORDS, format_canonical, normalize_numbers
from .violations import cut_text, find_difference, format_pointer, make_visible

_CONTRACT_MEMBERS = frozenset(
    {"execution", "inputSchema", "mimeType", "name", "outputSchema", "uri", "uriTemplate", "x-mcpgen"}
)
"""Members of Tools, Resources, ResourceTemplates and Prompts that are their contract, or choices for mcpgen."""
_VALUES = frozenset({"const", "enum"})
"""Keywords whose values contain no schemas."""
_CONTEXT = 60
"""Characters that are shown before and after the first difference of two strings."""


class WordingChange(NamedTuple):
    """A part of a definition with different wording; None if it is missing on one side."""

    pointer: str
    before: Any
    after: Any

    def __str__(self) -> str:
        old_excerpt, new_excerpt = _excerpt(_format(self.before), _format(self.after))
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
def _format(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _excerpt(before: str, after: str) -> tuple[str, str]:
    """Return both strings in quotes with every character visible, and long ones cut around their first difference."""
    start = find_difference(before, after)
    return _quote(before, start), _quote(after, start)


def _quote(text: str, start: int) -> str:
    first = max(0, start - _CONTEXT) if len(text) > 2 * _CONTEXT else 0
    last = start + _CONTEXT if len(text) > start + _CONTEXT else len(text)
    cut = make_visible(text[first:last])
    return f'"{"…" if first else ""}{cut}{"…" if last < len(text) else ""}"'


def describe_changes(changes: Iterable[object], most: int) -> str:
    """Return the changes as one string of at most so many bytes of UTF-8."""
    return cut_text("; ".join(map(str, changes)), most)
