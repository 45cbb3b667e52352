"""`mcpgen mock`: each definition is served, to each client, and rules do what they say."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import importlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import cache
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12
from sdk import connections, installed, node, typescript, wire
from sdk.wire import MODERN, Session, WireError
from support.children import child
from support.packages import get_package, mcpgen, tool
from support.repository import ROOT, SHARED, needs_shared

pytestmark = pytest.mark.skipif(installed.SDK is None, reason="no MCP SDK is installed here")
SDK: Any = installed.SDK
VERSIONS = wire.versions(SDK) if SDK else ()
NEWEST = VERSIONS[-1] if VERSIONS else ""
PULLED = sorted((SHARED / "corpus" / "pulled").glob("*.json"))
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MODULES = Path(os.environ.get("NODE_MODULES", "nowhere"))


def mock_command(*options: str) -> list[str]:
    return [sys.executable, "-m", "mcpgen", "mock", *options]


def find_arguments(definition: dict[str, Any]) -> Any:
    return ValueGenerator(definition["inputSchema"], DRAFT_2020_12).find_example()


@cache
def protocol_schema(version: str, name: str) -> Any:
    document = json.loads((ROOT / "schemas" / "mcp" / version / "schema.json").read_text("utf-8"))
    keyword = "$defs" if "$defs" in document else "definitions"
    return jsonschema_rs.validator_for({**document, "$ref": f"#/{keyword}/{name}"})


def check_tools(session: Session, version: str) -> int:
    """Call each tool of a server, and return how many there are; the oracle is jsonschema-rs."""
    tools = [definition for page in session.tools() for definition in page["tools"]]
    for definition in tools:
        arguments = find_arguments(definition)
        result = session.call(definition["name"], arguments)
        protocol_schema(version, "CallToolResult").validate(result)
        assert not result.get("isError"), (definition["name"], result)
        if "outputSchema" in definition:
            jsonschema_rs.validator_for(definition["outputSchema"]).validate(result["structuredContent"])
        assert session.call(definition["name"], arguments) == result
    return len(tools)


# --- what is served, on each SDK -------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def mocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a mock of the example."""
    log = tmp_path_factory.mktemp("mock") / "log.txt"
    with wire.http(lambda port: mock_command("-q", "--http", port, str(ROOT / "schemas")), log) as url:
        yield url


@pytest.mark.parametrize("version", VERSIONS)
def test_each_definition_of_the_example_is_served(mocked: str, version: str) -> None:
    session = Session(wire.over_http(mocked, version), version)
    assert check_tools(session, version) == 38
    for resource in session.request("resources/list")["resources"]:
        read = session.request("resources/read", uri=resource["uri"])
        protocol_schema(version, "ReadResourceResult").validate(read)
        assert read["contents"][0]["mimeType"] == resource["mimeType"]
    templates = session.request("resources/templates/list")["resourceTemplates"]
    assert len(templates) == 5
    read = session.request("resources/read", uri="harbour://quillhaven/tides/A/2026-01-01")
    protocol_schema(version, "ReadResourceResult").validate(read)
    assert [prompt["name"] for prompt in session.request("prompts/list")["prompts"]] == [
        "greet-skipper",
        "write-notice",
    ]
    protocol_schema(version, "GetPromptResult").validate(session.request("prompts/get", name="greet-skipper"))
    refused = session.call("berth_depth", {"code": 7})
    assert refused["isError"] is True
    assert "code" in refused["content"][0]["text"]


