"""Every keyword that can refuse values has a rule, and one without a rule is never taken as compatible."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.checker import CHECKER_KEYWORDS, InclusionChecker, RuleTable
from mcpgen.compat.inclusion.keyword_rules import KEYWORD_RULES
from mcpgen.compat.inclusion.schema_view import Dependent, has_member, make_key
from mcpgen.schema.keywords import CONSTRAINING_KEYWORDS, DRAFT_07
from mcpgen.schema.values import Json
from support.compat import make_view
from support.diff_oracle import counterexample, validator
from support.keyword_schemas import SAMPLES, VALUES, list_pairs, make_variants


def refuses(producer: Any, consumer: Any, dialect: str) -> bool:
    """Return whether a sample is valid under the producer's schema and invalid under the consumer's."""
    is_producer, is_consumer = validator(producer, dialect), validator(consumer, dialect)
    assert is_producer is not None
    assert is_consumer is not None
    return any(is_producer(sample) and not is_consumer(sample) for sample in SAMPLES)


def list_gaps(
    producer: Any, consumer: Any, dialect: str, rules: RuleTable = KEYWORD_RULES
) -> list[tuple[str, str, bool]]:
    gaps = InclusionChecker(make_view(producer, dialect), make_view(consumer, dialect), rules).find_gaps()
    return [(gap.kind.name, gap.keyword, gap.certain) for gap in gaps]


def leave_out(keyword: str) -> RuleTable:
    return RuleTable(rule for rule in KEYWORD_RULES.rules if keyword not in rule.keywords)


def test_every_keyword_has_a_rule() -> None:
    unruled = {kind: keywords for kind, keywords in KEYWORD_RULES.unruled.items() if keywords}
    assert unruled == {}, "these need a KeywordRule in compat/inclusion/"
    ruled = [keyword for rule in KEYWORD_RULES.rules for keyword in rule.keywords]
    assert sorted([*ruled, *CHECKER_KEYWORDS]) == sorted(CONSTRAINING_KEYWORDS)


def test_every_keyword_has_variants() -> None:
    assert VALUES.keys() == CONSTRAINING_KEYWORDS, "write values of the keyword into tests/support/keyword_schemas.py"


@pytest.mark.parametrize("keyword", sorted(CONSTRAINING_KEYWORDS))
def test_a_change_of_a_keyword_is_not_compatible_if_a_value_shows_it(keyword: str) -> None:
    refused = 0
    for producer, consumer, dialect in list_pairs(keyword):
        if refuses(producer, consumer, dialect):
            refused += 1
            assert list_gaps(producer, consumer, dialect), (producer, consumer)
        elif not list_gaps(producer, consumer, dialect):
            assert counterexample(producer, consumer, dialect, 20) == []
    assert refused >= len(make_variants(keyword)) - 1


@pytest.mark.parametrize("keyword", sorted(CONSTRAINING_KEYWORDS - CHECKER_KEYWORDS))
def test_a_change_of_a_keyword_without_a_rule_is_undecided(keyword: str) -> None:
    rules = leave_out(keyword)
    undecided = 0
    for producer, consumer, dialect in list_pairs(keyword):
        gaps = list_gaps(producer, consumer, dialect, rules)
        undecided += ("UNKNOWN", keyword, False) in gaps
        assert gaps or not refuses(producer, consumer, dialect), (producer, consumer)
    assert undecided


@pytest.mark.parametrize("keyword", ["maxLength", "uniqueItems"])
def test_a_keyword_without_a_rule_matters_where_it_can_refuse_values(keyword: str) -> None:
    rules = leave_out(keyword)
    schema: dict[str, Any] = {keyword: VALUES[keyword][0]}
    dialect = list_pairs(keyword)[0][2]
    assert list_gaps({"type": "integer"}, schema, dialect, rules) == []
    assert list_gaps({"title": "the same", **schema}, schema, dialect, rules) == []
    vacuous: Json = {"uniqueItems": False}
    assert list_gaps({"type": "array"}, vacuous, dialect, rules) == []


def test_a_keyword_that_is_not_followed_makes_breaking_changes_doubtful() -> None:
    producer: Json = {"type": "string", "pattern": "^a$"}
    assert list_gaps(producer, {"maxLength": 0}, list_pairs("pattern")[0][2]) == [("MAX_LENGTH", "maxLength", False)]


# --- keywords of subschemas under their dialect -----------------------------------------------------------------------
def test_the_dialect_decides_which_keywords_count() -> None:
    schema = {"prefixItems": [True], "additionalItems": False, "minLength": 1}
    new, old = make_view(schema), make_view(schema, DRAFT_07)
    assert [new.has(new.root, keyword) for keyword in schema] == [True, False, True]
    assert [old.has(old.root, keyword) for keyword in schema] == [False, True, True]


def test_draft_07_ignores_keywords_next_to_a_reference() -> None:
    schema = {"$ref": "#/definitions/a", "minLength": 3, "definitions": {"a": {"type": "string"}}}
    assert make_view(schema, DRAFT_07).get_number(make_view(schema, DRAFT_07).root, "minLength") is None
    assert make_view(schema).get_number(make_view(schema).root, "minLength") == 3


def test_names_and_numbers() -> None:
    view = make_view({"type": "string", "required": ["a", 1, "b"], "minimum": True, "maximum": 2.5})
    assert view.get_names(view.root, "type") == ["string"]
    assert view.get_names(view.root, "required") == ["a", "b"]
    assert view.get_number(view.root, "minimum") is None
    assert view.get_number(view.root, "maximum") == 2.5


def test_subschemas_have_pointers() -> None:
    view = make_view({"anyOf": [True, {}], "not": {}, "properties": {"a/b": {}, "c": 1}})
    assert [branch.at for branch in view.get_subschemas(view.root, "anyOf")] == ["/anyOf/0", "/anyOf/1"]
    negated = view.get_subschema(view.root, "not")
    assert negated is not None
    assert make_key(negated)[0] == "/not"
    assert {name: place.at for name, place in view.get_named_subschemas(view.root, "properties").items()} == {
        "a/b": "/properties/a~1b"
    }


def test_dependents_of_every_keyword() -> None:
    view = make_view({"dependentRequired": {"a": ["b"]}, "dependencies": {"c": {"type": "object"}}})
    first, second = view.list_dependents(view.root)
    assert first == Dependent("a", ("b",), None, "dependentRequired")
    assert second.schema is not None
    assert (second.trigger, second.schema.at, second.keyword) == ("c", "/dependencies/c", "dependencies")


# --- documents that can say which values are valid --------------------------------------------------------------------
def test_members_anywhere_inside_a_value() -> None:
    assert has_member({"a": [{"b": {"$ref": "#"}}]}, frozenset(["$ref"]))
    assert not has_member({"brief": "$ref", "a": ["$ref"]}, frozenset(["$ref"]))
    assert not has_member("$ref", frozenset(["$ref"]))


def test_only_a_dynamic_reference_makes_a_document_dynamic() -> None:
    assert make_view({"$defs": {"a": {"$dynamicRef": "#a"}}}).dynamic
    assert not make_view({"title": "$dynamicRef"}).dynamic
    assert not make_view({"$defs": {"a": {"$dynamicRef": "#a"}}}, DRAFT_07).dynamic


def test_validation_of_a_subschema() -> None:
    view = make_view({"properties": {"a": {"type": "string"}}})
    place = view.get_named_subschemas(view.root, "properties")["a"]
    assert view.is_valid(place, "x") is True
    assert view.is_valid(place, 1) is False
    dynamic = make_view({"properties": {"a": {"$dynamicRef": "#x"}}, "$defs": {"x": {"$dynamicAnchor": "x"}}})
    assert dynamic.is_valid(dynamic.get_named_subschemas(dynamic.root, "properties")["a"], 1) is None
