"""`mcpgen mock` as a process: what it answers, what rules do, and what it says when something is wrong."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from sdk import wire
from sdk.installed import SDK
from support.children import child
from support.mocks import Mock, mock_command, run_mock
from support.packages import mcpgen, tool
from support.ports import reserve_port

pytestmark = pytest.mark.skipif(SDK is None, reason="no MCP SDK is installed here")
VERSION = "2025-06-18"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "degrees": {"type": "integer", "minimum": -9, "maximum": 99}},
    "required": ["city", "degrees"],
    "examples": [{"city": "Oslo", "degrees": 3}, {"city": "Rome", "degrees": 30}, {"city": "Bad", "degrees": 1e3}],
}
DRAWN = {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}, "required": ["n", "s"]}
ROWS = {"type": "array", "items": DRAWN, "minItems": 2}
NEVER = {"type": "object", "properties": {"a": False}, "required": ["a"]}
LIST = {"type": "object", "properties": {"next": {"$ref": "#"}, "v": {"type": "null"}}, "required": ["v"]}
TOOLS: list[dict[str, Any]] = [
    tool("weather", WEATHER, inputSchema=CITY),
    tool("draw", DRAWN),
    tool("rows", ROWS, **{"x-mcpgen": {"content": "csv"}}),
    tool("told", WEATHER, **{"x-mcpgen": {"content": "template", "template": "told.content.j2"}}),
    tool("plain"),
    tool("odd.name/é", {"type": ["null", "integer"]}),
    tool("never", NEVER),
    tool("list", LIST),
    tool("declared", DRAWN, **{"x-mcpgen": {"mock": [{"error": "from the definition"}]}}),
    tool("failing", DRAWN, **{"x-mcpgen": {"error": {"type": "object", "properties": {"code": {"type": "integer"}}}}}),
    tool("configured", DRAWN),
]
JSON: dict[str, Any] = {"mimeType": "application/json", "x-mcpgen": {"schema": {"type": "array", "minItems": 1}}}
OTHERS: dict[str, Any] = {
    "resources": [
        {"name": "readme", "uri": "doc://readme"},
        {"name": "picture", "uri": "doc://picture", "mimeType": "image/png"},
        {"name": "data", "uri": "doc://data", **JSON},
    ],
    "resourceTemplates": [{"name": "page", "uriTemplate": "doc://{shelf}/pages/{page}{?lang}", **JSON}],
    "prompts": [
        {
            "name": "ask",
            "description": "Ask politely.",
            "arguments": [{"name": "tone", "required": True}],
            "x-mcpgen": {"arguments": {"tone": {"enum": ["kind", "curt"]}}},
        }
    ],
}
RULES: list[dict[str, Any]] = [
    {"tool": "draw", "arguments": {"k": "result"}, "result": {"n": 1, "s": "x"}},
    {"tool": "draw", "arguments": {"k": "wrong"}, "result": {"n": "one"}},
    {
        "tool": "dr*",
        "schema": {"properties": {"k": {"type": "string", "pattern": "^err"}}, "required": ["k"]},
        "error": "no such k",
    },
    {"tool": "draw", "arguments": {"k": "fault"}, "protocolError": {"code": -7, "message": "broken", "data": [1]}},
    {"tool": "draw", "arguments": {"k": "raw"}, "raw": {"content": "no list", "other": None, "isError": 3}},
    {"tool": "draw", "arguments": {"k": "once"}, "times": 1, "error": "the first time"},
    {"tool": "draw", "arguments": {"k": {"deep": [1.0]}}, "error": "nested"},
    {"tool": "draw", "arguments": {"k": "slow"}, "delay": 0.2, "progress": 2},
    {"tool": "draw", "arguments": {"k": "cut"}, "disconnect": True},
    {"name": "busy", "error": "chosen by name"},
    {"tool": "failing", "arguments": {"k": "data"}, "errorData": {"code": 7}},
    {"tool": "failing", "arguments": {"k": "both"}, "errorData": {"code": 7}, "error": "no such k"},
    {"tool": "*", "arguments": {"k": "wrong data"}, "errorData": {"code": "7"}},
    {"resource": "doc://*/pages/2*", "result": [2]},
    {"resource": "doc://readme", "times": 1, "error": "not today"},
    {"prompt": "ask", "arguments": {"tone": "curt"}, "result": "What?"},
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with definitions, settings, rules and recordings."""
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "told.content.j2").write_text("It is {{ degrees }} degrees in {{ city }}.", "utf-8")
    (tmp_path / "schemas" / "all.json").write_text(json.dumps({"tools": TOOLS, **OTHERS}), "utf-8")
    settings = '[[tools.configured.mock]]\nerror = "from the settings"\n'
    (tmp_path / "mcpgen.toml").write_text(settings, "utf-8")
    (tmp_path / "rules.json").write_text(json.dumps(RULES), "utf-8")
    calls = [
        {"tool": "draw", "arguments": {"k": "old"}, "result": make_result({"n": 5, "s": "recorded"})},
        {"tool": "draw", "arguments": {"k": "stale"}, "result": make_result({"n": "five"})},
        {"tool": "plain", "result": {"content": [{"type": "text", "text": "recorded"}], "isError": True}},
    ]
    (tmp_path / "calls.jsonl").write_text("".join(json.dumps(call) + "\n" for call in calls), "utf-8")
    return tmp_path


