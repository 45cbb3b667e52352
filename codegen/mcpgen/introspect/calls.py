"""Calls of a server's tools."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.client import Conversation, talk_to_server
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.redaction import Redactor, contains_secret
from mcpgen.introspect.server_address import format_server_address
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.session import RequestRefused, fetch_pages
from mcpgen.learn.recordings import RecordedCall
from mcpgen.schema.values import Json
from mcpgen.words import NameGuesser


@dataclass(frozen=True)
class ToolCalls:
    """What came of some calls."""

    answered: tuple[RecordedCall, ...]
    """Those that were made; without a result where the server answered with an error."""
    withheld: tuple[str, ...]
    """Tools that were not called, since nothing says that this has no effect; sorted."""
    unknown: tuple[str, ...]


def call_tools(
    query: ServerQuery, calls: Sequence[RecordedCall], allowed: Collection[str], limits: Limits, findings: Findings
) -> ToolCalls | None:
    """Call read-only, idempotent or `allowed` tools; return answers before an error, None if one holds a secret."""
    span = Span.of_server(format_server_address(query.source))
    answered: list[RecordedCall] = []
    redact = Redactor(query.credentials, query.source)

    async def make_calls(conversation: Conversation) -> ToolCalls:
        return await _make_calls(conversation, [replace(call, span=span) for call in calls], allowed, answered)

    try:
        made = talk_to_server(query, make_calls, limits)
    except IntrospectionError as error:
        findings.error(error.code, redact(error.message), span, redact(error.help))
        made = ToolCalls(tuple(answered), (), ())
    if contains_secret(query.credentials, query.source, [call.result for call in made.answered]):
        message = "what the server answers holds a secret that it was given"
        findings.error("MG715", message, span, "it is neither shown nor written; leave the calls of that tool out")
        return None
    refused = sorted({call.tool for call in made.answered if call.result is None})
    for tool in refused:
        findings.warn("MG718", redact(f'the server answers calls of "{tool}" with an error'), span)
    return made


async def _make_calls(
    conversation: Conversation, calls: Sequence[RecordedCall], allowed: Collection[str], answered: list[RecordedCall]
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
        result: Json = None
        with suppress(RequestRefused):
            result = await session.send_request("tools/call", {"name": call.tool, "arguments": call.arguments})
        answered.append(replace(call, result=result))
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
    annotations = tool.get("annotations")
    return (
        isinstance(annotations, dict)
        and annotations.get("readOnlyHint") is True
        and annotations.get("idempotentHint") is True
        and annotations.get("destructiveHint") is not True
    )
