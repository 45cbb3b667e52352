"""Expensive steps of a run: each looks its results up in the store, and computes only what is not there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Protocol, cast

from mcpgen_runtime.tool_contract import contract_hash

from mcpgen.cache.store import Store
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.ownership import get_record_path
from mcpgen.ir.package import FormModule, Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.lower.request import LoweringRequest
from mcpgen.names.allocator import allocate_names
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.pipeline.cache_keys import (
    make_job_key,
    make_module_keys,
    make_roots_key,
    make_tool_json_key,
    serialize_ir_settings,
)
from mcpgen.pipeline.checks import report_clashes
from mcpgen.pipeline.content_templates import check_content_strategy
from mcpgen.pipeline.lowering import (
    assemble_form,
    assemble_resource,
    assemble_tool,
    make_form_request,
    make_resource_request,
    make_tool_requests,
    report_resource_notes,
    report_tool_notes,
)
from mcpgen.read.definitions import Definitions, FormDefinition, ResourceDefinition, ToolDefinition
from mcpgen.read.loader import read_definitions
from mcpgen.render.jobs import Job, render_job
from mcpgen.render.json_files import (
    record_module,
    render_form_json,
    render_prompt_json,
    render_resource_json,
    render_tool_json,
)
from mcpgen.render.package import get_example_path, make_package_jobs, render_example
from mcpgen.render.stubs import make_stub_jobs
from mcpgen.schema.object_roots import has_object_type, implies_object, list_moved_references
from mcpgen.schema.values import Json
from mcpgen.workers import MIN_PARALLEL_ITEMS, Workers

MOST_MODULES_AT_ONCE, CHUNKS_OF_MODULES = 32, 8
"""Modules whose types are generated together, and the parts in which a small package is lowered, for all processes."""
MIN_STORED_CONTRACT = 2**15
"""Characters of a contract's JSON from which on its hash is stored: smaller ones are hashed faster than an entry is."""
_CONTRACT_MEMBERS = ("name", "inputSchema", "outputSchema")
"""Members of a Tool that its contract depends on."""


