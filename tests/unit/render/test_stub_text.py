"""Shortened descriptions, and the keywords that comments of stubs state."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.render.stub_text import repeats_name, shorten, state_keywords


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("", ""),
        ("  \n ", ""),
        ("One word", "One word"),
        ("First. Second.", "First. Second."),
        ("First sentence. Second sentence.", "First sentence..."),
        ("A sentence that is too long to be kept whole", "A sentence that is too..."),
        ("unbreakable" * 9, "unbreakableunbreakableunb..."),
        ("Of two\nlines.", "Of two lines."),
        ("A paragraph.\n \nAnother one.", "A paragraph..."),
        ("Costs 1.5 euros. Or more, or less.", "Costs 1.5 euros..."),
        (
            "最初の文。次の文は長いので切り捨てられます。もっと長くても",
            "最初の文。次の文は長いので切り捨てられます。...",
        ),
    ],
)
def test_what_does_not_fit_is_cut_after_a_sentence_or_a_word(text: str, short: str) -> None:
    assert shorten(text, 25) == short


@pytest.mark.parametrize(
    ("description", "name", "repeats"),
    [
        ("The name of the branch.", "branchName", True),
        ("Branch names", "branch_name", True),
        ("", "x", True),
        ("The name of the branch, without its remote.", "branchName", False),
        ("名前", "name", False),
        ("Whether it is open", "isOpen", True),
    ],
)
def test_a_description_without_a_new_word(description: str, name: str, repeats: bool) -> None:
    assert repeats_name(description, name) is repeats


ROOT: Any = {
    "$defs": {
        "code": {"type": "string", "pattern": "^[A-Z]$"},
        "again": {"$ref": "#/$defs/code", "maxLength": 3},
        "circle": {"$ref": "#/$defs/circle", "format": "x"},
    }
}


@pytest.mark.parametrize(
    ("schema", "stated"),
    [
        (True, ""),
        ({"type": "string", "description": "x", "title": "X", "enum": ["a"]}, ""),
        ({"minimum": 1, "maximum": 2.5}, "minimum 1, maximum 2.5"),
        ({"default": None}, "default null"),
        ({"default": False}, "default false"),
        ({"default": True}, "default true"),
        ({"default": "ä"}, 'default "ä"'),
        ({"default": {"a": []}}, 'default {"a": []}'),
        ({"default": "x" * 80}, ""),
        ({"format": "date", "uniqueItems": True}, "format date, uniqueItems"),
        ({"uniqueItems": False, "minLength": 1, "minItems": 0, "maximum": 2**53 - 1, "minimum": 1 - 2**53}, ""),
        ({"minLength": 2, "minimum": 0}, "minimum 0, minLength 2"),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "format date"),
        ({"anyOf": [{"format": "date"}, {"format": "time"}]}, ""),
        ({"type": "array", "items": {"$ref": "#/$defs/code"}}, "items pattern ^[A-Z]$"),
        ({"$ref": "#/$defs/again"}, "maxLength 3, pattern ^[A-Z]$"),
        ({"$ref": "#/$defs/circle"}, "format x"),
        ({"$ref": "#/$defs/missing"}, ""),
        ({"$ref": "https://a.example/b"}, ""),
        ({"allOf": [{"$ref": "#/$defs/code"}]}, "pattern ^[A-Z]$"),
    ],
)
def test_keywords_are_stated_as_they_are(schema: Any, stated: str) -> None:
    assert state_keywords(schema, ROOT) == stated
