"""Indexes of schemas: positions and references."""

from __future__ import annotations

import json
import string
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
from mcpgen.schema.index import SchemaIndex, is_absolute_uri, join_uri, split_fragment
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.object_roots import wrap_schema
from mcpgen.schema.values import (
    RECURSION_LIMIT,
    Json,
    allow_deep_recursion,
    follow_pointer,
    format_pointer,
    parse_pointer,
)
from mcpgen_runtime.schema_keywords import encode_references
from support import in_process
from support.documents import make_validator
from support.packages import mcpgen

# --- resolving references inside a document ---------------------------------------------------------------------------
SCHEMA: Json = {
    "$id": "https://example.com/root/",
    "$anchor": "top",
    "properties": {"a": {"$ref": "inner#day"}},
    "$defs": {
        "Inner": {"$id": "inner", "$defs": {"Day": {"$anchor": "day"}, "Night": {"$dynamicAnchor": "night"}}},
        "a/b": {"type": "string"},
    },
}


@pytest.mark.parametrize(
    ("pointer", "ref", "target"),
    [
        ("", "#", ""),
        ("", "#top", ""),
        ("", "#/$defs/a~1b", "/$defs/a~1b"),
        ("", "#/%24defs/Inner", "/$defs/Inner"),
        ("", "inner", "/$defs/Inner"),
        ("", "inner#day", "/$defs/Inner/$defs/Day"),
        ("", "https://example.com/root/inner#/$defs/Night", "/$defs/Inner/$defs/Night"),
        ("/$defs/Inner/$defs/Day", "#", "/$defs/Inner"),
        ("/$defs/Inner/$defs/Day", "#night", "/$defs/Inner/$defs/Night"),
        ("", "#day", None),
        ("", "#/missing", None),
        ("", "https://example.com/other", None),
    ],
)
def test_a_reference_leads_to_its_target(pointer: str, ref: str, target: str | None) -> None:
    assert SchemaIndex(SCHEMA, DRAFT_2020_12).find_target(pointer, ref) == target


def test_each_place_has_a_base() -> None:
    index = SchemaIndex(SCHEMA, DRAFT_2020_12)
    assert index.find_base("/properties/a/title") == "https://example.com/root/"
    assert index.find_base("/$defs/Inner/$defs/Day") == "https://example.com/root/inner"
    assert index.make_absolute("/$defs/Inner", "#x") == "https://example.com/root/inner#x"
    assert index.dynamic_anchors == {"night"}


def test_draft_07_writes_anchors_as_ids() -> None:
    index = SchemaIndex({"definitions": {"A": {"$id": "#a"}, "B": {"$anchor": "b"}}}, DRAFT_07)
    assert index.find_target("", "#a") == "/definitions/A"
    assert index.find_target("", "#b") is None


def test_two_schemas_with_one_id_clash() -> None:
    index = SchemaIndex({"$defs": {"A": {"$id": "https://a"}, "B": {"$id": "https://a"}}}, DRAFT_2020_12)
    (clash,) = index.clashes
    assert set(clash) == {"/$defs/A", "/$defs/B"}


def test_built_in_meta_schemas_are_known() -> None:
    index = SchemaIndex({}, DRAFT_2020_12)
    assert index.is_meta("", DRAFT_2020_12)
    assert index.is_meta("", DRAFT_07 + "#")
    assert not index.is_meta("", "https://json-schema.org/draft/2020-12/nothing")
    assert not index.is_meta("", "https://example.com/a")


@pytest.mark.parametrize(
    ("base", "ref", "joined"),
    [
        ("https://a/b/c", "d", "https://a/b/d"),
        ("https://a/b#x", "#y", "https://a/b#y"),
        ("mcpgen:/a/b", "c", "mcpgen:/a/c"),
        ("urn:a", "#b", "urn:a#b"),
        ("urn:a", "b", "b"),
        ("mcpgen:/a", "https://b", "https://b"),
        ("custom://host/a/b", "../c", "custom://host/c"),
        ("https://a", "", "https://a"),
        ("https://a", "//[", "//["),
    ],
)
def test_references_are_joined_to_bases_of_any_scheme(base: str, ref: str, joined: str) -> None:
    assert join_uri(base, ref) == joined


def test_parts_of_uris() -> None:
    assert split_fragment("a#b#c") == ("a", "b#c")
    assert is_absolute_uri("urn:a")
    assert not is_absolute_uri("1a:b")
    assert not is_absolute_uri("a/b:c/..") or is_absolute_uri("a:b")


# --- a reference inside a document means what jsonschema-rs takes it for ----------------------------------------------
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
    validator = make_validator(schema, dialect)
    accepted = [value for value in range(1, 9) if validator.is_valid({"it": value})]
    assert accepted == [meant["const"]]


