"""Resources and prompts bound to low-level servers of the official SDK, and what else is no server."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import MODERN, SDK, VERSIONS
from sdk.exchange import request_once as ask
from support.packages import package, tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
only_low_level = pytest.mark.skipif(
    SDK not in ("mcp", "mcp1"), reason="no SDK with low-level servers is installed here"
)
RESOURCES = [{"name": "guide", "uri": "x://guide", "mimeType": "text/plain"}]
TEMPLATES = [{"name": "page", "uriTemplate": "x://page/{number}", "mimeType": "text/plain"}]
PROMPTS = [{"name": "greet", "arguments": [{"name": "port", "required": True}]}]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("low_level_resources")
    tools = [tool("say")]
    definitions: dict[str, Any] = {"resources": RESOURCES, "resourceTemplates": TEMPLATES, "prompts": PROMPTS}
    return package(folder, tools, "--sdk", str(SDK), instructions="Speak softly.", **definitions)


def low_level() -> Any:
    return exchange.named("mcp.server.lowlevel", "Server")("test")


def add_own_resource(server: Any) -> None:
    """Let a server list and read a resource of its own, as the SDK has it."""
    types = importlib.import_module("mcp_types" if MODERN else "mcp.types")
    resource = types.Resource.model_validate({"name": "own", "uri": "own://a"})
    read = types.ReadResourceResult.model_validate({"contents": [{"uri": "own://a", "text": "own"}]})
    if MODERN:

        async def lists(context: Any, params: Any) -> Any:
            return types.ListResourcesResult(resources=[resource])

        async def reads(context: Any, params: Any) -> Any:
            return read

        server.add_request_handler("resources/list", types.PaginatedRequestParams, lists)
        server.add_request_handler("resources/read", types.ReadResourceRequestParams, reads)
        return

    async def lists_1(request: Any) -> Any:
        return types.ServerResult(types.ListResourcesResult(resources=[resource]))

    async def reads_1(request: Any) -> Any:
        return types.ServerResult(read)

    server.request_handlers[types.ListResourcesRequest] = lists_1
    server.request_handlers[types.ReadResourceRequest] = reads_1


@only_low_level
@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("has_tools", [False, True])
def test_resources_are_listed_and_read_beside_the_servers_own(generated: Any, protocol: str, has_tools: bool) -> None:
    server = low_level()
    add_own_resource(server)
    if has_tools:
        generated.bind(server).say(lambda **_: "said")
    resources = generated.bind_resources(server)
    resources.guide(lambda: "the guide")
    resources.page(lambda number: f"page {number}")
    listed = ask(server, "resources/list", protocol)["resources"]
    assert [resource["uri"] for resource in listed] == ["own://a", "x://guide"]
    assert ask(server, "resources/templates/list", protocol)["resourceTemplates"] == TEMPLATES
    for uri, text in (("own://a", "own"), ("x://guide", "the guide"), ("x://page/7", "page 7")):
        assert ask(server, "resources/read", protocol, uri=uri)["contents"][0]["text"] == text
    if has_tools:
        assert exchange.text(ask(server, "tools/call", protocol, name="say", arguments={})) == "said"


@only_low_level
@pytest.mark.parametrize("protocol", VERSIONS)
def test_prompts_are_listed_and_requested(generated: Any, protocol: str) -> None:
    server = low_level()
    generated.bind_prompts(server).greet(lambda port: f"Hail {port}")
    assert ask(server, "prompts/list", protocol)["prompts"] == PROMPTS
    answer = ask(server, "prompts/get", protocol, name="greet", arguments={"port": "Kiel"})
    assert answer["messages"] == [{"role": "user", "content": {"type": "text", "text": "Hail Kiel"}}]
    assert server.instructions == "Speak softly."


@only_low_level
@pytest.mark.parametrize("protocol", VERSIONS)
def test_handlers_get_the_context_of_their_kind(generated: Any, protocol: str) -> None:
    place = ("mcp.server.context", "ServerRequestContext") if MODERN else ("mcp.shared.context", "RequestContext")
    request_type, context_type = exchange.named(*place), exchange.context_type()
    seen: list[Any] = []

    def guide(ctx: Any) -> str:
        seen.append(ctx)
        return "the guide"

    def greet(port: str, ctx: Any) -> str:
        seen.append(ctx.request_context)
        return port

    for server in (low_level(), exchange.server()):
        seen.clear()
        guide.__annotations__["ctx"], greet.__annotations__["ctx"] = request_type, context_type
        generated.bind_resources(server).guide(guide)
        generated.bind_prompts(server).greet(greet)
        ask(server, "resources/read", protocol, uri="x://guide")
        ask(server, "prompts/get", protocol, name="greet", arguments={"port": "Kiel"})
        assert [isinstance(context, request_type) for context in seen] == [True, True]


@pytest.mark.parametrize("bind", ["bind", "bind_resources", "bind_prompts"])
def test_an_object_that_is_no_server_is_told_so(generated: Any, bind: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"bind takes an? .*, not an object of the type pathlib\."):
        getattr(generated, bind)(tmp_path)
