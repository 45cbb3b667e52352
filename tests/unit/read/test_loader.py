"""Positions, YAML's types, and references, held against jsonschema-rs over the same files as they were written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcpgen.config.models import ConfiguredPackage, Limits, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.read.document import SourceDocument
from mcpgen.read.loader import read_definitions
from mcpgen.read.parse import load_document
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.result_wrapper import wrap_schema
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer

LIMITS = Limits.model_validate({})


def document(folder: Path, text: str | bytes, name: str = "input.json") -> SourceDocument:
    """The document that this text is; it has to be free of findings."""
    findings = Findings()
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    found = load_document(folder / name, name, findings, LIMITS)
    assert found is not None, list(findings)
    assert not list(findings)
    found.known = True
    return found


def refused(folder: Path, text: str | bytes, name: str = "input.json") -> list[tuple[str, int, int]]:
    """The (message, line, column) of each finding about a text that cannot be read."""
    findings = Findings()
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert load_document(folder / name, name, findings, LIMITS) is None
    return [(one.message, one.span.line, one.span.column) for one in findings if one.span is not None]


def at(text: str, needle: str, occurrence: int = 1) -> tuple[int, int]:
    """The (line, column) of a marker in a text, counted from 1 in characters."""
    offset = -1
    for _ in range(occurrence):
        offset = text.index(needle, offset + 1)
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def validator_of(schema: Json, dialect: str) -> Any:
    """An independent reading of a schema."""
    kind = jsonschema_rs.Draft7Validator if dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator
    return kind(cast(Any, schema), validate_formats=False)


def place(span: Span) -> tuple[int, int]:
    return span.line, span.column


# --- positions in JSON ----------------------------------------------------------------------------------------------
JSON_TEXT = """\
{
  "plain": 1,
  "a/b": {"til~de": "x"},
  "": [10, [20, 21], {"in ner": null}],
  "\\u0065scaped \\"quote\\"": true,
  "größe ☂": {"名": "天気", "after": -1.5e3},
\t"tab":\t"t",
  "brackets ]}": "]}, {[",
  "last": {}
}
"""


@pytest.mark.parametrize(
    ("where", "marker", "occurrence"),
    [
        ("", "{", 1),
        ("/plain", "1", 1),
        ("/a~1b", '{"til', 1),
        ("/a~1b/til~0de", '"x"', 1),
        ("/", "[10", 1),
        ("//0", "10", 1),
        ("//1", "[20", 1),
        ("//1/1", "21", 1),
        ("//2/in ner", "null", 1),
        ('/escaped "quote"', "true", 1),
        ("/größe ☂", '{"名"', 1),
        ("/größe ☂/名", '"天気"', 1),
        ("/größe ☂/after", "-1.5e3", 1),
        ("/tab", '"t"', 1),
        ("/brackets ]}", '"]}, {["', 1),
        ("/last", "{}", 1),
        ("/last/nothing/there", "{}", 1),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_json_pointer_has_its_place(tmp_path: Path, where: str, marker: str, occurrence: int, newline: str) -> None:
    found = document(tmp_path, JSON_TEXT.replace("\n", newline))
    assert place(found.make_span(where)) == at(JSON_TEXT, marker, occurrence)


def test_a_member_name_has_its_place_and_a_span_its_line(tmp_path: Path) -> None:
    text = '{\r\n  "outer": {"a/b": 1,\r\n\t"größe": 2, "after": 3}\r\n}\r\n'
    found = document(tmp_path, text)
    for key in ("a/b", "größe", "after"):
        span = found.make_span("/outer", key)
        assert place(span) == at(text, json.dumps(key, ensure_ascii=False))
        assert span.pointer == "/outer" + format_pointer(key)
        assert span.file == "input.json"
    assert found.make_span("/outer", "after").text == '\t"größe": 2, "after": 3}'


def test_a_byte_order_mark_is_no_column(tmp_path: Path) -> None:
    found = document(tmp_path, b'\xef\xbb\xbf{"a": 1}')
    assert place(found.make_span("/a")) == (1, 7)


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def paths(value: Json, where: str = "") -> list[str]:
    """The pointers of a value and of everything inside it."""
    if isinstance(value, dict):
        children: list[tuple[str, Json]] = [(format_pointer(key), inner) for key, inner in value.items()]
    else:
        children = (
            [(format_pointer(index), inner) for index, inner in enumerate(value)] if isinstance(value, list) else []
        )
    return [where, *(path for step, inner in children for path in paths(inner, where + step))]


def offset_of(text: str, span: Span) -> int:
    """The offset of a place in a text, lines ending where Python's universal newlines say (here: only at LF)."""
    return sum(len(line) + 1 for line in text.split("\n")[: span.line - 1]) + span.column - 1


