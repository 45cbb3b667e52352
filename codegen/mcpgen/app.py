"""The pipeline, flat: read → lower → share → name → render → plan; `build` writes the plan, `check` reports it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from mcpgen.cache.memory import Memory
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import find_candidates
from mcpgen.files.file_tracker import FileTracker
from mcpgen.ir.package import Package, ValueLimits
from mcpgen.lower.shared_types import share_types
from mcpgen.names.allocator import allocate_names
from mcpgen.paths import format_relative_path
from mcpgen.pipeline.cache_keys import find_cached_texts, find_cached_tools, make_protocol_key, make_tool_keys
from mcpgen.pipeline.content_templates import attach_templates
from mcpgen.pipeline.lowering import lower_resources, lower_tools
from mcpgen.pipeline.naming import check_names, count_classes, report_clash, report_early_clashes
from mcpgen.pipeline.outcome import Outcome, compare_output, write_output
from mcpgen.pipeline.progress import Progress
from mcpgen.pipeline.rendering import make_protocol_job, render_files, render_wrapped_schemas
from mcpgen.read.file_cache import FileCache
from mcpgen.read.loader import read_definitions
from mcpgen.render.json_files import render_resources_json, render_tools_json
from mcpgen.render.json_writer import render_json_value
from mcpgen.render.package import make_package_jobs, render_other_files
from mcpgen.schema.contract import hash_contract
from mcpgen.workers import Workers

__all__ = ["Outcome", "compare_output", "generate_package", "write_output"]

LARGE_DEFINITION_COUNT = 100
"""Files."""


def generate_package(
    package: ConfiguredPackage, jobs_count: int, progress: Progress, memory: Memory | None = None
) -> Outcome:
    """Everything up to the text of a package's files; nothing on disk is looked at but the input and the memory."""
    outcome = Outcome(package.folder / package.settings.out, Findings())
    disk = FileTracker(package.roots, package.settings.limits.file_size)
    outcome.seen = disk.observations
    try:
        with Workers(jobs_count) as workers:
            if not (memory and memory.warm) and _has_many_definitions(package):
                workers.start()
            outcome.wanted = _generate_texts(package, workers, progress, outcome, memory or Memory(), disk)
    except OSError as error:
        where = Span(format_relative_path(Path(error.filename or package.folder)))
        outcome.findings.error("MG001", f"cannot be read: {error.strerror or error}", where)
    return outcome


def _has_many_definitions(package: ConfiguredPackage) -> bool:
    """Whether there are so many definitions that most likely several processes have to do with them."""
    roots, out = [package.folder / path for path in package.settings.schemas], package.folder / package.settings.out
    return (
        len([*islice((path for root in roots for path in find_candidates(root, out)), LARGE_DEFINITION_COUNT)])
        == LARGE_DEFINITION_COUNT
    )


def _generate_texts(
    package: ConfiguredPackage,
    workers: Workers,
    progress: Progress,
    outcome: Outcome,
    memory: Memory,
    disk: FileTracker,
) -> dict[str, str] | None:
    """The text of every file, by its path in the output folder; None: the input is wrong."""
    findings, settings = outcome.findings, package.settings
    progress("reading", 0, 1)
    definitions = read_definitions(
        [package.folder / path for path in settings.schemas],
        package,
        findings,
        disk,
        memory.slot(str(outcome.out), FileCache),
    )
    check_names(definitions, findings)
    if not findings.failed and not definitions.tools and not definitions.resources:
        for path in settings.schemas:
            where = Span(format_relative_path(package.folder / path))
            findings.error("MG007", "no tool or resource is defined here", where, "see the README for a first schema")
    if findings.failed:
        report_early_clashes(definitions, findings)
        return None
    modules = lower_tools(definitions, settings, workers, progress, findings, memory)
    payloads = lower_resources(definitions.resources, settings, workers, progress, findings, memory)
    tools, resources, shared = share_types(modules, payloads)
    extras = ("azure",) if settings.azure else ()
    limits = ValueLimits(settings.limits.value_depth, settings.limits.pattern_length, settings.limits.pattern_steps)
    ir = Package(tuple(tools), tuple(resources), tuple(shared), settings.sdk, settings.protocol, extras, limits)
    names, clashes = allocate_names(ir, memory)
    for clash in clashes:
        report_clash(clash.first, clash.second, clash.python, definitions, findings)
    keys = outcome.keys
    if memory.on:
        keys |= make_tool_keys(ir, names, definitions.tools, settings, memory) | {
            "protocol.py": make_protocol_key(settings, definitions.protocols)
        }
    texts = find_cached_texts(memory, keys)
    ir = replace(
        ir, tools=tuple(attach_templates(tools, definitions.tools, shared, findings, find_cached_tools(names, texts)))
    )
    if findings.failed:
        return None
    contracts = {one.name: memory.memoize("contract", hash_contract, one.tool) for one in definitions.tools}
    made = make_package_jobs(ir, names, partial(make_protocol_job, ir, definitions.protocols), contracts)
    todo = {path: make for path, make in made.items() if path not in texts}
    wanted = texts | render_files(todo, keys, workers, progress, memory)
    declared = [memory.memoize("tool", render_json_value, one.tool) for one in definitions.tools]
    wanted["tools.json"] = render_tools_json(declared, render_wrapped_schemas(definitions.tools, memory))
    wanted["resources.json"] = render_resources_json(definitions.resources)
    wanted |= render_other_files()
    outcome.tools, outcome.classes = len(tools), count_classes(names)
    outcome.unchosen = sum(
        one.content == "json" and not chosen.choices.content_chosen and one.output is not None
        for one, chosen in zip(tools, definitions.tools, strict=True)
    )
    return wanted


# --- lower -----------------------------------------------------------------------------------------------------------


# --- name ------------------------------------------------------------------------------------------------------------


# --- render ----------------------------------------------------------------------------------------------------------
