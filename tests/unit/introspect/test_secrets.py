"""Secrets in what servers say."""

from __future__ import annotations

import base64
import json
import shlex
import urllib.parse
from typing import Any

import pytest
from mcpgen.commands.pulled_files import PulledHeader, render_pulled_file
from mcpgen.introspect.drift import describe_change, find_written, join_moved_texts, list_separate_wording
from mcpgen.introspect.redaction import Redactor, Secrets, collect_secrets, contains_secret
from mcpgen.introspect.server_address import (
    Command,
    InProcess,
    Url,
    format_server_address,
    make_server_name,
    parse_server_address,
)
from mcpgen.introspect.server_query import Credentials
from mcpgen.introspect.validation import AdvertisedDefinitions
from support.secret_sources import COMMANDS, URLS, T, W, contains_part_of


# --- texts that are, or may be, secret --------------------------------------------------------------------------------
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


# --- redaction: no secret gets into a file or an output, whatever a table of command lines and URLs holds -------------
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
        render_pulled_file(NOTHING, PulledHeader(format_server_address(source))),
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
    "command",
    """
    npx -y @modelcontextprotocol/server-everything
    npx -y @modelcontextprotocol/server-filesystem@2025.7.29 /Users/someonewithalongname/Modelcontextprotocol
    npx --yes supercalifragilisticexpialidocious@latest
    npx -y github:modelcontextprotocol/servers#main
    npx --package=@modelcontextprotocol/server-everything mcp-server-everything
    npm exec -y --package @modelcontextprotocol/inspector -- mcp-inspector
    uvx --from git+https://github.com/modelcontextprotocol/servers.git@2025abc#subdirectory=src/fetch mcp-server-fetch
    uvx --with pydantic-extraordinarilylong>=2.0,<3 --python 3.12 mcp-server-extraordinarilylong==1.2.3
    uv tool run --from markitdown-modelcontextprotocol[all] markitdown-mcp
    pipx run --spec git+ssh://git@github.com/modelcontextprotocol/python.git mcp
    python -m modelcontextprotocolserver.transportimplementations.stdio
    docker run -i --rm -e MODELCONTEXTPROTOCOLS_TOKEN ghcr.io/modelcontextprotocol/github-mcp-server:v0.20.1
    docker run --mount type=bind,src=/home/modelcontextprotocol,dst=/data mcp/extraordinarilylongname@sha256:DIGEST
    sh -c "cd /srv/modelcontextprotocol && exec npx -y @modelcontextprotocol/server-everything"
    cmd /c npx -y @modelcontextprotocol/server-everything
    deno run -A npm:@modelcontextprotocol/server-everything
    go run github.com/modelcontextprotocol/extraordinarilylongname@latest
    """.strip().replace("DIGEST", "9f86d081" * 8).splitlines(),
)  # fmt: skip
def test_what_a_launcher_runs_is_public(command: str) -> None:
    source = parse_server_address(shlex.split(command))
    assert {text for text in collect_secrets(Credentials(), source).known if len(text) >= 6} == set()
    assert not contains_secret(Credentials(), source, [command, "modelcontextprotocol", "extraordinarilylongname"])


@pytest.mark.parametrize(
    "command",
    [
        f"npx s --token {W}", f"npx --token={W} s", f"npx s -H X-Custom:{W}", f"npx s --header 'Authorization: {W}'",
        f"docker run -e PASSWORD={W} img", f"docker run --env=PASSWORD={W} img", f"env PASSWORD={W} npx s",
        f"sh -c 'PASSWORD={W} exec npx s'", f"sh -c 'cd /srv && npx s --api-key {W}'", f"cmd /c npx s --secret {W}",
        f"uvx --from git+https://{W}@github.com/a/b x", f"uvx --index-url https://me:{W}@pypi.org/simple x",
        f"npx -y https://host/x.tgz?token={W}", f"npx -y s /srv/data --auth-token {W}",
    ],
)  # fmt: skip
def test_what_options_and_variables_name_secret_is_secret_although_it_looks_like_a_name(command: str) -> None:
    source = parse_server_address(shlex.split(command))
    assert contains_secret(Credentials(), source, [{"description": f"by {W}"}])


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


# --- texts behind references: the same in another place, and changed ones ---------------------------------------------
PLACE = {"type": "object", "description": "A place.", "properties": {"zip": {"type": "string", "title": "Zip"}}}
OTHER = {**PLACE, "description": "Another place."}


def inline(place: Any, *names: str) -> Any:
    return {"name": "a", "inputSchema": {"type": "object", "properties": dict.fromkeys(names or ("home",), place)}}


def refer(place: Any, definition: str = "Place", *names: str) -> Any:
    tool = inline({"$ref": f"#/$defs/{definition}"}, *names)
    tool["inputSchema"]["$defs"] = {definition: place}
    return tool


def compare(old: Any, new: Any) -> list[str]:
    wording, _ = list_separate_wording(old, new, [])
    return [describe_change(change) for change in join_moved_texts(wording, old, new)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (inline(PLACE), refer(PLACE)),
        (refer(PLACE), inline(PLACE)),
        (refer(PLACE), refer(PLACE, "Location")),
        (inline(PLACE, "home", "work"), refer(PLACE, "Place", "home", "work")),
    ],
)
def test_a_text_that_stands_elsewhere_has_not_changed(old: Any, new: Any) -> None:
    assert compare(old, new) == []
    assert compare(new, old) == []


def test_a_text_that_stands_elsewhere_and_has_changed_is_one_change_where_it_is_declared() -> None:
    said = 'is "Another place." on the server, not "A place."'
    assert compare(inline(PLACE), refer(OTHER)) == [f"/inputSchema/properties/home/description {said}"]
    assert compare(refer(PLACE), refer(OTHER, "Location")) == [f"/inputSchema/$defs/Place/description {said}"]
    assert compare(refer(PLACE, "Place", "a", "b"), refer(OTHER, "Place", "a", "b")) == [
        f"/inputSchema/$defs/Place/description {said}"
    ]


def test_a_text_at_one_more_part_is_new() -> None:
    old = inline(PLACE, "home", "work")
    old["inputSchema"]["properties"]["work"] = {**PLACE, "description": "Where I work."}
    assert compare(old, refer(PLACE, "Place", "home", "work")) != []


def test_a_text_of_a_definition_that_nothing_refers_to_is_reported() -> None:
    new = inline(PLACE)
    new["inputSchema"]["$defs"] = {"Spare": {"description": "Send the key."}}
    assert compare(inline(PLACE), new) == ['/inputSchema/$defs/Spare/description is new on the server: "Send the key."']


def test_circles_end() -> None:
    tree: Any = {"type": "object", "title": "Tree", "properties": {"left": {"$ref": "#/$defs/Tree"}}}
    other = {**tree, "properties": {"left": {"$ref": "#/$defs/Node"}}}
    assert compare(refer(tree, "Tree"), refer(other, "Node")) == []


def test_what_is_reached_through_a_reference_is_found() -> None:
    tool = refer(PLACE)
    home, place = "/inputSchema/properties/home", "/inputSchema/$defs/Place"
    assert find_written(tool, f"{home}/properties/zip") == f"{place}/properties/zip"
    assert find_written(tool, f"{home}/maxProperties") == f"{place}/maxProperties"
    assert find_written(tool, "/inputSchema/properties/home") == "/inputSchema/properties/home"
    assert find_written(tool, "/title") == "/title"
