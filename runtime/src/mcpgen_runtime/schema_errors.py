"""Explain why a value violates a schema: the first violations, at bounded cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from heapq import heappop, heappush
from itertools import count, islice
from math import isfinite
from operator import getitem
from typing import Any, NamedTuple, TypeAlias, cast
from urllib.parse import quote, unquote

import jsonschema_rs

from .errors import (
    MOST_PROBLEMS,
    Problem,
    describe_value,
    find_position,
    follow_pointer,
    format_count,
    format_pointer,
    format_short,
)
from .schema_keywords import CUSTOM_KEYWORDS, ONLY_IN_2020_12, ONLY_IN_DRAFT_07, walk_objects

_STEPS, _STEPS_FOR_EACH, _MOST_VALIDATORS = 10_000, 30, 256
"""Budget of parts to check, a minimum and a number for each part of the value; maximum number of cached subschemas."""


class Part(NamedTuple):
    """A part of a value, and the subschema to check it against."""

    pointer: str
    """JSON pointer of the subschema."""
    schema: Any
    value: Any
    path: tuple[str | int, ...]
    """Members and indices that lead to the part."""

    def select(self, *tokens: str | int) -> Part:
        """Return the same part of the value with a nested subschema."""
        schema = reduce(getitem, tokens, self.schema)
        return Part(self.pointer + format_pointer(tokens), schema, self.value, self.path)

    def list_branches(self, keyword: str) -> list[Part]:
        """Return the same part of the value with each schema of a keyword's list."""
        return [self.select(keyword, index) for index in range(len(self.schema[keyword]))]

    def enter(self, key: str | int, *tokens: str | int) -> Part:
        """Return a member or item of the value with a nested subschema."""
        schema = reduce(getitem, tokens, self.schema)
        return Part(self.pointer + format_pointer(tokens), schema, self.value[key], (*self.path, key))

    @property
    def members(self) -> dict[str, Any]:
        """Members of the value, empty if it is not an object."""
        return cast(dict[str, Any], self.value) if isinstance(cast(object, self.value), dict) else {}

    @property
    def items(self) -> Sequence[Any]:
        """Items of the value, empty if it is not an array."""
        return cast(list[Any], self.value) if isinstance(cast(object, self.value), list | tuple) else ()

    @property
    def is_endless(self) -> bool:
        """Whether the value is a number that JSON does not have."""
        return isinstance(self.value, float) and not isfinite(self.value)

    def fail(self, keyword: str, expected: str) -> Problem:
        """Return the problem that the part is not what a keyword requires."""
        return Problem(self.path, keyword, expected, describe_value(self.value))


class Explainer:
    """Finds the violations of one schema, and caches its compiled subschemas."""

    def __init__(
        self,
        schema: dict[str, Any] | bool,
        draft_07: bool,
        compile_schema: Callable[[dict[str, Any], jsonschema_rs.Registry | None], jsonschema_rs.Validator],
    ) -> None:
        """Index the whole schema; `compile_schema` makes a validator of a schema and the registry of its references."""
        self.schema, self.draft_07, self._compile_schema = schema, draft_07, compile_schema
        self.ignored = ONLY_IN_2020_12 if draft_07 else ONLY_IN_DRAFT_07
        """Keywords of the other dialect."""
        identifier = "" if isinstance(schema, bool) else str(schema.get("$id", "")).partition("#")[0]
        self._base = identifier if ":" in identifier else "https://mcpgen.invalid/schema"
        self._registry = jsonschema_rs.Registry(
            [(self._base, schema)], draft=jsonschema_rs.Draft7 if draft_07 else jsonschema_rs.Draft202012
        )
        self.validators: dict[tuple[str, str], jsonschema_rs.Validator] = {}
        """Compiled subschemas and keywords, by JSON pointer and keyword."""
        self._anchors, self._has_one_base = dict[str, str](), True
        self.declared: set[str] = set()
        """Names of all properties that the schema declares somewhere."""
        for path, members in walk_objects(schema):
            if isinstance(members.get("properties"), dict):  # inside data, it may be anything
                self.declared.update(members["properties"])
            for anchor in (members.get("$anchor"), members.get("$dynamicAnchor")):
                if isinstance(anchor, str):
                    self._anchors[anchor] = format_pointer(path)
            if path and isinstance(members.get("$id"), str):
                self._has_one_base = False

    def explain(self, value: Any) -> list[Problem]:
        """Return the first violations, at least one, of a value that violates the schema, in the order of the value."""
        return _Search(self, value).list_problems()

    def find_validator(self, pointer: str, keyword: str = "", schema: Any = None) -> jsonschema_rs.Validator:
        """Return the validator of a subschema, or of a schema that stands for one of its keywords."""
        key = pointer, keyword
        if key not in self.validators:
            if len(self.validators) >= _MOST_VALIDATORS:
                self.validators.clear()
            schema = {"$ref": f"{self._base}#{quote(pointer)}"} if schema is None else schema
            self.validators[key] = self._compile_schema(schema, self._registry)
        return self.validators[key]

    def follow(self, part: Part, keyword: str) -> Part | None:
        """Return the part with the schema that a reference leads to, or None if only the validator can resolve it."""
        ref: object = None if isinstance(part.schema, bool) else part.schema.get(keyword)
        if not isinstance(ref, str) or not ref.startswith("#") or not self._has_one_base:
            return None
        fragment = unquote(ref[1:])
        try:
            pointer = fragment if fragment[:1] in ("", "/") else self._anchors[fragment]
            return part._replace(pointer=pointer, schema=follow_pointer(self.schema, pointer))
        except KeyError:
            return None