@given(value=VALUES, indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans())
@settings(deadline=None, max_examples=150)
def test_at_each_place_stands_the_text_of_the_value(value: Json, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    found = SourceDocument(Path("x.json"), "x.json", text, value)
    for where in paths(value):
        stands, _ = json.JSONDecoder().raw_decode(text, offset_of(text, found.make_span(where)))
        assert stands == follow_pointer(value, parse_pointer(where))


# --- what JSON refuses ----------------------------------------------------------------------------------------------
def test_a_repeated_name_is_shown_where_it_is_repeated(tmp_path: Path) -> None:
    text = '{\n  "x": "a",\n  "in": {"a": 1, "b": {"a": 2}, "a": 3}\n}\n'
    assert refused(tmp_path, text) == [('the name "a" stands twice in one object', *at(text, '"a": 3'))]


def test_a_repeated_name_is_found_behind_an_escape(tmp_path: Path) -> None:
    text = '{"b": "a", "a": 1,\n "\\u0061": 2}\n'
    assert refused(tmp_path, text) == [('the name "a" stands twice in one object', *at(text, '"\\u0061"'))]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_a_number_that_json_lacks_is_shown_where_it_stands(tmp_path: Path, word: str) -> None:
    text = f'{{\n  "{word}": "{word}",\n  "number": {word}\n}}\n'
    assert refused(tmp_path, text) == [(f"{word} is not a JSON number", 3, 13)]


def test_the_column_of_a_wrong_byte_counts_characters(tmp_path: Path) -> None:
    assert refused(tmp_path, '{\n"größe ☂": "'.encode() + b'\xff"}') == [("not valid UTF-8", 2, 13)]


@pytest.mark.parametrize("text", ['"\\ud800"', '{"\\udfff": 1}', '["\\ude00\\ud83d"]'])
def test_a_lone_surrogate_is_refused(tmp_path: Path, text: str) -> None:
    assert [line for _, line, _ in refused(tmp_path, text)] == [1]


def test_a_pair_of_surrogates_is_a_character(tmp_path: Path) -> None:
    assert document(tmp_path, '"\\ud83d\\ude00"').value == "😀"


@pytest.mark.parametrize("name", ["x.json", "x.yaml"])
def test_what_is_nested_too_deeply_is_refused(tmp_path: Path, name: str) -> None:
    assert len(refused(tmp_path, "[" * 100_000 + "]" * 100_000, name)) == 1


@pytest.mark.parametrize("name", ["x.json", "x.yaml"])
def test_a_number_of_thousands_of_digits_is_refused(tmp_path: Path, name: str) -> None:
    assert len(refused(tmp_path, "[1, " + "9" * 5000 + "]", name)) == 1


# --- YAML -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        *((text, text) for text in ("yes", "no", "on", "off", "Yes", "NO", "On", "y", "n", "True", "FALSE")),
        *((text, text) for text in ("1_000", "0o7", "0x1F", "0b1", "017", "+1", ".5", "1:30", "190:20:30", "1,000")),
        *((text, text) for text in ("2026-07-28", "2026-07-28T10:00:00Z", "10:30", "~", "Null", "NULL", "nil", "<<")),
        ("null", None),
        ("true", True),
        ("false", False),
        ("0", 0),
        ("-0", 0),
        ("42", 42),
        ("-7", -7),
        ("1.50", 1.5),
        ("-2.5e3", -2500.0),
        ("1e3", 1000.0),
        ("1E+2", 100.0),
        ('"null"', "null"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 7", "7"),
        ("!!str null", "null"),
        ("plain text", "plain text"),
        ('"\\u00e9\\t"', "é\t"),
        ('"\\U0001F600"', "😀"),
        ("[]", []),
        ("{}", {}),
        ("{a: [1, null], b: {}}", {"a": [1, None], "b": {}}),
    ],
)
def test_a_yaml_scalar_has_the_type_of_the_json_schema(tmp_path: Path, scalar: str, value: Json) -> None:
    found = document(tmp_path, f"key: {scalar}\nlist:\n- {scalar}\n", "x.yaml").value
    assert found == {"key": value, "list": [value]}
    assert isinstance(found, dict)
    assert type(found["key"]) is type(value)


def test_yaml_block_texts_and_aliases_are_values(tmp_path: Path) -> None:
    text = (
        "folded: >-\n  one\n  two\nkept: |\n  one\n  two\nbase: &b {type: string}\nagain: *b\n7: number\nnull: none\n"
    )
    expected = {
        "folded": "one two",
        "kept": "one\ntwo\n",
        "base": {"type": "string"},
        "again": {"type": "string"},
        "7": "number",
        "null": "none",
    }
    assert document(tmp_path, text, "x.yml").value == expected


YAML_TEXT = """\
# A comment first.
plain: 1
a/b: {til~de: x}
? nested
:
  - 10
  - - 20
    - 21
  - in ner: null
größe ☂: {名: 天気, after: text}
'quoted': "q"
last: {}
"""


