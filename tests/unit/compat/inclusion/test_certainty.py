"""Doubts about the values of a conjunction."""

from __future__ import annotations

from mcpgen.compat.inclusion.certainty import is_doubtful, may_lack_kinds, surely_contains, surely_lacks
from mcpgen.compat.inclusion.unions import split_union
from support.compat import conjoin


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
