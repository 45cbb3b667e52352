"""Validation of a server's listing against MCP's schemas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from mcpgen.config.models import Limits, suggest_raising
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.introspect.error_messages import STDOUT_HELP, shorten_text
from mcpgen.introspect.listing import ServerListing
from mcpgen.introspect.ref_repair import repair_references
from mcpgen.read.document import SourceDocument
from mcpgen.read.json_parser import is_encodable
from mcpgen.read.protocol_schemas import load_builtin_protocols
from mcpgen.read.tool_options import OPTIONS_KEY
from mcpgen.read.validation import MemberChecker
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect, map_subschemas
from mcpgen.schema.values import Json, format_pointer
from mcpgen.targets import PROTOCOLS

DEFINITION_KINDS = {
    "tools": "Tool",
    "resources": "Resource",
    "resourceTemplates": "ResourceTemplate",
    "prompts": "Prompt",
}
"""MCP's type of the definitions in each list."""
KEY_MEMBERS = {"tools": "name", "resources": "uri", "resourceTemplates": "uriTemplate", "prompts": "name"}
"""Member by which the definitions of each list are identified."""
_NAMED = ("tools", "prompts")
"""Lists whose definitions a client asks for by their names."""
EXCLUDE_HELP = "leave it out with --exclude, and tell who runs the server"
_LISTING_DEPTH = 3
"""Depth of a definition in the result of a request."""
_MOST_ERRORS = 3
"""Errors that are reported for one definition."""


@dataclass(frozen=True)
class AdvertisedDefinitions:
    """Valid definitions of a server, each list sorted by name, with members in the server's order."""

    protocol: str
    lists: dict[str, list[dict[str, Json]]]
    instructions: str = ""
    """What the server says of how to use it; empty if it says nothing."""
    left_out: tuple[str, ...] = ()
    """What else the server offers, which no definition can hold."""
    doubled: tuple[str, ...] = ()
    """A sentence for each bound handler that also has the SDK's decorator, if the server runs in this process."""

    @property
    def tools(self) -> list[dict[str, Json]]:
        """List of Tools, sorted by name."""
        return self.lists["tools"]

    def add_prefix(self, prefix: str) -> AdvertisedDefinitions:
        """Return the definitions with a text before the names of tools and prompts, as a gateway advertises them."""
        lists = {
            member: [{**item, "name": f"{prefix}{item['name']}"} for item in items] if member in _NAMED else items
            for member, items in self.lists.items()
        }
        return replace(self, lists=lists)


def validate_listing(
    listing: ServerListing, exclude: Sequence[str], limits: Limits, span: Span, findings: Findings
) -> AdvertisedDefinitions | None:
    """Validate a listing.

    Args:
        listing: what the server advertises.
        exclude: patterns of names or URIs of definitions to leave out.
        limits: how large and how deep definitions may be.
        span: the server, for diagnostics.
        findings: receives the diagnostics.

    Returns:
        The definitions that are not excluded; None if there are errors.
    """
    for line in listing.invalid_lines[:1]:
        findings.warn("MG708", f'the server prints something that is not an MCP message: "{line}"', span, STDOUT_HELP)
    for failure in listing.failed:
        findings.warn(
            "MG708", f"the server fails to list some definitions, {failure}", span, "that list is treated as empty"
        )
    texts: dict[str, list[Json]] = {"instructions": [listing.instructions]}
    if not _is_within_limits(listing.lists | texts, limits, span, findings):
        return None
    errors_before = _count_errors(findings)
    validator = _ListValidator(exclude, span, findings)
    lists = {member: validator.validate_list(listing.lists.get(member, []), member) for member in DEFINITION_KINDS}
    if _count_errors(findings) != errors_before:
        return None
    return AdvertisedDefinitions(listing.protocol, lists, listing.instructions, listing.left_out, listing.doubled)


def _count_errors(findings: Findings) -> int:
    return sum(finding.severity is Severity.ERROR for finding in findings)


def is_excluded(definition: dict[str, Json], patterns: Sequence[str]) -> bool:
    """Check whether the name or URI of a Tool, Resource or ResourceTemplate matches one of the patterns."""
    keys = {"name", *KEY_MEMBERS.values()}
    names = [name for key in keys if isinstance(name := definition.get(key), str)]
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _is_within_limits(lists: dict[str, list[Json]], limits: Limits, span: Span, findings: Findings) -> bool:
    """Check that a listing is within the limits for files, and has no NaN, infinity or lone surrogate."""
    stack = [(definition, _LISTING_DEPTH) for definitions in lists.values() for definition in definitions]
    count = 0
    while stack:
        value, depth = stack.pop()
        count += 1
        if depth > limits.depth or count > limits.values:
            is_deep = depth > limits.depth
            excess = f"nested more than {limits.depth} levels deep" if is_deep else "too much to be read"
            help = suggest_raising("depth" if is_deep else "values")
            findings.error("MG712", f"what the server advertises is {excess}", span, help)
            return False
        if fault := _describe_fault(value):
            findings.error("MG710", f"what the server advertises holds {fault}", span, EXCLUDE_HELP)
            return False
        if isinstance(value, dict | list):
            stack.extend((child, depth + 1) for child in (value.values() if isinstance(value, dict) else value))
    return True


