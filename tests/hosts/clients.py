"""Libraries that convert results for models: what each makes of the results that a server sends it."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from hosts.model_api import Call, ModelApi
from mcpgen.hosts.reading import count_bytes, write_js

SERVER = Path(__file__).with_name("answering_server.py")


class Part(NamedTuple):
    """A text, or the description of a medium."""

    text: str
    is_media: bool = False


class Failure(NamedTuple):
    """The call fails: what the library says."""

    message: str


Heard = list[Part] | Failure
Read = Callable[[Path, Sequence[Call]], Coroutine[Any, Any, list[Heard]]]
TURN = 20
"""How many tools the model calls at once."""


def describe_medium(kind: str, mime_type: str, data: str) -> Part:
    """Return the part that stands for a medium."""
    return Part(f"[{kind} {mime_type}, {count_bytes(data):,} bytes]", is_media=True)


def describe_url(kind: str, url: str) -> Part:
    """Return the part that stands for a medium with its data, or at a place."""
    data = re.fullmatch(r"data:(.*);base64,(.*)", url)
    return describe_medium(kind, data[1], data[2]) if data else Part(f"[{kind} {url}]", is_media=True)


def describe_openai_output(output: Any) -> list[Part]:
    """Return the parts of a `function_call_output`."""
    if isinstance(output, str):
        return [Part(output)]
    parts = list[Part]()
    for item in output:
        match item["type"]:
            case "input_text":
                parts.append(Part(item["text"]))
            case "input_image":
                parts.append(describe_url("image", item["image_url"]))
            case "input_file":
                parts.append(describe_url("file", item["file_data"]))
            case other:
                raise ValueError(other)
    return parts


def find_openai_outputs(body: Mapping[str, Any]) -> list[list[Part]]:
    """Return the parts of each tool's output in a request to the Responses API."""
    outputs = [item for item in body["input"] if item.get("type") == "function_call_output"]
    outputs.sort(key=lambda item: int(item["call_id"].removeprefix("c")))
    return [describe_openai_output(item["output"]) for item in outputs]


@contextlib.asynccontextmanager
async def open_session(script: Path) -> AsyncIterator[Any]:
    """A session of the official SDK with the server."""
    mcp = import_module("mcp")
    parameters = mcp.StdioServerParameters(command=sys.executable, args=[str(SERVER), str(script)])
    async with (
        import_module("mcp.client.stdio").stdio_client(parameters) as streams,
        mcp.ClientSession(*streams) as session,
    ):
        await session.initialize()
        yield session


def make_transport(script: Path) -> Any:
    """Return a transport of fastmcp to the server, which ends with the connection."""
    transports = import_module("fastmcp.client.transports")
    return transports.StdioTransport(sys.executable, [str(SERVER), str(script)], keep_alive=False)


async def collect(calls: Iterable[Call], run: Callable[[Call], Awaitable[Heard]]) -> list[Heard]:
    """Return what each call comes to; exceptions are failures."""
    heard = list[Heard]()
    for call in calls:
        try:
            heard.append(await run(call))
        except Exception as error:
            heard.append(Failure(f"{type(error).__name__}: {error}"))
    return heard


async def collect_turns(calls: Sequence[Call], run: Callable[[list[Call]], Awaitable[Sequence[Heard]]]) -> list[Heard]:
    """Return what calls come to that a model makes, many in a turn; each alone if one of them ends the turn."""

    async def run_alone(call: Call) -> Heard:
        (one,) = await run([call])
        return one

    heard = list[Heard]()
    for start in range(0, len(calls), TURN):
        turn = [*calls[start : start + TURN]]
        try:
            heard += await run(turn)
        except Exception:
            heard += await collect(turn, run_alone)
    return heard


