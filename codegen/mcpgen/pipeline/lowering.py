"""Definitions to IR: the requests for their schemas, and the modules assembled from the lowered schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from mcpgen_runtime.package import DEFAULT_LIMITS

from mcpgen.config.models import PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.ir.code_settings import PackageCodeSettings, ResourceCodeSettings, ToolCodeSettings, copy_settings
from mcpgen.ir.definitions import PromptModule
from mcpgen.ir.package import FormModule, Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.lower.request import LoweringLimits, LoweringRequest
from mcpgen.lower.shared_types import share_types
from mcpgen.read.definitions import (
    PAYLOAD_POINTER,
    SIDE_POINTERS,
    FormDefinition,
    PromptDefinition,
    ResourceDefinition,
    ToolDefinition,
    find_content_strategy,
)
from mcpgen.read.document import WrittenPlace
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import FormatChoices
from mcpgen.schema.values import find_property

ChoiceT = TypeVar("ChoiceT")
_WRAP_HELP = (
    'write `wrap = "always"` if that is intended; `wrap = "legacy"` wraps it under older versions only, '
    "but proxies made with the SDK do not pass such results on"
)
_EXAMPLE_HELP = 'give the schema "examples" with a value of at most 8 KiB that it accepts'


def make_tool_requests(tool: ToolDefinition, settings: PackageSettings) -> list[LoweringRequest]:
    """Return the requests for the schemas of a tool, in the order of their sides."""
    return _make_requests(tool, tool.schemas, settings, settings.testing)


def make_resource_request(
    resource: ResourceDefinition, payload: Schema, settings: PackageSettings
) -> list[LoweringRequest]:
    """Return the request for the schema of a resource's JSON text, as a list of one."""
    return _make_requests(resource, {"resource": payload}, settings)


def make_form_request(form: FormDefinition, settings: PackageSettings) -> list[LoweringRequest]:
    """Return the request for the schema of a form, as a list of one."""
    return _make_requests(form, {"form": form.schema}, settings)


def _make_requests(
    definition: ToolDefinition | ResourceDefinition | FormDefinition,
    schemas: Mapping[str, Schema],
    settings: PackageSettings,
    draws_example: bool = False,
) -> list[LoweringRequest]:
    limits = LoweringLimits(**copy_settings(LoweringLimits, settings.limits))
    return [
        LoweringRequest(
            side,
            schema,
            class_names=_select_side(definition.class_names, side),
            formats=select_formats(definition, side),
            limits=limits,
            seconds=settings.limits.seconds,
            draws_example=draws_example and side != "error",
        )
        for side, schema in schemas.items()
    ]


def select_formats(definition: ToolDefinition | ResourceDefinition | FormDefinition, side: str) -> FormatChoices:
    """Return the formats that become Python types in one schema of a definition."""
    native = definition.native_formats if isinstance(definition, FormDefinition) else definition.choices.formats
    return FormatChoices(native, _select_side(definition.formats, side))


def _select_side(choices: dict[str, ChoiceT], side: str) -> tuple[tuple[str, ChoiceT], ...]:
    """Return the choices inside one schema of a definition, by JSON pointer."""
    prefix = f"#{side}"
    return tuple((place.removeprefix(prefix), choice) for place, choice in choices.items() if place.startswith(prefix))


def report_tool_notes(tool: ToolDefinition, roots: Sequence[SchemaRoot], findings: Findings) -> None:
    """Report the constraints that a tool's types do not express; `roots` are those of its schemas, in their order."""
    for side, root in zip(tool.schemas, roots, strict=True):
        start = SIDE_POINTERS[side]
        for pointer, note in root.notes:
            label, schema_name = f'tool "{tool.name}"', start.rpartition("/")[2]
            _note_wider_type(label, schema_name, pointer, note, tool.find(start + pointer), tool, findings)
        if root.example == "":
            subject = "arguments" if side == "input" else "result"
            message = f'tool "{tool.name}": no example of its {subject} was found for `testing.py`'
            findings.note("MG112", message, tool.locate(start), _EXAMPLE_HELP)
    if tool.wrapping == "always" and not tool.choices.wrap_chosen:
        reason = 'its result is not an object, so it is {"result": …} under every protocol version'
        message = f'tool "{tool.name}": {reason}'
        findings.note("MG113", message, tool.locate("/outputSchema"), _WRAP_HELP)


