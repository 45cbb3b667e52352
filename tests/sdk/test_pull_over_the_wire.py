"""Asking servers, over the transports of whichever SDK is installed: what they advertise, and what goes wrong."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import Limits
from mcpgen.introspect import session
from mcpgen.introspect.client import query_server
from mcpgen.introspect.error_messages import STDOUT_HELP
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_query import parse_server_query
from mcpgen.introspect.session import ServerListing
from sdk import by_hand
from support.packages import mcpgen

pytestmark = pytest.mark.ci

pytest.importorskip("mcp", reason="no MCP SDK is installed")
SECRET = "s3cret-of-mine"
HERE = Path(by_hand.__file__)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "INVALID_MESSAGE_SECONDS", 0.5)
    monkeypatch.setattr(session, "PROBE_SECONDS", 2.0)


def of(
    behaviour: str,
    *,
    env: tuple[str, ...] = (f"TOKEN={SECRET}",),
    timeout: float = 20,
    protocol: str | None = None,
    **limits: float,
) -> ServerListing:
    """Return what a misbehaving process answers."""
    limits_model = Limits.model_validate({name.replace("_", "-"): value for name, value in limits.items()})
    return query_server(
        parse_server_query([sys.executable, str(HERE), behaviour], [], [], env, timeout, protocol), limits_model
    )


def refusal(behaviour: str, **more: Any) -> str:
    """Why a misbehaving process cannot be asked."""
    with pytest.raises(IntrospectionError) as caught:
        of(behaviour, **more)
    return said(caught.value)


def said(error: IntrospectionError) -> str:
    text = f"{error.code}: {error.message}" + (f" ({error.help})" if error.help else "")
    assert SECRET not in text
    assert "\n" not in text
    return text


def test_everything_is_kept_as_it_was_sent() -> None:
    answer = of("")
    lists = {"tools": [by_hand.TOOL, by_hand.OTHER], "resources": [by_hand.RESOURCE]}
    lists["resourceTemplates"] = [by_hand.TEMPLATE]
    lists["prompts"] = []
    assert json.dumps(answer.lists) == json.dumps(lists), "values, their order and 1.0 as a float"
    assert answer.protocol == "2025-11-25"
    assert answer.invalid_lines == answer.failed == ()


@pytest.mark.parametrize(
    ("behaviour", "names"),
    [
        ("pages", ["b", "a"]),
        ("huge", [f"t{number}" for number in range(2000)]),
        ("pings", ["b", "a"]),
        ("strict", ["b", "a"]),
        ("changes", ["b", "a"]),
        ("no templates", ["b", "a"]),
    ],
)
def test_servers_that_are_well_behaved_in_their_way(behaviour: str, names: list[str]) -> None:
    assert [tool["name"] for tool in of(behaviour).lists["tools"] if isinstance(tool, dict)] == names


def test_lines_that_are_no_messages_are_told_of() -> None:
    answer = of("banner")
    assert len(answer.lists["tools"]) == 2
    assert answer.invalid_lines == ("Welcome to the server!",)


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        (
            "dies",
            "MG705: the server's process ended before it answered initialize "
            "(it wrote on its standard error: first line | Token *** has no rights; "
            "start the command by hand to see what it lacks; it gets no variables but those of --env; "
            "*** stands for a word of the server's command, or another text, that could be a secret)",
        ),
        (
            "dies late",
            "MG705: the server's process ended before it answered tools/list "
            "(it wrote on its standard error: first line | Token *** has no rights; "
            "start the command by hand to see what it lacks; it gets no variables but those of --env; "
            "*** stands for a word of the server's command, or another text, that could be a secret)",
        ),
        ("error", "MG708: the server answers tools/list with an error: no luck with ***"),
        ("no list", "MG708: the answer to tools/list holds no list of tools"),
        ("circle", "MG712: the pages of tools/list have no end: a cursor comes again"),
        ("unknown version", 'MG709: the server names "1999-01-01" as its protocol version'),
    ],
)
def test_servers_that_cannot_be_asked(behaviour: str, expected: str) -> None:
    assert refusal(behaviour).startswith(expected)


def test_nonsense() -> None:
    quoted = '"<html>no JSON</html>"'
    expected = f"MG708: the server's answer to initialize is not an MCP message: {quoted} ({STDOUT_HELP})"
    assert refusal("nonsense") == expected


def test_a_server_that_takes_its_time() -> None:
    expected = "MG706: the server took more than 3 seconds to answer tools/list (allow it more with --timeout"
    assert refusal("slow", timeout=3).startswith(expected)


def test_the_version_can_be_chosen() -> None:
    assert of("", protocol="2025-03-26").protocol == "2025-03-26"
    assert refusal("old version", protocol="2025-06-18").startswith("MG709: the server does not speak 2025-06-18")
    assert "does not speak 2026-07-28" in refusal("", protocol="2026-07-28")
    assert of("old version").protocol == "2024-11-05"


def test_programs_that_cannot_be_started(tmp_path: Path) -> None:
    (tmp_path / "no-program").write_text("")
    for words in (["no-such-program"], [str(tmp_path / "no-program"), "--token", SECRET], [str(tmp_path)]):
        with pytest.raises(IntrospectionError) as caught:
            query_server(parse_server_query(words, [], [], [f"TOKEN={SECRET}"], 20, None))
        assert said(caught.value).startswith(f'MG704: the program "{words[0]}" cannot be started: ')


# --- HTTP ------------------------------------------------------------------------------------------------------------
@contextmanager
def http_server(behaviour: str) -> Iterator[str]:
    """A Streamable HTTP endpoint that answers in JSON, and wants a header for everything but `open`."""
    server = by_hand.Server(behaviour)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if behaviour.isdecimal():
                return self.reply(int(behaviour), b"<html>go away</html>", "text/html")
            if behaviour == "html":
                return self.reply(200, b"<html>hello</html>", "text/html")
            if behaviour != "open" and self.headers.get("authorization") != f"Bearer {SECRET}":
                return self.reply(401, b"", "text/plain")
            answer = server.answer(message)
            if answer is None:
                return self.reply(202, b"", "text/plain")
            return self.reply(200, json.dumps(answer).encode(), "application/json")

        def do_GET(self) -> None:
            self.reply(405, b"", "text/plain")

        def reply(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{served.server_port}/mcp"
    finally:
        served.shutdown()
        served.server_close()


def test_http() -> None:
    with http_server("open") as url:
        answer = query_server(parse_server_query([url], [], [], [], 20, None))
        assert [tool["name"] for tool in answer.lists["tools"] if isinstance(tool, dict)] == ["b", "a"]
        assert query_server(parse_server_query([url], [], [], [], 20, "2025-06-18")).protocol == "2025-06-18"


def test_http_with_a_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", f"Bearer {SECRET}")
    with http_server("closed") as url:
        plain: list[str] = [f"Authorization: Bearer {SECRET}"]
        assert len(query_server(parse_server_query([url], plain, [], [], 20, None)).lists["tools"]) == 2
        assert (
            len(query_server(parse_server_query([url], [], ["Authorization=MY_TOKEN"], [], 20, None)).lists["tools"])
            == 2
        )
        with pytest.raises(IntrospectionError) as caught:
            query_server(parse_server_query([url], ["X-Other: 1"], [], [], 20, None))
    assert said(caught.value).startswith(
        "MG707: the server asks for authorisation (HTTP 401) (log in with --oauth, or give --header-env"
    )


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("403", "MG707: the server asks for authorisation (HTTP 403)"),
        ("404", "MG704: there is no Streamable HTTP endpoint at this URL (HTTP 404)"),
        ("500", "MG708: the server answers initialize with HTTP 500"),
        ("html", "MG708: what answers at this URL sends no MCP messages, but text/html"),
    ],
)
def test_endpoints_that_are_none(behaviour: str, expected: str) -> None:
    with http_server(behaviour) as url, pytest.raises(IntrospectionError) as caught:
        query_server(parse_server_query([f"{url}?key={SECRET}"], [], [], [], 10, None))
    assert said(caught.value).startswith(expected)


def test_an_endpoint_that_is_not_there() -> None:
    with http_server("open") as url:
        pass
    with pytest.raises(IntrospectionError) as caught:
        query_server(parse_server_query([url], [f"Authorization: {SECRET}"], [], [], 10, None))
    assert said(caught.value).startswith("MG704: the server cannot be reached: ")


# --- the command -----------------------------------------------------------------------------------------------------
def test_pull_and_check(tmp_path: Path) -> None:
    """Check that the same server gives the same bytes; the file builds; a check finds what changes."""
    (tmp_path / "mcpgen.toml").write_text('sdk = "none"\n', "utf-8")
    command = f"{sys.executable} {HERE}"
    arguments = ["--name", "mine", "--env", f"TOKEN={SECRET}"]
    first = mcpgen("pull", *arguments, "--", sys.executable, str(HERE), "", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    file = tmp_path / "schemas" / "pulled" / "mine.json"
    text = file.read_bytes()
    document = json.loads(text)
    assert [tool["name"] for tool in document["tools"]] == ["a", "b"]
    assert json.dumps(document["tools"][1]) == json.dumps(by_hand.TOOL)
    again = mcpgen("pull", *arguments, f"{command} ''", cwd=tmp_path)
    assert again.stderr == first.stderr.replace("written", "unchanged")
    assert file.read_bytes() == text
    fine = mcpgen("check", "--name", "mine", "--server", f"{command} ''", cwd=tmp_path)
    assert (fine.returncode, fine.stdout) == (0, "")
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    drifted = mcpgen("check", "--name", "mine", "--server", f"{command} deep", cwd=tmp_path)
    assert drifted.returncode == 4
    assert 'error[MG716]: tool "a": /' in drifted.stderr
    assert 'error[MG716]: tool "b" is missing on the server\n' in drifted.stderr
    assert drifted.stdout.startswith('--- schemas/pulled/mine.json: tool "a"\n+++ ')
    removed = mcpgen("check", "--name", "mine", "--server", f"{command} dies", "--env", f"TOKEN={SECRET}", cwd=tmp_path)
    assert (removed.returncode, removed.stdout) == (2, "")
    assert "MG705" in removed.stderr
    for run in (first, again, fine, drifted, removed):
        assert SECRET not in run.stdout + run.stderr
        assert "Traceback" not in run.stderr
    assert SECRET not in text.decode()


@pytest.mark.parametrize(
    ("behaviour", "code", "words"),
    [
        ("no tool", "MG710", 'the Tool "a" is not valid: "inputSchema" is a required property'),
        ("misspelt", "MG710", 'the Tool "b" is not valid at /output_schema: a Tool has no member "output_schema"'),
        ("twice", "MG711", 'the server advertises two Tools "a"'),
    ],
)
def test_definitions_that_are_none(tmp_path: Path, behaviour: str, code: str, words: str) -> None:
    run = mcpgen("pull", "--", sys.executable, str(HERE), behaviour, cwd=tmp_path)
    assert run.returncode == 0
    assert f"warning[{code}]: {words}" in run.stderr
    without = mcpgen("pull", "--exclude", words.split('"')[1], "--", sys.executable, str(HERE), behaviour, cwd=tmp_path)
    assert (without.returncode, code in without.stderr) == (0, False)


def test_the_choices_of_a_server_are_not_made(tmp_path: Path) -> None:
    run = mcpgen("pull", "--name", "x", "--", sys.executable, str(HERE), "choices", cwd=tmp_path)
    assert run.returncode == 0
    assert 'warning[MG713]: the Tool "a" comes with x-mcpgen, which mcpgen ignores' in run.stderr
    (tool,) = json.loads((tmp_path / "schemas/pulled/x.json").read_text("utf-8"))["tools"]
    assert tool == {**by_hand.OTHER, "inputSchema": {"type": "object", "properties": {"x-mcpgen": {}}}}


def test_a_secret_in_a_definition_is_neither_shown_nor_written(tmp_path: Path) -> None:
    arguments = ["--name", "x", "--env", f"TOKEN={SECRET}"]
    run = mcpgen("pull", *arguments, "--", sys.executable, str(HERE), "tells", cwd=tmp_path)
    assert run.returncode == 0
    assert 'warning[MG715]: the Tool "a" holds a secret that the server was given; *** takes its place\n' in run.stderr
    assert SECRET not in run.stderr + run.stdout + (tmp_path / "schemas/pulled/x.json").read_text("utf-8")
    wrong = mcpgen("pull", *arguments, "--", sys.executable, str(HERE), "no tool with a secret", cwd=tmp_path)
    assert wrong.returncode == 0
    assert 'warning[MG710]: the Tool "a" is not valid at /title: ["***"] is not of type "string"' in wrong.stderr
    run = mcpgen("pull", *arguments, "--exclude", "a", "--", sys.executable, str(HERE), "tells", cwd=tmp_path)
    assert run.returncode == 0
