"""Unions whose members a constant tells apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pydantic import ValidationError
from support.packages import package, tool


def _member(tag: str, constant: str, /, **more: Any) -> dict[str, Any]:
    member: dict[str, Any] = {"type": "object", "properties": {tag: {"const": constant}}, "required": [tag]}
    member["properties"] |= more
    return member


def _closed(member: dict[str, Any]) -> dict[str, Any]:
    return {**member, "additionalProperties": False}


CAT = _member("kind", "cat", lives={"type": "integer"})
DOG = _member("kind", "dog", tricks={"type": "array", "items": {"type": "string"}})
NESTED = {
    "$defs": {
        "Leaf": _member("kind", "leaf", value={"type": "integer"}),
        "Node": _member("kind", "node", below={"type": "array", "items": {"$ref": "#/$defs/Tree"}}),
        "Tree": {"anyOf": [{"$ref": "#/$defs/Leaf"}, {"$ref": "#/$defs/Node"}]},
    },
    "type": "object",
    "properties": {"tree": {"$ref": "#/$defs/Tree"}},
    "required": ["tree"],
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "pets": {"type": "array", "items": {"oneOf": [CAT, DOG]}},
    "perhaps": {
        "type": "object",
        "properties": {"pet": {"anyOf": [CAT, DOG]}, "other": {"anyOf": [CAT, DOG, {"type": "null"}]}},
    },
    "tree": NESTED,
    "open": {"type": "array", "items": {"oneOf": [_member("petKind", "cat"), _member("petKind", "dog")]}},
    "shut": {
        "type": "array",
        "items": {"oneOf": [_closed(_member("petKind", "cat")), _closed(_member("petKind", "dog"))]},
    },
    "self": {"oneOf": [_member("kind", "end"), _member("kind", "more", next={"$ref": "#"})], "title": "Chain"},
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("tagged")
    built = package(folder, [tool(name, schema) for name, schema in SCHEMAS.items()])
    built.folder = Path(built.__file__).parent
    return built


@pytest.mark.parametrize(
    ("name", "discriminator"),
    [("pets", "kind"), ("perhaps", "kind"), ("tree", "kind"), ("open", None), ("shut", "pet_kind"), ("self", "kind")],
)
def test_the_tag_is_the_discriminator(generated: Any, name: str, discriminator: str | None) -> None:
    text = (generated.folder / "tools" / f"{name}.py").read_text()
    assert (f'discriminator="{discriminator}"' in text) if discriminator else ("discriminator" not in text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pets", [{"kind": "cat", "lives": 9}, {"kind": "dog", "tricks": ["sit"], "more": None}]),
        ("pets", [{"kind": "cow"}]),
        ("pets", [{"lives": 9}]),
        ("pets", [{"kind": "dog", "lives": "nine"}]),
        ("pets", [{"kind": "cat", "lives": "nine"}]),
        ("pets", ["cat"]),
        ("perhaps", {}),
        ("perhaps", {"pet": None}),
        ("perhaps", {"other": None}),
        ("perhaps", {"other": {"kind": "dog"}, "pet": {"kind": "cat"}}),
        ("tree", {"tree": {"kind": "node", "below": [{"kind": "leaf", "value": 1}, {"kind": "node", "below": []}]}}),
        ("tree", {"tree": {"kind": "node", "below": [{"kind": "leaf", "value": "1"}]}}),
        ("open", [{"petKind": "cat", "pet_kind": "dog"}]),
        ("open", [{"pet_kind": "dog"}]),
        ("shut", [{"petKind": "cat"}, {"petKind": "dog"}]),
        ("shut", [{"pet_kind": "cat"}]),
        ("self", {"kind": "more", "next": {"kind": "end"}}),
        ("self", {"kind": "more", "next": {"kind": "else"}}),
    ],
)
def test_it_accepts_what_the_schema_accepts(generated: Any, name: str, value: Any) -> None:
    cls = generated.RESULT_TYPES[name]
    if jsonschema_rs.Draft202012Validator(SCHEMAS[name]).is_valid(value):
        result = cls.from_structured_content(value)
        assert result.to_structured_content() == value
        assert result.model_dump(exclude_unset=True) == value
        assert cls.model_validate(value).to_structured_content() == value
    else:
        with pytest.raises(ValidationError):
            cls.from_structured_content(value)


def test_the_error_names_the_tag(generated: Any) -> None:
    """`model_validate` reads types first: it says which tags there are, and nothing about the other members."""
    with pytest.raises(ValidationError) as caught:
        generated.PetsResult.model_validate([{"kind": "cat", "lives": "nine"}])
    assert [error["loc"] for error in caught.value.errors()] == [(0, "cat", "lives")]
    with pytest.raises(ValidationError, match="'kind' does not match any of the expected tags"):
        generated.PetsResult.model_validate([{"kind": "cow"}])


def test_members_are_given_as_objects(generated: Any) -> None:
    first = generated.PerhapsResult(pet={"kind": "cat", "lives": 3})
    again = generated.PerhapsResult(pet=first.pet, other=None)
    assert again.to_structured_content() == {"pet": {"kind": "cat", "lives": 3}, "other": None}
