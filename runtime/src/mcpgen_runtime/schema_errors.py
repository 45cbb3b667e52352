"""Explain why a value violates a schema: the first violations, at bounded cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from math import isfinite
from typing import Any, NamedTuple, Protocol, TypeAlias, cast
from urllib.parse import quote, unquote

import jsonschema_rs

from .errors import (
    EXPECTED,
    MOST_PROBLEMS,
    Positions,
    Problem,
    describe_value,
    fits,
    follow_pointer,
    format_count,
    format_pointer,
    format_short,
)
from .schema_keywords import CUSTOM_KEYWORDS, ONLY_IN_2020_12, ONLY_IN_DRAFT_07


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
        pointer = "/".join((self.pointer, *tokens))
        if "~" in pointer or pointer.count("/") != self.pointer.count("/") + len(tokens):
            pointer = self.pointer + format_pointer(tokens)
        return self._replace(pointer=pointer, schema=schema)

    def enter(self, key: str | int, *tokens: str) -> Part:
        """Return a member or item of the value with a nested subschema."""
        pointer, schema, _, path = self.select(*tokens)
        return Part(pointer, schema, self.value[key], (*path, key))

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
        if name in schemas and not oracle.is_valid(inner := part.enter(name, "properties", name)):
            yield inner


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


_STEPS, _STEPS_FOR_EACH = 10_000, 30
"""Budget of parts to check: a minimum, and a number for each part of the value."""
_MOST_VALIDATORS = 256
"""Maximum number of cached subschemas."""
_BASE = "https://mcpgen.invalid/schema"
_ALIASES = {"x-mcpgen-pattern": "pattern"}


class Explainer:
    """Finds the violations of one schema, and caches its compiled subschemas."""

    def __init__(
        self,
        schema: dict[str, Any] | bool,
        draft_07: bool,
        compile_schema: Callable[[dict[str, Any], jsonschema_rs.Registry | None], jsonschema_rs.Validator],
    ) -> None:
        """Index the schema.

        Args:
            schema: the whole schema, as it is compiled for the check.
            draft_07: whether its dialect is draft-07; otherwise it is 2020-12.
            compile_schema: makes a validator of a schema and the registry that resolves its references.
        """
        self.schema, self.draft_07 = schema, draft_07
        self._made_of = compile_schema
        identifier = "" if isinstance(schema, bool) else str(schema.get("$id", "")).partition("#")[0]
        self.base = identifier if ":" in identifier else _BASE
        self._registry = jsonschema_rs.Registry(
            [(self.base, schema)], draft=jsonschema_rs.Draft7 if draft_07 else jsonschema_rs.Draft202012
        )
        self.validators: dict[str, jsonschema_rs.Validator] = {}
        """Compiled subschemas and keywords, by JSON pointer and keyword."""
        self._anchors: dict[str, str] | None = {}
        self.declared: set[str] = set()
        """Names of all properties that the schema declares somewhere."""
        for pointer, members in _walk_objects(schema):
            if isinstance(members.get("properties"), dict):  # inside data, it may be anything
                self.declared.update(members["properties"])
            for keyword in ("$anchor", "$dynamicAnchor"):
                if self._anchors is not None and isinstance(members.get(keyword), str):
                    self._anchors[members[keyword]] = pointer
            if pointer and isinstance(members.get("$id"), str):
                self._anchors = None  # references now have more than one base

    def explain(self, value: Any) -> list[Problem]:
        """Return the first violations, at least one, of a value that violates the schema, in the order of the value."""
        return _Search(self, value).problems()

    def compile(self, key: str, schema: dict[str, Any]) -> jsonschema_rs.Validator:
        """Compile a part of the schema, and keep it under a key."""
        if len(self.validators) >= _MOST_VALIDATORS:
            self.validators.clear()
        self.validators[key] = self._made_of(schema, self._registry)
        return self.validators[key]

    def resolve(self, ref: str) -> tuple[str, Any] | None:
        """Return the pointer and schema that a reference leads to, or None if only the validator can resolve it."""
        if self._anchors is None or not ref.startswith("#"):
            return None
        fragment = unquote(ref[1:])
        pointer = self._anchors.get(fragment) if fragment[:1] not in ("", "/") else fragment
        try:
            return None if pointer is None else (pointer, follow_pointer(self.schema, pointer))
        except KeyError:
            return None


class _Exhausted(Exception):
    """The budget of checks is used up."""


class _Search:
    """Search for the violations of one value."""

    def __init__(self, explainer: Explainer, value: Any) -> None:
        self._explainer, self._value = explainer, value
        self._sizes = _measure_containers(value)
        self._left = _STEPS + _STEPS_FOR_EACH * self._sizes.get(id(value), 1)
        self._positions = Positions(value)
        self._queue: list[tuple[tuple[int, ...], int, Problem | Part]] = []
        """What was found, by its position in the value; the numbers keep the order of the schema."""
        self._numbers = count()
        self.resolve = explainer.resolve

    def problems(self) -> list[Problem]:
        """Return the first violations, in the order of the value."""
        problems: dict[Problem, None] = {}
        visited: set[tuple[str, tuple[str | int, ...]]] = set()
        self._put(Part("", self._explainer.schema, self._value, ()))
        while self._queue and len(problems) < MOST_PROBLEMS:
            _, _, item = heappop(self._queue)
            if isinstance(item, Problem):
                problems[item] = None
            elif (item.pointer, item.path) not in visited:
                visited.add((item.pointer, item.path))
                self._search(item)
        return [*problems] or [_make_general_problem(Part("", None, self._value, ()))]

    def _put(self, item: Problem | Part) -> None:
        heappush(self._queue, (self._positions.find(item.path), next(self._numbers), item))

    def _search(self, part: Part) -> None:
        """Put what violates a subschema in the queue."""
        if isinstance(part.schema, bool):
            self._put(Problem(part.path, "false schema", "should not be there"))
            return
        try:
            if not self._search_keywords(part):
                self._search_rest(part)
        except (_Exhausted, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
            # the budget is used up, or only the whole schema can be compiled
            self._put(_make_general_problem(part))

    def _search_keywords(self, part: Part) -> bool:
        """Put the violations of each keyword in the queue; return whether there are some."""
        schema: dict[str, Any] = part.schema
        has_violations = False
        for keyword in ("$ref",) if self._explainer.draft_07 and "$ref" in schema else schema:
            inside = 0
            for item in self._find_violations(part, keyword, schema[keyword]):
                has_violations = True
                self._put(item)
                inside += len(item.path) > len(part.path)
                if inside == MOST_PROBLEMS:  # the others come later in the value
                    break
        return has_violations

    def _search_rest(self, part: Part) -> None:
        """Put in the queue what is wrong although no other keyword is violated."""
        last = [keyword for keyword in ("unevaluatedProperties", "unevaluatedItems") if keyword in part.schema]
        if not last or self._explainer.draft_07:
            self._put(_make_general_problem(part))
            return
        for problem in find_unevaluated(self, part, last[0]):
            self._put(problem)

    def _find_violations(self, part: Part, keyword: str, argument: Any) -> Iterable[Problem | Part]:
        """Return the violations of a keyword."""
        if keyword in (ONLY_IN_2020_12 if self._explainer.draft_07 else ONLY_IN_DRAFT_07):
            return ()
        if keyword in APPLICATORS:
            return APPLICATORS[keyword](self, part, argument)
        if keyword == "required":
            value: object = part.value
            absent = set(argument).difference(cast(dict[str, Any], value)) if isinstance(value, dict) else ()
            return (Problem((*part.path, name), keyword, "is required") for name in argument if name in absent)
        assertion = _ALIASES.get(keyword, keyword)
        custom = CUSTOM_KEYWORDS.get(assertion)
        expect = EXPECTED.get(assertion) if custom is None else custom.expected
        if expect is None or self.is_valid(part, {keyword: argument}):
            return ()
        words = expect(argument)
        if isinstance(part.value, float) and not isfinite(part.value):  # which a model is not shown
            words = words.replace("a number", "a finite number")
        return [Problem(part.path, assertion, words, describe_value(part.value))]

    # --- the oracle ---------------------------------------------------------------------------------------------------
    def is_valid(self, part: Part, assertion: dict[str, Any] | None = None) -> bool:
        """Return whether a part of the value satisfies a subschema, or one assertion: a keyword with its value."""
        pointer, schema, value, _ = part
        if isinstance(schema, bool):
            return schema
        self._left -= self._sizes.get(id(value), 1)
        if self._left < 0:
            raise _Exhausted
        explainer = self._explainer
        key = f"{pointer} {next(iter(assertion))}" if assertion else pointer
        validator = explainer.validators.get(key)
        if validator is None:
            validator = explainer.compile(key, assertion or {"$ref": f"{explainer.base}#{quote(pointer)}"})
        return validator.is_valid(value)

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a text matches a regular expression."""
        return self.is_valid(Part(f"/{pattern}", {}, text, ()), {"pattern": pattern})

    def find_undeclared(self, part: Part) -> set[str]:
        """Return the undeclared members if removing them makes the value valid, else an empty set."""
        undeclared = part.members.keys() - self._explainer.declared
        declared_members = {name: item for name, item in part.members.items() if name not in undeclared}
        return undeclared if self.is_valid(part._replace(value=declared_members)) else set()


