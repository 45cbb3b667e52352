"""What a mock answers: the behaviour that rules choose for a call, or a recorded, a declared or a drawn value."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Literal, TypeAlias

from pydantic import ValidationError

from mcpgen.config.models import MockRule
from mcpgen.learn.recordings import RecordedCall
from mcpgen.samples.generator import MIXED_STYLES, ValueGenerator
from mcpgen.schema.document import Schema, SchemaDocument, SubschemaValidators
from mcpgen.schema.values import Json, as_array, as_object, canonicalize

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
        if isinstance(chosen, dict) or (isinstance(chosen, str) and chosen.lstrip().startswith("{")):
            return _read_rule(chosen)
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


def _read_rule(written: Json) -> MockRule:
    try:
        return MockRule.model_validate(json.loads(written) if isinstance(written, str) else written)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise WrongChoice(f"the rule of this request is wrong: {place}: {first['msg']}") from None
    except ValueError as error:
        raise WrongChoice(f"the rule of this request is not JSON: {error}") from None


def _compile(schema: Json) -> SubschemaValidators:
    try:
        return SubschemaValidators(schema)
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
    """Values for requests, always the same for the same request and seed."""

    def __init__(self, recorded: Sequence[RecordedCall], seed: int) -> None:
        self._seed = seed
        self._recorded: dict[str, dict[str, Any]] = {}
        for call in recorded:
            if isinstance(call.result, dict):
                self._recorded[MockedRequest("tool", call.tool, as_object(call.arguments)).key] = call.result
        self._sources: dict[str, tuple[ValueGenerator, list[Json]]] = {}
        """The generator of a schema's values, and its valid examples, by the schema's digest."""

    def find_value(
        self, request: MockedRequest, rule: MockRule | None, schema: Schema | None
    ) -> tuple[Any, Literal["rule", "recorded", "example", "drawn"]] | None:
        """Return what a request is answered with, and what that comes from; None if nothing has a value for it.

        What was `recorded`, last for these arguments, is a CallToolResult. Of several examples of the schema it is the
        one that has most in common with the arguments.
        """
        if rule is not None and "result" in rule.model_fields_set:
            return rule.result, "rule"
        if request.key in self._recorded:
            return self._recorded[request.key], "recorded"
        if schema is None:
            return None
        if schema.digest not in self._sources:
            self._sources[schema.digest] = ValueGenerator(schema.value, schema.dialect), _list_valid_examples(schema)
        generator, examples = self._sources[schema.digest]
        if examples:
            return max(examples, key=partial(_compare, request.arguments)), "example"
        salt = f"{self._seed}/{request.key}"
        return next(((value, "drawn") for value in generator.iterate_examples(MIXED_STYLES, salt)), None)


def _list_valid_examples(schema: Schema) -> list[Json]:
    declared = as_array(as_object(schema.value).get("examples"))[:_MOST_CANDIDATES]
    document = SchemaDocument(schema.value, schema.dialect)
    return [example for example in declared if document.is_valid(document.root, example)]


def _compare(arguments: dict[str, Json], example: Json) -> int:
    """Return how many arguments the example has with the same value, less those that it has with another one."""
    members = as_object(example)
    same = [canonicalize(members[name]) == canonicalize(arguments[name]) for name in members.keys() & arguments.keys()]
    return sum(1 if is_same else -1 for is_same in same)
