"""Lower what was read."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.cache.memory import Memory
from mcpgen.config.models import PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import ResourceModule, SchemaRoot, ToolModule
from mcpgen.lower.assemble import LoweringRequest, lower_schemas
from mcpgen.lower.normalize.bounds import LoweringLimits
from mcpgen.pipeline.cache_keys import make_schemas_key
from mcpgen.pipeline.content_templates import check_content_strategy
from mcpgen.pipeline.progress import Progress
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.schema.document import Schema
from mcpgen.schema.result_wrapper import has_object_type
from mcpgen.workers import Workers


def lower_tools(
    definitions: Definitions,
    settings: PackageSettings,
    workers: Workers,
    progress: Progress,
    findings: Findings,
    memory: Memory,
) -> list[ToolModule]:
    """Lower the schemas of every tool, and note what the types do not say."""
    roots = _lower_roots(
        [_make_requests(tool, settings) for tool in definitions.tools], settings, workers, progress, memory
    )
    modules: list[ToolModule] = []
    for tool, lowered in zip(definitions.tools, roots, strict=True):
        output = lowered[1] if tool.output is not None else None
        for side, root in (("inputSchema", lowered[0]), ("outputSchema", output)):
            for at, note in root.notes if root is not None else ():
                findings.note("MG107", f'tool "{tool.name}": {note}', tool.locate(side, at))
        module = memory.memoize("module", assemble_tool, tool, lowered[0], output)
        if tool.choices.content_chosen:
            check_content_strategy(module, tool, settings.sdk, findings)
        modules.append(module)
    return modules


def _lower_roots(
    requests: list[list[LoweringRequest]],
    settings: PackageSettings,
    workers: Workers,
    progress: Progress,
    memory: Memory,
) -> list[list[SchemaRoot]]:
    """The IR of each module's schemas, lowered where it is not remembered."""
    keys = [make_schemas_key(one, settings, memory) for one in requests] if memory.on else []
    found: list[list[SchemaRoot] | None] = [memory.load_roots(key) for key in keys] or [None] * len(requests)
    missing = [index for index, roots in enumerate(found) if roots is None]
    lowered = workers.map(lower_schemas, [requests[index] for index in missing])
    for done, (index, roots) in enumerate(zip(missing, lowered, strict=True), 1):
        found[index] = roots
        if memory.on:
            memory.keep_roots(keys[index], roots)
        progress("lowering", done, len(missing))
    return [roots for roots in found if roots is not None]


def _make_requests(tool: ToolDefinition, settings: PackageSettings) -> list[LoweringRequest]:
    out = [_make_request("input", tool.input, tool.class_names, settings)]
    if tool.output is not None:
        out.append(_make_request("output", tool.output, tool.class_names, settings))
    return out


def _make_request(side: str, schema: Schema, names: dict[str, str], settings: PackageSettings) -> LoweringRequest:
    start = f"#{side}"
    chosen = tuple((key.removeprefix(start), name) for key, name in names.items() if key.startswith(start))
    limits = settings.limits
    bounds = LoweringLimits(limits.classes, limits.members, limits.unfolding)
    return LoweringRequest(side, schema, chosen, settings.formats == "native", bounds, limits.seconds)


def lower_resources(
    resources: Sequence[ResourceDefinition],
    settings: PackageSettings,
    workers: Workers,
    progress: Progress,
    findings: Findings,
    memory: Memory,
) -> list[ResourceModule]:
    """Lower the schemas of the resources whose text is JSON."""
    typed = [(one, one.payload) for one in resources if one.payload is not None]
    requests = [[_make_request("resource", schema, one.class_names, settings)] for one, schema in typed]
    lowered = _lower_roots(requests, settings, workers, progress, memory)
    roots = {one.name: root for (one, _), (root,) in zip(typed, lowered, strict=True)}
    for one, _ in typed:
        for at, note in roots[one.name].notes:
            findings.note("MG107", f'resource "{one.name}": {note}', one.locate(at))
    return [lower_resource(one, roots.get(one.name)) for one in resources]


def assemble_tool(tool: ToolDefinition, given: SchemaRoot, output: SchemaRoot | None) -> ToolModule:
    """Join the definition of a tool with the roots of its schemas."""
    wrapped = "never"
    if tool.output is not None and not has_object_type(tool.output.value):
        wrapped = tool.choices.wrap or "legacy"
    description = tool.tool.get("description")
    return ToolModule(
        wire=tool.name,
        origin=tool.origin,
        description=description if isinstance(description, str) else "",
        output=output,
        input=given,
        content=_choose_content(tool, output),
        audience=tool.choices.audience,
        priority=tool.choices.priority,
        wrapped=wrapped,
        python=tool.choices.name,
    )


def _choose_content(tool: ToolDefinition, output: SchemaRoot | None) -> str:
    """The content strategy: the chosen one, else an image or audio block for a root that is one, else JSON."""
    media_type = None if output is None else output.media_type
    if not tool.choices.content_chosen and media_type is not None and media_type.startswith(("image/", "audio/")):
        return "binary"
    return tool.choices.content


def lower_resource(one: ResourceDefinition, payload: SchemaRoot | None = None) -> ResourceModule:
    """Join the definition of a resource with the root of its schema."""

    def text(key: str) -> str | None:
        value = one.resource.get(key)
        return value if isinstance(value, str) else None

    return ResourceModule(
        wire=one.name,
        origin=one.origin,
        description=text("description") or "",
        uri=text("uri"),
        uri_template=text("uriTemplate"),
        template=one.template,
        mime_type=text("mimeType"),
        payload=payload,
        ttl_ms=one.choices.ttl_ms,
        cache_scope=one.choices.cache_scope,
        python=one.choices.name,
    )
