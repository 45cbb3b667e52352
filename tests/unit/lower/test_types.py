"""Types from datamodel-code-generator, parsed."""

from __future__ import annotations

import time

import pytest
from mcpgen.ir.types import ANY, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.lower.generated_types import ClassTypes, GeneratedTypes, NoTypes, generate_schema_types
from mcpgen.lower.node_ids import make_node_id
from mcpgen.lower.normalize.core import Core, NormalizedSchema, SchemaPlace
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.lower.type_cache import TypeCache
from mcpgen.lower.type_generator import (
    MAX_TIMER_SECONDS,
    TypeGeneratorFailed,
    TypeGeneratorTimeout,
    compute_deadline,
    generate_annotations,
)
from mcpgen.lower.type_parser import UnreadableAnnotation, parse_annotations
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json


# --- calling datamodel-code-generator ---------------------------------------------------------------------------------
def make_definitions(property_schema: Json) -> dict[str, dict[str, Json]]:
    return {"A": {"type": "object", "properties": {"a": property_schema}, "required": ["a"]}}


def test_each_definition_becomes_a_class() -> None:
    text = generate_annotations(make_definitions({"type": "string"}), compute_deadline(60))
    assert "class A(" in text
    assert "a: StrictStr" in text


def test_what_cannot_be_read_is_an_error() -> None:
    with pytest.raises(TypeGeneratorFailed):
        generate_annotations(make_definitions({"type": "string", "minLength": "one"}), compute_deadline(60))


def test_a_deadline_that_has_passed_is_a_timeout() -> None:
    with pytest.raises(TypeGeneratorTimeout):
        generate_annotations(make_definitions({"type": "string"}), time.monotonic() - 1)


def test_deadlines_are_within_what_timers_count() -> None:
    assert compute_deadline(1e300) <= time.monotonic() + MAX_TIMER_SECONDS


# --- parsing the annotations of generated classes ---------------------------------------------------------------------
TEXT = Scalar(ScalarKind.STRING)
INTEGER = Scalar(ScalarKind.INTEGER)
NULL = Scalar(ScalarKind.NULL)


def parse(annotation: str, more: str = "") -> Type:
    """Return the type of one property."""
    return parse_annotations(f"class K0: pass\n{more}\nclass A:\n    a: {annotation}\n", {"A", "K0"})["A"]["a"]


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("StrictStr", TEXT),
        ("int | None", Union((INTEGER, NULL))),
        ("Optional[StrictInt]", Union((INTEGER, NULL))),
        ("Union[str, Any]", ANY),
        ("str | str", TEXT),
        ("list[dict[str, K0]]", Array(Map(Ref("K0")))),
        ("tuple[str, int]", FixedArray((TEXT, INTEGER))),
        ("Literal['a', 1, True, None]", Choice(("a", 1, True, None))),
        ("'str'", TEXT),
        ("Annotated[int, Field(ge=1.0, lt=5)]", Scalar(ScalarKind.INTEGER, (("ge", 1), ("lt", 5)))),
        ("Annotated[list[int], Field(min_length=1)]", Array(INTEGER, (("min_length", 1),))),
        ("Annotated[int | None, Field(ge=1)]", Union((Scalar(ScalarKind.INTEGER, (("ge", 1),)), NULL))),
        ("Base64Str", Scalar(ScalarKind.BASE64)),
    ],
)
def test_annotations_become_types(annotation: str, expected: Type) -> None:
    assert parse(annotation) == expected


def test_names_of_parts_are_followed() -> None:
    assert parse("Part", "Part = TypeAliasType('Part', list[str])") == Array(TEXT)


@pytest.mark.parametrize(
    "annotation",
    [
        "Unknown",
        "set[str]",
        "dict[int, str]",
        "str.upper",
        "Literal[1.5]",
        "Annotated[str, Field(pattern='a')]",
        "Annotated[str, Field(ge=True)]",
        "Annotated[dict[str, str], Field(min_length=1)]",
    ],
)
def test_other_annotations_are_refused(annotation: str) -> None:
    with pytest.raises(UnreadableAnnotation):
        parse(annotation)


def test_a_part_that_is_itself_is_refused() -> None:
    with pytest.raises(UnreadableAnnotation, match="refers to itself"):
        parse("Part", "Part = TypeAliasType('Part', Part | None)")


def test_a_missing_class_is_refused() -> None:
    with pytest.raises(UnreadableAnnotation, match="no class B"):
        parse_annotations("class A: pass", {"B"})


# --- generating the types of several schemas --------------------------------------------------------------------------
SCHEMA: Json = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "json": {"$ref": "#/$defs/Nested"}},
    "$defs": {"Nested": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/Nested"}}]}},
}


def normalize(schema: Json, prefix: str = "A") -> NormalizedSchema:
    return normalize_schema(schema, DRAFT_2020_12, prefix)


def test_types_come_back_under_their_keys() -> None:
    schemas = [normalize(SCHEMA), normalize({"type": "integer"}, "B")]
    first, second = generate_schema_types(schemas, 60, TypeCache())
    assert isinstance(first, GeneratedTypes)
    assert isinstance(second, GeneratedTypes)
    assert first.root == Ref("AC0")
    assert first.classes == {"AC0": ClassTypes((Scalar(ScalarKind.STRING), Ref("AA0")), ANY)}
    assert [*first.aliases] == ["AA0"]
    assert (second.schema, second.root) == (schemas[1], Scalar(ScalarKind.INTEGER))


class FailingCache(TypeCache):
    """Fails for strings."""

    def find_types(self, cores: list[Core], until: float) -> list[Type]:
        if {"type": "string"} in cores:
            raise TypeGeneratorFailed("no strings")
        return super().find_types(cores, until)


def test_a_schema_that_fails_does_not_spoil_the_others() -> None:
    schemas = [normalize({"type": "string"}), normalize({"type": "integer"})]
    first, second = generate_schema_types(schemas, 60, FailingCache())
    assert first == NoTypes("")
    assert isinstance(second, GeneratedTypes)


class LateCache(TypeCache):
    """Is always late."""

    def find_types(self, cores: list[Core], until: float) -> list[Type]:
        assert until > time.monotonic()
        raise TypeGeneratorTimeout


@pytest.mark.parametrize("count", [1, 2])
def test_a_timeout_is_told_for_each_schema(count: int) -> None:
    reason = "the type generator took longer than 60 s (`limits.seconds`)"
    assert generate_schema_types([normalize(True)] * count, 60, LateCache()) == [NoTypes(reason)] * count


# --- ids of classes and aliases ---------------------------------------------------------------------------------------
def test_an_id_does_not_depend_on_the_order_of_places() -> None:
    first, second = SchemaPlace("/a"), SchemaPlace("/b", frozenset(["anyOf", "allOf"]))
    assert make_node_id([first, second], ":") == make_node_id([second, first], ":") == ":/a&/b!allOf!anyOf"


def test_marks_in_pointers_are_escaped() -> None:
    places = [[SchemaPlace("/a&b")], [SchemaPlace("/a"), SchemaPlace("b")], [SchemaPlace("/a%26b")]]
    assert len({make_node_id(place, ":") for place in places}) == 3
