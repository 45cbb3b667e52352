"""Validation of a server's listing against MCP's schemas."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import unquote

from mcpgen.config.models import Limits, suggest_raising
from mcpgen.diagnostics import Diagnostic, Findings, Severity, Span, suggest_exclusion
from mcpgen.introspect.error_messages import STDOUT_HELP, shorten_text
from mcpgen.introspect.session import ServerListing
from mcpgen.read.choices import OPTIONS_KEY, strip_options
from mcpgen.read.document import SourceDocument
from mcpgen.read.foreign_definitions import (
    SCHEMA_MEMBERS,
    describe_loss,
    find_server_name,
    leave_out_mistakes,
    normalize_definition,
)
from mcpgen.read.json_parser import is_encodable
from mcpgen.read.validation import MemberChecker, load_builtin_protocol
from mcpgen.report.visible import escape_line
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect, map_subschemas
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer
from mcpgen.targets import PROTOCOLS

DEFINITION_KINDS = {
    "tools": "Tool",
    "resources": "Resource",
    "resourceTemplates": "ResourceTemplate",
    "prompts": "Prompt",
}
"""MCP's type of the definitions in each list."""
LIST_TITLES = {"tools": "tool", "resources": "resource", "resourceTemplates": "resource template", "prompts": "prompt"}
"""What messages call the definitions of each list; the first word is their kind."""
KEY_MEMBERS = {"tools": "name", "resources": "uri", "resourceTemplates": "uriTemplate", "prompts": "name"}
"""Member by which the definitions of each list are identified."""
NAMED_LISTS = ("tools", "prompts")
"""Lists whose definitions a client asks for by their names, so that no two servers of a package can share one."""
REPORT_HELP = "tell who runs the server"
EXCLUDE_HELP = f"leave it out with --exclude, and {REPORT_HELP}"
_LISTING_DEPTH = 3
"""Depth of a definition in the result of a request."""
_MOST_ERRORS = 3


@dataclass(frozen=True)
class AdvertisedDefinitions:
    """Valid definitions of a server, like its `ServerListing`, each list sorted by name, members in its order."""

    protocol: str
    lists: dict[str, list[dict[str, Json]]]
    instructions: str = ""
    left_out: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()

    @property
    def tools(self) -> list[dict[str, Json]]:
        """List of Tools, sorted by name."""
        return self.lists["tools"]

    def add_prefix(self, prefix: str) -> AdvertisedDefinitions:
        """Return the definitions with a text before the names of tools and prompts, as a gateway advertises them."""
        lists = {
            member: [{**item, "name": f"{prefix}{item['name']}"} for item in items] if member in NAMED_LISTS else items
            for member, items in self.lists.items()
        }
        return replace(self, lists=lists)


def validate_listing(
    listing: ServerListing, exclude: Sequence[str], limits: Limits, span: Span, findings: Findings
) -> AdvertisedDefinitions | None:
    """Return the definitions that are not excluded, without what is wrong in them; None if they go beyond a limit."""
    for line in listing.invalid_lines[:1]:
        findings.warn("MG708", f'the server prints something that is not an MCP message: "{line}"', span, STDOUT_HELP)
    for failure in listing.failed:
        findings.warn(
            "MG708", f"the server fails to list some definitions, {failure}", span, "that list is treated as empty"
        )
    if not _is_within_limits(listing.lists, limits, span, findings):
        return None
    validator = _ListValidator(exclude, span, findings)
    lists = {member: validator.validate_list(listing.lists.get(member, []), member) for member in DEFINITION_KINDS}
    instructions = listing.instructions
    if fault := _find_fault(instructions):
        findings.warn("MG710", f"the server's instructions hold {fault}; they are left out", span, REPORT_HELP)
        instructions = ""
    return AdvertisedDefinitions(listing.protocol, lists, instructions, listing.left_out, listing.doubled)


