"""Expensive steps of a run, each of which reuses the results of earlier runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module

from mcpgen.cache.keys import make_key
from mcpgen.cache.memory import Memory
from mcpgen.cache.render_cache import RenderCache
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import FileTracker
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.lower.request import LoweringRequest
from mcpgen.names.allocator import allocate_names
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.pipeline.cache_keys import CacheKeys, make_job_key, make_protocol_key, make_tool_json_key
from mcpgen.pipeline.content_templates import attach_templates, check_content_strategy, find_rendered_tools
from mcpgen.pipeline.lowering import (
    assemble_resource,
    assemble_tool,
    make_resource_request,
    make_tool_requests,
    report_resource_notes,
    report_tool_notes,
)
from mcpgen.pipeline.naming import report_clashes
from mcpgen.pipeline.outlining import make_outline
from mcpgen.pipeline.package_outline import PackageOutline
from mcpgen.pipeline.progress import Progress
from mcpgen.pipeline.rendering import make_jobs, make_runtime_jobs, render_tool_definition
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.read.file_cache import FileCache
from mcpgen.read.loader import read_definitions
from mcpgen.render.jobs import Job, render_job
from mcpgen.render.json_files import render_resource_json
from mcpgen.render.package import make_tool_jobs
from mcpgen.render.prompt import render_prompt_json
from mcpgen.render.protocol import PROTOCOL_PATH
from mcpgen.render.stubs import make_stub_jobs
from mcpgen.render.testing import get_example_path, render_example
from mcpgen.schema.contract import CONTRACT_MEMBERS, hash_contract
from mcpgen.workers import Workers

MOST_MODULES_AT_ONCE, CHUNKS_OF_MODULES = 32, 8
"""Modules whose types are generated together, and the parts in which a small package is lowered, for all processes."""


@dataclass
class KeyedTexts:
    """Texts of rendered files, and the key of each in the cache, both by path. Without a cache there are no keys."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    keys: dict[str, str] = field(default_factory=dict[str, str])


class _CachedTexts:
    """Texts of rendered files in the cache; those that it lacks are rendered and kept."""

    def __init__(self, memory: Memory, workers: Workers, progress: Progress) -> None:
        self._memory, self._workers, self._progress = memory, workers, progress

    def recall(self, keys: dict[str, str]) -> KeyedTexts:
        """Return the texts that the cache has, with the keys of all files."""
        cached = {path: self._memory.load_text(key) for path, key in keys.items()}
        return KeyedTexts({path: text for path, text in cached.items() if text is not None}, keys)

    def render_jobs(self, jobs: Mapping[str, Callable[[], Job]], early_keys: Mapping[str, str]) -> KeyedTexts:
        """Render files in worker processes; `early_keys` are those of files that are known not to be in the cache."""
        memory, result = self._memory, KeyedTexts(keys={**early_keys})
        missing: dict[str, Callable[[], Job]] = {}
        for path, make_job in jobs.items():
            missing[path] = make_job
            if memory.enabled and path not in result.keys:
                job = make_job()
                result.keys[path] = make_job_key(job)
                if (text := memory.load_text(result.keys[path])) is not None:
                    result.texts[path] = text
                    del missing[path]
        for path, text in self._workers.map_made(partial(_render_job, memory.for_rendering), [*missing.values()]):
            result.texts[path] = text
            if memory.enabled:
                memory.keep_text(result.keys[path], text)
            self._progress("rendering", len(result.texts), len(jobs), path)
        return result

    def render(self, render: Callable[[], str], key: str | None) -> str:
        """Return the text of one file; without a key, it is rendered in any case."""
        if key is None:
            return render()
        text = self._memory.load_text(key)
        if text is None:
            text = render()
            self._memory.keep_text(key, text)
        return text


