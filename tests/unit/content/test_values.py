"""Values of templates: their types, and what conditions say about them."""

from __future__ import annotations

import pytest
from mcpgen.content.context import CheckContext, TemplateRefused
from mcpgen.content.narrowing import check_truth
from mcpgen.content.type_lookup import (
    ALL_TYPES,
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    TypeLookup,
    drop_bounds,
    get_literal_type,
    get_scalar_type,
    is_json,
    join_types,
    widen_type,
)
from mcpgen.content.values import Absence, Condition, Facts, Value, is_none_when_absent
from mcpgen.ir.template import (
    TRUE,
    Attribute,
    Call,
    Compare,
    Constant,
    ConstantValue,
    Expr,
    IsNone,
    IsSet,
    KeyValuePair,
    Local,
    Logic,
    Markup,
    Not,
    Stream,
    Subscript,
    TemplateType,
)
from mcpgen.ir.types import ANY, NULL, Alias, Array, Choice, FixedArray, Map, Node, Ref, Scalar, ScalarKind, Type, Union
from support.templates import (
    HARBOUR,
    MASTER,
    RESULT,
    TYPES,
    Checker,
    condition_of,
    field,
    make_class,
    parse_expression,
    refusal_of,
    required,
)

# --- absent values that Python represents by None ---------------------------------------------------------------------
BASE = Local("base")
PHONE = Attribute(BASE, "phone")


def test_an_optional_property_is_none_when_it_is_absent() -> None:
    assert is_none_when_absent(Value(PHONE, STRING, Absence(Not(IsNone(PHONE)), "")))
    assert is_none_when_absent(Value(PHONE, STRING, Absence(IsSet(BASE, "phone"), "")))


def test_a_property_of_an_absent_object_is_not_none() -> None:
    assert not is_none_when_absent(Value(PHONE, STRING, Absence(Not(IsNone(BASE)), "")))
    assert not is_none_when_absent(Value(PHONE, STRING, Absence(IsSet(BASE, "rank"), "")))
    assert not is_none_when_absent(Value(PHONE, STRING, Absence(Call("has_item", (BASE,)), "")))


def test_a_value_that_is_always_present() -> None:
    assert not is_none_when_absent(Value(PHONE, STRING))


# --- the checker of expressions offers what its parts need ------------------------------------------------------------
def refuse_each(context: CheckContext) -> None:
    node = parse_expression("name")
    with pytest.raises(TemplateRefused):
        context.refuse("MG503", "there is no `name`", node)
    with pytest.raises(TemplateRefused):
        context.refuse_unsupported("`name`", node)
    with pytest.raises(TemplateRefused):
        context.refuse_type("`name` is a list", node, "help")


def test_problems_have_codes_by_their_kind() -> None:
    checker = Checker()
    refuse_each(checker)
    assert [(problem.code, problem.message, problem.offset) for problem in checker.problems] == [
        ("MG503", "there is no `name`", 3),
        ("MG502", "`name` cannot be compiled", 3),
        ("MG505", "`name` is a list", 3),
    ]


# --- values as conditions ---------------------------------------------------------------------------------------------
PRICE = Subscript(field("prices"), Constant("a"))


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("result.name", field("name")),
        ("result.master", TRUE),
        ("result.depth", TRUE),
        ("result.deputy", Not(IsNone(field("deputy")))),
        ("result.gusts", field("gusts")),
        ("result.rank", field("rank")),
        ("result.prices.a", Logic("and", (Compare(Constant("a"), (("in", field("prices")),)), PRICE))),
        ("''", Constant(False)),
        ("result.tags | length", Call("len", (field("tags"),))),
    ],
)
def test_python_condition(text: str, test: Expr) -> None:
    assert check_truth(Checker(), parse_expression(text), Facts()).expr == test


def test_a_condition_narrows_types() -> None:
    condition = condition_of("result.deputy")
    assert condition.yes.types[field("deputy")] == Ref("Master")
    assert condition.no.types[field("deputy")] == NULL
    assert condition_of("result.open").no.types[field("open")] == Choice((False,))


def test_an_absent_value_is_false() -> None:
    condition = condition_of("result.gusts")
    assert field("gusts") in condition.yes.present
    assert field("gusts") not in condition.no.present
    assert dict(condition.no.types) == {}


