"""Splitting of unions."""

from __future__ import annotations

from mcpgen.compat.inclusion.unions import is_settled, split_union
from support.compat import conjoin


def test_each_branch_becomes_a_case() -> None:
    cases = split_union(conjoin({"anyOf": [{"type": "string"}, {"type": "null"}], "minLength": 1}))
    assert cases is not None
    assert [case.kinds for case in cases] == [{"string"}, {"null"}]
    assert all(case.excluded == () for case in cases)
    assert [split_union(case) for case in cases] == [None, None]


def test_a_branch_of_oneof_excludes_the_others() -> None:
    cases = split_union(conjoin({"oneOf": [{"type": "string"}, {"type": "null"}]}))
    assert cases is not None
    assert [[place.at for place in case.excluded] for case in cases] == [["/oneOf/1"], ["/oneOf/0"]]


def test_unions_are_split_one_after_the_other() -> None:
    cases = split_union(conjoin({"anyOf": [{"minLength": 1}], "oneOf": [{"maxLength": 5}, {"maxLength": 7}]}))
    assert cases is not None
    (case,) = cases
    inner = split_union(case)
    assert inner is not None
    assert [value.find_size("minLength", "maxLength") for value in inner] == [(1, 5), (1, 7)]


def test_an_anyof_with_a_branch_among_the_parts_is_settled() -> None:
    conjunction = conjoin({"anyOf": [{"$ref": "#/$defs/a"}], "$ref": "#/anyOf/0", "$defs": {"a": {}}})
    root = next(part for part in conjunction.parts if not part.at)
    assert is_settled(conjunction, root, "anyOf")
    assert not is_settled(conjoin({"anyOf": [{}]}), root, "anyOf")
    assert split_union(conjunction) is None
