"""The pipeline, flat: read → lower → share → name → render → plan; `build` writes the plan, `check` reports it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from mcpgen.cache.memory import Memory
from mcpgen.config import models
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_access import Disk, candidates
from mcpgen.ir.package import Package, ValueLimits
from mcpgen.lower.shared_types import share
from mcpgen.names.allocator import allocate
from mcpgen.paths import relative
from mcpgen.pipeline.cache_keys import known, known_tools, protocol_key, tool_keys
from mcpgen.pipeline.content_templates import with_templates
from mcpgen.pipeline.lowering import lower_resources, lower_tools
from mcpgen.pipeline.naming import check_names, count_classes, report_clash, report_early_clashes
from mcpgen.pipeline.outcome import Outcome, compare, finish
from mcpgen.pipeline.progress import Progress
from mcpgen.pipeline.rendering import make_protocol_job, render_files, render_wrapped_schemas
from mcpgen.read.file_cache import Earlier
from mcpgen.read.loader import read
from mcpgen.render.json_files import resources_json, tools_json
from mcpgen.render.json_writer import written
from mcpgen.render.package import jobs, other_files
from mcpgen.schema.contract import contract_hash
from mcpgen.workers import Workers

__all__ = ["Outcome", "compare", "finish", "generate"]

LARGE = 100
"""Files."""


def generate(package: models.Package, jobs_count: int, progress: Progress, memory: Memory | None = None) -> Outcome:
    """Everything up to the text of a package's files; nothing on disk is looked at but the input and the memory."""
    outcome = Outcome(package.folder / package.settings.out, Findings())
    disk = Disk(package.roots, package.settings.limits.file_size)
    outcome.seen = disk.seen
    try:
        with Workers(jobs_count) as workers:
            if not (memory and memory.warm) and _is_large(package):
                workers.start()
            outcome.wanted = _wanted(package, workers, progress, outcome, memory or Memory(), disk)
    except OSError as error:
        where = Span(relative(Path(error.filename or package.folder)))
        outcome.findings.error("MG001", f"cannot be read: {error.strerror or error}", where)
    return outcome


def _is_large(package: models.Package) -> bool:
    """Whether there are so many definitions that most likely several processes have to do with them."""
    roots, out = [package.folder / path for path in package.settings.schemas], package.folder / package.settings.out
    return len([*islice((path for root in roots for path in candidates(root, out)), LARGE)]) == LARGE


def _wanted(
    package: models.Package, workers: Workers, progress: Progress, outcome: Outcome, memory: Memory, disk: Disk
) -> dict[str, str] | None:
    """The text of every file, by its path in the output folder; None: the input is wrong."""
    findings, settings = outcome.findings, package.settings
    progress("reading", 0, 1)
    definitions = read(
        [package.folder / path for path in settings.schemas],
        package,
        findings,
        disk,
        memory.slot(str(outcome.out), Earlier),
    )
    check_names(definitions, findings)
    if not findings.failed and not definitions.tools and not definitions.resources:
        for path in settings.schemas:
            where = Span(relative(package.folder / path))
            findings.error("MG007", "no tool or resource is defined here", where, "see the README for a first schema")
    if findings.failed:
        report_early_clashes(definitions, findings)
        return None
    modules = lower_tools(definitions, settings, workers, progress, findings, memory)
    payloads = lower_resources(definitions.resources, settings, workers, progress, findings, memory)
    tools, resources, shared = share(modules, payloads)
    extras = ("azure",) if settings.azure else ()
    limits = ValueLimits(settings.limits.value_depth, settings.limits.pattern_length, settings.limits.pattern_steps)
    ir = Package(tuple(tools), tuple(resources), tuple(shared), settings.sdk, settings.protocol, extras, limits)
    names, clashes = allocate(ir, memory)
    for clash in clashes:
        report_clash(clash.first, clash.second, clash.python, definitions, findings)
    keys = outcome.keys
    if memory.on:
        keys |= tool_keys(ir, names, definitions.tools, memory) | {
            "protocol.py": protocol_key(ir, definitions.protocols)
        }
    texts = known(memory, keys)
    ir = replace(ir, tools=tuple(with_templates(tools, definitions.tools, shared, findings, known_tools(names, texts))))
    if findings.failed:
        return None
    contracts = {one.name: memory.memoize("contract", contract_hash, one.tool) for one in definitions.tools}
    made = jobs(ir, names, partial(make_protocol_job, ir, definitions.protocols), contracts)
    todo = {path: make for path, make in made.items() if path not in texts}
    wanted = texts | render_files(todo, keys, workers, progress, memory)
    declared = [memory.memoize("tool", written, one.tool) for one in definitions.tools]
    wanted["tools.json"] = tools_json(declared, render_wrapped_schemas(definitions.tools, memory))
    wanted["resources.json"] = resources_json(definitions.resources)
    wanted |= other_files()
    outcome.tools, outcome.classes = len(tools), count_classes(names)
    outcome.unchosen = sum(
        one.content == "json" and not chosen.choices.content_chosen and one.output is not None
        for one, chosen in zip(tools, definitions.tools, strict=True)
    )
    return wanted


# --- lower -----------------------------------------------------------------------------------------------------------


# --- name ------------------------------------------------------------------------------------------------------------


# --- render ----------------------------------------------------------------------------------------------------------
