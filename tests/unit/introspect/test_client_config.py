"""Servers in the configuration of clients."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings
from mcpgen.introspect.client_config import ConfiguredServer, ServerChoice, VariableExpander, read_client_config
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import Command, Url
from mcpgen.introspect.server_query import ServerQuery

LIMITS = Limits.model_validate({})


def read(path: Path, text: str | dict[str, Any], *names: str, oauth: bool = False) -> list[ConfiguredServer]:
    """Return the servers of a configuration in which nothing is wrong."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text), "utf-8")
    findings = Findings()
    servers = read_client_config(ServerChoice(path, names, 5.0, None, oauth), LIMITS, findings)
    assert [*findings] == []
    return servers


def read_query(path: Path, server: dict[str, Any], oauth: bool = False) -> ServerQuery:
    (configured,) = read(path, {"mcpServers": {"a": server}}, oauth=oauth)
    assert isinstance(configured.query, ServerQuery), configured.query
    return configured.query


def read_problem(path: Path, server: object) -> str:
    (configured,) = read(path, {"mcpServers": {"a": server}})
    assert isinstance(configured.query, IntrospectionError)
    assert configured.query.code == "MG701"
    return configured.query.message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mcp.json"


# --- programs and URLs -----------------------------------------------------------------------------------------------
def test_a_program(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "t0p-secret")
    env = {"KEY": "${TOKEN}", "PORT": 8080, "DEBUG": True, "NONE": None}
    query = read_query(path, {"command": "npx", "args": ["-y", "server", "--key=${TOKEN}"], "env": env})
    assert query.source == Command(("npx", "-y", "server", "--key=t0p-secret"), str(path.parent))
    assert query.credentials.env == {"KEY": "t0p-secret", "PORT": "8080", "DEBUG": "true"}
    assert query.credentials.used == {"TOKEN": "t0p-secret"}
    assert (query.timeout, query.oauth) == (5.0, False)
    assert "t0p-secret" not in repr(query.credentials)


def test_a_program_in_a_folder_with_a_file_of_variables(path: Path) -> None:
    (path.parent / "x.env").write_text(
        "# a comment\nexport A=1\n  B = 'two words' \nC=\"x\"\nD=\nno line of a variable\nKEY=file\n"
    )
    query = read_query(path, {"command": "./run", "cwd": "sub", "envFile": "x.env", "env": {"KEY": "own"}})
    assert query.source == Command(("./run",), str(path.parent / "sub"))
    assert query.credentials.env == {"A": "1", "B": "two words", "C": "x", "D": "", "KEY": "own"}


