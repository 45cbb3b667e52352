"""Read a schema of a definition: check it, bundle its references, and enforce the limits for it."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.config.load import locate_setting
from mcpgen.config.models import Limits, suggest_raising
from mcpgen.diagnostics import Findings, Span
from mcpgen.files import looks
from mcpgen.files.definition_files import LEARNED_FOLDER
from mcpgen.lint.linter import BUNDLED_SCHEMA_RULES, lint_schema
from mcpgen.lint.rule import LintedSchema
from mcpgen.paths import format_path
from mcpgen.read.bundler import Bundler, FileResolver, find_close_file
from mcpgen.read.check_cost import measure_check_cost
from mcpgen.read.choices import PlaceChoices, extract_choices
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.document import SourceDocument, WrittenPlace, WrittenSchema
from mcpgen.read.input_files import InputFile
from mcpgen.read.old_dialects import spell_dialect
from mcpgen.read.validation import check_patterns, check_schema
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12, walk_subschemas
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class NamedSchema:
    """A self-contained schema without `x-mcpgen`, what was chosen at places in it, and where it is written."""

    schema: Schema
    choices: PlaceChoices
    written: WrittenSchema


def read_schema(value: Json, site: DefinitionSite, context: ReadContext) -> NamedSchema | None:
    """Return the schema at a site, None if it is wrong or too large; then that is reported."""
    findings, limits = context.findings, context.package.settings.limits
    errors_before = len(findings.errors)
    dialect = check_schema(value, site.document, site.pointer, DRAFT_2020_12, findings)
    if dialect is None:
        return None
    files = FileResolver(site.file.root, context.ref_map, context.documents.load, context.disk.is_file)
    bundler = Bundler(site.document, files, findings)
    compound = bundler.bundle(value, site.pointer, dialect)
    bundled = spell_dialect(compound.value, dialect)
    if (count := sum(1 for _ in walk_subschemas(bundled, dialect))) > limits.subschemas:
        help = suggest_raising("subschemas")
        findings.error("MG009", f"{count} subschemas are more than {limits.subschemas}", site.make_span(), help)
    if bundler.failed or len(findings.errors) != errors_before:
        return None
    if not _check_cost(bundled, dialect, limits, site.make_span(), findings):
        return None
    if not check_patterns(bundled, dialect, site.document, site.pointer, findings):
        return None
    written = WrittenSchema(WrittenPlace(site.document, site.pointer), compound.copies)
    if site.document.is_quotable:
        linted = LintedSchema(bundled, dialect, is_pulled=site.document.is_pulled, describe=written.describe)
        for finding in lint_schema(linted, BUNDLED_SCHEMA_RULES):
            findings.add(finding.locate(written.find(finding.problem.pointer).make_span()))
    schema, choices = extract_choices(bundled, dialect, written, findings)
    return NamedSchema(Schema(schema, dialect), choices, written)


def _check_cost(schema: Json, dialect: str, limits: Limits, span: Span, findings: Findings) -> bool:
    cost = measure_check_cost(schema, dialect)
    depth = cost.compute_depth(limits.value_depth)
    if cost.repeats > limits.repeats:
        message = f"checking a value may look at one part of it {cost.repeats} times, more than {limits.repeats}"
        help = "combine the subschemas that describe the same part, or raise `limits.repeats` in the settings"
        findings.error("MG009", message, span, help)
    elif depth > limits.check_depth:
        message = f"checking a value may nest {depth} subschemas, more than {limits.check_depth}"
        help = "nest fewer subschemas, lower `limits.value-depth`, or raise `limits.check-depth` in the settings"
        findings.error("MG009", message, span, help)
    else:
        return True
    return False


def read_schema_file(name: str, setting: tuple[str, ...], context: ReadContext) -> NamedSchema | None:
    """Return the schema in a file that a setting names; None if it is wrong, which is then reported."""
    document = load_named_file(name, setting, context)
    if document is None:
        return None
    path = context.package.folder / name
    return read_schema(document.value, DefinitionSite(document, "", InputFile(path, path.parent, path.name)), context)


def load_named_file(name: str, setting: tuple[str, ...], context: ReadContext) -> SourceDocument | None:
    """Return the document of a file that a setting names; None if it cannot be read, which is then reported.

    Its path is relative to the folder of the package's settings.
    """
    package = context.package
    path = package.folder / name
    if context.disk.is_file(path) or looks.is_taken(path):
        return context.documents.load(path)
    close = find_close_file(package.folder, name)
    help = "the path is relative to the folder of the settings file"
    if close:
        help = f'did you mean "{close}"?'
    elif path.parent.name == LEARNED_FOLDER:
        help = f"restore it, or learn it again from recorded results: `mcpgen learn`; {help}"
    message = f'"{".".join(setting)}": there is no file {format_path(path)}'
    context.findings.error("MG001", message, locate_setting(package, setting) or Span(format_path(path)), help)
    return None
