"""TOML is parsed in bounded time, and errors have their positions."""

from __future__ import annotations

import pytest
from mcpgen.config.toml_parser import MAX_KEY_PARTS, InvalidToml, parse_toml


def test_a_table_is_parsed() -> None:
    assert parse_toml('a.b = 1\n[c]\nd = "x"\n') == {"a": {"b": 1}, "c": {"d": "x"}}


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a = 1\nb = = 2\n", 2, 5),
        ("a = 1\na = 2\n", 2, 6),
        ('a = "x', 1, 7),
        ("a = " + "[" * 100_000, 1, 1),
        ("a = 1\n" + ".".join("a" * (MAX_KEY_PARTS + 2)) + " = 1\n", 2, 1),
    ],
)
def test_an_error_has_its_position(text: str, line: int, column: int) -> None:
    with pytest.raises(InvalidToml) as raised:
        parse_toml(text)
    assert (raised.value.line, raised.value.column) == (line, column)
    assert "line" not in raised.value.message


def test_dots_in_strings_are_no_parts_of_keys() -> None:
    text = "." * 1_000
    assert parse_toml(f'a = "{text}"\n') == {"a": text}
