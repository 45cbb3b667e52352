"""A server of the installed SDK with a tool for each fault: `python faulty_server.py KIND FOLDER [PORT]`.

KIND is `many` (a tool, resource or prompt for each fault that leaves the server running), `ending` (a tool for each
fault that does not, and one without a fault), `good` (the same forms, each as it has to be), `decorated` (the
SDK's own decorators), or `harbour` (mcpgen's handlers of the example). Each call is a line of FOLDER/called.txt.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pydantic import BaseModel, Field
from sdk import exchange
from sdk.exchange import MODERN, ROW

FOLDER = Path(sys.argv[2]) if len(sys.argv) > 2 else Path()
STDIN, STDOUT = os.dup(0), os.dup(1)
"""The pipes, which SDKs may put something else in place of."""
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n0000").decode()
GIF = base64.b64encode(b"GIF89a0000").decode()
INPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "maxLength": 30},
        "days": {"type": "integer", "minimum": 1, "maximum": 5},
        "unit": {"enum": ["celsius", "kelvin"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}
OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "degrees": {"type": "number"},
        "note": {"type": "string"},
        "kind": {"enum": ["warm", "cold"]},
        "when": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
    },
    "required": ["city", "degrees"],
    "additionalProperties": False,
}
LIST_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {"result": {"type": "array", "items": {"type": "integer"}}},
    "required": ["result"],
}
GOOD: dict[str, Any] = {"city": "Ulm", "degrees": 2.5, "kind": "warm", "when": [1, 2]}
Answer = Callable[[dict[str, Any]], dict[str, Any]]


def result(value: Any, text: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a result with a value and its JSON as text."""
    said = json.dumps(value) if text is None else text
    return {"content": [{"type": "text", "text": said}], "structuredContent": value, **more}


def error(text: str) -> dict[str, Any]:
    """Return an error result."""
    return {"content": [{"type": "text", "text": text}], "isError": True}


def find_refusal(arguments: dict[str, Any]) -> str:
    """Return what is wrong with arguments of INPUT."""
    city, days, unit = arguments.get("city"), arguments.get("days", 1), arguments.get("unit", "kelvin")
    if not isinstance(city, str) or not 1 <= len(city) <= 30:
        return "city"
    if isinstance(days, bool) or not isinstance(days, int | float) or days != int(days) or not 1 <= days <= 5:
        return "days"
    return (
        "unit"
        if unit not in ("celsius", "kelvin")
        else ""
        if arguments.keys() <= INPUT["properties"].keys()
        else "more"
    )


def refusing(answer: Answer, leaves_out: str = "") -> Answer:
    """Return an answer that comes after a check of the arguments, which may leave one kind out."""

    def checked(arguments: dict[str, Any]) -> dict[str, Any]:
        wrong = find_refusal(arguments)
        return error(f"wrong: {wrong}") if wrong and wrong != leaves_out else answer(arguments)

    return checked


def changed(**members: Any) -> Answer:
    """Return an answer with other members of its value."""
    return lambda _: result({**GOOD, **members})


def without(name: str) -> Answer:
    """Return an answer whose value lacks a member."""
    return lambda _: result({key: member for key, member in GOOD.items() if key != name})


def blocks(*content: dict[str, Any]) -> Answer:
    """Return an answer of content blocks, without a value."""
    return lambda _: {"content": [*content]}


def wait(seconds: float, answer: Answer) -> Answer:
    """Return an answer that takes its time."""

    def late(arguments: dict[str, Any]) -> dict[str, Any]:
        time.sleep(seconds)
        return answer(arguments)

    return late


_turns = {"flaky": 0, "flaky_error": 0}


def flaky(_: dict[str, Any]) -> dict[str, Any]:
    """Answer every other call with an error."""
    _turns["flaky"] += 1
    return error("busy") if _turns["flaky"] % 2 else result(GOOD)


def flaky_value(_: dict[str, Any]) -> dict[str, Any]:
    """Answer every third call with a wrong value."""
    _turns["flaky_error"] += 1
    return result({} if _turns["flaky_error"] % 3 == 0 else GOOD)


def only_short(arguments: dict[str, Any]) -> dict[str, Any]:
    """Refuse long names, which the schema accepts, as an SDK that has another schema does."""
    if len(arguments["city"]) > 12:
        return error("Input validation error: the city is too long")
    return result(GOOD)


