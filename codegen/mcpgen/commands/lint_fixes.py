"""Apply the fixes of lint rules to the text of definitions, so that nothing else of a file changes."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen import write
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings
from mcpgen.files.ownership import read_json_header
from mcpgen.files.regular_files import read_regular
from mcpgen.lint.linter import lint_definition
from mcpgen.lint.rule import Fix, InsertMember, LintRule, ReplaceMember, ReplaceValue
from mcpgen.paths import format_path
from mcpgen.read.document import SourceDocument
from mcpgen.read.json_parser import skip_whitespace
from mcpgen.read.linting import LintedSite
from mcpgen.read.parse import PARSERS
from mcpgen.schema.values import Json, are_equal, as_object, follow_pointer, parse_pointer


@dataclass(frozen=True)
class AppliedFixes:
    """How many fixes were applied, and a line for each file that was left alone."""

    count: int
    skipped: tuple[str, ...]


def apply_fixes(sites: Sequence[LintedSite], rules: Sequence[LintRule], limits: Limits) -> AppliedFixes:
    """Fix what can be fixed in files without changing anything else; raise `OSError` if one cannot be written."""
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
    return AppliedFixes(count, tuple(skipped))


def _locate_fixes(site: LintedSite, rules: Sequence[LintRule]) -> Iterator[Fix]:
    for finding in lint_definition(site.definition, rules):
        fix = finding.problem.fix
        pointer = None if fix is None else site.translate(fix.pointer)
        if fix is not None and pointer is not None and site.document is not None and site.document.has_value(pointer):
            yield replace(fix, pointer=pointer)


def _fix_document(document: SourceDocument, fixes: Sequence[Fix], limits: Limits) -> int:
    """Write a document with the fixes that can be applied, and return their number; raise `OSError`."""
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