@pytest.mark.parametrize(
    ("where", "marker"),
    [
        ("", "plain"),
        ("/plain", "1"),
        ("/a~1b", "{til"),
        ("/a~1b/til~0de", "x}"),
        ("/nested/0", "10"),
        ("/nested/1", "- 20"),
        ("/nested/1/1", "21"),
        ("/nested/2/in ner", "null"),
        ("/größe ☂/名", "天気"),
        ("/größe ☂/after", "text"),
        ("/quoted", '"q"'),
        ("/last/nothing", "{}"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_yaml_pointer_has_its_place(tmp_path: Path, where: str, marker: str, newline: str) -> None:
    found = document(tmp_path, YAML_TEXT.replace("\n", newline), "x.yaml")
    assert place(found.make_span(where)) == at(YAML_TEXT, marker)


def test_a_yaml_member_name_has_its_place(tmp_path: Path) -> None:
    found = document(tmp_path, YAML_TEXT, "x.yaml")
    assert place(found.make_span("", "a/b")) == at(YAML_TEXT, "a/b")
    assert place(found.make_span("/größe ☂", "after")) == at(YAML_TEXT, "after")
    assert found.make_span("/größe ☂", "after").text == "größe ☂: {名: 天気, after: text}"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, 1),
        ('a: 1\n"a": 3\n', 2, 1),
        ("x:\n  - {b: 1, c: 2, b: 3}\n", 2, 18),
        ("a: .nan\n", 1, 4),
        ("a: -.inf\n", 1, 4),
        ("a: 1e999\n", 1, 4),
        ("? [a]\n: 1\n", 1, 3),
        ("a: &x [*x]\n", 1, 8),
        ("a: *none\n", 1, 4),
        ("a: {b: 1\n", 2, 1),
        ("a: 1\n---\nb: 2\n", 2, 1),
        ('a: "\\ud800"\n', 1, 4),
        ("a: !thing x\n", 1, 4),
        ("a: !!python/object:os.system x\n", 1, 4),
    ],
)
def test_what_yaml_cannot_say_in_json_is_refused(tmp_path: Path, text: str, line: int, column: int) -> None:
    assert [found[1:] for found in refused(tmp_path, text, "x.yaml")] == [(line, column)]


