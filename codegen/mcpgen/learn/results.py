"""Values in recorded results: the structured content, or the JSON that stands in the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from mcpgen.diagnostics import Span
from mcpgen.learn.recordings import RecordedCall
from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, parse_json
from mcpgen.read.parse import find_too_deep
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class RecordedValue:
    """Value of a result."""

    value: Json
    span: Span
    """Where it was recorded."""


@dataclass
class ToolRecording:
    """What was recorded of one tool."""

    values: list[RecordedValue] = field(default_factory=list[RecordedValue])
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Numbers of results that say nothing of the schema, by the reason."""


@dataclass(frozen=True)
class _TextValues:
    """JSON values in the text blocks of a result."""

    values: list[Json]
    span: Span


def collect_values(calls: Iterable[RecordedCall], depth: int) -> dict[str, ToolRecording]:
    """Return what was recorded of each tool, sorted by name; calls without a result are skipped.

    Servers that return a list often write each item into a text block of its own. If a tool does so in any result, all
    its results without structured content are lists.

    Args:
        calls: the recorded calls.
        depth: levels of nesting that a value may have.
    """
    recordings: dict[str, ToolRecording] = {}
    texts: dict[str, list[_TextValues]] = {}
    for call in calls:
        if call.result is None:
            continue
        recording = recordings.setdefault(call.tool, ToolRecording())
        found = _read_result(call.result)
        if isinstance(found, str):
            recording.left_out[found] += 1
        elif find_too_deep(found, depth) is not None:
            recording.left_out["nested too deeply"] += 1
        elif isinstance(found, list):
            texts.setdefault(call.tool, []).append(_TextValues(found, call.span))
        else:
            recording.values.append(RecordedValue(found["structuredContent"], call.span))
    for tool, results in texts.items():
        are_lists = any(len(result.values) > 1 for result in results)
        recordings[tool].values += [
            RecordedValue(result.values if are_lists else result.values[0], result.span) for result in results
        ]
    return dict(sorted(recordings.items()))


def _read_result(result: Json) -> dict[str, Json] | list[Json] | str:
    """Return a result with structured content, or the JSON values in its text; if there is neither, the reason."""
    if not isinstance(result, dict) or not isinstance(result.get("content", []), list):
        return "no CallToolResult"
    if result.get("isError") is True:
        return "errors"
    if result.get("resultType", "complete") != "complete":
        return "answers that ask for more"
    if result.get("structuredContent") is not None:
        return result
    blocks = result.get("content")
    texts = [
        block["text"]
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]
    values = [_parse_container(str(text)) for text in texts]
    parsed: list[Json] = [value for value in values if value is not None]
    if not texts:
        return "no text"
    return parsed if len(parsed) == len(texts) else "text that is not JSON"


def _parse_container(text: str) -> Json:
    """Return the object or array that a text holds as JSON; None for other text, such as a number that stands alone."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return parse_json(text)
    except (InvalidJson, LoneSurrogate):
        return None
