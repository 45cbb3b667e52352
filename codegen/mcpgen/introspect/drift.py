"""What a server advertises against what the definitions say it does, under the version that it was asked under."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.introspect.validation import DEFINITION_KINDS, AdvertisedDefinitions
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.report.visible import escape_line
from mcpgen.schema.contract import build_contract, format_contract
from mcpgen.schema.result_wrapper import has_object_type, wrap_schema
from mcpgen.schema.values import Json, canonicalize
from mcpgen.targets import ANY_JSON_RESULT_SINCE, STRUCTURED_CONTENT_SINCE

MOST_DIFFED_LINES = 2_000
"""Lines of contracts that are compared line by line, which takes time by their square."""
DESCRIPTIVE_MEMBERS = ("title", "description", "annotations")
"""Members of a Tool that say something of it and promise nothing."""


@dataclass(frozen=True)
class Drift:
    """The differences: errors, each with the place of its definition; the changed contracts as unified diffs; notes."""

    found: tuple[Diagnostic, ...]
    diffs: tuple[str, ...]
    notes: tuple[Diagnostic, ...]


def find_drift(definitions: Definitions, advertised: AdvertisedDefinitions, server: str) -> Drift:
    """Compare: every tool's contract, and which tools, resources and resource templates there are."""
    version = advertised.protocol
    declared = {one.name: one.span for one in definitions.tools}
    found = [*_compare_names("tool", declared, [str(tool["name"]) for tool in advertised.tools], server)]
    for member, key in (("resources", "uri"), ("resourceTemplates", "uriTemplate")):
        declared = {str(one.resource[key]): one.span for one in definitions.resources if key in one.resource}
        live = [str(one[key]) for one in advertised.lists[member]]
        word = "resource" if member == "resources" else "resource template"
        found += _compare_names(word, declared, live, server)
    diffs: list[str] = []
    notes: list[Diagnostic] = []
    live_tools = {tool["name"]: tool for tool in advertised.tools}
    for tool in definitions.tools:
        live_tool = live_tools.get(tool.name)
        if live_tool is None:
            continue
        wanted, seen = build_expected_tool(tool, version), _drop_unknown_output(live_tool, version)
        if format_contract(wanted) != format_contract(seen):
            found.append(_make_difference(f'tool "{tool.name}" is another on the server', tool.span))
            diffs.append(_render_diff(wanted, seen, tool, f"{server} ({version})"))
        different = [
            word for word in DESCRIPTIVE_MEMBERS if canonicalize(wanted.get(word)) != canonicalize(seen.get(word))
        ]
        if different:
            text = f'tool "{tool.name}" has another {" and ".join(different)} on the server'
            notes.append(_make_difference(text, tool.span, Severity.NOTE))
    return Drift(tuple(found), tuple(diffs), tuple(notes))


def build_expected_tool(tool: ToolDefinition, version: str) -> dict[str, Json]:
    """A Tool as a generated package advertises it under a version: natural, wrapped, or without outputSchema."""
    out = dict(tool.tool)
    wraps = version < ANY_JSON_RESULT_SINCE or tool.choices.wrap == "always"
    if tool.output is not None and wraps and not has_object_type(tool.output.value):
        out["outputSchema"] = wrap_schema(tool.output.value, tool.output.dialect)
    return _drop_unknown_output(out, version)


def _drop_unknown_output(tool: dict[str, Json], version: str) -> dict[str, Json]:
    """A Tool without an outputSchema where the version knows none: an SDK that sends it nevertheless is no drift."""
    return (
        tool
        if version >= STRUCTURED_CONTENT_SINCE
        else {key: value for key, value in tool.items() if key != "outputSchema"}
    )


def _compare_names(word: str, declared: Mapping[str, Span], live: list[str], server: str) -> Iterator[Diagnostic]:
    for name in sorted(declared.keys() - live):
        yield _make_difference(f'{word} "{name}" is missing on the server', declared[name])
    for name in sorted(set(live) - declared.keys()):
        yield _make_difference(f'{word} "{name}" is new on the server', Span(server))


def _make_difference(text: str, span: Span, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic("MG716", text, span, "", severity)


def _render_diff(wanted: dict[str, Json], found: dict[str, Json], tool: ToolDefinition, server: str) -> str:
    old, new = (json.dumps(build_contract(one), indent=2, sort_keys=True).splitlines() for one in (wanted, found))
    names = escape_line(f"{tool.origin}: {tool.name}"), escape_line(f"{server}: {tool.name}")
    small = max(len(old), len(new)) <= MOST_DIFFED_LINES
    lines = difflib.unified_diff(old, new, *names, lineterm="") if small else make_single_hunk_diff(old, new, *names)
    return "".join(f"{line}\n" for line in lines)


def make_single_hunk_diff(old: list[str], new: list[str], old_name: str, new_name: str) -> Iterator[str]:
    """A unified diff of one hunk, from the first line that differs to the last one, whatever is alike in between."""
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    yield from (f"--- {old_name}", f"+++ {new_name}")
    yield f"@@ -{start + bool(gone)},{len(gone)} +{start + bool(come)},{len(come)} @@"
    yield from (f"-{line}" for line in gone)
    yield from (f"+{line}" for line in come)


def describe_counts(advertised: AdvertisedDefinitions) -> str:
    """How many definitions of each kind there are, in words."""
    singular = {"tools": "tool", "resources": "resource", "resourceTemplates": "resource template"}
    counts = [
        (len(advertised.lists[member]), singular[member]) for member in DEFINITION_KINDS if advertised.lists[member]
    ]
    return ", ".join(f"{count} {word}" if count == 1 else f"{count} {word}s" for count, word in counts) or "nothing"
