"""The table of hosts: what each puts into the model's context, and where that is known from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Literal, NamedTuple

from mcpgen.lint.clients import CLIENTS_BY_NAME, ClientName
from mcpgen.vocabularies import DEFAULT_VOCABULARY, VocabularyName

StructuredRule = Literal["never", "instead", "instead of text", "without content", "beside", "unless said", "whole"]
"""When the model reads structured content: `instead` of all content, or of its text blocks; if there is no content;
`beside` the content, always or `unless said` by a text block already; or in the JSON of the `whole` result.
"""


class Cell(NamedTuple):
    """What a host does, in words, and its source with the version that was looked at."""

    words: str
    source: str


UNKNOWN = Cell("unknown", "nothing that was found says so")


@dataclass(frozen=True)
class Host:
    """A program, or a library, between servers and a model; the cells are about results unless they say otherwise."""

    name: ClientName
    version: str
    """The newest version that was looked at."""
    structured_rule: StructuredRule | None
    """None: unknown."""
    content: Cell = UNKNOWN
    """Text blocks."""
    structured: Cell = UNKNOWN
    """`structuredContent`."""
    meta: Cell = UNKNOWN
    """`_meta`."""
    errors: Cell = UNKNOWN
    """`isError`."""
    links: Cell = UNKNOWN
    """Blocks `resource_link` and `resource`."""
    media: Cell = UNKNOWN
    """Blocks `image` and `audio`."""
    annotations: Cell = UNKNOWN
    """`annotations`: audience and priority."""
    names: Cell = UNKNOWN
    """The length of tools' names."""
    tools: Cell = UNKNOWN
    """How many tools, and what of each."""
    descriptions: Cell = UNKNOWN
    """The length of tools' descriptions."""
    results: Cell = UNKNOWN
    """The length of results, and where they are cut."""
    client_names: tuple[str, ...] = ()
    """The names by which it introduces itself to servers, `clientInfo.name`, unless the program chooses another."""
    vocabulary: VocabularyName = DEFAULT_VOCABULARY
    """The vocabulary that tokens are counted with."""
    has_own_vocabulary: bool = False
    """Whether that is one of its models' own; those of Claude and Gemini are not public."""

    @property
    def title(self) -> str:
        """Return its name for people."""
        return CLIENTS_BY_NAME[self.name].title

    def list_cells(self) -> Iterator[tuple[str, Cell]]:
        """Yield its cells by their columns."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Cell):
                yield field.name, value


def _measured(what: str) -> str:
    return f"measured with {what}"


_CLAUDE_CODE = _measured("Claude Code 2.1.332")
_CLAUDE_API = "`BetaMCPToolResultBlock` of anthropic 2.14.0"
_CHATGPT = "OpenAI's Apps SDK, Build your MCP server, read 2026-11"
_CODEX = _measured("Codex CLI 0.171.0") + (
    "; `as_function_call_output_payload` in codex-rs/protocol/src/models.rs of openai/codex at 5ef96ab2785f"
)
_VSCODE = (
    "VS Code 1.139.1 with Copilot Chat 0.67.0, as shipped; `McpToolImplementation.invoke` in src/vs/workbench/contrib/"
    "mcp/common/mcpLanguageModelToolContribution.ts of microsoft/vscode at 027907cb37d0"
)
_GEMINI = (
    _measured("Gemini CLI 0.61.0") + "; `transformMcpContentToParts` in packages/core/src/tools/mcp-tool.ts of "
    "google-gemini/gemini-cli at 5411f113cafa"
)
_OPENCODE = _measured("OpenCode 1.18.34") + (
    "; `convertTool` in packages/opencode/src/mcp/catalog.ts of anomalyco/opencode at 13134fee6fff"
)
_KIMI = _measured("Kimi Code 2.1.0") + (
    "; `mcpResultToExecutableOutput` in dist/main.mjs of @moonshot-ai/kimi-code 2.1.0; MoonshotAI/kimi-code, pull "
    "request 3654 (d723cc47ee43 has the rule before)"
)
_GOOSE = "`format_messages_with_options` in crates/goose-providers/src/formats/openai.rs of block/goose at 00f85252aa06"
_GOOSE_AUDIENCE = "`filter_for_audience` in goose's conversation/message.rs, read 2026-11"
_TESTED = "; a test runs it"
_AGENTS = (
    "`MCPUtil.invoke_mcp_tool` in agents/mcp/util.py of openai-agents 0.24.0 "
    f"(openai/openai-agents-python at 7f7a44f8dc06){_TESTED}"
)
_PYDANTIC_AI = (
    "`_map_mcp_call_tool_result` in pydantic_ai/mcp.py of pydantic-ai 2.68.0 "
    f"(pydantic/pydantic-ai at 4fda38988f29){_TESTED}"
)
_LANGCHAIN = (
    "`_convert_call_tool_result` in langchain_mcp_adapters/tools.py of langchain-mcp-adapters 0.3.2 "
    f"(langchain-ai/langchain-mcp-adapters at cc0f2843fd5b){_TESTED}"
)
_ANTHROPIC = (
    "`_convert_tool_result` in anthropic/lib/tools/mcp.py of anthropic 2.14.0 "
    f"(anthropics/anthropic-sdk-python at 009b035305e0){_TESTED}"
)
_GENAI = (
    "`get_function_response_parts_async` in google/genai/_extra_utils.py of google-genai 3.6.1 "
    f"(googleapis/python-genai at 66807187f212){_TESTED}"
)
_CLINE = (
    _measured("Cline CLI 3.0.65") + "; sdk/packages/core/src/extensions/mcp/tools.ts of cline/cline at 21cb8d2525bc"
)
_FASTMCP = (
    "`_parse_call_tool_result` in fastmcp/client/mixins/tools.py of fastmcp 4.2.3 "
    f"(PrefectHQ/fastmcp at 743ddffd0a07){_TESTED}"
)
_MCP = (
    "`ClientSession.call_tool` in mcp/client/session.py of mcp 2.3.0 and 1.30.0 "
    f"(modelcontextprotocol/python-sdk at 57394b0548d1){_TESTED}"
)
_WHOLE = "all of it, as members of one JSON text"
_PROGRAM = "the program decides"

HOSTS: tuple[Host, ...] = (
    Host(
        "claude-code",
        "2.1.332",
        "instead of text",
        content=Cell(
            "each block, unless there is structured content", f"{_CLAUDE_CODE}; anthropics/claude-code, issue 79944"
        ),
        structured=Cell(
            "compact JSON instead of all text blocks; since 2.0.21, ignored before",
            f"{_CLAUDE_CODE}; 1.0.60 to 2.1.88, too; anthropics/claude-code, issue 79944. Issue 45575 says otherwise",
        ),
        meta=Cell("not shown", _CLAUDE_CODE),
        errors=Cell(
            "text blocks in lines, marked as an error; structured content is dropped; without text `Unknown error`",
            f"{_CLAUDE_CODE}; anthropics/claude-code, issue 86032",
        ),
        links=Cell(
            "links: name, URI and description; resources: URI and text, others saved to a file. The model has tools to "
            "read resources",
            _CLAUDE_CODE,
        ),
        media=Cell("images are shown; audio is saved to a file, whose path is shown", _CLAUDE_CODE),
        annotations=Cell("ignored", f"{_CLAUDE_CODE}; anthropics/claude-code, issue 18034"),
        names=Cell("with `mcp__SERVER__`, at most 64 characters", "anthropics/claude-code, issues 2412 and 20830"),
        tools=Cell(
            "name, description and inputSchema; by default the model searches for tools and sees their names alone",
            f"{_CLAUDE_CODE}; changelog, 2.1.7",
        ),
        descriptions=Cell(
            "cut after 4,096 characters; after 2,048 up to 2.1.285",
            f"{_CLAUDE_CODE}; anthropics/claude-code, issues 41593 and 87650",
        ),
        results=Cell(
            "above 50,000 characters or 25,000 tokens, saved to a file, whose start is shown; errors are cut in the "
            "middle after 10,000 characters",
            _CLAUDE_CODE,
        ),
        client_names=("claude-code",),
    ),
    Host(
        "claude-desktop",
        "2026-07",
        None,
        content=Cell("shown", "anthropics/claude-code, issue 55677 (2026-05), of claude.ai"),
        structured=Cell(
            "unknown; that of local servers gets lost on the way", "anthropics/claude-ai-mcp, issue 563 (2026-07)"
        ),
        media=Cell("images are not seen in the same turn", "anthropics/claude-ai-mcp, issue 643 (2026-07)"),
        names=Cell("at most 64 characters for remote servers", "mims-harvard/ToolUniverse, issue 3 (2025-06)"),
        results=Cell("about 150,000 characters", "Claude's documentation, Connectors FAQ, read 2026-11"),
        client_names=("claude-ai",),
    ),
    Host(
        "anthropic-connector",
        "mcp-client-2025-11-20",
        None,
        content=Cell("text blocks, or one text", _CLAUDE_API),
        structured=Cell("not as such: the type has text blocks alone", _CLAUDE_API),
        meta=Cell("not as such", _CLAUDE_API),
        errors=Cell("marked as an error", _CLAUDE_API),
        media=Cell("not as such", _CLAUDE_API),
    ),
    Host(
        "chatgpt",
        "2026-11",
        "beside",
        content=Cell(
            "shown; not with a widget, says an issue", f"{_CHATGPT}; openai/openai-apps-sdk-examples, issue 144"
        ),
        structured=Cell("shown", f"{_CHATGPT}; openai/openai-apps-sdk-examples, issue 144"),
        meta=Cell("not shown; the widget gets it", _CHATGPT),
        client_names=("openai-mcp", "ChatGPT"),
        has_own_vocabulary=True,
    ),
    Host(
        "codex",
        "0.171.0",
        "instead",
        content=Cell("each block, unless there is structured content", f"{_CODEX}; openai/codex, issue 38287"),
        structured=Cell("compact JSON instead of all content, images included", f"{_CODEX}; openai/codex, issue 38287"),
        meta=Cell("not shown", _CODEX),
        errors=Cell("as any other result: nothing says that it is an error", _CODEX),
        links=Cell("the block's JSON; the model has tools to read resources", _CODEX),
        media=Cell("images are shown; audio, if the model hears", _CODEX),
        annotations=Cell("ignored", _CODEX),
        names=Cell("with `mcp__SERVER`, at most 128 characters; longer ones end in a hash", _CODEX),
        tools=Cell("name, description and inputSchema; some models have to search for them", _CODEX),
        descriptions=Cell("20,000 characters are shown whole", _CODEX),
        results=Cell("cut in the middle after 12,000 tokens of 4 bytes (gpt-5.5), or 3,000 (unknown models)", _CODEX),
        client_names=("codex-mcp-client",),
        has_own_vocabulary=True,
    ),
    Host(
        "vscode",
        "1.139.1",
        "instead of text",
        content=Cell("blocks one after the other, unless there is structured content", _VSCODE),
        structured=Cell(
            "compact JSON instead of the text blocks, at the end", f"{_VSCODE}; microsoft/vscode, issue 254329"
        ),
        meta=Cell("not shown", _VSCODE),
        errors=Cell("as any other result", _VSCODE),
        links=Cell("links and resources are read, and their first 500 lines shown", _VSCODE),
        media=Cell("images are shown; audio is dropped", _VSCODE),
        annotations=Cell("blocks whose audience lacks the assistant are left out", _VSCODE),
        names=Cell("with `mcp_SERVER_`, cut after 64 characters", _VSCODE),
        tools=Cell("128 in a request; name, description and inputSchema", _VSCODE),
        results=Cell("a text above 8,192 characters is written to a file, whose path is shown", _VSCODE),
        client_names=("Visual Studio Code", "Visual Studio Code - Insiders"),
        has_own_vocabulary=True,
    ),
    Host(
        "cursor",
        "3.1",
        None,
        content=Cell(
            "shown, next to structured content, too", "anthropics/claude-code, issue 79944 (2026-07), which compares"
        ),
        meta=Cell("not shown, not even to widgets", "forum.cursor.com, topic 158703, of 3.1.17"),
        names=Cell(
            "the server's name and the tool's have 60 characters together",
            "executeautomation/mcp-playwright, issue 145",
        ),
        tools=Cell(
            "an outputSchema without structured content makes a call fail", "WordPress/mcp-adapter, issue 37 (2025-09)"
        ),
        client_names=("cursor-vscode",),
    ),
    Host(
        "gemini-cli",
        "0.61.0",
        "never",
        content=Cell("each block between `<untrusted_context>` tags, in lines", _GEMINI),
        structured=Cell("not shown; without content the model reads nothing", _GEMINI),
        meta=Cell("not shown, except in errors", _GEMINI),
        errors=Cell("the JSON of the whole result, in a sentence about the error", _GEMINI),
        links=Cell("links: title and URI; resources: text, or data. The model has tools to read resources", _GEMINI),
        media=Cell("images are shown; audio is left out, which a line says", _GEMINI),
        annotations=Cell("ignored", _GEMINI),
        names=Cell("with `mcp_SERVER_`, cut in the middle after 63 characters", _GEMINI),
        tools=Cell("name, description and inputSchema", _GEMINI),
        descriptions=Cell("20,000 characters are shown whole", _GEMINI),
        results=Cell("a single text above 40,000 characters: its first 8,000 and last 32,000 remain", _GEMINI),
        client_names=("gemini-cli-mcp-client",),
    ),
    Host(
        "opencode",
        "1.18.34",
        "without content",
        content=Cell("blocks with an empty line between them", _OPENCODE),
        structured=Cell("compact JSON, if there is no content", f"{_OPENCODE}; pull request 34505, issue 38923"),
        meta=Cell("not shown", _OPENCODE),
        errors=Cell("the text blocks alone, or `MCP tool returned an error`", _OPENCODE),
        links=Cell("links are dropped; resources: text alone. The model has tools to read resources", _OPENCODE),
        media=Cell("images are shown; audio is dropped", _OPENCODE),
        annotations=Cell("ignored", _OPENCODE),
        names=Cell("with `SERVER_`; no limit", _OPENCODE),
        tools=Cell("name, description and inputSchema, without further properties", _OPENCODE),
        descriptions=Cell("20,000 characters are shown whole", _OPENCODE),
        results=Cell(
            "cut after 2,000 lines or 51,200 bytes, whole lines alone: of a longer line nothing remains", _OPENCODE
        ),
        client_names=("opencode",),
    ),
    Host(
        "kimi",
        "2.1.0",
        "unless said",
        content=Cell("blocks without anything between them", _KIMI),
        structured=Cell(
            "next to the content, unless a block has the same JSON", f"{_KIMI}; issue 3234 for versions before"
        ),
        meta=Cell("shown, except for the protocol's own members", _KIMI),
        errors=Cell("a line says so before the result", _KIMI),
        links=Cell("a line that a link was dropped, with its URI; resources: text alone. No tool to read them", _KIMI),
        media=Cell("images are shown; audio, if the model hears", _KIMI),
        annotations=Cell("ignored", _KIMI),
        names=Cell("with `mcp__SERVER__`, at most 64 characters; longer ones end in a hash", _KIMI),
        tools=Cell("name, description and inputSchema", _KIMI),
        descriptions=Cell("shown whole", _KIMI),
        results=Cell("above 50,000 characters, each line is cut after 2,000, or all is saved to a file", _KIMI),
        client_names=("kimi-code",),
    ),
    Host(
        "goose",
        "2026-10",
        "never",
        content=Cell("blocks with a space between them (OpenAI), or in lines (Anthropic)", _GOOSE),
        structured=Cell("not shown", f"{_GOOSE}; block/goose, issue 10125"),
        meta=Cell("not shown", _GOOSE),
        errors=Cell("as any other result", _GOOSE),
        links=Cell("links are dropped; resources: text, or that there is data", _GOOSE),
        media=Cell("images are shown in the next message; audio is dropped", _GOOSE),
        annotations=Cell("blocks whose audience lacks the assistant are left out", _GOOSE_AUDIENCE),
        tools=Cell("name, description and inputSchema", _GOOSE),
        results=Cell(
            "a block above 200,000 characters is written to a file, whose path is shown",
            "crates/goose/src/agents/large_response_handler.rs of aaif-goose/goose at 03b560167e01",
        ),
        client_names=("goose-cli", "goose-desktop"),
        has_own_vocabulary=True,
    ),
    Host(
        "cline",
        "3.0.65",
        "whole",
        content=Cell(_WHOLE, _CLINE),
        structured=Cell(_WHOLE, _CLINE),
        meta=Cell(_WHOLE, _CLINE),
        errors=Cell(_WHOLE, _CLINE),
        links=Cell(_WHOLE, _CLINE),
        media=Cell("as Base64 in that text: no image is seen", _CLINE),
        annotations=Cell("ignored", _CLINE),
        names=Cell("with `SERVER__`, at most 64 characters; longer ones end in a hash", _CLINE),
        tools=Cell("name, description and inputSchema", _CLINE),
        results=Cell("cut in the middle after 8,000 characters", _CLINE),
        client_names=("@cline/core",),
    ),
    Host(
        "openai-agents",
        "0.24.0",
        "never",
        content=Cell("each block", _AGENTS),
        structured=Cell("not shown; with `use_structured_content=True`, JSON instead of all content", _AGENTS),
        meta=Cell("not shown, except that of links, resources and audio", _AGENTS),
        errors=Cell("as any other result, without structured content", _AGENTS),
        links=Cell("the block's JSON", _AGENTS),
        media=Cell("images are shown (not by Chat Completions); audio as JSON", _AGENTS),
        annotations=Cell("ignored", _AGENTS),
        names=Cell("as they are", _AGENTS),
        tools=Cell("name, description or else title, and inputSchema", _AGENTS),
        descriptions=Cell("no limit", _AGENTS),
        results=Cell("no limit", _AGENTS),
        has_own_vocabulary=True,
    ),
    Host(
        "pydantic-ai",
        "2.68.0",
        "instead",
        content=Cell(
            "unless there is structured content and all blocks are text; JSON in a text is parsed", _PYDANTIC_AI
        ),
        structured=Cell(
            "compact JSON instead of content that is text alone; nothing for null and empty lists", _PYDANTIC_AI
        ),
        meta=Cell("not shown", _PYDANTIC_AI),
        errors=Cell("asks to try again, with the structured content or else the content", _PYDANTIC_AI),
        links=Cell("links: the URI alone; resources: text alone, or a file", _PYDANTIC_AI),
        media=Cell("images are shown; audio, if the model hears", _PYDANTIC_AI),
        annotations=Cell("ignored", _PYDANTIC_AI),
        names=Cell("as they are", _PYDANTIC_AI),
        tools=Cell("name, description and inputSchema; the outputSchema with `include_return_schema`", _PYDANTIC_AI),
        descriptions=Cell("no limit", _PYDANTIC_AI),
        results=Cell("no limit", _PYDANTIC_AI),
        has_own_vocabulary=True,
    ),
    Host(
        "langchain",
        "0.3.2",
        "never",
        content=Cell("each block", _LANGCHAIN),
        structured=Cell("not shown; the program finds it in `ToolMessage.artifact`", f"{_LANGCHAIN}; issue 619"),
        meta=Cell("not shown", _LANGCHAIN),
        errors=Cell("the content; Anthropic's API marks it as an error", _LANGCHAIN),
        links=Cell("a file by its URL, which OpenAI's Chat Completions refuse; resources: text, or a file", _LANGCHAIN),
        media=Cell("images are shown; audio makes the call fail", _LANGCHAIN),
        annotations=Cell("ignored", _LANGCHAIN),
        names=Cell("as they are", _LANGCHAIN),
        tools=Cell("name, description and inputSchema", _LANGCHAIN),
        descriptions=Cell("no limit", _LANGCHAIN),
        results=Cell("no limit", _LANGCHAIN),
        has_own_vocabulary=True,
    ),
    Host(
        "anthropic-sdk",
        "2.14.0",
        "without content",
        content=Cell("each block", _ANTHROPIC),
        structured=Cell("JSON, if there is no content and no error", _ANTHROPIC),
        meta=Cell("not shown", _ANTHROPIC),
        errors=Cell("the content, marked as an error; structured content is dropped", _ANTHROPIC),
        links=Cell(
            "a link makes the call fail; resources: text as a document, or a PDF; others make the call fail", _ANTHROPIC
        ),
        media=Cell("images are shown; audio makes the call fail", _ANTHROPIC),
        annotations=Cell("ignored", _ANTHROPIC),
        names=Cell("as they are", _ANTHROPIC),
        tools=Cell("name, description and inputSchema", _ANTHROPIC),
        descriptions=Cell("no limit", _ANTHROPIC),
        results=Cell("no limit", _ANTHROPIC),
    ),
    Host(
        "google-genai",
        "3.6.1",
        "whole",
        content=Cell(_WHOLE, _GENAI),
        structured=Cell(_WHOLE, _GENAI),
        meta=Cell(_WHOLE, _GENAI),
        errors=Cell("the same, as an `error`", _GENAI),
        links=Cell(f"{_WHOLE}; with mcp 1.x they make the call fail", _GENAI),
        media=Cell("as Base64 in that text: no image is seen", _GENAI),
        annotations=Cell("shown in that text", _GENAI),
        names=Cell("as they are", _GENAI),
        tools=Cell("name, description and inputSchema", _GENAI),
        descriptions=Cell("no limit", _GENAI),
        results=Cell("no limit", _GENAI),
    ),
    Host(
        "fastmcp",
        "4.2.3",
        "beside",
        content=Cell(f"{_PROGRAM}: `content`", _FASTMCP),
        structured=Cell(f"{_PROGRAM}: `structured_content`, and typed by the outputSchema as `data`", _FASTMCP),
        meta=Cell(f"{_PROGRAM}: `meta`", _FASTMCP),
        errors=Cell("an exception with the first text; the others and structured content are lost", _FASTMCP),
        links=Cell(f"{_PROGRAM}: `content`", _FASTMCP),
        media=Cell(f"{_PROGRAM}: `content`", _FASTMCP),
        annotations=Cell(f"{_PROGRAM}: `content`", _FASTMCP),
        names=Cell("as they are", _FASTMCP),
        tools=Cell("an outputSchema without structured content makes a call fail", _MCP),
        descriptions=Cell("no limit", _FASTMCP),
        results=Cell("no limit", _FASTMCP),
        client_names=("fastmcp",),
    ),
    Host(
        "mcp",
        "2.3.0",
        "beside",
        content=Cell(f"{_PROGRAM}: `content`", _MCP),
        structured=Cell(f"{_PROGRAM}: `structured_content`", _MCP),
        meta=Cell(f"{_PROGRAM}: `meta`", _MCP),
        errors=Cell(f"{_PROGRAM}: `is_error`", _MCP),
        links=Cell(f"{_PROGRAM}: `content`", _MCP),
        media=Cell(f"{_PROGRAM}: `content`", _MCP),
        annotations=Cell(f"{_PROGRAM}: `content`", _MCP),
        names=Cell("as they are", _MCP),
        tools=Cell("an outputSchema without structured content makes a call fail", _MCP),
        descriptions=Cell("no limit", _MCP),
        results=Cell("no limit", _MCP),
        client_names=("mcp",),
    ),
)
"""The hosts, as the documentation lists them."""
HOSTS_BY_NAME: Mapping[str, Host] = {host.name: host for host in HOSTS}


def expand_client_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names by which clients introduce themselves, for hosts of the table and for such names.

    Libraries have none of their own: each program chooses its own, or keeps that of the SDK.
    """
    expanded = (
        sent
        for name in names
        for sent in (HOSTS_BY_NAME[name].client_names if name in HOSTS_BY_NAME else ()) or (name,)
    )
    return tuple(dict.fromkeys(expanded))


def find_covered_hosts(names: Iterable[str]) -> frozenset[ClientName]:
    """Return the hosts that introduce themselves by one of these names, or are named themselves."""
    covered = expand_client_names(names)
    return frozenset(host.name for host in HOSTS if not {*host.client_names}.isdisjoint(covered))
