"""Calls of a server's tools."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.client import Conversation, ServerQuery, talk_to_server
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.listing import fetch_pages
from mcpgen.introspect.redaction import Redactor, contains_secret
from mcpgen.introspect.server_address import format_server_address
from mcpgen.introspect.session import RequestRefused
from mcpgen.lint.misspelt_names import NameGuesser
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class ToolCall:
    """A call to make."""

    tool: str
    arguments: dict[str, Json]


@dataclass(frozen=True)
class AnsweredCall:
    """A call that was made."""

    call: ToolCall
    result: dict[str, Json] | None
    """The CallToolResult; None if the server answered with an error."""


@dataclass(frozen=True)
class ToolCalls:
    """What came of some calls."""

    answered: tuple[AnsweredCall, ...]
    withheld: tuple[str, ...]
    """Tools that were not called, since nothing says that this has no effect; sorted."""
    unknown: tuple[str, ...]
    """Tools that the server does not have; sorted."""


def call_tools(
    query: ServerQuery, calls: Sequence[ToolCall], allowed: Collection[str], limits: Limits, findings: Findings
) -> ToolCalls | None:
    """Make calls of a server's tools, one after the other.

    Tools are called if they are annotated as read-only and idempotent, or `allowed`.

    Args:
        query: the server, and how to reach it.
        calls: the calls to make.
        allowed: tools that may be called whatever their annotations say.
        limits: what the server may send.
        findings: receives the diagnostics, without secrets.

    Returns:
        The answers, those before an error if there is one; None if they hold a secret.
    """
    span = Span.of_server(format_server_address(query.source))
    answered: list[AnsweredCall] = []
    redact = Redactor(query.credentials, query.source)

    async def make_calls(conversation: Conversation) -> ToolCalls:
        return await _make_calls(conversation, calls, allowed, answered)

    try:
        made = talk_to_server(query, make_calls, limits)
    except IntrospectionError as error:
        findings.error(error.code, redact(error.message), span, redact(error.help))
        made = ToolCalls(tuple(answered), (), ())
    if contains_secret(query.credentials, query.source, [answer.result for answer in made.answered]):
        message = "what the server answers holds a secret that it was given"
        findings.error("MG715", message, span, "it is neither shown nor written; leave the calls of that tool out")
        return None
    refused = sorted({answer.call.tool for answer in made.answered if answer.result is None})
    for tool in refused:
        findings.warn("MG718", redact(f'the server answers calls of "{tool}" with an error'), span)
    return made


async def _make_calls(
    conversation: Conversation, calls: Sequence[ToolCall], allowed: Collection[str], answered: list[AnsweredCall]
) -> ToolCalls:
    """Make calls; `answered` gets each answer as soon as it is there."""
    session = conversation.session
    listed = await fetch_pages(session, "tools", "tools/list", "tools")
    tools = {str(tool["name"]): tool for tool in listed if isinstance(tool, dict) and "name" in tool}
    for name in sorted(set(allowed) - tools.keys()):
        help = advise_about_call(name, [*tools])
        raise IntrospectionError("MG718", f'the server has no tool "{name}", which --call names', help)
    known = [call for call in calls if call.tool in tools]
    permitted = [call for call in known if call.tool in allowed or _is_harmless(tools[call.tool])]
    for call in permitted:
        try:
            result = await session.send_request("tools/call", {"name": call.tool, "arguments": call.arguments})
        except RequestRefused:
            answered.append(AnsweredCall(call, None))
        else:
            answered.append(AnsweredCall(call, result))
    called = {call.tool for call in permitted}
    return ToolCalls(
        tuple(answered),
        tuple(sorted({call.tool for call in known} - called)),
        tuple(sorted({call.tool for call in calls} - tools.keys())),
    )


def advise_about_call(name: str, tools: Sequence[str]) -> str:
    """Return what to do about a value of `--call` that is no tool of the server."""
    if len(parts := name.replace(",", " ").split()) > 1:
        return f"name one tool at a time: {' '.join(f'--call {part}' for part in parts)}"
    close = NameGuesser().guess(name, tools)
    return f'did you mean "{close}"?' if close else f"it has {', '.join(sorted(tools)) or 'no tools'}"


def _is_harmless(tool: Mapping[str, Json]) -> bool:
    """Return whether a tool is annotated as read-only and idempotent (MCP, ToolAnnotations)."""
    annotations = tool.get("annotations")
    return (
        isinstance(annotations, dict)
        and annotations.get("readOnlyHint") is True
        and annotations.get("idempotentHint") is True
        and annotations.get("destructiveHint") is not True
    )