def _describe_fault(value: Json) -> str:
    """Return what of a value, without its parts, no file of definitions can hold; "" if there is nothing."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN or an infinity, which JSON does not have"
    texts = [value] if isinstance(value, str) else value if isinstance(value, dict) else ()
    return "" if all(map(is_encodable, texts)) else "half of a surrogate pair, which UTF-8 cannot encode"


class _ServerDocument(SourceDocument):
    """Document from a server, whose spans have pointers but no lines."""

    def make_span(self, pointer: str = "", key: str | None = None) -> Span:
        """Return the span of the value at a JSON pointer, or of the member name `key` in the object there."""
        return Span("", 0, 0, pointer if key is None else pointer + format_pointer(key))


class _ListValidator:
    """Validator of the lists of one server."""

    def __init__(self, exclude: Sequence[str], span: Span, findings: Findings) -> None:
        self._exclude, self._span, self._findings = exclude, span, findings
        self._checker = MemberChecker(load_builtin_protocols()[PROTOCOLS[-1]])

    def validate_list(self, values: list[Json], member: str) -> list[dict[str, Json]]:
        """Return the valid definitions of a list, sorted by name; report the others."""
        key = KEY_MEMBERS[member]
        definitions = sorted(
            self._validate_values(values, member),
            key=lambda definition: (str(definition["name"]), str(definition[key])),
        )
        self._check_unique(definitions, member)
        return definitions

    def _validate_values(self, values: list[Json], member: str) -> Iterator[dict[str, Json]]:
        kind = DEFINITION_KINDS[member]
        for number, value in enumerate(values, 1):
            if not isinstance(value, dict):
                self._findings.error("MG710", f"number {number} of the {member} is not an object", self._span)
                continue
            if is_excluded(value, self._exclude):
                continue
            has_name = isinstance(value.get("name"), str)
            label = f'the {kind} "{value["name"]}"' if has_name else f"{kind} number {number}"
            definition = self._clean_definition(value, label)
            errors = Findings()
            if self._checker.check(kind, definition, _ServerDocument(Path(), "", ""), "", errors):
                yield definition
            wrong = [error for error in errors if error.severity is Severity.ERROR]  # `build` reports warnings
            for error in wrong[:_MOST_ERRORS]:
                message = shorten_text(error.message.removeprefix(f"not a valid {kind}: "))
                pointer = f" at {error.span.pointer}" if error.span is not None and error.span.pointer else ""
                self._findings.error("MG710", f"{label} is not valid{pointer}: {message}", self._span, EXCLUDE_HELP)

    def _clean_definition(self, definition: dict[str, Json], label: str) -> dict[str, Json]:
        """Return a definition without mcpgen's options, which users set, and with repaired references."""
        cleaned = {key: value for key, value in definition.items() if key != OPTIONS_KEY}
        had_options, broken_references = cleaned != definition, list[str]()
        for member in ("inputSchema", "outputSchema"):
            if member in cleaned:
                dialect = detect_dialect(cleaned[member]) or DRAFT_2020_12
                schema = _strip_options(cleaned[member], dialect)
                had_options |= schema != cleaned[member]
                cleaned[member], references = repair_references(schema, dialect)
                broken_references += references
        if had_options:
            message = f"{label} comes with {OPTIONS_KEY}, which mcpgen ignores"
            self._findings.warn("MG713", message, self._span, "put your own choices into the settings")
        if broken_references:
            missing = ", ".join(broken_references[:3])
            message = f"{label} refers to {missing}, which its schema does not have at the root"
            help = "it exists deeper in the schema, so mcpgen corrects the reference"
            self._findings.warn("MG714", message, self._span, help)
        return cleaned

    def _check_unique(self, definitions: list[dict[str, Json]], member: str) -> None:
        """Report repeated keys as errors, and repeated names as warnings, since they only matter to `build`."""
        kind, key = DEFINITION_KINDS[member], KEY_MEMBERS[member]
        used: set[tuple[str, str]] = set()
        for definition in definitions:
            for name_member in dict.fromkeys((key, "name")):
                name = name_member, str(definition[name_member])
                if name in used and name_member == key:
                    message = f'the server advertises two {kind}s "{definition[key]}"'
                    self._findings.error("MG711", message, self._span, EXCLUDE_HELP)
                elif name in used:
                    message = f'the server has two {kind}s called "{definition[name_member]}"'
                    self._findings.warn("MG711", message, self._span, f'leave one out: --exclude "{definition[key]}"')
                used.add(name)


def _strip_options(schema: Json, dialect: str) -> Json:
    if not isinstance(schema, dict):
        return schema
    stripped = {key: value for key, value in schema.items() if key != OPTIONS_KEY}
    return map_subschemas(stripped, dialect, lambda _, subschema: _strip_options(subschema, dialect))
