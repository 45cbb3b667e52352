"""What a mock answers: the behaviour that rules choose for a call, or a recorded, a declared or a drawn value."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Literal, TypeAlias

from pydantic import ValidationError

from mcpgen.config.models import MockRule
from mcpgen.learn.recordings import RecordedCall
from mcpgen.read.definitions import Definition, ResourceDefinition, ToolDefinition
from mcpgen.samples.generator import MIXED_STYLES, ValueGenerator
from mcpgen.schema.document import Schema, SubschemaValidators
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, as_array, canonicalize

Kind: TypeAlias = Literal["tool", "resource", "prompt"]
_MOST_CANDIDATES = 200
"""Examples of a schema that are compared with the arguments of a call."""


@dataclass(frozen=True)
class MockedRequest:
    """A call of a tool, a read of a resource, or a request for a prompt."""

    kind: Kind
    name: str
    """The name of the tool or the prompt, or the URI that is read."""
    arguments: dict[str, Json] = field(default_factory=dict[str, Json])
    chosen: Json = None
    """The rule that the request itself chooses: its name, or the rule; None: it chooses none."""

    @property
    def key(self) -> str:
        """A text that differs for each other request."""
        return canonicalize([self.kind, self.name, self.arguments])


class WrongChoice(ValueError):
    """A request chooses a rule that there is not."""


class RuleBook:
    """Rules, the first of which that fits a request says what happens to it; each may be used up.

    Raises ValueError if a condition is not a JSON Schema.
    """

    def __init__(self, rules: Sequence[MockRule]) -> None:
        self._rules = rules
        self._conditions = [None if rule.condition is None else _compile(rule.condition) for rule in rules]
        self._uses = Counter[int]()

    def choose(self, request: MockedRequest) -> MockRule | None:
        """Return the rule for a request, None if there is none; raise `WrongChoice` if it chooses an unknown one."""
        chosen = request.chosen
        if isinstance(chosen, str) and chosen.lstrip().startswith("{"):
            chosen = _parse(chosen)
        if isinstance(chosen, dict):
            try:
                return MockRule.model_validate(chosen)
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(map(str, first["loc"]))
                raise WrongChoice(f"the rule of this request is wrong: {place}: {first['msg']}") from None
        for number, rule in enumerate(self._rules):
            if rule.name == chosen and self._fits(number, rule, request):
                self._uses[number] += 1
                return rule
        if chosen is not None:
            names = sorted({rule.name for rule in self._rules if rule.name})
            raise WrongChoice(f"no rule {chosen!r} fits this request: there is {', '.join(names) or 'none'}")
        return None

    def _fits(self, number: int, rule: MockRule, request: MockedRequest) -> bool:
        patterns = {"tool": rule.tool, "resource": rule.resource, "prompt": rule.prompt}
        pattern = patterns[request.kind]
        if pattern is None and any(patterns.values()):
            return False
        condition = self._conditions[number]
        return (
            (pattern is None or fnmatchcase(request.name, pattern))
            and (rule.times is None or self._uses[number] < rule.times)
            and (rule.arguments is None or _contains(request.arguments, rule.arguments))
            and (condition is None or condition.is_valid("", request.arguments))
        )


def _parse(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except ValueError as error:
        raise WrongChoice(f"the rule of this request is not JSON: {error}") from None
    return value


def _compile(schema: Json) -> SubschemaValidators:
    try:
        return SubschemaValidators(schema, detect_dialect(schema) or DRAFT_2020_12)
    except ValueError as error:
        first_line = str(error).partition("\n")[0]
        raise ValueError(f"its `schema` is not a JSON Schema: {first_line}") from None


def _contains(value: Json, part: Json) -> bool:
    """Return whether a value is equal to another, or is an object with its members."""
    if isinstance(value, dict) and isinstance(part, dict):
        return all(name in value and _contains(value[name], member) for name, member in part.items())
    return canonicalize(value) == canonicalize(part)


# --- values ----------------------------------------------------------------------------------------------------------
class Answers:
    """Values for requests to some definitions, always the same for the same request and seed."""

    def __init__(self, recorded: Sequence[RecordedCall], seed: int) -> None:
        self._seed = seed
        self._recorded: dict[str, dict[str, Any]] = {
            _key_call(call): call.result for call in recorded if isinstance(call.result, dict)
        }
        self._samplers: dict[str, _Sampler] = {}

    def find_recorded(self, request: MockedRequest) -> dict[str, Any] | None:
        """Return the CallToolResult that was recorded last for these arguments; None if there is none."""
        return self._recorded.get(request.key)

    def find_value(self, definition: Definition, request: MockedRequest) -> tuple[Json, str] | None:
        """Return a valid value of the definition's schema, and whether it is an `example` or `drawn`.

        None if it has no schema, or no value of it was found. Of several examples it is the one that has most in common
        with the arguments.
        """
        schema = _find_schema(definition)
        if schema is None:
            return None
        if definition.name not in self._samplers:
            self._samplers[definition.name] = _Sampler(schema)
        sampler = self._samplers[definition.name]
        if (example := sampler.find_example(request.arguments)) is not None:
            return example[0], "example"
        drawn = next(sampler.generator.iterate_examples(MIXED_STYLES, f"{self._seed}/{request.key}"), None)
        return None if drawn is None and not sampler.is_valid(None) else (drawn, "drawn")


def _key_call(call: RecordedCall) -> str:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    return MockedRequest("tool", call.tool, arguments).key


def _find_schema(definition: Definition) -> Schema | None:
    match definition:
        case ToolDefinition():
            return definition.output
        case ResourceDefinition():
            return definition.payload
        case _:
            return None


class _Sampler:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.generator = ValueGenerator(schema.value, schema.dialect)

    @cached_property
    def _validators(self) -> SubschemaValidators:
        return SubschemaValidators(self._schema.value, self._schema.dialect)

    def is_valid(self, value: Json) -> bool:
        return self._validators.is_valid("", value)

    @cached_property
    def _examples(self) -> list[Json]:
        root = self._schema.value
        declared = as_array(root.get("examples"))[:_MOST_CANDIDATES] if isinstance(root, dict) else []
        return [example for example in declared if self.is_valid(example)]

    def find_example(self, arguments: dict[str, Json]) -> list[Json] | None:
        """Return the declared example that fits the arguments best, alone in a list."""
        if not self._examples:
            return None
        return [max(self._examples, key=lambda example: sum(_list_agreements(example, arguments)))]


def _list_agreements(example: Json, arguments: dict[str, Json]) -> Iterator[int]:
    """Yield 1 for each argument whose value the example has under the same name, and -1 for one that differs."""
    if isinstance(example, dict):
        for name in example.keys() & arguments.keys():
            yield 1 if canonicalize(example[name]) == canonicalize(arguments[name]) else -1
