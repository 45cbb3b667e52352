"""Calling datamodel-code-generator, and reading the annotations that it returns."""

from __future__ import annotations

import time

import pytest
from mcpgen.ir.types import ANY, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.lower import type_generator
from mcpgen.lower.deadline import DeadlinePassed, compute_deadline
from mcpgen.lower.type_generator import TypeGeneratorFailed, generate_module, generate_types, parse_annotations
from mcpgen.schema.values import Json


# --- calling datamodel-code-generator ---------------------------------------------------------------------------------
def make_document(property_schema: Json) -> dict[str, Json]:
    return {"type": "object", "properties": {"a": property_schema}, "required": ["a"]}


def test_a_schema_becomes_a_class() -> None:
    text = generate_module(make_document({"type": "string"}), compute_deadline(60))
    assert "class Types(" in text
    assert "a: StrictStr" in text


def test_what_cannot_be_read_is_an_error() -> None:
    with pytest.raises(TypeGeneratorFailed):
        generate_module(make_document({"type": "string", "minLength": "one"}), compute_deadline(60))


def test_a_deadline_that_has_passed_is_a_timeout() -> None:
    with pytest.raises(DeadlinePassed):
        generate_module(make_document({"type": "string"}), time.monotonic() - 1)


def test_types_come_back_under_the_names_of_their_schemas() -> None:
    types = generate_types({"a": {"$ref": "#/$defs/K1"}, "b": {"type": "string"}}, ["K0", "K1"], compute_deadline(60))
    assert types == {"a": Ref("K1"), "b": Scalar(ScalarKind.STRING)}


@pytest.mark.parametrize("properties", ["a: StrictStr", "a: StrictStr\n    b: StrictStr\n    c: StrictStr"])
def test_a_property_that_is_lost_or_added_is_an_error(properties: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type_generator, "generate_module", lambda document, until: f"class Types:\n    {properties}\n")
    with pytest.raises(TypeGeneratorFailed, match="properties"):
        generate_types({"a": {"type": "string"}, "b": {"type": "string"}}, [], compute_deadline(60))


# --- parsing the annotations of generated classes ---------------------------------------------------------------------
TEXT = Scalar(ScalarKind.STRING)
INTEGER = Scalar(ScalarKind.INTEGER)
NULL = Scalar(ScalarKind.NULL)


def parse(annotation: str, more: str = "") -> Type:
    """Return the type of one property."""
    return parse_annotations(f"class K0: pass\n{more}\nclass Types:\n    a: {annotation}\n", ["K0"])["a"]


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("StrictStr", TEXT),
        ("StrictInt | None", Union((INTEGER, NULL))),
        ("StrictStr | Any", ANY),
        ("StrictStr | StrictStr", TEXT),
        ("list[dict[str, K0]]", Array(Map(Ref("K0")))),
        ("tuple[StrictStr, StrictInt]", FixedArray((TEXT, INTEGER))),
        ("tuple[StrictStr]", FixedArray((TEXT,))),
        ("Annotated[tuple[StrictStr], Field(min_length=1, max_length=1)]", FixedArray((TEXT,))),
        ("Literal['a', 1, True, None]", Choice(("a", 1, True, None))),
        ("Literal['a']", Choice(("a",))),
        ("Annotated[StrictInt, Field(ge=1.0, lt=5)]", Scalar(ScalarKind.INTEGER, (("ge", 1), ("lt", 5)))),
        ("Annotated[StrictFloat, Field(ge=-1.5)]", Scalar(ScalarKind.NUMBER, (("ge", -1.5),))),
        ("Annotated[list[StrictInt], Field(min_length=1)]", Array(INTEGER, (("min_length", 1),))),
        ("Annotated[StrictInt | None, Field(ge=1)]", Union((Scalar(ScalarKind.INTEGER, (("ge", 1),)), NULL))),
        ("Base64Str", Scalar(ScalarKind.BASE64)),
    ],
)
def test_annotations_become_types(annotation: str, expected: Type) -> None:
    assert parse(annotation) == expected


def test_names_of_parts_are_followed() -> None:
    part = "Part = TypeAliasType('Part', list[StrictStr])"
    assert parse("Part", part) == Array(TEXT)
    assert parse("list[Part] | Part", part) == Union((Array(Array(TEXT)), Array(TEXT)))


@pytest.mark.parametrize(
    "annotation",
    [
        "Unknown",
        "str",
        "'StrictStr'",
        "Optional[StrictStr]",
        "list",
        "set[StrictStr]",
        "list[StrictStr, StrictInt]",
        "dict[int, StrictStr]",
        "StrictStr.upper",
        "StrictStr & StrictInt",
        "Literal[1.5]",
        "Literal[b'a']",
        "Literal[name]",
        "Annotated[StrictStr, Field(pattern='a')]",
        "Annotated[StrictStr, Field(ge=True)]",
        "Annotated[StrictStr, Field(ge='a')]",
        "Annotated[StrictStr, Field(**{'ge': 1})]",
        "Annotated[StrictStr, Field(5)]",
        "Annotated[StrictStr, Other(ge=1)]",
        "Annotated[StrictStr, Field(ge=1), Field(ge=2)]",
        "Annotated[dict[str, StrictStr], Field(min_length=1)]",
        "Annotated[tuple[StrictStr], Field(min_length=2)]",
        "Annotated[StrictStr | StrictInt, Field(ge=1)]",
    ],
)
def test_other_annotations_are_refused(annotation: str) -> None:
    with pytest.raises(TypeGeneratorFailed):
        parse(annotation)


def test_a_part_that_is_itself_is_refused() -> None:
    with pytest.raises(TypeGeneratorFailed, match="unknown annotation Part"):
        parse("Part", "Part = TypeAliasType('Part', Part | None)")


def test_a_text_that_is_no_module_is_refused() -> None:
    with pytest.raises(TypeGeneratorFailed, match="unknown syntax"):
        parse_annotations("class Types", [])


def test_a_missing_class_is_refused() -> None:
    with pytest.raises(TypeGeneratorFailed, match="no class Types"):
        parse_annotations("class A: pass", ["A"])
