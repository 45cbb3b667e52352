"""Values in recorded results, and the files with the schemas that are learned from them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from mcpgen_runtime.content import find_json_resource
from mcpgen_runtime.schema_keywords import contained

from mcpgen import paths
from mcpgen.config.models import Limits
from mcpgen.config.validation import COMMENT_KEY
from mcpgen.diagnostics import Findings, Span
from mcpgen.learn.recordings import RecordedCall
from mcpgen.names.reserved import DEVICE_NAMES
from mcpgen.read.choices import OPTIONS_KEY
from mcpgen.read.document import SourceDocument
from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, parse_json
from mcpgen.read.parse import find_too_deep, load_document
from mcpgen.report.text import format_count
from mcpgen.schema.document import SubschemaValidators
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, as_array, format_pointer

SEVERAL_BLOCKS = "several content blocks"
"""Reason to leave out results: a client reads structured content, a JSON resource, or the JSON of the only text."""
_NO_RESULT = "calls without a result"
_NO_TEXT = "no text"
_NO_JSON = "text that is not JSON"
_UNREADABLE = (SEVERAL_BLOCKS, _NO_TEXT, _NO_JSON)
"""Reasons for which a typed client raises `ResultError`, if the tool has a schema."""
MOST_VIOLATIONS = 5
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
_HASHED_NAME = re.compile(r".*-[0-9a-f]{12}", re.IGNORECASE)
"""Names that look as if they ended in a hash, as those of other tools do."""


@dataclass(frozen=True)
class RecordedValue:
    """Value of a result."""

    value: Json
    span: Span
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


def collect_values(calls: Iterable[RecordedCall], depth: int) -> dict[str, ToolRecording]:
    """Return what was recorded of each tool that has a result, but for values that nest too deeply, sorted by name.

    Servers that return a list often write each item into a text block of its own. A generated client reads one text
    block alone, so nothing is learned from the texts of a tool that does so in any result.
    """
    recordings: dict[str, ToolRecording] = {}
    texts: defaultdict[str, list[RecordedValue]] = defaultdict(list)
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
            continue
        value, is_structured = found
        if find_too_deep(call.result if is_structured else value, depth) is not None:
            recording.left_out["nested too deeply"] += 1
        else:
            values = recording.values if is_structured else texts[call.tool]
            values.append(RecordedValue(value, call.span, is_structured))
    for tool, values in texts.items():
        if recordings[tool].left_out[SEVERAL_BLOCKS]:
            recordings[tool].left_out[SEVERAL_BLOCKS] += len(values)
        else:
            recordings[tool].values += values
    for tool in recordings.keys() & unanswered.keys():
        recordings[tool].left_out[_NO_RESULT] = unanswered[tool]
    return dict(sorted(recordings.items()))


def _read_result(result: Json) -> tuple[Json, bool] | str:
    if not isinstance(result, dict) or not isinstance(result.get("content", []), list):
        return "no CallToolResult"
    if result.get("isError") is True:
        return "errors"
    if result.get("resultType", "complete") != "complete":
        return "answers that ask for more"
    if result.get("structuredContent") is not None:
        return result["structuredContent"], True
    blocks = as_array(result.get("content"))
    objects = [block for block in blocks if isinstance(block, dict)]
    if (resource := find_json_resource(objects)) is not None:
        value = _parse_container(resource)
        return _NO_JSON if value is None else (value, False)
    texts = [block["text"] for block in objects if block.get("type") == "text" and isinstance(block.get("text"), str)]
    values = [_parse_container(str(text)) for text in texts]
    if not texts:
        return _NO_TEXT
    if None in values:
        return _NO_JSON
    return (values[0], False) if len(blocks) == 1 else SEVERAL_BLOCKS


def _parse_container(text: str) -> Json:
    """Return the object or array that a text holds as JSON; None for other text, such as a number that stands alone."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return parse_json(text)
    except (InvalidJson, LoneSurrogate):
        return None


@dataclass(frozen=True)
class RefusedValue:
    """A recorded value that a schema refuses."""

    recorded: RecordedValue
    violations: tuple[tuple[str, str], ...]
    """The first places at which it is wrong, as JSON pointers, and what is wrong there."""


def make_file_names(tools: Iterable[str]) -> dict[str, str]:
    """Return `<tool>.output.json` for each tool, with a hash where not every file system takes the name."""
    names = list(tools)
    counts = Counter(name.casefold() for name in names)
    return {name: f"{_make_stem(name, counts[name.casefold()] == 1)}.output.json" for name in names}


def _make_stem(name: str, is_unique: bool) -> str:
    is_device = name.partition(".")[0].lower() in DEVICE_NAMES
    if is_unique and _PLAIN_NAME.fullmatch(name) and not is_device and not _HASHED_NAME.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{re.sub(r'[^A-Za-z0-9_]+', '_', name)[:60] or '_'}-{digest}"


def format_learned_schema(tool: str, schema: dict[str, Json], result_count: int) -> str:
    """Return the text of a file."""
    results = format_count(result_count, "result")
    comment: Json = {COMMENT_KEY: f"Learned by mcpgen from {results} of {tool}."}
    head: dict[str, Json] = {"$schema": DRAFT_2020_12, OPTIONS_KEY: comment}  # a `$comment` would be advertised
    return json.dumps(head | schema, indent=2, ensure_ascii=False) + "\n"


def find_refused_values(
    path: Path, values: Sequence[RecordedValue], limits: Limits, findings: Findings
) -> list[RefusedValue] | None:
    """Return the recorded values that the schema in a file refuses; None, with an error, if it is no schema."""
    document = load_document(path, paths.format_path(path), findings, limits)
    if document is None:
        return None
    validator = _compile_schema(document, findings)
    if validator is None:
        return None
    refused: list[RefusedValue] = []
    for recorded in values:
        with contained():
            errors: list[Any] = list(islice(validator.iter_errors(recorded.value), MOST_VIOLATIONS))
        if errors:
            violations = [(format_pointer(*error.instance_path), error.message) for error in errors]
            refused.append(RefusedValue(recorded, tuple(dict.fromkeys(violations))))
    return refused


def _compile_schema(document: SourceDocument, findings: Findings) -> Any:
    schema = document.value
    try:
        if not isinstance(schema, dict | bool):
            raise ValueError("it is neither an object nor a boolean")
        validators = SubschemaValidators(schema, detect_dialect(schema) or DRAFT_2020_12)
    except ValueError as error:
        findings.error("MG101", f"is not a JSON Schema: {str(error).splitlines()[0]}", Span(document.name))
        return None
    return validators.find_validator("")
