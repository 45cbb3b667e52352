"""Search for a counterexample: a value that is valid under the producer's schema and invalid under the consumer's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

import jsonschema_rs

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.samples.generator import ValueGenerator
from mcpgen.samples.mutator import shrink_value
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS, KEYWORD_TABLE, Role
from mcpgen.schema.values import Json, follow_pointer, parse_pointer

_COMPOUND_KEYWORDS = CONDITIONAL_KEYWORDS | {"contains", "propertyNames"}
"""Keywords that the validator names for a violation somewhere inside their subschemas."""
_KINDS_OF_MISSING_PROPERTY = frozenset({GapKind.REQUIRED, GapKind.UNDECLARED})
_KINDS_OF_ONE_PROPERTY = _KINDS_OF_MISSING_PROPERTY | {GapKind.EXTRA, GapKind.UNTYPED}
"""Kinds of gaps that concern only the property that they name."""
ENOUGH_WITNESSES = 4
"""Witnesses of a gap to choose the most readable from."""
LEAST_WORK = 8_000_000
"""Characters of schemas that may be drawn from for all gaps of one schema."""
WORK_PER_CHARACTER = 100
"""For large schemas: how many values may be drawn from the whole schema."""
CHECKS_PER_DRAW = 10
"""Values that are validated in the time in which one is drawn."""


@dataclass(frozen=True)
class Violation:
    """Place in a value, and the keyword that the value violates there."""

    path: tuple[str, ...]
    keyword: str
    names: tuple[str, ...] = ()
    """The properties that are missing, or that the keyword refuses, if it says which."""


def list_violations(view: SchemaView, value: Json) -> list[Violation]:
    """Return the violations of a value by a whole schema; none if the value cannot be validated."""
    violations: list[Violation] = []
    for error in view.list_errors(value):
        keywords = [str(token) for token in error.schema_path]
        path = tuple(str(token) for token in error.instance_path)
        violations.append(Violation(path, keywords[-1] if keywords else "", _list_names(error.kind)))
    return violations


def _list_names(kind: jsonschema_rs.ValidationErrorKind) -> tuple[str, ...]:
    match kind:
        case jsonschema_rs.ValidationErrorKind.Required(property=name):
            return (name,)
        case (
            jsonschema_rs.ValidationErrorKind.AdditionalProperties(unexpected=names)
            | jsonschema_rs.ValidationErrorKind.UnevaluatedProperties(unexpected=names)
        ):
            return tuple(names)
        case _:
            return ()


@dataclass(frozen=True)
class Witness:
    """Value that is valid under the producer's schema and invalid under the consumer's."""

    value: Json


class WitnessSearch:
    """Deterministic search for witnesses between two documents, with a budget for all its calls together."""

    def __init__(self, producer: SchemaView, consumer: SchemaView) -> None:
        self._producer, self._consumer = producer, consumer
        self.size = len(json.dumps(producer.schema))
        self._budget = max(LEAST_WORK, WORK_PER_CHARACTER * self.size)
        self._has_formats = '"format"' in json.dumps(producer.schema)
        self._formats = SchemaView(producer.schema, producer.dialect, asserts_formats=True)

    def is_witness(self, value: Json) -> bool:
        """Return whether a value is valid under the producer's schema and invalid under the consumer's."""
        is_sent = self._producer.is_valid(self._producer.root, value) is True
        return is_sent and self._consumer.is_valid(self._consumer.root, value) is False

    def find_for_gap(self, gap: Gap, tries: int) -> Witness | None:
        """Return a small witness of a gap, if possible of it only, among `tries` values for each way to aim at it."""
        view = self._producer
        drawn: list[tuple[int, Json]] = []
        aims = (
            _require_at_root(_constrain_root(view, _require_others(gap)), self._consumer, gap),
            _constrain_root(view, gap),
            _add_constraint(view.schema, parse_pointer(gap.producer_pointer), gap.witness_schema, view.draft_07),
        )
        for schema in aims:
            if self._budget < 0:
                break
            pure = 0
            for value in self._draw_values(schema, tries):
                others = self._count_other_violations(gap, value)
                if others is not None:
                    drawn.append((others, value))
                    pure += not others
                if pure == ENOUGH_WITNESSES:
                    break
            if pure:
                break
        if not drawn:
            return None
        others, value = min(
            drawn, key=lambda entry: (entry[0], not self._follows_formats(entry[1]), *_rank_readability(entry[1]))
        )
        return Witness(self._shrink_for_gap(gap, value, others))

    def _count_other_violations(self, gap: Gap, value: Json) -> int | None:
        """Return how many violations of the consumer's schema belong to other gaps, None if none is of this one."""
        if not self.is_witness(value):
            return None
        violations = list_violations(self._consumer, value)
        others = sum(not _is_violation_of(gap, violation) for violation in violations)
        return None if others == len(violations) else others

    def _shrink_for_gap(self, gap: Gap, value: Json, fewest: int) -> Json:
        """Shrink a witness of a gap without adding violations of other gaps; it loses those that are not needed."""

        def is_as_clear(candidate: Json) -> bool:
            nonlocal fewest
            others = self._count_other_violations(gap, candidate)
            if others is None or others > fewest:
                return False
            fewest = others
            return True

        return self._shrink(value, is_as_clear)

    def find_anywhere(self, tries: int) -> Witness | None:
        """Return a witness of any gap, among up to `tries` values that are drawn and mutated."""
        random = Random(0)
        generators = (
            ValueGenerator(self._producer.schema, self._producer.dialect),
            ValueGenerator(self._consumer.schema, self._consumer.dialect),
        )
        for index, drawn in enumerate(self._draw_values(self._producer.schema, tries)):
            value = drawn if index % 3 == 0 else generators[index % 2].mutate_value(drawn, random)
            if self.is_witness(value):
                return Witness(self._shrink(value, self.is_witness))
        return None

    def _shrink(self, value: Json, still_fails: Callable[[Json], bool]) -> Json:
        cost = self.size // CHECKS_PER_DRAW
        keeps_formats = self._follows_formats(value)
        return shrink_value(
            value,
            lambda candidate: (
                self._spend(cost) and (not keeps_formats or self._follows_formats(candidate)) and still_fails(candidate)
            ),
        )

    def _follows_formats(self, value: Json) -> bool:
        """Return whether strings follow the producer's formats: else `native` types refuse a witness."""
        return not self._has_formats or self._formats.is_valid(self._formats.root, value) is not False

    def _draw_values(self, schema: Json, tries: int) -> Iterator[Json]:
        if not self._spend(self.size):  # a generator reads the whole schema
            return
        generator = ValueGenerator(schema, self._producer.dialect)
        for index in range(tries):
            if not self._spend(self.size):
                return
            yield generator.draw_value(Random(index))

    def _spend(self, characters: int) -> bool:
        self._budget -= characters
        return self._budget >= 0


