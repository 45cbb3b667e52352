"""`mcpgen lint`: report what clients and models make of the definitions, and fix what has one safe answer."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path

import typer
from pydantic import ValidationError

from mcpgen import write
from mcpgen.commands.generation import drop_names_of_other_packages
from mcpgen.commands.lint_results import lint_results
from mcpgen.commands.package_selection import FailOn, LoadedPackages, must_fail
from mcpgen.config.models import ConfiguredPackage, Limits, LintSettings
from mcpgen.config.validation import explain_validation_error
from mcpgen.diagnostics import Diagnostic, Findings, Severity, is_lint_code
from mcpgen.files.ownership import read_json_header
from mcpgen.files.regular_files import read_regular
from mcpgen.lint.linter import (
    COSTLY_VALUE,
    CUT_RESULT,
    LINT_RULES,
    PRINTED_NULL,
    lint_definition,
    lint_package,
    select_rules,
)
from mcpgen.lint.rule import Fix, InsertMember, LintRule, ReplaceMember, ReplaceValue
from mcpgen.paths import format_path
from mcpgen.read.definitions import Definitions
from mcpgen.read.document import SourceDocument
from mcpgen.read.json_parser import skip_whitespace
from mcpgen.read.linting import LintedSite, list_linted
from mcpgen.read.loader import read_definitions
from mcpgen.read.parse import PARSERS
from mcpgen.report.exit_codes import INVALID_INPUT, LINT_FINDINGS, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.schema.values import Json, allow_deep_recursion, are_equal, as_object, follow_pointer, parse_pointer

MAX_ROUNDS = 10
"""Times that fixes are applied, since one can make another one possible."""


@dataclass(frozen=True)
class LintRequest:
    """Options of a lint run; those that are not None replace settings."""

    select: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    clients: Sequence[str] | None = None
    fix: bool = False
    fail_on: FailOn | None = None
    """Whether warnings make it fail; None: the settings of each package decide, and without a choice there, they do."""


@dataclass
class _LintResult:
    definition_count: int = 0
    fixed_count: int = 0
    skipped: tuple[str, ...] = ()
    unasked: Counter[str] = field(default_factory=Counter[str])
    """How many tools the rules about results were not asked about, by reason."""


def run_lint(loaded: LoadedPackages, request: LintRequest, output: CommandOutput) -> int:
    """Lint the definitions of every package, report the findings and return the exit code."""
    findings, result = loaded.findings, _LintResult()
    with allow_deep_recursion():
        chosen = [_override_lint_settings(package, request) for package in loaded.packages]
        reports = [(package, _lint_package(package, request.fix, result)) for package in chosen]
    reports = [*zip(chosen, drop_names_of_other_packages(reports), strict=True)]
    concerned = [*reports, *((package, findings) for package in chosen)]  # what is about all is about each
    fails = must_fail(request.fail_on, concerned, findings, default="warning")
    for _, found in reports:
        findings.extend(found)
    reported = Findings()  # `build` reports the other notes about the definitions
    reported.extend(item for item in findings if item.severity is Severity.ERROR or _is_counted(item))
    lint_items = [item for item in reported.sorted() if _is_counted(item)]
    exit_code = INVALID_INPUT if findings.failed else LINT_FINDINGS if fails else SUCCESS
    output.finish(
        reported,
        exit_code,
        lambda: {
            "definitions": result.definition_count,
            "findings": {**dict(sorted(Counter(item.code for item in lint_items).items()))},
            "fixed": result.fixed_count,
            **({"unasked": list[Json](_list_unasked(result))} if result.unasked else {}),
        },
    )
    if lint_items or result.definition_count or not findings.failed:
        summary = _format_summary(lint_items, request.fix, result, findings.failed)
        output.print_summary(*summary, failed=exit_code == LINT_FINDINGS)
    return exit_code


def _is_counted(item: Diagnostic) -> bool:
    """Return whether a diagnostic is a finding of lint: one of a rule, an edited pulled file, or another warning."""
    return is_lint_code(item.code) or item.code == "MG401" or item.severity is Severity.WARNING


def _override_lint_settings(package: ConfiguredPackage, request: LintRequest) -> ConfiguredPackage:
    """Apply the options; raise `typer.BadParameter` if one names no rule, or no client."""
    options = {"select": request.select, "ignore": request.ignore, "clients": request.clients}
    chosen = {key: [*value] for key, value in options.items() if value is not None}
    values = package.settings.lint.model_dump(by_alias=True, exclude_unset=True)
    try:
        lint = LintSettings.model_validate(values | chosen)
    except ValidationError as error:
        first = error.errors()[0]
        option = {"clients": "--client"}.get(str(first["loc"][0]), f"--{first['loc'][0]}")
        _, help = explain_validation_error(first, LintSettings)
        message = f'"{first["input"]}": {first["msg"]}' + (f"; {help}" if help else "")
        raise typer.BadParameter(message, param_hint=option) from None
    return package.model_copy(update={"settings": package.settings.model_copy(update={"lint": lint})})


def _lint_package(package: ConfiguredPackage, is_fixing: bool, result: _LintResult) -> Findings:
    rules = select_rules(package.settings.lint)
    definitions, findings = _read(package)
    for _ in range(MAX_ROUNDS if is_fixing and not findings.failed else 0):
        try:
            count, result.skipped = apply_fixes([*list_linted(definitions)], rules, package.settings.limits)
        except OSError as error:
            write.report_failure(error, Path(error.filename or package.folder), findings)
            break
        result.fixed_count += count
        if not count:
            break
        definitions, findings = _read(package)
    sites = [*list_linted(definitions)]
    for number, finding in lint_package([site.definition for site in sites], rules):
        findings.add(sites[number].locate(finding))
    if PRINTED_NULL in (rule.code for rule in rules) and not findings.failed:
        _lint_templates(package, definitions, findings)
    if not findings.failed:
        result.unasked += lint_results(package, sites, rules, findings)
    result.definition_count += len(sites)
    return findings


def _lint_templates(package: ConfiguredPackage, definitions: Definitions, findings: Findings) -> None:
    tools = [tool for tool in definitions.tools if tool.choices.template is not None and tool.output is not None]
    if tools:
        from mcpgen.pipeline.content_templates import note_printed_nulls
        from mcpgen.pipeline.preview import lower_and_name

        preview = lower_and_name(Definitions(tools=tools), package.settings, 1)
        note_printed_nulls(preview.package, tools, findings)


def _read(package: ConfiguredPackage) -> tuple[Definitions, Findings]:
    findings = Findings()
    return read_definitions(package, findings), findings


def _format_summary(items: Sequence[Diagnostic], was_fixing: bool, result: _LintResult, has_errors: bool) -> list[str]:
    """Return a line about the findings, and one about fixes; with errors, what could not be read may have more."""
    count = format_count(len(items), "finding") if items else "no findings"
    definitions = format_count(result.definition_count, "definition")
    lines = [f"{count} in {definitions}" + (" that could be read" if has_errors else "")]
    if was_fixing:
        lines += [f"{format_count(result.fixed_count, 'finding')} fixed"] if result.fixed_count else []
        lines += result.skipped
    else:
        fixable = {rule.code for rule in LINT_RULES if rule.is_fixable}
        if any(item.code in fixable for item in items):
            lines.append("some can be fixed: mcpgen lint --fix")
    return [*lines, *_list_unasked(result)]


def _list_unasked(result: _LintResult) -> Iterator[str]:
    for reason, count in result.unasked.items():
        yield f"{COSTLY_VALUE} and {CUT_RESULT} were not asked about {format_count(count, 'tool')}: {reason}"


# --- fixes ------------------------------------------------------------------------------------------------------------
def apply_fixes(sites: Sequence[LintedSite], rules: Sequence[LintRule], limits: Limits) -> tuple[int, tuple[str, ...]]:
    """Fix files and nothing else in them; return the number of fixes, and a line for each file that is left alone.

    `OSError` is raised if one cannot be written.
    """
    fixes: dict[Path, tuple[SourceDocument, list[Fix]]] = {}
    for site in sites:
        if site.document is not None:
            fixes.setdefault(site.document.path, (site.document, []))[1].extend(_locate_fixes(site, rules))
    count, skipped = 0, list[str]()
    for path, (document, wanted) in fixes.items():
        if wanted and read_json_header(document.text, "pull") is not None:
            skipped.append(f"{format_path(path)}: left as it was pulled; fix it in the server, and pull again")
        elif wanted:
            applied = _fix_document(document, wanted, limits)
            count += applied
            skipped += [] if applied else [f"{format_path(path)}: left as it is written; change it by hand"]
    return count, tuple(skipped)


def _locate_fixes(site: LintedSite, rules: Sequence[LintRule]) -> Iterator[Fix]:
    for finding in lint_definition(site.definition, rules):
        fix = finding.problem.fix
        pointer = None if fix is None else site.translate(fix.pointer)
        if fix is not None and pointer is not None and site.document is not None and site.document.has_value(pointer):
            yield replace(fix, pointer=pointer)


def _fix_document(document: SourceDocument, fixes: Sequence[Fix], limits: Limits) -> int:
    applied: list[Fix] = []
    edits: list[TextEdit] = []
    for fix in fixes:
        edit = find_text_edit(document, fix)
        if edit is None or any(edit.overlaps(other) for other in edits):
            continue  # the next round looks at what overlaps
        if _is_as_intended(document, [*edits, edit], [*applied, fix], limits):
            applied.append(fix)
            edits.append(edit)
    data = read_regular(document.path, limits.file_size + 1)
    if not applied or data.decode("utf-8-sig", "replace") != document.text:
        return 0
    mark = "\ufeff" if data.startswith(codecs.BOM_UTF8) else ""
    write.replace_file(document.path, mark + apply_text_edits(document.text, edits))
    return len(applied)


def _is_as_intended(document: SourceDocument, edits: Sequence[TextEdit], fixes: Sequence[Fix], limits: Limits) -> bool:
    edited = SourceDocument(document.path, document.name, apply_text_edits(document.text, edits))
    parse = PARSERS.get(document.path.suffix, PARSERS[".yaml"])
    if not parse(edited, Findings(), limits):
        return False
    expected = deepcopy(document.value)
    for fix in fixes:
        expected = _apply_to_value(expected, fix)
    return are_equal(edited.value, expected)


def _apply_to_value(value: Json, fix: Fix) -> Json:
    path = parse_pointer(fix.pointer)
    if isinstance(fix, InsertMember):
        as_object(follow_pointer(value, path))[fix.name] = fix.value
        return value
    if not path:
        return fix.value
    parent, token = follow_pointer(value, path[:-1]), path[-1]
    if isinstance(parent, list):
        parent[int(token)] = fix.value
    elif isinstance(parent, dict) and isinstance(fix, ReplaceMember):
        del parent[token]
        parent[fix.name] = fix.value
    elif isinstance(parent, dict):
        parent[token] = fix.value
    return value


# --- edits -----------------------------------------------------------------------------------------------------------
_JSON_CHAR = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)


@dataclass(frozen=True)
class TextEdit:
    """A part of a text, by its offsets, and what comes in its place."""

    start: int
    end: int
    text: str

    def overlaps(self, other: TextEdit) -> bool:
        """Report whether two edits concern the same part of the text."""
        return self.start <= other.end and other.start <= self.end


def apply_text_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Return a text with edits that do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def find_text_edit(document: SourceDocument, fix: Fix) -> TextEdit | None:
    """Return the edit that a fix asks for, None if the text is written in another way; YAML has to be parsed."""
    path = parse_pointer(fix.pointer)
    start = document.find_offset(path)
    name_start = document.find_offset(path[:-1], path[-1]) if path else start
    if document.node is None:
        return _find_json_edit(document.text, start, name_start, fix)
    return _find_yaml_edit(document, start, name_start, fix)


# --- JSON ------------------------------------------------------------------------------------------------------------
def _find_json_edit(text: str, start: int, name_start: int, fix: Fix) -> TextEdit | None:
    end = json.JSONDecoder().raw_decode(text, start)[1]
    match fix:
        case ReplaceValue(value=str() as new) if text[start] == '"':
            return TextEdit(start, end, _shorten_json_string(text[start:end], new))
        case ReplaceValue(value=value):
            return TextEdit(start, end, json.dumps(value))
        case ReplaceMember(name=name, value=value):
            name_end = json.JSONDecoder().raw_decode(text, name_start)[1]
            return TextEdit(name_start, end, json.dumps(name) + text[name_end:start] + json.dumps(value))
        case InsertMember(name=name, value=value):
            first = skip_whitespace(text, start + 1)
            if text[start] != "{" or text[first] != '"':
                return None
            name_end = json.JSONDecoder().raw_decode(text, first)[1]
            value_start = skip_whitespace(text, skip_whitespace(text, name_end) + 1)
            colon = text[name_end:value_start]
            gap = text[start + 1 : first] or (" " if colon.endswith(" ") else "")
            return TextEdit(first, first, f"{json.dumps(name)}{colon}{json.dumps(value)},{gap}")


def _shorten_json_string(source: str, new: str) -> str:
    """Return a JSON string without the characters that a new value lacks, which is the old one without some."""
    kept_parts: list[str] = []
    offset = 0
    for match in _JSON_CHAR.finditer(source, 1, len(source) - 1):
        char: str = json.loads(f'"{match[0]}"', strict=False)
        if new.startswith(char, offset):
            kept_parts.append(match[0])
            offset += len(char)
    return f'"{"".join(kept_parts)}"'


# --- YAML ------------------------------------------------------------------------------------------------------------
def _find_yaml_edit(document: SourceDocument, start: int, name_start: int, fix: Fix) -> TextEdit | None:
    text, old = document.text, document.find_value(fix.pointer)
    match fix:
        case ReplaceValue(value=str() as new):
            return _shorten_yaml_text(text, start, old, new) if isinstance(old, str) else None
        case ReplaceValue(value=value):
            end = _find_end(text, start, "true|false")
            return None if end is None else TextEdit(start, end, _format_flow(value))
        case ReplaceMember(name=name, value=value):
            written = re.escape(parse_pointer(fix.pointer)[-1])
            end = _find_end(text, name_start, rf"(['\"]?){written}\1[ ]*:[ ]*(?:true|false)\b")
            return None if end is None else TextEdit(name_start, end, f"{name}: {_format_flow(value)}")
        case InsertMember(name=name, value=value):
            if text.startswith("{", start):
                return TextEdit(start + 1, start + 1, f"{name}: {_format_flow(value)}, ")
            indent = start - (text.rfind("\n", 0, start) + 1)
            line_break = "\r\n" if "\r\n" in text else "\n"
            return TextEdit(start, start, f"{name}: {_format_flow(value)}{line_break}{' ' * indent}")


def _find_end(text: str, start: int, pattern: str) -> int | None:
    match = re.compile(pattern).match(text, start)
    return None if match is None else match.end()


def _shorten_yaml_text(text: str, start: int, old: str, new: str) -> TextEdit | None:
    """Return the edit that takes the characters of an old value that a new one lacks out of a text, in their order."""
    removed: list[str] = []
    offset = 0
    for char in old:
        if new.startswith(char, offset):
            offset += 1
        else:
            removed.append(char)
    offsets: list[int] = []
    cursor = start
    for char in removed:
        cursor = text.find(char, cursor)
        if cursor < 0:
            return None
        offsets.append(cursor)
        cursor += 1
    return TextEdit(start, cursor, "".join(text[index] for index in range(start, cursor) if index not in offsets))


def _format_flow(value: Json) -> str:
    """Return a small value in YAML's flow style, which is JSON's."""
    return value if isinstance(value, str) and value.isalpha() else json.dumps(value)