class CachedSteps:
    """Steps that compute only what no earlier run has computed from the same input.

    The passes that they call are pure functions. Only this module decides which results are kept, and under which
    keys.
    """

    def __init__(self, memory: Memory, workers: Workers, progress: Progress) -> None:
        self._memory, self._memo = memory, memory.memo
        self._workers, self._progress = workers, progress
        self._keys = CacheKeys(memory.memo)
        self._files = FileCache()
        self._texts = _CachedTexts(memory, workers, progress)

    # --- read ---------------------------------------------------------------------------------------------------
    def read_definitions(self, package: ConfiguredPackage, disk: FileTracker, findings: Findings) -> Definitions:
        """Read the definitions of a package; errors go into `findings`."""
        self._progress("reading", 0, 1, ", ".join(package.settings.schemas))
        inputs = [package.folder / path for path in package.settings.schemas]
        out = str(package.folder / package.settings.out)
        self._files = self._memo.get_object("definition files", out, FileCache) or FileCache()
        return read_definitions(inputs, package, findings, disk, self._files)

    def make_outline(
        self,
        package: ConfiguredPackage,
        tools: Sequence[ToolModule],
        resources: Sequence[ResourceModule],
        ir: Package,
        names: PackageNames,
    ) -> PackageOutline | None:
        """Return the outline of a package that was read and lowered by these steps, None if no run will look for it."""
        if self._memory.store is None or self._memory.warm or package.settings.types or ir.stubs:
            return None
        return make_outline(package, self._files.list_kept(), tools, resources, ir, names)

    # --- lower --------------------------------------------------------------------------------------------------
    def lower_tools(
        self, definitions: Sequence[ToolDefinition], settings: PackageSettings, findings: Findings
    ) -> list[ToolModule]:
        """Lower the schemas of every tool, and report what the types do not express."""
        modules: list[ToolModule] = []
        requests = [make_tool_requests(definition, settings) for definition in definitions]
        lowered = self._lower_requests(requests, [definition.name for definition in definitions], settings)
        for definition, roots in zip(definitions, lowered, strict=True):
            report_tool_notes(definition, roots, findings)
            output = roots[1] if definition.output is not None else None
            module = self._memo.call("module", assemble_tool, definition, roots[0], output)
            if definition.choices.content_chosen:
                check_content_strategy(module, definition, settings.sdk, findings)
            modules.append(module)
        return modules

    def lower_resources(
        self, definitions: Sequence[ResourceDefinition], settings: PackageSettings, findings: Findings
    ) -> list[ResourceModule]:
        """Lower the schemas of the resources whose text is JSON, and report what the types do not express."""
        typed = [(definition, definition.payload) for definition in definitions if definition.payload is not None]
        requests = [make_resource_request(definition, payload, settings) for definition, payload in typed]
        roots: dict[str, SchemaRoot] = {}
        lowered = self._lower_requests(requests, [definition.name for definition, _ in typed], settings)
        for (definition, _), (root,) in zip(typed, lowered, strict=True):
            roots[definition.name] = root
            report_resource_notes(definition, root, findings)
        return [assemble_resource(definition, roots.get(definition.name)) for definition in definitions]

    def _lower_requests(
        self, requests: list[list[LoweringRequest]], names: Sequence[str], settings: PackageSettings
    ) -> list[list[SchemaRoot]]:
        """Return the roots of each module's schemas. Those that the cache lacks are lowered in worker processes.

        `names` are the names of the modules, to show what is worked on.
        """
        memory = self._memory
        keys = [self._keys.make_roots_key(schemas, settings) for schemas in requests] if memory.enabled else []
        results: list[list[SchemaRoot] | None] = [memory.load_roots(key) for key in keys] or [None] * len(requests)
        missing = [index for index, roots in enumerate(results) if roots is None]
        size = max(1, min(MOST_MODULES_AT_ONCE, len(missing) // CHUNKS_OF_MODULES))
        lowered = self._workers.map_chunks(lower_modules, [requests[index] for index in missing], size)
        for done_count, (index, roots) in enumerate(zip(missing, lowered, strict=True), 1):
            results[index] = roots
            if memory.enabled:
                memory.keep_roots(keys[index], roots)
            self._progress("lowering", done_count, len(missing), names[index])
        return [roots for roots in results if roots is not None]

    # --- name ---------------------------------------------------------------------------------------------------
    def allocate_names(self, package: Package, definitions: Definitions, findings: Findings) -> PackageNames:
        """Return the Python names of a package, and report those that clash."""

        def reuse_names(context: str, allocate: Callable[[ToolModule], ToolNames], tool: ToolModule) -> ToolNames:
            return self._memo.call(f"names {context}", allocate, tool)

        names, clashes = allocate_names(package, reuse_names)
        report_clashes(clashes, definitions, findings)
        return names

    # --- render -------------------------------------------------------------------------------------------------
    def recall_texts(
        self, package: Package, names: PackageNames, definitions: Definitions, settings: PackageSettings
    ) -> KeyedTexts:
        """Return the texts that the cache has of the modules of tools and shared classes, and of `protocol.py`."""
        if not self._memory.enabled:
            return KeyedTexts()
        keys = self._keys.make_tool_keys(package, names, definitions.tools, settings)
        keys |= self._keys.make_types_keys(package, names, settings)
        keys[PROTOCOL_PATH] = make_protocol_key(settings, definitions.protocols)
        return self._texts.recall(keys)

    def render_tools(
        self,
        package: Package,
        names: PackageNames,
        definitions: Sequence[ToolDefinition],
        settings: PackageSettings,
        findings: Findings,
    ) -> KeyedTexts | None:
        """Return the files of the tools of a package, and no others; None if one of the tools is wrong."""
        recalled = self._texts.recall(self._keys.make_tool_keys(package, names, definitions, settings))
        package = attach_templates(package, definitions, findings, find_rendered_tools(names, recalled.texts))
        if findings.failed:
            return None
        jobs = make_tool_jobs(package, names)
        missing = {path: make_job for path, make_job in jobs.items() if path not in recalled.texts}
        python = self._texts.render_jobs(missing, recalled.keys)
        json_files = self.render_json(names, Definitions(tools=[*definitions]))
        examples = self.render_examples(package, names)
        return KeyedTexts(
            recalled.texts | python.texts | json_files.texts | examples.texts,
            python.keys | json_files.keys | examples.keys,
        )

    def render_python(
        self, package: Package, names: PackageNames, definitions: Definitions, recalled: KeyedTexts
    ) -> KeyedTexts:
        """Render the Python files of a package, except for those in `recalled`; the result has these, too."""
        jobs = make_jobs(package, names, definitions.protocols) | make_stub_jobs(package, names, definitions.tools)
        missing = {path: make_job for path, make_job in jobs.items() if path not in recalled.texts}
        rendered = self._texts.render_jobs(missing, recalled.keys)
        return KeyedTexts(recalled.texts | rendered.texts, recalled.keys | rendered.keys)

    def render_runtime(self, definitions: Definitions, settings: PackageSettings) -> KeyedTexts:
        """Render the Python files of a run-time package."""
        return self._texts.render_jobs(make_runtime_jobs(settings, definitions.protocols), {})

    def render_json(self, names: PackageNames, definitions: Definitions) -> KeyedTexts:
        """Render the JSON files of the tools and resources, except for those that the cache has."""
        result = KeyedTexts()
        for tool in definitions.tools:
            tool_names = names.tools[tool.name]
            path = f"tools/{tool_names.module}.json"
            if self._memory.enabled:
                result.keys[path] = self._memo.call("tool JSON key", make_tool_json_key, tool, tool_names)
            render = partial(self._render_tool_definition, tool, tool_names)
            result.texts[path] = self._texts.render(render, result.keys.get(path))
        for resource in definitions.resources:
            module = names.resources[resource.name].module
            result.texts[f"resources/{module}.json"] = self._memo.call(
                "resource JSON", render_resource_json, resource, module
            )
        for prompt in definitions.prompts:
            module = names.prompts[prompt.name].module
            result.texts[f"prompts/{module}.json"] = self._memo.call("prompt JSON", render_prompt_json, prompt, module)
        return result

    def _render_tool_definition(self, tool: ToolDefinition, names: ToolNames) -> str:
        members = {key: tool.tool[key] for key in CONTRACT_MEMBERS if key in tool.tool}
        key = make_key("contract", json.dumps(members)) if self._memory.enabled else None
        return render_tool_definition(tool, names, self._texts.render(partial(hash_contract, members), key))

    def render_examples(self, package: Package, names: PackageNames) -> KeyedTexts:
        """Render the examples of the tools of a package, if it has any."""
        result = KeyedTexts()
        for tool in package.tools if package.testing else ():
            path = get_example_path(names.tools[tool.wire])
            text = result.texts[path] = self._memo.call("example", render_example, tool)
            if self._memory.enabled:
                result.keys[path] = make_key("example", text)
                self._memory.keep_text(result.keys[path], text)
        return result


def import_generators() -> None:
    """Import what a run over a whole package needs, before processes are started that are copies of this one."""
    import_module("mcpgen.content.statements")
    import_module("mcpgen.lower.assemble")


def lower_modules(modules: Sequence[list[LoweringRequest]]) -> list[list[SchemaRoot]]:
    """Lower the schemas of some modules; imported when it is needed, since most edits change no schema."""
    from mcpgen.lower import assemble

    return assemble.lower_modules(modules)


def _render_job(cache: RenderCache, job: Job) -> tuple[str, str]:
    return job.path, render_job(job, cache)
