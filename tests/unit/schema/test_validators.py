"""Validators, and what they need of the run-time modules."""

from __future__ import annotations

import jsonschema_rs
import pytest
from mcpgen.schema import keywords
from mcpgen.schema.document import Schema, SubschemaValidators
from mcpgen.schema.formats import NATIVE_FORMATS, NO_FORMATS, FormatChoices, list_string_types
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, KEYWORD_TABLE, iterate_subschemas
from mcpgen.schema.values import Json
from mcpgen_runtime import schema_keywords
from mcpgen_runtime.schema_keywords import CheckFailed, contained, is_panic, select_custom_keywords


# --- setting up the validator -----------------------------------------------------------------------------------------
def test_content_keywords_are_ignored_in_draft_07() -> None:
    schema = {"contentMediaType": "application/json"}
    assert not jsonschema_rs.Draft7Validator(schema).is_valid("{")
    ignored = select_custom_keywords(draft_07=True)
    assert jsonschema_rs.Draft7Validator(schema, keywords=ignored).is_valid("{")


def test_nothing_is_ignored_in_2020_12() -> None:
    assert select_custom_keywords(draft_07=False) == {}


# --- validators of subschemas -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("identifier", [{}, {"$id": "https://example.com/a#"}, {"$id": "relative"}])
def test_subschemas_are_compiled_with_the_whole_schema(identifier: dict[str, Json]) -> None:
    schema: Json = {**identifier, "properties": {"a/b": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "null"}}}
    validators = SubschemaValidators(schema, DRAFT_2020_12)
    validator = validators.find_validator("/properties/a~1b")
    assert validator.is_valid(None)
    assert not validator.is_valid(1)
    assert validators.find_validator("/properties/a~1b") is validator
    assert not validators.find_validator("").is_valid({"a/b": 1})


def test_a_missing_subschema_has_no_validator() -> None:
    assert SubschemaValidators({}, DRAFT_2020_12).find_validator("/missing") is None


def test_an_invalid_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="type"):
        SubschemaValidators({"type": "no type"}, DRAFT_2020_12)


def test_content_keywords_are_annotations_in_draft_07() -> None:
    schema: Json = {"contentEncoding": "base64", "format": "date"}
    assert SubschemaValidators(schema, DRAFT_07).find_validator("").is_valid("no base64, no date")


# --- which strings of a schema become Python types --------------------------------------------------------------------
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


# --- the sets of keywords of the run-time library are those of the table ----------------------------------------------
def test_the_library_has_the_same_sets() -> None:
    assert {
        name: value for name, value in vars(schema_keywords).items() if name.isupper() and isinstance(value, frozenset)
    } == {
        "SCHEMA_KEYWORDS": keywords.SINGLE_SCHEMA_KEYWORDS | keywords.SCHEMA_LIST_KEYWORDS,
        "URI_KEYWORDS": {*keywords.REFERENCE_KEYWORDS[DRAFT_2020_12], "$id"},
        "TYPED_KEYWORDS": {name for name, keyword in KEYWORD_TABLE.items() if keyword.type},
        "ONLY_IN_DRAFT_07": {name for name, keyword in KEYWORD_TABLE.items() if keyword.only_in == DRAFT_07},
        "ONLY_IN_2020_12": {name for name, keyword in KEYWORD_TABLE.items() if keyword.only_in == DRAFT_2020_12},
        **{
            f"{kind}_KEYWORDS": getattr(keywords, f"{kind}_KEYWORDS")
            for kind in ("SCHEMA_MAP", "DEFINITION", "VALUE", "ANNOTATION")
        },
    }


def test_keywords_that_contain_schemas_are_those_that_a_walk_enters() -> None:
    in_objects = {name for name in KEYWORD_TABLE if any(iterate_subschemas({name: {"x": {}}}, DRAFT_2020_12))}
    in_lists = {name for name in KEYWORD_TABLE if any(iterate_subschemas({name: [{}]}, DRAFT_2020_12))}
    assert in_objects | in_lists == schema_keywords.SCHEMA_KEYWORDS | schema_keywords.SCHEMA_MAP_KEYWORDS
    assert schema_keywords.DEFINITION_KEYWORDS < schema_keywords.SCHEMA_MAP_KEYWORDS


# --- panics of the validator ------------------------------------------------------------------------------------------
PanicException = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})


def test_a_panic_becomes_an_error() -> None:
    with pytest.raises(CheckFailed, match="since the validator failed"), contained():
        raise PanicException("index out of bounds")


def test_other_exceptions_stay() -> None:
    with pytest.raises(KeyboardInterrupt), contained():
        raise KeyboardInterrupt
    with contained():
        pass


def test_panics_are_recognized() -> None:
    assert is_panic(PanicException("a"))
    assert not is_panic(ValueError("a"))
