"""What mcpgen claims of a generated class, each as a test over one JSON value; jsonschema-rs is the judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import jsonschema_rs
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from mcpgen import paths
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, detect_dialect
from mcpgen.schema.panics import contained
from mcpgen.schema.references import encode_references
from mcpgen.schema.validators import make_ignored_keywords
from mcpgen.schema.values import Json, are_equal
from mcpgen.targets import PROTOCOLS, SDKS


@dataclass(frozen=True)
class BrokenClaim:
    """A claim that a value disproves, and what was seen."""

    claim: str
    seen: str


class Claims(Protocol):
    """Everything that is claimed of one class."""

    def valid(self, value: Json, /) -> bool:
        """Whether the class's schema accepts a value."""
        ...

    def find_broken(self, value: Json) -> BrokenClaim | None:
        """The first claim that a value disproves, or None."""
        ...


def make_validator(schema: Any) -> Callable[[object], bool]:
    """The judge: whether a value satisfies a schema, with `format` and `content…` as annotations."""
    dialect = detect_dialect(schema) or DRAFT_2020_12
    kind = jsonschema_rs.Draft7Validator if dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator
    with contained():
        made = kind(
            encode_references(schema), validate_formats=False, offline=True, keywords=make_ignored_keywords(dialect)
        )
    return contained()(made.is_valid)


@cache
def _make_protocol_validator(version: str, definition: str) -> Callable[[object], bool]:
    """The judge of what goes over the wire: a definition of the MCP JSON schema of a version."""
    document = json.loads((paths.find_shipped_folder("schemas/mcp") / version / "schema.json").read_text("utf-8"))
    keyword = "$defs" if "$defs" in document else "definitions"
    return make_validator({**document, "$ref": f"#/{keyword}/{definition}"})


class _ValueClaims:
    """What is claimed of every class that stands for a JSON value of a schema.

    Args:
        cls: the class.
        schema: its schema.
        exact: False where `formats = "native"` gives up exactness; then a valid value may be refused or come back
            in another spelling, and only what is emitted is held against the schema.
    """

    def __init__(self, cls: Any, schema: Json, exact: bool) -> None:
        self._class, self._exact = cls, exact
        self.valid = make_validator(schema)
        self._adapter = TypeAdapter[Any](cls)

    def find_broken(self, value: Json) -> BrokenClaim | None:
        """The first claim that a value disproves, or None."""
        return next(self._all(value), None)

    def _all(self, value: Json) -> Iterator[BrokenClaim]:
        valid = self.valid(value)
        result = _try_read(self._class.from_structured_content, value)
        if isinstance(result, ValidationError):
            if valid and self._exact:
                yield BrokenClaim("accepts what the schema accepts", f"refused: {_format_first_error(result)}")
        elif not valid:
            yield BrokenClaim("refuses what the schema refuses", f"accepted as {result!r}")
        else:
            yield from self._emitted(value, result)
        by_types = _try_read(self._class.model_validate, value)
        if not isinstance(by_types, ValidationError):
            content = by_types.to_structured_content()
            if not self.valid(content):
                yield BrokenClaim("every instance satisfies the schema", f"{_format_json(content)} from model_validate")

    def _emitted(self, value: Json, result: Any) -> Iterator[BrokenClaim]:
        content = result.to_structured_content()
        if self._exact and not are_equal(content, value):
            yield BrokenClaim("the round trip loses nothing", f"to_structured_content() is {_format_json(content)}")
        for way, dumped in self._dumps(result):
            if not are_equal(dumped, content):
                yield BrokenClaim("each dump equals to_structured_content()", f"{way} is {_format_json(dumped)}")
            if not self.valid(dumped):
                yield BrokenClaim("each dump satisfies the schema", f"{way} is {_format_json(dumped)}")
        for version in PROTOCOLS:
            yield from self._on_the_wire(content, result, version)

    def _on_the_wire(self, content: Json, result: Any, version: str) -> Iterator[BrokenClaim]:
        raise NotImplementedError

    def _dumps(self, result: Any) -> Iterator[tuple[str, Any]]:
        """pydantic's own dumps, and what the SDKs' decorators do with what a handler returned."""
        yield "model_dump(exclude_unset=True)", result.model_dump(exclude_unset=True)
        yield 'model_dump(mode="json", exclude_unset=True)', result.model_dump(mode="json", exclude_unset=True)
        yield "model_dump_json()", json.loads(result.model_dump_json())
        again = self._adapter.validate_python(result)
        yield "the official SDK's dump", self._adapter.dump_python(again, mode="json", by_alias=True)
        for sdk in SDKS:
            if sdk.dumps_jsonable:
                yield f"{sdk.name}'s dump", to_jsonable_python(result)