def make_result(value: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}


def connect(mock: Mock) -> wire.Session:
    return wire.Session(wire.over_http(mock.url, VERSION), VERSION)


def get_text(result: Any) -> str:
    return str(result["content"][0]["text"])


def find_error(ask: Callable[[], Any]) -> dict[str, Any]:
    with pytest.raises(wire.WireError) as caught:
        ask()
    error: dict[str, Any] = caught.value.args[0]
    return error


@pytest.mark.ci
def test_values_are_examples_recordings_or_drawn_and_stay_the_same(project: Path) -> None:
    arguments = [{"k": number} for number in range(3)]
    drawn: list[Any] = []
    for seed in ("0", "0", "1"):
        with run_mock(project, "--seed", seed, "--recorded", "calls.jsonl", "--record", f"new{seed}.jsonl") as mock:
            session = connect(mock)
            drawn.append([session.call("draw", one)["structuredContent"] for one in (*arguments, *arguments)])
            if len(drawn) > 1:
                continue
            for listed in session.tools()[0]["tools"]:
                answer = session.call(listed["name"], {"city": "Rome"})
                if "outputSchema" in listed and not answer["isError"]:
                    jsonschema_rs.validate(listed["outputSchema"], answer["structuredContent"])
                assert answer["isError"] == (listed["name"] in ("never", "declared", "configured")), answer
            assert session.call("weather", {"city": "Rome"})["structuredContent"]["degrees"] == 30
            assert session.call("weather", {"city": "Oslo"})["structuredContent"]["degrees"] == 3
            assert get_text(session.call("weather", {"city": 5})).startswith("Invalid arguments for weather: /city")
            assert get_text(session.call("told", {"city": "Rome"})) == "It is 30 degrees in Rome."
            assert get_text(session.call("rows")).startswith("n,s\r\n")
            assert session.call("draw", {"k": "old"})["structuredContent"] == {"n": 5, "s": "recorded"}
            stale = session.call("draw", {"k": "stale"})
            assert stale["isError"]
            assert "does not fit the outputSchema of draw (recorded): /n" in get_text(stale)
            assert session.call("plain") == {"content": [{"type": "text", "text": "recorded"}], "isError": True}
            assert get_text(session.call("plain", {"a": 1})) == 'A result of plain {"a": 1}.'
            assert get_text(session.call("declared")) == "from the definition"
            assert get_text(session.call("configured")) == "from the settings"
            assert find_error(partial(session.call, "nope"))["code"] == -32602
            lines = ("draw .*: recorded", "weather .*: example", "rows: drawn", "declared: rule", "never.*: nothing")
            for line in lines:
                assert re.search(rf"^\d\d:\d\d:\d\d {line}, \d+ ms$", mock.log, re.M), line
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(one[:3] == one[3:] and one[0] != one[1] for one in drawn)

    learned = mcpgen("learn", "new0.jsonl", "--out", "learned", cwd=project)  # what was recorded is read again
    assert learned.returncode == 0, learned.stderr
    with run_mock(project, "--seed", "9", "--recorded", "new0.jsonl") as mock:
        session = connect(mock)
        assert [session.call("draw", one)["structuredContent"] for one in arguments] == drawn[0][:3]
        assert session.call("draw", {"k": 1.0})["structuredContent"] == drawn[0][1]
        assert get_text(session.call("declared")) == "from the definition"


