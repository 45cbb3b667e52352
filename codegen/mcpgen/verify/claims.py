"""What an answer of a server must be: by the protocol version, by the definition, and by the rest of the answer."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from mcpgen import paths
from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, parse_json
from mcpgen.schema.values import Json, are_equal, as_array, as_object, iterate_children
from mcpgen.schema.violations import Validator, shorten
from mcpgen.targets import PROTOCOL_VERSIONS
from mcpgen.verify.cases import Case

_STRUCTURED = frozenset(version.name for version in PROTOCOL_VERSIONS if version.structured_content)
_EMPTY_VALUES: tuple[Json, ...] = (None, [], {"result": None}, {"result": []})
"""Values for which SDKs write no block: there is nothing to read."""
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
_EXECUTED = r"(Error (executing|calling) tool '?{name}'?: )?"
_ARGUMENTS_REFUSED = (
    r"Input validation error: |(MCP error -32602: )?(Input validation error: )?Invalid arguments for (tool )?{name}: |"
    + _EXECUTED
    + r"\d+ validation errors? for ({name}Arguments|call\[{name}\])\n"
)
_RESULT_REFUSED = (
    r"(MCP error -3260\d: )?Output validation error: |The tool's result is invalid: |(MCP error -3260\d: )?Tool {name} "
    r"has an output schema but |" + _EXECUTED + r"\d+ validation errors? for {name}Output\n"
)
"""How SDKs begin an error result when it is they who refuse; the errors of a tool itself say anything."""


class Fault(NamedTuple):
    """What is wrong with an answer."""

    kind: str
    """A short name of the fault, the same for all of its class."""
    message: str


@cache
def _get_protocol_validator(version: str, definition: str) -> Validator:
    """Return the validator of a definition of MCP's schema, such as `CallToolResult`."""
    document = json.loads((paths.find_shipped_folder("schemas/mcp") / version / "schema.json").read_text("utf-8"))
    keyword = "$defs" if "$defs" in document else "definitions"
    return Validator({**document, "$ref": f"#/{keyword}/{definition}"})


def find_common_faults(result: dict[str, Json], kind: str, version: str) -> Iterator[Fault]:
    """Yield what is wrong with any result: numbers that JSON has not, and what the protocol's schema refuses."""
    if not _is_finite(result):
        yield Fault("not finite", "the answer has NaN or Infinity, which JSON has not")
    elif not is_final(result):
        return
    elif violations := _get_protocol_validator(version, kind).describe_violations(result):
        yield Fault("protocol", f"the answer is not a {kind} of {version}: {violations}")


def is_final(result: dict[str, Json]) -> bool:
    """Return whether a result is one, and does not ask for input."""
    return result.get("resultType", "complete") == "complete"


def _is_finite(value: Json) -> bool:
    parts = [value]
    for part in parts:
        if isinstance(part, float) and not math.isfinite(part):
            return False
        parts += [child for _, child in iterate_children(part)]
    return True