class ResultClaims(_ValueClaims):
    """The claims of a tool's result class."""

    def __init__(self, package: Any, tool: str, exact: bool) -> None:
        super().__init__(package.RESULT_TYPES[tool], package.TOOLS[tool]["outputSchema"], exact)
        self._advertised = {version: _make_advertised_validator(package, tool, version) for version in PROTOCOLS}

    def _on_the_wire(self, content: Json, result: Any, version: str) -> Iterator[BrokenClaim]:
        wire = result.to_wire(protocol=version)
        if not _make_protocol_validator(version, "CallToolResult")(wire):
            yield BrokenClaim(f"to_wire() is a CallToolResult of {version}", _format_json(wire))
        if not are_equal(json.loads(result.to_wire_json(protocol=version)), wire):
            yield BrokenClaim("to_wire_json() says what to_wire() says", f"{_format_json(wire)} for {version}")
        advertised = self._advertised[version]
        if (advertised is not None) != ("structuredContent" in wire):
            yield BrokenClaim(
                f"structuredContent is there when {version} advertises an outputSchema", _format_json(wire)
            )
        elif advertised is not None:
            if not advertised(wire["structuredContent"]):
                yield BrokenClaim(
                    f"structuredContent satisfies the schema advertised for {version}", _format_json(wire)
                )
            read = _try_read(lambda one: self._class.from_call_tool_result(one, version), wire)
            if isinstance(read, ValidationError) or not are_equal(read.to_structured_content(), content):
                yield BrokenClaim(f"a result of {version} reads back equal", repr(read))


class ResourceClaims(_ValueClaims):
    """The claims of the class of a resource whose text is JSON of a schema."""

    URI = "mcpgen://prove"

    def __init__(self, package: Any, resource: str, schema: Json, exact: bool) -> None:
        super().__init__(package.RESOURCE_TYPES[resource], schema, exact)

    def _on_the_wire(self, content: Json, result: Any, version: str) -> Iterator[BrokenClaim]:
        wire = result.to_wire(protocol=version, uri=self.URI)
        if not _make_protocol_validator(version, "ReadResourceResult")(wire):
            yield BrokenClaim(f"to_wire() is a ReadResourceResult of {version}", _format_json(wire))
        texts = [json.loads(one["text"]) for one in wire["contents"]]
        if len(texts) != 1 or not are_equal(texts[0], content):
            yield BrokenClaim("the text is the value as JSON", _format_json(wire))
        read = _try_read(self._class.from_read_resource_result, wire)
        if isinstance(read, ValidationError) or not are_equal(read.to_structured_content(), content):
            yield BrokenClaim(f"a result of {version} reads back equal", repr(read))


class ArgumentClaims:
    """The claims of an arguments class: no valid value is refused, and none loses anything."""

    def __init__(self, package: Any, tool: str, exact: bool) -> None:
        self._exact = exact
        self._class = package.ARGUMENT_TYPES[tool]
        self.valid = make_validator(package.TOOLS[tool]["inputSchema"])

    def find_broken(self, value: Json) -> BrokenClaim | None:
        """The first claim that a value disproves, or None."""
        if not self.valid(value):
            return None
        read = _try_read(self._class.model_validate, value)
        if isinstance(read, ValidationError):
            return (
                BrokenClaim("accepts what the schema accepts", f"refused: {_format_first_error(read)}")
                if self._exact
                else None
            )
        content = read.to_structured_content()
        if self._exact and not are_equal(content, value):
            return BrokenClaim("the round trip loses nothing", f"to_structured_content() is {_format_json(content)}")
        return None


class ContentClaims:
    """The claims of a tool without an outputSchema: its text goes out as a CallToolResult of every version."""

    def __init__(self, package: Any, tool: str) -> None:
        self._class = package.RESULT_TYPES[tool]

    def valid(self, value: Json) -> bool:
        """Every string is a text to send."""
        return isinstance(value, str)

    def find_broken(self, value: Json) -> BrokenClaim | None:
        """The first claim that a text disproves, or None."""
        block = {"type": "text", "text": str(value)}
        result = self._class(content=[block])
        for version in PROTOCOLS:
            wire = result.to_wire(protocol=version)
            if not _make_protocol_validator(version, "CallToolResult")(wire) or wire["content"] != [block]:
                return BrokenClaim(f"to_wire() is a CallToolResult of {version}", _format_json(wire))
            read = self._class.from_call_tool_result(wire, version)
            if read.to_wire(protocol=version) != wire:
                return BrokenClaim(f"a result of {version} reads back equal", repr(read))
        return None


def _make_advertised_validator(package: Any, tool: str, version: str) -> Callable[[object], bool] | None:
    (listed,) = (one for one in package.list_tools(version) if one["name"] == tool)
    return make_validator(listed["outputSchema"]) if "outputSchema" in listed else None


def _try_read(read: Callable[[Any], Any], value: object) -> Any:
    try:
        return read(value)
    except ValidationError as error:
        return error


def _format_first_error(error: ValidationError) -> str:
    one = error.errors(include_url=False, include_input=False)[0]
    return f"{one['msg']} at {'/'.join(map(str, one['loc'])) or 'the root'}"


def _format_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)