@given(value=VALUES)
@settings(deadline=None, max_examples=60)
def test_json_text_means_the_same_as_yaml(value: Json, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = json.dumps(value, indent=1)
    folder = tmp_path_factory.getbasetemp()
    assert document(folder, text, "same.yaml").value == value


# --- references inside a document -----------------------------------------------------------------------------------
INDEXES: dict[str, tuple[str, dict[str, Json], list[str]]] = {
    "pointers": (
        DRAFT_2020_12,
        {
            "$defs": {
                "a/b": {"const": 1},
                "til~de": {"const": 2},
                "per%cent": {"const": 3},
                "sp ace": {"const": 4},
                "ü": {"const": 5},
                "list": {"prefixItems": [{"const": 6}, {"const": 7}]},
                "": {"const": 8},
            }
        },
        [
            "#/$defs/a~1b",
            "#/$defs/til~0de",
            "#/$defs/per%25cent",
            "#/$defs/sp%20ace",
            "#/$defs/%C3%BC",
            "#/%24defs/a~1b",
            "#/$defs/list/prefixItems/1",
            "#/$defs/",
        ],
    ),
    "anchors": (
        DRAFT_2020_12,
        {
            "$defs": {
                "one": {"$anchor": "here", "const": 1},
                "two": {"$dynamicAnchor": "there", "const": 2},
                "inner": {
                    "$id": "inner.json",
                    "$anchor": "root",
                    "$defs": {"three": {"$anchor": "here", "const": 3}, "four": {"const": 4}},
                    "const": 5,
                },
            }
        },
        [
            "#here",
            "#there",
            "inner.json#here",
            "inner.json#/$defs/four",
            "inner.json#root",
            "inner.json",
            "inner.json#",
        ],
    ),
    "identifiers": (
        DRAFT_2020_12,
        {
            "$id": "https://example.com/schemas/root.json",
            "$defs": {
                "a": {"$id": "a.json", "const": 1},
                "b": {"$id": "/top/b.json", "const": 2, "$defs": {"c": {"$id": "c.json", "const": 3}}},
                "d": {"$id": "https://other.example.org/d/", "const": 4, "$defs": {"e": {"$id": "e", "const": 5}}},
                "f": {"$id": "urn:example:f", "const": 6, "$defs": {"g": {"$anchor": "g", "const": 7}}},
                "h": {"$id": "../h.json", "const": 8},
            },
        },
        [
            "a.json",
            "https://example.com/schemas/a.json",
            "./a.json#",
            "/top/b.json",
            "../top/c.json",
            "//example.com/top/c.json",
            "https://other.example.org/d/",
            "https://other.example.org/d/e",
            "urn:example:f",
            "urn:example:f#g",
            "urn:example:f#/$defs/g",
            "https://example.com/h.json",
            "root.json#/$defs/a",
            "#/$defs/f/$defs/g",
        ],
    ),
    "draft-07": (
        DRAFT_07,
        {
            "definitions": {
                "one": {"const": 1},
                "two": {"$id": "#two", "const": 2},
                "inner": {
                    "$id": "http://example.com/inner.json",
                    "const": 3,
                    "definitions": {"four": {"$id": "#four", "const": 4}, "five": {"const": 5}},
                },
            }
        },
        [
            "#/definitions/one",
            "#two",
            "http://example.com/inner.json",
            "http://example.com/inner.json#four",
            "http://example.com/inner.json#/definitions/five",
        ],
    ),
}


@pytest.mark.parametrize(
    ("case", "ref"), [(case, ref) for case, (_, _, references) in INDEXES.items() for ref in references]
)
def test_a_reference_means_what_a_validator_takes_it_for(case: str, ref: str) -> None:
    dialect, parts, _ = INDEXES[case]
    schema: Json = {**parts, "$schema": dialect, "properties": {"it": {"$ref": ref}}}
    target = SchemaIndex(schema, dialect).find_target("/properties/it", ref)
    assert target is not None
    meant = follow_pointer(schema, parse_pointer(target))
    assert isinstance(meant, dict)
    validator = validator_of(schema, dialect)
    accepted = [value for value in range(1, 9) if validator.is_valid({"it": value})]
    assert accepted == [meant["const"]]


@pytest.mark.parametrize(
    ("case", "ref"), [(case, ref) for case, (_, _, references) in INDEXES.items() for ref in references]
)
def test_a_reference_means_the_same_in_the_wrapped_schema(case: str, ref: str) -> None:
    dialect, parts, _ = INDEXES[case]
    schema: Json = {**parts, "$schema": dialect, "properties": {"it": {"$ref": ref}}}
    plain, wrapped = validator_of(schema, dialect), validator_of(wrap_schema(schema, dialect), dialect)
    for value in range(1, 9):
        assert wrapped.is_valid({"result": {"it": value}}) == plain.is_valid({"it": value})
    assert not wrapped.is_valid({"it": 1})


NOTHING: list[tuple[Json, str, str]] = [
    ({"$defs": {"a": {}}}, "", "#/$defs/b"),
    ({"$defs": {"a": {}}}, "", "#/$defs/a/0"),
    ({"$defs": {"a": {}}}, "", "#a"),
    ({"$defs": {"a": {"$anchor": "b"}}}, "", "#a"),
    ({"prefixItems": [{}]}, "", "#/prefixItems/1"),
    ({"prefixItems": [{}]}, "", "#/prefixItems/-"),
    ({"const": {"$anchor": "a"}}, "", "#a"),
    ({"enum": [{"$id": "x.json"}]}, "", "x.json"),
    ({"properties": {"$anchor": {"const": "a"}}}, "", "#a"),
    ({"$defs": {"a": {"$id": "a.json", "$defs": {"b": {"$anchor": "b"}}}}}, "", "#b"),
    ({"$defs": {"a": {"$id": "a.json"}, "b": {}}}, "/$defs/a", "#/$defs/b"),
    ({}, "", "other.json"),
    ({}, "", "https://example.com/"),
    ({}, "", "//["),
    ({}, "", "http://[::x#a"),
    ({}, "", "http://\u2100/"),
    ({"$id": "http://["}, "", "#a"),
    ({"$id": "https://example.com/", "$defs": {"a": {"$id": "//["}}}, "/$defs/a", "#b"),
    ({"prefixItems": [{}]}, "", "#/prefixItems/²"),
    ({"prefixItems": [{}]}, "", "#/prefixItems/" + "1" * 5_000),
]


@pytest.mark.parametrize(("schema", "where", "ref"), NOTHING)
def test_a_reference_to_nothing_means_nothing(schema: Json, where: str, ref: str) -> None:
    assert SchemaIndex(schema, DRAFT_2020_12).find_target(where, ref) is None


# --- references to other files --------------------------------------------------------------------------------------
@dataclass
class Case:
    """Files of an input folder; `a` is the tool whose outputSchema must mean what its file says."""

    files: dict[str, Any]
    instances: list[Any]
    ref_map: dict[str, str] = field(default_factory=dict[str, str])
    main: str = "schemas/a.json"


OBJECT: Json = {"type": "object"}


def props(**properties: Json) -> dict[str, Any]:
    return {"type": "object", "properties": {**properties}}


def ref(target: str) -> dict[str, Any]:
    return {"$ref": target}


BUNDLES: dict[str, Case] = {
    "nested across files": Case(
        {
            "schemas/a.json": props(b=ref("sub/b.defs.json#/$defs/B")),
            "schemas/sub/b.defs.json": {
                "$defs": {"B": props(c=ref("../c.defs.yaml#/$defs/C"), n=ref("#/$defs/N")), "N": {"type": "null"}}
            },
            "schemas/c.defs.yaml": {"$defs": {"C": {"type": "integer"}}},
        },
        [{"b": {"c": 1}}, {"b": {"c": "x"}}, {"b": {"n": None}}, {"b": {"n": 1}}, {"b": 1}, {}],
    ),
    "a whole file": Case(
        {
            "schemas/a.json": {"type": "array", "items": ref("point.defs.json")},
            "schemas/point.defs.json": {**props(x=ref("#/$defs/X"), next=ref("#")), "$defs": {"X": {"minimum": 0}}},
        },
        [[{"x": 1, "next": {"x": 2}}], [{"x": -1}], [{"next": {"next": {"x": -1}}}], [{"next": 1}]],
    ),
    "a cycle between files": Case(
        {
            "schemas/a.json": {**props(b=ref("b.defs.json#/$defs/B")), "required": ["b"]},
            "schemas/b.defs.json": {
                "$defs": {"B": {"type": ["object", "null"], "properties": {"c": ref("c.defs.json")}}}
            },
            "schemas/c.defs.json": props(b=ref("b.defs.json#/$defs/B"), a=ref("a.json")),
        },
        [{"b": {"c": {"b": None, "a": {"b": None}}}}, {"b": {"c": {"b": {"c": 1}}}}, {"b": {"c": {"a": {}}}}, {}],
    ),
    "the same name in several files": Case(
        {
            "schemas/a.json": {
                **props(own=ref("#/$defs/Unit"), b=ref("b.defs.json#/$defs/Unit"), c=ref("c.defs.json#/$defs/Unit")),
                "$defs": {"Unit": {"const": "own"}, "Unit_2": {"const": "own too"}},
            },
            "schemas/b.defs.json": {"$defs": {"Unit": {"const": "b"}}},
            "schemas/c.defs.json": {"$defs": {"Unit": {"const": "c"}}},
        },
        [{key: value} for key in ("own", "b", "c") for value in ("own", "own too", "b", "c")],
    ),
    "the same definition beside different ones": Case(
        {
            "schemas/a.json": {
                **props(own=ref("#/$defs/X"), b=ref("b.defs.json#/$defs/X")),
                "$defs": {"X": {"items": ref("#/$defs/Y")}, "Y": {"type": "integer"}},
            },
            "schemas/b.defs.json": {"$defs": {"X": {"items": ref("#/$defs/Y")}, "Y": {"type": "string"}}},
        },
        [{"own": [1]}, {"own": ["x"]}, {"b": [1]}, {"b": ["x"]}],
    ),
    "the same definition in three files": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#/$defs/X"), c=ref("c.defs.json#/$defs/X")),
            "schemas/b.defs.json": {"$defs": {"X": {"items": ref("#/$defs/Y")}, "Y": {"type": "integer"}}},
            "schemas/c.defs.json": {"$defs": {"X": {"items": ref("#/$defs/Y")}, "Y": {"type": "string"}}},
        },
        [{"b": [1]}, {"b": ["x"]}, {"c": [1]}, {"c": ["x"]}],
    ),
    "an anchor of another file": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#metre")),
            "schemas/b.defs.json": {"$defs": {"M": {"$anchor": "metre", "type": "number"}}},
        },
        [{"b": 1}, {"b": "x"}],
    ),
    "a pointer into a definition": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#/$defs/B/properties/c"), d=ref("b.defs.json#/$defs/B/anyOf/1")),
            "schemas/b.defs.json": {
                "$defs": {"B": {**props(c={"type": "integer"}), "anyOf": [{"const": 1}, {"items": ref("#/$defs/D")}]}}
                | {"D": {"type": "string"}}
            },
        },
        [{"b": 1}, {"b": "x"}, {"d": ["x"]}, {"d": [1]}],
    ),
    "an $id at the root": Case(
        {
            "schemas/a.json": {
                "$id": "https://example.com/tools/a.json",
                **props(
                    b=ref("b.defs.json#/$defs/B"), own=ref("#/$defs/O"), self=ref("https://example.com/tools/a.json")
                ),
                "$defs": {"O": {"type": "integer"}},
            },
            "schemas/b.defs.json": {
                "$id": "https://example.com/tools/b.defs.json",
                "$defs": {"B": ref("#/$defs/C"), "C": {"type": "string"}},
            },
        },
        [{"b": "x"}, {"b": 1}, {"own": 1}, {"own": "x"}, {"self": {"own": "x"}}, {"self": {"self": {"b": "x"}}}],
    ),
    "an outward reference below an inner $id": Case(
        {
            "schemas/a.json": {
                **props(inner=ref("#/$defs/I")),
                "$defs": {"I": {"$id": "inner.json", **props(b=ref("b.defs.json#/$defs/B"))}},
            },
            "schemas/b.defs.json": {"$defs": {"B": {"type": "string"}}},
        },
        [{"inner": {"b": "x"}}, {"inner": {"b": 1}}],
    ),
    "an $id inside what is taken in": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#/$defs/B")),
            "schemas/b.defs.json": {
                "$defs": {
                    "B": props(
                        inner={"$id": "inner.json", **props(x=ref("#/$defs/X")), "$defs": {"X": {"type": "integer"}}},
                        other=ref("inner.json#/$defs/X"),
                        outside=ref("#/$defs/O"),
                    ),
                    "O": {"type": "string"},
                }
            },
        },
        [{"b": {k: v}} for k in ("other", "outside") for v in (1, "x")]
        + [{"b": {"inner": {"x": v}}} for v in (1, "x")],
    ),
    "an $id of the very definition": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#/$defs/B")),
            "schemas/b.defs.json": {
                "$defs": {
                    "B": {"$id": "urn:example:b", **props(x=ref("#/$defs/X")), "$defs": {"X": {"type": "integer"}}},
                    "X": {"type": "string"},
                }
            },
        },
        [{"b": {"x": 1}}, {"b": {"x": "x"}}],
    ),
    "a mapped prefix": Case(
        {
            "schemas/a.json": props(b=ref("https://example.com/units/wind.json"), c=ref("urn:units:speed.json")),
            "vendor/units/wind.json": {
                "$id": "https://example.com/units/wind.json",
                "items": ref("speed.json"),
                "contains": ref("/units/more.json#/$defs/M"),
            },
            "vendor/units/speed.json": {"type": "number"},
            "vendor/units/more.json": {"$defs": {"M": {"minimum": 5}}},
        },
        [{"b": [7]}, {"b": [1]}, {"b": ["x", 7]}, {"c": 1}, {"c": "x"}],
        {"https://example.com/": "vendor", "urn:units:": "vendor/units", "https://example.com/other/": "nowhere"},
    ),
    "the longest prefix": Case(
        {
            "schemas/a.json": props(b=ref("https://example.com/x/b.json")),
            "one/x/b.json": {"type": "string"},
            "two/b.json": {"type": "integer"},
        },
        [{"b": 1}, {"b": "x"}],
        {"https://example.com/": "one", "https://example.com/x/": "two"},
    ),
    "draft-07": Case(
        {
            "schemas/a.json": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                **props(b=ref("b.defs.json#/definitions/B"), own=ref("#/definitions/O")),
                "definitions": {"O": {"type": "integer"}, "B": {"type": "null"}},
            },
            "schemas/b.defs.json": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"B": {"items": [ref("#/definitions/I")], "additionalItems": False}}
                | {"I": {"type": "string", "$comment": "beside a $ref nothing counts"}},
            },
        },
        [{"b": ["x"]}, {"b": [1]}, {"b": ["x", "y"]}, {"own": 1}, {"own": "x"}],
    ),
    "references where a keyword holds a value": Case(
        {
            "schemas/a.json": {
                **props(
                    b=ref("b.defs.json#/$defs/B"),
                    c={"const": {"$ref": "nothing.json"}},
                    d={"enum": [{"$ref": "nothing.json"}], "default": {"$ref": "nothing.json"}},
                ),
                "patternProperties": {"^\\$ref$": {"type": "string"}},
                "examples": [{"$ref": "nothing.json"}],
            },
            "schemas/b.defs.json": {"$defs": {"B": {"properties": {"$ref": {"type": "integer"}}}}},
        },
        [{"b": {"$ref": 1}}, {"b": {"$ref": "x"}}, {"c": {"$ref": "nothing.json"}}, {"c": {}}, {"d": {}}, {"$ref": 1}],
    ),
    "every keyword that holds schemas": Case(
        {
            "schemas/a.json": {
                "if": ref("k.defs.json#/$defs/object"),
                "then": {
                    "dependentSchemas": {"d": ref("k.defs.json#/$defs/needs_e")},
                    "propertyNames": ref("k.defs.json#/$defs/short"),
                    "unevaluatedProperties": ref("k.defs.json#/$defs/number"),
                },
                "else": {
                    "prefixItems": [ref("k.defs.json#/$defs/number")],
                    "contains": ref("k.defs.json#/$defs/short"),
                },
                "not": ref("k.defs.json#/$defs/number"),
            },
            "schemas/k.defs.json": {
                "$defs": {
                    "object": {"type": "object"},
                    "needs_e": {"required": ["e"]},
                    "short": {"type": "string", "maxLength": 2},
                    "number": {"type": "number"},
                }
            },
        },
        [{}, {"d": 1}, {"d": 1, "e": 2}, {"abc": 1}, {"a": "x"}, [1, "x"], ["x"], [1], [1, "xyz"], 1, "x"],
    ),
    "names that a URI must escape": Case(
        {
            "schemas/a.json": props(
                p=ref("my%20units.defs.json#/$defs/100%25"),
                q=ref("my%20units.defs.json#/$defs/a%2541"),
                s=ref("my%20units.defs.json#/$defs/a~1b%20c"),
                u=ref("my%20units.defs.json#/$defs/%C3%BC"),
            ),
            "schemas/my units.defs.json": {
                "$defs": {
                    "100%": {"const": 1},
                    "a%41": {"const": 2},
                    "a/b c": {"const": 3},
                    "ü": {"const": 4},
                }
            },
        },
        [{key: value} for key in "pqsu" for value in (1, 2, 3, 4)],
    ),
    "siblings of a reference": Case(
        {
            "schemas/a.json": {**ref("b.defs.json#/$defs/B"), "required": ["x"]},
            "schemas/b.defs.json": {"$defs": {"B": props(x={"type": "integer"})}},
        },
        [{"x": 1}, {}, {"x": "x"}],
    ),
    "a dynamic reference inside a file": Case(
        {
            "schemas/a.json": props(tree=ref("tree.defs.json#/$defs/Tree")),
            "schemas/tree.defs.json": {
                "$defs": {"Tree": {"$dynamicAnchor": "node", **props(kids={"items": {"$dynamicRef": "#node"}})}}
            },
        },
        [{"tree": {"kids": [{"kids": []}]}}, {"tree": {"kids": [{"kids": [1]}]}}, {"tree": 1}],
    ),
    "a dynamic reference to a file": Case(
        {
            "schemas/a.json": props(b={"$dynamicRef": "b.defs.json#/$defs/B"}),
            "schemas/b.defs.json": {"$defs": {"B": {"type": "integer"}}},
        },
        [{"b": 1}, {"b": "x"}],
    ),
    "the outputSchema of a Tool": Case(
        {
            "schemas/a.json": {
                "name": "a",
                "inputSchema": {"type": "object"},
                "outputSchema": {
                    **props(b=ref("b.defs.json#/$defs/B"), o=ref("#/$defs/O")),
                    "$defs": {"O": {"const": 1}},
                },
            },
            "schemas/b.defs.json": {"$defs": {"B": ref("a.json#/outputSchema/$defs/O")}},
        },
        [{"b": 1}, {"b": 2}, {"o": 1}, {"o": 2}],
        main="schemas/a.json#/outputSchema",
    ),
}


