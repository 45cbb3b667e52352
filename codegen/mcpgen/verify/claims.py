"""What an answer of a server must be: by the protocol version, by the definition, and by the rest of the answer."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import Any, NamedTuple

from mcpgen_runtime.schema_keywords import CheckFailed, contained

from mcpgen import paths
from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, parse_json
from mcpgen.schema.document import SubschemaValidators
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, are_equal, as_array, as_object, format_pointer
from mcpgen.targets import PROTOCOL_VERSIONS

_MOST_VIOLATIONS = 3
_SIGNATURES = {
    "image/png": b"\x89PNG\r\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
    "audio/wav": b"RIFF",
    "audio/ogg": b"OggS",
    "application/pdf": b"%PDF",
}
"""The first bytes of data, by its media type."""
_OWN_RESULT_REFUSED = re.compile(
    r"output validation error|outputSchema|output schema|structured (content|output)", re.I
)
_ARGUMENTS_REFUSED = re.compile(
    r"input validation error|invalid arguments|validation errors? for|field required|unexpected keyword argument"
    r"|missing \d+ required|is not valid under any|is a required property|not of type '",
    re.IGNORECASE,
)
"""What SDKs say of arguments, in an error result, when they refuse them."""


class Fault(NamedTuple):
    """What is wrong with an answer."""

    kind: str
    """A short name of the fault, the same for all of its class."""
    message: str


class Validator:
    """A schema to check values by; a panic or a value that takes too long counts as valid."""

    def __init__(self, schema: Any, dialect: str = "") -> None:
        """Compile the schema; raise ValueError if the validator refuses it."""
        dialect = dialect or detect_dialect(schema) or DRAFT_2020_12
        self._validator = SubschemaValidators(schema, dialect).find_validator("")

    def describe_violations(self, value: Json) -> str:
        """Return the first violations with their JSON pointers; empty if there is none."""
        try:
            with contained():
                errors: list[Any] = [*islice(self._validator.iter_errors(value), _MOST_VIOLATIONS)]
        except CheckFailed:
            return ""
        return "; ".join(f"{format_pointer(*error.instance_path) or 'the root'}: {error.message}" for error in errors)


@cache
def get_protocol_validator(version: str, definition: str) -> Validator:
    """Return the validator of a definition of MCP's schema, such as `CallToolResult`."""
    document = json.loads((paths.find_shipped_folder("schemas/mcp") / version / "schema.json").read_text("utf-8"))
    keyword = "$defs" if "$defs" in document else "definitions"
    return Validator({**document, "$ref": f"#/{keyword}/{definition}"})


@dataclass(frozen=True)
class ToolClaims:
    """What the results of a tool must be.

    Args:
        output_schema: the outputSchema that the server advertises; None: there is none.
        writes_json: whether the text of a result is its value as JSON: false if the definition chooses another content.
        writes_text: whether a result has a text.
        version: the protocol version of the session.
    """

    output_schema: Json
    version: str
    writes_json: bool = True
    writes_text: bool = True

    @cached_property
    def _output(self) -> Validator | None:
        return None if self.output_schema is None else Validator(self.output_schema)

    def find_faults(self, result: dict[str, Json]) -> Iterator[Fault]:
        """Yield what is wrong with the result for arguments that the tool has to accept."""
        yield from find_common_faults(result, "CallToolResult", self.version)
        blocks = [as_object(block) for block in as_array(result.get("content"))]
        texts = [str(block.get("text")) for block in blocks if block.get("type") == "text"]
        if result.get("isError") is True:
            yield from _find_error_faults(texts)
            return
        if result.get("resultType", "complete") != "complete":
            return
        for block in blocks:
            yield from _find_data_faults(block)
        if "structuredContent" in result:
            yield from self._find_structured_faults(result["structuredContent"], texts)
        elif self._output is not None and _has_structured_content(self.version):
            yield Fault("no structured content", "the tool has an outputSchema, and its result no structuredContent")

    def _find_structured_faults(self, value: Json, texts: list[str]) -> Iterator[Fault]:
        violations = "" if self._output is None else self._output.describe_violations(value)
        if violations:
            yield Fault("outputSchema", f"structuredContent does not satisfy the outputSchema: {violations}")
        if not texts and self.writes_text:
            yield Fault("no text block", "clients that know no structuredContent read a text block, and there is none")
        said = _parse(texts[0]) if len(texts) == 1 and self.writes_json else None
        if isinstance(said, dict | list) and not any(are_equal(said, one) for one in _list_forms(value)):
            yield Fault("different text", "the JSON of the text block is not the value of structuredContent")

    def find_refusal_faults(self, result: dict[str, Json]) -> Iterator[Fault]:
        """Yield what is wrong with the result for arguments that the tool has to refuse."""
        if result.get("isError") is not True:
            yield Fault("accepted arguments", "arguments that the inputSchema refuses are accepted")
        else:
            yield from find_common_faults(result, "CallToolResult", self.version)


