"""The keywords that apply other schemas: which of those a value fails, when it fails the keyword.

JSON Schema 2020-12 core, sections 10 and 11, and draft-07 validation, section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

from .violations import Problem, excerpt, fits, plural, short


class Part(NamedTuple):
    """A part of a value, and a subschema that is asked about it."""

    pointer: str
    """JSON pointer of the subschema."""
    schema: Any
    value: Any
    path: tuple[str | int, ...]
    """The members and indices that lead to the part."""

    def under(self, *tokens: str) -> Part:
        """Return the same part of the value with a subschema of this one's."""
        schema = self.schema
        for token in tokens:
            schema = schema[int(token) if isinstance(schema, list) else token]
        return self._replace(pointer=self.pointer + pointer_of(tokens), schema=schema)

    def member(self, key: str | int, *tokens: str) -> Part:
        """Return a member or an item of the value with a subschema of this one's."""
        return self.under(*tokens)._replace(value=self.value[key], path=(*self.path, key))

    @property
    def members(self) -> dict[str, Any]:
        """The value's members, none where it is no object."""
        value: object = self.value
        return cast(dict[str, Any], value) if isinstance(value, dict) else {}

    @property
    def items(self) -> Sequence[Any]:
        """The value's items, none where it is no array."""
        value: object = self.value
        return cast(list[Any], value) if isinstance(value, list | tuple) else ()


class Asks(Protocol):
    """What answers whether a part of the value satisfies a subschema."""

    def is_valid(self, part: Part) -> bool:
        """Return whether it does."""
        ...

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a text matches a regular expression."""
        ...

    def target(self, ref: str) -> tuple[str, Any] | None:
        """Return the pointer and the schema that a reference leads to, None where only the validator knows."""
        ...

    def without_undeclared(self, part: Part) -> set[str]:
        """Return the members without which the value is fine, none where they cannot be told."""
        ...


_Found: TypeAlias = Iterator[Problem | Part]
"""Violations, and parts that violate a subschema."""


# --- in place --------------------------------------------------------------------------------------------------------
def _ref(asks: Asks, part: Part, ref: str) -> _Found:
    target = asks.target(ref)
    if target is not None:
        yield from _failing(asks, part._replace(pointer=target[0], schema=target[1]))


def _all_of(asks: Asks, part: Part, schemas: Sequence[Any]) -> _Found:
    yield from _failing(asks, *_branches(part, "allOf", schemas))


def _any_of(asks: Asks, part: Part, schemas: Sequence[Any]) -> _Found:
    branches = _branches(part, "anyOf", schemas)
    if not any(asks.is_valid(branch) for branch in branches):
        yield _no_alternative(asks, part, "anyOf", branches, "at least one")


def _one_of(asks: Asks, part: Part, schemas: Sequence[Any]) -> _Found:
    branches = _branches(part, "oneOf", schemas)
    matching: list[int] = []
    for number, branch in enumerate(branches, 1):
        if asks.is_valid(branch):
            matching.append(number)
        if len(matching) == 2:
            both = f"not number {matching[0]} and number {matching[1]} both"
            expected = f"should match exactly one of {len(branches)} alternatives, {both}"
            yield Problem(part.path, "oneOf", expected)
            return
    if not matching:
        yield _no_alternative(asks, part, "oneOf", branches, "exactly one")


def _no_alternative(
    asks: Asks, part: Part, keyword: str, branches: list[Part], how_many: str
) -> Problem | Part:
    """Return the alternative that alone has the value's type and constants, else that none is matched."""
    likely = [branch for branch in branches if fits(_resolved(asks, branch.schema), branch.value)]
    if len(likely) == 1:
        return likely[0]
    expected = f"should match {how_many} of {len(branches)} alternatives"
    return Problem(part.path, keyword, expected, excerpt(part.value))


def _resolved(asks: Asks, schema: Any) -> Any:
    """Return the schema that a schema refers to."""
    for _ in range(10):
        ref: object = None if isinstance(schema, bool) else schema.get("$ref")
        target = asks.target(ref) if isinstance(ref, str) else None
        if target is None:
            break
        schema = target[1]
    return schema


def _not(asks: Asks, part: Part, schema: Any) -> _Found:
    if asks.is_valid(part.under("not")):
        expected = "should not match the schema under `not`"
        yield Problem(part.path, "not", expected, excerpt(part.value))


def _if(asks: Asks, part: Part, schema: Any) -> _Found:
    keyword = "then" if asks.is_valid(part.under("if")) else "else"
    if keyword in part.schema:
        yield from _failing(asks, part.under(keyword))


def _dependents(keyword: str) -> Callable[[Asks, Part, dict[str, Any]], _Found]:
    """Return what visits `dependentSchemas`, `dependentRequired`, or `dependencies`, which is both."""

    def visit(asks: Asks, part: Part, dependents: dict[str, Any]) -> _Found:
        for name, schema in dependents.items():
            if name not in part.members:
                continue
            if isinstance(schema, list):
                for other in cast(list[str], schema):
                    if other not in part.members:
                        expected = f"is required where {short(name)} is given"
                        yield Problem((*part.path, other), keyword, expected)
            else:
                yield from _failing(asks, part.under(keyword, name))

    return visit