def many_days(arguments: dict[str, Any]) -> dict[str, Any]:
    """Break the promise only for some arguments."""
    return result({**GOOD, "when": [1] * arguments.get("days", 1)})


def print_stray(_: dict[str, Any]) -> dict[str, Any]:
    """Print beside the answer."""
    os.write(STDOUT, b"debug: called\n")
    return result(GOOD)


def end(_: dict[str, Any]) -> dict[str, Any]:
    """End the process."""
    os._exit(3)


def hang(_: dict[str, Any]) -> dict[str, Any]:
    """Do nothing until the client is gone."""
    closing = select.poll()
    closing.register(STDIN, 0)
    closing.poll(60_000)
    os._exit(3)


def garble(_: dict[str, Any]) -> dict[str, Any]:
    """Print no answer."""
    os.write(STDOUT, b'{"jsonrpc": "2.0", "id": 1, "result": {]\n')
    return hang({})


def write_nan(_: dict[str, Any]) -> dict[str, Any]:
    """Print NaN."""
    os.write(STDOUT, b'{"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": {"degrees": NaN}}}\n')
    return hang({})


def refuse_by_protocol(_: dict[str, Any]) -> dict[str, Any]:
    """Answer with an error of the protocol."""
    if MODERN:
        raise exchange.named("mcp.shared.exceptions", "MCPError")(-32603, "it broke")
    types = importlib.import_module("mcp.types")
    raise exchange.named("mcp.shared.exceptions", "McpError")(types.ErrorData(code=-32603, message="it broke"))


FAULTS: dict[str, tuple[Any, Answer, str]] = {
    "wrong_type": (OUTPUT, changed(degrees="2.5"), "outputSchema"),
    "missing_member": (OUTPUT, without("degrees"), "outputSchema"),
    "extra_member": (OUTPUT, changed(extra=1), "outputSchema"),
    "null_for_absent": (OUTPUT, changed(note=None), "outputSchema"),
    "unknown_enum_member": (OUTPUT, changed(kind="mild"), "outputSchema"),
    "too_many_items": (OUTPUT, changed(when=[1, 2, 3, 4]), "outputSchema"),
    "wrong_item": (OUTPUT, changed(when=[1, "2"]), "outputSchema"),
    "some_arguments": (OUTPUT, many_days, "outputSchema"),
    "number_as_text": (LIST_OUTPUT, lambda _: result({"result": ["1"]}), "outputSchema"),
    "unwrapped_root": (LIST_OUTPUT, lambda _: result({"0": 1, "1": 2}), "outputSchema"),
    "no_text_block": (OUTPUT, lambda _: {"content": [], "structuredContent": GOOD}, "no text block"),
    "text_of_another_value": (OUTPUT, lambda _: result(GOOD, '{"city": "Bonn"}'), "different text"),
    "no_structured_content": (OUTPUT, blocks({"type": "text", "text": "{}"}), "no structured content"),
    "accepts_without_required": (None, refusing(changed(), "city"), "accepted (required)"),
    "accepts_beyond_bound": (None, refusing(changed(), "days"), "accepted (maximum)"),
    "accepts_unknown_enum": (None, refusing(changed(), "unit"), "accepted (enum)"),
    "accepts_unknown_member": (None, refusing(changed(), "more"), "accepted (additionalProperties)"),
    "refuses_valid_arguments": (None, only_short, "refused arguments"),
    "refuses_own_result": (
        OUTPUT,
        lambda _: error("Output validation error: 'x' is not a number"),
        "own result refused",
    ),
    "silent_error": (None, lambda _: {"content": [], "isError": True}, "silent error"),
    "protocol_error": (None, refuse_by_protocol, "protocol error"),
    "wrong_image_type": (None, blocks({"type": "image", "data": GIF, "mimeType": "image/png"}), "MIME type"),
    "image_as_text_type": (None, blocks({"type": "image", "data": PNG, "mimeType": "text/plain"}), "MIME type"),
    "not_base64": (None, blocks({"type": "image", "data": "no base64!", "mimeType": "image/png"}), "base64"),
    "embedded_json": (
        None,
        blocks({"type": "resource", "resource": {"uri": "a://b", "mimeType": "application/json", "text": "{"}}),
        "not JSON",
    ),
    "flaky": (None, flaky, "flaky"),
    "flaky_value": (OUTPUT, flaky_value, "outputSchema"),
    "slow": (None, wait(0.1, changed()), "slow"),
    "stray_output": (None, print_stray, "stray output"),
}
"""Faults of tools that leave the server running: the outputSchema, the answer, and the kind that has to be found."""
RAW_FAULTS: dict[str, tuple[Any, Answer, str]] = {
    "unknown_block": (None, blocks({"type": "hologram", "text": "x"}), "protocol"),
    "content_is_text": (None, lambda _: {"content": "x"}, "protocol"),
    "array_as_value": (LIST_OUTPUT, lambda _: result([1, 2]), "outputSchema" if MODERN else "protocol"),
}
"""Those that only servers of mcp 2.x can be made to send."""
ENDING: dict[str, tuple[Answer, str]] = {
    "crash": (end, "crash"),
    "hang": (hang, "hang"),
    "garbled": (garble, "broken answer"),
    "nan": (write_nan, "not finite"),
}
"""Faults of tools that end the connection."""
RESOURCE_FAULTS = {
    "fault://wrong-mime": ({"mimeType": "image/png"}, {"mimeType": "text/plain", "text": "x"}, "MIME type"),
    "fault://bad-json": ({"mimeType": "application/json"}, {"mimeType": "application/json", "text": "{"}, "not JSON"),
    "fault://bad-blob": ({}, {"mimeType": "image/gif", "blob": PNG}, "MIME type"),
}
"""Resources: what is declared, what is read, and the kind that has to be found."""
PROMPT_FAULT = ("careless", "accepted (required)")


