"""Texts that are, or may be, secret."""

from __future__ import annotations

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.secret_texts import Secrets, collect_secrets
from mcpgen.introspect.server_address import Command, InProcess, Url


def test_headers_are_secret_with_their_words() -> None:
    secrets = collect_secrets(Credentials({"Authorization": "Bearer abcdefgh"}), InProcess("a", "b"))
    assert secrets.known == {"Bearer abcdefgh", "abcdefgh"}


def test_the_name_of_a_value_decides_where_its_form_does_not() -> None:
    secrets = Secrets()
    secrets.add_value("API_KEY", "weather")
    secrets.add_value("CITY", "oslo")
    secrets.add_value("PORT", "8000")
    secrets.add_value("X", "x9f8e7d6c5b4")
    assert secrets.known == {"weather", "x9f8e7d6c5b4"}
    assert secrets.possible == {"oslo"}


def test_parts_of_urls() -> None:
    secrets = Secrets()
    secrets.add_url("https://me:hunter22@a1b2c3d4e5.api.example.com/mcp/k9j8h7g6f5?key=sesame1&page=2#frag")
    assert {"me", "hunter22", "a1b2c3d4e5", "k9j8h7g6f5", "sesame1", "frag"} <= secrets.known
    assert "mcp" not in secrets.known | secrets.possible
    assert "example" not in secrets.known | secrets.possible


def test_arguments_of_commands() -> None:
    words = ("some-server", "--token", "abc", "--port", "8000", "-kVALUE1x2", "API_KEY=def", "plain")
    secrets = collect_secrets(Credentials(), Command(words))
    assert {"abc", "def", "VALUE1x2"} <= secrets.known
    assert "plain" in secrets.possible
    assert not {"some-server", "--token", "8000"} & (secrets.known | secrets.possible)


def test_secrets_are_not_in_the_repr() -> None:
    assert "hunter22" not in repr(collect_secrets(Credentials(), Url("https://me:hunter22@example.com")))


def test_words_that_are_no_secrets_are_shown() -> None:
    commands = [
        ("python", "-m", "no_such_module"),
        ("python", "/srv/app/v2_server3x.py", "serve", "--port", "8080", "--mode", "readonly", "--region", "eu-west-1"),
        ("node", "dist/index2b3c.js", "start"),
        ("uv", "run", "--directory", "/srv/weather", "server.py"),
    ]
    for words in commands:
        secrets = collect_secrets(Credentials(), Command(words))
        assert (secrets.known, secrets.possible) == (set(), set()), words


def test_places_of_secrets_stay_secret() -> None:
    hex = "9f86d081884c7d659a2feaa0c55ad015"
    words = ("server", "--password", "serve", "--mode", hex, "correcthorse", f"/srv/{hex}/server.py", f"{hex}.py")
    secrets = collect_secrets(Credentials(), Command(words))
    assert {"serve", hex, "correcthorse", f"/srv/{hex}/server.py", f"{hex}.py"} <= secrets.known | secrets.possible