def test_resources_and_prompts(project: Path) -> None:
    with run_mock(project, "--rules", "rules.json") as mock:
        session = connect(mock)

        def read(uri: str) -> Any:
            (contents,) = session.request("resources/read", uri=uri)["contents"]
            assert contents["uri"] == uri
            return contents

        def ask(tone: str) -> Any:
            (message,) = session.request("prompts/get", name="ask", arguments={"tone": tone})["messages"]
            return message["content"]["text"]

        assert len(session.request("resources/list")["resources"]) == 3
        assert len(session.request("resources/templates/list")["resourceTemplates"]) == 1
        assert len(session.request("prompts/list")["prompts"]) == 1
        assert find_error(lambda: read("doc://readme"))["message"] == "not today"
        assert "doc://readme" in read("doc://readme")["text"]
        assert read("doc://picture")["blob"].startswith("iVBOR")
        assert json.loads(read("doc://data")["text"])
        assert json.loads(read("doc://a%2Fb/pages/1?lang=de")["text"])
        assert read("doc://a%2Fb/pages/1")["text"] == read("doc://a%2Fb/pages/1")["text"]
        assert json.loads(read("doc://a/pages/22")["text"]) == [2]
        assert find_error(lambda: read("doc://nothing"))["code"] in (-32602, -32002)
        assert ask("curt") == "What?"
        assert ask("kind").startswith("Ask politely.")
        assert find_error(lambda: ask("rude"))["code"] == -32602


def post(url: str, body: Any, **headers: str) -> tuple[int, dict[str, str], str]:
    """Send a message; return the status, the headers and the body of the answer."""
    host, port = re.findall(r"//(.+):(\d+)/", url)[0]
    connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=30)
    accepted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("POST", "/mcp", json.dumps(body), {**accepted, **named})
    answer = connection.getresponse()
    try:
        return answer.status, dict(answer.headers.items()), answer.read().decode()
    finally:
        connection.close()


def start(url: str, **headers: str) -> dict[str, str]:
    """Begin a session; return the headers of its requests."""
    params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": wire.CLIENT}
    status, answered, text = post(url, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}, **headers)
    assert status == 200, text
    return {"Mcp_Session_Id": answered["mcp-session-id"], "Mcp_Protocol_Version": VERSION, **headers}


def make_call(name: str, arguments: Any, **params: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments, **params}
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}


def iterate_messages(text: str) -> Iterator[Any]:
    for line in text.splitlines():
        if line.startswith("data: {"):
            yield json.loads(line.removeprefix("data: "))


def test_rules_over_http(project: Path) -> None:
    with run_mock(project, "--rules", "rules.json", "--record", "new.jsonl") as mock:
        session = connect(mock)

        def draw(k: Any) -> Any:
            return session.call("draw", {"k": k})

        assert draw("result")["structuredContent"] == {"n": 1, "s": "x"}
        assert "(rule): /n" in get_text(draw("wrong"))
        assert draw("error") == {"content": [{"type": "text", "text": "no such k"}], "isError": True}
        for k, said in (("data", '{"code":7}'), ("both", "no such k")):
            failed = session.call("failing", {"k": k})
            assert (failed["isError"], failed["structuredContent"], get_text(failed)) == (True, {"code": 7}, said)
        for name, problem in (("failing", "(rule): /code: should be an integer"), ("draw", "declares no `error`")):
            failed = session.call(name, {"k": "wrong data"})
            assert problem in get_text(failed)
            assert "structuredContent" not in failed
        assert find_error(lambda: draw("fault")) == {"code": -7, "message": "broken", "data": [1]}
        assert {**draw("raw"), "other": None} == {"content": "no list", "other": None, "isError": 3}
        assert get_text(draw("once")) == "the first time"
        assert not draw("once")["isError"]
        assert get_text(draw({"deep": [1], "more": 2})) == "nested"
        assert not draw({"deep": [2]})["isError"]
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            draw("cut")
        assert not draw("after")["isError"]

        headers = start(mock.url)
        _, _, text = post(mock.url, make_call("draw", {"k": "slow"}, _meta={"progressToken": "p"}), **headers)
        *steps, answer = iterate_messages(text)
        assert [step["params"]["progress"] for step in steps] == [1, 2]
        assert "structuredContent" in answer["result"]

        choices: list[tuple[Any, dict[str, str], str]] = [
            ({}, {"mcpgen_mock": "busy"}, "chosen by name"),
            ({"mcpgen/mock": "busy"}, {}, "chosen by name"),
            ({}, {"mcpgen_mock": '{"error": "in the header"}'}, "in the header"),
            ({"mcpgen/mock": {"error": "in _meta"}}, {"mcpgen_mock": "busy"}, "in _meta"),
            ({"mcpgen/mock": {"form": "x"}}, {}, "there is no form"),
            ({}, {"mcpgen_mock": "bsy"}, "no rule 'bsy' fits this request: there is busy"),
            ({}, {"mcpgen_mock": "{"}, "the rule of this request is not JSON"),
            ({"mcpgen/mock": {"eror": 1}}, {}, "the rule of this request is wrong: eror"),
        ]
        for meta, chosen, expected in choices:
            _, _, text = post(mock.url, make_call("plain", {}, _meta=meta), **headers, **chosen)
            assert expected in text, text
        _, _, text = post(mock.url, make_call("draw", {}), **headers)
        assert "structuredContent" in text
    assert "disconnect" in mock.log
    assert "Traceback" not in mock.log
    recorded = [json.loads(line) for line in (project / "new.jsonl").read_text("utf-8").splitlines()]
    assert {"tool": "draw", "arguments": {"k": "raw"}, "result": RULES[4]["raw"]} in recorded


