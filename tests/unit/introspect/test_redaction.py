"""Redaction: no secret gets into a file or an output, whatever a table of command lines and URLs holds."""

from __future__ import annotations

import base64
import json
import shlex
import urllib.parse

import pytest
from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.pulled_file import render_pulled_file
from mcpgen.introspect.redaction import Redactor, contains_secret
from mcpgen.introspect.server_address import format_server_address, make_server_name, parse_server_address
from mcpgen.introspect.validation import AdvertisedDefinitions
from support.secret_sources import COMMANDS, URLS, T, W, contains_part_of

NOTHING = AdvertisedDefinitions("2025-11-25", {"tools": [], "resources": [], "resourceTemplates": []})


SOURCES = [([url], secrets) for url, secrets in URLS] + COMMANDS


@pytest.mark.parametrize(("arguments", "secrets"), SOURCES, ids=[f"{n}" for n in range(len(SOURCES))])
def test_what_is_kept_and_shown_of_a_server(arguments: list[str], secrets: list[str]) -> None:
    source = parse_server_address(arguments)
    redacted = Redactor(Credentials(), source)
    quotes = [*arguments, " ".join(arguments), shlex.join(arguments), repr(arguments), json.dumps(arguments)]
    quotes += [urllib.parse.quote(argument, safe="") for argument in arguments]
    quotes += [f"Client error '401' for url '{arguments[0]}'", f"cannot use {arguments[-1]!r}: denied"]
    entries = [
        format_server_address(source),
        make_server_name(source),
        render_pulled_file(NOTHING, format_server_address(source)),
    ]
    for secret in secrets:
        for text in (*entries, *map(redacted.redact_foreign, quotes)):
            assert not contains_part_of(secret, text), (secret, text)


def test_the_table_is_large() -> None:
    assert len(SOURCES) >= 80


def test_redaction() -> None:
    token, secret = "Bearer s3cr/et=\"x'", "ab1"
    source = parse_server_address(["https://user:hunter2hunter2@host/?key=q-u-e-r-y&page=1"])
    redacted = Redactor(Credentials({"Authorization": token}, {"WORD": secret}), source).redact_foreign
    forms = [token, token.split()[1], urllib.parse.quote(token, safe=""), json.dumps(token)[1:-1], repr(token)[1:-1]]
    forms += [base64.b64encode(token.encode()).decode(), "hunter2hunter2", "user:hunter2hunter2", "q-u-e-r-y"]
    for form in forms:
        assert redacted(f"x{form}y") in ("x***y", "x***=y", "x***==y", "xBearer ***y"), form
    assert redacted("ab1 cab12 (ab1)") == "*** cab12 (***)"
    assert Redactor(Credentials(), parse_server_address(["a:b"])).redact_foreign("a:b") == "a:b"
    command = Redactor(
        Credentials(),
        parse_server_address(["server", "--api-key", "k-1234567", "--port", "8000", "API_TOKEN=t-1234567"]),
    ).redact_foreign
    assert command("k-1234567 8000 t-1234567") == "*** 8000 ***"


def test_what_is_no_secret_stays() -> None:
    """Messages stay readable, and definitions that speak of plain words are no reason to refuse them."""
    command = ["npx", "-y", "server-github", "--port", "8000", "--transport", "stdio", "./data/weather", "github"]
    source = parse_server_address(command)
    text = "server-github cannot read ./data/weather on port 8000 over stdio"
    assert Redactor(Credentials({}, {"DEBUG": "1"}), source).redact_foreign(text) == text
    url = parse_server_address(["https://mcp.example.com/weather/mcp"])
    for item in (source, url):
        assert not contains_secret(
            Credentials({}, {"DEBUG": "1"}), item, [{"description": "weather of github, stdio, 8000, 1"}]
        )
    assert contains_secret(Credentials(), parse_server_address(["some-server", T]), [{"x": {"y": [f"by {T}"]}}])
    assert contains_secret(Credentials(), parse_server_address(["some-server", "--token", W]), [{W: 1}])


@pytest.mark.parametrize(
    ("words", "is_explained"),
    [
        (["server", "k3kk2lq9x8"], True),
        (["npx", "-y", "some-server", "Zq81-aaT9xx7"], True),
        (["server", "--api-key", "k3kk2lq9x8"], False),  # whoever wrote the option knows
        (["server", "--api-key=k3kk2lq9x8"], False),
        (["server", "serve", "8000"], False),
        (["https://a.test/k3kk2lq9x8"], False),
    ],
)
def test_a_hidden_word_of_a_command_is_explained(words: list[str], is_explained: bool) -> None:
    redactor = Redactor(Credentials(), parse_server_address(words))
    reason = "*** stands for a word of the server's command, or another text, that could be a secret"
    assert redactor.explain("it said: ***") == (reason if is_explained else "")
    assert redactor.explain("it said nothing") == ""
