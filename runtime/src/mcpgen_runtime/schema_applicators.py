"""Keywords that apply subschemas: find the subschemas that a value violates.

JSON Schema 2020-12 core, sections 10 and 11, and draft-07 validation, section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

from .json_pointers import format_pointer
from .violations import (
    Problem,
    describe_value,
    fits,
    format_count,
    format_short,
)


class Part(NamedTuple):
    """A part of a value, and the subschema to check it against."""

    pointer: str
    """JSON pointer of the subschema."""
    schema: Any
    value: Any
    path: tuple[str | int, ...]
    """Members and indices that lead to the part."""

    def select(self, *tokens: str) -> Part:
        """Return the same part of the value with a nested subschema."""
        schema = self.schema
        for token in tokens:
            schema = schema[int(token) if isinstance(schema, list) else token]
        return self._replace(pointer=self.pointer + format_pointer(tokens), schema=schema)

    def enter(self, key: str | int, *tokens: str) -> Part:
        """Return a member or item of the value with a nested subschema."""
        return self.select(*tokens)._replace(value=self.value[key], path=(*self.path, key))

    @property
    def members(self) -> dict[str, Any]:
        """Members of the value, empty if it is not an object."""
        value: object = self.value
        return cast(dict[str, Any], value) if isinstance(value, dict) else {}

    @property
    def items(self) -> Sequence[Any]:
        """Items of the value, empty if it is not an array."""
        value: object = self.value
        return cast(list[Any], value) if isinstance(value, list | tuple) else ()


class Oracle(Protocol):
    """Says whether a part of the value satisfies a subschema."""

    def is_valid(self, part: Part) -> bool:
        """Return whether the part satisfies its subschema."""
        ...

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a string matches a regular expression."""
        ...

    def resolve(self, ref: str) -> tuple[str, Any] | None:
        """Return the pointer and schema that a reference leads to, or None if only the validator can resolve it."""
        ...

    def find_undeclared(self, part: Part) -> set[str]:
        """Return the undeclared members if removing them makes the value valid, or else an empty set."""
        ...


_Findings: TypeAlias = Iterator[Problem | Part]
"""Violations, and parts that violate a subschema. Those at members and items come in the order of the value."""


# --- in place --------------------------------------------------------------------------------------------------------
def _visit_ref(oracle: Oracle, part: Part, ref: str) -> _Findings:
    target = oracle.resolve(ref)
    if target is not None:
        yield from _find_failing(oracle, part._replace(pointer=target[0], schema=target[1]))


def _visit_all_of(oracle: Oracle, part: Part, schemas: Sequence[Any]) -> _Findings:
    yield from _find_failing(oracle, *_make_branches(part, "allOf", schemas))


def _visit_any_of(oracle: Oracle, part: Part, schemas: Sequence[Any]) -> _Findings:
    branches = _make_branches(part, "anyOf", schemas)
    if not any(oracle.is_valid(branch) for branch in branches):
        yield _explain_no_match(oracle, part, "anyOf", branches, "at least one")


def _visit_one_of(oracle: Oracle, part: Part, schemas: Sequence[Any]) -> _Findings:
    branches = _make_branches(part, "oneOf", schemas)
    matching: list[int] = []
    for number, branch in enumerate(branches, 1):
        if oracle.is_valid(branch):
            matching.append(number)
        if len(matching) == 2:
            pair = f"not number {matching[0]} and number {matching[1]} both"
            expected = f"should match exactly one of {len(branches)} alternatives, {pair}"
            yield Problem(part.path, "oneOf", expected)
            return
    if not matching:
        yield _explain_no_match(oracle, part, "oneOf", branches, "exactly one")


def _explain_no_match(oracle: Oracle, part: Part, keyword: str, branches: list[Part], how_many: str) -> Problem | Part:
    """Return the only alternative that fits the value's type and constants, or else a general problem."""
    likely = [branch for branch in branches if fits(_resolve_ref(oracle, branch.schema), branch.value)]
    if len(likely) == 1:
        return likely[0]
    expected = f"should match {how_many} of {len(branches)} alternatives"
    return Problem(part.path, keyword, expected, describe_value(part.value))


def _resolve_ref(oracle: Oracle, schema: Any) -> Any:
    """Return the schema that a schema refers to."""
    for _ in range(10):
        ref: object = None if isinstance(schema, bool) else schema.get("$ref")
        target = oracle.resolve(ref) if isinstance(ref, str) else None
        if target is None:
            break
        schema = target[1]
    return schema


def _visit_not(oracle: Oracle, part: Part, schema: Any) -> _Findings:
    if oracle.is_valid(part.select("not")):
        expected = "should not match the schema under `not`"
        yield Problem(part.path, "not", expected, describe_value(part.value))


def _visit_if(oracle: Oracle, part: Part, schema: Any) -> _Findings:
    keyword = "then" if oracle.is_valid(part.select("if")) else "else"
    if keyword in part.schema:
        yield from _find_failing(oracle, part.select(keyword))


def _make_dependents_visitor(keyword: str) -> Callable[[Oracle, Part, dict[str, Any]], _Findings]:
    """Return the visitor of `dependentSchemas`, `dependentRequired`, or `dependencies`, which is both."""

    def visit(oracle: Oracle, part: Part, dependents: dict[str, Any]) -> _Findings:
        for name, schema in dependents.items():
            if name not in part.members:
                continue
            if isinstance(schema, list):
                for required in cast(list[str], schema):
                    if required not in part.members:
                        expected = f"is required where {format_short(name)} is given"
                        yield Problem((*part.path, required), keyword, expected)
            else:
                yield from _find_failing(oracle, part.select(keyword, name))

    return visit


