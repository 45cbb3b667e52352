"""Names and texts of files with learned schemas, and what such files say of results."""

from __future__ import annotations

import json
import re
from pathlib import Path, PureWindowsPath
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.learn.recordings import RecordedValue, find_refused_values, format_learned_schema, make_file_names
from support.documents import list_messages

HOSTILE = [
    "../x",
    "/etc/x",
    "a/b",
    "a\\b",
    "C:x",
    "con",
    "NUL.txt",
    "com1",
    "",
    ".",
    "..",
    "...",
    " a",
    "a ",
    "a\n",
    "-x",
    "é",
    "x" * 81,
    "*",
    "a:b",
    "\x00",
    "\x7f",
    "~",
    "$HOME",
    "a.output.json/..",
]


def test_plain_names_are_kept() -> None:
    names = ["get_weather", "get-weather", "a.b", "A1", "_", "x" * 80, "console", "a..b", "a."]
    assert make_file_names(names) == {name: f"{name}.output.json" for name in names}


@pytest.mark.parametrize("name", HOSTILE)
def test_other_names_end_in_a_hash(name: str) -> None:
    file = make_file_names([name])[name]
    assert re.fullmatch(r"[A-Za-z0-9_]+-[0-9a-f]{12}\.output\.json", file)
    assert len(file) < 100
    assert not PureWindowsPath(file).is_reserved()


@given(st.sets(st.one_of(st.text(max_size=5), st.sampled_from(["a", "A", "a/", "b", "B", *HOSTILE]))))
def test_no_two_tools_share_a_file(names: set[str]) -> None:
    first = make_file_names(sorted(names))
    names |= {file.removesuffix(".output.json") for file in first.values()}  # a server may name its tools like that
    names |= {file.removesuffix(".output.json").upper() for file in first.values()}
    assert len({file.casefold() for file in make_file_names(sorted(names)).values()}) == len(names)


def test_the_text_is_a_schema_that_says_where_it_is_from() -> None:
    schema = json.loads(format_learned_schema("ä\n", {"type": "object"}, 1))
    assert schema["x-mcpgen"] == {"comment": "Learned by mcpgen from 1 result of ä\n."}
    jsonschema_rs.meta.validate(schema)
    assert "2 results" in format_learned_schema("a", {}, 2)


def find(path: Path, text: str, *values: Any) -> tuple[list[tuple[int, str]] | None, list[tuple[str, str]]]:
    """Return the values that a file's schema refuses, by number and pointer, and the findings."""
    path.write_text(text, "utf-8")
    findings = Findings()
    recorded = [RecordedValue(value, Span("x", number)) for number, value in enumerate(values)]
    refused = find_refused_values(path, recorded, Limits.model_validate({}), findings)
    found = None
    if refused is not None:
        found = [(value.span.line, pointer) for value, violations in refused for pointer, _ in violations]
        assert all(message for _, violations in refused for _, message in violations)
    return found, list_messages(findings)


def test_the_first_violations_of_a_value_are_named(tmp_path: Path) -> None:
    text = json.dumps({"items": {"type": "integer"}})
    found, _ = find(tmp_path / "a.json", text, [1, "x", 2, "y"], ["z"] * 9)
    assert found == [(0, "/1"), (0, "/3"), *((1, f"/{number}") for number in range(5))]


def test_values_that_a_schema_refuses(tmp_path: Path) -> None:
    schema = {"properties": {"a/b~c": {"items": {"type": "integer"}}}, "additionalProperties": False}
    values = [{"a/b~c": [1]}, {"a/b~c": [1, "x"]}, {"d": 1}, {}]
    found = find(tmp_path / "a.json", json.dumps(schema), *values)
    assert found == ([(1, "/a~1b~0c/1"), (2, "")], [])
    assert find(tmp_path / "a.json", "false", *values)[0] == [(0, ""), (1, ""), (2, ""), (3, "")]
    assert find(tmp_path / "a.json", "true", *values)[0] == []


def test_the_dialect_is_the_one_that_the_file_names(tmp_path: Path) -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{"type": "string"}],
        "prefixItems": [False],
    }
    assert find(tmp_path / "a.json", json.dumps(schema), ["x"], [1]) == ([(1, "/0")], [])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "MG002"),
        ("[]", "MG101"),
        ('"x"', "MG101"),
        ('{"type": 3}', "MG101"),
        ('{"pattern": "("}', "MG101"),
        ('{"$ref": "#/$defs/x"}', "MG101"),
        ('{"$ref": "http://127.0.0.1:1/x"}', "MG101"),
    ],
)
def test_what_is_no_schema(tmp_path: Path, text: str, code: str) -> None:
    refused, messages = find(tmp_path / "a.json", text, {})
    assert refused is None
    assert [found for found, _ in messages] == [code]
