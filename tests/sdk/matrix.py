"""What every client asks every kind of server, what has to arrive, and what the clients and SDKs may change about it.

Expectations are made of `stars/definitions.json` and of what the handlers return, not by generated code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sdk.observatory import ANSWERS, DEFINITIONS, MESSAGES, OWN, PNG, READS, REFUSAL
from sdk.served import STAMP, unstamped
from sdk.wire import MODERN

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
"""The methods that list, and the member of the result."""
PREFIXES = {
    "mcp MCPServer": "Error executing tool open_dome: ",
    "mcp1 FastMCP": "Error executing tool open_dome: ",
    "dedalus MCPServer": "[ERROR] ",
}
"""What servers put before the text of a handler's ToolError."""


@dataclass(frozen=True)
class Question:
    """A request, and the result that has to come."""

    label: str
    method: str
    params: Mapping[str, Any]
    result: Mapping[str, Any]
    """As it is without structured content."""
    value: Any = ...
    """The structured content, before it is wrapped; `...`: there is none."""
    modern: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Members that the result has since 2026-07-28 only."""

    def expect(self, version: str, kind: str) -> dict[str, Any]:
        """Return the result under a protocol version, from a kind of server."""
        out = {**self.result, **(self.modern if version == MODERN else {})}
        if self.value is not ...:
            is_wrapped = version != MODERN and not isinstance(self.value, dict)
            out["structuredContent"] = {"result": self.value} if is_wrapped else self.value
        if self.label == "open_dome":
            out["content"] = [{"type": "text", "text": PREFIXES.get(kind, "") + REFUSAL}]
        return out


def _call(tool: str, label: str = "", /, **arguments: Any) -> Question:
    return Question(label or tool, "tools/call", {"name": tool, "arguments": arguments}, {})


def _answer(tool: str, **arguments: Any) -> Question:
    value = ANSWERS[tool]
    question = _call(tool, **arguments)
    if any("outputSchema" in definition for definition in DEFINITIONS["tools"] if definition["name"] == tool):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return Question(tool, question.method, question.params, {"content": [{"type": "text", "text": text}]}, value)
    content = [{"type": "text", "text": value}] if isinstance(value, str) else value
    return Question(tool, question.method, question.params, {"content": content})


def _failure(tool: str, text: str, label: str = "", /, **arguments: Any) -> Question:
    question = _call(tool, label, **arguments)
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    return Question(question.label, question.method, question.params, result)


def _read(name: str, uri: str, mime_type: str, modern: Mapping[str, Any] | None = None, **contents: str) -> Question:
    result = {"contents": [{"uri": uri, "mimeType": mime_type, **contents}]}
    return Question(name, "resources/read", {"uri": uri}, result, modern=modern or {})


def _message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": {"type": "text", "text": text}}


PLAN, PLANS = "plan-night", "Plans observations."
QUESTIONS = (
    _answer("get_star", name="Sírius", at="2026-11-23T08:00:00Z"),
    _answer("list_stars", brighter_than=2.5),
    _answer("count_stars"),
    _answer("describe-sky", dome="é"),
    _answer("show_chart"),
    _failure("open_dome", REFUSAL, dome=3),
    _failure("park", "Error executing tool park"),
    _failure(
        "get_star",
        'Invalid arguments for get_star: /name: should have at least 2 characters, got "S"',
        "invalid arguments",
        name="S",
    ),
    _read("guide", "sky://guide.md", "text/markdown", text=READS["guide"]),
    _read("chart", "sky://chart.png", "image/png", blob=PNG),
    _read(
        "settings",
        "sky://settings.json",
        "application/json",
        {"ttlMs": 60000, "cacheScope": "public"},
        text='{"theme":"night","gain":2.5}',
    ),
    _read("log", "sky://log/2026?dome=N%C3%BCsse", "text/plain", text="2026: Nüsse"),
    _read("log of all", "sky://log/1999", "text/plain", text="1999: all"),
    Question(
        PLAN,
        "prompts/get",
        {"name": PLAN, "arguments": {"target": "M31"}},
        {"description": PLANS, "messages": MESSAGES},
    ),
    Question(
        "long plan",
        "prompts/get",
        {"name": PLAN, "arguments": {"target": "M31", "style": "long"}},
        {"description": PLANS, "messages": [_message("Plan a long night for M31."), *MESSAGES[1:]]},
    ),
    Question("greet", "prompts/get", {"name": "greet"}, {"messages": [_message("Good evening.")]}),
    Question(
        "completion",
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": PLAN}, "argument": {"name": "style", "value": "sh"}},
        {"completion": {"values": ["short", "shorter"], "total": 2, "hasMore": False}},
    ),
)
"""Every tool, resource, template and prompt."""


# --- definitions -----------------------------------------------------------------------------------------------------
def declare(method: str, version: str) -> list[dict[str, Any]]:
    """Return the definitions that a method has to list under a version."""
    member = LISTS[method]
    definitions = [
        {key: value for key, value in definition.items() if key != "x-mcpgen"} for definition in DEFINITIONS[member]
    ]
    for definition in definitions:
        schema = definition.get("outputSchema")
        if schema is not None and schema["type"] != "object" and version != MODERN:
            definition["outputSchema"] = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
    return definitions


def take_listed(method: str, listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the definitions that a method has listed, without the tool of the server's own, which has to be there."""
    if method != "tools/list":
        return listed
    assert [definition["name"] for definition in listed].count(OWN) == 1, listed
    return [definition for definition in listed if definition["name"] != OWN]