# --- libraries that talk to a model ----------------------------------------------------------------------------------
async def read_as_openai_agents(script: Path, calls: Sequence[Call]) -> list[Heard]:
    """Run an agent of the OpenAI Agents SDK."""
    agents, mcp, openai = import_module("agents"), import_module("agents.mcp"), import_module("openai")
    agents.set_tracing_disabled(True)
    api = ModelApi()
    model = agents.OpenAIResponsesModel("m", openai.AsyncOpenAI(api_key="k", http_client=api.client))
    parameters = {"command": sys.executable, "args": [str(SERVER), str(script)]}
    async with mcp.MCPServerStdio(parameters, cache_tools_list=True, client_session_timeout_seconds=60) as server:
        agent = agents.Agent(name="a", model=model, mcp_servers=[server])

        async def run(turn: list[Call]) -> list[list[Part]]:
            api.expect(turn)
            await agents.Runner.run(agent, "go")
            return find_openai_outputs(api.heard)

        return await collect_turns(calls, run)


async def read_as_pydantic_ai(script: Path, calls: Sequence[Call]) -> list[Heard]:
    """Run an agent of Pydantic AI."""
    models, providers = import_module("pydantic_ai.models.openai"), import_module("pydantic_ai.providers.openai")
    api = ModelApi()
    client = import_module("openai").AsyncOpenAI(api_key="k", http_client=api.client)
    model = models.OpenAIResponsesModel("gpt-5", provider=providers.OpenAIProvider(openai_client=client))
    async with import_module("pydantic_ai.mcp").MCPToolset(make_transport(script)) as tools:
        agent = import_module("pydantic_ai").Agent(model, toolsets=[tools])

        async def run(turn: list[Call]) -> list[list[Part]]:
            api.expect(turn)
            await agent.run("go")
            return [[hide_hash(part) for part in parts] for parts in find_openai_outputs(api.heard)]

        return await collect_turns(calls, run)


def hide_hash(part: Part) -> Part:
    """Return a part without the hash of a file."""
    return part._replace(text=re.sub(r"File [0-9a-f]{6} \(", "File ID (", part.text))


async def read_as_anthropic_sdk(script: Path, calls: Sequence[Call]) -> list[Heard]:
    """Let the tool runner of Anthropic's SDK call tools of a session."""
    anthropic, make_tool = import_module("anthropic"), import_module("anthropic.lib.tools.mcp").async_mcp_tool
    api = ModelApi()
    client = anthropic.AsyncAnthropic(api_key="k", http_client=api.client)

    def describe(block: Mapping[str, Any]) -> Part:
        source = block.get("source", {})
        match block["type"], source.get("type"):
            case "text", _:
                return Part(block["text"])
            case "document", "text":
                return Part(source["data"])
            case kind, "base64":
                return describe_medium("file" if kind == "document" else kind, source["media_type"], source["data"])
            case other:
                raise ValueError(other)

    def read(block: Mapping[str, Any]) -> Heard:
        content = block["content"]
        if not isinstance(content, str):
            return [describe(item) for item in content]
        return Failure(content) if block.get("is_error") else [Part(content)]

    async with open_session(script) as session:
        tools = [make_tool(tool, session) for tool in (await session.list_tools()).tools]

        async def run(turn: list[Call]) -> list[Heard]:
            api.expect(turn)
            question = {"role": "user", "content": "go"}
            runner = client.beta.messages.tool_runner(model="m", max_tokens=9, tools=tools, messages=[question])
            async for _ in runner:
                pass
            return [read(block) for block in api.heard["messages"][-1]["content"]]

        return await collect_turns(calls, run)


async def read_as_google_genai(script: Path, calls: Sequence[Call]) -> list[Heard]:
    """Let Google's SDK call tools of a session."""
    genai = import_module("google.genai")
    api = ModelApi()
    options = genai.types.HttpOptions(httpx_async_client=api.client)
    models = genai.Client(api_key="k", http_options=options).aio.models

    def read(part: Mapping[str, Any]) -> Heard:
        response = part["functionResponse"]["response"]
        is_failure = isinstance(response.get("error"), str)
        return Failure(response["error"]) if is_failure else [Part(json.dumps(response, ensure_ascii=False))]

    async with open_session(script) as session:

        async def run(turn: list[Call]) -> list[Heard]:
            api.expect(turn)
            await models.generate_content(model="m", contents="go", config={"tools": [session]})
            return [read(part) for part in api.heard["contents"][-1]["parts"]]

        return await collect_turns(calls, run)


