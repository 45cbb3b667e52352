"""Misspelt names are guessed, until too many names were compared."""

from __future__ import annotations

from mcpgen.read.name_guesser import MAX_COMPARISONS, NameGuesser


def test_the_most_similar_name_is_guessed() -> None:
    assert NameGuesser().guess("get_wether", ["set_weather", "get_weather", "x"]) == "get_weather"
    assert NameGuesser().guess("get_wether", ["x", "y"]) == ""


def test_guessing_ends_at_the_limit() -> None:
    guesser = NameGuesser()
    names = ["get_weather"] + ["x"] * (MAX_COMPARISONS // 2)
    assert guesser.guess("get_wether", names) == "get_weather"
    assert guesser.guess("get_wether", names) == ""
