"""Text from schemas as Python source: it means what it says, and can never be more than a constant."""

from __future__ import annotations

import ast
import io
import tokenize
import unicodedata

import black
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcpgen.files.ownership import Owner, detect_owner
from mcpgen.literals import make_annotation_literal, make_comment, make_docstring, make_literal
from mypy.util import get_mypy_comments

NASTY = st.sampled_from(
    [
        '"',
        '""',
        '"""',
        "'''",
        "\\",
        "\\\\",
        '\\"',
        '\\"""',
        "\\N{BULLET}",
        "\\x41",
        "\\\n",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\0",
        "\x0b",
        "\x0c",
        "\x1a",
        "\x1b[31m",
        "\x7f",
        "\x85",
        "\xa0",
        "\u00ad",
        "\u200b",
        "\u200f",
        "\u202a",
        "\u202e",
        "\u2066",
        "\u2069",
        "\u061c",
        "\u2028",
        "\u2029",
        "\ufeff",
        "\U000e0041",
        "\ud800",
        "\udfff",
        "#",
        "# type: ignore",
        "{{ x }}",
        "{% raw %}",
        "%s",
        "- item",
        "    code",
        "word ",
        "é☂天",
        "\U0001fae8",
    ]
)
TEXTS = st.lists(NASTY | st.text(st.characters(), max_size=12), max_size=12).map("".join)
HIDDEN = {
    *map(chr, (0x00AD, 0x061C, 0xFEFF, 0x2028, 0x2029)),
    *map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xE0000, 0xE0080))),
}
"""What an editor does not show, or shows elsewhere: zero widths, directions, tags, other line ends."""


def constant(source: str) -> object:
    """Return the value of a piece of source, which has to be one constant and nothing else."""
    tree = ast.parse(source, mode="eval")
    assert isinstance(tree.body, ast.Constant | ast.UnaryOp), source
    return ast.literal_eval(tree)


# --- scalar ---------------------------------------------------------------------------------------------------------
@given(value=TEXTS)
@example(value="\\'\"\n\r\t\0\x7f\x80\xff\u2028\ud83d\U0001f600")
def test_a_string_is_itself_in_ascii_on_one_line(value: str) -> None:
    source = make_literal(value).source
    assert constant(source) == value
    assert source.isascii()
    assert source.isprintable()
    assert source.startswith('"')
    assert str(make_literal(value)) == source


@given(value=st.integers() | st.integers(-(2**200), 2**200) | st.booleans() | st.none())
def test_another_scalar_is_itself(value: int | bool | None) -> None:
    actual = constant(make_literal(value).source)
    assert actual == value
    assert type(actual) is type(value)


def test_surrogate_halves_do_not_become_a_character() -> None:
    assert constant(make_literal("\ud83d\ude00").source) == "\ud83d\ude00"


# --- docstring ------------------------------------------------------------------------------------------------------
def parsed(text: str, indent: int) -> tuple[str, str]:
    """Return the source of a docstring and its value, read in the place where it stands: first in a class body."""
    source = make_docstring(text, indent).source
    pad = " " * indent
    module = f"class C:\n{pad}{source}\n{pad}after = 1\n"
    body = ast.parse(module).body
    assert len(body) == 1
    data = body[0]
    assert isinstance(data, ast.ClassDef)
    assert [type(statement) for statement in data.body] == [ast.Expr, ast.Assign], module
    value = ast.get_docstring(data, clean=False)
    assert value is not None
    return source, value


@given(text=TEXTS, indent=st.sampled_from([4, 8]))
@settings(deadline=None)
@example(text='"', indent=4)
@example(text='"""', indent=4)
@example(text='a"""', indent=4)
@example(text='a\\"', indent=4)
@example(text='a""""""""', indent=4)
@example(text="ends in a backslash \\", indent=4)
@example(text='"\n"', indent=4)
@example(text="", indent=4)
@example(text="\n\n", indent=4)
def test_a_docstring_is_one_constant_without_hidden_characters(text: str, indent: int) -> None:
    source, value = parsed(text, indent)
    for char in source:
        assert char == "\n" or unicodedata.category(char) not in ("Cc", "Cs"), hex(ord(char))
        assert char not in HIDDEN
    source.encode()
    kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(source).readline)]
    assert kinds[0] == tokenize.STRING
    assert set(kinds[1:]) <= {tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.NL}
    assert not any(line != line.rstrip() for line in source.split("\n"))
    assert "\\" in text or "\\" not in value


