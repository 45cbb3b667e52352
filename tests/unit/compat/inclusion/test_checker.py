"""The inclusion check on pairs of schemas with a known answer."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion import checker
from mcpgen.compat.inclusion.checker import InclusionChecker
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.diff_oracle import counterexample, validator, verdict

STR, INT, NUM = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def obj(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), **more}


def form(value: str, **properties: Any) -> dict[str, Any]:
    return obj({"kind": {"const": value}, **properties}, "kind", *properties)


def tree(value: dict[str, Any], name: str = "n") -> dict[str, Any]:
    ref = {"$ref": f"#/$defs/{name}"}
    return {**ref, "$defs": {name: obj({"next": ref, "all": {"type": "array", "items": ref}, "v": value})}}


CLOSED = {"additionalProperties": False}
COMPATIBLE: list[tuple[str, Any, Any]] = [
    ("the same, otherwise ordered", obj({"a": STR, "b": INT}, "a", "b"), obj({"b": INT, "a": STR}, "b", "a")),
    ("a property of a closed object left out", obj({"a": STR}, **CLOSED), obj({"a": STR, "b": INT}, **CLOSED)),
    ("an optional property that is required now", obj({"a": STR}, "a"), obj({"a": STR})),
    ("integers among numbers", INT, NUM),
    ("a union in another order", {"anyOf": [STR, INT]}, {"anyOf": [INT, STR]}),
    ("a type list as a union", {"type": ["string", "null"]}, {"anyOf": [{"type": "null"}, STR]}),
    ("a union as a type list", {"anyOf": [{"type": "null"}, STR]}, {"type": ["string", "null"]}),
    ("an enum that shrinks", {"enum": ["a", 1, None]}, {"enum": [None, "a", 1.0, "b"]}),
    ("a few integers", {"type": "integer", "minimum": 1, "maximum": 2}, {"enum": [1, 2, 3]}),
    ("true and false", {"type": "boolean"}, {"enum": [True, False]}),
    ("a recursive schema that narrows", tree(INT), tree(NUM)),
    ("a recursive schema under another name", tree(INT), tree(INT, "other")),
    ("a recursive schema unfolded once", tree(INT), {**tree(NUM), "required": []}),
    ("allOf taken apart", {"allOf": [obj({"a": STR}, "a"), obj({"b": INT})]}, obj({"a": STR, "b": INT}, "a")),
    ("bounds that say the same of integers", {**INT, "exclusiveMinimum": 0}, {**INT, "minimum": 0.5}),
    ("a form left out", {"oneOf": [form("a", x=INT)]}, {"oneOf": [form("a", x=INT), form("b", y=STR)]}),
    ("a form as itself", form("b", y=STR), {"oneOf": [form("a", x=INT), form("b", y=STR)]}),
    (
        "an overlapping oneOf in another order",
        {"oneOf": [obj({"a": INT}, "a"), obj({"b": STR}, "b")]},
        {"oneOf": [obj({"b": STR}, "b"), obj({"a": INT}, "a")]},
    ),
    ("a pattern that stays", {**STR, "pattern": "^a", "minLength": 2}, {**STR, "pattern": "^a"}),
    ("not that stays", {"not": {"type": "null"}, "type": "string"}, {"not": {"type": "null"}}),
    ("not by type", STR, {"not": {"type": "null"}}),
    ("a condition that cannot hold", form("a"), {"if": form("b"), "then": False}),
    (
        "unevaluatedProperties over allOf",
        {"allOf": [obj({"a": STR}, "a")], "properties": {"b": INT}, "unevaluatedProperties": False},
        obj({"a": STR, "b": INT}, **CLOSED),
    ),
    (
        "a closed object where unevaluatedProperties were",
        obj({"a": STR}, **CLOSED),
        {"$ref": "#/$defs/x", "$defs": {"x": obj({"a": STR})}, "unevaluatedProperties": False},
    ),
    ("a tuple that narrows", {"prefixItems": [INT, STR], "items": False}, {"prefixItems": [NUM], "items": STR}),
    ("a tuple as a list", {"type": "array", "prefixItems": [INT, INT], "items": False}, {"items": NUM, "maxItems": 2}),
    ("patternProperties that stay", {"patternProperties": {"^x": INT}}, {"patternProperties": {"^x": NUM}}),
    ("names by enum", {"type": "object", "propertyNames": {"enum": ["a"]}}, obj({}, maxProperties=1)),
    ("dependentRequired fulfilled", obj({"a": STR, "b": STR}, "b"), {"dependentRequired": {"a": ["b"]}}),
    ("dependentSchemas fulfilled", obj({"a": STR, "b": INT}, "b"), {"dependentSchemas": {"a": obj({"b": NUM}, "b")}}),
    ("contains by all items", {"type": "array", "items": INT, "minItems": 1}, {"contains": NUM}),
    ("a required property that can never be there", obj({"a": False}, "a"), {"type": "string"}),
    ("nothing at all", False, STR),
    ("anything", STR, True),
    ("what asserts nothing", {**STR, "format": "date", "title": "x"}, {**STR, "format": "uri"}),
]
BREAKING: list[tuple[str, Any, Any, str]] = [
    ("null", {"type": ["string", "null"]}, STR, "TYPE"),
    ("null in anyOf", {"anyOf": [STR, {"type": "null"}]}, STR, "TYPE"),
    ("in a recursive schema", tree(NUM), tree(INT), "TYPE"),
    (
        "a property in allOf",
        {"allOf": [obj({"a": STR}), obj({"b": NUM})]},
        {"allOf": [obj({"a": STR, "b": INT})]},
        "TYPE",
    ),
    ("an open object", obj({"a": STR}), obj({"a": STR}, **CLOSED), "OPEN"),
    ("an untyped property", obj({}), obj({"a": STR}), "UNTYPED"),
    ("a new form", {"oneOf": [form("a"), form("c")]}, {"oneOf": [form("a"), form("b")]}, "VARIANT"),
    ("a new item", {"prefixItems": [INT, STR], "items": False}, {"prefixItems": [INT], "items": False}, "MORE_ITEMS"),
    ("any of an enum", STR, {"enum": ["a"]}, "FREE"),
    ("anything", True, STR, "TYPE"),
    ("something", STR, False, "FORBIDDEN"),
    (
        "an undeclared property that allOf refuses",
        obj({"a": STR, "b": STR}),
        {"allOf": [obj({"a": STR}, **CLOSED)]},
        "EXTRA",
    ),
]
UNDECIDED: list[tuple[str, Any, Any]] = [
    ("patterns", {**STR, "pattern": "^a{2,3}$"}, {**STR, "pattern": "^a+$"}),
    ("steps of fractions", {**NUM, "multipleOf": 2.5}, {**NUM, "multipleOf": 0.5}),
]


@pytest.mark.parametrize(
    ("producer", "consumer"), [case[1:] for case in COMPATIBLE], ids=[case[0] for case in COMPATIBLE]
)
def test_compatible(producer: Any, consumer: Any) -> None:
    assert counterexample(producer, consumer, DRAFT_2020_12, 40) == []
    assert InclusionChecker(SchemaView(producer, DRAFT_2020_12), SchemaView(consumer, DRAFT_2020_12)).find_gaps() == []


@pytest.mark.parametrize(
    ("producer", "consumer", "kind"), [case[1:] for case in BREAKING], ids=[case[0] for case in BREAKING]
)
def test_breaking(producer: Any, consumer: Any, kind: str) -> None:
    assert counterexample(producer, consumer, DRAFT_2020_12, 400) != []
    gaps = InclusionChecker(SchemaView(producer, DRAFT_2020_12), SchemaView(consumer, DRAFT_2020_12)).find_gaps()
    assert any(gap.certain for gap in gaps)
    assert kind in {gap.kind.name for gap in gaps}


def test_a_wider_branch_takes_values_from_another() -> None:
    producer: Any = {"oneOf": [obj({"a": INT}, "a"), obj({"b": STR}, "b")]}
    consumer: Any = {"oneOf": [obj({"a": NUM}, "a"), obj({"b": STR}, "b")]}
    value: Any = {"a": 0.5, "b": ""}  # in the one only of the second branch, in the other of both
    accepts, wants = validator(producer, DRAFT_2020_12), validator(consumer, DRAFT_2020_12)
    assert accepts is not None
    assert wants is not None
    assert accepts(value)
    assert not wants(value)
    assert verdict(producer, consumer, DRAFT_2020_12)[0] != "compatible"


@pytest.mark.parametrize(
    ("producer", "consumer"), [case[1:] for case in UNDECIDED], ids=[case[0] for case in UNDECIDED]
)
def test_undecided(producer: Any, consumer: Any) -> None:
    assert verdict(producer, consumer, DRAFT_2020_12)[0] == "undecided"


def test_draft_07() -> None:
    def says(producer: Any, consumer: Any) -> str:
        return verdict(producer, consumer, DRAFT_07)[0]

    pair = {"type": "array", "items": [INT, STR], "additionalItems": False}
    assert says(pair, {"type": "array", "items": [NUM, STR], "additionalItems": STR}) == "compatible"
    assert says({**pair, "additionalItems": STR}, pair) == "breaking"
    beside = {"$ref": "#/definitions/a", "maxLength": 3, "definitions": {"a": STR}}
    assert says(STR, beside) == "compatible"  # in draft-07 nothing counts beside a $ref
    assert says(obj({"a": STR}), {"dependentRequired": {"a": ["b"]}}) == "compatible"  # which is not a keyword there
    assert says(obj({"a": STR}), {"dependencies": {"a": ["b"]}}) == "breaking"


def test_what_recurs_without_an_end_is_not_taken_as_proved() -> None:
    def pair(last: dict[str, Any]) -> dict[str, Any]:
        definitions = {"a": {"anyOf": [STR, {"$ref": "#/$defs/b"}]}, "b": {"anyOf": [last, STR]}}
        return {"$ref": "#/$defs/a", "$defs": definitions}

    assert verdict(pair(INT), pair(STR), DRAFT_2020_12)[0] == "breaking"
    assert verdict(pair(STR), pair(INT), DRAFT_2020_12)[0] == "compatible"


def test_a_gap_points_to_the_keyword_else_to_the_part_with_the_most_keywords() -> None:
    producer: Any = {"$ref": "#/$defs/a", "$defs": {"a": {"type": "string", "title": "A", "maxLength": 9}}}
    consumer: Any = {"type": "string", "minLength": 1, "maxLength": 5}
    gaps = InclusionChecker(SchemaView(producer, DRAFT_2020_12), SchemaView(consumer, DRAFT_2020_12)).find_gaps()
    pointers = {gap.keyword: (gap.producer_pointer, gap.consumer_pointer, gap.constraint) for gap in gaps}
    assert pointers == {"minLength": ("/$defs/a", "", 1), "maxLength": ("/$defs/a", "", 5)}


def test_a_check_gives_up_after_many_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "MOST_QUESTIONS", 1)
    producer, consumer = obj({"a": obj({"b": STR})}, "a"), obj({"a": obj({"b": INT})}, "a")
    gaps = InclusionChecker(SchemaView(producer, DRAFT_2020_12), SchemaView(consumer, DRAFT_2020_12)).find_gaps()
    assert [(gap.kind.name, gap.certain) for gap in gaps] == [("UNKNOWN", False)]
