"""A draw of one value: attempts, validation, limits, and its parts."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from mcpgen.samples.branches import (
    choose_type,
    expand_locations,
    find_allowed_types,
    find_allowed_values,
    find_examples,
)
from mcpgen.samples.containers import draw_array, draw_object
from mcpgen.samples.context import (
    DEEP_NESTING,
    DEEPEST_NESTING,
    MOST_DEAD_ENDS,
    MOST_DRAWN_VALUES,
    MOST_VALUES_WITH_OPTIONAL,
    DrawStyle,
    Unsatisfiable,
)
from mcpgen.samples.generator import ValueDraw
from mcpgen.samples.mutator import MOST_SHRINK_ATTEMPTS, SchemaVocabulary, mutate_value, shrink_value
from mcpgen.schema.document import SchemaDocument
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import JSON_TYPES, Json, get_json_type
from support.draws import make_context


# --- a draw of one value: attempts, validation, limits ----------------------------------------------------------------
def make_draw(schema: Any, seed: int = 0, style: DrawStyle = DrawStyle.VARIED) -> tuple[ValueDraw, SchemaDocument]:
    document = SchemaDocument(schema, DRAFT_2020_12)
    return ValueDraw(document, Random(seed), style), document


def test_values_of_one_branch_only_are_drawn_again_until_they_are_valid() -> None:
    schema = {"oneOf": [{"type": "integer", "minimum": 0, "maximum": 9}, {"multipleOf": 2}]}
    for seed in range(20):
        draw, document = make_draw(schema, seed)
        value = draw.draw_value((document.root,), 0)
        assert not (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 9 and value % 2 == 0)


def test_an_invalid_value_is_kept() -> None:
    draw, document = make_draw({"const": 1, "not": {"type": ["integer", "string"], "minimum": 0}})
    with pytest.raises(Unsatisfiable):
        draw.draw_value((document.root,), 0)
    assert draw.last_invalid == [1]


def test_infinite_values_are_given_up() -> None:
    draw, document = make_draw({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]})
    with pytest.raises(Unsatisfiable):
        draw.draw_value((document.root,), 0)


def test_anything_has_any_type() -> None:
    types = {get_json_type(make_draw({}, seed)[0].draw_anything(0)) for seed in range(80)}
    assert types >= {"object", "array", "string", "boolean", "null"}


def test_examples_come_first_in_their_style() -> None:
    draw, document = make_draw({"type": "string", "examples": ["Oslo"]}, style=DrawStyle.EXAMPLES)
    assert draw.draw_value((document.root,), 0) == "Oslo"


# --- limits and choices of a draw -------------------------------------------------------------------------------------
def test_a_draw_stays_small_when_it_is_deep_or_large() -> None:
    context = make_context({})
    assert not context.should_stay_small(DEEP_NESTING)
    assert context.should_stay_small(DEEP_NESTING + 1)
    context.drawn_values = MOST_VALUES_WITH_OPTIONAL + 1
    assert context.should_stay_small(0)


def test_a_draw_is_exhausted_by_depth_size_or_dead_ends() -> None:
    assert not make_context({}).is_exhausted(DEEPEST_NESTING)
    assert make_context({}).is_exhausted(DEEPEST_NESTING + 1)
    large, stuck = make_context({}), make_context({})
    large.drawn_values = MOST_DRAWN_VALUES + 1
    stuck.dead_ends = MOST_DEAD_ENDS + 1
    assert large.is_exhausted(0)
    assert stuck.is_exhausted(0)


def test_only_varied_draws_decide_at_random() -> None:
    varied = make_context({})
    assert {varied.decide(0.5) for _ in range(50)} == {True, False}
    for style in (DrawStyle.PLAIN, DrawStyle.FIRST, DrawStyle.EXAMPLES):
        assert not any(make_context({}, style=style).decide(1.0) for _ in range(5))


def test_a_coin_is_tossed_unless_the_first_choice_is_taken() -> None:
    plain, first = make_context({}, style=DrawStyle.PLAIN), make_context({}, style=DrawStyle.FIRST)
    assert {plain.toss_coin() for _ in range(50)} == {True, False}
    assert all(first.toss_coin() for _ in range(50))


# --- expansion of schemas into those that apply together --------------------------------------------------------------
def expand(schema: Any, style: DrawStyle = DrawStyle.FIRST, seed: int = 0) -> list[str]:
    context = make_context(schema, seed, style)
    return [location.at for location in expand_locations(context, (context.document.root,), 0, 0)]


def test_references_and_all_of_are_followed() -> None:
    schema = {"$ref": "#/$defs/a", "allOf": [{"minimum": 1}], "$defs": {"a": {"type": "integer"}}}
    assert sorted(expand(schema)) == ["", "/$defs/a", "/allOf/0"]


def test_a_cycle_of_references_ends() -> None:
    assert expand({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}}) == ["", "/$defs/a"]


def test_one_branch_is_chosen() -> None:
    schema = {"anyOf": [{"type": "null"}, {"type": "string"}]}
    assert expand(schema) == ["", "/anyOf/0"]
    chosen = {tuple(expand(schema, DrawStyle.VARIED, seed)) for seed in range(30)}
    assert chosen == {("", "/anyOf/0"), ("", "/anyOf/1")}


def test_a_condition_is_either_met_or_not() -> None:
    schema: Any = {"if": {"minimum": 1}, "then": {"maximum": 9}, "else": {"maximum": 0}}
    chosen = {tuple(sorted(expand(schema, DrawStyle.VARIED, seed))) for seed in range(30)}
    assert chosen == {("", "/if", "/then"), ("", "/else")}


def test_a_deep_value_gets_the_smallest_branch() -> None:
    schema = {"anyOf": [{"$ref": "#/$defs/large"}, {"minItems": 1}], "$defs": {"large": {"required": ["a", "b"]}}}
    context = make_context(schema)
    locations = expand_locations(context, (context.document.root,), 99, 0)
    assert [location.at for location in locations] == ["", "/anyOf/1"]


def test_false_is_unsatisfiable() -> None:
    with pytest.raises(Unsatisfiable):
        expand({"allOf": [False]})


# --- allowed types, allowed values and examples -----------------------------------------------------------------------
def test_types_of_all_schemas_are_intersected() -> None:
    context = make_context({"type": ["string", "number", "null"], "not": {"type": "null"}})
    assert find_allowed_types(context, [context.document.root]) == {"string", "number", "integer"}


def test_no_type_may_be_left() -> None:
    context = make_context({"type": "string", "not": {"type": "string"}})
    with pytest.raises(Unsatisfiable):
        find_allowed_types(context, [context.document.root])


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"minimum": 1}, None),
        ({"enum": [1, 2, 3], "const": 2.0}, [2]),
        ({"enum": [1, True, "a"], "not": {"enum": [1]}}, [True, "a"]),
        ({"enum": ["a"], "not": {"const": "a"}}, []),
    ],
)
def test_values_of_enum_and_const(schema: Any, values: Any) -> None:
    assert find_allowed_values([make_context(schema).document.root]) == values


def test_examples_and_defaults_of_the_right_type() -> None:
    context = make_context({"examples": ["a", "b"], "default": 1}, style=DrawStyle.EXAMPLES)
    assert find_examples(context, [context.document.root], {"string"}) == ["a"]
    assert find_examples(context, [context.document.root], {"integer"}) == [1]
    assert find_examples(context, [context.document.root], {"null"}) == []
    context = make_context({"default": 1}, style=DrawStyle.EXAMPLES)
    assert find_examples(context, [context.document.root], {"integer"}) == [1]
    context = make_context({"default": 1}, style=DrawStyle.FIRST)
    assert find_examples(context, [context.document.root], {"integer"}) == []


def test_keywords_suggest_a_type() -> None:
    for schema, expected in (({"minItems": 1}, "array"), ({"pattern": "a"}, "string"), ({"maximum": 1}, "number")):
        context = make_context(schema, style=DrawStyle.FIRST)
        assert choose_type(context, set(JSON_TYPES), [context.document.root]) == expected
    context = make_context({}, style=DrawStyle.FIRST)
    assert choose_type(context, {"null", "boolean"}, [context.document.root]) == "boolean"


# --- drawing of arrays ------------------------------------------------------------------------------------------------
def draw(schema: Any, seed: int = 0) -> Any:
    context = make_context(schema, seed)
    return draw_array(context, [context.document.root], 0, "")


def test_sizes_are_within_the_bounds() -> None:
    assert {len(draw({"minItems": 2, "maxItems": 3}, seed)) for seed in range(40)} == {2, 3}


def test_items_follow_prefix_and_rest() -> None:
    schema = {"prefixItems": [{"const": 1}, {"const": 2}], "items": {"const": 3}, "minItems": 4}
    assert draw(schema) == [1, 2, 3, 3]


def test_unevaluated_items_apply_to_what_nothing_else_does() -> None:
    assert draw({"prefixItems": [{"const": 1}], "unevaluatedItems": {"const": 2}, "minItems": 3}) == [1, 2, 2]


def test_contained_items_are_there() -> None:
    for seed in range(10):
        assert draw({"contains": {"const": "x"}, "minContains": 2}, seed).count("x") >= 2


def test_equal_items_are_not_unique() -> None:
    with pytest.raises(Unsatisfiable):
        draw({"items": {"const": 1}, "uniqueItems": True, "minItems": 2})


def test_too_many_items_are_unsatisfiable() -> None:
    with pytest.raises(Unsatisfiable):
        draw({"minItems": 10**9})


# --- drawing of objects -----------------------------------------------------------------------------------------------
def draw_members(schema: Any, seed: int = 0, style: DrawStyle = DrawStyle.VARIED) -> Any:
    context = make_context(schema, seed, style)
    return draw_object(context, [context.document.root], 0)


def test_required_properties_are_there_in_order_of_declaration() -> None:
    schema = {
        "properties": {"b": {"const": 1}, "a": {"const": 2}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    assert list(draw_members(schema, style=DrawStyle.PLAIN).items()) == [("b", 1), ("a", 2)]


def test_optional_properties_come_and_go() -> None:
    sizes = {len(draw_members({"properties": {"a": {}, "b": {}}, "maxProperties": 2}, seed)) for seed in range(40)}
    assert sizes == {0, 1, 2}
    assert draw_members({"properties": {"a": {}, "b": {}}}, style=DrawStyle.FIRST) == {"a": "nested", "b": "nested"}


def test_a_property_brings_those_that_depend_on_it() -> None:
    schema = {"required": ["a"], "dependentRequired": {"a": ["b"], "b": ["c"]}}
    assert {"a", "b", "c"} <= draw_members(schema).keys()


def test_dependent_schemas_apply() -> None:
    schema = {"required": ["a"], "dependentSchemas": {"a": {"properties": {"b": {"const": 7}}, "required": ["b"]}}}
    assert draw_members(schema)["b"] == 7


def test_names_follow_pattern_properties() -> None:
    schema = {"patternProperties": {"^x[0-9]$": {"const": 3}}, "additionalProperties": False, "minProperties": 2}
    drawn = draw_members(schema, style=DrawStyle.PLAIN)
    assert len(drawn) >= 2
    assert all(name[0] == "x" and value == 3 for name, value in drawn.items())


def test_too_many_properties_are_unsatisfiable() -> None:
    with pytest.raises(Unsatisfiable):
        draw_members({"required": ["a", "b"], "maxProperties": 1})
    with pytest.raises(Unsatisfiable):
        draw_members({"minProperties": 10**9})


# --- shrinking of counterexamples -------------------------------------------------------------------------------------
def test_the_smallest_value() -> None:
    value: Json = {"a": [1, {"b": "long text", "c": 250.5}], "d": {"e": None}}
    assert shrink_value(value, lambda candidate: "250" in json.dumps(candidate)) == 250.5
    assert shrink_value(value, lambda candidate: isinstance(candidate, dict) and "d" in candidate) == {"d": None}
    assert shrink_value([3, 1, 2], lambda candidate: isinstance(candidate, list) and len(candidate) > 1) == [0, 0]


def test_numbers_and_strings_become_simpler() -> None:
    assert shrink_value(1000, lambda candidate: isinstance(candidate, int) and candidate >= 7) == 7
    assert shrink_value("abcdef", lambda candidate: "d" in str(candidate)) == "d"
    assert shrink_value(5.0, lambda candidate: candidate == 5) == 5


def test_attempts_are_limited() -> None:
    attempts: list[Json] = []

    def fails(candidate: Json) -> bool:
        attempts.append(candidate)
        return False

    shrink_value(list(range(MOST_SHRINK_ATTEMPTS + 10)), fails)
    assert len(attempts) == MOST_SHRINK_ATTEMPTS


# --- changes of values ------------------------------------------------------------------------------------------------
def test_bounds_and_constants_of_the_vocabulary_are_used() -> None:
    vocabulary = SchemaVocabulary([41], ["red"])
    values = [mutate_value(7, vocabulary, Random(seed)) for seed in range(1000)]
    assert all(value in values for value in (40, 41, 42, "red"))
    assert "red" in {str(mutate_value("blue", vocabulary, Random(seed))) for seed in range(200)}


@pytest.mark.parametrize("value", [1e308, -(10**400), [[[]]], {"a": {"b": {}}}, True, None])
def test_every_value_can_be_changed_and_stays_json(value: Json) -> None:
    before = json.dumps(value)
    mutated = [json.dumps(mutate_value(value, SchemaVocabulary(), Random(seed)), allow_nan=False) for seed in range(60)]
    assert json.dumps(value) == before
    assert len(set(mutated)) > 5
