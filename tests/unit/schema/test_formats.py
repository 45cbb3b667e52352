"""Which strings of a schema become Python types."""

from __future__ import annotations

from mcpgen.schema.document import Schema
from mcpgen.schema.formats import NATIVE_FORMATS, NO_FORMATS, FormatChoices, list_string_types
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json


def test_a_choice_at_the_place_counts_first() -> None:
    formats = FormatChoices(("date",), (("/a", False), ("/b", True)))
    assert [formats.is_native(place, "date") for place in ("", "/a", "/b")] == [True, False, True]
    assert [formats.is_native(place, "time") for place in ("", "/a", "/b")] == [False, False, True]
    assert not formats.is_native("/b", "email")


def test_each_string_has_its_python_type() -> None:
    value: Json = {
        "properties": {"id": {"type": ["string", "null"], "format": "uuid"}, "n": {"type": "integer"}},
        "items": {"type": "string"},
        "$defs": {"day": {"type": "string", "format": "date"}},
    }
    schema = Schema(value, DRAFT_2020_12)
    places = ["/properties/id", "/items", "/$defs/day"]
    assert list_string_types(schema, NO_FORMATS) == dict.fromkeys(places, "str")
    types = list_string_types(schema, FormatChoices(NATIVE_FORMATS, (("/$defs/day", False),)))
    assert [types[place] for place in places] == ["uuid.UUID", "str", "str"]