def lay_out(folder: Path, files: Mapping[str, Any]) -> None:
    for name, value in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(value), "utf-8")


def definitions(folder: Path, ref_map: dict[str, str] | None = None) -> tuple[Definitions, Findings]:
    chosen = PackageSettings.model_validate({"ref-map": ref_map or {}})
    findings = Findings()
    return read_definitions([folder / "schemas"], ConfiguredPackage(settings=chosen, folder=folder), findings), findings


def tool(folder: Path, name: str, ref_map: dict[str, str] | None = None) -> ToolDefinition:
    """A tool of the folder, which has to be free of findings."""
    found, findings = definitions(folder, ref_map)
    assert not list(findings)
    return next(one for one in found.tools if one.name == name)


def oracle(case: Case) -> Any:
    """A validator of the files as they were written, each below `https://folder/` and its mapped prefixes."""
    resources: list[tuple[str, Any]] = []
    for file, value in case.files.items():
        resources.append((f"https://folder/{quote(file)}", value))
        for prefix, where in case.ref_map.items():
            if file.startswith(where + "/"):
                resources.append((prefix + quote(file.removeprefix(where + "/")), value))
    name, _, at_pointer = case.main.partition("#")
    main = follow_pointer(case.files[name], parse_pointer(at_pointer))
    dialect = main.get("$schema", DRAFT_2020_12) if isinstance(main, dict) else DRAFT_2020_12
    resources.append(("https://folder/schemas/.main.json", main))
    draft = jsonschema_rs.Draft7 if DRAFT_07 in str(dialect) else jsonschema_rs.Draft202012
    registry = jsonschema_rs.Registry(resources, draft=draft)
    schema = {"$schema": dialect, "allOf": [{"$ref": "https://folder/schemas/.main.json"}]}
    return jsonschema_rs.validator_for(schema, registry=registry, validate_formats=False)


