"""A `$ref` to a definition of any name means that definition, as jsonschema-rs says of its encoded form."""

from __future__ import annotations

import json
import string
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.references import encode_references
from mcpgen.schema.values import format_pointer
from support import in_process, random_schemas
from support.packages import mcpgen

from generated.runtime import schema_references

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


@pytest.mark.parametrize("dialect", [DRAFT_2020_12, DRAFT_07])
def test_mcpgen_and_what_it_generates_encode_references_alike(dialect: str) -> None:
    schemas = [schema(name, name) for name in NAMES]
    schemas += [random_schemas.schema(Random(seed), dialect) for seed in range(100)]
    for item in schemas:
        assert encode_references(item) == schema_references.encode_references(item)


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