def test_the_typed_client_of_the_sdk_reads_each_answer(
    mocked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire.build(tmp_path, SDK)
    monkeypatch.syspath_prepend(str(tmp_path))
    package = importlib.import_module("harbour")

    async def call_all() -> dict[str, Any]:
        async with connections.open_own(mocked, NEWEST) as (connection, _):
            client = await package.connect(connection)
            contract = client.contract
            assert contract.changed == contract.missing == contract.new == (), contract
            results: dict[str, Any] = {}
            for name, definition in package.TOOLS.items():
                call = getattr(client, get_package(package).tool_attributes[name])
                results[name] = await call(**connections.by_name(package, name, call, find_arguments(definition)))
            return results

    results = asyncio.run(call_all())
    assert len(results) == 38
    assert [name for name, result in results.items() if not isinstance(result, package.RESULT_TYPES[name])] == []


# --- other clients ---------------------------------------------------------------------------------------------------
@pytest.mark.ci
@pytest.mark.skipif(not typescript.IS_THERE, reason="npm is missing")
@pytest.mark.skipif(SDK != "mcp", reason="one SDK is enough for clients in other languages")
@pytest.mark.parametrize("which", ["sdk", "client"])
def test_the_typescript_clients_accept_each_answer(mocked: str, tmp_path: Path, which: str) -> None:
    version = MODERN if which == "client" else "2025-11-25"
    session = Session(wire.over_http(mocked, version), version)
    tools = [definition for page in session.tools() for definition in page["tools"]]
    requests = [("tools/call", {"name": one["name"], "arguments": find_arguments(one)}) for one in tools]
    said = typescript.ask(typescript.install(tmp_path), which, version, requests, [mocked])
    assert len(said["tools"]) == 38
    refused = {
        one["name"]: result["refused"]
        for one, result in zip(tools, said["results"], strict=True)
        if "refused" in result
    }
    # Its validator does not know `prefixItems`, as MG111 says of these two; and it takes a null for no content.
    known = {"tide_table", "vessel_track"} if which == "sdk" else set[str]()
    assert {name for name, text in refused.items() if "no structured content" not in text} <= known


@pytest.mark.ci
@pytest.mark.skipif(
    not (MODULES / "@modelcontextprotocol" / "inspector").is_dir(), reason="NODE_MODULES has no Inspector"
)
@pytest.mark.skipif(SDK != "mcp", reason="one SDK is enough for clients in other languages")
def test_the_inspector_lists_and_calls(mocked: str) -> None:
    script = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"

    def inspect(*arguments: str) -> Any:
        command = [node.binary(MODULES), str(script), "--cli", mocked, "--transport", "http", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        return json.loads(run.stdout)

    assert len(inspect("--method", "tools/list")["tools"]) == 38
    called = inspect("--method", "tools/call", "--tool-name", "berth_depth", "--tool-arg", "code=B07")
    assert isinstance(called["structuredContent"]["result"], int | float)


PAGE = """<!doctype html><title>asking</title><script type="module">
const url = "URL";
async function send(session, message) {
  const headers = {"Content-Type": "application/json", Accept: "application/json, text/event-stream", ...session};
  const response = await fetch(url, {method: "POST", headers, body: JSON.stringify({jsonrpc: "2.0", ...message})});
  const text = await response.text();
  const events = text.split("\\n").filter((line) => line.startsWith("data: {"));
  const data = text.startsWith("{") ? text : events.at(-1)?.slice(6);
  return {response, answer: data ? JSON.parse(data) : null};
}
try {
  const about = {protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {name: "page", version: "1"}};
  const begun = await send({}, {id: 1, method: "initialize", params: about});
  const id = begun.response.headers.get("Mcp-Session-Id");
  const session = {"Mcp-Session-Id": id, "Mcp-Protocol-Version": "2025-11-25"};
  await send(session, {method: "notifications/initialized"});
  const params = {name: "berth_depth", arguments: {code: "B07"}};
  const called = await send({...session, "Mcp-Mock": "unused"}, {id: 2, method: "tools/call", params});
  document.title = JSON.stringify(called.answer.result.structuredContent);
} catch (error) { document.title = String(error); }
</script>"""


@pytest.mark.ci
@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed here")
@pytest.mark.skipif(SDK != "mcp", reason="one SDK is enough for clients in other languages")
def test_a_page_of_another_origin_on_this_machine_may_ask(mocked: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(PAGE.replace("URL", mocked), "utf-8")

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(tmp_path))

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'user'}"]
        command += ["--virtual-time-budget=20000", "--dump-dom", f"http://localhost:{server.server_port}/"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        server.shutdown()
    found = re.search(r"<title>(.*?)</title>", run.stdout)
    assert found is not None
    assert json.loads(found[1]).keys() == {"result"}


def test_other_hosts_and_origins_are_refused(mocked: str) -> None:
    for name, value in (("Origin", "https://example.org"), ("Host", "example.org")):
        request = urllib.request.Request(mocked, b"{}", {"Content-Type": "application/json", name: value})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=20)
        assert refused.value.code in (403, 421)


@needs_shared("corpus/pulled")
@pytest.mark.ci
@pytest.mark.skipif(SDK != "mcp", reason="one SDK is enough for many definitions")
@pytest.mark.parametrize("path", PULLED, ids=lambda path: path.stem)
def test_the_definitions_of_public_servers_are_served(path: Path, tmp_path: Path) -> None:
    with wire.stdio(mock_command("-q", str(path)), tmp_path / "log.txt") as send:
        assert check_tools(Session(send, NEWEST), NEWEST) >= 1


# --- rules, recordings and examples -----------------------------------------------------------------------------------
WEATHER: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "celsius": {"type": "number"}, "note": {"type": "string"}},
    "required": ["city", "celsius"],
    "additionalProperties": False,
}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
OSLO, ROME = {"city": "Oslo", "celsius": 4}, {"city": "Rome", "celsius": 24}