@pytest.mark.parametrize("name", BUNDLES)
def test_a_bundled_schema_means_what_its_files_mean(tmp_path: Path, name: str) -> None:
    case = BUNDLES[name]
    lay_out(tmp_path, case.files)
    expected = [oracle(case).is_valid(instance) for instance in case.instances]
    assert {*expected} == {True, False}, "instances of both kinds"
    bundled = tool(tmp_path, "a", case.ref_map).output
    assert bundled is not None
    validator = validator_of(bundled.value, bundled.dialect)
    assert [validator.is_valid(instance) for instance in case.instances] == expected


@pytest.mark.parametrize("name", BUNDLES)
def test_bundling_leaves_no_reference_outside(tmp_path: Path, name: str) -> None:
    case = BUNDLES[name]
    lay_out(tmp_path, case.files)
    bundled = tool(tmp_path, "a", case.ref_map).output
    assert bundled is not None
    index = SchemaIndex(bundled.value, bundled.dialect)

    def check(value: Json, where: str) -> None:
        if isinstance(value, dict):
            for keyword in ("$ref", "$dynamicRef"):
                if isinstance(target := value.get(keyword), str) and target != "nothing.json":
                    assert index.find_target(where, target) is not None, (where, target)
            for key, inner in value.items():
                check(inner, where + format_pointer(key))
        elif isinstance(value, list):
            for position, inner in enumerate(value):
                check(inner, where + format_pointer(position))

    check(bundled.value, "")