# --- objects ---------------------------------------------------------------------------------------------------------
def _properties(asks: Asks, part: Part, schemas: dict[str, Any]) -> _Found:
    for name in schemas:
        if name in part.members:
            yield from _failing(asks, part.member(name, "properties", name))


def _pattern_properties(asks: Asks, part: Part, schemas: dict[str, Any]) -> _Found:
    for pattern in schemas:
        for name in part.members:
            if asks.matches(pattern, name):
                yield from _failing(asks, part.member(name, "patternProperties", pattern))


def _additional_properties(asks: Asks, part: Part, schema: Any) -> _Found:
    declared = part.schema.get("properties", {})
    patterns = part.schema.get("patternProperties", {})
    for name in part.members:
        if name in declared or any(asks.matches(pattern, name) for pattern in patterns):
            continue
        if schema is False:
            expected = "there is no such property"
            yield Problem((*part.path, name), "additionalProperties", expected)
        else:
            yield from _failing(asks, part.member(name, "additionalProperties"))


def _property_names(asks: Asks, part: Part, schema: Any) -> _Found:
    for name in part.members:
        if not asks.is_valid(part.under("propertyNames")._replace(value=name)):
            yield Problem((*part.path, name), "propertyNames", "has a name that is not allowed")


def unevaluated(asks: Asks, part: Part, keyword: str) -> Iterator[Problem]:
    """Yield the violations of `unevaluatedProperties` or `unevaluatedItems`, where nothing else is violated."""
    undeclared = asks.without_undeclared(part) if keyword == "unevaluatedProperties" else set[str]()
    for name in part.members:
        if name in undeclared:
            yield Problem((*part.path, name), keyword, "there is no such property")
    if not undeclared:
        what = "properties" if keyword == "unevaluatedProperties" else "items"
        expected = f"should have no {what} that the schema does not declare"
        yield Problem(part.path, keyword, expected, excerpt(part.value))


# --- arrays ----------------------------------------------------------------------------------------------------------
def _items(asks: Asks, part: Part, schema: Any) -> _Found:
    if isinstance(schema, list):  # draft-07
        yield from _at_indices(asks, part, "items", cast(Any, schema))
    else:
        yield from _rest(asks, part, "items", len(part.schema.get("prefixItems", ())))


def _prefix_items(asks: Asks, part: Part, schemas: list[Any]) -> _Found:
    yield from _at_indices(asks, part, "prefixItems", schemas)


def _additional_items(asks: Asks, part: Part, schema: Any) -> _Found:
    first = part.schema.get("items")
    if isinstance(first, list):
        yield from _rest(asks, part, "additionalItems", len(cast(Any, first)))


def _at_indices(asks: Asks, part: Part, keyword: str, schemas: list[Any]) -> _Found:
    for index in range(min(len(schemas), len(part.items))):
        yield from _failing(asks, part.member(index, keyword, str(index)))


def _rest(asks: Asks, part: Part, keyword: str, first: int) -> _Found:
    """Visit the items behind the first ones."""
    if part.schema[keyword] is False:
        if len(part.items) > first:
            expected = f"should have at most {plural(first, 'item')}"
            yield Problem(part.path, keyword, expected, excerpt(part.value))
        return
    for index in range(first, len(part.items)):
        yield from _failing(asks, part.member(index, keyword))


def _contains(asks: Asks, part: Part, schema: Any) -> _Found:
    value: object = part.value
    if not isinstance(value, list | tuple):
        return
    least, most = part.schema.get("minContains", 1), part.schema.get("maxContains")
    count = sum(asks.is_valid(part.member(index, "contains")) for index in range(len(part.items)))
    if count < least:
        expected = f"should hold at least {plural(least, 'item')} of the kind under `contains`"
        yield Problem(part.path, "contains", expected, excerpt(part.value))
    elif most is not None and count > most:
        expected = f"should hold at most {plural(most, 'item')} of the kind under `contains`"
        yield Problem(part.path, "maxContains", expected, excerpt(part.value))


# --- parts -----------------------------------------------------------------------------------------------------------
def _branches(part: Part, keyword: str, schemas: Sequence[Any]) -> list[Part]:
    return [part.under(keyword, str(number)) for number in range(len(schemas))]


def _failing(asks: Asks, *parts: Part) -> Iterator[Part]:
    return (part for part in parts if not asks.is_valid(part))


def pointer_of(tokens: Sequence[str]) -> str:
    """Return the JSON pointer (RFC 6901) of some tokens."""
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)


APPLICATORS: dict[str, Callable[[Asks, Part, Any], _Found]] = {
    "$ref": _ref,
    "$dynamicRef": _ref,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "dependentSchemas": _dependents("dependentSchemas"),
    "dependentRequired": _dependents("dependentRequired"),
    "dependencies": _dependents("dependencies"),
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "items": _items,
    "prefixItems": _prefix_items,
    "additionalItems": _additional_items,
    "contains": _contains,
}

__all__ = ["APPLICATORS", "Asks", "Part", "pointer_of", "unevaluated"]
