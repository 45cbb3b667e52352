"""Texts of cells take linear time, and are what the plain patterns say."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from mcpgen_runtime.sdk import templates as table_cells

HOSTILE = {
    "spaces before a letter": " " * 300_000 + "x",
    "spaces between letters": "x" + " " * 300_000 + "x",
    "spaces around digits": " " * 150_000 + "1" * 150_000 + " " * 150_000 + "x",
    "line breaks": "x" + "\r\n" * 150_000 + "x",
    "references": "&#" + "1" * 300_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("write", [table_cells.value_text, table_cells.line_text, table_cells.markdown_text])
def test_long_texts(write: Callable[[str], str], text: str) -> None:
    """So many spaces took hours, which the time limit of a test would end."""
    write(text)


def test_what_reads_as_another_value_is_in_quotes() -> None:
    other = re.compile(r'\s*(?:|null|true|false|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|["{\[].*)\s*', re.DOTALL)
    drawn, texts = random.Random(3), ["", " null ", "\x1c1\u2003", "[ ", ' "', "nul l"]
    texts += [
        "".join(drawn.choices(' \t\n\x1c\u00a00123.eE-+nulltrue"[{x', k=drawn.randint(0, 6))) for _ in range(20_000)
    ]
    for text in texts:
        assert (table_cells.value_text(text) != text) == bool(other.fullmatch(text)), text


def test_white_space_at_the_ends_becomes_references() -> None:
    drawn = random.Random(4)
    for _ in range(20_000):
        text = "".join(drawn.choices(" \t\n\r\u2003xy", k=drawn.randint(0, 8)))
        references = re.sub(r"\A\s+|\s+\Z|[\r\n]+", lambda match: "".join(f"&#{ord(char)};" for char in match[0]), text)
        assert table_cells.markdown_text(text) == references, text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            {"name": "Möwe", "rows": [1, 2], "one": [1], "at": {"a": 1}},
            "name: Möwe\nrows: 2 items\none: 1 item\nat: 1 property",
        ),
        (
            {"free": None, "depth": 2.50, "open": True, "none": {}},
            "free: null\ndepth: 2.5\nopen: true\nnone: 0 properties",
        ),
        ({"long": "x" * 201}, f"long: {'x' * 200}…"),
        ({"note": "two\nlines", "a\nb": 1}, "note: two lines\na b: 1"),
        (dict.fromkeys(map(str, range(1050)), 0), "\n".join([*(f"{n}: 0" for n in range(50)), "… and 1,000 more"])),
        ({}, "0 properties"),
        ([0] * 1234, "1,234 items"),
        ("text", "text"),
        (None, "null"),
    ],
)
def test_a_summary_says_what_there_is(value: Any, text: str) -> None:
    assert table_cells.summary_text(value) == text
