"""Clients and model APIs that lint rules know: one row each, with what they accept as the name of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

ClientName = Literal[
    "anthropic",
    "anthropic-connector",
    "anthropic-sdk",
    "anthropic-strict",
    "chatgpt",
    "claude-code",
    "claude-desktop",
    "cline",
    "codex",
    "cursor",
    "fastmcp",
    "gemini",
    "gemini-cli",
    "google-genai",
    "goose",
    "kimi",
    "langchain",
    "mcp",
    "openai",
    "openai-agents",
    "openai-strict",
    "opencode",
    "pydantic-ai",
    "typescript-sdk-1",
    "vscode",
]


@dataclass(frozen=True)
class Client:
    """A client of MCP servers, or the API of a model to which clients pass tools on."""

    name: ClientName
    title: str
    sends_to: ClientName | None = None
    """The client whose rules hold, too: strict modes belong to an API, programs send tools to one."""
    tool_name: re.Pattern[str] | None = None
    """Pattern of the names of tools that it accepts."""
    name_words: str = ""
    """That pattern in words."""
    name_source: str = ""
    """Where it says so."""


CLIENTS = (
    Client(
        "anthropic",
        "Anthropic's Messages API",
        tool_name=re.compile(r"[a-zA-Z0-9_-]{1,128}"),
        name_words="letters, digits, underscores and hyphens, at most 128",
        name_source="the API's error message: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    Client("anthropic-connector", "Anthropic's MCP connector", sends_to="anthropic"),
    Client("anthropic-sdk", "the MCP helpers of Anthropic's Python SDK", sends_to="anthropic"),
    Client("anthropic-strict", "Anthropic's Messages API, tools with `strict`", sends_to="anthropic"),
    Client("chatgpt", "ChatGPT", sends_to="openai"),
    Client(
        "claude-code",
        "Claude Code",
        sends_to="anthropic",
        tool_name=re.compile(r"(?s:.{1,56})"),
        name_words="at most 56 characters: mcp__SERVER__ comes before the name, and all of it has to fit in 64",
        name_source="anthropics/claude-code, issue 19882",
    ),
    Client("claude-desktop", "Claude Desktop", sends_to="anthropic"),
    Client("cline", "Cline"),
    Client("codex", "Codex", sends_to="openai"),
    Client(
        "cursor",
        "Cursor",
        tool_name=re.compile(r"(?s:.{1,59})"),
        name_words="at most 59 characters: the server's name and the tool's may have 60 together",
        name_source="Cursor's warning; executeautomation/mcp-playwright, issue 145",
    ),
    Client("fastmcp", "fastmcp's client"),
    Client(
        "gemini",
        "Google's Gemini API",
        tool_name=re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"),
        name_words="letters, digits, underscores, dots, colons and hyphens, a letter or underscore first, at most 128",
        name_source="FunctionDeclaration.name in google-genai 3.4.0",
    ),
    Client("gemini-cli", "Gemini CLI", sends_to="gemini"),
    Client("google-genai", "Google's Gen AI SDK", sends_to="gemini"),
    Client("goose", "goose"),
    Client("kimi", "Kimi Code"),
    Client("langchain", "LangChain's MCP adapters"),
    Client("mcp", "the official SDK's client"),
    Client(
        "openai",
        "OpenAI's API",
        tool_name=re.compile(r"[a-zA-Z0-9_-]{1,64}"),
        name_words="letters, digits, underscores and hyphens, at most 64",
        name_source="FunctionDefinition.name in openai 3.54.0",
    ),
    Client("openai-agents", "the OpenAI Agents SDK", sends_to="openai"),
    Client("openai-strict", "OpenAI's API, functions with `strict`", sends_to="openai"),
    Client("opencode", "OpenCode"),
    Client("pydantic-ai", "Pydantic AI"),
    Client("typescript-sdk-1", "clients on the TypeScript SDK 1.x, the Inspector among them"),
    Client("vscode", "Visual Studio Code"),
)
"""The clients, as the documentation lists them."""
CLIENTS_BY_NAME: Mapping[str, Client] = {client.name: client for client in CLIENTS}


def expand_clients(names: Iterable[str]) -> frozenset[str]:
    """Return clients with those that they send tools to."""
    expanded: set[str] = set()
    for name in names:
        current: str | None = name
        while current is not None:
            expanded.add(current)
            current = CLIENTS_BY_NAME[current].sends_to
    return frozenset(expanded)
