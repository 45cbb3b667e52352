"""Render what was named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from mcpgen import targets
from mcpgen.cache.memory import Memory
from mcpgen.ir.package import Package
from mcpgen.literals import make_literal
from mcpgen.lower.protocol_types import ROOT_TYPES, get_root_types, lower_protocol
from mcpgen.names.allocator import allocate_class_names
from mcpgen.names.reserved import RESERVED_NAMES
from mcpgen.pipeline.cache_keys import make_job_key
from mcpgen.pipeline.progress import Progress
from mcpgen.read.definitions import ProtocolSchema, ToolDefinition
from mcpgen.render import class_views
from mcpgen.render.jobs import Job, render_job
from mcpgen.render.json_writer import JsonText, render_json_value
from mcpgen.render.scope import Scope
from mcpgen.schema.result_wrapper import has_object_type, wrap_schema
from mcpgen.workers import Workers

NEWEST_PROTOCOL = targets.PROTOCOLS[-1]


def render_wrapped_schemas(tools: Sequence[ToolDefinition], memory: Memory) -> dict[str, JsonText]:
    """Return the JSON text of each wrapped outputSchema, by the name of its tool."""
    wrapped = {one.name: memory.memoize("wrapped", _render_wrapped_schema, one) for one in tools}
    return {name: text for name, text in wrapped.items() if text is not None}


def _render_wrapped_schema(tool: ToolDefinition) -> JsonText | None:
    """When a result is wrapped, and the outputSchema that it has then; None: it need never be."""
    if tool.output is None or has_object_type(tool.output.value):
        return None
    schema = wrap_schema(tool.output.value, tool.output.dialect)
    return render_json_value({"when": tool.choices.wrap or "legacy", "outputSchema": schema})


def render_files(
    todo: Mapping[str, Callable[[], Job]], keys: dict[str, str], workers: Workers, progress: Progress, memory: Memory
) -> dict[str, str]:
    """The text of each file, rendered where it is not remembered; `keys` are those of files that have one already."""
    texts: dict[str, str] = {}

    def missing() -> Iterator[Job]:
        """One job after the other, as what each needs is much."""
        for path, make in todo.items():
            job = make()
            if memory.on and path not in keys:
                keys[path] = make_job_key(job)
                if (text := memory.load_text(keys[path])) is not None:
                    texts[path] = text
                    continue
            yield job

    for path, text in workers.map(_render_job, missing()):
        texts[path] = text
        if memory.on:
            memory.keep_text(keys[path], text)
        progress("rendering", len(texts), len(todo))
    return texts


def _render_job(job: Job) -> tuple[str, str]:
    return job.path, render_job(job)


def make_protocol_job(package: Package, protocols: dict[str, ProtocolSchema]) -> Job:
    """Make the job that renders `protocol.py`."""
    generation = targets.SDK_GENERATIONS[package.sdk]
    default = make_literal(package.protocol or ("2025-11-25" if generation == "mcp1" else NEWEST_PROTOCOL))
    if generation is not None:
        return Job("protocol.py", f"sdk/{generation}/protocol.py.j2", "", {"default": default})
    root = lower_protocol(protocols)
    types = get_root_types(root)
    nodes = [node for node in root.nodes if node.pointer != ""]
    names = allocate_class_names(nodes, {}, (), RESERVED_NAMES - set(ROOT_TYPES))
    scope = Scope(names, {node.id: node for node in nodes})
    unions = [
        {"name": name, "type": scope.render_annotation(types[name])}
        for name in ROOT_TYPES
        if name not in names.values()
    ]
    values = {"default": default, "module": class_views.make_module_body(nodes, scope, {}), "unions": unions}
    return Job("protocol.py", "sdk/none/protocol.py.j2", "the MCP schemas", values, ".", frozenset(), True)
