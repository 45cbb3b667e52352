"""Recorded calls of tools, read from files: as such, or as JSON-RPC messages in saved traffic; and their results."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from mcpgen_runtime.content import find_json_resource
from mcpgen_runtime.schema_keywords import contained

from mcpgen import paths
from mcpgen.config.models import Limits
from mcpgen.config.validation import COMMENT_KEY
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_tracker import FileTracker
from mcpgen.names.reserved import DEVICE_NAMES
from mcpgen.read.choices import OPTIONS_KEY
from mcpgen.read.document import SourceDocument
from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, parse_json
from mcpgen.read.parse import find_too_deep, load_document, parse_json_document, read_text
from mcpgen.report.text import format_count
from mcpgen.schema.document import SubschemaValidators
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json, as_array, canonicalize, format_pointer

Message = dict[str, Json]
_NOWHERE = Span("")
_LINE_END = re.compile(r"\r\n|\r|\n")
_MENTION = re.compile(r'"jsonrpc\\*"')
"""What a text with messages has, with backslashes if they are in a text of it."""
LINE_SUFFIXES = (".jsonl", ".ndjson")
"""Ends of the names of files with a JSON value in each line."""
MAX_FAULTY_LINES = 10
_CALL_HELP = 'a call is {"tool": …, "result": …}, or a JSON-RPC request "tools/call" with its answer'


class Reason(NamedTuple):
    """Why a part of a recording is left out."""

    noun: str
    """What the part is, in the singular."""
    why: str
    help: str


UNCERTAIN = Reason(
    "call", "other requests with the same id were open", "save the traffic of each session in a file of its own"
)
UNASKED = Reason("answer", "no request with its id was open", "record each request, too, before its answer")
NAMELESS = Reason("call", "the id or the name of a tool is missing", "a call is a request with `id` and `params.name`")
UNREADABLE = Reason(
    "text", 'no message can be read, though "jsonrpc" is in it', "record whole messages as they were sent"
)
NO_CALL = Reason("value", "neither a call nor a message", 'a call is {"tool": …, "result": …}')


@dataclass(frozen=True)
class RecordedCall:
    """A call of a tool, as it was recorded."""

    tool: str
    span: Span = _NOWHERE
    """The file, and the line of the call if each line is a value."""
    arguments: Json = None
    """An object; None if they were not recorded."""
    result: Json = None
    """A CallToolResult; None if none was recorded."""


class Place(NamedTuple):
    """Where a message is, as far as that says what it belongs to."""

    exchange: Json = None
    """The object that holds it, if that has both a request and a response, as an entry of an HTTP archive has."""
    side: str = ""
    """The member of the exchange that holds it: `request` or `response`, as its sender has it; else empty."""


@dataclass
class _Scope:
    left_out: Counter[Reason]
    answered: list[RecordedCall]
    open: dict[tuple[str, str], dict[str, RecordedCall | None]] = field(
        default_factory=dict[tuple[str, str], "dict[str, RecordedCall | None]"]
    )
    """By the id and the side, then by the method and parameters; None for a request that calls no tool."""
    _lost: Counter[str] = field(default_factory=Counter[str])
    """Numbers of answers to come, by the id, that belong to requests which were left out."""
    _answers: dict[str, Message] = field(default_factory=dict[str, Message])
    """The last answer with each id since its last request."""

    def open_request(self, id: str, side: str, content: str, call: RecordedCall | None) -> None:
        """Take a request; the same one twice is one that a proxy took and passed on."""
        self.open.setdefault((id, side), {}).setdefault(content, call)
        self._answers.pop(id, None)

    def close_request(self, id: str, side: str, message: Message) -> bool:
        """Take an answer; return whether a request was open that it can belong to."""
        if self._answers.get(id) == message:
            return True  # a proxy took it and passed it on
        keys = [(id, asking) for asking in ("", "request", "response") if asking != side or side == ""]
        requests = [(key, content) for key in keys for content in self.open.get(key, ())]
        if not requests and not self._lost[id]:
            return False
        self._answers[id] = message
        calls = [self.open[key].pop(content) for key, content in requests]
        if len(requests) > 1 or self._lost[id]:
            self._lost[id] += len(requests) - 1
            self.left_out[UNCERTAIN] += sum(call is not None for call in calls)
        elif calls[0] is not None:
            self.answered.append(replace(calls[0], result=message.get("result")))
        return True


class CallMatcher:
    """Pairs requests with their answers, by the id: within an exchange, and what remains of it within the file."""

    def __init__(self) -> None:
        self.left_out = Counter[Reason]()
        """Numbers of messages that no call is made of."""
        self._answered: list[RecordedCall] = []
        self._file = _Scope(self.left_out, self._answered)
        self._exchange: Json = None
        self._here = self._file
        """The requests of that exchange."""
        self._unasked: list[tuple[str, str, Message]] = []
        """The answers in it to other requests."""

    def add_message(self, message: Message, place: Place) -> None:
        """Take the next message. Ids are unique to a session, and a server counts its own requests."""
        if place.exchange is not self._exchange:
            self._leave_exchange()
            if place.exchange is not None:
                self._exchange, self._here = place.exchange, _Scope(self.left_out, self._answered)
        id = canonicalize(message.get("id"))
        if "method" not in message:
            if not self._here.close_request(id, place.side, message):
                if self._here is self._file:
                    self._leave_out(message)
                else:
                    self._unasked.append((id, place.side, message))
            return
        params = message.get("params")
        call = None
        if message["method"] == "tools/call":
            if id != "null" and isinstance(params, dict) and isinstance(params.get("name"), str):
                call = RecordedCall(str(params["name"]), arguments=params.get("arguments"))
            else:
                self.left_out[NAMELESS] += 1
        if id != "null":  # else it is a notification
            self._here.open_request(id, place.side, canonicalize([message["method"], params]), call)

    def take_answered(self) -> list[RecordedCall]:
        """End a value of the file; return the calls that were answered in it."""
        self._leave_exchange()
        calls = [*self._answered]
        self._answered.clear()
        return calls

    def list_open(self) -> list[RecordedCall]:
        """Return the calls that nothing has answered."""
        return [call for requests in self._file.open.values() for call in requests.values() if call is not None]

    def _leave_exchange(self) -> None:
        if self._here is not self._file:
            for (id, side), requests in self._here.open.items():
                for content, call in requests.items():
                    self._file.open_request(id, side, content, call)
        self._exchange, self._here = None, self._file
        for id, side, message in self._unasked:
            if not self._file.close_request(id, side, message):
                self._leave_out(message)
        self._unasked.clear()

    def _leave_out(self, message: Message) -> None:
        """Count an answer whose request is unknown, unless it is an error, of which nothing could be learned."""
        self.left_out[UNASKED] += "result" in message


def iterate_messages(value: Json, depth: int, left_out: Counter[Reason]) -> Iterator[tuple[Message, Place]]:
    """Yield the JSON-RPC messages in a value, in their order, each with its place; count texts that cannot be read.

    They are objects with a member `jsonrpc`, or texts of such: JSON, or an event stream. In an HTTP archive (HAR 1.2)
    they are the texts of requests and answers, and can be encoded in Base64. The member `request` of an object comes
    first.
    """
    stack = [(value, Place())]
    while stack:
        part, place = stack.pop()
        if isinstance(part, dict) and _is_message(part):
            yield part, place
        elif isinstance(part, dict):
            members = [("text", _decode_text(part, left_out))]
            members += [(key, member) for key, member in part.items() if key not in ("text", "request")]
            members.insert(0, ("request", part.get("request")))
            is_exchange = "request" in part and "response" in part
            for key, member in reversed(members):
                side = key if key in ("request", "response") else ""
                stack.append((member, Place(part, side) if is_exchange else place))
        elif isinstance(part, list):
            stack += [(item, place) for item in reversed(part)]
        elif isinstance(part, str) and _MENTION.search(part):
            stack += [(item, place) for item in reversed(_parse_text(part, depth, left_out))]


def _is_message(part: dict[str, Json]) -> bool:
    is_marked = "jsonrpc" in part and not isinstance(part["jsonrpc"], dict | list)
    return is_marked and not part.keys().isdisjoint(("method", "result", "error"))


def _decode_text(part: dict[str, Json], left_out: Counter[Reason]) -> Json:
    text = part.get("text")
    if isinstance(text, str) and part.get("encoding") == "base64":
        try:
            return base64.b64decode("".join(text.split()), validate=True).decode()
        except UnicodeDecodeError:
            return None  # such as an image
        except ValueError:
            left_out[UNREADABLE] += 1
            return None
    return text


def _parse_text(text: str, depth: int, left_out: Counter[Reason]) -> list[Json]:
    is_json = text.lstrip()[:1] in ("{", "[")
    values: list[Json] = []
    for part in [text] if is_json else [*_iterate_events(text)] or [text]:
        if _MENTION.search(part) is None:
            continue
        try:
            value = parse_json(part)
        except (InvalidJson, LoneSurrogate):
            value = None
        if value is None or find_too_deep(value, depth) is not None:
            left_out[UNREADABLE] += 1
        else:
            values.append(value)
    return values


def _iterate_events(text: str) -> Iterator[str]:
    """Yield the data of each event of a stream (HTML, section 9.2.6); the last one may lack its end."""
    data: list[str] = []
    for line in [*_LINE_END.split(text.removeprefix("\ufeff")), ""]:
        if line.startswith("data:"):
            data.append(line.removeprefix("data:"))
        elif not line and data:
            yield "\n".join(data)
            data = []


# --- files -----------------------------------------------------------------------------------------------------------


def read_recordings(files: Sequence[Path], limits: Limits, findings: Findings) -> list[RecordedCall]:
    """Return the calls that some files hold, in their order.

    A file is JSON, or has a JSON value in each line. A value is a call, `{"tool": …, "arguments": …, "result": …}`, a
    list of calls, or anything that holds JSON-RPC messages: saved traffic.
    """
    disk = FileTracker(most=limits.file_size)
    calls: list[RecordedCall] = []
    for path in files:
        name = paths.format_path(path)
        text = read_text(path, name, findings, disk)
        if text is None:
            continue
        if not text.strip():
            findings.error("MG003", "is empty", Span(name), _CALL_HELP)
            continue
        error_count = len(findings)
        recording = _Recording(name, limits.depth)
        found: list[RecordedCall] = []
        for line, value in _parse_values(path, name, text, limits, findings):
            found += recording.find_calls(value, Span(name, line, 1) if line else Span(name))
        found += recording.close(findings, found)
        if not found and len(findings) == error_count:
            findings.error("MG003", "holds no calls of tools", Span(name), _CALL_HELP)
        calls += found
    return calls


@dataclass
class _Recording:
    name: str
    depth: int
    """Levels of nesting that a text in it may have."""
    _matcher: CallMatcher = field(default_factory=CallMatcher)
    _has_calls: bool = False
    """Whether it has calls that are no messages."""
    _other_count: int = 0
    """Values in which nothing was found."""

    def find_calls(self, value: Json, span: Span) -> Iterator[RecordedCall]:
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and isinstance(item.get("tool"), str):
                self._has_calls = True
                yield RecordedCall(str(item["tool"]), span, item.get("arguments"), item.get("result"))
                continue
            is_empty = True
            for message, place in iterate_messages(item, self.depth, self._matcher.left_out):
                is_empty = False
                self._matcher.add_message(message, place)
            self._other_count += is_empty
            yield from (replace(call, span=span) for call in self._matcher.take_answered())

    def close(self, findings: Findings, found: Sequence[RecordedCall]) -> list[RecordedCall]:
        """Return the calls without an answer; report what is left out, as errors if the file has no other call."""
        span = Span(self.name)
        calls = [replace(call, span=span) for call in self._matcher.list_open()]
        left_out = self._matcher.left_out
        if self._has_calls:  # in saved traffic, other values are usual
            left_out[NO_CALL] += self._other_count
        report = findings.warn if calls or found else findings.error
        for reason, count in sorted(left_out.items()):
            if count:
                report("MG718", f"{format_count(count, reason.noun)} left out: {reason.why}", span, reason.help)
        return calls


def _parse_values(path: Path, name: str, text: str, limits: Limits, findings: Findings) -> Iterator[tuple[int, Json]]:
    """Yield the JSON values of a file, each with its line; 0 if there is only one for the whole file."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]

    def parse(part: str) -> tuple[SourceDocument | None, Findings]:
        document, found = SourceDocument(path, name, part, is_quotable=False), Findings()
        return (document if parse_json_document(document, found, limits) else None), found

    has_lines = path.suffix in LINE_SUFFIXES
    if not (has_lines and lines and parse(lines[0][1])[0]):
        document, found = parse(text)
        if document is not None:
            yield 0, document.value
            return
        is_single = len(lines) < 2 or not (has_lines or parse(lines[0][1])[0])
        if is_single or any(finding.code != "MG002" for finding in found):
            findings.extend(found)
            return
    faulty_count = 0
    for number, line in lines:
        document, found = parse(line)
        if document is not None:
            yield number, document.value
            continue
        faulty_count += 1
        if faulty_count <= MAX_FAULTY_LINES:
            spans = [item.span and replace(item.span, line=number) for item in found]
            findings.extend(replace(item, span=span) for item, span in zip(found, spans, strict=True))
    if faulty_count > MAX_FAULTY_LINES:
        findings.error("MG002", f"{faulty_count - MAX_FAULTY_LINES} more lines are wrong", Span(name))


# --- results ----------------------------------------------------------------------------------------------------------
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


RefusedValue = tuple[RecordedValue, list[tuple[str, str]]]
"""A recorded value that a schema refuses, with the first places at which it is wrong, and what is wrong there."""


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
            refused.append((recorded, [*dict.fromkeys(violations)]))
    return refused


def _compile_schema(document: SourceDocument, findings: Findings) -> Any:
    schema = document.value
    try:
        if not isinstance(schema, dict | bool):
            raise ValueError("it is neither an object nor a boolean")
        validators = SubschemaValidators(schema)
    except ValueError as error:
        findings.error("MG101", f"is not a JSON Schema: {str(error).splitlines()[0]}", Span(document.name))
        return None
    return validators.find_validator("")
