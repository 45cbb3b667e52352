"""Handlers of a server for the project's example: every content strategy, every kind of value that one may return."""

from __future__ import annotations

import base64
import datetime
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs
import pytest
from mcpgen_runtime.sdk.none.types import BlobResourceContents, CallToolResult, ReadResourceResult, TextContent
from mcpgen_runtime.sdk.none.types import TextResourceContents as Text
from pydantic import BaseModel
from support.repository import ROOT

import generated
from generated import IsBerthFreeResult, QuoteStayResult, ReleaseBerthResult

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
JPEG = b"\xff\xd8\xff\xe0"


@dataclass
class Berth:
    """As an office's own code would have it: Python names, a date, nothing of JSON."""

    berth: str
    depth_m: float
    measured_on: datetime.date


class Pier(BaseModel):
    lights: bool
    lamps: list[int] = []


@dataclass
class Handler:
    """A handler: the row of the normalization document that its value stands for, and what has to come of it."""

    row: str
    name: str
    returns: Callable[[], Any]
    structured: Any = None
    content: list[Any] = field(default_factory=list[Any])
    """The blocks: a text as its JSON value or as it is, any other block by its type."""


def _as_read(block: dict[str, Any]) -> Any:
    if block["type"] != "text":
        return block["type"]
    try:
        return json.loads(block["text"])
    except ValueError:
        return block["text"]


def _flags() -> Iterator[str]:
    yield from ("Blue Peter", "Storm cone")


TEXT = TextContent(type="text", text="By hand.")
ERROR = CallToolResult(content=[TEXT], is_error=True)
TOOLS = [
    Handler("CallToolResult", "is_berth_free", lambda: ERROR, None, ["By hand."]),
    Handler(
        "mapping of a result",
        "release-berth",
        lambda: {"content": [{"type": "text", "text": "Free."}], "_meta": {"office": 1}},
        None,
        ["Free."],
    ),
    Handler("generated class", "is_berth_free", lambda: IsBerthFreeResult(True), {"result": True}, [True]),
    Handler("pair", "tide_state", lambda: ("The tide is out.", "low slack"), "low slack", ["The tide is out."]),
    Handler("mapping", "gate_is_open", lambda: {"result": False}, {"result": False}, [{"result": False}]),
    Handler("bare inner value", "gate_is_open", lambda: True, {"result": True}, [{"result": True}]),
    Handler("scalar", "tide_state", lambda: "ebbing", "ebbing", ["ebbing"]),
    Handler("None", "release-berth", lambda: None),
    Handler("bytes", "release-berth", lambda: JPEG, None, ["/9j/4A=="]),
    Handler("bytes of an image", "webcam_still", lambda: JPEG, "/9j/4A==", ["image"]),
    Handler("bytes of a sound", "foghorn_sample", lambda: b"OggS", "T2dnUw==", ["audio"]),
    Handler("bytes of a document", "mooring_contract", lambda: b"%PDF", "JVBERg==", ["resource"]),
    Handler("iterable", "flags_today", _flags, ["Blue Peter", "Storm cone"], ["Blue Peter", "Storm cone"]),
    Handler("content blocks", "release-berth", lambda: ["Done.", TEXT], None, ["Done.", "By hand."]),
    Handler("dataclass", "release-berth", lambda: Berth("B07", 2.5, datetime.date(2031, 5, 4)), None,
            [{"berth": "B07", "depth_m": 2.5, "measured_on": "2031-05-04"}]),
    Handler("pydantic model", "release-berth", lambda: Pier(lights=True), None, [{"lights": True, "lamps": []}]),
]  # fmt: skip


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
@pytest.mark.parametrize("handler", TOOLS, ids=lambda handler: f"{handler.row}-{handler.name}")
def test_tools(handler: Handler, version: str) -> None:
    cls: Any = generated.RESULT_TYPES[handler.name]
    value = handler.returns()
    result = cls.normalize_any(value, version)
    assert (result is value) == isinstance(value, CallToolResult)
    wire = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert [_as_read(block) for block in wire["content"]] == handler.content
    assert ("resultType" in wire) == (version == "2026-07-28" and not isinstance(value, CallToolResult))
    declared = generated.TOOLS[handler.name].get("outputSchema")
    if handler.structured is None:
        assert "structuredContent" not in wire
        return
    natural = version == "2026-07-28" or (declared is not None and declared.get("type") == "object")
    natural = natural and handler.name != "is_berth_free"
    wrapped = {"result": handler.structured}
    assert wire["structuredContent"] == (handler.structured if natural or "result" in handler.structured else wrapped)
    (advertised,) = (tool for tool in generated.list_tools(version) if tool["name"] == handler.name)
    assert jsonschema_rs.is_valid(advertised["outputSchema"], wire["structuredContent"])