def is_excluded(definition: dict[str, Json], patterns: Sequence[str]) -> bool:
    """Check whether the name or URI of a Tool, Resource or ResourceTemplate matches one of the patterns."""
    keys = {"name", *KEY_MEMBERS.values()}
    names = [name for key in keys if isinstance(name := definition.get(key), str)]
    return any(name == pattern or fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _is_within_limits(lists: dict[str, list[Json]], limits: Limits, span: Span, findings: Findings) -> bool:
    for count, (_, depth) in enumerate(_walk(definition for values in lists.values() for definition in values), 1):
        depth += _LISTING_DEPTH
        if depth > limits.depth or count > limits.values:
            is_deep = depth > limits.depth
            excess = f"nested more than {limits.depth} levels deep" if is_deep else "too much to be read"
            help = suggest_raising("depth" if is_deep else "values")
            findings.error("MG712", f"what the server advertises is {excess}", span, help)
            return False
    return True


def _find_fault(value: Json) -> str:
    for part, _ in _walk([value]):
        if isinstance(part, float) and not math.isfinite(part):
            return "NaN or an infinity, which JSON does not have"
        texts = [part] if isinstance(part, str) else part if isinstance(part, dict) else ()
        if not all(map(is_encodable, texts)):
            return "half of a surrogate pair, which UTF-8 cannot encode"
    return ""


def _walk(values: Iterable[Json]) -> Iterator[tuple[Json, int]]:
    stack = [(value, 0) for value in values]
    while stack:
        part, depth = stack.pop()
        yield part, depth
        if isinstance(part, dict | list):
            stack.extend((child, depth + 1) for child in (part.values() if isinstance(part, dict) else part))


class _ServerDocument(SourceDocument):
    """Document from a server, whose spans have pointers but no lines."""

    def make_span(self, pointer: str = "", key: str | None = None) -> Span:
        return Span("", 0, 0, pointer if key is None else pointer + format_pointer(key))


class _ListValidator:
    def __init__(self, exclude: Sequence[str], span: Span, findings: Findings) -> None:
        self._exclude, self._span, self._findings = exclude, span, findings
        self._checker = MemberChecker(load_builtin_protocol(PROTOCOLS[-1]))

    def _warn(self, code: str, message: str, help: str) -> None:
        self._findings.warn(code, message, self._span, help)

    def validate_list(self, values: list[Json], member: str) -> list[dict[str, Json]]:
        """Return the definitions of a list that can be used, sorted by name; report the others."""
        key = KEY_MEMBERS[member]
        definitions = sorted(
            self._validate_values(values, member),
            key=lambda definition: (str(definition["name"]), str(definition[key])),
        )
        return self._select_unique(definitions, member)

    def _validate_values(self, values: list[Json], member: str) -> Iterator[dict[str, Json]]:
        kind = DEFINITION_KINDS[member]
        for number, value in enumerate(values, 1):
            if not isinstance(value, dict):
                message = f"number {number} of the {member} is not an object; it is left out"
                self._warn("MG710", message, REPORT_HELP)
                continue
            if is_excluded(value, self._exclude):
                continue
            name = value.get("name")
            if not isinstance(name, str):
                message = f"number {number} of the {member} is a {kind} without a name; it is left out"
                self._warn("MG710", message, REPORT_HELP)
            elif fault := _find_fault(value):
                message = f'the {kind} "{escape_line(name)}" holds {fault}; it is left out'
                self._warn("MG710", message, EXCLUDE_HELP)
            elif (definition := self._correct(kind, self._clean_definition(value, f'the {kind} "{name}"'))) is not None:
                yield definition

    def _correct(self, kind: str, definition: dict[str, Json]) -> dict[str, Json] | None:
        value: dict[str, Json] | None = definition
        wrong: dict[str, Diagnostic] = {}
        while value is not None:
            errors = Findings()
            if self._checker.check(kind, value, _ServerDocument(Path(), "", ""), "", errors):
                break
            pointers: list[str] = []
            for error in errors:
                if error.severity is Severity.ERROR:  # `build` reports warnings
                    pointers.append(error.span.pointer if error.span is not None else "")
                    wrong.setdefault(pointers[-1], error)
            corrected = leave_out_mistakes(value, pointers)
            value = None if corrected == value else corrected
        for pointer, error in [*wrong.items()][:_MOST_ERRORS]:
            reason = shorten_text(error.message.removeprefix(f"not a valid {kind}: "))
            place = f" at {pointer}" if pointer else ""
            loss = describe_loss(definition, value, pointer)
            message = f'the {kind} "{definition["name"]}" is not valid{place}: {reason}; {loss}'
            self._warn("MG710", message, suggest_exclusion(find_server_name(definition)))
        return value

    def _clean_definition(self, definition: dict[str, Json], label: str) -> dict[str, Json]:
        """Return a definition without nulls and mcpgen's options, which users set, and with repaired references."""
        cleaned = normalize_definition({key: value for key, value in definition.items() if key != OPTIONS_KEY})
        had_options, broken_references = OPTIONS_KEY in definition, list[str]()
        for member in SCHEMA_MEMBERS:
            if member in cleaned:
                dialect = detect_dialect(cleaned[member]) or DRAFT_2020_12
                schema = strip_options(cleaned[member], dialect)
                had_options |= schema != cleaned[member]
                cleaned[member], references = repair_references(schema, dialect)
                broken_references += references
        if had_options:
            message = f"{label} comes with {OPTIONS_KEY}, which mcpgen ignores"
            self._warn("MG713", message, "put your own choices into the settings")
        if broken_references:
            missing = ", ".join(broken_references[:3])
            message = f"{label} refers to {missing}, which its schema does not have at the root"
            help = "it exists deeper in the schema, so mcpgen corrects the reference"
            self._warn("MG714", message, help)
        return cleaned

    def _select_unique(self, definitions: list[dict[str, Json]], member: str) -> list[dict[str, Json]]:
        """Return the first definition of each key; report the others, and repeated names, which matter to `build`."""
        kind, key = DEFINITION_KINDS[member], KEY_MEMBERS[member]
        used: set[tuple[str, str]] = set()
        selected: list[dict[str, Json]] = []
        for definition in definitions:
            if (key, str(definition[key])) not in used:
                selected.append(definition)
            for name_member in dict.fromkeys((key, "name")):
                name = name_member, str(definition[name_member])
                if name in used and name_member == key:
                    message = f'the server advertises two {kind}s "{definition[key]}"; only the first is used'
                    self._warn("MG711", message, suggest_exclusion(str(definition[key])))
                elif name in used:
                    message = f'the server has two {kind}s called "{definition[name_member]}"'
                    self._warn("MG711", message, f'leave one out: --exclude "{definition[key]}"')
                used.add(name)
        return selected


def repair_references(schema: Json, dialect: str) -> tuple[Json, list[str]]:
    """Repair references that would be right if the root were an inner schema, as dedalus-mcp has them."""
    broken: dict[str, None] = {}

    def repair(ancestors: tuple[tuple[str, Json], ...]) -> Json:
        """Repair the innermost of some nested schemas, each with its pointer, outermost first."""
        pointer, subschema = ancestors[-1]
        if not isinstance(subschema, dict):
            return subschema
        repaired, ref = dict(subschema), subschema.get("$ref")
        if isinstance(ref, str) and (correct_ref := _find_correct_reference(ref, ancestors)) is not None:
            broken[ref] = None
            repaired["$ref"] = correct_ref
        return map_subschemas(
            repaired, dialect, lambda path, nested: repair((*ancestors, (pointer + format_pointer(*path), nested)))
        )

    return repair((("", schema),)), list(broken)


def _find_correct_reference(ref: str, ancestors: tuple[tuple[str, Json], ...]) -> str | None:
    """Return the reference that was meant; None where `ref` is right, or leads nowhere from all ancestors."""
    if not ref.startswith("#/"):
        return None
    path = parse_pointer(unquote(ref[1:]))
    _, root = ancestors[0]
    if _is_schema_at(root, path):
        return None
    return next(
        (f"#{pointer}{ref[1:]}" for pointer, schema in reversed(ancestors) if pointer and _is_schema_at(schema, path)),
        None,
    )


def _is_schema_at(schema: Json, path: list[str]) -> bool:
    try:
        return isinstance(follow_pointer(schema, path), dict | bool)
    except KeyError:
        return False
