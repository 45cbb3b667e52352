"""Invisible characters are found, and those that writing needs are not."""

from __future__ import annotations

import unicodedata

import pytest
from mcpgen.lint.invisible_text import describe_invisible, find_invisible, mark_invisible, remove_invisible

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "plain",
            "tab\tand\nbreak\r\n",
            "naïve – “quoted”",
            "👨\u200d👩\u200d👧",
            "❤\ufe0f",
            "1\ufe0f\u20e3",
            ENGLAND,
        ),
        *(
            "می\u200cخواهم",
            "क\u094d\u200dष",
            "שלום\u200f!",
            "辻\U000e0100",
            "\u1820\u180b",
            "日本語\u3000",
            "👩🏽\u200d💻",
        ),
    ],
)
def test_writing_is_left_alone(text: str) -> None:
    assert find_invisible(text) == []
    assert remove_invisible(text) == text


@pytest.mark.parametrize(
    "char",
    [
        "\u200b",
        "\u200c",
        "\u200d",
        "\u2060",
        "\ufeff",
        "\xad",
        "\u202e",
        "\u2066",
        "\u200f",
        "\U000e0041",
        "\x1b",
        "\x00",
        "\ufe01",
        "\U000e0101",
    ],
)
def test_an_invisible_character_is_found_and_removed(char: str) -> None:
    assert find_invisible(f"a{char}b") == [char]
    assert remove_invisible(f"a{char}b") == "ab"


def test_every_format_character_of_unicode_is_invisible_but_visible_marks_of_numbers() -> None:
    marks = {chr(code) for code in (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)}
    hieroglyphs = {chr(code) for code in range(0x13430, 0x13460)}
    for code in range(0x110000):
        char = chr(code)
        if unicodedata.category(char) == "Cf" and char not in marks | hieroglyphs:
            assert find_invisible(f"a{char}b") == [char], hex(code)


def test_tags_are_read_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "rm -rf")
    assert describe_invisible(find_invisible(f"Find{hidden}.")).endswith('and 2 more; the tags spell "rm -rf"')
    assert describe_invisible(["\u200b", "\u200b"]) == "U+200B ZERO WIDTH SPACE"
    assert find_invisible(ENGLAND + "\U000e0067") == ["\U000e0067"]


def test_invisible_characters_are_marked_and_needed_ones_stay() -> None:
    assert mark_invisible("a\u200bb\U000e0041") == "a⟨U+200B⟩b⟨U+E0041⟩"
    assert mark_invisible("❤\ufe0f plain\n") == "❤\ufe0f plain\n"
