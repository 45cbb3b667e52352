"""Texts of definitions: edits and mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.commands.lint import TextEdit, apply_text_edits, find_text_edit
from mcpgen.config.models import Limits
from mcpgen.lint.rule import Fix, InsertMember, ReplaceMember, ReplaceValue
from mcpgen.read.json_parser import InvalidJson, parse_json
from mcpgen.read.yaml_parser import InvalidYaml, explain_yaml_fault, parse_yaml
from support.documents import parse_document

# --- edits change the text at a pointer, and nothing else -------------------------------------------------------------
CASES: list[tuple[str, str, Fix, str]] = [
    ('{"a": [1, true]}', "json", ReplaceValue("/a/1", {}), '{"a": [1, {}]}'),
    ('{ "a" : "x\\u200by\\n\\/" }', "json", ReplaceValue("/a", "xy\n/"), '{ "a" : "xy\\n\\/" }'),
    ('{"a": "x\\udb40\\udc41y😀"}', "json", ReplaceValue("/a", "xy😀"), '{"a": "xy😀"}'),
    ('{"a": {"items":  false}}', "json", ReplaceMember("/a/items", "maxItems", 2), '{"a": {"maxItems":  2}}'),
    ('{"a": {"enum": [1]}}', "json", InsertMember("/a", "type", "integer"), '{"a": {"type": "integer", "enum": [1]}}'),
    ('{"a":{"enum":[1]}}', "json", InsertMember("/a", "type", "integer"), '{"a":{"type":"integer","enum":[1]}}'),
    ('{\n  "enum": []\n}', "json", InsertMember("", "type", "x"), '{\n  "type": "x",\n  "enum": []\n}'),
    ("a: true  # why\n", "yaml", ReplaceValue("/a", {}), "a: {}  # why\n"),
    ("a: false\n", "yaml", ReplaceValue("/a", {"not": {}}), 'a: {"not": {}}\n'),
    ("a: >\n  x\u200b\n  y\nb: \u200b\n", "yaml", ReplaceValue("/a", "x y\n"), "a: >\n  x\n  y\nb: \u200b\n"),
    ("- items: false\n", "yaml", ReplaceMember("/0/items", "maxItems", 1), "- maxItems: 1\n"),
    (
        "a:\n  - enum: [1]\n    x: 1\n",
        "yaml",
        InsertMember("/a/0", "type", "b"),
        "a:\n  - type: b\n    enum: [1]\n    x: 1\n",
    ),
    ("a: {enum: [1]}\r\n", "yaml", InsertMember("/a", "type", "b"), "a: {type: b, enum: [1]}\r\n"),
    ("a:\r\n  enum: [1]\r\n", "yaml", InsertMember("/a", "type", "b"), "a:\r\n  type: b\r\n  enum: [1]\r\n"),
]


@pytest.mark.parametrize(("text", "kind", "fix", "expected"), CASES)
def test_a_fix_changes_no_other_character(tmp_path: Path, text: str, kind: str, fix: Fix, expected: str) -> None:
    document = parse_document(tmp_path, text, f"a.{kind}")
    edit = find_text_edit(document, fix)
    assert edit is not None
    assert apply_text_edits(text, [edit]) == expected
    parse_document(tmp_path, expected, f"b.{kind}")


@pytest.mark.parametrize(
    ("text", "kind", "fix"),
    [
        ("[1]", "json", InsertMember("", "type", "a")),
        ("{}", "json", InsertMember("", "type", "a")),
        ("a: &x true\n", "yaml", ReplaceValue("/a", {})),
        ('a: "x\\u200b"\n', "yaml", ReplaceValue("/a", "x")),
        ("? items\n: false\n", "yaml", ReplaceMember("/items", "maxItems", 1)),
    ],
)
def test_what_is_written_in_another_way_is_left_alone(tmp_path: Path, text: str, kind: str, fix: Fix) -> None:
    assert find_text_edit(parse_document(tmp_path, text, f"a.{kind}"), fix) is None


def test_edits_are_applied_from_the_end() -> None:
    assert apply_text_edits("abcd", [TextEdit(0, 1, "xx"), TextEdit(2, 4, "")]) == "xxb"
    assert TextEdit(0, 2, "").overlaps(TextEdit(1, 3, ""))
    assert not TextEdit(0, 1, "").overlaps(TextEdit(2, 3, ""))


FOREIGN_WORDS = [
    *(("True", "true"), ("TRUE", "true"), ("False", "false"), ("FALSE", "false")),
    *((word, "null") for word in ("None", "NULL", "nil", "undefined")),
]


# --- what is wrong in a JSON or YAML text is said with what to write --------------------------------------------------
@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("", "empty", "write a definition"),
        ('{"a": 1,}', "trailing comma", "remove the comma"),
        ("{'a': 1}", "double quotes", "double quotes"),
        *((f'{{"a": {word}}}', f"{word} is not", f"write {meant}") for word, meant in FOREIGN_WORDS),
        ("{a: 1}", "property name", "names in double quotes"),
        ("{“a”: 1}", "curly quotes", "straight"),
        ('{"a": 1 /* b */}', "not valid JSON", "no comments"),
        ('{"a" 1}', "':' delimiter", "colon"),
        ('{"a": 1 "b": 2}', "',' delimiter", "comma between"),
        ('{"a": [1}', "',' delimiter", "comma between"),
        ('{"a": [1', "ends too early", "add what is missing"),
        ('{"a": 1}}', "bracket too many", "remove it"),
        ("{} {}", "second value", "list"),
        ('{"a": "b\nc"}', "control character", "\\n"),
        ('{"a": "C:\\Users"}', "escape", "twice"),
        ('{"a": "b', "Unterminated", "close the string"),
        ("<html>", "HTML", "not the page"),
        ('{"a": .5}', "Expecting value", "a value is"),
    ],
)
def test_json(text: str, message: str, help: str) -> None:
    with pytest.raises(InvalidJson) as raised:
        parse_json(text)
    assert message in raised.value.message
    assert help in raised.value.help


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("a:\n\tb: 1\n", "spaces"),
        ("a: b: c\n", "quotes"),
        ("a: @b\n", "quotes"),
        ("a: *b\n", "quotes"),
        ("a: !b c\n", "tag"),
        ("a: 1\na: 2\n", "remove one"),
        ("a: 1\n---\nb: 2\n", "---"),
        (" a: 1\nb: 2\n", "indent"),
        ("a: [1, 2\n", "bracket"),
        ('a: "b\n', "quote"),
    ],
)
def test_yaml(text: str, help: str) -> None:
    with pytest.raises(InvalidYaml) as raised:
        parse_yaml(text, Limits.model_validate({}))
    assert help in explain_yaml_fault(raised.value.message)[1], raised.value.message