MIXED: dict[str, Case] = {
    "a draft-07 file from 2020-12": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#/definitions/B")),
            "schemas/b.defs.json": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"B": {"items": [{"type": "string"}], "additionalItems": False}},
            },
        },
        [{"b": ["x"]}, {"b": [1]}, {"b": ["x", "y"]}],
    ),
    "a 2020-12 file from draft-07": Case(
        {
            "schemas/a.json": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                **props(b=ref("b.defs.json#/$defs/B")),
            },
            "schemas/b.defs.json": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "$defs": {"B": {"prefixItems": [{"type": "string"}], "items": False}},
            },
        },
        [{"b": ["x"]}, {"b": [1]}, {"b": ["x", "y"]}],
    ),
}


@pytest.mark.parametrize("name", MIXED)
def test_a_file_of_another_dialect_is_understood_or_refused(tmp_path: Path, name: str) -> None:
    case = MIXED[name]
    lay_out(tmp_path, case.files)
    found, findings = definitions(tmp_path)
    if findings.failed:
        return
    bundled = next(one for one in found.tools if one.name == "a").output
    assert bundled is not None
    validator = validator_of(bundled.value, bundled.dialect)
    assert [validator.is_valid(instance) for instance in case.instances] == [True, False, False]


def test_a_schema_without_outward_references_stays_as_it_is(tmp_path: Path) -> None:
    schema: Json = {
        "$id": "https://example.com/a",
        "$comment": "kept",
        "x-vendor": {"$ref": "kept.json"},
        "unknown": 1.0,
        **props(b=ref("#/$defs/B"), c=ref("https://json-schema.org/draft/2020-12/schema")),
        "$defs": {"B": {"type": "integer", "maximum": 1e3}},
    }
    lay_out(tmp_path, {"schemas/a.json": schema})
    found = tool(tmp_path, "a")
    assert found.output is not None
    assert json.dumps(found.output.value) == json.dumps(schema)
    assert json.dumps(found.tool) == json.dumps({"name": "a", "inputSchema": OBJECT, "outputSchema": schema})