_GENERAL = ("schema", "should satisfy the schema")
"""The problem of a part if it is unknown what is wrong there."""


class _Exhausted(Exception):
    """The budget of checks is used up."""


class _Search:
    """Search for the violations of one value."""

    def __init__(self, explainer: Explainer, value: Any) -> None:
        self.explainer = explainer
        self._root = Part("", explainer.schema, value, ())
        self._sizes = _measure_containers(value)
        self._left = _STEPS + _STEPS_FOR_EACH * self._sizes.get(id(value), 1)
        self._member_numbers: dict[int, dict[str | int, int]] = {}

    def list_problems(self) -> list[Problem]:
        problems: dict[Problem, None] = {}
        visited: set[tuple[str, tuple[str | int, ...]]] = set()
        numbers = count()
        # what was found, by its position in the value; the numbers keep the order of the schema
        queue: list[tuple[tuple[int, ...], int, Problem | Part]] = [((), next(numbers), self._root)]
        while queue and len(problems) < MOST_PROBLEMS:
            _, _, item = heappop(queue)
            if isinstance(item, Problem):
                problems[item] = None
            elif (item.pointer, item.path) not in visited:
                visited.add((item.pointer, item.path))
                for found in self._find_violations(item):
                    position = find_position(found.path, self._root.value, self._member_numbers)
                    heappush(queue, (position, next(numbers), found))
        return [*problems] or [self._root.fail(*_GENERAL)]

    def _find_violations(self, part: Part) -> _Findings:
        """Yield the first violations of each keyword, or else what is wrong although no keyword is violated."""
        if isinstance(part.schema, bool):
            yield Problem(part.path, "false schema", "should not be there")
            return
        has_violations = False
        try:
            for keyword in ("$ref",) if self.explainer.draft_07 and "$ref" in part.schema else part.schema:
                if keyword in self.explainer.ignored:
                    continue
                inside = 0
                for item in _VISITORS.get(keyword, _visit_assertion)(self, part, keyword):
                    if isinstance(item, Part) and keyword not in _CHOICES and self.is_valid(item):
                        continue
                    has_violations = True
                    yield item
                    inside += len(item.path) > len(part.path)
                    if inside == MOST_PROBLEMS:  # the others come later in the value
                        break
            if not has_violations:
                yield from self._explain_rest(part)
        except (_Exhausted, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
            # the budget is used up, or only the whole schema can be compiled
            yield part.fail(*_GENERAL)

    def _explain_rest(self, part: Part) -> Iterator[Problem]:
        kinds = {"unevaluatedProperties": "properties", "unevaluatedItems": "items"}
        keyword = next((key for key in kinds if key in part.schema and key not in self.explainer.ignored), "")
        undeclared = part.members.keys() - self.explainer.declared if keyword == "unevaluatedProperties" else ()
        declared = {name: item for name, item in part.members.items() if name not in undeclared}
        if undeclared and self.is_valid(part._replace(value=declared)):
            absent = (name for name in part.members if name in undeclared)
            yield from (Problem((*part.path, name), keyword, "there is no such property") for name in absent)
        elif keyword:
            yield part.fail(keyword, f"should have no {kinds[keyword]} that the schema does not declare")
        else:
            yield part.fail(*_GENERAL)

    def is_valid(self, part: Part, keyword: str = "") -> bool:
        """Return whether a part of the value satisfies its subschema, or one keyword of that."""
        if isinstance(part.schema, bool):
            return part.schema
        self._left -= self._sizes.get(id(part.value), 1)
        if self._left < 0:
            raise _Exhausted
        validator = self.explainer.validators.get((part.pointer, keyword))
        if validator is None:
            schema = {keyword: part.schema[keyword]} if keyword else None
            validator = self.explainer.find_validator(part.pointer, keyword, schema)
        return validator.is_valid(part.value)

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a text matches a regular expression."""
        return self.is_valid(Part(f"/{pattern}", {"pattern": pattern}, text, ()), "pattern")


def _measure_containers(value: Any) -> dict[int, int]:
    """Return the number of values in each array and object, including itself, by id."""
    contents: dict[int, list[Any]] = {}
    todo = [value]
    while todo:
        container = todo.pop()
        if isinstance(container, dict | list | tuple) and id(cast(object, container)) not in contents:
            inner = cast(Any, container)
            contents[id(inner)] = [*(inner.values() if isinstance(container, dict) else inner)]
            todo.extend(contents[id(inner)])
    sizes: dict[int, int] = {}
    for key, items in reversed(contents.items()):
        sizes[key] = 1
        for item in items:
            sizes[key] += sizes.get(id(item), 1)
    return sizes


# --- keywords with subschemas ----------------------------------------------------------------------------------------
_Findings: TypeAlias = Iterable[Problem | Part]
"""Violations, and parts that may violate a subschema. Those at members and items come in the order of the value."""
_Schemas: TypeAlias = list[Any] | dict[str, Any] | bool


def _visit_in_place(search: _Search, part: Part, keyword: str) -> _Findings:
    match keyword:
        case "allOf":
            yield from part.list_branches(keyword)
        case "not":
            if search.is_valid(part.select(keyword)):
                yield part.fail(keyword, "should not match the schema under `not`")
        case "if":
            branch = "then" if search.is_valid(part.select(keyword)) else "else"
            if branch in part.schema:
                yield part.select(branch)
        case _:  # a reference
            target = search.explainer.follow(part, keyword)
            if target is not None:
                yield target


def _visit_alternatives(search: _Search, part: Part, keyword: str) -> _Findings:
    """Yield the only alternative that fits the value's type and constants, or else a general problem."""
    branches = part.list_branches(keyword)
    numbers = (number for number, branch in enumerate(branches, 1) if search.is_valid(branch))
    how_many, most = ("exactly one", 2) if keyword == "oneOf" else ("at least one", 1)
    matching = [*islice(numbers, most)]
    expected = f"should match {how_many} of {len(branches)} alternatives"
    if len(matching) == 2:
        yield Problem(part.path, keyword, f"{expected}, not number {matching[0]} and number {matching[1]} both")
    elif not matching:
        likely = [branch for branch in branches if _fits(search, branch)]
        yield likely[0] if len(likely) == 1 else part.fail(keyword, expected)


def _fits(search: _Search, part: Part) -> bool:
    """Return whether the types and constants of a schema, including its properties' constants, allow a value."""
    for _ in range(10):
        part = search.explainer.follow(part, "$ref") or part
    if isinstance(part.schema, bool):
        return part.schema
    schema: dict[str, Any] = {key: part.schema[key] for key in ("type", "const") if key in part.schema}
    properties: dict[str, Any] = part.schema.get("properties", {})
    constant = [name for name, inner in properties.items() if not isinstance(inner, bool) and "const" in inner]
    schema["properties"] = {name: {"const": properties[name]["const"]} for name in constant}
    validator = search.explainer.find_validator(part.pointer, "fits", schema)
    return validator.is_valid(0.5 if part.is_endless else part.value)


def _visit_dependents(search: _Search, part: Part, keyword: str) -> _Findings:
    for name, dependent in part.schema[keyword].items():
        if name in part.members and not isinstance(dependent, list):
            yield part.select(keyword, name)
        elif name in part.members:
            expected = f"is required where {format_short(name)} is given"
            absent = (required for required in cast(list[str], dependent) if required not in part.members)
            yield from (Problem((*part.path, required), keyword, expected) for required in absent)


def _visit_required(search: _Search, part: Part, keyword: str) -> _Findings:
    for name in part.schema[keyword] if isinstance(cast(object, part.value), dict) else ():
        if name not in part.value:
            yield Problem((*part.path, name), keyword, "is required")


def _visit_members(search: _Search, part: Part, keyword: str) -> _Findings:
    argument, is_closed = part.schema[keyword], part.schema[keyword] is False
    declared, patterns = part.schema.get("properties", {}), part.schema.get("patternProperties", {})
    for name in part.members:
        match keyword:
            case "properties":
                if name in argument:
                    yield part.enter(name, keyword, name)
            case "patternProperties":
                yield from (part.enter(name, keyword, pattern) for pattern in argument if search.matches(pattern, name))
            case "propertyNames":
                if not search.is_valid(part.select(keyword)._replace(value=name)):
                    yield Problem((*part.path, name), keyword, "has a name that is not allowed")
            case _:  # additionalProperties
                if name in declared or any(search.matches(pattern, name) for pattern in patterns):
                    continue
                undeclared = Problem((*part.path, name), keyword, "there is no such property")
                yield undeclared if is_closed else part.enter(name, keyword)


def _visit_items(search: _Search, part: Part, keyword: str) -> _Findings:
    schemas: _Schemas = part.schema[keyword]
    no_items: _Schemas = {} if keyword == "additionalItems" else []
    first: _Schemas = part.schema.get("items" if keyword == "additionalItems" else "prefixItems", no_items)
    start = len(first) if isinstance(first, list) else len(part.items)
    if isinstance(schemas, list):  # for the first items
        for index in range(min(len(schemas), len(part.items))):
            yield part.enter(index, keyword, index)
    elif schemas is not False:
        for index in range(start, len(part.items)):
            yield part.enter(index, keyword)
    elif len(part.items) > start:
        yield part.fail(keyword, f"should have at most {format_count(start, 'item')}")


def _visit_contains(search: _Search, part: Part, keyword: str) -> _Findings:
    if not isinstance(part.value, list | tuple):
        return
    least, most = part.schema.get("minContains", 1), part.schema.get("maxContains")
    count = sum(search.is_valid(part.enter(index, keyword)) for index in range(len(part.items)))
    if count < least:
        yield part.fail(keyword, f"should hold at least {format_count(least, 'item')} of the kind under `contains`")
    elif most is not None and count > most:
        yield part.fail("maxContains", f"should hold at most {format_count(most, 'item')} of the kind under `contains`")


_CHOICES = ("anyOf", "oneOf")
"""Keywords whose parts are known to violate their subschema."""
_VISITORS: dict[str, Callable[[_Search, Part, str], _Findings]] = {
    **dict.fromkeys(("$ref", "$dynamicRef", "allOf", "if", "not"), _visit_in_place),
    **dict.fromkeys(_CHOICES, _visit_alternatives),
    **dict.fromkeys(("properties", "patternProperties", "additionalProperties", "propertyNames"), _visit_members),
    **dict.fromkeys(("dependencies", "dependentRequired", "dependentSchemas"), _visit_dependents),
    "required": _visit_required,
    **dict.fromkeys(("items", "prefixItems", "additionalItems"), _visit_items),
    "contains": _visit_contains,
}


# --- keywords without subschemas -------------------------------------------------------------------------------------
def _visit_assertion(search: _Search, part: Part, keyword: str) -> _Findings:
    assertion = "pattern" if keyword == "x-mcpgen-pattern" else keyword
    custom = CUSTOM_KEYWORDS.get(assertion)
    expect = EXPECTED.get(assertion) if custom is None else custom.expected
    if expect is None or search.is_valid(part, keyword):
        return ()
    words = expect(part.schema[keyword])
    # a model is not shown what else it is
    return [part.fail(assertion, words.replace("a number", "a finite number") if part.is_endless else words)]


_TYPES = {"boolean": "true or false", "null": "null"} | {
    name: f"{'an' if name[0] in 'aio' else 'a'} {name}" for name in ("array", "integer", "number", "object", "string")
}


def _expect_type(types: Any) -> str:
    names = [types] if isinstance(types, str) else cast(list[str], types)
    return f"should be {' or '.join(map(_TYPES.__getitem__, names))}"


def _expect_enum(values: list[Any]) -> str:
    listed = ", ".join(format_short(value) for value in values[:5])
    more = f" or one of {len(values) - 5} more values" if len(values) > 5 else ""
    return f"should be one of {listed}{more}" if len(values) != 1 else f"should be {listed}"


EXPECTED: dict[str, Callable[[Any], str]] = {
    "type": _expect_type,
    "enum": _expect_enum,
    "const": lambda value: f"should be {format_short(value)}",
    "minimum": lambda bound: f"should be at least {format_short(bound)}",
    "maximum": lambda bound: f"should be at most {format_short(bound)}",
    "exclusiveMinimum": lambda bound: f"should be greater than {format_short(bound)}",
    "exclusiveMaximum": lambda bound: f"should be less than {format_short(bound)}",
    "multipleOf": lambda divisor: f"should be a multiple of {format_short(divisor)}",
    "minLength": lambda count: f"should have at least {format_count(count, 'character')}",
    "maxLength": lambda count: f"should have at most {format_count(count, 'character')}",
    "minItems": lambda count: f"should have at least {format_count(count, 'item')}",
    "maxItems": lambda count: f"should have at most {format_count(count, 'item')}",
    "minProperties": lambda count: f"should have at least {format_count(count, 'member')}",
    "maxProperties": lambda count: f"should have at most {format_count(count, 'member')}",
    "uniqueItems": lambda _: "should have no two equal items",
    "pattern": lambda pattern: f"should match the pattern {format_short(pattern)}",
}
"""What each of them requires."""
