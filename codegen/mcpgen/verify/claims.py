"""What an answer of a server must be: by the protocol version, by the definition, and by the rest of the answer."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mcpgen.read.json_parser import parse_json
from mcpgen.schema.document import Check, make_protocol_check, shorten
from mcpgen.schema.values import Json, are_equal, as_array, as_object
from mcpgen.targets import STRUCTURED_CONTENT_SINCE
from mcpgen.verify.cases import Case

_EMPTY_VALUES: tuple[Json, ...] = (None, [], {"result": None}, {"result": []})
"""Values for which SDKs write no block: there is nothing to read."""
_SIGNATURES = {
    "image/png": b"\x89PNG\r\n", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8", "image/webp": b"RIFF",
    "audio/wav": b"RIFF", "audio/ogg": b"OggS", "application/pdf": b"%PDF",
}  # fmt: skip
"""The first bytes of data, by its media type."""
_ERROR_PREFIX = r"(MCP error -3260\d: |Error (executing|calling) tool '?{name}'?: )?"
_ARGUMENTS_REFUSED = _ERROR_PREFIX + (
    r"(Input validation error: |Invalid arguments for (tool )?{name}: "
    r"|\d+ validation errors? for ({name}Arguments|call\[{name}\])\n)"
)
_RESULT_REFUSED = _ERROR_PREFIX + (
    r"(Output validation error: |The tool's result is invalid: |Tool {name} has an output schema but "
    r"|\d+ validation errors? for {name}Output\n)"
)
"""How SDKs begin an error result when it is they who refuse; the errors of a tool itself say anything."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with the answer to some arguments; `recurs` if the same call has shown it again."""

    kind: str
    message: str
    arguments: dict[str, Json] = field(default_factory=dict[str, Json])
    recurs: bool = True


def _find_common_faults(result: dict[str, Json], definition: str, version: str) -> Iterator[Fault]:
    """Yield what is wrong with any result: numbers that JSON has not, and what the protocol's schema refuses."""
    try:
        json.dumps(result, allow_nan=False)
    except ValueError:
        yield Fault("not finite", "the answer has NaN or Infinity, which JSON has not")
        return
    _, violations = make_protocol_check(version, definition)(result)
    if violations and _is_final(result):
        yield Fault("protocol", f"the answer is not a {definition} of {version}: {violations}")


def _is_final(result: dict[str, Json]) -> bool:
    """Return whether a result is one, and does not ask for input."""
    return result.get("resultType", "complete") == "complete"


@dataclass(frozen=True)
class ToolClaims:
    """What the results of a tool must be: values of all `outputs`, with their JSON as text, or with any text."""

    name: str
    version: str
    outputs: Sequence[Check]
    writes_json: bool
    writes_text: bool
    error: Check | None = None
    """The check of the structured content of error results."""

    def find_faults(self, result: dict[str, Json], case: Case) -> Iterator[Fault]:
        """Yield what is wrong with the result of a call."""
        yield from _find_common_faults(result, "CallToolResult", self.version)
        blocks = [as_object(block) for block in as_array(result.get("content"))]
        texts = [str(block.get("text")) for block in blocks if block.get("type") == "text"]
        if result.get("isError") is True:
            yield from self._find_error_faults(" ".join(texts), case)
            data = result.get("structuredContent")
            if self.error is not None and data is not None and (violations := self.error(data)[1]):
                yield Fault("error data", f"structuredContent of the error is not as declared: {violations}")
        elif case.refusal:
            yield Fault(f"accepted ({case.refusal})", f"it accepts what its inputSchema refuses: {case.violations}")
        elif _is_final(result):
            for block in blocks:
                yield from _find_content_faults(as_object(block.get("resource")) or block, str(block.get("type")))
            if "structuredContent" in result:
                yield from self._find_value_faults(result["structuredContent"], texts)
            elif self.outputs and self.version >= STRUCTURED_CONTENT_SINCE:
                message = "the tool has an outputSchema, and its result no structuredContent"
                yield Fault("no structured content", message)

    def _find_error_faults(self, said: str, case: Case) -> Iterator[Fault]:
        name = re.escape(self.name)
        if not said.strip():
            yield Fault("silent error", "an error result is empty: the model reads no text")
        elif not case.refusal and re.match(_RESULT_REFUSED.replace("{name}", name), said):
            yield Fault("own result refused", f"the server refuses its own result: {shorten(said)}")
        elif not case.refusal and re.match(_ARGUMENTS_REFUSED.replace("{name}", name), said):
            yield Fault("refused arguments", f"it refuses what its inputSchema accepts: {shorten(said)}")

    def _find_value_faults(self, value: Json, texts: list[str]) -> Iterator[Fault]:
        for violations in [found for _, found in (check(value) for check in self.outputs) if found][:1]:
            yield Fault("outputSchema", f"structuredContent does not satisfy the outputSchema: {violations}")
        if not texts and self.writes_text and value not in _EMPTY_VALUES:
            yield Fault("no text block", "clients that know no structuredContent read a text block, and there is none")
        said = _parse(texts[0]) if len(texts) == 1 and self.writes_json else None
        forms = [value, *as_object(value).values()]  # some SDKs write the member that an object wraps
        forms += [form[0] for form in forms if isinstance(form, list) and len(form) == 1]  # or its only item
        if isinstance(said, dict | list) and not any(are_equal(form, said) or form == texts[0] for form in forms):
            yield Fault("different text", "the JSON of the text block is not the value of structuredContent")


