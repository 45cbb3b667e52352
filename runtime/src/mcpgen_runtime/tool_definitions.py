"""Definitions of tools as servers list them."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

from pydantic import BaseModel

from . import schema_check
from .content import ANY_JSON_RESULT_SINCE, RESULT_TYPE_SINCE, STRUCTURED_CONTENT_SINCE, Answer, version_of
from .errors import Problem, follow_pointer
from .package import Package, find_package, load_definition, suggest
from .schema_check import SchemaCheck
from .schema_keywords import change_objects

if TYPE_CHECKING:
    from .server_binding import BoundTool
    from .wire_forms import ToolErrorData

logger = logging.getLogger(__name__)
Wrapped = Literal["never", "legacy", "always"]
TaskSupport = Literal["forbidden", "optional", "required"]


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
    linked: bool = False
    """Whether a server keeps the value as a resource, to which the content links, instead of sending it."""
    content_only: tuple[str, ...] = ()
    """The names of clients that get the content alone, and no outputSchema, so that they show its text."""
    error: str = ""
    """The name of the class of the data of its errors; empty if the tool declares none."""

    @cached_property
    def is_simple(self) -> bool:
        """Whether results are small and usual: no other content than the JSON of the value, which is not wrapped."""
        return self.json_text and not self.raw_text and self.wrapped == "never"

    def mark_large(self) -> None:
        """Remember that a result was large, or has content of its own, so that the next may have it as well."""
        vars(self)["is_simple"] = False

    @cached_property
    def package(self) -> Package:
        """The package that the tool belongs to."""
        return find_package(self.file)

    @cached_property
    def default_protocol(self) -> str:
        """The protocol version for which a result is made when a call names none."""
        return self.package.default_protocol

    @cached_property
    def error_class(self) -> type[ToolErrorData] | None:
        """The class of the data of its errors."""
        return getattr(sys.modules[self.package.name], self.error) if self.error else None

    @property
    def definition(self) -> dict[str, Any]:
        """The Tool as declared."""
        return cast(dict[str, Any], load_definition(self.file)["tool"])

    @property
    def task_support(self) -> TaskSupport:
        """The declared `execution.taskSupport`."""
        execution: dict[str, Any] = self.definition.get("execution") or {}
        return cast(TaskSupport, execution.get("taskSupport", "forbidden"))


def advertise_tool(content: dict[str, Any], version: str) -> dict[str, Any]:
    """Return the Tool of a JSON file as a version advertises it: its outputSchema unchanged, wrapped or left out."""
    out: dict[str, Any] = dict(content["tool"])
    if content.get("linked"):
        out.pop("outputSchema", None)
    wrapped: dict[str, Any] | None = content.get("wrapped")
    if version >= RESULT_TYPE_SINCE:
        out.pop("execution", None)  # tasks are an extension
    if version < STRUCTURED_CONTENT_SINCE:
        out.pop("outputSchema", None)
    elif "outputSchema" in out and wrapped and (version < ANY_JSON_RESULT_SINCE or wrapped["when"] == "always"):
        out["outputSchema"] = _make_object_schema(out["outputSchema"], wrapped)
    return out


def _make_object_schema(schema: Any, wrapped: dict[str, Any]) -> dict[str, Any]:
    if wrapped["as"] == "object":
        return {"type": "object", **{key: value for key, value in schema.items() if key != "type"}}
    result = deepcopy(schema) if "references" in wrapped else schema
    for pointer in wrapped.get("references", ()):  # of references that must refer to the property
        parent, _, keyword = pointer.rpartition("/")
        subschema = follow_pointer(result, parent)
        subschema[keyword] = f"#/properties/result{subschema[keyword].partition('#')[2]}"
    outer: dict[str, Any] = {}
    if isinstance(schema, dict) and "$schema" in schema:
        outer["$schema"] = schema["$schema"]
        if not str(cast(dict[str, Any], schema).get("$id", "")).partition("#")[0]:
            result = {key: value for key, value in result.items() if key != "$schema"}
    return {**outer, "type": "object", "properties": {"result": result}, "required": ["result"]}


def is_wrapped(tool: ToolInfo, version: str) -> bool:
    """Return whether the value is wrapped as `{"result": value}` under a version with structured content."""
    return tool.wrapped == "always" or (tool.wrapped == "legacy" and version < ANY_JSON_RESULT_SINCE)


def is_natural(answer: Answer, protocol: str | None) -> bool:
    """Return whether the value is not wrapped, if that depends on the version."""
    return answer.has_result_type if protocol is None else version_of(protocol, "") >= ANY_JSON_RESULT_SINCE


# --- checks ----------------------------------------------------------------------------------------------------------
if find_spec("jsonschema_rs") is None:  # it is imported at the first check, and a server should not start without it
    raise ModuleNotFoundError(
        "the generated package needs jsonschema-rs: pip install jsonschema-rs", name="jsonschema_rs"
    )


@cache
def get_output_check(file: str) -> SchemaCheck:
    """Return a check against the outputSchema of the tool whose module has this path."""
    return SchemaCheck(load_definition(file)["tool"]["outputSchema"], find_package(file).limits)


@cache
def get_error_check(file: str) -> SchemaCheck:
    """Return a check against the schema of the data of the errors of the tool whose module has this path."""
    return SchemaCheck(load_definition(file)["error"], find_package(file).limits)


@cache
def get_input_check(file: str) -> SchemaCheck:
    """Return a check against the inputSchema of the tool whose module has this path."""
    return SchemaCheck(load_definition(file)["tool"]["inputSchema"], find_package(file).limits)


def check(
    tool: ToolInfo, title: str, value: object, is_own: bool = False, refused_by: type[BaseModel] | None = None
) -> None:
    """Check a JSON value against the tool's outputSchema, exactly; parameters and errors as in `schema_check`."""
    get_check = partial(get_text_check if is_own else get_output_check, tool.file)
    schema_check.raise_problems(value, title, schema_check.find_problems(value, get_check, is_own, refused_by))


