"""Nothing secret of what names a server gets into a file or an output: a table of command lines and URLs."""

from __future__ import annotations

import json
import shlex
import sys
import urllib.parse
from pathlib import Path

import pytest
from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.public_address import redact_url
from mcpgen.introspect.pulled_file import render_pulled_file
from mcpgen.introspect.redaction import Redactor, contains_secret
from mcpgen.introspect.server_address import format_server_address, make_server_name, parse_server_address
from mcpgen.introspect.validation import AdvertisedDefinitions
from support.packages import mcpgen
from support.secret_sources import COMMANDS, HEX, KEY, URLS, T, W

NOTHING = AdvertisedDefinitions("2025-11-25", {"tools": [], "resources": [], "resourceTemplates": []})
SOURCES = [([url], secrets) for url, secrets in URLS] + COMMANDS


def _is_in(secret: str, text: str) -> bool:
    """Whether a secret stands in a text, in any case, or a good part of it."""
    low = text.lower()
    return any(secret.lower()[at : at + 8] in low for at in range(0, len(secret) - 7, 4))


@pytest.mark.parametrize(("words", "secrets"), SOURCES, ids=[f"{n}" for n in range(len(SOURCES))])
def test_what_is_kept_and_shown_of_a_server(words: list[str], secrets: list[str]) -> None:
    source = parse_server_address(words)
    redacted = Redactor(Credentials(), source)
    quotes = [*words, " ".join(words), shlex.join(words), repr(words), json.dumps(words)]
    quotes += [urllib.parse.quote(word, safe="") for word in words]
    quotes += [f"Client error '401' for url '{words[0]}'", f"cannot use {words[-1]!r}: denied"]
    kept = [
        format_server_address(source),
        make_server_name(source),
        render_pulled_file(NOTHING, format_server_address(source)),
    ]
    for secret in secrets:
        for text in (*kept, *map(redacted.redact_foreign, quotes)):
            assert not _is_in(secret, text), (secret, text)


def test_the_table_is_large() -> None:
    assert len(SOURCES) >= 80


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["npx", "-y", "@scope/server-x@1.2", "--api-key", KEY], "server-x"),
        (["uvx", "--from", f"git+https://{T}@example.com/x", "mcp-server-git==0.6"], "mcp-server-git"),
        (["docker", "run", "-i", "-e", f"A={KEY}", "mcp/fetch"], "fetch"),
        (["env", f"A={KEY}", "node", "/x/mine/dist/index.js", T], "mine"),
        (["python3.11", "-m", "weather.server", W], "weather-server"),
        (["uv", "run", "--directory", "/srv/weather", "serve.py"], "serve"),
        (["sh", "-c", f"run {T}"], "sh"),
        (["npx", "--unknown", "value", "some-server"], "npx"),
        ([T], "server"),
    ],
)
def test_the_name_of_a_command(words: list[str], name: str) -> None:
    assert make_server_name(parse_server_address(words)) == name


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://mcp.example.com/mcp", "https://mcp.example.com/mcp"),
        ("https://example.com:8443/api/v1/mcp/sse", "https://example.com:8443/api/v1/mcp/sse"),
        ("http://127.0.0.1:8000/mcp", "http://127.0.0.1:8000/mcp"),
        ("http://[::1]:8000/mcp", "http://[::1]:8000/mcp"),
        (f"https://me:{W}@h.example.com/weather/mcp?x=1#y", "https://h.example.com/…/mcp"),
        (f"https://{HEX}.example.com/", "https://….example.com/"),
    ],
)
def test_what_is_shown_of_a_url(url: str, said: str) -> None:
    assert redact_url(url) == said


def test_a_url_that_was_shown_cannot_be_asked() -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_server_address(["https://example.com/…/mcp"])
    assert "give it as you know it" in caught.value.help


@pytest.mark.parametrize(
    "words", [[f"TOKEN={T}", "some-server"], [f"wss://{T}@example.com/mcp"], [f"postgres://a:{W}@b"]]
)
def test_what_is_no_command_is_not_repeated(words: list[str]) -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_server_address(words)
    assert caught.value.code == "MG701"
    assert T not in caught.value.message + caught.value.help
    assert W not in caught.value.message + caught.value.help


def test_what_is_no_secret_stays() -> None:
    """Messages stay readable, and definitions that speak of plain words are no reason to refuse them."""
    words = ["npx", "-y", "server-github", "--port", "8000", "--transport", "stdio", "./data/weather", "github"]
    source = parse_server_address(words)
    text = "server-github cannot read ./data/weather on port 8000 over stdio"
    assert Redactor(Credentials({}, {"DEBUG": "1"}), source).redact_foreign(text) == text
    url = parse_server_address(["https://mcp.example.com/weather/mcp"])
    for one in (source, url):
        assert not contains_secret(
            Credentials({}, {"DEBUG": "1"}), one, [{"description": "weather of github, stdio, 8000, 1"}]
        )
    assert contains_secret(Credentials(), parse_server_address(["some-server", T]), [{"x": {"y": [f"by {T}"]}}])
    assert contains_secret(Credentials(), parse_server_address(["some-server", "--token", W]), [{W: 1}])


LEAKY = """
import json, os, sys
said = " ".join(sys.argv[1:]) + " " + json.dumps(sys.argv) + " " + os.environ.get("GIVEN", "")
print(said, file=sys.stderr, flush=True)
print("not a message: " + said, flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked and os.environ.get("WAY") == "error":
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": 1, "message": said}}), flush=True)
    elif "id" in asked:
        raise SystemExit(3)
"""


@pytest.mark.parametrize("format", ["text", "json", "github", "sarif"])
@pytest.mark.parametrize("way", ["error", "end"])
def test_a_server_that_repeats_what_it_was_given(tmp_path: Path, format: str, way: str) -> None:
    """In no format is anything secret, whether the server says it in an error, on a stream, or before it ends."""
    pytest.importorskip("mcp", reason="no MCP SDK is installed")
    (tmp_path / "leaky.py").write_text(LEAKY)
    arguments = ["--header-like", f"Authorization: Bearer {T}", KEY, f"--x={HEX}", f"https://a:{W}@b.example.com/?k=1"]
    options = ["--env", f"WAY={way}", "--env", "GIVEN=opensesame99", "--format", format]
    run = mcpgen("pull", *options, "--", sys.executable, "leaky.py", *arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert "MG70" in run.stdout + run.stderr
    for secret in (T, KEY, HEX, W, "opensesame99"):
        assert not _is_in(secret, run.stdout + run.stderr), (secret, run.stdout + run.stderr)
