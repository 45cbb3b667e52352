"""Atoms and kinds of types."""

from __future__ import annotations

import pytest
from mcpgen.content.type_lookup import TypeLookup
from mcpgen.content.value_types import INTEGER, NULL, STRING
from mcpgen.ir.template import KeyValuePair, Markup, Stream, TemplateType
from mcpgen.ir.types import ANY, Alias, Array, Choice, FixedArray, Map, Node, Ref, Scalar, ScalarKind, Type, Union
from support.templates import HARBOUR, MASTER, TYPES, make_class, required

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
