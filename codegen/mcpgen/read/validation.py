"""Check definitions against the MCP schema, and schemas against their meta-schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any

import jsonschema_rs
from mcpgen_runtime.schema_keywords import CheckFailed, contained, encode_references

from mcpgen.diagnostics import Findings, Span
from mcpgen.lint.linter import WRITTEN_SCHEMA_RULES, lint_schema
from mcpgen.lint.misspelt_names import match_misspelt
from mcpgen.lint.patterns import Reader, find_unportable
from mcpgen.lint.rule import LintedSchema
from mcpgen.read.document import SourceDocument
from mcpgen.read.old_dialects import report_dialect, resolve_dialect
from mcpgen.read.schema_mistakes import NO_SCHEMA, NOT_SCHEMA, explain_meta_error, shorten, suggest_json_type
from mcpgen.schema.document import compile_pattern, format_error, get_validator_class, load_protocol
from mcpgen.schema.keywords import iterate_patterns, walk_subschemas
from mcpgen.schema.values import Json, as_array, as_object, format_pointer, iterate_children

_MEMBERS_OF_OLD_VERSIONS: dict[str, Json] = {
    "execution": {"type": "object", "properties": {"taskSupport": {"enum": ["forbidden", "optional", "required"]}}}
}
"""Members of definitions that the newest version of MCP no longer has, as the last version with them declares them."""
_SCHEMA_MEMBERS = frozenset({"$schema", "$id", "$comment", "$defs", "definitions"})
_FOREIGN_HELP = "remove it, or put it into `_meta`: clients ignore it here, and SDKs may not send it"
MAX_EXPLAINED_PARTS = 3
"""Parts of a wrong pattern that a message explains."""
MAX_EXPLAINED_VALUES = 10_000
"""Values in a definition beyond which only its first error is reported."""


class MemberChecker:
    """Checker of Tools, Resources and ResourceTemplates against the definitions of a protocol version."""

    def __init__(self, definitions: dict[str, Json]) -> None:
        self._definitions = definitions
        self._validators: dict[str, Any] = {}

    def check(
        self,
        kind: str,
        value: dict[str, Json],
        document: SourceDocument,
        pointer: str,
        findings: Findings,
        known: int | None = None,
    ) -> bool:
        """Return whether the value at a pointer of the document is a valid `kind` (`Tool`, …); report errors.

        An error at the place of one about the definition, from the finding with the number `known` on, is left out.
        """
        if kind not in self._validators:
            old = {key: part for key, part in _MEMBERS_OF_OLD_VERSIONS.items() if key not in self._get_properties(kind)}
            schema = {"$ref": f"#/$defs/{kind}", "properties": old, "$defs": self._definitions}
            self._validators[kind] = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
        members = (*self._get_properties(kind), "x-mcpgen")
        is_valid = True
        missing: set[str] = set()
        for key in value:
            if meant := match_misspelt(key, members[-1:] if key.startswith("x-") else members):
                help = f'did you mean "{meant}"?'
                findings.error("MG005", f'a {kind} has no member "{key}"', document.make_span(pointer, key), help)
                missing.add(f'"{meant}" is a required property')
                is_valid = False
        for place, inner_kind, inner in self._list_inner_values(kind, value):
            for key in inner:
                if meant := match_misspelt(key, [*self._get_properties(inner_kind)]):
                    message, span = f'{inner_kind} has no member "{key}"', document.make_span(pointer + place, key)
                    findings.warn("MG005", message, span, f'did you mean "{meant}"?')
        reported = set[Span | None]() if known is None else {item.span for item in islice(findings, known, None)}
        try:
            for error in _find_errors(self._validators[kind], value):
                is_valid = False
                span = document.make_span(pointer + format_pointer(*error.instance_path))
                if span in reported or (not error.instance_path and error.message in missing):
                    continue
                is_nameless = not error.instance_path and error.message == '"name" is a required property'
                message = f"a {kind} without a name" if is_nameless else f"not a valid {kind}: {format_error(error)}"
                findings.error("MG004", message, span, _explain_member(error))
        except CheckFailed:
            findings.error("MG004", f"this {kind} cannot be checked: {_FAILED}", document.make_span(pointer), _PANICKED)
            is_valid = False
        return is_valid

    def warn_about_foreign_members(
        self, kind: str, value: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings
    ) -> None:
        """Warn about each member of a valid `kind` that no version of MCP defines.

        Members of JSON Schema, such as `$schema` and `$defs`, are for those who read the file, and names with `x-` are
        meant as they are.
        """
        known = {*self._get_properties(kind), *_MEMBERS_OF_OLD_VERSIONS, *_SCHEMA_MEMBERS}
        for key in value:
            if key not in known and not key.startswith("x-"):
                message = f'MCP defines no member "{key}" of a {kind}'
                findings.warn("MG005", message, document.make_span(pointer, key), _FOREIGN_HELP)

    def _get_properties(self, kind: str) -> dict[str, Json]:
        return as_object(as_object(self._definitions.get(kind)).get("properties"))

    def _list_inner_values(self, kind: str, value: dict[str, Json]) -> Iterator[tuple[str, str, dict[str, Json]]]:
        """Yield the pointer, the kind and the value of each object in it that MCP's schema names, such as `Icon`."""
        for name, schema in self._get_properties(kind).items():
            member = value.get(name)
            inner_kind = _get_referred_name(schema)
            if inner_kind and isinstance(member, dict):
                yield format_pointer(name), inner_kind, member
            element_kind = _get_referred_name(as_object(schema).get("items"))
            for index, element in enumerate(as_array(member) if element_kind else ()):
                if isinstance(element, dict):
                    yield format_pointer(name, index), element_kind, element