@given(text=TEXTS.filter(lambda text: all(char == "\n" or " " <= char <= "~" for char in text)))
@settings(deadline=None)
def test_a_docstring_says_every_word(text: str) -> None:
    assert parsed(text, 4)[1].split() == text.split()


@pytest.mark.parametrize("space", ["\xa0", "\u3000", "\u2028", "\x0b"])
def test_a_docstring_keeps_words_apart(space: str) -> None:
    assert parsed(f"ten{space}kilometres", 4)[1].split() == ["ten", "kilometres"]


@pytest.mark.parametrize("char", ["\U0001fae8", "\U0002ebf0"])
def test_a_docstring_does_not_depend_on_the_interpreters_unicode_version(char: str) -> None:
    """Assigned in Unicode 15.0 and 15.1, that is: in Python 3.12 and 3.13."""
    assert constant(make_docstring(f"shaking {char}", 4).source) == f"shaking {char}"


def test_a_long_paragraph_is_filled_and_a_list_keeps_its_lines() -> None:
    text = "word " * 40 + "\n\n- one\n- two\n    indented\n" + "x" * 150
    source, value = parsed(text, 4)
    lines = source.split("\n")
    assert all(len(line) <= 104 for line in lines if "x" * 150 not in line)
    assert "    - one\n    - two\n        indented" in source
    assert value.split() == text.split()


@pytest.mark.parametrize(
    "text",
    [
        "A tool.\n# mypy: ignore-errors",
        "A tool.\n\n   # mypy: ignore-errors\n    x",
        "word " * 19 + "word  # mypy: ignore-errors",
        "<<<<<<< ours\n<<<<<<< ours\n=======\n>>>>>>> theirs",
    ],
)
def test_nothing_in_a_modules_docstring_is_read_by_tools(text: str) -> None:
    source = black.format_str(make_docstring(text, 0).source, mode=black.Mode(line_length=100))
    assert get_mypy_comments(source) == []
    assert detect_owner("x.py", f"mcpgen-sha256 {source}") is Owner.FOREIGN
    assert str(constant(source)).split() == text.split()


# --- comment --------------------------------------------------------------------------------------------------------
@given(text=TEXTS)
@settings(deadline=None)
def test_a_comment_is_one_line_of_printable_ascii(text: str) -> None:
    source = make_comment(text).source
    assert source.isascii()
    assert "\n" not in source
    assert "\r" not in source
    assert source == "" or source.isprintable()
    assert source == source.strip()
    assert "#" not in source
    tokens = [token.type for token in tokenize.generate_tokens(io.StringIO(f"x = 1  # {source}\ny = 2\n").readline)]
    assert tokens.count(tokenize.COMMENT) == 1
    assert tokens.count(tokenize.NAME) == 2


@pytest.mark.parametrize(
    "text", ["coding:utf-7", "-*- coding: latin-1 -*-", "vim: set fileencoding=utf_7 :", "coding==x"]
)
def test_a_comment_does_not_say_an_encoding(text: str) -> None:
    line = f"# {make_comment(text)}\n".encode()
    assert tokenize.detect_encoding(io.BytesIO(line).readline)[0] == "utf-8"


@pytest.mark.parametrize(
    "text", ["int", 'Literal["a"]', "Literal['a']", 'Literal["it\'s"]', 'L["\\\\"]', 'L["é"]', 'L["\n"]']
)
def test_an_annotation_is_quoted(text: str) -> None:
    assert constant(make_annotation_literal(text).source) == text


@pytest.mark.parametrize("text", ["int", 'Literal["a"]', "Literal['a']", 'Annotated[str, Field(pattern="[a-z]+")]'])
def test_the_quotes_of_a_plain_annotation_are_those_of_black(text: str) -> None:
    literal = make_annotation_literal(text).source
    assert black.format_str(f"x = {literal}\n", mode=black.Mode(line_length=100)) == f"x = {literal}\n"
