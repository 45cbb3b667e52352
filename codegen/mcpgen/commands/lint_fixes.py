"""Apply the fixes of lint rules to the text of definitions, so that nothing else of a file changes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass

from mcpgen import write
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings
from mcpgen.files.ownership import read_json_header
from mcpgen.files.regular_files import read_regular
from mcpgen.lint.linter import SelectedRule, lint_definition
from mcpgen.lint.rule import Fix, InsertMember, ReplaceMember
from mcpgen.paths import format_path
from mcpgen.read.document import SourceDocument
from mcpgen.read.linting import LintedSite
from mcpgen.read.parse import PARSERS
from mcpgen.read.text_edits import TextEdit, apply_text_edits, find_text_edit
from mcpgen.schema.values import Json, are_equal, follow_pointer, parse_pointer


@dataclass(frozen=True)
class AppliedFixes:
    """How many fixes were applied, and a line for each file that was left alone."""

    count: int
    skipped: tuple[str, ...]


@dataclass(frozen=True)
class _LocatedFix:
    """A fix, with its pointer in the document."""

    fix: Fix
    pointer: str


def apply_fixes(sites: Sequence[LintedSite], rules: Sequence[SelectedRule], limits: Limits) -> AppliedFixes:
    """Apply what selected rules can fix in the files of some definitions.

    A file is written if its new text holds the value that the fixes ask for, and nothing else has changed in it.

    Raises:
        OSError: a file cannot be written.
    """
    documents: dict[str, SourceDocument] = {}
    fixes: dict[str, list[_LocatedFix]] = {}
    for site in sites:
        if site.document is not None:
            path = str(site.document.path)
            documents[path] = site.document
            fixes.setdefault(path, []).extend(_locate_fixes(site, rules))
    count, skipped = 0, list[str]()
    for path, document in documents.items():
        if not fixes[path]:
            continue
        if read_json_header(document.text, "pull") is not None:
            skipped.append(f"{format_path(document.path)}: left as it was pulled; fix it in the server, and pull again")
            continue
        applied = _fix_document(document, fixes[path], limits)
        count += applied
        if not applied:
            skipped.append(f"{format_path(document.path)}: left as it is written; change it by hand")
    return AppliedFixes(count, tuple(skipped))


def _locate_fixes(site: LintedSite, rules: Sequence[SelectedRule]) -> Iterator[_LocatedFix]:
    """Yield the fixes of a definition whose places are in its own document."""
    for finding in lint_definition(site.definition, rules):
        fix = finding.problem.fix
        pointer = None if fix is None else site.translate(fix.pointer)
        if fix is not None and pointer is not None and site.document is not None and _has(site.document.value, pointer):
            yield _LocatedFix(fix, pointer)


def _has(value: Json, pointer: str) -> bool:
    try:
        follow_pointer(value, parse_pointer(pointer))
    except KeyError:
        return False
    return True


def _fix_document(document: SourceDocument, fixes: Sequence[_LocatedFix], limits: Limits) -> int:
    """Write a document with as many of the fixes as can be applied, and return their number.

    Raises:
        OSError: it cannot be written.
    """
    applied: list[_LocatedFix] = []
    edits: list[TextEdit] = []
    for located in fixes:
        edit = find_text_edit(document, located.pointer, located.fix)
        if edit is None or any(edit.overlaps(other) for other in edits):
            continue  # the next round looks at what overlaps
        if _is_as_intended(document, [*edits, edit], [*applied, located], limits):
            applied.append(located)
            edits.append(edit)
    data = read_regular(document.path, limits.file_size + 1)
    if not applied or data.decode("utf-8-sig", "replace") != document.text:
        return 0
    mark = "\ufeff" if data.startswith(codecs.BOM_UTF8) else ""
    write.replace_file(document.path, mark + apply_text_edits(document.text, edits))
    return len(applied)


def _is_as_intended(
    document: SourceDocument, edits: Sequence[TextEdit], fixes: Sequence[_LocatedFix], limits: Limits
) -> bool:
    """Report whether an edited text is a document with the value that the fixes ask for."""
    text = apply_text_edits(document.text, edits)
    edited = SourceDocument(document.path, document.name, text)
    parse = PARSERS.get(document.path.suffix, PARSERS[".yaml"])
    if not parse(edited, Findings(), limits):
        return False
    expected = deepcopy(document.value)
    for located in fixes:
        expected = _apply_to_value(expected, located)
    return are_equal(edited.value, expected)


def _apply_to_value(value: Json, located: _LocatedFix) -> Json:
    """Return a value with a fix; the value itself may be changed."""
    path, fix = parse_pointer(located.pointer), located.fix
    if isinstance(fix, InsertMember):
        target = follow_pointer(value, path)
        assert isinstance(target, dict)
        target[fix.name] = fix.value
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
