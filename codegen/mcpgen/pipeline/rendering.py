"""Render what was named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from mcpgen.cache.memory import Memory
from mcpgen.pipeline.cache_keys import make_job_key
from mcpgen.pipeline.progress import Progress
from mcpgen.read.definitions import ToolDefinition
from mcpgen.render.jobs import Job, render_job
from mcpgen.render.json_writer import JsonText, render_json_value
from mcpgen.schema.recursion import allow_deep_recursion
from mcpgen.schema.result_wrapper import has_object_type, wrap_schema
from mcpgen.workers import Workers


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


@allow_deep_recursion()
def _render_job(job: Job) -> tuple[str, str]:
    return job.path, render_job(job)
