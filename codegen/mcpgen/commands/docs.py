"""`mcpgen docs`: write a reference of the server for people, as Markdown pages and as one HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from mcpgen import write
from mcpgen.commands.diff_comparison import DiffRequest, compare_requested
from mcpgen.commands.generated_package import (
    NoExampleResult,
    collect_texts,
    format_compact,
    make_example_result,
    suggest_build,
    write_result,
)
from mcpgen.commands.host_readings import HostReading, read_example
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.token_counts import READ_MEMBERS
from mcpgen.compat.change import Change
from mcpgen.config.models import ConfiguredPackage, LintSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.project_paths import is_in_repository_data, is_within
from mcpgen.hosts.table import HOSTS, Host
from mcpgen.ir.definitions import list_uri_variables
from mcpgen.lint.invisible_text import mark_invisible
from mcpgen.lint.linter import lint_definition, lint_package, select_rules
from mcpgen.lint.rule import Problem
from mcpgen.paths import format_path
from mcpgen.pipeline.checks import check_definitions
from mcpgen.plan import Action, Plan, Step, find_first_difference, make_plan
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.read.definitions import Definitions, FormDefinition, PromptDefinition, ResourceDefinition, ToolDefinition
from mcpgen.read.linting import list_linted
from mcpgen.read.loader import read_definitions
from mcpgen.reference.model import Bar, HostRow, Note, Page, SiteHead, make_slugs
from mcpgen.reference.pages import (
    MeasuredResult,
    Remarks,
    ToolSource,
    make_form_page,
    make_prompt_page,
    make_resource_page,
    make_tool_page,
)
from mcpgen.reference.site import HTML_FILE, RenderedPage, assemble_site, render_page
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.schema.values import allow_deep_recursion, hash_json
from mcpgen.vocabularies import VocabularyMissing, VocabularyName, make_counter
from mcpgen.workers import Workers, pause_garbage_collection

DEFAULT_FOLDER = "site"
DefinitionT = TypeVar("DefinitionT", ToolDefinition, ResourceDefinition, PromptDefinition, FormDefinition)


@dataclass(frozen=True)
class DocsRequest:
    """What the reference shows, and where it is written."""

    out: Path | None
    """None: the folder `site` beside the settings."""
    title: str
    since: DiffRequest | None
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
    out, vocabulary = package.out, _find_vocabulary(package)
    names, problem = list[str](), ""
    try:
        names += load_package(out).TOOLS
    except PackageNotImportable as error:
        problem = f"{error}, so the reference has no texts of results"
    with Workers(request.jobs) as workers:
        measuring = workers.start_map(partial(measure_example, out, vocabulary), names)
        definitions = _read_definitions(package, findings)  # in the meantime
        if findings.failed:
            return {}
        remarks = CollectedRemarks(collect_lint(definitions, package.settings.lint))
        if request.since is not None:
            remarks.changes |= collect_changes(request.since, findings)
            if findings.failed:
                return {}
        examples = dict(zip(names, measuring, strict=True))
        tools = _name_pages(definitions.tools)
        items = [(_make_source(tool, slug, remarks), _choose_current(tool, examples)) for slug, tool in tools]
        stale = [str(source.tool["name"]) for source, example in items if example is None]
        if stale and not problem:
            more = f" and {len(stale) - 3} more" if len(stale) > 3 else ""
            problem = f"does not match the definitions of {', '.join(stale[:3])}{more}, which have no example results"
        if problem:
            findings.warn("MG602", problem, Span(format_path(out)), suggest_build(package))
        head = SiteHead(
            mark_invisible(request.title),
            tuple(map(mark_invisible, definitions.instructions)),
            mark_invisible(request.since.against or "") if request.since is not None else "",
            vocabulary or "",
        )
        pages = [*workers.map(partial(make_tool_result_page, head), items)]
    pages += [render_page(page, head) for page in _make_other_pages(definitions, remarks)]
    return assemble_site(replace(head, removed=remarks.list_left()), pages)


def _read_definitions(package: ConfiguredPackage, findings: Findings) -> Definitions:
    """Return the definitions, read without asking lint rules: the pages have their findings, asked for once."""
    lint = package.settings.lint.model_copy(update={"selected": [], "clients": []})
    silent = package.model_copy(update={"settings": package.settings.model_copy(update={"lint": lint})})
    read_findings = Findings()
    definitions = read_definitions(silent, read_findings)
    check_definitions(definitions, package, read_findings)
    findings.extend(read_findings.errors)
    return definitions


def _find_vocabulary(package: ConfiguredPackage) -> VocabularyName | None:
    vocabulary = package.settings.budget.vocabulary
    try:
        make_counter(vocabulary)
    except VocabularyMissing:
        return None
    return vocabulary


def _name_pages(definitions: Iterable[DefinitionT]) -> list[tuple[str, DefinitionT]]:
    ordered = sorted(definitions, key=lambda definition: definition.name)
    slugs = make_slugs(definition.name for definition in ordered)
    return [(slugs[definition.name], definition) for definition in ordered]


def _make_source(tool: ToolDefinition, slug: str, remarks: CollectedRemarks) -> ToolSource:
    return ToolSource(slug, tool.tool, tool.input, tool.output, remarks.take("tool", tool.name), tool.error)


def _choose_current(tool: ToolDefinition, examples: Mapping[str, MeasuredExample]) -> MeasuredExample | None:
    example = examples.get(tool.name)
    return None if example is None or example.digest != hash_json(tool.tool) else example


def _make_other_pages(definitions: Definitions, remarks: CollectedRemarks) -> Iterator[Page]:
    for is_template in (False, True):
        chosen = [item for item in definitions.resources if ("uriTemplate" in item.resource) is is_template]
        for slug, resource in _name_pages(chosen):
            about, variables = remarks.take("resource", resource.name), list_uri_variables(resource.template)
            yield make_resource_page(resource.resource, slug, variables, resource.payload, about)
    for slug, prompt in _name_pages(definitions.prompts):
        yield make_prompt_page(prompt.prompt, slug, prompt.arguments, remarks.take("prompt", prompt.name))
    for slug, form in _name_pages(definitions.forms):
        yield make_form_page(form.form, slug, form.schema, remarks.take("form", form.name))


def _write_site(out: Path, texts: dict[str, str], force: bool, findings: Findings) -> Plan | None:
    try:
        if out.exists() and not out.is_dir():
            plan = Plan(out, (Step(".", Action.FOREIGN),))
        else:
            plan = write.plan_and_apply(out, lambda: make_plan(out, texts, force, maker="docs"))
    except OSError as error:
        write.report_failure(error, Path(error.filename or out), findings)
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


# --- findings and changes --------------------------------------------------------------------------------------------
Subject = tuple[str, str]
"""Kind of a definition (`tool`, `resource`, `prompt` or `form`), and its name."""


@dataclass
class CollectedRemarks:
    """Findings and changes by the definition that they are about."""

    findings: dict[Subject, list[Note]] = field(default_factory=dict[Subject, list[Note]])
    changes: dict[Subject, list[Note]] = field(default_factory=dict[Subject, list[Note]])

    def take(self, kind: str, name: str) -> Remarks:
        """Return those about a definition, and forget the changes, so that those about no page are left."""
        subject = (kind, name)
        return Remarks(tuple(self.findings.get(subject, ())), tuple(self.changes.pop(subject, ())))

    def list_left(self) -> tuple[Note, ...]:
        """Return the changes of definitions that are gone."""
        return tuple(
            Note(note.code, note.severity, mark_invisible(f'{kind} "{name}": {note.text}'), note.help)
            for (kind, name), notes in sorted(self.changes.items())
            for note in notes
        )


def collect_lint(definitions: Definitions, settings: LintSettings) -> dict[Subject, list[Note]]:
    """Return what the selected rules find, by definition."""
    rules = select_rules(settings)
    linted = [site.definition for site in list_linted(definitions)]
    findings = [(definition, finding) for definition in linted for finding in lint_definition(definition, rules)]
    findings += [(linted[number], finding) for number, finding in lint_package(linted, rules)]
    found: dict[Subject, list[Note]] = {}
    for definition, finding in findings:
        note = _make_note(finding.rule.code, finding.rule.severity.value, finding.problem)
        found.setdefault((definition.kind, definition.name), []).append(note)
    return found


def collect_changes(request: DiffRequest, findings: Findings) -> dict[Subject, list[Note]]:
    """Return the changes since a revision, by definition; new tools, resources and prompts are changes, too."""
    comparison = compare_requested(request)
    findings.extend(comparison.findings.errors)
    changes: dict[Subject, list[Note]] = {}
    for change in comparison.changes:
        note = _make_note(change.code, "error" if change.breaking else change.severity.value, change)
        changes.setdefault((change.subject.partition(" ")[0], change.name), []).append(note)
    return changes


def _make_note(code: str, severity: str, problem: Problem | Change) -> Note:
    return Note(code, severity, mark_invisible(problem.message), mark_invisible(problem.help))


# --- example results -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class MeasuredExample:
    """An example result of a tool of a generated package."""

    digest: str
    """That of the definition that the package was generated from."""
    result: MeasuredResult | None
    sizes: tuple[Bar, ...] = ()


@allow_deep_recursion()
def measure_example(out: Path, vocabulary: VocabularyName | None, name: str) -> MeasuredExample:
    """Return what the class of a tool of a generated package makes of an example."""
    generated: Any = load_package(out)
    tool = generated.TOOLS[name]
    digest = hash_json(tool)
    try:
        example = make_example_result(generated.RESULT_TYPES[name], tool)
    except NoExampleResult:
        return MeasuredExample(digest, None)
    content, texts = write_result(example)["content"], collect_texts(example, tool)
    blocks = tuple(block["text"] for block in content if block["type"] == "text")
    others = tuple(block["type"] for block in content if block["type"] != "text")
    labels = {"text": "text of the example", "json": "the same as JSON", "result": "whole result"}
    sizes = tuple(_measure(label, texts[key], vocabulary) for key, label in labels.items() if key in texts)
    result = MeasuredResult(blocks, texts.get("json"), others, tuple(_list_hosts(example)))
    return MeasuredExample(digest, result, sizes)


def _list_hosts(example: Any) -> Iterator[HostRow]:
    """Yield what the models of hosts read of a result, those together that read the same parts."""
    groups: dict[tuple[str, str], list[tuple[Host, HostReading]]] = {}
    for host in HOSTS:
        if host.structured_rule is not None:
            read = read_example(example, host)
            parts = ", ".join(read.shown) or "nothing", ", ".join(read.omitted) or "-"
            groups.setdefault(parts, []).append((host, read))
    for (shown, omitted), group in groups.items():
        least, most = (choose(read.size for _, read in group) for choose in (min, max))
        unit = "characters" if any(read.tokens is None for _, read in group) else "tokens"
        sizes = f"{least:,} {unit}" if least == most else f"{least:,} to {most:,} {unit}"
        yield HostRow(", ".join(host.title for host, _ in group), shown, omitted, sizes)


@allow_deep_recursion()
def make_tool_result_page(head: SiteHead, item: tuple[ToolSource, MeasuredExample | None]) -> RenderedPage:
    """Return the page of a tool, with its example result if there is one."""
    source, example = item
    definition = format_compact({member: source.tool[member] for member in READ_MEMBERS if member in source.tool})
    vocabulary = cast(VocabularyName, head.vocabulary) if head.vocabulary else None
    sizes = [_measure("definition", definition, vocabulary), *(example.sizes if example is not None else ())]
    return render_page(make_tool_page(source, example.result if example is not None else None, sizes), head)


def _measure(name: str, text: str, vocabulary: VocabularyName | None) -> Bar:
    return Bar(name, len(text.encode()), None if vocabulary is None else make_counter(vocabulary)(text))
