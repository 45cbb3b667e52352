"""`mcpgen docs`: write a reference of the server for people, as Markdown pages and as one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from mcpgen import write
from mcpgen.commands.diff_inputs import DiffRequest
from mcpgen.commands.docs_remarks import CollectedRemarks, collect_changes, collect_lint
from mcpgen.commands.docs_results import (
    ExampleTask,
    MeasuredExample,
    PageTask,
    make_tool_result_page,
    measure_example,
)
from mcpgen.commands.missing_package import suggest_build
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.files.project_paths import is_in_repository_data, is_within
from mcpgen.ir.uri_template import list_uri_variables
from mcpgen.lint.invisible_text import mark_invisible
from mcpgen.paths import format_path
from mcpgen.pipeline.reading import check_definitions
from mcpgen.plan import Action, Plan, Step, find_first_difference, make_plan
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.read.loader import read_definitions
from mcpgen.reference.model import PageKind, SiteHead
from mcpgen.reference.pages import ToolSource, make_prompt_page, make_resource_page
from mcpgen.reference.site import HTML_FILE, RenderedPage, assemble_site, render_page
from mcpgen.reference.slugs import make_slugs
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.schema.values import allow_deep_recursion, hash_json
from mcpgen.vocabularies import VocabularyMissing, VocabularyName, make_counter
from mcpgen.workers import Workers, pause_garbage_collection

DEFAULT_FOLDER = "site"


@dataclass(frozen=True)
class DocsRequest:
    """What the reference shows, and where it is written."""

    out: Path | None
    """None: the folder `site` beside the settings."""
    title: str
    since: DiffRequest | None
    """The git revision to compare with."""
    force: bool
    jobs: int


def run_docs(loaded: LoadedPackages, request: DocsRequest, output: CommandOutput) -> int:
    """Write the reference of the only package and return the exit code."""
    findings = loaded.findings
    if len(loaded.packages) > 1:
        help = "name a settings file with one package: --config"
        findings.error("MG302", "a reference is of one package, but the settings hold several", None, help)
    if findings.failed or not loaded.packages:
        return output.finish(findings, INVALID_INPUT)
    package = loaded.packages[0]
    out = _locate_output(package, request, findings)
    with allow_deep_recursion(), pause_garbage_collection():
        texts = {} if findings.failed else _make_site(package, request, findings)
    if findings.failed:
        return output.finish(findings, INVALID_INPUT)
    plan = _write_site(out, texts, request.force, findings)
    if plan is None or findings.failed:
        return output.finish(findings, WRITE_REFUSED if plan is not None else INVALID_INPUT)
    changed = sum(step.action is not Action.KEEP for step in plan.steps)
    code = output.finish(findings, SUCCESS, lambda: {"out": format_path(out), "files": len(texts), "changed": changed})
    output.print_remark(
        f"{format_path(out / HTML_FILE)} and {format_count(len(texts) - 1, 'Markdown page')}, {changed} changed"
    )
    return code


def _locate_output(package: ConfiguredPackage, request: DocsRequest, findings: Findings) -> Path:
    """Return the output folder. The default one has to be in the project, like every path of the settings."""
    if request.out is not None:
        return Path.cwd() / request.out
    out = package.folder / DEFAULT_FOLDER
    roots = package.roots
    if roots is not None and (not is_within(out, roots) or is_in_repository_data(out, roots)):
        message = f'"{DEFAULT_FOLDER}" is outside the project {format_path(roots[0])}'
        findings.error("MG304", message, Span(format_path(out)), "name the folder: --out FOLDER")
    return out


def _make_site(package: ConfiguredPackage, request: DocsRequest, findings: Findings) -> dict[str, str]:
    """Return the text of each file; none, with findings, if the definitions are wrong."""
    out, vocabulary = package.out, _find_vocabulary(package)
    names, problem = _list_generated_tools(out)
    with Workers(request.jobs) as workers:
        measuring = workers.start_map(partial(measure_example, ExampleTask(out, vocabulary)), names)
        definitions = _read_definitions(package, findings)  # in the meantime
        if definitions is None:
            return {}
        remarks = CollectedRemarks(collect_lint(definitions, package.settings.lint))
        if request.since is not None:
            remarks.changes |= collect_changes(request.since, findings)
            if findings.failed:
                return {}
        examples = _choose_current(definitions, dict(zip(names, measuring, strict=True)))
        problem = problem or _describe_stale(definitions, examples)
        if problem:
            findings.warn("MG602", problem, Span(format_path(out)), suggest_build(package))
        head = _make_head(request, definitions, vocabulary)
        pages = _make_tool_pages(definitions, remarks, PageTask(head, vocabulary), examples, workers)
    pages += _make_resource_pages(definitions, remarks, head)
    pages += _make_prompt_pages(definitions, remarks, head)
    return assemble_site(replace(head, removed=remarks.list_left()), pages)


def _read_definitions(package: ConfiguredPackage, findings: Findings) -> Definitions | None:
    """Return the definitions; None, with findings, if they are wrong."""
    read_findings = Findings()
    definitions = read_definitions(_select_no_lint_rules(package), read_findings)
    check_definitions(definitions, package, read_findings)
    findings.extend(item for item in read_findings if item.severity is Severity.ERROR)
    return None if findings.failed else definitions


def _select_no_lint_rules(package: ConfiguredPackage) -> ConfiguredPackage:
    """Return a package that is read without asking lint rules: the pages have their findings, asked for once."""
    lint = package.settings.lint.model_copy(update={"selected": [], "clients": []})
    return package.model_copy(update={"settings": package.settings.model_copy(update={"lint": lint})})


def _find_vocabulary(package: ConfiguredPackage) -> VocabularyName | None:
    """Return the vocabulary of the budget, or the usual one; None if its package is not installed."""
    vocabulary = package.settings.budget.vocabulary
    try:
        make_counter(vocabulary)
    except VocabularyMissing:
        return None
    return vocabulary


def _list_generated_tools(out: Path) -> tuple[Sequence[str], str]:
    """Return the tools of the generated package, and why there are none if it cannot be imported."""
    try:
        return [*load_package(out).TOOLS], ""
    except PackageNotImportable as error:
        return [], f"{error}, so the reference has no texts of results"


def _describe_stale(definitions: Definitions, examples: Mapping[str, MeasuredExample]) -> str:
    """Return a sentence about the tools that have no example of the same version, if there are any."""
    stale = [tool.name for tool in _sort_tools(definitions) if tool.name not in examples]
    return f"does not match the definitions of {_list_some(stale)}, which have no example results" if stale else ""


def _choose_current(definitions: Definitions, examples: Mapping[str, MeasuredExample]) -> Mapping[str, MeasuredExample]:
    """Return the examples of the tools that are defined, from the same definitions."""
    digests = {tool.name: hash_json(tool.tool) for tool in definitions.tools if tool.name in examples}
    return {name: examples[name] for name, digest in digests.items() if examples[name].digest == digest}


def _make_head(request: DocsRequest, definitions: Definitions, vocabulary: VocabularyName | None) -> SiteHead:
    return SiteHead(
        mark_invisible(request.title),
        tuple(mark_invisible(text) for text in definitions.instructions),
        mark_invisible(request.since.against or "") if request.since is not None else "",
        vocabulary or "",
    )


def _sort_tools(definitions: Definitions) -> list[ToolDefinition]:
    return sorted(definitions.tools, key=lambda tool: tool.name)


def _make_tool_pages(
    definitions: Definitions,
    remarks: CollectedRemarks,
    task: PageTask,
    examples: Mapping[str, MeasuredExample],
    workers: Workers,
) -> list[RenderedPage]:
    tools = _sort_tools(definitions)
    slugs = make_slugs(tool.name for tool in tools)
    sources = [
        ToolSource(slugs[tool.name], tool.tool, tool.input, tool.output, remarks.take("tool", tool.name))
        for tool in tools
    ]
    items = zip(sources, (examples.get(tool.name) for tool in tools), strict=True)
    return [*workers.map(partial(make_tool_result_page, task), items)]


def _list_some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _make_resource_pages(definitions: Definitions, remarks: CollectedRemarks, head: SiteHead) -> list[RenderedPage]:
    """Return the pages of resources, then those of resource templates."""
    kinds: tuple[PageKind, PageKind] = ("resource", "template")
    pages: list[RenderedPage] = []
    for kind in kinds:
        chosen = [item for item in definitions.resources if ("uriTemplate" in item.resource) == (kind == "template")]
        chosen.sort(key=lambda resource: resource.name)
        slugs = make_slugs(resource.name for resource in chosen)
        for resource in chosen:
            variables = list_uri_variables(resource.template)
            about = remarks.take("resource", resource.name)
            page = make_resource_page(resource.resource, slugs[resource.name], variables, resource.payload, about)
            pages.append(render_page(page, head))
    return pages


def _make_prompt_pages(definitions: Definitions, remarks: CollectedRemarks, head: SiteHead) -> list[RenderedPage]:
    prompts = sorted(definitions.prompts, key=lambda prompt: prompt.name)
    slugs = make_slugs(prompt.name for prompt in prompts)
    return [
        render_page(
            make_prompt_page(prompt.prompt, slugs[prompt.name], prompt.arguments, remarks.take("prompt", prompt.name)),
            head,
        )
        for prompt in prompts
    ]


def _write_site(out: Path, texts: dict[str, str], force: bool, findings: Findings) -> Plan | None:
    """Write the files unless one of them is not mcpgen's; None, with a finding, if the folder cannot be written."""
    try:
        if out.exists() and not out.is_dir():
            plan = Plan(out, (Step(".", Action.FOREIGN),))
        else:
            plan = write.plan_and_apply(out, lambda: make_plan(out, texts, force, maker="docs"))
    except OSError as error:
        where = Span(format_path(Path(error.filename or out)))
        findings.error("MG404", f"cannot be written: {error.strerror or error}", where)
        return None
    for step in plan.refused:
        path = format_path(out / step.path)
        if step.action is Action.EDITED:
            help = "undo the edit, or let `mcpgen docs --force` overwrite it; what should last belongs in the schema"
            findings.error("MG401", "was edited by hand", find_first_difference(path, step), help)
        else:
            overwrite = "" if step.current is None else ", or let `mcpgen docs --force` overwrite it"
            help = f"move it away, or choose another --out{overwrite}"
            findings.error("MG402", "is not mcpgen's and is in the way", Span(path), help)
    return plan