def test_dataclasses_and_models_of_a_declared_shape() -> None:
    """Check that the classes that the generator makes are not needed to satisfy them."""
    values = json.loads((ROOT / "tests" / "support" / "example_values.json").read_text("utf-8"))
    value = values["quote_stay"]["valid"][1]

    class Anything:
        def __init__(self, members: dict[str, Any]) -> None:
            for key, item in members.items():
                held = [Anything(item) for item in item] if key == "lines" else item
                setattr(self, key, Anything(held) if isinstance(held, dict) else held)

    model = QuoteStayResult.normalize_any(Anything(value)).model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert model == QuoteStayResult.from_structured_content(value).to_wire()


def test_every_strategy_is_there() -> None:
    strategies = {name: _strategy(name) for name in generated.TOOLS}
    assert set(strategies.values()) == {"json", "template", "table", "items", "binary", "none", "content only"}


def _strategy(name: str) -> str:
    if "outputSchema" not in generated.TOOLS[name]:
        return "content only"
    if list((ROOT / "schemas").rglob(f"{name}.content.j2")):
        return "template"
    cls: Any = generated.RESULT_TYPES[name]
    used = set(cls.to_content.__code__.co_names)
    function_names = {"items": "item_blocks", "binary": "binary_block", "table": "markdown_text", "json": "text_block"}
    for strategy, function_name in function_names.items():
        if function_name in used:
            return strategy
    return "none"


# --- resources -------------------------------------------------------------------------------------------------------
RULES = "office://rules"
GIVEN = ReadResourceResult(contents=[Text(uri=RULES, text="Slow.")])
RESOURCES: list[tuple[str, Any, list[dict[str, Any]]]] = [
    ("ReadResourceResult", GIVEN, [{"uri": RULES, "text": "Slow."}]),
    ("contents", Text(uri=RULES, text="Slow."), [{"uri": RULES, "text": "Slow."}]),
    (
        "list of contents",
        [Text(uri=RULES, text="a"), BlobResourceContents(uri=RULES, blob="/9g=")],
        [{"uri": RULES, "text": "a"}, {"uri": RULES, "blob": "/9g="}],
    ),
    ("mapping of contents", {"text": "Slow.", "mimeType": "text/x"}, [{"text": "Slow.", "mimeType": "text/x"}]),
    ("bytes", JPEG, [{"blob": base64.b64encode(JPEG).decode()}]),
    ("text", "Slow.", [{"text": "Slow."}]),
    ("dataclass", Berth("B07", 2.5, datetime.date(2031, 5, 4)), [{"text": '"depth_m":2.5'}]),
    ("other", datetime.date(2031, 5, 4), [{"text": "2031-05-04"}]),
]


@pytest.mark.parametrize(("row", "value", "expected"), RESOURCES, ids=[row for row, _, _ in RESOURCES])
def test_resources(row: str, value: Any, expected: list[dict[str, Any]]) -> None:
    cls = generated.RESOURCE_TYPES["harbour-rules"]
    for version in VERSIONS:
        result = cls.normalize(value, RULES, version)
        assert (result is value) == (row == "ReadResourceResult")
        wire = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
        assert len(wire["contents"]) == len(expected)
        for contents, target in zip(wire["contents"], expected, strict=True):
            assert contents["uri"] == RULES
            for key, text in target.items():
                assert text in contents[key] if row == "dataclass" else contents[key] == text


def test_a_tool_that_fails_says_so() -> None:
    error = generated.tool_error("The gauge is frozen.")
    assert ReleaseBerthResult.normalize_any(error) is error
    with pytest.raises(generated.ToolCallError, match="frozen"):
        ReleaseBerthResult.from_call_tool_result(error)
