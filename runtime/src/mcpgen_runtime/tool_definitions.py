"""A tool's definition, and checks of values against their output schemas."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, cast

from .answers import Answer
from .package import Package, find_package, load_definition
from .protocol_versions import NATURAL, WITHOUT_STRUCTURED, version_of
from .schema_keywords import VALUE_KEYWORDS
from .violations import follow_pointer

if TYPE_CHECKING:
    from pydantic import BaseModel

    from .schema_check import SchemaCheck
    from .violations import Problem

Wrapped = Literal["never", "legacy", "always"]


@dataclass(frozen=True, eq=False, repr=False)
class ToolInfo:
    """Description of a tool for its result class."""

    file: str
    """The path of the tool's module; the JSON file of its definition is next to it."""
    name: str
    wrapped: Wrapped = "never"
    """When the structured value is wrapped as `{"result": value}`."""
    raw_text: bool = False
    """Whether the text for the model is the string itself, not its JSON."""
    binary: bool = False
    """Whether the value is the base64 data of its one content block."""
    pairs: bool = True
    """Whether a handler's 2-tuple is `(payload, structured)`, since the value cannot be an array."""
    bare: bool = False
    """Whether a handler may return the inner value of the declared `{"result": …}`."""
    results: bool = True
    """Whether a handler's mapping may be a CallToolResult, since the value declares none of its members."""
    beside: bool = False
    """Whether JSON text is added to the tool's own text if the structured value is not an object."""
    json_text: bool = True
    """Whether its content is one text block, without annotations, with the JSON (or the string)."""
    audience: tuple[Literal["user", "assistant"], ...] = ()
    """Whom the content blocks are for: an annotation."""
    priority: float | None = None
    """How important they are: an annotation."""
    nulls: bool = False
    """Whether the value may contain null."""
    as_sdk: bool = False
    """Whether the SDK converts a handler's value, since the tool declares no outputSchema."""
    checks_input: bool = False
    """Whether the inputSchema is stricter than the types of the arguments."""
    lenient: bool = False
    """Whether to convert arguments before checking them."""
    raises: bool = False
    """Whether the SDK reports a handler's exceptions, as for its own tools."""
    unchecked: bool = False
    """Whether a CallToolResult that a handler makes itself is sent as it is."""

    @cached_property
    def package(self) -> Package:
        """The package that the tool belongs to."""
        return find_package(self.file)

    @cached_property
    def default_protocol(self) -> str:
        """The protocol version for which a result is made when a call names none."""
        return self.package.default_protocol

    @property
    def definition(self) -> dict[str, Any]:
        """The Tool as declared."""
        definition: dict[str, Any] = load_definition(self.file)["tool"]
        return definition

    def advertise(self, version: str) -> dict[str, Any]:
        """Return the Tool as a protocol version advertises it."""
        return advertise_tool(load_definition(self.file), version)