# --- objects ---------------------------------------------------------------------------------------------------------
def _visit_properties(oracle: Oracle, part: Part, schemas: dict[str, Any]) -> _Findings:
    for name in part.members:
        if name in schemas:
            yield from _find_failing(oracle, part.enter(name, "properties", name))


def _visit_pattern_properties(oracle: Oracle, part: Part, schemas: dict[str, Any]) -> _Findings:
    for name in part.members:
        for pattern in schemas:
            if oracle.matches(pattern, name):
                yield from _find_failing(oracle, part.enter(name, "patternProperties", pattern))


def _visit_additional_properties(oracle: Oracle, part: Part, schema: Any) -> _Findings:
    declared = part.schema.get("properties", {})
    patterns = part.schema.get("patternProperties", {})
    for name in part.members:
        if name in declared or any(oracle.matches(pattern, name) for pattern in patterns):
            continue
        if schema is False:
            expected = "there is no such property"
            yield Problem((*part.path, name), "additionalProperties", expected)
        else:
            yield from _find_failing(oracle, part.enter(name, "additionalProperties"))


def _visit_property_names(oracle: Oracle, part: Part, schema: Any) -> _Findings:
    for name in part.members:
        if not oracle.is_valid(part.select("propertyNames")._replace(value=name)):
            yield Problem((*part.path, name), "propertyNames", "has a name that is not allowed")


def find_unevaluated(oracle: Oracle, part: Part, keyword: str) -> Iterator[Problem]:
    """Yield the violations of `unevaluatedProperties` or `unevaluatedItems` when no other keyword is violated."""
    undeclared = oracle.find_undeclared(part) if keyword == "unevaluatedProperties" else set[str]()
    for name in part.members:
        if name in undeclared:
            yield Problem((*part.path, name), keyword, "there is no such property")
    if not undeclared:
        kind = "properties" if keyword == "unevaluatedProperties" else "items"
        expected = f"should have no {kind} that the schema does not declare"
        yield Problem(part.path, keyword, expected, describe_value(part.value))


# --- arrays ----------------------------------------------------------------------------------------------------------
def _visit_items(oracle: Oracle, part: Part, schema: Any) -> _Findings:
    if isinstance(schema, list):  # draft-07
        yield from _visit_indices(oracle, part, "items", cast(Any, schema))
    else:
        yield from _visit_rest(oracle, part, "items", len(part.schema.get("prefixItems", ())))


def _visit_prefix_items(oracle: Oracle, part: Part, schemas: list[Any]) -> _Findings:
    yield from _visit_indices(oracle, part, "prefixItems", schemas)


def _visit_additional_items(oracle: Oracle, part: Part, schema: Any) -> _Findings:
    first = part.schema.get("items")
    if isinstance(first, list):
        yield from _visit_rest(oracle, part, "additionalItems", len(cast(Any, first)))


def _visit_indices(oracle: Oracle, part: Part, keyword: str, schemas: list[Any]) -> _Findings:
    for index in range(min(len(schemas), len(part.items))):
        yield from _find_failing(oracle, part.enter(index, keyword, str(index)))


def _visit_rest(oracle: Oracle, part: Part, keyword: str, first: int) -> _Findings:
    """Visit the items after the first ones."""
    if part.schema[keyword] is False:
        if len(part.items) > first:
            expected = f"should have at most {format_count(first, 'item')}"
            yield Problem(part.path, keyword, expected, describe_value(part.value))
        return
    for index in range(first, len(part.items)):
        yield from _find_failing(oracle, part.enter(index, keyword))


def _visit_contains(oracle: Oracle, part: Part, schema: Any) -> _Findings:
    value: object = part.value
    if not isinstance(value, list | tuple):
        return
    least, most = part.schema.get("minContains", 1), part.schema.get("maxContains")
    count = sum(oracle.is_valid(part.enter(index, "contains")) for index in range(len(part.items)))
    if count < least:
        expected = f"should hold at least {format_count(least, 'item')} of the kind under `contains`"
        yield Problem(part.path, "contains", expected, describe_value(part.value))
    elif most is not None and count > most:
        expected = f"should hold at most {format_count(most, 'item')} of the kind under `contains`"
        yield Problem(part.path, "maxContains", expected, describe_value(part.value))


# --- parts -----------------------------------------------------------------------------------------------------------
def _make_branches(part: Part, keyword: str, schemas: Sequence[Any]) -> list[Part]:
    return [part.select(keyword, str(number)) for number in range(len(schemas))]


def _find_failing(oracle: Oracle, *parts: Part) -> Iterator[Part]:
    return (part for part in parts if not oracle.is_valid(part))


APPLICATORS: dict[str, Callable[[Oracle, Part, Any], _Findings]] = {
    "$ref": _visit_ref,
    "$dynamicRef": _visit_ref,
    "allOf": _visit_all_of,
    "anyOf": _visit_any_of,
    "oneOf": _visit_one_of,
    "not": _visit_not,
    "if": _visit_if,
    "dependentSchemas": _make_dependents_visitor("dependentSchemas"),
    "dependentRequired": _make_dependents_visitor("dependentRequired"),
    "dependencies": _make_dependents_visitor("dependencies"),
    "properties": _visit_properties,
    "patternProperties": _visit_pattern_properties,
    "additionalProperties": _visit_additional_properties,
    "propertyNames": _visit_property_names,
    "items": _visit_items,
    "prefixItems": _visit_prefix_items,
    "additionalItems": _visit_additional_items,
    "contains": _visit_contains,
}

__all__ = ["APPLICATORS", "Oracle", "Part", "find_unevaluated"]