def test_what_is_taken_in_does_not_depend_on_the_order_of_properties(tmp_path: Path) -> None:
    case = BUNDLES["the same name in several files"]
    main = case.files["schemas/a.json"]
    names = ["own", "b", "c"]
    meanings: list[dict[str, Json]] = []
    for order in (names, names[::-1]):
        reordered = {**main, "properties": {name: main["properties"][name] for name in order}}
        lay_out(tmp_path / order[0], {**case.files, "schemas/a.json": reordered})
        output = tool(tmp_path / order[0], "a").output
        assert output is not None
        meanings.append({name: follow_pointer(output.value, ["properties", name]) for name in names})
    assert meanings[0] == meanings[1]


# --- definitions ----------------------------------------------------------------------------------------------------
def test_definitions_come_out_sorted_whatever_the_files(tmp_path: Path) -> None:
    tools: Json = [{"name": name, "inputSchema": OBJECT} for name in ("zeta", "Alpha", "mu")]
    lay_out(tmp_path, {"schemas/z.json": tools, "schemas/a/b.json": {"name": "beta", "inputSchema": OBJECT}})
    found, findings = definitions(tmp_path)
    assert [one.name for one in found.tools] == ["Alpha", "beta", "mu", "zeta"]
    assert [one.origin for one in found.tools] == [
        "schemas/z.json",
        "schemas/a/b.json",
        "schemas/z.json",
        "schemas/z.json",
    ]
    assert not list(findings)


def test_a_tool_is_advertised_without_its_choices(tmp_path: Path) -> None:
    declared: dict[str, Json] = {
        "name": "a",
        "title": "A",
        "inputSchema": {**props(q={"x-mcpgen": {"type": "Query"}, **props(x={})})},
        "outputSchema": {**props(r={"x-mcpgen": {"type": "Row"}, **props(y={})}), "const": {"x-mcpgen": "data"}},
        "_meta": {"example.com/key": {"x-mcpgen": "kept"}},
        "x-vendor": True,
    }
    lay_out(tmp_path, {"schemas/a.json": {**declared, "x-mcpgen": {"content": "none"}}})
    found = tool(tmp_path, "a")
    text = (
        json.dumps(declared).replace('"x-mcpgen": {"type": "Query"}, ', "").replace('"x-mcpgen": {"type": "Row"}, ', "")
    )
    assert json.dumps(found.tool) == text
    assert found.class_names == {"#input/properties/q": "Query", "#output/properties/r": "Row"}
    assert (found.choices.content, found.choices.content_chosen) == ("none", True)
    assert found.locate("outputSchema", "/properties/r").line == 1


def test_one_file_through_two_arguments_is_read_once(tmp_path: Path) -> None:
    lay_out(tmp_path, {"schemas/a.json": {"name": "a", "inputSchema": OBJECT}})
    findings = Findings()
    package = ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=tmp_path)
    found = read_definitions(
        [tmp_path / "schemas", tmp_path / "schemas/a.json", tmp_path / "schemas/../schemas"], package, findings
    )
    assert [one.name for one in found.tools] == ["a"]
    assert not list(findings)