def find_problems(tool: ToolInfo, cls: type[BaseModel], value: object) -> Sequence[Problem]:
    """Return the violations of the outputSchema, and of native formats, in a JSON value that a class refused."""
    return schema_check.find_problems(value, partial(get_output_check, tool.file), refused_by=cls)


@cache
def get_text_check(file: str) -> SchemaCheck:
    """Return a check that also finds lone surrogates in all strings."""
    schema = change_objects(load_definition(file)["tool"]["outputSchema"], _require_text_checks)
    return SchemaCheck(schema, find_package(file).limits)


def _require_text_checks(members: dict[str, Any]) -> dict[str, Any]:
    """Add a `pattern` that matches everything to strings: without one, the validator ignores their contents."""
    kind = members.get("type")
    if kind == "string" or (isinstance(kind, list) and "string" in kind):
        members.setdefault("pattern", "")
    return members


@cache
def list_declared_names(file: str) -> frozenset[str]:
    """Return the names of all properties that a tool's outputSchema declares."""
    names: set[str] = set()

    def collect(members: dict[str, Any]) -> dict[str, Any]:
        if isinstance(properties := members.get("properties"), dict):
            names.update(cast(dict[str, Any], properties))
        return members

    json.loads(json.dumps(load_definition(file)["tool"].get("outputSchema")), object_hook=collect)
    return frozenset(names)


class ToolHints(TypedDict, total=False):
    """Annotations of a tool."""

    title: str
    readOnlyHint: bool
    destructiveHint: bool
    idempotentHint: bool
    openWorldHint: bool


class ToolOverride(TypedDict, total=False):
    """Members of a tool that may differ at run time from the declared ones."""

    title: str
    description: str
    annotations: ToolHints
    """Replaces all declared annotations."""


def override_tools(package: Package, overrides: Mapping[str, ToolOverride] | None) -> Package:
    """Return a copy of a package that advertises these members of its tools, or raise TypeError if they do not fit."""
    if not overrides:
        return package
    for tool, members in overrides.items():
        if tool not in package.tool_modules:
            advice = suggest(tool, package.tool_modules)
            raise TypeError(f"cannot override {tool!r}: the package has no such tool{advice}")
        _check_members(f"cannot override {tool}", members, ToolOverride)
    overridden = copy(package)
    overridden.overrides = {tool: deepcopy({**members}) for tool, members in overrides.items()}
    return overridden


def _check_members(subject: str, members: Any, allowed: type[Any]) -> None:
    names = ", ".join(allowed.__annotations__)
    if not isinstance(members, dict):
        raise TypeError(f"{subject}: it should be a dict of {names}")
    for name, value in cast(dict[str, Any], members).items():
        if name not in allowed.__annotations__:
            raise TypeError(f"{subject}: {name!r} must be as declared; these may differ: {names}")
        kind, expected = (bool, "true or false") if name.endswith("Hint") else (str, "a text")
        if name == "annotations":
            _check_members(f"{subject}: annotations", value, ToolHints)
        elif not isinstance(value, kind):
            raise TypeError(f"{subject}: {name!r} should be {expected}, not {type(value).__name__}")
        elif isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
            raise TypeError(f"{subject}: {name!r} has a lone surrogate, which no JSON text can hold")


def adapt_definition(
    listed: BaseModel | dict[str, Any],
    bound: Mapping[str, BoundTool],
    untouched: Mapping[str, Sequence[dict[str, Any]]],
    version: str,
) -> dict[str, Any]:
    """Return a tool, the SDK's model or in wire form, as declared if it is bound, and else as its server lists it.

    `untouched` has the forms in which the server lists each bound tool unless somebody changes it.
    """
    name: str = listed["name"] if isinstance(listed, dict) else cast(Any, listed).name
    tool, forms = bound.get(name), untouched.get(name, ())
    if tool is not None and (not forms or any(_is_dumped_as(listed, form) for form in forms)):
        return tool.advertise(version)
    definition = _dump_value(listed)
    current = adapt_foreign_definition(definition, version)
    if tool is None:
        return current

    def is_changed(key: str) -> bool:
        return all(definition.get(key) != form.get(key) for form in forms)

    kept = {key: item for key, item in tool.advertise(version).items() if not is_changed(key)}
    return kept | {key: item for key, item in current.items() if is_changed(key)}


def _is_dumped_as(listed: BaseModel | dict[str, Any], form: dict[str, Any]) -> bool:
    if isinstance(listed, dict):
        return listed == form
    fields, members = type(listed).model_fields, {name: value for name, value in listed if value is not None}
    aliases = {name: (name in fields and fields[name].serialization_alias) or name for name in members}
    return form == {aliases[name]: _dump_value(value) for name, value in members.items()}  # dumping would copy schemas


def _dump_value(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, mode="json", exclude_none=True)
    if isinstance(value, list):
        return [_dump_value(item) for item in cast(Any, value)]
    return value


def adapt_foreign_definition(tool: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a tool of another package, without an outputSchema that would make listing the tools fail."""
    schema: dict[str, Any] | None = tool.get("outputSchema")
    if schema is None or version >= ANY_JSON_RESULT_SINCE or schema.get("type") == "object":
        return tool
    logger.warning("The outputSchema of %r is not for an object, so %s gets none", tool.get("name"), version)
    return {key: item for key, item in tool.items() if key != "outputSchema"}