@cache
def weather_tools() -> list[dict[str, Any]]:
    rules = [{"arguments": {"city": "Styx"}, "error": "closed"}]
    return [
        tool("get_weather", {**WEATHER, "examples": [OSLO, ROME, {"city": 7}]}, inputSchema=CITY),
        tool("draw_weather", WEATHER, inputSchema=CITY, **{"x-mcpgen": {"mock": rules}}),
        tool("say", inputSchema=CITY),
    ]


@contextlib.contextmanager
def serve(folder: Path, *options: str, rules: Any = None, extra: str = "") -> Iterator[Session]:
    """Serve the weather over stdio, with a file of rules."""
    (folder / "schemas").mkdir(exist_ok=True)
    (folder / "schemas" / "tools.json").write_text(json.dumps({"tools": weather_tools()}), "utf-8")
    if extra:
        (folder / "mcpgen.toml").write_text(extra, "utf-8")
        options = (*options, "--config", str(folder / "mcpgen.toml"))
    if rules is not None:
        (folder / "rules.json").write_text(json.dumps(rules), "utf-8")
        options = (*options, "--rules", str(folder / "rules.json"))
    paths = () if extra else (str(folder / "schemas"),)
    with wire.stdio(mock_command(*options, *paths), folder / "log.txt") as send:
        yield Session(send, NEWEST)


def structured(result: Any) -> Any:
    assert not result.get("isError"), result
    return result["structuredContent"]


def said(result: Any) -> str:
    assert result["isError"] is True
    return str(result["content"][0]["text"])


def test_answers_are_recorded_ones_examples_or_drawn_by_a_seed(tmp_path: Path) -> None:
    record = tmp_path / "calls.jsonl"
    with serve(tmp_path, "--record", str(record)) as session:
        assert structured(session.call("get_weather", {"city": "Rome"})) == ROME
        assert structured(session.call("get_weather", {"city": "Bonn"})) == OSLO  # the first of those that fit
        drawn = structured(session.call("draw_weather", {"city": "Rome"}))
        others = [structured(session.call("draw_weather", {"city": f"{number}"})) for number in range(9)]
        assert session.call("say", {"city": "Rome"})["content"][0]["text"]
    jsonschema_rs.validator_for(WEATHER).validate(drawn)
    assert len({json.dumps(value) for value in others}) > 1
    with serve(tmp_path, "--seed", "0") as session:
        assert structured(session.call("draw_weather", {"city": "Rome"})) == drawn
    with serve(tmp_path, "--seed", "1") as session:
        again = [structured(session.call("draw_weather", {"city": f"{number}"})) for number in range(9)]
        assert again != others
    with serve(tmp_path, "--seed", "1", "--recorded", str(record)) as session:
        assert structured(session.call("draw_weather", {"city": "Rome"})) == drawn
    calls = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    assert [call["tool"] for call in calls][:2] == ["get_weather", "get_weather"]
    log = (tmp_path / "log.txt").read_text("utf-8")
    assert re.search(r'get_weather \{"city": "Rome"\}: example, \d+ ms', log)
    assert "draw_weather" in log
    assert "recorded" in log
    run = mcpgen("learn", str(record), cwd=tmp_path)
    assert run.returncode == 0, run.stderr