@pytest.mark.parametrize(
    ("case", "ref"), [(case, ref) for case, (_, _, references) in INDEXES.items() for ref in references]
)
def test_a_reference_means_the_same_in_the_wrapped_schema(case: str, ref: str) -> None:
    dialect, parts, _ = INDEXES[case]
    schema: Json = {**parts, "$schema": dialect, "properties": {"it": {"$ref": ref}}}
    plain, wrapped = make_validator(schema, dialect), make_validator(wrap_schema(schema, dialect), dialect)
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


# --- a `$ref` to a definition of any name means that definition, as jsonschema-rs says of its encoded form ------------
NAMES = [
    "List[Item]", "Response<User>", "Größe", "a%b", "a%zz", "%", "100%", "a b", " a ", "a/b", "/", "a~b", "~", "~0",
    "~1", "a#b", "#", "a?b", "?", 'a"b', "a'b", "a\\b", "a^b", "a`b", "a|b", "{a}", "a\tb", "a\nb", "a\x01b",
    "a\x7fb", "\u2028", "\u202e", "😀", "天気", "é", "e\u0301", "a:b", "@a", "a&b", "a+b", "a,b;c", "(a)", "a*b!",
    "a$b", "a=b", "a.b", "..", "-", "0", "$ref", "Map<string, List[int]>", "",
]  # fmt: skip
"""Names as generators of schemas write them, and as nobody does."""
RAW = [name for name in NAMES if "#" not in name]
"""Those that a reference may hold as they are: nobody can tell a second `#` from the fragment's own."""