def report_resource_notes(resource: ResourceDefinition, root: SchemaRoot, findings: Findings) -> None:
    """Report the constraints that the types of a resource's JSON text do not express."""
    for pointer, note in root.notes:
        label = f'resource "{resource.name}"'
        place = resource.find(PAYLOAD_POINTER + pointer)
        _note_wider_type(label, "schema", pointer, note, place, resource, findings)


def _note_wider_type(
    label: str,
    schema_name: str,
    pointer: str,
    note: str,
    place: WrittenPlace | None,
    definition: ToolDefinition | ResourceDefinition,
    findings: Findings,
) -> None:
    """Report a constraint that types do not express; in a file that definitions share, once for all of them."""
    name = find_property(pointer)
    subject = f"{label}, {schema_name}" if name is None else f'{label}, property "{name}" of {schema_name}'
    own = definition.document
    if place is not None and own is not None and place.document.path != own.path:
        subject = "a shared schema" if name is None else f'property "{name}"'
    findings.note("MG107", f"{subject}: {note}", definition.span if place is None else place.make_span())


def assemble_tool(tool: ToolDefinition, *roots: SchemaRoot) -> ToolModule:
    """Combine a tool's definition with the roots of its schemas, in their order."""
    description, by_side = tool.tool.get("description"), dict(zip(tool.schemas, roots, strict=True))
    return ToolModule(
        wire=tool.name,
        origin=tool.origin,
        description=description if isinstance(description, str) else "",
        output=by_side.get("output"),
        input=by_side["input"],
        error=by_side.get("error"),
        content=find_content_strategy(tool),
        wrapped=tool.wrapping,
        python=tool.choices.name,
        is_for_models=tool.is_for_models,
        **copy_settings(ToolCodeSettings, tool.choices),
    )


def assemble_resource(resource: ResourceDefinition, payload: SchemaRoot | None = None) -> ResourceModule:
    """Combine a resource's definition with the root of the schema of its JSON text."""

    def get_text(member: str) -> str | None:
        value = resource.resource.get(member)
        return value if isinstance(value, str) else None

    return ResourceModule(
        wire=resource.wire_name,
        origin=resource.origin,
        description=get_text("description") or "",
        uri=get_text("uri"),
        uri_template=get_text("uriTemplate"),
        template=resource.template,
        mime_type=get_text("mimeType"),
        payload=payload,
        python=resource.choices.name,
        key="" if resource.name == resource.wire_name else resource.name,
        **copy_settings(ResourceCodeSettings, resource.choices),
    )


def assemble_prompt(prompt: PromptDefinition) -> PromptModule:
    """Return the module of a prompt."""
    description = prompt.prompt.get("description")
    return PromptModule(
        wire=prompt.name,
        origin=prompt.origin,
        description=description if isinstance(description, str) else "",
        arguments=prompt.arguments,
        python=prompt.python,
    )


def assemble_form(form: FormDefinition, root: SchemaRoot) -> FormModule:
    """Combine a form's definition with the root of its schema."""
    described = form.form.get("description") or form.form.get("title")
    description = described if isinstance(described, str) else ""
    return FormModule(form.name, form.origin, description, form.message, root, form.python)


def make_package(
    tools: list[ToolModule],
    resources: list[ResourceModule],
    settings: PackageSettings,
    prompts: Sequence[PromptModule] = (),
    forms: Sequence[FormModule] = (),
) -> Package:
    """Return the package of some modules; definitions that several schemas have in common become shared types."""
    shared = share_types(tools, resources)
    return Package(
        tools=tuple(shared.tools),
        resources=tuple(shared.resources),
        shared=tuple(shared.nodes),
        sdk=settings.sdk,
        protocol=settings.protocol,
        limits=tuple(_list_changed_limits(settings)),
        shared_uses={
            shared_id: tuple((wire, node_id) for (kind, wire), node_id in uses if kind == "tool")
            for shared_id, uses in shared.uses.items()
        },
        prompts=tuple(prompts),
        forms=tuple(forms),
        **copy_settings(PackageCodeSettings, settings),
    )


def _list_changed_limits(settings: PackageSettings) -> Iterator[tuple[str, int]]:
    """Yield the limits for the values that generated code reads, if they are not those of the run-time library."""
    for name, default in DEFAULT_LIMITS._asdict().items():
        if (limit := getattr(settings.limits, name)) != default:
            yield name, limit
