"""Patterns that make a backtracking engine work for long, and texts for them."""

from __future__ import annotations

from collections.abc import Callable

Text = Callable[[int], str]


def _of(character: str, end: str = "", start: str = "") -> Text:
    """Return a maker of a long run of characters between a start and an end."""
    return lambda size: start + character * size + end


PATTERNS: list[tuple[str, str, Text, bool, bool]] = [
    # name, pattern, text of a size, whether it matches, whether jsonschema-rs can be asked
    ("nested quantifiers", r"^(a+)+$", _of("a", "!"), False, True),
    ("nested stars", r"^((a*)*)*$", _of("a", "!"), False, True),
    ("overlapping alternatives", r"^(a|aa)+$", _of("a", "!"), False, True),
    ("equal alternatives", r"^(a|a)*$", _of("a", "!"), False, True),
    ("overlapping classes", r"^(\w|[a-z]|\d)+$", _of("a", "!"), False, True),
    ("many dots", r"^(.*a){12}$", _of("a", "!"), False, True),
    ("a run in a run", r"^([a-z]+\s?)+$", _of("a", "!"), False, True),
    ("two runs side by side", r"^\d+\d+$", _of("1", "x"), False, True),
    ("three optional runs", r"^a*a*a*a*b$", _of("a"), False, True),
    ("counted in counted", r"^(?:a{0,10}){0,10}$", _of("a", start="a" * 101), False, True),
    ("counted, greatly", r"^(?:a{0,100}){0,100}b$", _of("a"), False, True),
    ("optional, then the same", r"^(a?){20}a{20}$", _of("a", start="a" * 41), False, True),
    ("look-ahead for the end", r"(?=.*z)x", _of("x"), False, False),
    ("look-ahead for the end, there", r"(?=.*z)x", _of("y", "xz"), True, False),
    ("two look-aheads", r"^(?=.*[a-z])(?=.*[0-9]).+$", _of("a"), False, False),
    ("a password", r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[@$!%*?&])[A-Za-z\d@$!%*?&]{8,}$", _of("aA1"), False, False),
    ("a password, right", r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z\d]{8,}$", _of("aA1", start="aaaaaaaa"), True, False),
    ("negative look-ahead at each place", r"^(?:(?!ab).)*$", _of("a"), True, False),
    ("negative look-ahead, unanchored", r"(?!a)(?:a|b)+c", _of("b"), False, False),
    ("look-ahead in a run", r"^(?:(?=a)a+)+$", _of("a", "!"), False, False),
    ("look-behind", r"(?<=a+)b|(?<=x)y", _of("a", "c"), False, False),
    ("look-behind of one", r"(?<=z)a+$", _of("a"), False, False),
    ("back-reference", r"^(a*)*\1b$", _of("a"), False, False),
    ("a doubled word", r"(\w+)\s+\1!", _of("ab "), False, False),
    ("any text twice", r"^(.+)\1$", _of("a", "b"), False, False),
    ("a quote that is not closed", r"""^(["']).*\1$""", _of("'", start='"'), False, False),
    (
        "an e-mail address",
        r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@)[a-z]+[.][a-z]{2,3}$",
        _of("a"),
        False,
        True,
    ),
    ("an e-mail address of many labels", r"^[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,}$", _of("a.", start="a@"), False, True),
    ("a URL", r"^https?://(?:[\w-]+\.)*[\w-]+(?:/[\w.-]*)*\??$", _of("/a", "\n", "http://a"), False, True),
    ("a version", r"^v?(\d+\.?)+(-?[\w.]+)*\+$", _of("1"), False, True),
    ("a date", r"^(\d+[-/.]?)+\s?(\d+:?)*Z$", _of("1"), False, True),
    ("a list of numbers", r"^(\d+,?\s*)*;$", _of("1 "), False, True),
    ("a path", r"^(?:/?[^/]+/*)+\.txt$", _of("a/"), False, True),
    ("a comment", r"/\*(?:[^*]|\*+[^*/])*\*+/$", _of("*", start="/*"), False, True),
    ("a tag", r"<(?:\"[^\"]*\"|'[^']*'|[^'\">])*>$", _of("<a "), False, True),
    ("spaces before the end", r"\s+$", _of(" ", "x"), False, True),
    ("anything, then a sign", r".*=.*", _of("x"), False, True),
    ("anything twice, then a sign", r"^.*.*=$", _of("=", "x"), False, True),
    ("a word, then digits, unanchored", r"\w+\d+;", _of("a1"), False, True),
    ("a long run, unanchored", r"a+b", _of("a"), False, True),
    ("a class of letters", r"^(\p{L}+\p{M}*)+$", _of("é", "!"), False, True),
    ("a class and its parts", r"^(?:\p{L}|\p{Lu}|\p{Ll})+$", _of("ß", "1"), False, True),
    ("a word boundary", r"(?:\b\w+\b\s*)+!$", _of("ab "), False, True),
    ("a string that fits", r"^[\s\S]*$", _of("a\n"), True, True),
    ("an optional tail", r"^(?:x+x+)+y$", _of("x"), False, True),
]
