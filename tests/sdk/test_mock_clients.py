"""`mcpgen mock` and its clients: each SDK's own, the generated one, and on mcp 2.x those of other languages."""

from __future__ import annotations

import asyncio
import http.server
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12
from sdk import connections, node, typescript, wire
from sdk.installed import SDK
from support.mocks import mock_command, run_mock
from support.packages import built, get_package
from support.repository import SHARED

pytestmark = pytest.mark.skipif(SDK is None, reason="no MCP SDK is installed here")
PULLED = SHARED / "corpus" / "pulled"
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
on_mcp_2 = pytest.mark.skipif(SDK != "mcp", reason="the mock is that of mcp 2.x")
VERSION = "2025-11-25"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any, Path]]:
    """The URL of the example's mock, the package of its client, and the project's folder."""
    folder = tmp_path_factory.mktemp("example")
    shutil.copytree(wire.ROOT / "schemas", folder / "schemas")
    (folder / "mcpgen.toml").write_text(f'sdk = "{SDK}"\n', "utf-8")
    package = built(folder)
    with run_mock(folder) as mock:
        yield mock.url, package, folder


def find_arguments(definition: Any) -> dict[str, Any]:
    arguments = ValueGenerator(definition["inputSchema"], DRAFT_2020_12).find_example()
    assert isinstance(arguments, dict), definition["name"]
    return arguments


def hold(definition: Any, result: Any) -> None:
    """Compare a result with what the server says of it."""
    assert not result.get("isError"), (definition["name"], result)
    assert isinstance(result["content"], list), definition["name"]
    if "outputSchema" in definition:
        jsonschema_rs.validate(definition["outputSchema"], result["structuredContent"])