def test_a_length_that_is_true_is_that_of_a_list_with_items() -> None:
    assert field("tags") in condition_of("result.tags | length").yes.truthy


def test_generators_are_refused() -> None:
    assert refusal_of("1 if range(3) else 2") == "a generator is not a condition"


def test_null_and_absent_are_told_apart_by_is_defined_only() -> None:
    assert condition_of("result.rank is defined").expr == IsSet(RESULT, "rank")


# --- joined and widened types -----------------------------------------------------------------------------------------
POSITIVE = Scalar(ScalarKind.INTEGER, (("gt", 0),))


def test_only_templates_have_generators_pairs_and_markup() -> None:
    template_types = (Stream(STRING), KeyValuePair(STRING, ANY), Markup())
    assert all(is_json(type) for type in ALL_TYPES)
    assert not any(is_json(type) for type in template_types)


@pytest.mark.parametrize(
    ("value", "literal", "scalar"),
    [
        ("a", Choice(("a",)), STRING),
        (True, Choice((True,)), BOOLEAN),
        (1, Choice((1,)), INTEGER),
        (1.5, NUMBER, NUMBER),
        (None, NULL, NULL),
    ],
)
def test_types_of_literals(value: ConstantValue, literal: Type, scalar: Scalar) -> None:
    assert get_literal_type(value) == literal
    assert get_scalar_type(value) == scalar
    assert widen_type(get_literal_type(value)) == scalar


@pytest.mark.parametrize(
    ("types", "joined"),
    [
        ((STRING, STRING), STRING),
        ((POSITIVE, INTEGER), INTEGER),
        ((STRING, ANY), ANY),
        ((Union((STRING, NULL)), INTEGER), Union((STRING, NULL, INTEGER))),
        ((Choice(("a",)), Choice(("b", "a"))), Choice(("a", "b"))),
        ((Choice(("a",)), STRING), STRING),
        ((Choice((1,)), STRING), Union((Choice((1,)), STRING))),
        ((Choice((1, True)), Ref("A")), Union((Choice((1, True)), Ref("A")))),
    ],
)
def test_joined_types(types: tuple[Type, ...], joined: Type) -> None:
    assert join_types(*types) == joined


def test_one_and_true_stay_different_constants() -> None:
    joined = join_types(Choice((1,)), Choice((True,)))
    assert isinstance(joined, Choice)
    assert [(type(value), value) for value in joined.values] == [(int, 1), (bool, True)]


def test_only_scalars_lose_their_bounds() -> None:
    assert drop_bounds(POSITIVE) == INTEGER
    assert drop_bounds(Array(POSITIVE, (("min_length", 1),))) == Array(POSITIVE, (("min_length", 1),))
    assert widen_type(Choice(("a", 1))) == Union((STRING, INTEGER))


# --- facts about values -----------------------------------------------------------------------------------------------
X, Y = Local("x"), Local("y")


def test_types_are_kept_for_expressions_that_checkers_narrow() -> None:
    facts = Facts().with_type(Attribute(X, "name"), STRING).with_type(Call("f", (X,)), STRING)
    assert dict(facts.types) == {Attribute(X, "name"): STRING}


def test_presence_narrows_other_values() -> None:
    value = Value(Attribute(X, "name"), STRING, Absence(Not(X), "", ((X, STRING), (Y, INTEGER))))
    facts = Facts().with_present(value)
    assert facts.present == {value.expr}
    assert dict(facts.types) == {X: STRING, Y: INTEGER}


def test_a_length_that_is_not_zero_is_that_of_a_list_with_items() -> None:
    length = Call("len", (X,))
    assert Facts().with_nonzero(length).truthy == {length, X}
    assert Facts().with_nonzero(Y).truthy == {Y}


def test_an_assignment_ends_what_is_known_of_a_variable() -> None:
    facts = Facts().with_type(X, STRING).with_type(Attribute(X, "a"), STRING).with_type(Y, STRING)
    facts = facts.with_truthy(X).with_truthy(Y).with_present(Value(Attribute(X, "b"), STRING)).drop_local(X)
    assert dict(facts.types) == {Y: STRING}
    assert facts.truthy == {Y}
    assert facts.present == frozenset()