def _get_referred_name(schema: Json) -> str:
    return str(as_object(schema).get("$ref") or "").removeprefix("#/$defs/")


def _explain_member(error: Any) -> str:
    path, value = list(error.instance_path), error.instance
    if path[-1:] in (["inputSchema"], ["outputSchema"]) and isinstance(value, str):
        return "write the schema itself as an object, not its text"
    if path[-2:] == ["inputSchema", "type"]:
        return 'arguments are an object: "inputSchema": {"type": "object", "properties": {…}}'
    if "is a required property" in str(error.message):
        return "write it; the documentation of MCP says what it holds"
    if path[-1:] == ["taskSupport"]:
        return 'write "forbidden", "optional" or "required", or leave it out, which means "forbidden"'
    return suggest_json_type(error)


_PATTERN_HELP = "patterns are regular expressions of ECMA-262"
_FAILED = "the validator failed here, which is a bug of jsonschema-rs"
_PANICKED = "say it otherwise, and report it to jsonschema-rs"


@contained()
def _find_errors(validator: Any, value: Json) -> Iterable[Any]:
    """Return the errors in a value, of a large value only the first: each error costs memory and time."""
    if validator.is_valid(value):
        return ()
    if not _has_many_values(value):
        return [*validator.iter_errors(value)]
    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as error:
        return (error,)
    return ()


def _has_many_values(value: Json) -> bool:
    stack, count = [value], 0
    while stack and count <= MAX_EXPLAINED_VALUES:
        count += 1
        stack.extend(child for _, child in iterate_children(stack.pop()))
    return count > MAX_EXPLAINED_VALUES


# --- schemas ----------------------------------------------------------------------------------------------------------
@cache
def _build_meta_validator(dialect: str) -> Any:
    return get_validator_class(dialect)({"$ref": dialect}, validate_formats=False)