def test_a_rule_for_nothing_is_a_warning(project: Path) -> None:
    rules = [{"tool": "drw", "error": "x"}, {"tool": "dra*"}, {"prompt": "nobody"}, {"resource": "x://nothing"}]
    (project / "idle.json").write_text(json.dumps(rules))
    with run_mock(project, "--rules", "idle.json") as mock:
        mock.await_log('(a rule is for a tool "drw" that nothing defines)')
        mock.await_log('(did you mean "draw")')
        mock.await_log('(a rule is for a prompt "nobody" that nothing defines)')
        assert mock.log.count("warning[MG308]") == 2


def test_a_disconnect_over_stdio_ends_the_process(project: Path) -> None:
    command = mock_command("--rules", "rules.json", "--config", str(project / "mcpgen.toml"))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": wire.CLIENT}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    for message, code in ((make_call("draw", {"k": "cut"}), 1), (make_call("draw", {"k": "result"}), 0)):
        with child(command, cwd=project, text=True, **pipes) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.writelines(json.dumps(one) + "\n" for one in messages)
            process.stdin.flush()
            answers = [json.loads(process.stdout.readline())]  # before a call that may end the process
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            if code == 0:
                answers.append(json.loads(process.stdout.readline()))
            rest, log = process.communicate(timeout=60)  # the end of stdin ends it, too
            assert process.returncode == code, log
            assert (rest, len(answers)) == ("", 2 - code)
            assert log.startswith("serving 11 tools, 4 resources, 1 prompt over stdio\n")
            assert ('draw {"k": "cut"}: disconnect' in log) == (code == 1)


@pytest.mark.parametrize("transport", [[], ["--http", "0"]], ids=["stdio", "http"])
def test_a_signal_leaves_no_folder(project: Path, tmp_path: Path, transport: list[str]) -> None:
    command = [*mock_command("--config", str(project / "mcpgen.toml")), *transport]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with child(command, cwd=project, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}, **pipes) as process:
        output = process.stdout if transport else process.stderr
        assert output is not None
        assert output.readline().startswith("serving ")
        assert [*tmp_path.glob("mcpgen-mock-*")] != []
        process.terminate()
        assert process.wait(60) == -signal.SIGTERM
    assert [*tmp_path.glob("mcpgen-mock-*")] == []


