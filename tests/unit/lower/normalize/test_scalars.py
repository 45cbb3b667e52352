"""Lowering strings, numbers and enumerated values."""

from __future__ import annotations

from mcpgen.lower.normalize.context import NormalizationContext, create_context
from mcpgen.lower.normalize.core import Core, SchemaPart, SchemaPlace
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.lower.normalize.scalars import lower_enum, lower_number, lower_string
from mcpgen.schema.formats import NATIVE_FORMATS, FormatChoices
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json


def make_context(native: bool = False, members: int = 10) -> NormalizationContext:
    return create_context(
        True,
        DRAFT_2020_12,
        formats=FormatChoices(NATIVE_FORMATS if native else ()),
        limits=LoweringLimits(members=members),
    )


def make_parts(*schemas: dict[str, Json]) -> tuple[SchemaPart, ...]:
    return tuple(SchemaPart(SchemaPlace(f"/{index}"), schema) for index, schema in enumerate(schemas))


def test_strings_keep_their_lengths() -> None:
    assert lower_string(make_parts({"minLength": 2}), make_context()) == {"type": "string", "minLength": 2}


def test_formats_are_types_only_where_they_are_asked_for() -> None:
    parts = make_parts({"format": "date"})
    assert lower_string(parts, make_context()) == {"type": "string"}
    assert lower_string(parts, make_context(native=True)) == {"type": "string", "format": "date"}
    assert lower_string(make_parts({"format": "date"}, {"format": "time"}), make_context(native=True)) == {
        "type": "string"
    }


def test_a_choice_at_the_place_counts_more_than_the_format() -> None:
    def lower(native: tuple[str, ...], *places: tuple[str, bool]) -> Core:
        formats = FormatChoices(native, places)
        parts = make_parts({"format": "date"}, {"format": "date"})
        return lower_string(parts, create_context(True, DRAFT_2020_12, formats=formats))

    native, plain = {"type": "string", "format": "date"}, {"type": "string"}
    assert lower(("time",)) == plain
    assert lower((), ("/0", True)) == lower((), ("/1", True)) == native
    assert lower(("date",), ("/0", False)) == lower(("date",), ("/0", True), ("/1", False)) == plain
    assert lower_string(make_parts({"format": "email"}), make_context(native=True)) == plain


def test_lengths_of_bytes_are_left_to_the_check() -> None:
    context = make_context()
    parts = make_parts({"contentEncoding": "base64", "maxLength": 8})
    assert lower_string(parts, context) == {"type": "string", "format": "byte"}
    assert context.findings.checks == ["maxLength"]


def test_integers_have_whole_bounds() -> None:
    parts = make_parts({"minimum": 0.5})
    assert lower_number("integer", parts, make_context()) == {"type": "integer", "minimum": 1}
    assert lower_number("number", parts, make_context()) == {"type": "number", "minimum": 0.5}


def lower_values(values: list[Json], context: NormalizationContext) -> Core:
    return lower_enum(values, {"enum"}, "/a", context)


def test_plain_values_become_literals() -> None:
    context = make_context()
    assert lower_values(["a", 1.0, 1, True, None], context) == {"enum": ["a", 1, True, None]}
    assert context.findings.checks == []


def test_other_values_become_their_types() -> None:
    context = make_context()
    assert lower_values(["a", 0.5, [1], {}, 2**60], context) == {
        "anyOf": [{"enum": ["a"]}, {"type": "number"}, {"type": "array", "items": {}}, {"type": "object"}]
    }
    assert context.findings.checks == ["enum"]


def test_no_values_are_any_value_with_a_note() -> None:
    context = make_context()
    assert lower_values([], context) == {}
    assert [pointer for pointer, _ in context.findings.notes] == ["/a"]


def test_too_many_values_become_their_types() -> None:
    context = make_context(members=2)
    assert lower_values(["a", "b", 1], context) == {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    assert context.findings.checks == ["enum"]
