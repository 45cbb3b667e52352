"""Words for the members of unions."""

from __future__ import annotations

import pytest
from mcpgen.lower.branch_words import list_branch_words
from mcpgen.schema.values import Json


def constant(name: str, value: Json) -> Json:
    return {"type": "object", "properties": {name: {"const": value}}, "required": [name]}


def requires(*names: str) -> Json:
    return {"type": "object", "properties": {name: {} for name in names}, "required": [*names]}


def titled(title: str, **keywords: Json) -> Json:
    return {"title": title, **keywords}


OBJECT: Json = {"type": "object"}


@pytest.mark.parametrize(
    ("branches", "words"),
    [
        pytest.param([OBJECT, {"type": "null"}], ["", "null"], id="only object"),
        pytest.param([{"type": "array"}, OBJECT, {"type": "string"}], ["", "", "string"], id="object and array"),
        pytest.param([{"$ref": "#/$defs/a~1B.json"}, requires("x")], ["B", "x"], id="definition"),
        pytest.param([{"$ref": "x.json"}, {"$ref": "y.json"}], ["option1", "option2"], id="other documents"),
        pytest.param([constant("kind", "a"), constant("kind", "b")], ["a", "b"], id="constants"),
        pytest.param([constant("v", 1), constant("v", 2)], ["v 1", "v 2"], id="numbers"),
        pytest.param([constant("ok", True), constant("ok", False)], ["ok", "not ok"], id="booleans"),
        pytest.param(
            [{"properties": {"c": {"enum": ["DE", "AT"]}}}, {"properties": {"c": {"const": "FR"}}}],
            ["DE or AT", "FR"],
            id="two values",
        ),
        pytest.param(
            [titled("T", properties={"k": {"const": "a"}}), constant("k", "b")], ["a", "b"], id="before titles"
        ),
        pytest.param([titled("One"), titled("Two")], ["One", "Two"], id="titles"),
        pytest.param([titled("One"), titled("one")], ["option1", "option2"], id="one title"),
        pytest.param([requires("b", "a"), requires("a", "c")], ["b", "c"], id="required"),
        pytest.param([requires("z", "y"), requires("x")], ["y", "x"], id="first required"),
        pytest.param([{"properties": {"a": {}}}, {"properties": {"b": {}}}], ["a", "b"], id="declared"),
        pytest.param(
            [requires("a", "b"), requires("a"), requires("a")], ["b", "option2", "option3"], id="numbers last"
        ),
        pytest.param([constant("k", "a"), constant("k", "b"), OBJECT], ["a", "b", "object"], id="type"),
        pytest.param([constant("k", "a"), constant("k", "b"), True], ["a", "b", "other"], id="other"),
        pytest.param([{"allOf": [constant("k", "a")]}, constant("k", "b")], ["a", "b"], id="in allOf"),
        pytest.param([constant("k", "å"), constant("k", "ö")], ["option1", "option2"], id="not ASCII"),
    ],
)
def test_members_are_named_after_what_tells_them_apart(branches: list[Json], words: list[str]) -> None:
    assert list_branch_words(branches) == words


def test_words_do_not_depend_on_the_order_of_members() -> None:
    branches: list[Json] = [
        requires("a", "b"),
        requires("a", "c"),
        constant("kind", "x"),
        titled("Last", type="object"),
    ]
    words = dict(zip(map(str, branches), list_branch_words(branches), strict=True))
    assert dict(zip(map(str, branches[::-1]), list_branch_words(branches[::-1]), strict=True)) == words
