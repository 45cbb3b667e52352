"""Read everything that a package is generated from: the input files, and what the settings add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from mcpgen.cache.store import Store
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Diagnostic, Findings, Severity, Span
from mcpgen.files.definition_files import get_stem
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.looks import take_notes
from mcpgen.files.ownership import HASH_LABEL, Owner, detect_owner
from mcpgen.read.content_templates import TemplateCatalog
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.definitions import Definition, Definitions, ToolDefinition
from mcpgen.read.document import SourceDocument
from mcpgen.read.file_cache import FileCache, FileDefinitions
from mcpgen.read.foreign_definitions import describe_loss, leave_out_mistakes, normalize_definition, untype_tool
from mcpgen.read.forms import read_form
from mcpgen.read.idle_settings import report_idle_settings, report_unknown_definitions
from mcpgen.read.input_files import InputFile, InputFileFinder, is_pulled, list_pulled_folders
from mcpgen.read.linting import report_lint
from mcpgen.read.parse import DocumentLoader
from mcpgen.read.recognition import (
    DefinitionKind,
    RawDefinition,
    find_instructions,
    is_shared_definitions,
    recognise_definitions,
)
from mcpgen.read.resources import distinguish_resources, read_prompt, read_resource
from mcpgen.read.schemas import read_schema_file
from mcpgen.read.tools import read_bare_schema, read_tool
from mcpgen.read.type_settings import apply_type_settings
from mcpgen.read.validation import MemberChecker, load_builtin_protocol
from mcpgen.schema.document import Schema
from mcpgen.schema.values import Json, parse_pointer
from mcpgen.targets import PROTOCOLS

MOST_CORRECTIONS = 8
"""Times that a pulled definition is read again, without what was wrong, before its schemas are given up."""


def read_definitions(
    package: ConfiguredPackage,
    findings: Findings,
    disk: FileTracker | None = None,
    store: Store | None = None,
    announce: Callable[[Sequence[ToolDefinition]], None] | None = None,
) -> Definitions:
    """Return all definitions of a package, sorted by name; what is wrong is reported.

    `store` has the definitions of files that were read before. `announce` is called with the tools of each other file
    as soon as they are read; settings may still change them.
    """
    context = _make_context(package, findings, disk)
    definitions = Definitions()
    with take_notes() as notes:
        cache = FileCache(store or Store(), package, context.disk, notes)
        for file in InputFileFinder(package, findings, context.disk, context.templates).find_files():
            known = _find_known(file, context, cache)
            file_definitions = known or _read_and_keep(file, context, cache)
            definitions.extend(file_definitions)
            if announce is not None and known is None and not findings.failed:
                announce(file_definitions.tools)
    definitions.tools.sort(key=lambda tool: tool.name)
    definitions.resources = distinguish_resources(definitions.resources)
    definitions.resources.sort(key=lambda resource: resource.name)
    definitions.prompts.sort(key=lambda prompt: prompt.name)
    definitions.forms.sort(key=lambda form: form.name)
    _report_duplicates(definitions, findings)
    context.templates.report_unused([tool.name for tool in definitions.tools])
    report_idle_settings(package, findings)
    report_unknown_definitions(definitions, package, findings)
    apply_type_settings(definitions, package, findings)
    return definitions


def find_own_tools(package: ConfiguredPackage) -> Iterator[tuple[str, Path]]:
    """Yield the name and the file of each tool outside of the folder of pulled files, without reading its schemas.

    Mistakes are left to `build`.
    """
    findings = Findings()
    context = _make_context(package, findings)
    for file in InputFileFinder(package, findings, context.disk, context.templates).find_files():
        document = None if is_pulled(file) else context.documents.load(file.path)
        if document is None or is_shared_definitions(document):
            continue
        for item in recognise_definitions(document, findings):
            if item.kind is DefinitionKind.TOOL:
                yield str(item.value.get("name")), file.path
            elif item.kind is DefinitionKind.SCHEMA:
                yield get_stem(file.path.name), file.path


def read_given_schemas(package: ConfiguredPackage, tools: Iterable[str], findings: Findings) -> dict[str, Schema]:
    """Return the outputSchemas that the settings give to some tools, but for files that are wrong or not there."""
    context = _make_context(package, findings)
    given: dict[str, Schema] = {}
    for name in tools:
        choice = package.settings.tools.get(name)
        if choice is not None and choice.output_schema is not None:
            schema = read_schema_file(choice.output_schema, ("tools", name, "outputSchema"), context)
            if schema is not None:
                given[name] = schema.schema
    return given


def _make_context(package: ConfiguredPackage, findings: Findings, disk: FileTracker | None = None) -> ReadContext:
    limits = package.settings.limits
    disk = disk or FileTracker(package.roots, limits.file_size)
    return ReadContext(
        package,
        findings,
        disk,
        DocumentLoader(limits, findings, disk, list_pulled_folders(package)),
        TemplateCatalog(package.folder, limits, findings, disk),
        MemberChecker(load_builtin_protocol(PROTOCOLS[-1])),
    )


def _read_file(file: InputFile, context: ReadContext) -> Definitions:
    definitions = Definitions()
    document = context.documents.load(file.path)
    if document is not None and not is_shared_definitions(document):
        read = _read_foreign_definition if is_pulled(file) else _read_definition
        for item in _recognise(document, context.findings):
            read(item, DefinitionSite(document, item.pointer, file), context, definitions)
        definitions.instructions += find_instructions(document)
        if document.is_pulled:
            _report_edit(document, context.findings)
    return definitions


def _recognise(document: SourceDocument, findings: Findings) -> list[RawDefinition]:
    """Return the definitions in a document; what else is in the lists of a pulled one is a warning."""
    known = len(findings)
    items = recognise_definitions(document, findings)
    for finding in findings.take(known) if document.is_pulled else ():
        pointer = finding.span.pointer if finding.span is not None else ""
        is_element = len(parse_pointer(pointer)) > 1
        findings.add(_soften(finding, "it is left out") if is_element else finding)
    return items


def _soften(finding: Diagnostic, loss: str) -> Diagnostic:
    is_named = finding.span is not None and finding.span.pulled
    help = finding.help if is_named else "tell who runs the server"
    return replace(finding, message=f"{finding.message}; {loss}", help=help, severity=Severity.WARNING)


def _read_foreign_definition(
    item: RawDefinition, site: DefinitionSite, context: ReadContext, definitions: Definitions
) -> None:
    """Add a pulled definition without what is wrong in it; what the user chose for it has to be right nevertheless."""
    value: dict[str, Json] | None = normalize_definition(item.value)
    is_tool = item.kind is DefinitionKind.TOOL
    wrong: dict[str, Diagnostic] = {}
    for attempt in range(MOST_CORRECTIONS + 1):
        if value is None:
            break
        known, part = len(context.findings), Definitions()
        _read_definition(replace(item, value=value), site, context, part)
        found = context.findings.take(known)
        mistakes = [finding for finding in found if _is_foreign_mistake(finding, site)]
        if not mistakes:
            definitions.extend(part)
            context.findings.extend(found)
            break
        places = [finding.span.pointer.removeprefix(site.pointer) for finding in mistakes if finding.span is not None]
        for finding, place in zip(mistakes, places, strict=True):
            wrong.setdefault(place, finding)
        is_last = attempt == MOST_CORRECTIONS - 1
        value = untype_tool(value) if is_last and is_tool else leave_out_mistakes(value, places)
    for place, finding in wrong.items():
        context.findings.add(_soften(finding, describe_loss(item.value, value, place)))


def _is_foreign_mistake(finding: Diagnostic, site: DefinitionSite) -> bool:
    """Check whether an error is in the definition at a site, and not in what the user chose for it."""
    span = finding.span
    if span is None or span.file != site.document.name or finding.severity is not Severity.ERROR:
        return False
    return f"{span.pointer}/".startswith(f"{site.pointer}/")


def _report_edit(document: SourceDocument, findings: Findings) -> None:
    if HASH_LABEL in document.text and detect_owner(document.path.name, document.text, "pull") is Owner.EDITED:
        help = "if the tools are yours, move the file out of its folder; else undo the edit, or pull again with --force"
        findings.warn("MG401", "was edited by hand after it was pulled", document.make_span(), help)


def _read_definition(item: RawDefinition, site: DefinitionSite, context: ReadContext, definitions: Definitions) -> None:
    definition: Definition | None
    match item.kind:
        case DefinitionKind.TOOL:
            definition = read_tool(item.value, site, context)
        case DefinitionKind.SCHEMA:
            definition = read_bare_schema(item.value, site, context)
        case DefinitionKind.RESOURCE | DefinitionKind.RESOURCE_TEMPLATE:
            definition = read_resource(item, site, context)
        case DefinitionKind.PROMPT:
            definition = read_prompt(item.value, site, context)
        case DefinitionKind.FORM:
            definition = read_form(item.value, site, context)
    if definition is not None:
        definitions.add(definition)
        report_lint(definition, context)


def _find_known(file: InputFile, context: ReadContext, cache: FileCache) -> Definitions | None:
    """Return the definitions that the store has of a file, and report again what was reported of it."""
    known = cache.find(file)
    if known is None:
        return None
    context.findings.extend(known.findings)
    context.templates.used |= known.templates
    return known.definitions


def _read_and_keep(file: InputFile, context: ReadContext, cache: FileCache) -> Definitions:
    findings_before = len(context.findings)
    with take_notes() as notes, context.templates.track_part() as templates:
        definitions = _read_file(file, context)
    if not context.findings.failed:
        findings = tuple(islice(context.findings, findings_before, None))
        cache.keep(file, FileDefinitions(notes.seen, definitions, findings, frozenset(templates)))
    return definitions


def _report_duplicates(definitions: Definitions, findings: Findings) -> None:
    first_spans: dict[tuple[str, str], Span] = {}
    groups = (
        ("tool", definitions.tools),
        ("resource", definitions.resources),
        ("prompt", definitions.prompts),
        ("form", definitions.forms),
    )
    for kind, name, span in ((kind, item.name, item.span) for kind, group in groups for item in group):
        first = first_spans.setdefault((kind, name), span)
        if first is not span:
            message = f'the {kind} "{name}" is defined twice'
            help = f"the first is in {first.file}:{first.line}; remove one of the two, or rename it"
            findings.error("MG203", message, span, help)