def test_rules_choose_what_happens_to_a_call(tmp_path: Path) -> None:
    rules = [
        {"tool": "get_*", "arguments": {"city": "Rome"}, "times": 1, "result": {"city": "Rome", "celsius": 40}},
        {"tool": "get_weather", "schema": {"properties": {"city": {"maxLength": 2}}}, "error": "too short"},
        {"tool": "say", "result": "a text"},
        {
            "tool": "draw_weather",
            "arguments": {"city": "Hell"},
            "protocolError": {"code": -32001, "message": "gone", "data": 1},
        },
        {
            "tool": "draw_weather",
            "arguments": {"city": "Chaos"},
            "raw": {"content": [], "structuredContent": {"odd": None}},
        },
        {"name": "slow", "delay": 0.4, "progress": 2},
        {"name": "broken", "error": "broken"},
    ]
    extra = '[tools.say]\nmock = [{arguments = {city = "Lethe"}, error = "forgotten"}]\n'
    with serve(tmp_path, rules=rules, extra=extra) as session:
        assert structured(session.call("get_weather", {"city": "Rome"}))["celsius"] == 40
        assert structured(session.call("get_weather", {"city": "Rome"})) == ROME
        assert said(session.call("get_weather", {"city": "Ur"})) == "too short"
        assert session.call("say", {"city": "Rome"})["content"][0]["text"] == "a text"
        assert said(session.call("draw_weather", {"city": "Styx"})) == "closed"  # from `x-mcpgen`
        with pytest.raises(WireError, match="gone"):
            session.call("draw_weather", {"city": "Hell"})
        raw = session.call("draw_weather", {"city": "Chaos"})
        assert (raw["content"], raw["structuredContent"]) == ([], {"odd": None})
        assert said(session.call("draw_weather", {"city": 5})).startswith("Invalid arguments")

        def choose(rule: Any, **more: Any) -> Any:
            meta = {"mcpgen/mock": rule, **more}
            if NEWEST == MODERN:
                meta |= {f"{wire.NAMESPACE}/{name}": value for name, value in session_meta().items()}
            message = {"name": "get_weather", "arguments": {"city": "Rome"}, "_meta": meta}
            return send_raw(session, "tools/call", message)

        assert said(choose("broken")["result"]) == "broken"
        assert said(choose({"error": "only now"})["result"]) == "only now"
        assert "no rule 'nothing'" in choose("nothing")["error"]["message"]
        assert "the rule of this request is wrong" in choose({"eror": "x"})["error"]["message"]
        start = time.monotonic()
        assert structured(choose("slow", progressToken="p")["result"]) == ROME
        assert time.monotonic() - start >= 0.4
    with serve(tmp_path, rules=[{"tool": "say", "result": "a"}]) as session:
        assert session.call("say", {"city": "Lethe"})["content"][0]["text"] == "a"


def session_meta() -> dict[str, Any]:
    return {"protocolVersion": MODERN, "clientInfo": {"name": "test", "version": "1"}, "clientCapabilities": {}}


def send_raw(session: Session, method: str, params: dict[str, Any]) -> Any:
    """Send a request with a `_meta` of its own, and return the answer."""
    send: Callable[[Any], Any] = vars(session)["_send"]
    return send({"jsonrpc": "2.0", "id": 1_000_000 + len(json.dumps(params)), "method": method, "params": params})


