"""Pipeline as a flat sequence of steps: read → lower → share → name → render."""

from __future__ import annotations

from pathlib import Path

from mcpgen.cache.store import Store
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_tracker import FileTracker
from mcpgen.paths import format_relative_path
from mcpgen.pipeline.cached_steps import (
    CachedSteps,
    Progress,
    record_modules,
    render_definitions,
    render_examples,
)
from mcpgen.pipeline.checks import (
    check_chosen_names,
    check_definitions,
    check_named_places,
    count_classes,
)
from mcpgen.pipeline.content_templates import attach_templates, find_rendered_tools
from mcpgen.pipeline.lowering import assemble_prompt, make_package
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome, compare_output, write_output
from mcpgen.render.json_files import render_instructions
from mcpgen.render.library import render_vendored_files
from mcpgen.render.package import render_other_files
from mcpgen.render.stubs import render_stub_index
from mcpgen.schema.values import allow_deep_recursion
from mcpgen.workers import Workers

__all__ = ["GeneratedFiles", "Outcome", "compare_output", "generate_package", "write_output"]


@allow_deep_recursion()
def generate_package(
    package: ConfiguredPackage, jobs_count: int, progress: Progress, store: Store | None = None
) -> Outcome:
    """Generate the text of every file of a package. The output folder stays as it is.

    `compare_output` or `write_output` completes the outcome. With a store, only what has changed is generated.
    """
    store = store or Store()
    outcome = Outcome(package.out, Findings(), package=package)
    disk = FileTracker(package.roots, package.settings.limits.file_size)
    outcome.observed = disk.observations
    try:
        with Workers(jobs_count) as workers:
            steps = CachedSteps(store, workers, progress)
            outcome.generated = _generate_files(package, disk, outcome.findings, steps)
    except OSError as error:
        where = Span(format_relative_path(Path(error.filename or package.folder)))
        outcome.findings.error("MG001", f"cannot be read: {error.strerror or error}", where)
    return outcome


def _generate_files(
    package: ConfiguredPackage, disk: FileTracker, findings: Findings, steps: CachedSteps
) -> GeneratedFiles | None:
    """Run the passes in order; None if there are errors, which are then in `findings`."""
    settings = package.settings
    definitions = steps.read_definitions(package, disk, findings)
    if not check_definitions(definitions, package, findings):
        return None
    tools = steps.lower_tools(definitions.tools, settings, findings)
    resources = steps.lower_resources(definitions.resources, settings, findings)
    check_named_places(tools, resources, definitions, package, findings)
    prompts = [assemble_prompt(prompt) for prompt in definitions.prompts]
    ir = make_package(tools, resources, settings, prompts, steps.lower_forms(definitions.forms, settings))
    names = steps.allocate_names(ir, definitions, findings)
    check_chosen_names(ir, names, definitions, package, findings)
    known_texts, keys = steps.find_texts(ir, names, definitions, settings)
    ir = attach_templates(ir, definitions.tools, findings, find_rendered_tools(names, known_texts))
    if findings.failed:
        return None
    wait_for_texts = steps.start_rendering(ir, names, definitions, known_texts, keys)
    other_files = (
        render_other_files(settings.app_types)
        | render_instructions(definitions.instructions)
        | render_stub_index(ir, names)
    )
    other_files |= render_definitions(names, definitions) | render_examples(ir, names) | render_vendored_files(ir)
    if package.app_types is not None:
        from mcpgen.render.typescript import render_app_types

        other_files[package.app_types] = render_app_types(ir, names, definitions.tools)
    texts = record_modules(wait_for_texts() | other_files)
    return GeneratedFiles(texts, tool_count=len(ir.tools), class_count=count_classes(ir, names))