def test_shared_facts() -> None:
    left = Facts().with_type(X, STRING).with_type(Y, STRING).with_truthy(X)
    right = Facts().with_type(X, NULL).with_truthy(X).with_truthy(Y)
    shared = left.intersect_with(right)
    assert dict(shared.types) == {X: Union((STRING, NULL))}
    assert shared.truthy == {X}


def test_facts_are_keys_by_identity() -> None:
    facts = Facts()
    assert {facts: 1}[facts] == 1
    assert Facts() not in {facts: 1}
    assert Condition(TRUE, facts, facts) == Condition(TRUE, facts, facts)


# --- atoms and kinds of types -----------------------------------------------------------------------------------------
TREE = Alias("Tree", "", (("tree",),), Union((STRING, Array(Ref("Tree")), Ref("Tree"))))
NODES: dict[str, Node] = {"Tree": TREE, "Master": MASTER}
LOOKUP = TypeLookup(NODES)


@pytest.mark.parametrize(
    ("type", "atoms"),
    [
        (STRING, (STRING,)),
        (Union((STRING, Union((NULL, STRING)))), (STRING, NULL)),
        (Choice(("a", 1, "b", None)), (Choice(("a", "b")), Choice((1,)), NULL)),
        (Ref("Tree"), (STRING, Array(Ref("Tree")))),
        (Union((Ref("Master"), NULL)), (Ref("Master"), NULL)),
        (Ref("Unknown"), (Ref("Unknown"),)),
    ],
)
def test_atoms(type: Type, atoms: tuple[Type, ...]) -> None:
    assert LOOKUP.split_atoms(type) == atoms


@pytest.mark.parametrize(
    ("type", "kind", "description"),
    [
        (Scalar(ScalarKind.DATE), "string", "a string"),
        (Choice((1, 2)), "integer", "an integer"),
        (Choice((True,)), "boolean", "a boolean"),
        (FixedArray((STRING,)), "array", "a list"),
        (Map(ANY), "object", "an object"),
        (Ref("Master"), "object", "an object"),
        (ANY, "value", "any JSON value"),
        (NULL, "null", "null"),
    ],
)
def test_kinds(type: Type, kind: str, description: str) -> None:
    assert LOOKUP.get_kind(type) == kind
    assert LOOKUP.collect_kinds(type) == {kind}
    assert LOOKUP.describe_type(type) == description


@pytest.mark.parametrize(
    ("type", "description"),
    [
        (Union((STRING, NULL, STRING)), "a string or null"),
        (Stream(STRING), "a generator"),
        (KeyValuePair(STRING, STRING), "a pair of key and value"),
        (Markup(), "the result of `tojson`"),
    ],
)
def test_descriptions(type: TemplateType, description: str) -> None:
    assert LOOKUP.describe_type(type) == description


def test_kinds_of_generators_are_no_kinds_of_json() -> None:
    assert LOOKUP.has_only_kinds(Union((STRING, INTEGER)), ("string", "integer", "null"))
    assert not LOOKUP.has_only_kinds(Union((STRING, INTEGER)), ("string",))
    assert not LOOKUP.has_only_kinds(Stream(STRING), ("string", "generator"))


def test_classes_and_their_fields() -> None:
    assert TYPES.get_class(Ref("Harbour")) is HARBOUR
    assert TYPES.get_class(STRING) is None
    assert LOOKUP.get_class(Ref("Tree")) is None
    renamed = make_class("C", required("class", STRING), required("callSign", INTEGER))
    fields = TypeLookup({"C": renamed}).get_fields(Ref("C"))
    assert {name: field.wire for name, field in fields.items()} == {"class_": "class", "call_sign": "callSign"}
    assert LOOKUP.get_fields(STRING) == {}


def test_an_object_with_a_required_property_is_never_empty() -> None:
    assert TYPES.has_required(Ref("Master"))
    assert not TypeLookup({"E": make_class("E")}).has_required(Ref("E"))
    assert not TYPES.has_required(Map(ANY))


def test_mapped_atoms() -> None:
    nullable = Union((STRING, NULL))
    assert LOOKUP.map_atoms(nullable, lambda atom: None if atom == NULL else atom) == STRING
    assert LOOKUP.map_atoms(nullable, lambda atom: atom) is nullable
    assert LOOKUP.map_atoms(nullable, lambda _: None) is nullable
    assert LOOKUP.map_atoms(nullable, lambda _: INTEGER) == INTEGER