def _make_general_problem(part: Part) -> Problem:
    return Problem(part.path, "schema", "should satisfy the schema", describe_value(part.value))


def _measure_containers(value: Any) -> dict[int, int]:
    """Return the number of values in each array and object, including itself, by id."""
    contents: list[tuple[int, list[Any]]] = []
    sizes: dict[int, int] = {}
    todo = [value]
    while todo:
        container = todo.pop()
        if isinstance(container, dict | list | tuple) and id(cast(object, container)) not in sizes:
            key, inner = id(cast(object, container)), cast(Any, container)
            sizes[key] = 1
            contents.append((key, [*(inner.values() if isinstance(container, dict) else inner)]))
            todo.extend(contents[-1][1])
    for key, items in reversed(contents):
        for item in items:
            sizes[key] += sizes.get(id(item), 1)
    return sizes


# --- inside the schema -----------------------------------------------------------------------------------------------
def _walk_objects(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object in a schema with its JSON pointer. Data is included, which does no harm here."""
    todo: list[tuple[str, Any]] = [("", schema)]
    while todo:
        pointer, inner = todo.pop()
        if isinstance(inner, dict):
            members = cast(dict[str, Any], inner)
            yield pointer, members
            todo.extend((pointer + format_pointer((key,)), item) for key, item in members.items())
        elif isinstance(inner, list):
            items = enumerate(cast(Any, inner))
            todo.extend((f"{pointer}/{index}", item) for index, item in items)