def good_tools() -> dict[str, tuple[Any, Answer, str]]:
    """Return tools of the same forms without faults; what they say in errors sounds like what SDKs say."""

    def honest(arguments: dict[str, Any]) -> dict[str, Any]:
        return error(f"Invalid arguments: no city {arguments['city']!r}: 1 validation error for Place, field required")

    return {
        "good_value": (OUTPUT, changed(), ""),
        "good_list": (LIST_OUTPUT, lambda _: result({"result": [1]}, "1"), ""),
        "good_empty": (LIST_OUTPUT, lambda _: {"content": [], "structuredContent": {"result": []}}, ""),
        "good_words": (None, blocks({"type": "text", "text": "{not JSON"}), ""),
        "good_image": (None, blocks({"type": "image", "data": PNG, "mimeType": "image/png"}), ""),
        "good_error": (OUTPUT, honest, ""),
    }


def declare(name: str, output: Any, **more: Any) -> dict[str, Any]:
    """Return a read-only tool."""
    declared = {"name": name, "inputSchema": INPUT, "annotations": {"readOnlyHint": True}, **more}
    return declared if output is None else {**declared, "outputSchema": output}


def log(line: str) -> None:
    """Write down a call."""
    with (FOLDER / "called.txt").open("a") as file:
        file.write(line + "\n")


def make_raw(tools: dict[str, tuple[Any, Answer, str]], has_lists: bool = False) -> Any:
    """Return a server with these tools, one that destroys, one that says nothing of that, and perhaps other lists."""
    complete = {"resultType": "complete"} if MODERN else {}
    listed = [declare(name, output) for name, (output, _, _) in tools.items()]
    listed.append(declare("destroy", None, annotations={"readOnlyHint": True, "destructiveHint": True}))
    listed.append({"name": "unannotated", "inputSchema": {"type": "object"}})
    cached = {"ttlMs": 0, "cacheScope": "private"} if MODERN else {}

    answers = {name: make if kind.startswith("accepted") else refusing(make) for name, (_, make, kind) in tools.items()}
    answers |= {"destroy": changed(), "unannotated": changed()}

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        log(params["name"])
        if params["name"] not in answers:
            return {**error("no such tool"), **complete}
        return {"isError": False, **answers[params["name"]](params.get("arguments") or {}), **complete}

    server = exchange.raw(lambda _: {"tools": listed, **complete, **cached}, answer)
    if has_lists:
        add_lists(server, complete, cached)
    return server