def test_a_header_chooses_a_rule_and_a_connection_can_end(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": weather_tools()}), "utf-8")
    (tmp_path / "rules.yaml").write_text("- {name: gone, disconnect: true}\n- {name: broken, error: broken}\n", "utf-8")
    options = ("--rules", str(tmp_path / "rules.yaml"), str(tmp_path / "tools.json"))
    with wire.http(lambda port: mock_command("--http", port, *options), tmp_path / "log.txt") as url:
        session = Session(wire.over_http(url, "2025-06-18"), "2025-06-18")
        body = {"jsonrpc": "2.0", "id": 9, "method": "tools/call"}
        body["params"] = {"name": "get_weather", "arguments": {"city": "Rome"}}

        def ask(rule: str) -> str:
            headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            headers |= {"Mcpgen-Mock": rule, "Mcp-Session-Id": session_id, "Mcp-Protocol-Version": "2025-06-18"}
            request = urllib.request.Request(url, json.dumps(body).encode(), headers)
            with urllib.request.urlopen(request, timeout=30) as response:
                return str(response.read().decode("utf-8"))

        session_id = find_session_id(vars(session)["_send"])
        assert '"text":"broken"' in ask("broken").replace('": "', '":"')
        with pytest.raises((OSError, http.client.HTTPException)):
            ask("gone")
        assert structured(session.call("get_weather", {"city": "Rome"})) == ROME
    with serve(tmp_path, rules=[{"tool": "say", "disconnect": True}]) as stdio_session:
        assert structured(stdio_session.call("get_weather", {"city": "Rome"})) == ROME
        vars(stdio_session)["_send"](
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}
        )


def find_session_id(send: Any) -> str:
    """Return the id of a session from the closure that sends its messages."""
    return str(
        next(cell.cell_contents["Mcp-Session-Id"] for cell in send.__closure__ if isinstance(cell.cell_contents, dict))
    )


def test_the_server_follows_the_definitions(tmp_path: Path) -> None:
    with serve(tmp_path, "--watch") as session:
        assert len(session.tools()[0]["tools"]) == 3
        file = tmp_path / "schemas" / "tools.json"
        file.write_text("{", "utf-8")
        await_line(tmp_path / "log.txt", "MG002")
        assert structured(session.call("get_weather", {"city": "Rome"})) == ROME
        file.write_text(json.dumps({"tools": [*weather_tools(), tool("more", WEATHER)]}), "utf-8")
        await_line(tmp_path / "log.txt", "definitions changed: 4 tools")
        assert len(session.tools()[0]["tools"]) == 4
        assert structured(session.call("more"))


def await_line(log: Path, text: str) -> None:
    until = time.monotonic() + 60
    while text not in log.read_text("utf-8"):
        assert time.monotonic() < until, log.read_text("utf-8")
        time.sleep(0.05)


# --- mistakes ---------------------------------------------------------------------------------------------------------
def test_mistakes_are_explained(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(weather_tools()[0]), "utf-8")
    (tmp_path / "rules.json").write_text(
        '[\n  {"tool": "x", "eror": "y"},\n  {"error": "a", "result": 1}\n]\n', "utf-8"
    )
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for options, message in (
            (("--rules", "rules.json", "a.json"), 'rules.json:2:17: error[MG302]: rule 1: unknown key "eror"'),
            (("--rules", "rules.json", "a.json"), "rules.json:3:3: error[MG302]: rule 2:"),
            (("--rules", "none.json", "a.json"), "none.json: error[MG001]"),
            (("nothing.json",), "error[MG001]"),
            (("--http", port, "a.json"), f"error[MG704]: 127.0.0.1:{port}: cannot be opened"),
        ):
            run = mcpgen("mock", *options, cwd=tmp_path)
            assert run.returncode == 2, (options, run.stderr)
            assert message in run.stderr
            assert "Traceback" not in run.stderr


def test_a_signal_ends_the_server(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(weather_tools()[0]), "utf-8")
    command = mock_command("--http", "0", "a.json")
    with child(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert re.search(r"serving 1 tool at http://127\.0\.0\.1:\d+/mcp", process.stdout.readline())
        process.terminate()
        assert process.wait(20) is not None
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
