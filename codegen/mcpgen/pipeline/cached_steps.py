"""Expensive steps of a run, each of which reuses the results of earlier runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

from mcpgen.cache.keys import make_key
from mcpgen.cache.memory import Memory, store_text
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import FileTracker
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.names.allocator import allocate_names
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.pipeline.cache_keys import CacheKeys, make_tool_json_key
from mcpgen.pipeline.cached_lowering import CachedLowering
from mcpgen.pipeline.cached_texts import CachedTexts, FileJob, KeyedTexts, ToolJsonJob, record_modules
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
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.read.file_cache import FileCache
from mcpgen.read.loader import read_definitions
from mcpgen.render.json_files import render_prompt_json, render_resource_json
from mcpgen.render.package import (
    get_example_path,
    make_package_jobs,
    make_tool_jobs,
    make_tool_list_jobs,
    render_example,
)
from mcpgen.render.stubs import make_stub_jobs
from mcpgen.workers import Workers


class CachedSteps:
    """Steps that compute only what no earlier run has computed from the same input.

    The passes that they call are pure functions. Only this module decides which results are kept, and under which
    keys.
    """

    def __init__(self, memory: Memory, workers: Workers, progress: Progress) -> None:
        self._memory, self._memo = memory, memory.memo
        self._workers, self._progress = workers, progress
        self._keys = CacheKeys(memory.memo)
        self._files = FileCache(memory.store)
        self._lowering = CachedLowering(memory, workers, self._keys, progress)
        self._texts = CachedTexts(memory, workers, progress)

    # --- read ---------------------------------------------------------------------------------------------------
    def read_definitions(self, package: ConfiguredPackage, disk: FileTracker, findings: Findings) -> Definitions:
        """Read the definitions of a package, and begin to lower their schemas; errors go into `findings`."""
        self._progress("reading", 0, 1, ", ".join(package.settings.schemas))
        out = str(package.out)
        self._files = self._memo.get_object("definition files", out, lambda: self._files) or self._files

        def announce(tools: Sequence[ToolDefinition]) -> None:
            for tool in tools:
                self._lowering.announce(make_tool_requests(tool, package.settings), package.settings)

        return read_definitions(package, findings, disk, self._files, announce)

    def store_definitions(self) -> None:
        """Store the definitions that were read in the cache, for a run that reads most of them again."""
        self._files.store_kept()

    def make_outline(
        self,
        package: ConfiguredPackage,
        tools: Sequence[ToolModule],
        resources: Sequence[ResourceModule],
        ir: Package,
        names: PackageNames,
    ) -> PackageOutline | None:
        """Return the outline of a package that was read and lowered by these steps, None if no run will look for it."""
        if self._memory.store is None or package.settings.types or ir.stubs:
            return None
        return make_outline(package, self._files.list_kept(), tools, resources, ir, names)

    # --- lower --------------------------------------------------------------------------------------------------
    def lower_tools(
        self, definitions: Sequence[ToolDefinition], settings: PackageSettings, findings: Findings
    ) -> list[ToolModule]:
        """Lower the schemas of every tool, and report what the types do not express."""
        modules: list[ToolModule] = []
        requests = [make_tool_requests(definition, settings) for definition in definitions]
        lowered = self._lowering.lower(requests, settings, [definition.name for definition in definitions])
        for definition, roots in zip(definitions, lowered, strict=True):
            report_tool_notes(definition, roots, findings)
            output = roots[1] if definition.output is not None else None
            module = self._memo.call("module", assemble_tool, definition, roots[0], output)
            if definition.choices.content_chosen or module.has_annotations:
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
        lowered = self._lowering.lower(requests, settings, [definition.name for definition, _ in typed])
        for (definition, _), (root,) in zip(typed, lowered, strict=True):
            roots[definition.name] = root
            report_resource_notes(definition, root, findings)
        return [assemble_resource(definition, roots.get(definition.name)) for definition in definitions]

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
        """Return the texts that the cache has of the modules of tools and shared classes."""
        if not self._memory.enabled:
            return KeyedTexts()
        keys = self._keys.make_tool_keys(package, names, definitions.tools, settings)
        keys |= self._keys.make_types_keys(package, names, settings)
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
        rendered = self._start_rendering({**make_tool_jobs(package, names)}, names, definitions, recalled)()
        return self.record_modules(rendered.merge(self.render_examples(package, names)))

    def record_modules(self, files: KeyedTexts) -> KeyedTexts:
        """Return files, each JSON file of which has the hash of the module beside it."""
        return record_modules(files, self._memory)

    def render_tool_lists(self, package: Package, names: PackageNames) -> KeyedTexts:
        """Render the files that name all tools of a package. Of the package, only its settings count."""
        return self._texts.start_rendering({**make_tool_list_jobs(package, names)}, {})()

    def start_rendering(
        self, package: Package, names: PackageNames, definitions: Definitions, recalled: KeyedTexts
    ) -> Callable[[], KeyedTexts]:
        """Begin to render the Python files of a package, but for those in `recalled`, and the JSON files of its tools.

        Returns:
            A function that waits for the texts, and returns those in `recalled`, too.
        """
        jobs = make_package_jobs(package, names) | make_stub_jobs(package, names, definitions.tools)
        return self._start_rendering({**jobs}, names, definitions.tools, recalled)

    def _start_rendering(
        self,
        jobs: dict[str, Callable[[], FileJob]],
        names: PackageNames,
        definitions: Sequence[ToolDefinition],
        recalled: KeyedTexts,
    ) -> Callable[[], KeyedTexts]:
        keys: dict[str, str] = {}
        for tool in definitions:
            tool_names = names.tools[tool.name]
            path = f"tools/{tool_names.module}.json"
            jobs[path] = partial(ToolJsonJob, path, tool, tool_names)
            if self._memory.enabled:
                keys[path] = self._memo.call("tool JSON key", make_tool_json_key, tool, tool_names)
        recalled = recalled.merge(self._texts.recall(keys))
        missing = {path: make_job for path, make_job in jobs.items() if path not in recalled.texts}
        wait = self._texts.start_rendering(missing, recalled.keys)
        return lambda: recalled.merge(wait())

    def render_json(self, names: PackageNames, definitions: Definitions) -> dict[str, str]:
        """Render the JSON files of the resources and prompts, by path."""
        texts: dict[str, str] = {}
        for resource in definitions.resources:
            module = names.resources[resource.name].module
            texts[f"resources/{module}.json"] = self._memo.call("resource JSON", render_resource_json, resource, module)
        for prompt in definitions.prompts:
            module = names.prompts[prompt.name].module
            texts[f"prompts/{module}.json"] = self._memo.call("prompt JSON", render_prompt_json, prompt, module)
        return texts

    def render_examples(self, package: Package, names: PackageNames) -> KeyedTexts:
        """Render the examples of the tools of a package, if it has any."""
        result = KeyedTexts()
        for tool in package.tools if package.testing else ():
            path = get_example_path(names.tools[tool.wire])
            text = result.texts[path] = self._memo.call("example", render_example, tool)
            if self._memory.enabled:
                result.keys[path] = make_key("example", text)
                self._memory.keep_text(result.keys[path], text)
                store_text(self._memory.store, result.keys[path], text)
        return result


def import_generators() -> None:
    """Import what a run over a whole package needs, before processes are started that are copies of this one."""
    import_module("mcpgen.content.statements")
    import_module("mcpgen.lower.assemble")
