"""Values in recorded results: the structured content, or the JSON that stands in the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from mcpgen_runtime.content import find_json_resource

from mcpgen.diagnostics import Span
from mcpgen.learn.recordings import RecordedCall
from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, parse_json
from mcpgen.read.parse import find_too_deep
from mcpgen.schema.values import Json

SEVERAL_BLOCKS = "several content blocks"
"""Reason to leave out results: a client reads structured content, a JSON resource, or the JSON of the only text."""
_NO_RESULT = "calls without a result"
_NO_TEXT = "no text"
_NO_JSON = "text that is not JSON"
_UNREADABLE = (SEVERAL_BLOCKS, _NO_TEXT, _NO_JSON)
"""Reasons for which a typed client raises `ResultError`, if the tool has a schema."""


@dataclass(frozen=True)
class RecordedValue:
    """Value of a result."""

    value: Json
    span: Span
    """Where it was recorded."""
    is_structured: bool = False
    """Whether it was the structured content, not JSON in a text."""


@dataclass
class ToolRecording:
    """What was recorded of one tool."""

    values: list[RecordedValue] = field(default_factory=list[RecordedValue])
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Numbers of results that say nothing of the schema, by the reason."""
    unreadable: list[tuple[str, Span]] = field(default_factory=list[tuple[str, Span]])
    """Results that no typed client can read, whatever the schema: the reason, and where each was recorded."""


@dataclass(frozen=True)
class _TextValue:
    """JSON value in the only content block of a result, or in its only JSON resource."""

    value: Json


def collect_values(calls: Iterable[RecordedCall], depth: int) -> dict[str, ToolRecording]:
    """Return what was recorded of each tool that has a result, sorted by name.

    Servers that return a list often write each item into a text block of its own. A generated client reads one text
    block alone, so nothing is learned from the texts of a tool that does so in any result.

    Args:
        calls: the recorded calls.
        depth: levels of nesting that a value may have.
    """
    recordings: dict[str, ToolRecording] = {}
    texts: dict[str, list[RecordedValue]] = {}
    unanswered = Counter[str]()
    for call in calls:
        if call.result is None:
            unanswered[call.tool] += 1
            continue
        recording = recordings.setdefault(call.tool, ToolRecording())
        found = _read_result(call.result)
        if isinstance(found, str):
            recording.left_out[found] += 1
            if found in _UNREADABLE:
                recording.unreadable.append((found, call.span))
        elif find_too_deep(found.value if isinstance(found, _TextValue) else found, depth) is not None:
            recording.left_out["nested too deeply"] += 1
        elif isinstance(found, _TextValue):
            texts.setdefault(call.tool, []).append(RecordedValue(found.value, call.span))
        else:
            recording.values.append(RecordedValue(found["structuredContent"], call.span, True))
    for tool, values in texts.items():
        if recordings[tool].left_out[SEVERAL_BLOCKS]:
            recordings[tool].left_out[SEVERAL_BLOCKS] += len(values)
        else:
            recordings[tool].values += values
    for tool in recordings.keys() & unanswered.keys():
        recordings[tool].left_out[_NO_RESULT] = unanswered[tool]
    return dict(sorted(recordings.items()))


def _read_result(result: Json) -> dict[str, Json] | _TextValue | str:
    """Return a result with structured content, or the JSON value in its text; if there is neither, the reason."""
    if not isinstance(result, dict) or not isinstance(result.get("content", []), list):
        return "no CallToolResult"
    if result.get("isError") is True:
        return "errors"
    if result.get("resultType", "complete") != "complete":
        return "answers that ask for more"
    if result.get("structuredContent") is not None:
        return result
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    objects = [block for block in blocks if isinstance(block, dict)]
    resource = find_json_resource(objects)
    if resource is not None:
        value = _parse_container(resource)
        return _NO_JSON if value is None else _TextValue(value)
    texts = [block["text"] for block in objects if block.get("type") == "text" and isinstance(block.get("text"), str)]
    values = [_parse_container(str(text)) for text in texts]
    if not texts:
        return _NO_TEXT
    if None in values:
        return _NO_JSON
    return _TextValue(values[0]) if len(blocks) == 1 else SEVERAL_BLOCKS


def _parse_container(text: str) -> Json:
    """Return the object or array that a text holds as JSON; None for other text, such as a number that stands alone."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return parse_json(text)
    except (InvalidJson, LoneSurrogate):
        return None
