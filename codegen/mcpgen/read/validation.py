"""Check definitions against the MCP schema, and schemas against their meta-schema."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Any, cast

import jsonschema_rs

from mcpgen.diagnostics import Findings
from mcpgen.read.definitions import ProtocolSchema
from mcpgen.read.document import SourceDocument
from mcpgen.read.recognition import match_misspelt
from mcpgen.schema.keywords import ANNOTATION_KEYWORDS, DRAFT_07, KEYWORDS, detect_dialect, walk_subschemas
from mcpgen.schema.panics import Panicked, contained
from mcpgen.schema.references import encode_references
from mcpgen.schema.values import Json, format_pointer

TYPE_NAMES = ("string", "integer", "number", "boolean", "object", "array", "null")
MAX_UNDECLARED = 20
"""Undeclared required names of one object that are reported. Each is compared with all declared names."""
MAX_COMPARED_NAMES, MAX_COMPARED_LENGTH = 1_000, 200
"""Names that a misspelt name is compared with, and characters of it that are compared."""
_SORTED_KEYWORDS = tuple(sorted(KEYWORDS))
MAX_EXPLAINED_VALUES = 10_000
"""Values in a definition beyond which only its first error is reported."""


class MemberChecker:
    """Checker of Tools, Resources and ResourceTemplates against the definitions of a protocol version."""

    def __init__(self, protocol: ProtocolSchema) -> None:
        self._definitions = protocol.definitions
        self._validators: dict[str, Any] = {}

    def check(
        self, kind: str, value: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings
    ) -> bool:
        """Return whether the value at a pointer of the document is a valid `kind` (`Tool`, …); report errors."""
        if kind not in self._validators:
            schema = {"$ref": f"#/$defs/{kind}", "$defs": self._definitions}
            self._validators[kind] = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
        members = self._list_members(kind)
        is_valid = True
        for key in value:
            if not key.startswith("x-") and (meant := match_misspelt(key, members)):
                help = f'did you mean "{meant}"?'
                findings.error("MG005", f'a {kind} has no member "{key}"', document.make_span(pointer, key), help)
                is_valid = False
        try:
            for error in _find_errors(self._validators[kind], value):
                span = document.make_span(pointer + format_pointer(*error.instance_path))
                findings.error("MG004", f"not a valid {kind}: {_format_error(error)}", span)
                is_valid = False
        except Panicked as error:
            findings.error("MG004", f"this {kind} cannot be checked: {error}", document.make_span(pointer), _PANICKED)
            is_valid = False
        return is_valid

    def _list_members(self, kind: str) -> tuple[str, ...]:
        definition = self._definitions.get(kind)
        properties = definition.get("properties") if isinstance(definition, dict) else None
        return tuple(properties) if isinstance(properties, dict) else ()


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
    """Return whether a value contains more than `MAX_EXPLAINED_VALUES` others."""
    stack, count = [value], 0
    while stack and count <= MAX_EXPLAINED_VALUES:
        part = stack.pop()
        count += 1
        if isinstance(part, dict | list):
            stack.extend(part.values() if isinstance(part, dict) else part)
    return count > MAX_EXPLAINED_VALUES


@cache
def _build_meta_validator(dialect: str) -> Any:
    if dialect == DRAFT_07:
        schema = {"$ref": "http://json-schema.org/draft-07/schema#"}
        return jsonschema_rs.Draft7Validator(schema, validate_formats=False)
    schema = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=False)


def check_schema(schema: Json, document: SourceDocument, place: str, default: str, findings: Findings) -> str | None:
    """Return the dialect of a schema, None if it isn't supported. What is wrong is reported.

    Args:
        schema: The schema.
        document: The document that contains it.
        at: Its JSON pointer there.
        default: The dialect of a schema without `$schema`.
        findings: Receives errors and warnings.
    """
    dialect = detect_dialect(schema, default)
    if dialect is None:
        named = schema.get("$schema") if isinstance(schema, dict) else None
        findings.error(
            "MG102",
            f"the dialect {named} is not supported",
            document.make_span(place + "/$schema"),
            "write the schema in 2020-12 (the default) or draft-07",
        )
        return None
    is_valid = True
    reported: set[str] = set()
    try:
        with contained():
            errors = [*_build_meta_validator(dialect).iter_errors(schema)]
    except Panicked as panic:
        findings.error("MG101", f"cannot be checked: {panic}", document.make_span(place), _PANICKED)
        return dialect
    for error in errors:
        pointer = place + format_pointer(*error.instance_path)
        if pointer in reported:
            continue
        reported.add(pointer)
        message, help = _explain_meta_error(error) if document.is_quotable else ("not a valid JSON Schema", "")
        findings.error("MG101", message, document.make_span(pointer), help)
        is_valid = False
    if is_valid and document.is_quotable:
        _warn_about_schema(schema, document, place, dialect, findings)
    return dialect


def check_patterns(schema: Json, dialect: str, document: SourceDocument, pointer: str, findings: Findings) -> bool:
    """Return whether the validator that generated code uses can read every pattern; report others.

    References were resolved before; one that only the validator cannot follow is a warning.
    """
    validator_class: Any = jsonschema_rs.Draft7Validator if dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator
    try:
        with contained():
            validator_class(encode_references(_strip_root_options(schema)), validate_formats=False, offline=True)
    except Panicked as error:
        findings.error(
            "MG101", f"the validator cannot read this schema: {error}", document.make_span(pointer), _PANICKED
        )
        return False
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        path: list[str | int] = list(getattr(error, "instance_path", []))
        span = document.make_span(pointer + format_pointer(*path))
        if path[-1:] == ["pattern"] or "regex" in str(error):
            help = "patterns are regular expressions of ECMA-262"
            findings.error("MG101", f"not a valid JSON Schema: {_format_error(error)}", span, help)
            return False
        help = "every value will be refused; say it without the reference that is named here"
        findings.warn("MG109", f"the validator cannot read this schema: {_format_error(error)}", span, help)
    _note_backtracking(schema, dialect, document, pointer, findings)
    return True


def _note_backtracking(schema: Json, dialect: str, document: SourceDocument, place: str, findings: Findings) -> None:
    for pointer, subschema in walk_subschemas(schema, dialect):
        if not isinstance(subschema, dict):
            continue
        properties = subschema.get("patternProperties")
        names = properties if isinstance(properties, dict) else ()
        patterns = [(format_pointer("pattern"), subschema.get("pattern"))]
        patterns += [(format_pointer("patternProperties", name), name) for name in names]
        for pattern_pointer, pattern in patterns:
            if isinstance(pattern, str) and not _is_linear(pattern):
                message = "this pattern needs backtracking: a long string will be refused"
                help = (
                    "see `limits.pattern-length` and `limits.pattern-steps`; a pattern without look-around has no limit"
                )
                findings.note("MG110", message, document.make_span(place + pointer + pattern_pointer), help)


@cache
def _is_linear(pattern: str) -> bool:
    """Return whether the engine without look-around and back-references can match a pattern."""
    try:
        options = jsonschema_rs.RegexOptions()
        with contained():
            jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=options, offline=True)
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True


def _strip_root_options(schema: Json) -> Json:
    """Return a schema without `x-mcpgen` at its root, which is not advertised either."""
    return {key: value for key, value in schema.items() if key != "x-mcpgen"} if isinstance(schema, dict) else schema


def _explain_meta_error(error: Any) -> tuple[str, str]:
    path, value = error.instance_path, error.instance
    keyword = path[-1] if path else ""
    if keyword == "type" and isinstance(value, str):
        close = difflib.get_close_matches(value, TYPE_NAMES, 1, 0.5)
        help = f'did you mean "{close[0]}"?' if close else "the types are " + ", ".join(TYPE_NAMES)
        return f'"{value}" is not a JSON Schema type', help
    type_names = cast(Any, value) if keyword == "type" and isinstance(value, list) else ()
    unknown = [name for name in type_names if name not in TYPE_NAMES]
    if unknown:
        close = difflib.get_close_matches(str(unknown[0]), TYPE_NAMES, 1, 0.5)
        return f'"{unknown[0]}" is not a JSON Schema type', f'did you mean "{close[0]}"?' if close else ""
    if keyword == "required" and isinstance(value, bool):
        return '"required" must be a list of names', "list the property's name in its object's required"
    return f'not a valid JSON Schema: {_format_error(error)} in "{keyword}"' if keyword else _format_error(error), ""


def _warn_about_schema(schema: Json, document: SourceDocument, pointer: str, dialect: str, findings: Findings) -> None:
    """Warn about what is valid but surely a mistake."""
    for place, inner in walk_subschemas(schema, dialect):
        if not isinstance(inner, dict):
            continue
        if place and "$schema" in inner and detect_dialect(inner, dialect) is None:
            span = document.make_span(pointer + place + format_pointer("$schema"))
            help = "write the schema in 2020-12 (the default) or draft-07"
            findings.error("MG102", f"the dialect {inner['$schema']} is not supported", span, help)
        for key in inner:
            if key in KEYWORDS or key.startswith(("x-", "$")):
                continue
            meant = match_misspelt(key, _SORTED_KEYWORDS)
            if meant and meant not in inner and meant not in ANNOTATION_KEYWORDS:
                span = document.make_span(pointer + place, key)
                findings.warn("MG105", f'"{key}" is not a JSON Schema keyword', span, f'did you mean "{meant}"?')
        _warn_about_required(inner, document, pointer + place, findings)


def _warn_about_required(schema: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings) -> None:
    """Warn about the first required names that an object doesn't allow."""
    properties, required = schema.get("properties"), schema.get("required")
    closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    if not closed or not isinstance(required, list):
        return
    declared = properties if isinstance(properties, dict) else {}
    missing = [(index, str(name)) for index, name in enumerate(required) if name not in declared]
    names = [*islice(declared, MAX_COMPARED_NAMES)]
    for index, name in missing[:MAX_UNDECLARED]:
        close = difflib.get_close_matches(name[:MAX_COMPARED_LENGTH], names, 1)
        help = f'did you mean "{close[0]}"?' if close else "declare it under properties"
        span = document.make_span(pointer + format_pointer("required", index))
        findings.warn("MG106", f'"{name}" is required, but nothing allows it', span, help)
    if len(missing) > MAX_UNDECLARED:
        index, name = missing[MAX_UNDECLARED]
        message = f'"{name}" and {len(missing) - MAX_UNDECLARED - 1} more are required, but nothing allows them'
        span = document.make_span(pointer + format_pointer("required", index))
        findings.warn("MG106", message, span, "declare them under properties")


def _format_error(error: Any) -> str:
    text = " ".join(str(getattr(error, "message", error)).split())
    return text if len(text) <= 200 else text[:197] + "..."
