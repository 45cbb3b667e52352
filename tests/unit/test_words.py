"""Misspelt names are guessed, until too many names were compared."""

from __future__ import annotations

from mcpgen.words import MAX_COMPARISONS, NameGuesser


def test_the_most_similar_name_is_guessed() -> None:
    assert NameGuesser().guess("get_wether", ["set_weather", "get_weather", "x"]) == "get_weather"
    assert NameGuesser().guess("get_wether", ["x", "y"]) == ""


def test_names_that_share_a_word_are_not_guessed() -> None:
    for name, other in [("search_tickets", "get_ticket"), ("get_tickets", "get_item"), ("lat", "lng")]:
        assert NameGuesser().guess(name, [other]) == "", name
    for name, other in [("get_tickets", "get_ticket"), ("getTicket", "get_ticket"), ("cty", "city"), ("nmae", "name")]:
        assert NameGuesser().guess(name, [other]) == other, name


def test_guessing_ends_at_the_limit() -> None:
    guesser = NameGuesser()
    names = ["get_weather"] + ["x"] * (MAX_COMPARISONS // 2)
    assert guesser.guess("get_wether", names) == "get_weather"
    assert guesser.guess("get_wether", names) == ""


def test_the_least_similarity_is_up_to_the_caller() -> None:
    assert NameGuesser().guess("statistics", ["stats"], 0.6) == "stats"
    assert NameGuesser().guess("statistics", ["stats"]) == ""
    assert NameGuesser().list_similar("statistics", ["stats", "x", "static"], 2) == ["static", "stats"]
