"""Parsing the annotations of generated classes."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import ANY, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.lower.type_parser import UnreadableAnnotation, parse_annotations

TEXT, INTEGER, NULL = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER), Scalar(ScalarKind.NULL)


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
        (
            "Annotated[int | None, Field(ge=1)]",
            Union((Scalar(ScalarKind.INTEGER, (("ge", 1),)), NULL)),
        ),
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