def add_members(make: Answer, more: dict[str, Any]) -> Answer:
    """Return an answer with more members."""
    return lambda params: {**make(params), **more}


def add_lists(server: Any, complete: dict[str, Any], cached: dict[str, Any]) -> None:
    """Add the resources and the prompt with faults, and a template and a prompt without."""
    listed = [{"name": uri, "uri": uri, **declared} for uri, (declared, _, _) in RESOURCE_FAULTS.items()]
    arguments = [{"name": "city", "required": True}, {"name": "note"}]
    prompts = [{"name": name, "arguments": arguments} for name in (PROMPT_FAULT[0], "careful")]
    templates = [{"name": "place", "uriTemplate": "place://{city}{?unit}", "mimeType": "text/plain"}]

    def read(params: dict[str, Any]) -> dict[str, Any]:
        uri = str(params["uri"])
        read = RESOURCE_FAULTS[uri][1] if uri in RESOURCE_FAULTS else {"mimeType": "text/plain", "text": "x"}
        return {"contents": [{"uri": uri, **read}]}

    def get(params: dict[str, Any]) -> dict[str, Any]:
        if params["name"] == "careful" and "city" not in (params.get("arguments") or {}):
            raise ValueError("city is required")
        return {"messages": [{"role": "user", "content": {"type": "text", "text": "x"}}]}

    answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
        "resources/list": lambda _: {"resources": listed, **cached},
        "resources/templates/list": lambda _: {"resourceTemplates": templates, **cached},
        "resources/read": lambda params: {**read(params), **cached},
        "prompts/list": lambda _: {"prompts": prompts, **cached},
        "prompts/get": get,
    }
    for method, make in answers.items():
        exchange.answer(server, method, add_members(make, complete))


class Place(BaseModel):
    """A place, as the SDK's decorators take it."""

    city: str
    degrees: float
    note: str | None = None


def find_place(
    city: Annotated[str, Field(min_length=1, max_length=30)],
    days: Annotated[int, Field(ge=1, le=5)] = 1,
    unit: Literal["celsius", "kelvin"] = "kelvin",
    tags: list[str] | None = None,
    exact: bool = False,
    factor: float = 1.0,
) -> Place:
    """Return a place."""
    return Place(city=city, degrees=days * factor)


def list_places(city: str, most: int = 2) -> list[Place]:
    """Return a place several times."""
    return [Place(city=city, degrees=2.5)] * max(0, min(most, 3))


def say(city: str) -> str:
    """Return a text."""
    return city


def fail(city: str) -> dict[str, Any]:
    """Refuse, as a tool does that finds nothing."""
    raise exchange.tool_error(f"there is no {city}")


def decorate(server: Any) -> None:
    """Add tools by the SDK's own decorators."""
    hints = exchange.named("mcp_types" if MODERN else "mcp.types", "ToolAnnotations")
    read_only = hints.model_validate({"readOnlyHint": True})

    for function in (find_place, list_places, say, fail):
        function.__annotations__ = get_type_hints(function, include_extras=True)  # dedalus reads no texts
        if ROW.collects:
            tool = exchange.named(ROW.server_module, "tool")(annotations={"readOnlyHint": True})
            server.collect(tool(function))
        else:
            server.tool(annotations=read_only)(function)


def bind_harbour() -> Any:
    """Return a server with the package in FOLDER, whose handlers return what the example's tools return."""
    from sdk import harbour

    sys.path.insert(0, str(FOLDER))
    sdk = harbour.Sdk(ROW)
    harbour.bind_example(sdk, importlib.import_module("harbour"))
    return sdk.server


def make_server(kind: str) -> Any:
    """Return the server of a kind."""
    if kind == "many":
        return make_raw({**FAULTS, **(RAW_FAULTS if MODERN else {})}, has_lists=True)
    if kind == "good":
        return make_raw(good_tools())
    if kind == "ending":
        return make_raw({**{name: (None, *fault) for name, fault in ENDING.items()}, "z_good": (None, changed(), "")})
    if kind == "harbour":
        return bind_harbour()
    server = exchange.server()
    decorate(server)
    return server


def main() -> None:
    """Serve."""
    ROW.serve(make_server(sys.argv[1]), int(sys.argv[3]) if len(sys.argv) > 3 else None)


if __name__ == "__main__":
    main()