def clean(method: str, result: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a result without what SDKs add, which is in the docstring of `unstamped` for tools.

    Since 2026-07-28, each result has a `resultType`, and that of a read `ttlMs` and `cacheScope`. Clients keep some of
    these to themselves.
    """
    if method == "tools/call":
        stamped = {"isError": False, **result}
        if version == MODERN:
            assert stamped.pop("resultType", "complete") == "complete"
            stamped["_meta"] = {STAMP: {"name": "observatory"}} | stamped.get("_meta", {})
        return unstamped(stamped, version, "observatory")
    out = dict(result)
    if version == MODERN:
        assert out.pop("resultType", "complete") == "complete"
        meta = out.pop("_meta", {})
        assert meta.pop(STAMP, {"name": "observatory"})["name"] == "observatory"
        assert not meta
        if (out.get("ttlMs"), out.get("cacheScope")) == (0, "private"):
            del out["ttlMs"], out["cacheScope"]
    return out


# --- comparison ------------------------------------------------------------------------------------------------------
PROTOCOL_OBJECTS = re.compile(
    r"(/(annotations|inputSchema|outputSchema|completion|(icons|arguments|content)/\d+(/annotations|/resource)?"
    r"|contents/\d+|messages/\d+(/content(/resource)?)?))?"
)
"""Pointers to the objects that the protocol itself defines: SDKs write their members in an order of their own.

The order of all others, such as the properties of a schema, of structured content and of `_meta`, stays."""
Differences = Iterator[tuple[str, Any, Any]]


def find_differences(expected: Any, actual: Any, is_javascript: bool = False, pointer: str = "") -> Differences:
    """Yield where two values differ as JSON text: the pointer, what is expected and what is there.

    Args:
        expected: what has to be there.
        got: what is there.
        is_javascript: JavaScript has read and written it, which puts members whose names are numbers first, and writes
            2.0 as 2.
        pointer: to the value.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        yield from _find_in_objects(expected, actual, is_javascript, pointer)
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, (expected_item, actual_item) in enumerate(zip(expected, actual, strict=True)):
            yield from find_differences(expected_item, actual_item, is_javascript, f"{pointer}/{index}")
    elif json.dumps(expected) != json.dumps(actual) and not (is_javascript and _is_same_number(expected, actual)):
        yield pointer, expected, actual


def _find_in_objects(expected: Any, actual: Any, is_javascript: bool, pointer: str) -> Differences:
    if expected.keys() != actual.keys():
        yield pointer, expected, actual
        return
    order = [*expected]
    if is_javascript:
        order.sort(key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0))
    if order != [*actual] and not PROTOCOL_OBJECTS.fullmatch(pointer):
        yield pointer, order, [*actual]
    for name, value in expected.items():
        yield from find_differences(value, actual[name], is_javascript, f"{pointer}/{name}")


def _is_same_number(first: Any, second: Any) -> bool:
    return type(first) in (int, float) and type(second) in (int, float) and bool(first == second)


Transcript = dict[str, Any]
"""The definitions that a client was given by the method that lists them, and the results by the labels of questions."""
