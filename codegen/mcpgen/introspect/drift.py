"""Drift between a server's listing and the definitions, under the protocol version of the listing."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.introspect.definition_drift import find_description_changes, find_member_changes
from mcpgen.introspect.validation import KEY_MEMBERS, AdvertisedDefinitions
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.report.visible import escape_line
from mcpgen.schema.contract import build_contract, format_contract
from mcpgen.schema.object_roots import implies_object, make_object_schema
from mcpgen.schema.values import Json, canonicalize
from mcpgen.targets import ANY_JSON_RESULT_SINCE, STRUCTURED_CONTENT_SINCE

MOST_DIFFED_LINES = 2_000
"""Lines of a contract up to which a minimal diff is computed, which takes quadratic time."""
_KIND_NAMES = {"tools": "tool", "resources": "resource", "resourceTemplates": "resource template", "prompts": "prompt"}
"""Singular of the definitions of each list."""
DESCRIPTIVE_MEMBERS = ("title", "description", "annotations")
"""Members of a Tool that describe it, and are not part of its contract."""


@dataclass(frozen=True)
class Drift:
    """Differences between a server and the definitions."""

    errors: tuple[Diagnostic, ...]
    """Missing, new and changed definitions."""
    diffs: tuple[str, ...]
    """Changed contracts of tools, as unified diffs."""
    notes: tuple[Diagnostic, ...]
    """Changes of descriptions."""


def find_drift(definitions: Definitions, advertised: AdvertisedDefinitions, server: str) -> Drift:
    """Compare the contracts of tools, resources and prompts, and which of them there are.

    Args:
        definitions: what the server should advertise.
        advertised: what it advertises.
        server: the server, for diagnostics.
    """
    version = advertised.protocol
    errors = list(_compare_lists(definitions, advertised, server))
    diffs: list[str] = []
    notes: list[Diagnostic] = []
    advertised_tools = {tool["name"]: tool for tool in advertised.tools}
    for tool in definitions.tools:
        if tool.name not in advertised_tools:
            continue
        expected = build_expected_tool(tool, version)
        actual = _drop_unknown_output(advertised_tools[tool.name], version)
        if format_contract(expected) != format_contract(actual):
            errors.append(_make_difference(f'tool "{tool.name}" is another on the server', tool.span))
            diffs.append(_render_diff(expected, actual, tool, f"{server} ({version})"))
        changed_members = [
            member
            for member in DESCRIPTIVE_MEMBERS
            if canonicalize(expected.get(member)) != canonicalize(actual.get(member))
        ]
        if changed_members:
            message = f'tool "{tool.name}" has another {" and ".join(changed_members)} on the server'
            notes.append(_make_difference(message, tool.span, Severity.NOTE))
    notes += find_description_changes(definitions, advertised, server)
    return Drift(tuple(errors), tuple(diffs), tuple(notes))


def _compare_lists(definitions: Definitions, advertised: AdvertisedDefinitions, server: str) -> Iterator[Diagnostic]:
    """Yield missing and new tools, resources and resource templates."""
    declared = {tool.name: tool.span for tool in definitions.tools}
    yield from _compare_names("tool", declared, [str(tool["name"]) for tool in advertised.tools], server)
    for member in ("resources", "resourceTemplates"):
        key = KEY_MEMBERS[member]
        declared = {
            str(definition.resource[key]): definition.span
            for definition in definitions.resources
            if key in definition.resource
        }
        names = [str(definition[key]) for definition in advertised.lists[member]]
        yield from _compare_names(_KIND_NAMES[member], declared, names, server)
    declared = {prompt.name: prompt.span for prompt in definitions.prompts}
    names = [str(prompt["name"]) for prompt in advertised.lists.get("prompts", [])]
    yield from _compare_names("prompt", declared, names, server)
    yield from find_member_changes(definitions, advertised)


def build_expected_tool(tool: ToolDefinition, version: str) -> dict[str, Json]:
    """Return a Tool as a generated package advertises it: its outputSchema is as declared, wrapped in an object, or
    missing."""
    expected = dict(tool.tool)
    if tool.output is not None:
        schema, dialect = tool.output.value, tool.output.dialect
        always = tool.choices.wrap == "always" and not implies_object(schema, dialect)
        if version < ANY_JSON_RESULT_SINCE or always:
            expected["outputSchema"] = make_object_schema(schema, dialect)
    return _drop_unknown_output(expected, version)


def _drop_unknown_output(tool: dict[str, Json], version: str) -> dict[str, Json]:
    """Return a Tool without its outputSchema if the version has none: SDKs may send it nevertheless."""
    if version >= STRUCTURED_CONTENT_SINCE:
        return tool
    return {key: value for key, value in tool.items() if key != "outputSchema"}


def _compare_names(kind: str, declared: Mapping[str, Span], advertised: list[str], server: str) -> Iterator[Diagnostic]:
    for name in sorted(declared.keys() - advertised):
        yield _make_difference(f'{kind} "{name}" is missing on the server', declared[name])
    for name in sorted(set(advertised) - declared.keys()):
        yield _make_difference(f'{kind} "{name}" is new on the server', Span(server))


def _make_difference(message: str, span: Span, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic("MG716", message, span, "", severity)


def _render_diff(expected: dict[str, Json], actual: dict[str, Json], tool: ToolDefinition, server: str) -> str:
    old, new = _dump_contract(expected), _dump_contract(actual)
    names = escape_line(f"{tool.origin}: {tool.name}"), escape_line(f"{server}: {tool.name}")
    if max(len(old), len(new)) <= MOST_DIFFED_LINES:
        lines: Iterator[str] = difflib.unified_diff(old, new, *names, lineterm="")
    else:
        lines = make_single_hunk_diff(old, new, *names)
    return "".join(f"{line}\n" for line in lines)


def _dump_contract(tool: dict[str, Json]) -> list[str]:
    return json.dumps(build_contract(tool), indent=2, sort_keys=True).splitlines()


def make_single_hunk_diff(old: list[str], new: list[str], old_name: str, new_name: str) -> Iterator[str]:
    """Yield a unified diff with one hunk, from the first line that differs to the last one, in linear time."""
    shorter = min(len(old), len(new))
    start = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    most = shorter - start
    end = next((index for index in range(most) if old[-1 - index] != new[-1 - index]), most)
    removed, added = old[start : len(old) - end], new[start : len(new) - end]
    yield from (f"--- {old_name}", f"+++ {new_name}")
    yield f"@@ -{start + bool(removed)},{len(removed)} +{start + bool(added)},{len(added)} @@"
    yield from (f"-{line}" for line in removed)
    yield from (f"+{line}" for line in added)


def describe_counts(advertised: AdvertisedDefinitions) -> str:
    """Describe how many definitions of each kind there are, as in "2 tools, 1 resource"."""
    counts = [(len(advertised.lists.get(member, [])), kind) for member, kind in _KIND_NAMES.items()]
    return ", ".join(f"{count} {kind}{'s' * (count != 1)}" for count, kind in counts if count) or "nothing"