def check_schema(
    schema: Json, document: SourceDocument, place: str, default: str, findings: Findings, *, is_part: bool = False
) -> str | None:
    """Return the dialect of the schema at a place of a document, None if it isn't supported. What is wrong is reported.

    `default` is the dialect without `$schema`. With `is_part`, schemas of another file refer to it: it need not say
    all.
    """
    dialect = resolve_dialect(schema, default, is_part=is_part)
    if dialect is None:
        report_dialect(as_object(schema), document, place, findings)
        return None
    try:
        with contained():
            errors = [*_build_meta_validator(dialect).iter_errors(schema)]
    except CheckFailed:
        findings.error("MG101", f"cannot be checked: {_FAILED}", document.make_span(place), _PANICKED)
        return dialect
    first_errors = {format_pointer(*error.instance_path): error for error in reversed(errors)}
    for pointer, error in first_errors.items():
        message, help = explain_meta_error(error, dialect) if document.is_quotable else (NO_SCHEMA, "")
        findings.error("MG101", message, document.make_span(place + pointer), help)
    is_valid = not first_errors and _report_patterns(schema, dialect, document, place, findings)
    if is_valid and document.is_quotable:
        linted = LintedSchema(schema, dialect, is_part)
        for pointer, _, inner in linted.places:
            if pointer and isinstance(inner, dict) and resolve_dialect(inner, dialect, is_part=True) is None:
                report_dialect(inner, document, place + pointer, findings)
        for finding in lint_schema(linted, WRITTEN_SCHEMA_RULES):
            findings.add(finding.locate(document.make_span(place + finding.problem.pointer, finding.problem.key)))
    return dialect


def _report_patterns(schema: Json, dialect: str, document: SourceDocument, place: str, findings: Findings) -> bool:
    is_valid = True
    for pointer, pattern in _iterate_patterns(schema, dialect):
        if compile_pattern(pattern) is not None:
            continue
        message = f'{NOT_SCHEMA}{json.dumps(shorten(pattern))} is not a "regex"' if document.is_quotable else NO_SCHEMA
        help = _explain_pattern(pattern) if document.is_quotable else _PATTERN_HELP
        findings.error("MG101", message, document.make_span(place + pointer), help)
        is_valid = False
    return is_valid


def _explain_pattern(pattern: str) -> str:
    parts = [part for part in find_unportable(pattern) if Reader.ECMA_262 in part.refusing]
    return "; ".join([_PATTERN_HELP, *(f'for "{part.text}": {part.help}' for part in parts[:MAX_EXPLAINED_PARTS])])


def _iterate_patterns(schema: Json, dialect: str) -> Iterator[tuple[str, str]]:
    for pointer, subschema in walk_subschemas(schema, dialect):
        for path, pattern in iterate_patterns(subschema):
            yield pointer + format_pointer(*path), pattern


def check_patterns(schema: Json, dialect: str, document: SourceDocument, pointer: str, findings: Findings) -> bool:
    """Return whether the validator that generated code uses can read every pattern; report others.

    References were resolved before; one that only the validator cannot follow is a warning.
    """
    advertised: Json = schema  # without `x-mcpgen`
    if isinstance(schema, dict):
        advertised = {key: value for key, value in schema.items() if key != "x-mcpgen"}
    try:
        with contained():
            get_validator_class(dialect)(encode_references(advertised), validate_formats=False, offline=True)
    except CheckFailed:
        message = f"the validator cannot read this schema: {_FAILED}"
        findings.error("MG101", message, document.make_span(pointer), _PANICKED)
        return False
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        path: list[str | int] = list(getattr(error, "instance_path", []))
        span = document.make_span(pointer + format_pointer(*path))
        if path[-1:] == ["pattern"] or "regex" in str(error):
            findings.error("MG101", f"{NOT_SCHEMA}{format_error(error)}", span, _PATTERN_HELP)
            return False
        help = "every value will be refused; say it without the reference that is named here"
        findings.warn("MG109", f"the validator cannot read this schema: {format_error(error)}", span, help)
    _note_backtracking(schema, dialect, document, pointer, findings)
    return True


def _note_backtracking(schema: Json, dialect: str, document: SourceDocument, place: str, findings: Findings) -> None:
    for pointer, pattern in _iterate_patterns(schema, dialect):
        if compile_pattern(pattern, is_linear=True) is None:
            message = "this pattern needs backtracking: a long string will be refused"
            help = "see `limits.pattern-length` and `limits.pattern-steps`; a pattern without look-around has no limit"
            findings.note("MG110", message, document.make_span(place + pointer), help)


# --- the schemas of MCP, which are shipped with mcpgen ----------------------------------------------------------------
@cache
def load_builtin_protocol(version: str) -> dict[str, Json]:
    """Return the definitions of a version's MCP schema."""
    document, keyword = load_protocol(version)
    return as_object(document[keyword])