def _rank_readability(value: Json) -> tuple[bool, int]:
    text = json.dumps(value, ensure_ascii=False)
    return not (text.isascii() and "\\" not in text), len(text)


def _is_violation_of(gap: Gap, violation: Violation) -> bool:
    """Return whether a violation belongs to a gap: at the same path, by the same keyword as far as it is known."""
    if not all(step in (WILDCARD, token) for step, token in zip(gap.path, violation.path, strict=False)):
        return False
    is_compound = violation.keyword in _COMPOUND_KEYWORDS
    if len(violation.path) < len(gap.path):
        return is_compound
    if len(violation.path) > len(gap.path):
        return _is_violation_inside(gap, violation.path[len(gap.path)])
    if gap.kind in _KINDS_OF_ONE_PROPERTY and violation.names and violation.keyword == gap.keyword:
        return violation.names == (gap.name,)
    return violation.keyword == gap.keyword or is_compound or not gap.keyword


def _is_violation_inside(gap: Gap, step: str) -> bool:
    keyword = KEYWORD_TABLE.get(gap.keyword)
    if keyword is not None and keyword.role is Role.ASSERTION:
        return False
    return gap.kind not in _KINDS_OF_ONE_PROPERTY or step == gap.name


# --- schemas that aim at a gap ---------------------------------------------------------------------------------------
def _require_others(gap: Gap) -> Gap:
    if gap.kind not in _KINDS_OF_MISSING_PROPERTY or not isinstance(gap.constraint, list):
        return gap
    others: list[Json] = [name for name in gap.constraint if name != gap.name]
    conjuncts: list[Json] = [True if gap.witness_schema is None else gap.witness_schema, {"required": others}]
    return replace(gap, witness_schema={"allOf": conjuncts})


def _require_at_root(schema: Json, consumer: SchemaView, gap: Gap) -> Json:
    """Return a schema that also requires what the consumer's root requires, except for the gap's own property."""
    required = consumer.schema.get("required") if isinstance(consumer.schema, dict) else None
    if not isinstance(required, list):
        return schema
    others: list[Json] = [name for name in required if gap.path or name != gap.name]
    return _add_constraint(schema, [], {"required": others}, consumer.draft_07)


def _constrain_root(view: SchemaView, gap: Gap) -> Json:
    """Return the producer's schema with the witness schema at the root, all values on the gap's path being required."""
    witness_schema: Json = gap.witness_schema
    for step in reversed(gap.path):
        inner: Json = True if witness_schema is None else witness_schema
        outer: dict[str, Json] = {"properties": {step: inner}, "required": list[Json]([step])}
        if step == WILDCARD or step.isdecimal():
            outer = {"items": inner, "minItems": 1}
        witness_schema = outer
    return _add_constraint(view.schema, [], witness_schema, view.draft_07)


def _add_constraint(schema: Json, tokens: list[str], witness_schema: Json, draft_07: bool) -> Json:
    """Return a copy of a schema in which the subschema behind some pointer tokens also matches a witness schema."""
    if not tokens:
        if witness_schema is None or schema is False:
            return schema
        if not isinstance(schema, dict):
            return witness_schema
        if draft_07 and "$ref" in schema:
            return {"allOf": [schema, witness_schema]}
        conjuncts = schema.get("allOf")
        return {**schema, "allOf": [*(conjuncts if isinstance(conjuncts, list) else []), witness_schema]}
    try:
        follow_pointer(schema, tokens)
    except KeyError:
        return schema
    inner = _add_constraint(follow_pointer(schema, tokens[:1]), tokens[1:], witness_schema, draft_07)
    if isinstance(schema, dict):
        return {**schema, tokens[0]: inner}
    assert isinstance(schema, list)
    return [inner if str(index) == tokens[0] else element for index, element in enumerate(schema)]
