"""Names that schemas give themselves."""

from __future__ import annotations

import pytest
from mcpgen.lower.title_words import find_title, shorten_definition_key
from mcpgen.schema.values import Json


@pytest.mark.parametrize(
    ("schema", "title"),
    [
        ({"title": "Daily forecast"}, "Daily forecast"),
        ({"title": "One two three four five"}, ""),
        ({"title": "x" * 41}, ""),
        ({"title": "12"}, ""),
        ({"title": 1}, ""),
        (True, ""),
    ],
)
def test_a_title_can_be_a_name(schema: Json, title: str) -> None:
    assert find_title(schema) == title


@pytest.mark.parametrize(
    ("key", "short"),
    [
        ("Money", "Money"),
        ("core/money.json", "money"),
        ("external:core/money.schema.json", "money"),
        ("com.acme.Money", "Money"),
        ("shop__models__Money", "Money"),
        ("https://example.com/v1#Money", "Money"),
        ("money.v/2", "v"),
        ("42", "42"),
    ],
)
def test_the_last_part_of_a_qualified_key_counts(key: str, short: str) -> None:
    assert shorten_definition_key(key) == short
