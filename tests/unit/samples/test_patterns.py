"""Text that matches regular expressions."""

from __future__ import annotations

import re
from random import Random

import pytest
from mcpgen.samples.patterns import LONGEST_PATTERN, draw_matching
from mcpgen.samples.text import LONGEST_STRING


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(" * 3000, "[[:alpha:]]", "(?<n>a)\\k<n>", "a{1,99999999999}", "\\p{L}+"]
)
def test_patterns_are_parsed_and_never_run(pattern: str) -> None:
    matching = draw_matching(pattern, Random(0))
    assert matching is None or len(str(matching)) <= LONGEST_STRING


@pytest.mark.parametrize(
    "pattern", [r"^a[b-d]{2,4}e?$", r"^(x|yz)+\1$", r"^[^abc]\d\s\w\D$", r"^(?:ab){3}.*$", r"^[\w.]+@[a-z]+$"]
)
def test_text_matches(pattern: str) -> None:
    for seed in range(10):
        assert re.search(pattern, str(draw_matching(pattern, Random(seed)))), seed


def test_repetitions_are_continued_up_to_a_length() -> None:
    assert len(str(draw_matching("^a*$", Random(0), 50))) == 50
    assert len(str(draw_matching("^a*$", Random(0)))) <= 3


def test_syntax_of_ecma_262() -> None:
    assert draw_matching(r"^\u{1F600}$", Random(0)) == "\U0001f600"
    assert str(draw_matching(r"^\p{Lu}$", Random(0))).isupper()


def test_long_and_broken_patterns_are_not_read() -> None:
    assert draw_matching("a" * (LONGEST_PATTERN + 1), Random(0)) is None
    assert draw_matching("(", Random(0)) is None