def schema(name: str, ref: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"x": {"$ref": ref}},
        "required": ["x"],
        "$defs": {name: {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
    }


def local(name: str) -> str:
    return f"#/$defs{format_pointer(name)}"


def encoded(name: str) -> str:
    return f"#/$defs{quote(format_pointer(name), safe='')}".replace("%2F", "/", 1)


@pytest.mark.parametrize("name", RAW)
def test_a_reference_as_it_is_written_means_what_its_encoded_form_means(name: str) -> None:
    written = encode_references(schema(name, local(name)))
    value = jsonschema_rs.Draft202012Validator(written, offline=True)
    assert value.is_valid({"x": {"n": 1}})
    assert not value.is_valid({"x": {"n": "a"}})
    if "%" not in name:
        assert written["properties"]["x"]["$ref"] in (encoded(name), quote(local(name), safe="#/$!&'()*+,;=:@?~"))


@pytest.mark.parametrize("name", NAMES)
def test_an_encoded_reference_is_left_alone(name: str) -> None:
    value = schema(name, encoded(name))
    assert encode_references(value) is value
    assert jsonschema_rs.Draft202012Validator(value, offline=True).is_valid({"x": {"n": 1}})


def test_what_only_looks_like_a_reference_is_left_alone() -> None:
    value = {"$ref": "a b"}
    arguments: dict[str, Any] = {
        "const": value, "enum": [value], "default": value, "examples": [value],
        "properties": {"$ref": {"$ref": "#/a b"}, "const": {"$ref": "#/a b"}},
    }  # fmt: skip
    assert encode_references(arguments) == {
        **arguments,
        "properties": {"$ref": {"$ref": "#/a%20b"}, "const": {"$ref": "#/a%20b"}},
    }


SCRIPT = """
import json, sys
sys.path.insert(0, ".")
import out
from pydantic import ValidationError
cases = json.load(open("cases.json", encoding="utf-8"))
wrong = []
for tool, value, ok in cases:
    for what, read in (
        ("result", out.RESULT_TYPES[tool].from_structured_content),
        ("arguments", out.ARGUMENT_TYPES[tool].model_validate),
    ):
        try:
            read(value)
            found = True
        except ValidationError as error:
            found = False
        if found != ok:
            wrong.append([tool, what, value, ok])
print(json.dumps(wrong))
"""


@pytest.mark.ci
def test_generated_classes_take_what_their_schemas_take(tmp_path: Path) -> None:
    """In the root's own `$defs`, and in a file that a relative reference reaches, as it is written and encoded."""
    folder = tmp_path / "schemas"
    folder.mkdir()
    tools: list[dict[str, Any]] = []
    cases: list[tuple[str, Any, bool]] = []
    for number, name in enumerate(NAMES):
        definitions = {"$defs": {name: schema(name, "")["$defs"][name]}}
        (folder / f"f{number}.defs.json").write_text(json.dumps(definitions), "utf-8")
        forms = {"encoded": encoded(name), **({"raw": local(name)} if name in RAW else {})}
        for form, ref in forms.items():
            for where, item in (
                ("own", schema(name, ref)),
                ("file", {**schema(name, f"f{number}.defs.json{ref}"), "$defs": {}}),
            ):
                # `not` has no type in Python, so the exact check is asked
                whole = {**item, "not": {"required": ["never"]}}
                tool = f"t{number}_{form}_{where}"
                tools.append({"name": tool, "inputSchema": whole, "outputSchema": whole})
                cases += [(tool, {"x": {"n": 1}}, True), (tool, {"x": {"n": "a"}}, False)]
    (folder / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    (tmp_path / "cases.json").write_text(json.dumps(cases), "utf-8")
    run = mcpgen("build", "--out", "out", "--no-cache", "--jobs", "2", cwd=tmp_path)
    assert run.returncode == 0, run.stderr[-3000:]
    assert "MG109" not in run.stderr
    completed = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert completed.returncode == 0, completed.stderr[-3000:]
    assert json.loads(completed.stdout) == []


# --- anchors ---------------------------------------------------------------------------------------------------------
ANCHORS = [
    *(first + tail for first in string.ascii_letters + "_" for tail in ("", "-", "9.x")),
    *("a" + tail for tail in string.ascii_letters + string.digits + "-._"),
]
"""Each character that the name of an anchor may begin with and hold (2020-12 core, section 8.2.2)."""


@pytest.mark.parametrize("anchor", ["$anchor", "$dynamicAnchor"])
@pytest.mark.parametrize("ref", ["$ref", "$dynamicRef"])
def test_a_reference_to_an_anchor_is_left_alone(anchor: str, ref: str) -> None:
    for name in ANCHORS:
        value = {"$defs": {"a": {anchor: name, "type": "integer"}}, ref: f"#{name}"}
        assert encode_references(value) is value
        data = jsonschema_rs.Draft202012Validator(value, offline=True)
        assert data.is_valid(1), name
        assert not data.is_valid("x"), name
        schema = {**value, "properties": {"x": {"$ref": "#/$defs/a b"}}}
        schema["$defs"] = {**value["$defs"], "a b": {}}
        written = encode_references(schema)
        assert (written["properties"]["x"]["$ref"], written[ref]) == ("#/$defs/a%20b", f"#{name}")


@pytest.mark.parametrize("name", ["Größe", "a b", "a%20b", "List[Item]", "9", ".", "a/b"])
@pytest.mark.parametrize("anchor", ["$anchor", "$dynamicAnchor"])
def test_no_other_name_is_one_of_an_anchor(anchor: str, name: str, tmp_path: Path) -> None:
    schema = {"type": "object", "$defs": {"a": {anchor: name}}, "properties": {"x": {"$ref": f"#{name}"}}}
    (tmp_path / "a.json").write_text(json.dumps({"name": "a", "inputSchema": schema}), "utf-8")
    output = in_process.run("build", "a.json", "--jobs", "1", "--no-cache", cwd=tmp_path)
    assert output.traceback == ""
    assert output.returncode == 2
    assert "error[MG101]" in output.stderr


@pytest.mark.parametrize("name", ["a", "Größe", "a b", "List[Item]", "a%", "a%20b"])
def test_the_anchors_of_draft_07_are_written_as_the_references_to_them(name: str) -> None:
    value = {"definitions": {"a": {"$id": f"#{name}", "type": "integer"}}, "allOf": [{"$ref": f"#{name}"}]}
    data = jsonschema_rs.Draft7Validator(encode_references(value), offline=True)
    assert data.is_valid(1)
    assert not data.is_valid("x")


# --- raising the recursion limit --------------------------------------------------------------------------------------
def test_the_limit_is_higher_within_the_block_only() -> None:
    old_limit = sys.getrecursionlimit()
    with allow_deep_recursion():
        assert sys.getrecursionlimit() == max(old_limit, RECURSION_LIMIT)
        with allow_deep_recursion():
            pass
        assert sys.getrecursionlimit() == max(old_limit, RECURSION_LIMIT)
    assert sys.getrecursionlimit() == old_limit


def test_the_limit_is_restored_after_an_error() -> None:
    old_limit = sys.getrecursionlimit()
    with pytest.raises(ValueError, match="a"), allow_deep_recursion():
        raise ValueError("a")
    assert sys.getrecursionlimit() == old_limit


def test_a_higher_limit_stays() -> None:
    old_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(RECURSION_LIMIT + 1)
    try:
        with allow_deep_recursion():
            assert sys.getrecursionlimit() == RECURSION_LIMIT + 1
    finally:
        sys.setrecursionlimit(old_limit)
