"""YAML scalars have the types of YAML's JSON schema; what JSON lacks is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from mcpgen.read.yaml_parser import InvalidYaml, parse_yaml
from mcpgen.schema.values import Json
from support.documents import LIMITS, VALUES, find_position, get_position, list_refusals, parse_document


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
    actual = parse_document(tmp_path, f"key: {scalar}\nlist:\n- {scalar}\n", "x.yaml").value
    assert actual == {"key": value, "list": [value]}
    assert isinstance(actual, dict)
    assert type(actual["key"]) is type(value)


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
    assert parse_document(tmp_path, text, "x.yml").value == expected


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
    document = parse_document(tmp_path, YAML_TEXT.replace("\n", newline), "x.yaml")
    assert get_position(document.make_span(where)) == find_position(YAML_TEXT, marker)


def test_a_yaml_member_name_has_its_place(tmp_path: Path) -> None:
    document = parse_document(tmp_path, YAML_TEXT, "x.yaml")
    assert get_position(document.make_span("", "a/b")) == find_position(YAML_TEXT, "a/b")
    assert get_position(document.make_span("/größe ☂", "after")) == find_position(YAML_TEXT, "after")
    assert document.make_span("/größe ☂", "after").text == "größe ☂: {名: 天気, after: text}"


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
    assert [refusal[1:] for refusal in list_refusals(tmp_path, text, "x.yaml")] == [(line, column)]


@given(value=VALUES)
@settings(deadline=None, max_examples=60)
def test_json_text_means_the_same_as_yaml(value: Json, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = json.dumps(value, indent=1)
    folder = tmp_path_factory.getbasetemp()
    assert parse_document(folder, text, "same.yaml").value == value


def test_positions_come_with_the_value() -> None:
    value, node = parse_yaml("a:\n  - b: 1\n", LIMITS)
    assert value == {"a": [{"b": 1}]}
    assert node.find(["a", "0", "b"], None) == (2, 8)
    assert node.find(["a", "0"], "b") == (2, 5)
    assert node.find(["a", "1"], None) == (2, 3)


@pytest.mark.parametrize(("text", "limit"), [("[[[1]]]", "depth"), ("[1, 2, 3, 4]", "values"), ("a: 1\na: 2", "")])
def test_a_limit_is_named(text: str, limit: str) -> None:
    with pytest.raises(InvalidYaml) as raised:
        parse_yaml(text, LIMITS.model_copy(update={"depth": 2, "values": 3}))
    assert raised.value.limit == limit
