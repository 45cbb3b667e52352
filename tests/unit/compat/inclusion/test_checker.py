"""The inclusion check: questions, answers, and what it cannot decide."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion import checker
from mcpgen.compat.inclusion.certainty import is_doubtful, may_lack_kinds, surely_contains, surely_lacks
from mcpgen.compat.inclusion.checker import Answers, ValuePath, find_refusal, find_refusing_part
from mcpgen.compat.inclusion.conjunction import split_union
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.compat import conjoin, find_gaps, make_view
from support.diff_oracle import counterexample, validator, verdict

# --- the inclusion check on pairs of schemas with a known answer ------------------------------------------------------
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
    assert find_gaps(producer, consumer) == []


@pytest.mark.parametrize(
    ("producer", "consumer", "kind"), [case[1:] for case in BREAKING], ids=[case[0] for case in BREAKING]
)
def test_breaking(producer: Any, consumer: Any, kind: str) -> None:
    assert counterexample(producer, consumer, DRAFT_2020_12, 400) != []
    gaps = find_gaps(producer, consumer)
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
    gaps = find_gaps(producer, consumer)
    pointers = {gap.keyword: (gap.producer_pointer, gap.consumer_pointer, gap.constraint) for gap in gaps}
    assert pointers == {"minLength": ("/$defs/a", "", 1), "maxLength": ("/$defs/a", "", 5)}


def test_a_check_gives_up_after_many_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "MOST_QUESTIONS", 1)
    producer, consumer = obj({"a": obj({"b": STR})}, "a"), obj({"a": obj({"b": INT})}, "a")
    gaps = find_gaps(producer, consumer)
    assert [(gap.kind.name, gap.certain) for gap in gaps] == [("UNKNOWN", False)]


# --- answers are assumed, proved, refuted and forgotten ---------------------------------------------------------------
ROOT, DEEPER = ValuePath(), ValuePath(("a",))


def test_an_active_question_is_assumed_deeper_in_the_value_only() -> None:
    answers = Answers(10)
    answers.begin("question", ROOT)
    assert answers.is_active("question")
    assert answers.is_assumed("question", 1)
    assert not answers.is_assumed("question", 0)


def test_a_proved_question_counts_at_its_depth_and_deeper() -> None:
    answers = Answers(10)
    answers.end("question", answers.begin("question", DEEPER), [], DEEPER)
    assert not answers.is_active("question")
    assert answers.is_assumed("question", 1)
    assert answers.is_assumed("question", 2)
    assert not answers.is_assumed("question", 0)


def test_a_refutation_takes_back_what_was_proved_meanwhile() -> None:
    answers = Answers(10)
    outer = answers.begin("outer", ROOT)
    answers.end("inner", answers.begin("inner", DEEPER), [], DEEPER)
    answers.end("outer", outer, [Gap(GapKind.TYPE, (), "", "")], ROOT)
    assert not answers.is_assumed("inner", 1)


def test_gaps_are_recalled_at_another_path() -> None:
    answers = Answers(10)
    answers.end("question", answers.begin("question", DEEPER), [Gap(GapKind.TYPE, ("a", "b"), "", "")], DEEPER)
    assert answers.recall_gaps("question", ValuePath(("x", "y"))) == [Gap(GapKind.TYPE, ("x", "y", "b"), "", "")]
    assert answers.recall_gaps("other", ROOT) is None


def test_a_question_that_was_not_followed_is_asked_again() -> None:
    answers = Answers(10)
    answers.end("question", answers.begin("question", ROOT), [Gap(GapKind.UNKNOWN, (), "", "")], ROOT)
    assert answers.recall_gaps("question", ROOT) is None
    assert not answers.is_assumed("question", 0)


def test_the_budget() -> None:
    answers = Answers(2)
    assert [answers.spend_question() for _ in range(3)] == [True, True, False]


# --- doubts about the values of a conjunction -------------------------------------------------------------------------
def test_keywords_are_approximated_for_their_kind_only() -> None:
    conjunction = conjoin({"pattern": "^a", "minLength": 1})
    assert is_doubtful(conjunction, "string")
    assert not is_doubtful(conjunction, "integer")
    assert is_doubtful(conjoin({"multipleOf": 2}), "integer")
    assert not is_doubtful(conjoin({"minLength": 1}), "string")


def test_a_split_union_is_no_doubt() -> None:
    union = conjoin({"anyOf": [{"type": "string"}, {"type": "null"}]})
    assert is_doubtful(union, "string")
    cases = split_union(union)
    assert cases is not None
    assert not is_doubtful(cases[0], "string")


def test_negations_and_conditions_may_rule_kinds_out() -> None:
    assert may_lack_kinds(conjoin({"not": {"minLength": 0}}))
    assert may_lack_kinds(conjoin({"if": {}, "then": False}))
    assert not may_lack_kinds(conjoin({"type": "string"}))


def test_single_values() -> None:
    conjunction = conjoin({"type": "string", "not": {"const": "b"}})
    assert surely_contains(conjunction, "a")
    assert not surely_contains(conjunction, "b")
    assert surely_lacks(conjunction, "b")
    assert surely_lacks(conjunction, 1)
    assert not surely_lacks(conjunction, "a")
    assert surely_lacks(conjoin(False), "a")


# --- paths of compared values -----------------------------------------------------------------------------------------
def test_a_step_is_a_level_of_the_value_and_a_question_is_not() -> None:
    path = ValuePath().step_into("a").nest().step_into("*")
    assert path == ValuePath(("a", "*"), nesting=1)
    assert ValuePath().nest() == ValuePath((), nesting=1)


# --- the place of a refused value or kind: that of the keyword that refuses it, however it is reached -----------------
REF: dict[str, Any] = {"$ref": "#/$defs/S", "description": "a description beside the reference"}
WAYS: dict[str, Any] = {
    "by reference": REF,
    "by two references": {"$ref": "#/$defs/T"},
    "in allOf": {"allOf": [REF], "title": "S"},
    "in a nullable union": {"anyOf": [REF, {"type": "null"}]},
    "in a union with other strings": {"oneOf": [REF, {"const": "x"}]},
}


def place(way: Any, definition: Any) -> Any:
    return {"type": "object", "properties": {"s": way}, "$defs": {"S": definition, "T": {"$ref": "#/$defs/S"}}}


@pytest.mark.parametrize("typed", [{}, {"type": "string"}], ids=["untyped", "typed"])
@pytest.mark.parametrize("way", WAYS)
def test_a_changed_enum_is_the_place_however_it_is_reached(way: str, typed: dict[str, Any]) -> None:
    narrow, wide = ({**typed, "enum": values} for values in (["a"], ["a", "b"]))
    (gap,) = find_gaps(place(WAYS[way], wide), place(WAYS[way], narrow))
    assert (gap.kind.name, gap.keyword, gap.values, gap.certain) == ("VALUE", "enum", ('"b"',), True)
    assert (gap.producer_pointer, gap.consumer_pointer) == ("/$defs/S", "/$defs/S")


@pytest.mark.parametrize(
    ("wide", "narrow", "kind", "keyword"),
    [
        ({"const": 1}, {"const": 2}, "VALUE", "const"),
        ({"type": "string"}, {"enum": ["a"]}, "FREE", "enum"),
        ({"enum": ["a", None]}, {"enum": ["a"]}, "TYPE", "type"),
        ({"type": ["string", "null"]}, {"type": "string"}, "TYPE", "type"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}]}, "TYPE", "type"),
    ],
)
def test_other_changes_of_a_definition_have_their_place_there(wide: Any, narrow: Any, kind: str, keyword: str) -> None:
    (gap,) = find_gaps(place(REF, wide), place(REF, narrow))
    assert (gap.kind.name, gap.keyword) == (kind, keyword)
    assert (gap.producer_pointer, gap.consumer_pointer) == ("/$defs/S", "/$defs/S")


def test_values_that_different_keywords_refuse_are_different_gaps() -> None:
    producer: Any = {"enum": ["a", "b", "c"]}
    consumer: Any = {"allOf": [{"enum": ["a", "b"]}, {"enum": ["a", "c"]}]}
    gaps = {gap.consumer_pointer: gap.values for gap in find_gaps(producer, consumer)}
    assert gaps == {"/allOf/0": ('"c"',), "/allOf/1": ('"b"',)}


def test_no_branch_of_a_union_is_named_that_the_other_version_does_not_have() -> None:
    view = make_view({"anyOf": [{"enum": ["a"]}, {"const": "b"}]})
    assert find_refusal(view, view.root, "c", ()) == (view.root, "")
    assert find_refusal(view, view.root, "c", ["/anyOf/0"])[1] == "enum"
    location, keyword = find_refusal(view, view.root, "c", ["/anyOf/1"])
    assert (location.at, keyword) == ("/anyOf/1", "")
    overlapping = make_view({"oneOf": [{"enum": ["a"]}, {"enum": ["c"]}, {"type": "string"}]})
    assert find_refusal(overlapping, overlapping.root, "c", ["/oneOf/0"]) == (overlapping.root, "")


def test_references_in_a_circle_end() -> None:
    view = make_view({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "string"}}})
    assert find_refusing_part(view, view.root, "null").at == "/$defs/B"
    circle = make_view({"allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}, False]}}})
    assert find_refusing_part(circle, circle.root, "null").at.startswith("/$defs/A")


# --- subschemas with the same assertions ------------------------------------------------------------------------------
def are_equivalent(first: Any, second: Any, dialects: tuple[str, str] = (DRAFT_2020_12, DRAFT_2020_12)) -> bool:
    a, b = make_view(first, dialects[0]), make_view(second, dialects[1])
    return EquivalenceChecker(a, b).are_equivalent(a.root, b.root)


def linked(value: Any, name: str) -> dict[str, Any]:
    reference = {"$ref": f"#/$defs/{name}"}
    return {**reference, "$defs": {name: {"properties": {"next": reference, "value": value}}}}


@pytest.mark.parametrize(
    ("first", "second", "equivalent"),
    [
        ({"type": "string", "title": "A"}, {"type": "string", "format": "date"}, True),
        ({"type": ["string", "null"]}, {"type": ["null", "string"]}, True),
        ({"type": "string"}, {"type": ["string"]}, True),
        ({"enum": [1, "a"]}, {"enum": ["a", 1.0]}, True),
        ({"required": ["a", "b"]}, {"required": ["b", "a"]}, True),
        ({"anyOf": [{"type": "null"}, True]}, {"anyOf": [True, {"type": "null"}]}, False),
        ({"properties": {"a": True}}, {"properties": {"a": {}}}, True),
        ({"properties": {"a": True}}, {"properties": {"b": True}}, False),
        ({"minimum": 1}, {"minimum": 1.0}, True),
        ({"minimum": 1}, {"exclusiveMinimum": 1}, False),
        ({}, True, True),
        (False, True, False),
        (linked({"type": "null"}, "a"), linked({"type": "null"}, "b"), True),
        (linked({"type": "null"}, "a"), linked({"type": "string"}, "a"), False),
    ],
)
def test_pairs(first: Any, second: Any, equivalent: bool) -> None:
    assert are_equivalent(first, second) is equivalent


def test_keywords_of_another_dialect_are_different() -> None:
    other = (DRAFT_07, DRAFT_2020_12)
    assert are_equivalent({"minLength": 1}, {"minLength": 1}, other)
    assert not are_equivalent({"items": {"type": "null"}}, {"items": {"type": "null"}}, other)


def test_dependencies_of_draft_07_are_schemas_or_names() -> None:
    both = (DRAFT_07, DRAFT_07)
    first = {"dependencies": {"a": ["b"], "c": {"type": "null"}}}
    assert are_equivalent(first, {"dependencies": {"c": {"type": ["null"]}, "a": ["b"]}}, both)
    assert not are_equivalent(first, {"dependencies": {"a": ["z"], "c": {"type": "null"}}}, both)
    assert not are_equivalent(first, {"dependencies": {"a": ["b"], "c": {"type": "string"}}}, both)


def test_single_keywords() -> None:
    a, b = make_view({"minimum": 1, "if": {"type": "null"}}), make_view({"minimum": 2, "if": {"type": "null"}})
    checker = EquivalenceChecker(a, b)
    assert checker.have_equivalent_keywords(a.root, b.root, ("if", "then", "else"))
    assert not checker.have_equivalent_keywords(a.root, b.root, ("minimum",))
    assert not checker.have_equivalent_keywords(a.root, b.root, ("pattern",))


def test_a_difference_takes_back_what_was_assumed() -> None:
    first: Any = {"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/b"}, "x": {"type": "null"}}}, "b": {}}}
    first["$defs"]["b"] = {"properties": {"a": {"$ref": "#/$defs/a"}}}
    second: Any = {"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/b"}, "x": {"type": "string"}}}, "b": {}}}
    second["$defs"]["b"] = {"properties": {"a": {"$ref": "#/$defs/a"}}}
    a, b = make_view(first), make_view(second)
    checker = EquivalenceChecker(a, b)
    definitions = a.get_named_subschemas(a.root, "$defs"), b.get_named_subschemas(b.root, "$defs")
    assert not checker.are_equivalent(definitions[0]["a"], definitions[1]["a"])
    assert not checker.are_equivalent(definitions[0]["b"], definitions[1]["b"])