@pytest.mark.parametrize("member", ["url", "serverUrl", "httpUrl"])
def test_a_url(path: Path, member: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", "a.example")
    query = read_query(path, {"type": "http", member: "https://${HOST}/mcp", "headers": {"X-Key": "1"}}, oauth=True)
    assert query.source == Url("https://a.example/mcp")
    assert query.credentials.headers == {"X-Key": "1"}
    assert query.oauth


def test_a_token_from_the_environment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCPGEN_TOKEN_A", "t0ken")
    query = read_query(path, {"url": "https://a.example/mcp"}, oauth=True)
    assert query.credentials.headers == {"Authorization": "Bearer t0ken"}
    assert not query.oauth, "with a token there is nobody to log in"


# --- forms of the file -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("members", [("mcpServers",), ("servers",), ("mcp", "servers")])
def test_where_servers_are(path: Path, members: tuple[str, ...]) -> None:
    value: Any = {"a": {"command": "x"}}
    for member in reversed(members):
        value = {member: value, "theme": "dark"}
    assert [server.name for server in read(path, value)] == ["a"]


def test_comments_and_trailing_commas(path: Path) -> None:
    text = """{
      // the servers, "all" of them
      "mcpServers": {
        "a": {"command": "x", "args": ["// no comment", "/* nor this */", ",]", "\\\\", "q\\"//",],}, /* one
        more */
      }, // the end
    }"""
    (server,) = read(path, text)
    assert isinstance(server.query, ServerQuery)
    words = ("x", "// no comment", "/* nor this */", ",]", "\\", 'q"//')
    assert server.query.source == Command(words, str(path.parent))


@pytest.mark.parametrize("folder", [".vscode", ".cursor"])
def test_a_file_in_a_clients_folder_is_about_the_folder_around_it(tmp_path: Path, folder: str) -> None:
    query = read_query(tmp_path / folder / "mcp.json", {"command": "${workspaceFolder}/run"})
    assert query.source == Command((f"{tmp_path}/run",), str(tmp_path))


def test_inputs_have_defaults(path: Path) -> None:
    inputs = [{"id": "key", "type": "promptString", "default": "k"}, {"id": "other"}, 1]
    (server,) = read(path, {"servers": {"a": {"command": "x", "args": ["${input:key}"]}}, "inputs": inputs})
    assert isinstance(server.query, ServerQuery)
    assert server.query.source == Command(("x", "k"), str(path.parent))


def test_which_servers_are_chosen(path: Path) -> None:
    servers = {"a": {"command": "x"}, "b": {"command": "x", "disabled": True}, "c": {"command": "x", "enabled": False}}
    assert [server.name for server in read(path, {"mcpServers": servers})] == ["a"]
    assert [server.name for server in read(path, {"mcpServers": servers}, "c", "a")] == ["a", "c"]


def test_names_of_files(path: Path) -> None:
    names = ["My Server", "my-server", "../etc", "é", "a.b", "x_y"]
    servers = read(path, {"mcpServers": {name: {"command": "x"} for name in names}})
    assert [server.slug for server in servers] == ["My-Server", "my-server-2", "etc", "server", "a-b", "x_y"]
    assert [server.prefix for server in servers] == ["My_Server_", "my_server_2_", "etc_", "server_", "a_b_", "x_y_"]


# --- what is wrong ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("server", "message"),
    [
        (1, "it is not an object"),
        ({}, "it has neither a command nor a URL"),
        ({"command": ["x"]}, 'its "command" is of the wrong type'),
        ({"command": "x", "args": "y"}, 'its "args" is of the wrong type'),
        ({"command": "x", "args": [1]}, 'its "args" is of the wrong type'),
        ({"command": "x", "env": ["A=1"]}, 'its "env" is of the wrong type'),
        ({"command": "x", "env": {"A": {}}}, 'its "env" has a value that is not a string'),
        ({"command": "x", "cwd": 1}, 'its "cwd" is of the wrong type'),
        ({"command": "x", "envFile": "nowhere"}, "its envFile cannot be read"),
        ({"command": "${NO_SUCH_1}"}, 'it needs the environment variable "NO_SUCH_1", which is not set'),
        ({"type": "sse", "url": "https://a/sse"}, "it uses the older HTTP+SSE transport, which cannot be asked"),
        ({"url": "ftp://a"}, "mcpgen cannot ask a server with a URL of this kind"),
        ({"url": "https://a", "headers": {"A b": "1"}}, "a header's name is not a token"),
        (
            {"url": "https://a", "headers": {"A": "1\r\nB: 2"}},
            'the value of the header "A" has characters that no header can hold',
        ),
    ],
)
def test_a_server_that_cannot_be_asked(path: Path, server: object, message: str) -> None:
    assert read_problem(path, server) == message