@dataclass(frozen=True)
class ToolClaims:
    """What the results of a tool must be.

    Args:
        name: of the tool.
        version: the protocol version of the session.
        arguments: the inputSchema.
        output: the outputSchema; None: there is none.
        writes_json: whether the text of a result is its value as JSON: not if the definition chooses other content.
        writes_text: whether a result has a text.
    """

    name: str
    version: str
    arguments: Validator
    output: Validator | None
    writes_json: bool = True
    writes_text: bool = True

    def find_faults(self, result: dict[str, Json], case: Case) -> Iterator[Fault]:
        """Yield what is wrong with the result of a call."""
        yield from find_common_faults(result, "CallToolResult", self.version)
        blocks = [as_object(block) for block in as_array(result.get("content"))]
        texts = [str(block.get("text")) for block in blocks if block.get("type") == "text"]
        if result.get("isError") is True:
            yield from self._find_error_faults(" ".join(texts), case)
        elif case.refusal:
            violations = self.arguments.describe_violations(case.arguments)
            yield Fault(f"accepted ({case.refusal})", f"it accepts what its inputSchema refuses: {violations}")
        elif is_final(result):
            for block in blocks:
                yield from _find_content_faults(as_object(block.get("resource")) or block, str(block.get("type")))
            yield from self._find_structured_faults(result, texts)

    def _find_error_faults(self, said: str, case: Case) -> Iterator[Fault]:
        name = re.escape(self.name)
        if not said.strip():
            yield Fault("silent error", "an error result is empty: the model reads no text")
        elif case.refusal:
            return
        elif re.match(_RESULT_REFUSED.replace("{name}", name), said):
            yield Fault("own result refused", f"the server refuses its own result: {shorten(said)}")
        elif re.match(_ARGUMENTS_REFUSED.replace("{name}", name), said):
            yield Fault("refused arguments", f"it refuses what its inputSchema accepts: {shorten(said)}")

    def _find_structured_faults(self, result: dict[str, Json], texts: list[str]) -> Iterator[Fault]:
        if "structuredContent" not in result:
            if self.output is not None and self.version in _STRUCTURED:
                message = "the tool has an outputSchema, and its result no structuredContent"
                yield Fault("no structured content", message)
            return
        value = result["structuredContent"]
        if violations := self.output.describe_violations(value) if self.output is not None else "":
            yield Fault("outputSchema", f"structuredContent does not satisfy the outputSchema: {violations}")
        forms = [*_list_forms(value)]
        if not texts and self.writes_text and value not in _EMPTY_VALUES:
            yield Fault("no text block", "clients that know no structuredContent read a text block, and there is none")
        said = _parse(texts[0]) if len(texts) == 1 and self.writes_json else None
        is_same = said is None or any(are_equal(form, said) or form == texts[0] for form in forms)
        if isinstance(said, dict | list) and not is_same:
            yield Fault("different text", "the JSON of the text block is not the value of structuredContent")


def _list_forms(value: Json) -> Iterator[Json]:
    """Yield what the text of a result may say: its value, a member that this wraps, or the only item of that."""
    for form in (value, *(value.values() if isinstance(value, dict) else ())):
        yield form
        if isinstance(form, list) and len(form) == 1:
            yield form[0]


def _parse(text: str) -> Json:
    try:
        return parse_json(text)
    except (InvalidJson, LoneSurrogate):
        return None


def _find_content_faults(content: dict[str, Json], block_type: str = "") -> Iterator[Fault]:
    """Yield what is wrong with the base64 data or the JSON of a block, or of contents of a resource."""
    mime_type, data, text = (
        _strip(content.get("mimeType")),
        content.get("data", content.get("blob")),
        content.get("text"),
    )
    if block_type in ("image", "audio") and not mime_type.startswith(block_type):
        yield Fault("MIME type", f"the data of an {block_type} block is called {mime_type}")
    if isinstance(data, str):
        try:
            start = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            yield Fault("base64", "data of the answer is not base64")
            return
        others = [name for name, signature in _SIGNATURES.items() if start.startswith(signature)]
        if mime_type in _SIGNATURES and others and mime_type not in others:
            yield Fault("MIME type", f"data is called {mime_type}, and begins like {others[0]}")
    elif isinstance(text, str) and re.search(r"[/+]json$", mime_type):
        try:
            parse_json(text)
        except (InvalidJson, LoneSurrogate) as error:
            yield Fault("not JSON", f"a text that is called {mime_type} is not JSON: {error}")


def _strip(mime_type: Json) -> str:
    return str(mime_type).partition(";")[0].strip().lower()


@dataclass(frozen=True)
class ResourceClaims:
    """What reading a resource must return: contents, of a MIME type if there is one, as JSON of a schema if any."""

    version: str
    mime_type: Json = None
    payload: Validator | None = None

    def find_faults(self, result: dict[str, Json], uri: str) -> Iterator[Fault]:
        """Yield what is wrong with the result of reading a URI."""
        yield from find_common_faults(result, "ReadResourceResult", self.version)
        for item in map(as_object, as_array(result.get("contents"))):
            content = {"mimeType": self.mime_type, **item}
            yield from _find_content_faults(content)
            if item.get("uri") != uri:
                continue
            if self.mime_type is not None and _strip(content["mimeType"]) != _strip(self.mime_type):
                yield Fault("MIME type", f"declared as {self.mime_type}, and read as {content['mimeType']}")
            said = _parse(str(item.get("text")))
            violations = "" if self.payload is None or said is None else self.payload.describe_violations(said)
            if violations:
                yield Fault("resource schema", f"the text does not satisfy the resource's schema: {violations}")