def find_unknown_tool_faults(result: dict[str, Json], _: Case) -> Iterator[Fault]:
    """Yield the fault of a result for a tool that there is not."""
    if result.get("isError") is not True:
        yield Fault("unknown tool", "a call of a tool that there is not is answered with a result")


def find_prompt_faults(version: str, result: dict[str, Json], case: Case) -> Iterator[Fault]:
    """Yield what is wrong with the messages of a prompt."""
    yield from _find_common_faults(result, "GetPromptResult", version)
    if case.refusal:
        yield Fault("accepted (required)", "it answers a request that lacks a required argument")


def find_resource_faults(
    version: str, mime_type: Json, check: Check, uri: str, result: dict[str, Json]
) -> Iterator[Fault]:
    """Yield what is wrong with the contents of a URI: with their MIME type, or with JSON that has a schema."""
    yield from _find_common_faults(result, "ReadResourceResult", version)
    for item in map(as_object, as_array(result.get("contents"))):
        content = {"mimeType": mime_type, **item}
        yield from _find_content_faults(content)
        if item.get("uri") != uri:
            continue
        if mime_type is not None and _strip(content["mimeType"]) != _strip(mime_type):
            yield Fault("MIME type", f"declared as {mime_type}, and read as {content['mimeType']}")
        said = _parse(str(item.get("text")))
        if said is not None and (violations := check(said)[1]):
            yield Fault("resource schema", f"the text does not satisfy the resource's schema: {violations}")


def _find_content_faults(content: dict[str, Json], block_type: str = "") -> Iterator[Fault]:
    """Yield what is wrong with the base64 data or the JSON of a block, or of contents of a resource."""
    mime_type, text = _strip(content.get("mimeType")), content.get("text")
    data = content.get("data", content.get("blob"))
    if block_type in ("image", "audio") and not mime_type.startswith(block_type):
        yield Fault("MIME type", f"the data of an {block_type} block is called {mime_type}")
    if isinstance(data, str):
        try:
            start = base64.b64decode(data, validate=True)
        except ValueError:
            yield Fault("base64", "data of the answer is not base64")
            return
        likely = [name for name, signature in _SIGNATURES.items() if start.startswith(signature)]
        if mime_type in _SIGNATURES and likely and mime_type not in likely:
            yield Fault("MIME type", f"data is called {mime_type}, and begins like {likely[0]}")
    elif isinstance(text, str) and mime_type.endswith(("/json", "+json")):
        try:
            parse_json(text)
        except ValueError as error:
            yield Fault("not JSON", f"a text that is called {mime_type} is not JSON: {error}")


def _strip(mime_type: Json) -> str:
    return str(mime_type).partition(";")[0].strip().lower()


def _parse(text: str) -> Json:
    try:
        return parse_json(text)
    except ValueError:
        return None
