"""Drift between a server's listing and the definitions, under the protocol version of the listing."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.introspect.definition_drift import find_instruction_changes, find_member_changes, pair_definitions
from mcpgen.introspect.validation import KEY_MEMBERS, AdvertisedDefinitions
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.report.visible import escape_line
from mcpgen.schema.contract import build_contract, format_contract
from mcpgen.schema.object_roots import make_object_schema
from mcpgen.schema.values import Json
from mcpgen.schema.wording import WordingChange, list_wording_changes
from mcpgen.targets import ANY_JSON_RESULT_SINCE, STRUCTURED_CONTENT_SINCE

MOST_DIFFED_LINES = 2_000
"""Lines of a contract up to which a minimal diff is computed, which takes quadratic time."""
_KIND_NAMES = {"tools": "tool", "resources": "resource", "resourceTemplates": "resource template", "prompts": "prompt"}
"""Singular of the definitions of each list."""
MOST_NAMED_POINTERS = 4
"""Pointers that a message about changed wording names."""


@dataclass(frozen=True)
class Drift:
    """Differences between a server and the definitions."""

    errors: tuple[Diagnostic, ...]
    """Missing, new and changed definitions."""
    diffs: tuple[str, ...]
    """Changed contracts of tools, as unified diffs."""
    wording: tuple[Diagnostic, ...]
    """Definitions that say something else to models and people, as notes, or as errors if wording counts, too."""
    wording_diffs: tuple[str, ...]
    """What they say, as unified diffs."""


def find_drift(
    definitions: Definitions, advertised: AdvertisedDefinitions, server: str, *, strict: bool = False
) -> Drift:
    """Compare the contracts of tools, resources and prompts, what they say, and which of them there are.

    Args:
        definitions: what the server should advertise.
        advertised: what it advertises.
        server: the server, for diagnostics.
        strict: whether wording that has changed is an error.
    """
    version = advertised.protocol
    errors = list(_compare_lists(definitions, advertised, server))
    diffs: list[str] = []
    pairs = [*pair_definitions(definitions, advertised)]
    advertised_tools = {tool["name"]: tool for tool in advertised.tools}
    for tool in definitions.tools:
        if tool.name not in advertised_tools:
            continue
        expected = build_expected_tool(tool, version)
        actual = _drop_unknown_output(advertised_tools[tool.name], version)
        if tool.is_output_from_settings and "outputSchema" not in actual:
            expected.pop("outputSchema", None)  # the server still declares none
        if format_contract(expected) != format_contract(actual):
            errors.append(_make_difference(f'tool "{tool.name}" is another on the server', tool.span))
            diffs.append(_render_diff(expected, actual, tool, f"{server} ({version})"))
        pairs.append((f'tool "{tool.name}"', expected, actual, tool.span))
    severity = Severity.ERROR if strict else Severity.NOTE
    wording: list[Diagnostic] = []
    wording_diffs: list[str] = []
    for label, expected, actual, span in pairs:
        if changes := list_wording_changes(expected, actual):
            message = f"{label} is described differently on the server: {_list_pointers(changes)}"
            wording.append(Diagnostic("MG717", message, span, "", severity))
            wording_diffs.append(_render_wording_diff(label, changes, span.file, f"{server} ({version})"))
    wording += find_instruction_changes(definitions, advertised, server, severity)
    return Drift(tuple(errors), tuple(diffs), tuple(wording), tuple(wording_diffs))


def _list_pointers(changes: list[WordingChange]) -> str:
    named = ", ".join(change.pointer for change in changes[:MOST_NAMED_POINTERS])
    more = len(changes) - MOST_NAMED_POINTERS
    return f"{named} and {more} more" if more > 0 else named


def _render_wording_diff(label: str, changes: list[WordingChange], old_name: str, new_name: str) -> str:
    """Return what was said and is said now, at each JSON pointer, as a unified diff."""
    lines = [f"--- {escape_line(f'{old_name}: {label}')}", f"+++ {escape_line(f'{new_name}: {label}')}"]
    for change in changes:
        lines.append(f"@@ {escape_line(change.pointer)} @@")
        lines += [f"-{line}" for line in _split_value(change.before)]
        lines += [f"+{line}" for line in _split_value(change.after)]
    return "".join(f"{line}\n" for line in lines)


def _split_value(value: Json) -> list[str]:
    """Return the lines of a text, or of another value as JSON; none if there is nothing."""
    if value is None:
        return []
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return [escape_line(line) for line in text.split("\n")]


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
        if version < ANY_JSON_RESULT_SINCE or tool.wrapping == "always":
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


def _make_difference(message: str, span: Span) -> Diagnostic:
    return Diagnostic("MG716", message, span, "", Severity.ERROR)


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
