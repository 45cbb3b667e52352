"""Keywords of subschemas under their dialect."""

from __future__ import annotations

from mcpgen.compat.inclusion.keyword_reader import Dependent, make_key
from mcpgen.schema.keywords import DRAFT_07
from support.compat import make_view


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