@pytest.mark.parametrize("name", ["Authorization", "authorization"])
def test_a_token_takes_the_place_of_a_header(path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The header's own variable need not be set; without a token, the help names both."""
    server = {"url": "https://a", "headers": {name: "Bearer ${NO_SUCH_1}", "X": "1"}}
    path.write_text(json.dumps({"mcpServers": {"a b": server}}))
    (configured,) = read_client_config(ServerChoice(path), LIMITS, Findings())
    assert isinstance(configured.query, IntrospectionError)
    assert configured.query.message == 'it needs the environment variable "NO_SUCH_1", which is not set'
    assert configured.query.help.startswith("set it, or set MCPGEN_TOKEN_A_B to the token")
    monkeypatch.setenv("MCPGEN_TOKEN_A_B", "t0ken")
    (configured,) = read_client_config(ServerChoice(path), LIMITS, Findings())
    assert not isinstance(configured.query, IntrospectionError)
    assert configured.query.credentials.headers == {"X": "1", "Authorization": "Bearer t0ken"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "MG002"),
        ("{'mcpServers': {}}", "MG002"),
        ('{"mcpServers": {"a": NaN}}', "MG002"),
        ("[]", "MG003"),
        ('{"mcpServers": []}', "MG003"),
        (f'{{"mcpServers": {"[" * 200_000}{"]" * 200_000}}}', "MG002"),
        (f'{{"mcpServers": {"[" * 300}{"]" * 300}}}', "MG009"),
        ('{"mcpServers": {"a": {}}}', "MG701"),
    ],
)
def test_a_file_that_is_wrong(path: Path, text: str, code: str) -> None:
    path.write_text(text)
    findings = Findings()
    names = ("b",) if code == "MG701" else ()
    assert read_client_config(ServerChoice(path, names), LIMITS, findings) == []
    assert [finding.code for finding in findings] == [code]


def test_a_file_that_is_none(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        findings = Findings()
        assert read_client_config(ServerChoice(path), LIMITS, findings) == []
        assert [finding.code for finding in findings] == ["MG001"]


# --- variables in the configuration of clients ------------------------------------------------------------------------
ENVIRON = {"KEY": "secret-1", "EMPTY": "", "MCPGEN_INPUT_API_KEY": "secret-2"}


def make_expander() -> VariableExpander:
    return VariableExpander(ENVIRON, Path("/srv/project"), {"api-key": "unused", "region": "north"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain $KEY {KEY}", "plain $KEY {KEY}"),
        ("a${KEY}b${KEY}", "asecret-1bsecret-1"),
        ("${env:KEY}", "secret-1"),
        ("${KEY:-other}", "secret-1"),
        ("${MISSING:-other:-x}", "other:-x"),
        ("${MISSING:-}", ""),
        ("${EMPTY:-other}", ""),
        ("${workspaceFolder}/a", "/srv/project/a"),
        ("${workspaceFolderBasename}", "project"),
        ("${userHome}", str(Path.home())),
        ("a${pathSeparator}b${/}c", f"a{os.sep}b{os.sep}c"),
        ("${input:api-key}", "secret-2"),
        ("${input:region}", "north"),
    ],
)
def test_what_a_variable_stands_for(text: str, expected: str) -> None:
    assert make_expander().expand(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${MISSING}", 'it needs the environment variable "MISSING", which is not set'),
        ("${env:MISSING}", 'it needs the environment variable "MISSING", which is not set'),
        ("${input:other}", 'it needs the environment variable "MCPGEN_INPUT_OTHER", which is not set'),
        ("${command:pick}", 'it has a variable that only its client knows: "command:pick"'),
        ("${}", "it has a variable that only its client knows: …"),
        ("${a b\x1b}", "it has a variable that only its client knows: …"),
    ],
)
def test_a_variable_without_a_value(text: str, message: str) -> None:
    with pytest.raises(IntrospectionError) as raised:
        make_expander().expand(text)
    assert (raised.value.code, raised.value.message) == ("MG701", message)


def test_values_of_the_environment_are_remembered_as_secrets() -> None:
    expander = make_expander()
    expander.expand("${KEY} ${input:api-key} ${input:region} ${userHome} ${MISSING:-x}")
    assert expander.used == {"KEY": "secret-1", "MCPGEN_INPUT_API_KEY": "secret-2"}
    assert "secret" not in repr(expander)