async def read_as_langchain(script: Path, calls: Sequence[Call]) -> list[Heard]:
    """Let LangChain's adapters call tools of a session, as an agent does."""
    adapters = import_module("langchain_mcp_adapters.tools")

    def describe(block: Mapping[str, Any]) -> Part:
        if block["type"] == "text":
            return Part(block["text"])
        if "base64" in block:
            return describe_medium(block["type"], block["mime_type"], block["base64"])
        return describe_url(block["type"], block["url"])

    async with open_session(script) as session:
        tools = {tool.name: tool for tool in await adapters.load_mcp_tools(session)}

        async def run(call: Call) -> Heard:
            name, arguments = call
            message = await tools[name].ainvoke({"name": name, "args": arguments, "id": "c", "type": "tool_call"})
            content = message.content
            return [Part(content)] if isinstance(content, str) else [describe(block) for block in content]

        return await collect(calls, run)


# --- libraries that leave it to the program --------------------------------------------------------------------------
def list_parts(content: Iterable[Any], value: Any) -> list[Part]:
    """Return what a program gets: all blocks, and structured content."""
    parts = list[Part]()
    for model in content:
        block = model.model_dump(mode="json", by_alias=True, exclude_none=True)
        match block["type"]:
            case "text":
                parts.append(Part(block["text"]))
            case "image" | "audio":
                parts.append(describe_medium(block["type"], block["mimeType"], block["data"]))
            case "resource_link":
                parts.append(Part(unquote(block["uri"])))  # mcp 1.x quotes it
            case _ if "text" in block["resource"]:
                parts.append(Part(block["resource"]["text"]))
            case _:
                contents = block["resource"]
                mime_type = contents.get("mimeType", "application/octet-stream")
                parts.append(describe_medium("file", mime_type, contents["blob"]))
    return parts if value is None else [*parts, Part(write_js(value))]


async def read_as_fastmcp(script: Path, calls: Sequence[Call]) -> list[Heard]:
    """Call tools with fastmcp's client."""
    tool_error = import_module("fastmcp.exceptions").ToolError
    async with import_module("fastmcp").Client(make_transport(script)) as client:

        async def run(call: Call) -> Heard:
            try:
                received = await client.call_tool(*call)
            except tool_error as error:
                return [Part(str(error))]
            assert received.data == received.structured_content
            return list_parts(received.content, received.structured_content)

        return await collect(calls, run)


async def read_as_mcp(script: Path, calls: Sequence[Call]) -> list[Heard]:
    """Call tools with the official SDK, 1.x or 2.x."""
    async with open_session(script) as session:
        await session.list_tools()

        async def run(call: Call) -> Heard:
            received = await session.call_tool(*call)
            return list_parts(received.content, received.model_dump(mode="json", by_alias=True)["structuredContent"])

        return await collect(calls, run)


# --- all of them -----------------------------------------------------------------------------------------------------
class Library(NamedTuple):
    """A library that is a host."""

    distribution: str
    """What has to be installed."""
    read: Read


LIBRARIES: Mapping[str, Library] = {
    "openai-agents": Library("openai-agents", read_as_openai_agents),
    "pydantic-ai": Library("pydantic-ai-slim", read_as_pydantic_ai),
    "langchain": Library("langchain-mcp-adapters", read_as_langchain),
    "anthropic-sdk": Library("anthropic", read_as_anthropic_sdk),
    "google-genai": Library("google-genai", read_as_google_genai),
    "fastmcp": Library("fastmcp", read_as_fastmcp),
    "mcp": Library("mcp", read_as_mcp),
}