class CachedSteps:
    """Steps that compute only what the store lacks. The passes that they call are pure functions.

    Args:
        store: the results of earlier runs.
        workers: processes that lower schemas and render files.
        progress: receives how much of each step is done.
    """

    def __init__(self, store: Store, workers: Workers, progress: Progress) -> None:
        self._store, self._workers, self._progress = store, workers, progress
        self._lowering = _Lowering(store, workers)

    # --- read and lower -----------------------------------------------------------------------------------------
    def read_definitions(self, package: ConfiguredPackage, disk: FileTracker, findings: Findings) -> Definitions:
        """Read the definitions of a package, and begin to lower their schemas; errors go into `findings`."""
        self._progress("reading", 0, 1, ", ".join(package.settings.schemas))

        settings = serialize_ir_settings(package.settings)

        def announce(tools: Sequence[ToolDefinition]) -> None:
            for tool in tools:
                self._lowering.announce(make_tool_requests(tool, package.settings), settings)

        return read_definitions(package, findings, disk, self._store, announce)

    def lower_tools(
        self, definitions: Sequence[ToolDefinition], settings: PackageSettings, findings: Findings
    ) -> list[ToolModule]:
        """Lower the schemas of every tool, and report what the types do not express."""
        modules: list[ToolModule] = []
        requests = [make_tool_requests(definition, settings) for definition in definitions]
        for definition, roots in zip(definitions, self._lower(requests, settings, definitions), strict=True):
            report_tool_notes(definition, roots, findings)
            module = self._store.call("module", assemble_tool, definition, *roots)
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
        lowered = self._lower(requests, settings, [definition for definition, _ in typed])
        roots: dict[str, SchemaRoot] = {}
        for (definition, _), (root,) in zip(typed, lowered, strict=True):
            roots[definition.name] = root
            report_resource_notes(definition, root, findings)
        return [assemble_resource(definition, roots.get(definition.name)) for definition in definitions]

    def lower_forms(self, definitions: Sequence[FormDefinition], settings: PackageSettings) -> list[FormModule]:
        """Lower the schemas of all forms, whose types are exact: MCP has only primitive ones there."""
        requests = [make_form_request(definition, settings) for definition in definitions]
        lowered = self._lower(requests, settings, definitions)
        return [assemble_form(definition, root) for definition, (root,) in zip(definitions, lowered, strict=True)]

    def _lower(
        self,
        requests: Sequence[list[LoweringRequest]],
        settings: PackageSettings,
        definitions: Sequence[ToolDefinition | ResourceDefinition | FormDefinition],
    ) -> list[list[SchemaRoot]]:
        """Return the roots of each module's schemas."""
        waiting = self._lowering.start(requests, serialize_ir_settings(settings))
        results: list[list[SchemaRoot]] = []
        for wait, definition in zip(waiting, definitions, strict=True):
            results.append(wait())
            self._progress("lowering", len(results), len(requests), definition.name)
        return results

    # --- name ---------------------------------------------------------------------------------------------------
    def allocate_names(self, package: Package, definitions: Definitions, findings: Findings) -> PackageNames:
        """Return the Python names of a package, and report those that clash."""

        def reuse_names(context: str, allocate: Callable[[ToolModule], ToolNames], tool: ToolModule) -> ToolNames:
            return self._store.call(f"names {context}", allocate, tool)

        names, clashes = allocate_names(package, reuse_names)
        report_clashes(clashes, definitions, findings)
        return names

    # --- render -------------------------------------------------------------------------------------------------
    def find_texts(
        self, package: Package, names: PackageNames, definitions: Definitions, settings: PackageSettings
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Return the texts that the store has of the modules of tools and shared classes, and the keys of all."""
        if not self._store.is_used:
            return {}, {}
        keys = make_module_keys(package, names, definitions.tools, settings, self._store)
        for tool in definitions.tools:
            keys[_get_json_path(names.tools[tool.name])] = self._store.call(
                "tool JSON", make_tool_json_key, tool, names.tools[tool.name]
            )
        found = {path: self._store.get("text", key, str) for path, key in keys.items()}
        return {path: text for path, text in found.items() if text is not None}, keys

    def start_rendering(
        self,
        package: Package,
        names: PackageNames,
        definitions: Definitions,
        texts: Mapping[str, str],
        keys: Mapping[str, str],
    ) -> Callable[[], dict[str, str]]:
        """Begin to render the Python files of a package, and the JSON files of its tools.

        Args:
            package: the package.
            names: its names.
            definitions: its definitions.
            texts: the texts of files that need not be rendered, by path.
            keys: the keys of files that are not in the store. The others are looked up there.

        Returns:
            A function that waits for the texts of all files.
        """
        jobs: dict[str, Callable[[], FileJob]] = {**make_package_jobs(package, names)}
        jobs |= make_stub_jobs(package, names, definitions.tools)
        for tool in definitions.tools:
            path = _get_json_path(names.tools[tool.name])
            jobs[path] = partial(ToolJsonJob, path, tool, names.tools[tool.name])
        result, makers = {**texts}, list[Callable[[], tuple[str, FileJob]]]()
        all_keys = {**keys}
        for path, make_job in jobs.items():
            if path in result:
                continue
            if self._store.is_used and path not in all_keys:
                job = make_job()
                assert isinstance(job, Job)
                all_keys[path] = make_job_key(job)
                if (text := self._store.get("text", all_keys[path], str)) is not None:
                    result[path] = text
                    continue
            makers.append(partial(_make_item, all_keys.get(path, ""), make_job))
        rendered = self._workers.map_made(partial(_render_and_store, self._store), makers)

        def wait() -> dict[str, str]:
            for path, text in rendered:
                result[path] = text
                self._store.keep("text", all_keys.get(path, ""), text)
                self._progress("rendering", len(result), len(jobs), path)
            return result

        return wait


def render_definitions(names: PackageNames, definitions: Definitions) -> dict[str, str]:
    """Render the JSON files of the resources, prompts and forms, by path."""
    resources = ((resource, names.resources[resource.name].module) for resource in definitions.resources)
    prompts = ((prompt, names.prompts[prompt.name].module) for prompt in definitions.prompts)
    texts = {f"resources/{module}.json": render_resource_json(resource, module) for resource, module in resources}
    texts |= {f"prompts/{module}.json": render_prompt_json(prompt, module) for prompt, module in prompts}
    forms = ((form, names.forms[form.name].module) for form in definitions.forms)
    return texts | {f"forms/{module}.json": render_form_json(form, module) for form, module in forms}


def render_examples(package: Package, names: PackageNames) -> dict[str, str]:
    """Render the examples of the tools of a package, if it has any, by path."""
    tools = package.tools if package.testing else ()
    return {get_example_path(names.tools[tool.wire]): render_example(tool) for tool in tools}


def record_modules(texts: Mapping[str, str]) -> dict[str, str]:
    """Return files, each JSON file of which has the hash of the module beside it."""
    recorded = {**texts}
    for path, module in texts.items():
        record = get_record_path(path)
        if record is not None and record in texts:
            recorded[record] = record_module(texts[record], module)
    return recorded


# --- lowering in processes -------------------------------------------------------------------------------------------
class _Lowering:
    """Lowering of modules: those that the store lacks are lowered in processes, as soon as they are announced."""

    def __init__(self, store: Store, workers: Workers) -> None:
        self._store, self._workers = store, workers
        self._pending: dict[str, list[LoweringRequest]] = {}
        """Requests of modules that no process has yet, by key."""
        self._results: dict[str, Callable[[], list[SchemaRoot]]] = {}
        """Functions that wait for the roots of modules, by key."""

    def announce(self, requests: list[LoweringRequest], settings: str) -> str:
        """Begin to lower the schemas of a module, unless they are lowered already; return its key."""
        key = make_roots_key(requests, settings)
        if key not in self._results and key not in self._pending:
            roots = cast("list[SchemaRoot] | None", self._store.get("roots", key, list))
            if roots is None:
                self._pending[key] = requests
            else:
                self._results[key] = partial(_return, roots)
            self._start_workers()
            if self._workers.are_running and len(self._pending) >= MOST_MODULES_AT_ONCE:
                self._submit(MOST_MODULES_AT_ONCE)
        return key

    def start(self, requests: Sequence[list[LoweringRequest]], settings: str) -> list[Callable[[], list[SchemaRoot]]]:
        """Begin to lower the schemas of modules; return a function for each that waits for its roots."""
        keys = [self.announce(schemas, settings) for schemas in requests]
        self._submit(max(1, min(MOST_MODULES_AT_ONCE, len(self._pending) // CHUNKS_OF_MODULES)))
        return [self._results[key] for key in keys]

    def _start_workers(self) -> None:
        """Start processes if there is enough to lower: copies of this one, which has then imported what they need."""
        if len(self._pending) >= MIN_PARALLEL_ITEMS and not self._workers.are_running:
            import_module("mcpgen.content.statements")
            import_module("mcpgen.lower.assemble")
            self._workers.start()

    def _submit(self, size: int) -> None:
        """Hand the pending modules to processes, `size` at once. Without processes, the first wait lowers them."""
        items = [*self._pending.items()]
        self._pending.clear()
        for start in range(0, len(items), size):
            chunk = items[start : start + size]
            wait = cache(self._workers.submit(partial(_lower_and_store, self._store), chunk))
            for number, (key, _) in enumerate(chunk):
                self._results[key] = partial(self._take, key, wait, number)

    def _take(self, key: str, wait: Callable[[], Sequence[list[SchemaRoot]]], number: int) -> list[SchemaRoot]:
        roots = wait()[number]
        if _are_final(roots):
            self._store.keep("roots", key, roots)
        return roots


def _return(roots: list[SchemaRoot]) -> list[SchemaRoot]:
    return roots


def _lower_and_store(store: Store, items: Sequence[tuple[str, list[LoweringRequest]]]) -> list[list[SchemaRoot]]:
    """Lower the schemas of some modules together, and store each module's roots under its key."""
    from mcpgen.lower.assemble import lower_modules  # most edits change no schema
    from mcpgen.lower.type_cache import get_process_cache

    modules = [requests for _, requests in items]
    lowered = lower_modules(modules, get_process_cache(store, modules[0][0].seconds))  # which is that of all
    for (key, _), roots in zip(items, lowered, strict=True):
        if _are_final(roots):
            store.put("roots", key, [root.complete() for root in roots])
    return lowered


def _are_final(roots: list[SchemaRoot]) -> bool:
    """Tell whether lowering will come to the same again: what has no type may have run out of time."""
    return not any(root.untyped for root in roots)


# --- rendering in processes ------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ToolJsonJob:
    """JSON file of a tool to render: picklable."""

    path: str
    tool: ToolDefinition
    names: ToolNames


FileJob = Job | ToolJsonJob


def _get_json_path(names: ToolNames) -> str:
    return f"tools/{names.module}.json"


def _make_item(key: str, make_job: Callable[[], FileJob]) -> tuple[str, FileJob]:
    return key, make_job()


def _render_and_store(store: Store, item: tuple[str, FileJob]) -> tuple[str, str]:
    """Return the path and the text of a file; the text is stored under its key, unless that is empty."""
    key, job = item
    if isinstance(job, ToolJsonJob):
        text = render_tool_definition(job.tool, job.names, _find_contract_hash(job.tool, store))
    else:
        text = render_job(job, store)
    if key:
        store.put("text", key, text)
    return job.path, text


def _find_contract_hash(tool: ToolDefinition, store: Store) -> str:
    """Return the hash of a tool's contract. That of a large one is looked up first: most edits don't change it."""
    members: dict[str, Json] = {key: tool.tool[key] for key in _CONTRACT_MEMBERS if key in tool.tool}
    text = json.dumps(members) if store.is_used else ""
    if len(text) < MIN_STORED_CONTRACT:
        return contract_hash(members)
    return store.compute("contract", text, lambda _: contract_hash(members))


def render_tool_definition(tool: ToolDefinition, names: ToolNames, contract_hash: str) -> str:
    """Return the JSON file of a tool."""
    return render_tool_json(tool, names.module, _describe_wrapping(tool), contract_hash)


def _describe_wrapping(tool: ToolDefinition) -> dict[str, Json] | None:
    """Return when a tool's outputSchema is advertised in another form, and how that is derived; None if it never is.

    The form is a wrapper, or the schema with `"type": "object"` where its root only implies that.
    """
    if tool.output is None or has_object_type(tool.output.value):
        return None
    schema, dialect = tool.output.value, tool.output.dialect
    if implies_object(schema, dialect):
        return {"when": "legacy", "as": "object"}
    wrapping: dict[str, Json] = {"when": tool.wrapping, "as": "result"}
    if references := list_moved_references(schema, dialect):
        wrapping["references"] = [*references]
    return wrapping


class Progress(Protocol):
    """Function that is told how far a step is."""

    def __call__(self, step: str, done_count: int, total: int, item: str = "", /) -> None:
        """Take the name of a step, how many of its items are done, how many there are, and the name of the last one."""
        ...


def ignore_progress(step: str, done_count: int, total: int, item: str = "", /) -> None:
    """Report nothing."""
