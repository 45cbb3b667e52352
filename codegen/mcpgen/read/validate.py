"""Checking definitions against the MCP schema's own Tool and Resource, and schemas against their meta-schema."""

from __future__ import annotations

import difflib
from functools import cache
from typing import Any, cast

import jsonschema_rs

from mcpgen.diagnostics import Findings
from mcpgen.json_types import Json, pointer
from mcpgen.read.definitions import ProtocolSchema
from mcpgen.read.keywords import ANNOTATIONS, DRAFT_07, KEYWORDS, dialect_of, subschemas
from mcpgen.read.references import with_uris
from mcpgen.read.shapes import misspelt
from mcpgen.read.source import Document

TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")
_SCHEMA_WORDS = tuple(sorted(KEYWORDS))


class MemberChecker:
    """Checks Tools, Resources and ResourceTemplates against the newest protocol's definitions."""

    def __init__(self, protocol: ProtocolSchema) -> None:
        self._definitions = protocol.definitions
        self._validators: dict[str, Any] = {}

    def check(self, kind: str, value: dict[str, Json], document: Document, at: str, findings: Findings) -> bool:
        """Whether `value`, at a pointer of the document, is a `kind` (`Tool`, …); what is wrong is recorded."""
        if kind not in self._validators:
            schema = {"$ref": f"#/$defs/{kind}", "$defs": self._definitions}
            self._validators[kind] = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
        known = self._known(kind)
        ok = True
        for key in value:
            if not key.startswith("x-") and (meant := misspelt(key, known)):
                help = f'did you mean "{meant}"?'
                findings.error("MG005", f'a {kind} has no member "{key}"', document.span(at, key), help)
                ok = False
        for error in self._validators[kind].iter_errors(value):
            where = at + pointer(*error.instance_path)
            findings.error("MG004", f"not a valid {kind}: {_sentence(error)}", document.span(where))
            ok = False
        return ok

    def _known(self, kind: str) -> tuple[str, ...]:
        definition = self._definitions.get(kind)
        properties = definition.get("properties") if isinstance(definition, dict) else None
        return tuple(properties) if isinstance(properties, dict) else ()


@cache
def _meta_validator(dialect: str) -> Any:
    if dialect == DRAFT_07:
        schema = {"$ref": "http://json-schema.org/draft-07/schema#"}
        return jsonschema_rs.Draft7Validator(schema, validate_formats=False)
    schema = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=False)


def check_schema(schema: Json, document: Document, at: str, default: str, findings: Findings) -> str | None:
    """The dialect of a schema at a pointer of the document, None if it is not supported; all else is recorded."""
    dialect = dialect_of(schema, default)
    if dialect is None:
        named = schema.get("$schema") if isinstance(schema, dict) else None
        findings.error(
            "MG102",
            f"the dialect {named} is not supported",
            document.span(at + "/$schema"),
            "write the schema in 2020-12 (the default) or draft-07",
        )
        return None
    ok = True
    seen: set[str] = set()
    for error in _meta_validator(dialect).iter_errors(schema):
        where = at + pointer(*error.instance_path)
        if where in seen:
            continue
        seen.add(where)
        message, help = _meta_message(error) if document.known else ("not a valid JSON Schema", "")
        findings.error("MG101", message, document.span(where), help)
        ok = False
    if ok and document.known:
        _lint(schema, document, at, dialect, findings)
    return dialect


def check_compiles(schema: Json, dialect: str, document: Document, at: str, findings: Findings) -> bool:
    """Whether every pattern is a regular expression for the validator that generated code will use.

    References were resolved before; one that only the validator cannot follow is a warning.
    """
    maker: Any = jsonschema_rs.Draft7Validator if dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator
    try:
        maker(with_uris(_bare(schema)), validate_formats=False, offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        path: list[str | int] = list(getattr(error, "instance_path", []))
        where = document.span(at + pointer(*path))
        if path[-1:] == ["pattern"] or "regex" in str(error):
            help = "patterns are regular expressions of ECMA-262"
            findings.error("MG101", f"not a valid JSON Schema: {_sentence(error)}", where, help)
            return False
        help = "every value will be refused; say it without the reference that is named here"
        findings.warn("MG109", f"the validator cannot read this schema: {_sentence(error)}", where, help)
    return True


def _bare(schema: Json) -> Json:
    """The schema without a choice of the user's at its root, which is not advertised either."""
    return {key: value for key, value in schema.items() if key != "x-mcpgen"} if isinstance(schema, dict) else schema


def _meta_message(error: Any) -> tuple[str, str]:
    path, value = error.instance_path, error.instance
    last = path[-1] if path else ""
    if last == "type" and isinstance(value, str):
        close = difflib.get_close_matches(value, TYPES, 1, 0.5)
        help = f'did you mean "{close[0]}"?' if close else "the types are " + ", ".join(TYPES)
        return f'"{value}" is no JSON Schema type', help
    listed = cast(Any, value) if last == "type" and isinstance(value, list) else ()
    unknown = [one for one in listed if one not in TYPES]
    if unknown:
        close = difflib.get_close_matches(str(unknown[0]), TYPES, 1, 0.5)
        return f'"{unknown[0]}" is no JSON Schema type', f'did you mean "{close[0]}"?' if close else ""
    if last == "required" and isinstance(value, bool):
        return '"required" must be a list of names', "list the property's name in its object's required"
    return f'not a valid JSON Schema: {_sentence(error)} in "{last}"' if last else _sentence(error), ""


def _lint(schema: Json, document: Document, at: str, dialect: str, findings: Findings) -> None:
    """Warn of what is valid but surely not meant."""
    stack: list[tuple[str, Json]] = [("", schema)]
    while stack:
        here, inner = stack.pop()
        if not isinstance(inner, dict):
            continue
        if here and "$schema" in inner and dialect_of(inner, dialect) is None:
            span = document.span(at + here + pointer("$schema"))
            help = "write the schema in 2020-12 (the default) or draft-07"
            findings.error("MG102", f"the dialect {inner['$schema']} is not supported", span, help)
        for key in inner:
            if key in KEYWORDS or key.startswith(("x-", "$")):
                continue
            meant = misspelt(key, _SCHEMA_WORDS)
            if meant and meant not in inner and meant not in ANNOTATIONS:
                span = document.span(at + here, key)
                findings.warn("MG105", f'"{key}" is no JSON Schema keyword', span, f'did you mean "{meant}"?')
        properties, required = inner.get("properties"), inner.get("required")
        closed = inner.get("additionalProperties") is False and "patternProperties" not in inner
        if closed and isinstance(required, list):
            declared = properties if isinstance(properties, dict) else {}
            for index, name in enumerate(required):
                if name not in declared:
                    span = document.span(at + here + pointer("required", index))
                    close = difflib.get_close_matches(str(name), list(declared), 1)
                    help = f'did you mean "{close[0]}"?' if close else "declare it under properties"
                    findings.warn("MG106", f'"{name}" is required, but nothing allows it', span, help)
        stack.extend((here + pointer(*path), child) for path, child in subschemas(inner, dialect))


def _sentence(error: Any) -> str:
    text = " ".join(str(getattr(error, "message", error)).split())
    return text if len(text) <= 200 else text[:197] + "..."