def _has_structured_content(version: str) -> bool:
    return any(known.name == version and known.structured_content for known in PROTOCOL_VERSIONS)


def find_common_faults(result: dict[str, Json], kind: str, version: str) -> Iterator[Fault]:
    """Yield what is wrong with any result: numbers that JSON has not, and what the protocol's schema refuses."""
    if not _is_finite(result):
        yield Fault("not finite", "the answer has NaN or Infinity, which JSON has not")
    elif violations := get_protocol_validator(version, kind).describe_violations(result):
        yield Fault("protocol", f"the answer is not a {kind} of {version}: {violations}")


def _is_finite(value: Json) -> bool:
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            stack += part.values()
        elif isinstance(part, list):
            stack += part
        elif isinstance(part, float) and not math.isfinite(part):
            return False
    return True


def _find_error_faults(texts: list[str]) -> Iterator[Fault]:
    said = " ".join(texts)
    if not said.strip():
        yield Fault("silent error", "an error result says nothing: the model reads no text")
    elif _OWN_RESULT_REFUSED.search(said):
        yield Fault("own result refused", f"the server refuses its own result: {_shorten(said)}")
    elif _ARGUMENTS_REFUSED.search(said):
        yield Fault("refused arguments", f"arguments that the inputSchema accepts are refused: {_shorten(said)}")


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200]}…"


def _find_data_faults(block: dict[str, Json]) -> Iterator[Fault]:
    """Yield what is wrong with the base64 data of a block, or of contents of a resource."""
    inner = as_object(block.get("resource")) or block
    data = inner.get("data", inner.get("blob"))
    if not isinstance(data, str):
        return
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        yield Fault("base64", "data of the answer is not base64")
        return
    mime_type = str(inner.get("mimeType"))
    others = [name for name, start in _SIGNATURES.items() if raw.startswith(start)]
    if raw and mime_type in _SIGNATURES and others and mime_type not in others:
        yield Fault("MIME type", f"data is called {mime_type}, and begins like {others[0]}")


def _parse(text: str) -> Json:
    try:
        return parse_json(text)
    except (InvalidJson, LoneSurrogate):
        return None


def _list_forms(value: Json) -> Iterator[Json]:
    """Yield a value, and what it wraps: text blocks have the one or the other."""
    yield value
    if isinstance(value, dict) and value.keys() == {"result"}:
        yield value["result"]


@dataclass(frozen=True)
class ResourceClaims:
    """What reading a resource must return."""

    uri: str
    version: str
    mime_type: Json = None
    payload: Json = None
    """The schema of its JSON text; None: there is none."""

    @cached_property
    def _payload(self) -> Validator | None:
        return None if self.payload is None else Validator(self.payload)

    def find_faults(self, result: dict[str, Json]) -> Iterator[Fault]:
        """Yield what is wrong with a result."""
        yield from find_common_faults(result, "ReadResourceResult", self.version)
        contents = [as_object(item) for item in as_array(result.get("contents"))]
        for item in contents:
            yield from _find_data_faults(item)
        own = [item for item in contents if item.get("uri") == self.uri]
        for item in own:
            mime_type = item.get("mimeType", self.mime_type)
            if self.mime_type is not None and _strip(mime_type) != _strip(self.mime_type):
                yield Fault("MIME type", f"the resource is declared as {self.mime_type}, and read as {mime_type}")
            text = item.get("text")
            if isinstance(text, str) and re.search(r"[/+]json$", _strip(mime_type)):
                yield from self._find_text_faults(text)

    def _find_text_faults(self, text: str) -> Iterator[Fault]:
        try:
            value = parse_json(text)
        except (InvalidJson, LoneSurrogate) as error:
            yield Fault("not JSON", f"the text of a JSON resource is not JSON: {error}")
            return
        violations = "" if self._payload is None else self._payload.describe_violations(value)
        if violations:
            yield Fault("resource schema", f"the text does not satisfy the resource's schema: {violations}")


def _strip(mime_type: Json) -> str:
    return str(mime_type).partition(";")[0].strip().lower()
