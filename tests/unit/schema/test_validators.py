"""Validators, and what they need of the run-time modules."""

from __future__ import annotations

import jsonschema_rs
import pytest
from mcpgen.paths import find_shipped_folder
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import NATIVE_FORMATS, NO_FORMATS, FormatChoices, list_string_types
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, KEYWORD_TABLE, iterate_subschemas
from mcpgen.schema.panics import Panicked, contained, is_panic
from mcpgen.schema.runtime_keywords import RUNTIME_KEYWORD_SETS
from mcpgen.schema.subschema_validators import SubschemaValidators
from mcpgen.schema.validators import list_custom_keywords
from mcpgen.schema.values import Json
from mcpgen_runtime import schema_keywords


# --- setting up the validator -----------------------------------------------------------------------------------------
def test_content_keywords_are_ignored_in_draft_07() -> None:
    schema = {"contentMediaType": "application/json"}
    assert not jsonschema_rs.Draft7Validator(schema).is_valid("{")
    ignored = list_custom_keywords(DRAFT_07)
    assert jsonschema_rs.Draft7Validator(schema, keywords=ignored).is_valid("{")


def test_nothing_is_ignored_in_2020_12() -> None:
    assert list_custom_keywords(DRAFT_2020_12) == {}


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


# --- the sets of keywords that generated packages have are those of the table -----------------------------------------
def test_a_generated_package_has_exactly_these_sets() -> None:
    written = {name: getattr(schema_keywords, name) for name in schema_keywords.__all__}
    assert written == {
        runtime_keyword_set.name: frozenset(runtime_keyword_set.keywords)
        for runtime_keyword_set in RUNTIME_KEYWORD_SETS
    }


def test_keywords_that_contain_schemas_are_those_that_a_walk_enters() -> None:
    in_objects = {name for name in KEYWORD_TABLE if any(iterate_subschemas({name: {"x": {}}}, DRAFT_2020_12))}
    in_lists = {name for name in KEYWORD_TABLE if any(iterate_subschemas({name: [{}]}, DRAFT_2020_12))}
    assert in_objects | in_lists == schema_keywords.SCHEMA_KEYWORDS | schema_keywords.SCHEMA_MAP_KEYWORDS
    assert schema_keywords.DEFINITION_KEYWORDS < schema_keywords.SCHEMA_MAP_KEYWORDS


def test_keywords_of_one_dialect() -> None:
    assert {"additionalItems"} == schema_keywords.ONLY_IN_DRAFT_07
    assert {"prefixItems", "dependentSchemas", "unevaluatedItems"} < schema_keywords.ONLY_IN_2020_12
    assert {KEYWORD_TABLE[name].only_in for name in schema_keywords.ONLY_IN_2020_12} == {DRAFT_2020_12}
    assert {KEYWORD_TABLE[name].only_in for name in schema_keywords.ONLY_IN_DRAFT_07} == {DRAFT_07}


# --- panics of the validator ------------------------------------------------------------------------------------------
PanicException = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})


def test_a_panic_becomes_an_error() -> None:
    with pytest.raises(Panicked, match="jsonschema-rs"), contained():
        raise PanicException("index out of bounds")


def test_other_exceptions_stay() -> None:
    with pytest.raises(KeyboardInterrupt), contained():
        raise KeyboardInterrupt
    with contained():
        pass


def test_panics_are_recognized() -> None:
    assert is_panic(PanicException("a"))
    assert not is_panic(ValueError("a"))


# --- mcpgen runs the run-time modules of generated packages itself ----------------------------------------------------
def test_a_module_is_the_one_that_packages_get() -> None:
    module = importlib.import_module("mcpgen_runtime.schema_keywords")
    assert module.__file__ == str(find_shipped_folder("templates") / "runtime" / "schema_references.py")
    assert importlib.import_module("mcpgen_runtime.schema_keywords") is module


def test_its_keywords_are_those_of_generated_packages() -> None:
    loaded = importlib.import_module("mcpgen_runtime.schema_keywords")
    assert loaded.VALUE_KEYWORDS == schema_keywords.VALUE_KEYWORDS
    assert loaded.URI_KEYWORDS == schema_keywords.URI_KEYWORDS