@pytest.mark.parametrize("version", wire.versions(SDK) if SDK else ())
def test_the_sdk_and_the_typed_client_call_every_tool(
    version: str, example: tuple[str, Any, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, package, _ = example
    connections.ask_for(monkeypatch, version)
    pages = wire.Session(wire.over_http(url, version), version).tools()
    listed = {one["name"]: one for page in pages for one in page["tools"]}
    methods = get_package(package).tool_attributes

    async def call() -> None:
        async with connections.open_own(url, version) as (client, session):
            typed = (await package.connect(client)).with_raw_response
            assert {one.name for one in (await session.list_tools()).tools} == {*listed}
            for name, definition in listed.items():
                arguments = find_arguments(definition)
                result = connections.dump(await session.call_tool(name, arguments))
                hold(definition, result)
                call = getattr(typed, methods[name])
                raw = await call(**connections.by_name(package, name, call, arguments))
                assert connections.dump(raw.result)["content"] == result["content"]
                if "structuredContent" in result:  # else its text may be all there is
                    written = raw.parse().to_wire(protocol=version)
                    assert written["structuredContent"] == result["structuredContent"], name

    assert len(listed) == 38
    asyncio.run(call())


def find_modules(*names: str) -> Path:
    """The folder of packages from npm, which NODE_MODULES names."""
    modules = Path(os.environ.get("NODE_MODULES", "nowhere"))
    if absent := [name for name in names if not (modules / name).is_dir()]:
        pytest.skip(f"NODE_MODULES has no {absent[0]}")
    return modules


@on_mcp_2
@pytest.mark.ci
@pytest.mark.skipif(not typescript.IS_THERE, reason="npm or node is missing")
def test_the_typescript_sdks_call_every_tool(example: tuple[str, Any, Path], scripts: Path) -> None:
    url, _, folder = example
    (tools,) = (page["tools"] for page in wire.Session(wire.over_http(url, VERSION), VERSION).tools())
    requests = [("tools/call", {"name": one["name"], "arguments": find_arguments(one)}) for one in tools]
    over_stdio = mock_command(str(folder / "schemas"))
    for which, version, target in (
        ("sdk", VERSION, [url]),
        ("client", wire.MODERN, [url]),
        ("client", VERSION, over_stdio),
    ):
        said = typescript.ask(scripts, which, version, requests, target)
        assert sorted(one["name"] for one in said["tools"]) == sorted(one["name"] for one in tools)
        assert said["resources"]
        assert said["resourceTemplates"]
        assert said["prompts"]
        listed = {one["name"]: one for one in said["tools"]}
        for (_, params), result in zip(requests, said["results"], strict=True):
            definition = listed[params["name"]]
            if "refused" in result:  # for values that its validator takes for wrong: MG111 says so
                assert (which, "prefixItems" in json.dumps(definition)) == ("sdk", True), (params, result)
            else:
                hold(definition, result)


@on_mcp_2
@pytest.mark.ci
def test_the_inspector_lists_and_calls(example: tuple[str, Any, Path]) -> None:
    modules = find_modules("@modelcontextprotocol/inspector", "node")
    url, _, folder = example
    script = modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    places = {"HOME": str(folder), "PATH": f"{modules / '.bin'}{os.pathsep}{os.environ['PATH']}"}

    def ask(era: str, *words: str) -> Any:
        command = [node.binary(modules), str(script), "--cli", url, "--transport", "http", "--protocol-era", era]
        run = subprocess.run(
            [*command, *words], capture_output=True, text=True, timeout=120, env={**os.environ, **places}
        )
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    for era in ("legacy", "modern"):
        tools = ask(era, "--method", "tools/list")["tools"]
        assert len(tools) == 38
        for one in tools[:: len(tools) // 2]:
            values = [
                f"{name}={value if isinstance(value, str) else json.dumps(value)}"
                for name, value in find_arguments(one).items()
            ]
            given = [word for value in values for word in ("--tool-arg", value)]
            hold(one, ask(era, "--method", "tools/call", "--tool-name", one["name"], *given))


@on_mcp_2
@pytest.mark.ci
@pytest.mark.skipif(BROWSER is None or shutil.which("node") is None, reason="Chromium or node is missing")
def test_a_page_of_another_origin_calls_a_tool(example: tuple[str, Any, Path], tmp_path: Path) -> None:
    url = example[0]
    (tmp_path / "index.html").write_text("<title>client</title>", "utf-8")
    shutil.copy(wire.SDK_TESTS / "ts" / "fetch.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(find_modules("puppeteer-core"))
    (tools,) = (page["tools"] for page in wire.Session(wire.over_http(url, VERSION), VERSION).tools())
    tool = next(one for one in tools if "outputSchema" in one)
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            page = f"http://localhost:{server.server_port}/index.html"
            asked = json.dumps({"name": tool["name"], "arguments": find_arguments(tool)})
            command = ["node", "fetch.mjs", str(BROWSER), page, url, asked]
            run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        finally:
            server.shutdown()
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    assert said["protocol"] == VERSION
    hold(tool, said["result"])
    assert said["chosen"]["content"][0]["text"] == "by a header"
    assert said["refused"] == [], said["refused"]


async def call_all(url: str, calls: list[dict[str, Any]]) -> list[Any]:
    async with connections.open_own(url, VERSION) as (_, session):
        results = [await session.call_tool(one["name"], one["arguments"]) for one in calls]
        return [connections.dump(result).get("structuredContent") for result in results]


@on_mcp_2
@pytest.mark.ci
@pytest.mark.skipif(not PULLED.is_dir(), reason="../shared is missing")
def test_definitions_of_public_servers(tmp_path: Path, scripts: Path) -> None:
    files = sorted(PULLED.glob("*.json"), key=lambda file: file.stat().st_size)[:10]
    assert len(files) == 10
    for file in files:
        with run_mock(tmp_path, str(file)) as mock:
            session = wire.Session(wire.over_http(mock.url, VERSION), VERSION)
            tools = [one for page in session.tools() for one in page["tools"]]
            assert len(tools) == len(json.loads(file.read_text("utf-8"))["tools"])
            calls = [{"name": one["name"], "arguments": find_arguments(one)} for one in tools]
            answers = [session.request("tools/call", **one) for one in calls]
            for one, answer in zip(tools, answers, strict=True):
                hold(one, answer)
            assert asyncio.run(call_all(mock.url, calls)) == [answer.get("structuredContent") for answer in answers]
            if typescript.IS_THERE:
                said = typescript.ask(scripts, "client", VERSION, [("tools/call", one) for one in calls], [mock.url])
                for call, answer, result in zip(calls, answers, said["results"], strict=True):
                    assert result == answer, (file.name, call, result)
            assert "Traceback" not in mock.log, mock.log
