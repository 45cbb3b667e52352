"""What a server sent, held against MCP's own definitions: what it advertises, sorted, or what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.introspect.client import ServerListing
from mcpgen.introspect.error_messages import shorten_text
from mcpgen.introspect.ref_repair import repair_references
from mcpgen.read.document import SourceDocument
from mcpgen.read.protocol_schemas import load_builtin_protocols
from mcpgen.read.tool_options import OPTIONS_KEY
from mcpgen.read.validation import MemberChecker
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect, map_subschemas
from mcpgen.schema.values import Json, format_pointer
from mcpgen.targets import PROTOCOLS

DEFINITION_KINDS = {"tools": "Tool", "resources": "Resource", "resourceTemplates": "ResourceTemplate"}
KEY_MEMBERS = {"tools": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}
"""The member that tells the definitions of a list apart."""
EXCLUDE_HELP = "leave it out with --exclude, and tell who runs the server"


@dataclass(frozen=True)
class AdvertisedDefinitions:
    """What a server advertises, each list sorted; member by member as it was sent."""

    protocol: str
    lists: dict[str, list[dict[str, Json]]]

    @property
    def tools(self) -> list[dict[str, Json]]:
        """The Tools, by name."""
        return self.lists["tools"]


def validate_listing(
    answer: ServerListing, exclude: Sequence[str], limits: Limits, where: Span, findings: Findings
) -> AdvertisedDefinitions | None:
    """The definitions of an answer, without those to be left out; None: something is wrong with them."""
    for line in answer.nonsense[:1]:
        findings.warn("MG708", f'the server writes what is no message: "{line}"', where)
    for failed in answer.failed:
        findings.warn("MG708", f"the server cannot give one of its lists, {failed}", where, "it is taken to be empty")
    if not _is_within_limits(answer.lists, limits, where, findings):
        return None
    before = sum(one.severity is Severity.ERROR for one in findings)
    checker = MemberChecker(load_builtin_protocols()[PROTOCOLS[-1]])
    lists: dict[str, list[dict[str, Json]]] = {}
    for member, kind in DEFINITION_KINDS.items():
        lists[member] = sorted(
            _validate_list(answer.lists.get(member, []), member, kind, exclude, checker, where, findings),
            key=lambda one, key=KEY_MEMBERS[member]: (str(one["name"]), str(one[key])),  # type: ignore[misc]
        )
        _check_unique(lists[member], member, kind, where, findings)
    failed_now = sum(one.severity is Severity.ERROR for one in findings) != before
    return None if failed_now else AdvertisedDefinitions(answer.protocol, lists)


class _ServerDocument(SourceDocument):
    """What came from a server, which has pointers but no lines to show."""

    def span(self, at: str = "", key: str | None = None) -> Span:
        """The place of the value at a JSON pointer, or of the member name `key` in the object there."""
        return Span("", 0, 0, at if key is None else at + format_pointer(key))


def _validate_list(
    values: list[Json],
    member: str,
    kind: str,
    exclude: Sequence[str],
    checker: MemberChecker,
    where: Span,
    findings: Findings,
) -> Iterator[dict[str, Json]]:
    for number, value in enumerate(values, 1):
        if not isinstance(value, dict):
            findings.error("MG710", f"number {number} of the {member} is no object", where, "")
            continue
        if is_excluded(value, exclude):
            continue
        own, had_choices, broken = _clean_definition(value)
        called = f'the {kind} "{value["name"]}"' if isinstance(value.get("name"), str) else f"{kind} number {number}"
        if had_choices:
            message = f"{called} comes with {OPTIONS_KEY}, which is left out"
            findings.warn("MG713", message, where, "what is chosen for it belongs into the settings")
        if broken:
            message = f"{called} refers to {', '.join(broken[:3])} at its root, where it is not"
            findings.warn("MG714", message, where, "it stands further in; the references are put right")
        wrong = Findings()
        if checker.check(kind, own, _ServerDocument(Path(), "", ""), "", wrong):
            yield own
        for one in list(wrong)[:3]:
            said = shorten_text(one.message.removeprefix(f"not a valid {kind}: "))
            at = f" at {one.span.pointer}" if one.span is not None and one.span.pointer else ""
            findings.error("MG710", f"{called} is none{at}: {said}", where, EXCLUDE_HELP)


def _check_unique(values: list[dict[str, Json]], member: str, kind: str, where: Span, findings: Findings) -> None:
    """Two of one key are an error; two of one name are an error for tools, and for resources once they are built."""
    seen: set[tuple[str, str]] = set()
    for value in values:
        for key in dict.fromkeys((KEY_MEMBERS[member], "name")):
            mark = key, str(value[key])
            if mark in seen and key == KEY_MEMBERS[member]:
                findings.error("MG711", f'the server advertises two {kind}s "{value[key]}"', where, EXCLUDE_HELP)
            elif mark in seen:
                help = f'leave one out: --exclude "{value[KEY_MEMBERS[member]]}"'
                findings.warn("MG711", f'the server has two {kind}s called "{value[key]}"', where, help)
            seen.add(mark)


def is_excluded(value: dict[str, Json], patterns: Sequence[str]) -> bool:
    """Whether a Tool, Resource or ResourceTemplate is to be left out, by its name or address."""
    names = [name for key in {"name", *KEY_MEMBERS.values()} if isinstance(name := value.get(key), str)]
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _is_within_limits(lists: dict[str, list[Json]], limits: Limits, where: Span, findings: Findings) -> bool:
    """Whether what a server sent is within the bounds for files."""
    help = "raise `limits` in the settings if this is meant"
    stack: list[tuple[Json, int]] = [(one, 3) for held in lists.values() for one in held]
    count = 0
    while stack:
        value, depth = stack.pop()
        count += 1
        if depth > limits.depth or count > limits.values:
            much = f"nested more than {limits.depth} levels deep" if depth > limits.depth else "too much to be read"
            findings.error("MG712", f"what the server advertises is {much}", where, help)
            return False
        if isinstance(value, float) and not math.isfinite(value):
            findings.error(
                "MG710", "what the server advertises holds a number that JSON cannot say", where, EXCLUDE_HELP
            )
            return False
        if isinstance(value, dict | list):
            stack.extend((inner, depth + 1) for inner in (value.values() if isinstance(value, dict) else value))
    return True


def _clean_definition(value: dict[str, Json]) -> tuple[dict[str, Json], bool, list[str]]:
    """A definition without `x-mcpgen`, which is the user's to say, whether there was any, and references put right."""
    out = {key: inner for key, inner in value.items() if key != OPTIONS_KEY}
    had_choices, broken = out != value, list[str]()
    for member in ("inputSchema", "outputSchema"):
        if member in out:
            dialect = detect_dialect(out[member]) or DRAFT_2020_12
            bare = _strip_choices(out[member], dialect)
            had_choices |= bare != out[member]
            out[member], refs = repair_references(bare, dialect)
            broken += refs
    return out, had_choices, broken


def _strip_choices(schema: Json, dialect: str) -> Json:
    if not isinstance(schema, dict):
        return schema
    own = {key: inner for key, inner in schema.items() if key != OPTIONS_KEY}
    return map_subschemas(own, dialect, lambda _, inner: _strip_choices(inner, dialect))
