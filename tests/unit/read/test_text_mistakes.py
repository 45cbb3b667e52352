"""What is wrong in a JSON or YAML text is said with what to write."""

from __future__ import annotations

import pytest
from mcpgen.config.models import Limits
from mcpgen.read.json_parser import InvalidJson, parse_json
from mcpgen.read.text_mistakes import explain_yaml_fault
from mcpgen.read.yaml_parser import InvalidYaml, parse_yaml


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("", "empty", "write a definition"),
        ('{"a": 1,}', "trailing comma", "remove the comma"),
        ("{'a': 1}", "double quotes", "double quotes"),
        ('{"a": True}', "True is not", "write true"),
        ('{"a": None}', "None is not", "write null"),
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