def advertise_tool(content: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a Tool as a protocol version advertises it: its outputSchema unchanged, wrapped or left out.

    Args:
        content: the content of the tool's JSON file.
        version: a protocol version.
    """
    out: dict[str, Any] = dict(content["tool"])
    if "outputSchema" not in out:
        return out
    if version in WITHOUT_STRUCTURED:
        del out["outputSchema"]
        return out
    wrapped: dict[str, Any] | None = content.get("wrapped")
    if wrapped is not None and (version not in NATURAL or wrapped["when"] == "always"):
        out["outputSchema"] = _make_object_schema(out["outputSchema"], wrapped)
    return out


def _make_object_schema(schema: Any, wrapped: dict[str, Any]) -> dict[str, Any]:
    """Return an outputSchema in the form for versions whose results must be objects.

    Args:
        schema: the outputSchema as declared.
        wrapped: the form. As an `object`, the schema only gets its type. As a `result`, it becomes a property;
            `references` are the pointers of references that must then refer to it.
    """
    if wrapped["as"] == "object":
        siblings = {key: value for key, value in schema.items() if key != "type"}
        return {"type": "object", **siblings}
    result, outer = schema, dict[str, Any]()
    if "references" in wrapped:
        result = deepcopy(schema)
        for pointer in wrapped["references"]:
            _move_reference(result, pointer)
    if isinstance(schema, dict) and "$schema" in schema:
        outer["$schema"] = schema["$schema"]
        if not str(cast(dict[str, Any], schema).get("$id", "")).partition("#")[0]:
            result = {key: value for key, value in result.items() if key != "$schema"}
    return {**outer, "type": "object", "properties": {"result": result}, "required": ["result"]}


def _move_reference(schema: Any, pointer: str) -> None:
    """Make the reference at a pointer refer to the property `result` of a wrapper."""
    parent, _, keyword = pointer.rpartition("/")
    subschema = follow_pointer(schema, parent)
    subschema[keyword] = f"#/properties/result{subschema[keyword].partition('#')[2]}"


def is_wrapped(tool: ToolInfo, version: str) -> bool:
    """Return whether the value is wrapped as `{"result": value}` under a version with structured content."""
    return tool.wrapped == "always" or (tool.wrapped == "legacy" and version not in NATURAL)


def is_natural(answer: Answer, protocol: str | None) -> bool:
    """Return whether the value is not wrapped, if that depends on the version."""
    return answer.has_result_type if protocol is None else version_of(protocol, "") in NATURAL


# --- checks ----------------------------------------------------------------------------------------------------------
if find_spec("jsonschema_rs") is None:  # it is imported at the first check, and a server should not start without it
    raise ModuleNotFoundError(
        "the generated package needs jsonschema-rs: pip install jsonschema-rs", name="jsonschema_rs"
    )


@cache
def _import_validation() -> ModuleType:

    from . import schema_check

    return schema_check


def _compile(schema: Any, file: str) -> SchemaCheck:
    compiled: SchemaCheck = _import_validation().SchemaCheck(schema, find_package(file).limits)
    return compiled


@cache
def get_output_check(file: str) -> SchemaCheck:
    """Return a check against the outputSchema of the tool whose module has this path."""
    return _compile(load_definition(file)["tool"]["outputSchema"], file)


@cache
def get_input_check(file: str) -> SchemaCheck:
    """Return a check against the inputSchema of the tool whose module has this path."""
    return _compile(load_definition(file)["tool"]["inputSchema"], file)


def check(
    tool: ToolInfo, title: str, value: object, is_own: bool = False, refused_by: type[BaseModel] | None = None
) -> None:
    """Check a JSON value against the tool's outputSchema, exactly; `is_own` and `refused_by` as in `hold`.

    Raises:
        pydantic.ValidationError: it violates the schema; each violation with its place.
    """
    _import_validation().hold(
        value, lambda: (get_text_check if is_own else get_output_check)(tool.file), title, is_own, refused_by
    )


def find_problems(tool: ToolInfo, cls: type[BaseModel], value: object) -> Sequence[Problem]:
    """Return the violations of the outputSchema, and of native formats, in a JSON value that a class refused."""
    problems: Sequence[Problem] = _import_validation().find_problems(
        value, partial(get_output_check, tool.file), refused_by=cls
    )
    return problems


@cache
def get_text_check(file: str) -> SchemaCheck:
    """Return a check that also finds lone surrogates in all strings."""
    return _compile(_require_text_checks(load_definition(file)["tool"]["outputSchema"]), file)


def _require_text_checks(schema: Any) -> Any:
    """Add a `pattern` that matches everything to all strings: without one, the validator ignores their contents."""
    if isinstance(schema, list):
        return [_require_text_checks(inner) for inner in cast(list[object], schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast(dict[str, Any], schema)
    out = {key: inner if key in VALUE_KEYWORDS else _require_text_checks(inner) for key, inner in members.items()}
    kind = members.get("type")
    if kind == "string" or (isinstance(kind, list) and "string" in kind):
        out.setdefault("pattern", "")
    return out


@cache
def list_declared_names(file: str) -> frozenset[str]:
    """Return the names of all properties that a tool's outputSchema declares."""
    names: set[str] = set()
    stack: list[Any] = [load_definition(file)["tool"].get("outputSchema")]
    while stack:
        node: Any = stack.pop()
        if isinstance(node, dict):
            members = cast(dict[str, Any], node)
            if isinstance(properties := members.get("properties"), dict):
                names.update(cast(dict[str, Any], properties))
            stack.extend(members.values())
        elif isinstance(node, list):
            stack.extend(cast(list[object], node))
    return frozenset(names)