def test_hosts_origins_and_signals(project: Path) -> None:
    body = make_call("draw", {})
    for host, name in (("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("127.0.0.2", "127.0.0.2")):
        if host == "::1" and not socket.has_ipv6:
            continue
        with run_mock(project, "--host", host) as mock:
            assert mock.url.startswith(f"http://{name}:")
            assert post(mock.url, body, Host="evil.test")[0] == 421
            status, answered, _ = post(mock.url, body, Origin="http://evil.test")
            assert status == 403
            assert "access-control-allow-origin" not in answered
            for origin in ("http://localhost:3000", "https://127.0.0.1", "http://[::1]:80"):
                start(mock.url, Origin=origin)
            number = signal.SIGINT if host == "::1" else signal.SIGTERM
            assert mock.end(number) in ((0,) if number == signal.SIGINT else (-number, 128 + number))
            assert "Traceback" not in mock.log, mock.log
    with run_mock(project, "--host", "0.0.0.0") as mock:  # open, since its user said so
        start(mock.url.replace("0.0.0.0", "127.0.0.1"), Host="my-machine:80", Origin="http://my-machine")


def test_watch_follows_what_is_right(project: Path) -> None:
    definitions = project / "schemas" / "all.json"
    with run_mock(project, "--rules", "rules.json", "--watch") as mock:
        session = connect(mock)
        assert "error" not in mock.log
        definitions.write_text('{"tools": [', "utf-8")
        mock.await_log(r"all.json:1:\d+: (error\[MG002\])")
        assert len(session.tools()[0]["tools"]) == 11
        definitions.write_text(json.dumps({"tools": [tool("draw", WEATHER), TOOLS[3], tool("new")]}), "utf-8")
        mock.await_log("(definitions changed): 3 tools")
        assert sorted(one["name"] for one in session.tools()[0]["tools"]) == ["draw", "new", "told"]
        assert "degrees" in session.call("draw")["structuredContent"]
        assert find_error(lambda: session.call("weather"))["code"] == -32602
        (project / "rules.json").write_text('[{"tool": "new", "error": "later"}]', "utf-8")
        mock.wait(lambda: re.search("changed.*\n(.*\n)*.*(changed)", mock.log), "changed again")
        assert get_text(session.call("new")) == "later"


BROKEN = """\
- tool: draw
  eror: x
- tool: draw
  delay: -1
- tool: draw
  schema: {type: 5}
- 5
- {tool: draw, error: a, result: b}
"""


def test_what_is_wrong_is_said_with_its_place(project: Path) -> None:
    (project / "rules.yaml").write_text(BROKEN, "utf-8")
    (project / "text.json").write_text('"rules"', "utf-8")
    bad = {"tools": [tool("a", **{"x-mcpgen": {"mock": [{"times": 0}]}})]}
    (project / "bad.json").write_text(json.dumps(bad), "utf-8")
    one = '[[package]]\nschemas = ["schemas"]\nout = "one"\n[[package]]\nschemas = ["schemas"]\nout = "two"\n'
    (project / "two.toml").write_text(one, "utf-8")
    with reserve_port() as port, socket.create_server(("127.0.0.1", port), reuse_port=False) as taken:
        assert taken.fileno() > 0
        cases: list[tuple[list[str], list[str]]] = [
            (["--http", str(port)], [f"error[MG704]: 127.0.0.1:{port}: cannot be opened: Address already in use"]),
            (["--http", "0", "--host", "nowhere.invalid"], ["error[MG704]: nowhere.invalid:0: cannot be opened"]),
            (["--record", "no/such/folder"], ["no/such/folder: error[MG404]: cannot be opened: No such file"]),
            (["--rules", "none.json"], ["none.json: error[MG001]"]),
            (["--rules", "text.json"], ["text.json:1:1: error[MG302]: a file of rules is a list of them"]),
            (["--recorded", "none.jsonl"], ["none.jsonl: error[MG001]"]),
            (["bad.json"], ["bad.json:1:", 'error[MG006]: x-mcpgen: "times" of entry 1 of "mock"']),
            (["--config", "two.toml"], ["error[MG203]: the packages cannot be served together"]),
            (
                ["--rules", "rules.yaml"],
                [
                    'rules.yaml:2:3: error[MG302]: rule 1: unknown key "eror"',
                    'help: did you mean "error"?',
                    'rules.yaml:4:10: error[MG302]: rule 2: "delay": input should be greater than or equal to 0',
                    "rules.yaml:6:11: error[MG302]: rule 3: its `schema` is not a JSON Schema: 5 is not valid",
                    "rules.yaml:7:3: error[MG302]: rule 4: must be an object",
                    "rules.yaml:8:3: error[MG302]: rule 5: choose one of result, raw, error, protocolError and disc",
                ],
            ),
        ]
        for arguments, expected in cases:
            run = mcpgen("mock", *arguments, cwd=project)
            assert (run.returncode, run.stdout) == (2, ""), run.stderr
            for text in expected:
                assert text in run.stderr
    hide = "import importlib.metadata as m\nold = m.version\ndef version(name):\n    if name == 'mcp':\n"
    hide += "        raise m.PackageNotFoundError(name)\n    return old(name)\nm.version = version\n"
    program = f"{hide}from mcpgen.cli import run; run()"
    command = [sys.executable, "-c", program, "mock"]
    bare = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert (bare.returncode, bare.stdout) == (2, "")
    assert "error[MG702]: no MCP SDK is installed, and serving takes one\n  help: pip install" in bare.stderr
